//! Boards: followed live, shown as they were, or as a move would make them.

use adamant_protocol::{GameId, from_client::Try};
use adamant_record::wire;
use adamant_rules::Table;
use anyhow::Context as _;
use serde_json::json;

use super::house::live_games;
use crate::{
    args::{FollowArgs, Global, MoveArgs, Place, ShowArgs, WatchArgs},
    board,
    exit::ExitStatus,
    failure::{RefusedError, UsageError},
    output::Output,
    play::{self, Role},
    session::{Session, Who},
    transcript::{Transcript, snapshot},
    words::{self, Names},
};

/// Goes to the board of a game that one plays in.
pub(super) async fn join(
    global: &Global,
    args: &FollowArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let session = Session::open_long(global, Who::OrGuest, output).await?;
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
        Session::open_named(global, Who::Known, output).await?
    } else {
        Session::open_long(global, Who::Anyone, output).await?
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
        Role::Play => play::typed(session, game, output).await,
        Role::Watch => play::lines(session, game, output).await,
    }
}

/// The game that is named, or the only one being played.
fn game_or_mine(session: &Session, args: &FollowArgs) -> Result<GameId, UsageError> {
    if let Some(game) = &args.game {
        return Ok(game.clone());
    }
    let mine = live_games(session);
    match mine.as_slice() {
        [only] => Ok(only.clone()),
        [] => Err(UsageError(
            "you are not playing; name a game (`adamant games` lists them) or start one with \
             `adamant play`"
                .to_owned(),
        )),
        several => {
            let ids: Vec<&str> = several.iter().map(GameId::as_str).collect();
            Err(UsageError(format!("you are playing {}; name one of them", ids.join(", "))))
        }
    }
}

/// Shows a board.
pub(super) async fn show(
    global: &Global,
    args: &ShowArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let mut session = Session::open(global, Who::Anyone, output).await?;
    let Place { game, ply } = &args.place;
    if let (true, None) = (output.json, ply) {
        output.reply(snapshot(&session, game).await?)?;
    } else {
        let transcript = Transcript::fetch(&mut session, game).await?;
        let Some(table) = transcript.table(*ply)? else {
            return Err(UsageError(format!("{game} has fewer moves")).into());
        };
        if output.json {
            output.line(board_json(game, &table))?;
        } else {
            show_table(&table, output)?;
        }
    }
    session.close().await;
    Ok(ExitStatus::Success)
}

fn board_json(game: &GameId, table: &Table) -> serde_json::Value {
    let ply = table.ply();
    let letter = |seat| table.position().letter(seat).to_string();
    json!({
        "game": game,
        "ply": ply,
        "turn": table.turn(),
        "move": table.move_at(ply),
        "position": wire::position(table.position()),
        "to_move": table.to_move().map(letter),
        "result": table.outcome().map(wire::result),
    })
}

fn show_table(table: &Table, output: Output) -> anyhow::Result<()> {
    let position = table.position();
    let names = Names::new(table.players(), position);
    let last = table.move_at(table.ply()).unwrap_or_default();
    let marks = board::marks(position, last, table.last_captures());
    let drawing = position.draw(&marks);
    output.line(board::text(&drawing, output.color).trim_end_matches('\n'))?;
    match (table.outcome(), table.to_move()) {
        (Some(outcome), _) => output.line(names.outcome(outcome))?,
        (None, Some(seat)) => {
            output.line(format_args!("{} to move, turn {}.", names.of(seat), table.turn()))?;
        }
        (None, None) => {}
    }
    Ok(())
}

/// Asks the server whether a move would be legal and shows the board that would follow.
pub(super) async fn try_move(
    global: &Global,
    args: &MoveArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let mut session = Session::open(global, Who::Known, output).await?;
    let (Place { game, ply }, notation) = (&args.place, args.notation());
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
        .context("this program's rules are not the server's")?;
    let captures = words::captures(table.position(), after.last_captures());
    output.line(format_args!("{}{captures}", done.notation.as_deref().unwrap_or(&notation)))?;
    show_table(&after, output)?;
    Ok(ExitStatus::Success)
}
