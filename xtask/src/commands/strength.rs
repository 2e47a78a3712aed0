//! How strong the engine is: matches against the level that never changes, and between neighbouring
//! levels of the computer, or two commits; how exactly it keeps to its time.

mod engine;
mod gate;
mod levels;
mod time;

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, bail};
use clap::Args;

use self::levels::{Match, Player};
use crate::run::{self, cargo, note, output, run, target};

pub(super) use engine::Engine;

/// Arguments of `strength`.
#[derive(Debug, Args)]
pub(crate) struct StrengthArgs {
    /// The row: a game, or a variant of one, or `levels`, `time`, `server` or `gate`; all of them but
    /// these four, one after the other, if none is named.
    row: Option<String>,
    /// With `gate` the game; with `levels` and `time`, too, or all of them if none is named.
    game: Option<String>,
    /// With `gate` the commit than which the engine as it stands must be no weaker by nodes, and
    /// stronger by time: the last one.
    #[arg(long, value_name = "COMMIT", conflicts_with = "threads")]
    against: Option<String>,
    /// How many games each row plays: 200 of two players, 60 of three, 400 for each two levels, at
    /// most 4,000 with `gate`, and with `time` how many moves at each time: 500.
    #[arg(long, value_name = "N")]
    games: Option<u32>,
    /// Rows of two play the search with so many threads against itself with one.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=64))]
    threads: Option<u32>,
    /// Plays with this program instead of the release build.
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

/// The games of a row, and the fewest whose result is written down.
const fn games_of(row: &Row) -> u32 {
    if row.players == 2 { 200 } else { 60 }
}

/// The word for the matches between levels.
const LEVELS: &str = "levels";

/// The word for the measurement of time.
const TIME: &str = "time";

/// The word for the measurement of the server's bots under load.
const SERVER: &str = "server";

/// The word for a test against another commit.
const GATE: &str = "gate";

/// A row of the table.
struct Row {
    name: &'static str,
    /// The game with its options.
    game: &'static str,
    options: &'static [&'static str],
    /// The time of each move in milliseconds.
    ms: u32,
    players: u32,
}

const fn duel(name: &'static str, game: &'static str, ms: u32) -> Row {
    Row { name, game, options: &[], ms, players: 2 }
}

static ROWS: [Row; 8] = [
    duel("adamas", "adamas", 50),
    Row { options: &["-prog_cap"], ..duel("adamas-prog-cap", "adamas", 50) },
    duel("stymie", "stymie", 40),
    duel("diam-fast", "diam", 25),
    duel("diam", "diam", 100),
    duel("hexma", "hexma", 30),
    Row { players: 3, ..duel("adamas-three", "adamas", 100) },
    Row { players: 3, ..duel("hexma-three", "hexma", 100) },
];

/// Plays rows, each from where it stopped the last time.
pub(crate) fn strength(args: &StrengthArgs) -> Result<()> {
    let is_row = |row: &&Row| args.row.as_ref().is_none_or(|name| name == row.name);
    if args.against.is_some() && args.row.as_deref() != Some(GATE) {
        bail!("only `{GATE}` plays against a commit");
    }
    if args.threads.is_some() && !ROWS.iter().filter(is_row).any(|row| row.players == 2) {
        bail!("`--threads` is for rows of two players");
    }
    if args.row.as_deref() == Some(LEVELS) {
        return levels::measure(args.game.as_deref(), &program(args)?, args.games.unwrap_or(400));
    }
    if args.row.as_deref() == Some(TIME) {
        let moves = args.games.map_or(Ok(500), usize::try_from)?;
        return time::measure(args.game.as_deref(), &program(args)?, moves);
    }
    if args.row.as_deref() == Some(SERVER) {
        return super::bench(false, &["house", "--no-pin"].map(str::to_owned));
    }
    if args.row.as_deref() == Some(GATE) {
        let against = args.against.as_deref().unwrap_or("HEAD");
        let games = args.games.unwrap_or(gate::GAMES_MAX);
        return gate::test(args.game.as_deref(), &program(args)?, against, games);
    }
    if let Some(game) = &args.game {
        bail!("{game} names no row: only `{LEVELS}`, `{TIME}` and `{GATE}` have a game behind");
    }
    let is_wanted = |row: &&Row| is_row(row) && (args.threads.is_none() || row.players == 2);
    let rows: Vec<_> = ROWS.iter().filter(is_wanted).collect();
    if rows.is_empty() {
        let names = ROWS.iter().map(|row| row.name).collect::<Vec<_>>().join(", ");
        bail!("there is no such row; the rows are {names}, {LEVELS}, {TIME}, {SERVER}, {GATE}");
    }
    let program = program(args)?;
    let games = |row: &Row| args.games.unwrap_or_else(|| games_of(row));
    rows.into_iter().try_for_each(|row| play(row, &program, games(row), args.threads))
}

/// The program that plays.
fn program(args: &StrengthArgs) -> Result<PathBuf> {
    release_program(args.program.as_deref())
}

/// A program that was named, or the release build.
pub(super) fn release_program(named: Option<&Path>) -> Result<PathBuf> {
    if let Some(program) = named {
        return Ok(fs::canonicalize(program)?);
    }
    run(&mut cargo(&["build", "--release", "--locked", "--package", "adamant-cli"]))?;
    Ok(target().join("release/adamant"))
}

fn play(row: &Row, engine: &Path, games: u32, threads: Option<u32>) -> Result<()> {
    let Row { name, game, options, ms, players } = row;
    // Games of another search do not count.
    let of_threads = threads.map_or_else(String::new, |threads| format!("-{threads}-threads"));
    let folder = target().join(format!("strength/{name}{of_threads}-{}", levels::commit()?));
    fs::create_dir_all(&folder)?;
    let command = format!("'{}' engine", engine.display());
    let mut text = format!(
        "game = {game:?}\noption = {options:?}\nplayers = {players}\n\
         games = {}\nopening-plies = 2\n",
        games.next_multiple_of(*players)
    );
    // The level that never changes has its full effort, which counts nodes; its time is printed.
    let level = |name: &str, level: &str| {
        format!(
            "[[engine]]\nname = {name:?}\ncommand = \"{command} --level {level}\"\nnodes = 20000\n"
        )
    };
    writeln!(
        text,
        "[[engine]]\nname = \"search\"\ncommand = \"{command}\"\nmovetime = \"{ms}ms\""
    )?;
    if let Some(threads) = threads {
        // In the table of the engine before.
        writeln!(
            text,
            "options = {{ Threads = \"{threads}\" }}\n\
             [[engine]]\nname = \"one\"\ncommand = \"{command}\"\nmovetime = \"{ms}ms\""
        )?;
    } else if *players == 2 {
        text += &level("frozen", "hard-0.1");
    } else {
        text += &level("greedy-1", "greedy");
        text += &level("greedy-2", "greedy");
    }
    let config = folder.join("match.toml");
    fs::write(&config, text)?;
    note(&format!("{name}: {games} games with {ms} ms a move"));
    let play = |format: &[&str]| {
        let mut plays = run::program(engine);
        plays.args(format).args(["match", "--resume", "--config"]).arg(&config);
        plays.arg("--out").arg(folder.join("games"));
        plays
    };
    run(&mut play(&[]))?;
    if games < games_of(row) || threads.is_some() {
        return Ok(());
    }
    // Nothing is missing any more: this prints the result alone.
    let said: Match = serde_json::from_slice(&output(&mut play(&["--json"]))?)?;
    let pairing = said.pairings.first().context("a match has one pairing")?;
    let mean = |player: &Player| player.usage.as_ref().map_or(0.0, |usage| usage.time_ms);
    let times: Vec<_> = said.engines.iter().map(|player| format!("{:.0}", mean(player))).collect();
    let source = format!("{}, {}", levels::commit()?, levels::today()?);
    let result = if *players == 2 {
        levels::shown(pairing)
    } else {
        let decided: u32 = said.engines.iter().map(|player| player.wins).sum();
        format!("{decided} of {} decided, {} of these won", pairing.games, pairing.wins)
    };
    let (times, games) = (times.join(", "), pairing.games);
    let row = format!("| `{name}` | {result} | {times} | {games} games, {source} |");
    levels::replace_line(levels::TABLE, &format!("| `{name}` |"), &row)
}
