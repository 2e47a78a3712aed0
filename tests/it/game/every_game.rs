//! A whole game of every variant, or in the short form of some.
//! Every client ends with the same record, however it joined.

use std::collections::BTreeSet;

use adamant_record::{Replay, wire};
use adamant_rules::{Kind, Position};
use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng, seq::IteratorRandom as _};
use serde_json::{Value, json};

use crate::harness::{self, Frame, Peer, Server, Variant, game, with};

/// The short form has every third variant.
const SOME: u64 = 3;

/// Random games of Hexma do not end: after this number of moves the players resign.
const MOVES_MAX: usize = 120;

/// After this number of moves the next player is away during one move.
const AWAY_EVERY: usize = 10;

/// After this number of moves the hints are tried, for at most `HINTS_TRIED` cells and targets
/// each.
const HINTS_EVERY: usize = 15;
const HINTS_TRIED: usize = 2;

/// A game with its players and spectators.
struct Playthrough<'a> {
    server: &'a Server,
    game: String,
    players: Vec<Peer>,
    /// Watches from the first event on.
    from_start: Peer,
    /// Watches from a snapshot on.
    by_snapshot: Peer,
    snapshot: Frame,
    /// The cells of the board, as the layout names them.
    cells: BTreeSet<String>,
    rng: SmallRng,
}

#[tokio::test]
async fn all_clients_of_a_game_end_with_the_same_record() {
    let seed: u64 = rand::rng().random();
    println!("seed {seed}");
    let mut rng = SmallRng::seed_from_u64(seed);
    for variant in harness::some_of(Variant::all(), SOME) {
        println!("{variant}");
        let server = Server::start().await;
        let mut course = Playthrough::begin(&server, &variant, rng.fork()).await;
        course.play_out().await;
        course.assert_all_know_the_same().await;
    }
}

impl<'a> Playthrough<'a> {
    async fn begin(server: &'a Server, variant: &Variant, rng: SmallRng) -> Self {
        let mut players = Vec::new();
        for name in ["ann", "bob", "cy"].iter().take(variant.players) {
            players.push(Peer::guest(server, name).await);
        }
        let clock = json!({"clock": {"mode": "fischer", "base_ms": 600_000, "inc_ms": 1_000}});
        let mut seated: Vec<&mut Peer> = players.iter_mut().collect();
        let game = game::start(&mut seated, with(variant.terms(), clock)).await;

        let mut from_start = Peer::anonymous(server).await;
        let ok = from_start.ask(json!({"type": "watch", "game": game, "from": 1})).await;
        from_start.read_up_to(&game, ok["seq"].as_u64().unwrap()).await;
        let mut by_snapshot = Peer::anonymous(server).await;
        let snapshot = by_snapshot.ask(json!({"type": "watch", "game": game})).await;
        let layout = by_snapshot.ask(json!({"type": "layout", "game": game})).await;
        let cells = cells_of(&layout);
        Self { server, game, players, from_start, by_snapshot, snapshot, cells, rng }
    }

    async fn play_out(&mut self) {
        for number in 0..MOVES_MAX {
            self.gather().await;
            let table = self.players[0].table(&self.game);
            let Some(seat) = game::to_move(table) else { return };
            for (cell, pieces) in table.position().stacks() {
                let name = table.position().cell_name(cell);
                assert!(
                    self.cells.contains(name.as_str()),
                    "{pieces} on {name}, which is not on the board"
                );
            }
            let mover = self.player_at(seat);
            self.read_the_turn(mover, seat).await;
            if number % HINTS_EVERY == 0 {
                self.try_hints(mover, seat).await;
            }
            let notation = self.random_move(mover);
            game::make_move(&mut self.players[mover], &self.game, &notation).await;
            if number % AWAY_EVERY == 0 {
                self.reconnect((mover + 1) % self.players.len()).await;
            }
        }
        self.gather().await;
        while let Some(seat) = game::to_move(self.players[0].table(&self.game)) {
            let mover = self.player_at(seat);
            let player = &mut self.players[mover];
            let ok = player.ask(json!({"type": "resign", "game": self.game})).await;
            player.read_up_to(&self.game, ok["seq"].as_u64().unwrap()).await;
            game::settle(player, &self.game).await;
            if player.table(&self.game).seat_offer().is_some() {
                let other = (mover + 1) % self.players.len();
                game::answer_seat_offer(&mut self.players[other], &self.game, false).await;
                game::settle(&mut self.players[other], &self.game).await;
            }
            self.gather().await;
        }
    }

    /// The player at a seat: players may have swapped seats.
    fn player_at(&self, seat: usize) -> usize {
        let seats = self.players[0].table(&self.game).players();
        let user = &seats.iter().nth(seat).expect("a seat of the table").user;
        let found = self.players.iter().position(|player| player.name() == &**user);
        found.expect("every player is connected")
    }

    /// Lets all but the spectator by snapshot catch up with the client that has read most.
    async fn gather(&mut self) {
        let players = self.players.iter_mut();
        let mut peers: Vec<&mut Peer> = players.chain([&mut self.from_start]).collect();
        game::catch_up(&mut peers, &self.game).await;
    }

    async fn read_the_turn(&mut self, mover: usize, seat: usize) {
        let player = &mut self.players[mover];
        let turn = player.table(&self.game).turn();
        let told = |frame: &Frame| frame["type"] == "your_turn" && frame["turn"] == turn;
        let told = player.next_matching("its turn", told).await;
        let table = player.table(&self.game);
        assert_eq!(told["seat"], seat, "{told}");
        assert_eq!(told["ply"], table.ply(), "{told}");
        assert_eq!(told["hash"], format!("{:016x}", table.hash()), "{told}");
    }

    fn random_move(&mut self, mover: usize) -> String {
        let position = self.players[mover].table(&self.game).position();
        let mut pick = |below: usize| self.rng.random_range(0..below);
        let found = position.sample_moves(1, &mut pick);
        found.first().expect("the side to move has a legal move").to_string()
    }

    /// A player who has not read the last frames reconnects and receives them again.
    async fn reconnect(&mut self, player: usize) {
        let away = self.players.remove(player);
        let known = away.replay(&self.game).seq();
        let back = away.reconnect(self.server).await;
        let games = back.welcome["games"].as_array().unwrap();
        let entry = games.iter().find(|entry| entry["game"] == self.game.as_str()).unwrap();
        assert_eq!((&entry["resume"], &entry["from"]), (&json!("tail"), &json!(known + 1)));
        self.players.insert(player, back);
    }

    /// Every hint leads to a legal move, and to a capture where the hint says so.
    async fn try_hints(&mut self, mover: usize, seat: usize) {
        let player = &mut self.players[mover];
        let position = player.table(&self.game).position().clone();
        let turn = player.table(&self.game).turn();
        let hints = player.ask(json!({"type": "hints", "game": self.game})).await;
        assert_eq!((&hints["to_move"], &hints["turn"]), (&json!(seat), &json!(turn)));
        let sources = hints["cells"].as_array().unwrap();
        assert!(!sources.is_empty(), "the side to move has a hint");
        for from in sources.iter().sample(&mut self.rng, HINTS_TRIED) {
            let from = from.as_str().unwrap();
            assert!(self.cells.contains(from), "{from} is not on the board");
            let hints = player.ask(json!({"type": "hints", "game": self.game, "from": from})).await;
            let targets = hints["to"].as_array().unwrap();
            for target in targets.iter().sample(&mut self.rng, HINTS_TRIED) {
                let to = target["cell"].as_str().unwrap();
                assert!(self.cells.contains(to), "{to} is not on the board");
                let mut tried = Value::Null;
                for play in ways(&position, from, to) {
                    let dry_run =
                        json!({"type": "try", "game": self.game, "turn": turn, "move": play});
                    tried = player.request(dry_run).await;
                    if tried["legal"] == true {
                        break;
                    }
                }
                assert_eq!(tried["legal"], true, "{from} to {to}: {}", player.recent_frames());
                let captured = tried["captures"].as_array().unwrap();
                let captured = captured.iter().any(|capture| capture["cell"] == to);
                assert_eq!(captured, target["capture"] == true, "{tried}");
            }
        }
    }

    async fn assert_all_know_the_same(&mut self) {
        let game = &self.game;
        let records = self.from_start.records(game);
        let mut replay = Replay::new();
        for record in records {
            replay.push(record.as_bytes()).unwrap();
        }
        let table = replay.table().unwrap();
        for player in &self.players {
            assert_eq!(player.records(game), records);
            assert_eq!(player.table(game), table);
        }
        let last: Value = serde_json::from_str(records.last().unwrap()).unwrap();
        assert_eq!(last["kind"], "ended");
        assert_eq!(last["hash"], format!("{:016x}", table.hash()));

        self.by_snapshot.next_event(game, "ended").await;
        let heard: Vec<&Frame> =
            self.by_snapshot.frames().filter(|frame| frame["type"] == "event").collect();
        let first = self.snapshot["seq"].as_u64().unwrap() + 1;
        let seqs: Vec<&Value> = heard.iter().map(|event| &event["seq"]).collect();
        assert_eq!(json!(seqs), json!((first..=replay.seq()).collect::<Vec<_>>()));
        assert_eq!(*heard.last().unwrap(), &last);

        let mut late = Peer::anonymous(self.server).await;
        let snapshot = late.ask(json!({"type": "watch", "game": game})).await;
        for fact in ["seq", "hash", "chain"] {
            assert_eq!(snapshot[fact], last[fact]);
        }
        for fact in ["winners", "places", "reason"] {
            assert_eq!(snapshot["result"][fact], last[fact]);
        }
        assert_eq!(snapshot["chain"], replay.chain().to_string());
        assert_eq!(snapshot["position"], json!(wire::position(table.position())));
        assert_eq!(snapshot["moves"], json!(table.moves().collect::<Vec<_>>()));
        let users: Vec<&str> = table.players().iter().map(|player| &*player.user).collect();
        let seats = snapshot["seats"].as_array().unwrap();
        assert_eq!(json!(users), seats.iter().map(|seat| seat["user"].clone()).collect::<Value>());
    }
}

/// Returns the names of the cells. Each cell has its own name and place, and edges consist of
/// cells.
fn cells_of(layout: &Frame) -> BTreeSet<String> {
    let drawn = layout["cells"].as_array().unwrap();
    let name = |cell: &Value| cell.as_str().unwrap().to_owned();
    let names: BTreeSet<String> = drawn.iter().map(|cell| name(&cell["name"])).collect();
    let places: BTreeSet<String> =
        drawn.iter().map(|cell| format!("{} {}", cell["x"], cell["y"])).collect();
    assert_eq!((names.len(), places.len()), (drawn.len(), drawn.len()));
    for edge in layout["edges"].as_array().unwrap() {
        let cells = edge["cells"].as_array().unwrap();
        assert!(!cells.is_empty() && cells.iter().all(|cell| names.contains(&name(cell))));
    }
    names
}

/// Returns the moves that clicks on two cells can mean. If the hints are right, one of them is
/// legal.
fn ways(position: &Position, from: &str, to: &str) -> Vec<String> {
    let cell = position.cell(from).expect("a hint names a cell of the board");
    let stacks = position.stacks();
    let height = stacks.iter().find(|(at, _)| *at == cell).map_or(0, |(_, pieces)| pieces.len());
    match position.kind() {
        Kind::Adamas => (1..=height).map(|count| format!("{count}x{from}-{to}")).collect(),
        Kind::Hexma => vec![format!("{from}-{to}")],
        Kind::Stymie => {
            // Two cells that do not touch need a third one between them.
            let between = position.sources().into_iter().map(|cell| position.cell_name(cell));
            let triples = between.map(|middle| format!("{from},{middle},{to}"));
            [format!("{from},{to}")].into_iter().chain(triples).collect()
        }
        Kind::Diam if from == to => {
            ["A", "B", "C", "D", "W", "X", "Y", "Z"].map(|piece| format!("{piece}{to}")).into()
        }
        Kind::Diam => (1..=height)
            .flat_map(|part| ["+", "-"].map(|way| format!("{from},{part}{way}")))
            // The move's notation decides the direction.
            .filter(|notation| {
                let target = position.cell(to);
                let play = position.parse_move(notation);
                play.is_ok_and(|play| {
                    position.affected_cells(&play).iter().any(|(at, _)| Some(*at) == target)
                })
            })
            .collect(),
    }
}

#[tokio::test]
async fn a_client_without_rules_receives_the_legal_moves_of_every_game() {
    let server = Server::start().await;
    let mut ann = Peer::connect(server.address()).await;
    ann.hello(json!({"auth": {"guest": "ann"}, "caps": ["legal"]})).await;
    let [mut bob, mut cy] = Peer::guests(&server, ["bob", "cy"]).await;
    for variant in Variant::all() {
        println!("{variant}");
        let mut peers = [&mut ann, &mut bob, &mut cy];
        let game = game::start(&mut peers[..variant.players], variant.terms()).await;
        let turn = ann.next_of("your_turn").await;
        assert_eq!(turn["game"], game.as_str());
        let legal = turn["legal"].as_array().unwrap();
        let total = turn["legal_total"].as_u64();
        assert!(!legal.is_empty(), "{turn}");
        assert_eq!(turn["legal_cut"] == false, total == Some(legal.len() as u64));
        for play in [legal.first().unwrap(), legal.last().unwrap()] {
            let dry_run = json!({"type": "try", "game": game, "turn": 0, "move": play});
            assert_eq!(ann.ask(dry_run).await["move"], *play, "the moves are canonical");
        }
    }
}
