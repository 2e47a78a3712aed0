//! The view of one live game: full screen for people, lines for pipes. Connecting is not done here.

mod board;
#[cfg(test)]
mod fixture;
mod help;
mod history;
mod keys;
mod line_mode;
mod line_output;
mod move_input;
mod pointing;
mod prompt;
mod render;
mod screen;
mod style;
mod talk;
mod targets;
#[cfg(test)]
mod tests;
mod view;
mod viewport;

pub(crate) use line_mode::typed;
pub(crate) use line_output::lines;
pub(crate) use prompt::without_spaces;
pub(crate) use screen::run;

/// In what capacity a game is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// With a prompt for moves.
    Play,
    /// Only looking.
    Watch,
}
