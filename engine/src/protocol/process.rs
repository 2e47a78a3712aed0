//! A running engine: its process and its pipes. Every future may be dropped without loss.

use std::{
    fmt, io,
    process::{ExitStatus, Stdio},
    sync::Arc,
    time::Duration,
};

use tokio::{
    io::{AsyncBufReadExt as _, AsyncRead, AsyncWriteExt as _, BufReader},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
    task::JoinSet,
    time::timeout,
};

use super::{
    limits::{LINE_BYTES_MAX, OUTGOING_BYTES_MAX, QUESTIONS_PER_THOUGHT_MAX, QUIT_WAIT},
    messages::ToEngine,
};

/// Receives what an engine writes to standard error, and what is wrong with its lines.
pub type Log = Arc<dyn Fn(&str) + Send + Sync>;

/// The command line of an engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineCommand {
    program: String,
    arguments: Vec<String>,
}

impl EngineCommand {
    /// Splits a command line at its blanks. Quotes hold words together; there is no other syntax.
    pub fn parse(line: &str) -> Result<Self, EngineError> {
        let mut words: Vec<String> = Vec::new();
        let mut quote = None;
        let mut in_word = false;
        for letter in line.chars() {
            match quote {
                Some(open) if letter == open => quote = None,
                None if letter == '"' || letter == '\'' => {
                    quote = Some(letter);
                    if !in_word {
                        words.push(String::new());
                    }
                    in_word = true;
                }
                None if letter.is_whitespace() => in_word = false,
                Some(_) | None => {
                    if !in_word {
                        words.push(String::new());
                    }
                    in_word = true;
                    if let Some(word) = words.last_mut() {
                        word.push(letter);
                    }
                }
            }
        }
        if quote.is_some() {
            return Err(EngineError::Command("a quote is not closed"));
        }
        let mut words = words.into_iter();
        let program = words.next().filter(|program| !program.is_empty());
        let program = program.ok_or(EngineError::Command("it is empty"))?;
        Ok(Self { program, arguments: words.collect() })
    }
}

/// A running engine. Dropping it kills its process group.
pub struct Process {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: LineReader<ChildStdout>,
    /// What has not been written yet.
    outgoing: Vec<u8>,
    /// The task that reads standard error; it ends with this.
    _errors: JoinSet<()>,
}

impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Process").field("child", &self.child).finish_non_exhaustive()
    }
}

impl Process {
    /// Starts an engine in a process group of its own.
    pub fn start(command: &EngineCommand, log: &Log) -> Result<Self, EngineError> {
        let mut started = Command::new(&command.program);
        started.args(&command.arguments);
        started.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        started.kill_on_drop(true);
        #[cfg(unix)]
        started.process_group(0);
        let mut child = started.spawn().map_err(EngineError::Spawn)?;
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let stdout = stdout.expect("it is piped");
        let mut errors = JoinSet::new();
        errors.spawn(log_errors(stderr.expect("it is piped"), Arc::clone(log)));
        let lines = LineReader::new(stdout);
        Ok(Self { child, stdin, lines, outgoing: Vec::new(), _errors: errors })
    }

    /// Adds a line to what is sent. [`Process::next`] writes it.
    pub fn send(&mut self, line: &ToEngine) -> Result<(), EngineError> {
        let text = format!("{line}\n");
        if self.outgoing.len() + text.len() > OUTGOING_BYTES_MAX {
            return Err(EngineError::NotReading);
        }
        self.outgoing.extend_from_slice(text.as_bytes());
        Ok(())
    }

    /// Writes what waits, and returns the engine's next line.
    pub async fn next(&mut self) -> Result<String, EngineError> {
        loop {
            let Self { stdin, lines, outgoing, .. } = self;
            let line = match stdin {
                Some(pipe) if !outgoing.is_empty() => {
                    tokio::select! {
                        biased;
                        written = pipe.write(outgoing) => {
                            // An engine that has closed its input may still say why.
                            if let Ok(bytes) = written {
                                drop(outgoing.drain(..bytes));
                            } else {
                                outgoing.clear();
                                *stdin = None;
                            }
                            continue;
                        }
                        line = lines.next() => line,
                    }
                }
                Some(_) | None => lines.next().await,
            };
            return match line? {
                Some(line) => Ok(line),
                None => Err(self.ended().await),
            };
        }
    }

    /// Returns why the output has ended.
    async fn ended(&mut self) -> EngineError {
        match timeout(QUIT_WAIT, self.child.wait()).await {
            Ok(Ok(status)) => EngineError::Ended(status),
            Ok(Err(_)) | Err(_) => EngineError::Closed,
        }
    }

    /// Asks the engine to end, and kills it if it does not.
    pub async fn quit(mut self) {
        if self.send(&ToEngine::Quit).is_ok() {
            let end = async { while self.next().await.is_ok() {} };
            timeout(QUIT_WAIT, end).await.ok();
        }
    }

    /// The process id; `None` once the process has ended.
    pub fn id(&self) -> Option<u32> {
        self.child.id()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Programs that the engine has started end with it.
        #[cfg(unix)]
        if let Some(id) = self.child.id().and_then(|id| i32::try_from(id).ok()) {
            let group = nix::unistd::Pid::from_raw(id);
            // The group may be gone.
            nix::sys::signal::killpg(group, nix::sys::signal::Signal::SIGKILL).ok();
        }
    }
}

async fn log_errors(stderr: ChildStderr, log: Log) {
    let mut lines = LineReader::new(stderr);
    loop {
        match lines.next().await {
            Ok(Some(line)) => log(&line),
            Ok(None) => return,
            // The engine must not wait for a pipe without a reader.
            Err(_) => return lines.drain().await,
        }
    }
}

/// Why an engine gives no move.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The command line is empty or its quotes are not closed.
    #[error("the engine's command cannot be read: {0}")]
    Command(&'static str),
    /// The program cannot be started.
    #[error("the engine cannot be started: {0}")]
    Spawn(io::Error),
    /// The process ended.
    #[error("the engine ended: {0}")]
    Ended(ExitStatus),
    /// The engine closed its output, or a pipe broke.
    #[error("the engine's pipe is closed")]
    Closed,
    /// A line is longer than allowed.
    #[error("the engine wrote a line of more than {} bytes", LINE_BYTES_MAX)]
    LineTooLong,
    /// The engine does not read what is sent to it.
    #[error("the engine does not read its input")]
    NotReading,
    /// It did not say `ready` in time.
    #[error("the engine did not say `ready` within {} seconds", .0.as_secs())]
    NotReady(Duration),
    /// It says that it cannot go on.
    #[error("the engine says: {0}")]
    Refused(String),
    /// It did not answer in time, not even after `stop`.
    #[error("the engine gave no move in time")]
    NoAnswer,
    /// It made a move that the rules refuse.
    #[error("the engine's move {notation} is illegal: {why}")]
    IllegalMove {
        /// The move as written.
        notation: String,
        /// The reason.
        why: String,
    },
    /// It asked more questions about one position than allowed.
    #[error("the engine asked more than {} questions", QUESTIONS_PER_THOUGHT_MAX)]
    TooManyQuestions,
}

/// Lines of bounded length from a pipe. A dropped future loses nothing.
#[derive(Debug)]
pub(crate) struct LineReader<R> {
    source: BufReader<R>,
    /// The beginning of a line whose end has not arrived.
    begun: Vec<u8>,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    /// Reads from a pipe.
    pub(crate) fn new(source: R) -> Self {
        Self { source: BufReader::new(source), begun: Vec::new() }
    }

    /// Returns the next line without its end; `None` at the end of the output. What is no UTF-8
    /// becomes replacement characters.
    pub(crate) async fn next(&mut self) -> Result<Option<String>, EngineError> {
        loop {
            let available = self.source.fill_buf().await.map_err(|_| EngineError::Closed)?;
            if available.is_empty() {
                return Ok((!self.begun.is_empty()).then(|| self.take()));
            }
            let end = available.iter().position(|&byte| byte == b'\n');
            let taken = end.unwrap_or(available.len());
            if self.begun.len() + taken > LINE_BYTES_MAX {
                return Err(EngineError::LineTooLong);
            }
            self.begun.extend_from_slice(&available[..taken]);
            self.source.consume(taken + usize::from(end.is_some()));
            if end.is_some() {
                return Ok(Some(self.take()));
            }
        }
    }

    /// Reads and forgets everything up to the end.
    pub(crate) async fn drain(&mut self) {
        tokio::io::copy_buf(&mut self.source, &mut tokio::io::sink()).await.ok();
    }

    fn take(&mut self) -> String {
        let line = std::mem::take(&mut self.begun);
        String::from_utf8_lossy(&line).trim_end_matches('\r').to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_split_at_blanks_and_quotes_hold_words_together() {
        let read = |line: &str| {
            let EngineCommand { program, arguments } = EngineCommand::parse(line).unwrap();
            [vec![program], arguments].concat()
        };
        assert_eq!(read("  python3  engine.py "), ["python3", "engine.py"]);
        assert_eq!(
            read("'/my engines/hex' --name=\"a b\" ''"),
            ["/my engines/hex", "--name=a b", ""]
        );
        assert_eq!(read("\"it's\""), ["it's"]);
        for (line, why) in [("", "it is empty"), (" ", "it is empty"), ("a 'b", "not closed")] {
            let error = EngineCommand::parse(line).unwrap_err().to_string();
            assert!(error.contains(why), "{line:?}: {error}");
        }
    }

    #[tokio::test]
    async fn lines_are_split_bounded_and_made_text() {
        let long = "x".repeat(LINE_BYTES_MAX);
        let text = [b"one\r\n\n\xffz\n".as_slice(), long.as_bytes(), b"\nlast"].concat();
        let mut lines = LineReader::new(text.as_slice());
        for expected in ["one", "", "\u{fffd}z", long.as_str(), "last"] {
            assert_eq!(lines.next().await.unwrap().as_deref(), Some(expected));
        }
        assert_eq!(lines.next().await.unwrap(), None);
        let longer = "x".repeat(LINE_BYTES_MAX + 1);
        let mut lines = LineReader::new(longer.as_bytes());
        assert!(matches!(lines.next().await, Err(EngineError::LineTooLong)));
    }
}
