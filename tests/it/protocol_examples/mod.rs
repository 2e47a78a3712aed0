//! The examples of `docs/PROTOCOL.md`, played on a real server.

mod matcher; // frames with `..` for what an example leaves out

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    fs,
    panic::{AssertUnwindSafe, resume_unwind},
};

use adamant_protocol::{CloseCode, EventBody, FromClient, ToClient};
use futures::{FutureExt as _, TryStreamExt as _, stream};
use matcher::{Bindings, Pattern};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::harness::{Peer, Server, game, repository, schema};

// Plays the examples of a scene on a server of their own.
//
// Set-up steps, one per line:
//
// - `scene [section.key=value ..]`: a fresh server with this configuration;
// - `as NAME`: the client that `>` and `<` without a name refer to;
// - `NAME connects`, `NAME joins` (and says hello as a guest), `NAME goes`;
// - `game ID NAME NAME .. [{terms}]`: a game between these clients, with an id for later lines;
// - `moves ID MOVE MOVE ..`: the players to move make these moves;
// - `server stops`, `server is killed`, `server starts`.
//
// Three things are sent in words: `(a binary frame)`, `(a frame of N bytes)` and `(silence)`.

/// The error codes for frames that are not requests.
const FORM_ERRORS: [&str; 4] = ["bad_json", "bad_message", "unknown_type", "too_large"];

/// A server and its clients at some point of the document.
struct Runner {
    server: Server,
    clients: HashMap<String, Peer>,
    speaker: String,
    names: Bindings,
    /// How many frames of each client this block has used: later lines show later frames.
    used: HashMap<String, usize>,
    /// The frames already shown, by client and index.
    shown: HashSet<(String, usize)>,
    /// Clients that have sent a frame that is not in the schema and have no reply yet.
    wrong: Vec<String>,
    /// The lines played so far, and frames that were not what they show: printed if the test fails.
    said: Vec<String>,
}

impl Drop for Runner {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}", self.said.join("\n"));
        }
    }
}

impl Runner {
    /// Opens a scene; `words` follow `scene`.
    async fn open(words: &[String]) -> Self {
        let server = Server::with(|setup| {
            for word in words {
                let (place, value) = word.split_once('=').expect("a value is set with =");
                let (section, key) = place.rsplit_once('.').expect("a value is in a section");
                let value: toml::Table = format!("v = {value}").parse().expect("a value of TOML");
                setup.set(section, key, value["v"].clone());
            }
        })
        .await;
        Self {
            server,
            clients: HashMap::new(),
            speaker: String::new(),
            names: Bindings::default(),
            used: HashMap::new(),
            shown: HashSet::new(),
            wrong: Vec::new(),
            said: Vec::new(),
        }
    }

    /// Plays a block.
    async fn play(&mut self, block: &Block) {
        self.used.clear();
        for line in &block.lines {
            self.said.push(format!("line {}: {}", line.number, line.text));
            match &line.kind {
                LineKind::Setup { words, rest } => self.arrange(words, rest).await,
                LineKind::Send { client, text } => {
                    let client = self.name(client.as_deref());
                    self.send(&client, text).await;
                }
                LineKind::Receive { client, frame } => {
                    let client = self.name(client.as_deref());
                    let place = self.receive(&client, frame).await;
                    // The document can still show a frame that a hidden step waited for.
                    if block.visible {
                        self.shown.insert((client, place));
                    }
                }
                LineKind::Closed { client, code, reason } => {
                    let client = self.name(client.as_deref());
                    self.wrong.retain(|wrong| *wrong != client);
                    let closed = self.client(&client).expect_close().await;
                    assert_eq!(closed, *code, "{}", self.client(&client).recent_frames());
                    let known = CloseCode::from_number(*code).expect("a code of the protocol");
                    assert_eq!(known.reason(), reason);
                    self.clients.remove(&client);
                }
            }
        }
        assert!(self.wrong.is_empty(), "{:?} said what the schema does not have", self.wrong);
    }

    fn name(&self, named: Option<&str>) -> String {
        named.unwrap_or(&self.speaker).to_owned()
    }

    fn client(&mut self, name: &str) -> &mut Peer {
        match self.clients.get_mut(name) {
            Some(peer) => peer,
            None => panic!("{name:?} is not connected"),
        }
    }

    async fn arrange(&mut self, words: &[String], rest: &str) {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["as", name] => (*name).clone_into(&mut self.speaker),
            ["server", "stops"] => self.server.terminate().await,
            ["server", "is", "killed"] => self.server.kill().await,
            ["server", "starts"] => self.server.restart().await,
            ["game", id, players @ ..] => {
                let players = players.iter().take_while(|word| !word.starts_with('{'));
                let names: Vec<&str> = players.copied().collect();
                let mut seated: Vec<Peer> = names
                    .iter()
                    .map(|&name| self.clients.remove(name).expect("connected"))
                    .collect();
                let terms = if rest.is_empty() { json!({}) } else { parsed(rest) };
                let actual = game::start(&mut seated.iter_mut().collect::<Vec<_>>(), terms).await;
                self.names.bind(id, &actual).expect("a new name");
                for (name, peer) in names.into_iter().zip(seated) {
                    self.clients.insert(name.to_owned(), peer);
                }
            }
            ["moves", id, moves @ ..] => self.make_moves(id, moves).await,
            [name, "connects"] => {
                let peer = Peer::connect(self.server.address()).await;
                self.connect(name, peer);
            }
            [name, "joins"] => {
                let peer = Peer::guest(&self.server, name).await;
                self.connect(name, peer);
            }
            [name, "goes"] => {
                self.clients.remove(*name).expect("connected").close().await;
            }
            other => panic!("{other:?} cannot be arranged"),
        }
    }

    async fn make_moves(&mut self, id: &str, moves: &[&str]) {
        let game = self.names.known(id).expect("the game has begun").to_owned();
        let mut players = Vec::new();
        for peer in self.clients.values() {
            if !peer.records(&game).is_empty() {
                players.push(peer.name().to_owned());
            }
        }
        for notation in moves {
            let known = players.iter().map(|name| self.clients[name].replay(&game).seq()).max();
            for name in &players {
                let peer = self.clients.get_mut(name).expect("a player");
                peer.read_up_to(&game, known.unwrap_or_default()).await;
            }
            let table = self.clients[&players[0]].table(&game);
            let seat = table.to_move().expect("the game goes on");
            let user = table.players()[seat].user.to_string();
            game::make_move(self.client(&user), &game, notation).await;
        }
    }

    async fn send(&mut self, client: &str, text: &str) {
        if text == "(silence)" {
            return;
        }
        if text == "(a binary frame)" {
            return self.client(client).send_raw(Message::binary(vec![1, 2, 3])).await;
        }
        if let Some(bytes) =
            text.strip_prefix("(a frame of ").and_then(|rest| rest.strip_suffix(" bytes)"))
        {
            let bytes = bytes.parse().expect("a number");
            return self.client(client).send_raw(Message::text(" ".repeat(bytes))).await;
        }
        let Ok(shown) = Pattern::read(text) else {
            self.wrong.push(client.to_owned());
            return self.client(client).send_raw(Message::text(text.to_owned())).await;
        };
        let frame = shown.whole(&self.names).unwrap_or_else(|why| panic!("{why}"));
        if schema::fault_in_request(&frame).is_some() {
            self.wrong.push(client.to_owned());
        }
        self.client(client).send_unchecked(&frame).await;
    }

    /// Waits for the frame shown: the first match after those used in this block. Returns its
    /// index.
    async fn receive(&mut self, client: &str, shown: &Pattern) -> usize {
        if let Some(code) = shown.text_of("code")
            && FORM_ERRORS.contains(&code)
        {
            self.wrong.retain(|wrong| wrong != client);
        }
        let used = self.used.get(client).copied().unwrap_or_default();
        let mut place = used;
        loop {
            let frame = self.client(client).frame_at(place).await.clone();
            let is_shown = self.shown.contains(&(client.to_owned(), place));
            let mut names = self.names.clone();
            match shown.compare(&frame, &mut names) {
                Ok(()) if is_shown => {}
                Ok(()) => {
                    self.names = names;
                    self.used.insert(client.to_owned(), place + 1);
                    return place;
                }
                Err(why) => {
                    let re = shown.text_of("re");
                    // There is only one reply.
                    assert!(re.is_none() || re != frame["re"].as_str(), "{why} in {frame}");
                    if is_candidate(shown, &frame) {
                        self.said.push(format!("  not {frame}\n  because {why}"));
                    }
                }
            }
            place += 1;
        }
    }

    /// Replaces a client's connection and starts counting its frames again.
    fn connect(&mut self, name: &str, peer: Peer) {
        self.clients.insert(name.to_owned(), peer);
        self.shown.retain(|(client, _)| client != name);
        self.used.remove(name);
    }
}

/// Whether the frame may be the one that the document shows.
fn is_candidate(shown: &Pattern, frame: &Value) -> bool {
    ["type", "kind"].iter().all(|key| shown.text_of(key) == frame[key].as_str())
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn document() -> String {
    fs::read_to_string(repository().join("docs/PROTOCOL.md")).expect("it is there")
}

fn blocks(document: &str) -> Vec<Block> {
    read(document).unwrap_or_else(|why| panic!("docs/PROTOCOL.md, {why}"))
}

/// Returns the words after `scene` if the block opens one.
fn scene(block: &mut Block) -> Option<Vec<String>> {
    let LineKind::Setup { words, .. } = &block.lines.first()?.kind else { return None };
    let (first, rest) = words.split_first()?;
    if first != "scene" {
        return None;
    }
    let rest = rest.to_vec();
    block.lines.remove(0);
    Some(rest)
}

/// Scenes that are played at the same time: they mostly wait.
const SCENES_AT_ONCE: usize = 3;

async fn play(document: &str) {
    let mut scenes = Vec::new();
    for mut block in blocks(document).into_iter().filter(|block| block.played) {
        if let Some(words) = scene(&mut block) {
            scenes.push((words, Vec::new()));
        }
        match scenes.last_mut() {
            Some((_, blocks)) => blocks.push(block),
            None => panic!("line {}: no scene yet", block.number),
        }
    }
    let played = stream::iter(scenes.into_iter().map(Ok)).try_for_each_concurrent(
        SCENES_AT_ONCE,
        |(words, blocks)| {
            let playing = async move {
                let mut runner = Runner::open(&words).await;
                for block in blocks {
                    runner.play(&block).await;
                }
            };
            AssertUnwindSafe(playing).catch_unwind()
        },
    );
    if let Err(failure) = played.await {
        // The other scenes have gone without a word: only the one that failed prints what it did.
        resume_unwind(failure);
    }
}

#[tokio::test]
async fn every_example_happens_as_shown() {
    play(&document()).await;
}

/// The control of the test above.
#[tokio::test]
#[should_panic(expected = "t0: 123 is not as shown")]
async fn a_wrong_example_is_found() {
    let wrong = "<!-- frames\nscene\nann joins\n-->\n```frames\n\
                 ann> {\"type\":\"ping\",\"id\":\"p\",\"t0\":123}\n\
                 ann< {\"type\":\"pong\",\"re\":\"p\",\"t0\":124, ..}\n```\n";
    play(wrong).await;
}

#[test]
fn every_frame_in_the_document_is_in_a_frames_block() {
    let document = document();
    let mut fence = None;
    for (index, line) in document.lines().enumerate() {
        if let Some(kind) = line.strip_prefix("```") {
            fence = if fence.is_some() { None } else { Some(kind) };
        }
        let is_frame = line.contains(r#"> {"type":"#) || line.contains(r#"< {"type":"#);
        assert!(
            fence != Some("") || !is_frame,
            "docs/PROTOCOL.md, line {}: frames stand in blocks that begin with ```frames (how: \
             CONTRIBUTING.md, \"an example\")",
            index + 1
        );
    }
}

#[test]
fn unplayed_examples_are_complete_and_in_the_schema() {
    for line in
        blocks(&document()).iter().filter(|block| !block.played).flat_map(|block| &block.lines)
    {
        let number = line.number;
        let whole = |pattern: &Pattern| match pattern.whole(&Bindings::default()) {
            Ok(frame) => frame,
            Err(why) => panic!("line {number}: {why}, though nothing is played here"),
        };
        let fault = match &line.kind {
            LineKind::Send { text, .. } => {
                let pattern =
                    Pattern::read(text).unwrap_or_else(|why| panic!("line {number}: {why}"));
                schema::fault_in_request(&whole(&pattern))
            }
            LineKind::Receive { frame, .. } => schema::fault_in_message(&whole(frame)),
            LineKind::Closed { code, reason, .. } => {
                let known = CloseCode::from_number(*code);
                (known.map(CloseCode::reason) != Some(reason)).then(|| format!("close {code}"))
            }
            LineKind::Setup { .. } => None,
        };
        assert_eq!(fault, None, "line {number}");
    }
}

/// What the visible examples contain.
#[derive(Default)]
struct Coverage {
    requests: BTreeSet<String>,
    messages: BTreeSet<String>,
    kinds: BTreeSet<String>,
    codes: BTreeSet<String>,
    closes: BTreeSet<String>,
}

impl Coverage {
    fn add(&mut self, kind: &LineKind) {
        match kind {
            LineKind::Send { text, .. } => {
                let pattern = Pattern::read(text).ok();
                self.requests.extend(
                    pattern.as_ref().and_then(|pattern| pattern.text_of("type")).map(str::to_owned),
                );
            }
            LineKind::Receive { frame, .. } => {
                self.messages.extend(frame.text_of("type").map(str::to_owned));
                self.kinds.extend(frame.text_of("kind").map(str::to_owned));
                self.codes.extend(frame.text_of("code").map(str::to_owned));
            }
            LineKind::Closed { code, .. } => {
                self.closes.insert(code.to_string());
            }
            LineKind::Setup { .. } => {}
        }
    }
}

/// Every error code, except those reserved for future versions.
fn error_codes() -> Vec<String> {
    let schema = adamant_protocol::schema::document();
    let code = &schema["$defs"]["ErrorCode"];
    let consts = code["oneOf"].as_array().into_iter().flatten().map(|one| &one["const"]);
    let listed = code["enum"].as_array().into_iter().flatten();
    consts.chain(listed).filter_map(Value::as_str).map(str::to_owned).collect()
}

#[test]
fn everything_on_the_wire_has_an_example() {
    let mut seen = Coverage::default();
    for block in blocks(&document()).iter().filter(|block| block.visible) {
        block.lines.iter().for_each(|line| seen.add(&line.kind));
    }
    let owned = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
    let closes = CloseCode::ALL.map(|code| code.number().to_string()).to_vec();
    let mut missing = Vec::new();
    for (what, all, seen) in [
        ("request", owned(FromClient::TYPES), &seen.requests),
        ("message", owned(ToClient::TYPES), &seen.messages),
        ("event of kind", owned(EventBody::KINDS), &seen.kinds),
        ("error with code", error_codes(), &seen.codes),
        ("close with code", closes, &seen.closes),
    ] {
        assert!(!all.is_empty(), "there is no {what}");
        let lacking = all.into_iter().filter(|word| !seen.contains(word));
        missing.extend(lacking.map(|word| format!("{what} {word}")));
    }
    assert!(
        missing.is_empty(),
        "docs/PROTOCOL.md shows no example of:\n  {}\nPut each into a block fenced as `frames` \
         (how: CONTRIBUTING.md, \"an example\").",
        missing.join("\n  ")
    );
}

/// A line of an example, with its number in the document.
#[derive(Debug, Clone)]
struct Line {
    number: usize,
    text: String,
    kind: LineKind,
}

/// The meaning of a line.
#[derive(Debug, Clone)]
enum LineKind {
    /// A client sends a frame, or something that is not JSON.
    Send { client: Option<String>, text: String },
    /// A client receives a frame.
    Receive { client: Option<String>, frame: Pattern },
    /// The server closes a client's connection.
    Closed { client: Option<String>, code: u16, reason: String },
    /// A hidden step of the set-up.
    Setup { words: Vec<String>, rest: String },
}

/// A block of lines.
#[derive(Debug)]
struct Block {
    /// The line number of its first line.
    number: usize,
    visible: bool,
    /// Whether it is played on a server. A block that is only shown is one that no client can
    /// provoke.
    played: bool,
    lines: Vec<Line>,
}

/// Returns every example of a document, in order.
fn read(document: &str) -> Result<Vec<Block>, String> {
    let mut blocks = Vec::new();
    let mut lines = document.lines().enumerate();
    while let Some((index, line)) = lines.next() {
        let (visible, played, end) = match line.trim_end() {
            "```frames" => (true, true, "```"),
            "```frames shown" => (true, false, "```"),
            "<!-- frames" => (false, true, "-->"),
            _ => continue,
        };
        let mut texts: Vec<(usize, String)> = Vec::new();
        for (index, line) in lines.by_ref().take_while(|(_, line)| line.trim_end() != end) {
            match texts.last_mut() {
                // A long frame continues on the next line.
                Some((_, last)) if line.starts_with(' ') => last.push_str(line.trim_start()),
                _ if line.trim().is_empty() => {}
                _ => texts.push((index + 1, line.trim_end().to_owned())),
            }
        }
        let lines = texts
            .into_iter()
            .map(|(number, text)| {
                let kind = kind(&text, visible).map_err(|why| format!("line {number}: {why}"))?;
                Ok(Line { number, text, kind })
            })
            .collect::<Result<_, String>>()?;
        blocks.push(Block { number: index + 1, visible, played, lines });
    }
    Ok(blocks)
}

fn kind(text: &str, visible: bool) -> Result<LineKind, String> {
    let (head, rest) = text.split_once(' ').unwrap_or((text, ""));
    let client = |mark: char| {
        let name = head.strip_suffix(mark)?;
        let is_name = name.chars().all(|letter| letter.is_ascii_alphanumeric());
        is_name.then(|| (!name.is_empty()).then(|| name.to_owned()))
    };
    if let Some(client) = client('>') {
        Ok(LineKind::Send { client, text: rest.to_owned() })
    } else if let Some(client) = client('<') {
        if let Some(close) = rest.strip_prefix("close ") {
            let (code, reason) = close.split_once(' ').unwrap_or((close, ""));
            let code = code.parse().map_err(|_| format!("{code} is no close code"))?;
            return Ok(LineKind::Closed {
                client,
                code,
                reason: reason.trim_matches('"').to_owned(),
            });
        }
        Ok(LineKind::Receive { client, frame: Pattern::read(rest)? })
    } else if visible {
        Err(format!("{text:?} is neither sent (>) nor heard (<)"))
    } else {
        let words = text.split(' ').map(str::to_owned).collect();
        let rest = text.find('{').map_or("", |start| &text[start..]).to_owned();
        Ok(LineKind::Setup { words, rest })
    }
}
