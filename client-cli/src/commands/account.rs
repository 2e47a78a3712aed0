//! Accounts, passwords and log-ins.

use std::io::BufRead as _;

use adamant_client::RequestError;
use adamant_protocol::{
    ErrorCode, GameId, UserName,
    from_client::{Auth, Logout, PasswordChange, Signup},
};
use anyhow::Context as _;
use clap::Args;
use serde_json::json;

use crate::{
    args::Global,
    credentials::{Credentials, Login},
    failure::{self, ExitStatus, HintedError, NoUserError, UsageError},
    output::{Output, format_table, to_stderr},
    session::{ActAs, Origin, Session, address, address_and_origin, display_name, identity},
    settings,
};

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

/// Creates an account. A guest keeps its games.
pub(super) async fn signup(
    global: &Global,
    args: &SignupArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let user = user_name(&args.name)?;
    let password = password(args.password_stdin, PasswordPrompt::Twice)?;
    let session = Session::open(global, signup_as(global)?, output).await?;
    let was_guest = session.me().map(ToString::to_string);
    let signup = |id| Signup { id, user: user.clone(), password: password.clone() };
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
    log_in(global, Auth::Token(token), output).await
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
pub(super) async fn login(
    global: &Global,
    args: &LoginArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let auth = match (&args.guest, &args.name) {
        (Some(guest), _) => Auth::Guest(user_name(guest)?),
        (None, Some(name)) => {
            let user = user_name(name)?;
            Auth::Password { user, password: password(args.password_stdin, PasswordPrompt::Once)? }
        }
        (None, None) => return Err(UsageError("a name is missing".to_owned()).into()),
    };
    let status = log_in(global, auth, output).await?;
    // The first server named on a command line becomes the default.
    let (address, origin) = address_and_origin(global)?;
    let mut credentials = Credentials::open()?;
    let is_first = credentials.default_server().is_none() && global.settings.file.server.is_none();
    if origin == Origin::CommandLine && is_first {
        credentials.set_default_server(&address)?;
        output.message(format_args!(
            "Commands go to {} from now on; --server names another.",
            address.key()
        ));
    }
    Ok(status)
}

async fn log_in(global: &Global, auth: Auth, output: Output) -> anyhow::Result<ExitStatus> {
    let session = Session::open(global, ActAs::Credentials(auth), output).await?;
    show_me(&session, global)?;
    session.close().await;
    Ok(ExitStatus::Success)
}

/// Logs out at the server, and deletes the log-in from this machine.
pub(super) async fn logout(
    global: &Global,
    args: &LogoutArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
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
        Session::open(global, ActAs::Credentials(Auth::Token(known.token.as_str().into())), output);
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

/// Makes another log-in the current one. A server named on the command line becomes the default.
pub(super) fn switch(
    global: &Global,
    args: &SwitchArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let (address, origin) = address_and_origin(global)?;
    let server = address.key();
    let mut credentials = Credentials::open()?;
    if !credentials.switch(&address, &args.name)? {
        let users = credentials.users(&address).join(", ");
        let there =
            if users.is_empty() { String::new() } else { format!("; logged in there: {users}") };
        let name = &args.name;
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
pub(super) fn config(global: &Global, output: Output) -> anyhow::Result<ExitStatus> {
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
pub(super) async fn whoami(global: &Global, output: Output) -> anyhow::Result<ExitStatus> {
    let session = Session::open(global, ActAs::UserOrAnonymous, output).await?;
    show_me(&session, global)?;
    session.close().await;
    Ok(ExitStatus::Success)
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

pub(super) async fn password_change(
    global: &Global,
    args: &PasswordArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let (old, new) = if args.password_stdin {
        (password_line()?, password_line()?)
    } else {
        (ask_password("Old password: ")?, ask_twice("New password: ")?)
    };
    let session = Session::open(global, ActAs::User, output).await?;
    let revoke_all = args.revoke_all;
    let change = |id| PasswordChange { id, old: old.clone(), new: new.clone(), revoke_all };
    let done = session.client.done(change).await?;
    output.done(done, "Your password is changed. Other log-ins have ended.")?;
    session.close().await;
    Ok(ExitStatus::Success)
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
