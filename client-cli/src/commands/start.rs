//! From a challenge to its game: waits for the answer and opens the board.

use adamant_client::Incoming;
use adamant_protocol::{
    ChallengeId, EventBody, GameId, ToClient, UserName,
    to_client::{ChallengeClosed, ClosedReason, Done},
};
use anyhow::Context as _;
use clap::{Args, ValueEnum};

use crate::{
    failure::ExitStatus,
    output::Output,
    play::{self, Role},
    session::Session,
};

/// Whether to open the board when the game starts.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct JoinArgs {
    /// Print the game's id when it starts, and do not open the board
    #[arg(long)]
    pub(crate) no_join: bool,
}

/// When to wait for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum WaitMode {
    /// On a terminal, but not in scripts.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Waits for the game that a challenge leads to.
pub(super) async fn await_game(
    session: &mut Session,
    done: Done,
) -> anyhow::Result<Result<GameId, ChallengeClosed>> {
    if let Some(game) = done.game {
        return Ok(Ok(game));
    }
    let challenge = done.challenge.context("the server names neither a game nor a challenge")?;
    wait_for_answer(session, &challenge).await
}

/// Waits until a challenge is answered, across reconnects too.
pub(super) async fn wait_for_answer(
    session: &mut Session,
    challenge: &ChallengeId,
) -> anyhow::Result<Result<GameId, ChallengeClosed>> {
    let before = session.live_games();
    loop {
        let incoming = session.next().await?;
        if let Incoming::ChallengeClosed(closed) = &incoming
            && closed.challenge == *challenge
        {
            return Ok(closed.game.clone().ok_or_else(|| closed.clone()));
        }
        if let Incoming::Challenged(news) = &incoming
            && news.challenge == *challenge
        {
            let names: Vec<&str> = news.accepted.iter().map(UserName::as_str).collect();
            session.output.message(format_args!("Accepted so far: {}.", names.join(", ")));
        }
        // The answer may have been sent while the connection was lost.
        if let Incoming::Connected(welcome) = &incoming
            && !welcome.challenges.iter().any(|open| open.challenged.challenge == *challenge)
        {
            let begun = session.live_games().into_iter().find(|game| !before.contains(game));
            let reason = Some(ClosedReason::Expired);
            let closed = ChallengeClosed { reason, ..ChallengeClosed::new(challenge.clone()) };
            return Ok(begun.ok_or(closed));
        }
    }
}

/// Returns the game that this event creates, if it does.
pub(super) fn created_game(incoming: &Incoming) -> Option<GameId> {
    if let Incoming::Event { frame, .. } = incoming
        && matches!(frame.body, EventBody::Created(_))
    {
        return Some(frame.game.clone());
    }
    None
}

/// Opens the board of a game that has started. Without a terminal it prints the game's id.
pub(super) async fn enter_game(
    session: Session,
    game: GameId,
    join: JoinArgs,
) -> anyhow::Result<ExitStatus> {
    let output = session.output;
    if output.interactive && !join.no_join {
        return play::run(session, game, Role::Play, output).await;
    }
    session.close().await;
    if output.json {
        output.line(serde_json::json!({"game": game}))?;
    } else {
        output.line(&game)?;
        output.message(format_args!("`adamant join {game}` shows the board."));
    }
    Ok(ExitStatus::Success)
}

/// Prints why a challenge was closed without a game.
pub(super) fn show_closed_challenge(
    closed: &ChallengeClosed,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    if output.json {
        output.reply(ToClient::ChallengeClosed(closed.clone()))?;
    }
    let why = match closed.reason {
        Some(ClosedReason::Cancelled) => "was cancelled",
        Some(ClosedReason::Expired) => "expired without an answer",
        Some(ClosedReason::Later) => "was declined: not now",
        Some(ClosedReason::TooFast) => "was declined: the clock is too fast",
        Some(ClosedReason::TooSlow) => "was declined: the clock is too slow",
        Some(ClosedReason::Rated) => "was declined: it should be rated",
        Some(ClosedReason::Casual) => "was declined: it should be casual",
        Some(ClosedReason::Game) => "was declined: another game is preferred",
        Some(ClosedReason::Options) => "was declined: other options are preferred",
        Some(ClosedReason::NoBot) => "was declined: no bots",
        Some(ClosedReason::Busy) => "was declined: too many games already",
        Some(ClosedReason::Generic | ClosedReason::Unknown(_)) | None => "was declined",
    };
    let by = closed.by.as_ref().map(|by| format!(" by {by}")).unwrap_or_default();
    let challenge = &closed.challenge;
    let (what, reason) = why.split_once(": ").unwrap_or((why, ""));
    // The server's sentence says whose limit it is, and what to do.
    output.message(match (closed.message.as_deref(), reason) {
        (Some(message), _) => format!("Challenge {challenge} {what}{by}: {message}"),
        (None, "") => format!("Challenge {challenge} {what}{by}."),
        (None, reason) => format!("Challenge {challenge} {what}{by}: {reason}."),
    });
    Ok(ExitStatus::Failed)
}
