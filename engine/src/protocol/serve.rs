//! The levels of [`choice`](crate::choice) as an engine. Input and output are lines.
//!
//! A thread of its own reads the lines, so that `stop`, `ponderhit` and `quit` reach a thought that
//! goes on. Everything else waits until the thought has ended.

use std::{
    io::{self, BufRead, Write},
    path::Path,
    sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel},
    thread,
};

use adamant_rules::{Kind, Table};
use rand::{SeedableRng as _, rngs::StdRng};

use super::{
    game,
    limits::{HEARD_MAX, VERSION},
    messages::{
        BestMove, EngineOption, FromEngine, Info, LineError, NewGame, PlayedGame, Step, ToEngine,
    },
    thought::{Heard, Listener, Thought, nodes_within},
};
use crate::{
    choice::{Level, NODE_BUDGET, Opinion, opinion, opinion_within},
    search::{Report, Search, Settings, Strength, default_nodes, use_books, use_tables},
};

/// How the engine plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ServeSettings {
    /// How moves are chosen.
    pub level: Level,
    /// The nodes of a thought at the most, whatever the host says.
    pub nodes: Option<u64>,
    /// How a search thinks.
    pub search: Settings,
}

impl Default for ServeSettings {
    fn default() -> Self {
        Self { level: Level::Search, nodes: None, search: Settings::default() }
    }
}

/// Answers lines until `quit` or the end of the input. Fails only if a pipe does.
pub fn serve(
    input: impl BufRead + Send,
    mut output: impl Write,
    settings: ServeSettings,
) -> io::Result<()> {
    let (heard, lines) = sync_channel(HEARD_MAX);
    thread::scope(|scope| {
        scope.spawn(move || listen(input, &heard));
        answer(&lines, &mut output, settings)
    })
}

/// Reads lines until `quit` or the end of the input.
fn listen(input: impl BufRead, heard: &SyncSender<io::Result<Heard>>) {
    let mut listener = Listener::default();
    for line in input.lines() {
        let line = match line {
            Ok(line) => line.parse(),
            Err(error) => {
                listener.end(true);
                // Nobody waits for the error if the other end has failed before.
                drop(heard.send(Err(error)));
                return;
            }
        };
        let quits = matches!(line, Ok(ToEngine::Quit));
        let Some(line) = listener.hear(line) else { continue };
        let sent = match heard.try_send(Ok(line)) {
            Err(TrySendError::Full(line)) => {
                // The thought could be one that only a line behind these ends.
                listener.stop();
                heard.send(line).is_ok()
            }
            sent => sent.is_ok(),
        };
        if quits || !sent {
            listener.end(true);
            return;
        }
    }
    listener.end(false);
}

fn answer(
    lines: &Receiver<io::Result<Heard>>,
    output: &mut impl Write,
    settings: ServeSettings,
) -> io::Result<()> {
    let mut served = Served { settings, ..Served::default() };
    for heard in lines {
        match heard? {
            Heard::Line(Ok(line)) => served.hear(line, output)?,
            Heard::Line(Err(LineError::Empty)) => {}
            Heard::Line(Err(error)) => complain(&error, output)?,
            Heard::Thought(thought) => served.go(&thought, output)?,
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
            ToEngine::OfferDraw => {
                let contempt = self.settings.search.contempt;
                let losing = self.about_draw().is_some_and(|found| found.score < -contempt);
                let answer = if losing { FromEngine::Accept } else { FromEngine::Decline };
                writeln!(output, "{answer}")
            }
            // The listener has heard those that are about thoughts.
            _ => Ok(()),
        }
    }

    fn introduce(&self, output: &mut impl Write) -> io::Result<()> {
        let ServeSettings { level, nodes, search } = self.settings;
        let option = |name: &str, about: String| {
            FromEngine::Option(EngineOption { name: name.to_owned(), about })
        };
        let games =
            Kind::ALL.iter().map(|kind| PlayedGame { game: kind.name().to_owned(), players: None });
        let Settings { seed, lines, hash_mb, threads, contempt, uses_book, uses_tables: _ } =
            search;
        for line in [
            FromEngine::Name(format!("adamant {level}")),
            FromEngine::Author("the authors of Adamant".to_owned()),
            FromEngine::Games(games.collect()),
            FromEngine::Can(vec!["ponder".to_owned(), "draw".to_owned()]),
            option("level", format!("type string default {level}")),
            option("nodes", format!("type spin default {} min 0", nodes.unwrap_or(0))),
            option("seed", format!("type spin default {seed}")),
            option("Hash", format!("type spin default {hash_mb} min 1 max {HASH_MB_MAX}")),
            option("Threads", format!("type spin default {threads} min 1 max {THREADS_MAX}")),
            option("MultiPV", format!("type spin default {lines} min 1 max {LINES_MAX}")),
            option("Contempt", format!("type spin default {contempt} min -1000 max 1000")),
            option("TablePath", "type string default".to_owned()),
            option("OwnBook", format!("type check default {uses_book}")),
            option("BookPath", "type string default".to_owned()),
            FromEngine::Ready,
        ] {
            writeln!(output, "{line}")?;
        }
        Ok(())
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), String> {
        let wrong = || format!("{value} is no value of {name}");
        let number = |least: i64, most: i64| {
            let number = value.parse::<i64>().ok().filter(|number| (least..=most).contains(number));
            number.ok_or_else(wrong)
        };
        let ServeSettings { level, nodes, search } = &mut self.settings;
        match &*name.to_ascii_lowercase() {
            "level" => *level = value.parse().map_err(|_| wrong())?,
            "nodes" => {
                let most: u64 = value.parse().map_err(|_| wrong())?;
                *nodes = (most > 0).then_some(most);
            }
            "seed" => search.seed = value.parse().map_err(|_| wrong())?,
            "hash" => search.hash_mb = small(number(1, HASH_MB_MAX)?),
            "threads" => search.threads = small(number(1, THREADS_MAX)?),
            "multipv" => search.lines = small(number(1, LINES_MAX)?),
            "contempt" => search.contempt = small(number(-1000, 1000)?),
            "tablepath" | "bookpath" if value.is_empty() => {}
            "tablepath" => {
                use_tables(Path::new(value)).map_err(|error| error.to_string())?;
            }
            "ownbook" => search.uses_book = value.parse().map_err(|_| wrong())?,
            "bookpath" => {
                use_books(Path::new(value)).map_err(|error| error.to_string())?;
            }
            _ => return Err(format!("there is no option {name}")),
        }
        Ok(())
    }

    fn begin(&mut self, new_game: &NewGame, output: &mut impl Write) -> io::Result<()> {
        (self.begun, self.table) = (None, None);
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

    /// Thinks, and answers when the host wants it to.
    fn go(&self, thought: &Thought, output: &mut impl Write) -> io::Result<()> {
        let table = self.table.as_ref().filter(|table| table.to_move().is_some());
        let Some(table) = table else {
            return writeln!(output, "{}", FromEngine::Error("there is no position".to_owned()));
        };
        thought.begin(table.position().to_move().index());
        let strength = match self.settings.level {
            Level::Numbered(number) => Some(number.strength(table.position().kind())),
            _ => None,
        };
        let searches = strength.map_or(self.settings.level == Level::Search, Strength::searches);
        if searches {
            self.search(table, thought, strength, output)
        } else {
            // These levels think for a moment only, when the answer is due.
            if !thought.is_released() {
                return Ok(());
            }
            self.choose(table, thought, output)
        }
    }

    /// Thinks with the search of the game. A strength narrows it and chooses among what it finds.
    fn search(
        &self,
        table: &Table,
        thought: &Thought,
        strength: Option<Strength>,
        output: &mut impl Write,
    ) -> io::Result<()> {
        let ServeSettings { nodes, search: settings, .. } = self.settings;
        let position = table.position();
        let seat = position.to_move().index();
        let limits = thought.limits(nodes, default_nodes(position), seat);
        let lines = settings.lines;
        let (limits, settings) =
            strength.map_or((limits, settings), |strength| strength.narrow(limits, settings));
        let search = Search::new(position, table.positions_seen(), limits);
        let search = search.with(settings).since(thought.begun);
        thought.ends_after(limits.time);
        // This thread sleeps while the other one searches, so that the answer is not late.
        thread::scope(|scope| {
            let thinks = || {
                let report = search.run(&thought.stop, &mut |report| thought.found(report));
                thought.is_over(report);
            };
            thread::Builder::new().spawn_scoped(scope, thinks)?;
            let answered =
                Self::tell_and_answer(table, thought, (strength, settings), lines, output);
            // What the search would still find nobody waits for.
            thought.stop.now();
            answered
        })
    }

    /// Tells what a search finds, and answers once it has ended or is due.
    fn tell_and_answer(
        table: &Table,
        thought: &Thought,
        (strength, settings): (Option<Strength>, Settings),
        lines: usize,
        output: &mut impl Write,
    ) -> io::Result<()> {
        let mut report = Report::default();
        loop {
            let (found, is_last) = thought.next_found();
            for found in found {
                tell(&found, lines, output)?;
                report = found;
            }
            output.flush()?;
            if is_last {
                break;
            }
        }
        if !thought.is_released() {
            return Ok(());
        }
        let mut rng = StdRng::seed_from_u64(settings.seed ^ table.hash());
        let position = table.position();
        let chosen = strength.and_then(|strength| strength.choose(position, &report, &mut rng));
        let chosen = chosen.or_else(|| report.best.clone()).expect("a seat to move has a move");
        let notation = chosen.to_string();
        let mut known = report.lines.iter().map(|line| &line.moves);
        let expected = known.find(|moves| moves.first() == Some(&notation));
        let expected = expected.and_then(|moves| moves.get(1).cloned());
        let best = BestMove::Move { notation, ponder: expected, draw: false };
        writeln!(output, "{}", FromEngine::BestMove(best))
    }

    fn choose(&self, table: &Table, thought: &Thought, output: &mut impl Write) -> io::Result<()> {
        let seat = table.position().to_move().index();
        let nodes = self.settings.nodes.unwrap_or(NODE_BUDGET);
        let nodes = nodes_within(nodes, thought.asked, thought.last_clock().as_ref(), seat);
        let ServeSettings { level, search, .. } = self.settings;
        // No state is carried over from move to move: a restart changes nothing.
        let mut rng = StdRng::seed_from_u64(search.seed ^ table.hash());
        let seen = table.positions_seen();
        let opinion = opinion_within(seen, table.position(), level, nodes, &mut rng);
        let opinion = opinion.expect("a seat to move has a move");
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

    /// What the level thinks of a position in which a draw is offered, whoever is to move.
    fn about_draw(&self) -> Option<Opinion> {
        let table = self.table.as_ref()?;
        table.to_move()?;
        opinion(table.positions_seen(), table.position(), self.settings.level)
    }
}

/// The most memory for tables, in MiB.
const HASH_MB_MAX: i64 = 4096;

/// The most threads of a thought.
const THREADS_MAX: i64 = 256;

/// The most lines at once.
const LINES_MAX: i64 = 64;

fn small<T: TryFrom<i64>>(number: i64) -> T {
    T::try_from(number).ok().expect("the number is within its bounds")
}

/// Writes what a search has found, a line for each of its best moves.
fn tell(report: &Report, most: usize, output: &mut impl Write) -> io::Result<()> {
    let micros = report.time.as_micros().max(1);
    let nps = u128::from(report.nodes) * 1_000_000 / micros;
    for (number, line) in (1..).zip(report.lines.iter().take(most)) {
        let info = Info {
            depth: Some(report.depth),
            seldepth: Some(report.seldepth),
            multipv: (most > 1).then_some(number),
            nodes: Some(report.nodes),
            nps: u64::try_from(nps).ok(),
            time_ms: u64::try_from(report.time.as_millis()).ok(),
            score: Some(line.value),
            exact: line.exact,
            hashfull: (report.hashfull > 0).then_some(report.hashfull),
            pv: line.moves.clone(),
            text: None,
        };
        writeln!(output, "{}", FromEngine::Info(info))?;
    }
    Ok(())
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
        let search = Settings { seed: 7, ..Settings::default() };
        ServeSettings { level: Level::Search, nodes: Some(2_000), search }
    }

    /// The lines without what the clock says.
    fn timeless(lines: &[String]) -> Vec<String> {
        let is_time = |word: &str| ["time", "nps"].contains(&word);
        let timeless = |line: &String| {
            let mut words = line.split(' ').collect::<Vec<_>>();
            while let Some(at) = words.iter().position(|word| is_time(word)) {
                words.drain(at..at + 2);
            }
            words.join(" ")
        };
        lines.iter().map(timeless).collect()
    }

    const GAME: &str = "newgame diam players 2 seat 0 options -board=8x4";

    #[test]
    fn the_same_lines_and_seed_give_the_same_moves() {
        for level in Level::NAMED.iter().copied() {
            let settings = ServeSettings { level, ..search() };
            let go = [GAME, "position start moves A1", "go", "go nodes 400"];
            let first = timeless(&answers(settings, &go));
            assert_eq!(first, timeless(&answers(settings, &go)));
            assert_eq!(moves(&first), 2, "{first:?}");
            let other =
                [GAME, "position start", "go", "position start moves A1", "go", "go nodes 400"];
            let other = timeless(&answers(settings, &other));
            assert!(other.ends_with(&first), "thoughts before change nothing");
        }
    }

    fn moves(lines: &[String]) -> usize {
        lines.iter().filter(|line| line.starts_with("bestmove ")).count()
    }

    #[test]
    fn a_pondered_move_waits_for_the_hit() {
        for level in [Level::Greedy, Level::Search] {
            let settings = ServeSettings { level, ..search() };
            let waits = [GAME, "position start moves A1", "ponder"];
            assert_eq!(moves(&answers(settings, &waits)), 0);
            for end in ["ponderhit", "stop"] {
                let ended = [GAME, "position start moves A1", "ponder", end, end];
                let answers = answers(settings, &ended);
                assert_eq!(moves(&answers), 1);
                assert!(answers[0].starts_with("info ") && answers.len() > 1, "{answers:?}");
            }
        }
    }

    /// A thought that only the host ends: the lines are written while it goes on.
    #[test]
    fn stop_and_quit_end_a_thought_without_limits() {
        for game in ["adamas players 2", "hexma players 3", "stymie players 2", "diam players 2"] {
            for (asks, ends) in [
                ("go infinite", "stop"),
                ("go infinite", "quit"),
                ("ponder movetime 600000", "stop"),
                ("ponder clock movetime 1", "ponderhit"),
                ("go movetime 600000", "quit"),
            ] {
                let (input, mut host) = io::pipe().unwrap();
                let (heard, output) = io::pipe().unwrap();
                let serving = thread::spawn(|| {
                    serve(io::BufReader::new(input), output, ServeSettings::default())
                });
                let mut heard = io::BufReader::new(heard).lines();
                writeln!(host, "newgame {game} seat 0\nposition start\n{asks}").unwrap();
                let mut next = || heard.next().map(Result::unwrap);
                assert!(next().unwrap().starts_with("info "), "{game}: {asks}");
                writeln!(host, "{ends}").unwrap();
                let answer = std::iter::from_fn(next).find(|line| line.starts_with("bestmove "));
                assert_eq!(answer.is_some(), asks != "go infinite" || ends == "stop", "{game}");
                drop(host);
                serving.join().unwrap().unwrap();
            }
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
