//! Positions of Adamas, and moves made in them.

use adamant_rules::{
    Captures, IllegalMove, Kind, Options, Seat, game::Game, games::adamas::Adamas,
};

/// The opening position of a challenge such as `-size=4`.
pub(super) fn start(options: &str, players: usize) -> Adamas {
    let options = Options::parse(options, Adamas::OPTIONS).unwrap();
    Adamas::start(&Kind::Adamas.complete(&options, players).unwrap(), players)
}

/// A position in the middle of a game, written `c1:OOO c3:X`.
pub(super) fn arranged(options: &str, players: usize, stacks: &str, to_move: &str) -> Adamas {
    let options = Options::parse(options, Adamas::OPTIONS).unwrap();
    let stacks: Vec<_> =
        stacks.split_whitespace().map(|stack| stack.split_once(':').unwrap()).collect();
    Adamas::from_setup(&options, players, &stacks, seat_of(to_move), false).unwrap()
}

/// What `arranged` takes.
pub(super) fn written(position: &Adamas) -> String {
    let stacks = position.stacks();
    let stacks =
        stacks.iter().map(|(cell, pieces)| format!("{}:{pieces}", position.cell_name(*cell)));
    stacks.collect::<Vec<_>>().join(" ")
}

/// Parses, validates and makes a move.
pub(super) fn play(position: &mut Adamas, notation: &str) -> Result<Captures, IllegalMove> {
    let mv = position.parse_move(notation)?;
    let captures = position.validate(&mv)?;
    position.apply(&mv);
    Ok(captures)
}

/// Returns the sentence of a refusal.
pub(super) fn refused(position: &Adamas, notation: &str) -> String {
    play(&mut position.clone(), notation).unwrap_err().to_string()
}

pub(super) fn seat_of(letter: &str) -> Seat {
    Seat::new(["O", "X", "Y"].iter().position(|&seat| seat == letter).unwrap()).unwrap()
}
