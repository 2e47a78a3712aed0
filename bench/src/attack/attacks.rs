//! Every attack: on games, on the lobby, and by requests alone; with an attacker's connection and the
//! counts of all attackers.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    net::{Ipv4Addr, SocketAddr},
    rc::Rc,
    time::Duration,
};

use anyhow::{Context as _, Result, ensure};
use futures::future::{join_all, try_join_all};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpSocket, TcpStream},
    time::{Instant, sleep_until, timeout, timeout_at},
};

use crate::{
    machine,
    peer::{Peer, begin_game, guest, longest},
    target::{Conditions, Launch, Program, Service, Target},
};

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

/// Sessions of each of the two attacking guests.
const SESSIONS: usize = 25;

/// Plies before the first takeback.
const PLIES: usize = 1_000;

/// The share of the attack in which the game grows, before its record is read.
const READ_AFTER: f64 = 0.6;

/// Clients that read the record at once.
const READERS: usize = 12;

/// Guests of one address who start games with server bots.
const GUESTS: usize = 60;

/// Connects two guests from one address with many sessions each, and starts a game between
/// them.
async fn start_pair(
    arena: Arena,
    rules: &str,
    tally: &Tally,
) -> Result<([Vec<Attacker>; 2], String)> {
    let mut sides = Vec::new();
    for name in ["stranger-a", "stranger-b"] {
        sides.push(Attacker::guest_with_sessions(arena, attacker(1), name, SESSIONS, tally).await?);
    }
    let mut sides: [Vec<Attacker>; 2] = sides.try_into().ok().context("there are two sides")?;
    let seek = json!({"type":"seek","rules":rules,"seat":0});
    let sought =
        sides[0][0].ask_until_accepted(arena, "seeks", &seek).await?.context("a seek is opened")?;
    let accept = json!({"type":"accept","seek":sought["seek"]});
    let begun = sides[1][0]
        .ask_until_accepted(arena, "accepts", &accept)
        .await?
        .context("a game begins")?;
    Ok((sides, begun["game"].as_str().context("it has an id")?.to_owned()))
}

/// Sends a request over a side's next session that the server accepts: each has its own rate.
async fn ask_by_any_session(
    side: &mut [Attacker],
    next: &mut usize,
    arena: Arena,
    what: &str,
    request: &Value,
) -> Result<Option<Value>> {
    let mut refused = 0;
    while arena.is_running() {
        *next = (*next + 1) % side.len();
        match side[*next].ask(arena, what, request.clone()).await? {
            Ok(answer) => return Ok(Some(answer)),
            Err(wait) => {
                refused += 1;
                if refused > 2 * side.len() {
                    return Ok(None);
                }
                if refused >= side.len() {
                    pause(arena, wait).await;
                }
            }
        }
    }
    Ok(None)
}

pub(crate) async fn takebacks(arena: Arena, tally: &Tally) -> Result<()> {
    let begun = Instant::now();
    let growing = Arena { until: begun + (arena.until - begun).mul_f64(READ_AFTER), ..arena };
    let script = longest(PLIES);
    let (mut sides, game) = start_pair(growing, script.kind.name(), tally).await?;
    let mut next = [0, 0];
    let mut turn: u64 = 0;
    for (mover, notation) in &script.moves {
        let request = json!({"type":"move","game":game,"turn":turn,"move":notation});
        let side = &mut sides[*mover];
        if ask_by_any_session(side, &mut next[*mover], growing, "moves", &request).await?.is_none()
        {
            break;
        }
        turn += 1;
    }
    if let Some((mover, notation)) = script.moves.last() {
        grow_by_takebacks(&mut sides, &mut next, growing, (&game, *mover, notation, turn)).await?;
    }
    // The readers are twelve connections; the attack itself reads only some kilobytes.
    let path = format!("/v1/games/{game}/record");
    let reading = (0..READERS).map(|_| async {
        while arena.is_running() {
            get(arena, attacker(1), &path, "records", tally).await?;
        }
        anyhow::Ok(())
    });
    try_join_all(reading).await?;
    Ok(())
}

/// Takes the last move back and makes it again for as long as the server accepts.
async fn grow_by_takebacks(
    sides: &mut [Vec<Attacker>; 2],
    next: &mut [usize; 2],
    arena: Arena,
    (game, mover, notation, mut turn): (&str, usize, &str, u64),
) -> Result<()> {
    let other = 1 - mover;
    let offer = json!({"type":"offer","game":game,"what":"takeback"});
    while arena.is_running() {
        let offered = ask_by_any_session(
            &mut sides[mover],
            &mut next[mover],
            arena,
            "takeback offers",
            &offer,
        )
        .await?;
        let Some(offered) = offered else { break };
        let answer = json!({"type":"answer","game":game,"offer":offered["offer"],"accept":true});
        let answered =
            ask_by_any_session(&mut sides[other], &mut next[other], arena, "takebacks", &answer)
                .await?;
        if answered.is_none() {
            break;
        }
        turn += 1;
        let request = json!({"type":"move","game":game,"turn":turn,"move":notation});
        if ask_by_any_session(&mut sides[mover], &mut next[mover], arena, "moves", &request)
            .await?
            .is_none()
        {
            break;
        }
        turn += 1;
    }
    Ok(())
}

pub(crate) async fn offers(arena: Arena, tally: &Tally) -> Result<()> {
    let (sides, game) = start_pair(arena, "hexma", tally).await?;
    let [mut one, mut other] = sides;
    let game = game.as_str();
    let offering = async |side: &mut Vec<Attacker>, what: &str| -> Result<()> {
        let mut next = 0;
        let offer = json!({"type":"offer","game":game,"what":what});
        while arena.is_running() {
            let Some(open) = ask_by_any_session(side, &mut next, arena, "offers", &offer).await?
            else {
                continue;
            };
            let withdraw = json!({"type":"withdraw","game":game,"offer":open["offer"]});
            ask_by_any_session(side, &mut next, arena, "withdrawals", &withdraw).await?;
        }
        Ok(())
    };
    let (first, second) = tokio::join!(offering(&mut one, "draw"), offering(&mut other, "abort"));
    first.and(second)
}

/// Starts a game against a server bot and returns its id.
async fn start_house_game(
    guest: &mut Attacker,
    arena: Arena,
    house: &str,
    clock: Option<&Value>,
) -> Result<Option<Value>> {
    let name = guest.welcome["user"]["name"].clone();
    let mut challenge = json!({"type":"challenge","rules":"diam","seats":[name, house]});
    if let Some(clock) = clock {
        challenge["clock"] = clock.clone();
    }
    if guest.ask_until_accepted(arena, "challenges", &challenge).await?.is_none() {
        return Ok(None);
    }
    guest.wait_for(arena, r#""type":"challenge_closed""#).await
}

async fn guests(arena: Arena, tally: &Tally) -> Vec<Attacker> {
    let entering = (0..GUESTS).map(|number| {
        let auth = json!({"guest":format!("stranger{number}")});
        async move { Attacker::enter(arena, attacker(1), &auth, tally).await }
    });
    join_all(entering).await.into_iter().flatten().collect()
}

pub(crate) async fn finished(arena: Arena, tally: &Tally) -> Result<()> {
    let mut guests = guests(arena, tally).await;
    let clock = json!({"mode":"fischer","base_ms":180_000,"inc_ms":0});
    let playing = guests.iter_mut().map(|guest| async {
        while arena.is_running() {
            let Some(closed) = start_house_game(guest, arena, "house-easy", Some(&clock)).await?
            else {
                break;
            };
            if let Some(game) = closed.get("game") {
                let abort = json!({"type":"abort","game":game});
                guest.ask_until_accepted(arena, "games given up", &abort).await?;
            }
        }
        anyhow::Ok(())
    });
    // A rejected guest takes no further part.
    drop(join_all(playing).await);
    Ok(())
}

pub(crate) async fn occupy_house(arena: Arena, tally: &Tally) -> Result<()> {
    let mut guests = guests(arena, tally).await;
    let turn = Rc::new(Cell::new(0_usize));
    let playing = guests.iter_mut().map(|guest| {
        let turn = Rc::clone(&turn);
        async move {
            while arena.is_running() {
                turn.set(turn.get() + 1);
                let house = ["house", "house-easy", "house-hard"][turn.get() % 3];
                let Some(closed) = start_house_game(guest, arena, house, None).await? else {
                    break;
                };
                let what = if closed.get("game").is_some() { "games begun" } else { "declined" };
                tally.add(what);
            }
            anyhow::Ok(())
        }
    });
    drop(join_all(playing).await);
    Ok(())
}

/// Networks that download slowly, and downloads of each: one address may have no more.
const SLOW: (u8, usize) = (8, 2);

/// Bytes that a slow reader takes at once, how often, and its receive buffer.
const SIP_BYTES: usize = 1_024;
const SIP_EVERY: Duration = Duration::from_millis(100);
const NARROW_BYTES: u32 = 4 * 1024;

/// How often somebody else begins a download, and how long until it must have begun.
const DOWNLOAD_EVERY: Duration = Duration::from_secs(2);
const BEGUN_WITHIN: Duration = Duration::from_secs(4);

/// How often the list of files is read until it has one.
const LOOK_EVERY: Duration = Duration::from_secs(1);

const BOTS: usize = 40;

/// Bots of one network that the directory lists at most.
const LISTED_MAX: usize = 10;

/// Takes all downloads and reads them slowly, while somebody else downloads.
pub(crate) async fn downloads(arena: Arena, tally: &Tally) -> Result<()> {
    let path = path_of_the_largest(arena).await?;
    let path = path.as_str();
    let (networks, each) = SLOW;
    let holding = (0..networks).flat_map(|network| (0..each).map(move |_| network)).map(
        |network| async move {
            while arena.is_running() {
                let sipping = sip(arena, network_of(network), path);
                let what = match timeout_at(arena.until, sipping).await {
                    Ok(Ok(status)) => format!("slow downloads: {status}"),
                    Ok(Err(_)) => "slow downloads: cut".to_owned(),
                    Err(_) => "slow downloads: held to the end".to_owned(),
                };
                tally.add(what);
                pause(arena, SIP_EVERY).await;
            }
        },
    );
    let downloading = async {
        // The slow ones come first.
        pause(arena, DOWNLOAD_EVERY).await;
        while arena.is_running() {
            begin_download(arena, path, tally).await;
            pause(arena, DOWNLOAD_EVERY).await;
        }
    };
    tokio::join!(join_all(holding), downloading);
    Ok(())
}

/// The path of the largest file of finished games, once there is one.
async fn path_of_the_largest(arena: Arena) -> Result<String> {
    loop {
        let answer = fetch(arena, attacker(1), "/v1/downloads", "identity").await?;
        let answer = String::from_utf8_lossy(&answer);
        let list: Value = answer
            .split_once("\r\n\r\n")
            .and_then(|(_, body)| serde_json::from_str(body).ok())
            .context("a list of files")?;
        let files = list["files"].as_array().into_iter().flatten();
        let largest = files.max_by_key(|file| file["bytes"].as_u64());
        if let Some(name) = largest.and_then(|file| file["file"].as_str()) {
            return Ok(format!("/v1/downloads/{name}"));
        }
        ensure!(arena.is_running(), "no finished game is published");
        pause(arena, LOOK_EVERY).await;
    }
}

/// An address in a network of its own.
const fn network_of(number: u8) -> Ipv4Addr {
    Ipv4Addr::new(127, 1, number, 1)
}

/// Downloads a file a few bytes at a time. Returns the status.
async fn sip(arena: Arena, from: Ipv4Addr, path: &str) -> Result<String> {
    let socket = TcpSocket::new_v4()?;
    socket.set_recv_buffer_size(NARROW_BYTES)?;
    socket.bind((from, 0).into())?;
    let mut stream = socket.connect(arena.address).await?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut status = String::new();
    let mut sip = [0; SIP_BYTES];
    loop {
        let read = stream.read(&mut sip).await?;
        if read == 0 {
            return Ok(status);
        }
        if status.is_empty() {
            status = sip
                .get(9..12)
                .map_or_else(String::new, |status| String::from_utf8_lossy(status).into_owned());
        }
        pause(arena, SIP_EVERY).await;
    }
}

/// Begins a download as somebody with a common line, who comes again where the server asks for it.
async fn begin_download(arena: Arena, path: &str, tally: &Tally) {
    let from = Ipv4Addr::new(127, 2, 0, 1);
    let beginning = async {
        loop {
            match fetch(arena, from, path, "identity").await {
                Ok(answer) if answer.get(9..12) == Some(b"200") => return,
                Ok(_) => tally.add("downloads: refused"),
                Err(_) => tally.add("downloads: cut"),
            }
            pause(arena, SIP_EVERY).await;
        }
    };
    match timeout(BEGUN_WITHIN, beginning).await {
        Ok(()) => tally.add("downloads: whole"),
        Err(_) if arena.is_running() => tally.harm("a download could not begin"),
        Err(_) => {}
    }
}

/// Lists bots of one address, which say their status again without end, while others read the
/// directory.
pub(crate) async fn directory(arena: Arena, tally: &Tally) -> Result<()> {
    let bots = (0..BOTS).map(|number| async move {
        let auth = json!({"guest":format!("a-bot{number}"),"bot":true});
        let Some(mut bot) = Attacker::enter(arena, attacker(1), &auth, tally).await else { return };
        for free in (0..1_000).cycle() {
            let status = json!({"type":"bot_status","accepts":{},"free":free});
            match bot.ask(arena, "statuses", status).await {
                Ok(Ok(_)) => {}
                Ok(Err(wait)) => pause(arena, wait).await,
                Err(_) => return,
            }
            if !arena.is_running() {
                return;
            }
        }
    });
    let reading = async {
        let hello = json!({"type":"hello","id":"h","proto":[1]});
        let reader = Attacker::enter_with(arena, attacker(2), &hello, tally).await;
        let mut reader = reader.context("a reader is let in")?;
        let list = json!({"type":"directory"});
        while let Some(list) = reader.ask_until_accepted(arena, "directories", &list).await? {
            let is_attacker =
                |bot: &&Value| bot["user"].as_str().is_some_and(|name| name.starts_with("a-bot"));
            let bots = list["bots"].as_array().into_iter().flatten();
            if bots.filter(is_attacker).count() > LISTED_MAX {
                tally.harm("a network filled the directory");
            }
            pause(arena, SIP_EVERY).await;
        }
        anyhow::Ok(())
    };
    let (_, read) = tokio::join!(join_all(bots), reading);
    read
}

/// Guests of one address who challenge one user.
const CHALLENGERS: usize = 60;

/// The share of the attack in which challenges are made, before their target reconnects.
const RETURN_AFTER: f64 = 0.4;

/// Sessions of one address that seek.
const SEEKERS: usize = 95;

/// Seeks that each session tries to keep open.
const SEEKS: usize = 8;

/// Addresses of lobby watchers, and watchers of each.
const WATCHING: (u8, usize) = (15, 95);

pub(crate) async fn challenges(arena: Arena, tally: &Tally) -> Result<()> {
    let begun = Instant::now();
    let making = Arena { until: begun + (arena.until - begun).mul_f64(RETURN_AFTER), ..arena };
    let home = Ipv4Addr::new(127, 0, 202, 1);
    let target = Attacker::enter(arena, home, &json!({"guest":"target"}), &Tally::default()).await;
    let target = target.context("the target is let in")?;
    let auth = json!({"token":target.welcome["token"]});
    drop(target);
    let challenging = (0..CHALLENGERS).map(|number| async move {
        let name = format!("stranger{number}");
        let guest = Attacker::enter(making, attacker(1), &json!({"guest":name}), tally).await;
        let Some(mut guest) = guest else { return Ok(()) };
        let challenge = json!({"type":"challenge","rules":"adamas","seats":[name,"target"]});
        while making.is_running() {
            if let Err(wait) = guest.ask(making, "challenges", challenge.clone()).await? {
                pause(making, wait).await;
            }
        }
        anyhow::Ok(())
    });
    drop(join_all(challenging).await);
    while arena.is_running() {
        match Attacker::enter(arena, home, &auth, &Tally::default()).await {
            Some(mut target) => {
                let ping = json!({"type":"ping","t0":0});
                // The server sends the reminders before this reply.
                let is_there = matches!(target.ask(arena, "pings", ping).await, Ok(Ok(_)));
                if is_there {
                    tally.add("target reconnected");
                } else {
                    tally.harm("target was disconnected");
                }
                pause(arena, Duration::from_millis(500)).await;
            }
            None => tally.harm("target was rejected"),
        }
    }
    Ok(())
}

pub(crate) async fn seeks(arena: Arena, tally: &Tally) -> Result<()> {
    let (addresses, watchers) = WATCHING;
    let mut watching = Vec::new();
    for address in 0..addresses {
        let entering = (0..watchers).map(|_| async move {
            let hello = json!({"type":"hello","id":"h","proto":[1]});
            let from = attacker(10 + address);
            let mut watcher = Attacker::enter_with(arena, from, &hello, tally).await?;
            let watch = json!({"type":"lobby"});
            watcher.ask(arena, "watchers", watch).await.ok()?.ok()?;
            Some(watcher)
        });
        watching.extend(join_all(entering).await.into_iter().flatten());
    }
    let seeking = (0..SEEKERS).map(|number| async move {
        let auth = json!({"guest":format!("seeker{number}")});
        let seeker = Attacker::enter(arena, attacker(1), &auth, tally).await;
        let Some(mut seeker) = seeker else { return Ok(()) };
        let seek = json!({"type":"seek","rules":"adamas","players":3,"options":"-size=8"});
        let mut open = std::collections::VecDeque::new();
        while arena.is_running() {
            let taken = if open.len() < SEEKS {
                seeker.ask(arena, "seeks", seek.clone()).await?
            } else {
                let unseek = json!({"type":"unseek","seek":open.pop_front()});
                seeker.ask(arena, "seeks closed", unseek).await?
            };
            match taken {
                Ok(answer) if answer["seek"].is_string() => open.push_back(answer["seek"].clone()),
                Ok(_) => {}
                Err(wait) => pause(arena, wait).await,
            }
            let list = json!({"type":"lobby","watch":false});
            if let Err(wait) = seeker.ask(arena, "lists", list).await? {
                pause(arena, wait).await;
            }
        }
        anyhow::Ok(())
    });
    let reading = watching.iter_mut().map(|watcher| async move {
        // Watchers read all frames, so that the server closes none of them.
        watcher.wait_for(arena, "there is no such text").await
    });
    drop(tokio::join!(join_all(seeking), join_all(reading)));
    Ok(())
}

/// Guests of one address, and push endpoints of each.
const RINGING_GUESTS: usize = 6;
const ENDPOINTS: usize = 10;

/// The share of the attack after which somebody else's notice is due.
const NOTICED_AFTER: f64 = 0.4;

/// The time in which it goes out: the grace of a user who is away, and as much again.
const NOTICE_MAX: Duration = Duration::from_secs(10);

/// The keys of a browser's subscription.
const P256DH: &str =
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
const AUTH: &str = "BTBZMqHH6r4Tts7J_aSIgg";

pub(crate) async fn notices(arena: Arena, tally: &Tally) -> Result<()> {
    let due_at = Instant::now() + (arena.until - Instant::now()).mul_f64(NOTICED_AFTER);
    // Where the target is notified a connection counts: nothing is encrypted for this.
    let (home, silent) =
        (TcpListener::bind("127.0.0.1:0").await?, TcpListener::bind("127.0.0.1:0").await?);
    let mut target = sign_up(arena, 1, "target").await?;
    let url = format!("https://{}/", home.local_addr()?);
    ensure!(
        target.ask(arena, "webhooks", json!({"type":"webhook_set","url":url})).await?.is_ok(),
        "the target has a webhook"
    );
    drop(target);
    let mut friend = sign_up(arena, 2, "friend").await?;
    let endpoint = silent.local_addr()?.to_string();
    let noticing = async {
        pause(arena, due_at - Instant::now()).await;
        let begun = Instant::now();
        let challenge = json!({"type":"challenge","rules":"adamas","seats":["friend","target"]});
        ensure!(
            friend.ask_until_accepted(arena, "challenges", &challenge).await?.is_some(),
            "a friend may challenge the target"
        );
        match timeout(NOTICE_MAX, home.accept()).await {
            Ok(_) => {
                tally.add(format!("the target's notice after {} s", begun.elapsed().as_secs()));
            }
            Err(_) => tally.harm("the target's notice was late"),
        }
        Ok(())
    };
    let attacking =
        async { tokio::join!(ring(arena, &endpoint, tally), keep_silent(arena, &silent)) };
    let (noticed, _) = tokio::join!(noticing, attacking);
    noticed
}

/// An account at an address of its own.
async fn sign_up(arena: Arena, number: u8, name: &str) -> Result<Attacker> {
    let hello = json!({"type":"hello","id":"h","proto":[1]});
    let from = Ipv4Addr::new(127, 0, 202, number);
    let entered = Attacker::enter_with(arena, from, &hello, &Tally::default()).await;
    let mut entered = entered.context("somebody is let in")?;
    let account = json!({"type":"signup","user":name,"password":"correct horse"});
    ensure!(entered.ask(arena, "accounts", account).await?.is_ok(), "{name} signs up");
    Ok(entered)
}

/// Subscribes endpoints for guests who leave, and challenges them and the target again and again.
async fn ring(arena: Arena, endpoint: &str, tally: &Tally) -> Result<()> {
    let mut absent = vec![json!("target")];
    for guest in 0..RINGING_GUESTS {
        let auth = json!({"guest":format!("stranger{guest}")});
        let Some(mut one) = Attacker::enter(arena, attacker(1), &auth, tally).await else { break };
        for path in 0..ENDPOINTS {
            let url = format!("https://{endpoint}/{guest}/{path}");
            let subscribe =
                json!({"type":"push_subscribe","endpoint":url,"p256dh":P256DH,"auth":AUTH});
            one.ask_until_accepted(arena, "subscriptions", &subscribe).await?;
        }
        absent.push(one.welcome["user"]["name"].clone());
    }
    let caller = Attacker::enter(arena, attacker(1), &json!({"guest":"caller"}), tally).await;
    let mut caller = caller.context("the caller is let in")?;
    let name = caller.welcome["user"]["name"].clone();
    for user in absent.iter().cycle() {
        let challenge = json!({"type":"challenge","rules":"adamas","seats":[name, user]});
        let made: Option<Value> = caller.ask_until_accepted(arena, "rings", &challenge).await?;
        let Some(made) = made else { break };
        let cancel = json!({"type":"cancel","challenge":made["challenge"]});
        caller.ask_until_accepted(arena, "withdrawals", &cancel).await?;
    }
    Ok(())
}

/// Takes all connections and says nothing.
async fn keep_silent(arena: Arena, listener: &TcpListener) {
    let mut held = Vec::new();
    while let Ok(Ok(connection)) = timeout_at(arena.until, listener.accept()).await {
        held.push(connection);
    }
}

/// Clients of one address that reconnect again and again.
const RECONNECTING: usize = 40;

/// The default burst of requests of a connection.
const BURST: usize = 40;

/// Connections that request pages, all of one address.
const PAGE_READERS: usize = 12;

/// Addresses that log in with wrong passwords, and concurrent attempts of each.
const LOGGING_IN: (u8, usize) = (31, 3);

/// The pause of a client whose connection was rejected.
const REFUSED: Duration = Duration::from_millis(50);

pub(crate) async fn reconnects(arena: Arena, tally: &Tally) -> Result<()> {
    // Cursors of unknown games are looked up, too.
    let cursors: serde_json::Map<_, _> =
        (0..256).map(|game| (format!("zz{game:06}"), json!({"seq":1}))).collect();
    let auth = json!({"guest":"stranger"});
    let first = Attacker::enter(arena, attacker(1), &auth, tally).await.context("one is let in")?;
    let hello = json!({
        "type":"hello","id":"h","proto":[1],"auth":{"token":first.welcome["token"]},"resume":cursors
    });
    let hello = &hello;
    let coming = (0..RECONNECTING).map(|_| async move {
        while arena.is_running() {
            let Some(mut one) = Attacker::enter_with(arena, attacker(1), hello, tally).await else {
                pause(arena, REFUSED).await;
                continue;
            };
            for _ in 0..BURST {
                let user = json!({"type":"user","name":"house"});
                if !matches!(one.ask(arena, "requests", user).await, Ok(Ok(_))) {
                    break;
                }
            }
        }
    });
    join_all(coming).await;
    Ok(())
}

pub(crate) async fn pages(arena: Arena, tally: &Tally) -> Result<()> {
    let front =
        String::from_utf8_lossy(&fetch(arena, attacker(1), "/", "identity").await?).into_owned();
    let styles =
        front.split('"').find(|path| path.starts_with("/page/") && path.contains(".styles."));
    let styles = styles.context("the front page names its style sheet")?;
    let reading = (0..PAGE_READERS).map(|number| async move {
        let path = if number % 2 == 0 { styles } else { "/schema/v1.json" };
        while arena.is_running() {
            // A rejected or closed connection is replaced.
            drop(get(arena, attacker(1), path, path, tally).await);
        }
    });
    join_all(reading).await;
    Ok(())
}

pub(crate) async fn log_ins(arena: Arena, tally: &Tally) -> Result<()> {
    let (addresses, at_once) = LOGGING_IN;
    let trying = (0..addresses).flat_map(|address| (0..at_once).map(move |at| (address, at))).map(
        |(address, at)| async move {
            let auth = json!({"user":format!("house{at}"),"password":"not the password"});
            while arena.is_running() {
                drop(Attacker::enter(arena, attacker(10 + address), &auth, tally).await);
                pause(arena, REFUSED).await;
            }
        },
    );
    join_all(trying).await;
    Ok(())
}

/// Connects from a loopback address.
pub(crate) async fn connect(arena: Arena, from: Ipv4Addr) -> Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.bind((from, 0).into())?;
    Ok(socket.connect(arena.address).await?)
}

/// Requests a path over a new connection and counts the response by status. A rejected client
/// pauses.
pub(crate) async fn get(
    arena: Arena,
    from: Ipv4Addr,
    path: &str,
    what: &str,
    tally: &Tally,
) -> Result<()> {
    let reading = fetch(arena, from, path, "gzip");
    let Ok(answer) = timeout_at(arena.until, reading).await else { return Ok(()) };
    if let Ok(answer) = answer {
        let status = answer.get(9..12).map_or("none".into(), String::from_utf8_lossy);
        tally.add(format!("{what}: {status}"));
        if status == "200" {
            return Ok(());
        }
    } else {
        tally.add(format!("{what}: closed"));
    }
    pause(arena, REFUSED).await;
    Ok(())
}

/// Requests a path in an encoding over a new connection and returns the whole response.
pub(crate) async fn fetch(
    arena: Arena,
    from: Ipv4Addr,
    path: &str,
    accepted: &str,
) -> Result<Vec<u8>> {
    machine::fetch(connect(arena, from).await?, path, accepted).await
}

/// The largest board: a picture and an opinion of it cost the most.
const LARGEST: &str = "-size=8 -pieces=99";

/// Connections that request pictures, all of one address.
const PAINTERS: u32 = 10;

/// The largest side of a picture in pixels, and how many sides are requested by turns, so that the
/// server has few of them at hand.
const SIDES: (u32, u32) = (640, 300);

/// When a client that wants no picture hangs up.
const HANG_UP: Duration = Duration::from_millis(60);

/// Addresses that request documents, and connections of each.
const READING: (u8, usize) = (16, 2);

/// Addresses that ask for opinions, and connections of each.
const ASKING: (u8, usize) = (31, 2);

/// Starts a game on the largest board, and leaves it.
async fn largest_game(arena: Arena, tally: &Tally) -> Result<String> {
    let mut pair = Vec::new();
    for name in ["drawn-a", "drawn-b"] {
        let one = Attacker::enter(arena, attacker(2), &json!({"guest":name}), tally).await;
        pair.push(one.context("a guest is let in")?);
    }
    let seek = json!({"type":"seek","rules":"adamas","options":LARGEST,"seat":0});
    let sought = pair[0].ask_until_accepted(arena, "seeks", &seek).await?;
    let accept = json!({"type":"accept","seek":sought.context("a seek is opened")?["seek"]});
    let begun = pair[1].ask_until_accepted(arena, "accepts", &accept).await?;
    let game = begun.context("a game begins")?["game"].clone();
    Ok(game.as_str().context("it has an id")?.to_owned())
}

/// Requests the largest pictures and hangs up on every other.
pub(crate) async fn pictures(arena: Arena, tally: &Tally) -> Result<()> {
    let game = largest_game(arena, tally).await?;
    let path = |side: u32| format!("/game/{game}/board.png?size={side}");
    by_turns(arena, async |painter, side| {
        let path = path(side);
        let reading = get(arena, attacker(1), &path, "pictures", tally);
        if painter % 2 == 0 {
            drop(reading.await);
        } else if timeout(HANG_UP, reading).await.is_err() {
            tally.add("pictures: hung up");
        }
    })
    .await;
    Ok(())
}

/// Requests drawings that the server compresses.
pub(crate) async fn drawings(arena: Arena, tally: &Tally) -> Result<()> {
    let game = largest_game(arena, tally).await?;
    let path = |side: u32| format!("/game/{game}/board.svg?size={side}");
    by_turns(arena, async |_, side| {
        drop(get(arena, attacker(1), &path(side), "drawings", tally).await);
    })
    .await;
    Ok(())
}

/// Has all painters do something with one side after the other, until the attack ends.
async fn by_turns(arena: Arena, act: impl AsyncFn(u32, u32)) {
    let (largest, count) = SIDES;
    let painting = (0..PAINTERS).map(|painter| {
        let act = &act;
        async move {
            let mut turn = painter;
            while arena.is_running() {
                act(painter, largest - turn % count).await;
                turn += PAINTERS;
            }
        }
    });
    join_all(painting).await;
}

/// Requests the page's documents, each of which the server puts together again.
pub(crate) async fn documents(arena: Arena, tally: &Tally) -> Result<()> {
    let (addresses, each) = READING;
    let reading = (0..addresses).flat_map(|address| (0..each).map(move |_| address)).map(
        |address| async move {
            while arena.is_running() {
                drop(get(arena, attacker(10 + address), "/rules", "documents", tally).await);
            }
        },
    );
    join_all(reading).await;
    Ok(())
}

/// Asks for the dearest opinions, without a name.
pub(crate) async fn opinions(arena: Arena, tally: &Tally) -> Result<()> {
    let (addresses, each) = ASKING;
    let hello = json!({"type":"hello","id":"h","proto":[1]});
    let explore = json!({
        "type":"explore","rules":"adamas","options":LARGEST,"players":3,"opinion":"hard"
    });
    let (hello, explore) = (&hello, &explore);
    let asking = (0..addresses).flat_map(|address| (0..each).map(move |_| address)).map(
        |address| async move {
            let from = attacker(100 + address);
            let Some(mut one) = Attacker::enter_with(arena, from, hello, tally).await else {
                return;
            };
            while arena.is_running() {
                match one.ask(arena, "opinions", explore.clone()).await {
                    Ok(Ok(_)) => {}
                    Ok(Err(wait)) => pause(arena, wait).await,
                    Err(_) => return,
                }
            }
        },
    );
    join_all(asking).await;
    Ok(())
}

/// Finished games in the store.
const GAMES: usize = 6_000;
const GAMES_FULL: usize = 60_000;

/// Pairs that play at the same time.
const PAIRS: usize = 20;

/// Clients that request lists at once.
const LIST_READERS: usize = 40;

/// Starts a server whose store holds many finished games.
pub(crate) async fn with_finished_games(
    conditions: Conditions,
    launch: &Launch,
    full: bool,
) -> Result<Target> {
    let open = Conditions { service: Service::Load, ..conditions };
    let target = Target::start_under(open, Program::Adamant, launch)?;
    let games = if full { GAMES_FULL } else { GAMES };
    let playing = (0..PAIRS).map(|pair| {
        let target = &target;
        async move {
            let mut one = guest(target, 2 * pair).await?;
            let mut other = guest(target, 2 * pair + 1).await?;
            for _ in 0..games / PAIRS {
                let game = begin_game(&mut one, &mut other, ("diam", ""), None).await?;
                one.ask(&json!({"type":"move","id":format!("{game}-0"),"game":game,"turn":0,
                    "move":"A1"}))
                    .await?;
                one.ask(&json!({"type":"resign","id":format!("{game}-1"),"game":game})).await?;
            }
            anyhow::Ok(())
        }
    });
    try_join_all(playing).await?;
    target.settle().await?;
    Ok(target.crash_and_restart_under(conditions, launch)?.0)
}

pub(crate) async fn lists(arena: Arena, tally: &Tally) -> Result<()> {
    let paths = [
        "/v1/games?state=finished&players=3",
        "/v1/games?state=finished&rules=unknown",
        "/v1/users/g0/history?rules=unknown",
        "/v1/games?state=finished&rules=adamas",
    ];
    let reading = (0..LIST_READERS).map(|number| async move {
        let path = paths[number % paths.len()];
        while arena.is_running() {
            drop(get(arena, attacker(1), path, path, tally).await);
        }
    });
    join_all(reading).await;
    Ok(())
}

/// Addresses, and connections of each.
const SILENT: (u8, usize) = (16, 64);

/// Bytes of an endless header: more than a server should keep.
const HEAD_BYTES: usize = 300 * 1024;

/// How soon a closed connection is replaced.
const AGAIN: Duration = Duration::from_millis(20);

pub(crate) async fn handshakes(arena: Arena, tally: &Tally) -> Result<()> {
    let (addresses, each) = SILENT;
    let holding = (0..addresses).flat_map(|address| (0..each).map(move |at| (address, at))).map(
        |(address, at)| async move {
            while arena.is_running() {
                let holding = async {
                    let mut stream = connect(arena, attacker(10 + address)).await?;
                    // Half of them send nothing, and half send an endless head.
                    if at % 2 == 0 {
                        stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ").await?;
                        stream.write_all(&vec![b'x'; HEAD_BYTES]).await?;
                    }
                    stream.read_to_end(&mut Vec::new()).await?;
                    anyhow::Ok(())
                };
                let what = match timeout_at(arena.until, holding).await {
                    Ok(Ok(())) => "closed",
                    Ok(Err(_)) => "reset",
                    Err(_) => "held to the end",
                };
                tally.add(what);
                pause(arena, AGAIN).await;
            }
        },
    );
    join_all(holding).await;
    Ok(())
}
