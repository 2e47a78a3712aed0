//! Analyses of finished games: a bounded queue of games, the task that searches their positions one
//! at a time, and the latest results. Nothing of it is stored, and each node has its own.

use std::{collections::VecDeque, sync::Arc};

use adamant_engine::analysis::{self, Analyser, AnalysisError, Judged, Verdict};
use adamant_protocol::{
    GameId, RequestId, UserName,
    from_client::Analyse,
    to_client::{AnalysedMove, Analysis, AnalysisState, MoveVerdict, SeatAccuracy},
};
use adamant_record::wire::seat_number;
use adamant_rules::{
    Table,
    record::{self, TextRecord},
};
use parking_lot::Mutex;
use tokio::{sync::Notify, time::Instant};
use tokio_util::sync::CancellationToken;

use super::analysis::{LivePosition, PassedPositions};
use crate::{
    address::{ClientAddress, ClientNetwork},
    cache::Cache,
    error::Denial,
    limits::{
        ANALYSED_MOVES_MAX, ANALYSES_BYTES_MAX, ANALYSES_PER_NETWORK_MAX, ANALYSES_PER_USER_MAX,
        ANALYSES_WAITING_MAX, ANALYSIS_RETRY,
    },
    outbound::client::ClientHandle,
    room::registry::RoomRegistry,
    runtime::{metrics::Metrics, time::milliseconds},
};

/// Answers requests for the analysis of a game. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct GameAnalyses(Arc<AnalysesShared>);

#[derive(Debug)]
struct AnalysesShared {
    rooms: RoomRegistry,
    metrics: Arc<Metrics>,
    done: Cache<GameId, Arc<FinishedAnalysis>>,
    /// Held briefly and never across an await.
    queue: Mutex<AnalysisQueue>,
    /// A game has been put into the queue.
    queued: Notify,
}

/// A complete analysis.
#[derive(Debug)]
struct FinishedAnalysis {
    passed: PassedPositions,
    moves: Vec<AnalysedMove>,
    accuracy: Vec<SeatAccuracy>,
    turning_points: Vec<u32>,
}

impl GameAnalyses {
    /// Returns the service for the games in these rooms. `enforced` says whether users and networks
    /// have bounds of their own.
    pub(crate) fn new(rooms: RoomRegistry, metrics: Arc<Metrics>, enforced: bool) -> Self {
        Self(Arc::new(AnalysesShared {
            rooms,
            metrics,
            done: Cache::new(ANALYSES_BYTES_MAX),
            queue: Mutex::new(AnalysisQueue { enforced, games: VecDeque::new() }),
            queued: Notify::new(),
        }))
    }

    /// Returns the analysis of a game, or how far it is. A game without one is put into the queue.
    pub(crate) async fn analysis(
        &self,
        client: &ClientHandle,
        request: Analyse,
        live: &[LivePosition],
    ) -> Result<Analysis, Denial> {
        let Analyse { id: re, game } = request;
        let AnalysesShared { rooms, done, queue, queued, metrics } = &*self.0;
        // In this order, since a game that leaves the queue has its analysis before.
        let progress = queue.lock().progress(&game);
        if let Some(progress) = progress {
            return Ok(progress.told(re, game));
        }
        if let Some(finished) = done.get(&game) {
            return finished.told(re, game, live);
        }
        let table = rooms.present_table(&game, client.from).await?;
        let passed = PassedPositions::of(&table);
        let record = rooms.work(client.from, move || analysable(&table)).await??;
        passed.check(live)?;
        let from = client.from;
        let asked = AskedAnalysis { game: game.clone(), user: client.user.clone(), from };
        let job = AnalysisJob { asked, record, passed, since: Instant::now() };
        let progress = queue.lock().push(job)?;
        metrics.set_analyses(queue.lock().games.len());
        queued.notify_one();
        Ok(progress.told(re, game))
    }

    /// Analyses the queued games until shutdown, one after the other.
    pub(crate) async fn run(self, stop: CancellationToken) {
        while let Some(job) = stop.run_until_cancelled(self.next()).await {
            if stop.run_until_cancelled(self.work_on(job)).await.is_none() {
                return;
            }
        }
    }

    async fn next(&self) -> AnalysisJob {
        loop {
            let next = self.0.queue.lock().begin();
            match next {
                Some(job) => return job,
                None => self.0.queued.notified().await,
            }
        }
    }

    async fn work_on(&self, job: AnalysisJob) {
        let AnalysesShared { done, queue, metrics, .. } = &*self.0;
        let (game, since) = (job.asked.game.clone(), job.since);
        match self.analyse(job).await {
            Ok(finished) => {
                let bytes = finished.bytes();
                done.insert(game, Arc::new(finished), bytes);
                metrics.observe_request("analyses", since.elapsed());
            }
            // The next request finds it without an analysis, and asks again.
            Err(error) => tracing::debug!(%game, %error, "a game was not analysed"),
        }
        let left = queue.lock().end();
        metrics.set_analyses(left);
    }

    async fn analyse(&self, job: AnalysisJob) -> Result<FinishedAnalysis, Denial> {
        let AnalysisJob { asked: AskedAnalysis { from, .. }, record, passed, .. } = job;
        let AnalysesShared { rooms, queue, .. } = &*self.0;
        let begun = rooms.think_last(from, move || Analyser::new(&record, None)).await?;
        let analyser = Arc::new(begun.map_err(|error| cannot_be_analysed(&error))?);
        let positions = analyser.positions();
        let (mut moves, mut before) = (Vec::with_capacity(positions), None);
        for index in 0..positions {
            queue.lock().set_progress(index, positions);
            let (its, last) = (Arc::clone(&analyser), before.take());
            let found = rooms.think_last(from, move || {
                let report = its.search(index);
                let judge = |last| its.judge(index.checked_sub(1)?, last, report.as_ref());
                let judged = last.as_ref().and_then(judge);
                (report, judged)
            });
            let (report, judged) = found.await?;
            moves.extend(judged);
            before = report;
        }
        Ok(FinishedAnalysis::new(analyser.finish(moves), passed))
    }
}

/// Returns the record of a game that can be analysed.
fn analysable(table: &Table) -> Result<TextRecord, Denial> {
    if table.outcome().is_none() {
        return Err(Denial::Forbidden("a game is analysed once it is over".to_owned()));
    }
    analysis::check_players(table.setup().seats.len())
        .map_err(|error| cannot_be_analysed(&error))?;
    if table.ply() > ANALYSED_MOVES_MAX {
        let why = format!("an analysis is of at most {ANALYSED_MOVES_MAX} moves");
        return Err(Denial::Forbidden(why));
    }
    let record = TextRecord::parse(&record::write(table));
    record.map_err(|error| Denial::Forbidden(error.to_string()))
}

fn cannot_be_analysed(error: &AnalysisError) -> Denial {
    Denial::Forbidden(error.to_string())
}

impl FinishedAnalysis {
    fn new(found: analysis::Analysis, passed: PassedPositions) -> Self {
        let ply = |&index: &usize| found.moves[index].ply;
        let turning_points = found.turning_points.iter().map(ply).collect();
        let accuracy = found.seats.iter().zip(found.accuracy);
        let mut accuracy: Vec<_> = accuracy
            .filter_map(|(&seat, of)| Some(SeatAccuracy::new(seat_number(seat), percentage(of?))))
            .collect();
        accuracy.sort_by_key(|of| of.seat);
        let moves = found.moves.into_iter().map(analysed_move).collect();
        Self { passed, moves, accuracy, turning_points }
    }

    fn told(&self, re: RequestId, game: GameId, live: &[LivePosition]) -> Result<Analysis, Denial> {
        self.passed.check(live)?;
        Ok(Analysis {
            moves: self.moves.clone(),
            accuracy: self.accuracy.clone(),
            turning_points: self.turning_points.clone(),
            ..Analysis::new(re, game, AnalysisState::Done)
        })
    }

    /// About so many bytes of memory.
    fn bytes(&self) -> usize {
        let line = |best: &[Box<str>]| -> usize {
            best.iter().map(|each| each.len() + size_of::<Box<str>>()).sum()
        };
        let bytes =
            |mv: &AnalysedMove| size_of::<AnalysedMove>() + mv.notation.len() + line(&mv.best);
        size_of::<Self>() + self.passed.bytes() + self.moves.iter().map(bytes).sum::<usize>()
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is 0 to 100")]
fn percentage(accuracy: f64) -> u8 {
    accuracy.round() as u8
}

fn analysed_move(judged: Judged) -> AnalysedMove {
    AnalysedMove {
        ply: judged.ply,
        seat: seat_number(judged.position.to_move()),
        notation: judged.played,
        value: judged.value,
        exact: judged.exact,
        best: judged.best.moves.into_iter().map(Into::into).collect(),
        best_value: judged.best.value,
        best_exact: judged.best.exact,
        distance: judged.best.distance,
        verdict: match judged.verdict {
            Verdict::Good => MoveVerdict::Good,
            Verdict::Inaccuracy => MoveVerdict::Inaccuracy,
            Verdict::Mistake => MoveVerdict::Mistake,
            Verdict::Blunder => MoveVerdict::Blunder,
        },
        missed_win: judged.missed_win,
    }
}

/// The games that wait for an analysis, the next one first; the first may be running.
#[derive(Debug)]
struct AnalysisQueue {
    /// Whether users and networks have bounds of their own.
    enforced: bool,
    games: VecDeque<QueuedGame>,
}

#[derive(Debug)]
struct QueuedGame {
    asked: AskedAnalysis,
    state: QueuedState,
}

#[derive(Debug)]
enum QueuedState {
    Waiting(Box<AnalysisJob>),
    Running { searched: usize, positions: Option<usize> },
}

/// Which game, and who wants it.
#[derive(Debug, Clone)]
struct AskedAnalysis {
    game: GameId,
    user: Option<UserName>,
    from: Option<ClientAddress>,
}

#[derive(Debug)]
struct AnalysisJob {
    asked: AskedAnalysis,
    record: TextRecord,
    passed: PassedPositions,
    since: Instant,
}

/// How far an analysis is that is not complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    Queued { ahead: usize },
    Running { searched: usize, positions: Option<usize> },
}

impl Progress {
    fn told(self, re: RequestId, game: GameId) -> Analysis {
        let number = |count: usize| u32::try_from(count).ok();
        match self {
            Self::Queued { ahead } => {
                Analysis { ahead: number(ahead), ..Analysis::new(re, game, AnalysisState::Queued) }
            }
            Self::Running { searched, positions } => Analysis {
                searched: number(searched),
                positions: positions.and_then(number),
                ..Analysis::new(re, game, AnalysisState::Running)
            },
        }
    }
}

impl AnalysisQueue {
    fn progress(&self, game: &GameId) -> Option<Progress> {
        let ahead = self.games.iter().position(|queued| queued.asked.game == *game)?;
        Some(match self.games[ahead].state {
            QueuedState::Waiting(_) => Progress::Queued { ahead },
            QueuedState::Running { searched, positions } => {
                Progress::Running { searched, positions }
            }
        })
    }

    /// Puts a game at the end, unless it is there.
    fn push(&mut self, job: AnalysisJob) -> Result<Progress, Denial> {
        if let Some(progress) = self.progress(&job.asked.game) {
            return Ok(progress);
        }
        self.check(&job.asked)?;
        let asked = job.asked.clone();
        self.games.push_back(QueuedGame { asked, state: QueuedState::Waiting(Box::new(job)) });
        Ok(Progress::Queued { ahead: self.games.len() - 1 })
    }

    fn check(&self, asked: &AskedAnalysis) -> Result<(), Denial> {
        let count = |belongs: &dyn Fn(&AskedAnalysis) -> bool| {
            self.games.iter().filter(|queued| belongs(&queued.asked)).count()
        };
        if self.enforced
            && let Some(user) = &asked.user
            && count(&|other| other.user.as_ref() == Some(user)) >= ANALYSES_PER_USER_MAX
        {
            return Err(Denial::LimitReached {
                limit: "analyses_per_user",
                what: "analyses of a user wait or run at once",
                max: ANALYSES_PER_USER_MAX,
                by_others: false,
            });
        }
        let network =
            |of: &AskedAnalysis| -> Option<ClientNetwork> { of.from.map(ClientAddress::network) };
        let own = network(asked);
        if self.enforced
            && own.is_some()
            && count(&|other| network(other) == own) >= ANALYSES_PER_NETWORK_MAX
        {
            return Err(Denial::LimitReached {
                limit: "analyses_per_network",
                what: "analyses of a network wait or run at once",
                max: ANALYSES_PER_NETWORK_MAX,
                by_others: true,
            });
        }
        if self.games.len() >= ANALYSES_WAITING_MAX {
            return Err(Denial::Busy {
                what: "many games wait for an analysis".to_owned(),
                retry_after_ms: milliseconds(ANALYSIS_RETRY),
            });
        }
        Ok(())
    }

    /// Takes the first game, which runs from now on.
    fn begin(&mut self) -> Option<AnalysisJob> {
        let first = self.games.front_mut()?;
        let running = QueuedState::Running { searched: 0, positions: None };
        match std::mem::replace(&mut first.state, running) {
            QueuedState::Waiting(job) => Some(*job),
            QueuedState::Running { .. } => None,
        }
    }

    fn set_progress(&mut self, searched: usize, positions: usize) {
        if let Some(first) = self.games.front_mut() {
            first.state = QueuedState::Running { searched, positions: Some(positions) };
        }
    }

    /// The first game is done. Returns how many are left.
    fn end(&mut self) -> usize {
        self.games.pop_front();
        self.games.len()
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

    fn job(game: &str, user: Option<&str>, from: &str) -> AnalysisJob {
        let record = TextRecord::parse("diam challenge ann bob\n").unwrap();
        let from = ClientAddress::from(from.parse::<IpAddr>().unwrap());
        let asked = AskedAnalysis {
            game: game.parse().unwrap(),
            user: user.map(|user| user.parse().unwrap()),
            from: Some(from),
        };
        let passed = PassedPositions::of(&Table::for_analysis(record.setup.clone()).unwrap());
        AnalysisJob { asked, record, passed, since: Instant::now() }
    }

    fn queue(enforced: bool) -> AnalysisQueue {
        AnalysisQueue { enforced, games: VecDeque::new() }
    }

    fn limit(denied: Result<Progress, Denial>) -> Option<&'static str> {
        match denied.err()? {
            Denial::LimitReached { limit, .. } => Some(limit),
            _ => None,
        }
    }

    #[test]
    fn games_are_analysed_in_the_order_in_which_they_were_asked_for() {
        let mut queue = queue(true);
        for (ahead, game) in ["one", "two"].into_iter().enumerate() {
            let progress = queue.push(job(game, None, "10.0.0.1")).unwrap();
            assert_eq!(progress, Progress::Queued { ahead });
        }
        assert_eq!(queue.begin().unwrap().asked.game.as_str(), "one");
        assert!(queue.begin().is_none(), "one at a time");
        queue.set_progress(3, 9);
        let running = Progress::Running { searched: 3, positions: Some(9) };
        assert_eq!(queue.push(job("one", None, "10.0.0.9")).unwrap(), running);
        let two = "two".parse().unwrap();
        assert_eq!(queue.progress(&two), Some(Progress::Queued { ahead: 1 }));
        assert_eq!(queue.end(), 1);
        assert_eq!(queue.progress(&two), Some(Progress::Queued { ahead: 0 }));
    }

    #[test]
    fn no_user_and_no_network_fills_the_queue() {
        let mut queue = queue(true);
        for number in 0..ANALYSES_PER_USER_MAX {
            queue.push(job(&format!("ann{number}"), Some("ann"), "10.0.0.1")).unwrap();
        }
        let more = || job("more", Some("ann"), "10.0.0.2");
        assert_eq!(limit(queue.push(more())), Some("analyses_per_user"));
        for number in ANALYSES_PER_USER_MAX..ANALYSES_PER_NETWORK_MAX {
            queue.push(job(&format!("any{number}"), None, "10.0.0.1")).unwrap();
        }
        let denied = queue.push(job("bob", Some("bob"), "10.0.0.1"));
        assert_eq!(limit(denied), Some("analyses_per_network"));
        queue.begin().unwrap();
        queue.end();
        queue.push(more()).unwrap();
    }

    #[test]
    fn a_full_queue_is_busy() {
        let mut queue = queue(false);
        for number in 0..ANALYSES_WAITING_MAX {
            queue.push(job(&format!("game{number}"), Some("ann"), "10.0.0.1")).unwrap();
        }
        let denied = queue.push(job("more", None, "10.0.0.2"));
        assert!(matches!(denied, Err(Denial::Busy { .. })), "{denied:?}");
        queue.push(job("game7", None, "10.0.0.2")).unwrap();
    }
}
