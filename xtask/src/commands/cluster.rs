//! Several nodes on one machine, to play on and to break: PostgreSQL with its promoter, the nodes,
//! and HAProxy.
//!
//! What ends starts again, as a service manager would do it, and an old primary comes back as a
//! standby. So an operator can kill one part after the other.

use std::{
    fs::{self, File},
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::Duration,
};

use anyhow::{Context as _, Result, bail};
use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use postgres_fixture::{Balancer, Cluster};
use serde_json::json;

use crate::{
    run::{cargo, note, part, print, root, run, step, target},
    tools,
};

/// The database of the nodes.
const DATABASE: &str = "adamant";

/// The standbys of the primary.
const STANDBYS: usize = 2;

/// Time between two looks at what should run.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// Looks until a node must serve: half a minute.
const START_LOOKS_MAX: u32 = 150;

/// Looks until nodes that do not stop are killed: half a minute.
const STOP_LOOKS_MAX: u32 = 150;

#[derive(Debug)]
pub(crate) struct ClusterOptions {
    pub(crate) nodes: u16,
    /// The port of HAProxy; the nodes have the next ones.
    pub(crate) port: u16,
    /// Whether the server is the release build.
    pub(crate) release: bool,
    /// Whether the addresses are printed as JSON.
    pub(crate) json: bool,
}

/// Starts a cluster and runs it until a signal.
pub(crate) fn cluster(options: &ClusterOptions) -> Result<()> {
    let stop = stop_signals()?;
    let ports = free_ports(options)?;
    step("programs", || {
        tools::CC.require()?;
        tools::require_postgres()?;
        tools::require_python()?;
        tools::require_haproxy()
    })?;
    let mut build = cargo(&["build", "--locked", "-p", "adamant-server"]);
    if options.release {
        build.arg("--release");
    }
    step("build", || run(&mut build))?;
    let mut running = None;
    step("start", || {
        running = Some(RunningCluster::start(options, &ports)?);
        Ok(())
    })?;
    let Some(mut running) = running else { return Ok(()) };
    running.print_addresses(options.json);
    while let Err(RecvTimeoutError::Timeout) = stop.recv_timeout(LOOK_EVERY) {
        running.restart_what_has_ended()?;
    }
    note("\nstopping; the files are removed");
    running.stop(&stop);
    Ok(())
}

/// Everything that runs. Dropping it ends what is left.
struct RunningCluster {
    promoter: Promoter,
    balancer: Balancer,
    nodes: Vec<Node>,
    // Last, because everything else is in its folder.
    postgres: Cluster,
}

impl RunningCluster {
    fn start(options: &ClusterOptions, ports: &[u16]) -> Result<Self> {
        let postgres = part("three PostgreSQL servers, two of them standbys", || {
            Cluster::try_start(STANDBYS)
        })?;
        let create = format!(
            "CREATE DATABASE {DATABASE} TEMPLATE template0 OWNER {} ENCODING 'UTF8'",
            postgres_fixture::USER
        );
        postgres.primary().try_sql("postgres", &create)?;
        let promoter = part("the promoter", || Promoter::start(&postgres))?;
        let profile = if options.release { "release" } else { "debug" };
        let program = target().join(profile).join("adamant-server");
        let (balancer_port, node_ports) = ports.split_first().context("there are no ports")?;
        let mut nodes = Vec::new();
        for (number, port) in (1..).zip(node_ports) {
            let node = Node::describe(&postgres, &program, format!("n{number}"), *port)?;
            nodes.push(part(&format!("node n{number}"), || node.start_and_wait())?);
        }
        let folder = postgres.folder().join("haproxy");
        let balancer = part("HAProxy", || {
            fs::create_dir_all(&folder)?;
            let places: Vec<_> = nodes.iter().map(|node| (node.name.clone(), node.port)).collect();
            Balancer::start(&folder, *balancer_port, &places)
        })?;
        Ok(Self { promoter, balancer, nodes, postgres })
    }

    fn print_addresses(&self, as_json: bool) {
        let url = |port: u16| format!("http://127.0.0.1:{port}/");
        let database = self.postgres.url(DATABASE);
        let folder = self.postgres.folder().display();
        if as_json {
            let nodes = self.nodes.iter().map(|node| {
                json!({"name": node.name, "url": url(node.port), "pid": node.process.as_ref().map(Child::id)})
            });
            let servers = self.postgres.servers().iter().map(|server| {
                json!({"name": server.name(), "port": server.port(), "pid": server.process_id()})
            });
            let cluster = json!({
                "url": url(self.balancer.port()),
                "haproxy_pid": self.balancer.process_id(),
                "promoter_pid": self.promoter.process.id(),
                "nodes": nodes.collect::<Vec<_>>(),
                "postgres": servers.collect::<Vec<_>>(),
                "database": database,
                "folder": folder.to_string(),
            });
            print(&cluster.to_string());
            return;
        }
        let process = |id: Option<u32>| id.map_or_else(String::new, |id| format!("process {id}"));
        print(&format!("\nopen       {}   through HAProxy", url(self.balancer.port())));
        for node in &self.nodes {
            let id = process(node.process.as_ref().map(Child::id));
            print(&format!("node {:5} {}   {id}", node.name, url(node.port)));
        }
        for server in self.postgres.servers() {
            let (port, id) = (server.port(), process(server.process_id()));
            print(&format!("{:10} 127.0.0.1:{port}   {id}", server.name()));
        }
        print(&format!("database   {database}"));
        print(&format!("files      {folder}   removed at the end"));
        print("\nKill what you like with kill -9. Ctrl-C stops everything.");
    }

    /// Starts again what has ended, as a service manager would.
    fn restart_what_has_ended(&mut self) -> Result<()> {
        for node in &mut self.nodes {
            if let Some(status) = node.ended()? {
                note(&format!("{} ended with {status}, and starts again", node.name));
                node.start()?;
            }
        }
        if !self.balancer.is_running() {
            bail!(
                "HAProxy has ended: {}",
                last_lines(&self.postgres.folder().join("haproxy/haproxy.log"))
            );
        }
        if let Some(status) = self.promoter.process.try_wait()? {
            bail!("the promoter ended with {status}");
        }
        for server in self.postgres.servers().iter().filter(|server| !server.is_running()) {
            let primary = self.postgres.current_primary().map(|at| &self.postgres.servers()[at]);
            // Without a primary the promoter is at work.
            if let Some(primary) = primary {
                let name = server.name();
                note(&format!(
                    "{name} ended; pg_rewind prepares it as a standby of {}",
                    primary.name()
                ));
                server.rejoin(primary);
            }
        }
        Ok(())
    }

    /// Asks the nodes to stop, and waits for them. A further signal kills them.
    fn stop(mut self, hurry: &Receiver<()>) {
        for node in &self.nodes {
            node.signal(Signal::SIGTERM);
        }
        for node in &mut self.nodes {
            if !node.has_stopped(hurry) {
                return;
            }
        }
    }
}

/// `config/cluster/promote`, whose lines are passed on.
struct Promoter {
    process: Child,
}

impl Promoter {
    fn start(postgres: &Cluster) -> Result<Self> {
        // A folder below that of the servers, so that it ends when this process is killed.
        let folder = postgres.folder().join("promoter");
        fs::create_dir_all(&folder)?;
        let mut process = postgres
            .promoter()
            .arg("--watch")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .process_group(0)
            .current_dir(folder)
            .spawn()
            .context("config/cluster/promote")?;
        let said = process.stdout.take().context("the promoter's output")?;
        thread::spawn(move || {
            for line in BufReader::new(said).lines().map_while(Result::ok) {
                note(&format!("promote: {line}"));
            }
        });
        Ok(Self { process })
    }
}

impl Drop for Promoter {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

struct Node {
    name: String,
    port: u16,
    program: PathBuf,
    folder: PathBuf,
    process: Option<Child>,
}

impl Node {
    /// Writes the files of a node, which does not run yet.
    fn describe(postgres: &Cluster, program: &Path, name: String, port: u16) -> Result<Self> {
        let folder = postgres.folder().join(&name);
        fs::create_dir_all(&folder)?;
        let example = fs::read_to_string(root().join("config/cluster/node.toml"))?;
        let url = postgres.url(DATABASE);
        let settings =
            example.lines().map(|line| match line.split_once(" = ").map(|(key, _)| key) {
                Some("listen") => format!("listen = \"127.0.0.1:{port}\""),
                Some("trusted_proxies") => "trusted_proxies = [\"127.0.0.1\"]".to_owned(),
                Some("database") => format!("database = \"{url}\""),
                Some("data") => format!("data = \"{}\"", folder.join("data").display()),
                Some("node") => format!("node = \"{name}\""),
                Some("hosts" | "origins" | "metrics_from" | "format") => String::new(),
                _ => line.to_owned(),
            });
        fs::write(folder.join("node.toml"), settings.collect::<Vec<_>>().join("\n"))?;
        Ok(Self { name, port, program: program.to_owned(), folder, process: None })
    }

    fn start(&mut self) -> Result<()> {
        let log = File::options().create(true).append(true).open(self.log())?;
        let process = Command::new(&self.program)
            .arg("--config")
            .arg(self.folder.join("node.toml"))
            // A folder below that of the servers, so that it ends when this process is killed.
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            // Ctrl-C is for this process, which then stops the node.
            .process_group(0)
            .spawn()
            .with_context(|| self.program.display().to_string())?;
        self.process = Some(process);
        Ok(())
    }

    fn start_and_wait(mut self) -> Result<Self> {
        self.start()?;
        let (name, port) = (self.name.clone(), self.port);
        wait_until_ready(&name, port, "/lb", || {
            let ended = self.ended().ok().flatten();
            ended.map(|status| format!("it ended with {status}: {}", last_lines(&self.log())))
        })?;
        Ok(self)
    }

    fn log(&self) -> PathBuf {
        self.folder.join("log")
    }

    fn ended(&mut self) -> Result<Option<std::process::ExitStatus>> {
        Ok(self.process.as_mut().map(Child::try_wait).transpose()?.flatten())
    }

    fn signal(&self, signal: Signal) {
        if let Some(process) = &self.process {
            kill(Pid::from_raw(process.id().cast_signed()), signal).ok();
        }
    }

    /// Waits for the end of a node that was told to stop. False if it takes too long, or if a
    /// further signal arrives.
    fn has_stopped(&mut self, hurry: &Receiver<()>) -> bool {
        for _ in 0..STOP_LOOKS_MAX {
            if !matches!(self.ended(), Ok(None)) || self.process.is_none() {
                return true;
            }
            if hurry.recv_timeout(LOOK_EVERY).is_ok() {
                return false;
            }
        }
        note(&format!(
            "{} does not stop; its log ends with: {}",
            self.name,
            last_lines(&self.log())
        ));
        false
    }

    fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().ok();
            process.wait().ok();
        }
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Takes over SIGINT and SIGTERM. The receiver gets a message for each.
fn stop_signals() -> Result<Receiver<()>> {
    let (sender, stop) = mpsc::channel();
    // A handler, because programs would inherit blocked signals.
    ctrlc::set_handler(move || {
        sender.send(()).ok();
    })?;
    Ok(stop)
}

/// The ports of HAProxy and the nodes, of which none is taken.
fn free_ports(options: &ClusterOptions) -> Result<Vec<u16>> {
    let last = options.port.checked_add(options.nodes).context("--port is too high")?;
    let ports: Vec<u16> = (options.port..=last).collect();
    for port in &ports {
        if let Err(error) = TcpListener::bind(("127.0.0.1", *port)) {
            let first = options.port;
            bail!(
                "port {port} cannot be used ({error}); --port chooses others than {first} to {last}"
            );
        }
    }
    Ok(ports)
}

/// Waits until a path is answered with 200. `ended` says why that will not happen.
fn wait_until_ready(
    name: &str,
    port: u16,
    path: &str,
    mut ended: impl FnMut() -> Option<String>,
) -> Result<()> {
    for _ in 0..START_LOOKS_MAX {
        if answers(port, path).unwrap_or(false) {
            return Ok(());
        }
        if let Some(why) = ended() {
            bail!("{name} does not start: {why}");
        }
        thread::sleep(LOOK_EVERY);
    }
    bail!("{name} does not answer on port {port}")
}

fn answers(port: u16, path: &str) -> Result<bool> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(Duration::from_secs(1)))?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer.starts_with("HTTP/1.1 200"))
}

/// The end of a log.
fn last_lines(log: &Path) -> String {
    let text = fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(5)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_can_be_stopped_by_signals() {
        let _stop = stop_signals().unwrap();
        let status = Command::new("cat").arg("/proc/self/status").output().unwrap();
        let status = String::from_utf8(status.stdout).unwrap();
        let blocked = status.lines().find_map(|line| line.strip_prefix("SigBlk:")).unwrap();
        assert_eq!(u64::from_str_radix(blocked.trim(), 16), Ok(0), "{status}");
    }
}
