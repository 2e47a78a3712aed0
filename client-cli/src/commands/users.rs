//! Users: standings, profiles, histories, and the directory of bots.

use std::time::Duration;

use adamant_protocol::{
    GameId, UserName,
    from_client::{Acceptance, ClockMode, Directory, History, PaceRange, Standings, User},
    ids::{RulesName, StandingsCursor},
    to_client::{DirectoryEntry, GameEntry, PoolRating, Standing, UserProfile},
};
use clap::Args;
use jiff::{Timestamp, tz::TimeZone};

use super::lists::{game_and_options, result_text};
use crate::{
    failure::CommandResult,
    output::format_table,
    session::{ActAs, Session, ask},
    settings::Global,
};

#[derive(Debug, Args)]
pub(crate) struct StandingsArgs {
    /// The game: adamas, hexma, stymie or diam
    #[arg(value_name = "GAME")]
    pub(crate) rules: RulesName,
    /// Ratings of games with N players; 2 by default
    #[arg(long, value_name = "N")]
    pub(crate) players: Option<u8>,
    /// Only bots, with their places among bots
    #[arg(long)]
    pub(crate) bots: bool,
    /// Only people, with their places among people
    #[arg(long, conflicts_with = "bots")]
    pub(crate) people: bool,
    /// At most N entries
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u32>,
    /// Continue the list at this place, as the previous page printed it
    #[arg(long, value_name = "PLACE")]
    pub(crate) before: Option<StandingsCursor>,
}

#[derive(Debug, Args)]
pub(crate) struct UserArgs {
    /// The user
    pub(crate) name: UserName,
}

#[derive(Debug, Args)]
pub(crate) struct HistoryArgs {
    /// The user
    pub(crate) name: UserName,
    /// Only games of this kind: adamas, hexma, stymie or diam
    #[arg(long, value_name = "GAME")]
    pub(crate) rules: Option<RulesName>,
    /// At most N entries
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u32>,
    /// Continue the list after this game
    #[arg(long, value_name = "ID")]
    pub(crate) before: Option<GameId>,
}

/// Lists the rated players of a game, highest rating first.
pub(super) async fn standings(global: &Global, args: &StandingsArgs) -> CommandResult {
    let output = global.output;
    let session = Session::open(global, ActAs::UserOrAnonymous).await?;
    let asked = |id| Standings {
        id,
        rules: args.rules.clone(),
        players: args.players,
        bot: (args.bots || args.people).then_some(args.bots),
        before: args.before.clone(),
        limit: args.limit,
    };
    let list = ask!(session, Standings, asked);
    let heading = ["", "PLAYER", "RATING", "GAMES", "WON", "DRAWN", "LOST"];
    output.list(&list.standings, "No user has a rating in this game.", heading, standing_row)?;
    if let Some(next) = &list.next {
        output.message(format_args!("There are more: --before {next}"));
    }
    session.end().await
}

fn standing_row(standing: &Standing) -> [String; 7] {
    let bot = if standing.bot { " (bot)" } else { "" };
    [
        standing.place.to_string(),
        format!("{}{bot}", standing.user),
        rating(standing.record.rating, standing.record.deviation, standing.record.provisional),
        standing.record.games.to_string(),
        standing.record.wins.to_string(),
        standing.record.draws.to_string(),
        standing.record.losses.to_string(),
    ]
}

/// Formats a rating with its deviation; a question mark means that it is provisional.
fn rating(rating: u16, deviation: u16, provisional: bool) -> String {
    let mark = if provisional { "?" } else { "" };
    format!("{rating}{mark} ±{deviation}")
}

/// Prints a user's profile and ratings.
pub(super) async fn user(global: &Global, args: &UserArgs) -> CommandResult {
    let output = global.output;
    let session = Session::open(global, ActAs::UserOrAnonymous).await?;
    let profile = ask!(session, User, |id| User { id, name: args.name.clone() });
    if output.json {
        let mut entry = serde_json::to_value(&profile)?;
        entry.as_object_mut().map(|fields| fields.remove("re"));
        output.entry(&entry)?;
    } else {
        output.line(introduction(&profile))?;
        if !profile.ratings.is_empty() {
            let rows: Vec<_> = profile.ratings.iter().map(rating_row).collect();
            let heading = ["GAME", "RATING", "PLACE", "GAMES", "WON", "DRAWN", "LOST"];
            output.line(format_table(heading, &rows))?;
        }
    }
    session.end().await
}

fn introduction(profile: &UserProfile) -> String {
    let what = match (&profile.owner, profile.bot, profile.guest) {
        (Some(owner), _, _) => format!("a bot of {owner}"),
        (None, true, _) => "a bot".to_owned(),
        (None, false, true) => "a guest".to_owned(),
        (None, false, false) => "a player".to_owned(),
    };
    let online = if profile.online { "online" } else { "offline" };
    let (live, finished) = (profile.live, profile.finished);
    format!(
        "{}: {what} since {}, {online}; games: {live} live, {finished} finished",
        profile.user,
        day(profile.since)
    )
}

/// Formats the day in the local time zone.
fn day(at_ms: u64) -> String {
    let moment = i64::try_from(at_ms).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok());
    let day = moment.map(|moment| moment.to_zoned(TimeZone::system()).date().to_string());
    day.unwrap_or_else(|| "unknown".to_owned())
}

fn rating_row(pool: &PoolRating) -> [String; 7] {
    [
        format!("{} for {}", pool.rules.name, pool.players),
        rating(pool.record.rating, pool.record.deviation, pool.record.provisional),
        pool.place.to_string(),
        pool.record.games.to_string(),
        pool.record.wins.to_string(),
        pool.record.draws.to_string(),
        pool.record.losses.to_string(),
    ]
}

/// Lists a user's finished games.
pub(super) async fn history(global: &Global, args: &HistoryArgs) -> CommandResult {
    let output = global.output;
    let session = Session::open(global, ActAs::UserOrAnonymous).await?;
    let asked = |id| History {
        id,
        user: args.name.clone(),
        rules: args.rules.clone(),
        before: args.before.clone(),
        limit: args.limit,
    };
    let list = ask!(session, History, asked);
    let heading = ["ENDED", "ID", "GAME", "OPPONENTS", "PLACE", "RATING", "RESULT"];
    let if_empty = format_args!("{} has finished no such game.", list.user);
    output.list(&list.games, if_empty, heading, |game| game_row(game, &list.user))?;
    if let (true, Some(last)) = (list.more, list.games.last()) {
        output.message(format_args!("There are more: --before {}", last.game));
    }
    session.end().await
}

fn game_row(game: &GameEntry, user: &UserName) -> [String; 7] {
    let is_user = |name: &UserName| name.is_same(user.as_str());
    let left = game.substituted.as_ref().filter(|left| is_user(&left.user));
    let seat = game.seats.iter().position(|seat| is_user(&seat.user));
    let seat = left.map(|left| usize::from(left.seat)).or(seat);
    let others = (0..).zip(&game.seats).filter(|(other, _)| Some(*other) != seat);
    let others: Vec<&str> = others.map(|(_, other)| other.user.as_str()).collect();
    let place = game.result.as_ref().and_then(|result| {
        // Who leaves two others behind is the last of three.
        if left.is_some() {
            game.seats.len().try_into().ok()
        } else {
            result.places.get(seat?).copied()
        }
    });
    let change = game.ratings.as_ref().and_then(|ratings| {
        let (before, after) = (ratings.before.get(seat?)?, ratings.after.get(seat?)?);
        Some(format!("{after} ({:+})", i32::from(*after) - i32::from(*before)))
    });
    let words = game.result.as_ref().map(|result| result_text(game, result));
    [
        day(game.last_at),
        game.game.to_string(),
        game_and_options(&game.rules, &game.options),
        others.join(", "),
        place.map(|place: u8| place.to_string()).unwrap_or_default(),
        change.unwrap_or_default(),
        words.unwrap_or_default(),
    ]
}

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
pub(super) async fn bots(global: &Global, args: &BotsArgs) -> CommandResult {
    let output = global.output;
    let session = Session::open(global, ActAs::UserOrAnonymous).await?;
    let asked = |id| Directory {
        id,
        rules: args.rules.clone(),
        players: args.players,
        free: args.free,
        before: args.before.clone(),
        limit: args.limit,
    };
    let list = ask!(session, Directory, asked);
    let heading = ["BOT", "RATINGS", "FREE", "ACCEPTS"];
    output.list(&list.bots, "No bot accepts such games at present.", heading, bot_row)?;
    if let Some(last) = list.bots.last().filter(|_| list.more) {
        output.message(format_args!("There are more: --before {}", last.user));
    }
    session.end().await
}

fn bot_row(bot: &DirectoryEntry) -> [String; 4] {
    let what = match (bot.level, &bot.owner, bot.guest) {
        (Some(level), ..) => match level.number() {
            Some(number) => format!(" (server, level {number})"),
            None => format!(" (server, {level})"),
        },
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
