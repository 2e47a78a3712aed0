//! Pure functions from the events of a game to the facts that its rating needs.

use adamant_protocol::{UserName, values::RatingChange};
use adamant_record::wire;
use adamant_rules::{
    BySeat, Event, EventKind, Table,
    table::{Outcome, ServerAction},
};

use super::snapshot;
use crate::ratings::{Pool, RatedResult};

/// How a game that counts has ended, if it ends with these events, which are yet to be applied.
pub(super) fn result_after(table: &Table, events: &[Event]) -> Option<RatedResult> {
    let setup = table.setup();
    let places = events.iter().find_map(|event| {
        if let EventKind::Ended { places, .. } = &event.kind { Some(places) } else { None }
    });
    let places = places.filter(|_| setup.rated)?;
    let seats = snapshot::reseated(table, events)
        .unwrap_or_else(|| wire::seats(table.players(), table.position()));
    let users: Vec<UserName> = seats.into_iter().map(|seat| seat.user).collect();
    let pool = Pool::of(setup.kind, users.len());
    Some(RatedResult { pool, users, places: places.iter().copied().collect() })
}

/// Whether the game is over and counts, but its record does not say yet what came of that.
pub(super) fn awaits_rating(table: &Table, ratings: Option<&RatingChange>) -> bool {
    let ended = matches!(table.outcome(), Some(Outcome::Ended { .. }));
    ended && table.setup().rated && ratings.is_none()
}

/// The ratings that an event tells, if it does.
pub(super) fn rating_change(event: &Event) -> Option<RatingChange> {
    if let EventKind::Rated { before, after } = &event.kind {
        let numbers = |ratings: &BySeat<u16>| ratings.iter().copied().collect();
        Some(RatingChange { before: numbers(before), after: numbers(after) })
    } else {
        None
    }
}

pub(super) fn rating_action(change: &RatingChange) -> Option<ServerAction> {
    let before = BySeat::try_from_iter(change.before.iter().copied())?;
    let after = BySeat::try_from_iter(change.after.iter().copied())?;
    Some(ServerAction::Rated { before, after })
}
