//! Tests of the view: records and keys go in, frames and requests come out.

mod connection;
pub(super) mod fixture;
mod games;
mod hints;
mod history;
mod pointing;
mod prompt;
mod talk;
mod test_client;
mod together;
mod window;

use std::time::Duration;

use adamant_client::{DisconnectReason, Incoming, RequestError};
use adamant_protocol::to_client::{Notice, NoticeKind, ResumeDecision};
use adamant_record::Head;
use adamant_rules::{
    Act, TimeControl,
    event::{OfferId, OfferKind},
};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use self::{
    fixture::{FakeServer, GAME, O, START_MS, welcome, x},
    test_client::{TestClient, move_request},
};
use super::view::{Effect, FollowError, Message, Request, Role, View};
