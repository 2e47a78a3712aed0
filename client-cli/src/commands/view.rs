//! Boards: live, after an earlier move, or after a move that is tried.

use adamant_protocol::{GameId, from_client::Try};
use adamant_record::wire;
use adamant_rules::{Seat, SeatSet, Table};
use anyhow::Context as _;
use serde_json::json;

use crate::{
    args::{FollowArgs, GamePly, Global, MoveArgs, ShowArgs, WatchArgs},
    drawing,
    exit::ExitStatus,
    failure::{RefusedError, UsageError},
    messages::{self, Names},
    output::Output,
    play::{self, Role},
    session::{ActAs, Session},
    transcript::Transcript,
};

/// Opens the board of a game that the user plays in.
pub(super) async fn join(
    global: &Global,
    args: &FollowArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let session = Session::open_persistent(global, ActAs::UserOrGuest, output).await?;
    let game = game_or_mine(&session, args)?;
    follow(session, game, Role::Play, output).await
}

/// Watches a game.
pub(super) async fn watch(
    global: &Global,
    args: &WatchArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let session = if args.named {
        Session::open_named(global, ActAs::User, output).await?
    } else {
        Session::open_persistent(global, ActAs::UserOrAnonymous, output).await?
    };
    let game = game_or_mine(&session, &args.follow)?;
    follow(session, game, Role::Watch, output).await
}

async fn follow(
    session: Session,
    game: GameId,
    role: Role,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    match role {
        _ if output.interactive => play::run(session, game, role, output).await,
        Role::Play => play::play_lines(session, game, output).await,
        Role::Watch => play::watch_lines(session, game, output).await,
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

/// Shows a board.
pub(super) async fn show(
    global: &Global,
    args: &ShowArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let mut session = Session::open(global, ActAs::UserOrAnonymous, output).await?;
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
    session.close().await;
    Ok(ExitStatus::Success)
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
        .map(|seat| match left_ms(table, seat, at_ms) {
            Some(left_ms) => format!("{} {}", names.of(seat), messages::left(setup.clock, left_ms)),
            None => names.of(seat).to_owned(),
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
pub(super) async fn try_move(
    global: &Global,
    args: &MoveArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let mut session = Session::open(global, ActAs::User, output).await?;
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
