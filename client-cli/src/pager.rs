//! Long output on a terminal goes through a pager, as with `git log`. Pipes and files bypass it.

use std::{
    io::{self, IsTerminal as _, Write as _},
    process::{Child, ChildStdin, Command, Stdio},
    sync::{Mutex, PoisonError},
};

/// The input of the open pager, if any.
static PAGER: Mutex<Option<ChildStdin>> = Mutex::new(None);

pub(crate) struct Pager(Child);

impl Pager {
    /// Starts a pager if standard output is a terminal. Otherwise output goes to standard output.
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

    /// Ends the output, and waits until the user leaves the pager.
    pub(crate) fn close(mut self) {
        PAGER.lock().unwrap_or_else(PoisonError::into_inner).take();
        // Its exit status does not matter.
        self.0.wait().ok();
    }
}

/// Writes a text to the open pager. Returns `None` if there is none.
pub(crate) fn write(text: &str) -> Option<io::Result<()>> {
    let mut pager = PAGER.lock().unwrap_or_else(PoisonError::into_inner);
    Some(pager.as_mut()?.write_all(text.as_bytes()))
}

/// Whether a pager is open.
pub(crate) fn is_open() -> bool {
    PAGER.lock().unwrap_or_else(PoisonError::into_inner).is_some()
}

/// A writer to the open pager.
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
