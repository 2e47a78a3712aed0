//! Whom the user mutes and blocks, and the user's settings.

use adamant_protocol::{
    FromClient, RequestId, ToClient, UserName,
    from_client::{Block, Blocks, Mute, Mutes, SettingsGet, SettingsSet, Unblock, Unmute},
    values::{Challengers, UserSettings},
};
use clap::{Args, ValueEnum};
use serde_json::json;

use crate::{
    args::Global,
    failure::{ExitStatus, unexpected_reply},
    output::Output,
    session::{ActAs, Session},
};

/// Arguments of `mute`, `unmute`, `block` and `unblock`.
#[derive(Debug, Args)]
pub(crate) struct MuteArgs {
    /// The user
    pub(crate) name: UserName,
}

/// Arguments of `settings`.
#[derive(Debug, Args)]
pub(crate) struct SettingsArgs {
    /// Who may challenge you
    #[arg(long, value_name = "WHO")]
    pub(crate) challenges: Option<ChallengersArg>,
}

/// Who may challenge the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ChallengersArg {
    /// Every user.
    All,
    /// Users with an account, and their bots.
    Accounts,
    /// No user.
    None,
}

impl From<ChallengersArg> for Challengers {
    fn from(word: ChallengersArg) -> Self {
        match word {
            ChallengersArg::All => Self::All,
            ChallengersArg::Accounts => Self::Accounts,
            ChallengersArg::None => Self::None,
        }
    }
}

pub(super) async fn mute(
    global: &Global,
    args: &MuteArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    change(global, args, output, |id, user| Mute { id, user }, "is muted").await
}

pub(super) async fn unmute(
    global: &Global,
    args: &MuteArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    change(global, args, output, |id, user| Unmute { id, user }, "is no longer muted").await
}

pub(super) async fn mutes(global: &Global, output: Output) -> anyhow::Result<ExitStatus> {
    let session = Session::open(global, ActAs::User, output).await?;
    let reply = session.client.request(|id| Mutes { id }).await?;
    let ToClient::Mutes(list) = reply else { return Err(unexpected_reply(&reply).into()) };
    print_users(&list.users, output, "You have muted no users.")?;
    session.close().await;
    Ok(ExitStatus::Success)
}

pub(super) async fn block(
    global: &Global,
    args: &MuteArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    change(global, args, output, |id, user| Block { id, user }, "is blocked").await
}

pub(super) async fn unblock(
    global: &Global,
    args: &MuteArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    change(global, args, output, |id, user| Unblock { id, user }, "is no longer blocked").await
}

pub(super) async fn blocks(global: &Global, output: Output) -> anyhow::Result<ExitStatus> {
    let session = Session::open(global, ActAs::User, output).await?;
    let reply = session.client.request(|id| Blocks { id }).await?;
    let ToClient::Blocks(list) = reply else { return Err(unexpected_reply(&reply).into()) };
    print_users(&list.users, output, "You have blocked no users.")?;
    session.close().await;
    Ok(ExitStatus::Success)
}

/// Sends a request about another user, and prints what that user now is.
async fn change<R: Into<FromClient>>(
    global: &Global,
    args: &MuteArgs,
    output: Output,
    request: impl FnOnce(RequestId, UserName) -> R,
    now: &str,
) -> anyhow::Result<ExitStatus> {
    let session = Session::open(global, ActAs::User, output).await?;
    let user = args.name.clone();
    let done = session.client.done(|id| request(id, user)).await?;
    output.done(done, format_args!("{} {now}.", args.name))?;
    session.close().await;
    Ok(ExitStatus::Success)
}

/// Prints a list of users, or a message if it is empty.
fn print_users(users: &[UserName], output: Output, if_empty: &str) -> anyhow::Result<()> {
    if output.json {
        users.iter().try_for_each(|user| output.entry(&json!({"user": user})))?;
    } else if users.is_empty() {
        output.message(if_empty);
    } else {
        users.iter().try_for_each(|user| output.line(user))?;
    }
    Ok(())
}

/// Shows the user's settings, after the changes that are given.
pub(super) async fn settings(
    global: &Global,
    args: &SettingsArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let session = Session::open(global, ActAs::User, output).await?;
    let reply = if let Some(challenges) = args.challenges {
        let challenges = Some(challenges.into());
        session.client.request(|id| SettingsSet { id, challenges }).await?
    } else {
        session.client.request(|id| SettingsGet { id }).await?
    };
    let ToClient::Settings(state) = reply else { return Err(unexpected_reply(&reply).into()) };
    if output.json {
        output.entry(&state.settings)?;
    } else {
        let UserSettings { challenges } = state.settings;
        let who = match challenges {
            Challengers::All => "all: every user may challenge you",
            Challengers::Accounts => "accounts: users with an account may challenge you",
            Challengers::None => "none: no user may challenge you",
            Challengers::Unknown(ref word) => word.as_str(),
        };
        output.line(format_args!("challenges  {who}"))?;
    }
    session.close().await;
    Ok(ExitStatus::Success)
}
