//! `adamant download`: the finished games of a month, verified, and resumed where they broke off.

use std::{
    fs::{self, File, OpenOptions},
    io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
    time::Duration,
};

use adamant_client::{Address, ConnectError, Dial as _, Network, RequestError};
use adamant_protocol::{
    ToClient,
    downloads::{DownloadFile, DownloadList, SignedDownload},
    ids::PublicKey,
};
use adamant_record::DownloadChain;
use anyhow::Context as _;
use bytes::Bytes;
use clap::Args;
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::{Request, Response, StatusCode, body::Incoming, client::conn::http1, header};
use hyper_util::rt::TokioIo;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Deserialize;
use serde_json::json;
use tokio::time::{sleep, timeout};

use super::records::{self, DOWNLOAD_LINE_BYTES_MAX};
use crate::{
    failure::{CommandResult, ExitStatus, RefusedError},
    output::Output,
    session,
    settings::Global,
    spelling::help_with_kinds,
};

#[derive(Debug, Args)]
pub(crate) struct DownloadArgs {
    /// The month in UTC, such as 2026-11; without it the files are listed
    #[arg(value_parser = month)]
    pub(crate) month: Option<String>,
    /// Only games of this kind
    #[arg(long, value_name = "GAME", requires = "month", help = help_with_kinds("Only this game"))]
    pub(crate) game: Option<String>,
    /// The file to write, or to go on with; by default the server's name of it
    #[arg(short, long, value_name = "FILE", requires = "month")]
    pub(crate) output: Option<PathBuf>,
    /// Require a signature with this key, 64 hex digits, rather than with one of the server's
    #[arg(long, value_name = "HEX", requires = "month")]
    pub(crate) key: Option<PublicKey>,
}

impl DownloadArgs {
    /// Returns the server's name of the file; `None` to list the files.
    pub(crate) fn file(&self) -> Option<String> {
        let month = self.month.as_ref()?;
        Some(match &self.game {
            Some(game) => format!("{month}-{game}.ndjson"),
            None => format!("{month}.ndjson"),
        })
    }
}

fn month(text: &str) -> Result<String, &'static str> {
    let is_month = text.parse::<jiff::civil::Date>().is_err()
        && format!("{text}-01").parse::<jiff::civil::Date>().is_ok()
        && text.len() == "2026-11".len();
    if is_month { Ok(text.to_owned()) } else { Err("a month looks like 2026-11") }
}

/// Attempts in a row without a new byte after which the command gives up.
const ATTEMPTS_MAX: u32 = 5;

/// The pause after the first failed attempt; each later one takes twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(500);

/// The longest time without a byte before the connection counts as broken.
const SILENCE_MAX: Duration = Duration::from_secs(30);

/// The public keys of a server.
#[derive(Deserialize)]
struct Keys {
    key: PublicKey,
    earlier: Vec<PublicKey>,
}

/// Lists the files, or downloads one.
pub(in crate::commands) async fn download(global: &Global, args: &DownloadArgs) -> CommandResult {
    let output = global.output;
    let address = session::address(global)?;
    let server = HttpServer::new(address, global.ca.as_deref())?;
    let list: DownloadList = server.json("/v1/downloads").await?;
    let Some(name) = args.file() else {
        return print_list(&list, output);
    };
    let Some(listed) = list.files.iter().find(|listed| listed.file == name) else {
        let what = format!("the server has no download {name}; `adamant download` lists them");
        return Err(RefusedError(what).into());
    };
    let path = args.output.clone().unwrap_or_else(|| PathBuf::from(&name));
    let progress = progress_bar(output);
    let mut file = PartialFile::open(&path, &progress)?;
    let resumed_at = file.len();
    progress.set_length(listed.bytes.max(resumed_at));
    fetch(&server, &name, &mut file, listed.bytes, &progress).await?;
    file.finish()?;
    progress.finish_and_clear();

    let games = file.lines().games;
    let signed: SignedDownload =
        server.json(&format!("/v1/downloads/{name}/head?games={games}")).await?;
    let keys = if let Some(key) = args.key {
        vec![key]
    } else {
        let Keys { key, earlier } = server.json("/v1/key").await?;
        [vec![key], earlier].concat()
    };
    let shown = path.display();
    if signed.file != name {
        anyhow::bail!("{shown}: the server has signed another file, {}", signed.file);
    }
    records::check_signature(&signed, file.lines(), Some(&keys))
        .map_err(|fault| anyhow::anyhow!("{shown}: {fault}; move it away and try again"))?;
    write_signature(&path, &signed)?;
    if output.json {
        output.line(json!({
            "ok": true,
            "file": path,
            "games": games,
            "bytes": signed.bytes,
            "resumed_at": resumed_at,
            "complete": signed.complete,
            "chain": signed.chain,
            "key": signed.key,
        }))?;
    } else {
        let state = if signed.complete { "complete" } else { "the month may still grow" };
        output.line(format_args!("{shown}: {games} games, all valid; {state}."))?;
        output.line(format_args!("Signed with key {}.", signed.key))?;
    }
    Ok(ExitStatus::Success)
}

/// Adds what the file lacks of `bytes`, with new connections where one breaks.
async fn fetch(
    server: &HttpServer,
    name: &str,
    file: &mut PartialFile,
    bytes: u64,
    progress: &ProgressBar,
) -> anyhow::Result<()> {
    let mut failed = 0;
    while file.len() < bytes {
        let before = file.len();
        let Err(error) = fetch_once(server, name, file, bytes, progress).await else { continue };
        failed = if file.len() > before { 1 } else { failed + 1 };
        let is_over = error.downcast_ref::<ConnectError>().is_none_or(|error| {
            !matches!(error, ConnectError::Unreachable { .. } | ConnectError::TimedOut { .. })
        });
        if is_over || failed >= ATTEMPTS_MAX {
            return Err(error);
        }
        sleep(FIRST_PAUSE * 2_u32.pow(failed - 1)).await;
    }
    Ok(())
}

/// Adds bytes until there are enough or the connection breaks.
async fn fetch_once(
    server: &HttpServer,
    name: &str,
    file: &mut PartialFile,
    bytes: u64,
    progress: &ProgressBar,
) -> anyhow::Result<()> {
    let from = file.len();
    let answer = server.get(&format!("/v1/downloads/{name}"), from).await?;
    let expected = if from == 0 { StatusCode::OK } else { StatusCode::PARTIAL_CONTENT };
    if answer.status() != expected {
        return Err(refusal(answer).await);
    }
    let mut body = answer.into_body();
    while file.len() < bytes {
        let frame = match timeout(SILENCE_MAX, body.frame()).await {
            Ok(Some(Ok(frame))) => frame,
            Ok(Some(Err(error))) => return Err(server.unreachable(&error).into()),
            Ok(None) | Err(_) => return Err(server.silent().into()),
        };
        if let Ok(data) = frame.into_data() {
            // The file may have grown: what is new is not needed, and ends with a whole line.
            let left = usize::try_from(bytes - file.len()).unwrap_or(usize::MAX);
            file.push(&data[..data.len().min(left)])?;
            progress.set_position(file.len());
        }
    }
    Ok(())
}

fn write_signature(path: &Path, signed: &SignedDownload) -> anyhow::Result<()> {
    let text = serde_json::to_string(signed)? + "\n";
    Ok(fs::write(records::signature_path(path), text)?)
}

fn progress_bar(output: Output) -> ProgressBar {
    let bar = ProgressBar::hidden();
    if !output.json {
        let template = "{bar:30} {bytes}/{total_bytes} {bytes_per_sec} {eta}";
        bar.set_style(ProgressStyle::with_template(template).expect("the template is well formed"));
        // Drawn on stderr, and only if that is a terminal.
        bar.set_draw_target(ProgressDrawTarget::stderr());
    }
    bar
}

fn print_list(list: &DownloadList, output: Output) -> CommandResult {
    if list.files.is_empty() && !output.json {
        output.line("There are no finished games to download yet.")?;
    } else {
        output.list(&list.files, "", ["MONTH", "GAME", "GAMES", "BYTES", "STATE"], row)?;
    }
    Ok(ExitStatus::Success)
}

fn row(file: &DownloadFile) -> [String; 5] {
    let rules = file.rules.as_deref().unwrap_or("all");
    let state = if file.complete { "complete" } else { "growing" };
    let (games, bytes) = (file.games.to_string(), file.bytes.to_string());
    [file.month.clone(), rules.to_owned(), games, bytes, state.to_owned()]
}

/// The longest that a connection and the head of an answer may take.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);

/// The largest answer that is not a file.
const JSON_BYTES_MAX: usize = 16 * 1024 * 1024;

struct HttpServer {
    address: Address,
    network: Network,
}

impl HttpServer {
    /// Names the server. Nothing is sent yet.
    fn new(address: Address, extra_ca: Option<&Path>) -> anyhow::Result<Self> {
        let network = Network::new(address.clone(), extra_ca)?;
        Ok(Self { address, network })
    }

    /// Asks for the bytes of a path from an offset on, and returns the answer once its head is
    /// there.
    #[expect(clippy::disallowed_methods, reason = "the task ends with the body of the answer")]
    async fn get(&self, path: &str, from: u64) -> anyhow::Result<Response<Incoming>> {
        let asking = async {
            let stream = self.network.dial().await.map_err(|error| self.unreachable(&error))?;
            let (mut sender, connection) = http1::handshake(TokioIo::new(stream))
                .await
                .map_err(|error| self.unreachable(&error))?;
            tokio::spawn(connection);
            let url = self.address.page_url("");
            let host = url.split_once("://").map_or(url.as_str(), |(_, host)| host);
            let mut request = Request::get(path).header(header::HOST, host);
            if from > 0 {
                request = request.header(header::RANGE, format!("bytes={from}-"));
            }
            let request = request.body(Empty::<Bytes>::new()).context("no such path")?;
            Ok(sender.send_request(request).await.map_err(|error| self.unreachable(&error))?)
        };
        let address = Box::new(self.address.clone());
        timeout(ANSWER_TIMEOUT, asking)
            .await
            .unwrap_or_else(|_| Err(ConnectError::TimedOut { address }.into()))
    }

    async fn json<T: serde::de::DeserializeOwned>(&self, path: &str) -> anyhow::Result<T> {
        let answer = self.get(path, 0).await?;
        if answer.status() != StatusCode::OK {
            return Err(refusal(answer).await);
        }
        let body = body(answer).await?;
        serde_json::from_slice(&body).context("the server's answer cannot be read")
    }

    /// The connection ended or fell silent before the answer was complete.
    fn silent(&self) -> ConnectError {
        ConnectError::TimedOut { address: Box::new(self.address.clone()) }
    }

    fn unreachable(&self, error: &dyn std::error::Error) -> ConnectError {
        let why = error.to_string().into();
        ConnectError::Unreachable { address: Box::new(self.address.clone()), why }
    }
}

/// Returns the server's error from an answer that is none.
async fn refusal(answer: Response<Incoming>) -> anyhow::Error {
    let status = answer.status();
    let body = body(answer).await.unwrap_or_default();
    match ToClient::from_bytes(&body) {
        Ok(Some(ToClient::Error(failed))) => RequestError::Refused(Box::new(failed)).into(),
        _ => anyhow::anyhow!("the server answers with status {status}"),
    }
}

async fn body(answer: Response<Incoming>) -> anyhow::Result<Bytes> {
    let body = Limited::new(answer.into_body(), JSON_BYTES_MAX).collect();
    match timeout(ANSWER_TIMEOUT, body).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) => Err(anyhow::anyhow!("the connection broke: {error}")),
        Err(_) => anyhow::bail!("the server did not answer in time"),
    }
}

/// The file, and what has been verified of it.
struct PartialFile {
    file: File,
    at: DownloadChain,
    /// The bytes behind them.
    line: Vec<u8>,
}

impl PartialFile {
    /// Opens a file or creates it, and verifies the lines that it has. Half of a line at its end
    /// is cut off, if it begins like one of a download: any other file stays as it is.
    fn open(path: &Path, progress: &ProgressBar) -> anyhow::Result<Self> {
        let shown = path.display();
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let file = options.open(path).with_context(|| format!("{shown} cannot be written"))?;
        progress.set_length(file.metadata()?.len());
        let mut found = Self { file, at: DownloadChain::default(), line: Vec::new() };
        let other = || format!("{shown} is not a download that could be resumed; move it away");
        let mut source = BufReader::new(found.file.try_clone()?);
        loop {
            found.line.clear();
            let mut line = source.by_ref().take(DOWNLOAD_LINE_BYTES_MAX);
            line.read_until(b'\n', &mut found.line)?;
            if found.line.pop_if(|last| *last == b'\n').is_none() {
                break;
            }
            found.finish_line().with_context(other)?;
            progress.set_position(found.at.bytes);
        }
        anyhow::ensure!(records::may_begin_line(&found.line), other());
        found.line.clear();
        found.file.set_len(found.at.bytes)?;
        found.file.seek(SeekFrom::End(0))?;
        Ok(found)
    }

    /// Returns the number of bytes.
    const fn len(&self) -> u64 {
        self.at.bytes + self.line.len() as u64
    }

    const fn lines(&self) -> &DownloadChain {
        &self.at
    }

    fn push(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        self.file.write_all(bytes)?;
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
            self.line.extend_from_slice(&rest[..end]);
            self.finish_line().context("the server sent a game that is not valid")?;
            rest = &rest[end + 1..];
        }
        anyhow::ensure!(
            (self.line.len() + rest.len()) as u64 <= DOWNLOAD_LINE_BYTES_MAX,
            "the server sent a line that is longer than any game"
        );
        self.line.extend_from_slice(rest);
        Ok(())
    }

    /// Makes what is there durable.
    fn finish(&self) -> anyhow::Result<()> {
        anyhow::ensure!(self.line.is_empty(), "the download ends within a line");
        Ok(self.file.sync_all()?)
    }

    fn finish_line(&mut self) -> anyhow::Result<()> {
        let number = self.at.games + 1;
        records::push_line(&mut self.at, &self.line).with_context(|| format!("line {number}"))?;
        self.line.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_months_are_months() {
        assert_eq!(month("2026-11").as_deref(), Ok("2026-11"));
        for bad in ["2026-13", "2026", "2026-11-01", "26-11", "2026/11", "../secret"] {
            assert!(month(bad).is_err(), "{bad}");
        }
    }
}
