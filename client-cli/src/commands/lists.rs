//! Lists of open seeks, open challenges and games.

use adamant_client::Incoming;
use adamant_protocol::{
    GameId, ToClient, UserName,
    from_client::{Challenges, ClockMode, GameState, Games, Lobby, SoughtResult},
    ids::RulesName,
    to_client::{
        Direction, GameEntry, GameResult, LobbyChange, OpenChallenge, ResultReason, SeekEntry,
    },
    values::{Named, OptionValue, TimeControl},
};
use adamant_record::wire;
use adamant_rules::Kind;
use clap::Args;
use serde_json::json;

use crate::{
    args::{Global, spelling::help_with_kinds},
    failure::{ExitStatus, UsageError, unexpected_reply},
    messages,
    output::{Output, format_table},
    proposal::unknown_kind,
    session::{ActAs, Session},
};

/// Arguments of `games`.
#[derive(Debug, Args)]
pub(crate) struct GamesArgs {
    /// Only games of this user
    #[arg(long, value_name = "NAME")]
    pub(crate) user: Option<UserName>,
    #[arg(long, value_name = "GAME", help = help_with_kinds("Only games of this kind"))]
    pub(crate) rules: Option<RulesName>,
    /// Only games with N players
    #[arg(long, value_name = "N")]
    pub(crate) players: Option<u8>,
    /// List finished games instead of live ones
    #[arg(long)]
    pub(crate) finished: bool,
    /// Only finished games of --user against this user
    #[arg(long, value_name = "NAME", requires = "user", requires = "finished")]
    pub(crate) opponent: Option<UserName>,
    /// Only finished games that --user has won, lost or drawn
    #[arg(long, value_name = "RESULT", value_parser = sought_result)]
    #[arg(requires = "user", requires = "finished")]
    pub(crate) result: Option<SoughtResult>,
    /// Only finished games that are rated
    #[arg(long, requires = "finished")]
    pub(crate) rated: bool,
    /// At most N entries
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u32>,
    /// Continue the list after this game
    #[arg(long, value_name = "ID")]
    pub(crate) before: Option<GameId>,
}

fn sought_result(text: &str) -> Result<SoughtResult, &'static str> {
    match text {
        "won" => Ok(SoughtResult::Won),
        "lost" => Ok(SoughtResult::Lost),
        "drawn" => Ok(SoughtResult::Drawn),
        _ => Err("the results are won, lost and drawn"),
    }
}

/// Arguments of `lobby`.
#[derive(Debug, Args)]
pub(crate) struct LobbyArgs {
    /// Keep running and print changes
    #[arg(long)]
    pub(crate) follow: bool,
}

/// Lists open seeks, and prints changes if asked to.
pub(super) async fn lobby(
    global: &Global,
    args: &LobbyArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let session = if args.follow {
        Session::open_persistent(global, ActAs::UserOrAnonymous, output).await?
    } else {
        Session::open(global, ActAs::UserOrAnonymous, output).await?
    };
    let open = open_seeks(&session, args.follow).await?;
    if output.json {
        open.add.iter().try_for_each(|seek| output.entry(seek))?;
    } else if open.add.is_empty() {
        output.message("No seek is open. `adamant seek GAME` opens one.");
    } else {
        output.line(format_table(HEADING, &open.add.iter().map(seek_row).collect::<Vec<_>>()))?;
    }
    if args.follow {
        follow_lobby(session, output).await
    } else {
        session.close().await;
        Ok(ExitStatus::Success)
    }
}

/// Prints changes of the lobby until the user ends the command.
async fn follow_lobby(mut session: Session, output: Output) -> anyhow::Result<ExitStatus> {
    loop {
        let incoming = session.next().await?;
        if let Incoming::Lobby(change) = &incoming {
            show_change(change, output)?;
        }
        // The subscription ends with the connection.
        if matches!(incoming, Incoming::Connected(_)) {
            show_change(&open_seeks(&session, true).await?, output)?;
        }
    }
}

async fn open_seeks(session: &Session, watch: bool) -> anyhow::Result<LobbyChange> {
    let reply = session.client.request(|id| Lobby { id, watch, before: None }).await?;
    if let ToClient::Lobby(open) = reply { Ok(open) } else { Err(unexpected_reply(&reply).into()) }
}

fn show_change(change: &LobbyChange, output: Output) -> anyhow::Result<()> {
    if output.json {
        change.add.iter().try_for_each(|seek| output.entry(seek))?;
        let gone = |seek| json!({"seek": seek, "removed": true});
        return change.remove.iter().map(gone).try_for_each(|entry| output.entry(&entry));
    }
    for seek in &change.add {
        output.line(format_args!("+ {}", seek_row(seek).join("  ")))?;
    }
    for seek in &change.remove {
        output.line(format_args!("- {seek}"))?;
    }
    Ok(())
}

const HEADING: [&str; 5] = ["SEEK", "GAME", "BY", "CLOCK", "SEATS"];

fn seek_row(seek: &SeekEntry) -> [String; 5] {
    let joined: Vec<&str> = seek.joined.iter().map(UserName::as_str).collect();
    let rated = if seek.rated { ", rated" } else { "" };
    [
        seek.seek.to_string(),
        game_and_options(&seek.rules, &seek.options),
        joined.join(", "),
        format!("{}{rated}", clock(seek.clock)),
        format!("{} of {}", seek.joined.len(), seek.players),
    ]
}

/// Lists open challenges to and by the user, newest first.
pub(super) async fn challenges(global: &Global, output: Output) -> anyhow::Result<ExitStatus> {
    let session = Session::open(global, ActAs::User, output).await?;
    let mut open = session.welcome.challenges.clone();
    let mut more = session.welcome.challenges_total.is_some();
    while more {
        let before = open.last().map(|open| open.challenged.challenge.clone());
        let page = |id| Challenges { id, before, limit: None };
        let reply = session.client.request(page).await?;
        let ToClient::Challenges(list) = reply else { return Err(unexpected_reply(&reply).into()) };
        open.extend(list.challenges);
        more = list.more;
    }
    if output.json {
        for open in &open {
            output.entry(open)?;
        }
    } else if open.is_empty() {
        output.message("No challenge is open.");
    } else {
        let now = session.welcome.ts;
        let rows: Vec<_> = open.iter().map(|open| challenge_row(open, now)).collect();
        let heading = ["CHALLENGE", "", "BY", "GAME", "SEATS", "CLOCK", "SENT"];
        output.line(format_table(heading, &rows))?;
    }
    session.close().await;
    Ok(ExitStatus::Success)
}

fn challenge_row(open: &OpenChallenge, now: u64) -> [String; 7] {
    let direction = match open.direction {
        Direction::In => "to you",
        Direction::Out => "by you",
        Direction::Unknown(_) => "",
    };
    let open = &open.challenged;
    let seats: Vec<&str> = open.seats.iter().map(UserName::as_str).collect();
    let rated = if open.rated { ", rated" } else { "" };
    [
        open.challenge.to_string(),
        direction.to_owned(),
        open.by.to_string(),
        game_and_options(&open.rules, &open.options),
        seats.join(", "),
        format!("{}{rated}", clock(open.clock)),
        messages::ago(open.created, now),
    ]
}

pub(super) async fn games(
    global: &Global,
    args: &GamesArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let session = Session::open(global, ActAs::UserOrAnonymous, output).await?;
    let games = |id| Games {
        id,
        user: args.user.clone(),
        rules: args.rules.clone(),
        players: args.players,
        state: if args.finished { GameState::Finished } else { GameState::Live },
        opponent: args.opponent.clone(),
        result: args.result,
        rated: args.rated.then_some(true),
        before: args.before.clone(),
        limit: args.limit,
    };
    let reply = session.client.request(games).await?;
    let ToClient::Games(list) = reply else { return Err(unexpected_reply(&reply).into()) };
    if output.json {
        for game in &list.games {
            output.entry(game)?;
        }
    } else if list.games.is_empty() {
        explain_empty(args, output)?;
    } else {
        let rows: Vec<_> = list.games.iter().map(game_row).collect();
        let end = if args.finished { "RESULT" } else { "TO MOVE" };
        output.line(format_table(["ID", "GAME", "PLAYERS", "CLOCK", "MOVES", end], &rows))?;
    }
    let oldest = list.games.last().map(|entry| &entry.game);
    if let (true, Some(before)) = (list.more, list.next.as_ref().or(oldest)) {
        output.message(format_args!("There are more: --before {before}"));
    }
    session.close().await;
    Ok(ExitStatus::Success)
}

/// Explains why a list of games is empty.
fn explain_empty(args: &GamesArgs, output: Output) -> Result<(), UsageError> {
    let GamesArgs { user, rules, players, finished, before, rated, .. } = args;
    if let Some(rules) = rules.as_ref().filter(|rules| Kind::from_name(&rules.name).is_none()) {
        return Err(unknown_kind(&rules.name));
    }
    let is_narrow =
        user.is_some() || rules.is_some() || players.is_some() || before.is_some() || *rated;
    output.message(match (is_narrow, finished) {
        (true, _) => "No game matches.",
        (false, true) => "No game is finished yet.",
        (false, false) => "No game is live. `adamant play` starts one.",
    });
    Ok(())
}

pub(super) fn game_row(game: &GameEntry) -> [String; 6] {
    let seats: Vec<String> =
        game.seats.iter().map(|seat| format!("{} {}", seat.letter, seat.user)).collect();
    let rated = if game.rated { ", rated" } else { "" };
    let last = match (&game.result, game.to_move) {
        (Some(result), _) => result_text(game, result),
        (None, Some(seat)) => user(game, seat),
        (None, None) => String::new(),
    };
    [
        game.game.to_string(),
        game_and_options(&game.rules, &game.options),
        seats.join(", "),
        format!("{}{rated}", clock(game.clock)),
        game.ply.to_string(),
        last,
    ]
}

fn user(game: &GameEntry, seat: u8) -> String {
    game.seats.get(usize::from(seat)).map(|seat| seat.user.to_string()).unwrap_or_default()
}

pub(super) fn result_text(game: &GameEntry, result: &GameResult) -> String {
    let why = reason_text(&result.reason);
    match (result.reason, result.winners.as_slice()) {
        (ResultReason::Aborted, _) => why.to_owned(),
        (_, [winner]) => format!("{} won ({why})", user(game, *winner)),
        (_, _) => format!("draw ({why})"),
    }
}

/// Returns why a game ended.
pub(super) fn reason_text(reason: &ResultReason) -> &str {
    match reason {
        ResultReason::Aborted => "aborted",
        ResultReason::LastPlayer => "last player",
        ResultReason::TwoPieces => "two pieces",
        ResultReason::Connected => "connected",
        ResultReason::Aligned => "aligned",
        ResultReason::Stuck => "stuck",
        ResultReason::Repetition => "repetition",
        ResultReason::TooLong => "too long",
        ResultReason::Agreement => "agreement",
        ResultReason::Resigned => "resigned",
        ResultReason::TimedOut => "timed out",
        ResultReason::Abandoned => "abandoned",
        ResultReason::Unknown(word) => word.as_str(),
    }
}

pub(super) fn clock(clock: TimeControl) -> String {
    let mode = |_| ClockMode::of(clock).to_string();
    wire::Mirror::from_wire(clock).map_or_else(mode, messages::control)
}

pub(super) fn game_and_options(rules: &RulesName, options: &Named<OptionValue>) -> String {
    let mut words = vec![rules.name.to_string()];
    words.extend(options.0.iter().filter_map(|(name, value)| match value {
        OptionValue::Flag(false) => None,
        OptionValue::Flag(true) => Some(format!("-{name}")),
        OptionValue::Number(number) => Some(format!("-{name}={number}")),
        OptionValue::Text(word) => Some(format!("-{name}={word}")),
    }));
    words.join(" ")
}
