//! The directory of bots.

use std::time::Duration;

use adamant_protocol::{
    ToClient, UserName,
    from_client::{Acceptance, ClockMode, Directory, PaceRange},
    ids::RulesName,
    to_client::{DirectoryEntry, HouseLevel},
};
use clap::Args;

use crate::{
    args::Global,
    failure::{ExitStatus, unexpected_reply},
    output::{Output, format_table},
    session::{ActAs, Session},
};

/// Arguments of `bots`.
#[derive(Debug, Args)]
pub(crate) struct BotsArgs {
    /// Only bots that play this game: adamas, hexma, stymie or diam
    #[arg(value_name = "GAME")]
    pub(crate) rules: Option<RulesName>,
    /// Only bots that play games of N players
    #[arg(long, value_name = "N")]
    pub(crate) players: Option<u8>,
    /// Only bots that would begin a game at present
    #[arg(long)]
    pub(crate) free: bool,
    /// At most N entries
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u32>,
    /// Continue the list after this bot
    #[arg(long, value_name = "NAME")]
    pub(crate) before: Option<UserName>,
}

/// Lists the bots that accept challenges.
pub(super) async fn bots(
    global: &Global,
    args: &BotsArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let session = Session::open(global, ActAs::UserOrAnonymous, output).await?;
    let asked = |id| Directory {
        id,
        rules: args.rules.clone(),
        players: args.players,
        free: args.free,
        before: args.before.clone(),
        limit: args.limit,
    };
    let reply = session.client.request(asked).await?;
    let ToClient::Directory(list) = reply else { return Err(unexpected_reply(&reply).into()) };
    if output.json {
        for bot in &list.bots {
            output.entry(bot)?;
        }
    } else if list.bots.is_empty() {
        output.message("No bot accepts such games at present.");
    } else {
        let rows: Vec<_> = list.bots.iter().map(row).collect();
        output.line(format_table(["BOT", "RATINGS", "FREE", "ACCEPTS"], &rows))?;
    }
    if let Some(last) = list.bots.last().filter(|_| list.more) {
        output.message(format_args!("There are more: --before {}", last.user));
    }
    session.close().await;
    Ok(ExitStatus::Success)
}

fn row(bot: &DirectoryEntry) -> [String; 4] {
    let what = match (bot.level, &bot.owner, bot.guest) {
        (Some(HouseLevel::Easy), ..) => " (server, easy)".to_owned(),
        (Some(HouseLevel::Medium), ..) => " (server, medium)".to_owned(),
        (Some(HouseLevel::Hard), ..) => " (server, hard)".to_owned(),
        (Some(HouseLevel::Unknown(level)), ..) => format!(" (server, {level})"),
        (None, Some(owner), _) => format!(" (of {owner})"),
        (None, None, true) => " (guest)".to_owned(),
        (None, None, false) => String::new(),
    };
    let ratings: Vec<_> =
        bot.ratings.0.iter().map(|(pool, rating)| format!("{pool} {rating}")).collect();
    [
        format!("{}{what}", bot.user),
        if ratings.is_empty() { "-".to_owned() } else { ratings.join(", ") },
        bot.free.map_or_else(|| "yes".to_owned(), |free| free.to_string()),
        acceptance(&bot.accepts),
    ]
}

/// Describes what a bot accepts.
fn acceptance(accepts: &Acceptance) -> String {
    let mut parts = Vec::new();
    if !accepts.games.is_empty() {
        let games = accepts.games.iter().map(|game| match game.players {
            Some(players) => format!("{}/{players}", game.rules.name),
            None => game.rules.name.to_string(),
        });
        parts.push(games.collect::<Vec<_>>().join(" "));
    }
    if !accepts.clocks.is_empty() {
        let clocks = accepts.clocks.iter().map(|mode| match mode {
            ClockMode::None => "no clock",
            ClockMode::Fischer => "fischer",
            ClockMode::PerMove => "per move",
            ClockMode::Byoyomi => "byoyomi",
            ClockMode::Days => "days",
            ClockMode::Unknown(word) => word.as_str(),
        });
        parts.push(format!("clocks: {}", clocks.collect::<Vec<_>>().join(" or ")));
    }
    parts.extend(accepts.pace.and_then(pace));
    parts.extend(
        accepts.rated.map(|rated| if rated { "only rated" } else { "not rated" }.to_owned()),
    );
    if let Some(range) = accepts.rating {
        let text = |bound: Option<u16>| bound.map(|rating| rating.to_string()).unwrap_or_default();
        parts.push(format!("ratings {}-{}", text(range.min), text(range.max)));
    }
    if !accepts.allow.bots {
        parts.push("no bots".to_owned());
    }
    if !accepts.allow.guests {
        parts.push("no guests".to_owned());
    }
    if accepts.default_options {
        parts.push("default options".to_owned());
    }
    if parts.is_empty() { "everything".to_owned() } else { parts.join("; ") }
}

/// Describes a range of times for a move.
fn pace(range: PaceRange) -> Option<String> {
    let time = |ms: u64| {
        let length = jiff::SignedDuration::try_from(Duration::from_millis(ms)).unwrap_or_default();
        format!("{length:#}")
    };
    match (range.min_ms.map(time), range.max_ms.map(time)) {
        (None, None) => None,
        (Some(min), None) => Some(format!("at least {min} a move")),
        (None, Some(max)) => Some(format!("at most {max} a move")),
        (Some(min), Some(max)) => Some(format!("{min} to {max} a move")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_acceptance_is_described_in_words() {
        for (accepts, words) in [
            (json!({}), "everything"),
            (
                json!({"games": [{"rules": "adamas", "players": 2}, {"rules": "diam"}],
                    "clocks": ["per_move", "none"], "pace": {"min_ms": 5_000, "max_ms": 600_000}}),
                "adamas/2 diam; clocks: per move or no clock; 5s to 10m a move",
            ),
            (
                json!({"rated": true, "rating": {"min": 1400}, "default_options": true,
                    "allow": {"bots": false, "guests": false}, "pace": {"max_ms": 90_000}}),
                "at most 1m 30s a move; only rated; ratings 1400-; no bots; no guests; \
                 default options",
            ),
        ] {
            let accepts: Acceptance = serde_json::from_value(accepts).unwrap();
            assert_eq!(acceptance(&accepts), words);
        }
    }
}
