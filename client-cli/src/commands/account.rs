//! Who one is: accounts, passwords and log-ins.

use std::io::BufRead as _;

use adamant_protocol::{
    UserName,
    from_client::{Auth, PasswordChange, Signup},
};
use anyhow::Context as _;
use serde_json::json;

use crate::{
    args::{Global, LoginArgs, PasswordArgs, SignupArgs},
    exit::ExitStatus,
    failure::{NobodyError, UsageError},
    output::Output,
    session::{Session, Who, address, called},
    store::{Identity, Store},
};

/// Makes an account. A guest's games stay theirs.
pub(super) async fn signup(
    global: &Global,
    args: &SignupArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let user = user_name(&args.name)?;
    let password = password(args.password_stdin, Ask::Twice)?;
    let session = Session::open(global, as_guest(global)?, output).await?;
    let was_guest = session.me().map(ToString::to_string);
    let signup = |id| Signup { id, user: user.clone(), password: password.clone() };
    let done = session.client.done(signup).await?;
    session.close().await;
    let address = address(global)?;
    let mut store = Store::open()?;
    if let Some(guest) = was_guest {
        store.forget(&address, &guest)?;
    }
    let token = done.token.context("the server gave no token with the account")?;
    let identity = Identity { name: user.to_string(), token: token.to_string(), guest: false };
    store.remember(&address, identity, false)?;
    output.say(format_args!("You are {user} at {address}."));
    log_in(global, Auth::Token(token), output).await
}

/// Signing up makes an account of a guest, but never a second one of an account.
fn as_guest(global: &Global) -> anyhow::Result<Who> {
    let store = Store::open()?;
    let identity = store.identity(&address(global)?, global.acting_as.as_deref());
    Ok(match identity {
        Some(identity) if identity.guest => Who::Known,
        Some(_) | None => Who::Nobody,
    })
}

/// Logs in and remembers it.
pub(super) async fn login(
    global: &Global,
    args: &LoginArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let auth = match (&args.guest, &args.name) {
        (Some(guest), _) => Auth::Guest(user_name(guest)?),
        (None, Some(name)) => {
            let user = user_name(name)?;
            Auth::Password { user, password: password(args.password_stdin, Ask::Once)? }
        }
        (None, None) => return Err(UsageError("a name is missing".to_owned()).into()),
    };
    log_in(global, auth, output).await
}

async fn log_in(global: &Global, auth: Auth, output: Output) -> anyhow::Result<ExitStatus> {
    let session = Session::open(global, Who::Anew(auth), output).await?;
    show_me(&session, global)?;
    session.close().await;
    Ok(ExitStatus::Success)
}

/// Forgets a log-in.
pub(super) fn logout(global: &Global, output: Output) -> anyhow::Result<ExitStatus> {
    let address = address(global)?;
    let mut store = Store::open()?;
    let name =
        store.identity(&address, global.acting_as.as_deref()).map(|known| known.name.clone());
    let Some(name) = name else {
        return Err(NobodyError(format!("nobody has logged in at {address}")).into());
    };
    store.forget(&address, &name)?;
    output.say(format_args!("{name} is forgotten at {address}."));
    Ok(ExitStatus::Success)
}

/// Says who one is.
pub(super) async fn whoami(global: &Global, output: Output) -> anyhow::Result<ExitStatus> {
    let session = Session::open(global, Who::Anyone, output).await?;
    show_me(&session, global)?;
    session.close().await;
    Ok(ExitStatus::Success)
}

fn show_me(session: &Session, global: &Global) -> anyhow::Result<()> {
    let address = address(global)?;
    let output = session.output;
    match (&session.welcome.user, output.json) {
        (me, true) => {
            let server = address.to_string();
            output.line(json!({"user": me, "server": server}))?;
        }
        (Some(me), false) => output.line(called(me))?,
        (None, false) => output.line("nobody")?,
    }
    Ok(())
}

/// Changes the password.
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
    let session = Session::open(global, Who::Known, output).await?;
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

/// How often a password is asked for: a new one twice, against slips.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ask {
    Once,
    Twice,
}

fn password(from_stdin: bool, ask: Ask) -> anyhow::Result<Box<str>> {
    match (from_stdin, ask) {
        (true, _) => password_line(),
        (false, Ask::Once) => ask_password("Password: "),
        (false, Ask::Twice) => ask_twice("Password: "),
    }
}

/// The next line of standard input.
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
    let hint = "a password cannot be asked for here; use --password-stdin";
    Ok(rpassword::prompt_password(prompt).context(hint)?.into())
}

fn ask_twice(prompt: &str) -> anyhow::Result<Box<str>> {
    let password = ask_password(prompt)?;
    if ask_password("Again: ")? != password {
        return Err(UsageError("the two passwords differ".to_owned()).into());
    }
    Ok(password)
}
