//! Everything that clients have received, each frame compared with the disk as it arrives.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    accounts::LogIn,
    clients::{ConnState, SentRequest, SimUser, is_idempotent},
    history::RunHistory,
    journal::{Journal, base_id, facts_of},
};

/// Close codes that a client of this workload may receive: a restart, its own slowness and silence.
const CLOSES: [u16; 5] = [1001, 1005, 1012, 4004, 4006];

/// The disk, the clients, and the faults found.
#[derive(Debug, Default)]
pub(super) struct Oracle {
    pub(super) journal: Journal,
    pub(super) users: Vec<SimUser>,
    pub(super) links: Vec<ConnState>,
    pub(super) faults: Vec<String>,
    pub(super) history: RunHistory,
    /// Whether the server is being stopped: then it may fail requests.
    pub(super) is_stopping: bool,
    /// The number of frames that clients have received.
    pub(super) frames: u64,
    /// Whether commits fail in this run: then the server may fail requests or refuse them.
    pub(super) commits_fail: bool,
    /// Whether several nodes serve the clients.
    pub(super) is_cluster: bool,
    /// How often another writer was first.
    pub(super) overtaken: u64,
    /// Requests with an unknown outcome, and requests refused by a full disk.
    pub(super) unknown: u64,
    pub(super) refused: u64,
    /// The invites that clients know, each with its game once there is one.
    pub(super) invites: BTreeMap<String, Option<String>>,
}

impl Oracle {
    fn fault(&mut self, fault: String) {
        self.history.push(&format!("!! {fault}"));
        self.faults.push(fault);
    }

    /// Returns the report of the run if there is a fault by now.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.faults.is_empty() { Ok(()) } else { Err(self.history.report(&self.faults)) }
    }

    /// Adds a record that has become durable.
    pub(super) fn commit(&mut self, game: &str, record: &str) {
        self.history.push(&format!("   disk: {record}"));
        let due = self.journal.table(game).and_then(adamant_rules::Table::next_deadline);
        if let Err(why) = self.journal.commit(game, record) {
            return self.fault(format!("a wrong record: {why}"));
        }
        if self.is_cluster {
            let frame: Value = serde_json::from_str(record).expect("every record is JSON");
            let checked = self.check_flag(due, &frame).and(self.check_claim(game, &frame));
            if let Err(why) = checked {
                self.fault(format!("a wrong decision: {why}: {record}"));
            }
        }
    }

    /// Adds a new connection and returns its number.
    pub(super) fn connect(
        &mut self,
        user: usize,
        log_in: LogIn,
        cursors: BTreeMap<String, u64>,
    ) -> usize {
        let token = log_in.secret().map(str::to_owned);
        let open = true;
        self.links.push(ConnState { user, log_in, token, open, cursors, ..ConnState::default() });
        self.links.len() - 1
    }

    /// Marks a connection as lost.
    pub(super) fn lose(&mut self, link: usize) {
        self.links[link].open = false;
    }

    /// Marks a connection as closed by the server.
    pub(super) fn close(&mut self, link: usize, code: u16) {
        self.lose(link);
        self.history.push(&format!("<{link} closed with {code}"));
        // A guest's name may be taken by the same guest, if the welcome was lost.
        let conn = &self.links[link];
        let may_end = self.users[conn.user].account.may_end(conn.token.as_deref());
        let is_expected = match code {
            4001 => !conn.welcomed,
            4007 => may_end,
            _ => CLOSES.contains(&code),
        };
        if !is_expected {
            self.fault(format!("connection {link} was closed with {code}"));
        }
    }

    /// Adds a request that is being sent, for the first time or again.
    pub(super) fn ask(&mut self, link: usize, frame: &Value) {
        let user = self.links[link].user;
        self.history.push(&format!(">{link} {}: {frame}", self.users[user].name));
        let id = frame["id"].as_str().expect("requests have ids").to_owned();
        let request = self.users[user].requests.entry(id).or_insert_with(|| SentRequest {
            frame: frame.clone(),
            sends: 0,
            errors: 0,
            acked: None,
        });
        request.sends += 1;
        let links = self.links.iter().filter(|other| other.user == user);
        let tokens = links.filter_map(|other| other.token.clone());
        self.users[user].account.ask(frame, tokens);
    }

    /// The unanswered requests of a user that must not be lost.
    pub(super) fn unanswered(&self, user: usize) -> Vec<Value> {
        let requests = self.users[user].requests.values();
        let waiting =
            requests.filter(|request| !request.is_answered() && is_idempotent(&request.frame));
        waiting.map(|request| request.frame.clone()).collect()
    }

    /// Checks a received frame.
    pub(super) fn receive(&mut self, link: usize, text: &str) {
        self.frames += 1;
        let frame: Value = serde_json::from_str(text).expect("every frame is JSON");
        let user = self.links[link].user;
        self.history.push(&format!("<{link} {}: {text}", self.users[user].name));
        let heard = match frame["type"].as_str().unwrap_or_default() {
            "welcome" => self.on_welcome(link, &frame),
            "event" => self.on_event(link, &frame, text),
            "snapshot" => self.on_snapshot(link, &frame),
            "ok" => self.on_ok(link, &frame),
            "error" => self.on_error(link, &frame),
            "your_turn" => self.on_your_turn(link, &frame),
            "presence" => {
                self.links[link].presence.insert(word(&frame, "game"), frame["seats"].clone());
                Ok(())
            }
            "challenged" => {
                let challenge = word(&frame, "challenge");
                let known = &mut self.users[user].challenges;
                if !known.contains(&challenge) {
                    known.push(challenge);
                }
                Ok(())
            }
            "challenge_closed" => {
                let closed = word(&frame, "challenge");
                self.users[user].challenges.retain(|open| *open != closed);
                Ok(())
            }
            "invite" => self.on_invite(&frame),
            _ => Ok(()),
        };
        if self.is_cluster {
            self.note_joined(link);
        }
        if let Err(why) = heard {
            let name = &self.users[user].name;
            self.fault(format!("{name} on connection {link}: {why}: {text}"));
        }
    }

    fn on_welcome(&mut self, link: usize, frame: &Value) -> Result<(), String> {
        let conn = &mut self.links[link];
        let user = &mut self.users[conn.user];
        conn.welcomed = true;
        user.account.welcomed(&conn.log_in)?;
        // Another connection may have been told meanwhile that the name is taken: by this one.
        if let Some(name) = frame["user"]["name"].as_str() {
            name.clone_into(&mut user.name);
        }
        if let Some(token) = frame["token"].as_str() {
            user.token = Some(token.to_owned());
            conn.token.clone_from(&user.token);
        }
        for resumed in frame["games"].as_array().into_iter().flatten() {
            let game = word(resumed, "game");
            match resumed["resume"].as_str().unwrap_or_default() {
                "tail" => {
                    let from = resumed["from"].as_u64().ok_or("a tail without a beginning")?;
                    if conn.cursors.get(&game).map(|seq| seq + 1) != Some(from) {
                        return Err(format!("{game} goes on elsewhere than it was left"));
                    }
                    conn.heard.insert(game, from - 1);
                }
                "snapshot" => {
                    conn.announced.insert(game);
                }
                // Every received event was durable, so the server must still have it.
                other => return Err(format!("{game} is said to be {other}")),
            }
        }
        Ok(())
    }

    fn on_event(&mut self, link: usize, frame: &Value, text: &str) -> Result<(), String> {
        let (id, seq) = (word(frame, "game"), frame["seq"].as_u64().unwrap_or_default());
        let Some(game) = self.journal.games.get(&id) else {
            return Err("sent a game before it is durable".to_owned());
        };
        match game.at(seq) {
            None => return Err("sent before it is durable".to_owned()),
            Some((record, _)) if record != text => {
                return Err("differs from the record".into());
            }
            Some(_) => {}
        }
        let conn = &mut self.links[link];
        if conn.announced.contains(&id) {
            return Err("an event before the snapshot that was announced".to_owned());
        }
        let expected = conn.heard.get(&id).copied().unwrap_or_default() + 1;
        if seq != expected {
            return Err(format!("event {expected} should come"));
        }
        conn.heard.insert(id.clone(), seq);
        self.learn(link, &id, seq);
        self.check_delay(link, &id, seq)
    }

    /// Advances what the user knows of a game; only the events that follow it count.
    fn learn(&mut self, link: usize, game: &str, seq: u64) {
        let known = &mut self.users[self.links[link].user].known;
        let entry = known.entry(game.to_owned()).or_default();
        *entry = seq.max(*entry);
    }

    /// Checks that a spectator stays behind by the game's delay while the game is live.
    fn check_delay(&self, link: usize, id: &str, seq: u64) -> Result<(), String> {
        let user = &self.users[self.links[link].user].name;
        let (Some(table), Some(game)) = (self.journal.table(id), self.journal.games.get(id)) else {
            return Ok(());
        };
        let delay = game.frames[0]["delay"].as_u64().unwrap_or_default();
        if delay == 0 || table.outcome().is_some() || table.seat_of(user).is_some() {
            return Ok(());
        }
        let moves = |frames: &[Value]| frames.iter().filter(|frame| frame["ply"].is_u64()).count();
        let seen = usize::try_from(seq).unwrap_or_default();
        let behind = moves(&game.frames[seen..]) as u64;
        let any = moves(&game.frames[..seen]) > 0;
        if any && behind < delay {
            return Err(format!("a spectator is {behind} moves behind, not {delay}"));
        }
        Ok(())
    }

    fn on_snapshot(&mut self, link: usize, frame: &Value) -> Result<(), String> {
        let (id, seq) = (word(frame, "game"), frame["seq"].as_u64().unwrap_or_default());
        let replayed = self.journal.games.get(&id).and_then(|game| game.facts_at(seq));
        let Some(replayed) = replayed else {
            return Err("a snapshot of what is not durable".to_owned());
        };
        if *replayed != facts_of(frame) {
            return Err(format!("the records say {replayed}"));
        }
        self.answered(link, frame, None)?;
        let conn = &mut self.links[link];
        conn.announced.remove(&id);
        conn.presence.insert(id.clone(), frame["presence"].clone());
        if conn.heard.insert(id.clone(), seq).is_some_and(|before| before > seq) {
            return Err("a snapshot goes back".to_owned());
        }
        self.learn(link, &id, seq);
        self.check_delay(link, &id, seq)
    }

    fn on_your_turn(&mut self, link: usize, frame: &Value) -> Result<(), String> {
        let (game, turn) = (word(frame, "game"), frame["turn"].as_u64().unwrap_or_default());
        let present = self.journal.table(&game).map_or(0, adamant_rules::Table::turn);
        if turn > u64::from(present) {
            return Err("a turn that is not durable".to_owned());
        }
        self.links[link].your_turn.insert(game, turn);
        Ok(())
    }

    /// Records a successful reply and returns the request.
    fn answered(
        &mut self,
        link: usize,
        frame: &Value,
        seq: Option<u64>,
    ) -> Result<Option<Value>, String> {
        let Some(re) = frame["re"].as_str() else { return Ok(None) };
        let user = &mut self.users[self.links[link].user];
        let Some(request) = user.requests.get_mut(base_id(re)) else { return Ok(None) };
        let seq = seq.unwrap_or_default();
        let (before, _) = *request.acked.get_or_insert((seq, link));
        if is_idempotent(&request.frame) && before != seq {
            return Err(format!("the same request was {before} before"));
        }
        Ok(Some(request.frame.clone()))
    }

    fn on_ok(&mut self, link: usize, frame: &Value) -> Result<(), String> {
        let seq = frame["seq"].as_u64().or_else(|| frame["n"].as_u64());
        if frame["invite"].is_string() {
            self.on_invite(frame)?;
        }
        let Some(request) = self.answered(link, frame, seq)? else { return Ok(()) };
        let game = word(&request, "game");
        let user = &mut self.users[self.links[link].user];
        user.account.done(&request, frame);
        match request["type"].as_str().unwrap_or_default() {
            "signup" => {
                user.token = frame["token"].as_str().map(str::to_owned);
                self.links[link].token.clone_from(&user.token);
            }
            "watch" => {
                let from = request["from"].as_u64().unwrap_or_default();
                self.links[link].heard.insert(game, from.saturating_sub(1));
            }
            "unwatch" => {
                self.links[link].heard.remove(&game);
                self.links[link].presence.remove(&game);
            }
            "say" => {}
            _ if is_idempotent(&request) => {
                let seq = seq.ok_or("an act without its event")?;
                let record = self.journal.games.get(&game).and_then(|game| game.at(seq));
                let (_, record) = record.ok_or("acknowledged before it is durable")?;
                let req = record["req"].as_str().map(base_id);
                if req != request["id"].as_str() {
                    return Err(format!("acknowledged as {record}"));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn on_error(&mut self, link: usize, frame: &Value) -> Result<(), String> {
        let (user, welcomed) = (self.links[link].user, self.links[link].welcomed);
        let user = &mut self.users[user];
        let code = word(frame, "code");
        if code == "name_taken" && !welcomed {
            // The user came before, or over another connection, and the welcome was lost.
            if user.token.is_none() {
                user.name.push('x');
            }
            return Ok(());
        }
        if code == "unauthorized" && self.links[link].told_to_wait {
            return Ok(());
        }
        self.links[link].told_to_wait = !welcomed && code != "unauthorized";
        if code == "unauthorized" && !welcomed {
            let log_in = self.links[link].log_in.clone();
            if user.account.refused(&log_in)? {
                user.token.take_if(|token| Some(token.as_str()) == log_in.secret());
            }
            return Ok(());
        }
        let expected = [
            "not_found",
            "forbidden",
            "blocked",
            "not_accepting",
            "not_a_player",
            "not_your_turn",
            "stale_turn",
            "illegal_move",
            "game_over",
            "no_such_offer",
            "too_soon",
            "rate_limited",
            "bad_message",
        ];
        if code == "internal" && self.commits_fail {
            // Whether it was carried out is unknown: the user sends the request again.
            self.unknown += 1;
            return Ok(());
        }
        self.refused += u64::from(code == "read_only");
        let is_last_word = code == "internal" && self.is_stopping
            || code == "read_only" && self.commits_fail
            || code == "busy" && self.is_cluster;
        if !expected.contains(&code.as_str()) && !is_last_word {
            return Err(format!("no request causes {code}"));
        }
        let Some(request) = frame["re"].as_str().and_then(|re| user.requests.get_mut(base_id(re)))
        else {
            return Ok(());
        };
        request.errors += 1;
        let refused_late = request.acked.is_some_and(|(_, on)| on == link);
        if is_idempotent(&request.frame) && request.frame["type"] != "say" && refused_late {
            return Err("refused after it was acknowledged".to_owned());
        }
        Ok(())
    }
}

pub(super) fn word(frame: &Value, key: &str) -> String {
    frame[key].as_str().unwrap_or_default().to_owned()
}
