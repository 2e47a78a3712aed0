//! Checks the downloads: the line of each published game is computed from its records, and the
//! chain of each file from its lines.

use std::collections::{BTreeMap, HashMap};

use adamant_protocol::GameId;
use adamant_record::{DownloadChain, LineDigest, LineHash};

use super::{
    downloads::{DownloadHead, LineFrame, files, read_head},
    findings::{IntegrityReport, unless_found},
    sql::{Row, Sql, SqlError, SqlResult, params},
};
use crate::limits::{CHECK_FINDINGS_MAX, TRANSFER_RESULTS_AT_ONCE};

/// The line of a game, as its records become known.
#[derive(Debug)]
pub(super) struct Line {
    frame: LineFrame,
    digest: LineDigest,
}

impl Line {
    pub(super) fn begin(frame: LineFrame) -> Self {
        let mut digest = LineDigest::default();
        digest.update(frame.start.as_bytes());
        Self { frame, digest }
    }

    pub(super) fn push(&mut self, seq: u64, record: &[u8]) {
        if seq > self.frame.seq {
            return;
        }
        if seq > 1 {
            self.digest.update(b",");
        }
        self.digest.update(record);
    }

    pub(super) fn finish(mut self) -> LineHash {
        self.digest.update(self.frame.end.as_bytes());
        self.digest.finish()
    }
}

/// What the records say of the downloads.
#[derive(Debug, Default)]
pub(super) struct ComputedLines {
    /// The lines of published games; `None` of one that has a finding. Files are in the order in
    /// which games have ended, so that each game has its hash here until all are read.
    lines: HashMap<GameId, Option<LineHash>>,
    /// Rows of the table `download_games` cannot be read, which is a finding.
    has_gaps: bool,
}

impl ComputedLines {
    pub(super) fn add(&mut self, game: GameId, line: Option<LineHash>) {
        self.lines.insert(game, line);
    }

    /// Reads what the lines of games have beside their records: of those after a game, until another
    /// one if there are more.
    pub(super) async fn frames(
        &mut self,
        sql: &impl Sql,
        after: &str,
        until: Option<&str>,
        report: &mut IntegrityReport,
    ) -> SqlResult<HashMap<GameId, LineFrame>> {
        let columns = "SELECT game, seq, line_start, line_end FROM download_games";
        let found = if let Some(until) = until {
            let select = format!("{columns} WHERE game > $1 AND game <= $2");
            sql.query(&select, params![after, until]).await
        } else {
            let select = format!("{columns} WHERE game > $1 ORDER BY game LIMIT $2");
            sql.query(&select, params![after, CHECK_FINDINGS_MAX]).await
        };
        let found = match found.map_err(unless_found) {
            Ok(rows) => rows,
            Err(error) => {
                self.add_gap(&error?, report);
                return Ok(HashMap::new());
            }
        };
        let mut frames = HashMap::with_capacity(found.len());
        for mut row in found {
            match read_frame(&mut row) {
                Ok(frame) => drop(frames.insert(frame.game.clone(), frame)),
                Err(error) => self.add_gap(&error, report),
            }
        }
        Ok(frames)
    }

    fn add_gap(&mut self, error: &SqlError, report: &mut IntegrityReport) {
        report.add_to_downloads(format!("the table download_games: {error}"));
        self.has_gaps = true;
    }

    /// Reports published games that are not listed.
    pub(super) fn add_unlisted(
        &mut self,
        frames: HashMap<GameId, LineFrame>,
        report: &mut IntegrityReport,
    ) {
        for (game, _) in frames {
            report.add_to_downloads(format!(
                "game {game}: the table download_games has it, and it is not listed"
            ));
            self.lines.insert(game, None);
        }
    }

    /// Compares the files and their lines with those that the records make.
    pub(super) async fn check(
        &self,
        sql: &impl Sql,
        report: &mut IntegrityReport,
    ) -> SqlResult<()> {
        match files(sql).await.map_err(unless_found) {
            Ok(heads) => {
                let heads = heads.into_iter().map(|head| (head.file.clone(), head)).collect();
                if let Err(error) = self.check_lines(sql, Some(heads), report).await {
                    report.add_to_downloads(format!(
                        "the table download_lines: {}",
                        unless_found(error)?
                    ));
                }
            }
            Err(error) => {
                report.add_to_downloads(format!("the table download_files: {}", error?));
                if let Err(error) = self.check_lines(sql, None, report).await {
                    report.add_to_downloads(format!(
                        "the table download_lines: {}",
                        unless_found(error)?
                    ));
                }
            }
        }
        Ok(())
    }

    /// Goes through the lines once, in the order of the files. What a line has is the ground for
    /// the next one, so that one fault is one finding.
    async fn check_lines(
        &self,
        sql: &impl Sql,
        heads: Option<BTreeMap<String, DownloadHead>>,
        report: &mut IntegrityReport,
    ) -> SqlResult<()> {
        let select = "SELECT file, line, start + length, chain, game, start FROM download_lines
             WHERE (file, line) > ($1, $2) ORDER BY file, line LIMIT $3";
        let mut ends = BTreeMap::<String, DownloadHead>::new();
        let (mut file, mut at) = (String::new(), DownloadChain::default());
        loop {
            let page = params![&file, at.games, TRANSFER_RESULTS_AT_ONCE];
            let page = sql.query(select, page).await?;
            if page.is_empty() {
                break;
            }
            for mut row in page {
                let stored = read_head(&mut row)?;
                let start: u64 = row.get(5)?;
                if stored.file != file {
                    (file, at) = (stored.file.clone(), DownloadChain::default());
                }
                if stored.at.games <= at.games {
                    return Err(SqlError::Unreadable(format!("{} out of order", stored.at.games)));
                }
                if let Some(fault) = self.fault_of(&stored, start, &at) {
                    let (line, game) = (stored.at.games, &stored.last_game);
                    report.add_to_downloads(format!(
                        "the tables download_lines and download_games: line {line} of {file}, \
                         game {game}: {fault}"
                    ));
                }
                at = stored.at.clone();
                ends.insert(file.clone(), stored);
            }
        }
        for (file, head) in heads.iter().flatten() {
            if ends.remove(file).as_ref() != Some(head) {
                report.add_to_downloads(format!(
                    "the table download_files: {file} does not end as its lines do"
                ));
            }
        }
        for file in heads.and(Some(ends)).iter().flat_map(BTreeMap::keys) {
            report.add_to_downloads(format!("the table download_files: it does not have {file}"));
        }
        Ok(())
    }

    /// Returns what is wrong with a line that follows another.
    fn fault_of(
        &self,
        stored: &DownloadHead,
        start: u64,
        before: &DownloadChain,
    ) -> Option<&'static str> {
        if stored.at.games != before.games + 1 || start != before.bytes {
            return Some("it does not follow the line before it");
        }
        match self.lines.get(&stored.last_game) {
            Some(Some(line)) => {
                let mut computed = before.clone();
                computed.add_hash(*line);
                (computed != stored.at).then_some("it is not what the records of the game make")
            }
            Some(None) => None,
            None => (!self.has_gaps).then_some("the game is not published"),
        }
    }
}

fn read_frame(row: &mut Row) -> SqlResult<LineFrame> {
    Ok(LineFrame { game: row.parse(0)?, seq: row.get(1)?, start: row.get(2)?, end: row.get(3)? })
}
