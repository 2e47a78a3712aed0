//! Reaches users who are away: by Web Push in their browsers, and by webhooks.
//!
//! Rooms and the lobby report occasions; the notifier sends notifications to those users who have
//! no session. Clients that connect learn everything without it.

mod channels;
mod encryption;
mod url;
mod vapid;

pub(crate) use channels::NotificationChannels;
