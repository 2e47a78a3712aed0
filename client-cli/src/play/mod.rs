//! Shows one live game: full screen on a terminal, line by line in pipes.

mod board;
#[cfg(test)]
mod fixture;
mod help;
mod history;
mod keys;
mod layout;
mod line_mode;
mod line_output;
mod message;
mod move_input;
mod pointing;
mod prompt;
mod render;
mod screen;
mod targets;
#[cfg(test)]
mod tests;
mod view;

pub(crate) use line_mode::play_lines;
pub(crate) use line_output::watch_lines;
pub(crate) use message::Role;
pub(crate) use screen::run;
