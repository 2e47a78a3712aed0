//! One act in a game, made from outside its board.

use adamant_protocol::{
    GameId, OfferId,
    event::OfferWhat,
    from_client::{Abort, Answer, Claim, ClaimWhat, Move, Offer, Resign, Withdraw},
    to_client::{Done, Snapshot},
};
use adamant_record::wire;

use crate::{
    args::{ActArgs, ClaimArgs, Global, MoveArgs, OfferArgs, OfferWord, Place},
    exit::ExitStatus,
    failure::RefusedError,
    output::Output,
    session::{Session, Who},
    transcript::snapshot,
    words,
};

/// Makes a move.
pub(super) async fn make_move(
    global: &Global,
    args: &MoveArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let session = Session::open(global, Who::Known, output).await?;
    let Place { game, ply } = &args.place;
    let turn = match (args.turn, ply) {
        (Some(turn), None) => turn,
        (turn, _) => turn_of(&*snapshot(&session, game).await?, turn, *ply)?,
    };
    let (game, written) = (game.clone(), args.notation());
    let notation = written.as_str().into();
    let done = session.client.done(|id| Move { id, game, turn, notation }).await?;
    let turn = done.turn.map(|turn| format!(", turn {turn}")).unwrap_or_default();
    output.done(done, format_args!("Played {written} in {}{turn}.", args.place.game))?;
    session.close().await;
    Ok(ExitStatus::Success)
}

/// The turn that a move is for: the one that was named, or the present one. With the number of a move
/// only if that is the next one.
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

/// Gives up.
pub(super) async fn resign(
    global: &Global,
    args: &ActArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let session = Session::open(global, Who::Known, output).await?;
    let done = session.client.done(|id| Resign { id, game: args.game.clone() }).await?;
    output.done(done, format_args!("You have resigned {}.", args.game))?;
    session.close().await;
    Ok(ExitStatus::Success)
}

/// Calls a game off.
pub(super) async fn abort(
    global: &Global,
    args: &ActArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let session = Session::open(global, Who::Known, output).await?;
    let done = session.client.done(|id| Abort { id, game: args.game.clone() }).await?;
    output.done(done, format_args!("{} is called off; it has no result.", args.game))?;
    session.close().await;
    Ok(ExitStatus::Success)
}

/// Offers something, or answers such an offer.
pub(super) async fn offer(
    global: &Global,
    args: &OfferArgs,
    what: OfferWhat,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let session = Session::open(global, Who::Known, output).await?;
    let game = args.game.clone();
    let done = match args.word {
        OfferWord::Offer => session.client.done(|id| Offer { id, game, what }).await?,
        OfferWord::Accept => answer(&session, &game, what, true).await?,
        OfferWord::Decline => answer(&session, &game, what, false).await?,
        OfferWord::Withdraw => {
            let offer = open_offer(&*snapshot(&session, &game).await?, what)?;
            session.client.done(|id| Withdraw { id, game, offer }).await?
        }
    };
    let what = words::offered(wire::offer_kind(what));
    let said = match args.word {
        OfferWord::Offer => format!("You have offered {what}."),
        OfferWord::Accept => format!("You have agreed to {what}."),
        OfferWord::Decline => format!("You have declined {what}."),
        OfferWord::Withdraw => format!("You have taken your offer of {what} back."),
    };
    output.done(done, said)?;
    session.close().await;
    Ok(ExitStatus::Success)
}

async fn answer(
    session: &Session,
    game: &GameId,
    what: OfferWhat,
    accept: bool,
) -> anyhow::Result<Done> {
    let offer = open_offer(&*snapshot(session, game).await?, what)?;
    Ok(session.client.done(|id| Answer { id, game: game.clone(), offer, accept }).await?)
}

fn open_offer(snapshot: &Snapshot, what: OfferWhat) -> anyhow::Result<OfferId> {
    let mut offers = snapshot.offers.iter().filter(|offer| offer.what == what);
    let Some(offer) = offers.next() else {
        let what = words::offered(wire::offer_kind(what));
        let why = format!("there is no open offer of {what} in {}", snapshot.game);
        return Err(RefusedError(why).into());
    };
    Ok(offer.offer)
}

/// Claims that a player has gone for good.
pub(super) async fn claim(
    global: &Global,
    args: &ClaimArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let session = Session::open(global, Who::Known, output).await?;
    let (game, what) = (args.game.clone(), ClaimWhat::Abandoned);
    let seat = args.seat.map(|number| number - 1);
    let done = session.client.done(|id| Claim { id, game, what, seat }).await?;
    output.done(done, format_args!("You have claimed it: the player has left {}.", args.game))?;
    session.close().await;
    Ok(ExitStatus::Success)
}
