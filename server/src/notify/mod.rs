//! Reaches users who are away: by Web Push in their browsers, and by webhooks.
//!
//! Rooms and the lobby report occasions; the notifier sends notifications to those users who have
//! no session. Clients that connect learn everything without it.

mod channels;
mod delivery;
mod notices;
mod notifier;
mod outgoing;
mod push;

pub(crate) use channels::NotificationChannels;
pub(crate) use notifier::Notifier;
pub(crate) use push::PushKeyError;
