//! The requests that have become events. The table is rebuilt from the records, so that a request
//! that is sent again, even after a crash, gets the same response and is not carried out twice.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::LazyLock;

use adamant_protocol::{GameId, OfferId, RequestId, codec, fast_path, to_client::Done};
use adamant_record::wire::{self, seat_number};
use adamant_rules::event::{AbortReason, OfferOutcome};
use adamant_rules::{Event, EventKind, Seat, Table, table::RECORDS_MAX};
use arrayvec::ArrayVec;
use hashbrown::HashTable;

use crate::outbound::{client::ClientHandle, frame::Burst};
use crate::room::PlayerAction;

/// Longer than a user's name and an id together.
const KEY_BYTES_MAX: usize = 128;

/// A 64-bit hash under keys that only this process knows: nobody can make two requests with the
/// same one, and among those of a game none has that of another by chance.
pub(super) type Fingerprint = u64;

pub(super) static KEYS: LazyLock<RandomState> = LazyLock::new(RandomState::new);

/// A request that has become an event. A room keeps one for each move, in as little memory as it
/// takes.
#[derive(Debug, Clone, Copy)]
struct AcceptedRequest {
    /// The upper and the lower half of the key, which is the user's and the id's.
    key: [u32; 2],
    /// Half of the fingerprint of what was asked for. A move is recognised by it, since it may have
    /// been taken back.
    asked: u32,
    seq: u16,
    result: PackedResult,
}

/// A [`Reached`]: its kind in the two lowest bits, and its number.
#[derive(Debug, Clone, Copy)]
struct PackedResult(u16);

const _: () = assert!(RECORDS_MAX <= (u16::MAX >> 2) as u32, "seqs, turns and offers fit");

/// What a response names besides the seq.
#[derive(Debug, Clone, Copy)]
enum Reached {
    Turn(u32),
    Offer(OfferId),
    End,
}

/// What a request asks for.
enum Asked {
    /// A move for this turn.
    Move(u32),
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
        if let Some((seat, ..)) = cause(event) {
            // After a swap the user sits in the next seat.
            let swapped = matches!(event.kind, EventKind::Swapped { .. });
            let seat = if swapped { seat.next(table.players().len()) } else { seat };
            self.record_as(key(&table.players()[seat].user, req), seq, event, table);
        }
    }

    /// Does the same for a request with this key.
    pub(super) fn record_as(&mut self, key: Fingerprint, seq: u64, event: &Event, table: &Table) {
        let Some((_, result, asked)) = cause(event) else { return };
        // No game has more than RECORDS_MAX records.
        if let (Ok(seq), Some(result)) = (u16::try_from(seq), PackedResult::new(result)) {
            let asked = asked.fingerprint(table.move_at(table.ply()).unwrap_or_default());
            let accepted =
                AcceptedRequest { key: halves(key), asked: halves(asked)[1], seq, result };
            self.0.insert_unique(key, accepted, AcceptedRequest::key);
        }
    }

    pub(super) fn look_up(
        &self,
        key: Fingerprint,
        req: &RequestId,
        action: &PlayerAction,
        table: &Table,
    ) -> Lookup {
        let found = self.0.find(key, |accepted| accepted.key == halves(key));
        let Some(accepted) = found else { return Lookup::New };
        if !is_same(accepted.asked, action, table) {
            return Lookup::IdReused;
        }
        let mut done = done(req, accepted.seq.into(), accepted.result.unpacked());
        done.dup = true;
        Lookup::Repeated(Box::new(done))
    }
}

impl AcceptedRequest {
    const fn key(&self) -> Fingerprint {
        let [upper, lower] = self.key;
        (upper as u64) << 32 | lower as u64
    }
}

impl PackedResult {
    fn new(result: Reached) -> Option<Self> {
        let (kind, number) = match result {
            Reached::End => (0, 0),
            Reached::Turn(turn) => (1, turn),
            Reached::Offer(OfferId(offer)) => (2, offer),
        };
        u16::try_from(number.checked_mul(4)? | kind).ok().map(Self)
    }

    const fn unpacked(self) -> Reached {
        let number = (self.0 >> 2) as u32;
        match self.0 & 3 {
            1 => Reached::Turn(number),
            2 => Reached::Offer(OfferId(number)),
            _ => Reached::End,
        }
    }
}

/// The upper and the lower half.
const fn halves(of: Fingerprint) -> [u32; 2] {
    #[expect(clippy::cast_possible_truncation, reason = "the rest is the upper half")]
    [(of >> 32) as u32, of as u32]
}

impl Asked {
    /// `mv` is the move in its canonical spelling, if it asks for one.
    fn fingerprint(&self, mv: &str) -> Fingerprint {
        match self {
            Self::Move(turn) => KEYS.hash_one((turn, mv)),
            Self::Other(action) => KEYS.hash_one(action),
        }
    }
}

/// Returns the fingerprint of a user's request.
pub(super) fn key(user: &str, req: &RequestId) -> Fingerprint {
    let mut text = ArrayVec::<u8, KEY_BYTES_MAX>::new();
    // One text, since each write to a hasher costs. No letter of a name or an id is a zero.
    for part in [user.as_bytes(), &[0], req.as_str().as_bytes()] {
        text.try_extend_from_slice(part).expect("a name and an id are short");
    }
    text[..user.len()].make_ascii_lowercase();
    KEYS.hash_one(&*text)
}

/// The response to a request that has become an event: it is sent together with the event.
#[derive(Debug, Clone, Copy)]
pub(super) struct Response<'a> {
    pub(super) client: &'a ClientHandle,
    pub(super) re: &'a RequestId,
    pub(super) seq: u64,
    pub(super) event: &'a Event,
}

impl Response<'_> {
    pub(super) fn write(&self, game: &GameId, burst: &mut Burst) {
        let Self { re, seq, event, .. } = *self;
        let mut message = match cause(event) {
            Some((_, Reached::Turn(turn), _)) => {
                return burst.write(|bytes| fast_path::write_ok(bytes, re, game, seq, turn));
            }
            Some((_, result, _)) => done(re, seq, result),
            None => Done::new(re.clone()),
        };
        message.game = Some(game.clone());
        burst.write(|bytes| codec::encode_into(bytes, &message.into()));
    }

    /// Sends it alone.
    pub(super) fn send(&self, game: &GameId) {
        let mut burst = Burst::new();
        self.write(game, &mut burst);
        // An overflow ends the session. The client reconnects and sends the request again.
        self.client.outbox.send_burst_or_evict(&burst);
    }
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

fn is_same(accepted: u32, action: &PlayerAction, table: &Table) -> bool {
    let is = |asked: &Asked| halves(asked.fingerprint(""))[1] == accepted;
    match action {
        // Two spellings of one move are the same move.
        PlayerAction::Move { turn, mv } => {
            let mv = table.position().parse_move(mv).map(|mv| mv.to_string());
            mv.is_ok_and(|mv| halves(Asked::Move(*turn).fingerprint(&mv))[1] == accepted)
        }
        // Without a seat any claim is the same.
        PlayerAction::Claim { seat: None } => {
            Seat::all(table.players().len()).any(|seat| is(&claim(seat)))
        }
        action => is(&Asked::Other(action.clone())),
    }
}

const fn claim(seat: Seat) -> Asked {
    Asked::Other(PlayerAction::Claim { seat: Some(seat_number(seat)) })
}

/// Returns the seat whose request led to an event, what the request reached, and what it asked for;
/// `None` for events without a request.
fn cause(event: &Event) -> Option<(Seat, Reached, Asked)> {
    // A player who left has resigned, or another player has claimed the seat.
    let left = |seat: Seat, claimed_by: Option<Seat>, result| match claimed_by {
        Some(by) => (by, result, claim(seat)),
        None => (seat, result, Asked::Other(PlayerAction::Resign)),
    };
    Some(match &event.kind {
        EventKind::Moved { seat, turn, .. } | EventKind::Swapped { seat, turn, .. } => {
            // The event has the turn that follows the move.
            (*seat, Reached::Turn(*turn), Asked::Move(turn.saturating_sub(1)))
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
        EventKind::SeatOffered { offer, leaving, .. } => {
            left(leaving.seat, leaving.claimed_by, Reached::Offer(OfferId(offer.0)))
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
        | EventKind::Substituted { .. }
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
