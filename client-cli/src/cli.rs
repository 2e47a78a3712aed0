//! The command line: its commands, their groups in the help, and options from a file.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use crate::{
    commands::{
        account::{
            CloseAccountArgs, LoginArgs, LogoutArgs, MailCommand, PasswordArgs, SignupArgs,
            SwitchArgs, TokenCommand, WebhookCommand,
        },
        analyse::AnalyseArgs,
        bot::BotArgs,
        conform::ConformArgs,
        download::DownloadArgs,
        engine::EngineArgs,
        game::{
            ActArgs, ClaimArgs, FollowArgs, MoveArgs, OfferArgs, OpenArgs, ShowArgs, WatchArgs,
        },
        lists::{GamesArgs, LiveArgs, LobbyArgs, StatsArgs, TvArgs},
        matches::MatchArgs,
        oracle::OracleArgs,
        puzzles::PuzzlesCommand,
        records::{ExportArgs, VerifyArgs},
        replay::{CountArgs, ReplayArgs},
        reports::{NoticesArgs, ReportArgs},
        start::{
            AcceptArgs, CancelArgs, ChallengeArgs, DeclineArgs, InviteArgs, InvitesArgs, PlayArgs,
            RematchArgs, SeekArgs,
        },
        talk::{MuteArgs, SayArgs, SettingsArgs, TalkArgs, UnsayArgs},
        users::{BotsArgs, HistoryArgs, StandingsArgs, UserArgs},
    },
    settings::Global,
    spelling::{help_with_kinds, normalize_args},
};

/// Play, watch and export abstract board games from a terminal.
///
/// New here? `adamant play` starts a game against a server bot.
#[derive(Debug, Parser)]
#[command(
    name = "adamant",
    version,
    propagate_version = true,
    max_term_width = 100,
    help_template = "{about-with-newline}\n{usage-heading} {usage}\n\n{before-help}Global \
                     options:\n{options}{after-help}",
    after_help = "Exit status: 0 done, 1 failed, 2 usage, 3 cannot connect, 4 refused by the server, \
                  5 protocol version.\nExamples: adamant play hexma\n          \
                  adamant challenge adamas -size=4 -prog_cap ann bob\n          \
                  adamant login ann --server wss://play.example.org\n          \
                  printf 'c1-c2\\nresign\\n' | adamant play adamas\n\
                  `adamant help COMMAND` describes a command, `adamant rules GAME` the rules of a game.\n\
                  `adamant man --out DIR` writes manual pages."
)]
pub(crate) struct Cli {
    /// The command.
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) global: Global,
}

impl Cli {
    /// Returns the clap command, with the subcommands in groups.
    pub(crate) fn program() -> clap::Command {
        let program = Self::command();
        let groups = grouped(&program);
        program.before_help(groups)
    }

    /// Parses the command line. Game options may stand anywhere.
    pub(crate) fn read(words: impl IntoIterator<Item = OsString>) -> Result<Self, clap::Error> {
        let words = normalize_args(words);
        // Without arguments the program shows its help.
        let words = if words.len() < 2 { vec!["adamant".into(), "help".into()] } else { words };
        let cli = Self::read_normalized(words.clone())?;
        let config = if let Command::Bot(args) = &cli.command {
            args.config.as_ref().map(|path| ("bot", path))
        } else if let Command::Match(args) = &cli.command {
            args.config.as_ref().map(|path| ("match", path))
        } else {
            None
        };
        if let Some((command, path)) = config {
            let words = insert_options(words, command, path)
                .map_err(|why| Self::program().error(clap::error::ErrorKind::Io, why))?;
            return Self::read_normalized(words);
        }
        Ok(cli)
    }

    fn read_normalized(words: Vec<OsString>) -> Result<Self, clap::Error> {
        let mut program = Self::program();
        let mut matches = program.try_get_matches_from_mut(words)?;
        Self::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut program))
    }
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(crate) struct RulesArgs {
    #[arg(help = help_with_kinds("The game"))]
    pub(crate) game: String,
}

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Write a page per command to this directory, instead of printing the main page
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct CompleteArgs {
    /// The words after the program's name, as typed so far
    #[arg(last = true)]
    pub(crate) words: Vec<String>,
}

/// A command.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Start a game against a server bot, as a new guest if you have not logged in
    #[command(
        after_help = "Game options are spelt as on pbmserv and may stand anywhere; an unknown one \
                            prints the list.\nIn the game, ? explains the rules and the keys.\n\
                            Examples: adamant play adamas -size=4\n          \
                            adamant play hexma --level hard --clock 10m+5s\n          \
                            adamant play stymie -size=8 -swap\n          \
                            adamant play diam -board=10x5 -pieces=3x4"
    )]
    Play(PlayArgs),
    /// Challenge users; seats follow the order of the names
    #[command(
        after_help = "With one name you take the first seat. Game options are spelt as on pbmserv \
                            and may stand anywhere; an unknown one prints the list.\n\
                            Examples: adamant challenge adamas -size=4 -prog_cap ann bob --clock 5m+5s\n          \
                            adamant challenge hexma ann bob cy\n          \
                            adamant challenge stymie -size=8 -swap ann bob\n          \
                            adamant challenge diam ann bob -board=8x4 -pieces=2x4"
    )]
    Challenge(ChallengeArgs),
    /// Open a seek and wait until the game starts
    #[command(after_help = "Example: adamant seek hexma --players 3 --clock 10m+5s")]
    Seek(SeekArgs),
    /// Accept a seek, a challenge or an invite
    #[command(after_help = "Example: adamant accept h_9")]
    Accept(AcceptArgs),
    /// Decline a challenge
    #[command(after_help = "Example: adamant decline h_9 too_fast")]
    Decline(DeclineArgs),
    /// Cancel a challenge, an invite or a lasting seek of your own, or leave one you joined
    #[command(after_help = "Example: adamant cancel h_9")]
    Cancel(CancelArgs),
    /// List open seeks
    #[command(after_help = "Example: adamant lobby --follow")]
    Lobby(LobbyArgs),
    /// Make a link that invites a player to a game
    #[command(after_help = "Example: adamant invite hexma --clock 10m+5s --seat 1")]
    Invite(InviteArgs),
    /// List your open invites, or show one
    #[command(after_help = "Examples: adamant invites\n          adamant invites i_7")]
    Invites(InvitesArgs),
    /// List open challenges to you and by you
    #[command(after_help = "Example: adamant challenges")]
    Challenges,
    /// List games
    #[command(after_help = "Example: adamant games --user ann --finished --limit 10")]
    Games(GamesArgs),
    /// List the bots that accept challenges
    #[command(after_help = "Challenge one with `adamant challenge NAME GAME`.\n\
                            Example: adamant bots adamas --players 3 --free")]
    Bots(BotsArgs),
    /// List the rated players of a game, highest rating first
    #[command(after_help = "A question mark marks a provisional rating, from few games.\n\
                            Example: adamant standings hexma --players 3")]
    Standings(StandingsArgs),
    /// Show how the games of a kind went: results, lengths, openings
    Stats(StatsArgs),
    /// Show a user's profile and ratings
    #[command(after_help = "Example: adamant user ann")]
    User(UserArgs),
    /// List a user's finished games, with places and ratings
    #[command(after_help = "Example: adamant history ann --rules adamas --limit 10")]
    History(HistoryArgs),
    /// Open the board of a game you play in
    #[command(
        after_help = "Without GAME it opens the only game you are playing.\nExample: adamant join k7q2mx"
    )]
    Join(FollowArgs),
    /// Open the page of a game in the browser
    #[command(after_help = "Without a browser it prints the address.\n\
                            Examples: adamant open k7q2mx\n          adamant open --print")]
    Open(OpenArgs),
    /// Watch a game
    #[command(
        after_help = "Into a pipe it prints each event as a line.\nExample: adamant watch k7q2mx"
    )]
    Watch(WatchArgs),
    /// Show the featured game of a kind
    #[command(after_help = "Example: adamant tv hexma --follow")]
    Tv(TvArgs),
    /// List live games, latest move first
    #[command(after_help = "Example: adamant live --follow")]
    Live(LiveArgs),
    /// Send a line of talk to the players of a game, or to its spectators
    #[command(
        after_help = "Options may stand before and after the text. Text that looks like a token is not sent.\n\
                            Examples: adamant say k7q2mx good luck --as ann\n          \
                            adamant say k7q2mx -- --server names another server"
    )]
    Say(SayArgs),
    /// Show the talk of a game
    #[command(after_help = "Example: adamant talk k7q2mx --room spectators")]
    Talk(TalkArgs),
    /// Delete a line of your talk; moderators may delete any line
    #[command(after_help = "Example: adamant unsay k7q2mx 3")]
    Unsay(UnsayArgs),
    /// Hide the talk of a user
    #[command(after_help = "Example: adamant mute bob")]
    Mute(MuteArgs),
    /// Show the talk of a muted user again
    #[command(after_help = "Example: adamant unmute bob")]
    Unmute(MuteArgs),
    /// List the users you have muted
    Mutes,
    /// Block a user: neither can challenge the other, and you do not see their talk
    #[command(after_help = "Example: adamant block bob")]
    Block(MuteArgs),
    /// Unblock a user
    #[command(after_help = "Example: adamant unblock bob")]
    Unblock(MuteArgs),
    /// List the users you have blocked
    Blocks,
    /// Report a user or a game to the operators of the server
    #[command(
        after_help = "Examples: adamant report --user bob --game k7q2mx --reason abuse insults me\n          \
                            adamant report --game k7q2mx --reason cheating both lose on purpose"
    )]
    Report(ReportArgs),
    /// Show what operators have told you; it stays until you have read it
    #[command(after_help = "Example: adamant notices --seen")]
    Notices(NoticesArgs),
    /// Show or change your settings at the server
    #[command(after_help = "Example: adamant settings --challenges accounts")]
    Settings(SettingsArgs),
    /// Make a move
    #[command(after_help = "Examples, one of each game:\n          \
                            adamant move k7q2mx c1-e1,c2,4xc3,a1\n          \
                            adamant move k7q2mx q11-k13\n          \
                            adamant move k7q2mx f6,g5\n          \
                            adamant move k7q2mx 6,3-\n\
                            Only if it is move 12 of the game: adamant move k7q2mx#12 c1-c2")]
    Move(MoveArgs),
    /// Show the board after a move, without making the move
    #[command(
        visible_alias = "preview",
        after_help = "Example: adamant try k7q2mx c1-e1,c2,4xc3,a1"
    )]
    Try(MoveArgs),
    /// Show the board of a game, now or after an earlier move
    #[command(after_help = "Example: adamant show k7q2mx#12")]
    Show(ShowArgs),
    /// Resign a game
    #[command(after_help = "Example: adamant resign k7q2mx")]
    Resign(ActArgs),
    /// Abort a game before each side has moved
    #[command(after_help = "Example: adamant abort k7q2mx")]
    Abort(ActArgs),
    /// Offer a draw, or answer a draw offer
    #[command(after_help = "Example: adamant draw k7q2mx accept")]
    Draw(OfferArgs),
    /// Offer a takeback of your last move, or answer a takeback offer
    #[command(after_help = "Example: adamant takeback k7q2mx")]
    Takeback(OfferArgs),
    /// Offer to end a game without a result, or answer that offer
    #[command(after_help = "Example: adamant call-off k7q2mx accept")]
    CallOff(OfferArgs),
    /// Claim the game against a player who is away
    #[command(after_help = "`adamant join` shows which player is away, and when you may claim.\n\
                            Examples: adamant claim k7q2mx\n          \
                            adamant claim k7q2mx --seat 2")]
    Claim(ClaimArgs),
    /// Offer a rematch, or accept one
    #[command(after_help = "Every player moves up one seat.\nExample: adamant rematch k7q2mx")]
    Rematch(RematchArgs),
    /// Write a game's record to a file or standard output
    #[command(after_help = "Examples: adamant export k7q2mx -o game.txt\n          \
                            adamant export k7q2mx --journal -o game.jsonl")]
    Export(ExportArgs),
    /// Download all finished games of a month, or list the months
    #[command(
        after_help = "It verifies every game and the server's signature, which it keeps beside the \
                      file. Run again, it\ngoes on where the file ends: after a broken connection, \
                      or with the later games of a running month.\n\
                      Examples: adamant download\n          \
                      adamant download 2026-11 --game diam -o games.ndjson"
    )]
    Download(DownloadArgs),
    /// Verify a record exported with --journal: chain, signature, moves, clocks and result
    #[command(
        after_help = "It needs no server and reports the first invalid line. Exit status: 0 valid, 1 invalid,\n2 \
                      unreadable. With --key it must be signed with that key, with --server with one \
                      of\nthat server's keys.\n\
                      A file of `adamant download` is verified game by game, with the signature \
                      beside it.\n\
                      Examples: adamant verify game.jsonl\n          \
                      adamant verify 2026-11-diam.ndjson\n          \
                      adamant verify game.jsonl --server wss://play.example.org"
    )]
    Verify(VerifyArgs),
    /// Play a text record and print the board after each ply
    #[command(after_help = "Example: adamant replay game.txt")]
    Replay(ReplayArgs),
    /// Analyse a game of two: values, better moves, missed wins, accuracy
    #[command(
        after_help = "Values are chances to win of the player who moves. The same record and number of \
                      nodes give the same analysis. A finished game on the server is analysed there, \
                      without --nodes and --threads.\n\
                      Examples: adamant analyse game.txt\n          \
                      adamant analyse k7q2mx"
    )]
    Analyse(AnalyseArgs),
    /// Print who wins a position and how soon, where that is known for certain
    #[command(after_help = "With a game on the server, the server is asked.\n\
                      Examples: adamant oracle game.txt --ply 20\n          \
                      echo 'stymie challenge ann bob -size=3' | adamant oracle")]
    Oracle(OracleArgs),
    /// Count the legal moves after a text record
    #[command(after_help = "Example: echo 'adamas challenge ann bob' | adamant count -")]
    Count(CountArgs),
    /// Find puzzles in games, or prove those of a file
    #[command(subcommand)]
    Puzzles(PuzzlesCommand),
    /// Create an account; a guest keeps its games
    #[command(after_help = "Example: adamant signup ann")]
    Signup(SignupArgs),
    /// Log in, and store the log-in on this machine
    #[command(after_help = "Examples: adamant login ann\n          adamant login --guest ann")]
    Login(LoginArgs),
    /// Log out at the server, and delete the log-in from this machine
    #[command(
        after_help = "A guest without a log-in is lost: its name and its games cannot be used again.\n\
                            Examples: adamant logout\n          adamant logout --as ann"
    )]
    Logout(LogoutArgs),
    /// Act as another user who has logged in on this machine, or list them
    #[command(after_help = "With --server later commands go to that server too.\n\
                            Examples: adamant switch\n          adamant switch ann\n          \
                            adamant switch ann --server wss://play.example.org")]
    Switch(SwitchArgs),
    /// Show the settings and where they come from
    #[command(
        after_help = "The configuration file may set server, user, color (auto, always, never) and pager:\n\
                            server = \"wss://play.example.org\"\n\
                            The command line overrides the environment, which overrides the file."
    )]
    Config,
    /// Show the user you act as
    #[command(after_help = "Example: adamant whoami --json")]
    Whoami,
    /// Change your password; other log-ins end, tokens of programs stay
    #[command(after_help = "Examples: adamant password --revoke-all\n          \
                            adamant password --recovery-code\n          \
                            adamant password --by-mail ann\n          \
                            adamant password --reset ann")]
    Password(PasswordArgs),
    /// Give your account a mail address, for a code if you lose your password
    #[command(subcommand)]
    Mail(MailCommand),
    /// Close your account and your bots for good; games and ratings stay, and keep the name
    #[command(after_help = "Example: adamant close-account ann")]
    CloseAccount(CloseAccountArgs),
    /// Create, list and revoke tokens, which log in without a password
    #[command(subcommand)]
    Token(TokenCommand),
    /// Set, show or delete the webhook that is told when you are to move
    #[command(subcommand)]
    Webhook(WebhookCommand),
    /// Run a bot, or manage accounts for bots
    #[command(
        args_conflicts_with_subcommands = true,
        args_override_self = true,
        after_help = "A file for --config holds any of these options, such as:\n\
                      engine = \"python3 engine.py\"\naccept-any = true\nonly-games = [\"hexma/2\"]\n\
                      Options of the command line override it, and add to its lists. docs/ENGINES.md is for authors of engines.\n\
                      Examples: adamant bot --guest hal --level greedy --accept-any\n          \
                      adamant bot --guest hal --engine 'python3 engine.py' --seek hexma --clock 5m+5s\n          \
                      adamant bot create hexbot"
    )]
    Bot(Box<BotArgs>),
    /// Speak the engine protocol on standard input and output, with the moves of a bot
    #[command(after_help = "docs/ENGINES.md describes the protocol.\n\
                            Example: adamant bot --engine 'adamant engine --level search' --guest hal --accept-any")]
    Engine(EngineArgs),
    /// Let engines play a match or a tournament on this machine
    #[command(
        args_override_self = true,
        after_help = "docs/MATCHES.md explains openings, results and statistics.\n\
                      Examples:\n  \
                      adamant match --game hexma --nodes 500 --games 100 --out first --engine 'adamant engine --level search' --engine 'python3 engine.py'\n  \
                      adamant match --config ladder.toml --concurrency 4 --out ladder --resume"
    )]
    Match(Box<MatchArgs>),
    /// Test a client against servers that lose, repeat and reorder, and report what it did wrong
    #[command(
        after_help = "The command gets the address in ADAMANT_SERVER or {url}, and its token in ADAMANT_TOKEN or {token}.\n\
                      docs/CONFORMANCE.md says what the client is to do. Exit status: 0 passed, 1 failed.\n\
                      Examples: adamant conform -- python3 bot.py {url}\n          \
                      adamant conform --seed 7 --logs . -- adamant bot --accept-any"
    )]
    Conform(ConformArgs),
    /// Print the JSON Schema of the protocol
    #[command(after_help = "Example: adamant schema > adamant.v1.schema.json")]
    Schema {
        /// Allow only the values known today, for tests and generated types
        #[arg(long)]
        closed: bool,
    },
    /// Print completions for a shell
    #[command(
        after_help = "bash, zsh and fish also complete games, their options, your games and your users.\n\
                      Example: adamant completions bash > ~/.local/share/bash-completion/completions/adamant"
    )]
    Completions(CompletionsArgs),
    /// Print the rules of a game, and its options
    #[command(after_help = "Example: adamant rules hexma")]
    Rules(RulesArgs),
    /// Write manual pages
    #[command(after_help = "Example: adamant man --out ~/.local/share/man/man1")]
    Man(ManArgs),
    /// Print completions of the last word
    #[command(hide = true)]
    Complete(CompleteArgs),
}

impl Command {
    /// Whether it needs no server and reports its errors itself.
    pub(crate) fn is_local(&self) -> bool {
        match self {
            Self::Analyse(args) => return args.game().is_none(),
            Self::Oracle(args) => return args.game().is_none(),
            _ => {}
        }
        matches!(
            self,
            Self::Replay(_) | Self::Count(_) | Self::Verify(_) | Self::Puzzles(_) | Self::Engine(_)
        )
    }

    /// Whether its output may be longer than the window, so that a pager helps.
    pub(crate) const fn is_long(&self) -> bool {
        matches!(
            self,
            Self::Replay(_)
                | Self::Analyse(_)
                | Self::History(_)
                | Self::Games(_)
                | Self::Standings(_)
                | Self::Stats(_)
                | Self::Bots(_)
                | Self::Rules(_)
        )
    }
}

/// Groups of commands, each with its heading. Every visible command is in one group.
const GROUPS: [(&str, &[&str]); 7] = [
    (
        "Play",
        &[
            "play",
            "join",
            "seek",
            "lobby",
            "accept",
            "challenge",
            "challenges",
            "invite",
            "invites",
            "decline",
            "cancel",
            "rematch",
        ],
    ),
    (
        "In a game",
        &["move", "try", "show", "resign", "abort", "draw", "takeback", "call-off", "claim"],
    ),
    (
        "Watch and look up",
        &[
            "watch",
            "open",
            "tv",
            "live",
            "games",
            "standings",
            "stats",
            "bots",
            "user",
            "history",
            "rules",
        ],
    ),
    (
        "Talk",
        &[
            "say", "talk", "unsay", "mute", "unmute", "mutes", "block", "unblock", "blocks",
            "report", "notices",
        ],
    ),
    (
        "Records",
        &["export", "download", "verify", "replay", "analyse", "oracle", "count", "puzzles"],
    ),
    (
        "Account and programs",
        &[
            "login",
            "logout",
            "switch",
            "signup",
            "whoami",
            "password",
            "mail",
            "close-account",
            "settings",
            "token",
            "webhook",
            "bot",
            "engine",
            "match",
            "conform",
        ],
    ),
    ("This program", &["config", "completions", "man", "schema", "help"]),
];

/// Returns the grouped list of commands, each with its description.
pub(super) fn grouped(command: &clap::Command) -> String {
    let about = |name: &str| -> String {
        let found = command.get_subcommands().find(|sub| sub.get_name() == name);
        let about = found.and_then(clap::Command::get_about).map(ToString::to_string);
        about.unwrap_or_else(|| "Show this help, or that of a command".to_owned())
    };
    let width = GROUPS.iter().flat_map(|(_, names)| *names).map(|name| name.len()).max();
    let width = width.unwrap_or_default();
    let groups = GROUPS.iter().map(|(heading, names)| {
        let lines = names.iter().map(|name| format!("  {name:width$}  {}", about(name)));
        format!("{heading}:\n{}", lines.collect::<Vec<_>>().join("\n"))
    });
    groups.collect::<Vec<_>>().join("\n\n")
}

/// The tables in which `match` has its engines; it reads them itself.
const ENGINE_TABLES: &str = "engine";

/// Returns the words of a command line with those of the file before the other words of a command,
/// so that the command line overrides the file.
pub(super) fn insert_options(
    mut words: Vec<OsString>,
    command: &str,
    path: &Path,
) -> Result<Vec<OsString>, String> {
    let shown = path.display();
    let text = fs::read_to_string(path).map_err(|why| format!("{shown} cannot be read: {why}"))?;
    let table: toml::Table = text.parse().map_err(|why| format!("{shown} is invalid: {why}"))?;
    let mut options = Vec::new();
    for (name, value) in table {
        if name == "config" {
            return Err(format!("{shown} is invalid: a file cannot name another"));
        }
        let is_table = |value: &toml::Value| value.is_table();
        let has_tables = value.as_array().is_some_and(|all| all.iter().any(is_table));
        if command == "match" && name == ENGINE_TABLES && has_tables {
            continue;
        }
        let all = if let toml::Value::Array(all) = value { all } else { vec![value] };
        for value in all {
            if value == toml::Value::Boolean(false) {
                continue;
            }
            let word = match (value.as_str(), value.as_integer()) {
                (Some(text), _) => format!("--{name}={text}"),
                (None, Some(number)) => format!("--{name}={number}"),
                (None, None) if value.is_bool() => format!("--{name}"),
                (None, None) => {
                    let why = "is no option with such a value";
                    return Err(format!("{shown} is invalid: {name} {why}"));
                }
            };
            options.push(word.into());
        }
    }
    let first = words.iter().position(|word| word == command).map_or(words.len(), |at| at + 1);
    words.splice(first..first, options);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_stands_in_one_group() {
        let command = Cli::command();
        let mut shown: Vec<&str> = command
            .get_subcommands()
            .filter(|sub| !sub.is_hide_set())
            .map(clap::Command::get_name)
            .collect();
        let mut grouped: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .filter(|name| *name != "help")
            .collect();
        shown.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(grouped, shown);
    }

    fn read(file: &str, line: &str) -> Result<BotArgs, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bot.toml");
        fs::write(&path, file).unwrap();
        let line = line.replace("FILE", &path.display().to_string());
        let cli = Cli::read(line.split_whitespace().map(Into::into));
        let Command::Bot(args) = cli.map_err(|error| error.to_string())?.command else {
            panic!("{line}")
        };
        Ok(*args)
    }

    #[test]
    fn a_file_sets_options_and_the_command_line_overrides_them() {
        let file = "engine = \"python3 'my engine.py'\"\naccept-any = true\ngames-at-once = 3\n\
                    only-games = [\"hexma/2\", \"diam\"]\nno-guests = false\nrestarts = 5\n";
        let args = read(file, "adamant bot --config FILE --games-at-once 7").unwrap();
        assert_eq!(args.run.engine.as_deref(), Some("python3 'my engine.py'"));
        assert!(args.accept_any && !args.acceptance.no_guests);
        assert_eq!((args.acceptance.games_at_once, args.run.restarts), (7, 5));
        assert_eq!(args.acceptance.only_games.len(), 2);
    }

    #[test]
    fn faults_of_a_file_are_named() {
        for (file, why) in [
            ("colour = \"red\"", "--colour"),
            ("restarts = \"many\"", "--restarts"),
            ("restarts = 1.5", "restarts is no option with such a value"),
            ("config = \"other.toml\"", "cannot name another"),
            ("engine =", "bot.toml is invalid"),
        ] {
            let error = read(file, "adamant bot --config FILE").unwrap_err();
            assert!(error.contains(why), "{file}: {error}");
        }
        let missing = read("", "adamant bot --config FILE.missing").unwrap_err();
        assert!(missing.contains("cannot be read"), "{missing}");
    }
}
