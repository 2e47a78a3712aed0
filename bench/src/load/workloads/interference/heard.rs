//! What the noise is about, and what its clients have received.

use hdrhistogram::Histogram;

use crate::load::report::histogram;

/// The games that the noise is about.
#[derive(Debug)]
pub(super) struct NoisyGames {
    /// The measured game with spectators.
    pub(super) watched: String,
    /// The long game whose positions are read.
    pub(super) paged: String,
    /// The long games that are opened by turns.
    pub(super) opened: Vec<String>,
    /// The plies of each long game.
    pub(super) plies: usize,
}

/// What the noisy clients have received.
#[derive(Debug)]
pub(super) struct Heard {
    /// Events at spectators.
    pub(super) events: u64,
    /// Boards of the live list.
    pub(super) boards: u64,
    /// Requests that the server refused.
    pub(super) refused: u64,
    /// How long openings took.
    pub(super) openings: Histogram<u64>,
    /// How long pages of positions took.
    pub(super) pages: Histogram<u64>,
}

impl Heard {
    pub(super) fn new() -> Self {
        let (openings, pages) = (histogram(), histogram());
        Self { events: 0, boards: 0, refused: 0, openings, pages }
    }

    /// The figures of the noise that there was, each with its unit.
    #[expect(clippy::cast_precision_loss, reason = "counts of work are far below 2^52")]
    pub(super) fn figures(&self) -> Vec<(&'static str, f64, &'static str)> {
        let mut figures = vec![("refused requests", self.refused as f64, "requests")];
        if self.events > 0 {
            figures.push(("events to spectators", self.events as f64, "events"));
        }
        if self.boards > 0 {
            figures.push(("boards of the live list", self.boards as f64, "boards"));
        }
        for (times, count, median) in [
            (&self.openings, "openings", "median opening"),
            (&self.pages, "pages of positions", "median page"),
        ] {
            if !times.is_empty() {
                figures.push((count, times.len() as f64, "answers"));
                figures.push((median, times.value_at_quantile(0.5) as f64, "us"));
            }
        }
        figures
    }
}
