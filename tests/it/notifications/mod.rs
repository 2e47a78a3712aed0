//! Notifications for users who are away: requests, push messages, webhooks, and the rules of
//! outgoing requests.

mod channels;
mod endpoint; // another server, to which the server sends requests
mod feeds;
mod opened; // push messages, decrypted by other code than the server's
mod outgoing;
mod push;
mod restarts; // servers that are killed or stopped before a notification is sent
mod webhooks;
