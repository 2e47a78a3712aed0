//! Output: data to stdout, messages to stderr, colour only where it is wanted. Long output on a
//! terminal goes through a pager, as with `git log`; pipes and files bypass it.

use std::{
    fmt::Write as _,
    io::{self, IsTerminal as _, Write as _},
    process::{Child, ChildStdin, Command, Stdio},
    sync::{Mutex, PoisonError},
};

use adamant_protocol::{ToClient, to_client::Done};
use anstream::ColorChoice;
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};

/// How results are shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a property of the terminal of its own")]
pub(crate) struct Output {
    /// Whether to print one JSON object per line instead of text.
    pub(crate) json: bool,
    /// Whether colours are wanted on stdout.
    pub(crate) color: bool,
    /// Whether stdin and stdout are terminals, so that somebody can be asked.
    pub(crate) interactive: bool,
    /// Whether the terminal also shows text at any place, so that a full-screen view makes sense.
    pub(crate) full_screen: bool,
}

impl Output {
    /// Detects the terminal. Respects `NO_COLOR` and the terminal's capabilities; a dumb one only
    /// writes line after line.
    pub(crate) fn new(json: bool, color: ColorMode, is_dumb: bool) -> Self {
        let choice = match color {
            ColorMode::Auto => AUTO,
            ColorMode::Always => ColorChoice::Always,
            ColorMode::Never => ColorChoice::Never,
        };
        choice.write_global();
        let color = anstream::AutoStream::choice(&io::stdout()) != ColorChoice::Never;
        let interactive = !json && io::stdout().is_terminal() && io::stdin().is_terminal();
        Self { json, color, interactive, full_screen: interactive && !is_dumb }
    }

    /// Writes one line of data.
    #[expect(clippy::unused_self, reason = "callers need an `Output` to write data")]
    pub(crate) fn line(self, text: impl std::fmt::Display) -> io::Result<()> {
        let text = text.to_string();
        let text = if io::stdout().is_terminal() { strip_controls(&text) } else { text };
        if let Some(written) = write_to_pager(&format!("{text}\n")) {
            return written;
        }
        let mut stdout = anstream::stdout().lock();
        writeln!(stdout, "{text}")?;
        stdout.flush()
    }

    /// Returns a writer for large output.
    #[expect(clippy::unused_self, reason = "callers need an `Output` to write data")]
    pub(crate) fn writer(self) -> Box<dyn io::Write> {
        if pager_is_open() { Box::new(PagerWriter) } else { Box::new(anstream::stdout().lock()) }
    }

    /// Writes one message of the protocol, without the id of the request that it answers.
    pub(crate) fn reply(self, message: impl Into<ToClient>) -> io::Result<()> {
        let message = message.into();
        let text = adamant_protocol::encode(&message);
        match message.re() {
            Some(re) => self.line(text.replacen(&format!(r#""re":"{re}","#), "", 1)),
            None => self.line(text),
        }
    }

    pub(crate) fn entry(self, entry: &impl serde::Serialize) -> anyhow::Result<()> {
        self.line(serde_json::to_string(entry)?)?;
        Ok(())
    }

    /// Writes a list: an entry a line, or a table; or what to say if it is empty.
    pub(crate) fn list<T: serde::Serialize, const N: usize>(
        self,
        list: &[T],
        if_empty: impl std::fmt::Display,
        heading: [&str; N],
        row: impl Fn(&T) -> [String; N],
    ) -> anyhow::Result<()> {
        if self.json {
            list.iter().try_for_each(|entry| self.entry(entry))?;
        } else if list.is_empty() {
            self.message(if_empty);
        } else {
            self.line(format_table(heading, &list.iter().map(row).collect::<Vec<_>>()))?;
        }
        Ok(())
    }

    /// Reports a request as done: as text, or as the server's message.
    pub(crate) fn done(self, done: Done, words: impl std::fmt::Display) -> io::Result<()> {
        if self.json {
            self.reply(done)
        } else {
            to_stderr(words);
            Ok(())
        }
    }

    /// Prints a message on stderr, unless JSON is wanted.
    pub(crate) fn message(self, text: impl std::fmt::Display) {
        if !self.json {
            to_stderr(text);
        }
    }
}

const AUTO: ColorChoice = ColorChoice::Auto;

/// Prints a line on stderr. A closed stderr is no error.
pub(crate) fn to_stderr(text: impl std::fmt::Display) {
    let text = text.to_string();
    let text = if io::stderr().is_terminal() { strip_controls(&text) } else { text };
    writeln!(anstream::stderr().lock(), "{text}").ok();
}

/// Removes control characters except line ends, tabs and colours: text from a server must not move
/// the cursor, rename the window or fill the clipboard.
pub(crate) fn strip_controls(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|letter: char| letter.is_control()) {
        clean.push_str(&rest[..at]);
        let kept = allowed_control(&rest[at..]);
        clean.push_str(kept);
        let width = rest[at..].chars().next().map_or(0, char::len_utf8);
        rest = &rest[at + kept.len().max(width)..];
    }
    clean.push_str(rest);
    clean
}

/// Returns what may stay of a text that begins with a control character: a line end, a tab or a
/// colour.
fn allowed_control(text: &str) -> &str {
    if text.starts_with(['\n', '\t']) {
        return &text[..1];
    }
    let Some(parameters) = text.strip_prefix("\u{1b}[") else { return "" };
    let digits = parameters
        .find(|letter: char| !letter.is_ascii_digit() && letter != ';')
        .unwrap_or(parameters.len());
    if parameters[digits..].starts_with('m') { &text[..digits + 3] } else { "" }
}

/// Returns a progress bar on stderr, which is drawn only if that is a terminal.
pub(crate) fn progress_bar(length: u64, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template).expect("the template is well formed");
    ProgressBar::new(length).with_style(style)
}

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ColorMode {
    /// On terminals that support them.
    Auto,
    /// Into pipes and files too.
    Always,
    /// Never.
    Never,
}

impl ColorMode {
    /// Returns the value as it is spelt on the command line.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Always => "always",
            Self::Never => "never",
        }
    }
}

/// Formats rows under a heading, each column as wide as its widest cell.
pub(crate) fn format_table<const N: usize>(heading: [&str; N], rows: &[[String; N]]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.max().unwrap_or(0).max(heading[column].chars().count())
    };
    let widths: [usize; N] = std::array::from_fn(width);
    let mut text = String::new();
    let mut add = |cells: [&str; N]| {
        let mut line = String::new();
        for (cell, width) in cells.iter().zip(widths) {
            write!(line, "{cell:width$}  ").expect("writing to a String cannot fail");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    };
    add(heading);
    for row in rows {
        add(std::array::from_fn(|column| row[column].as_str()));
    }
    text.pop();
    text
}

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
fn write_to_pager(text: &str) -> Option<io::Result<()>> {
    let mut pager = PAGER.lock().unwrap_or_else(PoisonError::into_inner);
    Some(pager.as_mut()?.write_all(text.as_bytes()))
}

fn pager_is_open() -> bool {
    PAGER.lock().unwrap_or_else(PoisonError::into_inner).is_some()
}

struct PagerWriter;

impl io::Write for PagerWriter {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_removed() {
        for (text, clean) in [
            ("plain\n\ttext", "plain\n\ttext"),
            ("\u{1b}[1;31mred\u{1b}[0m", "\u{1b}[1;31mred\u{1b}[0m"),
            ("a\u{1b}[2Jb\rc", "a[2Jbc"),
            ("\u{1b}]0;title\u{7}x", "]0;titlex"),
            ("\u{9b}31m\u{7f}\u{0}", "31m"),
            ("\u{1b}[31", "[31"),
        ] {
            assert_eq!(strip_controls(text), clean, "{text:?}");
        }
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = [["k7q2mx".to_owned(), "ann, bob".to_owned()], ["g".to_owned(), String::new()]];
        assert_eq!(format_table(["GAME", "WHO"], &rows), "GAME    WHO\nk7q2mx  ann, bob\ng");
    }
}
