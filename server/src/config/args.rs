//! The command line.

use std::{net::SocketAddr, num::NonZeroUsize, path::PathBuf, str::FromStr};

use clap::{Args as ClapArgs, Parser, Subcommand};

use super::{DatabaseUrl, LogFormat, network::read_listen};
use crate::{admin_words::AdminRequest, runtime::time::parse_timestamp};

/// Live server for abstract board games: referees games, records them and sends them to clients.
#[derive(Debug, Parser)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own on the command line")]
#[command(
    name = "adamant-server",
    version,
    about,
    after_help = "\
Without options the server listens on 127.0.0.1:7777 and stores its games in ./data.
Play on it with `adamant play`, or open http://127.0.0.1:7777/ in a browser."
)]
pub struct Args {
    /// A task to run instead of the server.
    #[command(subcommand)]
    pub task: Option<Task>,
    /// Address and port to listen on; port 0 takes any free port.
    #[arg(long, value_name = "ADDR", env = "ADAMANT_LISTEN", value_parser = read_listen)]
    pub listen: Option<SocketAddr>,
    /// Data directory; created if it does not exist.
    #[arg(long, value_name = "DIR", env = "ADAMANT_DATA", global = true)]
    pub data: Option<PathBuf>,
    /// PostgreSQL database of several nodes, instead of the embedded store.
    #[arg(
        long,
        value_name = "URL",
        env = "ADAMANT_DATABASE",
        hide_env_values = true,
        global = true
    )]
    pub database: Option<DatabaseUrl>,
    /// Use a database without a synchronous standby: its loss loses acknowledged moves.
    #[arg(long)]
    pub unreplicated: bool,
    /// Configuration file (see --print-config).
    #[arg(long, value_name = "FILE", env = "ADAMANT_CONFIG", global = true)]
    pub config: Option<PathBuf>,
    /// Format of the log.
    #[arg(long, value_name = "FORMAT", env = "ADAMANT_LOG_FORMAT")]
    pub log_format: Option<LogFormat>,
    /// Log level, also per module, such as `info` or `adamant_server=debug`.
    #[arg(long, value_name = "FILTER", env = "ADAMANT_LOG")]
    pub log: Option<String>,
    /// Do not run the server bots.
    #[arg(long)]
    pub no_house: bool,
    /// Do not enforce rate limits and caps per address; only for load tests on one machine.
    #[arg(long)]
    pub no_limits: bool,
    /// Continue without what is damaged: the rest of a WAL, games with a broken chain; for one
    /// start only.
    #[arg(long)]
    pub accept_loss: bool,
    /// Create a database although there is a signing key from an earlier one; for one start only.
    #[arg(long)]
    pub new_database: bool,
    /// Migrate a store of an earlier version without a copy of it; for one start only.
    #[arg(long)]
    pub migrate_without_copy: bool,
    /// Torment one client by this seed, in games against a scripted opponent, and print a verdict;
    /// only on loopback addresses. See docs/CONFORMANCE.md.
    #[arg(
        long,
        value_name = "SEED",
        conflicts_with_all = [
            "database", "config", "unreplicated", "no_house", "no_limits", "accept_loss",
            "new_database", "migrate_without_copy", "check_config", "print_config",
        ]
    )]
    pub chaos: Option<u64>,
    /// With --chaos: short waits, so that a run takes seconds.
    #[arg(long, requires = "chaos")]
    pub fast: bool,
    /// With --chaos: how many games the client plays.
    #[arg(
        long,
        value_name = "N",
        requires = "chaos",
        default_value_t = 4,
        value_parser = clap::value_parser!(u64).range(1..=200)
    )]
    pub games: u64,
    /// With --chaos: print the invitation and the verdict as JSON.
    #[arg(long = "json", id = "chaos_json", requires = "chaos")]
    pub chaos_json: bool,
    /// Print all mistakes in the configuration and exit.
    #[arg(long)]
    pub check_config: bool,
    /// Print the effective configuration as TOML and exit.
    #[arg(long)]
    pub print_config: bool,
}

/// A task to run instead of the server.
#[derive(Debug, Subcommand)]
pub enum Task {
    /// Compute all ratings from the games' records and compare them with the stored ratings
    #[command(after_help = "Exit status 1 if there is a difference.")]
    Ratings(RatingsArgs),
    /// Check the database or a backup: its pages, its WAL, the records of every game, the ratings
    #[command(after_help = "\
Changes nothing; the server may be running. With --data FILE.db it checks a backup.
With --database it checks the games and the ratings of a PostgreSQL database.
Exit status 1 if there are findings.")]
    Check(CheckArgs),
    /// Copy the database to a file and check the copy; the server may be running
    #[command(after_help = "\
Exit status 1 if the copy failed or has a fault; a faulty copy is named FILE.damaged.
To restore a backup, put it as adamant.db into an empty directory.")]
    Backup(BackupArgs),
    /// Copy an embedded store into the PostgreSQL database of --database and verify the copy
    #[command(after_help = "\
The database must be empty, and no server may use either.
The keys stay in the data directory: start the node with the same --data.
Exit status 1 if the copy failed or has a fault.")]
    Import(ImportArgs),
    /// Copy the PostgreSQL database of --database into a data directory and verify the copy
    #[command(after_help = "\
The directory must have no store, and no node may use the database.
Exit status 1 if the copy failed or has a fault.")]
    Export(ExportArgs),
    /// Put a backup into an empty directory, or one of its games into a stopped server's
    #[command(after_help = "\
Checks what it restores. --from is a backup, a data directory or the directory of an export.
With --game it replaces a damaged or lost game; the server of --to must be stopped.
With --until it restores what store.shipping has shipped to the directory --from.
Exit status 1 if nothing is restored, or if the ratings need a rebuild.")]
    Restore(RestoreArgs),
    /// Copy what is whole of a damaged data directory into a new one, and list what is lost
    #[command(after_help = "\
Reads a copy of the files: nothing in the data directory changes. The server must be stopped.
With --data FILE.db it reads a damaged backup. Exit status 1 if anything is lost.")]
    Salvage(SalvageArgs),
    /// Look at configuration, certificate, files, disk, clock, store and reach, and say what to do
    #[command(after_help = "\
Changes nothing; the server may be running.
Exit status 1 if something keeps the server from running or clients from coming.")]
    Doctor(DoctorArgs),
    /// Ask the running server whether it is ready for players
    #[command(after_help = "\
For the health check of a container or a service manager.
Exit status 1 if it is not ready or does not answer; the last line says why.")]
    Health(HealthArgs),
    /// Govern the running server through its socket: users, bans, sign-ups, notices
    #[command(after_help = "\
Only the server's user, the superuser and the group of admin.group may use the socket.
The server keeps every act with its Unix user and its reason: see `audit list`.
Exit status 1 if the server refuses.")]
    Admin(AdminArgs),
}

impl Task {
    /// What to do with a PostgreSQL database instead, for a task on a data directory alone.
    pub const fn advice_on_database(&self) -> Option<&'static str> {
        match self {
            Self::Backup(_) => {
                Some("back it up with PostgreSQL's own tools, or copy it with export")
            }
            Self::Salvage(_) => Some(
                "restore it with PostgreSQL's own tools, or export what can be read, salvage that \
                 with --data, and import it into a new one",
            ),
            _ => None,
        }
    }
}

/// Arguments of `admin`.
#[derive(Debug, ClapArgs)]
pub struct AdminArgs {
    /// The server's socket; without it, the one of the configuration or of --data
    #[arg(long, value_name = "PATH", global = true)]
    pub socket: Option<PathBuf>,
    /// Print the answer as JSON
    #[arg(long, global = true)]
    pub json: bool,
    /// What to do
    #[command(subcommand)]
    pub request: AdminRequest,
}

/// Arguments of `import`.
#[derive(Debug, ClapArgs)]
pub struct ImportArgs {
    /// The data directory of the embedded store
    #[arg(long, value_name = "DIR")]
    pub from: PathBuf,
    /// Use a database without a synchronous standby
    #[arg(long)]
    pub unreplicated: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `export`.
#[derive(Debug, ClapArgs)]
pub struct ExportArgs {
    /// The data directory to write; created if it does not exist
    #[arg(long, value_name = "DIR")]
    pub to: PathBuf,
    /// Use a database without a synchronous standby
    #[arg(long)]
    pub unreplicated: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `doctor`.
#[derive(Debug, ClapArgs)]
pub struct DoctorArgs {
    /// Address and port that the server listens on
    #[arg(long, value_name = "ADDR", value_parser = read_listen)]
    pub listen: Option<SocketAddr>,
    /// Print the findings as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `health`.
#[derive(Debug, ClapArgs)]
pub struct HealthArgs {
    /// Address and port that the server listens on
    #[arg(long, value_name = "ADDR", value_parser = read_listen)]
    pub listen: Option<SocketAddr>,
    /// Print the answer as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `check`.
#[derive(Debug, ClapArgs)]
pub struct CheckArgs {
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `salvage`.
#[derive(Debug, ClapArgs)]
pub struct SalvageArgs {
    /// The data directory to write; created if it does not exist, and empty if it does
    #[arg(long, value_name = "DIR")]
    pub to: PathBuf,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `restore`.
#[derive(Debug, ClapArgs)]
pub struct RestoreArgs {
    /// The backup
    #[arg(long, value_name = "FILE|DIR")]
    pub from: PathBuf,
    /// The data directory to write; without --game it is created or empty
    #[arg(long, value_name = "DIR")]
    pub to: PathBuf,
    /// Restore this game alone
    #[arg(long, value_name = "ID", conflicts_with = "until")]
    pub game: Option<String>,
    /// Restore what was shipped until a time in UTC, such as 2026-11-22T10:11:12Z, or all of it
    #[arg(long, value_name = "TIME|latest")]
    pub until: Option<Until>,
    /// With --until: where a shipped file is missing or damaged, restore what comes before
    #[arg(long = "accept-loss", id = "restore_accept_loss", requires = "until")]
    pub accept_loss: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// The moment until which a shipped store is restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// The last one.
    Latest,
    /// A time in epoch milliseconds.
    Time(u64),
}

impl FromStr for Until {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "latest" {
            return Ok(Self::Latest);
        }
        let why = "give a time in UTC, such as 2026-11-22T10:11:12Z, or latest";
        parse_timestamp(text).map(Self::Time).ok_or(why)
    }
}

impl RestoreArgs {
    /// Whether it reads or writes a database that is no file.
    pub fn is_of_database(&self) -> bool {
        let is_url = |path: &PathBuf| path.to_str().is_some_and(|path| path.contains("://"));
        is_url(&self.from) || is_url(&self.to)
    }
}

/// Arguments of `backup`.
#[derive(Debug, ClapArgs)]
pub struct BackupArgs {
    /// New file to write, or a directory for a file adamant-DATE.db
    #[arg(long, value_name = "FILE|DIR")]
    pub to: PathBuf,
    /// Copy signing.key, signing.pub and vapid.key beside the backup
    #[arg(long)]
    pub with_key: bool,
    /// After a good backup, remove the oldest of the directory that are named by the date, up to N
    #[arg(long, value_name = "N")]
    pub keep: Option<NonZeroUsize>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `ratings`.
#[derive(Debug, ClapArgs)]
pub struct RatingsArgs {
    /// Print the differences; the server may be running
    #[arg(long, required_unless_present = "rebuild", conflicts_with = "rebuild")]
    pub check: bool,
    /// Store the computed ratings; the server must be stopped
    #[arg(long)]
    pub rebuild: bool,
    /// Use a database without a synchronous standby
    #[arg(long)]
    pub unreplicated: bool,
}
