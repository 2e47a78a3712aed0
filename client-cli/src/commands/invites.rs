//! Invites: made, listed, shown, and waited for.

use adamant_client::Incoming;
use adamant_protocol::{
    GameId, InviteId, ToClient, UserName,
    from_client::{Invite, InviteInfo, Invites, SeatWish},
    to_client::{ClosedReason, InviteEntry},
};
use anyhow::Context as _;
use clap::Args;

use super::{
    lists::{clock, game_and_options},
    start::{JoinArgs, WaitMode, enter_game},
};
use crate::{
    args::{
        Global,
        spelling::{help_with_kinds, last_segment},
    },
    failure::{ExitStatus, unexpected_reply},
    messages,
    output::{Output, format_table},
    proposal::{GameSetupArgs, Proposal, read_seat},
    session::{ActAs, Session, address},
};

/// Arguments of `invite`.
#[derive(Debug, Args)]
pub(crate) struct InviteArgs {
    #[arg(help = help_with_kinds("The game"))]
    pub(crate) game: String,
    /// Options of the game.
    #[command(flatten)]
    pub(crate) setup: GameSetupArgs,
    /// The number of players, you included
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) players: u8,
    /// Your seat, counted from 1; random by default
    #[arg(long, value_name = "N", value_parser = read_seat)]
    pub(crate) seat: Option<SeatWish>,
    /// Play for a rating
    #[arg(long)]
    pub(crate) rated: bool,
    /// When to wait until the others have joined
    #[arg(long, value_name = "WHEN", default_value = "auto", default_missing_value = "always")]
    #[arg(num_args = 0..=1, require_equals = true)]
    pub(crate) wait: WaitMode,
    /// Whether to open the board.
    #[command(flatten)]
    pub(crate) join: JoinArgs,
}

/// Arguments of `invites`.
#[derive(Debug, Args)]
pub(crate) struct InvitesArgs {
    /// Show this invite (i_... or its link) instead, of any user
    #[arg(value_parser = read_invite)]
    pub(crate) id: Option<InviteId>,
}

fn read_invite(text: &str) -> Result<InviteId, String> {
    last_segment(text).parse().map_err(|error| format!("{error}"))
}

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
