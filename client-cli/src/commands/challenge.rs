//! Challenges and rematches: sent, declined and cancelled.

use adamant_protocol::{
    UserName,
    from_client::{Cancel, Challenge, Decline, Rematch, Unseek},
    to_client::Done,
};

use super::{
    seek::{OpenId, read_id},
    start::{await_game, enter_game, show_closed_challenge},
};
use crate::{
    args::{CancelArgs, ChallengeArgs, DeclineArgs, Global, JoinArgs, RematchArgs, WaitMode},
    exit::ExitStatus,
    output::Output,
    proposal::{Proposal, seats},
    session::{ActAs, Session},
};

/// Sends a challenge.
pub(super) async fn challenge(
    global: &Global,
    args: &ChallengeArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let proposal = Proposal::read(&args.game, &args.setup)?;
    let session = Session::open_persistent(global, ActAs::UserOrGuest, output).await?;
    let seats = seats(session.require_me()?, &args.names);
    proposal.check(seats.len())?;
    let terms =
        ChallengeTerms { proposal: &proposal, seats, shuffle: args.shuffle, rated: args.rated };
    let done = terms.challenge(&session).await?;
    follow_challenge(session, done, args.wait, args.join).await
}

/// Offers a rematch.
pub(super) async fn rematch(
    global: &Global,
    args: &RematchArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let session = Session::open_persistent(global, ActAs::User, output).await?;
    let done = session.client.done(|id| Rematch { id, game: args.game.clone() }).await?;
    follow_challenge(session, done, args.wait, args.join).await
}

/// Prints the challenge or opens its game. Waits for the answer if asked to.
async fn follow_challenge(
    mut session: Session,
    done: Done,
    wait: WaitMode,
    join: JoinArgs,
) -> anyhow::Result<ExitStatus> {
    let output = session.output;
    if output.json {
        output.reply(done.clone())?;
    }
    let wait = match wait {
        WaitMode::Auto => output.interactive,
        WaitMode::Always => true,
        WaitMode::Never => false,
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
                output.message(format_args!(
                    "Challenge {challenge} is open. Waiting for an answer; `adamant cancel \
                     {challenge}` cancels it."
                ));
            }
            match await_game(&mut session, done).await? {
                Ok(game) => enter_game(session, game, join).await,
                Err(closed) => {
                    session.close().await;
                    show_closed_challenge(&closed, output)
                }
            }
        }
    }
}

/// Declines a challenge.
pub(super) async fn decline(
    global: &Global,
    args: &DeclineArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let session = Session::open(global, ActAs::User, output).await?;
    let decline = |id| Decline { id, challenge: args.id.clone(), reason: args.reason };
    let done = session.client.done(decline).await?;
    output.done(done, format_args!("Challenge {} is declined.", args.id))?;
    session.close().await;
    Ok(ExitStatus::Success)
}

/// Cancels a challenge, an invite or a lasting seek.
pub(super) async fn cancel(
    global: &Global,
    args: &CancelArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let session = Session::open(global, ActAs::User, output).await?;
    let done = match read_id(&args.id)? {
        OpenId::Challenge(challenge) => {
            let challenge = Some(challenge);
            session.client.done(|id| Cancel { id, challenge, invite: None }).await?
        }
        OpenId::Invite(invite) => {
            let invite = Some(invite);
            session.client.done(|id| Cancel { id, challenge: None, invite }).await?
        }
        OpenId::Seek(seek) => session.client.done(|id| Unseek { id, seek }).await?,
    };
    output.done(done, format_args!("{} is cancelled.", args.id))?;
    session.close().await;
    Ok(ExitStatus::Success)
}
/// What a challenge proposes.
pub(super) struct ChallengeTerms<'a> {
    pub(super) proposal: &'a Proposal,
    pub(super) seats: Vec<UserName>,
    pub(super) shuffle: bool,
    pub(super) rated: bool,
}

impl ChallengeTerms<'_> {
    /// Sends the challenge.
    pub(super) async fn challenge(self, session: &Session) -> anyhow::Result<Done> {
        let challenge = |id| Challenge {
            id,
            rules: self.proposal.wire_rules(),
            options: self.proposal.wire_options(),
            seats: self.seats,
            shuffle: self.shuffle,
            clock: self.proposal.clock,
            rated: self.rated,
            delay: self.proposal.delay,
            unlisted: self.proposal.unlisted,
        };
        Ok(session.client.done(challenge).await?)
    }
}
