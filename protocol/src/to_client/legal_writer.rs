//! Writes the legal moves of a `your_turn` where they are sent from. They are most of its bytes,
//! and a list of texts would be most of its cost.

use std::fmt;

/// Appends legal moves to an encoded [`YourTurn`](super::YourTurn) that has none.
#[derive(Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct LegalWriter<'a> {
    bytes: &'a mut Vec<u8>,
    /// Where the first move begins.
    begin: usize,
}

impl<'a> LegalWriter<'a> {
    /// Opens the list. The bytes end with the message.
    pub fn open(bytes: &'a mut Vec<u8>) -> Self {
        debug_assert_eq!(bytes.last(), Some(&b'}'), "a message is an object");
        bytes.pop();
        bytes.extend_from_slice(br#","legal":["#);
        Self { begin: bytes.len(), bytes }
    }

    /// Adds a move; `write` appends its notation, which has no characters that JSON escapes.
    #[inline]
    pub fn push(&mut self, write: impl FnOnce(&mut NotationText<'_>) -> fmt::Result) {
        if self.bytes.len() > self.begin {
            self.bytes.push(b',');
        }
        self.bytes.push(b'"');
        write(&mut NotationText(self.bytes)).expect("memory takes any text");
        self.bytes.push(b'"');
    }

    /// Removes all moves.
    pub fn clear(&mut self) {
        self.bytes.truncate(self.begin);
    }

    /// Closes the list, with the number of moves in all and whether some are left out.
    pub fn close(self, total: Option<u64>, is_cut: bool) {
        self.bytes.extend_from_slice(br#"],"legal_total":"#);
        serde_json::to_writer(&mut *self.bytes, &total).expect("a number is plain data");
        self.bytes.extend_from_slice(br#","legal_cut":"#);
        self.bytes.extend_from_slice(if is_cut { b"true}" } else { b"false}" });
    }
}

/// The text of a move between its quotes.
#[derive(Debug)]
pub struct NotationText<'a>(&'a mut Vec<u8>);

impl<'a> NotationText<'a> {
    /// Returns the writer of a text that is open at the end of these bytes.
    pub(crate) const fn at_end(bytes: &'a mut Vec<u8>) -> Self {
        Self(bytes)
    }
}

impl fmt::Write for NotationText<'_> {
    #[inline]
    fn write_str(&mut self, text: &str) -> fmt::Result {
        debug_assert!(text.chars().all(is_plain), "{text:?}");
        self.0.extend_from_slice(text.as_bytes());
        Ok(())
    }

    #[inline]
    fn write_char(&mut self, character: char) -> fmt::Result {
        debug_assert!(is_plain(character), "{character:?}");
        match u8::try_from(character) {
            Ok(byte) if byte.is_ascii() => self.0.push(byte),
            _ => self.0.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
        Ok(())
    }
}

/// Whether JSON has the character as it is.
fn is_plain(character: char) -> bool {
    !character.is_control() && !matches!(character, '"' | '\\')
}
