//! What a check has found.

use super::sql::SqlError;
use crate::limits::CHECK_FINDINGS_MAX;

#[derive(Debug, Default)]
pub(crate) struct IntegrityReport {
    pub games: u64,
    pub records: u64,
    pub findings: Vec<String>,
    pub found: u64,
    /// Findings are of the downloads, which can be made again.
    pub has_wrong_downloads: bool,
}

impl IntegrityReport {
    pub(crate) fn add_to_downloads(&mut self, finding: String) {
        self.has_wrong_downloads = true;
        self.add(finding);
    }

    pub(crate) fn add(&mut self, finding: String) {
        self.found += 1;
        if self.findings.len() < CHECK_FINDINGS_MAX {
            self.findings.push(finding);
        }
    }
}

/// Returns the error of a shared database, which ends its reads. That of a file is a finding.
pub(super) fn unless_found(error: SqlError) -> Result<SqlError, SqlError> {
    if matches!(error, SqlError::Postgres(_)) { Err(error) } else { Ok(error) }
}
