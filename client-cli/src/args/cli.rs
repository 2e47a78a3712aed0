//! The command line as a whole.

use std::ffi::OsString;

use clap::{CommandFactory as _, FromArgMatches as _, Parser};

use super::{command::Command, global::Global, groups, option_file, spelling::normalize_args};

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
    /// Options of every command.
    #[command(flatten)]
    pub(crate) global: Global,
}

impl Cli {
    /// Returns the clap command, with the subcommands in groups.
    pub(crate) fn program() -> clap::Command {
        let program = Self::command();
        let groups = groups::list(&program);
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
            let words = option_file::insert(words, command, path)
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
