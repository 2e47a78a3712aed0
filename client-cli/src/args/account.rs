//! Arguments of the commands about accounts, tokens and bots.

use adamant_protocol::{UserName, ids::TokenId};
use clap::{Args, Subcommand};

use crate::time_control::read_length;

/// Arguments of `signup`.
#[derive(Debug, Args)]
pub(crate) struct SignupArgs {
    /// The user name: 2 to 20 letters, digits, _ and -
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
    /// Log in as a guest with this name, without an account
    #[arg(long, value_name = "NAME", conflicts_with = "name")]
    pub(crate) guest: Option<String>,
    /// Read the password from the first line of standard input instead of asking
    #[arg(long, conflicts_with = "guest")]
    pub(crate) password_stdin: bool,
}

/// Arguments of `logout`.
#[derive(Debug, Args)]
pub(crate) struct LogoutArgs {
    /// Log out a guest even if it has live games
    #[arg(long)]
    pub(crate) forget: bool,
}

/// Arguments of `switch`.
#[derive(Debug, Args)]
pub(crate) struct SwitchArgs {
    /// A user who has logged in on this machine
    #[arg(value_name = "USER")]
    pub(crate) name: String,
}

/// Arguments of `password`.
#[derive(Debug, Args)]
pub(crate) struct PasswordArgs {
    /// Revoke the tokens of your programs and bots too
    #[arg(long)]
    pub(crate) revoke_all: bool,
    /// Read the old and the new password from the first two lines of standard input
    #[arg(long)]
    pub(crate) password_stdin: bool,
}

/// Commands of `token`.
#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Create a token; it is shown only once
    #[command(after_help = "Examples: adamant token create 'hexbot at home' --bot\n          \
                            adamant token create laptop --expires 90d\n          \
                            adamant token create server --for hexbot")]
    Create(TokenCreateArgs),
    /// List tokens
    #[command(after_help = "Example: adamant token list --for hexbot")]
    List {
        /// List the tokens of a bot of yours
        #[arg(long = "for", value_name = "BOT")]
        bot: Option<UserName>,
    },
    /// Revoke a token and close its sessions
    #[command(after_help = "Example: adamant token revoke t_5f0c21a97be4d310")]
    Revoke {
        /// The token's id, as `token list` shows it
        #[arg(value_name = "TOKEN")]
        id: TokenId,
    },
}

/// Arguments of `token create`.
#[derive(Debug, Args)]
pub(crate) struct TokenCreateArgs {
    /// A label of your choice
    pub(crate) label: String,
    /// Mark its sessions as those of a program
    #[arg(long)]
    pub(crate) bot: bool,
    /// Create it for a bot of yours
    #[arg(long = "for", value_name = "BOT")]
    pub(crate) owner: Option<UserName>,
    /// Let it expire after this time, such as 90d
    #[arg(long, value_name = "TIME", value_parser = read_life)]
    pub(crate) expires: Option<u64>,
}

fn read_life(text: &str) -> Result<u64, &'static str> {
    match read_length(text) {
        Some(ms) if ms > 0 => Ok(ms),
        _ => Err("write a time such as 90d, 12h or 1d12h"),
    }
}

/// Commands of `bot` for bots with accounts of their own.
#[derive(Debug, Subcommand)]
pub(crate) enum BotCommand {
    /// Create an account for a bot that you own
    #[command(after_help = "Example: adamant bot create hexbot\nThen create its token: \
                            adamant token create server --for hexbot")]
    Create {
        /// The bot's user name
        name: UserName,
    },
    /// List your bots
    #[command(after_help = "Example: adamant bot list")]
    List,
}
