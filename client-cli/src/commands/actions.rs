//! Single actions in a game, without its board.

use std::time::Duration;

use adamant_client::{Incoming, RequestError};
use adamant_protocol::{
    EventBody, GameId, OfferId,
    event::{OfferKind, OfferOutcome},
    from_client::{Abort, Answer, Claim, ClaimKind, Move, Offer, Resign, Watch, Withdraw},
    to_client::{Done, Failed, Snapshot},
};
use adamant_record::wire;
use clap::{Args, ValueEnum};
use tokio::time::timeout;

use super::view::{GamePly, MoveArgs};
use crate::{
    args::Global,
    failure::{ExitStatus, HintedError, RefusedError},
    messages,
    output::Output,
    session::{ActAs, Session},
    transcript::snapshot,
};

/// Arguments of commands that need a game only.
#[derive(Debug, Args)]
pub(crate) struct ActArgs {
    /// The game's id
    pub(crate) game: GameId,
}

/// What to do with an offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OfferAction {
    /// Make it.
    Offer,
    /// Accept the open offer.
    Accept,
    /// Decline it.
    Decline,
    /// Withdraw your own.
    Withdraw,
}

/// Arguments of `draw`, `takeback` and `call-off`.
#[derive(Debug, Args)]
pub(crate) struct OfferArgs {
    /// The game's id
    pub(crate) game: GameId,
    /// What to do
    #[arg(default_value = "offer")]
    pub(crate) word: OfferAction,
}

/// Arguments of `claim`.
#[derive(Debug, Args)]
pub(crate) struct ClaimArgs {
    /// The game's id
    pub(crate) game: GameId,
    /// The seat of the player who is away, counted from 1; by default the seat to move
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..))]
    pub(crate) seat: Option<u8>,
}

pub(super) async fn make_move(
    global: &Global,
    args: &MoveArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let session = Session::open(global, ActAs::User, output).await?;
    let GamePly { game, ply } = &args.game_ply;
    let turn = match (args.turn, ply) {
        (Some(turn), None) => turn,
        (turn, _) => turn_of(&*snapshot(&session, game).await?, turn, *ply)?,
    };
    let (game, written) = (game.clone(), args.notation());
    let notation = written.as_str().into();
    let done = session.client.done(|id| Move { id, game, turn, notation }).await?;
    let turn = done.turn.map(|turn| format!(", turn {turn}")).unwrap_or_default();
    output.done(done, format_args!("Played {written} in {}{turn}.", args.game_ply.game))?;
    session.close().await;
    Ok(ExitStatus::Success)
}

/// Returns the turn that a move is for: the one given, or the current one. A move number must be
/// that of the next move.
pub(super) fn turn_of(
    snapshot: &Snapshot,
    turn: Option<u32>,
    number: Option<u32>,
) -> Result<u32, RefusedError> {
    let next = snapshot.ply + 1;
    match number {
        Some(number) if number != next => {
            let game = &snapshot.game;
            let why = format!("the next move of {game} is number {next}, not {number}");
            Err(RefusedError(why))
        }
        Some(_) | None => Ok(turn.unwrap_or(snapshot.turn)),
    }
}

pub(super) async fn resign(
    global: &Global,
    args: &ActArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let session = Session::open(global, ActAs::User, output).await?;
    let done = session.client.done(|id| Resign { id, game: args.game.clone() }).await?;
    output.done(done, format_args!("You have resigned {}.", args.game))?;
    session.close().await;
    Ok(ExitStatus::Success)
}

pub(super) async fn abort(
    global: &Global,
    args: &ActArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let session = Session::open(global, ActAs::User, output).await?;
    let aborted = session.client.done(|id| Abort { id, game: args.game.clone() }).await;
    let done = aborted.map_err(|error| abort_hint(error, &args.game))?;
    output.done(done, format_args!("Game {} is aborted; it has no result.", args.game))?;
    session.close().await;
    Ok(ExitStatus::Success)
}

/// Adds the command that offers an abort to the error of a game that has passed its opening.
fn abort_hint(error: RequestError, game: &GameId) -> anyhow::Error {
    let RequestError::Refused(failed) = error else { return error.into() };
    if !reason(&failed).contains("offer the others") {
        return RequestError::Refused(failed).into();
    }
    let what = reason(&failed).to_owned();
    let hint =
        format!("`adamant call-off {game}` offers the others to end the game without a result.");
    HintedError { what, failed, hint }.into()
}

/// Sends, answers or withdraws an offer.
pub(super) async fn offer(
    global: &Global,
    args: &OfferArgs,
    what: OfferKind,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let mut session = Session::open(global, ActAs::User, output).await?;
    let game = args.game.clone();
    let done = match args.word {
        OfferAction::Offer => {
            let offered = session.client.done(|id| Offer { id, game, what }).await;
            offered.map_err(|error| offer_hint(error, what, &args.game))?
        }
        OfferAction::Accept => answer(&session, &game, what, true).await?,
        OfferAction::Decline => answer(&session, &game, what, false).await?,
        OfferAction::Withdraw => {
            let offer = open_offer(&*snapshot(&session, &game).await?, what)?;
            session.client.done(|id| Withdraw { id, game, offer }).await?
        }
    };
    let seq = done.seq;
    let what = wire::Mirror::from_wire(what).map_or("this", messages::offered);
    let said = match args.word {
        OfferAction::Offer => format!("You have offered {what}."),
        OfferAction::Accept => format!("You have accepted {what}."),
        OfferAction::Decline => format!("You have declined {what}."),
        OfferAction::Withdraw => format!("You have withdrawn your offer of {what}."),
    };
    output.done(done, said)?;
    if let (OfferAction::Offer, Some(seq), false) = (args.word, seq, output.json) {
        let answer = timeout(ANSWER_MAX, offer_answer(&mut session, &args.game, seq)).await;
        if let Ok(answer) = answer {
            output.message(answer?);
        }
    }
    session.close().await;
    Ok(ExitStatus::Success)
}

/// How long a command waits for the answer to its offer. Bots answer at once; people take longer
/// and answer at their board.
const ANSWER_MAX: Duration = Duration::from_secs(1);

/// Waits for the answer to the offer of the event `seq`.
async fn offer_answer(
    session: &mut Session,
    game: &GameId,
    seq: u64,
) -> anyhow::Result<&'static str> {
    let watch = |id| Watch { id, game: game.clone(), from: Some(seq), named: None };
    session.client.done(watch).await?;
    let mut asked = None;
    loop {
        let Incoming::Event { frame, .. } = session.next().await? else { continue };
        if frame.game != *game {
            continue;
        }
        if let EventBody::Offered(offered) = &frame.body
            && frame.seq == seq
        {
            asked = Some(offered.offer);
        }
        if let EventBody::OfferClosed(closed) = &frame.body
            && asked == Some(closed.offer)
        {
            return Ok(match closed.outcome {
                OfferOutcome::Accepted => "The offer is accepted.",
                OfferOutcome::Declined => "The offer is declined.",
                OfferOutcome::Withdrawn => "The offer is withdrawn.",
                OfferOutcome::Moved => "The offer lapses, because a move was made.",
                OfferOutcome::Unknown(_) => "The offer is closed.",
            });
        }
    }
}

fn reason(failed: &Failed) -> &str {
    failed.why.as_deref().unwrap_or(&failed.message)
}

/// Adds the command that was probably meant to the error of a rejected offer.
fn offer_hint(error: RequestError, what: OfferKind, game: &GameId) -> anyhow::Error {
    let RequestError::Refused(failed) = error else { return error.into() };
    if !reason(&failed).contains("open already") {
        return RequestError::Refused(failed).into();
    }
    let command = match what {
        OfferKind::Draw => "draw",
        OfferKind::Takeback => "takeback",
        OfferKind::Abort => "call-off",
        OfferKind::Unknown(_) => return RequestError::Refused(failed).into(),
    };
    let what = reason(&failed).to_owned();
    let hint = format!(
        "`adamant {command} {game} accept` accepts the open offer, `adamant {command} {game} withdraw` \
         withdraws your own."
    );
    HintedError { what, failed, hint }.into()
}

async fn answer(
    session: &Session,
    game: &GameId,
    what: OfferKind,
    accept: bool,
) -> anyhow::Result<Done> {
    let offer = open_offer(&*snapshot(session, game).await?, what)?;
    Ok(session.client.done(|id| Answer { id, game: game.clone(), offer, accept }).await?)
}

fn open_offer(snapshot: &Snapshot, what: OfferKind) -> anyhow::Result<OfferId> {
    let mut offers = snapshot.offers.iter().filter(|offer| offer.what == what);
    let Some(offer) = offers.next() else {
        let what = wire::Mirror::from_wire(what).map_or("this", messages::offered);
        let why = format!("there is no open offer of {what} in {}", snapshot.game);
        return Err(RefusedError(why).into());
    };
    Ok(offer.offer)
}

/// Claims the game against a player who is away.
pub(super) async fn claim(
    global: &Global,
    args: &ClaimArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let session = Session::open(global, ActAs::User, output).await?;
    let (game, what) = (args.game.clone(), ClaimKind::Abandoned);
    let seat = args.seat.map(|number| number - 1);
    if let Some(seat) = seat {
        let seats = snapshot(&session, &game).await?.seats.len();
        if usize::from(seat) >= seats {
            let why = format!("there is no seat {} in {game}, which has {seats}", seat + 1);
            return Err(RefusedError(why).into());
        }
    }
    let done = session.client.done(|id| Claim { id, game, what, seat }).await?;
    output.done(
        done,
        format_args!("Your claim is granted: the player who was away has left {}.", args.game),
    )?;
    session.close().await;
    Ok(ExitStatus::Success)
}
