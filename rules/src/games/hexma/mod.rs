//! Hexma: pieces that step and hop across a star, as in Chinese Checkers, to connect two edges.
//!
//! Here are the position, the turns and the drawing. Repetition and draws by agreement are the
//! table's.

mod board;
mod moves;
pub(super) mod notation;
pub mod violation;

use board::{Board, COLUMNS, CellSet, POINTS, ROWS, Spot, Tip, column_letter};
use notation::ParsedMove;

use crate::{
    cell::{Cell, CellName},
    game::{
        self, Captures, CellShape, Consequence, Drawing, EndReason, Followers, Game, Layout,
        LayoutCell, LayoutEdge, Mark, MoveCount, Span, Target, sign,
    },
    hashing::{join, mix},
    options::{OptionError, OptionSpec, Options},
    refusal::IllegalMove,
    seat::{SEATS_MAX, Seat, SeatSet},
    sketch::{CompletedSketch, Sketch},
};

pub use self::{notation::Move, violation::RuleViolation};

/// The letters of the seats, in turn order.
const LETTERS: [char; SEATS_MAX] = ['O', 'X', 'Y'];

/// A position of Hexma: plain memory of fixed size.
#[derive(Clone, PartialEq, Debug)]
pub struct Hexma {
    board: Board,
    players: u8,
    to_move: Seat,
    seats_in: SeatSet,
}

impl Hexma {
    /// Whether a chain of the seat's pieces joins its home edge to its away edge.
    pub fn connected(&self, seat: Seat) -> bool {
        let (home, away) = self.edges(seat);
        self.board.connects(seat, home, away)
    }

    /// The home edge and the away edge of a seat.
    fn edges(&self, seat: Seat) -> (CellSet, CellSet) {
        let home = home(self.players(), seat);
        (home.edge(), home.opposite().edge())
    }

    /// Gives the turn to the next seat that is still in, if there is any.
    fn pass_turn(&mut self) {
        self.to_move = self.seats_in.turn_after(self.to_move);
    }

    /// What decides legality besides the pieces, in one number.
    fn state_number(&self) -> u64 {
        join([u64::from(self.players), self.to_move.index() as u64, self.seats_in.bits()])
    }
}

/// The tip that a seat's pieces start from: those of two players face each other, those of three
/// are as far apart as can be.
const fn home(players: usize, seat: Seat) -> Tip {
    match (players, seat.index()) {
        (_, 0) => Tip::Bottom,
        (2, _) => Tip::Top,
        (_, 1) => Tip::UpperLeft,
        (_, _) => Tip::UpperRight,
    }
}

/// A summary of the rules and the notation, for players.
const RULES_SUMMARY: &str = "\
HEXMA  Join your home edge and the edge across from it with a chain of pieces.
A move takes one piece one step to a free neighbouring point, or along as many
hops as you like: each over a single piece of any colour to the free point right
behind it. Nothing is captured. A hopping piece may cross the point it came
from, but not end there.
Two players join the same two edges, top and bottom; of three, each has another
pair. Only your own move can win for you. Who cannot move is passed over; if
nobody can, or a position comes for the third time, it is a draw. The pieces of
a player who leaves a game of three stay on the board.
  k13-j12       from and to, whether by a step or by hops
  q11-o13-k13   the same with the points landed on";

impl Game for Hexma {
    type Move = Move;
    type RuleViolation = RuleViolation;

    const NAME: &'static str = "hexma";
    const TITLE: &'static str = "Hexma";
    const GOAL: &'static str =
        "Connect your home edge and the edge opposite with a chain of pieces.";
    const VERSION: u16 = 1;
    const OPTIONS: &'static [OptionSpec] = &[];
    const PLAYERS: std::ops::RangeInclusive<usize> = 2..=3;
    const CAPTURES: bool = false;
    const RULES_SUMMARY: &'static str = RULES_SUMMARY;

    fn complete(options: &Options, _players: usize) -> Result<Options, OptionError> {
        options.check(Self::OPTIONS)?;
        Ok(Options::new())
    }

    fn start(_options: &Options, players: usize) -> Self {
        let mut board = Board::EMPTY;
        for seat in Seat::all(players) {
            for spot in home(players, seat).camp().iter() {
                board.put(spot, seat);
            }
        }
        Self {
            board,
            players: u8::try_from(players).expect("a table has few seats"),
            to_move: Seat::FIRST,
            seats_in: SeatSet::all(players),
        }
    }

    fn letter(&self, seat: Seat) -> char {
        LETTERS[seat.index()]
    }

    fn players(&self) -> usize {
        usize::from(self.players)
    }

    fn to_move(&self) -> Seat {
        self.to_move
    }

    fn seats_in(&self) -> SeatSet {
        self.seats_in
    }

    /// The way that a piece takes is no part of the move. If landing points are named, it is
    /// therefore looked at here, and forgotten.
    fn parse_move(&self, notation: &str) -> Result<Move, IllegalMove> {
        let parsed = ParsedMove::parse(notation)?;
        self.check_way(&parsed)?;
        Ok(parsed.ends())
    }

    fn validate(&self, mv: &Move) -> Result<Captures, IllegalMove> {
        self.check_move(*mv)?;
        Ok(Captures::new())
    }

    fn apply(&mut self, mv: &Move) {
        debug_assert!(self.validate(mv).is_ok(), "only moves that validate accepts are made");
        self.board.carry(self.to_move, mv.from, mv.to);
        self.pass_turn();
    }

    /// The pieces stay where they are: they can be hopped over and are in the way.
    fn remove(&mut self, seat: Seat) {
        self.seats_in = self.seats_in.without(seat);
        if self.to_move == seat {
            self.pass_turn();
        }
    }

    fn skip(&mut self) {
        self.pass_turn();
    }

    fn pending(&self) -> Option<Consequence> {
        // Moves change only the mover's chains, so no other seat can be found here.
        if let Some(winner) = self.seats_in.iter().find(|&seat| self.connected(seat)) {
            let winners = SeatSet::only(winner);
            return Some(Consequence::End { winners, reason: EndReason::Connected });
        }
        if self.seats_in.len() <= 1 {
            let winners = self.seats_in;
            return Some(Consequence::End { winners, reason: EndReason::LastPlayer });
        }
        if self.can_move() {
            return None;
        }
        if self.seats_in.iter().any(|seat| self.board.can_move(seat)) {
            return Some(Consequence::Skip(self.to_move));
        }
        Some(Consequence::End { winners: self.seats_in, reason: EndReason::Stuck })
    }

    fn can_move(&self) -> bool {
        self.board.can_move(self.to_move)
    }

    fn count_moves(&self) -> MoveCount {
        MoveCount::Exactly(self.count().into())
    }

    fn moves(&self) -> impl Iterator<Item = Move> {
        self.steps_and_hops()
    }

    fn sample_moves(&self, max: usize, pick: &mut dyn FnMut(usize) -> usize) -> Vec<Move> {
        self.sample(max, pick)
    }

    fn sources(&self) -> Vec<Cell> {
        self.movable().map(|(from, _)| from.into()).collect()
    }

    fn targets(&self, from: Cell) -> Vec<Target> {
        Spot::of(from).map_or_else(Vec::new, |from| self.targets_of(from))
    }

    fn can_complete(&self, sketch: &Sketch) -> bool {
        self.can_complete_sketch(sketch)
    }

    fn followers(&self, first: &Sketch) -> Option<Followers> {
        let from = Spot::of(first.from().first()?.cell)?;
        Some(Followers { to: self.targets_of(from), from: Vec::new() })
    }

    fn build_move(&self, completed: &CompletedSketch) -> Result<Option<Move>, IllegalMove> {
        Self::build_sketched_move(completed)
    }

    fn winning_cells(&self) -> Vec<Cell> {
        let Some(winner) = self.seats_in.iter().find(|&seat| self.connected(seat)) else {
            return Vec::new();
        };
        let (home, away) = self.edges(winner);
        let chain = self.board.shortest_chain(winner, home, away);
        chain.iter().map(Cell::from).collect()
    }

    fn affected_cells(&self, mv: &Move) -> Vec<(Cell, Mark)> {
        mv.affected_cells().into()
    }

    /// Counts what is missing in the chain that needs the least, and the steps from the pieces that
    /// are not in it to its nearest gaps: so that those come forward.
    fn progress(&self, seat: Seat) -> i32 {
        let (home, away) = self.edges(seat);
        let (chain, missing) = easiest_chain(&self.board, seat, home, away);
        let gaps = chain & !self.board.occupied();
        let spare = self.board.pieces(seat) & !chain;
        let steps_to_gap = |from: Spot| gaps.iter().map(|gap| from.steps_to(gap)).min();
        let steps: i32 = spare.iter().filter_map(steps_to_gap).map(i32::from).sum();
        -GAP * missing - steps
    }

    /// A move fills one gap.
    fn moves_needed(&self, seat: Seat) -> u32 {
        self.progress(seat).unsigned_abs() / GAP.unsigned_abs()
    }

    fn hash(&self) -> u64 {
        mix(self.board.hash() ^ mix(self.state_number()))
    }

    fn hash_from_scratch(&self) -> u64 {
        mix(self.board.hash_from_scratch() ^ mix(self.state_number()))
    }

    fn stacks(&self) -> Vec<(Cell, String)> {
        let pieces = self.board.standing();
        pieces.map(|(spot, seat)| (spot.into(), self.letter(seat).into())).collect()
    }

    fn cell_name(&self, cell: Cell) -> CellName {
        Spot::of(cell).map_or_else(CellName::unknown, Spot::name)
    }

    fn cell(&self, name: &str) -> Option<Cell> {
        Spot::find(name).map(Cell::from)
    }

    fn layout(&self) -> Layout {
        let cells = Spot::all().map(|spot| {
            let (x, y) = spot.position();
            LayoutCell { cell: spot.into(), x, y, shape: CellShape::Point }
        });
        let edges = Seat::all(self.players()).flat_map(|seat| {
            let (home, away) = self.edges(seat);
            [("home", home), ("away", away)].map(|(name, edge)| {
                let cells = edge.iter().map(Cell::from).collect();
                LayoutEdge { seat, name, cells }
            })
        });
        Layout {
            cells: cells.collect(),
            edges: edges.collect(),
            letters: game::letters(self),
            levels: None,
        }
    }

    fn draw(&self, marks: &[(Cell, Mark)]) -> Drawing {
        let mut lines = vec![letter_line(), stroke_line()];
        lines.extend((0..ROWS).map(|row| self.draw_row(row, marks)));
        lines.extend([stroke_line(), letter_line()]);
        Drawing { lines }
    }

    fn notation_help(&self) -> &'static str {
        "q11-k13, by one step or by hops; the points landed on may be named: q11-o13-k13"
    }
}

/// What an empty point of a chain counts beside a step: more than all steps together, so that no
/// piece leaves the chain to bring others nearer.
const GAP: i32 = 250;

/// How many empty points one counts for that another seat's piece stands on. The piece may go away,
/// so that a seat whose every chain is barred still has something to work for.
const BARRED: usize = 2;

/// The points of the chain between two edges that a seat needs the least for, and how much that is,
/// in empty points.
fn easiest_chain(board: &Board, seat: Seat, one: CellSet, other: CellSet) -> (CellSet, i32) {
    let own = board.pieces(seat);
    let occupied = board.occupied();
    let mut before = [None; POINTS];
    // Points to go on from, by what is missing to get there beside what is missing already.
    let mut layers = [CellSet::EMPTY; BARRED + 1];
    let add = |layers: &mut [CellSet; BARRED + 1], spots: CellSet| {
        layers[0] = layers[0] | spots & own;
        layers[1] = layers[1] | spots & !occupied;
        layers[BARRED] = layers[BARRED] | spots & occupied & !own;
    };
    add(&mut layers, one);
    let mut seen = one;
    let mut missing = 0;
    loop {
        while let Some(spot) = layers[0].pop() {
            if other.contains(spot) {
                return (back_from(spot, &before), missing);
            }
            let fresh = spot.neighbours() & !seen;
            fresh.iter().for_each(|next| before[next.index()] = Some(spot));
            seen = seen | fresh;
            add(&mut layers, fresh);
        }
        layers.rotate_left(1);
        missing += 1;
    }
}

/// A point and all that led to it.
fn back_from(end: Spot, before: &[Option<Spot>; POINTS]) -> CellSet {
    std::iter::successors(Some(end), |spot| before[spot.index()])
        .fold(CellSet::EMPTY, CellSet::with)
}

/// Why a position cannot be set up.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum PositionError {
    /// Too few or too many players.
    #[error("Hexma is not for {players} players")]
    Players {
        /// As asked.
        players: usize,
    },
    /// A point that the board does not have.
    #[error("there is no cell {name:?} on this board")]
    NoSuchCell {
        /// As given.
        name: Box<str>,
    },
    /// The same point twice.
    #[error("{name} is given twice")]
    CellTwice {
        /// As given the second time.
        name: Box<str>,
    },
    /// Not the letter of a seat at this table.
    #[error("{letter:?} is not the letter of a player")]
    NotALetter {
        /// As given.
        letter: char,
    },
    /// The seat to move is not at this table.
    #[error("the seat to move does not play")]
    NobodyToMove,
}

impl Hexma {
    /// A position with these pieces, each a point's name and a seat's letter, in any number. No
    /// seat has left the game.
    pub fn from_setup(
        players: usize,
        pieces: &[(&str, char)],
        to_move: Seat,
    ) -> Result<Self, PositionError> {
        if !Self::PLAYERS.contains(&players) {
            return Err(PositionError::Players { players });
        }
        if !SeatSet::all(players).contains(to_move) {
            return Err(PositionError::NobodyToMove);
        }
        let mut board = Board::EMPTY;
        for &(name, letter) in pieces {
            let spot =
                Spot::find(name).ok_or_else(|| PositionError::NoSuchCell { name: name.into() })?;
            if board.owner(spot).is_some() {
                return Err(PositionError::CellTwice { name: name.into() });
            }
            let seat = Seat::all(players)
                .find(|seat| LETTERS[seat.index()].eq_ignore_ascii_case(&letter))
                .ok_or(PositionError::NotALetter { letter })?;
            board.put(spot, seat);
        }
        Ok(Self { board, to_move, ..Self::start(&Options::new(), players) })
    }
}

// The board as characters: a star with a letter for each piece.
//
// Columns are as wide as one character; their letters stand above and below, row numbers on both
// sides. The character before a point is always free, and holds the sign that points it out.

/// Characters of a row's number.
const NUMBER: usize = 2;

/// Characters between the first column and the row's number, the last of which can hold a sign, and
/// as many on the other side.
const DRAWN_GAP: usize = 3;

/// Characters before the first column.
const MARGIN: usize = NUMBER + DRAWN_GAP;

impl Hexma {
    fn draw_row(&self, row: u8, marks: &[(Cell, Mark)]) -> Vec<Span> {
        let spots: Vec<_> = Spot::all().filter(|spot| spot.place().1 == row).collect();
        // Rows are symmetric; the sign of the first point takes one of the blanks before it.
        let blanks = DRAWN_GAP + usize::from(spots[0].place().0);
        let number = row + 1;
        let mut line = vec![Span::plain(format!("{number:>NUMBER$}{:1$}", "", blanks - 1))];
        line.extend(spots.into_iter().map(|spot| self.draw_spot(spot, marks)));
        line.push(Span::plain(format!("{:blanks$}{number}", "")));
        line
    }

    fn draw_spot(&self, spot: Spot, marks: &[(Cell, Mark)]) -> Span {
        let cell = Cell::from(spot);
        let mark = Mark::of(cell, marks);
        let sign = sign(mark);
        let seat = self.board.owner(spot);
        let letter = seat.map_or('.', |seat| LETTERS[seat.index()]);
        Span { text: format!("{sign}{letter}"), seat, cell: Some(cell), mark }
    }
}

/// The letters of the columns, above the board and below it.
fn letter_line() -> Vec<Span> {
    let letters: String = (0..COLUMNS).map(column_letter).collect();
    vec![Span::plain(format!("{:MARGIN$}{letters}", ""))]
}

/// A stroke for every other column, from its letter towards the board.
fn stroke_line() -> Vec<Span> {
    let strokes = ["|"; (COLUMNS as usize).div_ceil(2)].join(" ");
    vec![Span::plain(format!("{:MARGIN$}{strokes}", ""))]
}
