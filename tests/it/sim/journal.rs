//! What the server's disk holds, in the order of its commits, and its invariants. Nothing here
//! connects to a server.

use std::collections::{BTreeMap, BTreeSet};

use adamant_record::{Head, Replay};
use adamant_rules::{Seat, Table, TimeControl, clock};
use serde_json::{Value, json};

/// How much more than the outage a clock may be set back: the server stores its heartbeat every
/// five seconds, and later on a slow disk.
const HEARTBEAT_MS: u64 = 6_000;

/// Strips from a request's id what a fault has added to it.
pub(super) fn base_id(id: &str) -> &str {
    id.split('~').next().unwrap_or(id)
}

/// The records of one game.
#[derive(Debug, Default)]
pub(super) struct StoredGame {
    pub(super) records: Vec<String>,
    pub(super) frames: Vec<Value>,
    /// What a snapshot must say after each of them.
    facts: Vec<Value>,
    replay: Replay,
    /// Requests by user and id.
    asked: BTreeSet<(String, String)>,
}

/// Every game, and the order in which they began.
#[derive(Debug, Default)]
pub(super) struct Journal {
    /// By id.
    pub(super) games: BTreeMap<String, StoredGame>,
    /// Ids, the oldest game first. The workload uses this order, because ids are random.
    pub(super) order: Vec<String>,
    /// When the server was down. The last outage lasts until the server has started.
    pub(super) outages: Vec<(u64, u64)>,
    /// Whether the server is being started: then the last outage lasts until now.
    pub(super) is_starting: bool,
}

impl Journal {
    /// Adds a record that has become durable; returns an error if it is wrong.
    pub(super) fn commit(&mut self, id: &str, record: &str) -> Result<(), String> {
        if !self.games.contains_key(id) {
            self.order.push(id.to_owned());
        }
        let frame: Value = serde_json::from_str(record).map_err(|error| error.to_string())?;
        if self.is_starting
            && let (Some(outage), Some(at)) = (self.outages.last_mut(), frame["at"].as_u64())
        {
            outage.1 = outage.1.max(at);
        }
        let game = self.games.entry(id.to_owned()).or_default();
        game.commit(record, frame, &self.outages).map_err(|why| format!("{why}: {record}"))
    }

    /// Ends the last outage: the server serves from this time on.
    pub(super) fn has_started(&mut self, now_ms: u64) {
        self.is_starting = false;
        if let Some(outage) = self.outages.last_mut() {
            outage.1 = outage.1.max(now_ms);
        }
    }

    /// The stored table of a game.
    pub(super) fn table(&self, id: &str) -> Option<&Table> {
        self.games.get(id)?.replay.table()
    }

    /// The live games, the oldest first.
    pub(super) fn live(&self) -> Vec<String> {
        let goes_on = |id: &&String| self.table(id).is_some_and(|table| table.outcome().is_none());
        self.order.iter().filter(goes_on).cloned().collect()
    }

    /// Whether a user plays in a game.
    pub(super) fn plays(&self, id: &str, user: &str) -> bool {
        self.table(id).is_some_and(|table| table.seat_of(user).is_some())
    }
}

impl StoredGame {
    /// The record with a seq.
    pub(super) fn at(&self, seq: u64) -> Option<(&str, &Value)> {
        let index = usize::try_from(seq.checked_sub(1)?).ok()?;
        Some((self.records.get(index)?, &self.frames[index]))
    }

    /// The table and the head of its record, to go on writing.
    pub(super) fn parts(&self) -> Option<(Table, Head)> {
        self.replay.clone().into_parts()
    }

    /// What a snapshot must say at a seq.
    pub(super) fn facts_at(&self, seq: u64) -> Option<&Value> {
        self.facts.get(usize::try_from(seq.checked_sub(1)?).ok()?)
    }

    /// The number of committed records.
    pub(super) fn last_seq(&self) -> u64 {
        self.records.len() as u64
    }

    /// Whether a user's request is on record.
    pub(super) fn has(&self, user: &str, request: &str) -> bool {
        self.asked.contains(&(user.to_owned(), base_id(request).to_owned()))
    }

    fn commit(&mut self, record: &str, frame: Value, outages: &[(u64, u64)]) -> Result<(), String> {
        let before = self.replay.table().cloned();
        // The same code as the server's; the checks below cover what it does not see.
        self.replay.push(record.as_bytes()).map_err(|error| error.to_string())?;
        let after = self.replay.table().expect("a record has just been read");
        if let Some(before) = &before {
            check_turn(before, &frame)?;
            check_end(before, &frame)?;
            check_clocks(before, after, &frame, outages)?;
        }
        if let Some(req) = frame["req"].as_str() {
            let before = before.as_ref().ok_or("a game begins with a request")?;
            let user = speaker(before, &frame).ok_or("no client requested this")?;
            if !self.asked.insert((user, base_id(req).to_owned())) {
                return Err("one request has become two records".to_owned());
            }
        }
        self.facts.push(facts(after, &frame));
        self.records.push(record.to_owned());
        self.frames.push(frame);
        Ok(())
    }
}

/// Checks that no turn number is used twice.
fn check_turn(before: &Table, frame: &Value) -> Result<(), String> {
    match frame["turn"].as_u64() {
        Some(turn) if turn <= u64::from(before.turn()) => Err(format!("turn {turn} comes again")),
        _ => Ok(()),
    }
}

/// Checks that a game ends once.
fn check_end(before: &Table, frame: &Value) -> Result<(), String> {
    if before.outcome().is_some() && frame["kind"] != "rated" {
        return Err("something follows the end".to_owned());
    }
    Ok(())
}

/// The time in which a player on the move may come back, after an outage or the end of the player's
/// node.
const RETURN_MS: u64 = 20_000;

/// The time after its beginning in which the first player of a game may come.
const ARRIVAL_MS: u64 = 30_000;

/// Checks that no clock gains more than was agreed, and that only the mover's clock runs.
fn check_clocks(
    before: &Table,
    after: &Table,
    frame: &Value,
    outages: &[(u64, u64)],
) -> Result<(), String> {
    if frame["kind"] == "clock_adjusted" {
        let last_at = before.last_at();
        let since = outages.iter().filter(|(_, until)| *until > last_at);
        let away: u64 = since.map(|(from, until)| until - from + HEARTBEAT_MS).sum();
        let (by, at) = (frame["by_ms"].as_u64().unwrap_or(u64::MAX), after.last_at());
        let begun = before.clock().running().map(|(_, since)| since);
        let most = match frame["reason"].as_str() {
            Some("arrival") if before.ply() == 0 => ARRIVAL_MS,
            // Until the move before was durable, or while the store took none.
            Some("outage") if begun == Some(last_at) => at - last_at,
            Some("outage") => away + RETURN_MS + HEARTBEAT_MS,
            _ => 0,
        };
        return if by <= most { Ok(()) } else { Err(format!("only {most} ms were lost")) };
    }
    let (Some(old), Some(new)) = (before.clock().left_ms(), after.clock().left_ms()) else {
        return Ok(());
    };
    if frame["kind"] != "moved" {
        // A swap and a takeback restore earlier clocks, and a computer begins with a full one; no
        // other event may add time.
        let given =
            ["swapped", "taken_back", "substituted"].iter().any(|kind| frame["kind"] == *kind);
        let most = old.iter().max().copied().unwrap_or_default();
        for (seat, left) in new.entries() {
            if !given && *left > old[seat]
                || frame["kind"] == "swapped" && *left > most + bonus(before)
            {
                return Err(format!("the clock of {seat:?} gains by a {}", frame["kind"]));
            }
        }
        return Ok(());
    }
    let number = |key: &str| frame[key].as_u64().unwrap_or_default();
    let (spent, lag) = (number("spent_ms"), number("lag_ms"));
    if lag > spent || lag > clock::LAG_PER_MOVE_MS_MAX {
        return Err("the lag compensation is too large".to_owned());
    }
    for (seat, &left) in new.entries() {
        let mover = frame["seat"] == json!(seat.index());
        let most = if mover { granted(before, seat, spent - lag) } else { old[seat] };
        if left > most {
            return Err(format!("{seat:?} has {left} ms left and may have {most}"));
        }
    }
    Ok(())
}

/// Computes independently what a seat may have left after a move of this duration.
fn granted(before: &Table, seat: Seat, charged: u64) -> u64 {
    let left = before.clock().left_ms().map_or(0, |left| left[seat]);
    let rest = left.saturating_sub(charged);
    match before.clock().control() {
        TimeControl::None => u64::MAX,
        TimeControl::Fischer { inc_ms, .. } => rest + inc_ms,
        TimeControl::PerMove { move_ms } => move_ms,
        TimeControl::Byoyomi { periods, period_ms, .. } => {
            if rest >= u64::from(periods) * period_ms {
                rest
            } else {
                rest.div_ceil(period_ms) * period_ms
            }
        }
        TimeControl::Days { per_move_days } => u64::from(per_move_days) * 86_400_000,
    }
}

/// The most that one move can add to a clock.
fn bonus(table: &Table) -> u64 {
    match table.clock().control() {
        TimeControl::None => 0,
        TimeControl::Fischer { inc_ms, .. } => inc_ms,
        TimeControl::PerMove { move_ms } => move_ms,
        TimeControl::Byoyomi { period_ms, .. } => period_ms,
        TimeControl::Days { per_move_days } => u64::from(per_move_days) * 86_400_000,
    }
}

/// The user who requested an event, by the seats before it.
fn speaker(before: &Table, frame: &Value) -> Option<String> {
    let key = match frame["kind"].as_str()? {
        "removed" | "seat_offered" | "ended" if frame["claimed_by"].is_u64() => "claimed_by",
        "moved" | "swapped" | "agreed" | "removed" | "seat_offered" => "seat",
        "offered" | "offer_closed" | "aborted" | "ended" => "by",
        _ => return None,
    };
    let number = usize::try_from(frame[key].as_u64()?).ok()?;
    let mut players = before.players().entries();
    players.find(|(seat, _)| seat.index() == number).map(|(_, player)| player.user.to_string())
}

/// What a snapshot must say, from a replay of all records.
fn facts(table: &Table, frame: &Value) -> Value {
    let running = table.clock().running().filter(|_| table.clock().left_ms().is_some());
    json!({
        "turn": table.turn(),
        "ply": table.ply(),
        "to_move": table.to_move().map(Seat::index),
        "moves": table.moves().collect::<Vec<_>>(),
        "hash": frame["hash"],
        "chain": frame["chain"],
        "at": frame["at"],
        "left_ms": table.clock().left_ms().map(|left| left.iter().copied().collect::<Vec<_>>()),
        "since": running.map(|(_, since)| since),
        "running": running.map(|(seat, _)| seat.index()),
        "offers": table.offers().iter().map(|open| format!("o_{}", open.offer.0)).collect::<Vec<_>>(),
        "over": table.outcome().is_some(),
    })
}

/// The same from a snapshot.
pub(super) fn facts_of(snapshot: &Value) -> Value {
    let clock = &snapshot["clock"];
    let offers = snapshot["offers"].as_array().map(Vec::as_slice).unwrap_or_default();
    json!({
        "turn": snapshot["turn"],
        "ply": snapshot["ply"],
        "to_move": snapshot["to_move"],
        "moves": snapshot["moves"],
        "hash": snapshot["hash"],
        "chain": snapshot["chain"],
        "at": snapshot["at"],
        "left_ms": clock["left_ms"],
        "since": if clock["left_ms"].is_null() { &Value::Null } else { &clock["since"] },
        "running": if clock["left_ms"].is_null() { &Value::Null } else { &clock["running"] },
        "offers": offers.iter().map(|open| open["offer"].clone()).collect::<Vec<_>>(),
        "over": !snapshot["result"].is_null(),
    })
}
