//! A game without a screen: each event is printed as a line, with the board after each move, or with
//! `--json` as received. A player's lines of standard input are moves or commands of the prompt.

use std::{
    io::{self, BufRead as _, IsTerminal as _},
    ops::ControlFlow,
    time::Duration,
};

use adamant_client::{Client, Incoming, RequestError};
use adamant_protocol::{
    EventBody, GameId, ToClient, UserName, from_client::Watch, to_client::Presence,
    values::TalkRoom,
};
use adamant_rules::{Event, EventKind, Seat, SeatSet, Table};
use anyhow::{Context as _, bail};
use futures::{FutureExt as _, future::LocalBoxFuture};
use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until},
};

use super::{
    prompt::PromptCommand,
    render::help_page,
    screen::wire_request,
    view::{GameHistory, Request, Role, offer_by, offer_to},
};
use crate::{
    credentials::reject_token,
    drawing,
    failure::{self, CommandResult, ExitStatus, RefusedError},
    messages,
    output::Output,
    session::Session,
};

/// How long to wait for the answer to an offer after the end of the input.
const OFFER_ANSWER_MAX: Duration = Duration::from_secs(2);

/// Plays a game by lines. A move waits for its turn; other commands run at once. The end of the
/// input leaves the game, which stays live.
pub(crate) async fn play_lines(session: Session, game: GameId) -> CommandResult {
    let output = session.output;
    let mut player = LinePlayer {
        me: session.me().cloned(),
        printer: LinePrinter::new(game, output),
        lines: standard_input(),
        waiting: None,
        pending: None,
        print_until: 0,
        leave_at: None,
        is_interactive: io::stdin().is_terminal(),
        output,
        session,
    };
    player.print_until = player.printer.follow(&player.session.client).await?.unwrap_or(1);
    let left = Box::pin(player.join()).await;
    player.session.close().await;
    left
}

/// Returns the lines of standard input. A separate thread reads them, because a read cannot be
/// cancelled.
fn standard_input() -> mpsc::Receiver<io::Result<String>> {
    let (lines, typed) = mpsc::channel(1);
    std::thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            if lines.blocking_send(line).is_err() {
                break;
            }
        }
    });
    typed
}

/// A request without an answer yet, and its line.
struct PendingRequest {
    line: String,
    answer: LocalBoxFuture<'static, Result<ToClient, RequestError>>,
}

/// A player who plays by lines.
struct LinePlayer {
    session: Session,
    me: Option<UserName>,
    printer: LinePrinter,
    lines: mpsc::Receiver<io::Result<String>>,
    /// The next line to run.
    waiting: Option<String>,
    pending: Option<PendingRequest>,
    /// The last record that must be printed before the next line runs.
    print_until: u64,
    /// Set at the end of the input: the latest time to leave.
    leave_at: Option<Instant>,
    /// Whether standard input is a terminal, where a rejected line can be corrected.
    is_interactive: bool,
    output: Output,
}

enum LineCommand {
    Nothing,
    Request(Request),
    Print(String),
    Leave,
}

impl LinePlayer {
    /// Plays, or watches if the user has no seat.
    async fn join(&mut self) -> CommandResult {
        let mut watches = false;
        loop {
            let seat = self.printer.history.table().map(|(table, _)| seat(table, self.me.as_ref()));
            if seat == Some(None) && !watches {
                let game = &self.printer.game;
                self.output.message(format_args!("You do not play in {game}; you are watching."));
                watches = true;
            }
            if seat.flatten().is_some() && self.is_ready() {
                return self.play().await;
            }
            if self.print_next().await?.is_break() {
                return Ok(ExitStatus::Success);
            }
        }
    }

    async fn print_next(&mut self) -> anyhow::Result<ControlFlow<()>> {
        let incoming = self.session.next().await?;
        self.printer.print(incoming, &self.session.client).await
    }

    async fn play(&mut self) -> CommandResult {
        loop {
            if self.is_ready() {
                let waiting = self.waiting.take_if(|line| {
                    self.printer.history.table().is_some_and(|(table, _)| {
                        is_due(line, table, seat(table, self.me.as_ref()))
                    })
                });
                if let Some(line) = waiting {
                    if self.run_line(line)? {
                        return Ok(self.leave());
                    }
                    continue;
                }
                if self.may_leave() {
                    return Ok(self.leave());
                }
            }
            let hurries = self.is_ready() && self.waiting.is_none();
            let leave_at = self.leave_at.unwrap_or_else(Instant::now);
            tokio::select! {
                incoming = self.session.next() => {
                    if self.printer.print(incoming?, &self.session.client).await?.is_break() {
                        return Ok(ExitStatus::Success);
                    }
                }
                answer = answer_to(&mut self.pending), if self.pending.is_some() => {
                    self.receive_response(answer)?;
                }
                line = self.lines.recv(), if self.waiting.is_none() && self.leave_at.is_none() => {
                    self.read(line)?;
                }
                () = sleep_until(leave_at), if hurries && self.leave_at.is_some() => {
                    return Ok(self.leave());
                }
            }
        }
    }

    /// Stores the next line, or the end of the input.
    fn read(&mut self, line: Option<io::Result<String>>) -> anyhow::Result<()> {
        match line {
            Some(line) => self.waiting = Some(line.context("standard input cannot be read")?),
            None => self.leave_at = Some(Instant::now() + OFFER_ANSWER_MAX),
        }
        Ok(())
    }

    /// Whether all known records are printed and no request is pending.
    fn is_ready(&self) -> bool {
        self.pending.is_none() && self.printer.history.seq() >= self.print_until
    }

    /// Whether the input has ended and no offer is open.
    fn may_leave(&self) -> bool {
        let has_offer = || {
            let table = self.printer.history.table()?.0;
            offer_by(table, seat(table, self.me.as_ref())?)
        };
        self.leave_at.is_some() && self.waiting.is_none() && has_offer().is_none()
    }

    fn leave(&self) -> ExitStatus {
        let game = &self.printer.game;
        self.output.message(format_args!(
            "Game {game} is still live. `adamant join {game}` returns to it."
        ));
        ExitStatus::Success
    }

    /// Runs a line. Returns whether to leave.
    fn run_line(&mut self, line: String) -> anyhow::Result<bool> {
        let (table, _) = self.printer.history.table().context("the game is not loaded yet")?;
        match command(&line, table, seat(table, self.me.as_ref()), self.output.color) {
            Ok(LineCommand::Request(request)) => {
                let (client, game) = (self.session.client.clone(), self.printer.game.clone());
                let response =
                    async move { client.request(|id| wire_request(id, game, request)).await };
                self.pending = Some(PendingRequest { line, answer: response.boxed_local() });
            }
            Ok(LineCommand::Print(text)) => self.output.line(text)?,
            // A person who waits for the connection presses Enter.
            Ok(LineCommand::Nothing) => self.session.client.reconnect_now(),
            Ok(LineCommand::Leave) => return Ok(true),
            Err(error) => self.refused(&line, error)?,
        }
        Ok(false)
    }

    fn receive_response(&mut self, answer: Result<ToClient, RequestError>) -> anyhow::Result<()> {
        let Some(PendingRequest { line, .. }) = self.pending.take() else { return Ok(()) };
        match answer {
            Ok(ToClient::Ok(done)) => {
                self.print_until = self.print_until.max(done.seq.unwrap_or_default());
                Ok(())
            }
            Ok(_) => Ok(()),
            Err(error) => self.refused(&line, error.into()),
        }
    }

    /// Stops after a rejected line of a pipe: its later lines assume another state of the game.
    fn refused(&self, line: &str, error: anyhow::Error) -> anyhow::Result<()> {
        if !self.is_interactive {
            self.leave();
            return Err(error);
        }
        self.output.message(format_args!("{line}: {}", failure::text(&error)));
        Ok(())
    }
}

/// Waits for the answer to the pending request.
async fn answer_to(asked: &mut Option<PendingRequest>) -> Result<ToClient, RequestError> {
    match asked {
        Some(asked) => asked.answer.as_mut().await,
        None => std::future::pending().await,
    }
}

fn seat(table: &Table, me: Option<&UserName>) -> Option<Seat> {
    table.seat_of(me?.as_str())
}

/// Whether a line can run now: a move waits for its turn. A seat that has left the game has none,
/// and is rejected at once.
fn is_due(line: &str, table: &Table, seat: Option<Seat>) -> bool {
    let is_move =
        matches!(PromptCommand::read(line), PromptCommand::Move(_) | PromptCommand::Try(_));
    !is_move || seat.is_none_or(|seat| table.to_move() == Some(seat) || !table.seat_in(seat))
}

fn command(
    line: &str,
    table: &Table,
    seat: Option<Seat>,
    color: bool,
) -> anyhow::Result<LineCommand> {
    let seat = seat.ok_or_else(|| refused("you do not play in this game"))?;
    let answer = |accept| match offer_to(table, seat, |_| true) {
        Some(offer) => Ok(LineCommand::Request(Request::Answer { offer, accept })),
        None => Err(refused("there is no open offer to answer")),
    };
    Ok(match PromptCommand::read(line) {
        PromptCommand::Nothing => LineCommand::Nothing,
        PromptCommand::Move(notation) => {
            LineCommand::Request(Request::Move { turn: table.turn(), notation })
        }
        PromptCommand::Try(notation) => LineCommand::Print(preview(table, seat, &notation, color)?),
        PromptCommand::Resign => LineCommand::Request(Request::Resign),
        PromptCommand::Abort => LineCommand::Request(Request::Abort),
        // The same offer by another player is accepted.
        PromptCommand::Offer(what) => {
            LineCommand::Request(match offer_to(table, seat, |open| open.what == what) {
                Some(offer) => Request::Answer { offer, accept: true },
                None => Request::Offer(what),
            })
        }
        PromptCommand::Claim => LineCommand::Request(Request::Claim),
        PromptCommand::Accept => answer(true)?,
        PromptCommand::Decline => answer(false)?,
        PromptCommand::Withdraw => match offer_by(table, seat) {
            Some(offer) => LineCommand::Request(Request::Withdraw { offer }),
            None => return Err(refused("you have no open offer")),
        },
        PromptCommand::Say(text) => {
            reject_token(&text)?;
            LineCommand::Request(Request::Say { room: TalkRoom::Players, text })
        }
        PromptCommand::Talk => return Err(refused("`adamant talk GAME` shows the talk")),
        PromptCommand::Help => LineCommand::Print(help_page(Some(table.setup().kind), Role::Play)),
        PromptCommand::Quit => LineCommand::Leave,
    })
}

fn refused(why: &str) -> anyhow::Error {
    RefusedError(why.to_owned()).into()
}

/// Formats the preview of a move, with the board.
fn preview(table: &Table, seat: Seat, notation: &str, color: bool) -> anyhow::Result<String> {
    let (_, after) = table
        .preview(seat, table.turn(), notation, table.last_at())
        .map_err(|refusal| RefusedError(refusal.to_string()))?;
    let position = after.position();
    let notation = after.move_at(table.ply() + 1).unwrap_or_default();
    let captures = messages::captures(position, after.last_captures());
    let marks = drawing::marks(position, notation, after.last_captures());
    let drawing = drawing::text(&position.draw(&marks), color);
    Ok(format!("Tried: {notation}{captures}\n\n{drawing}"))
}

/// Prints the game's events line by line until it ends, with the board after each move.
pub(crate) async fn watch_lines(mut session: Session, game: GameId) -> CommandResult {
    let mut printer = LinePrinter::new(game, session.output);
    printer.follow(&session.client).await?;
    loop {
        let incoming = session.next().await?;
        if printer.print(incoming, &session.client).await?.is_break() {
            return session.end().await;
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
            _ => None,
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
    use crate::play::tests::fixture::{FakeServer, GAME, O, x};

    fn printer(json: bool) -> LinePrinter {
        let output = Output { json, ..Output::default() };
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
        let welcome = crate::play::tests::fixture::welcome(None, 9, None);
        let back = Incoming::Connected(Box::new(welcome));
        assert_eq!(printer.action_for(back).unwrap(), LineAction::Follow);
        assert!(printer.action_for(journal[3].clone()).is_err(), "a gap is an error");
    }
}
