//! The levels of [`choice`](crate::choice) as an engine. Input and output are lines. Nothing here
//! reads a clock, so that the same lines and seed give the same moves on any machine.

use std::io::{self, BufRead, Write};

use adamant_rules::{Kind, Table, TimeControl};
use rand::{SeedableRng as _, rngs::StdRng};

use super::{
    game,
    limits::VERSION,
    messages::{
        BestMove, ClockLine, EngineOption, FromEngine, Info, Limits, LineError, NewGame,
        PlayedGame, Step, ToEngine,
    },
};
use crate::choice::{Level, NODE_BUDGET, Opinion, opinion_within};

/// How the engine plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ServeSettings {
    /// How moves are chosen.
    pub level: Level,
    /// The moves that a search evaluates at the most.
    pub nodes: u64,
    /// What moves that are drawn by lot depend on, besides the position.
    pub seed: u64,
}

impl Default for ServeSettings {
    fn default() -> Self {
        Self { level: Level::Greedy, nodes: NODE_BUDGET, seed: 0 }
    }
}

/// Answers lines until `quit` or the end of the input. Fails only if a pipe does.
pub fn serve(
    input: impl BufRead,
    mut output: impl Write,
    settings: ServeSettings,
) -> io::Result<()> {
    let mut served = Served { settings, ..Served::default() };
    for line in input.lines() {
        match line?.parse() {
            Ok(ToEngine::Quit) => break,
            Ok(line) => served.hear(line, &mut output)?,
            Err(LineError::Empty) => {}
            Err(error) => complain(&error, &mut output)?,
        }
        output.flush()?;
    }
    Ok(())
}

fn complain(why: &impl ToString, output: &mut impl Write) -> io::Result<()> {
    let info = Info { text: Some(why.to_string()), ..Info::default() };
    writeln!(output, "{}", FromEngine::Info(info))
}

/// The state of the engine.
#[derive(Default)]
struct Served {
    settings: ServeSettings,
    /// The game that `newgame` began, without a move.
    begun: Option<Table>,
    /// The game of the last `position`.
    table: Option<Table>,
    clock: Option<ClockLine>,
    /// The limits of a thought that waits for `ponderhit` or `stop`.
    pondering: Option<Limits>,
}

impl Served {
    fn hear(&mut self, line: ToEngine, output: &mut impl Write) -> io::Result<()> {
        match line {
            ToEngine::Hello(VERSION) => self.introduce(output),
            ToEngine::Hello(version) => {
                let why = format!("version {version} of the protocol is unknown");
                writeln!(output, "{}", FromEngine::Error(why))
            }
            ToEngine::SetOption { name, value } => match self.set_option(&name, &value) {
                Ok(()) => Ok(()),
                Err(why) => complain(&why, output),
            },
            ToEngine::NewGame(new_game) => self.begin(&new_game, output),
            ToEngine::Position(steps) => self.place(&steps, output),
            ToEngine::Clock(clock) => {
                self.clock = Some(clock);
                Ok(())
            }
            ToEngine::Go(limits) => self.go(limits, output),
            ToEngine::Ponder(limits) => {
                self.pondering = Some(limits);
                Ok(())
            }
            // A thought ends before the next line is read: only one that waits can be stopped.
            ToEngine::PonderHit | ToEngine::Stop => match self.pondering.take() {
                Some(limits) => self.go(limits, output),
                None => Ok(()),
            },
            ToEngine::OfferDraw => {
                let losing = self.opinion(Limits::default()).is_some_and(|found| found.score < 0);
                let answer = if losing { FromEngine::Accept } else { FromEngine::Decline };
                writeln!(output, "{answer}")
            }
            ToEngine::Legal { .. } | ToEngine::Board(_) | ToEngine::Quit => Ok(()),
        }
    }

    fn introduce(&self, output: &mut impl Write) -> io::Result<()> {
        let ServeSettings { level, nodes, seed } = self.settings;
        let option = |name: &str, about: String| {
            FromEngine::Option(EngineOption { name: name.to_owned(), about })
        };
        let games =
            Kind::ALL.iter().map(|kind| PlayedGame { game: kind.name().to_owned(), players: None });
        for line in [
            FromEngine::Name(format!("adamant {level}")),
            FromEngine::Author("the authors of Adamant".to_owned()),
            FromEngine::Games(games.collect()),
            FromEngine::Can(vec!["ponder".to_owned(), "draw".to_owned()]),
            option("level", format!("type string default {level}")),
            option("nodes", format!("type spin default {nodes} min 1")),
            option("seed", format!("type spin default {seed}")),
            FromEngine::Ready,
        ] {
            writeln!(output, "{line}")?;
        }
        Ok(())
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), String> {
        let wrong = || format!("{value} is no value of {name}");
        match name {
            "level" => self.settings.level = value.parse().map_err(|_| wrong())?,
            "nodes" => self.settings.nodes = value.parse().map_err(|_| wrong())?,
            "seed" => self.settings.seed = value.parse().map_err(|_| wrong())?,
            _ => return Err(format!("there is no option {name}")),
        }
        Ok(())
    }

    fn begin(&mut self, new_game: &NewGame, output: &mut impl Write) -> io::Result<()> {
        (self.begun, self.table, self.clock, self.pondering) = (None, None, None, None);
        match game::begin(new_game) {
            Ok(table) => self.begun = Some(table),
            Err(error) => writeln!(output, "{}", FromEngine::Error(error.to_string()))?,
        }
        self.table.clone_from(&self.begun);
        Ok(())
    }

    fn place(&mut self, steps: &[Step], output: &mut impl Write) -> io::Result<()> {
        let Some(begun) = &self.begun else {
            return complain(&"`newgame` comes before `position`", output);
        };
        let mut table = begun.clone();
        match game::follow(&mut table, steps) {
            Ok(()) => self.table = Some(table),
            Err(error) => {
                self.table = None;
                complain(&error, output)?;
            }
        }
        Ok(())
    }

    fn go(&mut self, limits: Limits, output: &mut impl Write) -> io::Result<()> {
        let Some(opinion) = self.opinion(limits) else {
            return writeln!(output, "{}", FromEngine::Error("there is no position".to_owned()));
        };
        let notation = opinion.best.to_string();
        let info = Info {
            depth: Some(opinion.depth),
            score: Some(opinion.score),
            pv: vec![notation.clone()],
            ..Info::default()
        };
        writeln!(output, "{}", FromEngine::Info(info))?;
        let best = BestMove::Move { notation, ponder: None, draw: false };
        writeln!(output, "{}", FromEngine::BestMove(best))
    }

    fn opinion(&self, limits: Limits) -> Option<Opinion> {
        let table = self.table.as_ref()?;
        let to_move = table.to_move()?.index();
        let nodes = nodes_within(self.settings.nodes, limits, self.clock.as_ref(), to_move);
        let ServeSettings { level, seed, .. } = self.settings;
        // No state is carried over from move to move: a restart changes nothing.
        let mut rng = StdRng::seed_from_u64(seed ^ table.hash());
        opinion_within(table.positions_seen(), table.position(), level, nodes, &mut rng)
    }
}

/// Moves that a search evaluates in a millisecond on a slow machine. Time is counted in them, so
/// that a thought does not depend on the machine.
const NODES_PER_MS: u64 = 30;

/// The share of the time left that one move may use.
const MOVES_TO_GO: u64 = 40;

/// Returns the number of moves to evaluate at the most.
fn nodes_within(most: u64, limits: Limits, clock: Option<&ClockLine>, to_move: usize) -> u64 {
    let by_clock = clock.filter(|_| limits.clock).and_then(|clock| share_ms(clock, to_move));
    let times = [limits.movetime_ms, by_clock].into_iter().flatten();
    let by_time = times.min().map(|ms| ms.saturating_mul(NODES_PER_MS));
    let nodes = limits.nodes.unwrap_or(most);
    by_time.map_or(nodes, |by_time| nodes.min(by_time)).max(1)
}

/// Returns the time for this move.
fn share_ms(clock: &ClockLine, to_move: usize) -> Option<u64> {
    let left = clock.left_ms.get(to_move).copied()?;
    let share = match clock.control {
        TimeControl::None => return None,
        TimeControl::Fischer { inc_ms, .. } => left / MOVES_TO_GO + inc_ms / 2,
        TimeControl::PerMove { .. } | TimeControl::Days { .. } => left / 2,
        TimeControl::Byoyomi { periods, period_ms, .. } => {
            let main = left.saturating_sub(u64::from(periods) * period_ms);
            main / MOVES_TO_GO + period_ms.min(left) / 2
        }
    };
    Some(share.min(left / 2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::messages::ToEngine;

    fn answers(settings: ServeSettings, lines: &[&str]) -> Vec<String> {
        let input = lines.join("\n");
        let mut output = Vec::new();
        serve(input.as_bytes(), &mut output, settings).unwrap();
        String::from_utf8(output).unwrap().lines().map(str::to_owned).collect()
    }

    fn search() -> ServeSettings {
        ServeSettings { level: Level::Search, nodes: 2_000, seed: 7 }
    }

    const GAME: &str = "newgame diam players 2 seat 0 options -board=8x4";

    #[test]
    fn the_same_lines_and_seed_give_the_same_moves() {
        for level in Level::ALL.iter().copied() {
            let settings = ServeSettings { level, ..search() };
            let go = [GAME, "position start moves A1", "go", "go nodes 400"];
            let first = answers(settings, &go);
            assert_eq!(first, answers(settings, &go));
            assert_eq!(first.len(), 4, "{first:?}");
            let other =
                [GAME, "position start", "go", "position start moves A1", "go", "go nodes 400"];
            assert_eq!(answers(settings, &other)[2..], first, "thoughts before change nothing");
        }
    }

    #[test]
    fn a_pondered_move_waits_for_the_hit() {
        let waits = [GAME, "position start moves A1", "ponder"];
        assert_eq!(answers(search(), &waits), Vec::<String>::new());
        for end in ["ponderhit", "stop"] {
            let ended = [GAME, "position start moves A1", "ponder", end, end];
            assert_eq!(answers(search(), &ended).len(), 2, "an info and a bestmove");
        }
    }

    #[test]
    fn faulty_lines_are_answered_and_survived() {
        for (lines, answer) in [
            (vec!["dance"], "info string unknown command dance"),
            (vec!["adamant-engine 9"], "error version 9 of the protocol is unknown"),
            (vec!["newgame chess players 2 seat 0"], "error there is no game chess"),
            (vec!["position start"], "info string `newgame` comes before `position`"),
            (vec!["go"], "error there is no position"),
            (vec!["setoption name level value clever"], "info string clever is no value of level"),
            (vec!["setoption name colour value red"], "info string there is no option colour"),
        ] {
            let ending = [&lines[..], &["adamant-engine 1"]].concat();
            let answers = answers(search(), &ending);
            assert_eq!(answers[0], answer);
            assert_eq!(answers.last().unwrap(), "ready");
        }
    }

    #[test]
    fn a_thought_keeps_to_the_narrowest_limit() {
        let clock = |line: &str| match line.parse() {
            Ok(ToEngine::Clock(clock)) => clock,
            other => panic!("{line}: {other:?}"),
        };
        let fischer = clock("clock fischer left 40000 2000 base 60000 inc 100");
        let byoyomi = clock("clock byoyomi left 10000 20000 base 0 periods 2 period 10000");
        let untimed = clock("clock none");
        let by_clock = Limits { clock: true, ..Limits::default() };
        for (limits, clock, seat, nodes_wanted) in [
            (Limits::default(), &fischer, 0, 1_000_000),
            (by_clock, &fischer, 0, 1_050 * NODES_PER_MS),
            (by_clock, &fischer, 1, 100 * NODES_PER_MS),
            (by_clock, &byoyomi, 0, 5_000 * NODES_PER_MS),
            (by_clock, &untimed, 0, 1_000_000),
            (Limits { movetime_ms: Some(10), ..by_clock }, &fischer, 0, 10 * NODES_PER_MS),
            (Limits { nodes: Some(77), ..by_clock }, &fischer, 0, 77),
            (Limits { movetime_ms: Some(0), ..by_clock }, &untimed, 0, 1),
        ] {
            assert_eq!(
                nodes_within(1_000_000, limits, Some(clock), seat),
                nodes_wanted,
                "{limits:?}"
            );
        }
    }
}
