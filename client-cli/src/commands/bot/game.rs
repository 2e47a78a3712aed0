//! One game of a bot, and who chooses its moves.

use std::{future::Future, sync::Arc, time::Duration};

use adamant_client::{Client, RequestError};
use adamant_engine::{
    choice::{Level, choose_after},
    protocol::{
        Choice, EngineCommand, Log, Player, PlayerSettings, Request, Resort, messages::Limits,
    },
};
use adamant_protocol::{
    ErrorCode, GameId, OfferId, RequestId, Retry, UserName,
    event::OfferKind as WireOffer,
    from_client::{Answer, Move, Offer, Resign, Watch},
    to_client::{Done, Failed},
};
use adamant_record::Replay;
use adamant_rules::{Seat, Table, TimeControl, event::OfferKind, table::Outcome};
use anyhow::Context as _;
use bytes::Bytes;
use clap::{Args, ValueEnum};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, mpsc},
    time::Instant,
};

use crate::{output::Output, spelling::read_ms};

/// Messages that may wait for a game's task. It takes them while it thinks.
pub(super) const MESSAGES_MAX: usize = 256;

/// What the connection has for a game.
#[derive(Debug)]
pub(super) enum GameMessage {
    /// The record must be read from its beginning.
    Restart,
    Event {
        seq: u64,
        /// The bytes that the chain seals.
        bytes: Bytes,
    },
    /// The bot is to move.
    Turn {
        turn: u32,
        /// When the server must have the move.
        deadline: Option<Instant>,
    },
}

/// What every game of a bot needs.
#[derive(Debug, Clone)]
pub(super) struct Context {
    pub(super) client: Client,
    pub(super) me: UserName,
    /// How it chooses moves.
    pub(super) mind: MindSettings,
    /// Whether it agrees to takebacks in games that are not rated.
    pub(super) takebacks: bool,
    /// A place for the engine of each game at once. A server may begin further games.
    pub(super) engines: Arc<Semaphore>,
    /// Where results are shown.
    pub(super) output: Output,
}

/// A game that is over, with its record.
#[derive(Debug)]
pub(super) struct Over {
    pub(super) game: GameId,
    pub(super) table: Table,
}

impl Over {
    /// How the game ended.
    pub(super) fn outcome(&self) -> Option<&Outcome> {
        self.table.outcome()
    }
}

/// Plays a game to its end. Returns `None` if the connection ends before.
pub(super) async fn play(
    context: Context,
    game: GameId,
    inbox: mpsc::Receiver<GameMessage>,
) -> anyhow::Result<Option<Over>> {
    let follower =
        Follower { game, inbox, replay: Replay::new(), due: None, moved: None, restart: false };
    let mut playing = Playing { context, follower, answered: None, expected: None };
    let mut mind = None;
    let over = playing.run(&mut mind).await?;
    if let Some((mind, _place)) = mind {
        mind.quit().await;
    }
    Ok(over)
}

/// The record of a game as far as it has arrived.
struct Follower {
    game: GameId,
    inbox: mpsc::Receiver<GameMessage>,
    replay: Replay,
    /// The turn to move in, with its deadline, if it is the bot's.
    due: Option<(u32, Option<Instant>)>,
    /// The last turn whose move the server has acknowledged.
    moved: Option<u32>,
    /// Whether the record must be requested.
    restart: bool,
}

/// Why a future was dropped.
enum Interrupted {
    /// The position has changed, or the turn is over.
    Changed,
    /// There will be no more messages.
    Closed,
}

impl Follower {
    /// Waits for a message and applies it. Returns whether it changes what is to be done.
    async fn next(&mut self) -> anyhow::Result<Result<bool, Interrupted>> {
        let Some(message) = self.inbox.recv().await else { return Ok(Err(Interrupted::Closed)) };
        Ok(Ok(match message {
            GameMessage::Restart => {
                self.replay = Replay::new();
                self.restart = true;
                true
            }
            GameMessage::Event { seq, bytes } => {
                // An event before the request for all events, which repeats it, is passed over.
                let is_next = seq == self.replay.seq() + 1;
                if is_next {
                    let followed = self.replay.follow(&bytes);
                    followed.with_context(|| format!("game {} cannot be followed", self.game))?;
                }
                is_next
            }
            GameMessage::Turn { turn, deadline } => {
                // A turn that was answered may be announced again: its event is under way.
                let is_open = self.moved.is_none_or(|moved| moved < turn);
                let is_new = is_open && self.due.is_none_or(|(known, _)| known != turn);
                if is_open {
                    self.due = Some((turn, deadline));
                }
                is_new
            }
        }))
    }

    /// Returns the deadline of the bot's turn, if it is its turn and all earlier events are there.
    fn turn(&self) -> Option<(u32, Option<Instant>)> {
        let table = self.replay.table()?;
        self.due.filter(|(turn, _)| *turn == table.turn() && table.to_move().is_some())
    }

    /// Runs a future while messages arrive, up to one that changes what is to be done. A `turn`
    /// lasts through all messages that do not end it.
    async fn during<T>(
        &mut self,
        turn: Option<u32>,
        future: impl Future<Output = T>,
    ) -> anyhow::Result<Result<T, Interrupted>> {
        tokio::pin!(future);
        loop {
            tokio::select! {
                biased;
                message = self.next() => {
                    let is_change = match message? {
                        Ok(is_change) => is_change,
                        Err(closed) => return Ok(Err(closed)),
                    };
                    let lasts = turn.is_some() && turn == self.turn().map(|(turn, _)| turn);
                    if is_change && !lasts {
                        return Ok(Err(Interrupted::Changed));
                    }
                }
                output = &mut future => return Ok(Ok(output)),
            }
        }
    }
}

/// The place of an engine, which ends with its game.
type Place = Option<OwnedSemaphorePermit>;

struct Playing {
    context: Context,
    follower: Follower,
    /// The last offer that was considered.
    answered: Option<u32>,
    /// The answer that the engine expects.
    expected: Option<String>,
}

impl Playing {
    async fn run(&mut self, mind: &mut Option<(Mind, Place)>) -> anyhow::Result<Option<Over>> {
        loop {
            if self.follower.restart && !self.restart().await? {
                // The next message comes with the next connection.
                if let Err(Interrupted::Closed) = self.follower.next().await? {
                    return Ok(None);
                }
                continue;
            }
            let table = self.follower.replay.table().cloned();
            let Some((table, seat)) = table.and_then(|table| {
                let seat = table.seat_of(self.context.me.as_str())?;
                Some((table, seat))
            }) else {
                if let Err(Interrupted::Closed) = self.follower.next().await? {
                    return Ok(None);
                }
                continue;
            };
            if table.outcome().is_some() {
                return Ok(Some(Over { game: self.follower.game.clone(), table }));
            }
            let stepped = match mind {
                Some((mind, _)) => self.step(mind, &table, seat).await?,
                None => match self.place().await? {
                    Ok(place) => {
                        *mind = Some((self.sit_down(&table, seat), place));
                        Ok(())
                    }
                    Err(interrupted) => Err(interrupted),
                },
            };
            if let Err(Interrupted::Closed) = stepped {
                return Ok(None);
            }
        }
    }

    /// Requests the record from its beginning. Returns `false` if the connection was lost.
    async fn restart(&mut self) -> anyhow::Result<bool> {
        loop {
            let game = self.follower.game.clone();
            let watch = |id| Watch { id, game, from: Some(1), named: None };
            match self.context.client.request(watch).await {
                Ok(_) => {
                    self.follower.restart = false;
                    return Ok(true);
                }
                Err(RequestError::ConnectionLost) => return Ok(false),
                Err(RequestError::Refused(failed)) if failed.retry == Retry::After => {
                    tokio::time::sleep(wait(&failed)).await;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Waits for a place for an engine. Another choice of moves needs none.
    async fn place(&mut self) -> anyhow::Result<Result<Place, Interrupted>> {
        let MindSettings::Engine(_) = self.context.mind else { return Ok(Ok(None)) };
        let place = Arc::clone(&self.context.engines).acquire_owned();
        // The places stay as long as the bot.
        Ok(self.follower.during(None, place).await?.map(Result::ok))
    }

    fn sit_down(&self, table: &Table, seat: Seat) -> Mind {
        let (output, game) = (self.context.output, self.follower.game.clone());
        let log = Arc::new(move |line: &str| output.message(format_args!("{game}: {line}")));
        Mind::new(&self.context.mind, table, seat, log)
    }

    /// Does the next thing that is to be done, or waits.
    async fn step(
        &mut self,
        mind: &mut Mind,
        table: &Table,
        seat: Seat,
    ) -> anyhow::Result<Result<(), Interrupted>> {
        if let Some((offer, what)) = self.offer_to_answer(table, seat) {
            self.answered = Some(offer.0);
            let accept = match what {
                OfferKind::Draw => {
                    match self.follower.during(None, mind.accepts_draw(table)).await? {
                        Ok(accepts) => accepts,
                        Err(interrupted) => return Ok(Err(interrupted)),
                    }
                }
                OfferKind::Takeback => self.context.takebacks && !table.setup().rated,
                OfferKind::Abort | OfferKind::Substitute => false,
            };
            if accept {
                self.accept(offer).await?;
            }
            return Ok(Ok(()));
        }
        if let Some((turn, deadline)) = self.follower.turn() {
            self.expected = None;
            let choice =
                match self.follower.during(Some(turn), mind.choose(table, deadline)).await? {
                    Ok(choice) => choice?,
                    Err(interrupted) => return Ok(Err(interrupted)),
                };
            self.follower.due = None;
            self.carry_out(turn, choice).await?;
            return Ok(Ok(()));
        }
        if let Some(expected) = self.expected.take_if(|_| table.to_move() != Some(seat))
            && let Some(to_move) = table.to_move()
            && let Ok((_, after)) = table.preview(to_move, table.turn(), &expected, table.last_at())
            && after.to_move() == Some(seat)
            && let Err(interrupted) = self.follower.during(None, mind.ponder(&after)).await?
        {
            return Ok(Err(interrupted));
        }
        self.follower.during(None, mind.idle()).await
    }

    /// Returns an offer of others that has not been considered.
    fn offer_to_answer(&self, table: &Table, seat: Seat) -> Option<(OfferId, OfferKind)> {
        let mut open = table.offers().iter();
        let open =
            open.find(|open| open.needs.contains(seat) && self.answered < Some(open.offer.0))?;
        Some((OfferId(open.offer.0), open.what))
    }

    async fn accept(&self, offer: OfferId) -> anyhow::Result<()> {
        let game = self.follower.game.clone();
        let answer = |id| Answer { id, game, offer, accept: true };
        self.ignore_refusal(self.context.client.done(answer).await.map(|_| ()))
    }

    /// Passes over a refusal: the game has gone on meanwhile.
    fn ignore_refusal(&self, answered: Result<(), RequestError>) -> anyhow::Result<()> {
        match answered {
            Ok(()) => Ok(()),
            Err(RequestError::Refused(failed)) => {
                let game = &self.follower.game;
                self.context.output.message(format_args!("{game}: {}", failed.message));
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn carry_out(&mut self, turn: u32, choice: Choice) -> anyhow::Result<()> {
        match choice {
            Choice::Resign(why) => self.resign(&why).await,
            Choice::Move { notation, ponder, draw } => {
                self.send(turn, &notation).await?;
                self.expected = ponder;
                if draw {
                    let game = self.follower.game.clone();
                    let offer = |id| Offer { id, game, what: WireOffer::Draw };
                    let offered = self.context.client.done(offer).await;
                    self.ignore_refusal(offered.map(|_| ()))?;
                }
                Ok(())
            }
        }
    }

    async fn resign(&self, why: &str) -> anyhow::Result<()> {
        let game = &self.follower.game;
        self.context.output.message(format_args!("{game}: resigning: {why}"));
        let resign = async || {
            let game = game.clone();
            self.context.client.done(|id| Resign { id, game }).await
        };
        self.ignore_refusal(with_retries(resign).await.map(|_| ()))
    }

    async fn send(&mut self, turn: u32, notation: &str) -> anyhow::Result<()> {
        let (game, client) = (self.follower.game.clone(), self.context.client.clone());
        // Under one id the server makes a move once, however often it is sent.
        let id: RequestId = format!("{game}:{turn}").parse().context("the id of a move")?;
        loop {
            let (id, of) = (id.clone(), game.clone());
            let make = |_| Move { id, game: of, turn, notation: notation.into() };
            let failed = match client.done(make).await {
                Ok(_) => {
                    self.follower.moved = Some(turn);
                    if let MindSettings::Engine(_) = self.context.mind {
                        let ply = self.follower.replay.table().map_or(0, Table::ply) + 1;
                        self.context.output.message(format_args!("{game}: {ply}. {notation}"));
                    }
                    return Ok(());
                }
                Err(RequestError::Refused(failed)) => failed,
                Err(error) => return Err(error.into()),
            };
            match (failed.code, failed.retry) {
                // Rules differ between client and server; the opponent should not have to wait.
                (ErrorCode::IllegalMove, _) => {
                    return self.resign(&format!("{notation}: {}", failed.message)).await;
                }
                (_, Retry::After | Retry::Same) => tokio::time::sleep(wait(&failed)).await,
                // The turn is over; the server announces the next one.
                (_, Retry::Resync | Retry::Never | Retry::Unknown(_)) => return Ok(()),
            }
        }
    }
}

/// How long to wait before a retry if the server names no time.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Repeats a request after the wait that the server names, as long as it is rate limited.
pub(super) async fn with_retries(
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

/// Returns how long to wait before a retry.
pub(super) fn wait(failed: &Failed) -> Duration {
    failed.retry_after_ms.map_or(RETRY_AFTER, Duration::from_millis)
}

/// How a bot runs an engine.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Engine")]
pub(crate) struct EngineRunArgs {
    /// Let this program choose the moves; docs/ENGINES.md describes how it is spoken to
    #[arg(long, value_name = "COMMAND", conflicts_with = "level")]
    pub(crate) engine: Option<String>,
    /// Set an option of the engine
    #[arg(long, value_name = "NAME=VALUE", value_parser = read_setting)]
    pub(crate) engine_option: Vec<(String, String)>,
    /// Let it look at N positions for a move
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) nodes: Option<u64>,
    /// Let it think at most this long for a move, such as 2s; 5s in games without a running clock
    #[arg(long, value_name = "TIME", value_parser = read_ms)]
    pub(crate) movetime: Option<u64>,
    /// Keep this time of each move for the way to the server
    #[arg(long, value_name = "TIME", default_value = "300ms", value_parser = read_ms)]
    pub(crate) move_overhead: u64,
    /// Start it again up to N times without a move in between, then resign
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) restarts: u32,
    /// What to do if it does not answer in time: play its last plan or any legal move, or resign
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = OnTimeout::Play)]
    pub(crate) on_timeout: OnTimeout,
    /// Let it think while the opponent does, if it can
    #[arg(long)]
    pub(crate) ponder: bool,
}

/// What a bot does if its engine does not answer in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnTimeout {
    /// Play its last plan, or any legal move.
    Play,
    /// Resign the game.
    Resign,
}

fn read_setting(word: &str) -> Result<(String, String), &'static str> {
    let (name, value) = word.split_once('=').ok_or("write NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// The time for a move where no clock runs and no setting names one, in milliseconds.
const UNTIMED_MOVE_MS: u64 = 5_000;

/// How a bot chooses moves.
#[derive(Debug, Clone)]
pub(super) enum MindSettings {
    /// A level of this program.
    Level(Level),
    Engine(EngineSettings),
}

/// How an engine is run in each game.
#[derive(Debug, Clone)]
pub(super) struct EngineSettings {
    player: Arc<PlayerSettings>,
    nodes: Option<u64>,
    movetime_ms: Option<u64>,
    overhead: Duration,
    ponders: bool,
}

impl EngineSettings {
    /// Takes the settings of the command line.
    pub(super) fn new(command: EngineCommand, args: &EngineRunArgs) -> Self {
        let player = Arc::new(PlayerSettings {
            command,
            options: args.engine_option.clone(),
            restarts_max: args.restarts,
            resort: match args.on_timeout {
                OnTimeout::Play => Resort::Play,
                OnTimeout::Resign => Resort::Resign,
            },
        });
        Self {
            player,
            nodes: args.nodes,
            movetime_ms: args.movetime,
            overhead: Duration::from_millis(args.move_overhead),
            ponders: args.ponder,
        }
    }

    /// Returns what bounds a thought in a game.
    fn limits(&self, control: TimeControl) -> Limits {
        let is_timed = !matches!(control, TimeControl::None | TimeControl::Days { .. });
        let default_ms = (!is_timed && self.nodes.is_none()).then_some(UNTIMED_MOVE_MS);
        Limits {
            clock: is_timed,
            movetime_ms: self.movetime_ms.or(default_ms),
            nodes: self.nodes,
            ..Limits::default()
        }
    }
}

/// What chooses the moves of one game.
pub(super) enum Mind {
    /// A level of this program.
    Level(Level),
    Engine(Box<EnginePlayer>),
}

pub(super) struct EnginePlayer {
    player: Player,
    settings: EngineSettings,
}

impl Mind {
    /// Sits down at a table.
    pub(super) fn new(settings: &MindSettings, table: &Table, seat: Seat, log: Log) -> Self {
        match settings {
            MindSettings::Level(level) => Self::Level(*level),
            MindSettings::Engine(settings) => {
                let player = Player::new(Arc::clone(&settings.player), table, seat, log);
                Self::Engine(Box::new(EnginePlayer { player, settings: settings.clone() }))
            }
        }
    }

    /// Chooses a move of the seat to move. `deadline` is when the server must have it.
    pub(super) async fn choose(
        &mut self,
        table: &Table,
        deadline: Option<Instant>,
    ) -> anyhow::Result<Choice> {
        match self {
            Self::Level(level) => {
                let (position, level) = (table.position().clone(), *level);
                let seen = table.positions_seen().to_vec();
                // The search must not block the connection.
                let thought = tokio::task::spawn_blocking(move || {
                    choose_after(&seen, &position, level, &mut rand::rng())
                });
                let without = "the server asks for a move, but none is legal";
                let play = thought.await?.ok_or_else(|| anyhow::anyhow!(without))?;
                Ok(Choice::Move { notation: play.to_string(), ponder: None, draw: false })
            }
            Self::Engine(engine) => {
                let EnginePlayer { player, settings } = engine.as_mut();
                let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
                let limits = settings.limits(table.clock().control());
                let request = Request { limits, left, overhead: settings.overhead };
                Ok(player.choose(table, request).await)
            }
        }
    }

    /// Uses the opponents' time. Never returns.
    pub(super) async fn idle(&mut self) {
        match self {
            Self::Level(_) => std::future::pending().await,
            Self::Engine(engine) => engine.player.idle().await,
        }
    }

    /// Thinks about the position after a move that the mind expects, if it may.
    pub(super) async fn ponder(&mut self, expected: &Table) {
        if let Self::Engine(engine) = self
            && engine.settings.ponders
        {
            let limits = engine.settings.limits(expected.clock().control());
            engine.player.ponder(expected, limits).await;
        }
    }

    pub(super) async fn accepts_draw(&mut self, table: &Table) -> bool {
        match self {
            Self::Level(_) => false,
            Self::Engine(engine) => engine.player.accepts_draw(table).await,
        }
    }

    pub(super) async fn quit(self) {
        if let Self::Engine(engine) = self {
            engine.player.quit().await;
        }
    }
}
