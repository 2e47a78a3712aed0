//! Decodes and encodes frames. Limits are checked before parsing.

use std::borrow::Cow;

use serde::{Deserialize, de::IgnoredAny};

use crate::{
    error::ErrorCode,
    from_client::{FromClient, Move},
    ids::{GameId, RequestId},
    to_client::ToClient,
};

/// The largest frame that a client may send. A move with its id takes a hundredth of it.
pub const FRAME_BYTES_MAX: usize = 16 * 1024;

/// A frame that is not a request, with what could be decoded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Malformed {
    /// The code for the client.
    pub code: ErrorCode,
    /// The request's id, if it could be decoded.
    pub id: Option<RequestId>,
    /// One sentence about the error.
    pub message: String,
}

/// The result of decoding a frame.
pub type Decoded = Result<FromClient, Malformed>;

#[derive(Deserialize)]
struct Head<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Option<Text<'a>>,
    #[serde(borrow, default)]
    id: Option<Id<'a>>,
}

/// A text, borrowed if it has no escapes. (Within an `Option` a bare `Cow` would be a copy.)
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// The value of the field `id`.
#[derive(Deserialize)]
#[serde(untagged)]
enum Id<'a> {
    #[serde(borrow)]
    Text(Text<'a>),
    Other(IgnoredAny),
}

/// A move with its type.
#[derive(Deserialize)]
struct TypedMove<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    id: RequestId,
    game: GameId,
    turn: u32,
    #[serde(rename = "move")]
    notation: Box<str>,
}

/// How clients begin a move.
const MOVE_BEGINS: &[u8] = br#"{"type":"move","#;

/// Decodes a move that begins as usual. Moves are the most frequent requests.
fn decode_move(bytes: &[u8]) -> Option<Move> {
    if !bytes.starts_with(MOVE_BEGINS) {
        return None;
    }
    // Not checked again for each text in it.
    let text = std::str::from_utf8(bytes).ok()?;
    let TypedMove { kind, id, game, turn, notation } = serde_json::from_str(text).ok()?;
    (kind == "move").then_some(Move { id, game, turn, notation })
}

/// Decodes a request.
///
/// A usual move is parsed once. Any other frame, or one with an error, is parsed twice: for its
/// type and id, then for the fields of that type.
/// A tagged enum would copy all fields before it knows the type. An error in a field can still name
/// the request.
pub fn decode(bytes: &[u8]) -> Decoded {
    let malformed = |code, id, message| Malformed { code, id, message };
    if bytes.len() > FRAME_BYTES_MAX {
        let message = format!("a frame has at most {FRAME_BYTES_MAX} bytes, not {}", bytes.len());
        return Err(malformed(ErrorCode::TooLarge, None, message));
    }
    if let Some(request) = decode_move(bytes) {
        return Ok(request.into());
    }
    let bad_json =
        |error| malformed(ErrorCode::BadJson, None, format!("this is not JSON: {error}"));
    // Serde would also read a struct from an array; the wire has only objects.
    if bytes.trim_ascii_start().first() != Some(&b'{') {
        serde_json::from_slice::<IgnoredAny>(bytes).map_err(bad_json)?;
        return Err(malformed(ErrorCode::BadMessage, None, "a message is an object".to_owned()));
    }
    let head: Head<'_> = serde_json::from_slice(bytes).map_err(|error| {
        if error.is_data() {
            malformed(
                ErrorCode::BadMessage,
                None,
                format!("type and id are texts: {}", sentence(&error)),
            )
        } else {
            bad_json(error)
        }
    })?;
    let id = match head.id {
        Some(Id::Text(Text(text))) => match text.parse::<RequestId>() {
            Ok(id) => id,
            Err(error) => return Err(malformed(ErrorCode::BadMessage, None, error.to_string())),
        },
        Some(Id::Other(_)) => {
            return Err(malformed(ErrorCode::BadMessage, None, "an id is a text".to_owned()));
        }
        None => {
            let message = "a request needs an id, so that it can be answered".to_owned();
            return Err(malformed(ErrorCode::BadMessage, None, message));
        }
    };
    let Some(Text(kind)) = head.kind else {
        let message = "a message needs a type".to_owned();
        return Err(malformed(ErrorCode::BadMessage, Some(id), message));
    };
    match FromClient::read(&kind, bytes) {
        Some(Ok(message)) => Ok(message),
        Some(Err(error)) => {
            let message = format!("{kind}: {}", sentence(&error));
            Err(malformed(ErrorCode::BadMessage, Some(id), message))
        }
        None => {
            let shown: String = kind.chars().take(40).collect();
            let message = format!("there is no message of type {shown:?}");
            Err(malformed(ErrorCode::UnknownType, Some(id), message))
        }
    }
}

/// Describes an invalid value, without its line and column: the text itself is JSON.
fn sentence(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).unwrap_or(&text).to_owned()
}

/// Encodes a request.
pub fn encode_request(message: &FromClient) -> String {
    serde_json::to_string(message).expect("messages are plain data")
}

/// Encodes a message to a client.
pub fn encode(message: &ToClient) -> String {
    let mut bytes = Vec::new();
    encode_into(&mut bytes, message);
    String::from_utf8(bytes).expect("JSON is written as UTF-8")
}

/// Appends an encoded message to a client.
pub fn encode_into(bytes: &mut Vec<u8>, message: &ToClient) {
    if let ToClient::Event(frame) = message {
        bytes.extend_from_slice(&frame.to_bytes());
    } else {
        serde_json::to_writer(bytes, message).expect("messages are plain data");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{from_client, values::Options};

    #[test]
    fn errors_in_values_do_not_name_a_place_in_the_text() {
        let said = |frame: &str| decode(frame.as_bytes()).unwrap_err().message;
        assert_eq!(
            said(r#"{"type":"signup","id":"a","user":"x","password":"12345678"}"#),
            "signup: a name is 2 to 20 characters of A-Z a-z 0-9 _ -, the first a letter or digit"
        );
        let clock = said(r#"{"type":"seek","id":"a","rules":"hexma","clock":{"mode":"days"}}"#);
        assert_eq!(clock, "seek: missing field `per_move_days`");
        assert_eq!(said(r#"{"type":"positions","id":"a"}"#), "positions: missing field `game`");
        assert!(said(r#"{"type":"layout","#).contains(" at line 1 column "), "that is no JSON");
    }

    fn refused(frame: &str) -> (ErrorCode, Option<String>) {
        let malformed = decode(frame.as_bytes()).unwrap_err();
        (malformed.code, malformed.id.map(|id| id.to_string()))
    }

    #[test]
    fn requests_are_decoded_as_documented() {
        let hello = r#"{"type":"hello","id":"1","proto":[1],"client":{"name":"hexbot","version":"0.4.1"},
            "auth":{"token":"at_x"},"caps":["legal"],"resume":{"k7q2mx":{"seq":41}},"later":{"x":1}}"#;
        let FromClient::Hello(hello) = decode(hello.as_bytes()).unwrap() else { panic!() };
        assert_eq!(hello.auth, Some(from_client::Auth::Token("at_x".into())));
        assert_eq!(hello.resume.get("k7q2mx").unwrap().seq, 41);

        let seek = r#"{"type":"seek","id":"2","rules":"adamas","options":"-size=4","players":3,"seat":"random",
            "clock":{"mode":"fischer","base_ms":300000,"inc_ms":5000},"rated":true}"#;
        let FromClient::Seek(seek) = decode(seek.as_bytes()).unwrap() else { panic!() };
        assert_eq!(seek.options, Options::Text("-size=4".into()));
        assert!(seek.allow.bots && seek.allow.guests);
    }

    #[test]
    fn a_move_is_decoded_alike_wherever_its_type_stands() {
        let alike = |first: &str, later: &str| {
            // The place of an error in the text differs.
            let read = |frame: &str| {
                decode(frame.as_bytes()).map_err(|malformed| (malformed.code, malformed.id))
            };
            assert_eq!(read(first), read(later), "{first}");
            read(first)
        };
        let fields = r#""id":"a","game":"g","turn":1,"move":"c1-c2""#;
        let usual = |fields: &str| {
            let first = format!(r#"{{"type":"move",{fields}}}"#);
            alike(&first, &format!(r#"{{ "type":"move",{fields}}}"#))
        };
        assert!(matches!(usual(fields), Ok(FromClient::Move(mv)) if mv.turn == 1));
        let later: &[&str] = &[r#""later":[1]"#, r#""more":{"type":"ping"}"#];
        for later in later {
            assert_eq!(usual(&format!("{fields},{later}")), usual(fields));
        }
        let broken: &[&str] =
            &[r#""type":"ping""#, r#""type":"move""#, r#""turn":2"#, r#""id":"b""#, "", "x"];
        for broken in broken {
            assert!(usual(&format!("{fields},{broken}")).is_err(), "{broken}");
        }
        assert_eq!(usual(r#""id":7"#).unwrap_err(), (ErrorCode::BadMessage, None));
        assert!(decode(b"{\"type\":\"move\",\"id\":\"\xff\"}").is_err());
    }

    #[test]
    fn errors_have_a_code_and_the_id() {
        assert_eq!(refused("{"), (ErrorCode::BadJson, None));
        assert_eq!(refused("\u{1}"), (ErrorCode::BadJson, None));
        assert_eq!(refused("[]"), (ErrorCode::BadMessage, None));
        assert_eq!(refused("7"), (ErrorCode::BadMessage, None));
        assert_eq!(refused(r#"{"type":"ping"}"#), (ErrorCode::BadMessage, None));
        for id in ["7", "-7", "0.5", "true", "null", "[1,[2]]", r#"{"a":{"b":1}}"#, r#""""#] {
            let frame = format!(r#"{{"type":"ping","id":{id}}}"#);
            assert_eq!(refused(&frame), (ErrorCode::BadMessage, None), "{id}");
        }
        assert_eq!(refused(r#"{"id":"a"}"#), (ErrorCode::BadMessage, Some("a".to_owned())));
        assert_eq!(
            refused(r#"{"type":"fly","id":"a"}"#),
            (ErrorCode::UnknownType, Some("a".to_owned()))
        );
        assert_eq!(
            refused(r#"{"type":"move","id":"a","game":"g","turn":-1,"move":"c1-c2"}"#),
            (ErrorCode::BadMessage, Some("a".to_owned()))
        );
        assert_eq!(
            refused(r#"{"type":"hello","id":"a","proto":[1],"auth":{"user":"ann"}}"#),
            (ErrorCode::BadMessage, Some("a".to_owned()))
        );
        let nested = "[".repeat(FRAME_BYTES_MAX);
        assert_eq!(refused(&nested).0, ErrorCode::BadJson);
        let large = " ".repeat(FRAME_BYTES_MAX + 1);
        assert_eq!(refused(&large).0, ErrorCode::TooLarge);
    }

    #[test]
    fn every_type_is_decoded_as_it_is_encoded() {
        for kind in FromClient::TYPES {
            let what = if *kind == "claim" { "abandoned" } else { "draw" };
            let auth = if *kind == "push_subscribe" { r#""k""# } else { "null" };
            let frame = format!(
                r#"{{"type":"{kind}","id":"i","proto":[1],"user":"ann","password":"secret","label":"l",
                "rules":"adamas","seek":"k_1","challenge":"h_1","seats":["ann","bob"],"game":"g","turn":1,
                "move":"c1-c2","name":"ann","what":"{what}","offer":"o_1","accept":true,"room":"players",
                "text":"hello","n":1,"token":"t_1a2b","old":"secret","new":"secreter","auth":{auth},
                "endpoint":"https://push","p256dh":"k","url":"https://hook","invite":"i_1"}}"#
            );
            let message =
                decode(frame.as_bytes()).unwrap_or_else(|error| panic!("{kind}: {error}"));
            assert_eq!(message.kind(), *kind);
            assert_eq!(decode(encode_request(&message).as_bytes()).unwrap(), message);
        }
    }
}
