//! A command's connection to the server: who one is there, and what the server says unasked.

use adamant_client::{Client, Inbox};
use adamant_protocol::to_client::Welcome;

/// An open connection. It resumes by itself; see `adamant_client`.
#[derive(Debug)]
pub(crate) struct Session {
    /// Sends requests.
    pub(crate) client: Client,
    /// Hears what comes unasked.
    pub(crate) inbox: Inbox,
    /// What the server said first: who one is, and the live games.
    pub(crate) welcome: Welcome,
}
