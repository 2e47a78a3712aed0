//! Ends games of a bot whose opponent does not come back. This applies to games without a clock; a
//! clock ends the others.

use std::{collections::HashMap, collections::HashSet, time::Duration};

use adamant_protocol::{
    ErrorCode, FromClient, GameId, RequestId, UserName,
    from_client::{Abort, Claim, ClaimKind, Resign},
    to_client::{Failed, GameEntry},
    values::TimeControl,
};

use crate::{
    config,
    limits::{HOUSE_ROUND_MAX, HOUSE_ROUND_MIN, HOUSE_ROUND_SHARE},
    lobby::Lobby,
    runtime::time::milliseconds,
};

/// How a house player tries to end a game, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EndStep {
    Abort,
    Claim,
    Resign,
}

/// How long a house player waits.
#[derive(Debug, Clone, Copy)]
pub(super) struct WaitLimits {
    /// For the next move of an opponent who has moved.
    waits_ms: u64,
    /// For an opponent who is not connected and has never moved.
    waits_untouched_ms: u64,
    pub(super) every: Duration,
}

/// What is being done about games that wait.
#[derive(Debug, Default)]
pub(super) struct AbandonedGames {
    /// Since when all opponents have been seen to be gone, in epoch milliseconds.
    gone_since: HashMap<GameId, u64>,
    /// What was asked for and is not answered yet.
    asked: HashMap<RequestId, GameToEnd>,
}

#[derive(Debug, Clone)]
pub(super) struct GameToEnd {
    game: GameId,
    /// The seat that the game waits for.
    seat: u8,
    rated: bool,
    step: EndStep,
}

impl WaitLimits {
    pub(super) fn new(games: &config::GamesConfig) -> Self {
        let shorter = games.house_waits.min(games.house_waits_untouched);
        Self {
            waits_ms: milliseconds(games.house_waits),
            waits_untouched_ms: milliseconds(games.house_waits_untouched),
            every: (shorter / HOUSE_ROUND_SHARE).clamp(HOUSE_ROUND_MIN, HOUSE_ROUND_MAX),
        }
    }
}

/// Whether no one but house players has moved: in the first round each ply is a seat's first.
fn is_untouched(entry: &GameEntry, lobby: &Lobby) -> bool {
    let moved = usize::try_from(entry.ply).unwrap_or(usize::MAX);
    let seats = entry.seats.get(..moved);
    seats.is_some_and(|moved| moved.iter().all(|seat| lobby.is_house(&seat.user)))
}

impl AbandonedGames {
    /// Whether a game of this player is to end now, and how that begins.
    pub(super) fn check(
        &mut self,
        entry: &GameEntry,
        me: &UserName,
        (wait_limits, lobby, now_ms): (WaitLimits, &Lobby, u64),
    ) -> Option<GameToEnd> {
        let game = &entry.game;
        let seat = entry.to_move?;
        let waits_for = &entry.seats.get(usize::from(seat))?.user;
        if entry.clock != TimeControl::None
            || waits_for.is_same(me.as_str())
            || self.asked.values().any(|game_to_end| game_to_end.game == *game)
        {
            return None;
        }
        let waited_ms = now_ms.saturating_sub(entry.last_at);
        let is_there = |user: &UserName| !lobby.is_house(user) && lobby.is_online(user);
        let is_left = if entry.seats.iter().any(|seat| is_there(&seat.user)) {
            self.gone_since.remove(game);
            false
        } else {
            let since = *self.gone_since.entry(game.clone()).or_insert(now_ms);
            let gone_ms = now_ms.saturating_sub(since);
            is_untouched(entry, lobby) && gone_ms >= wait_limits.waits_untouched_ms
        };
        let ends = is_left || waited_ms >= wait_limits.waits_ms;
        let (game, rated) = (game.clone(), entry.rated);
        ends.then_some(GameToEnd { game, seat, rated, step: EndStep::Abort })
    }

    pub(super) fn keep(&mut self, live: &[GameId]) {
        let live: HashSet<&GameId> = live.iter().collect();
        self.gone_since.retain(|game, _| live.contains(game));
    }

    /// The request for the present step; its answer is awaited.
    pub(super) fn ask(&mut self, id: RequestId, game_to_end: GameToEnd) -> FromClient {
        let (game, seat) = (game_to_end.game.clone(), Some(game_to_end.seat));
        let step = game_to_end.step;
        self.asked.insert(id.clone(), game_to_end);
        match step {
            EndStep::Abort => Abort { id, game }.into(),
            EndStep::Claim => Claim { id, game, what: ClaimKind::Abandoned, seat }.into(),
            EndStep::Resign => Resign { id, game }.into(),
        }
    }

    pub(super) fn done(&mut self, re: &RequestId) {
        self.asked.remove(re);
    }

    /// Returns the next step after an error, if the request was one of these. A bot does not resign
    /// a rated game: it waits until it may claim.
    pub(super) fn refused(&mut self, failed: &Failed) -> Option<GameToEnd> {
        let game_to_end = self.asked.remove(failed.re.as_ref()?)?;
        let step = match (game_to_end.step, &failed.code) {
            (_, ErrorCode::GameOver | ErrorCode::NotFound) | (EndStep::Resign, _) => return None,
            (EndStep::Abort, _) => EndStep::Claim,
            (EndStep::Claim, _) if game_to_end.rated => return None,
            (EndStep::Claim, _) => EndStep::Resign,
        };
        Some(GameToEnd { step, ..game_to_end })
    }
}
