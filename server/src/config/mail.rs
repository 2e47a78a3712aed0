//! The command that sends mail, and what a mail address is.

use serde::{Deserialize, Serialize};

use crate::limits::MAIL_ADDRESS_BYTES_MAX;

/// The command that sends mail.
#[expect(missing_docs, reason = "config/default.toml says what each key means")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub struct MailConfig {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    pub from: String,
}

impl MailConfig {
    /// Whether the server sends mail.
    pub const fn is_on(&self) -> bool {
        !self.command.is_empty()
    }

    pub(super) fn check(&self, mistakes: &mut Vec<String>) {
        if self.command.first().is_some_and(String::is_empty) {
            mistakes.push("mail.command: begins with no program".to_owned());
        }
        let named = self.from.rsplit_once('<').and_then(|(_, rest)| rest.strip_suffix('>'));
        let is_line = self.from.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic());
        let is_sender = is_line && is_mail_address(named.unwrap_or(&self.from));
        if self.is_on() && !is_sender {
            let form = "Adamant <adamant@example.org>";
            mistakes.push(format!("mail.from: {:?} is not of the form {form}", self.from));
        }
    }
}

/// Whether a text can stand in the header of a mail as one address: visible ASCII without what
/// separates or quotes, and a host after one `@`. Whether it reaches anybody, the code shows.
pub(crate) fn is_mail_address(text: &str) -> bool {
    let visible = |byte: u8| byte.is_ascii_graphic() && !b"\"(),:;<>@[\\]".contains(&byte);
    let Some((mailbox, host)) = text.split_once('@') else { return false };
    text.len() <= MAIL_ADDRESS_BYTES_MAX
        && !mailbox.is_empty()
        // Some programs take a first `-` for an option.
        && !mailbox.starts_with('-')
        && mailbox.bytes().all(visible)
        && host.split('.').all(|label| !label.is_empty())
        && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_one_address_and_nothing_else() {
        for good in ["ann@example.org", "a.b+c@x-y.example", "o'neill@localhost"] {
            assert!(is_mail_address(good), "{good}");
        }
        let long = format!("{}@example.org", "a".repeat(MAIL_ADDRESS_BYTES_MAX));
        for bad in [
            "",
            "ann",
            "@example.org",
            "ann@",
            "ann@x@y",
            "ann@x..y",
            "ann@.x",
            "a,b@x",
            "a b@x",
            "<a@x>",
            "-oQ/tmp@x",
            "a@x\nBcc: b@y",
            "ä@x",
            "a@x y",
            "a@[127.0.0.1]",
            &long,
        ] {
            assert!(!is_mail_address(bad), "{bad}");
        }
    }
}
