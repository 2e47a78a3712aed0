//! The log-ins of this machine: a file of tokens, by server and name, that only its owner may read.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use adamant_client::Address;
use anyhow::Context as _;
use serde::{Deserialize, Serialize};

use crate::{failure::UsageError, output::to_stderr, settings};

#[derive(Debug)]
pub(crate) struct Credentials {
    path: PathBuf,
    servers: CredentialFile,
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct CredentialFile {
    /// The default server, if no other setting names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    default: Option<String>,
    #[serde(default)]
    servers: BTreeMap<String, ServerLogins>,
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct ServerLogins {
    /// The user whose log-in is used by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    current: Option<String>,
    /// By the name in lower case: names that differ only in case are one user.
    #[serde(default)]
    users: BTreeMap<String, Login>,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Login {
    pub(crate) name: String,
    pub(crate) token: String,
    #[serde(default)]
    pub(crate) guest: bool,
}

impl std::fmt::Debug for Login {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Keeps the token out of logs.
        write!(f, "Login({})", self.name)
    }
}

/// A log-in without its secret.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct KnownLogin {
    pub(crate) server: String,
    pub(crate) user: String,
    pub(crate) guest: bool,
    /// Whether commands for that server act as this user.
    pub(crate) current: bool,
}

impl ServerLogins {
    fn only_user(&self) -> Option<&Login> {
        let mut users = self.users.values();
        users.next().filter(|_| users.next().is_none())
    }
}

impl CredentialFile {
    /// Merges servers that are spelt differently.
    fn merge_spellings(self) -> Self {
        let mut servers: BTreeMap<String, ServerLogins> = BTreeMap::new();
        for (name, server) in self.servers {
            let key = name.parse().map_or(name, |address: Address| address.key());
            let known = servers.entry(key).or_default();
            known.users.extend(server.users);
            known.current = known.current.take().or(server.current);
        }
        Self { default: self.default, servers }
    }
}

impl Credentials {
    /// Reads the file in the user's configuration directory. A missing file means no log-ins.
    pub(crate) fn open() -> anyhow::Result<Self> {
        Self::open_at(settings::folder()?.join("credentials.toml"))
    }

    fn open_at(path: PathBuf) -> anyhow::Result<Self> {
        let servers: CredentialFile = match fs::read_to_string(&path) {
            Ok(text) => {
                toml::from_str(&text).with_context(|| format!("{} is invalid", path.display()))?
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => CredentialFile::default(),
            Err(error) => {
                return Err(error).with_context(|| format!("{} cannot be read", path.display()));
            }
        };
        restrict_permissions(&path);
        Ok(Self { path, servers: servers.merge_spellings() })
    }

    /// Returns the path of the file, which may not exist.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the log-in of that name at a server, or else the current one. A single log-in is
    /// current.
    pub(crate) fn identity(&self, server: &Address, name: Option<&str>) -> Option<&Login> {
        let server = self.servers.servers.get(&server.key())?;
        match name.or(server.current.as_deref()) {
            Some(name) => server.users.get(&name.to_ascii_lowercase()),
            None => server.only_user(),
        }
    }

    /// Returns the users who have logged in at a server.
    pub(crate) fn users(&self, server: &Address) -> Vec<&str> {
        let users = self.servers.servers.get(&server.key()).map(|server| server.users.values());
        users.into_iter().flatten().map(|identity| identity.name.as_str()).collect()
    }

    /// Returns all log-ins, by server and name.
    pub(crate) fn all(&self) -> Vec<KnownLogin> {
        let all = self.servers.servers.iter().flat_map(|(server, logins)| {
            let current = logins.current.as_deref().map(str::to_ascii_lowercase);
            let only = logins.only_user().is_some();
            logins.users.iter().map(move |(key, login)| KnownLogin {
                server: server.clone(),
                user: login.name.clone(),
                guest: login.guest,
                current: only || current.as_ref() == Some(key),
            })
        });
        all.collect()
    }

    /// Returns the other servers with log-ins, each with its current user.
    pub(crate) fn other_servers(&self, server: &Address) -> Vec<(&str, &str)> {
        let here = server.key();
        let others = self.servers.servers.iter().filter(|(key, _)| **key != here);
        others
            .filter_map(|(key, server)| {
                let current = server.current.as_ref().and_then(|name| server.users.get(name));
                let identity = current.or_else(|| server.users.values().next())?;
                Some((key.as_str(), identity.name.as_str()))
            })
            .collect()
    }

    /// Returns the servers with log-ins.
    pub(crate) fn servers(&self) -> impl Iterator<Item = &str> {
        self.servers.servers.keys().map(String::as_str)
    }

    pub(crate) fn default_server(&self) -> Option<&str> {
        self.servers.default.as_deref()
    }

    pub(crate) fn set_default_server(&mut self, server: &Address) -> anyhow::Result<()> {
        self.change(|file| file.default = Some(server.key()))
    }

    /// Makes a log-in the current one. Returns `false` if there is none of that name.
    pub(crate) fn switch(&mut self, server: &Address, name: &str) -> anyhow::Result<bool> {
        let key = name.to_ascii_lowercase();
        self.change(|file| {
            let known = file.servers.get_mut(&server.key());
            let Some(server) = known.filter(|known| known.users.contains_key(&key)) else {
                return false;
            };
            server.current = Some(key);
            true
        })
    }

    /// Stores a log-in and makes it the current one. With `aside`, as for a bot, only if no other
    /// is current.
    pub(crate) fn add(
        &mut self,
        server: &Address,
        identity: Login,
        aside: bool,
    ) -> anyhow::Result<()> {
        let key = identity.name.to_ascii_lowercase();
        self.change(|file| {
            let server = file.servers.entry(server.key()).or_default();
            if !aside || server.current.is_none() {
                server.current = Some(key.clone());
            }
            server.users.insert(key, identity);
        })
    }

    /// Deletes a log-in. Returns `false` if there is none. If it was current, the last one left
    /// becomes current; of several none does.
    pub(crate) fn remove(&mut self, server: &Address, name: &str) -> anyhow::Result<bool> {
        let key = name.to_ascii_lowercase();
        self.change(|file| {
            let Some(server) = file.servers.get_mut(&server.key()) else { return false };
            if server.users.remove(&key).is_none() {
                return false;
            }
            if server.current.as_deref() == Some(&key) {
                server.current = server.only_user().map(|only| only.name.to_ascii_lowercase());
            }
            true
        })
    }

    /// Changes the file as it is now: other programs may have changed it since it was read. A lock
    /// on a file beside it, which stays, keeps them out meanwhile.
    fn change<T>(&mut self, change: impl FnOnce(&mut CredentialFile) -> T) -> anyhow::Result<T> {
        let lock = || {
            if let Some(folder) = self.path.parent() {
                fs::create_dir_all(folder)?;
            }
            let mut options = fs::OpenOptions::new();
            options.write(true).create(true).truncate(true);
            // Whoever can open it can hold the lock.
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            let file = options.open(self.path.with_extension("toml.lock"))?;
            file.lock()?;
            io::Result::Ok(file)
        };
        let lock = lock().with_context(|| format!("{} cannot be locked", self.path.display()))?;
        *self = Self::open_at(self.path.clone())?;
        let before = self.text()?;
        let changed = change(&mut self.servers);
        let after = self.text()?;
        if after != before {
            self.save(&after)?;
        }
        drop(lock);
        Ok(changed)
    }

    fn text(&self) -> anyhow::Result<String> {
        toml::to_string(&self.servers).context("log-ins are plain values")
    }

    /// Writes a new file and renames it, so that a crash leaves the old file or the new one.
    fn save(&self, text: &str) -> anyhow::Result<()> {
        adamant_client::write_private(&self.path, text.as_bytes())
            .with_context(|| format!("{} cannot be written", self.path.display()))
    }
}

/// Restricts a file that other users may read to its owner, and prints a message.
#[cfg(unix)]
fn restrict_permissions(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let Ok(found) = fs::metadata(path) else { return };
    let mode = found.permissions().mode() & 0o777;
    if mode & 0o600 == mode {
        return;
    }
    let shown = path.display();
    match fs::set_permissions(path, fs::Permissions::from_mode(0o600)) {
        Ok(()) => to_stderr(format_args!(
            "{shown} holds your tokens and was readable by other users (mode {mode:04o}); now only you can read it."
        )),
        Err(error) => to_stderr(format_args!(
            "{shown} holds your tokens and is readable by other users (mode {mode:04o}): {error}"
        )),
    }
}

#[cfg(not(unix))]
fn restrict_permissions(_path: &Path) {}

/// The prefix of every token.
const TOKEN_PREFIX: &str = "at_";

/// Number of hexadecimal digits after the prefix that make a text look like a token.
const TOKEN_DIGITS_MIN: usize = 8;

/// Returns an error if a text holds what looks like a token.
pub(crate) fn reject_token(text: &str) -> Result<(), UsageError> {
    if holds_token(text) {
        let why = "this text holds what looks like a token (at_...), which gives access to an account; it was \
                   not sent";
        return Err(UsageError(why.to_owned()));
    }
    Ok(())
}

fn holds_token(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    text.match_indices(TOKEN_PREFIX).any(|(at, prefix)| {
        let digits = text[at + prefix.len()..].bytes();
        digits.take_while(u8::is_ascii_hexdigit).count() >= TOKEN_DIGITS_MIN
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(text: &str) -> Address {
        text.parse().unwrap()
    }

    fn ann(token: &str) -> Login {
        Login { name: "Ann".to_owned(), token: token.to_owned(), guest: false }
    }

    #[test]
    fn log_ins_are_stored_by_server_and_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/credentials.toml");
        let (here, there) = (server("127.0.0.1:7777"), server("wss://a.example"));
        let mut credentials = Credentials::open_at(path.clone()).unwrap();
        assert_eq!(credentials.identity(&here, None), None);
        credentials.add(&here, ann("at_1"), false).unwrap();
        let bob = Login { name: "bob".to_owned(), token: "at_2".to_owned(), guest: true };
        credentials.add(&here, bob.clone(), false).unwrap();
        let program = Login { name: "botty".to_owned(), token: "at_3".to_owned(), guest: true };
        credentials.add(&here, program, true).unwrap();

        let credentials = Credentials::open_at(path).unwrap();
        assert_eq!(
            credentials.identity(&here, None),
            Some(&bob),
            "the latest log-in is the current one"
        );
        assert_eq!(credentials.identity(&here, Some("aNN")), Some(&ann("at_1")));
        assert_eq!(credentials.identity(&there, None), None);
        assert_eq!(credentials.identity(&server("ws://127.0.0.1:7777/"), None), Some(&bob));
    }

    #[test]
    fn log_ins_at_the_same_time_are_all_stored() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("credentials.toml");
        let here = server("127.0.0.1:7777");
        std::thread::scope(|scope| {
            for number in 0..8 {
                let mut credentials = Credentials::open_at(path.clone()).unwrap();
                let here = &here;
                scope.spawn(move || {
                    let name = format!("guest-{number}");
                    let login = Login { name, token: format!("at_{number}"), guest: true };
                    credentials.add(here, login, false).unwrap();
                });
            }
        });
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let lock = fs::metadata(path.with_extension("toml.lock")).unwrap();
            assert_eq!(lock.permissions().mode() & 0o777, 0o600, "nobody else can hold the lock");
        }
        assert_eq!(Credentials::open_at(path).unwrap().users(&here).len(), 8);
    }

    #[test]
    fn a_deleted_log_in_is_removed_from_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("credentials.toml");
        let here = server("127.0.0.1:7777");
        let mut credentials = Credentials::open_at(path.clone()).unwrap();
        credentials.add(&here, ann("at_secret"), false).unwrap();
        assert!(!credentials.remove(&here, "bob").unwrap());
        assert!(credentials.remove(&here, "ann").unwrap());
        assert_eq!(credentials.identity(&here, None), None);
        assert!(!fs::read_to_string(path).unwrap().contains("at_secret"));
    }

    #[test]
    fn spellings_of_one_server_are_merged_and_the_last_log_in_left_is_current() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("credentials.toml");
        fs::write(
            &path,
            "[servers.\"ws://localhost:7777/v1/ws\"]\ncurrent = \"bob\"\n\
             [servers.\"ws://localhost:7777/v1/ws\".users.bob]\nname = \"bob\"\ntoken = \"at_2\"\n",
        )
        .unwrap();
        let here = server("127.0.0.1:7777");
        let mut credentials = Credentials::open_at(path).unwrap();
        credentials.add(&here, ann("at_1"), false).unwrap();
        assert_eq!(credentials.users(&server("localhost:7777")), ["Ann", "bob"]);
        assert!(credentials.switch(&here, "BOB").unwrap());
        assert!(!credentials.switch(&here, "eve").unwrap());
        assert_eq!(credentials.identity(&here, None).unwrap().name, "bob");
        assert!(credentials.remove(&here, "bob").unwrap());
        assert_eq!(credentials.identity(&here, None).unwrap().name, "Ann");
        assert_eq!(credentials.other_servers(&here), []);
        assert_eq!(
            credentials.other_servers(&server("wss://a.example")),
            [("ws://127.0.0.1:7777", "Ann")]
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_readable_file_is_restricted_to_its_owner() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("credentials.toml");
        fs::write(&path, "").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        Credentials::open_at(path.clone()).unwrap();
        assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[cfg(unix)]
    #[test]
    fn a_new_file_is_readable_by_its_owner_only() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("credentials.toml");
        let mut credentials = Credentials::open_at(path.clone()).unwrap();
        credentials.add(&server("127.0.0.1:7777"), ann("at_1"), false).unwrap();
        assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_damaged_file_is_reported_and_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("credentials.toml");
        fs::write(&path, "servers = 7").unwrap();
        let error = Credentials::open_at(path.clone()).unwrap_err();
        assert!(format!("{error:#}").contains("credentials.toml"));
        assert_eq!(fs::read_to_string(path).unwrap(), "servers = 7");
    }

    #[test]
    fn tokens_are_found_anywhere_in_a_text() {
        let token = format!("at_{}", "0f3c".repeat(12));
        for text in [
            token.clone(),
            format!("my token:{token}."),
            token.to_ascii_uppercase(),
            format!("at_{token}"),
            "hello --token at_8f1f00aa".to_owned(),
        ] {
            assert!(holds_token(&text), "{text}");
        }
        for text in ["good luck", "look at_ this", "at_home", "chat_face", "at_12345"] {
            assert!(!holds_token(text), "{text}");
        }
    }
}
