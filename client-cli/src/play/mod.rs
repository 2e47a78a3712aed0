//! Shows one live game: full screen on a terminal, line by line in pipes.

mod line_mode;
mod move_input;
mod prompt;
mod render;
mod screen;
#[cfg(test)]
mod tests;
mod view;

pub(crate) use line_mode::{play_lines, watch_lines};
pub(crate) use screen::run;
pub(crate) use view::Role;
