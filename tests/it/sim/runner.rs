//! A run: the lives of one server on one disk, from crash to crash, and the rest at the end.

use std::{
    fmt::Write as _,
    fs,
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use adamant_protocol::GameId;
use adamant_server::{
    config::Config,
    simulation::{Disk, Simulated},
};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use tempfile::TempDir;
use tokio::{
    runtime::{Builder, Runtime},
    time::{Instant, sleep},
};

use super::{oracle::World, workload::Workload};

/// When the simulated time begins.
const BEGINNING_MS: u64 = 1_800_000_000_000;

/// How long everybody rests before the end: longer than any presence or slow disk takes.
const REST: Duration = Duration::from_secs(20);

/// How often it is looked whether all is well then, two seconds apart.
const LOOKS: u32 = 3;

/// What is wrong with the server of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flaw {
    /// Nothing.
    None,
    /// It tells what its disk does not hold yet.
    ToldEarly,
    /// Its disk loses in a crash what it said it held.
    DiskForgets,
    /// It takes a request that comes again for a new one.
    RequestsForgotten,
}

/// What happened in a run, in numbers.
#[derive(Debug, Default)]
pub(super) struct Story {
    pub(super) games: u64,
    pub(super) over: u64,
    pub(super) records: u64,
    pub(super) frames: u64,
    pub(super) crashes: u64,
    pub(super) stops: u64,
    pub(super) kinds: std::collections::BTreeMap<String, u64>,
}

impl Story {
    pub(super) fn add(&mut self, other: &Self) {
        self.games += other.games;
        self.over += other.over;
        self.records += other.records;
        self.frames += other.frames;
        self.crashes += other.crashes;
        self.stops += other.stops;
        for (kind, count) in &other.kinds {
            *self.kinds.entry(kind.clone()).or_default() += count;
        }
    }

    /// A workload in which something never happens proves nothing about it.
    pub(super) fn check_variety(&self) {
        let kinds = [
            "moved",
            "removed",
            "offered",
            "agreed",
            "offer_closed",
            "taken_back",
            "clock_adjusted",
            "aborted",
            "ended resigned",
            "ended timed_out",
            "ended abandoned",
            "ended agreement",
        ];
        for kind in kinds {
            assert!(self.kinds.contains_key(kind), "nothing was ever {kind}: {self:?}");
        }
        assert!(self.crashes > 0 && self.stops > 0);
    }
}

/// The disk of a run: real files, and the world looks on.
#[derive(Debug)]
struct Slow {
    chance: Mutex<StdRng>,
    slowest_ms: u64,
    world: Arc<Mutex<World>>,
    flaw: Flaw,
    /// What the world has yet to hear of, if the server tells too early.
    late: Mutex<Vec<(String, String)>>,
}

impl Disk for Slow {
    fn latency(&self) -> Duration {
        Duration::from_millis(self.chance.lock().unwrap().random_range(0..=self.slowest_ms))
    }

    fn holds(&self, game: &GameId, records: &[bytes::Bytes]) {
        for (game, record) in self.late.lock().unwrap().drain(..) {
            self.world.lock().unwrap().commit(&game, &record);
        }
        for record in records {
            let record = str::from_utf8(record).expect("records are text").to_owned();
            if self.flaw == Flaw::ToldEarly {
                self.late.lock().unwrap().push((game.to_string(), record));
            } else {
                self.world.lock().unwrap().commit(game.as_str(), &record);
            }
        }
    }
}

/// How a life ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The power was cut.
    Crash,
    /// The operator stopped it.
    Stop,
    /// The workload is done.
    Done,
}

struct Run {
    chance: StdRng,
    flaw: Flaw,
    world: Arc<Mutex<World>>,
    workload: Workload,
    config: Config,
    disk: Arc<Slow>,
    directory: TempDir,
    now_ms: u64,
    story: Story,
}

/// Runs a seed.
pub(super) fn run(seed: u64, flaw: Flaw) -> Result<Story, String> {
    let mut chance = StdRng::seed_from_u64(seed);
    let world = Arc::new(Mutex::new(World::default()));
    let memory = Path::new("/dev/shm");
    let directory =
        if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    let directory = directory.expect("there is room for temporary files");
    let mut config = Config::default();
    config.store.data = directory.path().join("data");
    config.store.log_mib = 1;
    config.limits.enforced = false;
    config.games.house = false;
    config.games.park_after = Duration::from_secs(chance.random_range(2..40));
    config.games.claim_after = Duration::from_secs(chance.random_range(1..10));
    config.games.claim_after_untimed = Duration::from_secs(chance.random_range(1..20));
    let disk = Slow {
        chance: Mutex::new(StdRng::seed_from_u64(chance.random())),
        slowest_ms: [0, 3, 20, 150][chance.random_range(0..4)],
        world: Arc::clone(&world),
        flaw,
        late: Mutex::default(),
    };
    let workload = Workload::new(chance.random(), Arc::clone(&world), flaw);
    let disk = Arc::new(disk);
    let (now_ms, story) = (BEGINNING_MS, Story::default());
    Run { chance, flaw, world, workload, config, disk, directory, now_ms, story }.finish()
}

impl Run {
    fn finish(mut self) -> Result<Story, String> {
        loop {
            let steps = self.chance.random_range(20..110);
            let last = self.story.crashes + self.story.stops >= 3;
            let end = self.live(steps, last)?;
            if end == End::Done {
                break;
            }
        }
        // Once more: what clients have heard must be there after one more crash, and whole.
        self.crash();
        self.live(0, true)?;
        let world = self.world.lock().unwrap();
        for game in world.journal.games.values() {
            self.story.games += 1;
            for frame in &game.frames {
                self.story.records += 1;
                let kind = frame["kind"].as_str().unwrap_or_default();
                let kind = match frame["reason"].as_str() {
                    Some(reason) if kind == "ended" => format!("ended {reason}"),
                    _ => kind.to_owned(),
                };
                *self.story.kinds.entry(kind).or_default() += 1;
            }
        }
        self.story.over = self.story.games - world.journal.live().len() as u64;
        self.story.frames = world.frames;
        drop(world);
        Ok(self.story)
    }

    /// One life of the server.
    fn live(&mut self, steps: u32, last: bool) -> Result<End, String> {
        if self.flaw == Flaw::DiskForgets && self.story.crashes == 1 {
            self.keep_copy();
        }
        let runtime = Builder::new_current_thread().enable_all().start_paused(true).build();
        let runtime: Runtime = runtime.expect("the system has room for a runtime");
        let began_ms = self.now_ms;
        let (end, lived_ms) = runtime.block_on(async {
            let began = Instant::now();
            let disk: Arc<Slow> = Arc::clone(&self.disk);
            let server = Simulated::start(&self.config, began_ms, disk).await;
            let server = server.map_err(|error| format!("the server does not start: {error}"));
            let end = match server {
                Ok(server) => self.serve(&server, steps, last, began_ms, began).await,
                Err(why) => Err(why),
            };
            (end, u64::try_from(began.elapsed().as_millis()).expect("not so long"))
        });
        // Whatever the server was about to do it never does.
        drop(runtime);
        self.now_ms += lived_ms;
        let end = end?;
        match end {
            End::Crash => self.crash(),
            End::Stop => {
                self.story.stops += 1;
                self.stay_away();
            }
            End::Done => {}
        }
        Ok(end)
    }

    async fn serve(
        &mut self,
        server: &Simulated,
        steps: u32,
        last: bool,
        began_ms: u64,
        began: Instant,
    ) -> Result<End, String> {
        for _ in 0..steps {
            self.workload.step(server);
            self.wait().await;
            self.look()?;
        }
        if !last && self.chance.random_bool(0.2) {
            self.world.lock().unwrap().is_stopping = true;
            server.stop().await;
            self.world.lock().unwrap().is_stopping = false;
            self.look()?;
            return Ok(End::Stop);
        }
        if !last {
            self.workload.step(server);
            for _ in 0..self.chance.random_range(0..40) {
                tokio::task::yield_now().await;
            }
            return Ok(End::Crash);
        }
        self.workload.gather(server, steps == 0);
        sleep(Duration::from_secs(2)).await;
        self.workload.ask_again();
        sleep(REST).await;
        let mut faults = Vec::new();
        for _ in 0..LOOKS {
            self.look()?;
            let elapsed = u64::try_from(began.elapsed().as_millis()).expect("not so long");
            faults = self.world.lock().unwrap().check_rest(began_ms + elapsed);
            if faults.is_empty() {
                return Ok(End::Done);
            }
            // A flag may be falling at this very moment.
            sleep(Duration::from_secs(2)).await;
        }
        Err(self.tell(&faults))
    }

    /// Lets time pass until the next step, or none.
    async fn wait(&mut self) {
        let ms = match self.chance.random_range(0..1_000) {
            0..350 => return,
            350..750 => self.chance.random_range(0..40),
            750..930 => self.chance.random_range(40..2_000),
            930..990 => self.chance.random_range(2_000..15_000),
            _ => self.chance.random_range(15_000..100_000),
        };
        sleep(Duration::from_millis(ms)).await;
    }

    fn look(&self) -> Result<(), String> {
        let faults = self.world.lock().unwrap().faults.clone();
        if faults.is_empty() { Ok(()) } else { Err(self.tell(&faults)) }
    }

    fn tell(&self, faults: &[String]) -> String {
        let mut told = self.world.lock().unwrap().story();
        for fault in faults {
            write!(told, "\nFAULT {fault}").expect("writing to memory");
        }
        told
    }

    fn crash(&mut self) {
        self.story.crashes += 1;
        self.workload.disconnect();
        self.world.lock().unwrap().tell("-- crash");
        if self.flaw == Flaw::DiskForgets && self.story.crashes > 2 {
            copy(&self.directory.path().join("copy"), &self.config.store.data);
        }
        self.stay_away();
    }

    fn stay_away(&mut self) {
        self.workload.disconnect();
        let away =
            if self.chance.random_bool(0.5) { 0 } else { self.chance.random_range(0..90_000) };
        let outage = (self.now_ms, self.now_ms + away);
        self.world.lock().unwrap().journal.outages.push(outage);
        self.now_ms += away;
    }

    fn keep_copy(&self) {
        copy(&self.config.store.data, &self.directory.path().join("copy"));
    }
}

/// Makes one directory what the other is.
fn copy(from: &Path, to: &Path) {
    let _was_there = fs::remove_dir_all(to);
    fs::create_dir_all(to).expect("there is room for a copy");
    let Ok(files) = fs::read_dir(from) else { return };
    for file in files {
        let file = file.expect("the directory can be read");
        fs::copy(file.path(), to.join(file.file_name())).expect("there is room for a copy");
    }
}
