//! Verifies a download line by line: every game, the chain of the lines, and the signature that
//! `adamant download` keeps beside the file.

use std::{
    io::{self, BufRead, Read as _},
    path::{Path, PathBuf},
};

use adamant_protocol::{downloads::SignedDownload, ids::PublicKey};
use adamant_record::{
    DownloadChain, DownloadError,
    download::{is_genuine, verify_line},
};
use anyhow::Context as _;
use serde_json::json;

use crate::{
    args::VerifyArgs,
    exit::ExitStatus,
    output::{Output, to_stderr},
};

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
pub(super) fn is_line_of_download(line: &[u8]) -> bool {
    line.starts_with(LINE_START)
}

/// Whether a line of a download may begin with these bytes.
pub(crate) fn may_begin_line(bytes: &[u8]) -> bool {
    is_line_of_download(bytes) || LINE_START.starts_with(bytes)
}

/// Adds a line without its line break to those that are verified.
pub(crate) fn push(at: &mut DownloadChain, line: &[u8]) -> Result<(), DownloadError> {
    verify_line(line)?;
    at.add_line(line);
    Ok(())
}

/// Adds all lines of a file. Returns what is wrong with the first one that is not valid.
pub(super) fn push_all(
    at: &mut DownloadChain,
    mut source: impl BufRead,
) -> io::Result<Option<String>> {
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
        if let Err(error) = push(at, &line) {
            return Ok(Some(error.to_string()));
        }
    }
}

/// Verifies the signature beside a file of valid games, and prints the outcome.
pub(super) fn verify_signature(
    args: &VerifyArgs,
    at: &DownloadChain,
    keys: Option<&[PublicKey]>,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let signed = read_signature(&args.file).context("the signature cannot be read")?;
    let why = match &signed {
        Some(signed) => check(signed, at, keys).err().map(|fault| fault.to_string()),
        None if args.require_signature || keys.is_some() => {
            let path = signature_path(&args.file);
            Some(format!("it is not signed: there is no {}", path.display()))
        }
        None => None,
    };
    let (games, name) = (at.games, args.file.display());
    if let Some(why) = why {
        if output.json {
            output.line(json!({ "ok": false, "line": games, "why": why }))?;
        }
        to_stderr(format_args!("adamant: {name}: {why}"));
        return Ok(ExitStatus::Failed);
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
    match key {
        Some(key) if keys.is_some() => output.line(format_args!("Signed with key {key}."))?,
        Some(key) => output.line(format_args!(
            "Signed with key {key}. Its owner has not been checked: --key and --server do that."
        ))?,
        None => output.line("The file is not signed: no server confirms that it has all games.")?,
    }
    Ok(ExitStatus::Success)
}

/// Checks a signature of the lines so far. With keys it must be made with one of them.
pub(crate) fn check(
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
    match std::fs::read(signature_path(file)) {
        Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
