//! Pure functions from the events of a game to the facts that its rating needs.

use adamant_protocol::{UserName, values::RatingChange};
use adamant_record::wire;
use adamant_rules::{
    BySeat, Event, EventKind, Seat, Table,
    table::{Outcome, ServerAction},
};

use super::snapshot;
use crate::ratings::{Pool, RatedResult};

/// Returns the result to rate, if a rated game in which every seat has moved ends with these
/// events, which are not applied yet.
pub(super) fn result_after(table: &Table, events: &[Event]) -> Option<RatedResult> {
    let setup = table.setup();
    let places = events.iter().find_map(|event| {
        if let EventKind::Ended { places, .. } = &event.kind { Some(places) } else { None }
    });
    let places = places.filter(|_| setup.rated && is_played(table, events))?;
    let seats = snapshot::reseated(table, events)
        .unwrap_or_else(|| wire::seats(table.players(), table.position()));
    let users: Vec<UserName> = seats.into_iter().map(|seat| seat.user).collect();
    let pool = Pool::of(setup.kind, users.len());
    Some(RatedResult { pool, users, places: places.iter().copied().collect() })
}

/// Whether every seat has moved once these events have happened.
fn is_played(table: &Table, events: &[Event]) -> bool {
    let mut moved = table.seats_moved();
    for event in events {
        if let EventKind::Moved { seat, .. } | EventKind::Swapped { seat, .. } = event.kind {
            moved = moved.with(seat);
        }
    }
    Seat::all(table.players().len()).all(|seat| moved.contains(seat))
}

/// Whether a rated game is over and its rating change is not recorded yet.
pub(super) fn awaits_rating(table: &Table, ratings: Option<&RatingChange>) -> bool {
    let ended = matches!(table.outcome(), Some(Outcome::Ended { .. }));
    ended && table.setup().rated && is_played(table, &[]) && ratings.is_none()
}

/// Returns the rating change of an event.
pub(super) fn rating_change(event: &Event) -> Option<RatingChange> {
    if let EventKind::Rated { before, after } = &event.kind {
        let numbers = |ratings: &BySeat<u16>| ratings.iter().copied().collect();
        Some(RatingChange { before: numbers(before), after: numbers(after) })
    } else {
        None
    }
}

/// Returns the server action that records a rating change.
pub(super) fn rating_action(change: &RatingChange) -> Option<ServerAction> {
    let before = BySeat::try_from_iter(change.before.iter().copied())?;
    let after = BySeat::try_from_iter(change.after.iter().copied())?;
    Some(ServerAction::Rated { before, after })
}
