//! Chat about games: permissions, rates, deletion, and lines that other nodes have stored.

mod sent_lines;
mod service;

pub(crate) use service::{PendingBroadcast, TalkService, checked_text};
