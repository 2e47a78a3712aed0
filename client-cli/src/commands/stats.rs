//! The statistics of a game.

use adamant_protocol::{
    ToClient,
    from_client::{Opponents, Stats},
    ids::RulesName,
    to_client::{GameStats, LengthCounts, ResultCounts},
};
use clap::Args;

use super::lists::reason_text;
use crate::{
    args::Global,
    failure::{ExitStatus, unexpected_reply},
    output::{Output, format_table},
    session::{ActAs, Session},
};

/// Arguments of `stats`.
#[derive(Debug, Args)]
pub(crate) struct StatsArgs {
    /// The game: adamas, hexma, stymie or diam
    #[arg(value_name = "GAME")]
    pub(crate) rules: RulesName,
    /// Games with N players; 2 by default
    #[arg(long, value_name = "N")]
    pub(crate) players: Option<u8>,
    /// Only games among people, among bots, or between both
    #[arg(long, value_name = "WHO", value_parser = opponents)]
    pub(crate) opponents: Option<Opponents>,
}

/// Reads whose games are counted.
fn opponents(word: &str) -> Result<Opponents, String> {
    match word {
        "people" => Ok(Opponents::People),
        "bots" => Ok(Opponents::Bots),
        "mixed" => Ok(Opponents::Mixed),
        _ => Err("people, bots or mixed".to_owned()),
    }
}

/// The widest bar of the chart, in characters.
const BAR_COLUMNS: u64 = 40;

/// Prints the statistics of a game.
pub(super) async fn stats(
    global: &Global,
    args: &StatsArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let session = Session::open(global, ActAs::UserOrAnonymous, output).await?;
    let asked = |id| Stats {
        id,
        rules: args.rules.clone(),
        players: args.players,
        opponents: args.opponents,
    };
    let reply = session.client.request(asked).await?;
    let ToClient::Stats(mut stats) = reply else { return Err(unexpected_reply(&reply).into()) };
    stats.re = None;
    if output.json {
        output.entry(&stats)?;
    } else if stats.results.games + stats.aborted == 0 {
        output.message("No such game has ended yet.");
    } else {
        output.line(text(&stats))?;
    }
    session.close().await;
    Ok(ExitStatus::Success)
}

fn text(stats: &GameStats) -> String {
    let GameStats { results, aborted, reasons, length, openings, .. } = stats;
    let mut parts = vec![format!("{} games, and {aborted} aborted", results.games)];
    let by_seat: Vec<_> = (1..)
        .zip(&results.wins)
        .map(|(seat, wins)| (format!("won by player {seat}"), *wins))
        .chain([("drawn".to_owned(), results.draws)])
        .map(|(result, games)| [result, games.to_string(), share(games, results.games)])
        .collect();
    parts.push(format_table(["RESULT", "GAMES", "SHARE"], &by_seat));
    let by_reason: Vec<_> = reasons
        .iter()
        .map(|count| {
            let share = share(count.games, results.games);
            [reason_text(&count.reason).to_owned(), count.games.to_string(), share]
        })
        .collect();
    parts.push(format_table(["END", "GAMES", "SHARE"], &by_reason));
    if let Some(length) = length {
        parts.push(lengths(length));
    }
    if !openings.is_empty() {
        let rows: Vec<_> = openings
            .iter()
            .map(|opening| {
                let ResultCounts { games, wins, draws } = &opening.results;
                let wins: Vec<String> = wins.iter().map(|wins| share(*wins, *games)).collect();
                let moves = opening.moves.join(" ");
                [moves, games.to_string(), wins.join(" "), share(*draws, *games)]
            })
            .collect();
        parts.push(format_table(["OPENING", "GAMES", "WON BY SEAT", "DRAWN"], &rows));
    }
    parts.join("\n\n")
}

/// Returns a part in percent.
fn share(part: u64, all: u64) -> String {
    let percent = (part * 100 + all / 2).checked_div(all).unwrap_or(0);
    format!("{percent}%")
}

fn lengths(counts: &LengthCounts) -> String {
    let LengthCounts { shortest, lower_quartile, median, upper_quartile, longest, .. } = counts;
    let most = counts.bars.iter().copied().max().unwrap_or(0).max(1);
    let rows: Vec<_> = (0..)
        .step_by(usize::try_from(counts.bar_width).unwrap_or(1).max(1))
        .zip(&counts.bars)
        .map(|(from, games): (u32, &u64)| {
            let to = from + counts.bar_width - 1;
            let range = if from == to { from.to_string() } else { format!("{from}-{to}") };
            let columns = (games * BAR_COLUMNS).div_ceil(most);
            [range, games.to_string(), "#".repeat(usize::try_from(columns).unwrap_or(0))]
        })
        .collect();
    let chart = format_table(["MOVES", "GAMES", ""], &rows);
    format!(
        "Half of the games have at most {median} moves, half of all {lower_quartile} to \
         {upper_quartile}; the shortest {shortest}, the longest {longest}.\n{chart}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_drawn_as_bars() {
        let counts = LengthCounts {
            shortest: 3,
            lower_quartile: 3,
            median: 3,
            upper_quartile: 8,
            longest: 8,
            bar_width: 5,
            bars: vec![4, 1],
        };
        let text = lengths(&counts);
        let lines: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(lines[1], format!("0-4    4      {}", "#".repeat(40)));
        assert_eq!(lines[2], format!("5-9    1      {}", "#".repeat(10)));
        assert_eq!(
            (share(1, 3), share(2, 3), share(0, 0)),
            ("33%".into(), "67%".into(), "0%".into())
        );
    }
}
