//! Positions of Diam, and moves made in them.

use adamant_rules::{IllegalMove, Kind, Options, Seat, game::Game, games::diam::Diam};

/// The player who opens, and the other one.
pub(super) const A: Seat = Seat::FIRST;
pub(super) const X: Seat = Seat::new(1).unwrap();

/// The opening position of a challenge such as `-board=10x5`.
pub(super) fn start(options: &str) -> Diam {
    let options = Options::parse(options, Diam::OPTIONS).unwrap();
    Diam::start(&Kind::Diam.complete(&options, 2).unwrap(), 2)
}

/// A position in the middle of a game, written `1:AX 5:B`.
pub(super) fn arranged(options: &str, stacks: &str, to_move: Seat) -> Diam {
    let options = Options::parse(options, Diam::OPTIONS).unwrap();
    let stacks: Vec<_> =
        stacks.split_whitespace().map(|stack| stack.split_once(':').unwrap()).collect();
    Diam::from_setup(&options, &stacks, to_move).unwrap()
}

/// What `arranged` takes.
pub(super) fn written(position: &Diam) -> String {
    let stacks = position.stacks();
    let stacks =
        stacks.iter().map(|(cell, pieces)| format!("{}:{pieces}", position.cell_name(*cell)));
    stacks.collect::<Vec<_>>().join(" ")
}

/// Parses, validates and makes a move.
pub(super) fn play(position: &mut Diam, notation: &str) -> Result<(), IllegalMove> {
    let mv = position.parse_move(notation)?;
    assert!(position.validate(&mv)?.is_empty(), "nothing is captured in Diam");
    position.apply(&mv);
    Ok(())
}

/// Returns the sentence of a refusal.
pub(super) fn refused(position: &Diam, notation: &str) -> String {
    play(&mut position.clone(), notation).unwrap_err().to_string()
}

/// Every option set that a challenge can have, apart from `-nomirror`.
pub(super) fn all_options() -> Vec<String> {
    let boards = [8, 10, 12].into_iter().flat_map(|n| (3..=6).map(move |m| format!("{n}x{m}")));
    let sets = (2..=4).flat_map(|o| (3..=6).map(move |p| format!("{o}x{p}")));
    boards
        .flat_map(|board| {
            sets.clone().map(move |pieces| format!("-board={board} -pieces={pieces}"))
        })
        .collect()
}
