//! HAProxy on the loopback, with the configuration for production as far as one machine allows.

use std::{
    fs,
    net::TcpStream,
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use anyhow::{Context as _, Result, bail};
use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};

/// The configuration for production.
const PRODUCTION: &str = include_str!("../../config/cluster/haproxy.cfg");

/// Starts of lines that one machine cannot have: TLS, the rates of one address, and as many clients
/// as a large machine takes. All clients on the loopback have one address, so `balance source`
/// would send them all to one node.
const LEFT_OUT: [&str; 7] = [
    "maxconn ",
    "bind :443 ",
    "tcp-request connection reject ",
    "http-request redirect ",
    "http-response set-header Strict-Transport-Security ",
    "hash-type ",
    "server ",
];

/// Time between two looks whether HAProxy listens.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// Looks before HAProxy counts as stuck: half a minute.
const LOOKS_MAX: u32 = 6_000;

/// HAProxy in front of several nodes. It ends with this value.
#[derive(Debug)]
pub struct Balancer {
    port: u16,
    process: Child,
}

impl Balancer {
    /// Starts HAProxy on a port of the loopback, with its files in an existing folder. It connects
    /// clients to the node with the fewest.
    ///
    /// # Errors
    ///
    /// If HAProxy is missing, if the folder cannot be written to, or if the port is taken.
    pub fn start(folder: &Path, port: u16, nodes: &[(String, u16)]) -> Result<Self> {
        let file = folder.join("haproxy.cfg");
        fs::write(&file, configuration(folder, port, nodes)).context("haproxy.cfg")?;
        let log = fs::File::create(folder.join("haproxy.log")).context("haproxy.log")?;
        let process = Command::new(program()?)
            // No master process: a signal reaches the one that has the connections.
            .arg("-db")
            .arg("-f")
            .arg(&file)
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .process_group(0)
            .spawn()
            .context("HAProxy")?;
        let mut balancer = Self { port, process };
        balancer.wait_until_listening(folder)?;
        Ok(balancer)
    }

    fn wait_until_listening(&mut self, folder: &Path) -> Result<()> {
        for _ in 0..LOOKS_MAX {
            if TcpStream::connect(("127.0.0.1", self.port)).is_ok() {
                return Ok(());
            }
            if !self.is_running() {
                let log = fs::read_to_string(folder.join("haproxy.log")).unwrap_or_default();
                bail!("HAProxy does not start: {}", log.trim());
            }
            thread::sleep(LOOK_EVERY);
        }
        bail!("HAProxy does not listen on port {}", self.port);
    }

    /// The port that clients connect to.
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// The id of the process.
    pub fn process_id(&self) -> u32 {
        self.process.id()
    }

    /// Returns whether the process runs.
    pub fn is_running(&mut self) -> bool {
        matches!(self.process.try_wait(), Ok(None))
    }
}

impl Drop for Balancer {
    fn drop(&mut self) {
        kill(Pid::from_raw(self.process.id().cast_signed()), Signal::SIGTERM).ok();
        self.process.wait().ok();
    }
}

/// Where HAProxy is. Debian's folder is not on the search path of every user.
fn program() -> Result<PathBuf> {
    let folders =
        ["/usr/sbin", "/usr/local/sbin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"];
    let mut programs = folders.iter().map(|folder| Path::new(folder).join("haproxy"));
    programs.find(|program| program.is_file()).context(
        "HAProxy is missing; please install it (Debian: apt install haproxy, or `cargo xtask setup`)",
    )
}

fn configuration(folder: &Path, port: u16, nodes: &[(String, u16)]) -> String {
    let mut text = String::new();
    let mut template = None;
    for line in PRODUCTION.lines().map(without_comment).filter(|line| !line.is_empty()) {
        if line.trim_start().starts_with("server ") && template.is_none() {
            template = Some(line);
            for (name, node) in nodes {
                text += &line
                    .replace("n1", name)
                    .replace("10.0.0.1:7777", &format!("127.0.0.1:{node}"));
                text += "\n";
            }
        }
        if !line.starts_with(' ') {
            template = None;
        }
        if LEFT_OUT.iter().any(|left_out| line.trim_start().starts_with(left_out)) {
            continue;
        }
        text += &line
            .replace("bind :80", &format!("bind 127.0.0.1:{port}"))
            .replace("balance source", "balance leastconn")
            .replace("/run/haproxy/admin.sock", &folder.join("haproxy.sock").to_string_lossy())
            .replace(" secure ", " ");
        text += "\n";
    }
    text
}

fn without_comment(line: &str) -> &str {
    line.split('#').next().unwrap_or_default().trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loopback_has_what_production_has_besides_tls_and_rates() {
        let nodes = [("one".to_owned(), 8001), ("two".to_owned(), 8002)];
        let text = configuration(Path::new("/tmp/x"), 8000, &nodes);
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        for line in [
            "bind 127.0.0.1:8000",
            "stats socket /tmp/x/haproxy.sock mode 660 level admin",
            "balance leastconn",
            "http-check disable-on-404",
            "server one 127.0.0.1:8001",
            "server two 127.0.0.1:8002 cookie two track nodes/two",
        ] {
            assert!(lines.contains(&line), "{line} is missing:\n{text}");
        }
        for gone in ["10.0.0", " ssl", "source", "secure", "redirect scheme"] {
            assert!(!text.contains(gone), "{gone}:\n{text}");
        }
        for left_out in LEFT_OUT {
            assert!(PRODUCTION.contains(left_out), "{left_out} is not in the configuration");
        }
    }
}
