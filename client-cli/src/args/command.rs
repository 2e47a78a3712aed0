//! The command line as clap reads it. What the words mean is decided by the commands.

use adamant_protocol::ids::PublicKey;
use adamant_rules::Kind;
use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum};

use std::{ffi::OsString, path::PathBuf};

use super::{
    account::{LoginArgs, LogoutArgs, PasswordArgs, SignupArgs, SwitchArgs, TokenCommand},
    games::{
        ActArgs, ClaimArgs, ExportArgs, FollowArgs, GamesArgs, MoveArgs, OfferArgs, RematchArgs,
        ShowArgs, WatchArgs,
    },
    groups,
    play::{
        AcceptArgs, BotArgs, CancelArgs, ChallengeArgs, DeclineArgs, LobbyArgs, PlayArgs, SeekArgs,
    },
    spelling::spelled,
    talk::{LiveArgs, MuteArgs, SayArgs, TalkArgs, TvArgs, UnsayArgs},
    users::{HistoryArgs, StandingsArgs, UserArgs},
};
use crate::settings::Settings;

/// Play, watch and keep games of strategy from a terminal.
///
/// New here? `adamant play` starts a game against the house at once.
#[derive(Debug, Parser)]
#[command(
    name = "adamant",
    version,
    propagate_version = true,
    max_term_width = 100,
    help_template = "{about-with-newline}\n{usage-heading} {usage}\n\n{before-help}Options of every \
                     command:\n{options}{after-help}",
    after_help = "Exit status: 0 done, 1 failed, 2 usage, 3 cannot connect, 4 refused by the server, \
                  5 protocol version.\nExamples: adamant play hexma\n          \
                  adamant challenge adamas -size=4 -prog_cap ann bob\n          \
                  adamant login ann --server wss://play.example.org\n          \
                  printf 'c1-c2\\nresign\\n' | adamant play adamas\n\
                  `adamant help COMMAND` tells all about one, `adamant rules GAME` how a game is played,\n\
                  `adamant man --out DIR` writes manual pages."
)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
    /// What every command understands.
    #[command(flatten)]
    pub(crate) global: Global,
}

impl Cli {
    /// The program as clap knows it, with its commands in groups.
    pub(crate) fn program() -> clap::Command {
        let program = Self::command();
        let groups = groups::list(&program);
        program.before_help(groups)
    }

    /// Reads the command line, with options of games wherever they stand.
    pub(crate) fn read(words: impl IntoIterator<Item = OsString>) -> Result<Self, clap::Error> {
        let words = spelled(words);
        // The name alone asks what there is.
        let words = if words.len() < 2 { vec!["adamant".into(), "help".into()] } else { words };
        let mut program = Self::program();
        let mut matches = program.try_get_matches_from_mut(words)?;
        Self::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut program))
    }
}

const SERVER_HELP: &str =
    "The server: HOST:PORT, ws://HOST:PORT or wss://HOST [env: ADAMANT_SERVER]";

/// What every command understands.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct Global {
    /// The server
    #[arg(long, global = true, value_name = "URL", help = SERVER_HELP)]
    pub(crate) server: Option<String>,
    /// Act as this user, one of those who have logged in here
    #[arg(long = "as", global = true, value_name = "NAME")]
    pub(crate) acting_as: Option<String>,
    /// Act as the owner of this token
    #[arg(long, global = true, help = "Act as the owner of this token [env: ADAMANT_TOKEN]")]
    pub(crate) token: Option<String>,
    /// A PEM file of certificates to trust for wss://, beside the machine's
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,
    /// Print JSON, one object a line
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Use colours; by itself on terminals that can
    #[arg(long, global = true, value_name = "WHEN")]
    pub(crate) color: Option<Color>,
    /// What is set otherwise.
    #[arg(skip)]
    pub(crate) settings: Settings,
}

impl Global {
    /// The token to act with, where one was given.
    pub(crate) fn token(&self) -> Option<&str> {
        self.token.as_deref().or(self.settings.token.as_deref())
    }

    /// When to use colours.
    pub(crate) fn color(&self) -> Color {
        self.color.or(self.settings.file.color).unwrap_or(Color::Auto)
    }
}

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Color {
    /// On terminals that can.
    Auto,
    /// Even into a pipe.
    Always,
    /// Not at all.
    Never,
}

impl Color {
    /// As it is written.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Always => "always",
            Self::Never => "never",
        }
    }
}

/// Help with a list of all games: `The game: this, that or another`.
pub(super) fn one_of_the_games(what: &str) -> String {
    let names: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
    let (last, others) = names.split_last().expect("there are games");
    format!("{what}: {} or {last}", others.join(", "))
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Start a game against the house at once, as a guest if need be
    #[command(
        after_help = "Options of the game are spelt as on pbmserv and may stand anywhere; a wrong \
                            one gets a list.\nIn the game, ? explains its rules and the keys.\n\
                            Examples: adamant play adamas -size=4\n          \
                            adamant play hexma --level hard --clock 10m+5s\n          \
                            adamant play stymie -size=8 -swap\n          \
                            adamant play diam -board=10x5 -pieces=3x4"
    )]
    Play(PlayArgs),
    /// Challenge somebody; seats are taken in the order of the names
    #[command(
        after_help = "With one name you open and they answer. Options are spelt as the game's \
                            help has them and may stand anywhere; a wrong one gets a list.\n\
                            Examples: adamant challenge adamas -size=4 -prog_cap ann bob --clock 5m+5s\n          \
                            adamant challenge hexma ann bob cy\n          \
                            adamant challenge stymie -size=8 -swap ann bob\n          \
                            adamant challenge diam ann bob -board=8x4 -pieces=2x4"
    )]
    Challenge(ChallengeArgs),
    /// Look for opponents and wait until a game begins
    #[command(after_help = "Example: adamant seek hexma --players 3 --clock 10m+5s")]
    Seek(SeekArgs),
    /// Take a seek or a challenge
    #[command(after_help = "Example: adamant accept h_9")]
    Accept(AcceptArgs),
    /// Turn a challenge down
    #[command(after_help = "Example: adamant decline h_9 too_fast")]
    Decline(DeclineArgs),
    /// Take back a challenge of your own
    #[command(after_help = "Example: adamant cancel h_9")]
    Cancel(CancelArgs),
    /// List open seeks
    #[command(after_help = "Example: adamant lobby --follow")]
    Lobby(LobbyArgs),
    /// List open challenges to you and by you
    #[command(after_help = "Example: adamant challenges")]
    Challenges,
    /// List games
    #[command(after_help = "Example: adamant games --user ann --finished --limit 10")]
    Games(GamesArgs),
    /// List the players of a game, the strongest first
    #[command(after_help = "A question mark marks a rating that too few games are behind.\n\
                            Example: adamant standings hexma --players 3")]
    Standings(StandingsArgs),
    /// Say who somebody is, and how strong
    #[command(after_help = "Example: adamant user ann")]
    User(UserArgs),
    /// List what somebody has played, with places and ratings
    #[command(after_help = "Example: adamant history ann --rules adamas --limit 10")]
    History(HistoryArgs),
    /// Go to the board of a game you play in
    #[command(
        after_help = "Without a game: the one you are playing.\nExample: adamant join k7q2mx"
    )]
    Join(FollowArgs),
    /// Watch a game
    #[command(
        after_help = "Into a pipe it prints a line per event.\nExample: adamant watch k7q2mx"
    )]
    Watch(WatchArgs),
    /// Name the featured game of a kind
    #[command(after_help = "Example: adamant tv hexma --follow")]
    Tv(TvArgs),
    /// List the games that are being played, the latest move first
    #[command(after_help = "Example: adamant live --follow")]
    Live(LiveArgs),
    /// Say something to the players of a game, or to its spectators
    #[command(
        after_help = "Options may stand before the text and after it. What looks like a token is never said.\n\
                            Examples: adamant say k7q2mx good luck --as ann\n          \
                            adamant say k7q2mx -- --server names another server"
    )]
    Say(SayArgs),
    /// Show what was said about a game
    #[command(after_help = "Example: adamant talk k7q2mx --room spectators")]
    Talk(TalkArgs),
    /// Take back what you said; as a moderator, what anybody said
    #[command(after_help = "Example: adamant unsay k7q2mx 3")]
    Unsay(UnsayArgs),
    /// Hear no more of what somebody says
    #[command(after_help = "Example: adamant mute bob")]
    Mute(MuteArgs),
    /// Hear somebody again
    #[command(after_help = "Example: adamant unmute bob")]
    Unmute(MuteArgs),
    /// List whom you have muted
    Mutes,
    /// Make one move
    #[command(after_help = "Examples, one of each game:\n          \
                            adamant move k7q2mx c1-e1,c2,4xc3,a1\n          \
                            adamant move k7q2mx q11-k13\n          \
                            adamant move k7q2mx f6,g5\n          \
                            adamant move k7q2mx 6,3-\n\
                            Only if it is the twelfth move of the game: adamant move k7q2mx#12 c1-c2")]
    Move(MoveArgs),
    /// Show what a move would lead to, without making it
    #[command(
        visible_alias = "preview",
        after_help = "Example: adamant try k7q2mx c1-e1,c2,4xc3,a1"
    )]
    Try(MoveArgs),
    /// Show the board of a game, or as it was after a move
    #[command(after_help = "Example: adamant show k7q2mx#12")]
    Show(ShowArgs),
    /// Give up a game
    #[command(after_help = "Example: adamant resign k7q2mx")]
    Resign(ActArgs),
    /// Call a game off before each side has moved
    #[command(after_help = "Example: adamant abort k7q2mx")]
    Abort(ActArgs),
    /// Offer a draw, or answer such an offer
    #[command(after_help = "Example: adamant draw k7q2mx accept")]
    Draw(OfferArgs),
    /// Offer to take back your last move, or answer such an offer
    #[command(after_help = "Example: adamant takeback k7q2mx")]
    Takeback(OfferArgs),
    /// Offer to end a game without a result, or answer such an offer
    #[command(after_help = "Example: adamant call-off k7q2mx accept")]
    CallOff(OfferArgs),
    /// Claim that a player has gone for good
    #[command(after_help = "`adamant join` shows who is away, and from when on you may claim.\n\
                            Examples: adamant claim k7q2mx\n          \
                            adamant claim k7q2mx --seat 2")]
    Claim(ClaimArgs),
    /// Ask for a game once more, or agree to it
    #[command(after_help = "Everybody moves up one seat.\nExample: adamant rematch k7q2mx")]
    Rematch(RematchArgs),
    /// Write a game's record to a file or to standard output
    #[command(after_help = "Examples: adamant export k7q2mx -o game.txt\n          \
                            adamant export k7q2mx --journal -o game.jsonl")]
    Export(ExportArgs),
    /// Check a record that was exported with --journal: chain, signature, moves, clocks and result
    #[command(
        after_help = "It needs no server and says which line is wrong first. Exit status: 0 it is right, 1 it is \
                      wrong,\n2 it cannot be read. With --key, or --server on the command line, it must be \
                      signed with that key, or with one\nof that server's.\n\
                      Examples: adamant verify game.jsonl\n          \
                      adamant verify game.jsonl --server wss://play.example.org"
    )]
    Verify(VerifyArgs),
    /// Play a text record and print the board after each ply
    #[command(after_help = "Example: adamant replay game.txt")]
    Replay(ReplayArgs),
    /// Count the legal moves after a text record
    #[command(after_help = "Example: echo 'adamas challenge ann bob' | adamant count -")]
    Count(CountArgs),
    /// Make an account, out of the guest you are if you are one
    #[command(after_help = "Example: adamant signup ann")]
    Signup(SignupArgs),
    /// Log in and remember it
    #[command(after_help = "Examples: adamant login ann\n          adamant login --guest ann")]
    Login(LoginArgs),
    /// End a log-in, and forget it here
    #[command(
        after_help = "A guest without a log-in is lost: no client can use its name or play its games again.\n\
                            Examples: adamant logout\n          adamant logout --as ann"
    )]
    Logout(LogoutArgs),
    /// Act as another user who has logged in here, from now on
    #[command(after_help = "With --server the server is the one of later commands, too.\n\
                            Examples: adamant switch ann\n          \
                            adamant switch ann --server wss://play.example.org")]
    Switch(SwitchArgs),
    /// Say what is set, and where
    #[command(
        after_help = "The configuration file may set server, user, color (auto, always, never) and pager:\n\
                            server = \"wss://play.example.org\"\n\
                            The command line beats the environment, which beats the file."
    )]
    Config,
    /// Say who you are
    #[command(after_help = "Example: adamant whoami --json")]
    Whoami,
    /// Change your password; other log-ins end, programs go on
    #[command(after_help = "Example: adamant password --revoke-all")]
    Password(PasswordArgs),
    /// Make, list and end tokens, which open sessions without a password
    #[command(subcommand)]
    Token(TokenCommand),
    /// Let a program play, or make an account for one
    #[command(
        args_conflicts_with_subcommands = true,
        after_help = "Examples: adamant bot --guest hal --level greedy --accept-any\n          \
                      adamant bot create hexbot"
    )]
    Bot(BotArgs),
    /// Print the JSON Schema of the protocol
    #[command(after_help = "Example: adamant schema > adamant.v1.schema.json")]
    Schema {
        /// Only the words and kinds that are known today, for tests and generated types
        #[arg(long)]
        closed: bool,
    },
    /// Print completions for a shell
    #[command(
        after_help = "bash, zsh and fish complete games and their options, your games, and your users, too.\n\
                      Example: adamant completions bash > ~/.local/share/bash-completion/completions/adamant"
    )]
    Completions(CompletionsArgs),
    /// Print the rules of a game, and its options
    #[command(after_help = "Example: adamant rules hexma")]
    Rules(RulesArgs),
    /// Write manual pages
    #[command(after_help = "Example: adamant man --out ~/.local/share/man/man1")]
    Man(ManArgs),
    /// Print what may stand in place of the last word
    #[command(hide = true)]
    Complete(CompleteArgs),
}

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

/// Arguments of `rules`.
#[derive(Debug, Args)]
pub(crate) struct RulesArgs {
    /// What game.
    #[arg(help = one_of_the_games("The game"))]
    pub(crate) game: String,
}

/// Arguments of `man`.
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Write a page of each command to this folder, instead of printing the first
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

/// Arguments of `complete`.
#[derive(Debug, Args)]
pub(crate) struct CompleteArgs {
    /// The words behind the program's name, as far as they are typed
    #[arg(last = true)]
    pub(crate) words: Vec<String>,
}

impl Command {
    /// Whether it works on what is here alone, and says by itself what is wrong with that.
    pub(crate) const fn is_local(&self) -> bool {
        matches!(self, Self::Replay(_) | Self::Count(_) | Self::Verify(_))
    }

    /// Whether it prints a list or a text that may be longer than the window, and then is done.
    pub(crate) const fn is_long(&self) -> bool {
        matches!(
            self,
            Self::Replay(_)
                | Self::History(_)
                | Self::Games(_)
                | Self::Standings(_)
                | Self::Rules(_)
        )
    }
}

/// Arguments of `verify`.
#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// The record; - is standard input
    #[arg(default_value = "-")]
    pub(crate) file: PathBuf,
    /// It must be signed with this key, 64 hex digits
    #[arg(long, value_name = "HEX")]
    pub(crate) key: Option<PublicKey>,
    /// It must be signed, with whatever key
    #[arg(long)]
    pub(crate) require_signature: bool,
}

/// Arguments of `replay`.
#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// The text record; - is standard input
    #[arg(default_value = "-")]
    pub(crate) file: PathBuf,
    /// Leave out the repetition rule, which belongs to this server and not to the games
    #[arg(long)]
    pub(crate) no_repetition: bool,
}

/// Arguments of `count`.
#[derive(Debug, Args)]
pub(crate) struct CountArgs {
    /// The text record; - is standard input
    #[arg(default_value = "-")]
    pub(crate) record: PathBuf,
    /// Count the sequences of this many moves instead of single moves
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) depth: u32,
}
