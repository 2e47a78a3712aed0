//! Talk: the chat of a game.

mod messages; // who receives, mutes and deletes messages
