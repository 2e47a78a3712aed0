//! Whom the user mutes and blocks, and the user's settings.

use adamant_protocol::{
    ToClient,
    from_client::{Block, Blocks, Mute, Mutes, SettingsGet, SettingsSet, Unblock, Unmute},
    values::{Challengers, UserSettings},
};
use serde_json::json;

use crate::{
    args::{Global, MuteArgs, SettingsArgs},
    exit::ExitStatus,
    failure::unexpected_reply,
    output::Output,
    session::{ActAs, Session},
};

/// Mutes a user.
pub(super) async fn mute(
    global: &Global,
    args: &MuteArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let session = Session::open(global, ActAs::User, output).await?;
    let user = args.name.clone();
    let done = session.client.done(|id| Mute { id, user }).await?;
    output.done(done, format_args!("{} is muted.", args.name))?;
    session.close().await;
    Ok(ExitStatus::Success)
}

/// Unmutes a user.
pub(super) async fn unmute(
    global: &Global,
    args: &MuteArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let session = Session::open(global, ActAs::User, output).await?;
    let user = args.name.clone();
    let done = session.client.done(|id| Unmute { id, user }).await?;
    output.done(done, format_args!("{} is no longer muted.", args.name))?;
    session.close().await;
    Ok(ExitStatus::Success)
}

/// Lists the muted users.
pub(super) async fn mutes(global: &Global, output: Output) -> anyhow::Result<ExitStatus> {
    let session = Session::open(global, ActAs::User, output).await?;
    let reply = session.client.request(|id| Mutes { id }).await?;
    let ToClient::Mutes(list) = reply else { return Err(unexpected_reply(&reply).into()) };
    if output.json {
        let entry = |user| json!({"user": user});
        list.users.iter().map(entry).try_for_each(|entry| output.entry(&entry))?;
    } else if list.users.is_empty() {
        output.message("You have muted no users.");
    } else {
        for user in &list.users {
            output.line(user)?;
        }
    }
    session.close().await;
    Ok(ExitStatus::Success)
}

/// Blocks a user.
pub(super) async fn block(
    global: &Global,
    args: &MuteArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let session = Session::open(global, ActAs::User, output).await?;
    let user = args.name.clone();
    let done = session.client.done(|id| Block { id, user }).await?;
    output.done(done, format_args!("{} is blocked.", args.name))?;
    session.close().await;
    Ok(ExitStatus::Success)
}

/// Unblocks a user.
pub(super) async fn unblock(
    global: &Global,
    args: &MuteArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let session = Session::open(global, ActAs::User, output).await?;
    let user = args.name.clone();
    let done = session.client.done(|id| Unblock { id, user }).await?;
    output.done(done, format_args!("{} is no longer blocked.", args.name))?;
    session.close().await;
    Ok(ExitStatus::Success)
}

/// Lists the blocked users.
pub(super) async fn blocks(global: &Global, output: Output) -> anyhow::Result<ExitStatus> {
    let session = Session::open(global, ActAs::User, output).await?;
    let reply = session.client.request(|id| Blocks { id }).await?;
    let ToClient::Blocks(list) = reply else { return Err(unexpected_reply(&reply).into()) };
    if output.json {
        let entry = |user| json!({"user": user});
        list.users.iter().map(entry).try_for_each(|entry| output.entry(&entry))?;
    } else if list.users.is_empty() {
        output.message("You have blocked no users.");
    } else {
        for user in &list.users {
            output.line(user)?;
        }
    }
    session.close().await;
    Ok(ExitStatus::Success)
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
        output.reply(state)?;
    } else {
        let UserSettings { challenges } = state.settings;
        let who = match challenges {
            Challengers::All => "all: every user may challenge you",
            Challengers::Accounts => "accounts: users with an account may challenge you",
            Challengers::None => "none: no user may challenge you",
        };
        output.line(format_args!("challenges  {who}"))?;
    }
    session.close().await;
    Ok(ExitStatus::Success)
}
