//! Looks at what a server needs: its configuration, certificate, files, disk, clock, store and
//! reach. Says what to do where something is wrong. Changes nothing; a server may be running.

use std::{
    fs, io,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use adamant_protocol::UserName;
use nix::unistd::{AccessFlags, Uid, User, access, geteuid};
use rustls::{
    client::verify_server_name,
    pki_types::{CertificateDer, ServerName},
    server::ParsedCertificate,
};

use crate::{
    config::{Config, LoadedTls, MailConfig, RenamedKey, StoreConfig, TlsConfig},
    health::{self, HealthError},
    limits::{BACKUP_OLD, CERTIFICATE_SOON, DISK_LOW_BYTES},
    maintenance::{self, DatabaseTarget},
    runtime::{
        files,
        time::{TimeSource, date, milliseconds},
    },
    signing::KEY_FILES,
    store::{
        Glance,
        sqlite::{database_of, since_backup},
    },
};

/// How things stand with one subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Nothing is to do.
    Ok,
    /// The server runs, and somebody should look.
    Warning,
    /// The server does not start, or clients cannot come.
    Problem,
}

/// What was found about one subject.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Finding {
    /// What was looked at.
    pub subject: &'static str,
    /// How it stands.
    pub state: State,
    /// What was found, as a sentence without its point.
    pub found: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

impl Finding {
    fn ok(subject: &'static str, found: impl Into<String>) -> Self {
        Self { subject, state: State::Ok, found: found.into(), remedy: None }
    }

    fn warning(subject: &'static str, found: impl Into<String>, remedy: impl Into<String>) -> Self {
        let (found, remedy) = (found.into(), Some(remedy.into()));
        Self { subject, state: State::Warning, found, remedy }
    }

    fn problem(subject: &'static str, found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { state: State::Problem, ..Self::warning(subject, found, remedy) }
    }
}

/// Everything that was found.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Diagnosis {
    /// In the order in which it was looked at.
    pub findings: Vec<Finding>,
}

impl Diagnosis {
    /// Whether nothing keeps the server from running.
    pub fn is_ok(&self) -> bool {
        self.findings.iter().all(|finding| finding.state != State::Problem)
    }

    /// Returns a line for each finding, and one below it that says what to do.
    pub fn lines(&self) -> Vec<String> {
        let lines = self.findings.iter().flat_map(|finding| {
            let Finding { subject, state, found, remedy } = finding;
            let state = match state {
                State::Ok => "ok",
                State::Warning => "warning",
                State::Problem => "PROBLEM",
            };
            let remedy = remedy.iter().map(|remedy| format!("{:24}{remedy}", ""));
            std::iter::once(format!("{state:<8} {subject:<14} {found}")).chain(remedy)
        });
        lines.collect()
    }
}

/// Looks at everything.
pub fn examine(config: &Config) -> Diagnosis {
    let mut findings = of_configuration(config);
    if findings.is_empty() {
        findings.push(Finding::ok("configuration", "is valid"));
    }
    findings.extend(certificate(config));
    findings.extend(directory(&config.store.data));
    findings.push(disk(&config.store.data));
    findings.extend(second_place(&config.store));
    findings.extend(mail(&config.mail));
    findings.extend(clock());
    findings.extend(store(config));
    findings.push(reach(config));
    Diagnosis { findings }
}

/// Returns what in a valid configuration an operator has hardly meant.
pub fn of_configuration(config: &Config) -> Vec<Finding> {
    let renamed = config.renamed_keys.iter().map(|RenamedKey { old, new, line }| {
        let found = format!("{old} (line {line}) has another name now");
        Finding::warning("configuration", found, format!("name it {new}"))
    });
    let mut findings: Vec<_> = renamed.collect();
    if config.network.is_plain_text() {
        findings.push(Finding::warning(
            "encryption",
            format!("passwords cross the network unencrypted to {}", config.network.listen),
            "set network.tls, or name the proxy that encrypts in network.trusted_proxies",
        ));
    }
    if !config.limits.enforced {
        findings.push(Finding::warning(
            "limits",
            "rates and caps are not enforced",
            "leave --no-limits out",
        ));
    }
    findings
}

/// Returns what is wrong with the certificate, or until when it is good.
pub fn certificate(config: &Config) -> Vec<Finding> {
    let Some(Ok(loaded)) = config.network.tls.as_ref().map(TlsConfig::load) else {
        return Vec::new();
    };
    let unnamed = config.network.hosts.iter().filter(|host| !is_for(&loaded.certificate, host));
    let unnamed = unnamed.map(|host| {
        let found = format!("is not for {host}, which network.hosts names");
        Finding::warning(CERTIFICATE, found, "have one issued for all names of the server")
    });
    unnamed.chain(expiry(&loaded)).collect()
}

const CERTIFICATE: &str = "certificate";

fn is_for(certificate: &CertificateDer<'_>, host: &str) -> bool {
    let parsed = ParsedCertificate::try_from(certificate);
    let name = ServerName::try_from(host);
    matches!((parsed, name), (Ok(parsed), Ok(name)) if verify_server_name(&parsed, &name).is_ok())
}

fn expiry(loaded: &LoadedTls) -> Option<Finding> {
    let (expires_at, now_ms) = (loaded.expires_at?, TimeSource::from_system().now_ms());
    let left_ms = expires_at.saturating_sub(now_ms);
    let on = date(expires_at);
    let remedy = "renew it, then reload the server: systemctl reload adamant";
    Some(if left_ms == 0 {
        Finding::problem(CERTIFICATE, format!("expired on {on}"), remedy)
    } else if left_ms < milliseconds(CERTIFICATE_SOON) {
        Finding::warning(CERTIFICATE, format!("expires on {on}"), remedy)
    } else {
        Finding::ok(CERTIFICATE, format!("is good until {on}"))
    })
}

const FILES: &str = "files";

/// Looks at who owns the data directory and its files, and who may read them.
fn directory(data: &Path) -> Vec<Finding> {
    let owner = match fs::metadata(data) {
        Ok(found) => Uid::from_raw(found.uid()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let found = format!("{} does not exist: the first start creates it", data.display());
            return vec![Finding::ok(FILES, found)];
        }
        Err(error) => {
            let found = format!("{}: {error}", data.display());
            return vec![Finding::problem(FILES, found, "run doctor as the server's user")];
        }
    };
    let mut findings = Vec::new();
    if geteuid() != owner && !geteuid().is_root() {
        let (owner, user) = (name_of(owner), name_of(geteuid()));
        let found = format!("{} belongs to {owner}, and this is {user}", data.display());
        findings.push(Finding::problem(FILES, found, format!("run doctor as {owner}")));
    }
    for path in files_in(data) {
        let Ok(found) = fs::metadata(&path) else { continue };
        let (path, of_file) = (path.display(), Uid::from_raw(found.uid()));
        if of_file != owner {
            let (owner, of_file) = (name_of(owner), name_of(of_file));
            let found = format!("{path} belongs to {of_file}, and its directory to {owner}");
            findings.push(Finding::problem(FILES, found, format!("chown {owner}: {path}")));
        }
        if found.mode() & 0o077 != 0 {
            let found = format!("other users may read {path}");
            findings.push(Finding::warning(FILES, found, format!("chmod 600 {path}")));
        }
    }
    if findings.is_empty() {
        let found = format!("{} and its files belong to {}", data.display(), name_of(owner));
        findings.push(Finding::ok(FILES, found));
    }
    findings
}

/// The database with its WAL, and the secret keys. The public key is for everybody.
fn files_in(data: &Path) -> Vec<PathBuf> {
    let database = database_of(data);
    let mut wal = database.clone().into_os_string();
    wal.push("-wal");
    let keys = KEY_FILES.iter().map(|name| data.join(name));
    let secret = keys.filter(|path| path.extension().is_none_or(|end| end != "pub"));
    [database, wal.into()].into_iter().chain(secret).collect()
}

fn name_of(user: Uid) -> String {
    let found = User::from_uid(user).ok().flatten();
    found.map_or_else(|| user.to_string(), |user| user.name)
}

fn disk(data: &Path) -> Finding {
    let existing = data.ancestors().find(|path| path.is_dir()).unwrap_or_else(|| Path::new("."));
    match files::free_bytes(existing) {
        Some(free) if free < DISK_LOW_BYTES => {
            let found = format!("{} MiB are free", free >> 20);
            Finding::warning("disk", found, "free space: without any, the server is read-only")
        }
        Some(free) => Finding::ok("disk", format!("{} GiB are free", free >> 30)),
        None => Finding::ok("disk", "the system does not say how much is free"),
    }
}

const SECOND_PLACE: &str = "second place";

/// Looks at where the store is shipped to.
pub fn second_place(store: &StoreConfig) -> Option<Finding> {
    let shipping = &store.shipping;
    if let [program, ..] = &shipping.command[..] {
        return Some(if is_program(program) {
            Finding::ok(SECOND_PLACE, format!("{program} is there"))
        } else {
            let found = format!("{program} is no program that can be run");
            Finding::problem(SECOND_PLACE, found, "correct store.shipping.command")
        });
    }
    let directory = shipping.directory.as_ref()?;
    let shown = directory.display();
    Some(match fs::metadata(directory) {
        Err(error) => Finding::problem(
            SECOND_PLACE,
            format!("{shown}: {error}"),
            "mount the share, or create the directory for the server's user",
        ),
        Ok(found) if !found.is_dir() => {
            let remedy = "name a directory in store.shipping.directory";
            Finding::problem(SECOND_PLACE, format!("{shown} is no directory"), remedy)
        }
        Ok(_) if access(directory, AccessFlags::W_OK | AccessFlags::X_OK).is_err() => {
            let found = format!("{} may not write in {shown}", name_of(geteuid()));
            Finding::problem(SECOND_PLACE, found, "give the directory to the server's user")
        }
        Ok(found) if fs::metadata(&store.data).is_ok_and(|data| data.dev() == found.dev()) => {
            let found = format!("{shown} is on the disk of the data directory, and lost with it");
            Finding::warning(SECOND_PLACE, found, "mount a share of another machine there")
        }
        Ok(_) => Finding::ok(SECOND_PLACE, format!("{shown} is on another disk")),
    })
}

fn mail(config: &MailConfig) -> Option<Finding> {
    let program = config.command.first()?;
    Some(if is_program(program) {
        Finding::ok("mail", format!("{program} is there"))
    } else {
        let found = format!("{program} is no program that can be run");
        Finding::problem("mail", found, "correct mail.command")
    })
}

/// Whether a program can be run: one without a slash is looked for like any command.
fn is_program(program: &str) -> bool {
    if program.contains('/') {
        return access(program, AccessFlags::X_OK).is_ok();
    }
    let found = Command::new("sh").args(["-c", "command -v -- \"$1\"", "sh", program]).output();
    found.is_ok_and(|found| found.status.success())
}

/// Asks the machine whether its clock is set by others. Says nothing where nobody knows.
fn clock() -> Option<Finding> {
    let mut asked = Command::new("timedatectl");
    let asked = asked.args(["show", "--property=NTPSynchronized", "--value"]).output().ok()?;
    match str::from_utf8(&asked.stdout).ok()?.trim() {
        "yes" => Some(Finding::ok("clock", "is synchronized")),
        "no" => Some(Finding::warning(
            "clock",
            "is not synchronized",
            "start a time service: apt-get install systemd-timesyncd",
        )),
        _ => None,
    }
}

const STORE: &str = "store";

fn store(config: &Config) -> Vec<Finding> {
    let store = &config.store;
    let moderators = config.talk.moderator_names();
    if let Some(url) = &store.database {
        let target = DatabaseTarget { url: url.reveal(), is_unreplicated: store.unreplicated };
        return match maintenance::look_at_database(target, &moderators) {
            Ok(glance) => described(&glance),
            Err(error) => {
                let remedy = "docs/CLUSTER.md says what the database needs";
                vec![Finding::problem(STORE, error.to_string(), remedy)]
            }
        };
    }
    let database = database_of(&store.data);
    if !database.exists() {
        let found = format!("{} does not exist: the first start creates it", database.display());
        return vec![Finding::ok(STORE, found)];
    }
    let mut findings = match maintenance::look_at(&store.data, &moderators) {
        Ok(glance) => described(&glance),
        Err(error) => {
            let remedy = "adamant-server check says what is damaged";
            vec![Finding::problem(STORE, error.to_string(), remedy)]
        }
    };
    findings.push(backup(&store.data));
    findings
}

fn described(Glance { users, live_games, moderators_unknown }: &Glance) -> Vec<Finding> {
    let found = format!("{users} users, {live_games} live games");
    let mut findings = vec![Finding::ok(STORE, found)];
    findings.extend(unknown(moderators_unknown));
    findings
}

fn unknown(moderators: &[UserName]) -> impl Iterator<Item = Finding> {
    moderators.iter().map(|name| {
        let found = format!("{name} has no account: whoever signs up under the name moderates");
        Finding::warning("moderators", found, "sign up, or take it out of talk.moderators")
    })
}

/// Returns the configured moderators who have no account; none if the store cannot be read.
pub fn moderators(config: &Config) -> Vec<Finding> {
    let moderators = config.talk.moderator_names();
    if moderators.is_empty() {
        return Vec::new();
    }
    let found = store(config).into_iter().filter(|finding| finding.subject == "moderators");
    found.collect()
}

fn backup(data: &Path) -> Finding {
    let remedy = "every day: adamant-server backup --to DIRECTORY --keep 7";
    match since_backup(data).map(Duration::from_secs) {
        None => Finding::warning("backup", "there has never been one", remedy),
        Some(age) if age > BACKUP_OLD => {
            let found = format!("the last one is {} days old", age.as_secs() / 86_400);
            Finding::warning("backup", found, remedy)
        }
        Some(age) => {
            Finding::ok("backup", format!("the last one is {} hours old", age.as_secs() / 3600))
        }
    }
}

fn reach(config: &Config) -> Finding {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let asked = runtime.map(|runtime| runtime.block_on(health::ask(&config.network)));
    match asked {
        Ok(Ok(health)) if health.ready => {
            Finding::ok("server", format!("is ready on {}", config.network.listen))
        }
        Ok(Ok(health)) => Finding::problem(
            "server",
            health.says,
            "docs/OPERATIONS.md says what each reason means",
        ),
        Ok(Err(error)) => {
            let remedy = match &error {
                HealthError::Unreachable { .. } => "systemctl start adamant",
                HealthError::Handshake { .. } => "systemctl reload adamant",
                HealthError::TimedOut { .. } | HealthError::Http { .. } | HealthError::Tls(_) => {
                    "look for the program on that port: ss -ltnp"
                }
            };
            Finding::warning("server", error.to_string(), remedy)
        }
        Err(error) => Finding::problem("server", error.to_string(), "free memory or threads"),
    }
}
