//! One game: its board, live, after an earlier move or after a move that is tried; and single
//! actions in it.

use std::{
    process::{Command, Stdio},
    str::FromStr,
    time::Duration,
};

use adamant_client::{Incoming, RequestError};
use adamant_protocol::{
    EventBody, GameId, OfferId,
    event::{OfferKind, OfferOutcome},
    from_client::{Abort, Answer, Claim, ClaimKind, Move, Offer, Resign, Try, Watch, Withdraw},
    to_client::{Done, Failed, Snapshot},
};
use adamant_record::wire;
use adamant_rules::{Seat, SeatSet, Table};
use anyhow::Context as _;
use clap::{Args, ValueEnum};
use serde_json::json;
use tokio::time::timeout;

use super::records::{Transcript, snapshot};
use crate::{
    drawing,
    failure::{CommandResult, ExitStatus, HintedError, RefusedError, UsageError},
    messages::{self, Names, without_spaces},
    output::Output,
    play::{self, Role},
    session::{ActAs, Session, address},
    settings::Global,
    spelling::read_dashed_word,
};

#[derive(Debug, Args)]
pub(crate) struct FollowArgs {
    /// The game's id
    pub(crate) game: Option<GameId>,
}

#[derive(Debug, Args)]
pub(crate) struct WatchArgs {
    #[command(flatten)]
    pub(crate) follow: FollowArgs,
    /// Show your name to the others at the game
    #[arg(long)]
    pub(crate) named: bool,
}

#[derive(Debug, Args)]
pub(crate) struct MoveArgs {
    /// The game's id; with #N only if this is move N of the game
    #[arg(value_name = "GAME[#N]")]
    pub(crate) game_ply: GamePly,
    /// The move in the game's notation; spaces between its parts do not matter
    #[arg(value_name = "MOVE", required = true, value_parser = read_dashed_word)]
    words: Vec<String>,
    /// Only if turn N is still to be played
    #[arg(long, value_name = "N")]
    pub(crate) turn: Option<u32>,
}

impl MoveArgs {
    /// Returns the move without spaces.
    pub(crate) fn notation(&self) -> String {
        without_spaces(&self.words.concat())
    }
}

/// A game, and a ply in it: `k7q2mx#12`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GamePly {
    pub(crate) game: GameId,
    /// Number of plies from the start; `None` means the current board.
    pub(crate) ply: Option<u32>,
}

impl FromStr for GamePly {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (game, ply) = match text.split_once('#') {
            Some((game, ply)) => {
                let ply = ply.parse().map_err(|_| "the number of a move must follow #")?;
                (game, Some(ply))
            }
            None => (text, None),
        };
        let game = game.parse().map_err(|error| format!("{error}"))?;
        Ok(Self { game, ply })
    }
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The game's id; with #N as it stood after N moves
    #[arg(value_name = "GAME[#N]")]
    pub(crate) game_ply: GamePly,
}

/// Opens the board of a game that the user plays in.
pub(super) async fn join(global: &Global, args: &FollowArgs) -> CommandResult {
    let session = Session::open_persistent(global, ActAs::UserOrGuest).await?;
    let game = game_or_mine(&session, args)?;
    follow(session, game, Role::Play).await
}

#[derive(Debug, Args)]
pub(crate) struct OpenArgs {
    /// The game's id; without it, the front page
    pub(crate) game: Option<GameId>,
    /// Print the address instead of opening it
    #[arg(long)]
    pub(crate) print: bool,
}

/// The programs that open an address in the user's browser, by operating system.
const OPENERS: [(&str, &str); 3] =
    [("macos", "open"), ("windows", "explorer"), ("linux", "xdg-open")];

/// Opens the page of a game in the browser.
pub(super) fn open(global: &Global, args: &OpenArgs) -> CommandResult {
    let path = args.game.as_ref().map_or_else(|| "/".to_owned(), |game| format!("/game/{game}"));
    let url = address(global)?.page_url(&path);
    let output = global.output;
    let opener = OPENERS.iter().find(|(system, _)| *system == std::env::consts::OS);
    let opener = opener.filter(|_| !args.print && !output.json);
    let is_open = opener.is_some_and(|(_, program)| {
        let mut started = Command::new(program);
        // What the browser says is not for this terminal.
        started.arg(&url).stdout(Stdio::null()).stderr(Stdio::null());
        started.status().is_ok_and(|status| status.success())
    });
    if output.json {
        output.line(json!({"url": url}))?;
    } else if is_open {
        output.message(format_args!("{url} is open in the browser."));
    } else {
        output.line(url)?;
    }
    Ok(ExitStatus::Success)
}

pub(super) async fn watch(global: &Global, args: &WatchArgs) -> CommandResult {
    let session = if args.named {
        Session::open_named(global, ActAs::User).await?
    } else {
        Session::open_persistent(global, ActAs::UserOrAnonymous).await?
    };
    let game = game_or_mine(&session, &args.follow)?;
    follow(session, game, Role::Watch).await
}

/// Shows a game: full screen on a terminal, line by line in pipes.
pub(super) async fn follow(session: Session, game: GameId, role: Role) -> CommandResult {
    match role {
        _ if session.output.full_screen => play::run(session, game, role).await,
        Role::Play => play::play_lines(session, game).await,
        Role::Watch => play::watch_lines(session, game).await,
    }
}

/// Returns the game given, or else the user's only live game.
fn game_or_mine(session: &Session, args: &FollowArgs) -> Result<GameId, UsageError> {
    if let Some(game) = &args.game {
        return Ok(game.clone());
    }
    let mine = session.live_games();
    match mine.as_slice() {
        [only] => Ok(only.clone()),
        [] => Err(UsageError(
            "you have no live game; name a game (`adamant games` lists them) or start one with \
             `adamant play`"
                .to_owned(),
        )),
        several => {
            let ids: Vec<&str> = several.iter().map(GameId::as_str).collect();
            Err(UsageError(format!(
                "you have several live games: {}; name one of them",
                ids.join(", ")
            )))
        }
    }
}

pub(super) async fn show(global: &Global, args: &ShowArgs) -> CommandResult {
    let output = global.output;
    let mut session = Session::open(global, ActAs::UserOrAnonymous).await?;
    let GamePly { game, ply } = &args.game_ply;
    let transcript = Transcript::fetch(&mut session, game).await?;
    let Some(table) = transcript.table(*ply)? else {
        let last = transcript.table(None)?.map_or(0, |table| table.ply());
        return Err(UsageError(format!("{game} has {last} moves")).into());
    };
    // At an earlier board the clocks stand as they were after that move.
    let at_ms = if ply.is_none() { session.welcome.ts } else { table.last_at() };
    if output.json {
        output.line(board_json(game, &table, at_ms))?;
    } else {
        output.line(introduction(game, &table, at_ms))?;
        show_table(&table, output)?;
    }
    session.end().await
}

fn board_json(game: &GameId, table: &Table, at_ms: u64) -> serde_json::Value {
    let (ply, setup, position) = (table.ply(), table.setup(), table.position());
    let letter = |seat| position.letter(seat).to_string();
    let left_ms: Option<Vec<u64>> = SeatSet::all(table.players().len())
        .iter()
        .map(|seat| left_ms(table, seat, at_ms))
        .collect();
    json!({
        "game": game,
        "rules": wire::rules(setup.kind),
        "options": wire::options(&setup.options),
        "seats": wire::seats(table.players(), position),
        "clock": wire::Mirror::to_wire(setup.clock),
        "left_ms": left_ms,
        "rated": setup.rated,
        "ply": ply,
        "turn": table.turn(),
        "move": table.move_at(ply),
        "position": wire::position(position),
        "to_move": table.to_move().map(letter),
        "result": table.outcome().map(wire::result),
    })
}

fn left_ms(table: &Table, seat: Seat, at_ms: u64) -> Option<u64> {
    table.clock().left_at(seat, at_ms.max(table.last_at()))
}

/// Formats the game, its players and their clocks.
fn introduction(game: &GameId, table: &Table, at_ms: u64) -> String {
    let setup = table.setup();
    let names = Names::new(table.players(), table.position());
    let players: Vec<String> = SeatSet::all(table.players().len())
        .iter()
        .map(|seat| {
            let left = left_ms(table, seat, at_ms)
                .map(|left_ms| format!(" {}", messages::left(setup.clock, left_ms)));
            let instead = table
                .substituted()
                .filter(|&(taken, _)| taken == seat)
                .map(|(_, left)| format!(" instead of {}", left.user));
            [Some(names.of(seat).to_owned()), left, instead].into_iter().flatten().collect()
        })
        .collect();
    let rated = if setup.rated { "rated" } else { "casual" };
    format!(
        "{}  {game}  {}  {rated}\n{}\n",
        messages::game(setup),
        messages::control(setup.clock),
        players.join("   ")
    )
}

fn show_table(table: &Table, output: Output) -> anyhow::Result<()> {
    let position = table.position();
    let names = Names::new(table.players(), position);
    let last = table.move_at(table.ply()).unwrap_or_default();
    let marks = drawing::marks(position, last, table.last_captures());
    let drawing = position.draw(&marks);
    output.line(drawing::text(&drawing, output.color).trim_end_matches('\n'))?;
    match (table.outcome(), table.to_move()) {
        (Some(outcome), _) => output.line(names.outcome(outcome))?,
        (None, Some(seat)) => {
            output.line(format_args!("{} to move, turn {}.", names.of(seat), table.turn()))?;
        }
        (None, None) => {}
    }
    Ok(())
}

/// Asks the server whether a move is legal, and prints the board after it.
pub(super) async fn try_move(global: &Global, args: &MoveArgs) -> CommandResult {
    let output = global.output;
    let mut session = Session::open(global, ActAs::User).await?;
    let (GamePly { game, ply }, notation) = (&args.game_ply, args.notation());
    let transcript = Transcript::fetch(&mut session, game).await?;
    let table = transcript.table(None)?.context("the game has not begun")?;
    if let Some(number) = ply.filter(|&number| number != table.ply() + 1) {
        let next = table.ply() + 1;
        let why = format!("the next move of {game} is number {next}, not {number}");
        return Err(RefusedError(why).into());
    }
    let turn = args.turn.unwrap_or(table.turn());
    let attempt = |id| Try { id, game: game.clone(), turn, notation: notation.as_str().into() };
    let done = session.client.done(attempt).await?;
    session.close().await;
    if output.json {
        output.reply(done)?;
        return Ok(ExitStatus::Success);
    }
    let seat = table.to_move().context("the game is over")?;
    let (_, after) = table
        .preview(seat, turn, &notation, table.last_at())
        .context("this program's rules differ from the server's")?;
    let captures = messages::captures(table.position(), after.last_captures());
    output.line(format_args!("{}{captures}", done.notation.as_deref().unwrap_or(&notation)))?;
    show_table(&after, output)?;
    Ok(ExitStatus::Success)
}

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

#[derive(Debug, Args)]
pub(crate) struct OfferArgs {
    /// The game's id
    pub(crate) game: GameId,
    /// What to do
    #[arg(default_value = "offer")]
    pub(crate) word: OfferAction,
}

#[derive(Debug, Args)]
pub(crate) struct ClaimArgs {
    /// The game's id
    pub(crate) game: GameId,
    /// The seat of the player who is away, counted from 1; by default the seat to move
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..))]
    pub(crate) seat: Option<u8>,
}

pub(super) async fn make_move(global: &Global, args: &MoveArgs) -> CommandResult {
    let session = Session::open(global, ActAs::User).await?;
    let GamePly { game, ply } = &args.game_ply;
    let turn = match (args.turn, ply) {
        (Some(turn), None) => turn,
        (turn, _) => turn_of(&*snapshot(&session, game).await?, turn, *ply)?,
    };
    let (game, written) = (game.clone(), args.notation());
    let notation = written.as_str().into();
    let done = session.client.done(|id| Move { id, game, turn, notation }).await?;
    let turn = done.turn.map(|turn| format!(", turn {turn}")).unwrap_or_default();
    global.output.done(done, format_args!("Played {written} in {}{turn}.", args.game_ply.game))?;
    session.end().await
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

pub(super) async fn resign(global: &Global, args: &ActArgs) -> CommandResult {
    let session = Session::open(global, ActAs::User).await?;
    let done = session.client.done(|id| Resign { id, game: args.game.clone() }).await?;
    global.output.done(done, format_args!("You have resigned {}.", args.game))?;
    session.end().await
}

pub(super) async fn abort(global: &Global, args: &ActArgs) -> CommandResult {
    let session = Session::open(global, ActAs::User).await?;
    let aborted = session.client.done(|id| Abort { id, game: args.game.clone() }).await;
    let done = aborted.map_err(|error| abort_hint(error, &args.game))?;
    global.output.done(done, format_args!("Game {} is aborted; it has no result.", args.game))?;
    session.end().await
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
pub(super) async fn offer(global: &Global, args: &OfferArgs, what: OfferKind) -> CommandResult {
    let output = global.output;
    let mut session = Session::open(global, ActAs::User).await?;
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
    session.end().await
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
        OfferKind::Substitute | OfferKind::Unknown(_) => {
            return RequestError::Refused(failed).into();
        }
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
pub(super) async fn claim(global: &Global, args: &ClaimArgs) -> CommandResult {
    let output = global.output;
    let session = Session::open(global, ActAs::User).await?;
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
    session.end().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ply_follows_the_game_after_a_hash_sign() {
        let place: GamePly = "k7q2mx#12".parse().unwrap();
        assert_eq!((place.game.as_str(), place.ply), ("k7q2mx", Some(12)));
        assert_eq!("k7q2mx".parse::<GamePly>().unwrap().ply, None);
        for bad in ["k7q2mx#", "k7q2mx#-1", "#3", ""] {
            assert!(bad.parse::<GamePly>().is_err(), "{bad}");
        }
    }
}
