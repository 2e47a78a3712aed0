//! Compares what clients received with the stored records. Nothing here connects to a server.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use adamant_protocol::{EventBody, EventFrame, values::SeatUser};
use adamant_record::Replay;
use serde_json::Value;

/// A request that the server answered with `ok`.
#[derive(Debug, Clone)]
pub(crate) struct Ack {
    pub(crate) game: String,
    pub(crate) user: String,
    /// The request's id, unique among all players.
    pub(crate) req: String,
    /// The record that the reply names.
    pub(crate) seq: u64,
    pub(crate) asked: Value,
}

/// An event, as a client received it.
#[derive(Debug, Clone)]
pub(crate) struct ReceivedEvent {
    pub(crate) game: String,
    pub(crate) seq: u64,
    pub(crate) text: String,
}

/// Everything that the players received.
#[derive(Debug, Clone, Default)]
pub(crate) struct History {
    pub(crate) acks: Vec<Ack>,
    /// The ids of requests that the server answered with an error.
    pub(crate) refused: Arc<BTreeSet<String>>,
    pub(crate) events: Vec<ReceivedEvent>,
    /// Every game that a player received an event of.
    pub(crate) games: BTreeSet<String>,
}

/// How a record contradicts what players received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Violation {
    /// An acknowledged request is not at the record that its reply names.
    LostAck { req: String, seq: u64 },
    /// The record differs from the request.
    DifferentRequest { req: String, seq: u64 },
    /// One request became two records.
    DuplicateRequest { req: String },
    /// Two records have the same turn.
    DuplicateTurn { turn: u32 },
    /// A rejected request is in the record.
    RejectedButRecorded { req: String },
    /// A client received an event that is not in the record.
    LostEvent { seq: u64 },
    /// A rated game has ended and its record has not exactly one rating.
    WrongRatings { times: usize },
    /// The records are not those of a game.
    InvalidRecord { seq: u64, why: String },
}

impl History {
    /// Adds what another player received.
    pub(crate) fn merge(&mut self, other: Self) {
        self.acks.extend(other.acks);
        Arc::make_mut(&mut self.refused).extend(other.refused.iter().cloned());
        self.events.extend(other.events);
        self.games.extend(other.games);
    }

    /// What was received about one game.
    pub(crate) fn for_game(&self, game: &str) -> Self {
        Self {
            acks: self.acks.iter().filter(|ack| ack.game == game).cloned().collect(),
            refused: Arc::clone(&self.refused),
            events: self.events.iter().filter(|events| events.game == game).cloned().collect(),
            games: BTreeSet::from([game.to_owned()]),
        }
    }

    /// Divides what was received by game.
    pub(crate) fn by_game(self) -> BTreeMap<String, Self> {
        let Self { acks, refused, events, games } = self;
        let mut divided: BTreeMap<String, Self> = BTreeMap::new();
        for game in games {
            let history = divided.entry(game.clone()).or_default();
            history.games.insert(game);
            history.refused.clone_from(&refused);
        }
        for ack in acks {
            divided.entry(ack.game.clone()).or_default().acks.push(ack);
        }
        for event in events {
            divided.entry(event.game.clone()).or_default().events.push(event);
        }
        divided
    }

    /// Compares with a game's whole record and returns the replayed game if nothing contradicts it.
    pub(crate) fn check(&self, records: &[String]) -> Result<Replay, Violation> {
        let frames: Vec<EventFrame> = records
            .iter()
            .map(|record| EventFrame::from_bytes(record.as_bytes()).unwrap())
            .collect();
        for ack in &self.acks {
            let frame = nth(&frames, ack.seq).filter(|frame| req_of(frame) == Some(&ack.req));
            let (req, seq) = (ack.req.clone(), ack.seq);
            let Some(frame) = frame else { return Err(Violation::LostAck { req, seq }) };
            if !matches(frame, seats_before(&frames, seq), ack) {
                return Err(Violation::DifferentRequest { req, seq });
            }
        }
        self.check_requests(&frames)?;
        check_rating(&frames)?;
        for events in &self.events {
            if nth(records, events.seq) != Some(&events.text) {
                return Err(Violation::LostEvent { seq: events.seq });
            }
        }
        let mut replay = Replay::new();
        for record in records {
            if let Err(error) = replay.push(record.as_bytes()) {
                return Err(Violation::InvalidRecord { seq: error.seq(), why: error.to_string() });
            }
        }
        Ok(replay)
    }

    /// Checks that no request or turn is on record twice, and no rejected request at all.
    fn check_requests(&self, frames: &[EventFrame]) -> Result<(), Violation> {
        let mut ids = BTreeSet::new();
        let mut turns = BTreeSet::new();
        for frame in frames {
            if let Some(req) = req_of(frame) {
                if self.refused.contains(req) {
                    return Err(Violation::RejectedButRecorded { req: req.to_owned() });
                }
                if !ids.insert(req) {
                    return Err(Violation::DuplicateRequest { req: req.to_owned() });
                }
            }
            if let Some(turn) = turn_of(frame)
                && !turns.insert(turn)
            {
                return Err(Violation::DuplicateTurn { turn });
            }
        }
        Ok(())
    }
}

/// Checks that a rated game has one rating after its end, and any other game none.
fn check_rating(frames: &[EventFrame]) -> Result<(), Violation> {
    let counts = matches!(
        frames.first().map(|frame| &frame.body),
        Some(EventBody::Created(created)) if created.rated
    );
    let ended = frames.iter().any(|frame| matches!(frame.body, EventBody::Ended(_)));
    let times = frames.iter().filter(|frame| matches!(frame.body, EventBody::Rated(_))).count();
    if times == usize::from(counts && ended && all_have_moved(frames)) {
        Ok(())
    } else {
        Err(Violation::WrongRatings { times })
    }
}

/// Whether each seat has made a move. A removed seat makes none any more, and moves are not taken
/// back in these games.
fn all_have_moved(frames: &[EventFrame]) -> bool {
    let moved = frames.iter().filter_map(|frame| {
        if let EventBody::Moved(moved) = &frame.body {
            Some(moved.seat)
        } else if let EventBody::Swapped(swapped) = &frame.body {
            Some(swapped.seat)
        } else {
            None
        }
    });
    moved.collect::<BTreeSet<_>>().len() == seats_before(frames, u64::MAX).len()
}

fn nth<T>(items: &[T], seq: u64) -> Option<&T> {
    items.get(usize::try_from(seq.checked_sub(1)?).ok()?)
}

fn req_of(frame: &EventFrame) -> Option<&str> {
    frame.req.as_ref().map(adamant_protocol::RequestId::as_str)
}

fn turn_of(frame: &EventFrame) -> Option<u32> {
    if let EventBody::Moved(moved) = &frame.body {
        Some(moved.turn)
    } else if let EventBody::Swapped(swapped) = &frame.body {
        Some(swapped.turn)
    } else if let EventBody::Skipped(skipped) = &frame.body {
        Some(skipped.turn)
    } else if let EventBody::Removed(removed) = &frame.body {
        Some(removed.turn)
    } else if let EventBody::Substituted(substituted) = &frame.body {
        Some(substituted.turn)
    } else {
        None
    }
}

/// The users in seat order at a record: as agreed at the start, or as swapped since.
fn seats_before(frames: &[EventFrame], seq: u64) -> &[SeatUser] {
    let earlier = frames.iter().take_while(|frame| frame.seq < seq);
    let seated = earlier.filter_map(|frame| {
        if let EventBody::Created(created) = &frame.body {
            Some(&*created.seats)
        } else if let EventBody::Swapped(swapped) = &frame.body {
            Some(&*swapped.seats)
        } else {
            None
        }
    });
    seated.last().unwrap_or_default()
}

/// Whether a record is what its requester asked for.
fn matches(frame: &EventFrame, seats: &[SeatUser], ack: &Ack) -> bool {
    let seat = |number: u8| {
        seats.get(usize::from(number)).is_some_and(|sitting| sitting.user.as_str() == ack.user)
    };
    let asked = |key: &str| ack.asked[key].as_str().unwrap_or_default().to_owned();
    let follows = |turn: u32| ack.asked["turn"].as_u64() == u64::from(turn).checked_sub(1);
    match (&frame.body, asked("type").as_str()) {
        (EventBody::Moved(moved), "move") => {
            seat(moved.seat) && follows(moved.turn) && *moved.notation == *asked("move")
        }
        (EventBody::Swapped(swapped), "move") => {
            seat(swapped.seat) && follows(swapped.turn) && asked("move") == "swap"
        }
        (EventBody::Removed(removed), "resign") => seat(removed.seat),
        (EventBody::SeatOffered(offered), "resign") => seat(offered.seat),
        (EventBody::Ended(ended), "resign") => ended.by.is_some_and(seat),
        (EventBody::Offered(offered), "offer") => seat(offered.by),
        (EventBody::Agreed(agreed), "answer") => {
            seat(agreed.seat) && agreed.offer.to_string() == asked("offer")
        }
        (EventBody::OfferClosed(closed), "answer" | "withdraw") => {
            seat(closed.by) && closed.offer.to_string() == asked("offer")
        }
        _ => false,
    }
}
