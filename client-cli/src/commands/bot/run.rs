//! The bot between its games. It answers challenges, opens seeks, and hands messages to the tasks
//! of its games.

use std::{
    collections::{HashMap, VecDeque},
    time::Duration,
};

use adamant_client::{Incoming, RequestError};
use adamant_protocol::{
    ChallengeId, GameId, SeekId, UserName,
    event::EventBody,
    from_client::DeclineReason,
    to_client::{Challenged, Done, Welcome, YourTurn},
    values::SeatUser,
};
use adamant_record::wire;
use adamant_rules::table::Outcome;
use serde_json::json;
use tokio::{
    sync::mpsc,
    task::JoinSet,
    time::{Instant, sleep_until},
};

use super::{
    answering::{answer, is_within},
    filter::Filter,
    game::{self, Context, GameMessage, MESSAGES_MAX, Over},
    mind::MindSettings,
    places::{Listing, Places, Taken},
};
use crate::{
    args::BotArgs, commands::seek::SeekTerms, messages::Names, output::Output, session::Session,
};

/// A bot that is connected.
pub(super) struct Bot {
    pub(super) session: Session,
    pub(super) context: Context,
    pub(super) filter: Filter,
    pub(super) accept_any: bool,
    pub(super) terms: Option<SeekTerms>,
    /// The users to challenge, the next one first; none to open seeks.
    pub(super) opponents: VecDeque<UserName>,
    pub(super) games_max: Option<u32>,
    pub(super) places: Places,
    pub(super) seeking: Seeking,
    pub(super) listing: Listing,
    pub(super) games: HashMap<GameId, Slot>,
    /// Challenges that are being answered, or wait for further players; by whether they are against
    /// bots.
    pub(super) accepting: HashMap<ChallengeId, bool>,
    /// The games, and requests that are under way.
    pub(super) tasks: JoinSet<anyhow::Result<Report>>,
    /// The server's time at a moment of this machine.
    pub(super) server_time: (Instant, u64),
    /// Number of games that ended with a result.
    pub(super) finished: u32,
}

/// A game that is played.
pub(super) struct Slot {
    messages: mpsc::Sender<GameMessage>,
    /// Whether all opponents are bots.
    against_bots: bool,
}

/// Whether the bot looks for an opponent.
pub(super) enum Seeking {
    /// It does not, but may after this moment.
    Closed(Instant),
    /// It has asked the server.
    Asking {
        /// Whether a game has begun since.
        has_begun: bool,
    },
    /// It has an open seek.
    Open(SeekId),
    /// It has challenged a user, who has not answered.
    Challenging(ChallengeId),
}

/// What a task has done.
pub(super) enum Report {
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
    pub(super) fn new(
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
    pub(super) async fn run(mut self) -> anyhow::Result<()> {
        while !self.is_done() {
            self.seek_if_free();
            self.list_if_changed();
            let seek_at = match self.seeking {
                Seeking::Closed(at) if self.may_seek() => Some(at),
                Seeking::Closed(_)
                | Seeking::Asking { .. }
                | Seeking::Open(_)
                | Seeking::Challenging(_) => None,
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

    pub(super) const fn output(&self) -> Output {
        self.context.output
    }

    fn is_done(&self) -> bool {
        self.games_max.is_some_and(|most| self.finished >= most)
    }

    pub(super) fn taken(&self) -> Taken {
        let games = self.games.values().map(|slot| slot.against_bots);
        Taken::count(games.chain(self.accepting.values().copied()))
    }

    pub(super) fn may_begin(&self, against_bot: bool) -> bool {
        let taken = self.taken();
        let begun = self.finished.saturating_add(taken.all);
        self.places.has_room(taken, against_bot) && self.games_max.is_none_or(|most| begun < most)
    }

    pub(super) fn may_seek(&self) -> bool {
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
            Incoming::Snapshot(_)
            | Incoming::Presence(_)
            | Incoming::Invite(_)
            | Incoming::Lobby(_)
            | Incoming::Featured(_)
            | Incoming::Live(_)
            | Incoming::Said(_)
            | Incoming::Unsaid(_)
            | Incoming::Notice(_)
            | Incoming::ServerError(_)
            | Incoming::Disconnected { .. } => {}
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
    pub(super) fn free(&self) -> u32 {
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
    pub(super) fn slot(&mut self, game: &GameId) -> &mut Slot {
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
    pub(super) fn end_challenge(&mut self, challenge: &ChallengeId, game: Option<&GameId>) {
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
