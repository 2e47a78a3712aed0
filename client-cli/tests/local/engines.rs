//! `adamant engine`, and every conversation of docs/ENGINES.md with the program that it names.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};

use adamant_engine::protocol::{
    game,
    messages::{BestMove, FromEngine, ToEngine},
};
use adamant_rules::Table;

use crate::{document, fits, repository};

/// The longest wait for a line.
const PATIENCE: Duration = Duration::from_secs(20);

/// A running engine, whose lines another thread reads.
struct Engine {
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<String>,
}

impl Engine {
    /// Starts a program in the folder of the repository.
    fn start(command: &str) -> Self {
        let mut words = command.split(' ');
        let program = match words.next() {
            Some("adamant") => env!("CARGO_BIN_EXE_adamant"),
            program => program.expect("a conversation names its program"),
        };
        let mut child = Command::new(program)
            .args(words)
            .current_dir(repository())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the engine can be run");
        let stdin = child.stdin.take().expect("it is piped");
        let stdout = child.stdout.take().expect("it is piped");
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Self { child, stdin, lines }
    }

    fn send(&mut self, line: &str) {
        writeln!(self.stdin, "{line}").expect("the engine reads");
        self.stdin.flush().expect("the engine reads");
    }

    fn next(&self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("a line in time")
    }

    /// Closes the input. The engine must end, and say nothing more.
    fn end(mut self) {
        drop(self.stdin);
        assert_eq!(self.lines.recv_timeout(PATIENCE).ok(), None);
        assert!(self.child.wait().expect("it has ended").success());
    }
}

/// The host of a conversation: it knows the game, so that the document cannot say anything else.
#[derive(Default)]
struct Host {
    begun: Option<Table>,
    table: Option<Table>,
}

impl Host {
    /// Returns the line to send for one that the document shows.
    fn say(&mut self, shown: &str) -> String {
        match shown.parse() {
            Ok(ToEngine::NewGame(new_game)) => self.begun = game::begin(&new_game).ok(),
            Ok(ToEngine::Position(steps)) => {
                let mut table = self.begun.clone().expect("a game has begun");
                game::follow(&mut table, &steps).unwrap_or_else(|why| panic!("{shown}: {why}"));
                self.table = Some(table);
            }
            Ok(ToEngine::Board(_)) => {
                let board = game::board(self.table()).to_string();
                assert_eq!(shown, board);
            }
            Ok(ToEngine::Legal { .. }) => {
                let (moves, all) = game::legal(self.table().position(), 512);
                let legal = ToEngine::Legal { all, moves }.to_string();
                assert!(fits(shown, &legal), "{shown} is {legal}");
                return legal;
            }
            Ok(_) => {}
            Err(error) => assert_eq!(shown, "dance", "{error}"),
        }
        shown.to_owned()
    }

    /// Checks a line of the engine.
    fn hear(&self, line: &str) {
        let read: FromEngine = line.parse().unwrap_or_else(|why| panic!("{line}: {why}"));
        if let FromEngine::BestMove(BestMove::Move { notation, .. }) = read {
            let legal = game::check_move(self.table().position(), &notation);
            assert!(legal.is_ok(), "{line}: {legal:?}");
        }
    }

    fn table(&self) -> &Table {
        self.table.as_ref().expect("a position was shown")
    }
}

#[test]
fn every_conversation_of_the_document_takes_place() {
    let document = document("ENGINES.md");
    let mut blocks = 0;
    for block in document.split("\n```engine ").skip(1) {
        let (command, rest) = block.split_once('\n').expect("a command and lines");
        let (lines, _) = rest.split_once("\n```").expect("a block ends");
        let (mut engine, mut host) = (Engine::start(command), Host::default());
        for line in lines.lines() {
            match line.split_once(' ').expect("a mark and a line") {
                (">", shown) => engine.send(&host.say(shown)),
                ("<", shown) => {
                    let said = engine.next();
                    assert!(fits(shown, &said), "{command}: {said} instead of {shown}");
                    host.hear(&said);
                }
                _ => panic!("{line} has no mark"),
            }
        }
        engine.end();
        blocks += 1;
    }
    assert_eq!(blocks, document.matches("```engine").count());
    assert!(blocks >= 4);
}

#[test]
fn the_document_shows_the_example_engine() {
    let example = std::fs::read_to_string(repository().join("docs/examples/engine.py")).unwrap();
    assert!(document("ENGINES.md").contains(&format!("```python\n{example}```")), "they differ");
    assert!(example.lines().count() <= 20, "it is short");
}
