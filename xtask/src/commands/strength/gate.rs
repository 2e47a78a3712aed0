//! The gate that a change of a search passes: a sequential test against another commit.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;

use super::levels::GAMES;
use crate::run::{cargo, note, output, print, program, root, run, said, target};

/// The most games under a limit, unless another number is wanted.
pub(super) const GAMES_MAX: u32 = 4_000;

/// How both think, and the hypotheses: by nodes the engine must have lost nothing, since a gain in
/// speed changes no game there; by time it must have won.
const LIMITS: [Limit; 2] = [
    Limit { name: "nodes", most: "20000", bounds: "elo0=-10,elo1=0", shown: "as strong as" },
    Limit { name: "movetime", most: "\"100ms\"", bounds: "elo0=0,elo1=10", shown: "better than" },
];

struct Limit {
    name: &'static str,
    most: &'static str,
    bounds: &'static str,
    /// What it shows of the engine, before the other's commit.
    shown: &'static str,
}

/// What `adamant match --json` prints, as far as it matters here.
#[derive(Deserialize)]
struct Match {
    games: u32,
    sprt: Option<Test>,
    engines: Vec<Faults>,
}

#[derive(Deserialize)]
struct Faults {
    faults: BTreeMap<String, u32>,
}

#[derive(Deserialize)]
struct Test {
    llr: f64,
    verdict: String,
}

/// Tests an engine against that of a commit. Fails if it is not shown to be as strong by nodes, and
/// better by time.
pub(super) fn test(game: Option<&str>, engine: &Path, against: &str, games: u32) -> Result<()> {
    let Some(game) = game.filter(|game| GAMES.contains(game)) else {
        bail!("name the game: {}", GAMES.join(", "));
    };
    let games = games.next_multiple_of(2);
    let commit = format!("{against}^{{commit}}");
    let commit = said("git", &["rev-parse", "--short=8", "--verify", &commit])?;
    let other = build(&commit)?;
    for limit in LIMITS {
        let Match { games, sprt, engines } = play(game, &limit, (engine, &other), games)?;
        let Test { llr, verdict } = sprt.context("the sequential test")?;
        let Limit { name, most, bounds, shown } = limit;
        print(&format!(
            "{game}, {name} {most}, {bounds}: {verdict} after {games} games, LLR {llr:.2}"
        ));
        if engines.iter().any(|engine| !engine.faults.is_empty()) {
            bail!("an engine has failed in a game");
        }
        if verdict != "accept_h1" {
            bail!("not shown to be {shown} {commit}");
        }
    }
    Ok(())
}

/// The release build of a commit, from a work tree of its own.
fn build(commit: &str) -> Result<PathBuf> {
    let folder = target().join("gate");
    let built = folder.join(format!("adamant-{commit}"));
    if built.exists() {
        return Ok(built);
    }
    fs::create_dir_all(&folder)?;
    let tree = folder.join("tree");
    // What is left of a build that failed.
    if tree.exists() {
        fs::remove_dir_all(&tree)?;
    }
    let git = |args: &[&str], path: &Path| {
        let mut git = program("git");
        git.current_dir(root()).args(args).arg(path);
        git
    };
    run(git(&["worktree", "add", "--force", "--detach"], &tree).arg(commit))?;
    let target_of_tree = folder.join("target");
    let mut builds = cargo(&["build", "--release", "--locked", "--workspace", "--bin", "adamant"]);
    builds.current_dir(&tree).arg("--target-dir").arg(&target_of_tree);
    run(&mut builds)?;
    // Renamed when it is whole.
    let copy = folder.join("copy");
    fs::copy(target_of_tree.join("release/adamant"), &copy)?;
    fs::rename(copy, &built)?;
    run(&mut git(&["worktree", "remove", "--force"], &tree))?;
    Ok(built)
}

fn play(
    game: &str,
    Limit { name: limit, most, bounds, .. }: &Limit,
    (engine, other): (&Path, &Path),
    games: u32,
) -> Result<Match> {
    let mut text = format!("game = {game:?}\nplayers = 2\ngames = {games}\nopening-plies = 4\n");
    for (name, program) in [("new", engine), ("old", other)] {
        let command = format!("'{}' engine", program.display());
        let lines = format!("[[engine]]\nname = {name:?}\ncommand = {command:?}\n");
        text.extend([lines, format!("{limit} = {most}\n")]);
    }
    let config = target().join("gate/match.toml");
    fs::write(&config, text)?;
    note(&format!("{game}: at most {games} games with {limit} {most}"));
    let mut plays = program(engine);
    plays.args(["--json", "match", "--sprt", bounds, "--config"]).arg(&config);
    serde_json::from_slice(&output(&mut plays)?).context("the result of a match")
}
