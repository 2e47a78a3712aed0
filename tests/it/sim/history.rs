//! The history of a run: all that clients send and receive, all that becomes durable, and every log
//! event of the server, with the simulated time. The same seed has the same history.

use std::{
    fmt::{Debug, Write as _},
    sync::{Arc, Mutex},
};

use tokio::time::Instant;
use tracing::{
    Event, Level, Subscriber,
    field::{Field, Visit},
    subscriber::DefaultGuard,
};
use tracing_subscriber::{
    Layer,
    layer::{Context, SubscriberExt as _},
    util::SubscriberInitExt as _,
};

/// Lines that a failure shows.
const SHOWN_MAX: usize = 100;

/// Characters of a line that a failure shows.
const SHOWN_CHARS: usize = 300;

/// Targets of the log events that belong to the history.
const SERVER: &str = "adamant";

/// All that has happened in a run, one line each. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(super) struct RunHistory(Arc<Mutex<Recorded>>);

#[derive(Debug, Default)]
struct Recorded {
    lines: Vec<String>,
    /// The start of the present life, in epoch milliseconds and on the runtime's clock.
    began: Option<(u64, Instant)>,
    /// The directory of the run, which has a name by chance.
    directory: String,
}

impl RunHistory {
    /// Starts a history of the run in this directory.
    pub(super) fn new(directory: String) -> Self {
        Self(Arc::new(Mutex::new(Recorded { directory, ..Recorded::default() })))
    }

    /// Sets the time of the lines that follow; `None` outside of a life.
    pub(super) fn set_time(&self, began: Option<(u64, Instant)>) {
        self.0.lock().unwrap().began = began;
    }

    /// Returns the simulated time; `None` outside of a life.
    pub(super) fn now_ms(&self) -> Option<u64> {
        let (began_ms, began) = self.0.lock().unwrap().began?;
        Some(began_ms + u64::try_from(began.elapsed().as_millis()).expect("not so long"))
    }

    /// Adds a line.
    pub(super) fn push(&self, line: &str) {
        let now_ms = self.now_ms();
        let mut recorded = self.0.lock().unwrap();
        let line = line.replace(&recorded.directory, "DIRECTORY");
        let line = now_ms.map_or(line.clone(), |now_ms| format!("{now_ms} {line}"));
        recorded.lines.push(line);
    }

    /// Returns the last lines, shortened, and the faults that were found.
    pub(super) fn report(&self, faults: &[String]) -> String {
        let mut report = shown(&self.0.lock().unwrap().lines);
        for fault in faults {
            write!(report, "\nFAULT {fault}").expect("writing to memory");
        }
        report
    }

    pub(super) fn into_lines(self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap().lines)
    }

    /// Adds the log events of this thread until the guard is dropped.
    pub(super) fn add_log(&self) -> DefaultGuard {
        tracing_subscriber::registry().with(LogLayer(self.clone())).set_default()
    }
}

/// Says where two histories differ, with the lines before; `None` if they do not.
pub(super) fn first_difference(one: &[String], other: &[String]) -> Option<String> {
    let same = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    if same == one.len() && same == other.len() {
        return None;
    }
    let line = |lines: &[String]| lines.get(same).map_or("(ends)", String::as_str).to_owned();
    let (first, second) = (line(one), line(other));
    let before = shown(&one[..same]);
    Some(format!("{before}\nline {same} differs:\none:   {first}\nother: {second}"))
}

fn shown(lines: &[String]) -> String {
    let last = &lines[lines.len().saturating_sub(SHOWN_MAX)..];
    last.iter().map(|line| format!("{line:.SHOWN_CHARS$}")).collect::<Vec<_>>().join("\n")
}

struct LogLayer(RunHistory);

impl<S: Subscriber> Layer<S> for LogLayer {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let metadata = event.metadata();
        if metadata.target().starts_with(SERVER) && *metadata.level() <= Level::DEBUG {
            let mut line = format!("   log: {} {}", metadata.level(), metadata.target());
            event.record(&mut Fields(&mut line));
            self.0.push(&line);
        }
    }
}

struct Fields<'a>(&'a mut String);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, " {}={value:?}", field.name()).expect("writing to memory");
    }
}

#[test]
fn the_first_line_that_differs_is_shown_with_those_before() {
    let lines = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(first_difference(&lines("a b c"), &lines("a b c")), None);
    let difference = first_difference(&lines("a b c"), &lines("a b d")).unwrap();
    assert!(difference.starts_with("a\nb\n") && difference.contains("c\nother: d"));
    let shorter = first_difference(&lines("a b"), &lines("a")).unwrap();
    assert!(shorter.contains("one:   b\nother: (ends)"), "{shorter}");
}

/// A deliberate fault of the server of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// No fault.
    None,
    /// The server sends what its disk does not hold yet.
    EarlySend,
    /// The disk loses in a crash what it reported as stored.
    DiskLosesWrites,
    /// The server treats a repeated request as a new one.
    ForgottenRequests,
}
