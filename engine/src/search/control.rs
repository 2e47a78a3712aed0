//! What a search shares with whoever has asked it: nodes, time, the order to stop, and the best
//! that was found so far.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use adamant_rules::{Move, Position};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};

use super::{
    asked::{Limits, Settings},
    clock,
    report::{Line, Report},
};

/// Nodes between two looks at the clock. The slowest search makes one in a few microseconds.
const NODES_PER_LOOK: u64 = 32;

/// How long a report may be old while a thought goes on.
const REPORT_EVERY: Duration = Duration::from_secs(1);

/// The order to end a thought, now or at a moment that is known only while it goes on.
#[derive(Debug)]
pub struct Stop {
    /// The time since the thought began, in microseconds, at which it ends.
    after: AtomicU64,
}

impl Default for Stop {
    fn default() -> Self {
        Self { after: AtomicU64::new(u64::MAX) }
    }
}

impl Stop {
    /// Ends the thought.
    pub fn now(&self) {
        self.after(Duration::ZERO);
    }

    /// Ends the thought when it has gone on for this time, unless it ends before.
    pub fn after(&self, time: Duration) {
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        self.after.fetch_min(micros, Ordering::Relaxed);
    }

    fn is_due(&self, spent: Duration) -> bool {
        let after = self.after.load(Ordering::Relaxed);
        after != u64::MAX && spent >= Duration::from_micros(after)
    }
}

/// What the threads of one thought tell each other.
#[derive(Debug, Default)]
struct Team {
    nodes: AtomicU64,
    is_over: AtomicBool,
}

/// Ends what the others do when the thread that leads has ended, in whatever way.
struct EndsAll<'a>(&'a Team);

impl Drop for EndsAll<'_> {
    fn drop(&mut self) {
        self.0.is_over.store(true, Ordering::Relaxed);
    }
}

/// The course of one thought, in one of its threads.
pub struct Control<'a> {
    position: &'a Position,
    limits: Limits,
    settings: Settings,
    started: Instant,
    stop: &'a Stop,
    on_info: &'a mut dyn FnMut(&Report),
    reported: Duration,
    /// The nodes of this thread.
    nodes: u64,
    team: Option<Arc<Team>>,
    /// Whether it leads the team.
    leads: bool,
    /// The nodes of this thread that the others know of, and those of theirs that it knows of.
    told: u64,
    others: u64,
    /// The number of nodes at which the clock is read next.
    look_at: u64,
    is_over: bool,
    lines: Vec<Line>,
    depth: u32,
    seldepth: u32,
    hashfull: u32,
}

impl std::fmt::Debug for Control<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Control").field("nodes", &self.nodes).finish_non_exhaustive()
    }
}

impl<'a> Control<'a> {
    pub(super) fn new(
        position: &'a Position,
        limits: Limits,
        settings: Settings,
        started: Instant,
        stop: &'a Stop,
        on_info: &'a mut dyn FnMut(&Report),
    ) -> Self {
        Self {
            position,
            limits,
            settings,
            started,
            stop,
            on_info,
            reported: Duration::ZERO,
            nodes: 0,
            team: None,
            leads: false,
            told: 0,
            others: 0,
            look_at: 0,
            is_over: false,
            lines: Vec::new(),
            depth: 0,
            seldepth: 0,
            hashfull: 0,
        }
    }

    /// How to think.
    pub const fn settings(&self) -> Settings {
        self.settings
    }

    /// What bounds the thought.
    pub const fn limits(&self) -> Limits {
        self.limits
    }

    /// Random numbers that depend on the seed and the position alone.
    pub fn rng(&self) -> StdRng {
        StdRng::seed_from_u64(self.settings.seed ^ self.position.hash())
    }

    /// Counts a node. Returns whether the search must end now.
    #[inline]
    pub fn node(&mut self) -> bool {
        self.nodes += 1;
        if self.nodes >= self.look_at {
            self.look();
        }
        self.is_over
    }

    /// Counts several nodes that were cheap. Returns whether the search must end now.
    pub fn count(&mut self, nodes: u64) -> bool {
        self.nodes += nodes;
        if self.nodes >= self.look_at {
            self.look();
        }
        self.is_over
    }

    /// Thinks in as many threads as the settings want. `help` is called in each of the others with the
    /// number of that thread, from 1 on; `lead` is called in this one, and ends the work of all.
    pub fn think_together(
        &mut self,
        help: impl Fn(&mut Control<'_>, usize) + Sync,
        lead: impl FnOnce(&mut Self),
    ) {
        let others = self.settings.threads.saturating_sub(1);
        if others == 0 || self.look() {
            return lead(self);
        }
        let Self { position, settings, started, stop, nodes, .. } = *self;
        // Who leads ends the others.
        let limits = Limits { soft_time: None, depth: None, ..self.limits };
        let team = Arc::new(Team { nodes: AtomicU64::new(nodes), ..Team::default() });
        (self.told, self.leads, self.team) = (nodes, true, Some(Arc::clone(&team)));
        thread::scope(|scope| {
            for number in 1..=others {
                let (team, help) = (Arc::clone(&team), &help);
                let helps = move || {
                    let mut tells_nobody = |_: &Report| {};
                    let mut control =
                        Control::new(position, limits, settings, started, stop, &mut tells_nobody);
                    control.team = Some(team);
                    if !control.look() {
                        help(&mut control, number);
                        control.look();
                    }
                };
                // The system may allow fewer threads than are wanted.
                drop(thread::Builder::new().spawn_scoped(scope, helps));
            }
            let _end = EndsAll(&team);
            lead(self);
        });
        self.look();
    }

    /// Leaves this much of the time for what follows the thought.
    pub fn spare(&mut self, time: Duration) {
        self.limits.time = self.limits.time.map(|most| most.saturating_sub(time));
    }

    /// Ends the work of all threads of the thought.
    pub fn end_all(&mut self) {
        self.end();
        if let Some(team) = &self.team {
            team.is_over.store(true, Ordering::Relaxed);
        }
    }

    /// The nodes of this thread so far.
    pub const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Whether the limit leaves so many nodes.
    pub fn has_left(&self, nodes: u64) -> bool {
        self.limits.nodes.is_none_or(|most| self.nodes + self.others + nodes <= most)
    }

    /// Whether the search must end now, by what the last look has shown.
    pub const fn is_over(&self) -> bool {
        self.is_over
    }

    /// Looks at the clock and at the order to stop, whatever the number of nodes. For work that
    /// takes long without nodes.
    pub fn look(&mut self) -> bool {
        self.look_at = self.nodes + NODES_PER_LOOK;
        if let Some(team) = &self.team {
            let new = self.nodes - self.told;
            let all = team.nodes.fetch_add(new, Ordering::Relaxed) + new;
            (self.told, self.others) = (self.nodes, all - self.nodes);
            self.is_over |= team.is_over.load(Ordering::Relaxed);
        }
        if let Some(most) = self.limits.nodes {
            // Who leads must find something, however busy the others are.
            let others = if self.leads && self.lines.is_empty() { 0 } else { self.others };
            self.look_at = self.look_at.min(most.saturating_sub(others));
            self.is_over |= self.nodes + others >= most;
        }
        let spent = self.spent();
        self.is_over |= self.stop.is_due(spent);
        self.is_over |= self.limits.time.is_some_and(|time| spent >= time);
        if spent >= self.reported + REPORT_EVERY && !self.lines.is_empty() {
            self.report(spent);
        }
        self.is_over
    }

    /// Ends the thought.
    pub const fn end(&mut self) {
        self.is_over = true;
    }

    /// The time since the thought began.
    pub fn spent(&self) -> Duration {
        clock::now().saturating_duration_since(self.started)
    }

    /// Whether a search that has looked `depth` moves ahead in all lines may look further.
    pub fn may_deepen(&mut self, depth: u32) -> bool {
        let is_deep = self.limits.depth.is_some_and(|most| depth >= most);
        let is_late = self.limits.soft_time.is_some_and(|soft| self.spent() >= soft);
        !is_deep && !is_late && !self.look()
    }

    /// Takes note of the best moves, the best first, and says so.
    pub fn found(&mut self, depth: u32, seldepth: u32, lines: Vec<Line>) {
        self.note(depth, seldepth, lines);
        let spent = self.spent();
        self.report(spent);
    }

    /// Takes note of the best moves without a word: for a change within an iteration.
    pub fn note(&mut self, depth: u32, seldepth: u32, lines: Vec<Line>) {
        (self.depth, self.seldepth, self.lines) = (depth, seldepth, lines);
    }

    /// Takes note of how much of a table or a tree is in use.
    pub fn set_fill(&mut self, (part, all): (usize, usize)) {
        self.hashfull = u32::try_from(part * 1000 / all.max(1)).unwrap_or(1000).min(1000);
    }

    fn report(&mut self, spent: Duration) {
        self.reported = spent;
        let report = self.as_report(spent);
        (self.on_info)(&report);
    }

    fn as_report(&self, time: Duration) -> Report {
        let best = self.lines.first();
        let parsed = best.and_then(|line| self.position.parse_move(line.moves.first()?).ok());
        let legal = parsed.filter(|mv| self.position.validate(mv).is_ok());
        debug_assert!(legal.is_some() || best.is_none(), "a search finds legal moves");
        Report {
            best: legal,
            value: best.map_or(0, |line| line.value),
            exact: best.is_some_and(|line| line.exact),
            lines: self.lines.clone(),
            depth: self.depth,
            seldepth: self.seldepth,
            hashfull: self.hashfull,
            nodes: self.nodes + self.others,
            time,
        }
    }

    /// The report at the end. A search that has found nothing has a legal move at least.
    pub(super) fn into_report(mut self) -> Report {
        let mut report = self.as_report(self.spent());
        if report.best.is_none() {
            report.best = self.any_move();
            let moves = report.best.iter().map(Move::to_string).collect::<Vec<_>>();
            if !moves.is_empty() {
                self.lines = vec![Line { moves, ..Line::default() }];
                report.lines.clone_from(&self.lines);
            }
        }
        report
    }

    fn any_move(&self) -> Option<Move> {
        let mut rng = self.rng();
        self.position.sample_moves(1, &mut |below| rng.random_range(0..below)).pop()
    }
}
