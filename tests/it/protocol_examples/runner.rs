//! Plays the examples of a scene on a server of their own.
//!
//! Set-up steps, one per line:
//!
//! - `scene [section.key=value ..]`: a fresh server with this configuration;
//! - `as NAME`: the client that `>` and `<` without a name refer to;
//! - `NAME connects`, `NAME joins` (and says hello as a guest), `NAME goes`;
//! - `game ID NAME NAME .. [{terms}]`: a game between these clients, with an id for later lines;
//! - `moves ID MOVE MOVE ..`: the players to move make these moves;
//! - `server stops`, `server is killed`, `server starts`.
//!
//! Three things are sent in words: `(a binary frame)`, `(a frame of N bytes)` and `(silence)`.

use std::collections::{HashMap, HashSet};

use adamant_protocol::CloseCode;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use super::{
    markdown::{Block, LineKind},
    matcher::{Bindings, Pattern},
};
use crate::harness::{Peer, Server, game, schema};

/// The error codes for frames that are not requests.
const FORM_ERRORS: [&str; 4] = ["bad_json", "bad_message", "unknown_type", "too_large"];

/// A server and its clients at some point of the document.
pub(super) struct Runner {
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
    pub(super) async fn open(words: &[String]) -> Self {
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
    pub(super) async fn play(&mut self, block: &Block) {
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
                let terms = if rest.is_empty() { json!({}) } else { read(rest) };
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

    /// Replaces a client's connection and starts counting its frames anew.
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

fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}
