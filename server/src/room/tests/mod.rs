//! Rooms, driven by scripts: inputs go in, outputs and frames come out. No runtime and no clock.

mod announced;
mod claim;
mod client;
mod closing;
mod cluster;
mod conflicts;
mod cursors;
mod cut_off;
mod elsewhere;
mod failures;
mod idempotency;
mod moves;
mod outage;
mod parking;
mod presence;
mod rating;
mod script;
mod size;
mod stalls;
mod waiting;

use std::time::Duration;

use adamant_protocol::{CloseCode, ErrorCode, EventBody, EventFrame, ToClient};
use adamant_rules::{Act, Seat, TimeControl, event::OfferKind};

pub(super) use client::Client;
use client::{both_move, event_kinds, move_to};
pub(super) use script::{BEGINNING, begun, context, setup};
use script::{CLAIM_AFTER, Fate, PARK_AFTER, Script, game};

use super::{
    Command, JoinFrom, Outages, PlayerAction, TalkBroadcast,
    input::{Input, Output},
};
use crate::runtime::time::milliseconds;
