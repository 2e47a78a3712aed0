//! Positions of Hexma, and moves made in them.

use adamant_rules::{IllegalMove, Kind, Options, Seat, game::Game, games::hexma::Hexma};

/// The opening position.
pub(super) fn start(players: usize) -> Hexma {
    Hexma::start(&Kind::Hexma.complete(&Options::new(), players).unwrap(), players)
}

/// A position in the middle of a game, written `m17:O m1:X`.
pub(super) fn arranged(players: usize, pieces: &str, to_move: &str) -> Hexma {
    let pieces: Vec<_> = pieces
        .split_whitespace()
        .map(|piece| piece.split_once(':').unwrap())
        .map(|(cell, letter)| (cell, letter.parse().unwrap()))
        .collect();
    Hexma::from_setup(players, &pieces, seat_of(to_move)).unwrap()
}

/// What `arranged` takes.
pub(super) fn written(position: &Hexma) -> String {
    let stacks = position.stacks();
    let pieces =
        stacks.iter().map(|(cell, letter)| format!("{}:{letter}", position.cell_name(*cell)));
    pieces.collect::<Vec<_>>().join(" ")
}

/// Parses, validates and makes a move.
pub(super) fn play(position: &mut Hexma, notation: &str) -> Result<(), IllegalMove> {
    let mv = position.parse_move(notation)?;
    assert!(position.validate(&mv)?.is_empty(), "nothing is captured in Hexma");
    position.apply(&mv);
    Ok(())
}

/// Returns the sentence of a refusal.
pub(super) fn refused(position: &Hexma, notation: &str) -> String {
    play(&mut position.clone(), notation).unwrap_err().to_string()
}

/// The names of the points that a piece can go to.
pub(super) fn targets(position: &Hexma, from: &str) -> Vec<String> {
    let targets = position.targets(position.cell(from).unwrap());
    targets.iter().map(|target| position.cell_name(target.cell).to_string()).collect()
}

pub(super) fn seat_of(letter: &str) -> Seat {
    Seat::new(["O", "X", "Y"].iter().position(|&seat| seat == letter).unwrap()).unwrap()
}
