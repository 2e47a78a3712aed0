//! The loops that drive the rooms. A game belongs to one loop by its id.

mod audit;
mod deadlines;
mod effects;
mod following;
mod inbox;
mod message;
mod room_loop;
mod slots;
#[cfg(test)]
mod tests;
mod timers;

pub(super) use effects::complete;
pub(super) use inbox::{InboxPlace, RoomLoops};
pub(super) use message::{LoopServices, LoopStart};
