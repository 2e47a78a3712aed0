//! Tests of the view: records and keys go in, frames and requests come out.

mod connection;
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

use self::test_client::{TestClient, move_request};
use super::{
    fixture::{FakeServer, GAME, O, START_MS, welcome, x},
    message::{Effect, FollowError, Message, Request, Role},
    view::View,
};
