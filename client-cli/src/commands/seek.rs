//! Opens seeks, and accepts seeks, challenges and invites. A seek ends with its session.

use adamant_client::{Client, Incoming, RequestError};
use adamant_protocol::{
    ChallengeId, GameId, InviteId, SeekId,
    from_client::{Accept, Allow, RatingRange, SeatWish, Seek},
    to_client::Done,
};
use clap::Args;

use super::{
    invites::{show_closed_invite, wait_for_players},
    start::{JoinArgs, created_game, enter_game, show_closed_challenge, wait_for_answer},
};
use crate::{
    args::{
        Global,
        spelling::{help_with_kinds, last_segment},
    },
    failure::{ExitStatus, UsageError},
    output::Output,
    proposal::{GameSetupArgs, Proposal, read_range, read_seat},
    session::{ActAs, Session},
};

/// Arguments of `seek`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own on the command line")]
pub(crate) struct SeekArgs {
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
    /// Exclude bots
    #[arg(long)]
    pub(crate) no_bots: bool,
    /// Exclude guests
    #[arg(long)]
    pub(crate) no_guests: bool,
    /// Only opponents with a rating in this range: 1400-1700, 1400- or -1700
    #[arg(long, value_name = "RANGE", allow_hyphen_values = true, value_parser = read_range)]
    pub(crate) rating: Option<RatingRange>,
    /// Keep the seek open for a week, whether you are connected or not
    #[arg(long)]
    pub(crate) lasting: bool,
    /// Whether to open the board.
    #[command(flatten)]
    pub(crate) join: JoinArgs,
}

/// Arguments of `accept`.
#[derive(Debug, Args)]
pub(crate) struct AcceptArgs {
    /// The seek (k_...), challenge (h_...) or invite (i_... or its link)
    pub(crate) id: String,
    /// Whether to open the board.
    #[command(flatten)]
    pub(crate) join: JoinArgs,
}

/// Opens a seek and waits until a game starts.
pub(super) async fn seek(
    global: &Global,
    args: &SeekArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let proposal = Proposal::read(&args.game, &args.setup)?;
    proposal.check(args.players.into())?;
    let terms = SeekTerms {
        proposal,
        players: args.players,
        seat: args.seat.unwrap_or_default(),
        rated: args.rated,
        allow: Allow { bots: !args.no_bots, guests: !args.no_guests },
        rating: args.rating,
        lasting: args.lasting,
    };
    let mut session = Session::open_persistent(global, ActAs::UserOrGuest, output).await?;
    let done = terms.seek(&session.client).await?;
    if output.json {
        output.reply(done.clone())?;
    }
    if let (None, Some(seek), true) = (&done.game, &done.seek, args.lasting) {
        if !output.json {
            output.line(seek)?;
        }
        output.message(format_args!("It stays open. `adamant cancel {seek}` closes it."));
        session.close().await;
        return Ok(ExitStatus::Success);
    }
    let game = if let Some(game) = done.game {
        game
    } else {
        if let Some(seek) = &done.seek {
            output.message(format_args!("Seek {seek} is open. Waiting; it closes when you leave."));
        }
        wait_for_game(&mut session, &terms).await?
    };
    enter_game(session, game, args.join).await
}

/// What a seek proposes.
#[derive(Debug, Clone)]
pub(super) struct SeekTerms {
    pub(super) proposal: Proposal,
    pub(super) players: u8,
    /// The seat that the user wants.
    pub(super) seat: SeatWish,
    /// Whether the game is rated.
    pub(super) rated: bool,
    /// Which opponents the user accepts.
    pub(super) allow: Allow,
    /// The ratings that the user accepts.
    pub(super) rating: Option<RatingRange>,
    /// Whether the seek outlives the session.
    pub(super) lasting: bool,
}

impl SeekTerms {
    pub(super) async fn seek(&self, client: &Client) -> Result<Done, RequestError> {
        let seek = |id| Seek {
            id,
            rules: self.proposal.wire_rules(),
            options: self.proposal.wire_options(),
            players: self.players,
            seat: self.seat,
            clock: self.proposal.clock,
            rated: self.rated,
            delay: self.proposal.delay,
            unlisted: self.proposal.unlisted,
            allow: self.allow,
            rating: self.rating,
            lasting: self.lasting,
        };
        client.done(seek).await
    }
}

/// Waits for the game that the seek leads to. Reopens a seek that ended with its session.
async fn wait_for_game(session: &mut Session, terms: &SeekTerms) -> anyhow::Result<GameId> {
    let before = session.live_games();
    loop {
        let incoming = session.next().await?;
        if let Some(game) = created_game(&incoming) {
            return Ok(game);
        }
        if matches!(incoming, Incoming::Connected(_)) {
            // The game may have started while the connection was lost.
            if let Some(game) = session.live_games().into_iter().find(|game| !before.contains(game))
            {
                return Ok(game);
            }
            if let Some(game) = terms.seek(&session.client).await?.game {
                return Ok(game);
            }
        }
    }
}

/// Accepts a seek, a challenge or an invite, and waits for the game if other players have yet to
/// accept.
pub(super) async fn accept(
    global: &Global,
    args: &AcceptArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let open = read_id(&args.id)?;
    let mut session = Session::open_persistent(global, ActAs::UserOrGuest, output).await?;
    let accept = |id| {
        let accept = Accept { id, seek: None, challenge: None, invite: None };
        match open.clone() {
            OpenId::Seek(seek) => Accept { seek: Some(seek), ..accept },
            OpenId::Challenge(challenge) => Accept { challenge: Some(challenge), ..accept },
            OpenId::Invite(invite) => Accept { invite: Some(invite), ..accept },
        }
    };
    let done = session.client.done(accept).await?;
    if output.json {
        output.reply(done.clone())?;
    }
    let game = if let Some(game) = done.game {
        game
    } else {
        output.message("Waiting for the other players.");
        match &open {
            OpenId::Challenge(challenge) => match wait_for_answer(&mut session, challenge).await? {
                Ok(game) => game,
                Err(closed) => {
                    session.close().await;
                    return show_closed_challenge(&closed, output);
                }
            },
            OpenId::Invite(invite) => match wait_for_players(&mut session, invite).await? {
                Ok(game) => game,
                Err(reason) => {
                    session.close().await;
                    show_closed_invite(invite, reason, output);
                    return Ok(ExitStatus::Failed);
                }
            },
            OpenId::Seek(_) => wait_for_start(&mut session).await?,
        }
    };
    enter_game(session, game, args.join).await
}

async fn wait_for_start(session: &mut Session) -> anyhow::Result<GameId> {
    let before = session.live_games();
    loop {
        let incoming = session.next().await?;
        if let Some(game) = created_game(&incoming) {
            return Ok(game);
        }
        if matches!(incoming, Incoming::Connected(_)) {
            let begun = session.live_games().into_iter().find(|game| !before.contains(game));
            return begun.ok_or_else(|| anyhow::anyhow!("the seek was lost with the connection"));
        }
    }
}

/// The id of something that a user may accept or cancel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum OpenId {
    Seek(SeekId),
    Challenge(ChallengeId),
    Invite(InviteId),
}

/// Parses an id, or the link of an invite. Seeks begin with k_, challenges with h_, invites with
/// i_.
pub(super) fn read_id(text: &str) -> Result<OpenId, UsageError> {
    let id = last_segment(text);
    let read = match id.get(..2) {
        Some("k_") => id.parse().ok().map(OpenId::Seek),
        Some("h_") => id.parse().ok().map(OpenId::Challenge),
        Some("i_") => id.parse().ok().map(OpenId::Invite),
        _ => None,
    };
    let what = "neither a seek (k_...), a challenge (h_...) nor an invite (i_...)";
    read.ok_or_else(|| UsageError(format!("{text} is {what}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_distinguish_seeks_challenges_and_invites() {
        assert!(matches!(read_id("k_5"), Ok(OpenId::Seek(_))));
        assert!(matches!(read_id("h_9"), Ok(OpenId::Challenge(_))));
        for invite in ["i_7", "https://example.org/join/i_7", "http://localhost:7777/join/i_7/"] {
            assert_eq!(read_id(invite).unwrap(), OpenId::Invite("i_7".parse().unwrap()));
        }
        for bad in ["", "9", "k7q2mx", "h 9", "h_\u{e4}", "\u{e4}"] {
            assert!(read_id(bad).is_err(), "{bad:?}");
        }
    }
}
