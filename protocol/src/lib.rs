//! The messages of the Adamant wire protocol, version 1.
//!
//! This crate knows shapes and limits, and nothing of the games: moves cross it as notation,
//! positions as cell names with letters. See `docs/PROTOCOL.md` for what the messages mean.

pub mod codec;
pub mod error;
pub mod event;
pub mod from_client;
pub mod ids;
mod reasons;
pub mod schema;
pub mod sketch;
pub mod to_client;
pub mod values;

pub use codec::{Decoded, FRAME_BYTES_MAX, Malformed, encode};
pub use error::{CloseCode, ErrorCode, Retry};
pub use event::{EventBody, EventFrame};
pub use from_client::FromClient;
pub use ids::{ChallengeId, GameId, OfferId, RequestId, SeekId, TokenId, UserName};
pub use to_client::ToClient;

/// The only version of the protocol so far.
pub const PROTOCOL_VERSION: u32 = 1;

/// The WebSocket sub-protocol that names version and encoding.
pub const SUBPROTOCOL: &str = "adamant.v1.json";

/// The path of the WebSocket endpoint.
pub const WEBSOCKET_PATH: &str = "/v1/ws";
