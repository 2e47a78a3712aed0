//! The progress of a task.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::store::CheckStep;

/// Progress of the present step, shown only on a terminal.
#[derive(Default)]
pub(super) struct StepBar(Option<(CheckStep, ProgressBar)>);

/// Interval at which a spinner moves.
const TICK: Duration = Duration::from_millis(200);

impl StepBar {
    pub(super) fn show(&mut self, step: CheckStep, done: u64, total: u64) {
        if let Some((shown, bar)) = &self.0
            && *shown == step
            && total > 0
        {
            bar.set_length(total);
            bar.set_position(done);
            return;
        }
        let (template, is_counted) = match step {
            CheckStep::Copy => ("{spinner} copying the database", false),
            CheckStep::Rows => ("{bar:30} {pos} of {len} rows copied, {eta} left", true),
            CheckStep::Transfer => ("{bar:30} {pos} of {len} games copied, {eta} left", true),
            CheckStep::Pages => ("{spinner} checking the pages of the database", false),
            CheckStep::Games => ("{bar:30} {pos} of {len} games, {eta} left", true),
            CheckStep::Ratings => ("{bar:30} {pos} of {len} results, {eta} left", true),
        };
        let style = ProgressStyle::with_template(template).expect("the template is well-formed");
        self.clear();
        let bar = ProgressBar::new(total).with_style(style).with_position(done);
        if !is_counted {
            bar.enable_steady_tick(TICK);
        }
        self.0 = Some((step, bar));
    }

    fn clear(&mut self) {
        if let Some((_, bar)) = self.0.take() {
            bar.finish_and_clear();
        }
    }
}

impl Drop for StepBar {
    fn drop(&mut self) {
        self.clear();
    }
}
