//! Which text may be a line.

use crate::{error::Denial, limits::TALK_CHARS_MAX};

/// Checks a line: visible text of bounded length, with nothing that disturbs the lines around it.
pub(super) fn checked_text(text: &str) -> Result<&str, Denial> {
    let text = text.trim();
    if text.chars().any(is_disruptive) {
        let message = "a line has no control characters and nothing that turns text around";
        return Err(Denial::BadMessage(message.to_owned()));
    }
    let visible = |letter: char| !letter.is_whitespace() && !is_invisible(letter);
    if !text.chars().any(visible) || text.chars().count() > TALK_CHARS_MAX {
        let message = format!("a line has 1 to {TALK_CHARS_MAX} characters");
        return Err(Denial::BadMessage(message));
    }
    Ok(text)
}

/// Control characters, line and paragraph ends, overrides of the text direction, and marks and
/// tags that hide text.
fn is_disruptive(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{2028}'..='\u{202e}'
                | '\u{2066}'..='\u{206f}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

/// Characters without width. Some scripts need them inside words.
const fn is_invisible(letter: char) -> bool {
    matches!(
        letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}'
            | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_what_can_be_seen() {
        for good in ["hi", " gg ", "«naïve»", "שלום 12", "👩‍👩‍👧 👍🏽", "क्‍ष", "a", &"x".repeat(500)]
        {
            assert_eq!(checked_text(good).unwrap(), good.trim(), "{good:?}");
        }
        let long = "ü".repeat(501);
        for bad in [
            "",
            "   ",
            "\u{200b}",
            "\u{3164}\u{feff} ",
            "a\nb",
            "a\tb",
            "\u{7}",
            "a\u{0}b",
            "\u{9b}31m",
            "\u{202e}evil",
            "a\u{2066}b\u{2069}",
            "a\u{2028}b",
            "x\u{e0041}",
            &long,
        ] {
            assert!(checked_text(bad).is_err(), "{bad:?}");
        }
    }
}
