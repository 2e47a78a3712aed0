//! Positions of Stymie, and moves made in them.

use adamant_rules::{
    IllegalMove, Kind, Options, Seat,
    game::Game,
    games::stymie::{LastMove, Stymie},
};

/// The opening position of a challenge such as `-size=4`.
pub(super) fn start(options: &str) -> Stymie {
    let options = Options::parse(options, Stymie::OPTIONS).unwrap();
    Stymie::start(&Kind::Stymie.complete(&options, 2).unwrap(), 2)
}

/// A position in the middle of a game, written `f6:V g5:H`.
pub(super) fn arranged(options: &str, pieces: &str, to_move: &str, last_move: LastMove) -> Stymie {
    let options = Options::parse(options, Stymie::OPTIONS).unwrap();
    let pieces: Vec<_> = pieces
        .split_whitespace()
        .map(|piece| piece.split_once(':').unwrap())
        .map(|(cell, letter)| (cell, letter.parse().unwrap()))
        .collect();
    Stymie::from_setup(&options, &pieces, seat_of(to_move), last_move).unwrap()
}

/// The position after these moves.
pub(super) fn after(options: &str, moves: &[&str]) -> Stymie {
    let mut position = start(options);
    for notation in moves {
        play(&mut position, notation).unwrap();
    }
    position
}

/// Parses, validates and makes a move.
pub(super) fn play(position: &mut Stymie, notation: &str) -> Result<(), IllegalMove> {
    let mv = position.parse_move(notation)?;
    assert!(position.validate(&mv)?.is_empty(), "nothing is ever captured");
    position.apply(&mv);
    Ok(())
}

/// Returns the sentence of a refusal.
pub(super) fn refused(position: &Stymie, notation: &str) -> String {
    play(&mut position.clone(), notation).unwrap_err().to_string()
}

/// What `arranged` takes.
pub(super) fn written(position: &Stymie) -> String {
    let pieces = position.stacks().into_iter();
    let pieces = pieces.map(|(cell, letter)| format!("{}:{letter}", position.cell_name(cell)));
    pieces.collect::<Vec<_>>().join(" ")
}

pub(super) fn listed(position: &Stymie) -> Vec<String> {
    position.legal_moves(usize::MAX).iter().map(ToString::to_string).collect()
}

pub(super) fn seat_of(letter: &str) -> Seat {
    Seat::new(["V", "H"].iter().position(|&seat| seat == letter).unwrap()).unwrap()
}
