//! Scripts of games for the load: real moves of all four games, the same in every run, none of
//! which ends its game.

use adamant_rules::{Act, Event, EventKind, Kind, Table};
use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng};

/// Scripts of each game.
const SCRIPTS_PER_KIND: u64 = 4;

/// Random games to try until one is long enough.
const ATTEMPTS_MAX: u64 = 1_000;

/// Legal moves from which a script chooses each of its own.
const SAMPLED: usize = 8;

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

/// Returns a script with thousands of plies, whose players avoid captures and the end.
pub fn endless(plies: usize) -> Script {
    let is_quiet = |event: &Event| matches!(&event.kind, EventKind::Moved { captures, .. } if captures.is_empty());
    let (kind, options) = (Kind::Adamas, "");
    let moves = game_of(kind, options, plies, 0, (SAMPLED, is_quiet));
    assert_eq!(moves.len(), plies, "the game has ended");
    Script { kind, options, moves }
}

fn random_game(kind: Kind, options: &str, plies: usize, seed: u64) -> Vec<(usize, String)> {
    game_of(kind, options, plies, seed, (1, |_| true))
}

/// Plays random moves. Tries this many of the sampled moves until one is wanted.
fn game_of(
    kind: Kind,
    options: &str,
    plies: usize,
    seed: u64,
    (tries, is_wanted): (usize, fn(&Event) -> bool),
) -> Vec<(usize, String)> {
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
        let sample = table.position().sample_moves(SAMPLED, &mut pick);
        let first = pick(sample.len());
        let turn = table.turn();
        let found = sample.iter().cycle().skip(first).take(tries).find_map(|sampled| {
            let notation = sampled.to_string();
            let act = Act::Move { seat, turn, notation: &notation, lag_ms: 0 };
            let events = table.decide(&act, 0).expect("the move is legal");
            // After two events the game has ended, or a turn was skipped, so that turns cannot
            // simply be counted.
            let [event] = &events[..] else { return None };
            is_wanted(event).then(|| (notation, event.clone()))
        });
        let Some((notation, event)) = found else { break };
        table.apply(&event).expect("a table applies what it has decided");
        moves.push((seat.index(), notation));
    }
    moves
}
