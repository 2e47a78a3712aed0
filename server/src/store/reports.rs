//! Reports of users to the operators, and what was done about them.

use adamant_protocol::{
    GameId, UserName,
    to_client::{Notice, NoticeKind, ReportOutcome, TalkLine},
    values::TalkRoom,
};
use serde::{Deserialize, Serialize};

use super::{
    offers::{OpenLimitReached, bounded},
    operators::{Act, BanKind, BanSubject, NewBan, insert_ban, note_act, silenced, warn},
    sql::{Row, Sql, SqlResult, params},
    store::operations,
    user_notices::{add_notice, notices_key},
    users::{User, UserId, find_user},
};
use crate::{
    address::ClientNetwork,
    limits::{REPORTS_KEPT_FOR, REPORTS_MAX, REPORTS_PER_NETWORK_MAX, REPORTS_PER_USER_MAX},
    runtime::time::milliseconds,
};

/// What a game was when it was reported.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Evidence {
    pub rules: Box<str>,
    pub players: Vec<UserName>,
    pub is_live: bool,
    pub ply: u32,
    pub talk: Vec<ReportedLine>,
}

/// A line of talk as it was, even if it is deleted later.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ReportedLine {
    pub room: TalkRoom,
    #[serde(flatten)]
    pub line: TalkLine,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NewReport {
    pub reporter: UserName,
    pub user: Option<UserName>,
    pub game: Option<GameId>,
    pub reason: Box<str>,
    pub text: Box<str>,
    pub evidence: Option<Evidence>,
    /// The network of the reporter; `None` if it is unknown or networks have no bounds.
    pub from: Option<ClientNetwork>,
    pub at: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AddReportOutcome {
    Added(u64),
    /// The user's same report is open already.
    Repeated(u64),
    UserNotFound,
    LimitReached(OpenLimitReached),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StoredReport {
    pub id: u64,
    pub at: u64,
    pub reporter: UserName,
    pub user: Option<UserName>,
    pub game: Option<GameId>,
    pub reason: Box<str>,
    pub text: Box<str>,
    pub evidence: Option<Evidence>,
    pub closed_at: Option<u64>,
    pub closed_by: Option<String>,
    pub step: Option<Box<str>>,
    pub why: Option<String>,
}

/// Which reports are listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ListedReports {
    Open,
    All,
    /// Those about a user.
    About(UserName),
}

/// What operators do about a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CloseReport {
    pub step: ReportStep,
    /// When a silence or a ban ends.
    pub until: Option<u64>,
    /// What the reporter reads beside the outcome.
    pub answer: Option<Box<str>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReportStep {
    None,
    Warn,
    Ban(BanKind),
}

impl ReportStep {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Warn => "warn",
            Self::Ban(BanKind::Silence) => "silence",
            Self::Ban(BanKind::Ban) => "suspend",
            Self::Ban(BanKind::Closed) => "close",
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum CloseReportOutcome {
    Closed(Box<ClosedReport>),
    NotFound,
    AlreadyClosed,
    /// The report names no user, or one whom there is no longer.
    NoUser,
    /// As many bans stand as may.
    BansFull,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ClosedReport {
    pub report: StoredReport,
    /// What users are told who are connected.
    pub notices: Vec<(UserName, Notice)>,
}

const REPORT_COLUMNS: &str = "reports.id, reports.reported_at,
     COALESCE(reporter.name, reports.reporter), COALESCE(reported.name, reports.user_name),
     reports.game, reports.reason, reports.text, reports.evidence, reports.closed_at,
     reports.closed_by, reports.step, reports.why
     FROM reports LEFT JOIN users reporter ON reporter.id = reports.reporter_id
     LEFT JOIN users reported ON reported.id = reports.user_id";

fn read_report(row: &mut Row) -> SqlResult<StoredReport> {
    let evidence: Option<Box<str>> = row.get(7)?;
    Ok(StoredReport {
        id: row.get(0)?,
        at: row.get(1)?,
        reporter: row.parse(2)?,
        user: row.parse_optional(3)?,
        game: row.parse_optional(4)?,
        reason: row.get(5)?,
        text: row.get(6)?,
        // A later release may have written it.
        evidence: evidence.and_then(|text| serde_json::from_str(&text).ok()),
        closed_at: row.get(8)?,
        closed_by: row.get(9)?,
        step: row.get(10)?,
        why: row.get(11)?,
    })
}

async fn add_report(sql: &impl Sql, new: &NewReport) -> SqlResult<AddReportOutcome> {
    // Whoever counts open reports waits here.
    sql.lock(vec!["reports".to_owned()]).await?;
    let id_of = |found: Option<(User, Option<String>)>| found.map(|(user, _)| user);
    let Some(reporter) = id_of(find_user(sql, &new.reporter).await?) else {
        return Ok(AddReportOutcome::UserNotFound);
    };
    let user = match &new.user {
        None => None,
        Some(name) => match id_of(find_user(sql, name).await?) {
            None => return Ok(AddReportOutcome::UserNotFound),
            found => found,
        },
    };
    let (user_id, user_name) = user.map(|user| (user.id.0, user.name.to_string())).unzip();
    let game = new.game.as_ref().map(|game| game.as_str().to_owned());
    let same = "SELECT id FROM reports WHERE reporter_id = $1 AND closed_at IS NULL
         AND COALESCE(user_id, -1) = $2 AND COALESCE(game, '') = $3
         AND reason = $4 AND text = $5";
    let (reason, text) = (new.reason.clone(), new.text.clone());
    let (about, at_game) = (user_id.unwrap_or(-1), game.clone().unwrap_or_default());
    let params = params![reporter.id.0, about, at_game, reason.clone(), text.clone()];
    if let Some(mut row) = sql.first(same, params).await? {
        return Ok(AddReportOutcome::Repeated(row.get(0)?));
    }
    let network = new.from.map(|network| network.to_string());
    if let Err(reached) = room_for_a_report(sql, reporter.id, network.as_ref()).await? {
        return Ok(AddReportOutcome::LimitReached(reached));
    }
    let old = new.at.saturating_sub(milliseconds(REPORTS_KEPT_FOR));
    sql.execute("DELETE FROM reports WHERE closed_at < $1", params![old]).await?;
    let evidence =
        new.evidence.as_ref().map(|it| serde_json::to_string(it).expect("evidence is plain data"));
    let insert = "INSERT INTO reports (reporter_id, reporter, user_id, user_name, game, reason,
             text, evidence, network, reported_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING id";
    let name = reporter.name.as_str();
    let params = params![
        reporter.id.0,
        name,
        user_id,
        user_name,
        game,
        reason,
        text,
        evidence,
        network,
        new.at
    ];
    let id = sql.first(insert, params).await?.map_or(Ok(0), |mut row| row.get(0))?;
    Ok(AddReportOutcome::Added(id))
}

/// Counts the open reports of a user, of a network and in all.
async fn room_for_a_report(
    sql: &impl Sql,
    reporter: UserId,
    network: Option<&String>,
) -> SqlResult<Result<(), OpenLimitReached>> {
    let count = "SELECT COUNT(*), COUNT(*) FILTER (WHERE reporter_id = $1),
             COUNT(*) FILTER (WHERE network = $2) FROM reports WHERE closed_at IS NULL";
    let found = sql.first(count, params![reporter.0, network]).await?;
    let Some(mut row) = found else { return Ok(Ok(())) };
    let what = "reports of yours that no operator has read yet";
    let own = OpenLimitReached::of_all("reports_per_user", what, REPORTS_PER_USER_MAX);
    let what = "reports from one network that no operator has read yet";
    let of_network = OpenLimitReached::of_all("reports_per_network", what, REPORTS_PER_NETWORK_MAX);
    let what = "reports that no operator has read yet";
    let of_all = OpenLimitReached::of_all("reports", what, REPORTS_MAX);
    Ok(bounded(row.get(1)?, own)
        .and(bounded(row.get(2)?, of_network))
        .and(bounded(row.get(0)?, of_all)))
}

async fn reports(
    sql: &impl Sql,
    listed: &ListedReports,
    before: u64,
    limit: u32,
) -> SqlResult<Vec<StoredReport>> {
    let condition = match listed {
        ListedReports::Open => "reports.closed_at IS NULL",
        ListedReports::All => "true",
        ListedReports::About(_) => "reports.user_id = (SELECT id FROM users WHERE folded = $3)",
    };
    let select = format!(
        "SELECT {REPORT_COLUMNS} WHERE {condition} AND reports.id < $1
         ORDER BY reports.id DESC LIMIT $2"
    );
    let mut rows = match listed {
        ListedReports::About(user) => {
            let user = user.folded();
            sql.query(&select, params![before, limit, user.as_str()]).await?
        }
        ListedReports::Open | ListedReports::All => {
            sql.query(&select, params![before, limit]).await?
        }
    };
    rows.iter_mut().map(read_report).collect()
}

async fn report(sql: &impl Sql, id: u64) -> SqlResult<Option<StoredReport>> {
    let select = format!("SELECT {REPORT_COLUMNS} WHERE reports.id = $1");
    sql.first(&select, params![id]).await?.map(|mut row| read_report(&mut row)).transpose()
}

/// Closes a report, takes the step, and writes the notices, all or nothing.
async fn close_report<S: Sql>(
    sql: &S,
    id: u64,
    close: &CloseReport,
    act: &Act,
) -> SqlResult<CloseReportOutcome> {
    let select = format!(
        "SELECT closed_at, reporter_id, user_id FROM reports WHERE id = $1{}",
        S::FOR_UPDATE
    );
    let Some(mut row) = sql.first(&select, params![id]).await? else {
        return Ok(CloseReportOutcome::NotFound);
    };
    if row.get::<Option<u64>>(0)?.is_some() {
        return Ok(CloseReportOutcome::AlreadyClosed);
    }
    let reporter = row.get::<Option<i64>>(1)?.map(UserId);
    let user = row.get::<Option<i64>>(2)?.map(UserId);
    let act = match &report(sql, id).await? {
        Some(StoredReport { user: Some(user), .. }) => {
            Act { subject: Some(user.folded().to_string()), ..act.clone() }
        }
        _ => act.clone(),
    };
    let mut told = Vec::new();
    match (close.step, user) {
        (ReportStep::None, _) => {}
        (ReportStep::Warn | ReportStep::Ban(_), None) => return Ok(CloseReportOutcome::NoUser),
        (ReportStep::Warn, Some(user)) => told.push((user, warn(sql, user, &act).await?)),
        (ReportStep::Ban(kind), Some(user)) => {
            let new = NewBan { subject: BanSubject::User(user), kind, until: close.until };
            if insert_ban(sql, &new, &act).await?.is_none() {
                return Ok(CloseReportOutcome::BansFull);
            }
            told.extend(silenced(&new, &act).map(|notice| (user, notice)));
        }
    }
    let outcome = match close.step {
        ReportStep::None => ReportOutcome::Dismissed,
        ReportStep::Warn | ReportStep::Ban(_) => ReportOutcome::Acted,
    };
    let notice = Notice {
        text: close.answer.clone(),
        report: Some(id),
        outcome: Some(outcome),
        ..Notice::new(NoticeKind::ReportClosed, 0)
    };
    told.extend(reporter.map(|reporter| (reporter, notice)));
    let update = "UPDATE reports SET closed_at = $2, closed_by = $3, step = $4, why = $5,
             network = NULL
         WHERE id = $1";
    let (who, why) = (act.who.clone(), act.reason.clone());
    sql.execute(update, params![id, act.at, who, close.step.word(), why]).await?;
    note_act(sql, &act).await?;
    // Both at once, so that no two acts wait for each other.
    sql.lock(told.iter().map(|(user, _)| notices_key(user.0)).collect()).await?;
    let mut notices = Vec::new();
    for (user, notice) in told {
        let name = "SELECT name FROM users WHERE id = $1";
        if let Some(mut row) = sql.first(name, params![user.0]).await? {
            notices.push((row.parse(0)?, add_notice(sql, user.0, notice, act.at).await?));
        }
    }
    let report = report(sql, id).await?;
    let closed = report.map(|report| Box::new(ClosedReport { report, notices }));
    Ok(closed.map_or(CloseReportOutcome::NotFound, CloseReportOutcome::Closed))
}

operations! {
    /// Stores a report, unless the same one is open.
    fn add_report(new: NewReport) -> AddReportOutcome = transact(add_report(new));
    /// Returns reports, the latest first.
    fn reports(listed: ListedReports, before: u64, limit: u32) -> Vec<StoredReport> =
        list(reports(listed, *before, *limit));
    fn report(id: u64) -> Option<StoredReport> = list(report(*id));
    fn close_report(id: u64, close: CloseReport, act: Act) -> CloseReportOutcome =
        transact(close_report(*id, close, act));
}
