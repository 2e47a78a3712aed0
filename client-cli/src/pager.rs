//! Long output on a terminal goes through a pager, as `git log` does it. Pipes and files never see one.

use std::{
    io::{self, IsTerminal as _, Write as _},
    process::{Child, ChildStdin, Command, Stdio},
    sync::{Mutex, PoisonError},
};

/// The pager that is open, if one is.
static PAGER: Mutex<Option<ChildStdin>> = Mutex::new(None);

/// A pager that shows what is written until it is closed.
pub(crate) struct Pager(Child);

impl Pager {
    /// Starts a pager where standard output is a terminal. Without one, what is written goes there.
    pub(crate) fn open(program: Option<&str>) -> Option<Self> {
        if !io::stdout().is_terminal() {
            return None;
        }
        let mut words = program?.split_whitespace();
        let started = Command::new(words.next()?).args(words).stdin(Stdio::piped()).spawn();
        let mut child = started.ok()?;
        *PAGER.lock().unwrap_or_else(PoisonError::into_inner) = child.stdin.take();
        Some(Self(child))
    }

    /// Ends the output, and waits until the person has read it.
    pub(crate) fn close(mut self) {
        PAGER.lock().unwrap_or_else(PoisonError::into_inner).take();
        // However it ended, it has the terminal no more.
        self.0.wait().ok();
    }
}

/// Writes a text to the open pager. `None` if there is none.
pub(crate) fn write(text: &str) -> Option<io::Result<()>> {
    let mut pager = PAGER.lock().unwrap_or_else(PoisonError::into_inner);
    Some(pager.as_mut()?.write_all(text.as_bytes()))
}

/// Whether a pager is open.
pub(crate) fn is_open() -> bool {
    PAGER.lock().unwrap_or_else(PoisonError::into_inner).is_some()
}

/// Writes to the open pager.
pub(crate) struct Writer;

impl io::Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match PAGER.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            Some(pager) => pager.write(bytes),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
