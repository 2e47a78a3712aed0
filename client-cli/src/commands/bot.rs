//! Runs a bot: it accepts challenges, opens seeks and plays. The bot crate chooses the moves.

use std::{collections::HashMap, time::Duration};

use adamant_bot::{Level, choose_after};
use adamant_client::{Incoming, RequestError};
use adamant_protocol::{
    ErrorCode, EventFrame, GameId, Retry,
    event::EventBody,
    from_client::{Accept, Allow, Decline, DeclineReason, Move, Resign, SeatWish, Watch},
    to_client::{Challenged, Done, Failed},
};
use adamant_record::{Replay, wire};
use adamant_rules::{Kind, table::Outcome};
use anyhow::Context as _;
use serde_json::json;

use super::seek::SeekTerms;
use crate::{
    args::{BotArgs, Global},
    exit::ExitStatus,
    failure::UsageError,
    messages::Names,
    output::Output,
    proposal::Proposal,
    session::{ActAs, Session},
};

/// How long to wait before a retry if the server names no time.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Runs a bot until it has played its number of games.
pub(super) async fn bot(
    global: &Global,
    args: &BotArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    if !args.accept_any && args.seek.is_none() {
        let how = "a bot needs opponents: give --accept-any, --seek GAME or both";
        return Err(UsageError(how.to_owned()).into());
    }
    let terms = seek_terms(args)?;
    let who = match &args.guest {
        Some(name) => ActAs::Guest(name.clone()),
        None => ActAs::User,
    };
    let session = Session::open_persistent(global, who, output).await?;
    let mut bot = Bot {
        level: args.level,
        accept_any: args.accept_any,
        terms,
        games_max: args.games,
        seeking: false,
        games: HashMap::new(),
        finished: 0,
        session,
    };
    while !bot.is_done() {
        bot.seek_if_idle().await?;
        let incoming = bot.session.next().await?;
        bot.handle(incoming).await?;
    }
    bot.session.close().await;
    Ok(ExitStatus::Success)
}

fn seek_terms(args: &BotArgs) -> Result<Option<SeekTerms>, UsageError> {
    let Some(game) = &args.seek else { return Ok(None) };
    let proposal = Proposal::read(game, &args.setup)?;
    proposal.check(args.players.into())?;
    Ok(Some(SeekTerms {
        proposal,
        players: args.players,
        seat: SeatWish::Random,
        rated: false,
        allow: Allow::default(),
        rating: None,
        lasting: false,
    }))
}

struct Bot {
    session: Session,
    level: Level,
    accept_any: bool,
    terms: Option<SeekTerms>,
    games_max: Option<u32>,
    /// Whether a seek is open.
    seeking: bool,
    games: HashMap<GameId, Game>,
    /// Number of games that ended with a result.
    finished: u32,
}

/// A game being played.
#[derive(Default)]
struct Game {
    replay: Replay,
    /// The turn to move in, if it is the bot's.
    due: Option<u32>,
}

impl Bot {
    fn is_done(&self) -> bool {
        self.games_max.is_some_and(|most| self.finished >= most)
    }

    fn may_begin(&self) -> bool {
        let begun = self.finished + u32::try_from(self.games.len()).unwrap_or(u32::MAX);
        self.games_max.is_none_or(|most| begun < most)
    }

    /// Opens a seek if the bot has no game and no open seek.
    async fn seek_if_idle(&mut self) -> anyhow::Result<()> {
        if let Some(terms) = &self.terms
            && !self.seeking
            && self.games.is_empty()
            && self.may_begin()
        {
            with_retries(async || terms.seek(&self.session).await).await?;
            self.seeking = true;
        }
        Ok(())
    }

    async fn handle(&mut self, incoming: Incoming) -> anyhow::Result<()> {
        match incoming {
            Incoming::Event { frame, bytes } => self.event(&frame, &bytes).await,
            // The bot joins a live game: it needs the events from the start.
            Incoming::Snapshot(snapshot) if snapshot.result.is_none() => {
                let game = snapshot.game;
                let due = self.games.remove(&game).and_then(|game| game.due);
                self.games.insert(game.clone(), Game { replay: Replay::new(), due });
                self.session
                    .client
                    .request(|id| Watch { id, game, from: Some(1), named: None })
                    .await?;
                Ok(())
            }
            Incoming::YourTurn(turn) => {
                self.games.entry(turn.game.clone()).or_default().due = Some(turn.turn);
                self.play(&turn.game).await
            }
            Incoming::Challenged(challenged) => self.answer(&challenged).await,
            Incoming::Connected(_) => {
                // A seek ends with its session. The server sends open challenges again.
                self.seeking = false;
                Ok(())
            }
            Incoming::Snapshot(_)
            | Incoming::Presence(_)
            | Incoming::ChallengeClosed(_)
            | Incoming::Invite(_)
            | Incoming::Lobby(_)
            | Incoming::Featured(_)
            | Incoming::Live(_)
            | Incoming::Said(_)
            | Incoming::Unsaid(_)
            | Incoming::Notice(_)
            | Incoming::ServerError(_)
            | Incoming::Disconnected { .. } => Ok(()),
        }
    }

    /// Accepts or declines a challenge.
    async fn answer(&self, challenged: &Challenged) -> anyhow::Result<()> {
        let me = self.session.me().context("the server does not say who you are")?;
        if challenged.accepted.iter().any(|name| name.is_same(me.as_str())) {
            return Ok(());
        }
        let reason = if !self.accept_any {
            Some(DeclineReason::Generic)
        } else if Kind::from_name(&challenged.rules.name).is_none() {
            Some(DeclineReason::Game)
        } else if !self.may_begin() {
            Some(DeclineReason::Busy)
        } else {
            None
        };
        let challenge = challenged.challenge.clone();
        let client = &self.session.client;
        let answered = with_retries(async || {
            let challenge = challenge.clone();
            if let Some(reason) = reason {
                client.done(|id| Decline { id, challenge, reason }).await
            } else {
                let (seek, invite) = (None, None);
                client.done(|id| Accept { id, seek, challenge: Some(challenge), invite }).await
            }
        })
        .await;
        match answered {
            // The challenge was cancelled or answered before, or the connection was lost and the
            // server sends it again after the reconnect.
            Ok(_) | Err(RequestError::Refused(_) | RequestError::ConnectionLost) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    async fn event(&mut self, frame: &EventFrame, bytes: &[u8]) -> anyhow::Result<()> {
        let game = &frame.game;
        if matches!(frame.body, EventBody::Created(_)) {
            self.seeking = false;
            self.games.entry(game.clone()).or_default();
        }
        let Some(state) = self.games.get_mut(game) else { return Ok(()) };
        if frame.seq != state.replay.seq() + 1 {
            // Sent before the request for all events, which repeats it.
            return Ok(());
        }
        state.replay.push(bytes).with_context(|| format!("game {game} cannot be followed"))?;
        let table = state.replay.table().context("a record begins with a table")?;
        let Some(outcome) = table.outcome() else { return self.play(game).await };
        let output = self.session.output;
        if output.json {
            output.line(json!({"game": game, "result": wire::result(outcome)}))?;
        } else {
            let names = Names::new(table.players(), table.position());
            output.line(format_args!("{game}: {}", names.outcome(outcome)))?;
        }
        if matches!(outcome, Outcome::Ended { .. }) {
            self.finished += 1;
        }
        self.games.remove(game);
        Ok(())
    }

    /// Makes a move if it is the bot's turn and all earlier events have arrived.
    async fn play(&mut self, game: &GameId) -> anyhow::Result<()> {
        let Some(state) = self.games.get_mut(game) else { return Ok(()) };
        let (Some(turn), Some(table)) = (state.due, state.replay.table()) else { return Ok(()) };
        if table.turn() != turn || table.to_move().is_none() {
            return Ok(());
        }
        state.due = None;
        let (position, level) = (table.position().clone(), self.level);
        let seen = table.positions_seen().to_vec();
        // The search must not block the connection.
        let thought = tokio::task::spawn_blocking(move || {
            choose_after(&seen, &position, level, &mut rand::rng())
        });
        let play = thought.await?.context("the server asks for a move, but none is legal")?;
        self.send(game, turn, &play.to_string()).await
    }

    async fn send(&self, game: &GameId, turn: u32, notation: &str) -> anyhow::Result<()> {
        let client = &self.session.client;
        loop {
            let play = |id| Move { id, game: game.clone(), turn, notation: notation.into() };
            let failed = match client.done(play).await {
                Ok(_) => return Ok(()),
                Err(RequestError::Refused(failed)) => failed,
                Err(error) => return Err(error.into()),
            };
            match (failed.code, failed.retry) {
                // Rules differ between client and server; the opponent should not have to wait.
                (ErrorCode::IllegalMove, _) => {
                    self.session
                        .output
                        .message(format_args!("{game}: {notation}: {}", failed.message));
                    client.done(|id| Resign { id, game: game.clone() }).await?;
                    return Ok(());
                }
                (_, Retry::After | Retry::Same) => tokio::time::sleep(wait(&failed)).await,
                // The turn is over; the server announces the next one.
                (_, Retry::Resync | Retry::Never) => return Ok(()),
            }
        }
    }
}

/// Repeats a request after the wait that the server names, as long as it is rate limited.
async fn with_retries(
    ask: impl AsyncFn() -> Result<Done, RequestError>,
) -> Result<Done, RequestError> {
    loop {
        match ask().await {
            Err(RequestError::Refused(failed)) if failed.retry == Retry::After => {
                tokio::time::sleep(wait(&failed)).await;
            }
            answered => return answered,
        }
    }
}

fn wait(failed: &Failed) -> Duration {
    failed.retry_after_ms.map_or(RETRY_AFTER, Duration::from_millis)
}
