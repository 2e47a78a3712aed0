//! The command line and the environment.

use std::{net::SocketAddr, path::PathBuf};

use clap::{Args as ClapArgs, Parser, Subcommand};

use super::{LogFormat, config::Config, network::read_listen};

/// A live server for abstract board games: it referees, records and broadcasts.
#[derive(Debug, Parser)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own on the command line")]
#[command(
    name = "adamant-server",
    version,
    about,
    after_help = "\
Without options it listens on 127.0.0.1:7777 and keeps its games in ./data.
Play on it with `adamant play`, or look at http://127.0.0.1:7777/ in a browser."
)]
pub struct Args {
    /// What to do instead of serving.
    #[command(subcommand)]
    pub task: Option<Task>,

    /// Where to listen; port 0 takes any free one.
    #[arg(long, value_name = "ADDR", env = "ADAMANT_LISTEN", value_parser = read_listen)]
    pub listen: Option<SocketAddr>,

    /// The directory to keep games in; made if it does not exist.
    #[arg(long, value_name = "DIR", env = "ADAMANT_DATA", global = true)]
    pub data: Option<PathBuf>,

    /// A configuration file (see --print-config).
    #[arg(long, value_name = "FILE", env = "ADAMANT_CONFIG", global = true)]
    pub config: Option<PathBuf>,

    /// How to write the log.
    #[arg(long, value_name = "FORMAT", env = "ADAMANT_LOG_FORMAT")]
    pub log_format: Option<LogFormat>,

    /// What to log, such as `info` or `adamant_server=debug`.
    #[arg(long, value_name = "FILTER", env = "ADAMANT_LOG")]
    pub log: Option<String>,

    /// Runs without the house players.
    #[arg(long)]
    pub no_house: bool,

    /// Switches rate limits and per-address caps off: only for load and tests on one machine.
    #[arg(long)]
    pub no_limits: bool,

    /// Goes on after a damaged log without what it no longer gives. For one start only.
    #[arg(long)]
    pub accept_loss: bool,

    /// Checks the configuration, says what is wrong with it, and ends.
    #[arg(long)]
    pub check_config: bool,

    /// Prints the configuration in force, as a file to start from, and ends.
    #[arg(long)]
    pub print_config: bool,
}

/// What to do instead of serving.
#[derive(Debug, Subcommand)]
pub enum Task {
    /// Compute all ratings from scratch, out of the games' records, and compare
    #[command(after_help = "Exit status 1 if anything differs.")]
    Ratings(Ratings),
    /// Check the database, or a backup of it: its pages, its log, every game's records, the ratings
    #[command(
        after_help = "Nothing changes, and a server may be running. With --data FILE.db a backup is checked.
Exit status 1 if anything is wrong."
    )]
    Check(Check),
    /// Copy the database to a file and check the copy; a server may be running
    #[command(
        after_help = "Exit status 1 if the copy failed or anything is wrong with it: then it is called FILE.damaged.
To restore a backup, put it as adamant.db into an empty directory."
    )]
    Backup(Backup),
}

/// Arguments of `check`.
#[derive(Debug, ClapArgs)]
pub struct Check {
    /// Print what was found as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `backup`.
#[derive(Debug, ClapArgs)]
pub struct Backup {
    /// The file to write, which must not exist; or a directory, for adamant-DATE.db in it
    #[arg(long, value_name = "FILE|DIR")]
    pub to: PathBuf,
    /// Copy signing.key and signing.pub beside it
    #[arg(long)]
    pub with_key: bool,
    /// Print what was done as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `ratings`.
#[derive(Debug, ClapArgs)]
#[group(required = true, multiple = false)]
pub struct Ratings {
    /// Name what differs; a server may be running
    #[arg(long)]
    pub check: bool,
    /// Store what was computed; no server may be running
    #[arg(long)]
    pub rebuild: bool,
}

impl Args {
    pub(super) fn override_in(&self, config: &mut Config) {
        if let Some(listen) = self.listen {
            config.network.listen = listen;
        }
        if let Some(data) = &self.data {
            config.store.data.clone_from(data);
        }
        if let Some(format) = self.log_format {
            config.log.format = format;
        }
        if let Some(filter) = &self.log {
            config.log.filter.clone_from(filter);
        }
        #[expect(clippy::disallowed_methods, reason = "this is the one place")]
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        if no_color {
            config.log.colour = false;
        }
        if self.no_house {
            config.games.house = false;
        }
        config.store.accept_loss = self.accept_loss;
        if self.no_limits {
            config.limits.enforced = false;
        }
    }
}
