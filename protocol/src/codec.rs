//! Decodes and encodes frames. Limits are checked before parsing.

use std::borrow::Cow;

use serde::{Deserialize, de::IgnoredAny};
use serde_json::{Number, Value};

use crate::{
    error::ErrorCode, fast_path, from_client::FromClient, ids::RequestId, to_client::ToClient,
};

/// The largest frame that a client may send: a `hello` with the cursors of as many games as it may
/// name. A move with its id takes some hundred bytes.
pub const FRAME_BYTES_MAX: usize = 64 * 1024;

/// A frame that is not a request, with what could be decoded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
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

/// Decodes a request.
///
/// A usual move is read in one pass. Any other frame, or one with an error, is parsed twice: for its
/// type and id, then for the fields of that type.
/// A tagged enum would copy all fields before it knows the type. An error in a field can still name
/// the request.
pub fn decode(bytes: &[u8]) -> Decoded {
    let malformed = |code, id, message| Malformed { code, id, message };
    if bytes.len() > FRAME_BYTES_MAX {
        let message = format!("a frame has at most {FRAME_BYTES_MAX} bytes, not {}", bytes.len());
        return Err(malformed(ErrorCode::TooLarge, None, message));
    }
    if let Some(request) = fast_path::decode_move(bytes) {
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
            let again = with_integers(bytes).and_then(|plain| FromClient::read(&kind, &plain));
            again.and_then(Result::ok).ok_or_else(|| {
                let message = format!("{kind}: {}", sentence(&error));
                malformed(ErrorCode::BadMessage, Some(id), message)
            })
        }
        None => {
            let shown: String = kind.chars().take(40).collect();
            let message = format!("there is no message of type {shown:?}");
            Err(malformed(ErrorCode::UnknownType, Some(id), message))
        }
    }
}

/// Writes the integers of a frame as such. To JSON Schema 1.0 and 1e3 are integers, and programs
/// whose numbers are all of one type write them so. Returns `None` if there are none.
fn with_integers(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut value: Value = serde_json::from_slice(bytes).ok()?;
    write_integers(&mut value).then(|| value.to_string().into_bytes())
}

/// Returns whether there were any that were written otherwise.
fn write_integers(value: &mut Value) -> bool {
    match value {
        Value::Number(number) => {
            let integer = number.as_f64().filter(|_| number.is_f64()).and_then(integer_of);
            *number = integer.map_or_else(|| number.clone(), Number::from);
            integer.is_some()
        }
        Value::Array(values) => {
            values.iter_mut().fold(false, |any, value| write_integers(value) | any)
        }
        Value::Object(fields) => {
            fields.values_mut().fold(false, |any, value| write_integers(value) | any)
        }
        Value::Null | Value::Bool(_) | Value::String(_) => false,
    }
}

/// The integer that a number is, if all programs mean the same one.
fn integer_of(number: f64) -> Option<i64> {
    let is_exact = number.fract() == 0.0 && number.abs() < 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, reason = "it is an integer of less than 54 bits")]
    is_exact.then_some(number as i64)
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
