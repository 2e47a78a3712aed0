//! Plays examples on a server of their own.
//!
//! What can be arranged, a line each:
//!
//! - `scene [section.key=value ..]`: a fresh server, with these values in its configuration;
//! - `as NAME`: `>` and `<` without a name are this client's from here on;
//! - `NAME connects`, `NAME joins` (and says hello as a guest), `NAME goes`;
//! - `game ID NAME NAME .. [{terms}]`: a game between them, called so in what follows;
//! - `moves ID MOVE MOVE ..`: these are made, by whoever is to move;
//! - `server stops`, `server is killed`, `server starts`.
//!
//! Three things are sent in words: `(a binary frame)`, `(a frame of N bytes)` and `(silence)`.

use std::collections::{HashMap, HashSet};

use adamant_protocol::CloseCode;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use super::{
    markdown::{Block, Says},
    matcher::{Names, Shown},
};
use crate::harness::{Peer, Server, game, schema};

/// Frames that are no requests are answered with one of these.
const REFUSED_FOR_ITS_FORM: [&str; 4] = ["bad_json", "bad_message", "unknown_type", "too_large"];

/// A server and its clients, as far as the document has come.
pub(super) struct Stage {
    server: Server,
    clients: HashMap<String, Peer>,
    speaker: String,
    names: Names,
    /// What each client has heard in this block: later lines show later frames.
    heard: HashMap<String, usize>,
    /// The frames that were shown already, by client and place.
    shown: HashSet<(String, usize)>,
    /// Clients that have sent what the schema does not have, and were not answered yet.
    wrong: Vec<String>,
}

impl Stage {
    /// Opens a scene: `words` are what stands behind `scene`.
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
            names: Names::default(),
            heard: HashMap::new(),
            shown: HashSet::new(),
            wrong: Vec::new(),
        }
    }

    /// Plays a block.
    pub(super) async fn play(&mut self, block: &Block) {
        self.heard.clear();
        for line in &block.lines {
            // Shown if the test fails.
            eprintln!("line {}: {}", line.number, line.text);
            match &line.says {
                Says::Arranged { words, rest } => self.arrange(words, rest).await,
                Says::Sends { client, text } => {
                    let client = self.name(client.as_deref());
                    self.send(&client, text).await;
                }
                Says::Hears { client, frame } => {
                    let client = self.name(client.as_deref());
                    let place = self.hear(&client, frame).await;
                    // What was waited for behind the scenes can still be shown.
                    if block.visible {
                        self.shown.insert((client, place));
                    }
                }
                Says::Closed { client, code, reason } => {
                    let client = self.name(client.as_deref());
                    self.wrong.retain(|wrong| *wrong != client);
                    let closed = self.client(&client).expect_close().await;
                    assert_eq!(closed, *code, "{}", self.client(&client).story());
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
            ["server", "stops"] => self.server.ask_to_stop().await,
            ["server", "is", "killed"] => self.server.kill9().await,
            ["server", "starts"] => self.server.restart().await,
            ["game", id, players @ ..] => {
                let players = players.iter().take_while(|word| !word.starts_with('{'));
                let names: Vec<&str> = players.copied().collect();
                let mut seated: Vec<Peer> = names
                    .iter()
                    .map(|&name| self.clients.remove(name).expect("connected"))
                    .collect();
                let terms = if rest.is_empty() { json!({}) } else { read(rest) };
                let actual = game::begin(&mut seated.iter_mut().collect::<Vec<_>>(), terms).await;
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
                self.clients.remove(*name).expect("connected").leave().await;
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
                peer.hear_up_to(&game, known.unwrap_or_default()).await;
            }
            let table = self.clients[&players[0]].table(&game);
            let seat = table.to_move().expect("the game goes on");
            let user = table.players()[seat].user.to_string();
            game::make(self.client(&user), &game, notation).await;
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
        let Ok(shown) = Shown::read(text) else {
            self.wrong.push(client.to_owned());
            return self.client(client).send_raw(Message::text(text.to_owned())).await;
        };
        let frame = shown.whole(&self.names).unwrap_or_else(|why| panic!("{why}"));
        if schema::fault_in_request(&frame).is_some() {
            self.wrong.push(client.to_owned());
        }
        self.client(client).send_wrong(&frame).await;
    }

    /// Waits for the frame that is shown: the first that it fits after those heard in this block.
    /// Gives back its place.
    async fn hear(&mut self, client: &str, shown: &Shown) -> usize {
        if let Some(code) = shown.text_of("code")
            && REFUSED_FOR_ITS_FORM.contains(&code)
        {
            self.wrong.retain(|wrong| wrong != client);
        }
        let heard = self.heard.get(client).copied().unwrap_or_default();
        let mut place = heard;
        loop {
            let frame = self.client(client).frame_at(place).await.clone();
            let is_shown = self.shown.contains(&(client.to_owned(), place));
            let mut names = self.names.clone();
            match shown.compare(&frame, &mut names) {
                Ok(()) if is_shown => {}
                Ok(()) => {
                    self.names = names;
                    self.heard.insert(client.to_owned(), place + 1);
                    return place;
                }
                Err(why) => {
                    let re = shown.text_of("re");
                    // There is only one reply.
                    assert!(re.is_none() || re != frame["re"].as_str(), "{why} in {frame}");
                    if is_alike(shown, &frame) {
                        eprintln!("  not {frame}\n  because {why}");
                    }
                }
            }
            place += 1;
        }
    }

    /// Takes a connection's place for a client, whose frames are counted anew.
    fn connect(&mut self, name: &str, peer: Peer) {
        self.clients.insert(name.to_owned(), peer);
        self.shown.retain(|(client, _)| client != name);
        self.heard.remove(name);
    }
}

/// Whether the frame may be what was meant.
fn is_alike(shown: &Shown, frame: &Value) -> bool {
    ["type", "kind"].iter().all(|key| shown.text_of(key) == frame[key].as_str())
}

fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}
