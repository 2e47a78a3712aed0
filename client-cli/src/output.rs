//! Where the program's words go: data to stdout, talk to stderr, colour only where it is wanted.

use std::io::{self, IsTerminal as _, Write as _};

use adamant_protocol::{ToClient, to_client::Done};
use anstream::ColorChoice;

use crate::{color::ColorMode, pager};

/// How results are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Output {
    /// One JSON object a line instead of words.
    pub(crate) json: bool,
    /// Whether colours are wanted on stdout.
    pub(crate) color: bool,
    /// Whether a person sits before it, so that a full-screen view makes sense.
    pub(crate) interactive: bool,
}

impl Output {
    /// Decides for this run. `NO_COLOR` and what the terminal can do are respected.
    pub(crate) fn new(json: bool, color: ColorMode) -> Self {
        let choice = match color {
            ColorMode::Auto => AUTO,
            ColorMode::Always => ColorChoice::Always,
            ColorMode::Never => ColorChoice::Never,
        };
        choice.write_global();
        let color = anstream::AutoStream::choice(&io::stdout()) != ColorChoice::Never;
        let interactive = !json && io::stdout().is_terminal() && io::stdin().is_terminal();
        Self { json, color, interactive }
    }

    /// Writes one line of data.
    #[expect(clippy::unused_self, reason = "whoever writes data has been told how to show it")]
    pub(crate) fn line(self, text: impl std::fmt::Display) -> io::Result<()> {
        let text = text.to_string();
        let text = if io::stdout().is_terminal() { strip_controls(&text) } else { text };
        if let Some(written) = pager::write(&format!("{text}\n")) {
            return written;
        }
        let mut stdout = anstream::stdout().lock();
        writeln!(stdout, "{text}")?;
        stdout.flush()
    }

    /// Where much data is written at once.
    #[expect(clippy::unused_self, reason = "whoever writes data has been told how to show it")]
    pub(crate) fn writer(self) -> Box<dyn io::Write> {
        if pager::is_open() { Box::new(pager::Writer) } else { Box::new(anstream::stdout().lock()) }
    }

    /// Writes one message of the wire, without the id of the request that it answers.
    pub(crate) fn reply(self, message: impl Into<ToClient>) -> io::Result<()> {
        let message = message.into();
        let text = adamant_protocol::encode(&message);
        match message.re() {
            Some(re) => self.line(text.replacen(&format!(r#""re":"{re}","#), "", 1)),
            None => self.line(text),
        }
    }

    /// Writes one entry of a list.
    pub(crate) fn entry(self, entry: &impl serde::Serialize) -> anyhow::Result<()> {
        self.line(serde_json::to_string(entry)?)?;
        Ok(())
    }

    /// Tells that a request was carried out: in words, or in the server's own.
    pub(crate) fn done(self, done: Done, words: impl std::fmt::Display) -> io::Result<()> {
        if self.json {
            self.reply(done)
        } else {
            to_stderr(words);
            Ok(())
        }
    }

    /// Says something to the person, unless they asked for JSON.
    pub(crate) fn message(self, text: impl std::fmt::Display) {
        if !self.json {
            to_stderr(text);
        }
    }
}

const AUTO: ColorChoice = ColorChoice::Auto;

/// Says something on stderr. If nobody listens there, nobody is told.
pub(crate) fn to_stderr(text: impl std::fmt::Display) {
    let text = text.to_string();
    let text = if io::stderr().is_terminal() { strip_controls(&text) } else { text };
    writeln!(anstream::stderr().lock(), "{text}").ok();
}

/// A text without the control characters that a terminal obeys, but for line ends, tabs and colours:
/// what a server says must not move the cursor, name the window or fill the clipboard.
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

/// What may stay of a text that begins with a control character: a line end, a tab, or a colour.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_taken_out() {
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
}
