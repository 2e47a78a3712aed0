//! A fresh Debian with the package, and what its operator and its players run there. It has no
//! systemd: what a unit says is read from the unit and done here.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::Duration,
};

use anyhow::{Context as _, Result, bail, ensure};
use nix::{
    sched::{CloneFlags, unshare},
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde_json::Value;

use super::super::release;
use crate::run::{now, output, program};

/// What the drill uses beside the package's own needs: most of it is in every Debian but the
/// smallest.
const PACKAGES: [&str; 4] = ["ca-certificates", "iproute2", "procps", "psmisc"];

/// The longest wait for a line of the server's log.
const LOG_WAIT_MAX: Duration = Duration::from_mins(1);

/// The unit of the server.
const UNIT: &str = "adamant";

const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

pub(super) struct Machine {
    pub(super) root: PathBuf,
    keep: bool,
    mounts: Vec<PathBuf>,
    server: Option<Server>,
    /// Variables of the players' shell.
    pub(super) variables: Vec<(&'static str, String)>,
}

impl Machine {
    /// Makes a root, and gives this thread mounts and a network of its own, in which no port is
    /// taken. Both end with the program, however it ends.
    pub(super) fn fresh(keep: bool) -> Result<Self> {
        let root = release::fresh_debian("drill", &PACKAGES)?;
        let mut machine =
            Self { root, keep, mounts: Vec::new(), server: None, variables: Vec::new() };
        unshare(CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWNET)
            .context("no namespaces for mounts and network")?;
        output(program("mount").args(["--make-rprivate", "/"]))?;
        machine.mount("/proc", &["-t", "proc", "proc"])?;
        machine.root("ip link set lo up")?.well()?;
        Ok(machine)
    }

    /// The place of a path of the root.
    pub(super) fn path(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }

    pub(super) fn mount(&mut self, place: &str, args: &[&str]) -> Result<()> {
        let place = self.path(place);
        output(program("mount").args(args).arg(&place))?;
        self.mounts.push(place);
        Ok(())
    }

    /// Takes the last mount away.
    pub(super) fn unmount(&mut self) -> Result<()> {
        let place = self.mounts.pop().context("nothing is mounted")?;
        output(program("umount").arg(place))?;
        Ok(())
    }

    /// Runs a command as root.
    pub(super) fn root(&self, command: &str) -> Result<Said> {
        let mut shell = self.inside();
        // Where root is, as after a log-in.
        shell.args(["sh", "-c", &format!("cd\n{command}")]);
        let output = shell.stdin(Stdio::null()).output()?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok(Said {
            command: command.to_owned(),
            is_good: output.status.success(),
            out: text(&output.stdout),
            err: text(&output.stderr),
        })
    }

    /// A command that starts inside the root, with nothing of this environment.
    fn inside(&self) -> Command {
        let mut command = program("chroot");
        command.arg(&self.root).env_clear().env("PATH", PATH).env("HOME", "/root");
        command.env("DEBIAN_FRONTEND", "noninteractive").env("LANG", "C.UTF-8");
        command.envs(self.variables.iter().map(|(name, value)| (*name, value)));
        command
    }

    /// Does what `systemctl` with these arguments would do.
    pub(super) fn systemctl(&mut self, args: &str) -> Result<()> {
        match args.split_once(' ') {
            Some(("start", UNIT)) => {
                self.server = Some(Server::start(self)?);
                Ok(())
            }
            Some(("stop", UNIT)) => self.server.take().context("it does not run")?.stop(),
            Some(("restart", UNIT)) => {
                self.systemctl("stop adamant")?;
                self.systemctl("start adamant")
            }
            Some(("status", UNIT)) => self.server()?.is_up(),
            Some(("reload", UNIT)) => {
                let pid = self.server()?.process.id().to_string();
                let reload = self.unit(UNIT)?.value("ExecReload")?.replace("$MAINPID", &pid);
                self.root(&reload)?.well()?;
                self.wait_for_log("configuration reloaded")
            }
            Some(("start", unit)) => self.root(&self.unit(unit)?.command()?)?.well().map(drop),
            _ => bail!("the drill cannot do `systemctl {args}`"),
        }
    }

    fn unit(&self, name: &str) -> Result<Unit> {
        let file = self.path("/usr/lib/systemd/system").join(format!("{name}.service"));
        let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        Ok(Unit { text })
    }

    fn server(&mut self) -> Result<&mut Server> {
        self.server.as_mut().context("the server does not run")
    }

    /// Waits for a line of the server's log that it has not waited for before.
    pub(super) fn wait_for_log(&mut self, text: &str) -> Result<()> {
        self.server()?.wait_for_log(text)
    }

    /// Ends the server without a warning, as a power cut would.
    pub(super) fn kill_server(&mut self) -> Result<()> {
        let mut server = self.server.take().context("the server does not run")?;
        server.process.kill()?;
        server.process.wait()?;
        Ok(())
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        self.server = None;
        while !self.mounts.is_empty() {
            if self.unmount().is_err() {
                return;
            }
        }
        if !self.keep {
            fs::remove_dir_all(&self.root).ok();
        }
    }
}

/// A unit of systemd, with what the drill does of it.
struct Unit {
    text: String,
}

impl Unit {
    fn values<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a str> {
        let lines = self.text.lines();
        lines.filter_map(move |line| line.strip_prefix(key)?.strip_prefix('='))
    }

    fn value<'a>(&'a self, key: &'a str) -> Result<&'a str> {
        self.values(key).next().with_context(|| format!("the unit has no {key}"))
    }

    /// The command for the shell that makes the unit's directories, and becomes its program under
    /// its user, limits and capabilities.
    fn command(&self) -> Result<String> {
        let (user, group) = (self.value("User")?, self.value("Group")?);
        let (state, mode) = (self.value("StateDirectory")?, self.value("StateDirectoryMode")?);
        let mut words = vec![
            format!("umask {};", self.value("UMask")?),
            format!("install -d -o {user} -g {group} -m {mode} /var/lib/{state};"),
        ];
        words.extend(self.value("LimitNOFILE").map(|limit| format!("ulimit -n {limit};")));
        let mut capabilities = String::from("-all");
        for name in self.values("AmbientCapabilities").flat_map(str::split_whitespace) {
            capabilities += ",+";
            capabilities += &name.trim_start_matches("CAP_").to_lowercase();
        }
        words.push(format!(
            "exec setpriv --reuid {user} --regid {group} --init-groups --no-new-privs \
             --inh-caps {capabilities} --ambient-caps {capabilities} env"
        ));
        words.extend(self.values("Environment").map(str::to_owned));
        words.push(self.value("ExecStart")?.to_owned());
        Ok(words.join(" "))
    }
}

/// The server, as its unit starts it.
struct Server {
    process: Child,
    log: Receiver<String>,
    said: Vec<String>,
}

impl Server {
    /// Starts it, and waits until it listens.
    fn start(machine: &Machine) -> Result<Self> {
        let mut command = machine.inside();
        command.args(["sh", "-c", &machine.unit(UNIT)?.command()?]);
        let mut process = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let lines = BufReader::new(process.stderr.take().context("no log")?).lines();
        let (send, log) = mpsc::channel();
        thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        let mut server = Self { process, log, said: Vec::new() };
        server.wait_for_log("listening")?;
        Ok(server)
    }

    fn wait_for_log(&mut self, text: &str) -> Result<()> {
        let begun = now();
        while let Ok(line) = self.log.recv_timeout(LOG_WAIT_MAX.saturating_sub(begun.elapsed())) {
            let is_it = line.contains(text);
            self.said.push(line);
            if is_it {
                return Ok(());
            }
        }
        bail!("{}\nexpected in the server's log: {text}", self.said.join("\n"))
    }

    fn is_up(&mut self) -> Result<()> {
        let ended = self.process.try_wait()?;
        ensure!(ended.is_none(), "{}\nthe server has ended", self.said.join("\n"));
        Ok(())
    }

    fn stop(mut self) -> Result<()> {
        self.is_up()?;
        self.signal(Signal::SIGTERM);
        let status = self.process.wait()?;
        ensure!(status.success(), "the server stopped with {status}");
        Ok(())
    }

    fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.process.id().cast_signed()), signal).ok();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

/// What a command wrote.
pub(super) struct Said {
    command: String,
    is_good: bool,
    pub(super) out: String,
    err: String,
}

impl Said {
    /// The command ended well.
    pub(super) fn well(self) -> Result<Self> {
        let is_good = self.is_good;
        self.must(is_good, "status 0")
    }

    /// The command failed.
    pub(super) fn badly(self) -> Result<Self> {
        let is_good = self.is_good;
        self.must(!is_good, "a status other than 0")
    }

    /// The command wrote this text.
    pub(super) fn with(self, text: &str) -> Result<Self> {
        let has = self.out.contains(text) || self.err.contains(text);
        self.must(has, text)
    }

    /// What stands at this place of the JSON that the command wrote.
    pub(super) fn json(&self, place: &str) -> Result<Value> {
        let line = self.out.lines().next().unwrap_or_default();
        let value: Option<Value> = serde_json::from_str(line).ok();
        let found = value.as_ref().and_then(|value| value.pointer(place));
        found.cloned().with_context(|| self.failure(&format!("JSON with {place}")))
    }

    /// The last word of the line that the command wrote to standard output.
    pub(super) fn word(&self) -> Result<String> {
        let word = self.out.lines().next().and_then(|line| line.split_whitespace().last());
        word.map(str::to_owned).with_context(|| self.failure("a word"))
    }

    fn must(self, is_so: bool, expected: &str) -> Result<Self> {
        ensure!(is_so, self.failure(expected));
        Ok(self)
    }

    fn failure(&self, expected: &str) -> String {
        format!("$ {}\n{}{}expected: {expected}", self.command, self.out, self.err)
    }
}

/// Copies a package with a higher version, as a later release would be.
pub(super) fn next_version(package: &Path, out: &Path) -> Result<String> {
    let files = out.with_extension("files");
    output(program("dpkg-deb").arg("--raw-extract").arg(package).arg(&files))?;
    let control = files.join("DEBIAN/control");
    let text = fs::read_to_string(&control)?;
    let version = text.lines().find_map(|line| line.strip_prefix("Version: "));
    let version = version.context("the package has no version")?;
    let next = format!("{version}+next");
    fs::write(&control, text.replace(&format!("Version: {version}"), &format!("Version: {next}")))?;
    // Without compression, which would take the longest time of the drill.
    output(
        program("dpkg-deb").args(["--build", "--root-owner-group", "-Znone"]).args([&files, out]),
    )?;
    fs::remove_dir_all(&files)?;
    Ok(next)
}
