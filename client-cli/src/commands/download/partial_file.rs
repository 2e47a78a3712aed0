//! A file that is being downloaded: what is there is verified, what comes is verified and added.

use std::{
    fs::{File, OpenOptions},
    io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _},
    path::Path,
};

use adamant_record::DownloadChain;
use anyhow::Context as _;
use indicatif::ProgressBar;

use crate::local::{self, DOWNLOAD_LINE_BYTES_MAX};

/// The file, and what has been verified of it.
pub(super) struct PartialFile {
    file: File,
    /// The whole lines.
    at: DownloadChain,
    /// The bytes behind them.
    line: Vec<u8>,
}

impl PartialFile {
    /// Opens a file or creates it, and verifies the lines that it has. Half of a line at its end
    /// is cut off, if it begins like one of a download: any other file stays as it is.
    pub(super) fn open(path: &Path, progress: &ProgressBar) -> anyhow::Result<Self> {
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
        anyhow::ensure!(local::may_begin_line(&found.line), other());
        found.line.clear();
        found.file.set_len(found.at.bytes)?;
        found.file.seek(SeekFrom::End(0))?;
        Ok(found)
    }

    /// Returns the number of bytes.
    pub(super) const fn len(&self) -> u64 {
        self.at.bytes + self.line.len() as u64
    }

    /// Returns the whole lines.
    pub(super) const fn lines(&self) -> &DownloadChain {
        &self.at
    }

    /// Adds bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
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
    pub(super) fn finish(&self) -> anyhow::Result<()> {
        anyhow::ensure!(self.line.is_empty(), "the download ends within a line");
        Ok(self.file.sync_all()?)
    }

    fn finish_line(&mut self) -> anyhow::Result<()> {
        let number = self.at.games + 1;
        local::push_line(&mut self.at, &self.line).with_context(|| format!("line {number}"))?;
        self.line.clear();
        Ok(())
    }
}
