//! A scripted server, a home directory for the program, and records to serve.

use std::{
    io::Write as _,
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Command, Output, Stdio},
    thread::JoinHandle,
};

use adamant_protocol::SUBPROTOCOL;
use adamant_record::{Head, Replay, Signer};
use adamant_rules::{Act, BySeat, Event, Kind, Player, Seat, Setup, Table};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::{
    Message, WebSocket, accept_hdr,
    handshake::server::{ErrorResponse, Request, Response},
    http::{HeaderValue, header::SEC_WEBSOCKET_PROTOCOL},
};

/// The type of the request that the server expects, or `*` for any, and its replies. `$id` stands
/// for the request's id.
pub(crate) struct Exchange {
    pub(crate) expects: &'static str,
    pub(crate) says: Vec<String>,
}

pub(crate) fn on(expects: &'static str, says: impl IntoIterator<Item = String>) -> Exchange {
    Exchange { expects, says: says.into_iter().collect() }
}

pub(crate) fn welcome(user: &Value, token: Option<&str>) -> Exchange {
    let mut welcome = json!({
        "type": "welcome", "re": "$id", "proto": 1,
        "server": {"name": "adamant", "version": "0"}, "user": user,
        "session": "s_1", "ts": 1, "rules": {"adamas": 1},
        "limits": {"frame_bytes": 16384, "burst": 0, "per_s": 0},
        "heartbeat": {"ping_every_ms": 10000, "idle_close_ms": 30000},
        "durability": "fsync", "games": [], "challenges": []
    });
    if let Some(token) = token {
        welcome["token"] = token.into();
    }
    on("hello", [welcome.to_string()])
}

pub(crate) fn ann() -> Value {
    json!({"name": "ann", "bot": false, "guest": true})
}

pub(crate) fn error(code: &str, message: &str, why: Option<&str>) -> String {
    let error = json!({
        "type": "error", "re": "$id", "code": code, "message": message, "retry": "never",
        "why": why
    });
    error.to_string()
}

/// A scripted server; joining its thread returns the requests that it received.
pub(crate) struct ScriptedServer {
    pub(crate) port: u16,
    pub(crate) received: JoinHandle<Vec<Value>>,
}

impl ScriptedServer {
    /// Starts a server that follows one script per connection.
    pub(crate) fn start(scripts: Vec<Vec<Exchange>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let received = std::thread::spawn(move || {
            let serve = |script| follow(script, listener.accept().unwrap().0);
            scripts.into_iter().flat_map(serve).collect()
        });
        Self { port, received }
    }

    pub(crate) fn received(self) -> Vec<Value> {
        if !self.received.is_finished() {
            // Ends the server's wait for a program that never connects, so that the test fails.
            TcpStream::connect(("127.0.0.1", self.port)).ok();
        }
        self.received.join().unwrap()
    }
}

pub(crate) fn follow(script: Vec<Exchange>, stream: TcpStream) -> Vec<Value> {
    #[expect(clippy::result_large_err, reason = "the signature is the library's")]
    let choose = |_: &Request, mut response: Response| {
        let chosen = HeaderValue::from_static(SUBPROTOCOL);
        response.headers_mut().insert(SEC_WEBSOCKET_PROTOCOL, chosen);
        Ok::<_, ErrorResponse>(response)
    };
    let mut socket = accept_hdr(stream, choose).unwrap();
    let mut received = Vec::new();
    for step in script {
        let request = next(&mut socket);
        assert!(["*", request["type"].as_str().unwrap()].contains(&step.expects), "{request}");
        for says in step.says {
            let id = request["id"].as_str().unwrap();
            socket.send(Message::text(says.replace("$id", id))).unwrap();
        }
        received.push(request);
    }
    // The client closes the connection, or has dropped it already.
    while socket.read().is_ok() {}
    received
}

pub(crate) fn next(socket: &mut WebSocket<TcpStream>) -> Value {
    loop {
        if let Message::Text(text) = socket.read().unwrap() {
            return serde_json::from_str(&text).unwrap();
        }
    }
}

/// A home directory with the program's files.
pub(crate) struct Home(tempfile::TempDir);

impl Home {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn run(&self, port: u16, line: &str) -> Output {
        self.run_with(port, line, "")
    }

    /// Runs the program with a text on its standard input.
    pub(crate) fn run_with(&self, port: u16, line: &str, stdin: &str) -> Output {
        self.run_at(Some(port), line, stdin)
    }

    /// Runs the program where the environment names no server.
    pub(crate) fn run_anywhere(&self, line: &str) -> Output {
        self.run_at(None, line, "")
    }

    fn run_at(&self, port: Option<u16>, line: &str, stdin: &str) -> Output {
        let server = port.map(|port| format!("127.0.0.1:{port}")).unwrap_or_default();
        let mut child = Command::new(env!("CARGO_BIN_EXE_adamant"))
            .args(line.split(' '))
            .env("XDG_CONFIG_HOME", self.0.path())
            .env("HOME", self.0.path())
            .env("USER", "ann")
            .env("ADAMANT_SERVER", server)
            .env_remove("ADAMANT_TOKEN")
            .env_remove("CLICOLOR_FORCE")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The program may exit without reading its input.
        child.stdin.take().unwrap().write_all(stdin.as_bytes()).ok();
        child.wait_with_output().unwrap()
    }

    pub(crate) fn run_against(&self, script: Vec<Exchange>, line: &str) -> (Output, Vec<Value>) {
        let server = ScriptedServer::start(vec![script]);
        let output = self.run(server.port, line);
        (output, server.received())
    }

    pub(crate) fn path(&self, name: &str) -> std::path::PathBuf {
        Path::join(self.0.path(), name)
    }
}

pub(crate) fn out(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

pub(crate) fn err(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

/// Returns the records of a game between ann and bob with these moves and an optional resignation.
pub(crate) fn records(moves: &[&str], resigns: Option<Seat>) -> Vec<String> {
    let resigns =
        resigns.map(|seat| step(move |table| table.decide(&Act::Resign { seat }, 2).unwrap()));
    game(&["ann", "bob"], moves.iter().map(|notation| made(notation)).chain(resigns))
}

/// The records of a game of three whose second player resigns, and in which a computer plays on.
pub(crate) fn taken_over() -> Vec<String> {
    let [ann, bob, cy] = [0, 1, 2].map(|seat| Seat::new(seat).unwrap());
    let offer = step(move |table| {
        let leaves = table.decide(&Act::Resign { seat: bob }, 2).unwrap();
        let mut computer = Player::new("house");
        computer.bot = true;
        table.offer_seat(&leaves[0], computer, 4).unwrap()
    });
    let agree = |seat| {
        step(move |table| {
            let offer = table.offers()[0].offer;
            table.decide(&Act::Answer { seat, offer, accept: true }, 3).unwrap()
        })
    };
    // A seat is offered once all have moved.
    let moves = ["d1-d2", "g4-f4", "a4-b4"].map(made);
    game(&["ann", "bob", "cy"], moves.into_iter().chain([offer, agree(ann), agree(cy)]))
}

type Step<'a> = Box<dyn FnOnce(&Table) -> Vec<Event> + 'a>;

fn step<'a, E: IntoIterator<Item = Event>>(decide: impl FnOnce(&Table) -> E + 'a) -> Step<'a> {
    Box::new(|table| decide(table).into_iter().collect())
}

/// The move of the player whose turn it is.
fn made(notation: &str) -> Step<'_> {
    step(move |table| {
        let (seat, turn) = (table.to_move().unwrap(), table.turn());
        table.decide(&Act::Move { seat, turn, notation, lag_ms: 0 }, 2).unwrap()
    })
}

/// The records of a game of Adamas with its steps.
fn game<'a>(users: &[&str], steps: impl IntoIterator<Item = Step<'a>>) -> Vec<String> {
    let players = users.iter().map(|&user| Player::new(user));
    let setup = Setup::new(Kind::Adamas, BySeat::try_from_iter(players).unwrap());
    let begin = Table::begin(setup, 1).unwrap();
    let mut table = Table::new(&begin[0]).unwrap();
    let mut head = Head::new("g".parse().unwrap());
    let mut records = vec![head.append(&begin[0], table.position(), None)];
    let mut apply = |table: &mut Table, events: &[Event]| {
        for event in events {
            records.push(head.append(event, table.position(), None));
            table.apply(event).unwrap();
        }
    };
    apply(&mut table, &begin[1..]);
    for decide in steps {
        let events = decide(&table);
        apply(&mut table, &events);
    }
    records.into_iter().map(|record| String::from_utf8(record).unwrap()).collect()
}

/// Returns a server's signature of these records.
pub(crate) fn signed(records: &[String]) -> String {
    let mut replay = Replay::new();
    for record in records {
        replay.push(record.as_bytes()).unwrap();
    }
    let (_, head) = replay.into_parts().unwrap();
    adamant_protocol::encode(&Signer::new(&[7; 32]).sign(head).into())
}

/// Answers a `watch` from the start with a game's records.
pub(crate) fn replayed(moves: &[&str]) -> Exchange {
    watched(records(moves, None))
}

/// Answers a `watch` from the start with these records.
pub(crate) fn watched(mut records: Vec<String>) -> Exchange {
    records.insert(0, json!({"type": "ok", "re": "$id", "seq": records.len()}).to_string());
    on("watch", records)
}

pub(crate) fn snapshot(turn: u32) -> Exchange {
    let snapshot = json!({
        "type": "snapshot", "re": "$id", "game": "g", "seq": 9, "chain": "00".repeat(32),
        "at": 1, "rules": "adamas@1", "options": {}, "seats": [], "ply": 3, "turn": turn,
        "to_move": 0, "moves": [], "position": {}, "hash": "00", "clock": {"mode": "none"},
        "rated": false, "presence": [], "spectators": 0, "result": null,
        "offers": [{"offer": "o_2", "what": "draw", "by": 1, "needs": [0]}]
    });
    on("watch", [snapshot.to_string()])
}
