//! Reads lines of bounded length. A dropped future loses nothing.

use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

use crate::protocol::{error::EngineError, limits::LINE_BYTES_MAX};

/// Lines from a pipe.
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
