//! A folder in which matches are played, with engines in Python.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

use crate::Run;

/// An engine that does what its first argument says.
const ENGINE: &str = r#"
import os, sys
mode = sys.argv[1]
for line in sys.stdin:
    command, *words = line.split() or [""]
    if command == "adamant-engine":
        print(f"id name {mode}\ncan draw\noption name style type string default plain\nready", flush=True)
    elif command == "go":
        if mode == "crash" or mode == "crash-once" and not os.path.exists("crashed"):
            open("crashed", "w").close()
            sys.exit(3)
        elif mode == "illegal":
            print("bestmove z99", flush=True)
        elif mode == "long":
            print("x" * 70000, flush=True)
        elif mode == "error":
            print("error no more", flush=True)
        elif mode == "resign":
            print("bestmove resign", flush=True)
        elif mode != "hang":
            print("legal max 1", flush=True)
    elif command == "legal":
        print("bestmove", words[1], "draw" if mode == "peace" else "", flush=True)
    elif command == "offer":
        print("accept" if mode == "peace" else "decline", flush=True)
    elif command == "quit":
        break
"#;

/// A small game, and engines that end it soon.
pub(super) const SMALL: &str = "adamant match --game diam -board=8x4";

/// A folder in which matches are played.
pub(super) struct Playground {
    folder: TempDir,
}

impl Playground {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().expect("room for files");
        fs::write(folder.path().join("mode.py"), ENGINE).expect("room for a file");
        Self { folder }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("room for a file");
    }

    pub(super) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("the file is there")
    }

    /// Returns a command of a shell in this folder, which finds the program.
    pub(super) fn shell(&self, line: &str) -> Command {
        let program = Path::new(env!("CARGO_BIN_EXE_adamant"));
        let folder = program.parent().expect("it lies in a folder").display();
        let mut command = Command::new("sh");
        // `exec` lets signals reach the program.
        command.args(["-c", &format!("PATH='{folder}':$PATH; exec {line}")]);
        command.current_dir(self.folder.path()).env_remove("CLICOLOR_FORCE");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs a command line to its end.
    pub(super) fn run(&self, line: &str) -> Run {
        let output = self.shell(line).output().expect("there is a shell");
        Run {
            stdout: String::from_utf8(output.stdout).expect("data is text"),
            stderr: String::from_utf8(output.stderr).expect("messages are text"),
            status: output.status.code().expect("it is not killed"),
        }
    }

    /// Plays a small match. Returns its report.
    #[track_caller]
    pub(super) fn play(&self, arguments: &str) -> Value {
        let run = self.run(&format!("{SMALL} --json {arguments}"));
        assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
        serde_json::from_str(&run.stdout).expect("one object")
    }

    /// Returns the results in a folder, without its first line.
    pub(super) fn results(&self, folder: &str) -> Vec<Value> {
        let text = self.read(&format!("{folder}/results.jsonl"));
        text.lines().skip(1).map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    /// Returns all files of a match with their bytes.
    pub(super) fn files(&self, folder: &str) -> BTreeMap<String, Vec<u8>> {
        let games = fs::read_dir(self.path(folder).join("games")).expect("a folder of records");
        let mut paths: Vec<PathBuf> = games.map(|entry| entry.expect("a file").path()).collect();
        paths.push(self.path(folder).join("results.jsonl"));
        let name =
            |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        paths.iter().map(|path| (name(path), fs::read(path).expect("a file"))).collect()
    }

    /// Lets `verify` and `replay` read all records of a match. Returns how many there are.
    #[track_caller]
    pub(super) fn check_records(&self, folder: &str) -> usize {
        let results = self.results(folder);
        for result in &results {
            let file = format!(
                "{folder}/games/game-{:06}",
                result["game"].as_u64().expect("it has a number")
            );
            let verified = self.run(&format!("adamant verify --json {file}.jsonl"));
            assert_eq!(verified.status, 0, "{file}: {}{}", verified.stdout, verified.stderr);
            let verified: Value = serde_json::from_str(&verified.stdout).expect("one object");
            assert_eq!(verified["chain"], result["chain"], "{file}");
            let replayed = self.run(&format!("adamant replay --json {file}.txt"));
            assert_eq!(replayed.status, 0, "{file}: {}{}", replayed.stdout, replayed.stderr);
        }
        results.len()
    }
}

/// Returns a report without what engines used, which differs from run to run.
pub(super) fn without_usage(mut report: Value) -> Value {
    for engine in report["engines"].as_array_mut().expect("a list of engines") {
        engine.as_object_mut().expect("an object for each").remove("usage").expect("its usage");
    }
    report
}

/// Returns the words that let a mode of the engine take part.
pub(super) fn engine(mode: &str) -> String {
    format!("--engine 'python3 mode.py {mode}'")
}

/// Two levels of the program, which play differently.
pub(super) const LEVELS: &str = "--engine 'adamant engine --level search --nodes 60' --name strong \
     --engine 'adamant engine --level greedy' --name weak --nodes 60";
