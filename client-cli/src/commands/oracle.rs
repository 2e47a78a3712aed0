//! `adamant oracle`: what perfect play comes to in a position, where that is known.

use std::{path::PathBuf, time::Duration};

use adamant_engine::search::{self, Verdict};
use adamant_protocol::{
    GameId, from_client,
    to_client::{self, OracleValue},
};
use adamant_rules::{Position, record::ReplayStep};
use anyhow::Context as _;
use clap::Args;
use serde::Serialize;

use super::replay::{game_on_server, print_bad_move, read_record, report_source, step_at};
use crate::{
    failure::{CommandResult, ExitStatus, UsageError},
    output::{self, Output, progress_bar},
    session::{ActAs, Session, ask},
    settings::Global,
};

#[derive(Debug, Args)]
pub(crate) struct OracleArgs {
    /// A text record, or the id of a game on the server; - is standard input
    #[arg(default_value = "-", value_name = "FILE|GAME")]
    pub(crate) source: PathBuf,
    /// The ply, counted from 0; without it the last position
    #[arg(long, value_name = "N")]
    pub(crate) ply: Option<u32>,
    /// Use the endgame tables of this folder, too
    #[arg(long, value_name = "FOLDER")]
    pub(crate) tables: Option<PathBuf>,
}

impl OracleArgs {
    /// The game on the server, if no file has its name.
    pub(crate) fn game(&self) -> Option<GameId> {
        game_on_server(&self.source)
    }
}

/// The most best moves that are asked for, and those that are printed for people.
const MOVES_MAX: usize = 64;
const MOVES_SHOWN: usize = 12;

/// Positions that a proof takes at the most: about a minute.
const POSITIONS_MAX: u64 = 1_000_000_000;

/// The time between two pictures of what shows that a proof goes on.
const TICK: Duration = Duration::from_millis(200);

/// The output of `oracle --json`.
#[derive(Debug, Serialize)]
struct Answer {
    ply: u32,
    /// The seat to move; none if the game is over.
    to_move: Option<u8>,
    /// `win`, `draw` or `loss` for the seat to move; none if it is not known.
    value: Option<&'static str>,
    /// The plies to the end.
    distance: Option<u32>,
    best: Vec<String>,
    /// How many moves are as good.
    moves: usize,
}

/// Prints what perfect play comes to. Fails if that is not known.
pub(crate) async fn oracle(global: &Global, args: &OracleArgs) -> CommandResult {
    if args.game().is_some() && args.tables.is_some() {
        let why = "a game on the server is asked about without --tables";
        return Err(UsageError(why.to_owned()).into());
    }
    if let Some(folder) = &args.tables {
        super::engine::use_tables(folder)?;
    }
    match args.game() {
        Some(game) => ask_server(global, &game, args.ply).await,
        None => ask_record(args, global.output),
    }
}

async fn ask_server(global: &Global, game: &GameId, ply: Option<u32>) -> CommandResult {
    let session = Session::open(global, ActAs::UserOrAnonymous).await?;
    let explore = |id| from_client::Explore {
        game: Some(game.clone()),
        ply,
        oracle: true,
        ..from_client::Explore::new(id)
    };
    let explored = ask!(session, Explored, explore);
    session.close().await;
    let to_client::Explored { ply, to_move, oracle, .. } = *explored;
    let mut answer = Answer::unknown(ply, to_move);
    if let Some(to_client::Oracle { value, distance, best, moves }) = oracle {
        answer.value = match value {
            OracleValue::Win => Some("win"),
            OracleValue::Draw => Some("draw"),
            OracleValue::Loss => Some("loss"),
            OracleValue::Unknown(_) => None,
        };
        answer.distance = distance;
        answer.best = best.into_iter().map(Into::into).collect();
        answer.moves = usize::try_from(moves)?;
    }
    answer.print(global.output)
}

fn ask_record(args: &OracleArgs, output: Output) -> CommandResult {
    let record = match read_record(&args.source) {
        Ok(record) => record,
        Err(error) => return Ok(report_source(&error)),
    };
    match step_at(&record, args.ply) {
        Ok(step) => {
            let step = step.context("the record has no such ply")?;
            Answer::of(&step).print(output)
        }
        Err(bad) => Ok(print_bad_move(&bad, output, &mut anstream::stdout().lock())?),
    }
}

impl Answer {
    const fn unknown(ply: u32, to_move: Option<u8>) -> Self {
        Self { ply, to_move, value: None, distance: None, best: Vec::new(), moves: 0 }
    }

    fn of(step: &ReplayStep) -> Self {
        let position: &Position = &step.position;
        let is_over = position.clone().settle().is_some();
        let seat = u8::try_from(position.to_move().index()).unwrap_or(u8::MAX);
        let mut answer = Self::unknown(step.ply, (!is_over).then_some(seat));
        let bar = progress_bar(0, "{spinner} looking for a proof");
        bar.enable_steady_tick(TICK);
        let found = search::oracle(position, MOVES_MAX, POSITIONS_MAX);
        bar.finish_and_clear();
        if let Some(found) = found {
            answer.value = Some(match found.verdict {
                Verdict::Win(_) => "win",
                Verdict::Draw => "draw",
                Verdict::Loss(_) => "loss",
            });
            answer.distance = found.verdict.plies();
            (answer.best, answer.moves) = (found.best, found.moves);
        }
        answer
    }

    fn print(&self, output: Output) -> CommandResult {
        if output.json {
            output.entry(self)?;
        } else if let Some(value) = self.value {
            let plies = self.distance.map_or_else(String::new, |plies| match plies {
                1 => " in 1 ply".to_owned(),
                plies => format!(" in {plies} plies"),
            });
            let text = match value {
                "win" => format!("The seat to move wins{plies}."),
                "loss" => format!("The seat to move loses{plies}."),
                _ => "Nobody can force a win.".to_owned(),
            };
            output.line(text)?;
            let shown = self.best.iter().take(MOVES_SHOWN).map(String::as_str).collect::<Vec<_>>();
            let more = match self.moves.saturating_sub(shown.len()) {
                0 => String::new(),
                more => format!(", and {more} more"),
            };
            output.line(format!("Best: {}{more}", shown.join(", ")))?;
        } else if self.to_move.is_none() {
            output::to_stderr(format_args!("adamant: the game is over"));
        } else {
            output::to_stderr(format_args!(
                "adamant: nothing is known for certain: the oracle knows small boards with few \
                 pieces, and those where a proof is found within a minute"
            ));
        }
        Ok(if self.value.is_some() { ExitStatus::Success } else { ExitStatus::Failed })
    }
}
