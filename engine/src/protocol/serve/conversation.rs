//! Answers the lines of a host.

use std::io::{self, BufRead, Write};

use crate::choice::{Level, NODE_BUDGET, Opinion, opinion_within};
use adamant_rules::{Kind, Table};
use rand::{SeedableRng as _, rngs::StdRng};

use super::strength;
use crate::protocol::{
    game,
    limits::VERSION,
    messages::{
        BestMove, ClockLine, EngineOption, FromEngine, Info, Limits, NewGame, PlayedGame, Step,
        ToEngine,
    },
};

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
            Err(crate::protocol::messages::LineError::Empty) => {}
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
        let nodes = strength::nodes(self.settings.nodes, limits, self.clock.as_ref(), to_move);
        let ServeSettings { level, seed, .. } = self.settings;
        // No state is carried over from move to move: a restart changes nothing.
        let mut rng = StdRng::seed_from_u64(seed ^ table.hash());
        opinion_within(table.positions_seen(), table.position(), level, nodes, &mut rng)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
