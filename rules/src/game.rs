//! The trait of a game. Tables, records, servers and clients know games only by it.

use std::fmt;

use arrayvec::ArrayVec;

use crate::{
    cell::{Cell, CellName},
    hashing,
    notation::{MoveSink, Notation},
    options::{OptionError, OptionSpec, Options},
    refusal::IllegalMove,
    seat::{Seat, SeatSet},
    sketch::{CompletedSketch, Sketch},
};

/// Enemy pieces that a move took off the board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Capture {
    /// Where they stood.
    pub cell: Cell,
    /// Whose they were.
    pub seat: Seat,
    /// How many they were.
    pub pieces: u8,
}

/// Captures of one move, at the most: a stack sees along six rays, one stack on each.
pub const CAPTURES_MAX: usize = 6;

/// What one move captured, in the order of its parts.
pub type Captures = ArrayVec<Capture, CAPTURES_MAX>;

/// Why a seat left the game before its end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum LeaveReason {
    /// Its last piece was captured.
    NoPieces,
    /// It had pieces, but no legal move when its turn came.
    NoMove,
    /// It gave up.
    Resigned,
    /// Its clock ran out.
    TimedOut,
    /// It went away and did not come back in time.
    Abandoned,
}

/// Why a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum EndReason {
    /// One seat was left.
    LastPlayer,
    /// Two pieces were left that do not see each other.
    TwoPieces,
    /// Two edges of the board were connected.
    Connected,
    /// Two like pieces stood opposite each other.
    Aligned,
    /// No seat could move.
    Stuck,
    /// The same position came up for the third time.
    Repetition,
    /// The game had become longer than one may be.
    TooLong,
    /// All who were left agreed to a draw.
    Agreement,
    /// The last opponent gave up.
    Resigned,
    /// The last opponent's clock ran out.
    TimedOut,
    /// The last opponent went away.
    Abandoned,
    /// An operator of the server has decided.
    Ruling,
}

/// What a position demands before the next move can be made.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum Consequence {
    /// The seat is out of the game.
    Remove(Seat, LeaveReason),
    /// The seat to move has no legal move and is passed over.
    Skip(Seat),
    /// The game is over.
    End {
        /// One seat, or several for a draw.
        winners: SeatSet,
        /// How it came about.
        reason: EndReason,
    },
}

/// A cell that a piece may go to, as a hint to the player.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Target {
    /// The destination.
    pub cell: Cell,
    /// Whether going there captures.
    pub capture: bool,
}

/// The cells that can be picked after a first one, each list in the order of the cells.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Followers {
    /// Those that pieces can arrive at.
    pub to: Vec<Target>,
    /// Those that more pieces can leave.
    pub from: Vec<Cell>,
}

/// How a cell is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum CellShape {
    /// A hexagon.
    Hex,
    /// A round point.
    Point,
    /// An octagon.
    Octagon,
    /// A square.
    Square,
    /// A sector of a ring.
    Sector,
}

/// One cell of a drawn board. A distance of 1 lies between neighbours; y grows downwards.
#[derive(Clone, PartialEq, Debug)]
pub struct LayoutCell {
    /// The cell.
    pub cell: Cell,
    /// Its middle, to the right.
    pub x: f64,
    /// Its middle, downwards.
    pub y: f64,
    /// Its shape.
    pub shape: CellShape,
}

/// A board edge that means something to the game, such as a goal.
#[derive(Clone, PartialEq, Debug)]
pub struct LayoutEdge {
    /// Whose edge it is.
    pub seat: Seat,
    /// What it is to them, such as `home`.
    pub name: &'static str,
    /// The cells it consists of.
    pub cells: Vec<Cell>,
}

/// The letters of each seat, in a game where all pieces of a seat are alike.
pub(crate) fn letters(game: &impl Game) -> Vec<String> {
    Seat::all(game.players()).map(|seat| game.letter(seat).into()).collect()
}

/// All that is needed to draw a board without knowing the game.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Layout {
    /// Every cell of the board.
    pub cells: Vec<LayoutCell>,
    /// Its goals, if the game has any.
    pub edges: Vec<LayoutEdge>,
    /// For each seat, the letters of its pieces.
    pub letters: Vec<String>,
    /// How many pieces a cell holds, where the height of each one matters.
    pub levels: Option<u8>,
}

/// The number of legal moves, where it can be told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoveCount {
    /// This many different moves.
    Exactly(u128),
    /// The rules in force make counting meaningless; the sentence says why.
    NotCounted(&'static str),
}

/// What a list of representative moves stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Represented {
    /// The number of legal moves.
    pub total: MoveCount,
    /// Whether the list leaves some out.
    pub is_cut: bool,
}

/// A game: its positions and everything the rules say about them.
///
/// A position knows the seats still in, whose turn it is and all that decides legality. It does not
/// know clocks, users, offers or repetition, which are the table's.
pub trait Game: Sized + Clone + fmt::Debug + PartialEq {
    /// A legal or refused move, read from notation. Displays as canonical notation.
    type Move: Clone + fmt::Debug + PartialEq + fmt::Display + Notation;
    /// A rule that a move breaks. Displays as a sentence for the player.
    type RuleViolation: Clone + Eq + std::error::Error + Into<IllegalMove>;

    /// The game's name on the wire and in records.
    const NAME: &'static str;
    /// Its name for people.
    const TITLE: &'static str;
    /// What it is about, in one sentence.
    const GOAL: &'static str;
    /// The version of its rules that this code plays.
    const VERSION: u16;
    /// What can be chosen in a challenge.
    const OPTIONS: &'static [OptionSpec];
    /// Flags that are on in rated games unless the players choose otherwise.
    const ON_WHEN_RATED: &'static [&'static str] = &[];
    /// How many may play.
    const PLAYERS: std::ops::RangeInclusive<usize>;
    /// Whether moves can capture.
    const CAPTURES: bool;
    /// What it is about and how moves are written, on less than a screen: at most twelve lines of
    /// 80 characters, the first of which begins with the name in capitals.
    const RULES_SUMMARY: &'static str;

    /// Checks options and completes them with their defaults, which may depend on each other.
    fn complete(options: &Options, players: usize) -> Result<Options, OptionError>;
    /// The opening position. `options` are complete.
    fn start(options: &Options, players: usize) -> Self;

    /// The letter that shows a seat in notation, drawings and records.
    fn letter(&self, seat: Seat) -> char;
    /// How many seats the game began with.
    fn players(&self) -> usize;
    /// Whose turn it is.
    fn to_move(&self) -> Seat;
    /// Returns the seats that are still in the game.
    fn seats_in(&self) -> SeatSet;

    /// Parses a move in the game's notation. Cells must exist; legality is [`Game::validate`]'s.
    fn parse_move(&self, notation: &str) -> Result<Self::Move, IllegalMove>;
    /// Whether the seat to move may make this move, and what it would capture. `parse_move` has
    /// made the move canonical.
    fn validate(&self, mv: &Self::Move) -> Result<Captures, IllegalMove>;
    /// Makes a move that `validate` accepts, and passes the turn on.
    fn apply(&mut self, mv: &Self::Move);
    /// Whether the move swaps the seats of two players. The table assigns players to seats: in the
    /// game, pieces and turn stay with their seats.
    fn swaps_seats(&self, _play: &Self::Move) -> bool {
        false
    }
    /// Takes a seat out of the game by the game's own rule, and passes the turn on if it was
    /// theirs.
    fn remove(&mut self, seat: Seat);
    /// Passes over the seat to move.
    fn skip(&mut self);
    /// What must happen before the next move, if anything: first things first.
    fn pending(&self) -> Option<Consequence>;

    /// Whether the seat to move has any legal move. Never enumerates where that could be long.
    fn can_move(&self) -> bool;
    /// The number of different legal moves.
    fn count_moves(&self) -> MoveCount;
    /// Whether the rules in force let legal moves be counted.
    fn counts_moves(&self) -> bool {
        true
    }
    /// Every legal move in a stable order, each found when it is asked for.
    fn moves(&self) -> impl Iterator<Item = Self::Move>;
    /// Returns at most `max` legal moves in that order.
    fn legal_moves(&self, max: usize) -> Vec<Self::Move> {
        self.moves().take(max).collect()
    }
    /// Returns legal moves after a legal one in that order, or from the first on. With `from`, only
    /// moves that take pieces from that cell or, if they take none, put some there. The cost grows
    /// with the number of moves returned.
    fn moves_after(
        &self,
        from: Option<Cell>,
        after: Option<&Self::Move>,
        max: usize,
    ) -> Vec<Self::Move> {
        let mut moves = self.moves();
        if let Some(after) = after {
            // Ends the moves if it is not among them.
            moves.find(|mv| mv == after);
        }
        let is_wanted = |mv: &Self::Move| {
            let Some(from) = from else { return true };
            let affected = self.affected_cells(mv);
            let takes = affected.iter().any(|&(_, mark)| mark == Mark::From);
            affected.contains(&(from, if takes { Mark::From } else { Mark::To }))
        };
        moves.filter(is_wanted).take(max).collect()
    }
    /// Returns at most `max` representative legal moves, the same ones for the same position: all
    /// if they fit, else every capture and every move of one part as far as there is room, then an
    /// even sample of the others.
    fn representative_moves(&self, max: usize) -> Vec<Self::Move> {
        let few = self.legal_moves(max.saturating_add(1));
        if few.len() <= max { few } else { self.representatives_of_many(max) }
    }
    /// Returns representative legal moves of a position that has more than `max`.
    fn representatives_of_many(&self, max: usize) -> Vec<Self::Move> {
        let all = self.legal_moves(usize::MAX);
        let places = hashing::spread(all.len() as u128, max, self.hash());
        places.filter_map(|place| all.get(usize::try_from(place).ok()?).cloned()).collect()
    }
    /// Adds the representative legal moves to an empty list. Those that are all are neither
    /// collected nor counted before.
    fn list_representatives(&self, max: usize, list: &mut impl MoveSink) -> Represented {
        let mut listed = 0;
        let is_cut = self.moves().any(|mv| {
            let is_beyond = listed == max;
            if !is_beyond {
                list.push(&mv);
                listed += 1;
            }
            is_beyond
        });
        if is_cut {
            list.clear();
            for mv in &self.representatives_of_many(max) {
                list.push(mv);
            }
        }
        let is_counted = !is_cut && self.counts_moves();
        let total =
            if is_counted { MoveCount::Exactly(listed as u128) } else { self.count_moves() };
        Represented { total, is_cut }
    }
    /// Returns a random sample of at most `max` different legal moves: all if they fit, else
    /// captures first, in at most half of the room, then moves of every kind. `pick(n)` returns a
    /// random number below `n`. The sample is empty only if `max` is 0 or the seat to move has no
    /// move.
    fn sample_moves(&self, max: usize, pick: &mut dyn FnMut(usize) -> usize) -> Vec<Self::Move>;
    /// Cells that the seat to move may act on.
    fn sources(&self) -> Vec<Cell>;
    /// Where pieces may go from a cell that the seat to move may act on.
    fn targets(&self, from: Cell) -> Vec<Target>;
    /// Whether further cells, with any amounts, could make this sketch a legal move. Ignores the
    /// wished amounts. Returns true if the exact answer would be expensive.
    fn can_complete(&self, sketch: &Sketch) -> bool;
    /// The cells that can be picked after one that a move can begin with: what
    /// [`Game::can_complete`] says of every cell, where there is a faster way to tell.
    fn followers(&self, _first: &Sketch) -> Option<Followers> {
        None
    }
    /// Returns the sketch with possible amounts: the wished ones, or the nearest.
    fn complete_sketch(&self, sketch: &Sketch) -> CompletedSketch {
        CompletedSketch::of(sketch)
    }
    /// Builds the move of a completed sketch in canonical form; `None` while a part is missing.
    /// Legality is [`Game::validate`]'s.
    fn build_move(&self, completed: &CompletedSketch) -> Result<Option<Self::Move>, IllegalMove>;
    /// The occupied cells while a sketch is put together that is no legal move yet, as
    /// [`Game::stacks`]: pieces that a move lifts still stand where they were.
    fn stacks_of_sketch(&self, _completed: &CompletedSketch) -> Vec<(Cell, String)> {
        self.stacks()
    }
    /// Whether pieces of the seat to move that arrive at a cell capture there.
    fn is_capture(&self, _cell: Cell) -> bool {
        false
    }
    /// Cells with pieces that another seat could capture, were it that seat's turn. What counts is
    /// the position as it is: a capture that a move's own first part would make possible is none
    /// yet.
    fn threatened(&self) -> Vec<Cell> {
        Vec::new()
    }
    /// The cells by which a seat has won on the board: a shortest chain, or pieces that face each
    /// other. Empty while nobody has, and in games that are won otherwise.
    fn winning_cells(&self) -> Vec<Cell> {
        Vec::new()
    }
    /// The legal moves that have no cells.
    fn named_moves(&self) -> Vec<Self::Move> {
        Vec::new()
    }
    /// Cells that a move takes pieces from and puts pieces on, for marking it in a drawing.
    fn affected_cells(&self, mv: &Self::Move) -> Vec<(Cell, Mark)>;

    /// How near a seat is to its aim by the game's own cheap measure: greater is nearer, and only
    /// values of one game compare. For players that cannot look far ahead.
    fn progress(&self, _seat: Seat) -> i32 {
        0
    }

    /// A number of its own moves with less than which a seat does not win, as far as its
    /// [`progress`](Game::progress) tells. Above 1 it is certain that the next move wins nothing;
    /// greater numbers are a guess.
    fn moves_needed(&self, _seat: Seat) -> u32 {
        0
    }

    /// The lead in [`progress`](Game::progress) over the other seats that half decides the game.
    fn telling_lead(&self) -> i32 {
        self.seats_in().iter().map(|seat| self.progress(seat).abs()).max().unwrap_or(0)
    }

    /// Covers everything the rules remember; kept up to date move by move.
    fn hash(&self) -> u64;
    /// The same value computed again, to check the other.
    fn hash_from_scratch(&self) -> u64;

    /// Every occupied cell in the game's order, with a letter per piece, bottom piece first.
    fn stacks(&self) -> Vec<(Cell, String)>;
    /// A letter for each piece that a seat has yet to bring onto the board.
    fn in_reserve(&self, _seat: Seat) -> String {
        String::new()
    }
    /// The name of a cell of this board.
    fn cell_name(&self, cell: Cell) -> CellName;
    /// The cell of this board with that name, in any case.
    fn cell(&self, name: &str) -> Option<Cell>;
    /// The board to draw.
    fn layout(&self) -> Layout;
    /// The board as characters, with the given cells pointed out.
    fn draw(&self, marks: &[(Cell, Mark)]) -> Drawing;
    /// How to write a move, in one line, for a prompt.
    fn notation_help(&self) -> &'static str;
}

/// What to point out in a drawing. Of several marks on one cell, the last of this order is drawn.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Mark {
    /// The last move took pieces from here.
    From,
    /// The last move put pieces here.
    To,
    /// The last move captured here.
    Captured,
    /// The chosen pieces may go here.
    Target,
    /// What stands here could be captured.
    Threatened,
    /// The player has chosen this cell.
    Chosen,
    /// The player's cursor is here.
    Cursor,
}

impl Mark {
    /// The one that is drawn of a cell, if there is any.
    pub(crate) fn of(cell: Cell, marks: &[(Cell, Self)]) -> Option<Self> {
        marks.iter().filter(|&&(marked, _)| marked == cell).map(|&(_, mark)| mark).max()
    }

    /// How it is drawn.
    const fn sign(self) -> char {
        match self {
            Self::From => '-',
            Self::To => '+',
            Self::Captured => '*',
            Self::Target => ':',
            Self::Threatened => '!',
            Self::Chosen => '=',
            Self::Cursor => '>',
        }
    }
}

/// How a cell with this mark is pointed out; a blank if it has none.
pub(crate) fn sign(mark: Option<Mark>) -> char {
    mark.map_or(' ', Mark::sign)
}

/// One run of characters of a drawing, so that a terminal can colour it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Span {
    /// The characters.
    pub text: String,
    /// The seat whose piece they show, if any.
    pub seat: Option<Seat>,
    /// The cell they belong to, if any.
    pub cell: Option<Cell>,
    /// What to point out about that cell, if anything.
    pub mark: Option<Mark>,
}

impl Span {
    /// Characters that show nothing but themselves.
    pub(crate) fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), seat: None, cell: None, mark: None }
    }
}

/// A board drawn with characters, line by line. Plain text is the spans' texts in a row.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Drawing {
    /// The lines from the top.
    pub lines: Vec<Vec<Span>>,
}

impl fmt::Display for Drawing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.lines {
            let text: String = line.iter().map(|span| span.text.as_str()).collect();
            writeln!(f, "{}", text.trim_end())?;
        }
        Ok(())
    }
}
