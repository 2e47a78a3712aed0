//! Lists and downloads files of finished games.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use adamant_client::ConnectError;
use adamant_protocol::{
    downloads::{DownloadFile, DownloadList, SignedDownload},
    ids::PublicKey,
};
use http_body_util::BodyExt as _;
use hyper::StatusCode;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Deserialize;
use serde_json::json;
use tokio::time::{sleep, timeout};

use super::{
    http::{HttpServer, refusal},
    partial_file::PartialFile,
};
use crate::{
    args::{DownloadArgs, Global},
    columns::format_table,
    exit::ExitStatus,
    failure::RefusedError,
    local,
    output::Output,
    session,
};

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
pub(in crate::commands) async fn download(
    global: &Global,
    args: &DownloadArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
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
    local::check_signature(&signed, file.lines(), Some(&keys))
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
    Ok(fs::write(local::signature_path(path), text)?)
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

fn print_list(list: &DownloadList, output: Output) -> anyhow::Result<ExitStatus> {
    if output.json {
        for file in &list.files {
            output.entry(file)?;
        }
        return Ok(ExitStatus::Success);
    }
    if list.files.is_empty() {
        output.line("There are no finished games to download yet.")?;
        return Ok(ExitStatus::Success);
    }
    let rows: Vec<_> = list.files.iter().map(row).collect();
    output.line(format_table(["MONTH", "GAME", "GAMES", "BYTES", "STATE"], &rows))?;
    Ok(ExitStatus::Success)
}

fn row(file: &DownloadFile) -> [String; 5] {
    let rules = file.rules.as_deref().unwrap_or("all");
    let state = if file.complete { "complete" } else { "growing" };
    let (games, bytes) = (file.games.to_string(), file.bytes.to_string());
    [file.month.clone(), rules.to_owned(), games, bytes, state.to_owned()]
}
