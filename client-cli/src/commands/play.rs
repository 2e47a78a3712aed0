//! Starts a game against a server bot.

use std::time::Duration;

use adamant_client::RequestError;
use adamant_protocol::{
    ErrorCode, GameId, ToClient, UserName,
    from_client::{Cancel, Catalogue},
    to_client::{ChallengeClosed, Done, HouseLevel},
};
use adamant_rules::Kind;
use anyhow::{Context as _, bail};
use clap::{Args, ValueEnum};
use tokio::time::timeout;

use super::{
    challenge::ChallengeTerms,
    start::{await_game, show_closed_challenge, wait_for_answer},
};
use crate::{
    args::{Global, spelling::help_with_kinds},
    failure::{ExitStatus, unexpected_reply},
    output::Output,
    play::{self, Role},
    proposal::{GameSetupArgs, Proposal, seats},
    session::{ActAs, Session},
};

/// Arguments of `play`.
#[derive(Debug, Args)]
pub(crate) struct PlayArgs {
    #[arg(help = help_with_kinds("The game"), default_value = Kind::ALL[0].name())]
    pub(crate) game: String,
    /// The strength of the server bot
    #[arg(long, value_enum, default_value_t = PlayLevel::Medium)]
    pub(crate) level: PlayLevel,
    /// Options of the game.
    #[command(flatten)]
    pub(crate) setup: GameSetupArgs,
}

/// The strength of a server bot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlayLevel {
    /// Legal moves at random.
    Easy,
    /// One move ahead.
    Medium,
    /// A search some moves ahead.
    Hard,
}

impl From<PlayLevel> for HouseLevel {
    fn from(strength: PlayLevel) -> Self {
        match strength {
            PlayLevel::Easy => Self::Easy,
            PlayLevel::Medium => Self::Medium,
            PlayLevel::Hard => Self::Hard,
        }
    }
}

/// How long a server bot may take to answer before the challenge is cancelled. It normally answers
/// at once.
const HOUSE_ANSWER_MAX: Duration = Duration::from_secs(10);

/// How long to wait for an answer that crossed the cancellation.
const LATE_ANSWER_MAX: Duration = Duration::from_secs(2);

/// Starts a game against a server bot and opens its board.
pub(super) async fn play(
    global: &Global,
    args: &PlayArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let proposal = Proposal::read(&args.game, &args.setup)?;
    proposal.check(2)?;
    let mut session = Session::open_persistent(global, ActAs::UserOrNewGuest, output).await?;
    let house = house_player(&session, args.level.into()).await?;
    let seats = seats(session.require_me()?, std::slice::from_ref(&house));
    let terms = ChallengeTerms { proposal: &proposal, seats, shuffle: false, rated: false };
    let done = terms.challenge(&session).await?;
    match house_answer(&mut session, done, &house).await? {
        Ok(game) => {
            output.message(format_args!("Game {game}."));
            if output.interactive {
                play::run(session, game, Role::Play, output).await
            } else {
                play::play_lines(session, game, output).await
            }
        }
        Err(closed) => show_closed_challenge(&closed, output),
    }
}

/// Returns the name of the server bot of that level.
async fn house_player(session: &Session, level: HouseLevel) -> anyhow::Result<UserName> {
    let reply = session.client.request(|id| Catalogue { id }).await?;
    let ToClient::Catalogue(catalogue) = reply else { return Err(unexpected_reply(&reply).into()) };
    let mut players = catalogue.house.into_iter();
    let player = players.find(|player| player.level == level);
    Ok(player.context("this server has no bot of that level")?.user)
}

/// Waits for the bot's answer, and cancels the challenge if there is none.
async fn house_answer(
    session: &mut Session,
    done: Done,
    house: &UserName,
) -> anyhow::Result<Result<GameId, ChallengeClosed>> {
    let challenge = done.challenge.clone();
    if let Ok(answer) = timeout(HOUSE_ANSWER_MAX, await_game(session, done)).await {
        return answer;
    }
    let challenge = challenge.context("the server names no challenge")?;
    let cancel = |id| Cancel { id, challenge: Some(challenge.clone()), invite: None };
    match session.client.done(cancel).await {
        Ok(_) => {}
        // The answer crossed the cancellation.
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
        "{house} has not answered in {seconds} s; the challenge is cancelled\nTry again later, or choose \
         another --level: each level is another bot."
    )
}
