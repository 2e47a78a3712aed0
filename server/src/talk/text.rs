//! Which text may be a line.

use crate::{error::Denial, limits::TALK_CHARS_MAX};

/// Checks a line: visible text of bounded length, with nothing that disturbs the lines around it.
pub(super) fn checked_text(text: &str) -> Result<&str, Denial> {
    let text = text.trim();
    if without_flags(text).any(is_disruptive) {
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

/// The characters without the tags of flags: a black flag, tags that spell a region, and the tag
/// that ends them are one picture.
fn without_flags(text: &str) -> impl Iterator<Item = char> {
    let (mut rest, mut is_flag) = (text.chars(), false);
    std::iter::from_fn(move || {
        loop {
            let letter = rest.next()?;
            let is_tag = matches!(letter, '\u{e0020}'..='\u{e007f}');
            if is_flag && is_tag {
                is_flag = letter != '\u{e007f}';
                continue;
            }
            is_flag = letter == '\u{1f3f4}';
            return Some(letter);
        }
    })
}

/// Characters of which nothing is seen: those with the property `Default_Ignorable_Code_Point` of
/// Unicode, which some scripts need inside words, and two blanks that are no white space.
const fn is_invisible(letter: char) -> bool {
    matches!(
        letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}' | '\u{2800}' | '\u{1d159}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_what_can_be_seen() {
        let england = "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}";
        for good in
            [england, "hi", " gg ", "«naïve»", "שלום 12", "👩‍👩‍👧 👍🏽", "क्‍ष", "a", &"x".repeat(500)]
        {
            assert_eq!(checked_text(good).unwrap(), good.trim(), "{good:?}");
        }
        let long = "ü".repeat(501);
        for bad in [
            "",
            "   ",
            "\u{200b}",
            "\u{3164}\u{feff} ",
            "\u{2800}\u{115f}\u{180b}\u{180e}\u{17b4}\u{1d159}\u{1d173}",
            "\u{1f3f4}x\u{e0067}",
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
