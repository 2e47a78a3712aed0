//! What is shown while games are played: a bar on a terminal, else a line for each game.

use std::io::{self, IsTerminal as _};

use adamant_engine::tournament::{Fault, GameResult, Tally, stats::Trinomial};
use indicatif::{ProgressBar, ProgressStyle};

use crate::output::Output;

/// What shows how far a match is.
pub(super) struct Progress {
    bar: Option<ProgressBar>,
    planned: u32,
    output: Output,
}

impl Progress {
    /// Begins with the games that have been played before.
    pub(super) fn new(planned: u32, played: usize, output: Output) -> Self {
        let has_bar = !output.json && io::stderr().is_terminal();
        let bar = has_bar.then(|| {
            let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} {msg} {eta}");
            let bar = ProgressBar::new(planned.into())
                .with_style(style.expect("the template is well formed"));
            // A match that is resumed goes on at its own pace.
            bar.set_position(played as u64);
            bar.reset_eta();
            bar
        });
        Self { bar, planned, output }
    }

    /// Shows a game that has ended.
    pub(super) fn game(&self, result: &GameResult, tally: &Tally) {
        let faults = result.faults.iter().map(|fault| fault_sentence(result.game, fault));
        if let Some(bar) = &self.bar {
            faults.for_each(|fault| bar.println(fault));
            bar.set_position(tally.games().into());
            bar.set_message(score(tally));
        } else {
            let (number, planned) = (tally.games(), self.planned);
            let text = sentence(result);
            self.output.message(format_args!("{number}/{planned} {text}"));
            faults.for_each(|fault| self.output.message(fault));
        }
    }

    /// Removes the bar.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// The score of the first engine: short, because it stands beside a bar.
fn score(tally: &Tally) -> String {
    let (name, Trinomial { wins, draws, losses }) = tally.first();
    format!("{name} +{wins} ={draws} -{losses}")
}

fn sentence(result: &GameResult) -> String {
    let GameResult { game, seats, winners, reason, plies, .. } = result;
    let who = match &winners[..] {
        [winner] => format!("{winner} wins"),
        _ => "draw".to_owned(),
    };
    format!("game {game}: {}: {who} ({reason}, {plies} plies)", seats.join(" - "))
}

fn fault_sentence(game: u32, fault: &Fault) -> String {
    let Fault { engine, ply, kind, text } = fault;
    format!("game {game}: {engine} {kind} at ply {ply}: {text}")
}
