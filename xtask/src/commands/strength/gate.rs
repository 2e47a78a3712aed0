//! The gate that a change of a search passes: a sequential test against another commit.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;

use super::levels::GAMES;
use crate::run::{cargo, note, output, print, program, root, run, said, target};

/// How both think: by few nodes, where luck counts least, and by time, where speed counts too.
const LIMITS: [(&str, &str); 2] = [("nodes", "2000"), ("movetime", "\"100ms\"")];

/// The hypotheses: that the engine is as strong as before, and that it has won so much.
const BOUNDS: &str = "elo0=0,elo1=10";

/// What `adamant match --json` prints, as far as it matters here.
#[derive(Deserialize)]
struct Match {
    games: u32,
    sprt: Option<Test>,
}

#[derive(Deserialize)]
struct Test {
    llr: f64,
    verdict: String,
}

/// Tests an engine against that of a commit. Fails if it is no better in a game.
pub(super) fn test(only: Option<&str>, engine: &Path, against: &str, games: u32) -> Result<()> {
    let wanted: Vec<_> =
        GAMES.into_iter().filter(|game| only.is_none_or(|only| only == *game)).collect();
    if wanted.is_empty() {
        bail!("there is no such game; the games are {}", GAMES.join(", "));
    }
    let commit = said("git", &["rev-parse", "--short=8", "--verify", against])?;
    let other = build(&commit)?;
    let mut failed = Vec::new();
    for game in wanted {
        for limit in LIMITS {
            let Match { games, sprt } = play(game, limit, (engine, &other), games)?;
            let Test { llr, verdict } = sprt.context("the sequential test")?;
            let (name, most) = limit;
            print(&format!("{game}, {name} {most}: {verdict} after {games} games, LLR {llr:.2}"));
            if verdict != "accept_h1" {
                failed.push(format!("{game} with {name} {most}"));
            }
        }
    }
    if !failed.is_empty() {
        bail!("not shown to be better than {commit}: {}", failed.join(", "));
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
    let git = |args: &[&str]| {
        let mut git = program("git");
        git.current_dir(root()).args(args);
        git
    };
    let tree_name = tree.to_str().context("the folder has no plain name")?;
    if tree.exists() {
        run(&mut git(&["worktree", "remove", "--force", tree_name]))?;
    }
    run(&mut git(&["worktree", "add", "--detach", tree_name, commit]))?;
    let target_of_tree = folder.join("target");
    let mut builds = cargo(&["build", "--release", "--locked", "--package", "adamant-cli"]);
    builds.current_dir(&tree).arg("--target-dir").arg(&target_of_tree);
    run(&mut builds)?;
    fs::copy(target_of_tree.join("release/adamant"), &built)?;
    run(&mut git(&["worktree", "remove", "--force", tree_name]))?;
    Ok(built)
}

fn play(
    game: &str,
    (limit, most): (&str, &str),
    (engine, other): (&Path, &Path),
    games: u32,
) -> Result<Match> {
    let mut text = format!("game = {game:?}\nplayers = 2\ngames = {games}\nopening-plies = 2\n");
    for (name, program) in [("new", engine), ("old", other)] {
        let command = format!("'{}' engine", program.display());
        let lines = format!("[[engine]]\nname = {name:?}\ncommand = {command:?}\n");
        text.extend([lines, format!("{limit} = {most}\n")]);
    }
    let config = target().join("gate/match.toml");
    fs::write(&config, text)?;
    note(&format!("{game}: at most {games} games with {limit} {most}"));
    let mut plays = program(engine);
    plays.args(["--json", "match", "--sprt", BOUNDS, "--config"]).arg(&config);
    serde_json::from_slice(&output(&mut plays)?).context("the result of a match")
}
