//! Text as people paste it. Phones, word processors and mail programs change dashes, spaces and
//! line ends, add marks that nobody sees, and quote.

use std::borrow::Cow;

/// Returns a text with the letters that notation has. Line ends become `\n`, and every dash `-`.
///
/// ```
/// use adamant_rules::record::plain;
///
/// assert_eq!(plain("\u{feff}c1\u{2013}c2\r\n"), "c1-c2\n");
/// ```
pub fn plain(text: &str) -> Cow<'_, str> {
    let is_plain = |letter: char| letter.is_ascii() && letter != '\r';
    let Some(first) = text.find(|letter| !is_plain(letter)) else { return Cow::Borrowed(text) };
    let mut plain = String::with_capacity(text.len());
    plain.push_str(&text[..first]);
    let mut letters = text[first..].chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\r' => {
                letters.next_if_eq(&'\n');
                plain.push('\n');
            }
            '\u{85}' | '\u{2028}' | '\u{2029}' => plain.push('\n'),
            // Hyphens, dashes and minus signs.
            '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' => plain.push('-'),
            '\u{d7}' => plain.push('x'),
            // Letters as wide as two, from keyboards of East Asia.
            '\u{ff01}'..='\u{ff5e}' => {
                plain.extend(char::from_u32(u32::from(letter) - 0xff01 + u32::from('!')));
            }
            // Soft hyphens, joiners, marks of direction and of byte order.
            '\u{ad}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}'
            | '\u{feff}' => {}
            blank if blank.is_whitespace() && !blank.is_ascii() => plain.push(' '),
            other => plain.push(other),
        }
    }
    Cow::Owned(plain)
}

/// Returns a row without the marks of a mail that quotes it, and how many letters they are.
pub(super) fn unquoted(row: &str) -> (&str, usize) {
    let said = row.trim_start_matches(|mark: char| mark == '>' || mark.is_whitespace());
    if row.trim_start().starts_with('>') { (said, row.len() - said.len()) } else { (row, 0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_pasted_becomes_what_was_meant() {
        for (pasted, meant) in [
            ("c1-c2\n", "c1-c2\n"),
            ("c1\u{2013}c2", "c1-c2"),
            ("c1\u{2212}c2", "c1-c2"),
            ("c1\u{2011}c2", "c1-c2"),
            ("c1-c2\u{200b}", "c1-c2"),
            ("\u{feff}c1\u{a0}-\u{202f}c2", "c1 - c2"),
            ("\u{ff43}\u{ff11}\u{ff0d}c2\u{ff0c}d1", "c1-c2,d1"),
            ("4\u{d7}c1-c2", "4xc1-c2"),
            ("1\r2\r\n3\u{2028}4\n\r5", "1\n2\n3\n4\n\n5"),
            ("\u{e9}\u{1f600}", "\u{e9}\u{1f600}"),
        ] {
            assert_eq!(plain(pasted), meant, "{pasted:?}");
        }
    }
}
