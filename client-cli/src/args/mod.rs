//! The command line as clap reads it. The commands give its words their meaning.

mod account;
mod command;
mod games;
mod groups;
mod play;
mod spelling;
mod talk;
mod users;

pub(crate) use account::{
    BotCommand, LoginArgs, LogoutArgs, PasswordArgs, SignupArgs, SwitchArgs, TokenCommand,
    TokenCreateArgs,
};
pub(crate) use command::{
    Cli, Color, Command, CompleteArgs, CompletionsArgs, CountArgs, Global, ManArgs, ReplayArgs,
    RulesArgs, VerifyArgs,
};
pub(crate) use games::{
    ActArgs, ClaimArgs, ExportArgs, ExportFormat, FollowArgs, GamesArgs, MoveArgs, OfferArgs,
    OfferWord, Place, RematchArgs, ShowArgs, WatchArgs,
};
pub(crate) use play::{
    AcceptArgs, BotArgs, CancelArgs, ChallengeArgs, DeclineArgs, Join, LobbyArgs, Offering,
    PlayArgs, SeekArgs, Wait,
};
pub(crate) use talk::{LiveArgs, MuteArgs, SayArgs, Spot, TalkArgs, TvArgs, UnsayArgs};
pub(crate) use users::{HistoryArgs, StandingsArgs, UserArgs};
