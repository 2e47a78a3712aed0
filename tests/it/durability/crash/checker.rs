//! What clients were told against what is on record. Nothing here talks to a server.

use std::collections::BTreeSet;

use adamant_protocol::{EventBody, EventFrame, values::SeatUser};
use adamant_record::Replay;
use serde_json::Value;

/// A request that was answered with `ok`.
#[derive(Debug, Clone)]
pub(crate) struct Ack {
    pub(crate) game: String,
    pub(crate) user: String,
    /// The request's id. No two requests of any players share one.
    pub(crate) req: String,
    /// The record that it became.
    pub(crate) seq: u64,
    /// The request itself.
    pub(crate) asked: Value,
}

/// An event that somebody was sent, as it came.
#[derive(Debug, Clone)]
pub(crate) struct Shown {
    pub(crate) game: String,
    pub(crate) seq: u64,
    pub(crate) text: String,
}

/// All that players were told.
#[derive(Debug, Clone, Default)]
pub(crate) struct Witness {
    pub(crate) acks: Vec<Ack>,
    /// The ids of requests that were answered with an error.
    pub(crate) refused: BTreeSet<String>,
    pub(crate) shown: Vec<Shown>,
    /// Games that anybody has heard of.
    pub(crate) games: BTreeSet<String>,
}

/// How a record can contradict what players were told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    /// An acknowledged request is not in the record that it was said to be.
    Missing { req: String, seq: u64 },
    /// It is there, but says something else.
    Different { req: String, seq: u64 },
    /// One request became two records.
    Doubled { req: String },
    /// Two records have the same turn.
    TurnDoubled { turn: u32 },
    /// A refused request is in the record.
    RefusedAndDone { req: String },
    /// Somebody was shown an event that is not in the record.
    ShownInVain { seq: u64 },
    /// A game that counts ended, and its record says nothing, or too much, about what came of it.
    Rated { times: usize },
    /// The records are not those of a game.
    Broken { seq: u64, why: String },
}

impl Witness {
    /// Puts what several players were told together.
    pub(crate) fn absorb(&mut self, other: Self) {
        self.acks.extend(other.acks);
        self.refused.extend(other.refused);
        self.shown.extend(other.shown);
        self.games.extend(other.games);
    }

    /// What was told of one game.
    pub(crate) fn of(&self, game: &str) -> Self {
        Self {
            acks: self.acks.iter().filter(|ack| ack.game == game).cloned().collect(),
            refused: self.refused.clone(),
            shown: self.shown.iter().filter(|shown| shown.game == game).cloned().collect(),
            games: BTreeSet::from([game.to_owned()]),
        }
    }

    /// Compares with a game's whole record; gives the game back if all is well.
    pub(crate) fn examine(&self, records: &[String]) -> Result<Replay, Fault> {
        let frames: Vec<EventFrame> = records
            .iter()
            .map(|record| EventFrame::from_bytes(record.as_bytes()).unwrap())
            .collect();
        for ack in &self.acks {
            let frame = nth(&frames, ack.seq).filter(|frame| req_of(frame) == Some(&ack.req));
            let (req, seq) = (ack.req.clone(), ack.seq);
            let Some(frame) = frame else { return Err(Fault::Missing { req, seq }) };
            if !says(frame, seats_before(&frames, seq), ack) {
                return Err(Fault::Different { req, seq });
            }
        }
        self.examine_names(&frames)?;
        examine_rating(&frames)?;
        for shown in &self.shown {
            if nth(records, shown.seq) != Some(&shown.text) {
                return Err(Fault::ShownInVain { seq: shown.seq });
            }
        }
        let mut replay = Replay::new();
        for record in records {
            if let Err(error) = replay.push(record.as_bytes()) {
                return Err(Fault::Broken { seq: error.seq(), why: error.to_string() });
            }
        }
        Ok(replay)
    }

    /// Looks for requests and turns that are on record twice, or should not be.
    fn examine_names(&self, frames: &[EventFrame]) -> Result<(), Fault> {
        let mut ids = BTreeSet::new();
        let mut turns = BTreeSet::new();
        for frame in frames {
            if let Some(req) = req_of(frame) {
                if self.refused.contains(req) {
                    return Err(Fault::RefusedAndDone { req: req.to_owned() });
                }
                if !ids.insert(req) {
                    return Err(Fault::Doubled { req: req.to_owned() });
                }
            }
            if let Some(turn) = turn_of(frame)
                && !turns.insert(turn)
            {
                return Err(Fault::TurnDoubled { turn });
            }
        }
        Ok(())
    }
}

/// A game that counts is rated once, behind its end; others never are.
fn examine_rating(frames: &[EventFrame]) -> Result<(), Fault> {
    let counts = matches!(
        frames.first().map(|frame| &frame.body),
        Some(EventBody::Created(created)) if created.rated
    );
    let ended = frames.iter().any(|frame| matches!(frame.body, EventBody::Ended(_)));
    let times = frames.iter().filter(|frame| matches!(frame.body, EventBody::Rated(_))).count();
    if times == usize::from(counts && ended) { Ok(()) } else { Err(Fault::Rated { times }) }
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
    } else {
        None
    }
}

/// Who sits where when a record is made: as agreed at first, or since two have changed seats.
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

/// Whether a record is what this request asks for, by the one who asked.
fn says(frame: &EventFrame, seats: &[SeatUser], ack: &Ack) -> bool {
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
