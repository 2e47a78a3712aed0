//! The URL of a database, whose password is never shown.

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

/// The URL of a PostgreSQL database. Logs and `--print-config` show it without its password.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct DatabaseUrl(Box<str>);

impl DatabaseUrl {
    /// Returns the URL with its password.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    pub(super) fn check(&self, mistakes: &mut Vec<String>) {
        if !["postgres://", "postgresql://"].iter().any(|scheme| self.0.starts_with(scheme)) {
            mistakes.push("store.database: must begin with postgres://".to_owned());
        }
    }
}

impl From<String> for DatabaseUrl {
    fn from(url: String) -> Self {
        Self(url.into())
    }
}

impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, rest) = self.0.split_once("://").unwrap_or(("", &self.0));
        write!(f, "{scheme}://")?;
        // A password may also be an option. Options behind it are not shown.
        let rest = rest.split_once("password=").map_or(rest, |(before, _)| before);
        // The hosts begin after the last @: a password that is not escaped may have one, too.
        let hosts = match rest.rsplit_once('@') {
            Some((user, hosts)) => {
                match user.split_once(':') {
                    Some((user, _)) => write!(f, "{user}:***@")?,
                    None => write!(f, "{user}@")?,
                }
                hosts
            }
            None => rest,
        };
        f.write_str(hosts)
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for DatabaseUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_never_shown() {
        let shown = |url: &str| DatabaseUrl::from(url.to_owned()).to_string();
        assert_eq!(
            shown("postgres://ann:se@cret@pg1,pg2:5433/adamant?sslmode=require"),
            "postgres://ann:***@pg1,pg2:5433/adamant?sslmode=require"
        );
        assert_eq!(shown("postgres://ann:se/cret@pg1/adamant"), "postgres://ann:***@pg1/adamant");
        assert_eq!(shown("postgres://ann@pg1/adamant"), "postgres://ann@pg1/adamant");
        assert_eq!(shown("postgres://pg1/adamant"), "postgres://pg1/adamant");
        assert_eq!(
            shown("postgres://pg1/adamant?user=ann&password=secret"),
            "postgres://pg1/adamant?user=ann&"
        );
        assert_eq!(
            shown("postgres://pg1/adamant?password=se@cret&sslmode=disable"),
            "postgres://pg1/adamant?"
        );
    }

    #[test]
    fn another_kind_of_database_is_a_mistake() {
        let mut mistakes = Vec::new();
        DatabaseUrl::from("mysql://pg1/adamant".to_owned()).check(&mut mistakes);
        assert_eq!(mistakes, ["store.database: must begin with postgres://"]);
    }
}
