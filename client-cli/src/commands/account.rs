//! Accounts, passwords, log-ins and tokens; accounts for bots.

use std::io::BufRead as _;

use adamant_client::RequestError;
use adamant_protocol::{
    ErrorCode, GameId, UserName,
    from_client::{
        AccountClose, Auth, BotCreate, BotList, Logout, MailConfirm, MailGet, MailSet,
        PasswordChange, PasswordMail, PasswordReset, RecoveryCode, Signup, TokenCreate, TokenList,
        TokenRevoke, WebhookDelete, WebhookGet, WebhookSet,
    },
    ids::TokenId,
    to_client::{BotEntry, Mail, TokenEntry, Webhook},
};
use anyhow::Context as _;
use clap::{Args, Subcommand};
use serde_json::json;

use crate::{
    credentials::{Credentials, KnownLogin, Login, reject_token},
    failure::{self, CommandResult, ExitStatus, HintedError, NoUserError, UsageError},
    messages,
    output::{Output, format_table, to_stderr},
    proposal::read_length,
    session::{ActAs, Origin, Session, address, address_and_origin, ask, display_name, identity},
    settings::{self, Global},
};

#[derive(Debug, Args)]
pub(crate) struct SignupArgs {
    /// The user name: 2 to 20 letters, digits, _ and -
    pub(crate) name: String,
    /// The invitation, if the server asks for one
    #[arg(long, value_name = "CODE")]
    pub(crate) invitation: Option<String>,
    /// Read the password from the first line of standard input instead of asking
    #[arg(long)]
    pub(crate) password_stdin: bool,
}

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

#[derive(Debug, Args)]
pub(crate) struct LogoutArgs {
    /// Log out a guest even if it has live games
    #[arg(long)]
    pub(crate) forget: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SwitchArgs {
    /// A user who has logged in on this machine; without it, list them
    #[arg(value_name = "USER")]
    pub(crate) name: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct PasswordArgs {
    /// Revoke the tokens of your programs and bots too
    #[arg(long)]
    pub(crate) revoke_all: bool,
    /// Set a new password for this account with its recovery code, a code from a mail, or one from
    /// the server's operator; all log-ins end
    #[arg(long, value_name = "NAME", conflicts_with = "revoke_all")]
    pub(crate) reset: Option<String>,
    /// Ask for a mail with a code for --reset, to the address of this account
    #[arg(long, value_name = "NAME", conflicts_with_all = ["revoke_all", "reset"])]
    pub(crate) by_mail: Option<UserName>,
    /// Keep the password, and print a new recovery code; the last one ends
    #[arg(long, conflicts_with_all = ["revoke_all", "reset", "by_mail"])]
    pub(crate) recovery_code: bool,
    /// Read the old password, or the code, and the new one from the first two lines of standard
    /// input
    #[arg(long)]
    pub(crate) password_stdin: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CloseAccountArgs {
    /// The name of the account, for certainty
    pub(crate) name: String,
    /// Read the password from the first line of standard input instead of asking
    #[arg(long)]
    pub(crate) password_stdin: bool,
}

/// Creates an account. A guest keeps its games.
pub(super) async fn signup(global: &Global, args: &SignupArgs) -> CommandResult {
    let output = global.output;
    let user = user_name(&args.name)?;
    let password = password(args.password_stdin, PasswordPrompt::Twice)?;
    let session = Session::open(global, signup_as(global)?).await?;
    let was_guest = session.me().map(ToString::to_string);
    let signup = |id| Signup {
        invitation: args.invitation.clone().map(Into::into),
        ..Signup::new(id, user.clone(), password.clone())
    };
    let done = session.client.done(signup).await;
    session.close().await;
    let done = done.map_err(|error| signup_hint(error, was_guest.as_deref(), &user))?;
    let address = address(global)?;
    let mut credentials = Credentials::open()?;
    if let Some(guest) = was_guest {
        credentials.remove(&address, &guest)?;
    }
    let token = done.token.context("the server gave no token with the account")?;
    let identity = Login { name: user.to_string(), token: token.to_string(), guest: false };
    credentials.add(&address, identity, false)?;
    output.message(format_args!("You are {user} at {}.", address.key()));
    tell_recovery(output, done.recovery.as_deref());
    log_in(global, Auth::Token(token)).await
}

/// Prints a recovery code, which nobody can ask for again.
fn tell_recovery(output: Output, code: Option<&str>) {
    let Some(code) = code else { return };
    output.message(format_args!(
        "Recovery code: {code}\nKeep it in a safe place: if you lose your password, `adamant password \
         --reset NAME` sets a new one with it, once."
    ));
}

/// A guest keeps live games under its own name only; the hint names the commands for either wish.
fn signup_hint(error: RequestError, guest: Option<&str>, user: &UserName) -> anyhow::Error {
    match (error, guest) {
        (RequestError::Refused(failed), Some(guest))
            if failed.code == ErrorCode::Forbidden && !user.is_same(guest) =>
        {
            let what = failed.message.to_string();
            let hint = format!(
                "`adamant signup {guest}` turns your guest into an account and keeps its games.\n\
                 `adamant logout --as {guest}` gives the guest up; then `adamant signup {user}` creates a new account."
            );
            HintedError { what, failed, hint }.into()
        }
        (error, _) => error.into(),
    }
}

/// Returns whom to sign up as: the guest who is logged in, but never a user with an account.
fn signup_as(global: &Global) -> anyhow::Result<ActAs> {
    let credentials = Credentials::open()?;
    Ok(match identity(&credentials, &address(global)?, global) {
        Some(identity) if identity.guest => ActAs::User,
        Some(_) | None => ActAs::Anonymous,
    })
}

/// Logs in and stores the log-in.
pub(super) async fn login(global: &Global, args: &LoginArgs) -> CommandResult {
    let auth = match (&args.guest, &args.name) {
        (Some(guest), _) => Auth::Guest(user_name(guest)?),
        (None, Some(name)) => {
            let user = user_name(name)?;
            Auth::Password { user, password: password(args.password_stdin, PasswordPrompt::Once)? }
        }
        (None, None) => return Err(UsageError("a name is missing".to_owned()).into()),
    };
    let status = log_in(global, auth).await?;
    // The first server named on a command line becomes the default.
    let (address, origin) = address_and_origin(global)?;
    let mut credentials = Credentials::open()?;
    let is_first = credentials.default_server().is_none() && global.settings.file.server.is_none();
    if origin == Origin::CommandLine && is_first {
        credentials.set_default_server(&address)?;
        global.output.message(format_args!(
            "Commands go to {} from now on; --server names another.",
            address.key()
        ));
    }
    Ok(status)
}

async fn log_in(global: &Global, auth: Auth) -> CommandResult {
    let session = Session::open(global, ActAs::Credentials(auth)).await?;
    show_me(&session, global)?;
    session.end().await
}

/// Logs out at the server, and deletes the log-in from this machine.
pub(super) async fn logout(global: &Global, args: &LogoutArgs) -> CommandResult {
    let output = global.output;
    let address = address(global)?;
    let mut credentials = Credentials::open()?;
    let Some(known) = identity(&credentials, &address, global).cloned() else {
        let server = address.key();
        let who = match (&global.acting_as, credentials.users(&address).join(", ")) {
            (Some(name), _) => format!("{name} has not logged in at {server}"),
            (None, users) if users.is_empty() => format!("no user has logged in at {server}"),
            (None, users) => {
                format!(
                    "several users have logged in at {server}: {users}\nChoose one with --as NAME."
                )
            }
        };
        return Err(NoUserError(who).into());
    };
    let name = &known.name;
    let opened =
        Session::open(global, ActAs::Credentials(Auth::Token(known.token.as_str().into())));
    let ended = match opened.await {
        Ok(session) => {
            let may_go = !known.guest || args.forget || confirm_forget(&session, name, output)?;
            if !may_go {
                session.close().await;
                output.message(format_args!("{name} stays logged in."));
                return Ok(ExitStatus::Failed);
            }
            // Logging out also closes the session.
            let ended = session.client.done(|id| Logout { id, forget: known.guest }).await;
            session.close().await;
            ended.map(|_| " and ended there").map_err(anyhow::Error::from)
        }
        Err(error) if is_unauthorized(&error) => Ok(""),
        Err(error) if known.guest && !args.forget => {
            return Err(error.context(format!(
                "the server cannot be asked whether {name} has live games (--forget gives the guest up \
                 anyway)"
            )));
        }
        Err(error) => Err(error),
    };
    credentials.remove(&address, name)?;
    let server = address.key();
    if output.json {
        output.line(
            json!({"type": "logged_out", "user": name, "server": server, "ended": ended.is_ok()}),
        )?;
    }
    match ended {
        Ok(how) => output.message(format_args!("The log-in of {name} at {server} is deleted here{how}.")),
        Err(error) => output.message(format_args!(
            "The log-in of {name} at {server} is deleted here, but could not be ended there: {error:#}"
        )),
    }
    match (credentials.identity(&address, None), credentials.users(&address)) {
        (Some(next), _) => output.message(format_args!("You are {} there now.", next.name)),
        (None, others) if !others.is_empty() => output.message(format_args!(
            "Still logged in there: {}; `adamant switch NAME` selects one.",
            others.join(", ")
        )),
        (None, _) => {}
    }
    Ok(ExitStatus::Success)
}

/// Asks whether to give up a guest with live games. A guest cannot return once its log-in has
/// ended.
fn confirm_forget(session: &Session, name: &str, output: Output) -> anyhow::Result<bool> {
    let games = session.live_games();
    if games.is_empty() {
        return Ok(true);
    }
    let ids: Vec<&str> = games.iter().map(GameId::as_str).collect();
    let lost = format!(
        "{name} is a guest with live games: {}; without the log-in neither the name nor the games can \
         be used again",
        ids.join(", ")
    );
    if !output.interactive {
        return Err(UsageError(format!(
            "{lost}\n`adamant signup {name}` turns the guest into an account; `adamant logout --forget` gives it up."
        ))
        .into());
    }
    to_stderr(format_args!("{lost}.\nGive {name} up? [y/N]"));
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

fn is_unauthorized(error: &anyhow::Error) -> bool {
    failure::refusal(error).is_some_and(|failed| failed.code == ErrorCode::Unauthorized)
}

/// Lists the log-ins of this machine.
fn log_ins(output: Output, credentials: &Credentials) -> CommandResult {
    let if_empty = "Nobody has logged in on this machine. `adamant login` does.";
    let row = |login: &KnownLogin| {
        let KnownLogin { server, user, guest, current } = login;
        let kind = if *guest { "guest" } else { "account" };
        let mark = if *current { "current" } else { "" };
        [server.clone(), user.clone(), kind.to_owned(), mark.to_owned()]
    };
    output.list(&credentials.all(), if_empty, ["SERVER", "USER", "KIND", ""], row)?;
    Ok(ExitStatus::Success)
}

/// Makes another log-in the current one. A server named on the command line becomes the default.
pub(super) fn switch(global: &Global, args: &SwitchArgs) -> CommandResult {
    let output = global.output;
    let mut credentials = Credentials::open()?;
    let Some(name) = &args.name else {
        return log_ins(output, &credentials);
    };
    let (address, origin) = address_and_origin(global)?;
    let server = address.key();
    if !credentials.switch(&address, name)? {
        let users = credentials.users(&address).join(", ");
        let there =
            if users.is_empty() { String::new() } else { format!("; logged in there: {users}") };
        return Err(NoUserError(format!("{name} has not logged in at {server}{there}")).into());
    }
    if origin == Origin::CommandLine {
        credentials.set_default_server(&address)?;
    }
    let name = credentials.identity(&address, None).map_or("", |identity| &identity.name);
    if output.json {
        output.line(json!({"type": "switched", "user": name, "server": server}))?;
    }
    output.message(format_args!("You are {name} at {server}."));
    let settings = &global.settings;
    if let Some(other) =
        settings.file.user.as_deref().filter(|user| !user.eq_ignore_ascii_case(name))
    {
        output.message(format_args!(
            "The configuration file sets user = {other:?}, which takes precedence."
        ));
    }
    if origin == Origin::CommandLine
        && let Some(other) = settings.server.as_ref().or(settings.file.server.as_ref())
    {
        output.message(format_args!("Server {other} is set in the environment or the configuration file, which takes precedence."));
    }
    Ok(ExitStatus::Success)
}

/// Prints the settings and where they come from.
pub(super) fn config(global: &Global) -> CommandResult {
    let output = global.output;
    let (address, origin) = address_and_origin(global)?;
    let credentials = Credentials::open()?;
    let file = settings::path()?;
    let user = identity(&credentials, &address, global).map(|identity| identity.name.clone());
    let (server, key) = (address.key(), origin.as_str());
    let color = global.color();
    if output.json {
        output.line(json!({
            "file": file, "credentials": credentials.path(), "server": server, "server_from": key,
            "user": user, "color": color.as_str(), "pager": global.settings.pager(),
        }))?;
        return Ok(ExitStatus::Success);
    }
    let found = if file.exists() { "" } else { " (missing)" };
    let rows = [
        ["file".to_owned(), format!("{}{found}", file.display())],
        ["credentials".to_owned(), credentials.path().display().to_string()],
        ["server".to_owned(), format!("{server} ({key})")],
        ["user".to_owned(), user.unwrap_or_else(|| "none".to_owned())],
        ["color".to_owned(), color.as_str().to_owned()],
        ["pager".to_owned(), global.settings.pager().unwrap_or("none").to_owned()],
    ];
    output.line(format_table(["SETTING", "VALUE"], &rows))?;
    Ok(ExitStatus::Success)
}

/// Prints the user that commands act as.
pub(super) async fn whoami(global: &Global) -> CommandResult {
    let session = Session::open(global, ActAs::UserOrAnonymous).await?;
    show_me(&session, global)?;
    session.end().await
}

fn show_me(session: &Session, global: &Global) -> anyhow::Result<()> {
    let server = address(global)?.to_string();
    let output = session.output;
    match (&session.welcome.user, output.json) {
        (me, true) => output.line(json!({"user": me, "server": server}))?,
        (Some(me), false) => output.line(display_name(me))?,
        (None, false) => output.line("not logged in")?,
    }
    Ok(())
}

pub(super) async fn password_change(global: &Global, args: &PasswordArgs) -> CommandResult {
    if let Some(name) = &args.reset {
        return password_reset(global, user_name(name)?, args.password_stdin).await;
    }
    if let Some(name) = &args.by_mail {
        return password_mail(global, name).await;
    }
    if args.recovery_code {
        return recovery_code(global, args.password_stdin).await;
    }
    let (old, new) = if args.password_stdin {
        (password_line()?, password_line()?)
    } else {
        (ask_password("Old password: ")?, ask_twice("New password: ")?)
    };
    let session = Session::open(global, ActAs::User).await?;
    let revoke_all = args.revoke_all;
    let change = |id| PasswordChange { id, old: old.clone(), new: new.clone(), revoke_all };
    let done = session.client.done(change).await?;
    global.output.done(done, "Your password is changed. Other log-ins have ended.")?;
    session.end().await
}

/// Closes the account at the server, and deletes its log-in from this machine.
pub(super) async fn close_account(global: &Global, args: &CloseAccountArgs) -> CommandResult {
    let output = global.output;
    let session = Session::open(global, ActAs::User).await?;
    let user = session.require_me()?.clone();
    if !user.is_same(&args.name) {
        return Err(UsageError(format!("you are {user} there, not {}", args.name)).into());
    }
    if output.interactive && !args.password_stdin {
        to_stderr(format_args!(
            "This closes {user} and its bots for good: log-ins, settings and talk are deleted.\n\
             Games and ratings stay, and keep the name, which nobody else can take."
        ));
    }
    let password = password(args.password_stdin, PasswordPrompt::Once)?;
    // The server ends the session.
    let done = session.client.done(|id| AccountClose::new(id, password.clone())).await;
    session.close().await;
    let done = done?;
    Credentials::open()?.remove(&address(global)?, user.as_str())?;
    output.done(done, format_args!("The account of {user} is closed."))?;
    Ok(ExitStatus::Success)
}

async fn recovery_code(global: &Global, from_stdin: bool) -> CommandResult {
    let password = password(from_stdin, PasswordPrompt::Once)?;
    let session = Session::open(global, ActAs::User).await?;
    let done = session.client.done(|id| RecoveryCode::new(id, password.clone())).await?;
    let output = global.output;
    if output.json {
        output.reply(done)?;
    } else {
        tell_recovery(output, done.recovery.as_deref());
    }
    session.end().await
}

/// Asks for a mail with a code. The server does not say whether the account has an address.
async fn password_mail(global: &Global, user: &UserName) -> CommandResult {
    let session = Session::open(global, ActAs::Anonymous).await?;
    let done = session.client.done(|id| PasswordMail::new(id, user.clone())).await?;
    let next = format_args!(
        "If {user} has a mail address here, a code is on its way.\n\
         `adamant password --reset {user}` sets a new password with it."
    );
    global.output.done(done, next)?;
    session.end().await
}

/// Commands of `mail`.
#[derive(Debug, Subcommand)]
pub(crate) enum MailCommand {
    /// Set the address; the server sends a code to it
    #[command(after_help = "Example: adamant mail set ann@example.org")]
    Set {
        /// The address
        address: String,
        #[command(flatten)]
        password: MailPassword,
    },
    /// Confirm the address with the code from the mail
    #[command(after_help = "Example: adamant mail confirm k3vq-7a2x-..")]
    Confirm {
        /// The code
        code: String,
    },
    /// Show the address
    #[command(after_help = "Example: adamant mail show")]
    Show,
    /// Delete the address
    #[command(after_help = "Example: adamant mail delete")]
    Delete(MailPassword),
}

#[derive(Debug, Args)]
pub(crate) struct MailPassword {
    /// Read the password from the first line of standard input instead of asking
    #[arg(long)]
    password_stdin: bool,
}

/// Sets, confirms, shows or deletes the mail address of the account.
pub(super) async fn mail(global: &Global, command: &MailCommand) -> CommandResult {
    let session = Session::open(global, ActAs::User).await?;
    let (client, output) = (&session.client, session.output);
    match command {
        MailCommand::Set { address, password: from } => {
            let address: Box<str> = address.as_str().into();
            let password = password(from.password_stdin, PasswordPrompt::Once)?;
            let set =
                |id| MailSet { id, password: password.clone(), address: Some(address.clone()) };
            let done = client.done(set).await?;
            let next = "A code is on its way. `adamant mail confirm CODE` confirms the address.";
            output.done(done, next)?;
        }
        MailCommand::Confirm { code } => {
            let code: Box<str> = code.as_str().into();
            let done = client.done(|id| MailConfirm { id, code: code.clone() }).await?;
            output.done(done, "Your address is confirmed.")?;
        }
        MailCommand::Show => {
            let mail = ask!(session, Mail, |id| MailGet { id });
            if output.json {
                output.reply(mail)?;
            } else {
                output.line(mail_line(&mail))?;
            }
        }
        MailCommand::Delete(from) => {
            let password = password(from.password_stdin, PasswordPrompt::Once)?;
            let delete = |id| MailSet { id, password: password.clone(), address: None };
            let done = client.done(delete).await?;
            output.done(done, "The account has no mail address.")?;
        }
    }
    session.end().await
}

fn mail_line(mail: &Mail) -> String {
    let waiting = |address| format!("{address} waits for its code: adamant mail confirm CODE");
    match (&mail.address, &mail.waiting) {
        (None, None) => "There is no address. `adamant mail set ADDRESS` sets one.".to_owned(),
        (Some(address), None) => address.to_string(),
        (None, Some(address)) => waiting(address),
        (Some(address), Some(next)) => format!("{address}\n{}", waiting(next)),
    }
}

/// Sets a new password with a code, which stands in the place of the old password.
async fn password_reset(global: &Global, user: UserName, from_stdin: bool) -> CommandResult {
    let (code, new) = if from_stdin {
        (password_line()?, password_line()?)
    } else {
        (ask_password("Code: ")?, ask_twice("New password: ")?)
    };
    let session = Session::open(global, ActAs::Anonymous).await?;
    let reset = |id| PasswordReset::new(id, user.clone(), code.clone(), new.clone());
    let done = session.client.done(reset).await?;
    let text = format!(
        "The password of {user} is set, and all log-ins have ended: `adamant login {user}`."
    );
    let recovery = done.recovery.clone();
    global.output.done(done, &text)?;
    tell_recovery(global.output, recovery.as_deref());
    session.end().await
}

fn user_name(text: &str) -> Result<UserName, UsageError> {
    text.parse().map_err(|error| UsageError(format!("{text}: {error}")))
}

/// How often to prompt for a password: a new one twice, against typing errors.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PasswordPrompt {
    Once,
    Twice,
}

fn password(from_stdin: bool, ask: PasswordPrompt) -> anyhow::Result<Box<str>> {
    match (from_stdin, ask) {
        (true, _) => password_line(),
        (false, PasswordPrompt::Once) => ask_password("Password: "),
        (false, PasswordPrompt::Twice) => ask_twice("Password: "),
    }
}

/// Reads a password from the next line of standard input.
fn password_line() -> anyhow::Result<Box<str>> {
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).context("no password can be read")?;
    let password = line.trim_end_matches(['\n', '\r']);
    if password.is_empty() {
        return Err(UsageError("there is no password on standard input".to_owned()).into());
    }
    Ok(password.into())
}

fn ask_password(prompt: &str) -> anyhow::Result<Box<str>> {
    let hint = "there is no terminal to ask for a password; use --password-stdin";
    Ok(rpassword::prompt_password(prompt).context(hint)?.into())
}

fn ask_twice(prompt: &str) -> anyhow::Result<Box<str>> {
    let password = ask_password(prompt)?;
    if ask_password("Again: ")? != password {
        return Err(UsageError("the two passwords differ".to_owned()).into());
    }
    Ok(password)
}

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
pub(super) async fn token(global: &Global, command: &TokenCommand) -> CommandResult {
    if let TokenCommand::Create(args) = command {
        reject_token(&args.label)?;
    }
    let session = Session::open(global, ActAs::User).await?;
    match command {
        TokenCommand::Create(args) => create(&session, args).await?,
        TokenCommand::List { bot } => list(&session, bot.clone()).await?,
        TokenCommand::Revoke { id } => revoke(&session, id).await?,
    }
    session.end().await
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
    let list = ask!(session, Tokens, |id| TokenList { id, user: bot.clone() });
    let if_empty = "There are no tokens. `adamant token create LABEL` creates one.";
    let heading = ["TOKEN", "LABEL", "FOR", "CREATED", "USED", "EXPIRES"];
    let row = |token: &TokenEntry| token_row(token, session.welcome.ts);
    session.output.list(&list.tokens, if_empty, heading, row)
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

pub(super) async fn bots(global: &Global, command: &BotCommand) -> CommandResult {
    let session = Session::open(global, ActAs::User).await?;
    match command {
        BotCommand::Create { name } => {
            let done = session.client.done(|id| BotCreate { id, name: name.clone() }).await?;
            let next = format!("Create its token: adamant token create LABEL --for {name}");
            global.output.done(done, format_args!("{name} is your bot. {next}"))?;
        }
        BotCommand::List => list_bots(&session).await?,
    }
    session.end().await
}

async fn list_bots(session: &Session) -> anyhow::Result<()> {
    let list = ask!(session, Bots, |id| BotList { id });
    let row = |bot: &BotEntry| {
        let created = messages::ago(bot.created, session.welcome.ts);
        [bot.name.to_string(), bot.tokens.to_string(), created]
    };
    let if_empty = "You have no bots. `adamant bot create NAME` creates one.";
    session.output.list(&list.bots, if_empty, ["BOT", "TOKENS", "CREATED"], row)
}

/// Commands of `webhook`.
#[derive(Debug, Subcommand)]
pub(crate) enum WebhookCommand {
    /// Set the URL to which the server sends your notifications; its secret is shown once
    #[command(after_help = "Example: adamant webhook set https://example.org/adamant")]
    Set {
        /// The URL, with https
        url: String,
        #[command(flatten)]
        of: WebhookOwner,
    },
    /// Show the webhook, and how it fares
    #[command(after_help = "Example: adamant webhook show --for hexbot")]
    Show(WebhookOwner),
    /// Delete the webhook
    #[command(after_help = "Example: adamant webhook delete")]
    Delete(WebhookOwner),
}

#[derive(Debug, Args)]
pub(crate) struct WebhookOwner {
    /// Of a bot of yours instead of your own
    #[arg(long = "for", value_name = "BOT")]
    bot: Option<UserName>,
}

/// Sets, shows or deletes a webhook.
pub(super) async fn webhook(global: &Global, command: &WebhookCommand) -> CommandResult {
    let session = Session::open(global, ActAs::User).await?;
    let (client, output) = (&session.client, session.output);
    match command {
        WebhookCommand::Set { url, of } => {
            let url = url.as_str();
            let set = |id| WebhookSet { id, url: url.into(), user: of.bot.clone() };
            let done = client.done(set).await?;
            let secret = done.secret.as_deref().context("the server sent no secret")?;
            if output.json {
                output.reply(done.clone())?;
            } else {
                output.line(secret)?;
                output.message(
                    "Keep this secret, which signs the notifications: it is not shown again.",
                );
            }
        }
        WebhookCommand::Show(of) => {
            let hook = ask!(session, Webhook, |id| WebhookGet { id, user: of.bot.clone() });
            if output.json {
                output.reply(hook)?;
            } else {
                output.line(webhook_line(&hook, session.welcome.ts))?;
            }
        }
        WebhookCommand::Delete(of) => {
            let done = client.done(|id| WebhookDelete { id, user: of.bot.clone() }).await?;
            output.done(done, "The webhook is deleted.")?;
        }
    }
    session.end().await
}

fn webhook_line(hook: &Webhook, now: u64) -> String {
    let Some(url) = &hook.url else {
        return "There is no webhook. `adamant webhook set URL` sets one.".to_owned();
    };
    let set =
        hook.created.map_or_else(String::new, |at| format!(", set {}", messages::ago(at, now)));
    let failures = match (hook.disabled, hook.failures.unwrap_or_default()) {
        (true, _) => ", switched off because it failed too often: set it again".to_owned(),
        (false, 0) => String::new(),
        (false, failures) => format!(", failed {failures} times since the last success"),
    };
    format!("{url}{set}{failures}")
}
