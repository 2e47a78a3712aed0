//! A command's connection to the server: who one is there, and what the server says unasked.

use adamant_client::{Address, Client, Config, Inbox, Incoming, Reconnect, RequestError};
use adamant_protocol::{
    UserName,
    from_client::{Auth, CAP_NAMED, Software},
    to_client::{Me, Welcome},
};
use rand::RngExt as _;

use crate::{
    args::Global,
    failure::{NobodyError, UsageError},
    output::Output,
    store::{Identity, Store},
};

/// Failed attempts to come back after which a command that does one thing gives up.
const ATTEMPTS_MAX: u32 = 5;

/// An open connection. It resumes by itself; see `adamant_client`.
#[derive(Debug)]
pub(crate) struct Session {
    /// Sends requests.
    pub(crate) client: Client,
    /// Hears what comes unasked.
    pub(crate) inbox: Inbox,
    /// What the server said first, or last: who one is, and the live games.
    pub(crate) welcome: Box<Welcome>,
    /// How results are shown.
    pub(crate) output: Output,
}

/// As whom a command acts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Who {
    /// As nobody, whoever has logged in.
    Nobody,
    /// As whoever has logged in, or as nobody.
    Anyone,
    /// As somebody who has logged in.
    Known,
    /// As somebody who has logged in, or else as a new guest.
    OrGuest,
    /// As the guest of this name, the same as before if it has come before.
    Guest(UserName),
    /// With these credentials, which are to be remembered.
    Anew(Auth),
}

impl Session {
    /// Opens a connection for a command that does one thing.
    pub(crate) async fn open(global: &Global, who: Who, output: Output) -> anyhow::Result<Self> {
        Self::open_for(global, who, Reconnect::Attempts(ATTEMPTS_MAX), &[], output).await
    }

    /// Opens a connection that is to last until the person has enough of it.
    pub(crate) async fn open_long(
        global: &Global,
        who: Who,
        output: Output,
    ) -> anyhow::Result<Self> {
        Self::open_for(global, who, Reconnect::Forever, &[], output).await
    }

    /// The same for somebody who wishes to be named where they watch.
    pub(crate) async fn open_named(
        global: &Global,
        who: Who,
        output: Output,
    ) -> anyhow::Result<Self> {
        Self::open_for(global, who, Reconnect::Forever, &[CAP_NAMED], output).await
    }

    async fn open_for(
        global: &Global,
        who: Who,
        reconnect: Reconnect,
        caps: &[&str],
        output: Output,
    ) -> anyhow::Result<Self> {
        let address = address(global)?;
        // A program's guest does not take the place of the person who starts it.
        let aside = matches!(who, Who::Guest(_));
        let auth = auth(global, &address, who)?;
        let mut config = Config::new(address.clone());
        config.software = Software {
            name: env!("CARGO_BIN_NAME").into(),
            version: env!("CARGO_PKG_VERSION").into(),
        };
        config.extra_ca.clone_from(&global.ca);
        config.reconnect = reconnect;
        config.caps = caps.iter().map(|&cap| cap.into()).collect();
        config.auth = auth;
        let (client, inbox, welcome) = Client::connect(config).await?;
        if let (Some(token), Some(me)) = (&welcome.token, &welcome.user) {
            remember(&address, me, token, aside)?;
            output.say(format_args!("You are {} at {address}.", called(me)));
        }
        Ok(Self { client, inbox, welcome, output })
    }

    /// Who one is at the server.
    pub(crate) fn me(&self) -> Option<&UserName> {
        self.welcome.user.as_ref().map(|me| &me.name)
    }

    /// The next thing heard. Drops are told and outlived; an end for good is an error.
    pub(crate) async fn next(&mut self) -> anyhow::Result<Incoming> {
        loop {
            match self.inbox.next().await {
                Some(Incoming::Disconnected { reason, retry_in: Some(wait) }) => {
                    let seconds = wait.as_secs_f32();
                    self.output.say(format_args!("{reason}; trying again in {seconds:.1} s"));
                }
                Some(Incoming::Disconnected { reason, retry_in: None }) => {
                    return Err(RequestError::Closed(reason).into());
                }
                Some(Incoming::Connected(welcome)) => {
                    self.output.say("Connected again.");
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

    /// Says goodbye, so that the server need not wait for us to fall silent.
    pub(crate) async fn close(self) {
        self.client.close().await;
    }
}

/// The server to talk to.
pub(crate) fn address(global: &Global) -> Result<Address, UsageError> {
    global.server.parse().map_err(|error| UsageError(format!("{error}")))
}

/// Remembers a log-in.
fn remember(address: &Address, me: &Me, token: &str, aside: bool) -> anyhow::Result<()> {
    let (name, token) = (me.name.to_string(), token.to_owned());
    Store::open()?.remember(address, Identity { name, token, guest: me.guest }, aside)
}

/// A user's name, with what is special about it.
pub(crate) fn called(me: &Me) -> String {
    let name = &me.name;
    match (me.guest, me.bot) {
        (true, true) => format!("{name} (a guest's program)"),
        (true, false) => format!("{name} (guest)"),
        (false, true) => format!("{name} (program)"),
        (false, false) => name.to_string(),
    }
}

fn auth(global: &Global, address: &Address, who: Who) -> anyhow::Result<Option<Auth>> {
    match &who {
        Who::Nobody => return Ok(None),
        Who::Anew(auth) => return Ok(Some(auth.clone())),
        Who::Guest(name) => {
            let known = Store::open()?.identity(address, Some(name.as_str())).map(token);
            return Ok(Some(known.unwrap_or_else(|| Auth::Guest(name.clone()))));
        }
        Who::Anyone | Who::Known | Who::OrGuest => {}
    }
    if let Some(token) = &global.token {
        return Ok(Some(Auth::Token(token.as_str().into())));
    }
    if let Some(identity) = Store::open()?.identity(address, global.acting_as.as_deref()) {
        return Ok(Some(token(identity)));
    }
    match (who, &global.acting_as) {
        (Who::OrGuest, Some(name)) => {
            let name = name.parse().map_err(|error| UsageError(format!("{error}")))?;
            Ok(Some(Auth::Guest(name)))
        }
        (_, Some(name)) => Err(NobodyError(format!(
            "{name} has not logged in at {address}\nLog in with `adamant login {name}`, or come as \
             a guest with `adamant login --guest {name}`."
        ))
        .into()),
        (Who::OrGuest, None) => Ok(Some(Auth::Guest(guest_name(global.login_name.as_deref())))),
        (Who::Anyone, None) => Ok(None),
        (_, None) => Err(NobodyError(format!(
            "you have not logged in at {address}\nLog in with `adamant login NAME`, make an account \
             with `adamant signup NAME`, or come as a guest with `adamant login --guest NAME`."
        ))
        .into()),
    }
}

fn token(identity: &Identity) -> Auth {
    Auth::Token(identity.token.as_str().into())
}

/// A guest's name: the person's own where it can be used, and a number that makes it unlikely that
/// somebody has it already.
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
    fn guests_have_usable_names() {
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
