//! The messages of the Adamant wire protocol, version 1.
//!
//! This crate knows shapes and limits, and nothing of the games: moves cross it as notation,
//! positions as cell names with letters. See `docs/PROTOCOL.md` for the meaning of the messages.
//!
//! A client encodes its requests and decodes what the server sends:
//!
//! ```
//! use adamant_protocol::{ToClient, codec, event::EventBody, from_client::Move};
//!
//! let request = Move::new("1".parse()?, "k7q2mx".parse()?, 4, "c1-c2".into());
//! assert_eq!(
//!     codec::encode_request(&request.into()),
//!     r#"{"type":"move","id":"1","game":"k7q2mx","turn":4,"move":"c1-c2"}"#,
//! );
//!
//! let chain = "0".repeat(64);
//! let frame = format!(
//!     r#"{{"type":"event","game":"k7q2mx","seq":2,"at":1790000000000,"kind":"started",
//!         "to_move":0,"hash":"00000000000077de","chain":"{chain}"}}"#
//! );
//! let Some(ToClient::Event(event)) = ToClient::from_bytes(frame.as_bytes())? else { panic!() };
//! assert_eq!(event.seq, 2);
//! assert!(matches!(event.body, EventBody::Started(_)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A server decodes requests, and learns the code and the id of a bad one:
//!
//! ```
//! use adamant_protocol::{ErrorCode, codec};
//!
//! let request = codec::decode(br#"{"type":"ping","id":"7"}"#).unwrap();
//! assert_eq!(request.kind(), "ping");
//! let malformed = codec::decode(br#"{"type":"fly","id":"8"}"#).unwrap_err();
//! assert_eq!(malformed.code, ErrorCode::UnknownType);
//! assert_eq!(malformed.id, Some("8".parse().unwrap()));
//! ```

pub mod codec;
pub mod downloads;
pub mod error;
pub mod event;
pub mod fast_path;
pub mod from_client;
pub mod ids;
mod json_writer;
pub mod notification;
#[cfg(feature = "schema")]
pub mod schema;
pub mod sketch;
pub mod to_client;
pub mod values;
mod words;

pub use codec::{Decoded, FRAME_BYTES_MAX, Malformed, encode};
pub use error::{CloseCode, ErrorCode, Retry};
pub use event::{EventBody, EventFrame};
pub use from_client::FromClient;
pub use ids::{ChallengeId, GameId, InviteId, OfferId, RequestId, SeekId, TokenId, UserName};
pub use to_client::ToClient;
pub use words::{Known, Word, known};

/// The only version of the protocol so far.
pub const PROTOCOL_VERSION: u32 = 1;

/// The WebSocket sub-protocol that names version and encoding.
pub const SUBPROTOCOL: &str = "adamant.v1.json";

/// The path of the WebSocket endpoint.
pub const WEBSOCKET_PATH: &str = "/v1/ws";

/// Has the programs of README.md tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
