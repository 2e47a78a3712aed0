//! The view of one live game: full screen for people, lines for pipes. Connecting is not done here.

mod aim;
mod course;
#[cfg(test)]
mod fixture;
mod help;
mod keys;
mod lines;
mod picture;
mod places;
mod pointing;
mod prompt;
mod render;
mod screen;
mod style;
mod talk;
#[cfg(test)]
mod tests;
mod typed;
mod view;
mod viewport;

pub(crate) use lines::lines;
pub(crate) use prompt::without_spaces;
pub(crate) use screen::run;
pub(crate) use typed::typed;

/// In what capacity a game is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// With a prompt for moves.
    Play,
    /// Only looking.
    Watch,
}
