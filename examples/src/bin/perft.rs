//! Counts the ways to make so many moves: `perft GAME DEPTH [OPTIONS]`.

use std::{env, error::Error};

use adamant_rules::{Kind, Options, Position};

fn count(position: &Position, depth: u32) -> u128 {
    let moves = position.legal_moves(usize::MAX);
    if depth == 1 {
        return moves.len() as u128;
    }
    let behind = moves.iter().map(|mv| {
        let mut next = position.clone();
        next.play(mv).expect("it is legal");
        if next.settle().is_some() { 0 } else { count(&next, depth - 1) }
    });
    behind.sum()
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [game, depth, options @ ..] = arguments.as_slice() else {
        return Err("perft GAME DEPTH [OPTIONS]".into());
    };
    let kind = Kind::from_name(game).ok_or("there is no such game")?;
    let options = Options::parse(&options.join(" "), kind.option_specs())?;
    let opening = kind.open(&options, 2)?;
    for depth in 1..=depth.parse()? {
        println!("{}", count(&opening, depth));
    }
    Ok(())
}
