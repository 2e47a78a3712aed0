//! The command line as clap reads it. What the words mean is decided by the commands.

mod games;
mod house;
mod spelling;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use games::{
    ActArgs, DrawArgs, DrawWord, ExportArgs, ExportFormat, FollowArgs, GamesArgs, MoveArgs, Place,
    ShowArgs,
};
pub(crate) use house::{
    AcceptArgs, BotArgs, CancelArgs, ChallengeArgs, DeclineArgs, LobbyArgs, Offering, PlayArgs,
    SeekArgs, Wait,
};
pub(crate) use spelling::spelled;

use std::path::PathBuf;

/// Play, watch and keep games of strategy from a terminal.
///
/// New here? `adamant play` starts a game against the house at once: adamas, hexma, stymie or diam.
#[derive(Debug, Parser)]
#[command(
    name = "adamant",
    version,
    propagate_version = true,
    max_term_width = 100,
    after_help = "Exit status: 0 done, 1 failed, 2 usage, 3 cannot connect, 4 refused by the server, \
                  5 protocol version.\nExamples: adamant play hexma\n          \
                  adamant challenge adamas -size=4 -prog_cap ann bob"
)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
    /// What every command understands.
    #[command(flatten)]
    pub(crate) global: Global,
}

/// What every command understands.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct Global {
    /// The server
    #[arg(
        help = "The server: HOST:PORT, ws://HOST:PORT or wss://HOST",
        long,
        global = true,
        env = "ADAMANT_SERVER",
        value_name = "URL",
        default_value = "ws://127.0.0.1:7777"
    )]
    pub(crate) server: String,
    /// Act as this user, one of those who have logged in here
    #[arg(long = "as", global = true, value_name = "NAME")]
    pub(crate) acting_as: Option<String>,
    /// Act as the owner of this token
    #[arg(long, global = true, env = "ADAMANT_TOKEN", hide_env_values = true)]
    pub(crate) token: Option<String>,
    /// A PEM file of certificates to trust for wss://, beside the machine's
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,
    /// Print JSON, one object a line
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
    /// After whom guests are named.
    #[arg(long, global = true, env = "USER", hide = true)]
    pub(crate) login_name: Option<String>,
}

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On terminals that can.
    Auto,
    /// Even into a pipe.
    Always,
    /// Not at all.
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Start a game against the house at once, as a guest if need be
    #[command(
        after_help = "Options of the game are spelt as on pbmserv and may stand anywhere; a wrong \
                            one gets a list.\nIn the game, ? explains its rules and the keys.\n\
                            Examples: adamant play adamas -size=4\n          \
                            adamant play hexma --clock 10m+5s\n          \
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
    /// Go to the board of a game you play in
    #[command(
        after_help = "Without a game: the one you are playing.\nExample: adamant join k7q2mx"
    )]
    Join(FollowArgs),
    /// Watch a game
    #[command(
        after_help = "Into a pipe it prints a line per event.\nExample: adamant watch k7q2mx"
    )]
    Watch(FollowArgs),
    /// Make one move
    #[command(after_help = "Examples, one of each game:\n          \
                            adamant move k7q2mx c1-e1,c2,4xc3,a1\n          \
                            adamant move k7q2mx q11-k13\n          \
                            adamant move k7q2mx f6,g5\n          \
                            adamant move k7q2mx 6,3-")]
    Move(MoveArgs),
    /// Show what a move would lead to, without making it
    #[command(after_help = "Example: adamant try k7q2mx c1-e1,c2,4xc3,a1")]
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
    Draw(DrawArgs),
    /// Write a game's record to a file or to standard output
    #[command(after_help = "Example: adamant export k7q2mx -o game.txt")]
    Export(ExportArgs),
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
    /// Forget a log-in
    #[command(after_help = "Example: adamant logout")]
    Logout,
    /// Say who you are
    #[command(after_help = "Example: adamant whoami --json")]
    Whoami,
    /// Make tokens for programs
    #[command(subcommand)]
    Token(TokenCommand),
    /// Let a program play
    #[command(after_help = "Example: adamant bot --guest hal --level greedy --accept-any")]
    Bot(BotArgs),
    /// Print the JSON Schema of the protocol
    #[command(after_help = "Example: adamant schema > adamant.v1.schema.json")]
    Schema,
    /// Print completions for a shell
    #[command(
        after_help = "Example: adamant completions bash > ~/.local/share/bash-completion/completions/adamant"
    )]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
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

/// Arguments of `signup`.
#[derive(Debug, Args)]
pub(crate) struct SignupArgs {
    /// The name to have: 2 to 20 letters, digits, _ and -
    pub(crate) name: String,
    /// Read the password from the first line of standard input instead of asking
    #[arg(long)]
    pub(crate) password_stdin: bool,
}

/// Arguments of `login`.
#[derive(Debug, Args)]
pub(crate) struct LoginArgs {
    /// Your name
    #[arg(required_unless_present = "guest")]
    pub(crate) name: Option<String>,
    /// Come as a guest of this name, without an account
    #[arg(long, value_name = "NAME", conflicts_with = "name")]
    pub(crate) guest: Option<String>,
    /// Read the password from the first line of standard input instead of asking
    #[arg(long, conflicts_with = "guest")]
    pub(crate) password_stdin: bool,
}

/// What to do with tokens.
#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Make a token; it is shown this once
    #[command(after_help = "Example: adamant token create hexbot --bot")]
    Create {
        /// What it is for, in your words
        label: String,
        /// Sessions with it are a program's
        #[arg(long)]
        bot: bool,
    },
}
