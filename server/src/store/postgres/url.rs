//! Where the database is, and how it is reached.

use std::{fmt, fs, io, sync::Arc};

use percent_encoding::percent_decode_str;
use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, pem::PemObject as _},
};
use tokio_postgres::config::{Config, Host, SslMode};

use super::errors::PostgresError;

/// Settings of each connection. None of PostgreSQL's deadlines may cut a commit, because a commit
/// that PostgreSQL stops waiting for is visible and on no standby. The two that are set end the
/// transactions of a node that has stopped or gone, whose locks would stop the other nodes:
/// PostgreSQL applies neither of them while a commit waits for its standby. A statement is planned
/// once for a connection: each has one good plan, and to plan it takes longer than to run it.
const STARTUP_OPTIONS: &str = "-c synchronous_commit=on -c statement_timeout=0 -c lock_timeout=0 \
     -c idle_in_transaction_session_timeout=2s -c client_connection_check_interval=500ms \
     -c tcp_keepalives_idle=5 -c tcp_keepalives_interval=1 -c tcp_keepalives_count=3 \
     -c idle_session_timeout=0 -c default_transaction_isolation=read\\ committed \
     -c default_transaction_read_only=off -c client_min_messages=warning -c timezone=UTC \
     -c plan_cache_mode=force_generic_plan";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DatabaseHost {
    /// The name, the address, or the folder of a Unix socket.
    pub(super) host: Host,
    pub(super) port: u16,
}

impl fmt::Display for DatabaseHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.host {
            Host::Tcp(name) => write!(f, "{name}:{}", self.port),
            Host::Unix(path) => write!(f, "{}", path.display()),
        }
    }
}

/// A URL of a database, with everything that a connection needs. Debug output has no password.
#[derive(Debug, Clone)]
pub(crate) struct PostgresUrl {
    pub(super) hosts: Arc<[DatabaseHost]>,
    pub(super) config: Config,
    pub(super) tls: Option<ClientConfig>,
}

impl PostgresUrl {
    /// Reads a URL such as `postgres://user:password@one:5432,two:5432/name?sslmode=verify-full`,
    /// and the certificates that it names.
    pub(crate) fn parse(text: &str) -> Result<Self, PostgresError> {
        let invalid = |reason: String| PostgresError::Url { reason };
        let (base, query) = text.split_once('?').unwrap_or((text, ""));
        let (mut sslmode, mut root_certificate, mut others) = (None, None, Vec::new());
        for option in query.split('&').filter(|option| !option.is_empty()) {
            match option.split_once('=') {
                Some(("sslmode", value)) => sslmode = Some(value),
                Some(("sslrootcert", value)) => {
                    let path = percent_decode_str(value).decode_utf8();
                    let path = path.map_err(|error| invalid(error.to_string()))?;
                    root_certificate = Some(path.into_owned());
                }
                Some((
                    name @ ("options"
                    | "target_session_attrs"
                    | "load_balance_hosts"
                    | "connect_timeout"
                    | "sslcert"
                    | "sslkey"
                    | "hostaddr"),
                    _,
                )) => return Err(invalid(format!("the server does not support {name}"))),
                _ => others.push(option),
            }
        }
        let rest = if others.is_empty() { String::new() } else { format!("?{}", others.join("&")) };
        let mut config: Config = format!("{base}{rest}")
            .parse()
            .map_err(|error| invalid(super::errors::text_of(&error)))?;
        let hosts = hosts_of(&config).map_err(invalid)?;
        let is_local = hosts.iter().all(|host| is_local(&host.host));
        let tls = match sslmode {
            Some("disable") => None,
            None if is_local => None,
            None | Some("verify-full") => Some(tls_config(root_certificate.as_deref())?),
            Some(other) => {
                let reason = format!(
                    "sslmode is {other:?}, and the server knows verify-full, which checks the \
                     certificate and the name, and disable"
                );
                return Err(invalid(reason));
            }
        };
        config.options(STARTUP_OPTIONS);
        config.ssl_mode(if tls.is_some() { SslMode::Require } else { SslMode::Disable });
        if config.get_user().is_none() {
            return Err(invalid("it names no user".to_owned()));
        }
        if config.get_dbname().is_none() {
            return Err(invalid("it names no database".to_owned()));
        }
        Ok(Self { hosts, config, tls })
    }

    pub(super) fn database(&self) -> &str {
        self.config.get_dbname().unwrap_or_default()
    }

    pub(super) fn user(&self) -> &str {
        self.config.get_user().unwrap_or_default()
    }

    pub(super) fn set_application_name(&mut self, name: &str) {
        self.config.application_name(name);
    }
}

fn hosts_of(config: &Config) -> Result<Arc<[DatabaseHost]>, String> {
    let (hosts, ports) = (config.get_hosts(), config.get_ports());
    if hosts.is_empty() {
        return Err("it names no host".to_owned());
    }
    if ports.len() > 1 && ports.len() != hosts.len() {
        return Err("it has several ports, but not one for each host".to_owned());
    }
    let port = |index: usize| ports.get(index).or(ports.first()).copied().unwrap_or(5432);
    let all = hosts.iter().enumerate();
    Ok(all.map(|(index, host)| DatabaseHost { host: host.clone(), port: port(index) }).collect())
}

/// Whether a host is on this machine, so that no network can read along.
fn is_local(host: &Host) -> bool {
    match host {
        Host::Unix(_) => true,
        Host::Tcp(name) => {
            name == "localhost"
                || name.parse().is_ok_and(|address: std::net::IpAddr| address.is_loopback())
        }
    }
}

/// Trusts the certificates of a file, or those of the machine.
fn tls_config(root_certificate: Option<&str>) -> Result<ClientConfig, PostgresError> {
    let mut roots = RootCertStore::empty();
    if let Some(path) = root_certificate {
        let failed =
            |reason: String| PostgresError::RootCertificate { path: path.to_owned(), reason };
        let pem = fs::read(path).map_err(|error: io::Error| failed(error.to_string()))?;
        for certificate in CertificateDer::pem_slice_iter(&pem) {
            let certificate = certificate.map_err(|error| failed(error.to_string()))?;
            roots.add(certificate).map_err(|error| failed(error.to_string()))?;
        }
        if roots.is_empty() {
            return Err(failed("it has no certificate".to_owned()));
        }
    } else {
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    }
    Ok(ClientConfig::builder().with_root_certificates(roots).with_no_client_auth())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(url: &str) -> String {
        PostgresUrl::parse(url).unwrap_err().to_string()
    }

    #[test]
    fn a_url_names_several_servers() {
        let url = PostgresUrl::parse("postgres://ann:s%40crt@127.0.0.1:1,[::1]:2/games").unwrap();
        let hosts: Vec<String> = url.hosts.iter().map(ToString::to_string).collect();
        assert_eq!(hosts, ["127.0.0.1:1", "::1:2"]);
        assert_eq!((url.user(), url.database()), ("ann", "games"));
        assert_eq!(url.config.get_password(), Some(&b"s@crt"[..]));
        assert!(url.tls.is_none(), "no network is between two programs of a machine");
        assert!(!format!("{url:?}").contains("s@crt"), "the password stays secret");
    }

    #[test]
    fn a_network_is_encrypted_unless_the_url_says_otherwise() {
        let with = |options: &str| {
            let url = format!("postgres://ann@db.example/games{options}");
            PostgresUrl::parse(&url).unwrap().tls.is_some()
        };
        assert!(with(""));
        assert!(with("?sslmode=verify-full"));
        assert!(!with("?sslmode=disable"));
    }

    #[test]
    fn what_is_not_supported_is_named() {
        for mode in ["prefer", "require", "verify-ca"] {
            let reason = reason(&format!("postgres://ann@db/games?sslmode={mode}"));
            assert!(reason.contains(mode) && reason.contains("verify-full"), "{reason}");
        }
        assert!(reason("postgres://ann@db/games?sslkey=x").contains("sslkey"));
        assert!(reason("postgres://ann@db/games?sslrootcert=/not/there").contains("/not/there"));
        assert!(reason("postgres://ann@db").contains("no database"));
        assert!(reason("postgres://db/games").contains("no user"));
        assert!(reason("postgres://ann@db/games?nonsense=1").contains("nonsense"));
    }
}
