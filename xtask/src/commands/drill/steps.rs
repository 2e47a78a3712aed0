//! What the operator and the players do, in its order.

use std::{
    ffi::OsStr,
    fs,
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};

use super::{
    documents::Documents,
    machine::{Machine, Said, next_version},
};
use crate::{
    run::{note, now, output, program},
    tools,
};

type Step = fn(&mut Drill) -> Result<()>;

/// The steps, with what a line about each says.
pub(super) const STEPS: [(&str, Step); 22] = [
    ("install the package", install),
    ("start", start),
    ("the first move", first_move),
    ("certificate, settings, doctor", settings),
    ("back up every night", nightly_backup),
    ("a second place", second_place),
    ("files for alarms and fail2ban", alarms),
    ("play, and say who governs", play),
    ("sign up, and close sign-ups for a night", sign_up),
    ("play a rated game, and report", report),
    ("silence and warn", warn),
    ("ban a user and a network", ban),
    ("annul", annul),
    ("reset a password", reset_password),
    ("back up to another disk", back_up),
    ("fill the disk", fill_disk),
    ("corrupt a page, salvage, restore a game", corrupt_page),
    ("corrupt a WAL frame, restore to a moment", corrupt_wal),
    ("lose the machine", lose_machine),
    ("rotate certificate and key under 1,000 sockets", rotate),
    ("announce and do a restart, close an account", restart_and_close),
    ("upgrade", upgrade),
];

/// The name of the server, in place of that of the documents.
const NAME: &str = "games.example.net";

const DATA: &str = "/var/lib/adamant";

/// Sockets that stay open while the certificate and the key change.
const SOCKETS: usize = 1000;

/// Time after which all that was stored is in the second place: a few times `store.shipping.every`.
const SHIPPED_AFTER: Duration = Duration::from_secs(3);

/// Bytes of a page of the database, and of the headers of the WAL and of one of its frames.
const PAGE: usize = 4096;
const WAL_HEADER: usize = 32;
const FRAME_HEADER: usize = 24;

/// The drill on its way.
pub(super) struct Drill {
    machine: Machine,
    documents: Documents,
    package: PathBuf,
    begun: Instant,
    /// From the begin of the installation to the first move.
    first_move: Duration,
    /// A finished rated game, and one that is played throughout.
    finished: String,
    live: String,
}

impl Drill {
    pub(super) fn new(machine: Machine, documents: Documents, package: PathBuf) -> Self {
        Self {
            machine,
            documents,
            package,
            begun: now(),
            first_move: Duration::ZERO,
            finished: String::new(),
            live: String::new(),
        }
    }

    /// Says what was measured, and fails if a command of the documents was not run.
    pub(super) fn report(&self) -> Result<()> {
        self.documents.all_were_run()?;
        let size = |path: PathBuf| -> Result<String> {
            Ok(format!("{} kB", fs::metadata(path)?.len() / 1000))
        };
        note(&format!(
            "adamant-server {}, adamant {}, package {}; the first move {:.1} s after the begin of \
             the installation",
            size(self.machine.path("/usr/bin/adamant-server"))?,
            size(self.machine.path("/usr/bin/adamant"))?,
            size(self.package.clone())?,
            self.first_move.as_secs_f64(),
        ));
        Ok(())
    }

    /// Runs a command of the documents: one of the server as its user in the shell of the night,
    /// others as root.
    fn documented(&mut self, words: &str, values: &[(&str, &str)]) -> Result<Said> {
        let command = self.documents.command(words, values)?;
        if !command.starts_with("adamant-server ") {
            return self.machine.root(&command);
        }
        let shell = self.documents.command("runuser -u adamant -- bash", &[])?;
        let export = self.documents.command("export ADAMANT_CONFIG", &[])?;
        self.machine.root(&format!("{shell} << 'END'\n{export}\n{command}\nEND"))
    }

    fn systemctl(&mut self, words: &str) -> Result<()> {
        let command = self.documents.command(words, &[])?;
        let args = command.strip_prefix("systemctl ").context("not a command of systemctl")?;
        self.machine.systemctl(args)
    }

    /// Runs a command of a player.
    fn player(&self, name: &str, args: &str) -> Result<Said> {
        self.machine.root(&format!("adamant --as {name} {args}"))
    }

    /// A new game between ann and ben, in which each has made a move.
    fn game(&self, terms: &str) -> Result<String> {
        let challenge = self.player("ann", &format!("challenge diam ben {terms}"))?.well()?;
        let accept = format!("accept {} --no-join", challenge.word()?);
        let game = self.player("ben", &accept)?.well()?.word()?;
        self.player("ann", &format!("move {game} A1"))?.well()?;
        self.player("ben", &format!("move {game} X1"))?.well()?;
        Ok(game)
    }

    /// Fails unless a game has this many moves.
    fn has_moves(&self, game: &str, moves: u64) -> Result<()> {
        let ply = self.player("ann", &format!("show {game} --json"))?.well()?.json("/ply")?;
        ensure!(ply == moves, "game {game} has {ply} moves instead of {moves}");
        Ok(())
    }

    fn is_ready(&mut self) -> Result<()> {
        self.documented("adamant-server health", &[])?.well()?.with("ready").map(drop)
    }

    fn is_unready(&mut self, why: &str) -> Result<()> {
        self.documented("adamant-server health", &[])?.badly()?.with(why)?;
        self.player("ann", "challenge diam ben")?.badly()?.with("can store nothing").map(drop)
    }

    /// Puts a directory that a command has written in the place of the data directory.
    fn replace_data(&mut self, new: &str) -> Result<()> {
        let aside = format!("rm -rf {DATA}.aside && mv {DATA} {DATA}.aside && mv {new} {DATA}");
        self.machine.root(&aside)?.well().map(drop)
    }

    /// Makes an empty directory that the server's user can write.
    fn directory(&self, path: &str) -> Result<()> {
        self.machine.root(&format!("install -d -o adamant -g adamant -m 0700 {path}"))?.well()?;
        Ok(())
    }
}

/// The package's file, as the document names it.
const PACKAGE: &str = "adamant_VERSION_amd64.deb";

fn install(drill: &mut Drill) -> Result<()> {
    let name = drill.package.file_name().and_then(OsStr::to_str).context("no name")?.to_owned();
    fs::copy(&drill.package, drill.machine.path("/root").join(&name))?;
    drill.begun = now();
    let installed = drill.documented("apt install ./adamant_VERSION", &[(PACKAGE, &name)])?;
    installed.well()?.with("Setting up adamant")?;
    for file in ["/usr/bin/adamant", "/usr/share/man/man1/adamant-server.1.gz"] {
        ensure!(drill.machine.path(file).exists(), "the package has not installed {file}");
    }
    Ok(())
}

/// With systemd the package does this.
fn start(drill: &mut Drill) -> Result<()> {
    drill.machine.systemctl("start adamant")?;
    drill.is_ready()?;
    drill.systemctl("systemctl status adamant")
}

fn first_move(drill: &mut Drill) -> Result<()> {
    drill.machine.variables = vec![("ADAMANT_SERVER", "ws://127.0.0.1:7777".to_owned())];
    let moves = drill.machine.root("printf 'A1\\nquit\\n' | adamant play diam")?.well()?;
    drill.first_move = drill.begun.elapsed();
    moves.with("Game ").map(drop)
}

fn certificate(drill: &mut Drill) -> Result<()> {
    let names = [("localhost", NAME), ("key.pem", "privkey.pem"), ("cert.pem", "fullchain.pem")];
    drill.documented("openssl req", &names)?.well()?;
    drill.documented("install -o adamant", &[])?.well()?;
    let trust =
        "cp fullchain.pem /usr/local/share/ca-certificates/own.crt && update-ca-certificates";
    drill.machine.root(trust)?.well().map(drop)
}

fn settings(drill: &mut Drill) -> Result<()> {
    let hosts = format!("echo '127.0.0.1 {NAME} localhost' > /etc/hosts");
    drill.machine.root(&hosts)?.well()?;
    drill.machine.variables = vec![("ADAMANT_SERVER", format!("wss://{NAME}"))];
    certificate(drill)?;
    drill.documented("cp /usr/share/doc/adamant/config/production.example.toml", &[])?.well()?;
    drill.documented("sed -i", &[("NAME", NAME)])?.well()?;
    drill.documented("--check-config", &[])?.well()?;
    drill.systemctl("systemctl restart adamant")?;
    drill.documented("/var/lib/adamant doctor", &[])?.well()?.with("is ready on")?;
    drill.documented("adamant-server doctor", &[])?.well()?.with("certificate")?;
    drill.documented("ss -ltnp", &[])?.well()?.with(":443")?.with("adamant-server")?;
    drill.documented("fuser", &[])?.well()?;
    drill.is_ready()
}

fn nightly_backup(drill: &mut Drill) -> Result<()> {
    drill.systemctl("systemctl start adamant-backup")?;
    let backups = drill.machine.root("ls /var/lib/adamant-backups")?.well()?;
    backups.with("adamant-")?;
    drill.documented("adamant-server doctor", &[])?.well()?.with("the last one is 0 hours old")?;
    Ok(())
}

fn second_place(drill: &mut Drill) -> Result<()> {
    drill.directory("/mnt/second/adamant")?;
    drill.documented("printf '[store.shipping]", &[])?.well()?;
    drill.systemctl("systemctl restart adamant")?;
    drill.machine.wait_for_log("a copy of the database was shipped")?;
    Ok(())
}

/// Prometheus and fail2ban cannot be installed without the network; their directories can.
fn alarms(drill: &mut Drill) -> Result<()> {
    drill.machine.root("mkdir -p /etc/prometheus /etc/fail2ban/filter.d")?.well()?;
    drill.documented("config/monitoring/alerts.yml", &[])?.well()?;
    drill.documented("config/fail2ban/adamant.conf", &[])?.well()?;
    let files = drill.machine.root("cat /etc/prometheus/adamant.yml /etc/fail2ban/filter.d/*")?;
    files.well()?.with("severity: page")?.with("failregex").map(drop)
}

fn play(drill: &mut Drill) -> Result<()> {
    let command = drill.documents.command("adamant play stymie", &[("play.example.org", NAME)])?;
    let moves = format!("printf 'f6\\nresign\\n' | {command}");
    drill.machine.root(&moves)?.well()?.with("resign")?;
    drill.documented("admin users list", &[])?.well()?.with("house-hard").map(drop)
}

fn sign_up(drill: &mut Drill) -> Result<()> {
    let sign_up = |name: &str| {
        format!("echo 'the password of {name}' | adamant signup {name} --password-stdin")
    };
    for name in ["ann", "ben"] {
        drill.machine.root(&sign_up(name))?.well()?.with(&format!("You are {name}"))?;
    }
    let closed = drill.documented("admin sign-up accounts invitation", &[])?.well()?;
    closed.with("accounts: invitation")?;
    drill.machine.root(&sign_up("dan"))?.badly()?.with("invitation")?;
    let open = drill.documented("admin sign-up accounts open", &[])?.well()?;
    open.with("accounts: open")?;
    drill.machine.root(&sign_up("dan"))?.well().map(drop)
}

fn report(drill: &mut Drill) -> Result<()> {
    drill.finished = drill.game("--rated")?;
    let game = drill.finished.clone();
    drill.player("ben", &format!("resign {game}"))?.well()?;
    drill.player("ann", "user ann")?.well()?.with("diam")?;
    let text = "--reason cheating plays like an engine";
    let sent = drill.player("ann", &format!("report --user ben --game {game} {text}"))?.well()?;
    sent.with("report 1")?;
    drill.documented("admin reports list", &[])?.well()?.with("plays like an engine").map(drop)
}

fn warn(drill: &mut Drill) -> Result<()> {
    let values = [("ID", "1"), ("TEXT", "'no engines'")];
    let closed = drill.documented("admin reports close", &values)?.well()?;
    closed.with("step: silence")?.with("closed by: adamant")?;
    drill.player("ben", &format!("say {} hello", drill.finished))?.badly()?.with("no engines")?;
    drill.player("ann", "notices")?.well()?.with("report")?;
    let warned = [("USER", "ben"), ("TEXT", "'the last warning'")];
    drill.documented("admin users warn", &warned)?.well()?;
    drill.player("ben", "notices")?.well()?.with("the last warning").map(drop)
}

fn ban(drill: &mut Drill) -> Result<()> {
    let banned = [("USER", "ben"), ("TEXT", "engines")];
    drill.documented("admin bans user", &banned)?.well()?.with("what: ban")?;
    drill.player("ben", "whoami")?.badly()?.with("banned")?;
    let bans = drill.documented("admin bans list", &[])?.well()?.with("engines")?;
    // The silence of before is one, too.
    for line in bans.out.lines().skip(1) {
        let id = line.split_whitespace().next().context("a ban without a number")?;
        let lifted = [("ID", id), ("TEXT", "'a mistake'")];
        drill.documented("admin bans lift", &lifted)?.well()?.with("lifted")?;
    }
    drill.player("ben", "whoami")?.well()?.with("ben")?;
    drill.documented("admin bans network", &[])?.well()?.with("192.0.2.0/24").map(drop)
}

fn annul(drill: &mut Drill) -> Result<()> {
    let finished = drill.finished.clone();
    let annulled = [("GAME", &*finished), ("TEXT", "engines")];
    drill.documented("admin games annul", &annulled)?.well()?;
    drill.player("ann", "notices")?.well()?.with("engines")?;
    drill.documented("adamant-server ratings --check", &[])?.well()?.with("agree").map(drop)
}

fn reset_password(drill: &mut Drill) -> Result<()> {
    let code = drill.documented("admin users reset-code", &[("NAME", "ann")])?.well()?;
    let code = code.with("code: ")?.word()?;
    let passwords = |code: &str| format!("printf '{code}\\nanother password\\n'");
    let reset = "adamant password --reset ann --password-stdin";
    drill.machine.root(&format!("{} | {reset}", passwords("wrong")))?.badly()?;
    drill.machine.root(&format!("{} | {reset}", passwords(&code)))?.well()?;
    let log_in = "adamant login ann --password-stdin";
    drill.machine.root(&format!("echo 'the password of ann' | {log_in}"))?.badly()?;
    drill.machine.root(&format!("echo 'another password' | {log_in}"))?.well()?.with("ann")?;
    Ok(())
}

fn back_up(drill: &mut Drill) -> Result<()> {
    drill.live = drill.game("--clock 1h")?;
    drill.directory("/mnt/other")?;
    let written = drill.documented("adamant-server backup --to /mnt/other", &[])?.well()?;
    written.with("no findings").map(drop)
}

/// The data directory moves to a small disk of its own and back.
fn fill_disk(drill: &mut Drill) -> Result<()> {
    drill.machine.systemctl("stop adamant")?;
    drill.machine.root(&format!("mv {DATA} {DATA}.large"))?.well()?;
    drill.directory(DATA)?;
    drill.machine.mount(DATA, &["-t", "tmpfs", "-o", "size=192m", "tmpfs"])?;
    drill.machine.root(&format!("cp -a {DATA}.large/. {DATA}"))?.well()?;
    drill.machine.systemctl("start adamant")?;
    let fill = format!("cat /dev/zero > {DATA}/old-backup.db");
    drill.machine.root(&fill)?.badly()?.with("No space left on device")?;
    drill.documented("adamant-server doctor", &[])?.well()?.with("0 MiB are free")?;
    // Stopping it gives back what the WAL had allocated, and the start what its index has beyond
    // the smallest size.
    drill.machine.systemctl("stop adamant")?;
    drill.machine.root(&format!("truncate -s 32K {DATA}/adamant.db-shm; {fill}"))?.badly()?;
    drill.machine.systemctl("start adamant")?;
    drill.is_unready("read-only: the disk is full")?;
    drill.machine.root(&format!("rm {DATA}/old-backup.db"))?.well()?;
    drill.machine.wait_for_log("disk has space again, restarting")?;
    drill.machine.wait_for_log("listening")?;
    drill.is_ready()?;
    let game = drill.live.clone();
    drill.player("ann", &format!("move {game} A2"))?.well()?;
    drill.machine.systemctl("stop adamant")?;
    drill.machine.root(&format!("rm -r {DATA}.large && cp -a {DATA} {DATA}.large"))?.well()?;
    drill.machine.unmount()?;
    drill.machine.root(&format!("rmdir {DATA} && mv {DATA}.large {DATA}"))?.well()?;
    drill.machine.systemctl("start adamant")?;
    drill.has_moves(&game, 3)
}

fn corrupt_page(drill: &mut Drill) -> Result<()> {
    let database = drill.machine.path(DATA).join("adamant.db");
    drill.machine.systemctl("stop adamant")?;
    lose_page(&database, "journal")?;
    drill.machine.systemctl("start adamant")?;
    let (finished, live) = (drill.finished.clone(), drill.live.clone());
    drill.player("ann", &format!("show {finished}"))?.badly()?;
    drill.is_unready("read-only: the store is damaged")?;
    drill.systemctl("systemctl restart adamant")?;
    drill.is_unready("read-only: the store is damaged")?;
    drill.documented("adamant-server check", &[])?.badly()?.with("finding")?;
    drill.machine.systemctl("stop adamant")?;
    let new = format!("{DATA}-new");
    drill.directory(&new)?;
    let salvage = [("DIR", DATA), ("NEW", &new)];
    drill.documented("adamant-server salvage", &salvage)?.badly()?.with("journal")?;
    drill.replace_data(&new)?;
    drill.machine.systemctl("start adamant")?;
    drill.is_ready()?;
    drill.has_moves(&live, 3)?;
    drill.machine.systemctl("stop adamant")?;
    change_record(&database, &finished)?;
    let damaged = drill.documented("adamant-server check", &[])?.badly()?;
    damaged.with(&format!("game {finished}: record "))?;
    let backup = drill.machine.root("ls /mnt/other/*.db")?.well()?.word()?;
    let restore = [("BACKUP", &*backup), ("DIR", DATA), ("ID", &*finished)];
    drill.documented("--game ID", &restore)?.well()?;
    drill.documented("adamant-server check", &[])?.well()?.with("no findings")?;
    drill.machine.systemctl("start adamant")?;
    drill.is_ready()?;
    drill.has_moves(&finished, 2)
}

/// Runs SQL on a stopped server's database, and returns the first number of the first row.
fn sql(database: &Path, statement: &str, value: &str) -> Result<usize> {
    let run = "import sqlite3, sys\n\
               with sqlite3.connect(sys.argv[1]) as database:\n\
               \x20   row = database.execute(*sys.argv[2:3], sys.argv[3:]).fetchone()\n\
               print(row[0] if row else 0)";
    let mut python = program(tools::python());
    let said = output(python.args(["-c", run]).arg(database).args([statement, value]))?;
    Ok(String::from_utf8(said)?.trim().parse()?)
}

/// Overwrites the first page of a table with zeros.
fn lose_page(database: &Path, table: &str) -> Result<()> {
    let page = sql(database, "SELECT rootpage FROM sqlite_schema WHERE name = ?", table)?;
    change(database, |bytes| bytes[(page - 1) * PAGE..page * PAGE].fill(0))
}

/// Changes the records of a game, whether they are archived or not.
fn change_record(database: &Path, game: &str) -> Result<()> {
    for (table, column) in [("arrivals", "record"), ("journal", "records")] {
        let moved = format!("replace(CAST({column} AS TEXT), '\"ply\":1', '\"ply\":3')");
        let set = format!("UPDATE {table} SET {column} = CAST({moved} AS BLOB) WHERE game = ?");
        sql(database, &set, game)?;
    }
    Ok(())
}

fn change(path: &Path, change: impl FnOnce(&mut [u8])) -> Result<()> {
    let mut bytes = fs::read(path).with_context(|| path.display().to_string())?;
    change(&mut bytes);
    Ok(fs::write(path, bytes)?)
}

fn corrupt_wal(drill: &mut Drill) -> Result<()> {
    let game = drill.live.clone();
    let moment = drill.machine.root("date -u +%Y-%m-%dT%H:%M:%S.%3NZ")?.well()?.word()?;
    for (name, act) in [("ben", "X2"), ("ann", "A3"), ("ben", "X3")] {
        drill.player(name, &format!("move {game} {act}"))?.well()?;
    }
    thread::sleep(SHIPPED_AFTER);
    drill.machine.kill_server()?;
    corrupt_frame(&drill.machine.path(DATA).join("adamant.db-wal"))?;
    drill.machine.systemctl("start adamant")?;
    drill.is_unready("read-only: the WAL is damaged")?;
    drill.documented("adamant-server check", &[])?.badly()?.with("the WAL is damaged")?;
    drill.machine.systemctl("stop adamant")?;
    let new = format!("{DATA}-new");
    drill.directory(&new)?;
    let restored = drill
        .documented("/mnt/second/adamant --to /var/lib/adamant-new", &[("latest", &moment)])?
        .well()?;
    restored.with("restored")?;
    drill.machine.root(&format!("cp -a {DATA}/*.key {DATA}/signing.pub {new}/"))?.well()?;
    drill.replace_data(&new)?;
    drill.machine.systemctl("start adamant")?;
    drill.is_ready()?;
    drill.has_moves(&game, 3)
}

/// Changes a byte of a frame that others follow.
fn corrupt_frame(wal: &Path) -> Result<()> {
    change(wal, |bytes| {
        let (header, frames) = bytes.split_at_mut(WAL_HEADER);
        // The salts of the header stand in each frame of its generation.
        let of_now = |frame: &&[u8]| frame[8..16] == header[16..24];
        let frames_now = frames.chunks_exact(FRAME_HEADER + PAGE).take_while(of_now).count();
        frames[frames_now / 2 * (FRAME_HEADER + PAGE) + FRAME_HEADER + 1000] ^= 1;
    })
}

fn lose_machine(drill: &mut Drill) -> Result<()> {
    let game = drill.live.clone();
    drill.player("ben", &format!("move {game} X2"))?.well()?;
    thread::sleep(SHIPPED_AFTER);
    drill.machine.kill_server()?;
    let lose = format!("mkdir keys && mv {DATA}/*.key {DATA}/signing.pub keys && rm -r {DATA}/*");
    drill.machine.root(&lose)?.well()?;
    drill.documented("restore --until latest", &[])?.well()?.with("restored")?;
    drill.machine.root(&format!("mv keys/* {DATA}"))?.well()?;
    drill.machine.systemctl("start adamant")?;
    drill.is_ready()?;
    drill.has_moves(&game, 4)
}

fn rotate(drill: &mut Drill) -> Result<()> {
    let mut sockets = Sockets::open(&drill.machine)?;
    let old = served_certificate(drill)?;
    let keys = drill.documented("admin keys show", &[])?.well()?;
    certificate(drill)?;
    drill.systemctl("systemctl reload adamant")?;
    ensure!(served_certificate(drill)? != old, "new connections are shown the old certificate");
    let signing = keys.out.lines().next().context("no key")?.to_owned();
    let replaced =
        drill.documented("admin keys replace --reason", &[("TEXT", "rotation")])?.well()?;
    ensure!(!replaced.out.contains(&signing), "the key is the same");
    let live = sockets.answering()?;
    ensure!(live == SOCKETS, "{live} of {SOCKETS} sockets still answer");
    let verify = format!("adamant export --journal {} -o old.jsonl --force", drill.finished);
    drill.machine.root(&verify)?.well()?;
    drill.machine.root("adamant verify old.jsonl")?.well().map(drop)
}

/// The fingerprint of the certificate that a new connection is shown.
fn served_certificate(drill: &Drill) -> Result<String> {
    let connect = format!("openssl s_client -connect {NAME}:443 < /dev/null 2> /dev/null");
    let shown = drill.machine.root(&format!("{connect} | openssl x509 -noout -fingerprint"))?;
    shown.well()?.word()
}

/// A program with many sockets.
struct Sockets {
    program: Child,
    answers: BufReader<ChildStdout>,
}

impl Sockets {
    fn open(machine: &Machine) -> Result<Self> {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/src/commands/drill/sockets.py");
        let mut program = program(tools::python());
        program.args([script, &SOCKETS.to_string(), NAME]).arg(machine.path("/root/fullchain.pem"));
        let mut program = program.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let answers = BufReader::new(program.stdout.take().context("no output")?);
        let mut sockets = Self { program, answers };
        ensure!(sockets.number()? == SOCKETS, "not all sockets could be opened");
        Ok(sockets)
    }

    /// How many of the sockets still answer.
    fn answering(&mut self) -> Result<usize> {
        let questions = self.program.stdin.as_mut().context("no input")?;
        writeln!(questions)?;
        self.number()
    }

    fn number(&mut self) -> Result<usize> {
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        line.trim().parse().context("the program with the sockets has ended")
    }
}

impl Drop for Sockets {
    fn drop(&mut self) {
        self.program.kill().ok();
        self.program.wait().ok();
    }
}

fn restart_and_close(drill: &mut Drill) -> Result<()> {
    let planned = drill.documented("admin maintenance plan", &[("10m", "0s")])?.well()?;
    planned.with("planned: yes")?.with("a restart")?;
    drill.player("ann", "challenge stymie house-easy")?.badly()?.with("no new games: a restart")?;
    drill.systemctl("systemctl restart adamant")?;
    drill.documented("admin maintenance show", &[])?.well()?.with("planned: no")?;
    let game = drill.live.clone();
    drill.player("ann", &format!("move {game} A3"))?.well()?;
    let closed = [("USER", "dan"), ("TEXT", "'as asked'")];
    drill.documented("admin users close", &closed)?.well()?.with("what: closed")?;
    drill.player("dan", "whoami")?.badly().map(drop)
}

/// With systemd the package restarts the server.
fn upgrade(drill: &mut Drill) -> Result<()> {
    let game = drill.live.clone();
    let name = "adamant_next.deb";
    let version = next_version(&drill.package, &drill.machine.path("/root").join(name))?;
    let clock = |drill: &mut Drill| -> Result<i64> {
        let shown = [("GAME", &*format!("{game} --json"))];
        let shown = drill.documented("admin games show", &shown)?.well()?;
        shown.json("/players/1/left_ms")?.as_i64().context("no clock")
    };
    let before = clock(drill)?;
    drill.machine.systemctl("stop adamant")?;
    let stopped = now();
    let installed = drill.documented("apt install ./adamant_VERSION", &[(PACKAGE, name)])?;
    installed.well()?.with(&format!("Setting up adamant ({version})"))?;
    let outage = stopped.elapsed();
    drill.machine.systemctl("start adamant")?;
    let lost = Duration::from_millis((before - clock(drill)?).unsigned_abs());
    ensure!(lost < outage, "the clock went on by {lost:?} in an outage of {outage:?}");
    drill.is_ready()?;
    drill.has_moves(&game, 5)?;
    let settings = drill.machine.root("cat /etc/adamant/adamant.toml")?.well()?;
    settings.with(NAME)?;
    drill.player("ben", &format!("move {game} X3"))?.well().map(drop)
}
