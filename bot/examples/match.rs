//! Plays levels against each other and says who won how often, and how long they thought:
//! `cargo run --release -p adamant-bot --example match -- GAME LEVEL,LEVEL GAMES [OPTIONS]`.
//! With each game the levels sit one seat further.

#![expect(clippy::print_stdout, reason = "what a program is for")]
#![expect(clippy::disallowed_methods, reason = "how long a thought takes is what is measured")]

use std::{
    error::Error,
    time::{Duration, Instant},
};

use adamant_bot::{Level, choose_after};
use adamant_rules::{
    Act, BySeat, Kind, Options, Player, Seat, Setup, Table, TimeControl, table::Outcome,
};
use rand::{SeedableRng, rngs::StdRng};

/// Moves after which a game counts as drawn.
const PLIES_MAX: u32 = 600;

/// How a level has done.
#[derive(Clone)]
struct Score {
    level: Level,
    won: u32,
    moves: u32,
    thinking: Duration,
    longest: Duration,
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [game, levels, games, options @ ..] = &words[..] else {
        return Err("wanted: GAME LEVEL,LEVEL GAMES [OPTIONS]".into());
    };
    let kind = Kind::from_name(game).ok_or("there is no such game")?;
    let options = Options::parse(&options.join(" "), kind.option_specs())?;
    let score = |level: &str| {
        let (level, thinking) = (level.parse()?, Duration::ZERO);
        Ok::<_, Box<dyn Error>>(Score { level, won: 0, moves: 0, thinking, longest: thinking })
    };
    let mut scores: Vec<_> = levels.split(',').map(score).collect::<Result<_, _>>()?;
    for number in 0..games.parse()? {
        play(kind, &options, number, &mut scores)?;
    }
    for Score { level, won, moves, thinking, longest } in scores {
        let mean = thinking / moves.max(1);
        println!("{level} won {won} of {games}, {mean:.1?} a move, {longest:.1?} at the most");
    }
    Ok(())
}

fn play(
    kind: Kind,
    options: &Options,
    number: usize,
    scores: &mut [Score],
) -> Result<(), Box<dyn Error>> {
    let players = scores.len();
    let player = |seat: Seat| {
        let user = format!("seat{}", seat.index()).into();
        Player { user, bot: true, guest: false, rating: None }
    };
    let setup = Setup {
        kind,
        options: options.clone(),
        seats: BySeat::from_fn(players, player),
        clock: TimeControl::None,
        rated: false,
        delay: 0,
        unlisted: false,
    };
    let events = Table::begin(setup, 0)?;
    let mut table = Table::new(&events[0])?;
    events[1..].iter().try_for_each(|event| table.apply(event))?;
    let mut rng = StdRng::seed_from_u64(number as u64);
    let at = |seat: Seat| (seat.index() + number) % players;
    while let Some(seat) = table.to_move()
        && table.ply() < PLIES_MAX
    {
        let score = &mut scores[at(seat)];
        let begun = Instant::now();
        let mv = choose_after(table.positions_seen(), table.position(), score.level, &mut rng)
            .ok_or("the seat to move has no move")?;
        let taken = begun.elapsed();
        score.moves += 1;
        score.thinking += taken;
        score.longest = score.longest.max(taken);
        let act = Act::Move { seat, turn: table.turn(), notation: &mv.to_string(), lag_ms: 0 };
        for event in table.decide(&act, 0)? {
            table.apply(&event)?;
        }
    }
    if let Some(Outcome::Ended { winners, .. }) = table.outcome()
        && let Some(winner) = winners.single()
    {
        scores[at(winner)].won += 1;
    }
    Ok(())
}
