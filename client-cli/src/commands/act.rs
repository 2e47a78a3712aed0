//! One act in a game, made from outside its board.

use adamant_protocol::{
    OfferId,
    event::OfferWhat,
    from_client::{Abort, Answer, Move, Offer, Resign, Withdraw},
    to_client::{Done, Snapshot},
};
use anyhow::bail;

use crate::{
    args::{ActArgs, DrawArgs, DrawWord, Global, MoveArgs},
    exit::ExitStatus,
    output::Output,
    session::{Session, Who},
    transcript::snapshot,
};

/// Makes a move.
pub(super) async fn make_move(
    global: &Global,
    args: &MoveArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let session = Session::open(global, Who::Known, output).await?;
    let turn = match args.turn {
        Some(turn) => turn,
        None => snapshot(&session, &args.game).await?.turn,
    };
    let (game, notation) = (args.game.clone(), args.notation.as_str().into());
    let done = session.client.done(|id| Move { id, game, turn, notation }).await?;
    let turn = done.turn.map(|turn| format!(", turn {turn}")).unwrap_or_default();
    output.done(done, format_args!("Played {} in {}{turn}.", args.notation, args.game))?;
    session.close().await;
    Ok(ExitStatus::Success)
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

/// Offers a draw, or answers such an offer.
pub(super) async fn draw(
    global: &Global,
    args: &DrawArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let session = Session::open(global, Who::Known, output).await?;
    let done = match args.word {
        DrawWord::Offer => {
            let (game, what) = (args.game.clone(), OfferWhat::Draw);
            session.client.done(|id| Offer { id, game, what }).await?
        }
        DrawWord::Accept => answer(&session, args, true).await?,
        DrawWord::Decline => answer(&session, args, false).await?,
        DrawWord::Withdraw => {
            let offer = open_offer(&*snapshot(&session, &args.game).await?)?;
            session.client.done(|id| Withdraw { id, game: args.game.clone(), offer }).await?
        }
    };
    let words = match args.word {
        DrawWord::Offer => "You have offered a draw.",
        DrawWord::Accept => "You have agreed to a draw.",
        DrawWord::Decline => "You have declined the draw.",
        DrawWord::Withdraw => "You have taken your offer back.",
    };
    output.done(done, words)?;
    session.close().await;
    Ok(ExitStatus::Success)
}

async fn answer(session: &Session, args: &DrawArgs, accept: bool) -> anyhow::Result<Done> {
    let offer = open_offer(&*snapshot(session, &args.game).await?)?;
    let game = args.game.clone();
    Ok(session.client.done(|id| Answer { id, game, offer, accept }).await?)
}

fn open_offer(snapshot: &Snapshot) -> anyhow::Result<OfferId> {
    let mut offers = snapshot.offers.iter().filter(|offer| offer.what == OfferWhat::Draw);
    match offers.next() {
        Some(offer) => Ok(offer.offer),
        None => bail!("no draw is offered in {}", snapshot.game),
    }
}
