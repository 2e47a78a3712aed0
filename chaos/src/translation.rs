//! What a connection changes in frames so that the client's numbering of events and the server's
//! fit: see `records`.

use std::{collections::HashMap, sync::Arc};

use serde_json::{Value, json};

use super::{
    records::{CursorCheck, RecordPlace},
    tormentor::Tormentor,
};

/// Requests whose reply names an event by its number.
const NUMBERED: [&str; 8] =
    ["move", "resign", "abort", "offer", "answer", "withdraw", "claim", "watch"];

/// The translation of one connection.
#[derive(Debug)]
pub(crate) struct Translation {
    tormentor: Arc<Tormentor>,
    /// The last event of each game that the client has, by the client's numbers.
    cursors: HashMap<String, u64>,
    /// The games of requests whose reply names an event.
    requests: HashMap<String, String>,
}

impl Translation {
    /// Begins with a connection.
    pub(crate) fn new(tormentor: Arc<Tormentor>) -> Self {
        Self { tormentor, cursors: HashMap::new(), requests: HashMap::new() }
    }

    /// Whether a cursor of the client is right, as far as is known here.
    pub(crate) fn is_right(&self, game: &str, cursor: &Value) -> bool {
        let place = place(cursor);
        place
            .is_some_and(|place| self.tormentor.records().cursor(game, place) != CursorCheck::Wrong)
    }

    /// Returns a request of the client as the server is to get it.
    pub(crate) fn request(&mut self, mut frame: Value) -> String {
        let kind = frame["type"].as_str().unwrap_or_default().to_owned();
        if let (Some(id), Some(game)) = (frame["id"].as_str(), frame["game"].as_str())
            && NUMBERED.contains(&kind.as_str())
        {
            self.requests.insert(id.to_owned(), game.to_owned());
        }
        if kind == "hello" {
            let resume = frame.get_mut("resume").and_then(Value::as_object_mut);
            for (game, cursor) in resume.into_iter().flatten() {
                let Some(seen) = place(cursor) else { continue };
                let known = self.tormentor.records().cursor(game, seen);
                if let CursorCheck::Known(place) = known {
                    *cursor = json!({"seq": place.seq});
                    if let Some(chain) = place.chain {
                        cursor["chain"] = json!(chain);
                    }
                    self.cursors.insert(game.clone(), seen.seq);
                }
            }
        } else if kind == "watch"
            && let (Some(game), Some(from)) = (frame["game"].as_str(), frame["from"].as_u64())
        {
            let game = game.to_owned();
            let before = RecordPlace { seq: from.saturating_sub(1), chain: None };
            let known = self.tormentor.records().cursor(&game, before);
            if let CursorCheck::Known(place) = known {
                frame["from"] = json!(place.seq + 1);
                self.cursors.insert(game, before.seq);
            }
        }
        frame.to_string()
    }

    /// Returns what the client gets for a frame of the server: none, one or several.
    pub(crate) async fn message(&mut self, text: String, mut frame: Value) -> Vec<String> {
        let game = frame["game"].as_str().map(ToOwned::to_owned);
        match (frame["type"].as_str().unwrap_or_default(), game) {
            ("event", Some(game)) => {
                let Some(events) = self.tormentor.keep_event(&text) else { return vec![text] };
                let known = self.cursors.get(&game).copied().unwrap_or_default();
                let new = events.into_iter().filter(|(seq, _)| *seq > known);
                new.map(|(_, text)| text).collect()
            }
            ("snapshot", Some(game)) => {
                let seq = frame["seq"].as_u64().unwrap_or_default();
                self.tormentor.wait_for_records(&game, seq).await;
                let records = self.tormentor.records();
                let Some(chain) = records.seen_chain(&game, seq) else { return vec![text] };
                frame["seq"] = json!(records.seen_seq(&game, seq));
                frame["chain"] = json!(chain);
                // Events that the snapshot contains may be asked for again.
                self.cursors.remove(&game);
                vec![frame.to_string()]
            }
            ("ok", _) => {
                let game = frame["re"].as_str().and_then(|re| self.requests.remove(re));
                let (Some(game), Some(seq)) = (game, frame["seq"].as_u64()) else {
                    return vec![text];
                };
                frame["seq"] = json!(self.tormentor.records().seen_seq(&game, seq));
                vec![frame.to_string()]
            }
            ("welcome", _) => {
                let games = frame.get_mut("games").and_then(Value::as_array_mut);
                for game in games.into_iter().flatten() {
                    let cursor = game["game"].as_str().and_then(|game| self.cursors.get(game));
                    if let Some(cursor) = cursor.filter(|_| game["resume"] == "tail") {
                        game["from"] = json!(cursor + 1);
                    }
                }
                vec![frame.to_string()]
            }
            _ => vec![text],
        }
    }
}

fn place(cursor: &Value) -> Option<RecordPlace> {
    let chain = match cursor["chain"].as_str() {
        Some(chain) => Some(chain.parse().ok()?),
        None => None,
    };
    Some(RecordPlace { seq: cursor["seq"].as_u64()?, chain })
}
