//! `reports`: the queue of what users report, and the steps that close a report.

use serde::Serialize;

use super::{
    bans::{ListedBan, bans_are_full, end, withdraw},
    effects,
    error::AdminError,
    operator::{Answered, Operator, answer_of},
    users::ListedNote,
};
use crate::{
    admin_words::{ReportStepWord, ReportsWord},
    limits::ADMIN_PAGE_MAX,
    store::{
        Act, BanKind, CloseReport, CloseReportOutcome, ClosedReport, ListedBans, ListedReports,
        ReportStep, ReportedLine, StoredReport,
    },
};

#[derive(Debug, Serialize)]
struct ReportList {
    reports: Vec<ListedReport>,
}

#[derive(Debug, Serialize)]
struct ListedReport {
    id: u64,
    reported_at: u64,
    by: String,
    user: Option<String>,
    game: Option<String>,
    about: Box<str>,
    text: Box<str>,
    step: Option<Box<str>>,
    closed_at: Option<u64>,
    closed_by: Option<String>,
    why: Option<String>,
}

impl From<StoredReport> for ListedReport {
    fn from(report: StoredReport) -> Self {
        let StoredReport { id, at, reporter, user, game, reason, text, .. } = report;
        Self {
            id,
            reported_at: at,
            by: reporter.to_string(),
            user: user.map(|user| user.to_string()),
            game: game.map(|game| game.to_string()),
            about: reason,
            text,
            step: report.step,
            closed_at: report.closed_at,
            closed_by: report.closed_by,
            why: report.why,
        }
    }
}

#[derive(Debug, Serialize)]
struct ReportDetails {
    #[serde(flatten)]
    report: ListedReport,
    /// The game as it was when it was reported.
    rules: Option<Box<str>>,
    players: Vec<String>,
    was_live: Option<bool>,
    ply: Option<u32>,
    talk: Vec<ListedLine>,
    bans: Vec<ListedBan>,
    notes: Vec<ListedNote>,
}

#[derive(Debug, Serialize)]
struct ListedLine {
    said_at: u64,
    room: &'static str,
    n: u64,
    by: String,
    text: Box<str>,
}

impl From<ReportedLine> for ListedLine {
    fn from(ReportedLine { room, line }: ReportedLine) -> Self {
        let room = if room == adamant_protocol::values::TalkRoom::Players {
            "players"
        } else {
            "spectators"
        };
        Self { said_at: line.at, room, n: line.n, by: line.by.to_string(), text: line.text }
    }
}

pub(super) async fn carry_out(operator: &Operator, word: ReportsWord, act: Act) -> Answered {
    let store = &operator.services.store;
    match word {
        ReportsWord::List { all, about, before, limit } => {
            let listed = match about {
                Some(user) => ListedReports::About(user),
                None if all => ListedReports::All,
                None => ListedReports::Open,
            };
            let before = before.unwrap_or(i64::MAX.unsigned_abs());
            let reports = store.reports(listed, before, limit).await?;
            answer_of(&ReportList { reports: reports.into_iter().map(Into::into).collect() })
        }
        ReportsWord::Show { id } => {
            let report = store.report(id).await?;
            show(operator, report.ok_or_else(|| no_report(id))?).await
        }
        ReportsWord::Close { id, step, lasts, answer, .. } => {
            let step = step_of(step, lasts.is_some())?;
            if let (ReportStep::Warn | ReportStep::Ban(_), Some(report)) =
                (step, store.report(id).await?)
                && let Some(user) = &report.user
            {
                operator.governed(user).await?;
            }
            let answer = answer.map(|answer| String::from(answer).into());
            let close = CloseReport { step, until: end(&act, lasts), answer };
            match store.close_report(id, close, act).await? {
                CloseReportOutcome::Closed(closed) => tell(operator, *closed, step).await,
                CloseReportOutcome::NotFound => Err(no_report(id)),
                CloseReportOutcome::AlreadyClosed => {
                    Err(AdminError::refused(format!("report {id} is closed already")))
                }
                CloseReportOutcome::NoUser => {
                    let message =
                        "it names no user, or one whom there is no longer: use --step none";
                    Err(AdminError::refused(message))
                }
                CloseReportOutcome::BansFull => Err(bans_are_full()),
            }
        }
    }
}

fn no_report(id: u64) -> AdminError {
    AdminError::not_found(&format!("report {id}"))
}

/// Returns the step, which has an end or none.
fn step_of(step: ReportStepWord, has_end: bool) -> Result<ReportStep, AdminError> {
    let step = match step {
        ReportStepWord::None => ReportStep::None,
        ReportStepWord::Warn => ReportStep::Warn,
        ReportStepWord::Silence => ReportStep::Ban(BanKind::Silence),
        ReportStepWord::Suspend => ReportStep::Ban(BanKind::Ban),
        ReportStepWord::Close => ReportStep::Ban(BanKind::Closed),
    };
    let ends = matches!(step, ReportStep::Ban(BanKind::Silence | BanKind::Ban));
    match (ends, has_end) {
        (true, false) => Err(AdminError::bad_request("say for how long: --for")),
        (false, true) => Err(AdminError::bad_request("this step has no end: leave --for out")),
        _ => Ok(step),
    }
}

async fn show(operator: &Operator, mut report: StoredReport) -> Answered {
    let store = &operator.services.store;
    let (mut bans, mut notes) = (Vec::new(), Vec::new());
    if let Some(name) = &report.user
        && let Some(user) = operator.services.accounts.find(name.clone()).await?
    {
        bans = store.bans(ListedBans::Of(user.id), ADMIN_PAGE_MAX).await?;
        notes = store.user_notes(user.id, ADMIN_PAGE_MAX).await?;
    }
    let evidence = report.evidence.take();
    let (rules, was_live, ply) = match &evidence {
        Some(it) => (Some(it.rules.clone()), Some(it.is_live), Some(it.ply)),
        None => (None, None, None),
    };
    let (players, talk) = evidence.map(|it| (it.players, it.talk)).unwrap_or_default();
    answer_of(&ReportDetails {
        report: report.into(),
        rules,
        players: players.iter().map(ToString::to_string).collect(),
        was_live,
        ply,
        talk: talk.into_iter().map(ListedLine::from).collect(),
        bans: bans.into_iter().map(ListedBan::from).collect(),
        notes: notes.into_iter().map(ListedNote::from).collect(),
    })
}

/// The step takes effect, and those are told who are connected.
async fn tell(operator: &Operator, closed: ClosedReport, step: ReportStep) -> Answered {
    let services = &operator.services;
    let ClosedReport { report, notices } = closed;
    let banned = if let ReportStep::Ban(kind) = step { Some(kind) } else { None };
    if banned.is_some() {
        // Each node goes by the ban before the user reads of it.
        effects::policy_changed(services).await?;
    }
    for (user, notice) in notices {
        effects::notify(services, Some(&user), notice);
    }
    if let (Some(kind), Some(user)) = (banned, &report.user) {
        withdraw(operator, &operator.user(user).await?, kind).await?;
    }
    answer_of(&ListedReport::from(report))
}
