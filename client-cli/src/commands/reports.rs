//! Reports to the operators, and what operators have told the user.

use std::time::Duration;

use adamant_client::Incoming;
use adamant_protocol::{
    GameId, UserName,
    from_client::{NoticeSeen, Ping, Report, ReportReason},
    to_client::Notice,
};
use clap::{Args, ValueEnum};
use tokio::time::timeout;

use crate::{
    credentials::reject_token,
    failure::CommandResult,
    messages,
    session::{ActAs, Session, ask},
    settings::Global,
    spelling::read_dashed_word,
};

#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// The user; without one, the game as a whole is reported
    #[arg(long, value_name = "USER", required_unless_present = "game")]
    pub(crate) user: Option<UserName>,
    /// The game in which it happened; the operators see its last lines of talk
    #[arg(long, value_name = "GAME")]
    pub(crate) game: Option<GameId>,
    /// What it is about
    #[arg(long)]
    pub(crate) reason: ReasonArg,
    /// What has happened; quotes are not needed
    #[arg(required = true, value_name = "TEXT", value_parser = read_dashed_word)]
    pub(crate) words: Vec<String>,
}

/// What a report is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReasonArg {
    /// A player gets help, or loses on purpose.
    Cheating,
    /// Insults or threats.
    Abuse,
    /// Advertisement, or talk that floods a game.
    Spam,
    /// A player lets the opponent wait instead of losing.
    Stalling,
    /// A name that offends, or that is somebody else's.
    Name,
    /// Anything else.
    Other,
}

impl From<ReasonArg> for ReportReason {
    fn from(word: ReasonArg) -> Self {
        match word {
            ReasonArg::Cheating => Self::Cheating,
            ReasonArg::Abuse => Self::Abuse,
            ReasonArg::Spam => Self::Spam,
            ReasonArg::Stalling => Self::Stalling,
            ReasonArg::Name => Self::Name,
            ReasonArg::Other => Self::Other,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct NoticesArgs {
    /// They are read: do not show them again
    #[arg(long)]
    pub(crate) seen: bool,
}

/// Reports a user or a game.
pub(super) async fn report(global: &Global, args: &ReportArgs) -> CommandResult {
    let text = args.words.join(" ");
    reject_token(&text)?;
    let session = Session::open(global, ActAs::User).await?;
    let (user, game) = (args.user.clone(), args.game.clone());
    let (reason, text) = (args.reason.into(), text.into());
    let done = session.client.done(|id| Report { id, reason, text, user, game }).await?;
    let number = done.report.unwrap_or_default();
    let what = format_args!("Sent as report {number}. You will hear what the operators did.");
    global.output.done(done, what)?;
    session.end().await
}

/// Prints what operators have told the user and the user has not read yet.
pub(super) async fn notices(global: &Global, args: &NoticesArgs) -> CommandResult {
    let output = global.output;
    let mut session = Session::open(global, ActAs::User).await?;
    let notices = waiting(&mut session).await?;
    for notice in &notices {
        if output.json {
            output.entry(notice)?;
        } else {
            output.line(messages::notice(notice))?;
        }
    }
    match notices.last().and_then(|notice| notice.n) {
        None => output.message("There is nothing to read."),
        Some(n) if args.seen => {
            session.client.done(|id| NoticeSeen { id, n }).await?;
        }
        Some(_) => output.message("Read? adamant notices --seen"),
    }
    session.end().await
}

/// The notices of the session's `hello`: all have come before the answer to another request.
async fn waiting(session: &mut Session) -> anyhow::Result<Vec<Notice>> {
    let _pong = ask!(session, Pong, |id| Ping { id, t0: None });
    let mut notices = Vec::new();
    while let Ok(Some(incoming)) = timeout(Duration::ZERO, session.inbox.next()).await {
        notices.extend(match incoming {
            Incoming::Notice(notice) if notice.n.is_some() => Some(notice),
            _ => None,
        });
    }
    Ok(notices)
}
