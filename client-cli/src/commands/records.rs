//! Exports and verifies records of games.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use adamant_protocol::{GameId, ToClient, from_client, to_client::SignedHead};
use adamant_record::Verifier;
use adamant_rules::record;
use anyhow::Context as _;
use clap::{Args, ValueEnum};

use crate::{
    args::Global,
    failure::{ExitStatus, UsageError, unexpected_reply},
    local::{self, verify::VerifyArgs},
    output::Output,
    session::{ActAs, Session},
    transcript::Transcript,
};

/// The format of an exported game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// Text record: a challenge line, then one move per line.
    Text,
    /// Journal record: every event with its hash chain, and the server's signature.
    Journal,
}

/// Arguments of `export`.
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
pub(super) async fn export(
    global: &Global,
    args: &ExportArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let mut session = Session::open(global, ActAs::UserOrAnonymous, output).await?;
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
            output.message(format_args!("{} is written to {}.", args.game, path.display()));
        }
        None => output.line(text.trim_end_matches('\n'))?,
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
    let reply = session.client.request(sign).await?;
    if let ToClient::Signature(signed) = reply {
        Ok(signed)
    } else {
        Err(unexpected_reply(&reply).into())
    }
}

/// Verifies an exported record. It asks a server only for its keys.
pub(super) async fn verify(
    global: &Global,
    args: &VerifyArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let keys = match args.key {
        Some(key) => Some(vec![key]),
        None if global.server.is_some() => {
            let session = Session::open(global, ActAs::Anonymous, output).await?;
            let keys = session.welcome.keys.clone();
            session.close().await;
            Some(keys)
        }
        None => None,
    };
    local::verify(args, keys.as_deref(), output)
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
