//! Matches between neighbouring levels of the computer. Both sides count nodes, so that the results
//! hold on a busy machine.

use std::{fmt::Write as _, fs, path::Path};

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;

use crate::run::{note, output, print, program, root, said, target};

/// The games, in the order in which they are measured.
pub(super) const GAMES: [&str; 4] = ["diam", "stymie", "hexma", "adamas"];

/// The levels.
const LEVELS: u8 = 8;

/// Pairs of neighbours.
const PAIRS: usize = LEVELS as usize - 1;

/// Where the results stand that the engine reports.
const MEASURED: &str = "engine/src/search/measured.rs";

/// The document with the table.
pub(super) const TABLE: &str = "engine/README.md";

/// Lost games that a match without one may have missed: where so many are expected, one match in
/// twenty has none.
const LOST_UNSEEN: f64 = 3.0;

/// What `adamant match --json` prints, as far as it matters here.
#[derive(Deserialize)]
pub(super) struct Match {
    pub(super) pairings: Vec<Pairing>,
    pub(super) engines: Vec<Player>,
}

#[derive(Deserialize)]
pub(super) struct Player {
    pub(super) wins: u32,
    pub(super) usage: Option<Usage>,
}

#[derive(Deserialize)]
pub(super) struct Usage {
    /// The mean of a move.
    pub(super) time_ms: f64,
}

#[derive(Deserialize)]
pub(super) struct Pairing {
    pub(super) games: u32,
    pub(super) wins: u32,
    estimate: Option<Estimate>,
}

impl Pairing {
    /// The least difference in Elo that is likely where every game was won: such a match has no
    /// estimate that is finite.
    fn at_least(&self) -> Option<f64> {
        let games = f64::from(self.games);
        (self.wins == self.games && games > LOST_UNSEEN)
            .then(|| 400.0 * (games / LOST_UNSEEN - 1.0).log10())
    }

    /// The difference in Elo that counts in the sum of a ladder.
    fn elo(&self) -> Option<f64> {
        self.at_least().or_else(|| self.estimate.as_ref()?.elo)
    }
}

/// A difference in Elo. A number is missing where it is infinite.
#[derive(Deserialize)]
struct Estimate {
    elo: Option<f64>,
    elo_low: Option<f64>,
    elo_high: Option<f64>,
}

/// Plays what is missing, and writes the results of a game down after each pair.
pub(super) fn measure(only: Option<&str>, engine: &Path, games: u32) -> Result<()> {
    let wanted: Vec<_> =
        GAMES.into_iter().filter(|game| only.is_none_or(|only| only == *game)).collect();
    if wanted.is_empty() {
        bail!("there is no such game; the games are {}", GAMES.join(", "));
    }
    for game in wanted {
        let mut pairings = Vec::new();
        for lower in 1..LEVELS {
            let pairing = play(game, lower, engine, games)?;
            print(&format!("{game} {} - {lower}: {}", lower + 1, shown(&pairing)));
            pairings.push(pairing);
            write_down(game, &pairings)?;
        }
    }
    Ok(())
}

fn play(game: &str, lower: u8, engine: &Path, games: u32) -> Result<Pairing> {
    let higher = lower + 1;
    let folder = target().join(format!("strength/levels/{game}-{higher}"));
    fs::create_dir_all(&folder)?;
    let games = games.next_multiple_of(2);
    let mut text = format!("game = {game:?}\nplayers = 2\ngames = {games}\nopening-plies = 2\n");
    for level in [higher, lower] {
        // A level has nodes of its own, which are fewer.
        writeln!(
            text,
            "[[engine]]\nname = \"level-{level}\"\ncommand = \"'{}' engine --level {level}\"\nnodes = 1000000",
            engine.display()
        )?;
    }
    let config = folder.join("match.toml");
    fs::write(&config, text)?;
    note(&format!("{game}: {games} games of level {higher} against level {lower}"));
    let mut plays = program(engine);
    plays.args(["--json", "match", "--resume", "--config"]).arg(&config);
    let said = output(plays.arg("--out").arg(folder.join("games")))?;
    let said: Match = serde_json::from_slice(&said).context("the result of a match")?;
    said.pairings.into_iter().next().context("a match of two has one pairing")
}

pub(super) fn shown(pairing: &Pairing) -> String {
    if let Some(elo) = pairing.at_least() {
        return format!(">= {elo:+.0}");
    }
    let number = |elo: Option<f64>, missing: &str| {
        elo.map_or_else(|| missing.to_owned(), |elo| format!("{elo:+.0}"))
    };
    match &pairing.estimate {
        Some(Estimate { elo, elo_low, elo_high }) => format!(
            "{} ({} to {})",
            number(*elo, "all lost"),
            number(*elo_low, "-inf"),
            number(*elo_high, "+inf")
        ),
        None => "nothing yet".to_owned(),
    }
}

/// Writes the row of a game into the table, with the pairs that have played, and its Elo into the
/// source of the engine once all have.
fn write_down(game: &str, pairings: &[Pairing]) -> Result<()> {
    let games = pairings.iter().map(|pairing| pairing.games).min().unwrap_or(0);
    let source = format!("{games} games a pair, {}, {}", commit()?, today()?);
    let mut cells: Vec<_> = pairings.iter().map(shown).collect();
    cells.resize(PAIRS, "-".to_owned());
    let cells = cells.join(" | ");
    replace_line(TABLE, &format!("| {game} |"), &format!("| {game} | {cells} | {source} |"))?;
    if pairings.len() < PAIRS {
        return Ok(());
    }
    let mut sum = 0.0;
    let mut sums = vec!["0".to_owned()];
    for pairing in pairings {
        let Some(elo) = pairing.elo() else {
            note(&format!("{game}: a pair has no estimate; its Elo is not written down"));
            return Ok(());
        };
        sum += elo;
        sums.push(format!("{sum:.0}"));
    }
    let constant = format!("pub(super) const {}: ", game.to_uppercase());
    let line = format!("{constant}Elo = Some([{}]);", sums.join(", "));
    replace_line(MEASURED, &constant, &line)
}

/// The commit that is checked out.
pub(super) fn commit() -> Result<String> {
    said("git", &["rev-parse", "--short=8", "HEAD"])
}

pub(super) fn today() -> Result<String> {
    said("date", &["-u", "+%F"])
}

/// Replaces the line of a file that begins so.
pub(super) fn replace_line(file: &str, begins: &str, with: &str) -> Result<()> {
    let file = root().join(file);
    let text = fs::read_to_string(&file)?;
    let line = text.lines().find(|line| line.starts_with(begins));
    let line = line.with_context(|| format!("{} has no line {begins}", file.display()))?;
    Ok(fs::write(&file, text.replacen(line, with, 1))?)
}
