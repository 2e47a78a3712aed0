//! Moves a whole store between an embedded database and PostgreSQL, and verifies what has arrived.

use std::path::Path;

use adamant_protocol::EventFrame;
use bytes::Bytes;

use super::tasks::{MaintenanceError, StepBar};
use crate::{
    limits::{CHECK_FINDINGS_MAX, TRANSFER_ROWS_AT_ONCE},
    room::GameLoader,
    signing,
    store::{
        ArrivedGame, COPIED, CheckStep, EmbeddedSource, EmbeddedTarget, IntegrityReport, Postgres,
        sqlite::{check_integrity, database_of},
    },
};

/// The result of an import or an export.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct TransferReport {
    /// Rows of tables other than games.
    pub rows: u64,
    /// Games in the target.
    pub games: u64,
    /// Records that continue the chain of their game.
    pub records: u64,
    /// Number of findings.
    pub found: u64,
    /// The first findings, as sentences.
    pub findings: Vec<String>,
}

impl TransferReport {
    fn add(&mut self, finding: String) {
        self.found += 1;
        if self.findings.len() < CHECK_FINDINGS_MAX {
            self.findings.push(finding);
        }
    }

    /// Adds what a check of the target has found.
    fn add_check(&mut self, checked: IntegrityReport) {
        let IntegrityReport { games, records, findings, found } = checked;
        (self.games, self.records) = (games, records);
        self.found += found;
        self.findings.extend(findings);
    }

    /// Whether there are no findings.
    pub const fn is_ok(&self) -> bool {
        self.found == 0
    }

    /// Returns the findings and, last, the counts, one per line.
    pub fn lines(&self) -> Vec<String> {
        let Self { rows, games, records, found, findings } = self;
        let mut lines = findings.clone();
        let shown = findings.len() as u64;
        if *found > shown {
            lines.push(format!("and {} more", found - shown));
        }
        lines.push(format!("{rows} rows, {games} games with {records} records, {found} findings"));
        lines
    }
}

/// Copies an embedded store into an empty database, and verifies the copy. No server may use
/// either.
pub(super) async fn import(from: &Path, to: &Postgres) -> Result<TransferReport, MaintenanceError> {
    let source = EmbeddedSource::open(from)?;
    if !to.is_empty().await? {
        return Err(MaintenanceError::NotEmpty);
    }
    to.begin_import().await?;
    let (mut report, mut bar) = (TransferReport::default(), StepBar::default());
    let mut total = 0;
    for table in COPIED {
        total += source.count(table)?;
    }
    for table in COPIED {
        let mut after = None;
        loop {
            let rows = source.rows(table, after.as_ref(), TRANSFER_ROWS_AT_ONCE)?;
            let Some(last) = rows.last() else { break };
            after = Some(last.clone());
            report.rows += rows.len() as u64;
            to.add_rows(table, rows).await?;
            bar.show(CheckStep::Rows, report.rows, total);
        }
    }
    let arrived = source.arrived()?;
    for (done, found) in (1..).zip(&arrived) {
        match arrived_game(found.archived_seq, source.records(found)?) {
            Ok(game) => to.add_arrived(game).await?,
            Err(why) => report.add(format!("game {} is not imported: {why}", found.game)),
        }
        bar.show(CheckStep::Transfer, done, arrived.len() as u64);
    }
    to.add_public_keys(signing::public_keys(from)?).await?;
    let checked = to.begin_reading().await?;
    report.add_check(checked.check(&mut |step, done, total| bar.show(step, done, total)).await?);
    to.finish_import(source.last_heartbeat()?).await?;
    Ok(report)
}

/// Replays a game, and returns what the rows of the journal lack of it.
fn arrived_game(archived_seq: u64, mut records: Vec<Bytes>) -> Result<ArrivedGame, String> {
    let mut loader = GameLoader::default();
    for record in &records {
        loader.push(record).map_err(|error| error.to_string())?;
    }
    let game = loader.finish().ok_or("it has no records")?;
    let last = records.last().ok_or("it has no records")?;
    let chain = EventFrame::from_bytes(last).map_err(|error| error.to_string())?.chain;
    let (entry, deadline) = (game.entry(), game.deadline());
    let archived = usize::try_from(archived_seq).map_err(|error| error.to_string())?;
    let records = records.split_off(archived.min(records.len()));
    Ok(ArrivedGame { entry, deadline, archived_seq, records, chain })
}

/// Copies a database into a directory without a store, and verifies the copy. No node may use the
/// database.
pub(super) async fn export(from: &Postgres, to: &Path) -> Result<TransferReport, MaintenanceError> {
    let target = EmbeddedTarget::create(to)?;
    let (mut report, mut bar) = (TransferReport::default(), StepBar::default());
    let mut total = 0;
    for table in COPIED {
        total += from.count(table).await?;
    }
    for table in COPIED {
        let mut after = None;
        loop {
            let rows = from.rows(table, after, TRANSFER_ROWS_AT_ONCE).await?;
            let Some(last) = rows.last() else { break };
            after = Some(last.clone());
            report.rows += rows.len() as u64;
            target.add_rows(table, &rows)?;
            bar.show(CheckStep::Rows, report.rows, total);
        }
    }
    target.finish(from.alive_at().await?)?;
    signing::add_public_keys(to, from.public_keys().await?)?;
    let checked = check_integrity(&database_of(to), &mut |step, done, total| {
        bar.show(step, done, total);
    })?;
    report.add_check(checked);
    Ok(report)
}
