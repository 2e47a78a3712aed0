//! What must not leave this machine in a text that others read.

use crate::failure::UsageError;

/// What every token begins with.
const TOKEN_PREFIX: &str = "at_";

/// Hexadecimal digits behind the prefix from which on a text may hold a token, or a part of one that
/// is worth hiding.
const TOKEN_DIGITS_MIN: usize = 8;

/// Lets a text pass that holds nothing shaped like a token.
pub(crate) fn refuse_token(text: &str) -> Result<(), UsageError> {
    if holds_token(text) {
        let why = "this text holds what looks like a token (at_...), which opens a user's account; it was \
                   not sent";
        return Err(UsageError(why.to_owned()));
    }
    Ok(())
}

fn holds_token(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    text.match_indices(TOKEN_PREFIX).any(|(at, prefix)| {
        let digits = text[at + prefix.len()..].bytes();
        digits.take_while(u8::is_ascii_hexdigit).count() >= TOKEN_DIGITS_MIN
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_found_wherever_it_stands() {
        let token = format!("at_{}", "0f3c".repeat(12));
        for text in [
            token.clone(),
            format!("my token:{token}."),
            token.to_ascii_uppercase(),
            format!("at_{token}"),
            "hello --token at_8f1f00aa".to_owned(),
        ] {
            assert!(holds_token(&text), "{text}");
        }
        for text in ["good luck", "look at_ this", "at_home", "chat_face", "at_12345"] {
            assert!(!holds_token(text), "{text}");
        }
    }
}
