//! One run of a seed: the lives of one server on one disk, from crash to crash, and the final
//! checks.

use std::{
    fs,
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use adamant_server::{config::Config, simulation::SimulatedServer};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use rusqlite::{Connection, OpenFlags, types::ValueRef};
use serde_json::json;
use tempfile::TempDir;
use tokio::{
    runtime::{Builder, Runtime},
    time::{Instant, advance, sleep},
};

use super::{
    clients::ConnState,
    disk::SimDisk,
    history::{Fault, RunHistory},
    oracle::{Oracle, word},
    stats::Stats,
    workload::Workload,
};

/// The start of the simulated time.
const START_MS: u64 = 1_800_000_000_000;

/// The idle time before the final checks: longer than any presence timeout or slow disk takes.
const REST: Duration = Duration::from_secs(20);

/// How often the server stores a heartbeat.
const HEARTBEAT_EVERY_MS: u64 = 5_000;

/// The time that passes at once, so that flags of games by the day fall.
const DAYS: Duration = Duration::from_hours(25);

/// How often the final checks are repeated, two seconds apart.
const CHECKS: u32 = 3;

/// How a life of the server ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LifeEnd {
    Crash,
    /// A graceful stop.
    Stop,
    /// The workload is done.
    Done,
}

struct SimRun {
    chance: StdRng,
    fault: Fault,
    oracle: Arc<Mutex<Oracle>>,
    workload: Workload,
    config: Config,
    disk: Arc<SimDisk>,
    directory: TempDir,
    history: RunHistory,
    /// Whether the history has every row of the database after each life.
    has_tables: bool,
    now_ms: u64,
    stats: Stats,
}

pub(super) fn run(seed: u64, fault: Fault) -> Result<Stats, String> {
    let run = SimRun::new(seed, fault);
    let _log = run.history.add_log();
    run.finish()
}

/// Runs a seed and returns its history, with every row of the database after each life.
pub(super) fn history(seed: u64, fault: Fault) -> Vec<String> {
    let run = SimRun { has_tables: true, ..SimRun::new(seed, fault) };
    let history = run.history.clone();
    let log = history.add_log();
    if let Err(why) = run.finish() {
        panic!("seed {seed} fails:\n{why}");
    }
    drop(log);
    history.into_lines()
}

impl SimRun {
    fn new(seed: u64, fault: Fault) -> Self {
        let mut chance = StdRng::seed_from_u64(seed);
        let memory = Path::new("/dev/shm");
        let directory =
            if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
        let directory = directory.expect("there is room for temporary files");
        let history = RunHistory::new(directory.path().display().to_string());
        let oracle = Oracle { history: history.clone(), ..Oracle::default() };
        let oracle = Arc::new(Mutex::new(oracle));
        let mut config = Config::default();
        config.store.data = directory.path().join("data");
        config.store.wal_mib = 1;
        config.limits.enforced = false;
        config.notifications.push = false;
        config.notifications.webhooks = false;
        config.games.house = chance.random_bool(0.5);
        config.games.park_after = Duration::from_secs(chance.random_range(2..40));
        config.games.claim_after = Duration::from_secs(chance.random_range(1..10));
        config.games.claim_after_untimed = Duration::from_secs(chance.random_range(1..20));
        let disk = SimDisk::new(&mut chance, Arc::clone(&oracle), fault);
        let workload = Workload::new(chance.random(), Arc::clone(&oracle), fault);
        let disk = Arc::new(disk);
        let (now_ms, stats) = (START_MS, Stats::default());
        Self {
            chance,
            fault,
            oracle,
            workload,
            config,
            disk,
            directory,
            history,
            has_tables: false,
            now_ms,
            stats,
        }
    }

    fn finish(mut self) -> Result<Stats, String> {
        loop {
            let steps = self.chance.random_range(20..110);
            let last = self.stats.crashes + self.stats.stops >= 3;
            let end = self.live(steps, last)?;
            if end == LifeEnd::Done {
                break;
            }
        }
        // What clients received must survive one more crash.
        self.crash();
        self.live(0, true)?;
        self.oracle.lock().unwrap().count(&mut self.stats);
        Ok(self.stats)
    }

    /// Runs one life of the server.
    fn live(&mut self, steps: u32, last: bool) -> Result<LifeEnd, String> {
        if self.fault == Fault::DiskLosesWrites && self.stats.crashes == 1 {
            self.keep_copy();
        }
        let runtime = Builder::new_current_thread().enable_all().start_paused(true).build();
        let runtime: Runtime = runtime.expect("the system has room for a runtime");
        let began_ms = self.now_ms;
        let seed = self.chance.random();
        let (end, lived_ms) = runtime.block_on(async {
            let began = Instant::now();
            self.history.set_time(Some((began_ms, began)));
            let disk: Arc<SimDisk> = Arc::clone(&self.disk);
            self.oracle.lock().unwrap().journal.is_starting = true;
            let server = SimulatedServer::start(&self.config, (began_ms, seed), disk).await;
            let server = server.map_err(|error| format!("the server does not start: {error}"));
            self.oracle.lock().unwrap().journal.has_started(began_ms + elapsed_ms(began));
            let end = match server {
                Ok(server) => self.serve(&server, steps, last, began_ms, began).await,
                Err(why) => Err(why),
            };
            (end, elapsed_ms(began))
        });
        // Drops everything that the server was about to do.
        drop(runtime);
        self.history.set_time(None);
        self.now_ms += lived_ms;
        if self.has_tables {
            for row in dump(&self.config.store.data, &self.directory.path().join("dump")) {
                self.history.push(&row);
            }
        }
        let end = end?;
        match end {
            LifeEnd::Crash => self.crash(),
            LifeEnd::Stop => {
                self.stats.stops += 1;
                self.pass_outage();
            }
            LifeEnd::Done => {}
        }
        Ok(end)
    }

    async fn serve(
        &mut self,
        server: &SimulatedServer,
        steps: u32,
        last: bool,
        began_ms: u64,
        began: Instant,
    ) -> Result<LifeEnd, String> {
        self.disk.set_unreliable(true);
        for _ in 0..steps {
            self.workload.step(std::slice::from_ref(server));
            self.wait().await;
            self.oracle.lock().unwrap().check()?;
        }
        self.disk.set_unreliable(false);
        if !last && self.chance.random_bool(0.2) {
            self.oracle.lock().unwrap().is_stopping = true;
            server.stop().await;
            self.oracle.lock().unwrap().is_stopping = false;
            self.oracle.lock().unwrap().check()?;
            return Ok(LifeEnd::Stop);
        }
        if !last {
            self.workload.step(std::slice::from_ref(server));
            for _ in 0..self.chance.random_range(0..40) {
                tokio::task::yield_now().await;
            }
            return Ok(LifeEnd::Crash);
        }
        self.workload.reconnect_all(std::slice::from_ref(server), steps == 0);
        for _ in 0..2 {
            sleep(Duration::from_secs(2)).await;
            self.workload.reconnect_refused(std::slice::from_ref(server), steps == 0);
        }
        self.workload.repeat_all();
        sleep(REST).await;
        let mut faults = Vec::new();
        for _ in 0..CHECKS {
            self.oracle.lock().unwrap().check()?;
            faults = self.oracle.lock().unwrap().check_rest(began_ms + elapsed_ms(began));
            if faults.is_empty() {
                return Ok(LifeEnd::Done);
            }
            // A flag may be falling at this very moment.
            sleep(Duration::from_secs(2)).await;
        }
        Err(self.history.report(&faults))
    }

    /// Lets a random time pass before the next step, or none.
    async fn wait(&mut self) {
        if self.chance.random_bool(0.005) {
            // Days pass at once. A connection would be silent for too long.
            self.workload.disconnect();
            // The server notes first that it has been there all the time.
            self.disk.set_unreliable(false);
            advance(DAYS).await;
            sleep(REST).await;
            self.disk.set_unreliable(true);
            return;
        }
        let ms = match self.chance.random_range(0..1_000) {
            0..350 => return,
            350..750 => self.chance.random_range(0..40),
            750..930 => self.chance.random_range(40..2_000),
            930..990 => self.chance.random_range(2_000..15_000),
            _ => self.chance.random_range(15_000..100_000),
        };
        sleep(Duration::from_millis(ms)).await;
    }

    fn crash(&mut self) {
        self.stats.crashes += 1;
        self.workload.disconnect();
        self.history.push("-- crash");
        if self.fault == Fault::DiskLosesWrites && self.stats.crashes > 2 {
            copy(&self.directory.path().join("copy"), &self.config.store.data);
        }
        self.pass_outage();
    }

    fn pass_outage(&mut self) {
        self.workload.disconnect();
        let away =
            if self.chance.random_bool(0.5) { 0 } else { self.chance.random_range(0..90_000) };
        // A heartbeat that was not stored makes the outage seem longer.
        let unsure = HEARTBEAT_EVERY_MS * self.disk.take_failures();
        let outage = (self.now_ms - unsure, self.now_ms + away);
        self.oracle.lock().unwrap().journal.outages.push(outage);
        self.now_ms += away;
    }

    fn keep_copy(&self) {
        copy(&self.config.store.data, &self.directory.path().join("copy"));
    }
}

/// Simulated milliseconds since an instant.
fn elapsed_ms(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).expect("not so long")
}

impl Oracle {
    /// Returns what is wrong once every user is connected and nothing has happened for a while.
    pub(super) fn check_rest(&self, now: u64) -> Vec<String> {
        let mut faults = Vec::new();
        for (user, who) in self.users.iter().enumerate() {
            for frame in self.unanswered(user) {
                faults.push(format!("{} never heard about {frame}", who.name));
            }
            for (id, request) in &who.requests {
                let game = self.journal.games.get(&word(&request.frame, "game"));
                let done = game.is_some_and(|game| game.has(&who.name, id));
                if done && request.errors == request.sends {
                    faults.push(format!("refused, and done: {}", request.frame));
                }
            }
        }
        for (number, conn) in self.links.iter().enumerate().filter(|(_, conn)| conn.open) {
            for (game, &heard) in &conn.heard {
                if let Err(why) = self.check_conn(conn, game, heard) {
                    let name = &self.users[conn.user].name;
                    faults.push(format!("{name} on connection {number} of {game}: {why}"));
                }
            }
        }
        for game in self.journal.live() {
            let due = self.journal.table(&game).and_then(adamant_rules::Table::next_deadline);
            if due.is_some_and(|due| due + self.flag_margin_ms() < now) {
                faults.push(format!("a flag of {game} was to fall at {due:?}, it is {now}"));
            }
        }
        faults
    }

    /// How much later than its time a flag may fall.
    const fn flag_margin_ms(&self) -> u64 {
        if self.is_cluster { 5_000 } else { 1_000 }
    }

    fn check_conn(&self, conn: &ConnState, id: &str, heard: u64) -> Result<(), String> {
        let (game, table) = (&self.journal.games[id], self.journal.table(id).expect("a game"));
        let me = &self.users[conn.user].name;
        let over = table.outcome().is_some();
        let plays = table.seat_of(me);
        if plays.is_none() && !over && game.frames[0]["delay"].is_u64() {
            return Ok(());
        }
        if heard != game.last_seq() {
            return Err(format!("heard {heard} events of {}", game.last_seq()));
        }
        if over {
            return Ok(());
        }
        if plays.is_some() && table.to_move() == plays {
            let told = conn.your_turn.get(id).copied();
            if told != Some(table.turn().into()) {
                return Err(format!(
                    "it is their turn {}, and they know of {told:?}",
                    table.turn()
                ));
            }
        }
        let seats = conn.presence.get(id).ok_or("no presence received")?;
        for (seat, player) in table.players().entries() {
            // The house is always there.
            let here = player.user.starts_with("house")
                || self.links.iter().any(|other| {
                    other.open
                        && other.heard.contains_key(id)
                        && self.users[other.user].name == *player.user
                });
            if seats[seat.index()]["online"] != json!(here) {
                return Err(format!("{} is there: {here}; told {seats}", player.user));
            }
        }
        Ok(())
    }
}

/// Returns every row of every table of a database, one a line. The database stays as it is, and so
/// does its WAL: a copy in `aside` is read.
fn dump(data: &Path, aside: &Path) -> Vec<String> {
    copy(data, aside);
    let path = aside.join("adamant.db");
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
    let database = Connection::open_with_flags(path, flags).expect("the copy can be opened");
    let names = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
    let mut names = database.prepare(names).expect("a database lists its tables");
    let names = names.query_map([], |row| row.get::<_, String>(0)).expect("a query");
    let names: Vec<String> = names.collect::<Result<_, _>>().expect("tables have names");
    names.iter().flat_map(|name| rows(&database, name)).collect()
}

fn rows(database: &Connection, table: &str) -> Vec<String> {
    let mut select = database.prepare(&format!("SELECT * FROM \"{table}\"")).expect("a table");
    let columns = select.column_count();
    let line = |row: &rusqlite::Row<'_>| {
        let values = (0..columns).map(|column| Ok(text(row.get_ref(column)?)));
        let values: rusqlite::Result<Vec<String>> = values.collect();
        Ok(format!("   row of {table}: {}", values?.join(" | ")))
    };
    let rows = select.query_map([], line).expect("a query");
    rows.collect::<Result<_, _>>().expect("a row can be read")
}

fn text(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => "-".to_owned(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
        ValueRef::Blob(bytes) => format!("{bytes:02x?}"),
    }
}

/// Replaces one directory by a copy of the other.
fn copy(from: &Path, to: &Path) {
    // The directory may not exist yet.
    drop(fs::remove_dir_all(to));
    fs::create_dir_all(to).expect("there is room for a copy");
    let Ok(files) = fs::read_dir(from) else { return };
    for file in files {
        let file = file.expect("the directory can be read");
        fs::copy(file.path(), to.join(file.file_name())).expect("there is room for a copy");
    }
}
