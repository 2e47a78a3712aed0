//! One run of a seed with several nodes on one store: they crash and pause, their clocks are apart,
//! and what they announce to each other is lost, doubled and reordered.

use std::{
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use adamant_server::{
    config::Config,
    simulation::{SimulatedCluster, SimulatedServer},
};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use serde_json::Value;
use tokio::{
    runtime::Builder,
    time::{Instant, sleep},
};

use super::{
    disk::SimDisk,
    history::{Fault, RunHistory},
    network::SimNetwork,
    oracle::Oracle,
    stats::Stats,
    workload::Workload,
};

/// The start of the simulated time.
const START_MS: u64 = 1_800_000_000_000;

/// The most that two clocks are apart.
const CLOCKS_APART_MS: u64 = 50;

/// The longest pause of a node.
const PAUSE_MS: u64 = 5_000;

/// The idle time before the final checks: the nodes have asked the store for what they have missed.
const REST: Duration = Duration::from_secs(70);

/// How often the final checks are repeated, two seconds apart.
const CHECKS: u32 = 3;

struct ClusterRun {
    chance: StdRng,
    oracle: Arc<Mutex<Oracle>>,
    workload: Workload,
    config: Config,
    network: Arc<SimNetwork>,
    cluster: SimulatedCluster,
    servers: Vec<SimulatedServer>,
    /// Number of nodes that have started.
    started: u64,
    began: Instant,
    history: RunHistory,
    stats: Stats,
}

pub(super) fn run(seed: u64) -> Result<Stats, String> {
    let memory = Path::new("/dev/shm");
    let directory =
        if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    let directory = directory.expect("there is room for temporary files");
    let runtime = Builder::new_current_thread().enable_all().start_paused(true).build();
    let runtime = runtime.expect("the system has room for a runtime");
    let history = RunHistory::new(directory.path().display().to_string());
    let log = history.add_log();
    let result = runtime.block_on(async {
        let mut run = Box::pin(ClusterRun::start(seed, directory.path(), history.clone())).await?;
        Box::pin(run.play()).await?;
        Ok(run.finish())
    });
    // Drops everything that the nodes were about to do.
    drop((runtime, log));
    result
}

impl ClusterRun {
    async fn start(seed: u64, directory: &Path, history: RunHistory) -> Result<Self, String> {
        let mut chance = StdRng::seed_from_u64(seed);
        let began = Instant::now();
        history.set_time(Some((START_MS, began)));
        let oracle = Oracle { history: history.clone(), is_cluster: true, ..Oracle::default() };
        let oracle = Arc::new(Mutex::new(oracle));
        let mut config = Config::default();
        config.store.data = directory.join("data");
        config.store.wal_mib = 1;
        config.limits.enforced = false;
        config.notifications.push = false;
        config.notifications.webhooks = false;
        config.games.house = false;
        config.games.park_after = Duration::from_secs(chance.random_range(2..40));
        config.games.claim_after = Duration::from_secs(chance.random_range(1..10));
        config.games.claim_after_untimed = Duration::from_secs(chance.random_range(1..20));
        let disk = Arc::new(SimDisk::new(&mut chance, Arc::clone(&oracle), Fault::None));
        let network = Arc::new(SimNetwork::new(chance.random()));
        let shared: Arc<SimNetwork> = Arc::clone(&network);
        let at = (START_MS, chance.random());
        let cluster = SimulatedCluster::open(&config, at, disk, shared);
        let cluster = cluster.map_err(|error| format!("the store does not open: {error}"))?;
        let workload = Workload::new(chance.random(), Arc::clone(&oracle), Fault::None);
        let mut run = Self {
            chance,
            oracle,
            workload,
            config,
            network,
            cluster,
            servers: Vec::new(),
            started: 0,
            began,
            history,
            stats: Stats::default(),
        };
        for _ in 0..run.chance.random_range(2..4) {
            let server = run.start_node().await?;
            run.servers.push(server);
        }
        Ok(run)
    }

    async fn start_node(&mut self) -> Result<SimulatedServer, String> {
        self.started += 1;
        let name = format!("n{}", self.started);
        let now = START_MS + u64::try_from(self.began.elapsed().as_millis()).expect("not so long");
        let at = (now + self.chance.random_range(0..=CLOCKS_APART_MS), self.chance.random());
        self.history.push(&format!("-- {name} starts"));
        let started = self.cluster.start_node(&name, &self.config, at).await;
        started.map_err(|error| format!("{name} does not start: {error}"))
    }

    async fn play(&mut self) -> Result<(), String> {
        for _ in 0..self.chance.random_range(100..400) {
            self.workload.step(&self.servers);
            match self.chance.random_range(0..200) {
                0 => self.crash().await?,
                1..3 => self.pause().await,
                _ => {}
            }
            self.wait().await;
            self.oracle.lock().unwrap().check()?;
        }
        self.network.set_unreliable(false);
        self.workload.reconnect_all(&self.servers, false);
        for _ in 0..2 {
            sleep(Duration::from_secs(2)).await;
            self.workload.reconnect_refused(&self.servers, false);
        }
        self.workload.repeat_all();
        sleep(REST).await;
        let mut faults = Vec::new();
        for _ in 0..CHECKS {
            self.oracle.lock().unwrap().check()?;
            let now = self.history.now_ms().expect("the run has begun");
            faults = self.oracle.lock().unwrap().check_rest(now);
            if faults.is_empty() {
                return Ok(());
            }
            // A flag may be falling at this very moment.
            sleep(Duration::from_secs(2)).await;
        }
        Err(self.history.report(&faults))
    }

    /// Crashes a node, and starts another in its place.
    async fn crash(&mut self) -> Result<(), String> {
        let node = self.chance.random_range(0..self.servers.len());
        self.stats.crashes += 1;
        self.history.push(&format!("-- node {node} crashes"));
        self.workload.cut_node(node);
        self.servers.remove(node).crash();
        self.cluster.notice_crashes();
        let server = self.start_node().await?;
        self.servers.insert(node, server);
        Ok(())
    }

    /// Pauses a node while the others go on.
    async fn pause(&mut self) {
        let node = self.chance.random_range(0..self.servers.len());
        self.stats.pauses += 1;
        self.history.push(&format!("-- node {node} pauses"));
        self.servers[node].pause();
        for _ in 0..self.chance.random_range(0..10) {
            self.workload.step(&self.servers);
            sleep(Duration::from_millis(self.chance.random_range(0..PAUSE_MS / 10))).await;
        }
        self.history.push(&format!("-- node {node} goes on"));
        self.servers[node].resume();
    }

    /// Lets a random time pass before the next step, or none.
    async fn wait(&mut self) {
        let ms = match self.chance.random_range(0..1_000) {
            0..400 => return,
            400..800 => self.chance.random_range(0..40),
            800..950 => self.chance.random_range(40..2_000),
            950..995 => self.chance.random_range(2_000..15_000),
            _ => self.chance.random_range(15_000..60_000),
        };
        sleep(Duration::from_millis(ms)).await;
    }

    fn finish(mut self) -> Stats {
        self.oracle.lock().unwrap().count(&mut self.stats);
        self.stats
    }
}

/// The most that a node's clock is apart from the simulated time, and what a disk takes at least.
const CLOCK_MARGIN_MS: u64 = 60;

/// A player who has been at the game for this long is present on every node: longer than any pause.
const PRESENT_AFTER_MS: u64 = 10_000;

impl Oracle {
    /// Checks that no flag falls before its time, by the simulated time. `due` is the deadline
    /// before the record.
    pub(super) fn check_flag(&self, due: Option<u64>, frame: &Value) -> Result<(), String> {
        let is_flag = matches!(frame["reason"].as_str(), Some("timed_out" | "no_show"))
            && frame["claimed_by"].is_null();
        let now = self.history.now_ms().unwrap_or(u64::MAX);
        match due {
            Some(due) if is_flag && now + CLOCK_MARGIN_MS < due => {
                Err(format!("a flag falls at {now}, before {due}"))
            }
            _ => Ok(()),
        }
    }

    /// Checks that no claim is decided against a player who is present.
    pub(super) fn check_claim(&self, game: &str, frame: &Value) -> Result<(), String> {
        let seat = if frame["kind"] == "removed" { "seat" } else { "by" };
        let (Some(_), Some(seat)) = (frame["claimed_by"].as_u64(), frame[seat].as_u64()) else {
            return Ok(());
        };
        let at = frame["at"].as_u64().unwrap_or_default();
        let mut players = self.journal.table(game).into_iter().flat_map(|table| {
            table.players().entries().filter(|(other, _)| other.index() as u64 == seat)
        });
        let Some((_, player)) = players.next() else { return Ok(()) };
        let is_present = self.links.iter().any(|link| {
            link.open
                && !link.was_stalled
                && self.users[link.user].name == *player.user
                && link.joined.get(game).is_some_and(|joined| joined + PRESENT_AFTER_MS < at)
        });
        if is_present { Err(format!("{} is there", player.user)) } else { Ok(()) }
    }

    /// Notes which games a connection has joined.
    pub(super) fn note_joined(&mut self, link: usize) {
        let now = self.history.now_ms().unwrap_or_default();
        let link = &mut self.links[link];
        link.joined.retain(|game, _| link.heard.contains_key(game));
        for game in link.heard.keys() {
            link.joined.entry(game.clone()).or_insert(now);
        }
    }
}
