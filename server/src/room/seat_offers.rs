//! The seats of players who leave games of three, offered to computers. The table decides what an
//! offer and its answers come to.
//!
//! The offer is a part of the record (`seat_offered`), like every other one: all nodes have it, a
//! process that starts again goes on waiting for the answers, and no client is shown what could be
//! lost. A seat that is removed takes its pieces with it, so position and turn stay as they are
//! until the answers have come, and all clocks stand. The clock that ran is charged up to the offer;
//! the next one runs from `removed` or `substituted` on. `removed` has the ply at which the player
//! left, so that places and ratings are those of a removal at once.

use adamant_rules::{Event, EventKind, Events, Seat};

use crate::room::{Cause, Pass, Room};

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
