//! A game for pipes: each event as a line, with the board after each move; or with `--json` the
//! records as received.

use std::ops::ControlFlow;

use adamant_client::{Client, Incoming, RequestError};
use adamant_protocol::{EventBody, GameId, from_client::Watch, to_client::Presence};
use adamant_rules::{Event, EventKind, Seat, SeatSet};
use anyhow::{Context as _, bail};

use super::history::GameHistory;
use crate::{drawing, failure::ExitStatus, messages, output::Output, session::Session};

/// Prints the game's events line by line until it ends, with the board after each move.
pub(crate) async fn watch_lines(
    mut session: Session,
    game: GameId,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let mut printer = LinePrinter::new(game, output);
    printer.follow(&session.client).await?;
    loop {
        let incoming = session.next().await?;
        if printer.print(incoming, &session.client).await?.is_break() {
            session.close().await;
            return Ok(ExitStatus::Success);
        }
    }
}

/// Prints a game event by event.
#[derive(Debug)]
pub(super) struct LinePrinter {
    pub(super) game: GameId,
    output: Output,
    pub(super) history: GameHistory,
    away: SeatSet,
}

/// What to do for a message.
#[derive(Debug, PartialEq, Eq)]
enum LineAction {
    Nothing,
    /// Print on stdout.
    Print(String),
    /// Print the last event on stdout.
    PrintAndEnd(String),
    /// Print on stderr.
    Say(String),
    /// Request the missing records.
    Follow,
}

impl LinePrinter {
    /// Creates a printer that has printed nothing yet.
    pub(super) fn new(game: GameId, output: Output) -> Self {
        Self { game, output, history: GameHistory::default(), away: SeatSet::EMPTY }
    }

    /// Requests the records after the known ones. Returns the number of the last record that
    /// follows, or `None` if the connection is lost; the request is repeated after the reconnect.
    pub(super) async fn follow(&self, client: &Client) -> anyhow::Result<Option<u64>> {
        let from = Some(self.history.seq() + 1);
        let game = self.game.clone();
        match client.done(|id| Watch { id, game, from, named: None }).await {
            Ok(done) => Ok(done.seq),
            Err(RequestError::ConnectionLost) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Prints a message, and requests missing records.
    pub(super) async fn print(
        &mut self,
        incoming: Incoming,
        client: &Client,
    ) -> anyhow::Result<ControlFlow<()>> {
        let output = self.output;
        match self.action_for(incoming)? {
            LineAction::Nothing => {}
            LineAction::Print(text) => output.line(text)?,
            LineAction::Say(text) => output.message(text),
            LineAction::Follow => {
                self.follow(client).await?;
            }
            LineAction::PrintAndEnd(text) => {
                output.line(text)?;
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn action_for(&mut self, incoming: Incoming) -> anyhow::Result<LineAction> {
        Ok(match incoming {
            Incoming::Event { frame, bytes }
                if frame.game == self.game && frame.seq > self.history.seq() =>
            {
                let event = self.history.push(&bytes).context("this game cannot be followed")?;
                let text = if self.output.json {
                    std::str::from_utf8(&bytes).context("a record is text")?.to_owned()
                } else if let Some(event) = event {
                    self.describe(&event)
                } else {
                    // Only later versions know such an event.
                    return Ok(LineAction::Nothing);
                };
                if matches!(frame.body, EventBody::Ended(_) | EventBody::Aborted(_)) {
                    LineAction::PrintAndEnd(text)
                } else {
                    LineAction::Print(text)
                }
            }
            // A snapshot replaces events; they are requested and printed all the same. Printed
            // events cannot be undone.
            Incoming::Snapshot(snapshot) if snapshot.game == self.game => {
                if snapshot.seq < self.history.seq() {
                    bail!("the server has reverted this game to an earlier state");
                }
                LineAction::Follow
            }
            Incoming::Presence(presence) if presence.game == self.game => self.presence_changed(&presence),
            Incoming::Connected(_) => LineAction::Follow,
            Incoming::Notice(notice) => LineAction::Say(messages::notice(&notice)),
            Incoming::ServerError(failed) => LineAction::Say(failed.message.into()),
            Incoming::Said(said) if said.game == self.game => {
                LineAction::Say(messages::said(&said.by, &said.text))
            }
            Incoming::Event { .. }
            | Incoming::Snapshot(_)
            | Incoming::Presence(_)
            | Incoming::YourTurn(_)
            | Incoming::Challenged(_)
            | Incoming::ChallengeClosed(_)
            | Incoming::Featured(_)
            | Incoming::Live(_)
            | Incoming::Said(_)
            | Incoming::Unsaid(_)
            | Incoming::Invite(_)
            | Incoming::Lobby(_)
            // The session prints it and reconnects.
            | Incoming::Disconnected { .. } => LineAction::Nothing,
        })
    }

    /// Reports players who went away or returned, while the game is live.
    fn presence_changed(&mut self, presence: &Presence) -> LineAction {
        let Some((table, names)) = self.history.table() else { return LineAction::Nothing };
        let is_away = |seat: &Seat| {
            let mut seats = presence.seats.iter();
            seats.any(|known| usize::from(known.seat) == seat.index() && !known.online)
        };
        let away: SeatSet = table.seats_in().iter().filter(is_away).collect();
        let sentences = |seats: SeatSet, what| {
            seats.iter().map(move |seat| format!("{} is {what}.", names.of(seat)))
        };
        let without = |seats: SeatSet, others: SeatSet| -> SeatSet {
            seats.iter().filter(|&seat| !others.contains(seat)).collect()
        };
        let gone = sentences(without(away, self.away), "away");
        let back = sentences(without(self.away, away), "back");
        let news: Vec<String> = gone.chain(back).collect();
        self.away = away;
        if news.is_empty() || table.outcome().is_some() {
            return LineAction::Nothing;
        }
        LineAction::Say(news.join(" "))
    }

    /// Formats an event, with the board if it has changed.
    fn describe(&self, event: &Event) -> String {
        let Some((table, names)) = self.history.table() else { return String::new() };
        let sentence = messages::event(event, table, names);
        let board = match &event.kind {
            EventKind::Started { .. }
            | EventKind::Moved { .. }
            | EventKind::Removed { .. }
            | EventKind::TakenBack { .. } => {
                self.history.plies().last().map(|ply| ply.position.draw(&ply.marks))
            }
            EventKind::Created(_)
            | EventKind::Swapped { .. }
            | EventKind::Skipped { .. }
            | EventKind::Offered { .. }
            | EventKind::Agreed { .. }
            | EventKind::OfferClosed { .. }
            | EventKind::ClockAdjusted { .. }
            | EventKind::Aborted { .. }
            | EventKind::Ended { .. }
            | EventKind::Rated { .. } => None,
        };
        match board {
            Some(drawing) => {
                let board = drawing::text(&drawing, self.output.color);
                format!("{sentence}\n\n{board}")
            }
            None => sentence,
        }
    }
}

#[cfg(test)]
mod tests {
    use adamant_protocol::to_client::{Notice, NoticeKind};
    use adamant_rules::{Act, event::OfferKind};

    use super::*;
    use crate::play::fixture::{FakeServer, GAME, O, x};

    fn printer(json: bool) -> LinePrinter {
        let output = Output { json, color: false, interactive: false };
        LinePrinter::new(GAME.parse().unwrap(), output)
    }

    fn game() -> FakeServer {
        let mut server = FakeServer::two();
        server.play("c1-c2", 3);
        server.act(Act::Offer { seat: x(), what: OfferKind::Draw }, 4);
        server.play("c5-c4", 5);
        server.act(Act::Resign { seat: O }, 6);
        server
    }

    #[test]
    fn text_output_has_the_board_after_each_move() {
        let mut printer = printer(false);
        let mut output = String::new();
        for record in game().journal {
            let step = printer.action_for(record).unwrap();
            let (LineAction::Print(text) | LineAction::PrintAndEnd(text)) = step else {
                panic!("{step:?} is no line");
            };
            output.push_str(&text);
            output.push('\n');
        }
        for ply in printer.history.plies() {
            let board = ply.position.draw(&ply.marks).to_string();
            assert!(output.contains(&board), "{board} is not in\n{output}");
            output = output.replacen(&board, "[board]\n", 1);
        }
        insta::assert_snapshot!(output, @"
        adamas -size=3 -pieces=8: O ann and X bob, 5m+5s, casual.
        O ann begins.

        [board]

        1. O ann: c1-c2

        [board]

        X bob offers a draw.
        2. X bob: c5-c4

        [board]

        The offer lapses.
        X bob wins: the opponent resigned.
        ");
    }

    #[test]
    fn json_output_is_the_records_as_received() {
        let mut printer = printer(true);
        let journal = game().journal;
        let last = journal.len() - 1;
        for (index, record) in journal.into_iter().enumerate() {
            let Incoming::Event { bytes, .. } = &record else { panic!() };
            let text = String::from_utf8(bytes.to_vec()).unwrap();
            let step = printer.action_for(record).unwrap();
            let expected =
                if index == last { LineAction::PrintAndEnd(text) } else { LineAction::Print(text) };
            assert_eq!(step, expected);
        }
    }

    #[test]
    fn an_event_of_an_unknown_kind_is_passed_over() {
        let mut server = FakeServer::two();
        server.record_unknown("applauded");
        server.play("c1-c2", 3);
        for json in [false, true] {
            let mut printer = printer(json);
            let mut lines = Vec::new();
            for record in server.journal.clone() {
                let action = printer.action_for(record).unwrap();
                if let LineAction::Print(text) = action {
                    lines.push(text);
                } else {
                    assert_eq!(action, LineAction::Nothing);
                }
            }
            assert!(lines.last().is_some_and(|text| text.contains("c1-c2")), "{lines:?}");
            assert_eq!(lines.iter().any(|text| text.contains("applauded")), json);
        }
    }

    #[test]
    fn records_are_printed_once_and_missing_ones_are_requested() {
        let mut printer = printer(true);
        let journal = game().journal;
        for record in journal.iter().take(2) {
            assert!(matches!(printer.action_for(record.clone()).unwrap(), LineAction::Print(_)));
            assert_eq!(printer.action_for(record.clone()).unwrap(), LineAction::Nothing);
        }
        let restart = Incoming::Notice(Notice::new(NoticeKind::Restart, 1_500));
        let text = "The server restarts and should be back in 2 s; the game is safe.";
        assert_eq!(printer.action_for(restart).unwrap(), LineAction::Say(text.to_owned()));
        let welcome = crate::play::fixture::welcome(None, 9, None);
        let back = Incoming::Connected(Box::new(welcome));
        assert_eq!(printer.action_for(back).unwrap(), LineAction::Follow);
        assert!(printer.action_for(journal[3].clone()).is_err(), "a gap is an error");
    }
}
