//! The commands of the command line.

use clap::Subcommand;

use super::{
    account::{LoginArgs, LogoutArgs, PasswordArgs, SignupArgs, SwitchArgs, TokenCommand},
    games::{
        ActArgs, ClaimArgs, ExportArgs, FollowArgs, GamesArgs, MoveArgs, OfferArgs, RematchArgs,
        ShowArgs, WatchArgs,
    },
    play::{
        AcceptArgs, BotArgs, CancelArgs, ChallengeArgs, DeclineArgs, LobbyArgs, PlayArgs, SeekArgs,
    },
    program::{CompleteArgs, CompletionsArgs, ManArgs, RulesArgs},
    records::{CountArgs, ReplayArgs, VerifyArgs},
    talk::{LiveArgs, MuteArgs, SayArgs, TalkArgs, TvArgs, UnsayArgs},
    users::{HistoryArgs, StandingsArgs, UserArgs},
};

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
