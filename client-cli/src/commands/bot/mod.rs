//! Runs a bot: it accepts challenges, opens seeks and plays. Each game is a task of its own.

pub(crate) mod filter;
pub(crate) mod game;

use std::{
    collections::{HashMap, VecDeque},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use adamant_client::{Client, Incoming, RequestError};
use adamant_engine::{
    choice::Level,
    protocol::{Engine, EngineCommand, Introduction, Log},
};
use adamant_protocol::{
    ChallengeId, GameId, SeekId, UserName,
    event::EventBody,
    from_client::{
        Accept, Acceptance, AcceptedGame, BotStatus, Cancel, Challenge, Decline, DeclineReason,
        PaceRange, RatingRange, SeatWish, Unseek, User,
    },
    ids::RulesName,
    to_client::{ChallengeClosed, Challenged, Done, ToClient, Welcome, YourTurn},
    values::SeatUser,
};
use adamant_record::wire;
use adamant_rules::{Kind, table::Outcome};
use anyhow::Context as _;
use clap::Args;
use serde_json::json;
use tokio::{
    sync::{Semaphore, mpsc},
    task::JoinSet,
    time::{Instant, sleep_until},
};

use super::{account::BotCommand, start::SeekTerms};
use crate::{
    failure::{CommandResult, ExitStatus, UsageError},
    messages::Names,
    output::Output,
    proposal::{GameSetupArgs, Proposal},
    session::{ActAs, Session},
    settings::Global,
};

use self::{
    filter::{AcceptanceArgs, Filter},
    game::{
        Context, EngineRunArgs, EngineSettings, GameMessage, MESSAGES_MAX, MindSettings, Over,
        with_retries,
    },
};

/// Runs a bot until it has played its number of games.
pub(crate) async fn bot(global: &Global, args: &BotArgs) -> CommandResult {
    let output = global.output;
    if !args.accept_any && args.seek.is_none() {
        let how = "a bot needs opponents: give --accept-any, --seek GAME or both";
        return Err(UsageError(how.to_owned()).into());
    }
    if args.acceptance.people_places > args.acceptance.games_at_once {
        let how = "--people-places cannot be more than --games-at-once";
        return Err(UsageError(how.to_owned()).into());
    }
    let mut filter = Filter { args: args.acceptance.clone(), engine: None };
    let mut mind = MindSettings::Level(args.level);
    if let Some(line) = &args.run.engine {
        let command = EngineCommand::parse(line).map_err(|error| UsageError(error.to_string()))?;
        filter.engine = Some(introduction(&command, output).await?);
        mind = MindSettings::Engine(EngineSettings::new(command, &args.run));
    }
    let terms = seek_terms(args, &filter)?;
    let who = match &args.guest {
        Some(name) => ActAs::GuestBot(name.clone()),
        None => ActAs::User,
    };
    let session = Session::open_bot(global, who).await?;
    // The program has one thread, on which all games run.
    let bot = async { Bot::new(session, args, filter, mind, terms)?.run().await };
    tokio::task::LocalSet::new().run_until(bot).await?;
    Ok(ExitStatus::Success)
}

/// Starts the engine once, so that a wrong command is an error before a game begins.
async fn introduction(command: &EngineCommand, output: Output) -> anyhow::Result<Introduction> {
    let log: Log = Arc::new(move |line: &str| output.message(line));
    let mut engine = Engine::start(command, &log)?;
    let introduction = engine.ready().await.context("the engine does not introduce itself")?;
    let introduction = introduction.clone();
    let Introduction { name, author, .. } = &introduction;
    let by = if author.is_empty() { String::new() } else { format!(" by {author}") };
    output.message(format_args!("The engine is {name}{by}."));
    engine.quit().await;
    Ok(introduction)
}

fn seek_terms(args: &BotArgs, filter: &Filter) -> Result<Option<SeekTerms>, UsageError> {
    let Some(game) = &args.seek else { return Ok(None) };
    let proposal = Proposal::read(game, &args.setup)?;
    proposal.check(args.players.into())?;
    if !filter.plays(proposal.kind, args.players.into()) {
        let game = proposal.kind.name();
        let why = format!("the bot does not play {game} with {} players", args.players);
        return Err(UsageError(why));
    }
    Ok(Some(SeekTerms {
        proposal,
        players: args.players,
        seat: SeatWish::Random,
        rated: args.rated,
        allow: filter.allow(),
        rating: args.acceptance.rating,
        lasting: false,
    }))
}

#[derive(Debug, Args)]
pub(crate) struct BotArgs {
    /// A command instead of playing.
    #[command(subcommand)]
    pub(crate) command: Option<BotCommand>,
    /// The bot's strength: a level from 1 to 8, random, greedy or search
    #[arg(long, default_value_t = Level::Greedy)]
    pub(crate) level: Level,
    /// Play as a guest with this name
    #[arg(long, value_name = "NAME")]
    pub(crate) guest: Option<UserName>,
    /// Read options from this file
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Accept every challenge that the options below allow
    #[arg(long)]
    pub(crate) accept_any: bool,
    /// Open seeks for this game
    #[arg(long, value_name = "GAME")]
    pub(crate) seek: Option<String>,
    /// Challenge these users to that game, one after the other, instead of opening seeks
    #[arg(long, value_name = "NAME", value_delimiter = ',', requires = "seek")]
    #[arg(conflicts_with = "players")]
    pub(crate) challenge: Vec<UserName>,
    /// The number of players of a seek
    #[arg(long, value_name = "N", default_value_t = 2, requires = "seek")]
    pub(crate) players: u8,
    /// Seek rated games
    #[arg(long, requires = "seek")]
    pub(crate) rated: bool,
    #[command(flatten)]
    pub(crate) setup: GameSetupArgs,
    /// Stop after N games
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) games: Option<u32>,
    #[command(flatten)]
    pub(crate) acceptance: AcceptanceArgs,
    #[command(flatten)]
    pub(crate) run: EngineRunArgs,
}

/// A bot that is connected.
struct Bot {
    session: Session,
    context: Context,
    filter: Filter,
    accept_any: bool,
    terms: Option<SeekTerms>,
    /// The users to challenge, the next one first; none to open seeks.
    opponents: VecDeque<UserName>,
    games_max: Option<u32>,
    places: Places,
    seeking: Seeking,
    listing: Listing,
    games: HashMap<GameId, Slot>,
    /// Challenges that are being answered, or wait for further players; by whether they are against
    /// bots.
    accepting: HashMap<ChallengeId, bool>,
    /// The games, and requests that are under way.
    tasks: JoinSet<anyhow::Result<Report>>,
    /// The server's time at a moment of this machine.
    server_time: (Instant, u64),
    /// Number of games that ended with a result.
    finished: u32,
}

/// A game that is played.
struct Slot {
    messages: mpsc::Sender<GameMessage>,
    /// Whether all opponents are bots.
    against_bots: bool,
}

/// Whether the bot looks for an opponent.
enum Seeking {
    /// It does not, but may after this moment.
    Closed(Instant),
    Asking {
        /// Whether a game has begun since.
        has_begun: bool,
    },
    Open(SeekId),
    /// It has challenged a user, who has not answered.
    Challenging(ChallengeId),
}

/// What a task has done.
enum Report {
    Over(Option<Box<Over>>),
    /// A challenge is answered; it waits for further players, or its game begins, or it is closed.
    Answered {
        challenge: ChallengeId,
        waits: bool,
        game: Option<GameId>,
    },
    Sought(Result<Box<Done>, Duration>),
    Unsought,
    /// The server has answered what the bot says in the directory, or will not.
    Listed,
}

impl Bot {
    /// Prepares a bot with an open session. Its tasks are of the present `LocalSet`.
    fn new(
        session: Session,
        args: &BotArgs,
        filter: Filter,
        mind: MindSettings,
        terms: Option<SeekTerms>,
    ) -> anyhow::Result<Self> {
        let context = Context {
            client: session.client.clone(),
            me: session.require_me()?.clone(),
            mind,
            takebacks: args.acceptance.takebacks,
            engines: Arc::new(Semaphore::new(args.acceptance.games_at_once as usize)),
            output: session.output,
        };
        let (all, people) = (args.acceptance.games_at_once, args.acceptance.people_places);
        let mut bot = Self {
            server_time: (Instant::now(), session.welcome.ts),
            session,
            context,
            filter,
            accept_any: args.accept_any,
            terms,
            opponents: args.challenge.iter().cloned().collect(),
            games_max: args.games,
            places: Places { all, people },
            seeking: Seeking::Closed(Instant::now()),
            games: HashMap::new(),
            accepting: HashMap::new(),
            tasks: JoinSet::new(),
            finished: 0,
            listing: Listing::default(),
        };
        let live = bot.session.live_games();
        if !live.is_empty() {
            bot.output().message(format_args!("Continuing {} games.", live.len()));
        }
        for game in live {
            bot.slot(&game);
        }
        Ok(bot)
    }

    /// Plays until the number of games is reached.
    async fn run(mut self) -> anyhow::Result<()> {
        while !self.is_done() {
            self.seek_if_free();
            self.list_if_changed();
            let seek_at = match self.seeking {
                Seeking::Closed(at) if self.may_seek() => Some(at),
                _ => None,
            };
            tokio::select! {
                biased;
                Some(report) = self.tasks.join_next() => self.hear(report??)?,
                incoming = self.session.next() => self.handle(incoming?).await?,
                () = sleep_until(seek_at.unwrap_or_else(Instant::now)), if seek_at.is_some() => {}
            }
        }
        self.session.close().await;
        Ok(())
    }

    const fn output(&self) -> Output {
        self.context.output
    }

    fn is_done(&self) -> bool {
        self.games_max.is_some_and(|most| self.finished >= most)
    }

    fn taken(&self) -> Taken {
        let games = self.games.values().map(|slot| slot.against_bots);
        Taken::count(games.chain(self.accepting.values().copied()))
    }

    fn may_begin(&self, against_bot: bool) -> bool {
        let taken = self.taken();
        let begun = self.finished.saturating_add(taken.all);
        self.places.has_room(taken, against_bot) && self.games_max.is_none_or(|most| begun < most)
    }

    fn may_seek(&self) -> bool {
        self.terms.is_some() && self.may_begin(false)
    }

    async fn handle(&mut self, incoming: Incoming) -> anyhow::Result<()> {
        match incoming {
            Incoming::Event { frame, bytes } => {
                let game = &frame.game;
                if let EventBody::Created(created) = &frame.body {
                    let against_bots = self.are_bots(&created.seats);
                    let is_new = !self.games.contains_key(game);
                    self.slot(game).against_bots = against_bots;
                    if is_new {
                        self.close_seek();
                    }
                }
                self.tell(game, GameMessage::Event { seq: frame.seq, bytes }).await;
            }
            // The bot joins a live game: it needs the events from the start.
            Incoming::Snapshot(snapshot) if snapshot.result.is_none() => {
                let mut others = snapshot.seats.iter().filter(|seat| seat.user != self.context.me);
                let against_bots = others.all(|seat| seat.bot);
                self.slot(&snapshot.game).against_bots = against_bots;
                self.tell(&snapshot.game, GameMessage::Restart).await;
            }
            Incoming::YourTurn(turn) => {
                let deadline = self.deadline(&turn);
                self.slot(&turn.game);
                self.tell(&turn.game, GameMessage::Turn { turn: turn.turn, deadline }).await;
            }
            Incoming::Challenged(challenged) => self.answer(&challenged),
            Incoming::ChallengeClosed(closed) => self.challenge_closed(&closed),
            Incoming::Connected(welcome) => self.reconnected(&welcome),
            _ => {}
        }
        Ok(())
    }

    fn reconnected(&mut self, welcome: &Welcome) {
        self.server_time = (Instant::now(), welcome.ts);
        self.listing.forget();
        let is_open = |challenge: &ChallengeId| {
            welcome.challenges.iter().any(|open| open.challenged.challenge == *challenge)
        };
        self.accepting.retain(|challenge, _| is_open(challenge));
        // A seek ends with its session. The server sends open challenges again.
        if !matches!(&self.seeking, Seeking::Challenging(challenge) if is_open(challenge)) {
            self.seeking = Seeking::Closed(Instant::now());
        }
    }

    /// How many further games the bot would begin.
    fn free(&self) -> u32 {
        let taken = self.taken().all;
        let left = self.games_max.map_or(u32::MAX, |most| most.saturating_sub(self.finished));
        self.places.all.min(left).saturating_sub(taken)
    }

    fn are_bots(&self, seats: &[SeatUser]) -> bool {
        seats.iter().filter(|seat| seat.user != self.context.me).all(|seat| seat.bot)
    }

    /// Returns when the server must have a move, on this machine's clock.
    fn deadline(&self, turn: &YourTurn) -> Option<Instant> {
        let (at, ts) = self.server_time;
        turn.deadline.map(|deadline| at + Duration::from_millis(deadline.saturating_sub(ts)))
    }

    /// Returns the slot of a game, whose task begins if it is new.
    fn slot(&mut self, game: &GameId) -> &mut Slot {
        let Self { games, tasks, context, .. } = self;
        games.entry(game.clone()).or_insert_with(|| {
            let (messages, inbox) = mpsc::channel(MESSAGES_MAX);
            let (context, game) = (context.clone(), game.clone());
            tasks.spawn_local(async move {
                let over = game::play(context, game, inbox).await?;
                Ok(Report::Over(over.map(Box::new)))
            });
            Slot { messages, against_bots: false }
        })
    }

    /// Ends an accepted challenge. Its game, whose events may still be under way, keeps the place.
    fn end_challenge(&mut self, challenge: &ChallengeId, game: Option<&GameId>) {
        let Some(against_bots) = self.accepting.remove(challenge) else { return };
        let Some(game) = game.filter(|game| !self.games.contains_key(*game)) else { return };
        self.slot(game).against_bots = against_bots;
        self.close_seek();
    }

    async fn tell(&self, game: &GameId, message: GameMessage) {
        if let Some(slot) = self.games.get(game) {
            // A task that is over needs no more messages.
            slot.messages.send(message).await.ok();
        }
    }

    /// Accepts or declines a challenge.
    fn answer(&mut self, challenged: &Challenged) {
        let me = &self.context.me;
        let mut others = challenged.seats.iter().filter(|name| *name != me);
        let is_answered = challenged.accepted.iter().any(|name| name.is_same(me.as_str()))
            || self.accepting.contains_key(&challenged.challenge);
        if is_answered || others.next().is_none() {
            return;
        }
        let reason = if self.accept_any {
            let busy = !self.may_begin(challenged.bot);
            self.filter.decline_reason(challenged).or(busy.then_some(DeclineReason::Busy))
        } else {
            Some(DeclineReason::Generic)
        };
        let challenge = challenged.challenge.clone();
        if reason.is_none() {
            self.accepting.insert(challenge.clone(), challenged.bot);
        }
        let pool = format!("{}/{}", challenged.rules.name, challenged.seats.len());
        let by = challenged.by.clone();
        let (client, rating) = (self.context.client.clone(), self.filter.args.rating);
        self.tasks.spawn_local(async move {
            let reason = match (reason, rating) {
                (None, Some(range)) if !is_within(&client, by, &pool, range).await? => {
                    Some(DeclineReason::Generic)
                }
                (reason, _) => reason,
            };
            let answered = answer(&client, &challenge, reason).await;
            match answered {
                Ok(done) => {
                    let waits = reason.is_none() && done.game.is_none();
                    Ok(Report::Answered { challenge, waits, game: done.game })
                }
                // The challenge was cancelled or answered before, or the connection was lost and
                // the server sends it again after the reconnect.
                Err(RequestError::Refused(_) | RequestError::ConnectionLost) => {
                    Ok(Report::Answered { challenge, waits: false, game: None })
                }
                Err(error) => Err(error.into()),
            }
        });
    }

    fn hear(&mut self, report: Report) -> anyhow::Result<()> {
        match report {
            Report::Over(Some(over)) => self.finish(&over),
            Report::Over(None) | Report::Unsought => Ok(()),
            Report::Listed => {
                self.listing.answered();
                Ok(())
            }
            Report::Answered { challenge, waits, game } => {
                if !waits {
                    self.end_challenge(&challenge, game.as_ref());
                }
                Ok(())
            }
            Report::Sought(sought) => {
                self.sought(sought);
                Ok(())
            }
        }
    }

    fn finish(&mut self, over: &Over) -> anyhow::Result<()> {
        let Over { game, table } = over;
        self.games.remove(game);
        let Some(outcome) = over.outcome() else { return Ok(()) };
        let output = self.output();
        if output.json {
            output.line(json!({"game": game, "result": wire::result(outcome)}))?;
        } else {
            let names = Names::new(table.players(), table.position());
            output.line(format_args!("{game}: {}", names.outcome(outcome)))?;
        }
        if matches!(outcome, Outcome::Ended { .. }) {
            self.finished += 1;
        }
        Ok(())
    }
}

/// The rating of a user who has none in a pool.
const FIRST_RATING: u16 = 1_500;

/// Challenges a user to the game of a seek. The seats are drawn by lot.
async fn challenge(
    client: &Client,
    terms: &SeekTerms,
    seats: [UserName; 2],
) -> Result<Done, RequestError> {
    let (shuffle, rated) = (true, terms.rated);
    let challenge = |id| terms.proposal.challenge(id, seats.to_vec());
    let make = |id| Challenge { shuffle, rated, ..challenge(id) };
    client.done(make).await
}

/// Declines a challenge if there is a reason, and else accepts it.
async fn answer(
    client: &Client,
    challenge: &ChallengeId,
    reason: Option<DeclineReason>,
) -> Result<Done, RequestError> {
    with_retries(async || {
        let challenge = challenge.clone();
        if let Some(reason) = reason {
            client.done(|id| Decline { id, challenge, reason }).await
        } else {
            let (seek, invite) = (None, None);
            client.done(|id| Accept { id, seek, challenge: Some(challenge), invite }).await
        }
    })
    .await
}

/// Whether a user's rating in a pool is within a range. A user who cannot be looked up is not.
async fn is_within(
    client: &Client,
    name: UserName,
    pool: &str,
    range: RatingRange,
) -> Result<bool, RequestError> {
    let profile = match client.request(|id| User { id, name }).await {
        Ok(ToClient::User(profile)) => profile,
        Ok(_) | Err(RequestError::Refused(_) | RequestError::ConnectionLost) => return Ok(false),
        Err(error) => return Err(error),
    };
    let of_pool = profile.ratings.iter().find(|rating| {
        pool.split_once('/').is_some_and(|(game, players)| {
            let game = game.split('@').next().unwrap_or_default();
            *rating.rules.name == *game && rating.players.to_string() == players
        })
    });
    Ok(range.contains(of_pool.map_or(FIRST_RATING, |rating| rating.record.rating)))
}

/// The wait before a seek that the server has refused is opened again.
const SEEK_AGAIN: Duration = Duration::from_secs(10);

impl Bot {
    /// Opens a seek, or challenges the next opponent, if there is a free place and no open seek.
    fn seek_if_free(&mut self) {
        let Seeking::Closed(from) = self.seeking else { return };
        let Some(terms) = self.terms.clone().filter(|_| from <= Instant::now() && self.may_seek())
        else {
            return;
        };
        let mut terms = terms;
        // Places for people are not for bots.
        terms.allow.bots &= self.may_begin(true);
        self.seeking = Seeking::Asking { has_begun: false };
        let (client, output) = (self.context.client.clone(), self.output());
        // After the last opponent it is the first one's turn again.
        self.opponents.rotate_left(usize::from(self.opponents.len() > 1));
        let opponent = self.opponents.back().cloned();
        let seats = opponent.map(|opponent| [self.context.me.clone(), opponent]);
        self.tasks.spawn_local(async move {
            let seek = async || match seats.clone() {
                Some(seats) => challenge(&client, &terms, seats).await,
                None => terms.seek(&client).await,
            };
            match with_retries(seek).await {
                Ok(done) => Ok(Report::Sought(Ok(Box::new(done)))),
                // The bot seeks again after the reconnect.
                Err(RequestError::ConnectionLost) => Ok(Report::Sought(Err(Duration::ZERO))),
                Err(RequestError::Refused(failed)) => {
                    output.message(format_args!("no opponent: {}", failed.message));
                    Ok(Report::Sought(Err(SEEK_AGAIN)))
                }
                Err(error) => Err(error.into()),
            }
        });
    }

    /// Closes the seek after a game has begun, so that a new one is for the places that are left.
    fn close_seek(&mut self) {
        let has_room = self.may_begin(false);
        match &mut self.seeking {
            Seeking::Closed(_) => {}
            Seeking::Challenging(_) if has_room => {}
            Seeking::Asking { has_begun } => *has_begun = true,
            Seeking::Open(seek) => {
                let (client, seek) = (self.context.client.clone(), seek.clone());
                self.seeking = Seeking::Closed(Instant::now());
                self.tasks.spawn_local(async move {
                    // It may be the seek that has led to the game.
                    client.done(|id| Unseek { id, seek }).await.ok();
                    Ok(Report::Unsought)
                });
            }
            Seeking::Challenging(challenge) => {
                let (client, challenge) = (self.context.client.clone(), Some(challenge.clone()));
                self.seeking = Seeking::Closed(Instant::now());
                self.tasks.spawn_local(async move {
                    // It may be the challenge that has led to the game.
                    client.done(|id| Cancel { id, challenge, invite: None }).await.ok();
                    Ok(Report::Unsought)
                });
            }
        }
    }

    /// Goes on to the next opponent after a challenge.
    fn challenge_closed(&mut self, closed: &ChallengeClosed) {
        self.end_challenge(&closed.challenge, closed.game.as_ref());
        if let Seeking::Challenging(challenge) = &self.seeking
            && *challenge == closed.challenge
        {
            let wait = if closed.game.is_some() { Duration::ZERO } else { SEEK_AGAIN };
            self.seeking = Seeking::Closed(Instant::now() + wait);
            if let Some(game) = &closed.game {
                self.slot(game);
            }
        }
    }

    fn sought(&mut self, sought: Result<Box<Done>, Duration>) {
        // After a reconnect this is about a seek of the session before.
        let Seeking::Asking { has_begun } = self.seeking else { return };
        self.seeking = Seeking::Closed(Instant::now());
        let open = match sought.map(|done| *done) {
            // A game begins at once; its place is taken from now on.
            Ok(Done { game: Some(game), .. }) if !has_begun => {
                self.slot(&game);
                None
            }
            Ok(Done { game: None, seek, challenge, .. }) => {
                seek.map(Seeking::Open).or(challenge.map(Seeking::Challenging))
            }
            Ok(_) => None,
            Err(wait) => Some(Seeking::Closed(Instant::now() + wait)),
        };
        if let Some(open) = open {
            self.seeking = open;
            if has_begun {
                self.close_seek();
            }
        }
    }
}

impl Bot {
    /// Tells the directory how many games the bot would begin, if that has changed.
    fn list_if_changed(&mut self) {
        let free = self.free();
        // The server lists no sessions of people.
        let is_bot = self.session.welcome.user.as_ref().is_some_and(|me| me.bot);
        let is_listed = self.accept_any && is_bot;
        if !is_listed || self.listing.is_asking || self.listing.said == Some(free) {
            return;
        }
        self.listing = Listing { said: Some(free), is_asking: true };
        let (client, accepts) = (self.context.client.clone(), self.filter.acceptance());
        self.tasks.spawn_local(async move {
            let list = async || {
                let accepts = Some(accepts.clone());
                client.done(|id| BotStatus { id, accepts, free }).await
            };
            // An older server has no directory.
            with_retries(list).await.ok();
            Ok(Report::Listed)
        });
    }
}

impl Filter {
    /// What the directory says that the bot accepts.
    fn acceptance(&self) -> Acceptance {
        let args = &self.args;
        let ms = |time: Duration| u64::try_from(time.as_millis()).ok();
        let (min_ms, max_ms) = (args.pace.min.and_then(ms), args.pace.max.and_then(ms));
        let is_paced = min_ms.is_some() || max_ms.is_some();
        Acceptance {
            games: self.games(),
            clocks: args.only_clocks.iter().map(|mode| (*mode).into()).collect(),
            pace: is_paced.then_some(PaceRange { min_ms, max_ms }),
            rated: (args.only_rated || args.only_casual).then_some(args.only_rated),
            rating: args.rating,
            allow: self.allow(),
            default_options: !args.only_options.is_empty(),
        }
    }

    /// The games that the bot plays; none if it plays all.
    fn games(&self) -> Vec<AcceptedGame> {
        let mut games = Vec::new();
        let mut plays_all = true;
        for kind in Kind::ALL {
            let rules = || RulesName { name: kind.name().into(), version: None };
            let (played, declined): (Vec<_>, Vec<_>) =
                kind.players().partition(|players| self.plays(*kind, *players));
            plays_all &= declined.is_empty();
            if declined.is_empty() {
                games.push(AcceptedGame { rules: rules(), players: None });
                continue;
            }
            games.extend(played.into_iter().map(|players| AcceptedGame {
                rules: rules(),
                players: u8::try_from(players).ok(),
            }));
        }
        if plays_all { Vec::new() } else { games }
    }
}

/// The bounds of a bot's games at once.
#[derive(Debug, Clone, Copy)]
struct Places {
    all: u32,
    /// Those that bots cannot take.
    people: u32,
}

#[derive(Debug, Clone, Copy, Default)]
struct Taken {
    all: u32,
    /// Those of games against bots alone.
    bots: u32,
}

impl Taken {
    /// Counts places by whether each is against bots alone.
    fn count(against_bots: impl Iterator<Item = bool>) -> Self {
        against_bots.fold(Self::default(), |taken, bots| Self {
            all: taken.all + 1,
            bots: taken.bots + u32::from(bots),
        })
    }
}

impl Places {
    /// Whether a further game may begin.
    const fn has_room(self, taken: Taken, against_bot: bool) -> bool {
        let for_bots = self.all.saturating_sub(self.people);
        taken.all < self.all && !(against_bot && taken.bots >= for_bots)
    }
}

/// What the bot has said of its free places in the directory.
#[derive(Debug, Default)]
struct Listing {
    /// The number of free places that the server knows or is being told.
    said: Option<u32>,
    /// Whether the server has yet to answer.
    is_asking: bool,
}

impl Listing {
    /// The session is a new one, and the server has forgotten what was said.
    const fn forget(&mut self) {
        self.said = None;
    }

    const fn answered(&mut self) {
        self.is_asking = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bots_cannot_take_the_places_of_people() {
        let places = Places { all: 3, people: 1 };
        for (taken, bot, room) in [
            (&[][..], true, true),
            (&[true], true, true),
            (&[true, true], true, false),
            (&[true, true], false, true),
            (&[false, true], true, true),
            (&[false, false], true, true),
            (&[true, true, false], false, false),
        ] {
            let counted = Taken::count(taken.iter().copied());
            assert_eq!(places.has_room(counted, bot), room, "{taken:?} {bot}");
        }
    }
}
