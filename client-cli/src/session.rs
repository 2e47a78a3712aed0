//! A command's connection to the server: the user it acts as, and the messages that arrive.

use std::time::Duration;

use adamant_client::{
    Address, Client, Config, ConnectError, Inbox, Incoming, Reconnect, RequestError,
};
use adamant_protocol::{
    ErrorCode, GameId, UserName,
    from_client::{Auth, CAP_NAMED, Software},
    to_client::{Me, Welcome},
};
use anyhow::Context as _;
use rand::RngExt as _;

use crate::{
    credentials::{Credentials, Login},
    failure::{CommandResult, ExitStatus, HintedError, NoUserError, UsageError},
    output::{Output, to_stderr},
    settings::Global,
};

/// Sends a request, and returns the reply of this kind, the only one that it expects.
macro_rules! ask {
    ($session:expr, $kind:ident, $request:expr) => {
        match $session.client.request($request).await? {
            adamant_protocol::ToClient::$kind(reply) => reply,
            other => return Err($crate::failure::unexpected_reply(&other).into()),
        }
    };
}
pub(crate) use ask;

/// Number of failed reconnects after which a command that does one thing gives up.
const ATTEMPTS_MAX: u32 = 5;

/// The longest wait for a refused request before a person sees the refusal.
const PATIENCE: Duration = Duration::from_secs(1);

/// The same for a bot.
const BOT_PATIENCE: Duration = Duration::from_mins(1);

/// An open connection. It reconnects by itself; see `adamant_client`.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) client: Client,
    /// Receives messages other than replies.
    pub(crate) inbox: Inbox,
    /// The server's latest `welcome`: the user and the live games.
    pub(crate) welcome: Box<Welcome>,
    /// How results are shown.
    pub(crate) output: Output,
}

/// The user that a command acts as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ActAs {
    /// No user, even if one has logged in.
    Anonymous,
    /// The user who has logged in, or none.
    UserOrAnonymous,
    /// The user who has logged in.
    User,
    /// The user who has logged in, or else a new guest.
    UserOrGuest,
    /// The same, and a new guest too if the log-in is no longer valid.
    UserOrNewGuest,
    /// The program that is the guest of this name, with its stored log-in if there is one.
    GuestBot(UserName),
    /// The owner of these credentials, which are then stored.
    Credentials(Auth),
}

impl Session {
    /// Opens a connection for a command that does one thing.
    pub(crate) async fn open(global: &Global, who: ActAs) -> anyhow::Result<Self> {
        Self::open_for(global, who, Reconnect::Attempts(ATTEMPTS_MAX), PATIENCE, &[]).await
    }

    /// Opens a connection that reconnects until the user ends the command.
    pub(crate) async fn open_persistent(global: &Global, who: ActAs) -> anyhow::Result<Self> {
        Self::open_for(global, who, Reconnect::Forever, PATIENCE, &[]).await
    }

    /// The same for a spectator who wants to be named to the others.
    pub(crate) async fn open_named(global: &Global, who: ActAs) -> anyhow::Result<Self> {
        Self::open_for(global, who, Reconnect::Forever, PATIENCE, &[CAP_NAMED]).await
    }

    /// The same for a bot, which waits as long as the server asks.
    pub(crate) async fn open_bot(global: &Global, who: ActAs) -> anyhow::Result<Self> {
        Self::open_for(global, who, Reconnect::Forever, BOT_PATIENCE, &[]).await
    }

    async fn open_for(
        global: &Global,
        who: ActAs,
        reconnect: Reconnect,
        retry_wait_max: Duration,
        caps: &[&str],
    ) -> anyhow::Result<Self> {
        let output = global.output;
        let address = address(global)?;
        // A bot's guest log-in must not replace the current user.
        let aside = matches!(who, ActAs::GuestBot(_));
        let falls_back = match who {
            ActAs::UserOrAnonymous => Some(Fallback::Anonymous),
            ActAs::UserOrNewGuest => Some(Fallback::Guest),
            _ => None,
        };
        let (auth, known) = auth(global, &address, &who)?;
        // Said until a log-in is remembered.
        if auth.is_some() && known.is_none() && address.is_exposed() {
            to_stderr(format_args!(
                "adamant: {} is not encrypted: whoever is on the way reads what is sent, a password \
                 or token too.",
                address.key()
            ));
        }
        let mut config = Config::new(address.clone());
        config.software = Software {
            name: env!("CARGO_BIN_NAME").into(),
            version: env!("CARGO_PKG_VERSION").into(),
        };
        config.extra_ca.clone_from(&global.ca);
        config.reconnect = reconnect;
        config.retry_wait_max = retry_wait_max;
        config.caps = caps.iter().map(|&cap| cap.into()).collect();
        config.auth = auth;
        let connected = match (Client::connect(config.clone()).await, known) {
            (Err(ConnectError::Refused(failed)), Some(name))
                if failed.code == ErrorCode::Unauthorized =>
            {
                let what = format!("the log-in of {name} at {address} is no longer valid");
                let hint = format!(
                    "`adamant login {name}` logs in again, `adamant logout --as {name}` deletes it."
                );
                match falls_back.filter(|_| global.acting_as.is_none()) {
                    Some(fallback) => {
                        let (auth, how) = fallback.auth(global);
                        to_stderr(format_args!("adamant: {what}; {how}\n{hint}"));
                        config.auth = auth;
                        Client::connect(config).await
                    }
                    None => return Err(HintedError { what, failed, hint }.into()),
                }
            }
            (connected, _) => connected,
        };
        let (client, inbox, welcome) = connected?;
        if let (Some(token), Some(me)) = (&welcome.token, &welcome.user) {
            store_log_in(&address, me, token, aside)?;
            output.message(format_args!("You are {} at {}.", display_name(me), address.key()));
        }
        Ok(Self { client, inbox, welcome, output })
    }

    /// Returns the name of the user at the server.
    pub(crate) fn me(&self) -> Option<&UserName> {
        self.welcome.user.as_ref().map(|me| &me.name)
    }

    /// Returns the name of the user, or an error if there is none.
    pub(crate) fn require_me(&self) -> anyhow::Result<&UserName> {
        self.me().context("the server does not say who you are")
    }

    /// Returns the user's live games as of the latest `welcome`.
    pub(crate) fn live_games(&self) -> Vec<GameId> {
        let mine = self.welcome.games.iter().filter(|game| game.seat.is_some());
        mine.map(|game| game.game.clone()).collect()
    }

    /// Receives the next message. Prints lost connections and waits for the reconnect; a final
    /// disconnect is an error.
    pub(crate) async fn next(&mut self) -> anyhow::Result<Incoming> {
        loop {
            match self.inbox.next().await {
                Some(Incoming::Disconnected { reason, retry_in: Some(wait) }) => {
                    let seconds = wait.as_secs_f32();
                    self.output.message(format_args!("{reason}; reconnecting in {seconds:.1} s"));
                }
                Some(Incoming::Disconnected { reason, retry_in: None }) => {
                    return Err(RequestError::Closed(reason).into());
                }
                Some(Incoming::Connected(welcome)) => {
                    self.output.message("Reconnected.");
                    self.welcome.clone_from(&welcome);
                    return Ok(Incoming::Connected(welcome));
                }
                Some(other) => return Ok(other),
                None => {
                    let reason = adamant_client::DisconnectReason::ClosedHere;
                    return Err(RequestError::Closed(reason).into());
                }
            }
        }
    }

    /// Closes the connection at the end of a command that has done what it should.
    pub(crate) async fn end(self) -> CommandResult {
        self.close().await;
        Ok(ExitStatus::Success)
    }

    /// Closes the connection, so that the server need not wait for a timeout.
    pub(crate) async fn close(self) {
        self.client.close().await;
    }
}

/// How a command continues if its log-in is no longer valid.
#[derive(Debug, Clone, Copy)]
enum Fallback {
    Anonymous,
    Guest,
}

impl Fallback {
    fn auth(self, global: &Global) -> (Option<Auth>, &'static str) {
        match self {
            Self::Anonymous => (None, "continuing without a user."),
            Self::Guest => (Some(new_guest(global)), "continuing as a new guest."),
        }
    }
}

/// The setting that names the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// `--server`
    CommandLine,
    /// `ADAMANT_SERVER`
    Environment,
    File,
    /// The first `login --server`, or the last `switch --server`.
    LogIn,
    /// No setting names one.
    BuiltIn,
}

impl Origin {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::CommandLine => "command line",
            Self::Environment => "ADAMANT_SERVER",
            Self::File => "configuration file",
            Self::LogIn => "first log-in with --server",
            Self::BuiltIn => "built in",
        }
    }
}

/// The server if no setting names one.
const SERVER: &str = "ws://127.0.0.1:7777";

/// Returns the server to connect to.
pub(crate) fn address(global: &Global) -> anyhow::Result<Address> {
    Ok(address_and_origin(global)?.0)
}

/// Returns the server to connect to, and the setting that names it.
pub(crate) fn address_and_origin(global: &Global) -> anyhow::Result<(Address, Origin)> {
    let settings = &global.settings;
    let named = [
        (&global.server, Origin::CommandLine),
        (&settings.server, Origin::Environment),
        (&settings.file.server, Origin::File),
    ];
    let named = named.into_iter().find_map(|(server, origin)| Some((server.clone()?, origin)));
    let (server, origin) = match named {
        Some(named) => named,
        None => match Credentials::open()?.default_server() {
            Some(server) => (server.to_owned(), Origin::LogIn),
            None => (SERVER.to_owned(), Origin::BuiltIn),
        },
    };
    let address = server.parse().map_err(|error| UsageError(format!("{error}")))?;
    Ok((address, origin))
}

/// Returns a hint about log-ins at other servers, after an error that a wrong address may cause.
pub(crate) fn other_logins(global: &Global, error: &anyhow::Error) -> Option<String> {
    let is_wanted = error.is::<NoUserError>()
        || matches!(
            error.downcast_ref(),
            Some(
                ConnectError::Unreachable { .. }
                    | ConnectError::TimedOut { .. }
                    | ConnectError::NotAdamant { .. }
            )
        );
    let (credentials, address) =
        (Credentials::open().ok().filter(|_| is_wanted)?, address(global).ok()?);
    let others = credentials.other_servers(&address);
    let log_ins: Vec<String> =
        others.iter().map(|(server, name)| format!("{name} at {server}")).collect();
    let (_, first) = (log_ins.first()?, others.first()?);
    Some(format!(
        "Other servers have log-ins: {}; `--server {}` connects there.",
        log_ins.join(", "),
        first.0
    ))
}

/// Returns the log-in that a command should use, if any.
pub(crate) fn identity<'a>(
    credentials: &'a Credentials,
    address: &Address,
    global: &Global,
) -> Option<&'a Login> {
    if let Some(name) = &global.acting_as {
        return credentials.identity(address, Some(name));
    }
    let preferred = global.settings.file.user.as_deref();
    preferred
        .and_then(|name| credentials.identity(address, Some(name)))
        .or_else(|| credentials.identity(address, None))
}

fn store_log_in(address: &Address, me: &Me, token: &str, aside: bool) -> anyhow::Result<()> {
    let (name, token) = (me.name.to_string(), token.to_owned());
    Credentials::open()?.add(address, Login { name, token, guest: me.guest }, aside)
}

/// Formats a user's name with its role.
pub(crate) fn display_name(me: &Me) -> String {
    let name = &me.name;
    match (me.guest, me.bot) {
        (true, true) => format!("{name} (guest bot)"),
        (true, false) => format!("{name} (guest)"),
        (false, true) => format!("{name} (bot)"),
        (false, false) => name.to_string(),
    }
}

/// Returns the credentials to send, and the user's name if they are a stored log-in.
fn auth(
    global: &Global,
    address: &Address,
    who: &ActAs,
) -> anyhow::Result<(Option<Auth>, Option<String>)> {
    let credentials = Credentials::open()?;
    let remembered = |identity: &Login| Ok((Some(token(identity)), Some(identity.name.clone())));
    match who {
        ActAs::Anonymous => return Ok((None, None)),
        ActAs::Credentials(auth) => return Ok((Some(auth.clone()), None)),
        ActAs::GuestBot(name) => {
            return match credentials.identity(address, Some(name.as_str())) {
                Some(identity) => remembered(identity),
                None => Ok((Some(Auth::GuestProgram(name.clone())), None)),
            };
        }
        ActAs::UserOrAnonymous | ActAs::User | ActAs::UserOrGuest | ActAs::UserOrNewGuest => {}
    }
    if let Some(token) = global.token() {
        return Ok((Some(Auth::Token(token.into())), None));
    }
    if let Some(identity) = identity(&credentials, address, global) {
        return remembered(identity);
    }
    let others = credentials.users(address);
    let comes_as_guest = matches!(who, ActAs::UserOrGuest | ActAs::UserOrNewGuest);
    let server = address.key();
    match &global.acting_as {
        Some(name) if comes_as_guest => {
            let name = name.parse().map_err(|error| UsageError(format!("{error}")))?;
            Ok((Some(Auth::Guest(name)), None))
        }
        Some(name) => Err(NoUserError(format!(
            "{name} has not logged in at {server}\nLog in with `adamant login {name}`, or as a guest \
             with `adamant login --guest {name}`."
        ))
        .into()),
        None if *who == ActAs::UserOrAnonymous => Ok((None, None)),
        None if !others.is_empty() => Err(NoUserError(format!(
            "several users have logged in at {server}: {}\nChoose one with `adamant switch NAME`, or \
             for this command with --as NAME.",
            others.join(", ")
        ))
        .into()),
        None if comes_as_guest => Ok((Some(new_guest(global)), None)),
        None => Err(NoUserError(format!(
            "you have not logged in at {server}\nLog in with `adamant login NAME`, create an account \
             with `adamant signup NAME`, or log in as a guest with `adamant login --guest NAME`."
        ))
        .into()),
    }
}

fn token(identity: &Login) -> Auth {
    Auth::Token(identity.token.as_str().into())
}

fn new_guest(global: &Global) -> Auth {
    Auth::Guest(guest_name(global.settings.login_name.as_deref()))
}

/// Returns a guest's name: the operating system's user name if usable, and a random number that
/// makes it unlikely to be taken.
fn guest_name(login_name: Option<&str>) -> UserName {
    let usable = |c: &char| c.is_ascii_alphanumeric() || "_-".contains(*c);
    let own: String = login_name.unwrap_or_default().chars().filter(usable).take(12).collect();
    let own = own.trim_start_matches(['_', '-']);
    let own = if own.is_empty() { "guest" } else { own };
    let number = rand::rng().random_range(1000..10_000);
    format!("{own}-{number}").parse().expect("it is short and made of usable characters")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guest_names_are_valid() {
        for (login, begins) in [
            (Some("ann"), "ann-"),
            (Some("Änn O'Neil"), "nnONeil-"),
            (Some("__x"), "x-"),
            (Some("ÄÖÜ"), "guest-"),
            (Some("a-very-long-name-indeed"), "a-very-long--"),
            (None, "guest-"),
        ] {
            let name = guest_name(login);
            assert!(name.as_str().starts_with(begins), "{name}");
        }
    }
}
