//! Talk: the chat of a game.

mod messages; // recipients, muting and deletion of messages
