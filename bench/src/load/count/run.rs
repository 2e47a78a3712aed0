//! Runs the counted workloads, on the server and on its baseline by turns.

use std::time::Duration;

use adamant_rules::Kind;
use anyhow::{Context as _, Result};
use clap::ValueEnum;

use super::{
    callgrind::check_installed,
    report::{Compared, CountReport, Instructions},
};
use crate::load::{
    target::Launch,
    workloads::{ClosedLoop, CountedGames, counted_instructions, counted_loop},
};

/// What can be counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Counted {
    /// Instructions of a move in 100 games of Stymie 12, under callgrind.
    Plain,
    /// Instructions of a move in 20 games of Hexma whose players ask for their legal moves, under
    /// callgrind.
    Legal,
    /// Wake-ups, commits and CPU time of a move in 1,000 rooms in a closed loop.
    Loop,
}

const PLAIN: CountedGames =
    CountedGames { kind: Kind::Stymie, options: "-size=12", games: 100, caps: &[] };

const LEGAL: CountedGames =
    CountedGames { kind: Kind::Hexma, options: "", games: 20, caps: &["legal"] };

/// Rooms of the closed loop.
const LOOP_ROOMS: usize = 1_000;

/// A run to be made.
#[derive(Debug)]
pub struct Planned<'a> {
    counted: Counted,
    program: Compared,
    launch: &'a Launch,
    lasts: Duration,
}

/// Plans all runs: in each round every program once.
pub fn plan<'a>(
    counted: &[Counted],
    programs: &'a [(Compared, Launch)],
    rounds: u32,
    lasts: Duration,
) -> Result<Vec<Planned<'a>>> {
    let counted = if counted.is_empty() { Counted::value_variants() } else { counted };
    if counted.iter().any(|&counted| counted != Counted::Loop) {
        check_installed()?;
    }
    let mut planned = Vec::new();
    for _ in 0..rounds {
        for &counted in counted {
            for (program, launch) in programs {
                planned.push(Planned { counted, program: *program, launch, lasts });
            }
        }
    }
    Ok(planned)
}

impl Planned<'_> {
    /// Its name, for the progress.
    pub fn name(&self) -> String {
        format!("{}, {}", self.workload(), self.program.name())
    }

    fn workload(&self) -> String {
        match self.counted {
            Counted::Plain => format!("Stymie 12, {} games", PLAIN.games),
            Counted::Legal => format!("Hexma with legal, {} games", LEGAL.games),
            Counted::Loop => format!("closed loop, {LOOP_ROOMS} rooms"),
        }
    }

    /// Runs it and adds its counts.
    pub async fn run(&self, report: &mut CountReport) -> Result<()> {
        let games = match self.counted {
            Counted::Plain => PLAIN,
            Counted::Legal => LEGAL,
            Counted::Loop => {
                let of = ClosedLoop { rooms: LOOP_ROOMS, lasts: self.lasts };
                let counts = counted_loop(self.launch, of).await.with_context(|| self.name())?;
                report.add_loop(self.workload(), self.program, counts);
                return Ok(());
            }
        };
        let counted = counted_instructions(self.launch, games).await;
        let (profile, moves) = counted.with_context(|| self.name())?;
        let counts = Instructions::of_a_move(profile, moves);
        report.add_instructions(self.workload(), self.program, counts);
        Ok(())
    }
}
