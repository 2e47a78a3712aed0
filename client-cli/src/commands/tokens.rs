//! Tokens for programs, and accounts for bots.

use adamant_protocol::{
    ToClient, UserName,
    from_client::{BotCreate, BotList, TokenCreate, TokenList, TokenRevoke},
    ids::TokenId,
    to_client::{BotEntry, TokenEntry},
};
use anyhow::Context as _;
use clap::{Args, Subcommand};

use crate::{
    args::Global,
    credentials::reject_token,
    failure::{ExitStatus, unexpected_reply},
    messages,
    output::{Output, format_table},
    session::{ActAs, Session},
    time_control::read_length,
};

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

/// Creates, lists or revokes tokens.
pub(super) async fn token(
    global: &Global,
    command: &TokenCommand,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    if let TokenCommand::Create(args) = command {
        reject_token(&args.label)?;
    }
    let session = Session::open(global, ActAs::User, output).await?;
    match command {
        TokenCommand::Create(args) => create(&session, args).await?,
        TokenCommand::List { bot } => list(&session, bot.clone()).await?,
        TokenCommand::Revoke { id } => revoke(&session, id).await?,
    }
    session.close().await;
    Ok(ExitStatus::Success)
}

/// Creates a token and prints its secret, which is shown only once.
async fn create(session: &Session, args: &TokenCreateArgs) -> anyhow::Result<()> {
    let output = session.output;
    let expires = args.expires.map(|life_ms| session.welcome.ts.saturating_add(life_ms));
    let create = |id| TokenCreate {
        id,
        label: args.label.as_str().into(),
        bot: args.bot,
        expires,
        user: args.owner.clone(),
    };
    let done = session.client.done(create).await?;
    let secret = done.token.as_deref().context("the server sent no token")?;
    if output.json {
        output.reply(done.clone())?;
    } else {
        output.line(secret)?;
        output.message(
            "Keep this token: it is not shown again. Programs read it from ADAMANT_TOKEN.",
        );
    }
    Ok(())
}

async fn list(session: &Session, bot: Option<UserName>) -> anyhow::Result<()> {
    let output = session.output;
    let reply = session.client.request(|id| TokenList { id, user: bot.clone() }).await?;
    let ToClient::Tokens(list) = reply else { return Err(unexpected_reply(&reply).into()) };
    if output.json {
        for token in list.tokens {
            output.entry(&token)?;
        }
    } else if list.tokens.is_empty() {
        output.message("There are no tokens. `adamant token create LABEL` creates one.");
    } else {
        let now = session.welcome.ts;
        let rows: Vec<_> = list.tokens.iter().map(|token| token_row(token, now)).collect();
        output
            .line(format_table(["TOKEN", "LABEL", "FOR", "CREATED", "USED", "EXPIRES"], &rows))?;
    }
    Ok(())
}

fn token_row(token: &TokenEntry, now: u64) -> [String; 6] {
    let ends = |at: u64| format!("in {}", messages::span(at.saturating_sub(now)));
    [
        token.token.to_string(),
        token.label.to_string(),
        if token.bot { "a program" } else { "you" }.to_owned(),
        messages::ago(token.created, now),
        if token.current {
            "now".to_owned()
        } else {
            token.last_used.map_or_else(|| "never".to_owned(), |at| messages::ago(at, now))
        },
        token.expires.map_or_else(|| "never".to_owned(), ends),
    ]
}

async fn revoke(session: &Session, token: &TokenId) -> anyhow::Result<()> {
    let done = session.client.done(|id| TokenRevoke { id, token: token.clone() }).await?;
    session.output.done(done, format_args!("{token} is revoked."))?;
    Ok(())
}

/// Creates or lists the user's bots.
pub(super) async fn bots(
    global: &Global,
    command: &BotCommand,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let session = Session::open(global, ActAs::User, output).await?;
    match command {
        BotCommand::Create { name } => {
            let done = session.client.done(|id| BotCreate { id, name: name.clone() }).await?;
            let next = format!("Create its token: adamant token create LABEL --for {name}");
            output.done(done, format_args!("{name} is your bot. {next}"))?;
        }
        BotCommand::List => list_bots(&session).await?,
    }
    session.close().await;
    Ok(ExitStatus::Success)
}

async fn list_bots(session: &Session) -> anyhow::Result<()> {
    let output = session.output;
    let reply = session.client.request(|id| BotList { id }).await?;
    let ToClient::Bots(list) = reply else { return Err(unexpected_reply(&reply).into()) };
    if output.json {
        for bot in list.bots {
            output.entry(&bot)?;
        }
    } else if list.bots.is_empty() {
        output.message("You have no bots. `adamant bot create NAME` creates one.");
    } else {
        let now = session.welcome.ts;
        let row = |bot: &BotEntry| {
            [bot.name.to_string(), bot.tokens.to_string(), messages::ago(bot.created, now)]
        };
        let rows: Vec<_> = list.bots.iter().map(row).collect();
        output.line(format_table(["BOT", "TOKENS", "CREATED"], &rows))?;
    }
    Ok(())
}
