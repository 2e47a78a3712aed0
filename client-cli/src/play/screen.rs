//! The event loop around the view: keys, the server's messages and timers go in, and effects are
//! carried out.

use std::{io, panic, time::Duration};

use adamant_client::Client;
use adamant_protocol::{
    GameId, OfferId, ToClient,
    from_client::{self, ClaimKind},
    ids::RequestId,
    sketch::Sketch,
    values::TalkRoom,
};
use adamant_record::wire;
use crossterm::{
    event::{
        DisableMouseCapture, EnableMouseCapture, Event as Input, EventStream, KeyCode, KeyEvent,
        KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
    },
    execute,
    terminal::{EnterAlternateScreen, enable_raw_mode},
};
use futures::{FutureExt as _, StreamExt as _, future::LocalBoxFuture, stream::FuturesUnordered};
use ratatui::{
    DefaultTerminal,
    layout::{Position, Rect},
};
use tokio::time::{Instant, sleep, sleep_until};

use super::{
    render::{cell_at, render},
    view::{Effect, FollowError, Message, Request, Role, View},
};
use crate::{
    failure::{CommandResult, ExitStatus, unexpected_reply},
    session::Session,
};

/// Redraw interval while a clock runs: clocks show tenths of a second at the end.
const TICK: Duration = Duration::from_millis(100);

/// The terminal in full-screen mode. Dropping it, even by a panic, restores the terminal.
struct Screen(DefaultTerminal);

impl Screen {
    /// Enters full-screen mode, for a player with mouse capture. A spectator keeps the mouse to
    /// select and copy text.
    fn open(role: Role) -> io::Result<Self> {
        // Also installs a hook that restores the terminal before a panic message.
        let screen = ratatui::try_init().map(Self).inspect_err(|_| {
            // Undoes a partial start. The first error is the one to report.
            ratatui::try_restore().ok();
        })?;
        if role == Role::Play {
            release_mouse_on_panic();
            execute!(io::stdout(), EnableMouseCapture)?;
        }
        Ok(screen)
    }

    /// Gives the terminal back to the shell until the user brings the program to the front again.
    /// The connection may be lost meanwhile, and comes back by itself.
    #[cfg(unix)]
    fn suspend(&mut self, role: Role) -> io::Result<()> {
        release_mouse();
        ratatui::try_restore()?;
        nix::sys::signal::raise(nix::sys::signal::Signal::SIGTSTP)?;
        enable_raw_mode()?;
        execute!(io::stdout(), EnterAlternateScreen)?;
        if role == Role::Play {
            execute!(io::stdout(), EnableMouseCapture)?;
        }
        self.0.clear()
    }

    /// Other systems cannot stop a program and go on.
    #[cfg(not(unix))]
    fn suspend(&mut self, _: Role) -> io::Result<()> {
        Ok(())
    }
}

/// Ctrl-Z, which the terminal does not turn into a signal here.
fn is_suspend(key: KeyEvent) -> bool {
    key.code == KeyCode::Char('z') && key.modifiers.contains(KeyModifiers::CONTROL)
}

impl Drop for Screen {
    fn drop(&mut self) {
        release_mouse();
        ratatui::restore();
    }
}

/// Ends mouse capture. A failure cannot be handled here.
fn release_mouse() {
    execute!(io::stdout(), DisableMouseCapture).ok();
}

fn release_mouse_on_panic() {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        release_mouse();
        before(info);
    }));
}

/// Minimum interval between requests for hints, so that a key held down does not use up the rate
/// limit.
const HINT_PACE: Duration = Duration::from_millis(150);

/// Pending requests; each resolves to the message with its answer.
type PendingRequests = FuturesUnordered<LocalBoxFuture<'static, Message>>;

/// Shows the game full screen until the user leaves.
pub(crate) async fn run(session: Session, game: GameId, role: Role) -> CommandResult {
    let output = session.output;
    let (mut view, effects) = View::open(game, role, &session.welcome);
    let client = session.client.clone();
    let left = {
        let mut screen = Screen::open(role)?;
        show(&mut view, effects, session, (&mut screen, role)).await
    };
    client.close().await;
    left?;
    let ended = view.history.table().and_then(|(table, names)| Some((table.outcome()?, names)));
    let game = &view.game;
    match ended {
        Some((outcome, names)) => output.message(names.outcome(outcome)),
        None if view.my_seat().is_some() => {
            output.message(format_args!(
                "Game {game} is still live. `adamant join {game}` returns to it."
            ));
        }
        None => {}
    }
    Ok(ExitStatus::Success)
}

/// Runs the view until it is left.
async fn show(
    view: &mut View,
    mut effects: Vec<Effect>,
    session: Session,
    (screen, role): (&mut Screen, Role),
) -> anyhow::Result<()> {
    let Session { client, mut inbox, output, .. } = session;
    let opened = Instant::now();
    let mut keys = EventStream::new();
    let mut pending = PendingRequests::new();
    let mut hint_at = opened;
    let mut listening = true;
    let mut terminated = std::pin::pin!(terminated());
    loop {
        for effect in effects.drain(..) {
            match effect {
                Effect::Send(request) => {
                    pending.push(send_request(client.clone(), view.game.clone(), request));
                }
                Effect::FetchHints(sketch) => {
                    hint_at = hint_at.max(Instant::now());
                    pending.push(fetch_hints(client.clone(), view.game.clone(), sketch, hint_at));
                    hint_at += HINT_PACE;
                }
                Effect::FetchTalk(room) => {
                    pending.push(fetch_talk(client.clone(), view.game.clone(), room));
                }
                Effect::Reconnect => client.reconnect_now(),
                Effect::Leave => return Ok(()),
                // `main` prints the server's error and sets the exit status.
                Effect::Fail(FollowError::Request(error)) => return Err(error.into()),
                Effect::Fail(failure) => return Err(failure.into()),
            }
        }
        let area = screen.0.draw(|frame| render(view, output.color, frame))?.area;
        let message = tokio::select! {
            input = keys.next() => match input {
                Some(Ok(Input::Key(key))) if is_suspend(key) => {
                    screen.suspend(role)?;
                    Message::Resized
                }
                Some(Ok(Input::Key(key))) => Message::Key(key),
                Some(Ok(Input::Mouse(mouse))) => mouse_message(view, mouse, area),
                Some(Ok(_)) => Message::Resized,
                Some(Err(error)) => return Err(error.into()),
                // The input is closed.
                None => return Ok(()),
            },
            incoming = inbox.next(), if listening => incoming.map_or(Message::ConnectionClosed, Message::Incoming),
            Some(answered) = pending.next() => answered,
            () = sleep(TICK), if view.is_ticking() => Message::Tick,
            () = &mut terminated => return Ok(()),
        };
        listening &= !matches!(message, Message::ConnectionClosed);
        effects = view.update(message, opened.elapsed());
    }
}

/// Converts a mouse event to a message: a click on a cell, or a tick.
fn mouse_message(view: &View, mouse: MouseEvent, area: Rect) -> Message {
    let is_click = mouse.kind == MouseEventKind::Down(MouseButton::Left);
    let place = Position::new(mouse.column, mouse.row);
    let cell = is_click.then(|| cell_at(view, area, place)).flatten();
    cell.map_or(Message::Tick, Message::Click)
}

/// Sends a request about a game; resolves to its answer.
fn send_request(
    client: Client,
    game: GameId,
    request: Request,
) -> LocalBoxFuture<'static, Message> {
    async move {
        let sent = request.clone();
        let make = |id: RequestId| wire_request(id, game, request);
        let answer = client.request(make).await.map(|_| ());
        Message::Response(sent, answer)
    }
    .boxed_local()
}

/// Requests the hints for a sketch at the given time.
fn fetch_hints(
    client: Client,
    game: GameId,
    sketch: Sketch,
    at: Instant,
) -> LocalBoxFuture<'static, Message> {
    async move {
        sleep_until(at).await;
        let asked = sketch.clone();
        let make =
            |id| from_client::Hints { id, game, from: None, sketch: Some(sketch), board: false };
        let answer = client.request(make).await.and_then(|reply| {
            if let ToClient::Hints(list) = reply {
                Ok(Box::new(list))
            } else {
                Err(unexpected_reply(&reply))
            }
        });
        Message::Hints(asked, answer)
    }
    .boxed_local()
}

fn fetch_talk(client: Client, game: GameId, room: TalkRoom) -> LocalBoxFuture<'static, Message> {
    async move {
        let make = |id| from_client::Talk { id, game, room, before: None, limit: None };
        let answer = client.request(make).await.and_then(|reply| {
            if let ToClient::Talk(list) = reply {
                Ok(Box::new(list))
            } else {
                Err(unexpected_reply(&reply))
            }
        });
        Message::Talk(answer)
    }
    .boxed_local()
}

/// Converts a request to a message of the protocol.
pub(super) fn wire_request(
    id: RequestId,
    game: GameId,
    request: Request,
) -> adamant_protocol::FromClient {
    match request {
        Request::Follow { from } => {
            from_client::Watch { id, game, from: Some(from), named: None }.into()
        }
        Request::Move { turn, notation } => {
            from_client::Move { id, game, turn, notation: notation.into() }.into()
        }
        Request::Resign => from_client::Resign { id, game }.into(),
        Request::Abort => from_client::Abort { id, game }.into(),
        Request::Offer(what) => {
            from_client::Offer { id, game, what: wire::Mirror::to_wire(what) }.into()
        }
        Request::Answer { offer, accept } => {
            from_client::Answer { id, game, offer: OfferId(offer.0), accept }.into()
        }
        Request::Withdraw { offer } => {
            from_client::Withdraw { id, game, offer: OfferId(offer.0) }.into()
        }
        Request::Say { room, text } => {
            from_client::Say { id, game, room, text: text.into() }.into()
        }
        Request::Claim => {
            from_client::Claim { id, game, what: ClaimKind::Abandoned, seat: None }.into()
        }
        Request::Rematch => from_client::Rematch { id, game }.into(),
    }
}

/// Resolves on SIGTERM or SIGHUP, so that the terminal is restored first.
#[cfg(unix)]
#[expect(
    clippy::disallowed_methods,
    reason = "the server's shutdown module does not apply to a client"
)]
async fn terminated() {
    use tokio::signal::unix::{SignalKind, signal};

    let (Ok(mut end), Ok(mut hangup)) =
        (signal(SignalKind::terminate()), signal(SignalKind::hangup()))
    else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = end.recv() => {}
        _ = hangup.recv() => {}
    }
}

/// Other systems have no such signals.
#[cfg(not(unix))]
async fn terminated() {
    std::future::pending().await
}
