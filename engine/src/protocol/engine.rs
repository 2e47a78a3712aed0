//! An engine that runs: its introduction, and its thoughts. Every future may be dropped: the next
//! call goes on where it was, and stops a thought whose caller has gone.

use adamant_rules::{Kind, Table};
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

use super::{
    game,
    limits::{
        DRAW_WAIT, FAULTS_LOGGED_MAX, HANDSHAKE_WAIT, LEGAL_DEFAULT, LEGAL_MAX,
        QUESTIONS_PER_THOUGHT_MAX, STOP_WAIT, VERSION,
    },
    messages::{
        BestMove, ClockLine, EngineOption, FromEngine, Info, Limits, NewGame, PlayedGame, ToEngine,
    },
    process::{EngineCommand, EngineError, Log, Process},
};

/// What an engine says of itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Introduction {
    /// Its name.
    pub name: String,
    /// Who wrote it.
    pub author: String,
    /// The games that it plays; all of them if it names none.
    pub games: Vec<PlayedGame>,
    /// The optional parts of the protocol that it takes part in.
    pub parts: Vec<String>,
    /// Its settings.
    pub options: Vec<EngineOption>,
}

impl Introduction {
    /// Whether the engine plays a game with this number of players.
    pub fn plays(&self, kind: Kind, players: usize) -> bool {
        let is_one = |played: &PlayedGame| {
            Kind::from_name(&played.game) == Some(kind)
                && played.players.is_none_or(|number| number == players)
        };
        self.games.is_empty() || self.games.iter().any(is_one)
    }

    /// Whether it takes part in an optional part of the protocol.
    pub fn can(&self, part: &str) -> bool {
        self.parts.iter().any(|known| known == part)
    }
}

/// The deadlines of a thought.
#[derive(Clone, Copy, Debug)]
pub struct Time {
    /// When the player sends `stop`.
    pub stop_at: Instant,
    /// When its move comes too late.
    pub give_up_at: Instant,
}

/// A question for a move.
#[derive(Clone, Debug)]
pub struct Thought {
    /// The clocks at this moment.
    pub clock: ClockLine,
    /// What bounds the thought.
    pub limits: Limits,
    /// Its deadlines.
    pub time: Time,
}

/// An engine that runs.
#[derive(Debug)]
pub struct Engine {
    process: Process,
    log: LogOf,
    introduction: Introduction,
    is_ready: bool,
    ready_until: Instant,
    /// The game of the last `position`, about which the engine may ask.
    table: Option<Table>,
    questions: u32,
    /// Whether a `bestmove` is due.
    is_thinking: bool,
    /// Whether the thought is about a move that is only expected.
    is_pondering: bool,
    /// A `bestmove` that came before its `ponderhit`.
    early: Option<BestMove>,
    best_info: Info,
    last_info: Info,
    faults: u32,
}

/// A log, which has no debug form of its own.
struct LogOf(Log);

impl std::fmt::Debug for LogOf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Log")
    }
}

/// What a line comes to, if it is more than a remark.
enum Answer {
    Ready,
    BestMove(BestMove),
    Draw(bool),
}

impl Engine {
    /// Starts an engine and greets it. [`Engine::ready`] waits for its introduction.
    pub fn start(command: &EngineCommand, log: &Log) -> Result<Self, EngineError> {
        let mut process = Process::start(command, log)?;
        process.send(&ToEngine::Hello(VERSION))?;
        Ok(Self {
            process,
            log: LogOf(log.clone()),
            introduction: Introduction::default(),
            is_ready: false,
            ready_until: Instant::now() + HANDSHAKE_WAIT,
            table: None,
            questions: 0,
            is_thinking: false,
            is_pondering: false,
            early: None,
            best_info: Info::default(),
            last_info: Info::default(),
            faults: 0,
        })
    }

    /// Waits until the engine has introduced itself.
    pub async fn ready(&mut self) -> Result<&Introduction, EngineError> {
        let until = self.ready_until;
        while !self.is_ready {
            let answer = timeout_at(until, self.answer()).await;
            let answer = answer.map_err(|_| EngineError::NotReady(HANDSHAKE_WAIT))??;
            self.is_ready = matches!(answer, Answer::Ready);
        }
        Ok(&self.introduction)
    }

    /// Returns what the engine has said of itself.
    pub const fn introduction(&self) -> &Introduction {
        &self.introduction
    }

    /// Returns what the engine last said of the present thought with a `pv`, or else at all.
    pub fn info(&self) -> &Info {
        if self.best_info.pv.is_empty() { &self.last_info } else { &self.best_info }
    }

    /// Sets an option.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<(), EngineError> {
        let (name, value) = (name.to_owned(), value.to_owned());
        self.process.send(&ToEngine::SetOption { name, value })
    }

    /// Begins a game, or takes one up again.
    pub fn new_game(&mut self, new_game: &NewGame) -> Result<(), EngineError> {
        self.process.send(&ToEngine::NewGame(new_game.clone()))
    }

    /// Asks for a move. The answer is legal and canonical.
    pub async fn think(
        &mut self,
        table: &Table,
        thought: &Thought,
    ) -> Result<BestMove, EngineError> {
        self.ready().await?;
        if self.is_pondering && self.is_about(table) {
            self.process.send(&ToEngine::Clock(thought.clock.clone()))?;
            self.process.send(&ToEngine::PonderHit)?;
            self.is_pondering = false;
        } else {
            self.settle().await?;
            self.show(table, &thought.clock)?;
            self.process.send(&ToEngine::Go(thought.limits))?;
            self.is_thinking = true;
        }
        self.best_move(thought.time).await
    }

    /// Lets the engine think about a position that is expected, while its clock does not run.
    pub async fn ponder(
        &mut self,
        expected: &Table,
        clock: ClockLine,
        limits: Limits,
    ) -> Result<(), EngineError> {
        self.ready().await?;
        self.settle().await?;
        self.show(expected, &clock)?;
        self.process.send(&ToEngine::Ponder(limits))?;
        self.is_thinking = true;
        self.is_pondering = true;
        Ok(())
    }

    /// Asks whether the engine accepts a draw. One that does not answer declines.
    pub async fn accepts_draw(&mut self, table: &Table) -> Result<bool, EngineError> {
        self.ready().await?;
        if !self.introduction.can("draw") {
            return Ok(false);
        }
        self.settle().await?;
        self.show(table, &game::clock(table, None))?;
        self.process.send(&ToEngine::OfferDraw)?;
        let answer = async {
            loop {
                if let Answer::Draw(accepted) = self.answer().await? {
                    return Ok(accepted);
                }
            }
        };
        timeout(DRAW_WAIT, answer).await.unwrap_or(Ok(false))
    }

    /// Reads what the engine says while nothing is asked of it, until it ends.
    pub async fn idle(&mut self) -> EngineError {
        loop {
            match self.answer().await {
                Ok(Answer::Ready) => self.is_ready = true,
                Ok(Answer::BestMove(best)) if self.is_pondering => self.early = Some(best),
                Ok(Answer::BestMove(_)) => self.is_thinking = false,
                Ok(Answer::Draw(_)) => {}
                Err(error) => return error,
            }
        }
    }

    /// Asks the engine to end, and kills it if it does not.
    pub async fn quit(self) {
        self.process.quit().await;
    }

    /// Whether the engine has this very position before it.
    fn is_about(&self, table: &Table) -> bool {
        let shown = self.table.as_ref();
        shown.is_some_and(|shown| shown.hash() == table.hash() && shown.ply() == table.ply())
    }

    /// Stops a thought whose caller has gone.
    async fn settle(&mut self) -> Result<(), EngineError> {
        if self.is_thinking && self.early.is_none() {
            self.process.send(&ToEngine::Stop)?;
            let until = Instant::now() + STOP_WAIT;
            loop {
                let answer = timeout_at(until, self.answer()).await;
                if let Answer::BestMove(_) = answer.map_err(|_| EngineError::NoAnswer)?? {
                    break;
                }
            }
        }
        self.is_thinking = false;
        self.is_pondering = false;
        self.early = None;
        Ok(())
    }

    fn show(&mut self, table: &Table, clock: &ClockLine) -> Result<(), EngineError> {
        self.best_info = Info::default();
        self.last_info = Info::default();
        self.questions = 0;
        self.process.send(&ToEngine::Position(game::steps(table)))?;
        self.process.send(&ToEngine::Clock(clock.clone()))?;
        self.table = Some(table.clone());
        Ok(())
    }

    /// Waits for the move that is due.
    async fn best_move(&mut self, time: Time) -> Result<BestMove, EngineError> {
        let mut is_stopped = false;
        let best = loop {
            if let Some(best) = self.early.take() {
                break best;
            }
            let answer = tokio::select! {
                biased;
                answer = self.answer() => answer?,
                () = sleep_until(time.stop_at), if !is_stopped => {
                    is_stopped = true;
                    self.process.send(&ToEngine::Stop)?;
                    continue;
                }
                () = sleep_until(time.give_up_at) => return Err(EngineError::NoAnswer),
            };
            if let Answer::BestMove(best) = answer {
                break best;
            }
        };
        self.is_thinking = false;
        self.check(best)
    }

    /// Returns the engine's choice with its move in canonical notation.
    fn check(&self, best: BestMove) -> Result<BestMove, EngineError> {
        let (BestMove::Move { notation, ponder, draw }, Some(table)) = (&best, &self.table) else {
            return Ok(best);
        };
        match game::check_move(table.position(), notation) {
            Ok(canonical) => {
                Ok(BestMove::Move { notation: canonical, ponder: ponder.clone(), draw: *draw })
            }
            Err(why) => Err(EngineError::IllegalMove { notation: notation.clone(), why }),
        }
    }

    /// Reads lines up to one that answers something. Answers the engine's own questions.
    async fn answer(&mut self) -> Result<Answer, EngineError> {
        loop {
            let line = self.process.next().await?;
            match line.parse() {
                Ok(FromEngine::Name(name)) => self.introduction.name = name,
                Ok(FromEngine::Author(author)) => self.introduction.author = author,
                Ok(FromEngine::Games(games)) => self.introduction.games.extend(games),
                Ok(FromEngine::Can(parts)) => self.introduction.parts.extend(parts),
                Ok(FromEngine::Option(option)) => self.introduction.options.push(option),
                Ok(FromEngine::Info(info)) => {
                    if !info.pv.is_empty() && info.multipv.is_none_or(|line| line == 1) {
                        self.best_info = info.clone();
                    }
                    self.last_info = info;
                }
                Ok(FromEngine::Legal { max }) => self.tell_legal(max)?,
                Ok(FromEngine::Board) => self.tell_board()?,
                Ok(FromEngine::Ready) => return Ok(Answer::Ready),
                Ok(FromEngine::BestMove(best)) => return Ok(Answer::BestMove(best)),
                Ok(FromEngine::Accept) => return Ok(Answer::Draw(true)),
                Ok(FromEngine::Decline) => return Ok(Answer::Draw(false)),
                Ok(FromEngine::Error(text)) => return Err(EngineError::Refused(text)),
                Err(error) => self.log_fault(&error.to_string()),
            }
        }
    }

    fn tell_legal(&mut self, max: Option<usize>) -> Result<(), EngineError> {
        let max = max.unwrap_or(LEGAL_DEFAULT).min(LEGAL_MAX);
        let list = self.asked_about()?.map(|table| game::legal(table.position(), max));
        let (moves, all) = list.unwrap_or_default();
        self.process.send(&ToEngine::Legal { all, moves })
    }

    fn tell_board(&mut self) -> Result<(), EngineError> {
        match self.asked_about()?.map(game::board) {
            Some(board) => self.process.send(&ToEngine::Board(board)),
            None => Ok(()),
        }
    }

    /// Returns the game that a question is about.
    fn asked_about(&mut self) -> Result<Option<&Table>, EngineError> {
        self.questions += 1;
        if self.questions > QUESTIONS_PER_THOUGHT_MAX {
            return Err(EngineError::TooManyQuestions);
        }
        Ok(self.table.as_ref())
    }

    fn log_fault(&mut self, why: &str) {
        self.faults += 1;
        if self.faults <= FAULTS_LOGGED_MAX {
            (self.log.0)(&format!("ignored a line of the engine: {why}"));
        }
    }
}
