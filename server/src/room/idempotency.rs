//! The requests that have become events. The table is rebuilt from the records, so that a request
//! that is sent again, even after a crash, gets the same response and is not carried out twice.

use std::fmt::{self, Write as _};
use std::hash::{BuildHasher as _, Hasher, RandomState};
use std::sync::LazyLock;

use adamant_protocol::{GameId, OfferId, RequestId, fast_path, to_client::Done};
use adamant_record::wire::{self, seat_number};
use adamant_rules::event::{AbortReason, OfferOutcome};
use adamant_rules::{Event, EventKind, Move, Seat, Table};
use arrayvec::ArrayVec;
use hashbrown::HashTable;

use crate::{outbound::frame::Frame, room::PlayerAction};

/// Longer than a user's name and an id together.
const KEY_BYTES_MAX: usize = 128;

/// A 64-bit hash under keys that only this process knows: nobody can make two requests with the
/// same one, and among those of a game none has that of another by chance.
type Fingerprint = u64;

static KEYS: LazyLock<RandomState> = LazyLock::new(RandomState::new);

/// A request that has become an event. A room keeps one for each move.
#[derive(Debug, Clone, Copy)]
struct AcceptedRequest {
    /// The user and the id.
    key: Fingerprint,
    /// What was asked for. A move is recognised by it, since it may have been taken back.
    asked: Fingerprint,
    seq: u64,
    result: Reached,
}

/// What a response names besides the seq.
#[derive(Debug, Clone, Copy)]
enum Reached {
    Turn(u32),
    Offer(OfferId),
    End,
}

/// What a request asks for.
enum Asked<'a> {
    /// The turn that the move is for, and the move in its canonical spelling.
    Move(u32, &'a Move),
    Other(PlayerAction),
}

/// The accepted requests of one game, by user, since users may change seats.
#[derive(Debug, Clone, Default)]
pub(super) struct AcceptedRequests(HashTable<AcceptedRequest>);

/// The result of looking up a request's id.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Lookup {
    New,
    /// The request was carried out, with this response.
    Repeated(Box<Done>),
    /// The id was used for another request.
    IdReused,
}

impl AcceptedRequests {
    /// Records the request that caused an event. `table` is the game after it.
    pub(super) fn record(&mut self, req: &RequestId, seq: u64, event: &Event, table: &Table) {
        if let Some((seat, result, asked)) = cause(event) {
            // After a swap the user sits in the next seat.
            let swapped = matches!(event.kind, EventKind::Swapped { .. });
            let seat = if swapped { seat.next(table.players().len()) } else { seat };
            let key = key(&table.players()[seat].user, req);
            let accepted = AcceptedRequest { key, asked: asked.fingerprint(), seq, result };
            self.0.insert_unique(key, accepted, |accepted| accepted.key);
        }
    }

    pub(super) fn look_up(
        &self,
        user: &str,
        req: &RequestId,
        action: &PlayerAction,
        table: &Table,
    ) -> Lookup {
        let key = key(user, req);
        let found = self.0.find(key, |accepted| accepted.key == key);
        let Some(accepted) = found else { return Lookup::New };
        if !is_same(accepted.asked, action, table) {
            return Lookup::IdReused;
        }
        let mut done = done(req, accepted.seq, accepted.result);
        done.dup = true;
        Lookup::Repeated(Box::new(done))
    }
}

impl Asked<'_> {
    fn fingerprint(&self) -> Fingerprint {
        /// Hashes text piece by piece.
        struct Pieces<H>(H);
        impl<H: Hasher> fmt::Write for Pieces<H> {
            fn write_str(&mut self, piece: &str) -> fmt::Result {
                self.0.write(piece.as_bytes());
                Ok(())
            }
        }
        match self {
            Self::Move(turn, mv) => {
                let mut pieces = Pieces(KEYS.build_hasher());
                pieces.0.write_u32(*turn);
                write!(pieces, "{mv}").expect("hashing does not fail");
                pieces.0.finish()
            }
            Self::Other(action) => KEYS.hash_one(action),
        }
    }
}

fn key(user: &str, req: &RequestId) -> Fingerprint {
    let user = user.bytes().map(|letter| letter.to_ascii_lowercase());
    // One text, since each write to a hasher costs. No letter of a name or an id is a zero.
    let letters = user.chain([0]).chain(req.as_str().bytes());
    let text: ArrayVec<u8, KEY_BYTES_MAX> = letters.take(KEY_BYTES_MAX).collect();
    KEYS.hash_one(&*text)
}

/// Returns the response to a request that has become this event.
pub(super) fn reply(re: &RequestId, game: &GameId, seq: u64, event: &Event) -> Frame {
    let mut message = match cause(event) {
        Some((_, Reached::Turn(turn), _)) => {
            return Frame::written(|bytes| fast_path::write_ok(bytes, re, game, seq, turn));
        }
        Some((_, result, _)) => done(re, seq, result),
        None => Done::new(re.clone()),
    };
    message.game = Some(game.clone());
    Frame::of(&message.into())
}

fn done(re: &RequestId, seq: u64, result: Reached) -> Done {
    let mut done = Done::new(re.clone());
    done.seq = Some(seq);
    match result {
        Reached::Turn(turn) => done.turn = Some(turn),
        Reached::Offer(offer) => done.offer = Some(offer),
        Reached::End => {}
    }
    done
}

fn is_same(accepted: Fingerprint, action: &PlayerAction, table: &Table) -> bool {
    let is = |asked: &Asked<'_>| asked.fingerprint() == accepted;
    match action {
        // Two spellings of one move are the same move.
        PlayerAction::Move { turn, mv } => {
            table.position().parse_move(mv).is_ok_and(|mv| is(&Asked::Move(*turn, &mv)))
        }
        // Without a seat any claim is the same.
        PlayerAction::Claim { seat: None } => {
            Seat::all(table.players().len()).any(|seat| is(&claim(seat)))
        }
        action => is(&Asked::Other(action.clone())),
    }
}

const fn claim(seat: Seat) -> Asked<'static> {
    Asked::Other(PlayerAction::Claim { seat: Some(seat_number(seat)) })
}

/// Returns the seat whose request led to an event, what the request reached, and what it asked for;
/// `None` for events without a request.
fn cause(event: &Event) -> Option<(Seat, Reached, Asked<'_>)> {
    // A player who left has resigned, or another player has claimed the seat.
    let left = |seat: Seat, claimed_by: Option<Seat>, result| match claimed_by {
        Some(by) => (by, result, claim(seat)),
        None => (seat, result, Asked::Other(PlayerAction::Resign)),
    };
    Some(match &event.kind {
        EventKind::Moved { seat, turn, mv, .. } | EventKind::Swapped { seat, turn, mv, .. } => {
            // The event has the turn that follows the move.
            (*seat, Reached::Turn(*turn), Asked::Move(turn.saturating_sub(1), mv))
        }
        EventKind::Removed { seat, claimed_by, turn, .. } => {
            left(*seat, *claimed_by, Reached::Turn(*turn))
        }
        EventKind::Ended { by: Some(seat), claimed_by, .. }
        | EventKind::Aborted { by: seat, claimed_by: claimed_by @ Some(_), .. } => {
            left(*seat, *claimed_by, Reached::End)
        }
        EventKind::Aborted { by, reason: AbortReason::ByPlayer, .. } => {
            (*by, Reached::End, Asked::Other(PlayerAction::Abort))
        }
        EventKind::Offered { offer, what, by, .. } => {
            let action = PlayerAction::Offer(wire::Mirror::to_wire(*what));
            (*by, Reached::Offer(OfferId(offer.0)), Asked::Other(action))
        }
        EventKind::Agreed { offer, seat, .. } => {
            let offer = OfferId(offer.0);
            let action = PlayerAction::Answer { offer, accept: true };
            (*seat, Reached::Offer(offer), Asked::Other(action))
        }
        EventKind::OfferClosed { offer, outcome, by } => {
            let offer = OfferId(offer.0);
            let action = match outcome {
                OfferOutcome::Accepted => PlayerAction::Answer { offer, accept: true },
                OfferOutcome::Declined => PlayerAction::Answer { offer, accept: false },
                OfferOutcome::Withdrawn => PlayerAction::Withdraw(offer),
                OfferOutcome::Moved => return None,
            };
            (*by, Reached::Offer(offer), Asked::Other(action))
        }
        EventKind::Created(_)
        | EventKind::Started { .. }
        | EventKind::Skipped { .. }
        | EventKind::TakenBack { .. }
        | EventKind::ClockAdjusted { .. }
        | EventKind::Aborted {
            reason: AbortReason::Agreed | AbortReason::NoShow | AbortReason::Ruling,
            ..
        }
        | EventKind::Ended { by: None, .. }
        | EventKind::Rated { .. } => return None,
    })
}
