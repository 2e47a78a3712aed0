//! Frames that were recorded between clients and a server, compared with the schema and the types.

use adamant_protocol::{FromClient, ToClient, codec, schema::closed_document};
use jsonschema::Validator;
use serde::Deserialize;
use serde_json::{Value, json};

/// One frame a line, with the side that sent it. Secrets are replaced.
const FRAMES: &str = include_str!("../fixtures/frames-1.ndjson");

#[derive(Deserialize)]
struct Recorded {
    from: String,
    frame: Value,
}

fn recorded() -> impl Iterator<Item = Recorded> {
    FRAMES.lines().map(|line| serde_json::from_str(line).unwrap())
}

#[test]
fn recorded_frames_satisfy_the_closed_schema() {
    let document = closed_document();
    let validator = |set: &str| -> Validator {
        let root = json!({ "$ref": format!("#/$defs/{set}"), "$defs": document["$defs"] });
        jsonschema::draft202012::new(&root).unwrap()
    };
    let (from_client, to_client) = (validator("FromClient"), validator("ToClient"));
    for Recorded { from, frame } in recorded() {
        let validator = if from == "client" { &from_client } else { &to_client };
        if let Err(error) = validator.validate(&frame) {
            panic!("{from} {frame}: {error}");
        }
    }
}

#[test]
fn recorded_frames_are_decoded_and_encoded_without_loss() {
    for Recorded { from, frame } in recorded() {
        let bytes = frame.to_string();
        if from == "client" {
            // A request may leave out what has a default, which encoding writes.
            let request = codec::decode(bytes.as_bytes()).unwrap();
            let encoded = codec::encode_request(&request);
            assert_eq!(codec::decode(encoded.as_bytes()).unwrap(), request, "{frame}");
        } else {
            let message = ToClient::from_bytes(bytes.as_bytes()).unwrap().unwrap();
            let encoded = codec::encode(&message);
            assert_eq!(serde_json::from_str::<Value>(&encoded).unwrap(), frame);
            assert_eq!(serde_json::to_string(&message).unwrap(), encoded, "there is one encoding");
        }
    }
}

#[test]
fn every_type_of_message_was_recorded() {
    let has = |from: &str, word: &str| {
        recorded().any(|recorded| recorded.from == from && recorded.frame["type"] == word)
    };
    for word in FromClient::TYPES {
        assert!(has("client", word), "{word}");
    }
    for word in ToClient::TYPES {
        assert!(has("server", word), "{word}");
    }
}
