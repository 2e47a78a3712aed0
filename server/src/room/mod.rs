//! Rooms: each owns a live game's table, the head of its record, and its audience.
//!
//! A room is a value: it takes inputs and gives outputs. A few loops drive all rooms.

mod attendance;
mod audience;
mod clocks;
mod command;
mod commit;
mod delayed_view;
mod follow;
mod game_source;
mod idempotency;
pub(crate) mod live_feed;
mod loaded;
mod loops;
mod outages;
mod parking;
mod presence;
pub(crate) mod registry;
mod resume;
mod rulings;
mod seat_offers;
pub(crate) mod snapshot;
mod spectators;
mod state;
mod substitutes;
pub(crate) mod table_queries;
#[cfg(test)]
mod tests;

pub(crate) use command::{
    AudienceElsewhere, Command, JoinFrom, PlayerAction, ReadFor, ResumePlan, TableQuery,
    TalkBroadcast,
};
pub(crate) use loaded::{GameLoader, LoadedGame};
pub(crate) use outages::Outages;
pub(crate) use presence::ClaimAfter;
pub(crate) use state::{Room, RoomContext};
pub(crate) use substitutes::Substitutes;

use audience::Audience;
use command::{ActRequest, Input, JoinRequest, Output, Pass, PlanRequest, Reply, RulingRequest};
use delayed_view::DelayedView;
use game_source::{GameSource, WorkError};
use idempotency::{AcceptedRequests, Lookup};
use loaded::{NewGame, StartGameError};
use parking::{ParkedGames, ParkedListener, ParkedRoom};
use presence::{PresenceTracker, PublishedPresence};
use spectators::Spectators;
use state::{AwaitedRating, Cause, PendingAppend, RoomError, StandingClock, Step, Unpublished};
