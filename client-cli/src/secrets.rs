//! Keeps tokens out of texts that other users read.

use crate::failure::UsageError;

/// The prefix of every token.
const TOKEN_PREFIX: &str = "at_";

/// Number of hexadecimal digits after the prefix that make a text look like a token.
const TOKEN_DIGITS_MIN: usize = 8;

/// Returns an error if a text holds what looks like a token.
pub(crate) fn reject_token(text: &str) -> Result<(), UsageError> {
    if holds_token(text) {
        let why = "this text holds what looks like a token (at_...), which gives access to an account; it was \
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
    fn tokens_are_found_anywhere_in_a_text() {
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
