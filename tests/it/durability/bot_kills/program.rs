//! A bot program that is started again whenever it ends, as by a service manager.

use std::{fs, net::SocketAddr, path::PathBuf};

use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::{Child, ChildStderr},
    sync::watch,
    task::JoinSet,
};

use crate::harness::{Home, now_ms};

/// A move that the server has acknowledged to a bot, as the bot printed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AckedMove {
    pub(super) game: String,
    pub(super) ply: u32,
    pub(super) notation: String,
}

impl AckedMove {
    /// Reads a line such as `2bhz75dj: 3. c1-c2`; other lines are no moves.
    fn read(line: &str) -> Option<Self> {
        let (game, made) = line.split_once(": ")?;
        let (ply, notation) = made.split_once(". ")?;
        let ply = ply.parse().ok()?;
        Some(Self { game: game.to_owned(), ply, notation: notation.to_owned() })
    }
}

/// What the bots have printed, in all their runs.
#[derive(Debug, Default)]
pub(super) struct Heard {
    pub(super) moves: Vec<AckedMove>,
    /// The longest wait before an attempt to reconnect, in seconds.
    pub(super) longest_wait_s: f64,
}

impl Heard {
    fn take(&mut self, line: &str) {
        self.moves.extend(AckedMove::read(line));
        let wait =
            line.split_once("; reconnecting in ").and_then(|(_, wait)| wait.strip_suffix(" s"));
        let wait_s = wait.and_then(|wait| wait.parse().ok()).unwrap_or_default();
        self.longest_wait_s = self.longest_wait_s.max(wait_s);
    }
}

pub(super) struct Start {
    pub(super) name: &'static str,
    pub(super) program: PathBuf,
    pub(super) words: Vec<String>,
    pub(super) variables: Vec<(&'static str, String)>,
}

/// A line that a program has printed, with the time in Unix milliseconds.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub(super) at: u64,
    pub(super) text: String,
}

impl Line {
    /// Whether it says that the server has acknowledged a move.
    pub(super) fn is_move(&self) -> bool {
        AckedMove::read(&self.text).is_some()
    }
}

/// A bot that keeps its log-in in a home directory.
pub(super) struct Program {
    pub(super) name: &'static str,
    start: Start,
    home: Home,
    /// Whether a start has the log-in of the last run.
    keeps_log_in: bool,
    child: Child,
    /// The lines of this run.
    said: watch::Receiver<Vec<Line>>,
    readers: JoinSet<()>,
    /// The lines of all runs of all programs.
    heard: watch::Sender<Heard>,
}

impl Program {
    /// Starts a bot in a home directory, against the server at an address.
    pub(super) fn start(
        at: SocketAddr,
        (start, home): (Start, Home),
        keeps_log_in: bool,
        heard: &watch::Sender<Heard>,
    ) -> Self {
        let mut readers = JoinSet::new();
        let (child, said) = launch(&home, at, &start, heard, &mut readers);
        let name = start.name;
        Self { name, start, home, keeps_log_in, child, said, readers, heard: heard.clone() }
    }

    /// The process id; `None` if it has ended.
    pub(super) fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// The lines of this run.
    pub(super) fn said(&self) -> watch::Ref<'_, Vec<Line>> {
        self.said.borrow()
    }

    pub(super) fn last_line(&self) -> String {
        self.said().last().map(|line| line.text.clone()).unwrap_or_default()
    }

    /// Whether this run has gone on with games, or made a move.
    pub(super) fn has_played(&self) -> bool {
        let plays = |line: &Line| line.text.starts_with("Continuing ") || line.is_move();
        self.said().iter().any(plays)
    }

    /// Whether the program has ended by itself.
    pub(super) fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("it can be waited for").is_some()
    }

    /// Kills the program with SIGKILL.
    pub(super) async fn kill(&mut self) {
        self.child.kill().await.expect("it can be waited for");
        // The last lines belong to this run, too.
        while self.readers.join_next().await.is_some() {}
    }

    /// Starts the program again after its end.
    pub(super) fn start_again(&mut self, at: SocketAddr) {
        if !self.keeps_log_in {
            self.home = Home::new();
        }
        (self.child, self.said) =
            launch(&self.home, at, &self.start, &self.heard, &mut self.readers);
    }

    /// The processes of its engines.
    pub(super) fn engines(&self) -> Vec<u32> {
        self.id().map(children).unwrap_or_default()
    }
}

fn launch(
    home: &Home,
    at: SocketAddr,
    start: &Start,
    heard: &watch::Sender<Heard>,
    readers: &mut JoinSet<()>,
) -> (Child, watch::Receiver<Vec<Line>>) {
    let mut command = home.program(&start.program, at);
    command.args(&start.words).envs(start.variables.iter().cloned()).current_dir(home.path());
    let mut child = command.spawn().expect("the program can be run");
    let stderr = child.stderr.take().expect("it is piped");
    let (sender, said) = watch::channel(Vec::new());
    readers.spawn(read(stderr, sender, heard.clone()));
    (child, said)
}

async fn read(stderr: ChildStderr, said: watch::Sender<Vec<Line>>, heard: watch::Sender<Heard>) {
    let mut stderr = BufReader::new(stderr);
    let mut line = String::new();
    // A line without an end was cut off by the kill.
    while stderr.read_line(&mut line).await.is_ok() && line.ends_with('\n') {
        let whole = line.trim_end();
        heard.send_modify(|heard| heard.take(whole));
        said.send_modify(|lines| lines.push(Line { at: now_ms(), text: whole.to_owned() }));
        line.clear();
    }
}

/// Returns the processes that a process has started.
fn children(parent: u32) -> Vec<u32> {
    let processes = fs::read_dir("/proc").expect("the tests run on Linux");
    let ids = processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    ids.filter(|id: &u32| parent_of(*id) == Some(parent)).collect()
}

/// Returns the parent of a process that still exists.
fn parent_of(id: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name stands in brackets and may contain anything; state and parent follow.
    let (_, rest) = stat.rsplit_once(") ")?;
    rest.split(' ').nth(1)?.parse().ok()
}
