//! The view of a game for pipes: each event on a line of its own, with the board after each move;
//! or with `--json` the records as they came.

use adamant_client::{Client, Incoming};
use adamant_protocol::{EventBody, GameId, from_client::Watch};
use adamant_rules::{Event, EventKind};
use anyhow::{Context as _, bail};

use super::course::Course;
use crate::{board, exit::ExitStatus, output::Output, session::Session, words};

/// Prints the game's events line by line until it ends, with the board after each move.
pub(crate) async fn lines(
    session: Session,
    game: GameId,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let Session { client, mut inbox, .. } = session;
    let mut course = Course::default();
    follow(&client, &game, &course).await?;
    while let Some(incoming) = inbox.next().await {
        match incoming {
            Incoming::Event { frame, bytes } if frame.game == game => {
                if frame.seq <= course.seq() {
                    continue;
                }
                let event = course.push(&bytes).context("this game cannot be followed")?;
                if output.json {
                    output.line(std::str::from_utf8(&bytes).context("a record is text")?)?;
                } else {
                    print(&course, &event, output)?;
                }
                if matches!(frame.body, EventBody::Ended(_) | EventBody::Aborted(_)) {
                    return Ok(ExitStatus::Success);
                }
            }
            // It came in place of events, which are printed all the same; but what was printed
            // cannot be taken back.
            Incoming::Snapshot(snapshot) if snapshot.game == game => {
                if snapshot.seq < course.seq() {
                    bail!("the server has gone back to an earlier state of this game");
                }
                follow(&client, &game, &course).await?;
            }
            Incoming::Connected(_) => {
                output.say("connected again");
                follow(&client, &game, &course).await?;
            }
            Incoming::Disconnected { reason, retry_in } => match retry_in {
                Some(wait) => {
                    output
                        .say(format_args!("{reason}; trying again in {:.1} s", wait.as_secs_f32()));
                }
                None => bail!("{reason}"),
            },
            Incoming::Complaint(failed) => output.say(&failed.message),
            Incoming::Event { .. }
            | Incoming::Snapshot(_)
            | Incoming::YourTurn(_)
            | Incoming::Challenged(_)
            | Incoming::ChallengeClosed(_)
            | Incoming::Lobby(_)
            | Incoming::Notice(_) => {}
        }
    }
    bail!("the connection has ended")
}

/// Asks for the records after those that are known. A connection that breaks meanwhile comes back,
/// and then they are asked for again.
async fn follow(client: &Client, game: &GameId, course: &Course) -> anyhow::Result<()> {
    let from = Some(course.seq() + 1);
    match client.request(|id| Watch { id, game: game.clone(), from }).await {
        Ok(_) | Err(adamant_client::RequestError::ConnectionLost) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

fn print(course: &Course, event: &Event, output: Output) -> anyhow::Result<()> {
    let Some((table, names)) = course.table() else { return Ok(()) };
    output.line(words::event(event, table, names))?;
    let board = match &event.kind {
        EventKind::Started { .. } => Some(table.position().draw(&[])),
        EventKind::Moved { .. } | EventKind::Removed { .. } => {
            course.plies().last().map(|ply| ply.position.draw(&ply.marks))
        }
        EventKind::Created(_)
        | EventKind::Skipped { .. }
        | EventKind::Offered { .. }
        | EventKind::Agreed { .. }
        | EventKind::OfferClosed { .. }
        | EventKind::Aborted { .. }
        | EventKind::Ended { .. } => None,
    };
    if let Some(drawing) = board {
        output.line(board::text(&drawing, output.color))?;
    }
    Ok(())
}
