//! The server of one test: one process with the embedded store, or several nodes on PostgreSQL.

use std::{
    ffi::OsStr,
    fs,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
    sync::atomic::{AtomicUsize, Ordering},
};

use futures::future::select_all;
use postgres_fixture::Cluster;
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::{Child, ChildStderr, Command},
    sync::watch,
    task::JoinSet,
    time::timeout,
};

use super::{PATIENCE, binary};

/// The variable that runs the tests on PostgreSQL: the number of nodes, such as `2`. The clients of
/// a test connect to one node after the other.
const NODES_VARIABLE: &str = "ADAMANT_TEST_NODES";

/// Number of nodes on PostgreSQL; `None` for the embedded store.
#[expect(clippy::disallowed_methods, reason = "the environment chooses the store")]
fn chosen_nodes() -> Option<usize> {
    let nodes = std::env::var(NODES_VARIABLE).ok()?;
    Some(nodes.parse().expect("a number of nodes"))
}

/// The server of one test. Dropping it kills its processes, and prints their logs if the test
/// fails.
pub(crate) struct Server {
    nodes: Vec<Node>,
    /// The database of the nodes; `None` with the embedded store.
    database: Option<String>,
    /// The node for the next client.
    next: AtomicUsize,
}

impl Server {
    /// Starts a server with high rate limits, so that they do not interfere with a test.
    pub(crate) async fn start() -> Self {
        Self::with(|_| {}).await
    }

    /// Starts a server with changes to the default configuration.
    pub(crate) async fn with(change: impl FnOnce(&mut Setup)) -> Self {
        Self::of_nodes(chosen_nodes(), change).await
    }

    /// Starts one process with the store that the environment chooses: for tests of what each node
    /// has or counts for itself.
    pub(crate) async fn one_node(change: impl FnOnce(&mut Setup)) -> Self {
        Self::of_nodes(chosen_nodes().map(|_| 1), change).await
    }

    async fn of_nodes(nodes: Option<usize>, change: impl FnOnce(&mut Setup)) -> Self {
        let mut setup = Setup::default();
        change(&mut setup);
        match nodes {
            None => Self::of(vec![Node::start(setup).await], None),
            Some(nodes) => Self::on_postgres(nodes, setup).await,
        }
    }

    /// Starts a server with the embedded store, whatever the environment chooses: for tests that
    /// read or damage its files, and for commands that PostgreSQL has tools of its own for.
    pub(crate) async fn embedded(change: impl FnOnce(&mut Setup)) -> Self {
        let mut setup = Setup::default();
        change(&mut setup);
        Self::of(vec![Node::start(setup).await], None)
    }

    /// Starts nodes on a PostgreSQL database of their own, whatever the environment chooses.
    pub(crate) async fn cluster(nodes: usize, change: impl FnOnce(&mut Setup)) -> Self {
        let mut setup = Setup::default();
        change(&mut setup);
        Self::on_postgres(nodes, setup).await
    }

    const fn of(nodes: Vec<Node>, database: Option<String>) -> Self {
        Self { nodes, database, next: AtomicUsize::new(0) }
    }

    /// Starts nodes on a PostgreSQL database of their own.
    async fn on_postgres(nodes: usize, setup: Setup) -> Self {
        let cluster = Cluster::shared();
        Self::on_database(nodes, setup, &cluster.url(&cluster.create_database())).await
    }

    /// Starts nodes `n1`, `n2`, ... on a PostgreSQL database.
    pub(crate) async fn on_database(nodes: usize, mut setup: Setup, url: &str) -> Self {
        setup.set("store", "database", url);
        let mut started = Vec::with_capacity(nodes);
        for number in 1..=nodes {
            let mut setup = setup.clone();
            setup.set("cluster", "node", format!("n{number}"));
            started.push(Node::start(setup).await);
        }
        Self::of(started, Some(url.to_owned()))
    }

    /// The address that the next client connects to. Each call names the next node.
    /// [`Server::restart`] changes the ports.
    pub(crate) fn address(&self) -> SocketAddr {
        let next = self.next.fetch_add(1, Ordering::Relaxed);
        self.nodes[next % self.nodes.len()].address()
    }

    /// One of the nodes, from 0.
    pub(crate) fn node(&self, index: usize) -> &Node {
        &self.nodes[index]
    }

    /// One of the nodes, from 0, to stop or start it.
    pub(crate) fn node_mut(&mut self, index: usize) -> &mut Node {
        &mut self.nodes[index]
    }

    pub(crate) const fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// The data directory of the first node.
    pub(crate) fn data(&self) -> PathBuf {
        self.nodes[0].data()
    }

    /// Returns the arguments that name the server's store to a command of the server's program.
    pub(crate) fn store_arguments(&self) -> [String; 2] {
        match &self.database {
            Some(url) => ["--database".to_owned(), url.clone()],
            None => ["--data".to_owned(), self.data().display().to_string()],
        }
    }

    /// Returns what SQL prints, on the database of the nodes.
    pub(crate) fn sql(&self, statements: &str) -> String {
        let url = self.database.as_deref().expect("the nodes have a database");
        let (_, database) = url.rsplit_once('/').expect("a URL ends with the database");
        Cluster::shared().primary().sql(database, statements)
    }

    /// The process id of the first node.
    pub(crate) fn process_id(&self) -> u32 {
        self.nodes[0].process_id()
    }

    /// The lines that the first node has logged since its last start.
    pub(crate) fn log(&self) -> Vec<String> {
        self.nodes[0].log()
    }

    /// Waits until a log line of any node contains the text.
    pub(crate) async fn wait_for_log(&self, text: &str) {
        select_all(self.nodes.iter().map(|node| Box::pin(node.wait_for_log(text)))).await;
    }

    /// Kills all processes with SIGKILL.
    pub(crate) async fn kill(&mut self) {
        for node in &mut self.nodes {
            node.kill().await;
        }
    }

    /// Sends SIGTERM to all processes and waits for their exit. Returns the status of the first.
    pub(crate) async fn stop(&mut self) -> ExitStatus {
        self.terminate().await;
        self.wait().await
    }

    /// Sends SIGTERM to all processes and does not wait.
    pub(crate) async fn terminate(&self) {
        for node in &self.nodes {
            node.terminate().await;
        }
    }

    /// Waits until all processes exit. Returns the status of the first.
    pub(crate) async fn wait(&mut self) -> ExitStatus {
        let mut first = None;
        for node in &mut self.nodes {
            let status = node.wait().await;
            first.get_or_insert(status);
        }
        first.expect("a server has a node")
    }

    /// Starts all processes again on the same files, after they were killed or stopped.
    pub(crate) async fn restart(&mut self) {
        for node in &mut self.nodes {
            node.restart().await;
        }
    }

    /// Kills all processes and starts them again on the same files.
    pub(crate) async fn crash(&mut self) {
        self.kill().await;
        self.restart().await;
    }

    /// Changes the configuration that the next [`Server::restart`] uses for all nodes.
    pub(crate) fn configure(&mut self, change: impl Fn(&mut Setup)) {
        for node in &mut self.nodes {
            change(node.setup());
        }
    }
}

/// Environment variables that would change how a server starts.
const ENVIRONMENT: [&str; 5] =
    ["ADAMANT_LISTEN", "ADAMANT_DATA", "ADAMANT_CONFIG", "ADAMANT_LOG_FORMAT", "ADAMANT_LOG"];

/// The configuration file and command line of a server.
#[derive(Debug, Clone)]
pub(crate) struct Setup {
    file: toml::Table,
    arguments: Vec<String>,
    /// A command that runs the server's binary, such as strace; empty to run it directly.
    runner: Vec<String>,
}

impl Default for Setup {
    /// Rate limits are high, so that they do not interfere with a test.
    fn default() -> Self {
        let mut setup =
            Self { file: toml::Table::new(), arguments: Vec::new(), runner: Vec::new() };
        // A small WAL is quick to create and has more checkpoints.
        setup.set("store", "wal_mib", 1);
        setup.set("network", "listen", "127.0.0.1:0");
        for messages in RATED {
            setup.set("limits", &format!("{messages}_burst"), 100_000);
            setup.set("limits", &format!("{messages}_per_s"), 100_000);
        }
        for limit in [
            "connections_per_address",
            "handshakes_per_address",
            "seeks_per_min",
            "games_per_min",
            "failed_log_ins_per_min",
            "log_ins_per_min",
            "sign_ups_per_hour",
            "guests_per_hour",
            "upgrades_per_min",
            "page_files_per_min",
            "games_per_network",
        ] {
            setup.set("limits", limit, 1_000);
        }
        setup.set("log", "filter", "info");
        setup
    }
}

const RATED: [&str; 4] = ["messages", "user_messages", "account_messages", "address_messages"];

impl Setup {
    /// Gives messages the rates of a default server.
    pub(crate) fn default_rates(&mut self) {
        let limits = self.file["limits"].as_table_mut().expect("a section is a table");
        for messages in RATED {
            limits.remove(&format!("{messages}_burst"));
            limits.remove(&format!("{messages}_per_s"));
        }
    }

    /// Sets a value of the configuration file, such as `set("games", "park_after", "1s")`.
    pub(crate) fn set(&mut self, section: &str, key: &str, value: impl Into<toml::Value>) {
        let mut table = &mut self.file;
        for name in section.split('.') {
            table = table
                .entry(name)
                .or_insert_with(|| toml::Table::new().into())
                .as_table_mut()
                .expect("a section is a table");
        }
        table.insert(key.to_owned(), value.into());
    }

    /// Sets a value of the configuration file unless it is set.
    fn set_default(&mut self, section: &str, key: &str, value: impl Into<toml::Value>) {
        if self.file.get(section).and_then(|table| table.get(key)).is_none() {
            self.set(section, key, value);
        }
    }

    /// Adds an argument to the command line.
    pub(crate) fn argument(&mut self, argument: &str) {
        self.arguments.push(argument.to_owned());
    }

    /// Removes an argument from the command line.
    pub(crate) fn no_argument(&mut self, argument: &str) {
        self.arguments.retain(|other| other != argument);
    }

    /// Runs the server through another command, to which the server's own command line is appended.
    pub(crate) fn run_by(&mut self, command: &[&str]) {
        self.runner = command.iter().map(|&word| word.to_owned()).collect();
    }

    /// Returns the command without its arguments.
    fn command(&self) -> Command {
        let server = binary("adamant-server");
        let Some((runner, arguments)) = self.runner.split_first() else {
            return Command::new(server);
        };
        let mut command = Command::new(runner);
        command.args(arguments).arg(server);
        command
    }
}

/// A server process that can be killed, stopped and restarted on the same files. Dropping it kills
/// the process, and prints its log if the test fails.
pub(crate) struct Node {
    directory: TempDir,
    setup: Setup,
    child: Child,
    address: SocketAddr,
    log: watch::Receiver<Vec<String>>,
    readers: JoinSet<()>,
}

impl Node {
    /// Starts a process with this configuration, and with a data directory of its own unless it
    /// names one.
    pub(crate) async fn start(setup: Setup) -> Self {
        Self::try_start(setup).await.unwrap_or_else(|said| fail_to_listen(&said))
    }

    /// Starts a process that may refuse to start: then it returns what the process said.
    pub(crate) async fn try_start(mut setup: Setup) -> Result<Self, Vec<String>> {
        let directory = tempfile::tempdir().expect("the system has room for temporary files");
        setup.set_default("store", "data", directory.path().join("data").display().to_string());
        let mut readers = JoinSet::new();
        let (child, log) = launch(directory.path(), &setup, &mut readers);
        let address = await_address(&log).await?;
        Ok(Self { directory, setup, child, address, log, readers })
    }

    /// The address it listens on; [`Node::restart`] changes the port.
    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The data directory.
    pub(crate) fn data(&self) -> PathBuf {
        self.directory.path().join("data")
    }

    pub(crate) fn process_id(&self) -> u32 {
        self.child.id().expect("the server has not been waited for")
    }

    /// The lines logged since the last start.
    pub(crate) fn log(&self) -> Vec<String> {
        self.log.borrow().clone()
    }

    /// Waits until a log line contains the text.
    pub(crate) async fn wait_for_log(&self, text: &str) {
        let mut log = self.log.clone();
        let found = log.wait_for(|lines| lines.iter().any(|line| line.contains(text)));
        let found = timeout(PATIENCE, found).await;
        assert!(matches!(found, Ok(Ok(_))), "the server never logged {text:?}");
    }

    /// Kills the process with SIGKILL.
    pub(crate) async fn kill(&mut self) {
        self.child.start_kill().expect("the server runs");
        self.wait().await;
    }

    /// Sends SIGTERM and does not wait.
    pub(crate) async fn terminate(&self) {
        self.signal("TERM").await;
    }

    /// Pauses the process, as a machine does that hangs.
    pub(crate) async fn pause(&self) {
        self.signal("STOP").await;
        let stopped = async {
            while !self.is_stopped() {
                tokio::task::yield_now().await;
            }
        };
        timeout(PATIENCE, stopped).await.expect("the process stops");
    }

    /// Whether all threads stand still. Until then they may go on after the signal.
    fn is_stopped(&self) -> bool {
        let threads = fs::read_dir(format!("/proc/{}/task", self.process_id())).unwrap();
        threads.flatten().all(|thread| {
            let stat = fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
            stat.rsplit(") ").next().is_some_and(|state| state.starts_with('T'))
        })
    }

    /// Lets a paused process go on.
    pub(crate) async fn resume(&self) {
        self.signal("CONT").await;
    }

    async fn signal(&self, signal: &str) {
        let (signal, process) = (format!("-{signal}"), self.process_id().to_string());
        let sent = Command::new("kill").args([&signal, &process]).status().await;
        assert!(sent.is_ok_and(|status| status.success()), "{signal} could not be sent");
    }

    /// Waits until the process exits.
    pub(crate) async fn wait(&mut self) -> ExitStatus {
        let ended = timeout(PATIENCE, self.child.wait()).await;
        let status = ended.expect("the server ends in time").expect("the server can be waited for");
        // The last lines belong to the log, too.
        while self.readers.join_next().await.is_some() {}
        status
    }

    /// Starts the process again on the same files, after it was killed or stopped.
    pub(crate) async fn restart(&mut self) {
        let ended = self.child.try_wait();
        assert!(matches!(ended, Ok(Some(_))), "the process still runs");
        (self.child, self.log) = launch(self.directory.path(), &self.setup, &mut self.readers);
        self.address = await_address(&self.log).await.unwrap_or_else(|said| fail_to_listen(&said));
    }

    /// The configuration that the next [`Node::restart`] uses.
    pub(crate) const fn setup(&mut self) -> &mut Setup {
        &mut self.setup
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("--- the server's log\n{}\n---", self.log.borrow().join("\n"));
        }
    }
}

fn launch(
    directory: &Path,
    setup: &Setup,
    readers: &mut JoinSet<()>,
) -> (Child, watch::Receiver<Vec<String>>) {
    let file = directory.join("adamant.toml");
    let text = toml::to_string(&setup.file).expect("a table can be written");
    fs::write(&file, text).expect("the directory can be written to");
    let mut command = setup.command();
    for name in ENVIRONMENT {
        command.env_remove(name);
    }
    command
        .env("NO_COLOR", "1")
        .arg("--config")
        .arg(&file)
        .args(&setup.arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    let mut child =
        command.spawn().unwrap_or_else(|error| panic!("{command:?} cannot be run: {error}"));
    let stderr = child.stderr.take().expect("standard error is piped");
    let (sender, log) = watch::channel(Vec::new());
    readers.spawn(read_log(stderr, sender));
    (child, log)
}

async fn read_log(stderr: ChildStderr, log: watch::Sender<Vec<String>>) {
    let mut lines = BufReader::new(stderr).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        log.send_modify(|known| known.push(line));
    }
}

/// Waits for the log line with the address. Returns all lines if there is none.
async fn await_address(log: &watch::Receiver<Vec<String>>) -> Result<SocketAddr, Vec<String>> {
    let find = |lines: &Vec<String>| lines.iter().find_map(|line| address_in(line));
    let mut waiting = log.clone();
    let found = timeout(PATIENCE, waiting.wait_for(|lines| find(lines).is_some())).await;
    match found {
        Ok(Ok(lines)) => Ok(find(&lines).expect("waited for")),
        Ok(Err(_)) | Err(_) => Err(log.borrow().clone()),
    }
}

fn fail_to_listen<T>(said: &[String]) -> T {
    panic!("the server does not listen; it said:\n{}", said.join("\n"))
}

fn address_in(line: &str) -> Option<SocketAddr> {
    // In both formats of the log.
    let (_, url) = line.split_once("listening")?;
    let (_, rest) = url.split_once("://")?;
    rest.split_once("/v1/ws")?.0.parse().ok()
}

/// A home directory for a program: its log-ins outlive a run.
pub(crate) struct Home(TempDir);

impl Home {
    /// Makes an empty one.
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("room for files"))
    }

    /// Returns a command of the program against a server, with pipes, which ends with the test.
    pub(crate) fn command(
        &self,
        server: &Server,
        words: impl IntoIterator<Item = impl AsRef<OsStr>>,
    ) -> Command {
        let mut command = self.program(&binary("adamant"), server.address());
        command.args(words);
        command
    }

    /// Returns a command of any program against the server at an address, with pipes, which ends
    /// with the test.
    pub(crate) fn program(&self, program: &Path, at: SocketAddr) -> Command {
        let mut command = Command::new(program);
        command
            .env("HOME", self.0.path())
            .env("XDG_CONFIG_HOME", self.0.path())
            .env("USER", "somebody")
            .env("NO_COLOR", "1")
            .env("ADAMANT_SERVER", at.to_string())
            .env_remove("ADAMANT_TOKEN")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        command
    }

    /// Renames the server in the log-ins: a server that is restarted has another port.
    pub(crate) fn follow(&self, old: &str, new: &str) {
        let path = self.0.path().join("adamant/credentials.toml");
        let log_ins = fs::read_to_string(&path).expect("the program has logged in");
        fs::write(path, log_ins.replace(old, new)).expect("room for files");
    }

    /// The directory.
    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file, and returns its path.
    pub(crate) fn write(&self, name: &str, text: &str) -> String {
        let path = self.0.path().join(name);
        fs::write(&path, text).expect("room for files");
        path.display().to_string()
    }
}
