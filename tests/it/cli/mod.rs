//! The command line program against a real server.

mod commands; // every command
