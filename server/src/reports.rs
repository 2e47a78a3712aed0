//! Reports of users to the operators, which bring their evidence along, and the notices that users
//! have yet to read.

use std::sync::Arc;

use adamant_protocol::{
    GameId, UserName,
    from_client::{GameState, NoticeSeen, Report},
    to_client::Done,
    values::TalkRoom,
};

use crate::{
    address::ClientAddress,
    error::Denial,
    limits::{REPORT_CHARS_MAX, REPORT_ROW_BYTES, REPORTED_LINES_MAX},
    outbound::client::ClientHandle,
    runtime::{metrics::Metrics, time::TimeSource},
    store::{AddReportOutcome, Evidence, NewReport, ReportedLine, Store},
    talk::checked_text,
};

/// Takes reports. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct ReportService {
    store: Store,
    time: TimeSource,
    /// Whether the reports of one network have a bound of their own.
    bounds_networks: bool,
    metrics: Arc<Metrics>,
}

impl ReportService {
    pub(crate) const fn new(
        store: Store,
        time: TimeSource,
        bounds_networks: bool,
        metrics: Arc<Metrics>,
    ) -> Self {
        Self { store, time, bounds_networks, metrics }
    }

    /// Stores a report with what the game is now.
    pub(crate) async fn report(
        &self,
        client: &ClientHandle,
        request: Report,
    ) -> Result<Done, Denial> {
        let Report { id, reason, text, user, game } = request;
        let reporter = named(client)?;
        if user.is_none() && game.is_none() {
            return Err(Denial::BadMessage("a report names a user, a game or both".to_owned()));
        }
        if user.as_ref().is_some_and(|user| user.is_same(reporter.as_str())) {
            return Err(Denial::BadMessage("you cannot report yourself".to_owned()));
        }
        let text: Box<str> = checked_text(&text, REPORT_CHARS_MAX)?.into();
        let now_ms = self.time.now_ms();
        if let Some(quota) = &client.quota {
            quota.stored.check(now_ms)?;
        }
        let evidence = match &game {
            Some(game) => Some(self.evidence(game).await?),
            None => None,
        };
        let about = user.clone();
        let bytes = REPORT_ROW_BYTES + text.len() as u64;
        let new = NewReport {
            reporter: reporter.clone(),
            user,
            game: game.clone(),
            reason: reason.as_str().into(),
            text,
            evidence,
            from: client.from.filter(|_| self.bounds_networks).map(ClientAddress::network),
            at: now_ms,
        };
        let (report, dup) = match self.store.add_report(new).await? {
            AddReportOutcome::Added(report) => (report, false),
            AddReportOutcome::Repeated(report) => (report, true),
            AddReportOutcome::UserNotFound => {
                let name = about.map_or_else(String::new, |user| format!(" called {user}"));
                return Err(Denial::NotFound(format!("user{name}")));
            }
            AddReportOutcome::LimitReached(reached) => return Err(reached.into()),
        };
        if !dup {
            if let Some(quota) = &client.quota {
                quota.stored.charge(bytes, now_ms);
            }
            self.metrics.reports.inc();
            let (about, game) = (about.as_ref(), game.as_ref());
            // operator: a user has reported another or a game; `adamant-server admin reports show`
            // has what it says
            tracing::info!(
                report, by = %reporter, user = about.map(tracing::field::display),
                game = game.map(tracing::field::display), reason = reason.as_str(), "reported"
            );
        }
        Ok(Done { report: Some(report), dup, game, ..Done::new(id) })
    }

    /// The state of a game and its last lines of talk.
    async fn evidence(&self, game: &GameId) -> Result<Evidence, Denial> {
        let entry = self.store.game_entry(game).await?;
        let entry = entry.ok_or_else(|| Denial::NotFound(format!("game {game}")))?;
        let mut talk = Vec::new();
        for room in [TalkRoom::Players, TalkRoom::Spectators] {
            let lines = self.store.talk(game.clone(), room, u64::MAX, REPORTED_LINES_MAX).await?;
            talk.extend(lines.into_iter().map(|line| ReportedLine { room, line }));
        }
        Ok(Evidence {
            rules: entry.rules.to_string().into(),
            players: entry.seats.iter().map(|seat| seat.user.clone()).collect(),
            is_live: entry.state == GameState::Live,
            ply: entry.ply,
            talk,
        })
    }

    /// Takes back the notices that a user has read.
    pub(crate) async fn see_notice(
        &self,
        client: &ClientHandle,
        request: NoticeSeen,
    ) -> Result<Done, Denial> {
        self.store.forget_notices(named(client)?.clone(), request.n).await?;
        Ok(Done { n: Some(request.n), ..Done::new(request.id) })
    }
}

fn named(client: &ClientHandle) -> Result<&UserName, Denial> {
    client.user.as_ref().ok_or_else(|| Denial::Forbidden("say who you are first".to_owned()))
}
