//! Rooms, driven by scripts: inputs go in, outputs and frames come out. No runtime and no clock.

mod cluster;
mod elsewhere;
mod moves;
mod outages;
mod presence;
mod script;
mod substitutes;

use std::time::Duration;

use adamant_protocol::{CloseCode, ErrorCode, EventBody, EventFrame, ToClient};
use adamant_rules::{Act, Seat, TimeControl, event::OfferKind};

use super::{Command, JoinFrom, Outages, PlayerAction, TalkBroadcast};
use crate::room::{Input, Output};
use crate::runtime::time::milliseconds;
pub(super) use script::{BEGINNING, Client, begun, context, setup};
use script::{CLAIM_AFTER, Fate, PARK_AFTER, Script, both_move, event_kinds, game, move_to};
