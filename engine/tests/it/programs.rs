//! The engines of the tests.

use std::{
    fs,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use adamant_engine::protocol::{
    EngineCommand, Log, Player, PlayerSettings, Request, Resort,
    game::begin,
    messages::{Limits, NewGame, ToEngine},
};
use adamant_rules::{Seat, Table};
use tempfile::TempDir;

/// The longest wait of a test.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// The time that an engine has for a move where a test is not about time.
pub(crate) const LONG: Duration = Duration::from_mins(10);

/// The beginning of every engine. `say` writes a line, `count` numbers the runs of the program.
const PROLOGUE: &str = r#"
import os, random, sys, time
folder = os.path.dirname(os.path.abspath(__file__))
with open(folder + "/runs", "a+") as file:
    file.write("x")
    file.seek(0)
    run = len(file.read())
def say(*words):
    print(*words, flush=True)
def heard():
    for line in sys.stdin:
        with open(folder + "/heard", "a") as file:
            file.write(line)
        command, *words = line.split() or [""]
        if command == "quit":
            break
        if command == "adamant-engine":
            greet()
        else:
            yield command, words
def greet():
    say("id name test\nready")
"#;

/// An engine in a folder of its own.
pub(crate) struct Program {
    folder: TempDir,
    /// What it wrote to standard error, and what was wrong with its lines.
    logged: Arc<Mutex<Vec<String>>>,
}

impl Program {
    /// Writes a program.
    pub(crate) fn new(body: &str) -> Self {
        let folder = tempfile::tempdir().expect("room for files");
        fs::write(folder.path().join("engine.py"), format!("{PROLOGUE}{body}")).expect("room");
        Self { folder, logged: Arc::default() }
    }

    /// How often it was started.
    pub(crate) fn runs(&self) -> usize {
        fs::read_to_string(self.folder.path().join("runs")).map_or(0, |runs| runs.len())
    }

    /// The commands that it has heard, without their words.
    pub(crate) fn heard(&self) -> Vec<String> {
        let heard = fs::read_to_string(self.folder.path().join("heard")).unwrap_or_default();
        let first = |line: &str| line.split(' ').next().unwrap_or_default().to_owned();
        heard.lines().map(first).collect()
    }

    /// What it has written to a file in its folder.
    pub(crate) fn written(&self, file: &str) -> String {
        fs::read_to_string(self.folder.path().join(file)).expect("the engine has written it")
    }

    pub(crate) fn logged(&self) -> Vec<String> {
        self.logged.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How the program is run.
    pub(crate) fn settings(&self) -> PlayerSettings {
        let path = self.folder.path().join("engine.py");
        settings(&path)
    }

    /// Lets the program play at a table.
    pub(crate) fn player(&self, table: &Table) -> Player {
        self.player_with(table, self.settings())
    }

    /// Lets the program play at a table, with other settings.
    pub(crate) fn player_with(&self, table: &Table, settings: PlayerSettings) -> Player {
        let logged = Arc::clone(&self.logged);
        let log: Log = Arc::new(move |line| {
            logged.lock().unwrap_or_else(PoisonError::into_inner).push(line.to_owned());
        });
        Player::new(Arc::new(settings), table, Seat::FIRST, log)
    }
}

/// Settings for a program in Python.
pub(crate) fn settings(path: &Path) -> PlayerSettings {
    let command = EngineCommand::parse(&format!("python3 '{}'", path.display())).unwrap();
    PlayerSettings { command, options: Vec::new(), restarts_max: 2, resort: Resort::Play }
}

/// A game that has just begun.
pub(crate) fn table(new_game: &str) -> Table {
    let Ok(ToEngine::NewGame(new_game)) = new_game.parse() else { panic!("{new_game}") };
    begin(&NewGame { seat: 0, ..new_game }).unwrap()
}

/// A small game of two.
pub(crate) fn diam() -> Table {
    table("newgame diam players 2 seat 0 options -board=8x4")
}

/// A question with so much time.
pub(crate) fn within(left: Duration) -> Request {
    Request { limits: Limits::default(), left: Some(left), overhead: Duration::ZERO }
}
