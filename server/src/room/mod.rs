//! Rooms: each owns a live game's table, the head of its record, and its audience.
//!
//! A room is a value: it takes inputs and gives outputs. A few loops drive all rooms.

mod audience;
mod away;
mod begin;
mod claim;
mod command;
mod commit;
mod cut_off;
mod damaged;
mod delayed_view;
mod elsewhere;
mod fan_out;
mod follow;
pub(crate) mod game_reader;
mod game_source;
mod handle;
pub(crate) mod hints;
mod idempotency;
mod input;
pub(crate) mod live_feed;
mod loaded;
mod loops;
mod move_list;
mod outages;
mod outcome;
mod overdue;
mod parking;
mod presence;
mod recovery;
pub(crate) mod registry;
mod resume;
pub(crate) mod snapshot;
mod standing;
mod state;
mod step;
mod table_queries;
#[cfg(test)]
mod tests;

pub(crate) use command::{
    ActRequest, Command, JoinFrom, PlayerAction, ResumePlan, TableQuery, TalkBroadcast,
};
pub(crate) use game_reader::ReadFor;
pub(crate) use input::AudienceElsewhere;
pub(crate) use loaded::{GameLoader, LoadedGame};
pub(crate) use outages::Outages;
pub(crate) use presence::ClaimAfter;
pub(crate) use state::{Room, RoomContext};
