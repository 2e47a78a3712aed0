//! The records of games as the client under test sees them. Beside the server's events they have
//! events of a kind that no client knows, and fields that no client knows. The events are numbered
//! and chained again, so that for the client they are a record like any other.

use std::collections::HashMap;

use adamant_protocol::{EventFrame, ids::Chain};
use adamant_record::chain_after;
use serde_json::Value;

use crate::plan::Draw;

/// An event as the client sees it.
#[derive(Debug, Clone)]
pub(crate) struct SeenEvent {
    /// Its number for the client.
    pub(crate) seq: u64,
    /// Its bytes for the client.
    pub(crate) text: String,
    /// The server's number of the last event that it contains or follows.
    server_seq: u64,
    server_chain: Chain,
    chain: Chain,
}

/// The record of one game.
#[derive(Debug, Default)]
struct SeenRecord {
    events: Vec<SeenEvent>,
    /// The server's number and chain of the last event.
    head: (u64, Chain),
    /// The position and time of the last event, as JSON.
    last: (String, u64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RecordPlace {
    /// The number of the last event.
    pub(crate) seq: u64,
    pub(crate) chain: Option<Chain>,
}

/// Whether a client's cursor is a place in its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CursorCheck {
    /// The server's cursor for the same place.
    Known(RecordPlace),
    /// The record is not followed here.
    Unfollowed,
    /// No event of the record has this number and chain.
    Wrong,
}

#[derive(Debug)]
pub(crate) struct Records {
    draw: Draw,
    games: HashMap<String, SeenRecord>,
}

impl Records {
    /// Starts without games.
    pub(crate) fn new(draw: Draw) -> Self {
        Self { draw: draw.of("records"), games: HashMap::new() }
    }

    /// Whether an unknown event precedes the server's event with this number.
    fn has_unknown_before(&self, server_seq: u64) -> bool {
        // The first two begin the game. At least one unknown event stands in each longer game.
        server_seq == 6 || server_seq > 2 && self.draw.at(server_seq).chance(8)
    }

    /// Returns the client's number of an event of a followed game.
    pub(crate) fn seen_seq(&self, game: &str, server_seq: u64) -> u64 {
        if !self.games.contains_key(game) {
            return server_seq;
        }
        let unknown = (1..=server_seq).filter(|seq| self.has_unknown_before(*seq)).count();
        server_seq + u64::try_from(unknown).unwrap_or_default()
    }

    /// Returns the server's number of the last event of a game that has arrived here.
    pub(crate) fn known(&self, game: &str) -> RecordPlace {
        let head = self.games.get(game).map(|record| record.head);
        let (seq, chain) = head.unwrap_or((0, Chain([0; 32])));
        RecordPlace { seq, chain: (seq > 0).then_some(chain) }
    }

    /// Returns what the client sees for an event of the server, and keeps it. `None` if the game
    /// cannot be followed, because its beginning is missing.
    pub(crate) fn event(&mut self, text: &str) -> Option<Vec<SeenEvent>> {
        let frame: Value = serde_json::from_str(text).ok()?;
        let (game, seq) = (frame["game"].as_str()?, frame["seq"].as_u64()?);
        let known = self.games.get(game).map_or(0, |record| record.head.0);
        if seq > known + 1 {
            return None;
        }
        if seq == known + 1 {
            self.append(game, seq, text, &frame)?;
        }
        let events = self.games.get(game)?.events.iter();
        Some(
            events.filter(|event| event.server_seq == seq || event.follows(seq)).cloned().collect(),
        )
    }

    fn append(&mut self, game: &str, seq: u64, text: &str, frame: &Value) -> Option<()> {
        let (_, server_chain) = EventFrame::unseal(text.as_bytes())?;
        let adds_field = self.draw.of("field").at(seq).chance(25);
        let adds_event = self.has_unknown_before(seq);
        let record = self.games.entry(game.to_owned()).or_default();
        if adds_event {
            let (hash, at) = &record.last;
            let number = record.next_seq();
            let unsealed = format!(
                r#"{{"type":"event","game":"{game}","seq":{number},"at":{at},"kind":"x_sparkled","x_colours":["red",7],"hash":"{hash}"}}"#
            );
            record.push(unsealed, seq - 1, record.head.1);
        }
        let number = record.next_seq();
        let (unsealed, _) = EventFrame::unseal(text.as_bytes())?;
        let unsealed = String::from_utf8(unsealed).ok()?;
        let mut unsealed =
            unsealed.replacen(&format!(r#""seq":{seq},"#), &format!(r#""seq":{number},"#), 1);
        if adds_field {
            unsealed.pop();
            unsealed.push_str(r#","x_depth":{"metres":[1,2.5],"sure":null}}"#);
        }
        record.push(unsealed, seq, server_chain);
        record.head = (seq, server_chain);
        record.last = (frame["hash"].as_str()?.to_owned(), frame["at"].as_u64()?);
        Some(())
    }

    /// Returns the client's chain at a place of the server's record, once it is known here.
    pub(crate) fn seen_chain(&self, game: &str, server_seq: u64) -> Option<Chain> {
        let events = &self.games.get(game)?.events;
        let is_event = |event: &&SeenEvent| event.server_seq == server_seq && !event.is_unknown();
        events.iter().find(is_event).map(|event| event.chain)
    }

    /// Translates a client's cursor.
    pub(crate) fn cursor(&self, game: &str, cursor: RecordPlace) -> CursorCheck {
        let Some(record) = self.games.get(game) else { return CursorCheck::Unfollowed };
        if cursor.seq == 0 {
            return CursorCheck::Known(cursor);
        }
        let event = usize::try_from(cursor.seq - 1).ok().and_then(|at| record.events.get(at));
        match event {
            Some(event) if cursor.chain.is_none_or(|chain| chain == event.chain) => {
                let chain = (event.server_seq > 0).then_some(event.server_chain);
                CursorCheck::Known(RecordPlace { seq: event.server_seq, chain })
            }
            Some(_) | None => CursorCheck::Wrong,
        }
    }
}

impl SeenEvent {
    fn is_unknown(&self) -> bool {
        self.text.contains(r#""kind":"x_sparkled""#)
    }

    /// Whether it is the unknown event that precedes the server's event with this number.
    fn follows(&self, seq: u64) -> bool {
        self.is_unknown() && self.server_seq + 1 == seq
    }
}

impl SeenRecord {
    fn next_seq(&self) -> u64 {
        self.events.last().map_or(1, |event| event.seq + 1)
    }

    fn push(&mut self, unsealed: String, server_seq: u64, server_chain: Chain) {
        let before = self.events.last().map_or(Chain([0; 32]), |event| event.chain);
        let chain = chain_after(before, unsealed.as_bytes());
        let sealed = EventFrame::seal(unsealed.into_bytes(), chain);
        let text = String::from_utf8_lossy(&sealed).into_owned();
        self.events.push(SeenEvent { seq: self.next_seq(), text, server_seq, server_chain, chain });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The server's events of a game, chained.
    fn server_events(count: u64) -> Vec<String> {
        let mut chain = Chain([0; 32]);
        (1..=count)
            .map(|seq| {
                let unsealed = format!(
                    r#"{{"type":"event","game":"g1","seq":{seq},"at":{},"kind":"noted","hash":"00000000000000aa"}}"#,
                    1_000 + seq
                );
                chain = chain_after(chain, unsealed.as_bytes());
                String::from_utf8(EventFrame::seal(unsealed.into_bytes(), chain)).unwrap()
            })
            .collect()
    }

    #[test]
    fn the_client_sees_a_whole_chained_record_with_unknown_events() {
        let mut records = Records::new(Draw::seeded(3));
        let mut seen = Vec::new();
        for text in server_events(20) {
            seen.extend(records.event(&text).unwrap());
        }
        assert!(seen.len() > 20, "{}", seen.len());
        let mut chain = Chain([0; 32]);
        for (number, event) in seen.iter().enumerate() {
            let (unsealed, named) = EventFrame::unseal(event.text.as_bytes()).unwrap();
            chain = chain_after(chain, &unsealed);
            assert_eq!((chain, event.seq), (named, u64::try_from(number).unwrap() + 1));
            assert!(event.text.contains(&format!(r#""seq":{},"#, event.seq)));
        }
        assert_eq!(records.seen_seq("g1", 20), seen.last().unwrap().seq);
        assert_eq!(records.seen_chain("g1", 20), Some(chain));
    }

    #[test]
    fn every_place_of_the_client_is_a_place_of_the_server() {
        let mut records = Records::new(Draw::seeded(3));
        let events = server_events(8);
        let seen: Vec<SeenEvent> =
            events.iter().flat_map(|text| records.event(text).unwrap()).collect();
        for event in &seen {
            let cursor = RecordPlace { seq: event.seq, chain: Some(event.chain) };
            let CursorCheck::Known(place) = records.cursor("g1", cursor) else {
                panic!("{event:?}")
            };
            // What follows on the server begins with what follows for the client.
            let next = events.get(usize::try_from(place.seq).unwrap());
            let follows = next.map(|text| records.event(text).unwrap()).unwrap_or_default();
            let first = follows.iter().find(|next| next.seq > event.seq).map(|next| next.seq);
            assert_eq!(first, (event.seq < seen.len() as u64).then_some(event.seq + 1));
            let other = RecordPlace { seq: event.seq, chain: Some(Chain([9; 32])) };
            assert_eq!(records.cursor("g1", other), CursorCheck::Wrong);
        }
        let beyond = RecordPlace { seq: 99, chain: None };
        assert_eq!(records.cursor("g1", beyond), CursorCheck::Wrong);
        assert_eq!(records.cursor("g2", beyond), CursorCheck::Unfollowed);
    }

    #[test]
    fn a_game_without_its_beginning_is_not_followed() {
        let mut records = Records::new(Draw::seeded(3));
        assert!(records.event(&server_events(4)[3]).is_none());
        assert_eq!(records.seen_seq("g1", 4), 4);
    }
}
