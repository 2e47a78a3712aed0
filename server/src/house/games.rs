//! How a bot follows its games and moves.

use std::collections::HashSet;

use adamant_protocol::{
    EventBody, EventFrame, GameId, OfferId,
    event::OfferKind,
    from_client::{Answer, Move, Watch},
    to_client::YourTurn,
};
use adamant_record::{Replay, wire};
use adamant_rules::Table;

use super::bot_session::{BotSession, RecordFetch, SearchTask};
use crate::{limits::HOUSE_USE, runtime::time::milliseconds, session::Services};

impl BotSession<'_> {
    pub(super) fn on_event(&mut self, frame: &EventFrame, bytes: &[u8]) {
        if frame.seq == 1 {
            self.games.entry(frame.game.clone()).or_default();
        }
        let is_unread = self.is_unread(&frame.game);
        // What follows upon the end of a game is not the house's business any more.
        let Some(game) = self.games.get_mut(&frame.game) else { return };
        let is_early = frame.seq > game.seq() + 1 && is_unread;
        if frame.seq <= game.seq() || is_early {
            return;
        }
        if let Err(error) = game.push(bytes) {
            // operator: a fault of the server: report it. The bot continues with its other games
            tracing::error!(game = %frame.game, %error, "server bot cannot follow a game");
            self.games.remove(&frame.game);
            return;
        }
        if matches!(frame.body, EventBody::Ended(_) | EventBody::Aborted(_)) {
            self.games.remove(&frame.game);
        }
    }

    /// The games that hold a place: one of the opponents is connected, and something has happened
    /// lately.
    pub(super) fn games_in_use(&self) -> HashSet<GameId> {
        let Services { lobby, time, .. } = self.services;
        let since = time.now_ms().saturating_sub(milliseconds(HOUSE_USE));
        let is_there = |user: &str| {
            user.parse().is_ok_and(|user| !lobby.is_house(&user) && lobby.is_online(&user))
        };
        let is_used = |table: &Table| {
            table.last_at() >= since && table.players().iter().any(|player| is_there(&player.user))
        };
        let games = self.games.iter().filter(|(_, replay)| replay.table().is_some_and(is_used));
        games.map(|(game, _)| game.clone()).collect()
    }

    /// Whether a game's record from before is still to come, or on its way.
    pub(super) fn is_unread(&self, game: &GameId) -> bool {
        self.unread.contains(game)
            || self.reading.as_ref().is_some_and(|reading| reading.game == *game)
    }

    /// Reads the record of the next earlier game once the last one is complete. All at once would
    /// overflow the session's outbox.
    pub(super) async fn read_next(&mut self) -> bool {
        if let Some(RecordFetch { game, until, .. }) = &self.reading {
            let seq = self.games.get(game).map(Replay::seq);
            if seq.is_some_and(|seq| until.is_none_or(|until| seq < until)) {
                return true;
            }
        }
        self.reading = None;
        let Some(game) = self.unread.pop_front() else { return true };
        let request = self.next_id();
        self.reading =
            Some(RecordFetch { request: request.clone(), game: game.clone(), until: None });
        self.send(Watch { id: request, game, from: Some(1), named: None }.into()).await
    }

    /// Ends games whose opponent does not come back.
    pub(super) async fn end_abandoned(&mut self) -> bool {
        let Services { store, lobby, time, .. } = self.services;
        let live = match store.live_games_of(&self.player.name).await {
            Ok(live) => live,
            Err(error) => {
                // operator: the store failed; the bot looks again later for games that its
                // opponents have left
                tracing::warn!(%error, "server bot cannot list its games");
                return true;
            }
        };
        self.abandoned.keep(&live);
        for game in live {
            let entry = match store.game_entry(&game).await {
                Ok(Some(entry)) if entry.result.is_none() => entry,
                Ok(_) => continue,
                Err(error) => {
                    // operator: the store failed; the bot retries
                    tracing::warn!(%game, %error, "server bot cannot read a game");
                    continue;
                }
            };
            let seen = (self.wait_limits, lobby, time.now_ms());
            if let Some(game_to_end) = self.abandoned.check(&entry, &self.player.name, seen) {
                let id = self.next_id();
                let request = self.abandoned.ask(id, game_to_end);
                if !self.send(request).await {
                    return false;
                }
            }
        }
        true
    }

    /// The house grants takebacks where nothing counts, and turns every other offer down at once.
    pub(super) async fn on_offer(&mut self, frame: &EventFrame) -> bool {
        let EventBody::Offered(offered) = &frame.body else { return true };
        match self.answer_to(&frame.game, offered.offer, &offered.needs, offered.what) {
            Some(accept) => {
                let (id, game) = (self.next_id(), frame.game.clone());
                self.send(Answer { id, game, offer: offered.offer, accept }.into()).await
            }
            None => true,
        }
    }

    /// What the house says to an offer; `None` if that is not for it to say.
    pub(super) fn answer_to(
        &self,
        game: &GameId,
        offer: OfferId,
        needs: &[u8],
        what: OfferKind,
    ) -> Option<bool> {
        let table = self.games.get(game).and_then(Replay::table)?;
        table.offers().iter().find(|open| open.offer.0 == offer.0)?;
        let seat = table.seat_of(self.player.name.as_str())?;
        let is_asked = needs.contains(&wire::seat_number(seat));
        is_asked.then_some(what == OfferKind::Takeback && !table.setup().rated)
    }

    pub(super) fn on_turn(&mut self, turn: &YourTurn) {
        let known = self.games.get(&turn.game).and_then(Replay::table);
        // Before a game's record has been read there is nothing to search. The server sends the
        // turn again after the record.
        if known.is_some_and(|table| table.turn() == turn.turn) && !self.due.contains(&turn.game) {
            self.due.push_back(turn.game.clone());
        }
    }

    /// Starts the search of the game that has waited longest, in the work pool.
    pub(super) fn start_search(&mut self) -> Option<SearchTask> {
        while let Some(game) = self.due.pop_front() {
            let Some(table) = self.games.get(&game).and_then(Replay::table) else { continue };
            let (turn, position) = (table.turn(), table.position().clone());
            let (level, seen) = (self.player.search_level(), table.positions_seen().to_vec());
            let mut entropy = self.services.entropy.clone();
            return Some(self.services.work.run(move || {
                let play =
                    adamant_engine::choice::choose_after(&seen, &position, level, &mut entropy)?;
                Some((game, turn, play.to_string()))
            }));
        }
        None
    }

    pub(super) async fn make_move(&mut self, game: GameId, turn: u32, notation: &str) -> bool {
        // Named by game and turn: however often it is sent, it is one move.
        let id = format!("{game}:{turn}").parse().expect("a short id");
        self.send(Move { id, game, turn, notation: notation.into() }.into()).await
    }
}
