//! Rooms under a paused clock, with a journal in memory and no socket.

mod claim;
mod closing;
mod conflicts;
mod fixture;
mod idempotency;
mod moves;
mod outage;
mod parking;
mod presence;
mod rating;
mod size;

use std::{sync::Arc, time::Duration};

use adamant_protocol::{
    CloseCode, ErrorCode, EventBody, EventFrame, ToClient, UserName, event::EndReason,
    to_client::ResumeDecision,
};
use adamant_record::{Head, Replay};
use adamant_rules::{
    Act, BySeat, Kind, Options, Player, Seat, Setup, Table, TimeControl, event::OfferKind,
};
use bytes::Bytes;
use tokio::{sync::OnceCell, time::Instant};

use fixture::{Bench, CLAIM_AFTER, Guest, PARK_AFTER, both_move, game, move_to};

use super::{
    LoadedGame, NewGame,
    command::{Command, JoinFrom, PlayerAction, RoomHandle},
    open, start, state,
};
use crate::{
    outbound::{SendOutcome, SessionEnd, client::ClientHandle, frame::Frame},
    store::{Append, Journal as _, fake_journal::FakeJournal, memory::Memory},
};
