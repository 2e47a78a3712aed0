//! The talk of a game; whom the user mutes and blocks, and the user's settings.

use adamant_protocol::{
    FromClient, GameId, RequestId, UserName,
    from_client::{
        Block, Blocks, Mute, Mutes, Say, SettingsGet, SettingsSet, Talk, Unblock, Unmute, Unsay,
    },
    values::{Challengers, TalkRoom, UserSettings},
};
use clap::{Args, ValueEnum};
use serde_json::json;

use super::records::snapshot;
use crate::{
    credentials::reject_token,
    failure::CommandResult,
    messages,
    output::Output,
    session::{ActAs, Session, ask},
    settings::Global,
    spelling::read_dashed_word,
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

#[derive(Debug, Args)]
pub(crate) struct SayArgs {
    #[command(flatten)]
    pub(crate) target: TalkTarget,
    /// The text; quotes are not needed. Put -- before a text with a word that begins with --
    #[arg(required = true, value_name = "TEXT", value_parser = read_dashed_word)]
    pub(crate) words: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct UnsayArgs {
    #[command(flatten)]
    pub(crate) target: TalkTarget,
    /// The number of the line
    #[arg(value_name = "N")]
    pub(crate) number: u64,
}

#[derive(Debug, Args)]
pub(crate) struct TalkArgs {
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
pub(super) async fn say(global: &Global, args: &SayArgs) -> CommandResult {
    let text = args.words.join(" ");
    reject_token(&text)?;
    let session = Session::open(global, ActAs::User).await?;
    let room = room(&session, &args.target).await?;
    let (game, text) = (args.target.game.clone(), text.into());
    let done = session.client.done(|id| Say { id, game, room, text }).await?;
    let number = done.n.unwrap_or_default();
    global.output.done(done, format_args!("Sent to the {} as line {number}.", room.as_str()))?;
    session.end().await
}

pub(super) async fn unsay(global: &Global, args: &UnsayArgs) -> CommandResult {
    let session = Session::open(global, ActAs::User).await?;
    let room = room(&session, &args.target).await?;
    let (game, n) = (args.target.game.clone(), args.number);
    let done = session.client.done(|id| Unsay { id, game, room, n }).await?;
    global.output.done(done, format_args!("Line {n} is deleted."))?;
    session.end().await
}

/// Prints the talk of a room.
pub(super) async fn talk(global: &Global, args: &TalkArgs) -> CommandResult {
    let output = global.output;
    let session = Session::open(global, ActAs::UserOrAnonymous).await?;
    let room = room(&session, &args.target).await?;
    let (game, before, limit) = (args.target.game.clone(), args.before, args.limit);
    let list = ask!(session, Talk, |id| Talk { id, game, room, before, limit });
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
    session.end().await
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

#[derive(Debug, Args)]
pub(crate) struct MuteArgs {
    /// The user
    pub(crate) name: UserName,
}

#[derive(Debug, Args)]
pub(crate) struct SettingsArgs {
    /// Who may challenge you
    #[arg(long, value_name = "WHO")]
    pub(crate) challenges: Option<ChallengersArg>,
}

/// Who may challenge the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ChallengersArg {
    /// Every user.
    All,
    /// Users with an account, and their bots.
    Accounts,
    /// No user.
    None,
}

impl From<ChallengersArg> for Challengers {
    fn from(word: ChallengersArg) -> Self {
        match word {
            ChallengersArg::All => Self::All,
            ChallengersArg::Accounts => Self::Accounts,
            ChallengersArg::None => Self::None,
        }
    }
}

pub(super) async fn mute(global: &Global, args: &MuteArgs) -> CommandResult {
    change(global, args, |id, user| Mute { id, user }, "is muted").await
}

pub(super) async fn unmute(global: &Global, args: &MuteArgs) -> CommandResult {
    change(global, args, |id, user| Unmute { id, user }, "is no longer muted").await
}

pub(super) async fn mutes(global: &Global) -> CommandResult {
    let session = Session::open(global, ActAs::User).await?;
    let list = ask!(session, Mutes, |id| Mutes { id });
    print_users(&list.users, global.output, "You have muted no users.")?;
    session.end().await
}

pub(super) async fn block(global: &Global, args: &MuteArgs) -> CommandResult {
    change(global, args, |id, user| Block { id, user }, "is blocked").await
}

pub(super) async fn unblock(global: &Global, args: &MuteArgs) -> CommandResult {
    change(global, args, |id, user| Unblock { id, user }, "is no longer blocked").await
}

pub(super) async fn blocks(global: &Global) -> CommandResult {
    let session = Session::open(global, ActAs::User).await?;
    let list = ask!(session, Blocks, |id| Blocks { id });
    print_users(&list.users, global.output, "You have blocked no users.")?;
    session.end().await
}

/// Sends a request about another user, and prints what that user now is.
async fn change<R: Into<FromClient>>(
    global: &Global,
    args: &MuteArgs,
    request: impl FnOnce(RequestId, UserName) -> R,
    now: &str,
) -> CommandResult {
    let session = Session::open(global, ActAs::User).await?;
    let user = args.name.clone();
    let done = session.client.done(|id| request(id, user)).await?;
    global.output.done(done, format_args!("{} {now}.", args.name))?;
    session.end().await
}

/// Prints a list of users, or a message if it is empty.
fn print_users(users: &[UserName], output: Output, if_empty: &str) -> anyhow::Result<()> {
    if output.json {
        users.iter().try_for_each(|user| output.entry(&json!({"user": user})))?;
    } else if users.is_empty() {
        output.message(if_empty);
    } else {
        users.iter().try_for_each(|user| output.line(user))?;
    }
    Ok(())
}

/// Shows the user's settings, after the changes that are given.
pub(super) async fn settings(global: &Global, args: &SettingsArgs) -> CommandResult {
    let output = global.output;
    let session = Session::open(global, ActAs::User).await?;
    let state = if let Some(challenges) = args.challenges {
        let challenges = Some(challenges.into());
        ask!(session, Settings, |id| SettingsSet { id, challenges })
    } else {
        ask!(session, Settings, |id| SettingsGet { id })
    };
    if output.json {
        output.entry(&state.settings)?;
    } else {
        let UserSettings { challenges } = state.settings;
        let who = match challenges {
            Challengers::All => "all: every user may challenge you",
            Challengers::Accounts => "accounts: users with an account may challenge you",
            Challengers::None => "none: no user may challenge you",
            Challengers::Unknown(ref word) => word.as_str(),
        };
        output.line(format_args!("challenges  {who}"))?;
    }
    session.end().await
}
