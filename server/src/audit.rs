//! What an operator asks of a data directory without starting a server: whether its ratings are
//! those that follow from its games.

use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};

use crate::store::sqlite::{Mode, OpenError, audit};

/// What to do about ratings that do not follow from the games.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RatingsTask {
    /// Name them.
    Check,
    /// Store what follows instead.
    Rebuild,
}

/// What was found, in sentences, and whether all is well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Findings {
    /// A line each.
    pub lines: Vec<String>,
    /// Whether there was no difference.
    pub is_well: bool,
}

/// Why the ratings could not be looked at.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct AuditError(#[from] OpenError);

/// Computes every rating from scratch, out of the records of the games that count, in the order in
/// which they ended, and compares. Shows its progress where somebody watches.
pub fn ratings(data: &Path, task: RatingsTask) -> Result<Findings, AuditError> {
    let mode = match task {
        RatingsTask::Check => Mode::Check,
        RatingsTask::Rebuild => Mode::Rebuild,
    };
    let style = ProgressStyle::with_template("{bar:30} {pos} of {len} results, {eta} left")
        .expect("the template is well-formed");
    let bar = ProgressBar::new(0).with_style(style);
    let report = audit(data, mode, |done, total| {
        bar.set_length(total);
        bar.set_position(done);
    })?;
    bar.finish_and_clear();
    let mut lines = report.differences;
    let shown = lines.len() as u64;
    if report.found > shown {
        lines.push(format!("and {} more", report.found - shown));
    }
    let results = report.results;
    lines.push(match (task, report.found) {
        (_, 0) => format!("the ratings follow from the {results} results"),
        (RatingsTask::Check, found) => format!("{found} differences in {results} results"),
        (RatingsTask::Rebuild, found) => {
            format!("{found} differences in {results} results; the ratings are stored anew")
        }
    });
    Ok(Findings { lines, is_well: report.found == 0 })
}
