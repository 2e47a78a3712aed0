//! Tests of the view: records and keys go in, frames and requests come out.

mod events;
pub(super) mod fixture;
mod pointing;
mod window;

use std::time::Duration;

use adamant_client::{DisconnectReason, Incoming, RequestError};
use adamant_protocol::to_client::{Notice, NoticeKind, ResumeDecision};
use adamant_record::Head;
use adamant_rules::{
    Act, TimeControl,
    event::{OfferId, OfferKind},
};
use crossterm::event::{KeyEvent, KeyModifiers};

use self::fixture::{FakeServer, GAME, O, START_MS, TestClient, move_request, welcome, x};
use super::view::{Effect, FollowError, Message, Request, Role, View};
