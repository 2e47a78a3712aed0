//! Lists: open seeks, open challenges, games.

use std::{
    collections::{HashMap, HashSet},
    time::Duration,
};

use adamant_client::{Incoming, RequestError};
use adamant_protocol::{
    ChallengeId, ToClient, UserName,
    from_client::{GameState, Games, Lobby},
    ids::RulesName,
    to_client::{
        Challenged, GameEntry, GameResult, LobbyChange, OpenChallenge, ResultReason, SeekEntry,
    },
    values::{Clock, Named, OptionValue},
};
use adamant_record::wire;

use crate::{
    args::{GamesArgs, Global, LobbyArgs},
    columns::aligned,
    exit::ExitStatus,
    output::Output,
    session::{Session, Who},
    words,
};

/// Lists open seeks, and goes on telling what changes if asked to.
pub(super) async fn lobby(
    global: &Global,
    args: &LobbyArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let session = if args.follow {
        Session::open_long(global, Who::Anyone, output).await?
    } else {
        Session::open(global, Who::Anyone, output).await?
    };
    let open = open_seeks(&session, args.follow).await?;
    if output.json {
        output.reply(open)?;
    } else if open.add.is_empty() {
        output.say("Nobody looks for opponents. `adamant seek GAME` does.");
    } else {
        output.line(aligned(HEADING, &open.add.iter().map(seek_row).collect::<Vec<_>>()))?;
    }
    if args.follow {
        follow_lobby(session, output).await
    } else {
        session.close().await;
        Ok(ExitStatus::Success)
    }
}

/// Tells what changes until the person has enough of it.
async fn follow_lobby(mut session: Session, output: Output) -> anyhow::Result<ExitStatus> {
    loop {
        let incoming = session.next().await?;
        if let Incoming::Lobby(change) = &incoming {
            show_change(change, output)?;
        }
        // Who watches the lobby is forgotten with the connection.
        if matches!(incoming, Incoming::Connected(_)) {
            show_change(&open_seeks(&session, true).await?, output)?;
        }
    }
}

async fn open_seeks(session: &Session, watch: bool) -> anyhow::Result<LobbyChange> {
    let reply = session.client.request(|id| Lobby { id, watch }).await?;
    if let ToClient::Lobby(open) = reply { Ok(open) } else { Err(unexpected(&reply)) }
}

fn show_change(change: &LobbyChange, output: Output) -> anyhow::Result<()> {
    if output.json {
        output.reply(change.clone())?;
        return Ok(());
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

/// How long to wait for the terms of challenges, which follow their names.
const TERMS_TIMEOUT: Duration = Duration::from_secs(2);

/// Lists open challenges to the user and by the user.
pub(super) async fn challenges(global: &Global, output: Output) -> anyhow::Result<ExitStatus> {
    let mut session = Session::open(global, Who::Known, output).await?;
    let open = session.welcome.challenges.clone();
    let terms = terms(&mut session).await;
    if output.json {
        for open in &open {
            match terms.get(&open.challenge) {
                Some(challenged) => output.reply(challenged.clone())?,
                None => output.line(serde_json::to_string(open)?)?,
            }
        }
    } else if open.is_empty() {
        output.say("No challenge is open.");
    } else {
        let rows: Vec<_> =
            open.iter().map(|open| challenge_row(open, terms.get(&open.challenge))).collect();
        output.line(aligned(["CHALLENGE", "BY", "GAME", "SEATS", "CLOCK"], &rows))?;
    }
    session.close().await;
    Ok(ExitStatus::Success)
}

/// The terms of the challenges that wait for the user. They are told after the welcome, one by one.
async fn terms(session: &mut Session) -> HashMap<ChallengeId, Challenged> {
    let me = session.me().cloned();
    let is_mine = |by: &UserName| me.as_ref().is_some_and(|me| me.is_same(by.as_str()));
    let open = session.welcome.challenges.iter();
    let mut awaited: HashSet<ChallengeId> =
        open.filter(|open| !is_mine(&open.by)).map(|open| open.challenge.clone()).collect();
    let mut terms = HashMap::new();
    let telling = async {
        while !awaited.is_empty() {
            let Ok(incoming) = session.next().await else { return };
            if let Incoming::Challenged(challenged) = incoming {
                awaited.remove(&challenged.challenge);
                terms.insert(challenged.challenge.clone(), *challenged);
            }
        }
    };
    // One that was closed just now has no terms any more; its name is shown all the same.
    tokio::time::timeout(TERMS_TIMEOUT, telling).await.ok();
    terms
}

fn challenge_row(open: &OpenChallenge, terms: Option<&Challenged>) -> [String; 5] {
    let (challenge, by) = (open.challenge.to_string(), open.by.to_string());
    let Some(terms) = terms else {
        return [challenge, by, String::new(), String::new(), String::new()];
    };
    let seats: Vec<&str> = terms.seats.iter().map(UserName::as_str).collect();
    let rated = if terms.rated { ", rated" } else { "" };
    [
        challenge,
        by,
        game_and_options(&terms.rules, &terms.options),
        seats.join(", "),
        format!("{}{rated}", clock(terms.clock)),
    ]
}

/// Lists games.
pub(super) async fn games(
    global: &Global,
    args: &GamesArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let session = Session::open(global, Who::Anyone, output).await?;
    let games = |id| Games {
        id,
        user: args.user.clone(),
        rules: args.rules.clone(),
        players: args.players,
        state: if args.finished { GameState::Finished } else { GameState::Live },
        before: args.before.clone(),
        limit: args.limit,
    };
    let reply = session.client.request(games).await?;
    let ToClient::Games(list) = reply else { return Err(unexpected(&reply)) };
    if output.json {
        for game in &list.games {
            output.line(serde_json::to_string(game)?)?;
        }
    } else if list.games.is_empty() {
        output.say("There is no such game.");
    } else {
        let rows: Vec<_> = list.games.iter().map(game_row).collect();
        let end = if args.finished { "RESULT" } else { "TO MOVE" };
        output.line(aligned(["ID", "GAME", "PLAYERS", "CLOCK", "MOVES", end], &rows))?;
    }
    if let (true, Some(last)) = (list.more, list.games.last()) {
        output.say(format_args!("There are more: --before {}", last.game));
    }
    session.close().await;
    Ok(ExitStatus::Success)
}

pub(super) fn game_row(game: &GameEntry) -> [String; 6] {
    let seats: Vec<String> =
        game.seats.iter().map(|seat| format!("{} {}", seat.letter, seat.user)).collect();
    let rated = if game.rated { ", rated" } else { "" };
    let last = match (&game.result, game.to_move) {
        (Some(result), _) => result_words(game, result),
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

pub(super) fn result_words(game: &GameEntry, result: &GameResult) -> String {
    let why = match result.reason {
        ResultReason::Aborted => return "called off".to_owned(),
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
    };
    match result.winners.as_slice() {
        [winner] => format!("{} won ({why})", user(game, *winner)),
        _ => format!("draw ({why})"),
    }
}

fn clock(clock: Clock) -> String {
    words::control(wire::time_control(clock))
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

pub(super) fn unexpected(reply: &ToClient) -> anyhow::Error {
    let kind = reply.kind();
    RequestError::Unreadable(format!("{kind} is not the reply expected here")).into()
}
