//! A game as engines see it: from a table to lines, and back.

use adamant_rules::{
    Act, BySeat, Kind, Options, Player, Position, Seat, Setup, Table, TimeControl,
    game::LeaveReason,
    notation::{MoveSink, Notation},
    table::SetupError,
};

use crate::protocol::messages::{Board, ClockLine, NewGame, Step};

/// Describes the game of a table to the engine in a seat.
pub fn new_game(table: &Table, seat: Seat) -> NewGame {
    let setup = table.setup();
    NewGame {
        game: setup.kind.name().to_owned(),
        players: setup.seats.len(),
        seat: seat.index(),
        options: setup.options.to_string().split_whitespace().map(str::to_owned).collect(),
    }
}

/// Returns everything that has led to the position of a table. A game with takebacks looks like one
/// without.
pub fn steps(table: &Table) -> Vec<Step> {
    let mut steps = Vec::new();
    let left_after = |ply: u32, steps: &mut Vec<Step>| {
        for (seat, reason) in table.departures_at(ply) {
            match reason {
                // The rules demand it.
                LeaveReason::NoPieces | LeaveReason::NoMove => {}
                LeaveReason::Resigned | LeaveReason::TimedOut | LeaveReason::Abandoned => {
                    steps.push(Step::Left(seat));
                }
            }
        }
    };
    left_after(0, &mut steps);
    for (ply, notation) in (1..).zip(table.moves()) {
        let is_skip = notation == "pass";
        steps.push(if is_skip { Step::Pass } else { Step::Move(notation.into()) });
        left_after(ply, &mut steps);
    }
    steps
}

/// Returns the line `clock` of a table, at which the seat to move has `left_ms` left, if that is
/// known better than the table knows it.
pub fn clock(table: &Table, left_ms: Option<u64>) -> ClockLine {
    let clock = table.clock();
    let to_move = table.position().to_move();
    let left = clock.left_ms().map(|all| {
        let shown = all.entries().map(|(seat, &shown)| match left_ms {
            Some(left_ms) if seat == to_move => left_ms.min(shown),
            Some(_) | None => shown,
        });
        shown.collect()
    });
    ClockLine { control: clock.control(), left_ms: left.unwrap_or_default() }
}

/// Returns the line `board` of a table.
pub fn board(table: &Table) -> Board {
    let position = table.position();
    let seats = || Seat::all(position.players());
    let cells = position.stacks().into_iter();
    Board {
        ply: table.ply(),
        to_move: position.to_move().index(),
        letters: seats().map(|seat| position.letter(seat)).collect(),
        reserve: seats().map(|seat| position.in_reserve(seat)).collect(),
        cells: cells.map(|(cell, pieces)| (position.cell_name(cell).to_string(), pieces)).collect(),
    }
}

/// Returns at most `max` legal moves, and whether these are all. A cut list has captures and simple
/// moves first, then an even sample of the others.
pub fn legal(position: &Position, max: usize) -> (Vec<String>, bool) {
    let mut list = Notations::default();
    let represented = position.list_representatives(max, &mut list);
    (list.0, !represented.is_cut)
}

/// The notations of moves.
#[derive(Default)]
struct Notations(Vec<String>);

impl MoveSink for Notations {
    fn push(&mut self, mv: &impl Notation) {
        let mut text = String::new();
        mv.write_to(&mut text).expect("a string has room");
        self.0.push(text);
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}

/// Returns the canonical notation of a move if it is legal, else why it is not.
pub fn check_move(position: &Position, notation: &str) -> Result<String, String> {
    let mv = position.parse_move(notation).map_err(|why| why.to_string())?;
    position.validate(&mv).map_err(|why| why.to_string())?;
    Ok(mv.to_string())
}

/// Why lines do not make a game.
#[derive(Debug, thiserror::Error)]
pub enum GameError {
    /// There is no such game.
    #[error("there is no game {0}")]
    UnknownGame(String),
    /// The options or the number of players are wrong.
    #[error("{0}")]
    Setup(#[from] SetupError),
    /// An option cannot be read.
    #[error("{0}")]
    Option(#[from] adamant_rules::options::OptionError),
    /// There is no such number of seats.
    #[error("there are no games for {0}")]
    Players(usize),
    /// A step cannot happen.
    #[error("{step}: {why}")]
    Step {
        /// The step.
        step: Step,
        /// The reason.
        why: String,
    },
}

/// Returns the table of a game that begins.
pub fn begin(new_game: &NewGame) -> Result<Table, GameError> {
    let kind = Kind::from_name(&new_game.game)
        .ok_or_else(|| GameError::UnknownGame(new_game.game.clone()))?;
    let mut options = Options::new();
    for word in &new_game.options {
        options.parse_word(word, kind.option_specs())?;
    }
    let player = |number: usize| Player {
        user: format!("seat{number}").into(),
        bot: true,
        guest: false,
        rating: None,
    };
    let players = new_game.players;
    let is_possible = kind.players().contains(&players);
    let seats = is_possible.then(|| BySeat::try_from_iter((0..players).map(player))).flatten();
    let setup = Setup {
        kind,
        options,
        seats: seats.ok_or(GameError::Players(players))?,
        clock: TimeControl::None,
        rated: false,
        delay: 0,
        unlisted: false,
    };
    Ok(Table::for_analysis(setup)?.without_end())
}

/// Lets steps happen at a table.
pub fn follow(table: &mut Table, steps: &[Step]) -> Result<(), GameError> {
    for step in steps {
        let why = |why: String| GameError::Step { step: step.clone(), why };
        match step {
            Step::Move(notation) => {
                table.play(notation).map_err(|refusal| why(refusal.to_string()))?;
            }
            // The table has done it.
            Step::Pass => {}
            Step::Left(seat) => {
                let events = table.decide(&Act::Resign { seat: *seat }, table.last_at());
                for event in &events.map_err(|refusal| why(refusal.to_string()))? {
                    table.apply(event).expect("a table applies what it has decided");
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::messages::ToEngine;

    fn started(line: &str) -> Table {
        let ToEngine::NewGame(new_game) = line.parse().unwrap() else { panic!() };
        begin(&new_game).unwrap()
    }

    /// Plays first legal moves, with a departure in between.
    #[test]
    fn a_game_is_rebuilt_from_its_steps() {
        for (line, moves) in [
            ("newgame adamas players 3 seat 0", 12),
            ("newgame hexma players 3 seat 1", 9),
            ("newgame stymie players 2 seat 0 options -size=8 -swap", 7),
            ("newgame diam players 2 seat 0 options -board=8x4", 8),
        ] {
            let mut table = started(line);
            for ply in 0..moves {
                let named = table.position().named_moves().pop().map(|mv| mv.to_string());
                let (list, _) = legal(table.position(), 1);
                table.play(&named.unwrap_or_else(|| list[0].clone())).unwrap();
                if ply == 4 && table.position().players() == 3 {
                    let leaver = table.position().to_move();
                    follow(&mut table, &[Step::Left(leaver)]).unwrap();
                }
            }
            let mut again = started(line);
            follow(&mut again, &steps(&table)).unwrap();
            assert_eq!(again.hash(), table.hash(), "{line}");
            assert_eq!(new_game(&table, Seat::FIRST).players, table.players().len());
        }
    }

    #[test]
    fn impossible_games_and_steps_are_refused() {
        let refused = |line: &str| {
            let ToEngine::NewGame(new_game) = line.parse().unwrap() else { panic!() };
            begin(&new_game).unwrap_err().to_string()
        };
        assert_eq!(refused("newgame chess players 2 seat 0"), "there is no game chess");
        assert_eq!(refused("newgame diam players 3 seat 0"), "there are no games for 3");
        assert_eq!(refused("newgame hexma players 9 seat 0"), "there are no games for 9");
        assert!(refused("newgame hexma options -size=4").contains("no option -size"));
        let mut table = started("newgame adamas players 2 seat 0");
        let error = follow(&mut table, &[Step::Move("z9-z8".into())]).unwrap_err().to_string();
        assert!(error.starts_with("z9-z8: "), "{error}");
    }

    #[test]
    fn a_list_of_legal_moves_says_whether_it_is_all() {
        let table = started("newgame diam players 2 seat 0 options -board=8x4");
        assert_eq!(legal(table.position(), 512).0.len(), 16);
        assert!(legal(table.position(), 16).1);
        let (few, all) = legal(table.position(), 5);
        assert_eq!((few.len(), all), (5, false));
        assert_eq!(check_move(table.position(), "a1").as_deref(), Ok("A1"));
        assert!(check_move(table.position(), "z1").is_err());
    }
}
