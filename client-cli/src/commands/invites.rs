//! Invites: made, listed, shown, and waited for.

use adamant_client::Incoming;
use adamant_protocol::{
    GameId, InviteId, ToClient, UserName,
    from_client::{Invite, InviteInfo, Invites},
    to_client::{ClosedReason, InviteEntry},
};
use anyhow::Context as _;

use super::{
    lists::{clock, game_and_options},
    start::enter_game,
};
use crate::{
    args::{Global, InviteArgs, InvitesArgs, WaitMode},
    columns::format_table,
    exit::ExitStatus,
    failure::unexpected_reply,
    messages,
    output::Output,
    proposal::Proposal,
    session::{ActAs, Session, address},
};

/// Makes an invite and prints its link. Waits until the game starts if asked to.
pub(super) async fn invite(
    global: &Global,
    args: &InviteArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let proposal = Proposal::read(&args.game, &args.setup)?;
    proposal.check(args.players.into())?;
    let mut session = Session::open_persistent(global, ActAs::UserOrGuest, output).await?;
    let request = |id| Invite {
        id,
        rules: proposal.wire_rules(),
        options: proposal.wire_options(),
        players: args.players,
        seat: args.seat.unwrap_or_default(),
        clock: proposal.clock,
        rated: args.rated,
        delay: proposal.delay,
        unlisted: proposal.unlisted,
    };
    let done = session.client.done(request).await?;
    let invite = done.invite.clone().context("the server names no invite")?;
    if output.json {
        output.reply(done)?;
    } else {
        output.line(address(global)?.page_url(&format!("/join/{invite}")))?;
    }
    let wait = match args.wait {
        WaitMode::Auto => output.interactive,
        WaitMode::Always => true,
        WaitMode::Never => false,
    };
    if !wait {
        session.close().await;
        return Ok(ExitStatus::Success);
    }
    output.message(format_args!(
        "Send this link to the other players. Waiting; `adamant cancel {invite}` cancels the invite."
    ));
    match wait_for_players(&mut session, &invite).await? {
        Ok(game) => enter_game(session, game, args.join).await,
        Err(reason) => {
            session.close().await;
            show_closed_invite(&invite, reason, output);
            Ok(ExitStatus::Failed)
        }
    }
}

/// Waits until an invite becomes a game or is closed, across reconnects too.
pub(super) async fn wait_for_players(
    session: &mut Session,
    invite: &InviteId,
) -> anyhow::Result<Result<GameId, Option<ClosedReason>>> {
    loop {
        let incoming = session.next().await?;
        let entry = if let Incoming::Invite(entry) = incoming {
            *entry
        } else if matches!(incoming, Incoming::Connected(_)) {
            // The change may have been sent while the connection was lost.
            let Ok(entry) = show(session, invite).await else { return Ok(Err(None)) };
            entry
        } else {
            continue;
        };
        if entry.invite != *invite {
            continue;
        }
        if let Some(game) = entry.game {
            return Ok(Ok(game));
        }
        if entry.reason.is_some() {
            return Ok(Err(entry.reason));
        }
        session.output.message(format_args!("Joined so far: {}.", names(&entry.joined)));
    }
}

/// Prints why an invite was closed without a game.
pub(super) fn show_closed_invite(invite: &InviteId, reason: Option<ClosedReason>, output: Output) {
    let why = match reason {
        Some(ClosedReason::Cancelled) => "was cancelled",
        Some(ClosedReason::Expired) => "expired before all players had joined",
        Some(_) | None => "is no longer open",
    };
    output.message(format_args!("Invite {invite} {why}."));
}

async fn show(session: &Session, invite: &InviteId) -> anyhow::Result<InviteEntry> {
    let info = |id| InviteInfo { id, invite: invite.clone() };
    let reply = session.client.request(info).await?;
    if let ToClient::Invite(state) = reply {
        Ok(state.entry)
    } else {
        Err(unexpected_reply(&reply).into())
    }
}

/// Lists the user's open invites, or shows one of any user.
pub(super) async fn invites(
    global: &Global,
    args: &InvitesArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let (session, invites) = if let Some(invite) = &args.id {
        let session = Session::open(global, ActAs::UserOrAnonymous, output).await?;
        let entry = show(&session, invite).await?;
        (session, vec![entry])
    } else {
        let session = Session::open(global, ActAs::User, output).await?;
        let reply = session.client.request(|id| Invites { id }).await?;
        let ToClient::Invites(list) = reply else { return Err(unexpected_reply(&reply).into()) };
        (session, list.invites)
    };
    if output.json {
        invites.iter().try_for_each(|entry| output.entry(entry))?;
    } else if invites.is_empty() {
        output.message("No invite is open. `adamant invite GAME` makes one.");
    } else {
        let now = session.welcome.ts;
        let rows: Vec<_> = invites.iter().map(|entry| row(entry, now)).collect();
        output.line(format_table(["INVITE", "GAME", "JOINED", "CLOCK", "SEATS", "ENDS"], &rows))?;
    }
    session.close().await;
    Ok(ExitStatus::Success)
}

fn row(entry: &InviteEntry, now: u64) -> [String; 6] {
    let rated = if entry.rated { ", rated" } else { "" };
    let end = match &entry.game {
        Some(game) => format!("game {game}"),
        None => format!("in {}", messages::span(entry.expires.saturating_sub(now))),
    };
    [
        entry.invite.to_string(),
        game_and_options(&entry.rules, &entry.options),
        names(&entry.joined),
        format!("{}{rated}", clock(entry.clock)),
        format!("{} of {}", entry.joined.len(), entry.players),
        end,
    ]
}

fn names(users: &[UserName]) -> String {
    users.iter().map(UserName::as_str).collect::<Vec<_>>().join(", ")
}
