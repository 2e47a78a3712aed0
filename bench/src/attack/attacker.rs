//! An attacker's connection, and the counts of all attackers.

use std::{
    cell::RefCell,
    collections::BTreeMap,
    net::{Ipv4Addr, SocketAddr},
    rc::Rc,
    time::Duration,
};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::peer::Peer;

/// The pause of an attacker whose rejection names no wait.
const WAIT: Duration = Duration::from_millis(100);

/// How often each thing happened.
pub(crate) type Counts = BTreeMap<String, u64>;

/// Counts what attackers did and what it did to others. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tally(Rc<RefCell<Tallied>>);

#[derive(Debug, Default)]
struct Tallied {
    counts: Counts,
    harms: Counts,
    sessions: u64,
}

impl Tally {
    pub(crate) fn add(&self, what: impl Into<String>) {
        *self.0.borrow_mut().counts.entry(what.into()).or_default() += 1;
    }

    /// Counts something that must not happen to an attack's target.
    pub(crate) fn harm(&self, what: &str) {
        *self.0.borrow_mut().harms.entry(what.to_owned()).or_default() += 1;
    }

    /// The counts of actions and of harms.
    pub(crate) fn counts(&self) -> (Counts, Counts) {
        let Tallied { counts, harms, .. } = &*self.0.borrow();
        (counts.clone(), harms.clone())
    }

    /// Returns a session number, which makes request ids unique.
    fn next_session(&self) -> u64 {
        let mut tallied = self.0.borrow_mut();
        tallied.sessions += 1;
        tallied.sessions
    }
}

/// The addresses of attackers: the server counts each as a client of its own.
pub(crate) fn attacker(number: u8) -> Ipv4Addr {
    Ipv4Addr::new(127, 0, 1, number)
}

/// A connection that has sent `hello`.
#[derive(Debug)]
pub(crate) struct Attacker {
    peer: Peer,
    pub(crate) welcome: Value,
    /// Distinguishes the ids of its requests from those of the user's other sessions.
    session: u64,
    asked: u64,
    tally: Tally,
}

impl Attacker {
    /// Connects and sends `hello`; `None` if the server rejects it.
    pub(crate) async fn enter(
        arena: Arena,
        from: Ipv4Addr,
        auth: &Value,
        tally: &Tally,
    ) -> Option<Self> {
        let hello = json!({"type":"hello","id":"h","proto":[1],"auth":auth,"caps":["legal"]});
        Self::enter_with(arena, from, &hello, tally).await
    }

    /// The same with another `hello`.
    pub(crate) async fn enter_with(
        arena: Arena,
        from: Ipv4Addr,
        hello: &Value,
        tally: &Tally,
    ) -> Option<Self> {
        let entering = async {
            let mut peer = Peer::connect_from(arena.address, from).await?;
            let welcome = peer.ask_any(hello).await?;
            anyhow::Ok((peer, welcome))
        };
        match timeout_at(arena.until, entering).await {
            Ok(Ok((peer, welcome))) if welcome["type"] == "welcome" => {
                tally.add("sessions");
                let session = tally.next_session();
                Some(Self { peer, welcome, session, asked: 0, tally: tally.clone() })
            }
            Ok(Ok((_, refusal))) => {
                tally.add(format!("hello refused: {}", code(&refusal)));
                None
            }
            Ok(Err(_)) => {
                tally.add("connections refused");
                None
            }
            Err(_) => None,
        }
    }

    /// Connects a guest's first session and some more of the same guest.
    pub(crate) async fn guest_with_sessions(
        arena: Arena,
        from: Ipv4Addr,
        name: &str,
        sessions: usize,
        tally: &Tally,
    ) -> Result<Vec<Self>> {
        let first = Self::enter(arena, from, &json!({"guest":name}), tally).await;
        let first = first.context("the first guest of an address is let in")?;
        let auth = json!({"token":first.welcome["token"]});
        let mut all = vec![first];
        while all.len() < sessions {
            let Some(next) = Self::enter(arena, from, &auth, tally).await else { break };
            all.push(next);
        }
        Ok(all)
    }

    /// Sends a request once and counts the result. `Err` with the wait if the server rejects it.
    pub(crate) async fn ask(
        &mut self,
        arena: Arena,
        what: &str,
        mut request: Value,
    ) -> Result<Result<Value, Duration>> {
        self.asked += 1;
        request["id"] = format!("q{}-{}", self.session, self.asked).into();
        let Ok(answer) = timeout_at(arena.until, self.peer.ask_any(&request)).await else {
            return Ok(Err(Duration::ZERO));
        };
        let answer = answer.inspect_err(|_| self.tally.add(format!("{what}: closed")))?;
        if answer["type"] != "error" {
            self.tally.add(what);
            return Ok(Ok(answer));
        }
        let code = code(&answer);
        self.tally.add(format!("{what} refused: {code}"));
        Ok(Err(answer["retry_after_ms"].as_u64().map_or(WAIT, Duration::from_millis)))
    }

    /// Repeats a request until the server accepts it or the attack ends.
    pub(crate) async fn ask_until_accepted(
        &mut self,
        arena: Arena,
        what: &str,
        request: &Value,
    ) -> Result<Option<Value>> {
        while arena.is_running() {
            match self.ask(arena, what, request.clone()).await? {
                Ok(answer) => return Ok(Some(answer)),
                Err(wait) => pause(arena, wait).await,
            }
        }
        Ok(None)
    }

    /// Waits for a text that contains these words, at most until the attack ends.
    pub(crate) async fn wait_for(&mut self, arena: Arena, words: &str) -> Result<Option<Value>> {
        let finder = memchr::memmem::Finder::new(words);
        match timeout_at(arena.until, self.peer.text_with(&finder)).await {
            Ok(text) => Ok(Some(serde_json::from_slice(text?)?)),
            Err(_) => Ok(None),
        }
    }
}

/// Pauses as long as the server demands, at most until the attack ends.
pub(crate) async fn pause(arena: Arena, wait: Duration) {
    sleep_until((Instant::now() + wait).min(arena.until)).await;
}

/// The code of a rejection, and its limit if it names one.
fn code(refusal: &Value) -> String {
    let code = refusal["code"].as_str().unwrap_or("?");
    refusal["limit"].as_str().map_or_else(|| code.to_owned(), |limit| format!("{code} {limit}"))
}

/// The server under attack, and the end of the attack.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arena {
    pub(crate) address: SocketAddr,
    /// When the attack ends.
    pub(crate) until: Instant,
}

impl Arena {
    /// Whether the attack still runs.
    pub(crate) fn is_running(&self) -> bool {
        Instant::now() < self.until
    }
}
