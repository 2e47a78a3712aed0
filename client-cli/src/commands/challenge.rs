//! Challenges: made, accepted by a rematch, declined and cancelled.

use adamant_protocol::{
    UserName,
    from_client::{Cancel, Challenge, Decline, Rematch},
    to_client::Done,
};

use super::start::{begin, game_of, told_off};
use crate::{
    args::{CancelArgs, ChallengeArgs, DeclineArgs, Global, Join, RematchArgs, Wait},
    exit::ExitStatus,
    output::Output,
    proposal::{Proposal, seats},
    session::{Session, Who},
};

/// Challenges somebody.
pub(super) async fn challenge(
    global: &Global,
    args: &ChallengeArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let proposal = Proposal::read(&args.game, &args.offering)?;
    let session = Session::open_long(global, Who::OrGuest, output).await?;
    let seats = seats(session.require_me()?, &args.names);
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
/// What a challenge proposes.
pub(super) struct Terms<'a> {
    pub(super) proposal: &'a Proposal,
    pub(super) seats: Vec<UserName>,
    pub(super) shuffle: bool,
    pub(super) rated: bool,
}

impl Terms<'_> {
    /// Sends the challenge.
    pub(super) async fn challenge(self, session: &Session) -> anyhow::Result<Done> {
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
