//! Analysis: the position after moves that a client tries on a game, or on the beginning of one.
//! Nothing of it is kept.

use adamant_engine::{
    choice::Level,
    search::{self, LevelNumber},
};
use adamant_protocol::{
    GameId,
    from_client::{Explore, Layout},
    ids::RulesName,
    to_client::{BoardLayout, Explored, HouseLevel, Opinion, Oracle, OracleValue},
    values::Options,
};
use adamant_record::{
    Replay,
    wire::{self, seat_number, sketch},
};
use adamant_rules::{BySeat, Kind, Player, Position, Seat, Setup, Table, TimeControl};
use bytes::Bytes;

use crate::{
    error::Denial,
    limits::{
        EXPLORED_MOVES_MAX, ORACLE_MOVES_MAX, ORACLE_POSITIONS_MAX, SECRET_FROM_PLY,
        STEPS_CELLS_MAX,
    },
    outbound::client::ClientHandle,
    room::{ReadFor, registry::RoomRegistry, snapshot},
};

/// The present position of a live game: on a line that passes through it the server gives its
/// opinion to nobody who plays the game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LivePosition {
    kind: Kind,
    options: adamant_rules::Options,
    players: usize,
    hash: u64,
}

impl LivePosition {
    /// Returns the position of a game. There is none before the second move: everybody may ask how
    /// to begin.
    pub(crate) fn of(game: &Table) -> Option<Self> {
        (game.ply() >= SECRET_FROM_PLY && game.outcome().is_none())
            .then(|| Self::at(game, game.hash()))
    }

    fn at(table: &Table, hash: u64) -> Self {
        let setup = table.setup();
        let (kind, options, players) = (setup.kind, setup.options.clone(), setup.seats.len());
        Self { kind, options, players, hash }
    }
}

/// The positions that a line passes through.
#[derive(Debug)]
pub(super) struct PassedPositions {
    /// The last one.
    last: LivePosition,
    /// The hashes of those in which a seat had to choose a move.
    hashes: Vec<u64>,
}

impl PassedPositions {
    pub(super) fn of(line: &Table) -> Self {
        let last = LivePosition::at(line, line.hash());
        Self { last, hashes: line.positions_seen().to_vec() }
    }

    /// Refuses an opinion to a client who plays one of these.
    pub(super) fn check(&self, live: &[LivePosition]) -> Result<(), Denial> {
        let Self { last: LivePosition { kind, options, players, hash }, hashes } = self;
        let passes = |live: &LivePosition| {
            (live.kind, live.players) == (*kind, *players)
                && live.options == *options
                && (live.hash == *hash || hashes.contains(&live.hash))
        };
        if live.iter().any(passes) { Err(no_opinion()) } else { Ok(()) }
    }

    /// About so many bytes of memory.
    pub(super) const fn bytes(&self) -> usize {
        size_of::<Self>() + self.hashes.len() * size_of::<u64>()
    }
}

/// Answers requests for analysis. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Analysis {
    rooms: RoomRegistry,
}

impl Analysis {
    /// Returns the service for the games in these rooms.
    pub(crate) const fn new(rooms: RoomRegistry) -> Self {
        Self { rooms }
    }

    /// Returns the position after the tried moves, as far as the client may see the game.
    pub(crate) async fn explore(
        &self,
        client: &ClientHandle,
        request: Explore,
        live: Vec<LivePosition>,
    ) -> Result<Explored, Denial> {
        if request.moves.len() > EXPLORED_MOVES_MAX {
            let max = EXPLORED_MOVES_MAX;
            return Err(Denial::BadMessage(format!("at most {max} moves are tried at once")));
        }
        let from = client.from;
        let game = match &request.game {
            Some(game) => Some(self.game(client, game, request.judges()).await?),
            None => None,
        };
        if request.judges() {
            self.rooms.think(from, move || explored(game.as_ref(), request, &live)).await?
        } else {
            self.rooms.work(from, move || explored(game.as_ref(), request, &live)).await?
        }
    }

    /// Returns the game as the client may see it.
    async fn game(
        &self,
        client: &ClientHandle,
        game: &GameId,
        wants_opinion: bool,
    ) -> Result<Table, Denial> {
        let (user, from) = (client.user.as_ref(), client.from);
        let plan = self.rooms.resume_plan(game, user, ReadFor::Client(from), None).await?;
        let push = |replay: &mut Replay, record: &Bytes| replay.push(record).map(drop);
        let replay = self.rooms.read(game, plan.seq, from, Replay::new(), push).await?;
        let (table, _) =
            replay.into_parts().ok_or_else(|| Denial::NotFound(format!("game {game}")))?;
        if wants_opinion && plan.seat.is_some() && table.outcome().is_none() {
            return Err(no_opinion());
        }
        Ok(table)
    }
}

/// Returns the board of a kind of game.
pub(crate) fn layout(request: Layout) -> Result<BoardLayout, Denial> {
    let table = beginning(request.rules.as_ref(), &request.options, request.players)?;
    Ok(snapshot::layout(table.position(), None, request.id))
}

/// Returns a table at which a kind of game begins.
fn beginning(rules: Option<&RulesName>, options: &Options, players: u8) -> Result<Table, Denial> {
    let missing = || Denial::BadMessage("game or rules is missing: name one of them".to_owned());
    let kind = kind_of(rules.ok_or_else(missing)?)?;
    let players = usize::from(players);
    let options = kind.complete(&wire::given_options(kind, options)?, players)?;
    let player = |seat: Seat| Player {
        user: format!("seat-{}", seat.index()).into(),
        bot: false,
        guest: true,
        rating: None,
    };
    let setup = Setup {
        kind,
        options,
        seats: BySeat::from_fn(players, player),
        clock: TimeControl::None,
        rated: false,
        delay: 0,
        unlisted: false,
    };
    Ok(Table::for_analysis(setup)?)
}

fn kind_of(rules: &RulesName) -> Result<Kind, Denial> {
    wire::kind(rules).map_err(|_| Denial::unknown_rules(rules))
}

fn no_opinion() -> Denial {
    let why = "the server gives no opinion on a live game to those who play it";
    Denial::Forbidden(why.to_owned())
}

fn explored(
    game: Option<&Table>,
    request: Explore,
    live: &[LivePosition],
) -> Result<Explored, Denial> {
    let judges = request.judges();
    let Explore { id: re, ply, rules, options, players, moves: tried, .. } = request;
    let mut table = match game {
        Some(game) => {
            let ply = ply.unwrap_or_else(|| game.ply());
            let not_found =
                || Denial::NotFound(format!("ply {ply} in what you may see of the game"));
            game.branch(ply).ok_or_else(not_found)?
        }
        None => beginning(rules.as_ref(), &options, players)?,
    };
    let mut moves = Vec::with_capacity(tried.len());
    for (index, notation) in (0..).zip(&tried) {
        table.play(notation).map_err(|refusal| Denial::TriedMove { index, refusal })?;
        moves.extend(table.last_move().map(Box::from));
    }
    if judges && !live.is_empty() {
        PassedPositions::of(&table).check(live)?;
    }
    let position = table.position();
    let is_on = table.to_move().is_some();
    let seats = || Seat::all(position.players());
    let reserve: Vec<Box<str>> = seats().map(|seat| position.in_reserve(seat).into()).collect();
    let sketch = request.sketch.as_ref().filter(|_| is_on);
    let sketch = sketch.map(|sketch| sketch::from_wire(position, sketch)).transpose();
    let sketch = sketch.map_err(|sketch::NoSuchCell(name)| Denial::no_such_cell(&name))?;
    Ok(Explored {
        re,
        rules: wire::rules(position.kind()),
        options: wire::options(&table.setup().options),
        players: u8::try_from(position.players()).expect("a table has few seats"),
        ply: table.ply(),
        to_move: table.to_move().map(seat_number),
        position: wire::position(position),
        threatened: wire::threatened(&table),
        captures: wire::captures(&table.last_captures().iter().copied().collect(), position),
        reserve: reserve.iter().any(|pieces| !pieces.is_empty()).then_some(reserve),
        result: table.outcome().map(wire::result),
        winning: wire::winning(&table),
        steps: (request.steps && is_on).then(|| sketch::first_steps(position, STEPS_CELLS_MAX)),
        sketch: sketch.map(|sketch| sketch::completions(position, &sketch, true)),
        opinion: request.opinion.filter(|_| is_on).and_then(|level| opinion(&table, level)),
        oracle: if request.oracle && is_on { oracle(position) } else { None },
        moves,
    })
}

fn oracle(position: &Position) -> Option<Oracle> {
    let found = search::oracle(position, ORACLE_MOVES_MAX, ORACLE_POSITIONS_MAX)?;
    let value = match found.verdict {
        search::Verdict::Win(_) => OracleValue::Win,
        search::Verdict::Draw => OracleValue::Draw,
        search::Verdict::Loss(_) => OracleValue::Loss,
    };
    let moves = u32::try_from(found.moves).unwrap_or(u32::MAX);
    let best = found.best.into_iter().map(Into::into).collect();
    Some(Oracle { value, distance: found.verdict.plies(), best, moves })
}

fn opinion(table: &Table, level: HouseLevel) -> Option<Opinion> {
    let level = match level {
        HouseLevel::Easy | HouseLevel::Unknown(_) => Level::Random,
        HouseLevel::Medium => Level::Greedy,
        HouseLevel::Hard => Level::Search,
        level => Level::Numbered(LevelNumber::new(level.number()?)?),
    };
    let found = adamant_engine::choice::opinion(table.positions_seen(), table.position(), level)?;
    Some(Opinion { best: wire::notation(&found.best), score: found.score, depth: found.depth })
}
