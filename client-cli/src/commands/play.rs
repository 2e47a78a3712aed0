//! Challenges, and the shortest way to a game: against the house.

use std::time::Duration;

use adamant_client::{Incoming, RequestError};
use adamant_protocol::{
    ChallengeId, ErrorCode, EventBody, GameId, ToClient, UserName,
    from_client::{Cancel, Catalogue, Challenge, Decline, Rematch},
    to_client::{ChallengeClosed, ClosedReason, Done, HouseLevel},
};
use anyhow::{Context as _, bail};
use tokio::time::timeout;

use super::lists::unexpected;
use crate::{
    args::{CancelArgs, ChallengeArgs, DeclineArgs, Global, Join, PlayArgs, RematchArgs, Wait},
    exit::ExitStatus,
    output::Output,
    play::{self, Role},
    proposal::{Proposal, seats},
    session::{Session, Who},
};

/// How long the house may take to answer before its challenge is taken back. It answers at once where
/// all is well.
const HOUSE_ANSWER_MAX: Duration = Duration::from_secs(10);

/// How long an answer may take that was on its way while the challenge was taken back.
const LATE_ANSWER_MAX: Duration = Duration::from_secs(2);

/// Starts a game against the house and goes to its board.
pub(super) async fn play(
    global: &Global,
    args: &PlayArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let proposal = Proposal::read(&args.game, &args.offering)?;
    proposal.check(2)?;
    let mut session = Session::open_long(global, Who::OrNewGuest, output).await?;
    let house = house_player(&session, args.level.into()).await?;
    let seats = seats(me(&session)?, std::slice::from_ref(&house));
    let terms = Terms { proposal: &proposal, seats, shuffle: false, rated: false };
    let done = terms.challenge(&session).await?;
    match answer_of_house(&mut session, done, &house).await? {
        Ok(game) => {
            output.say(format_args!("Game {game}."));
            if output.interactive {
                play::run(session, game, Role::Play, output).await
            } else {
                play::typed(session, game, output).await
            }
        }
        Err(closed) => told_off(&closed, output),
    }
}

/// The name of the server's own player of that level.
async fn house_player(session: &Session, level: HouseLevel) -> anyhow::Result<UserName> {
    let reply = session.client.request(|id| Catalogue { id }).await?;
    let ToClient::Catalogue(catalogue) = reply else { return Err(unexpected(&reply)) };
    let mut players = catalogue.house.into_iter();
    let player = players.find(|player| player.level == level);
    Ok(player.context("the house does not play at that level on this server")?.user)
}

/// Waits for the house's answer, and takes the challenge back if there is none.
async fn answer_of_house(
    session: &mut Session,
    done: Done,
    house: &UserName,
) -> anyhow::Result<Result<GameId, ChallengeClosed>> {
    let challenge = done.challenge.clone();
    if let Ok(answer) = timeout(HOUSE_ANSWER_MAX, game_of(session, done)).await {
        return answer;
    }
    let challenge = challenge.context("the server names no challenge")?;
    match session.client.done(|id| Cancel { id, challenge: challenge.clone() }).await {
        Ok(_) => {}
        // It was answered at the last moment.
        Err(RequestError::Refused(failed)) if failed.code == ErrorCode::NotFound => {
            let late = wait_for_answer(session, &challenge);
            if let Ok(answer) = timeout(LATE_ANSWER_MAX, late).await {
                return answer;
            }
        }
        Err(error) => return Err(error.into()),
    }
    let seconds = HOUSE_ANSWER_MAX.as_secs();
    bail!(
        "{house} has not answered in {seconds} s; the challenge is taken back\nTry again later, or play \
         at another --level: each level is a player of its own."
    )
}

/// Challenges somebody.
pub(super) async fn challenge(
    global: &Global,
    args: &ChallengeArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let proposal = Proposal::read(&args.game, &args.offering)?;
    let session = Session::open_long(global, Who::OrGuest, output).await?;
    let seats = seats(me(&session)?, &args.names);
    proposal.check(seats.len())?;
    let terms = Terms { proposal: &proposal, seats, shuffle: args.shuffle, rated: args.rated };
    let done = terms.challenge(&session).await?;
    tell_challenge(session, done, args.wait, args.join).await
}

/// Asks for a game once more.
pub(super) async fn rematch(
    global: &Global,
    args: &RematchArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let session = Session::open_long(global, Who::Known, output).await?;
    let done = session.client.done(|id| Rematch { id, game: args.game.clone() }).await?;
    tell_challenge(session, done, args.wait, args.join).await
}

/// Tells what a challenge has become, waiting for that if it is wished.
async fn tell_challenge(
    mut session: Session,
    done: Done,
    wait: Wait,
    join: Join,
) -> anyhow::Result<ExitStatus> {
    let output = session.output;
    if output.json {
        output.reply(done.clone())?;
    }
    let wait = match wait {
        Wait::Auto => output.interactive,
        Wait::Always => true,
        Wait::Never => false,
    };
    match (&done.game, &done.challenge) {
        (None, Some(challenge)) if !wait => {
            if !output.json {
                output.line(challenge)?;
            }
            session.close().await;
            Ok(ExitStatus::Success)
        }
        (game, challenge) => {
            if let (None, Some(challenge)) = (game, challenge) {
                output.say(format_args!(
                    "Challenge {challenge} is open. Waiting for an answer; `adamant cancel \
                     {challenge}` takes it back."
                ));
            }
            match game_of(&mut session, done).await? {
                Ok(game) => begin(session, game, join).await,
                Err(closed) => {
                    session.close().await;
                    told_off(&closed, output)
                }
            }
        }
    }
}

struct Terms<'a> {
    proposal: &'a Proposal,
    seats: Vec<UserName>,
    shuffle: bool,
    rated: bool,
}

impl Terms<'_> {
    async fn challenge(self, session: &Session) -> anyhow::Result<Done> {
        let challenge = |id| Challenge {
            id,
            rules: self.proposal.rules(),
            options: self.proposal.given(),
            seats: self.seats,
            shuffle: self.shuffle,
            clock: self.proposal.clock,
            rated: self.rated,
            delay: self.proposal.delay,
        };
        Ok(session.client.done(challenge).await?)
    }
}

fn me(session: &Session) -> anyhow::Result<&UserName> {
    session.me().context("the server does not say who you are")
}

/// The game that a challenge becomes, once it does.
async fn game_of(
    session: &mut Session,
    done: Done,
) -> anyhow::Result<Result<GameId, ChallengeClosed>> {
    if let Some(game) = done.game {
        return Ok(Ok(game));
    }
    let challenge = done.challenge.context("the server names neither a game nor a challenge")?;
    wait_for_answer(session, &challenge).await
}

/// Waits until a challenge is answered, over drops of the connection too.
pub(super) async fn wait_for_answer(
    session: &mut Session,
    challenge: &ChallengeId,
) -> anyhow::Result<Result<GameId, ChallengeClosed>> {
    let before = live_games(session);
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
            session.output.say(format_args!("Accepted so far: {}.", names.join(", ")));
        }
        // The answer may have been given while we were away.
        if let Incoming::Connected(welcome) = &incoming
            && !welcome.challenges.iter().any(|open| open.challenged.challenge == *challenge)
        {
            let begun = live_games(session).into_iter().find(|game| !before.contains(game));
            let reason = Some(ClosedReason::Expired);
            let challenge = challenge.clone();
            let closed = ChallengeClosed {
                challenge,
                game: None,
                reason,
                by: None,
                message: None,
                rematch_of: None,
            };
            return Ok(begun.ok_or(closed));
        }
    }
}

/// The user's live games as of the last welcome.
pub(super) fn live_games(session: &Session) -> Vec<GameId> {
    let mine = session.welcome.games.iter().filter(|game| game.seat.is_some());
    mine.map(|game| game.game.clone()).collect()
}

/// The game that has just been created, if this tells of one.
pub(super) fn created(incoming: &Incoming) -> Option<GameId> {
    if let Incoming::Event { frame, .. } = incoming
        && matches!(frame.body, EventBody::Created(_))
    {
        return Some(frame.game.clone());
    }
    None
}

/// Goes to the board of a game that has begun where a person sits before the terminal, and else prints
/// its id.
pub(super) async fn begin(
    session: Session,
    game: GameId,
    join: Join,
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
        output.say(format_args!("`adamant join {game}` shows the board."));
    }
    Ok(ExitStatus::Success)
}

/// Says that a challenge came to nothing.
pub(super) fn told_off(closed: &ChallengeClosed, output: Output) -> anyhow::Result<ExitStatus> {
    if output.json {
        output.reply(ToClient::ChallengeClosed(closed.clone()))?;
    }
    let why = match closed.reason {
        Some(ClosedReason::Cancelled) => "was taken back",
        Some(ClosedReason::Expired) => "was not answered in time",
        Some(ClosedReason::Later) => "was turned down: not now",
        Some(ClosedReason::TooFast) => "was turned down: the clock is too fast",
        Some(ClosedReason::TooSlow) => "was turned down: the clock is too slow",
        Some(ClosedReason::Rated) => "was turned down: it should be rated",
        Some(ClosedReason::Casual) => "was turned down: it should be casual",
        Some(ClosedReason::Game) => "was turned down: another game is preferred",
        Some(ClosedReason::Options) => "was turned down: other options are preferred",
        Some(ClosedReason::NoBot) => "was turned down: no programs",
        Some(ClosedReason::Busy) => "was turned down: too many games already",
        Some(ClosedReason::Generic) | None => "was turned down",
    };
    let by = closed.by.as_ref().map(|by| format!(" by {by}")).unwrap_or_default();
    let challenge = &closed.challenge;
    output.say(format_args!(
        "Challenge {challenge} {}.",
        match why.split_once(": ") {
            Some((what, reason)) => format!("{what}{by}: {reason}"),
            None => format!("{why}{by}"),
        }
    ));
    Ok(ExitStatus::Failed)
}

/// Turns a challenge down.
pub(super) async fn decline(
    global: &Global,
    args: &DeclineArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let session = Session::open(global, Who::Known, output).await?;
    let decline = |id| Decline { id, challenge: args.id.clone(), reason: args.reason };
    let done = session.client.done(decline).await?;
    output.done(done, format_args!("Challenge {} is turned down.", args.id))?;
    session.close().await;
    Ok(ExitStatus::Success)
}

/// Takes a challenge back.
pub(super) async fn cancel(
    global: &Global,
    args: &CancelArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let session = Session::open(global, Who::Known, output).await?;
    let done = session.client.done(|id| Cancel { id, challenge: args.id.clone() }).await?;
    output.done(done, format_args!("Challenge {} is taken back.", args.id))?;
    session.close().await;
    Ok(ExitStatus::Success)
}
