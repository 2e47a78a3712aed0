//! Computers on the seats of players who leave games of three: which one is offered a seat, and who
//! seats it. The table decides what an offer and its answers come to.
//!
//! The offer is a part of the record (`seat_offered`), like every other one: all nodes have it, a
//! process that starts anew goes on waiting for the answers, and no client is shown what could be
//! lost. A seat that is removed takes its pieces with it, so position and turn stay as they are
//! until the answers have come, and all clocks stand. The clock that ran is charged up to the offer;
//! the next one runs from `removed` or `substituted` on. `removed` has the ply at which the player
//! left, so that places and ratings are those of a removal at once.

use std::sync::{Arc, OnceLock};

use adamant_protocol::{GameId, UserName, to_client::HousePlayer};
use adamant_rules::{BySeat, Event, EventKind, Events, Player, Seat};
use tokio::sync::mpsc;

use crate::cluster::StartedGame;
use crate::limits::SUBSTITUTES_QUEUED_MAX;
use crate::room::{Cause, Pass, Room};

/// The level that is offered: the middle one.
const LEVEL: u8 = 4;

/// The server's bots that may take seats.
#[derive(Debug)]
pub(crate) struct Substitutes {
    /// Not set where the house does not play.
    bots: OnceLock<Arc<[HousePlayer]>>,
    seated: mpsc::Sender<StartedGame>,
}

impl Substitutes {
    /// Returns the bots, none so far, and the queue of the seats that they have taken.
    pub(crate) fn queue() -> (Self, mpsc::Receiver<StartedGame>) {
        let (seated, queue) = mpsc::channel(SUBSTITUTES_QUEUED_MAX);
        (Self { bots: OnceLock::new(), seated }, queue)
    }

    /// Lets these bots take seats. The first call counts.
    pub(crate) fn open(&self, bots: Arc<[HousePlayer]>) {
        self.bots.get_or_init(|| bots);
    }

    fn is_house(&self, user: &str) -> bool {
        let bots = self.bots.get().into_iter().flat_map(|bots| bots.iter());
        let mut names = bots.flat_map(|bot| bot.twin.iter().chain([&bot.user]));
        names.any(|name| name.is_same(user))
    }

    /// Returns a bot that does not play in this game, and its level.
    fn choose(&self, players: &BySeat<Player>) -> Option<(Player, u8)> {
        let bot = self.bots.get()?.iter().find(|bot| bot.number == Some(LEVEL))?;
        let is_free = |name: &&UserName| !players.iter().any(|player| name.is_same(&player.user));
        let name = [&bot.user].into_iter().chain(&bot.twin).find(is_free)?;
        Some((Player { bot: true, ..Player::new(name.as_str()) }, LEVEL))
    }

    /// Has the sessions of a bot seated, which has taken a seat of this game. A bot that does not
    /// hear of it finds the game among its own later.
    pub(super) fn seat(&self, game: &GameId, bot: &Player) {
        let Ok(user) = bot.user.parse::<UserName>() else { return };
        let (game, challenge, rematch_of) = (game.clone(), None, None);
        let seated = StartedGame { game, players: vec![user], challenge, rematch_of };
        if self.seated.try_send(seated).is_err() {
            tracing::debug!(bot = %bot.user, "a bot will find its new game later");
        }
    }
}

impl Room {
    /// Offers a seat to a computer in place of its removal by these events, if those who are left
    /// can say what they think of it: people who are here, and the server's bots.
    pub(super) fn or_offer_seat(&self, events: Events) -> Events {
        let offered = events.first().and_then(|removal| self.seat_offer_for(removal));
        offered.unwrap_or(events)
    }

    fn seat_offer_for(&self, removal: &Event) -> Option<Events> {
        let EventKind::Removed { seat, .. } = removal.kind else { return None };
        let (substitutes, players) = (&self.context.substitutes, self.table.players());
        let is_house = |seat: Seat| substitutes.is_house(&players[seat].user);
        let is_person = |seat: Seat| !players[seat].bot;
        let answers = |seat: Seat| is_house(seat) || (is_person(seat) && self.is_present(seat));
        let others = self.table.seats_in().without(seat);
        // A player who leaves becomes a spectator, and must not have seen more than spectators may.
        let is_open = self.table.setup().delay == 0 && !is_house(seat);
        if !is_open || !others.iter().all(answers) || !others.iter().any(is_person) {
            return None;
        }
        let (computer, level) = substitutes.choose(players)?;
        self.table.offer_seat(removal, computer, level)
    }

    /// Removes the seat that is offered to a computer, since this player leaves as well, or since an
    /// operator ends the game. Returns whether that is under way.
    pub(super) fn end_seat_offer(&mut self, by: Option<Seat>, pass: &mut Pass<'_>) -> bool {
        let is_theirs = |offered: Seat| Some(offered) == by;
        if self.table.seat_offer().is_none_or(|leaving| is_theirs(leaving.seat)) {
            return false;
        }
        let Some(events) = self.table.end_seat_offer(pass.now) else { return false };
        self.append(events, Cause::Server, pass);
        true
    }
}
