//! Moves a whole store between an embedded database and PostgreSQL, and verifies what has arrived.

use std::path::Path;

use adamant_protocol::{EventFrame, GameId};

use super::{error::MaintenanceError, progress::StepBar};
use crate::{
    limits::{CHECK_FINDINGS_MAX, TRANSFER_GAMES_AT_ONCE, TRANSFER_ROWS_AT_ONCE},
    room::GameLoader,
    signing,
    store::{
        CheckStep, EmbeddedSource, EmbeddedTarget, ImportedGame, IntegrityReport, Postgres,
        StoredSeek, TRANSFER_TABLES, TransferGame,
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
    for table in TRANSFER_TABLES {
        total += source.count(table)?;
    }
    for table in TRANSFER_TABLES {
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
    to.add_public_keys(signing::public_keys(from)?).await?;
    to.add_seeks(read_seeks(source.seeks()?, &mut report)).await?;
    let (games, in_journal) = (source.games()?, source.journal_rows()?);
    let mut done = 0;
    for some in games.chunks(TRANSFER_GAMES_AT_ONCE) {
        let mut imported = Vec::with_capacity(some.len());
        for game in some {
            match imported_game(source.game(game, &in_journal)?) {
                Ok(game) => imported.push(game),
                Err(why) => report.add(format!("game {game} is not imported: {why}")),
            }
        }
        to.add_games(imported).await?;
        done += some.len() as u64;
        bar.show(CheckStep::Transfer, done, games.len() as u64);
    }
    let checked = to.begin_reading().await?;
    report.add_check(checked.check(&mut |step, done, total| bar.show(step, done, total)).await?);
    to.finish_import(source.last_heartbeat()?).await?;
    Ok(report)
}

fn read_seeks(texts: Vec<String>, report: &mut TransferReport) -> Vec<StoredSeek> {
    let read = |text: String| {
        let seek = serde_json::from_str(&text);
        seek.map_err(|error| report.add(format!("a seek is not imported: {error}"))).ok()
    };
    texts.into_iter().filter_map(read).collect()
}

/// Replays a game, and adds what the embedded store does not keep of a live one.
fn imported_game(found: TransferGame) -> Result<ImportedGame, String> {
    let TransferGame { game, entry, is_finished, deadline, records } = found;
    let mut loader = GameLoader::default();
    for record in &records {
        loader.push(record).map_err(|error| error.to_string())?;
    }
    let game_at_end = loader.finish().ok_or("it has no records")?;
    let last = records.last().ok_or("it has no records")?;
    let chain = EventFrame::from_bytes(last).map_err(|error| error.to_string())?.chain;
    let replayed = game_at_end.entry();
    if replayed.game != game {
        return Err(format!("its records belong to game {}", replayed.game));
    }
    let deadline = deadline.or_else(|| game_at_end.deadline()).filter(|_| !is_finished);
    let entry = entry.unwrap_or(replayed);
    Ok(ImportedGame { entry, is_finished, deadline, chain, records })
}

/// Copies a database into a directory without a store, and verifies the copy. No node may use the
/// database.
pub(super) async fn export(from: &Postgres, to: &Path) -> Result<TransferReport, MaintenanceError> {
    let target = EmbeddedTarget::create(to)?;
    let (mut report, mut bar) = (TransferReport::default(), StepBar::default());
    for table in TRANSFER_TABLES.iter().filter(|table| !table.is_derived) {
        let mut after = None;
        loop {
            let rows = from.rows(table, after, TRANSFER_ROWS_AT_ONCE).await?;
            let Some(last) = rows.last() else { break };
            after = Some(last.clone());
            report.rows += rows.len() as u64;
            target.add_rows(table, &rows)?;
            bar.show(CheckStep::Rows, 0, 0);
        }
    }
    for seek in from.lasting_seeks().await? {
        target.add_seek(&seek)?;
    }
    let games = from.count_games().await?;
    let (mut after, mut done): (Option<GameId>, u64) = (None, 0);
    loop {
        let page = from.games_after(after, TRANSFER_GAMES_AT_ONCE).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.game.clone());
        for game in &page {
            target.add_game(game)?;
        }
        done += page.len() as u64;
        bar.show(CheckStep::Transfer, done, games);
    }
    target.set_heartbeat(from.alive_at().await?)?;
    target.finish()?;
    signing::add_public_keys(to, from.public_keys().await?)?;
    let checked = check_integrity(&database_of(to), &mut |step, done, total| {
        bar.show(step, done, total);
    })?;
    report.add_check(checked);
    Ok(report)
}
