//! Occasions to notify the players of a game who have no session at it.

use adamant_protocol::{GameId, UserName};
use adamant_record::wire;
use adamant_rules::{Seat, Table, table::Outcome};

use super::{loaded::LoadedGame, state::Room};
use crate::{
    limits::TURN_UNSEEN_MAX,
    occasions::{GameSide, Occasion, OccasionKind, Occasions},
    runtime::time::milliseconds,
};

impl Room {
    /// Reports that it is this seat's turn, unless its user is here.
    pub(super) fn report_turn(&self, seat: Seat, now: u64) {
        if !self.is_present(seat) {
            self.report(seat, OccasionKind::Turn(self.head.game.clone()), now);
        }
    }

    /// Reports a turn that has just begun to the player whose session has ended: the connection may
    /// have been dead before the server noticed.
    pub(super) fn report_unseen_turn(&self, left: Option<Seat>, now: u64) {
        let began = self.table.last_at();
        if left == self.table.to_move()
            && let Some(seat) = left
            && now.saturating_sub(began) <= milliseconds(TURN_UNSEEN_MAX)
        {
            self.report_turn(seat, now);
        }
    }

    /// Reports the end of the game to the players who are not here.
    pub(super) fn report_end(&self, now: u64) {
        let Some(outcome) = self.table.outcome() else { return };
        for seat in Seat::all(self.table.players().len()) {
            if !self.is_present(seat) {
                let side = side_of(outcome, seat);
                self.report(seat, OccasionKind::End(self.head.game.clone(), side), now);
            }
        }
    }

    /// Whether the seat's user has a session at the game, on any node.
    fn is_present(&self, seat: Seat) -> bool {
        self.audience.is_online(seat) || self.presence.is_elsewhere(&self.table, seat)
    }

    fn report(&self, seat: Seat, subject: OccasionKind, now: u64) {
        self.context.occasions.report(|| occasion(&self.table, seat, subject, now));
    }
}

/// Reports the first turn of a game that has just begun.
pub(super) fn report_first_turn(occasions: &Occasions, loaded: &LoadedGame, now: u64) {
    let LoadedGame { table, head, .. } = loaded;
    let game: &GameId = &head.game;
    if let Some(seat) = table.to_move() {
        occasions.report(|| occasion(table, seat, OccasionKind::Turn(game.clone()), now));
    }
}

fn occasion(table: &Table, seat: Seat, subject: OccasionKind, at: u64) -> Occasion {
    let seats = wire::seats(table.players(), table.position());
    let mut others: Vec<UserName> = seats.into_iter().map(|seat| seat.user).collect();
    let user = others.remove(seat.index());
    Occasion { user, rules: wire::rules(table.setup().kind), others, at, subject }
}

/// The end of a game from one player's side.
fn side_of(outcome: &Outcome, seat: Seat) -> GameSide {
    match outcome {
        Outcome::Aborted { .. } => GameSide::Aborted,
        Outcome::Ended { winners, .. } if !winners.contains(seat) => GameSide::Lost,
        Outcome::Ended { winners, .. } if winners.single().is_some() => GameSide::Won,
        Outcome::Ended { .. } => GameSide::Drew,
    }
}
