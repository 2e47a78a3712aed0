//! What can still be told of a message that this version of the protocol cannot read.

use adamant_protocol::RequestId;
use serde::Deserialize;

/// As much as decides what is to be done about it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// Whether it is an event of a game.
    pub(crate) is_event: bool,
    /// The request it answers.
    pub(crate) re: Option<RequestId>,
}

/// Reads the head of a message.
pub(crate) fn head(text: &str) -> Head {
    #[derive(Default, Deserialize)]
    struct Fields {
        #[serde(rename = "type", default)]
        kind: String,
        #[serde(default)]
        re: Option<String>,
    }
    let fields: Fields = serde_json::from_str(text).unwrap_or_default();
    Head { is_event: fields.kind == "event", re: fields.re.and_then(|re| re.parse().ok()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_request_is_known_even_if_the_reply_is_not() {
        let head = head(r#"{"type":"games","re":"c7","games":17}"#);
        assert_eq!(head, Head { is_event: false, re: Some("c7".parse().unwrap()) });
        assert!(super::head(r#"{"type":"event","seq":-1}"#).is_event);
        assert_eq!(super::head("nonsense"), Head { is_event: false, re: None });
    }
}
