//! Games between peers: how they begin, and how they are played.

use adamant_rules::{Seat, Table};
use serde_json::{Value, json};

use super::{Frame, Peer, with};

/// More moves than any game in the suite takes.
const MOVES_MAX: usize = 2_000;

/// Begins a game, of Adamas unless the terms name another: the first peer challenges the others,
/// who sit in the order given and accept. `terms` are fields of the challenge (`rules`, `options`,
/// `clock`, ..). All have heard `started`.
pub(crate) async fn begin(peers: &mut [&mut Peer], terms: Value) -> String {
    let seats: Vec<String> = peers.iter().map(|peer| peer.name().to_owned()).collect();
    let challenge = json!({"type": "challenge", "rules": "adamas", "seats": seats});
    let challenge = with(challenge, terms);
    let (challenger, others) = peers.split_first_mut().expect("a game has players");
    let made = challenger.ask(challenge).await;
    let challenge = made["challenge"].clone();
    let mut game = Value::Null;
    for other in others {
        let told = |frame: &Frame| frame["type"] == "challenged" && frame["challenge"] == challenge;
        other.next_matching("the challenge", told).await;
        let accepted = other.ask(json!({"type": "accept", "challenge": challenge})).await;
        game = accepted["game"].clone();
    }
    let game = game.as_str().expect("the last one's acceptance begins the game").to_owned();
    for peer in peers {
        peer.next_event(&game, "started").await;
    }
    game
}

/// The number of the seat to move.
pub(crate) fn to_move(table: &Table) -> Option<usize> {
    table.to_move().map(Seat::index)
}

/// A legal move, the same one for the same position: one that captures where there is one, so that
/// games end.
pub(crate) fn choose(table: &Table) -> String {
    let mut state = table.position().hash() | 1;
    let mut pick = |below: usize| {
        // Knuth's linear congruential generator; its high bits are the better ones.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(state >> 33).expect("31 bits") % below
    };
    let moves = table.position().sample_moves(2, &mut pick);
    moves.first().expect("whoever is to move has a move").to_string()
}

/// The request to make a move in a game as this peer knows it.
pub(crate) fn request(peer: &Peer, game: &str, play: &str) -> Value {
    json!({"type": "move", "game": game, "turn": peer.table(game).turn(), "move": play})
}

/// Makes a move that must be accepted. When this returns the mover has heard its event, and those
/// that the rules demand after it.
pub(crate) async fn make(peer: &mut Peer, game: &str, play: &str) -> Frame {
    let ok = peer.ask(request(peer, game, play)).await;
    let seq = ok["seq"].as_u64().expect("an accepted move is an event");
    peer.hear_up_to(game, seq).await;
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
        peer.hear_up_to(game, peer.replay(game).seq() + 1).await;
    }
}

/// Reads on until all peers know as much of a game as the one who knows most.
pub(crate) async fn gather(peers: &mut [&mut Peer], game: &str) {
    let known = peers.iter().map(|peer| peer.replay(game).seq()).max().unwrap_or_default();
    for peer in peers {
        peer.hear_up_to(game, known).await;
    }
}

/// Makes so many moves, fewer if the game ends; `peers` are in seat order. All have heard all of
/// them when this returns.
pub(crate) async fn play(peers: &mut [&mut Peer], game: &str, moves: usize) {
    for _ in 0..moves {
        let table = peers[0].table(game);
        let Some(seat) = to_move(table) else { return };
        let notation = choose(table);
        make(peers[seat], game, &notation).await;
        gather(peers, game).await;
    }
}

/// Plays to the end; all have heard `ended` when this returns.
pub(crate) async fn play_out(peers: &mut [&mut Peer], game: &str) {
    gather(peers, game).await;
    play(peers, game, MOVES_MAX).await;
    for peer in peers {
        peer.next_event(game, "ended").await;
    }
}
