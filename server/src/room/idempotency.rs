//! The requests that have become records. The table is rebuilt from the records, so that a request
//! that is sent again, even after a crash, gets the same response and is not carried out twice.
//!
//! The table has only hashes. On a hit the room reads the record, which tells what was asked for.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::LazyLock;

use adamant_protocol::{
    EventBody, EventFrame, GameId, OfferId, RequestId, event, fast_path, to_client::Done,
};
use adamant_rules::event::{AbortReason, OfferOutcome};
use adamant_rules::{Event, EventKind, Seat, Table};
use arrayvec::ArrayVec;
use hashbrown::HashTable;

use crate::{outbound::frame::Frame, room::PlayerAction};

/// Longer than a user's name and an id together.
const KEY_BYTES_MAX: usize = 128;

/// Where the record of a request is.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// The hash of the request's user and id.
    hash: u64,
    seq: u64,
}

/// The accepted requests of one game, by user, since users may change seats.
#[derive(Debug, Clone, Default)]
pub(super) struct AcceptedRequests(HashTable<Place>);

/// Random keys of the hashes, so that no client can make many ids with the same one.
static KEYS: LazyLock<RandomState> = LazyLock::new(RandomState::new);

impl AcceptedRequests {
    /// Records the request that caused an event. `table` is the game after it.
    pub(super) fn record(&mut self, req: &RequestId, seq: u64, event: &Event, table: &Table) {
        if let Some((seat, ..)) = cause(event) {
            // After a swap the user sits in the next seat.
            let swapped = matches!(event.kind, EventKind::Swapped { .. });
            let seat = if swapped { seat.next(table.players().len()) } else { seat };
            let hash = hash(&table.players()[seat].user, req);
            self.0.insert_unique(hash, Place { hash, seq }, |place| place.hash);
        }
    }

    /// Returns the first record after the seq `after` that may be of this request.
    pub(super) fn seq_of(&self, user: &str, req: &RequestId, after: u64) -> Option<u64> {
        let hash = hash(user, req);
        let found = self.0.iter_hash(hash).filter(|place| place.hash == hash);
        found.map(|place| place.seq).filter(|&seq| seq > after).min()
    }
}

fn hash(user: &str, req: &RequestId) -> u64 {
    let user = user.bytes().map(|letter| letter.to_ascii_lowercase());
    // One text, since each write to a hasher costs. No letter of a name or an id is a zero.
    let letters = user.chain([0]).chain(req.as_str().bytes());
    let text: ArrayVec<u8, KEY_BYTES_MAX> = letters.take(KEY_BYTES_MAX).collect();
    KEYS.hash_one(&*text)
}

#[cfg(test)]
impl AcceptedRequests {
    /// Lets a record have the hash of another request.
    pub(super) fn confuse(&mut self, user: &str, req: &RequestId, seq: u64) {
        let hash = hash(user, req);
        self.0.insert_unique(hash, Place { hash, seq }, |place| place.hash);
    }
}

/// Returns the response to a request that has become this event.
pub(super) fn reply(re: &RequestId, game: &GameId, seq: u64, event: &Event) -> Frame {
    let caused = cause(event);
    if let Some((_, Some(turn), None)) = caused {
        return Frame::written(|bytes| fast_path::write_ok(bytes, re, game, seq, turn));
    }
    let mut done = Done::new(re.clone());
    done.game = Some(game.clone());
    if let Some((_, turn, offer)) = caused {
        (done.seq, done.turn, done.offer) = (Some(seq), turn, offer);
    }
    Frame::of(&done.into())
}

/// Returns the response to a request that has become this record before; `None` if that was another
/// request with the same id. `table` is the game now.
pub(super) fn repeat(frame: EventFrame, action: &PlayerAction, table: &Table) -> Option<Done> {
    let (turn, offer, accepted) = asked_for(frame.body)?;
    if !is_same(action, &accepted, table) {
        return None;
    }
    let mut done = Done::new(frame.req?);
    (done.seq, done.turn, done.offer, done.dup) = (Some(frame.seq), turn, offer, true);
    Some(done)
}

fn is_same(action: &PlayerAction, accepted: &PlayerAction, table: &Table) -> bool {
    match (action, accepted) {
        // Without a seat any claim is the same.
        (PlayerAction::Claim { seat: None }, PlayerAction::Claim { .. }) => true,
        // Two spellings of one move are the same move.
        (
            PlayerAction::Move { turn, mv },
            PlayerAction::Move { turn: accepted_turn, mv: canonical },
        ) => {
            let parsed = table.position().parse_move(mv);
            turn == accepted_turn && parsed.is_ok_and(|mv| mv.to_string() == **canonical)
        }
        (action, accepted) => action == accepted,
    }
}

/// Returns the seat whose request led to an event, with the turn and the offer of the response;
/// `None` for events without a request.
fn cause(event: &Event) -> Option<(Seat, Option<u32>, Option<OfferId>)> {
    Some(match &event.kind {
        EventKind::Moved { seat, turn, .. } | EventKind::Swapped { seat, turn, .. } => {
            (*seat, Some(*turn), None)
        }
        EventKind::Removed { seat, claimed_by, turn, .. } => {
            (claimed_by.unwrap_or(*seat), Some(*turn), None)
        }
        EventKind::Ended { by: Some(seat), claimed_by, .. } => {
            (claimed_by.unwrap_or(*seat), None, None)
        }
        EventKind::Aborted { claimed_by: Some(seat), .. }
        | EventKind::Aborted { by: seat, reason: AbortReason::ByPlayer, .. } => (*seat, None, None),
        EventKind::Offered { offer, by: seat, .. } | EventKind::Agreed { offer, seat, .. } => {
            (*seat, None, Some(OfferId(offer.0)))
        }
        EventKind::OfferClosed { outcome: OfferOutcome::Moved, .. }
        | EventKind::Created(_)
        | EventKind::Started { .. }
        | EventKind::Skipped { .. }
        | EventKind::TakenBack { .. }
        | EventKind::ClockAdjusted { .. }
        | EventKind::Aborted { reason: AbortReason::Agreed | AbortReason::NoShow, .. }
        | EventKind::Ended { by: None, .. }
        | EventKind::Rated { .. } => return None,
        EventKind::OfferClosed { offer, by, .. } => (*by, None, Some(OfferId(offer.0))),
    })
}

/// Returns what the request of a record asked for, with the turn and the offer of the response.
fn asked_for(body: EventBody) -> Option<(Option<u32>, Option<OfferId>, PlayerAction)> {
    // The record has the turn that follows the move.
    let moved = |turn: u32, mv: Box<str>| {
        (Some(turn), None, PlayerAction::Move { turn: turn.saturating_sub(1), mv })
    };
    let gone = |seat: u8, claimed_by: Option<u8>| match claimed_by {
        Some(_) => PlayerAction::Claim { seat: Some(seat) },
        None => PlayerAction::Resign,
    };
    Some(match body {
        EventBody::Moved(body) => moved(body.turn, body.notation),
        EventBody::Swapped(body) => moved(body.turn, "swap".into()),
        EventBody::Removed(body) => (Some(body.turn), None, gone(body.seat, body.claimed_by)),
        EventBody::Ended(body) => (None, None, gone(body.by?, body.claimed_by)),
        EventBody::Aborted(body) if body.claimed_by.is_none() => (None, None, PlayerAction::Abort),
        EventBody::Aborted(body) => (None, None, gone(body.by, body.claimed_by)),
        EventBody::Offered(body) => (None, Some(body.offer), PlayerAction::Offer(body.what)),
        EventBody::Agreed(body) => {
            (None, Some(body.offer), PlayerAction::Answer { offer: body.offer, accept: true })
        }
        EventBody::OfferClosed(body) => {
            let offer = body.offer;
            let action = match body.outcome {
                event::OfferOutcome::Accepted => PlayerAction::Answer { offer, accept: true },
                event::OfferOutcome::Declined => PlayerAction::Answer { offer, accept: false },
                event::OfferOutcome::Withdrawn => PlayerAction::Withdraw(offer),
                event::OfferOutcome::Moved | event::OfferOutcome::Unknown(_) => return None,
            };
            (None, Some(offer), action)
        }
        EventBody::Created(_)
        | EventBody::Started(_)
        | EventBody::Skipped(_)
        | EventBody::TakenBack(_)
        | EventBody::ClockAdjusted(_)
        | EventBody::Rated(_)
        | EventBody::Unknown(_) => return None,
    })
}
