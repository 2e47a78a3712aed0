//! Reads a text record from a file or standard input.

use std::{
    fs::File,
    io::{self, IsTerminal as _, Read},
    path::Path,
};

use adamant_rules::record::{RECORD_BYTES_MAX, TextRecord, TextRecordError, TextRecordErrorKind};

use crate::{failure::ExitStatus, output};

/// Why a record cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{name}: {fault}{hint}")]
pub(super) struct SourceError {
    name: String,
    /// What is wrong with it.
    fault: Fault,
    /// A hint, or an empty text.
    hint: &'static str,
}

/// What is wrong with a record.
#[derive(Debug, thiserror::Error)]
enum Fault {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("line {line}, column {column}: this is not text")]
    NotText { line: usize, column: usize },
    #[error(transparent)]
    Record(#[from] TextRecordError),
}

/// Prints why a record cannot be read.
pub(super) fn report(error: &SourceError) -> ExitStatus {
    output::to_stderr(format_args!("adamant: {error}"));
    ExitStatus::Usage
}

/// Reads the record in a file; `-` is standard input.
pub(super) fn read(path: &Path) -> Result<TextRecord, SourceError> {
    let is_stdin = path == Path::new("-");
    if is_stdin && io::stdin().is_terminal() {
        output::to_stderr("Type the record and end it with Ctrl-D on an empty line.");
    }
    let text = if is_stdin {
        read_text(io::stdin().lock())
    } else {
        File::open(path).map_err(Fault::Io).and_then(read_text)
    };
    let mut hint = "";
    let record = text.and_then(|text| {
        if text.starts_with('{') {
            hint = "\nThis looks like a journal record, with one event per line; `adamant verify` reads those.";
        }
        Ok(TextRecord::parse(&text)?)
    });
    record.map_err(|fault| SourceError {
        name: if is_stdin { "standard input".to_owned() } else { path.display().to_string() },
        fault,
        hint,
    })
}

fn read_text(source: impl Read) -> Result<String, Fault> {
    let mut bytes = Vec::new();
    // One byte more than allowed shows that the record is too long.
    source.take(RECORD_BYTES_MAX as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > RECORD_BYTES_MAX {
        let what = TextRecordErrorKind::TooLong;
        return Err(TextRecordError { line: 1, column: 1, what }.into());
    }
    if let Some(text) = utf16(&bytes) {
        return Ok(text);
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let before = String::from_utf8_lossy(&error.as_bytes()[..valid]).into_owned();
        let (line, column) = place_after(&before);
        Fault::NotText { line, column }
    })
}

/// Returns a text in the encoding of Windows; `None` if it has no mark of byte order.
fn utf16(bytes: &[u8]) -> Option<String> {
    let unit = match bytes {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => return None,
    };
    let (pairs, _) = bytes.as_chunks::<2>();
    let units: Vec<u16> = pairs.iter().map(|pair| unit(*pair)).collect();
    Some(String::from_utf16_lossy(&units))
}

/// Returns line and column, from 1, of the character after a text.
fn place_after(text: &str) -> (usize, usize) {
    let line = text.matches('\n').count() + 1;
    let column = text.rsplit('\n').next().unwrap_or(text).chars().count() + 1;
    (line, column)
}
