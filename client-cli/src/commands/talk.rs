//! The talk of a game: sends, lists and deletes lines.

use adamant_protocol::{
    GameId, ToClient, UserName,
    from_client::{Say, Talk, Unsay},
    values::TalkRoom,
};
use clap::{Args, ValueEnum};

use crate::{
    args::{Global, spelling::read_dashed_word},
    credentials::reject_token,
    failure::{ExitStatus, unexpected_reply},
    messages,
    output::Output,
    session::{ActAs, Session},
    transcript::snapshot,
};

/// A talk room of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TalkRoomArg {
    /// The players.
    Players,
    /// The spectators; after the game the players too.
    Spectators,
}

impl From<TalkRoomArg> for TalkRoom {
    fn from(word: TalkRoomArg) -> Self {
        match word {
            TalkRoomArg::Players => Self::Players,
            TalkRoomArg::Spectators => Self::Spectators,
        }
    }
}

/// A game and one of its talk rooms.
#[derive(Debug, Args)]
pub(crate) struct TalkTarget {
    /// The game's id
    pub(crate) game: GameId,
    /// The talk room; by default the players' room if you play, else the spectators' room
    #[arg(long)]
    pub(crate) room: Option<TalkRoomArg>,
}

/// Arguments of `say`.
#[derive(Debug, Args)]
pub(crate) struct SayArgs {
    /// The talk room.
    #[command(flatten)]
    pub(crate) target: TalkTarget,
    /// The text; quotes are not needed. Put -- before a text with a word that begins with --
    #[arg(required = true, value_name = "TEXT", value_parser = read_dashed_word)]
    pub(crate) words: Vec<String>,
}

/// Arguments of `unsay`.
#[derive(Debug, Args)]
pub(crate) struct UnsayArgs {
    /// The talk room.
    #[command(flatten)]
    pub(crate) target: TalkTarget,
    /// The number of the line
    #[arg(value_name = "N")]
    pub(crate) number: u64,
}

/// Arguments of `talk`.
#[derive(Debug, Args)]
pub(crate) struct TalkArgs {
    /// The talk room.
    #[command(flatten)]
    pub(crate) target: TalkTarget,
    /// At most N lines
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u32>,
    /// Only lines before line N
    #[arg(long, value_name = "N")]
    pub(crate) before: Option<u64>,
}

/// Sends a line of talk.
pub(super) async fn say(
    global: &Global,
    args: &SayArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let text = args.words.join(" ");
    reject_token(&text)?;
    let session = Session::open(global, ActAs::User, output).await?;
    let room = room(&session, &args.target).await?;
    let (game, text) = (args.target.game.clone(), text.into());
    let done = session.client.done(|id| Say { id, game, room, text }).await?;
    let number = done.n.unwrap_or_default();
    output.done(done, format_args!("Sent to the {} as line {number}.", room.as_str()))?;
    session.close().await;
    Ok(ExitStatus::Success)
}

pub(super) async fn unsay(
    global: &Global,
    args: &UnsayArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let session = Session::open(global, ActAs::User, output).await?;
    let room = room(&session, &args.target).await?;
    let (game, n) = (args.target.game.clone(), args.number);
    let done = session.client.done(|id| Unsay { id, game, room, n }).await?;
    output.done(done, format_args!("Line {n} is deleted."))?;
    session.close().await;
    Ok(ExitStatus::Success)
}

/// Prints the talk of a room.
pub(super) async fn talk(
    global: &Global,
    args: &TalkArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let session = Session::open(global, ActAs::UserOrAnonymous, output).await?;
    let room = room(&session, &args.target).await?;
    let (game, before, limit) = (args.target.game.clone(), args.before, args.limit);
    let reply = session.client.request(|id| Talk { id, game, room, before, limit }).await?;
    let ToClient::Talk(list) = reply else { return Err(unexpected_reply(&reply).into()) };
    for line in &list.lines {
        if output.json {
            output.entry(line)?;
        } else {
            output.line(format_args!("{}. {}", line.n, messages::said(&line.by, &line.text)))?;
        }
    }
    match list.lines.first() {
        None => output.message(format_args!("The {} have written nothing.", room.as_str())),
        Some(first) if list.more => {
            output.message(format_args!("There are more: --before {}", first.n));
        }
        Some(_) => {}
    }
    session.close().await;
    Ok(ExitStatus::Success)
}

/// Returns the room given, or else the players' room for a player and the spectators' for others.
async fn room(session: &Session, target: &TalkTarget) -> anyhow::Result<TalkRoom> {
    if let Some(room) = target.room {
        return Ok(room.into());
    }
    let snapshot = snapshot(session, &target.game).await?;
    let is_me = |user: &UserName| session.me().is_some_and(|me| me.is_same(user.as_str()));
    let plays = snapshot.seats.iter().any(|seat| is_me(&seat.user));
    Ok(if plays { TalkRoom::Players } else { TalkRoom::Spectators })
}
