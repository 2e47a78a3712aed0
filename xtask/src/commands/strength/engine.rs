//! The engine in a process of its own, asked by its protocol, with the moments of its answers.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Child, ChildStdin, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

use adamant_rules::{Kind, Options};
use anyhow::{Context as _, Result, bail};

use crate::run::{now, program};

/// Lines that may wait to be read.
const LINES_MAX: usize = 1024;

/// How long an answer may take.
const ANSWER_MAX: Duration = Duration::from_mins(5);

/// A running engine.
pub(crate) struct Engine {
    child: Child,
    input: ChildStdin,
    /// Its lines, each with the moment at which it came.
    lines: Receiver<(Instant, String)>,
}

impl Engine {
    /// Starts the engine at full strength.
    pub(crate) fn start(path: &Path) -> Result<Self> {
        let mut command = program(path);
        command.arg("engine").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("{}", path.display()))?;
        let input = child.stdin.take().context("the engine's input")?;
        let output = child.stdout.take().context("the engine's output")?;
        let (sender, lines) = mpsc::sync_channel(LINES_MAX);
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send((now(), line)).is_err() {
                    return;
                }
            }
        });
        let mut engine = Self { child, input, lines };
        engine.say("adamant-engine 1")?;
        engine.answer("ready")?;
        Ok(engine)
    }

    /// Sends a line. Returns the moment before.
    pub(crate) fn say(&mut self, line: &str) -> Result<Instant> {
        let at = now();
        writeln!(self.input, "{line}")?;
        self.input.flush()?;
        Ok(at)
    }

    /// Waits for a line with this first word. Returns what stands behind it.
    pub(crate) fn answer(&mut self, word: &str) -> Result<(Instant, String)> {
        loop {
            let (at, line) = self.lines.recv_timeout(ANSWER_MAX).context("the engine is silent")?;
            if line.starts_with("error") || line.starts_with("info string") {
                bail!("the engine has said {line}");
            }
            if let Some(rest) = line.strip_prefix(word) {
                return Ok((at, rest.trim_start().to_owned()));
            }
        }
    }

    /// Places a game of two with its usual options after some steps.
    pub(crate) fn place(&mut self, kind: Kind, seat: usize, steps: &[String]) -> Result<()> {
        let options = kind.complete(&Options::new(), 2)?;
        let line = format!("newgame {} players 2 seat {seat} options {options}", kind.name());
        self.say(line.trim_end_matches(" options "))?;
        let mut line = "position start".to_owned();
        if !steps.is_empty() {
            line = format!("{line} moves {}", steps.join(" "));
        }
        self.say(&line)?;
        Ok(())
    }

    /// Waits for a move. Returns when it came.
    pub(crate) fn best_move(&mut self) -> Result<(Instant, String)> {
        let (at, rest) = self.answer("bestmove")?;
        let mv = rest.split(' ').next().context("a move behind `bestmove`")?;
        Ok((at, mv.to_owned()))
    }

    /// Asks for a move.
    pub(crate) fn choose(
        &mut self,
        kind: Kind,
        seat: usize,
        steps: &[String],
        limit: &str,
    ) -> Result<String> {
        self.place(kind, seat, steps)?;
        self.say(&format!("go {limit}"))?;
        Ok(self.best_move()?.1)
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // It ends by itself when its input does; this is for one that thinks.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
