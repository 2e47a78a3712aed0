//! Records of games: fetched with the board after any move, exported, and verified.

use std::{
    fmt::Display,
    fs::{self, File},
    io::{self, BufRead, BufReader, Read as _, Write as _},
    path::{Path, PathBuf},
};

use adamant_client::Incoming;
use adamant_protocol::{
    GameId,
    downloads::SignedDownload,
    from_client::{self, Watch},
    ids::PublicKey,
    to_client::{SignedHead, Snapshot},
};
use adamant_record::{
    DownloadChain, DownloadError, Replay, Verified, Verifier, VerifyError,
    download::{is_genuine, verify_line},
    wire,
};
use adamant_rules::{Table, record};
use anyhow::Context as _;
use bytes::Bytes;
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use crate::{
    failure::{CommandResult, ExitStatus, UsageError},
    messages::{self, Names},
    output::{Output, progress_bar, to_stderr},
    session::{ActAs, Session, ask},
    settings::Global,
};

/// Number of events from which a progress bar is shown.
const LONG_RECORD_EVENTS: u64 = 1_000;

pub(crate) async fn snapshot(session: &Session, game: &GameId) -> anyhow::Result<Box<Snapshot>> {
    let watch = |id| Watch { id, game: game.clone(), from: None, named: None };
    Ok(ask!(session, Snapshot, watch))
}

/// All events of a game up to now.
#[derive(Debug)]
pub(crate) struct Transcript {
    /// The events as the server stores them.
    pub(crate) records: Vec<Bytes>,
}

impl Transcript {
    /// Requests all events of a game.
    pub(crate) async fn fetch(session: &mut Session, game: &GameId) -> anyhow::Result<Self> {
        let watch = |id| Watch { id, game: game.clone(), from: Some(1), named: None };
        let done = session.client.done(watch).await?;
        let last = done.seq.context("the server does not say how many events there are")?;
        let progress = if last < LONG_RECORD_EVENTS {
            ProgressBar::hidden()
        } else {
            progress_bar(last, "{wide_bar} {pos}/{len} events")
        };
        let mut records = Vec::new();
        let mut next = 1;
        while next <= last {
            // Skips events that were sent before the request, which repeats them.
            if let Incoming::Event { frame, bytes } = session.next().await?
                && frame.game == *game
                && frame.seq == next
            {
                records.push(bytes);
                next += 1;
                progress.inc(1);
            }
        }
        progress.finish_and_clear();
        Ok(Self { records })
    }

    /// Returns the table after the last event, or after this number of plies. `None` if the game
    /// has fewer plies.
    pub(crate) fn table(&self, ply: Option<u32>) -> anyhow::Result<Option<Table>> {
        let mut replay = Replay::new();
        let mut reached = None;
        for record in &self.records {
            replay.push(record).context("the server's record of this game is invalid")?;
            let table = replay.table().context("a record starts with a table")?;
            // The consequences of a move belong to it: the board is the one before the next ply.
            if ply.is_none_or(|ply| table.ply() == ply) {
                reached = Some(table.clone());
            } else if ply.is_some_and(|ply| table.ply() > ply) {
                break;
            }
        }
        Ok(reached)
    }
}

/// The format of an exported game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// Text record: a challenge line, then one move per line.
    Text,
    /// Journal record: every event with its hash chain, and the server's signature.
    Journal,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The game's id
    pub(crate) game: GameId,
    /// The format
    #[arg(long, default_value = "text", conflicts_with_all = ["text", "journal"])]
    format: ExportFormat,
    /// The same as --format text
    #[arg(long, conflicts_with = "journal")]
    text: bool,
    /// The same as --format journal
    #[arg(long)]
    journal: bool,
    /// The file to write
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite an existing file
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
}

impl ExportArgs {
    pub(crate) const fn format(&self) -> ExportFormat {
        if self.journal { ExportFormat::Journal } else { self.format }
    }
}

/// Exports a game's record.
pub(super) async fn export(global: &Global, args: &ExportArgs) -> CommandResult {
    let mut session = Session::open(global, ActAs::UserOrAnonymous).await?;
    let text = match args.format() {
        ExportFormat::Text => {
            let transcript = Transcript::fetch(&mut session, &args.game).await?;
            record::write(&transcript.table(None)?.context("the game has not begun")?)
        }
        ExportFormat::Journal => journal(&mut session, &args.game).await?,
    };
    session.close().await;
    match &args.output {
        Some(path) => {
            write(path, &text, args.force)?;
            global.output.message(format_args!("{} is written to {}.", args.game, path.display()));
        }
        None => global.output.line(text.trim_end_matches('\n'))?,
    }
    Ok(ExitStatus::Success)
}

/// Returns every event of a game and the server's signature of the last one. Later events of a live
/// game are left out. The record is verified before it is written.
async fn journal(session: &mut Session, game: &GameId) -> anyhow::Result<String> {
    let signed = signature(session, game).await?;
    let mut transcript = Transcript::fetch(session, game).await?;
    transcript.records.truncate(usize::try_from(signed.seq)?);
    let line = adamant_protocol::encode(&SignedHead { re: None, ..signed }.into());
    let records = transcript.records.iter().map(|record| &record[..]);
    let mut verifier = Verifier::new();
    let mut text = String::new();
    for line in records.chain([line.as_bytes()]) {
        verifier.line(line).context("the server's record of this game is invalid")?;
        text.push_str(std::str::from_utf8(line).context("records are text")?);
        text.push('\n');
    }
    Ok(text)
}

async fn signature(session: &Session, game: &GameId) -> anyhow::Result<SignedHead> {
    let sign = |id| from_client::Signature { id, game: game.clone() };
    Ok(ask!(session, Signature, sign))
}

/// Verifies an exported record. It asks a server only for its keys.
pub(super) async fn verify(global: &Global, args: &VerifyArgs) -> CommandResult {
    let keys = match args.key {
        Some(key) => Some(vec![key]),
        None if global.server.is_some() => {
            let session = Session::open(global, ActAs::Anonymous).await?;
            let keys = session.welcome.keys.clone();
            session.close().await;
            Some(keys)
        }
        None => None,
    };
    verify_file(args, keys.as_deref(), global.output)
}

fn write(path: &Path, text: &str, force: bool) -> anyhow::Result<()> {
    let mut options = fs::OpenOptions::new();
    let options = options.write(true).create(true).create_new(!force).truncate(force);
    let written = options.open(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| {
        let shown = path.display();
        if error.kind() == io::ErrorKind::AlreadyExists {
            UsageError(format!("{shown} exists already; --force overwrites it")).into()
        } else {
            anyhow::Error::from(error).context(format!("{shown} cannot be written"))
        }
    })
}

/// Maximum length of a line in bytes. The events of the largest games stay far below it.
const LINE_BYTES_MAX: u64 = 1024 * 1024;

/// Number of lines from which a progress bar is shown.
const LONG_RECORD_LINES: u64 = 1_000;

/// The mark of byte order in UTF-8, which some systems write before a text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The result of verifying a file.
enum Verification {
    Valid(Box<Verified>),
    /// The file is a valid download, up to these lines.
    ValidDownload(DownloadChain),
    /// The file is invalid, first in this line.
    Invalid {
        line: u64,
        why: String,
    },
    /// The file is not a record.
    NotARecord(&'static str),
}

/// Verifies a record. With keys it must be signed with one of them.
fn verify_file(args: &VerifyArgs, keys: Option<&[PublicKey]>, output: Output) -> CommandResult {
    let (name, found) = if args.file == Path::new("-") {
        ("standard input".to_owned(), read(io::stdin().lock(), keys))
    } else {
        let found = File::open(&args.file).and_then(|file| read(BufReader::new(file), keys));
        (args.file.display().to_string(), found)
    };
    let invalid =
        |line, why| report_invalid(format_args!("{name}, line {line}"), line, why, output);
    let why = match found {
        Ok(Verification::Valid(verified)) if args.require_signature && verified.key.is_none() => {
            return invalid(verified.seq, "the record is not signed");
        }
        Ok(Verification::Valid(verified)) => {
            print_verified(&verified, keys.is_some(), output)?;
            return Ok(ExitStatus::Success);
        }
        Ok(Verification::ValidDownload(at)) => return verify_signature(args, &at, keys, output),
        Ok(Verification::Invalid { line, why }) => return invalid(line, &why),
        Ok(Verification::NotARecord(why)) => why.to_owned(),
        Err(error) => error.to_string(),
    };
    to_stderr(format_args!("adamant: {name}: {why}"));
    Ok(ExitStatus::Usage)
}

/// Reports what is wrong at a line of a file.
fn report_invalid(place: impl Display, line: u64, why: &str, output: Output) -> CommandResult {
    if output.json {
        output.line(json!({ "ok": false, "line": line, "why": why }))?;
    }
    to_stderr(format_args!("adamant: {place}: {why}"));
    Ok(ExitStatus::Failed)
}

/// Says with which key a file is signed, or what it means that it is not.
fn signature_text(key: Option<&PublicKey>, is_known: bool, unsigned: &str) -> String {
    match key {
        Some(key) if is_known => format!("Signed with key {key}."),
        Some(key) => format!(
            "Signed with key {key}. Its owner has not been checked: --key and --server do that."
        ),
        None => unsigned.to_owned(),
    }
}

fn read(mut source: impl BufRead, keys: Option<&[PublicKey]>) -> io::Result<Verification> {
    if source.fill_buf()?.starts_with(BYTE_ORDER_MARK) {
        source.consume(BYTE_ORDER_MARK.len());
    }
    if is_line_of_download(source.fill_buf()?) {
        let mut at = DownloadChain::default();
        return Ok(match push_all(&mut at, source)? {
            None => Verification::ValidDownload(at),
            Some(why) => Verification::Invalid { line: at.games + 1, why },
        });
    }
    let mut record = Verifier::new();
    let mut text = Vec::new();
    let mut line = 0;
    let progress = ProgressBar::hidden();
    loop {
        text.clear();
        // One byte more than allowed shows that the line is too long.
        let read = source.by_ref().take(LINE_BYTES_MAX + 1).read_until(b'\n', &mut text)?;
        if read == 0 {
            break;
        }
        line += 1;
        text.pop_if(|last| *last == b'\n');
        text.pop_if(|last| *last == b'\r');
        if text.len() as u64 > LINE_BYTES_MAX {
            return Ok(Verification::NotARecord("a line is longer than in any record"));
        }
        // An event stream saved over HTTP has empty lines as heartbeats.
        if text.is_empty() {
            continue;
        }
        if line == 1 && text.first() != Some(&b'{') {
            return Ok(Verification::NotARecord(
                "this is not a journal record, with one event per line; `adamant replay` reads text records",
            ));
        }
        if let Err(error) = record.line(&text) {
            progress.finish_and_clear();
            return Ok(Verification::Invalid { line, why: error.to_string() });
        }
        if line == LONG_RECORD_LINES {
            let style = ProgressStyle::with_template("{spinner} {pos} records verified");
            progress.set_style(style.expect("the template is well formed"));
            // Drawn on stderr, and only if that is a terminal.
            progress.set_draw_target(indicatif::ProgressDrawTarget::stderr());
        }
        progress.set_position(line);
    }
    progress.finish_and_clear();
    Ok(match record.finish(keys) {
        Ok(verified) => Verification::Valid(Box::new(verified)),
        Err(VerifyError::Empty) => Verification::NotARecord("there is no record"),
        Err(error) => Verification::Invalid { line, why: error.to_string() },
    })
}

/// Prints what was verified, and what was not.
fn print_verified(verified: &Verified, key_is_known: bool, output: Output) -> io::Result<()> {
    let Verified { game, seq, chain, table, key } = verified;
    if output.json {
        return output.line(json!({
            "ok": true,
            "game": game,
            "rules": wire::rules(table.setup().kind),
            "seq": seq,
            "chain": chain,
            "result": table.outcome().map(wire::result),
            "key": key,
            "key_is_known": key_is_known,
        }));
    }
    let names = Names::new(table.players(), table.position());
    let outcome = match table.outcome() {
        Some(outcome) => names.outcome(outcome),
        None => "The game is live.".to_owned(),
    };
    output.line(format_args!("{game}: {}", messages::game(table.setup())))?;
    output.line(format_args!("All {seq} events are valid. {outcome}"))?;
    let unsigned = "The record is not signed: its players and its end are not vouched for.";
    output.line(signature_text(key.as_ref(), key_is_known, unsigned))
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// The record; - is standard input
    #[arg(default_value = "-")]
    pub(crate) file: PathBuf,
    /// Require a signature with this key, 64 hex digits
    #[arg(long, value_name = "HEX")]
    pub(crate) key: Option<PublicKey>,
    /// Require a signature with any key
    #[arg(long)]
    pub(crate) require_signature: bool,
}

/// Maximum length of a line in bytes: far more than the longest games have.
pub(crate) const DOWNLOAD_LINE_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// Why a signature is not one of these lines.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SignatureFault {
    #[error("the signature is not genuine")]
    Forged,
    #[error("the file is signed with key {0}, which is not one of those it should be")]
    OtherKey(PublicKey),
    #[error("the signature is for {signed} games, but there are {found}")]
    OtherLength { signed: u64, found: u64 },
    #[error("the signature is for other lines")]
    OtherLines,
}

/// What each line begins with.
const LINE_START: &[u8] = b"{\"game\":";

/// Whether a line is one of a download rather than of the record of one game.
fn is_line_of_download(line: &[u8]) -> bool {
    line.starts_with(LINE_START)
}

/// Whether a line of a download may begin with these bytes.
pub(crate) fn may_begin_line(bytes: &[u8]) -> bool {
    is_line_of_download(bytes) || LINE_START.starts_with(bytes)
}

/// Adds a line without its line break to those that are verified.
pub(crate) fn push_line(at: &mut DownloadChain, line: &[u8]) -> Result<(), DownloadError> {
    verify_line(line)?;
    at.add_line(line);
    Ok(())
}

/// Adds all lines of a file. Returns what is wrong with the first one that is not valid.
fn push_all(at: &mut DownloadChain, mut source: impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = source.by_ref().take(DOWNLOAD_LINE_BYTES_MAX).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(None);
        }
        if line.pop_if(|last| *last == b'\n').is_none() {
            return Ok(Some("the file breaks off; `adamant download` goes on with it".to_owned()));
        }
        line.pop_if(|last| *last == b'\r');
        if let Err(error) = push_line(at, &line) {
            return Ok(Some(error.to_string()));
        }
    }
}

/// Verifies the signature beside a file of valid games, and prints the outcome.
fn verify_signature(
    args: &VerifyArgs,
    at: &DownloadChain,
    keys: Option<&[PublicKey]>,
    output: Output,
) -> CommandResult {
    let signed = read_signature(&args.file).context("the signature cannot be read")?;
    let why = match &signed {
        Some(signed) => check_signature(signed, at, keys).err().map(|fault| fault.to_string()),
        None if args.require_signature || keys.is_some() => {
            let path = signature_path(&args.file);
            Some(format!("it is not signed: there is no {}", path.display()))
        }
        None => None,
    };
    let (games, name) = (at.games, args.file.display());
    if let Some(why) = why {
        return report_invalid(name, games, &why, output);
    }
    let key = signed.as_ref().map(|signed| signed.key);
    if output.json {
        output.line(json!({
            "ok": true,
            "games": games,
            "bytes": at.bytes,
            "chain": at.chain,
            "complete": signed.map(|signed| signed.complete),
            "key": key,
            "key_is_known": keys.is_some(),
        }))?;
        return Ok(ExitStatus::Success);
    }
    output.line(format_args!("{name}: all {games} games are valid."))?;
    let unsigned = "The file is not signed: no server confirms that it has all games.";
    output.line(signature_text(key.as_ref(), keys.is_some(), unsigned))?;
    Ok(ExitStatus::Success)
}

/// Checks a signature of the lines so far. With keys it must be made with one of them.
pub(crate) fn check_signature(
    signed: &SignedDownload,
    at: &DownloadChain,
    keys: Option<&[PublicKey]>,
) -> Result<(), SignatureFault> {
    if !is_genuine(signed) {
        return Err(SignatureFault::Forged);
    }
    if keys.is_some_and(|keys| !keys.contains(&signed.key)) {
        return Err(SignatureFault::OtherKey(signed.key));
    }
    if signed.games != at.games {
        return Err(SignatureFault::OtherLength { signed: signed.games, found: at.games });
    }
    if (signed.bytes, signed.chain) != (at.bytes, at.chain) {
        return Err(SignatureFault::OtherLines);
    }
    Ok(())
}

/// Returns where the signature of a file is.
pub(crate) fn signature_path(file: &Path) -> PathBuf {
    let mut path = file.as_os_str().to_owned();
    path.push(".sig");
    path.into()
}

/// Reads the signature of a file; `None` if there is none.
fn read_signature(file: &Path) -> io::Result<Option<SignedDownload>> {
    match fs::read(signature_path(file)) {
        Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
