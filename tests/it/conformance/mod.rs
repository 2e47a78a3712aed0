//! Clients against the server in chaos mode: ours pass, a naive one fails.

mod chaos_mode; // what the server accepts, and its output
mod clients; // `adamant conform` with our bot, an engine, and the control
