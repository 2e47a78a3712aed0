//! The description of the socket: every message is in it, and every reply.

use std::collections::BTreeSet;

use adamant_protocol::{EventBody, FromClient, ToClient, schema::asyncapi};
use serde_json::Value;

fn words(list: &Value) -> BTreeSet<String> {
    let document = asyncapi();
    let names = list.as_array().unwrap().iter().map(|message| {
        let name = message["$ref"].as_str().unwrap().rsplit('/').next().unwrap();
        document["components"]["messages"][name]["name"].as_str().unwrap().to_owned()
    });
    names.collect()
}

#[test]
fn every_request_message_and_event_is_described() {
    let document = asyncapi();
    let messages = document["components"]["messages"].as_object().unwrap();
    let described: BTreeSet<&str> =
        messages.values().map(|message| message["name"].as_str().unwrap()).collect();
    let kinds = EventBody::KINDS.iter().map(|kind| format!("event.{kind}"));
    let types = FromClient::TYPES.iter().chain(ToClient::TYPES).map(ToString::to_string);
    let known: BTreeSet<String> = types.chain(kinds).collect();
    assert_eq!(described.into_iter().map(str::to_owned).collect::<BTreeSet<_>>(), known);
    for name in messages.keys() {
        assert!(document["channels"]["socket"]["messages"].get(name).is_some(), "{name}");
    }
}

#[test]
fn every_request_names_its_replies() {
    let document = asyncapi();
    for (word, replies) in FromClient::REPLIES {
        let operation = &document["operations"][*word];
        assert_eq!(words(&operation["messages"]), BTreeSet::from([(*word).to_owned()]));
        let known = replies.iter().chain(&["error"]).map(ToString::to_string).collect();
        assert_eq!(words(&operation["reply"]["messages"]), known, "{word}");
    }
}

#[test]
fn only_messages_that_may_lack_re_come_unasked() {
    let unasked = words(&asyncapi()["operations"]["notify"]["messages"]);
    for word in ["your_turn", "snapshot", "presence", "notice", "said", "lobby", "event"] {
        assert!(unasked.contains(word), "{word}");
    }
    for word in ["welcome", "ok", "games", "hints"] {
        assert!(!unasked.contains(word), "{word}");
    }
}
