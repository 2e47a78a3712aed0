//! The command line, as clap parses it.

mod account;
mod bot;
mod cli;
mod command;
mod conform;
mod download;
mod engine;
mod games;
mod global;
mod groups;
mod invites;
mod kinds;
mod matches;
mod option_file;
mod play;
mod program;
mod puzzles;
mod records;
mod spelling;
mod talk;
mod users;

pub(crate) use account::{
    BotCommand, LoginArgs, LogoutArgs, PasswordArgs, SignupArgs, SwitchArgs, TokenCommand,
    TokenCreateArgs,
};
pub(crate) use bot::{AcceptanceArgs, BotArgs, EngineRunArgs, OnTimeout, OptionWord, Pace};
pub(crate) use cli::Cli;
pub(crate) use command::Command;
pub(crate) use conform::ConformArgs;
pub(crate) use download::DownloadArgs;
pub(crate) use engine::EngineArgs;
pub(crate) use games::{
    ActArgs, ClaimArgs, ExportArgs, ExportFormat, FollowArgs, GamePly, GamesArgs, MoveArgs,
    OfferAction, OfferArgs, RematchArgs, ShowArgs, WatchArgs,
};
pub(crate) use global::Global;
pub(crate) use invites::{InviteArgs, InvitesArgs, last_segment};
pub(crate) use matches::MatchArgs;
pub(crate) use play::{
    AcceptArgs, CancelArgs, ChallengeArgs, DeclineArgs, GameSetupArgs, JoinArgs, LobbyArgs,
    PlayArgs, SeekArgs, WaitMode,
};
pub(crate) use program::{CompleteArgs, CompletionsArgs, ManArgs, RulesArgs};
pub(crate) use puzzles::{PuzzlesCommand, PuzzlesMineArgs};
pub(crate) use records::{CountArgs, ReplayArgs, VerifyArgs};
pub(crate) use talk::{LiveArgs, MuteArgs, SayArgs, TalkArgs, TalkTarget, TvArgs, UnsayArgs};
pub(crate) use users::{BotsArgs, HistoryArgs, SettingsArgs, StandingsArgs, StatsArgs, UserArgs};
