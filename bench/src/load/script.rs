//! Scripts of games for the load: real moves of all four games, the same in every run, none of
//! which ends its game.

use adamant_rules::{Act, Kind, Table};
use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng};

/// Scripts of each game.
const SCRIPTS_PER_KIND: u64 = 4;

/// Random games to try until one is long enough.
const ATTEMPTS_MAX: u64 = 1_000;

/// A game's moves.
#[derive(Debug, Clone)]
pub struct Script {
    /// The game.
    pub kind: Kind,
    /// Its options.
    pub options: &'static str,
    /// The mover, as 0 or 1, and the move.
    pub moves: Vec<(usize, String)>,
}

/// Returns scripts of all games with this many plies.
pub fn scripts(plies: usize) -> Vec<Script> {
    let mut scripts = Vec::new();
    for number in 0..SCRIPTS_PER_KIND {
        for &kind in Kind::ALL {
            scripts.push(script(kind, "", plies, number));
        }
    }
    scripts
}

/// Returns a script with this many plies, of any game that lasts that long.
pub fn longest(plies: usize) -> Script {
    let attempts =
        (0..ATTEMPTS_MAX).flat_map(|seed| Kind::ALL.iter().map(move |&kind| (kind, seed)));
    let mut scripts = attempts.map(|(kind, seed)| Script {
        kind,
        options: "",
        moves: random_game(kind, "", plies, seed),
    });
    scripts.find(|script| script.moves.len() == plies).expect("some game is long enough")
}

/// Returns the script of this number for a game with options.
pub fn script(kind: Kind, options: &'static str, plies: usize, number: u64) -> Script {
    let script = (0..ATTEMPTS_MAX)
        .map(|attempt| random_game(kind, options, plies, number * ATTEMPTS_MAX + attempt))
        .find(|moves| moves.len() == plies);
    Script { kind, options, moves: script.expect("some game is long enough") }
}

fn random_game(kind: Kind, options: &str, plies: usize, seed: u64) -> Vec<(usize, String)> {
    let mut rng = SmallRng::seed_from_u64(seed);
    let begun = Table::begin(crate::setup(kind, 2, options), 0).expect("the setup can be played");
    let mut table = Table::new(&begun[0]).expect("it is the first event");
    for event in &begun[1..] {
        table.apply(event).expect("it follows the first");
    }
    let mut moves = Vec::new();
    while moves.len() < plies
        && let Some(seat) = table.to_move()
    {
        let mut pick = |below: usize| rng.random_range(0..below);
        let sample = table.position().sample_moves(8, &mut pick);
        let notation = sample[pick(sample.len())].to_string();
        let turn = table.turn();
        let act = Act::Move { seat, turn, notation: &notation, lag_ms: 0 };
        let events = table.decide(&act, 0).expect("the move is legal");
        if events.len() != 1 {
            // The game has ended, or a turn was skipped, so that turns cannot simply be counted.
            break;
        }
        for event in &events {
            table.apply(event).expect("a table applies what it has decided");
        }
        moves.push((seat.index(), notation));
    }
    moves
}
