//! Challenges and rematches: sent, declined and cancelled.

use adamant_protocol::{
    ChallengeId, GameId, UserName,
    from_client::{Cancel, Challenge, Decline, DeclineReason, Rematch, Unseek},
    to_client::Done,
};
use clap::Args;

use super::{
    seek::{OpenId, read_id},
    start::{JoinArgs, WaitMode, await_game, enter_game, show_closed_challenge},
};
use crate::{
    args::{Global, spelling::help_with_kinds},
    failure::ExitStatus,
    output::Output,
    proposal::{GameSetupArgs, Proposal, seats},
    session::{ActAs, Session},
};

/// Arguments of `rematch`.
#[derive(Debug, Args)]
pub(crate) struct RematchArgs {
    /// The game's id
    pub(crate) game: GameId,
    /// When to wait until the others have accepted
    #[arg(long, value_name = "WHEN", default_value = "auto", default_missing_value = "always")]
    #[arg(num_args = 0..=1, require_equals = true)]
    pub(crate) wait: WaitMode,
    /// Whether to open the board.
    #[command(flatten)]
    pub(crate) join: JoinArgs,
}

/// Arguments of `challenge`.
#[derive(Debug, Args)]
pub(crate) struct ChallengeArgs {
    #[arg(help = help_with_kinds("The game"))]
    pub(crate) game: String,
    /// The players in seat order; you take the first seat unless you name yourself
    #[arg(required = true, value_name = "NAME")]
    pub(crate) names: Vec<UserName>,
    /// Options of the game.
    #[command(flatten)]
    pub(crate) setup: GameSetupArgs,
    /// Play for a rating
    #[arg(long)]
    pub(crate) rated: bool,
    /// Assign the seats at random
    #[arg(long)]
    pub(crate) shuffle: bool,
    /// When to wait for the answer
    #[arg(long, value_name = "WHEN", default_value = "auto", default_missing_value = "always")]
    #[arg(num_args = 0..=1, require_equals = true)]
    pub(crate) wait: WaitMode,
    /// Whether to open the board.
    #[command(flatten)]
    pub(crate) join: JoinArgs,
}

/// Arguments of `decline`.
#[derive(Debug, Args)]
pub(crate) struct DeclineArgs {
    /// The challenge
    pub(crate) id: ChallengeId,
    /// The reason.
    #[arg(
        help = "The reason: later, too_fast, too_slow, rated, casual, game, options, no_bot, busy"
    )]
    #[arg(default_value = "generic", value_parser = read_reason, hide_default_value = true)]
    pub(crate) reason: DeclineReason,
}

fn read_reason(text: &str) -> Result<DeclineReason, String> {
    adamant_protocol::known(serde_json::Value::from(text.to_ascii_lowercase()))
        .map_err(|_| "unknown reason; `adamant help decline` lists them".to_owned())
}

/// Arguments of `cancel`.
#[derive(Debug, Args)]
pub(crate) struct CancelArgs {
    /// The challenge (h_...), invite (i_...) or seek (k_...)
    pub(crate) id: String,
}

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
