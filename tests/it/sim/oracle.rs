//! All that clients have been told, each held against the disk the moment it is heard.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::{Value, json};

use super::{
    journal::{Journal, facts_of},
    seeds::logical,
};

/// Lines of the story that a failure shows.
const STORY_MAX: usize = 60;

/// Kinds of requests that the server promises to carry out once.
const ONCE: [&str; 8] = ["move", "resign", "abort", "offer", "answer", "withdraw", "claim", "say"];

/// Close codes that a client of this workload may see: a restart, its own slowness and silence.
const CLOSES: [u16; 5] = [1001, 1005, 1012, 4004, 4006];

/// A request, and what became of it.
#[derive(Debug)]
pub(super) struct Request {
    /// As it is sent.
    pub(super) frame: Value,
    /// How often it was.
    pub(super) sends: u32,
    errors: u32,
    /// What it was said to have become, and on which connection first.
    acked: Option<(u64, usize)>,
}

impl Request {
    /// Whether any answer has been heard.
    pub(super) const fn is_answered(&self) -> bool {
        self.errors > 0 || self.acked.is_some()
    }
}

/// Somebody who plays.
#[derive(Debug, Default)]
pub(super) struct User {
    /// What the server calls them.
    pub(super) name: String,
    /// What they come back with.
    pub(super) token: Option<String>,
    /// By id.
    pub(super) requests: BTreeMap<String, Request>,
    /// Challenges that wait for their answer.
    pub(super) challenges: Vec<String>,
    /// What they know of each game: what is resumed from.
    pub(super) known: BTreeMap<String, u64>,
}

/// What has been heard over one connection.
#[derive(Debug, Default)]
pub(super) struct Ears {
    user: usize,
    /// Whether it is neither closed nor lost.
    pub(super) open: bool,
    /// Whether the server knows who it is.
    pub(super) welcomed: bool,
    /// The last seq of each game that is listened to.
    pub(super) heard: BTreeMap<String, u64>,
    /// What it resumed from.
    pub(super) cursors: BTreeMap<String, u64>,
    /// Games of which a snapshot has been announced.
    announced: BTreeSet<String>,
    your_turn: BTreeMap<String, u64>,
    presence: BTreeMap<String, Value>,
}

/// The disk, the clients, and what is wrong.
#[derive(Debug, Default)]
pub(super) struct World {
    pub(super) journal: Journal,
    pub(super) users: Vec<User>,
    pub(super) links: Vec<Ears>,
    pub(super) faults: Vec<String>,
    /// What happened last.
    story: VecDeque<String>,
    /// Whether the server is being stopped: then it may fail.
    pub(super) is_stopping: bool,
    /// How many frames clients have heard.
    pub(super) frames: u64,
}

impl World {
    pub(super) fn tell(&mut self, line: impl Into<String>) {
        if self.story.len() == STORY_MAX {
            self.story.pop_front();
        }
        self.story.push_back(line.into());
    }

    pub(super) fn story(&self) -> String {
        self.story.iter().cloned().collect::<Vec<_>>().join("\n")
    }

    fn fault(&mut self, fault: String) {
        self.tell(format!("!! {fault}"));
        self.faults.push(fault);
    }

    /// A record has become durable.
    pub(super) fn commit(&mut self, game: &str, record: &str) {
        self.tell(format!("   disk: {record}"));
        if let Err(why) = self.journal.commit(game, record) {
            self.fault(format!("a wrong record: {why}"));
        }
    }

    /// A connection is being made. Gives back its number.
    pub(super) fn connect(&mut self, user: usize, cursors: BTreeMap<String, u64>) -> usize {
        self.links.push(Ears { user, open: true, cursors, ..Ears::default() });
        self.links.len() - 1
    }

    /// A connection has been lost.
    pub(super) fn lose(&mut self, link: usize) {
        self.links[link].open = false;
    }

    /// The server has said goodbye.
    pub(super) fn close(&mut self, link: usize, code: u16) {
        self.lose(link);
        self.tell(format!("<{link} closed with {code}"));
        // A guest's name may be taken by the same guest, who never heard the welcome.
        if !CLOSES.contains(&code) && (code != 4001 || self.links[link].welcomed) {
            self.fault(format!("connection {link} was closed with {code}"));
        }
    }

    /// Notes that a request is sent, for the first time or again.
    pub(super) fn ask(&mut self, link: usize, frame: &Value) {
        let user = self.links[link].user;
        self.tell(format!(">{link} {}: {frame}", self.users[user].name));
        let id = frame["id"].as_str().expect("requests have ids").to_owned();
        let request = self.users[user].requests.entry(id).or_insert_with(|| Request {
            frame: frame.clone(),
            sends: 0,
            errors: 0,
            acked: None,
        });
        request.sends += 1;
    }

    /// Requests of a user that must not get lost and have not been answered.
    pub(super) fn unanswered(&self, user: usize) -> Vec<Value> {
        let requests = self.users[user].requests.values();
        let waiting = requests.filter(|request| !request.is_answered() && is_once(&request.frame));
        waiting.map(|request| request.frame.clone()).collect()
    }

    /// A frame has come.
    pub(super) fn hear(&mut self, link: usize, text: &str) {
        self.frames += 1;
        let frame: Value = serde_json::from_str(text).expect("every frame is JSON");
        let user = self.links[link].user;
        self.tell(format!("<{link} {}: {text:.300}", self.users[user].name));
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
            _ => Ok(()),
        };
        if let Err(why) = heard {
            let name = &self.users[user].name;
            self.fault(format!("{name} on connection {link}: {why}: {text}"));
        }
    }

    fn on_welcome(&mut self, link: usize, frame: &Value) -> Result<(), String> {
        let ears = &mut self.links[link];
        let user = &mut self.users[ears.user];
        ears.welcomed = true;
        if let Some(token) = frame["token"].as_str() {
            user.token = Some(token.to_owned());
        }
        for resumed in frame["games"].as_array().into_iter().flatten() {
            let game = word(resumed, "game");
            match resumed["resume"].as_str().unwrap_or_default() {
                "tail" => {
                    let from = resumed["from"].as_u64().ok_or("a tail without a beginning")?;
                    if ears.cursors.get(&game).map(|seq| seq + 1) != Some(from) {
                        return Err(format!("{game} goes on elsewhere than it was left"));
                    }
                    ears.heard.insert(game, from - 1);
                }
                "snapshot" => {
                    ears.announced.insert(game);
                }
                // Whatever was heard was durable, so it is still there.
                other => return Err(format!("{game} is said to be {other}")),
            }
        }
        Ok(())
    }

    fn on_event(&mut self, link: usize, frame: &Value, text: &str) -> Result<(), String> {
        let (id, seq) = (word(frame, "game"), frame["seq"].as_u64().unwrap_or_default());
        let Some(game) = self.journal.games.get(&id) else {
            return Err("told of a game before it is durable".to_owned());
        };
        match game.at(seq) {
            None => return Err("told before it is durable".to_owned()),
            Some((record, _)) if record != text => {
                return Err("told otherwise than on record".into());
            }
            Some(_) => {}
        }
        let ears = &mut self.links[link];
        if ears.announced.contains(&id) {
            return Err("an event before the snapshot that was announced".to_owned());
        }
        let expected = ears.heard.get(&id).copied().unwrap_or_default() + 1;
        if seq != expected {
            return Err(format!("event {expected} should come"));
        }
        ears.heard.insert(id.clone(), seq);
        self.learn(link, &id, seq);
        self.check_delay(link, &id, seq)
    }

    /// What is known of a game is what one resumes from; only what goes on from it adds to it.
    fn learn(&mut self, link: usize, game: &str, seq: u64) {
        let known = &mut self.users[self.links[link].user].known;
        let entry = known.entry(game.to_owned()).or_default();
        *entry = seq.max(*entry);
    }

    /// Spectators are behind as long as the game goes on.
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
        let ears = &mut self.links[link];
        ears.announced.remove(&id);
        ears.presence.insert(id.clone(), frame["presence"].clone());
        if ears.heard.insert(id.clone(), seq).is_some_and(|before| before > seq) {
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

    /// Notes an answer that says yes; gives back the request.
    fn answered(
        &mut self,
        link: usize,
        frame: &Value,
        seq: Option<u64>,
    ) -> Result<Option<Value>, String> {
        let Some(re) = frame["re"].as_str() else { return Ok(None) };
        let user = &mut self.users[self.links[link].user];
        let Some(request) = user.requests.get_mut(logical(re)) else { return Ok(None) };
        let seq = seq.unwrap_or_default();
        let (before, _) = *request.acked.get_or_insert((seq, link));
        if is_once(&request.frame) && before != seq {
            return Err(format!("the same request was {before} before"));
        }
        Ok(Some(request.frame.clone()))
    }

    fn on_ok(&mut self, link: usize, frame: &Value) -> Result<(), String> {
        let seq = frame["seq"].as_u64().or_else(|| frame["n"].as_u64());
        let Some(request) = self.answered(link, frame, seq)? else { return Ok(()) };
        let game = word(&request, "game");
        match request["type"].as_str().unwrap_or_default() {
            "watch" => {
                let from = request["from"].as_u64().unwrap_or_default();
                self.links[link].heard.insert(game, from.saturating_sub(1));
            }
            "unwatch" => {
                self.links[link].heard.remove(&game);
                self.links[link].presence.remove(&game);
            }
            "say" => {}
            _ if is_once(&request) => {
                let seq = seq.ok_or("an act without its event")?;
                let record = self.journal.games.get(&game).and_then(|game| game.at(seq));
                let (_, record) = record.ok_or("acknowledged before it is durable")?;
                let req = record["req"].as_str().map(logical);
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
            // They came before, or over another connection, and have not heard the welcome.
            if user.token.is_none() {
                user.name.push('x');
            }
            return Ok(());
        }
        let expected = [
            "not_found",
            "forbidden",
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
        let is_last_word = code == "internal" && self.is_stopping;
        if !expected.contains(&code.as_str()) && !is_last_word {
            return Err(format!("nobody asked for {code}"));
        }
        let Some(request) = frame["re"].as_str().and_then(|re| user.requests.get_mut(logical(re)))
        else {
            return Ok(());
        };
        request.errors += 1;
        let refused_late = request.acked.is_some_and(|(_, on)| on == link);
        if is_once(&request.frame) && request.frame["type"] != "say" && refused_late {
            return Err("refused after it was acknowledged".to_owned());
        }
        Ok(())
    }

    /// What must be true once everybody is connected and nothing has happened for a while.
    pub(super) fn check_rest(&self, now: u64) -> Vec<String> {
        let mut faults = Vec::new();
        for (user, who) in self.users.iter().enumerate() {
            for frame in self.unanswered(user) {
                faults.push(format!("{} never heard about {frame}", who.name));
            }
            for (id, request) in &who.requests {
                let game = self.journal.games.get(&word(&request.frame, "game"));
                let done = game.is_some_and(|game| game.has(&who.name, id));
                if done && request.errors == request.sends {
                    faults.push(format!("refused, and done: {}", request.frame));
                }
            }
        }
        for (number, ears) in self.links.iter().enumerate().filter(|(_, ears)| ears.open) {
            for (game, &heard) in &ears.heard {
                if let Err(why) = self.check_ears(ears, game, heard) {
                    let name = &self.users[ears.user].name;
                    faults.push(format!("{name} on connection {number} of {game}: {why}"));
                }
            }
        }
        for game in self.journal.live() {
            let due = self.journal.table(&game).and_then(adamant_rules::Table::next_deadline);
            if due.is_some_and(|due| due + 1_000 < now) {
                faults.push(format!("a flag of {game} was to fall at {due:?}, it is {now}"));
            }
        }
        faults
    }

    fn check_ears(&self, ears: &Ears, id: &str, heard: u64) -> Result<(), String> {
        let (game, table) = (&self.journal.games[id], self.journal.table(id).expect("a game"));
        let me = &self.users[ears.user].name;
        let over = table.outcome().is_some();
        let plays = table.seat_of(me);
        if plays.is_none() && !over && game.frames[0]["delay"].is_u64() {
            return Ok(());
        }
        if heard != game.last_seq() {
            return Err(format!("heard {heard} events of {}", game.last_seq()));
        }
        if over {
            return Ok(());
        }
        if plays.is_some() && table.to_move() == plays {
            let told = ears.your_turn.get(id).copied();
            if told != Some(table.turn().into()) {
                return Err(format!(
                    "it is their turn {}, and they know of {told:?}",
                    table.turn()
                ));
            }
        }
        let seats = ears.presence.get(id).ok_or("never told who is there")?;
        for (seat, player) in table.players().entries() {
            let here = self.links.iter().any(|other| {
                other.open
                    && other.heard.contains_key(id)
                    && self.users[other.user].name == *player.user
            });
            if seats[seat.index()]["online"] != json!(here) {
                return Err(format!("{} is there: {here}; told {seats}", player.user));
            }
        }
        Ok(())
    }
}

/// Whether the server promises to carry a request out once.
pub(super) fn is_once(frame: &Value) -> bool {
    frame["type"].as_str().is_some_and(|kind| ONCE.contains(&kind))
}

fn word(frame: &Value, key: &str) -> String {
    frame[key].as_str().unwrap_or_default().to_owned()
}
