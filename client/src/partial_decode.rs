//! Decodes the head of a message that cannot be decoded as a whole.

use adamant_protocol::ids::RequestId;
use serde::Deserialize;

/// The fields that decide how to handle the message.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// Whether the message is an event of a game.
    pub(crate) is_event: bool,
    /// The request that the message answers.
    pub(crate) re: Option<RequestId>,
}

/// Decodes the head; a field that cannot be decoded counts as absent.
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
    fn the_head_of_a_bad_reply_names_its_request() {
        let head = head(r#"{"type":"games","re":"c7","games":17}"#);
        assert_eq!(head, Head { is_event: false, re: Some("c7".parse().unwrap()) });
        assert!(super::head(r#"{"type":"event","seq":-1}"#).is_event);
        assert_eq!(super::head("nonsense"), Head { is_event: false, re: None });
    }
}
