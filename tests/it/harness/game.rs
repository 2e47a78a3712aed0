//! Games between peers: starting them, making moves, and reading until all peers are up to date.
//!
//! Moves are chosen with the rules crate, so tests need not know any game.

use std::fmt;

use adamant_rules::{Kind, Seat, Table, options::OptionKind};
use serde_json::{Value, json};

use super::{
    peer::{Frame, Peer},
    server::Server,
    with,
};

/// More moves than any game in the suite takes.
const MOVES_MAX: usize = 2_000;

/// Starts a game: the first peer challenges the others, who accept. The peers sit in the order
/// given. `terms` are further fields of the challenge (`rules`, `options`, `clock`, ..); without
/// them the game is Adamas. Returns the game's id once every peer has read `started`.
pub(crate) async fn start(peers: &mut [&mut Peer], terms: Value) -> String {
    let seats: Vec<String> = peers.iter().map(|peer| peer.name().to_owned()).collect();
    let challenge = json!({"type": "challenge", "rules": "adamas", "seats": seats});
    let challenge = with(challenge, terms);
    let (challenger, others) = peers.split_first_mut().expect("a game has players");
    let made = challenger.ask(challenge).await;
    let challenge = made["challenge"].clone();
    let mut game = Value::Null;
    for other in others {
        let is_challenge =
            |frame: &Frame| frame["type"] == "challenged" && frame["challenge"] == challenge;
        other.next_matching("the challenge", is_challenge).await;
        let accepted = other.ask(json!({"type": "accept", "challenge": challenge})).await;
        game = accepted["game"].clone();
    }
    let game = game.as_str().expect("the last one's acceptance begins the game").to_owned();
    for peer in peers {
        peer.next_event(&game, "started").await;
    }
    game
}

/// Starts a game of Adamas, and plays its first moves.
pub(crate) async fn start_and_play(peers: &mut [&mut Peer], moves: usize) -> String {
    let game = start(peers, json!({})).await;
    play_moves(peers, &game, moves).await;
    game
}

/// A player resigns. Returns once another has read the end.
pub(crate) async fn resign(player: &mut Peer, other: &mut Peer, game: &str) {
    player.ask(json!({"type": "resign", "game": game})).await;
    other.next_event(game, "ended").await;
}

/// Waits until a computer is offered the seat of a player who leaves, and answers. Returns the event.
pub(crate) async fn answer_seat_offer(peer: &mut Peer, game: &str, accept: bool) -> Frame {
    let offered = peer.next_event(game, "seat_offered").await;
    let offer = &offered["offer"];
    let answer = json!({"type": "answer", "game": game, "offer": offer, "accept": accept});
    let ok = peer.ask(answer).await;
    peer.read_up_to(game, ok["seq"].as_u64().expect("an event")).await;
    offered
}

/// Connects the guests ann and bob and starts a game of Adamas between them.
pub(crate) async fn start_two(server: &Server) -> (Peer, Peer, String) {
    start_two_with(server, json!({})).await
}

/// The same on a new server.
pub(crate) async fn server_with_two() -> (Server, Peer, Peer, String) {
    let server = Server::start().await;
    let (ann, bob, game) = start_two(&server).await;
    (server, ann, bob, game)
}

/// The same with further fields of the challenge.
pub(crate) async fn start_two_with(server: &Server, terms: Value) -> (Peer, Peer, String) {
    let [mut ann, mut bob] = Peer::guests(server, ["ann", "bob"]).await;
    let game = start(&mut [&mut ann, &mut bob], terms).await;
    (ann, bob, game)
}

/// Returns the index of the seat to move.
pub(crate) fn to_move(table: &Table) -> Option<usize> {
    table.to_move().map(Seat::index)
}

/// Returns a legal move, always the same one for a position. It prefers captures, so that games
/// end.
pub(crate) fn choose_move(table: &Table) -> String {
    let mut state = table.position().hash() | 1;
    let mut pick = |below: usize| {
        // Knuth's linear congruential generator; its high bits are the better ones.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(state >> 33).expect("31 bits") % below
    };
    let moves = table.position().sample_moves(2, &mut pick);
    moves.first().expect("the side to move has a legal move").to_string()
}

/// Returns the request for a move at the peer's current turn.
pub(crate) fn move_request(peer: &Peer, game: &str, notation: &str) -> Value {
    json!({"type": "move", "game": game, "turn": peer.table(game).turn(), "move": notation})
}

/// Makes a move that the server must accept. Returns once the mover has read its event and the
/// events that the rules add to it.
pub(crate) async fn make_move(peer: &mut Peer, game: &str, notation: &str) -> Frame {
    let ok = peer.ask(move_request(peer, game, notation)).await;
    let seq = ok["seq"].as_u64().expect("an accepted move is an event");
    peer.read_up_to(game, seq).await;
    settle(peer, game).await;
    ok
}

/// Reads on while the rules demand further events, such as the removal of a seat without pieces.
pub(crate) async fn settle(peer: &mut Peer, game: &str) {
    loop {
        let table = peer.table(game);
        if table.overdue(table.last_at()).is_none() {
            return;
        }
        peer.read_up_to(game, peer.replay(game).seq() + 1).await;
    }
}

/// Reads on until all peers know as many events as the peer that knows most.
pub(crate) async fn catch_up(peers: &mut [&mut Peer], game: &str) {
    let known = peers.iter().map(|peer| peer.replay(game).seq()).max().unwrap_or_default();
    for peer in peers {
        peer.read_up_to(game, known).await;
    }
}

/// Makes up to `moves` moves, fewer if the game ends. `peers` are in seat order, and all have read
/// every event afterwards.
pub(crate) async fn play_moves(peers: &mut [&mut Peer], game: &str, moves: usize) {
    for _ in 0..moves {
        let table = peers[0].table(game);
        let Some(seat) = to_move(table) else { return };
        let notation = choose_move(table);
        make_move(peers[seat], game, &notation).await;
        catch_up(peers, game).await;
    }
}

/// Plays to the end. All peers have read `ended` afterwards.
pub(crate) async fn play_to_end(peers: &mut [&mut Peer], game: &str) {
    catch_up(peers, game).await;
    play_moves(peers, game, MOVES_MAX).await;
    for peer in peers {
        peer.next_event(game, "ended").await;
    }
}

/// A game as a challenge describes it.
#[derive(Clone, Debug)]
pub(crate) struct Variant {
    pub(crate) kind: Kind,
    pub(crate) players: usize,
    pub(crate) options: String,
}

impl Variant {
    /// Returns every game with every number of players, each without options and with one flag at a
    /// time.
    pub(crate) fn all() -> Vec<Self> {
        let mut variants = Vec::new();
        for &kind in Kind::ALL {
            for players in kind.players() {
                variants.push(Self { kind, players, options: String::new() });
                for spec in kind.option_specs() {
                    if spec.kind == OptionKind::Flag {
                        let options = format!("-{}", spec.name);
                        variants.push(Self { kind, players, options });
                    }
                }
            }
        }
        variants
    }

    /// Returns the fields of a challenge or seek for this variant.
    pub(crate) fn terms(&self) -> Value {
        json!({"rules": self.kind.name(), "options": self.options})
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} with {} players {}", self.kind.name(), self.players, self.options)
    }
}
