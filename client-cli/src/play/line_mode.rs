//! Plays without a screen: each line of standard input is a move or a command of the prompt, and
//! events are printed line by line.

use std::{
    io::{self, BufRead as _, IsTerminal as _},
    ops::ControlFlow,
    time::Duration,
};

use adamant_client::RequestError;
use adamant_protocol::{GameId, ToClient, UserName, values::TalkRoom};
use adamant_rules::{Seat, Table};
use anyhow::Context as _;
use futures::{FutureExt as _, future::LocalBoxFuture};
use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until},
};

use super::{
    help,
    keys::{offer_by, offer_to},
    line_output::LinePrinter,
    message::{Request, Role},
    prompt::PromptCommand,
    screen::wire_request,
};
use crate::{
    credentials::reject_token,
    drawing,
    failure::{self, ExitStatus, RefusedError},
    messages,
    output::Output,
    session::Session,
};

/// How long to wait for the answer to an offer after the end of the input.
const OFFER_ANSWER_MAX: Duration = Duration::from_secs(2);

/// Plays a game by lines. A move waits for its turn; other commands run at once. The end of the
/// input leaves the game, which stays live.
pub(crate) async fn play_lines(
    session: Session,
    game: GameId,
    output: Output,
) -> anyhow::Result<ExitStatus> {
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

/// What to do for a line.
enum LineCommand {
    Nothing,
    Request(Request),
    Print(String),
    Leave,
}

impl LinePlayer {
    /// Plays, or watches if the user has no seat.
    async fn join(&mut self) -> anyhow::Result<ExitStatus> {
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

    async fn play(&mut self) -> anyhow::Result<ExitStatus> {
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
        PromptCommand::Help => LineCommand::Print(help::page(Some(table.setup().kind), Role::Play)),
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
