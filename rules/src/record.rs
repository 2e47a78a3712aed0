//! The text record of a game: what a person types, mails or keeps. A challenge line as pbmserv has
//! it, then one move a line. The chained record of stored events is not this crate's.

use std::{
    borrow::Cow,
    collections::VecDeque,
    fmt::{self, Write as _},
    slice,
};

use crate::{
    clock::TimeControl,
    event::{AbortReason, Event, EventKind, Player, Setup},
    game::{Captures, EndReason, LeaveReason},
    games::{Kind, Position},
    options::{OptionError, Options},
    refusal::Refusal,
    seat::{BySeat, Seat},
    table::{Act, Departure, Outcome, SetupError, Table},
};

/// Bytes of a record, at the most. A move takes some ten bytes, so this is a very long game.
pub const RECORD_BYTES_MAX: usize = 1 << 20;

/// Lines of a record with something on them, at the most.
pub const RECORD_LINES_MAX: usize = 20_000;

/// Letters of a name, at the most: more than accounts may have, for records from elsewhere.
pub const NAME_LETTERS_MAX: usize = 32;

/// A game as written down.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextRecord {
    /// What the challenge line says. There are no clocks, and the game is not rated.
    pub setup: Setup,
    /// What the other lines say, without blank ones and comments.
    pub lines: Vec<RecordLine>,
}

/// A line of a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordLine {
    /// Its number, from 1.
    pub line: u32,
    /// Where on it the move begins, in characters from 1.
    pub column: u32,
    /// What it says.
    pub kind: LineKind,
}

/// What a line of a record says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LineKind {
    /// A move of the seat whose turn it is; only the referee knows whether it is one.
    Move(Box<str>),
    /// The seat whose turn it is gives up.
    Resign,
    /// A seat gives up, whosever turn it is.
    SeatResign(Seat),
    /// A seat was skipped.
    Pass,
    /// The players change seats.
    Swap,
    /// All who were left agreed to a draw.
    Draw,
}

/// Why a record cannot be read, and where.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}, column {column}: {what}")]
pub struct TextRecordError {
    /// The line, from 1.
    pub line: u32,
    /// The place on it, in characters from 1.
    pub column: u32,
    /// What is wrong there.
    pub what: TextRecordErrorKind,
}

/// Why a record cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum TextRecordErrorKind {
    /// More bytes than a record may have.
    #[error("a record has at most {RECORD_BYTES_MAX} bytes")]
    TooLong,
    /// More lines than a record may have.
    #[error("a record has at most {RECORD_LINES_MAX} lines")]
    TooManyLines,
    /// No line but blank ones and comments.
    #[error("the record is empty; it begins with GAME challenge [OPTIONS] NAME NAME [NAME]")]
    Empty,
    /// The first line is not a challenge.
    #[error("a record begins with GAME challenge [OPTIONS] NAME NAME [NAME]")]
    NotAChallenge,
    /// A game that is not played here.
    #[error("there is no game of the name {name}")]
    UnknownGame {
        /// As written, cut to a reasonable length.
        name: Box<str>,
    },
    /// A name that no player can have.
    #[error(
        "{name} is not a player's name: at most {NAME_LETTERS_MAX} of A-Z, a-z, 0-9, _ and -, \
         the first of them a letter or digit"
    )]
    BadName {
        /// As written, cut to a reasonable length.
        name: Box<str>,
    },
    /// An option or the number of players.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// All in all, no game can begin like this.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// A ply number before nothing.
    #[error("a move is missing after the ply number")]
    MoveMissing,
    /// A ply number that is not the line's.
    #[error("the ply number here is {ply}, not {given}")]
    WrongPly {
        /// As written.
        given: u32,
        /// As counted.
        ply: u32,
    },
    /// A seat's letter that is not one.
    #[error("{word} is not the letter of a seat in this game")]
    NoSuchSeat {
        /// As written, cut to a reasonable length.
        word: Box<str>,
    },
    /// More on a line than one move.
    #[error("a line has one move, which is written without spaces")]
    TooManyWords,
}

/// Letters of a mistaken word that are repeated in an error, at the most.
const QUOTED_LETTERS_MAX: usize = 40;

/// A word and where it stands, in characters from 1.
#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    column: u32,
}

/// The ply number that a line claims to have.
struct Claim {
    index: usize,
    given: u32,
    column: u32,
}

impl TextRecord {
    /// Parses a record in time proportional to its length, as it may have been pasted: see [`plain`].
    pub fn parse(text: &str) -> Result<Self, TextRecordError> {
        if text.len() > RECORD_BYTES_MAX {
            return Err(TextRecordError { line: 1, column: 1, what: TextRecordErrorKind::TooLong });
        }
        let text = plain(text);
        let mut rows = (1..).zip(text.lines()).filter_map(|(line, row)| {
            let words = words(row);
            (!words.is_empty()).then_some((line, words))
        });
        let Some((line, words)) = rows.next() else {
            return Err(TextRecordError { line: 1, column: 1, what: TextRecordErrorKind::Empty });
        };
        let setup = read_challenge(&words).map_err(|fault| fault.on(line))?;
        let mut record = Self { setup, lines: Vec::new() };
        let letters = record.letters();
        let mut claims = Vec::new();
        for (line, words) in rows {
            let index = record.lines.len();
            if index == RECORD_LINES_MAX {
                return Err(TextRecordError {
                    line,
                    column: 1,
                    what: TextRecordErrorKind::TooManyLines,
                });
            }
            let (claim, rest) = read_number(&words).map_err(|fault| fault.on(line))?;
            let (column, kind) = read_line(rest, &letters).map_err(|fault| fault.on(line))?;
            record.lines.push(RecordLine { line, column, kind });
            claims.extend(claim.map(|(given, column)| Claim { index, given, column }));
        }
        record.check_plies(&claims)?;
        Ok(record)
    }

    fn letters(&self) -> BySeat<char> {
        let players = self.setup.seats.len();
        let start = self.setup.kind.start(&self.setup.options, players);
        BySeat::from_fn(players, |seat| start.letter(seat))
    }

    /// Compares ply numbers with the game, as far as it can be played.
    fn check_plies(&self, claims: &[Claim]) -> Result<(), TextRecordError> {
        let mut replay = self.replay(false);
        let mut claims = claims.iter().peekable();
        for (index, line) in self.lines.iter().enumerate() {
            if claims.peek().is_none() {
                break;
            }
            if let Some(claim) = claims.next_if(|claim| claim.index == index) {
                let (given, ply) = (claim.given, replay.ply_of(&line.kind));
                if given != ply {
                    let what = TextRecordErrorKind::WrongPly { given, ply };
                    return Err(TextRecordError { line: line.line, column: claim.column, what });
                }
            }
            if !replay.can_follow(&line.kind) {
                break;
            }
        }
        Ok(())
    }
}

/// A fault and its place on a line whose number is not known yet.
struct LineError {
    column: u32,
    what: TextRecordErrorKind,
}

impl LineError {
    fn on(self, line: u32) -> TextRecordError {
        TextRecordError { line, column: self.column, what: self.what }
    }
}

impl Word<'_> {
    fn is(&self, word: &str) -> bool {
        self.text.eq_ignore_ascii_case(word)
    }

    fn fault(&self, what: impl Into<TextRecordErrorKind>) -> LineError {
        LineError { column: self.column, what: what.into() }
    }

    /// The word as an error repeats it.
    fn quoted(&self) -> Box<str> {
        match self.text.char_indices().nth(QUOTED_LETTERS_MAX) {
            Some((end, _)) => format!("{}...", &self.text[..end]).into(),
            None => self.text.into(),
        }
    }
}

/// The words of a row up to its comment.
fn words(row: &str) -> Vec<Word<'_>> {
    let (row, quoted) = unquoted(row);
    let said = row.split('#').next().unwrap_or_default();
    let mut words = Vec::new();
    let mut column = 1 + u32::try_from(quoted).expect("a record has few characters");
    for piece in said.split_inclusive(char::is_whitespace) {
        let text = piece.trim_end();
        if !text.is_empty() {
            words.push(Word { text, column });
        }
        column += u32::try_from(piece.chars().count()).expect("a record has few characters");
    }
    words
}

fn read_challenge(words: &[Word<'_>]) -> Result<Setup, LineError> {
    let [game, challenge, rest @ ..] = words else {
        return Err(words[0].fault(TextRecordErrorKind::NotAChallenge));
    };
    if !challenge.is("challenge") {
        return Err(challenge.fault(TextRecordErrorKind::NotAChallenge));
    }
    let kind = Kind::from_name(game.text)
        .ok_or_else(|| game.fault(TextRecordErrorKind::UnknownGame { name: game.quoted() }))?;
    let mut options = Options::new();
    let mut names = Vec::new();
    for word in rest {
        if word.text.starts_with('-') {
            let read = options.parse_word(word.text, kind.option_specs());
            let checked = read.and_then(|()| options.check(kind.option_specs()));
            checked.map_err(|error| word.fault(error))?;
        } else if is_name(word.text) {
            names.push(word.text);
        } else {
            return Err(word.fault(TextRecordErrorKind::BadName { name: word.quoted() }));
        }
    }
    // This also refuses more names than a table has seats.
    let options = kind.complete(&options, names.len()).map_err(|error| game.fault(error))?;
    let players = names.into_iter().map(Player::new);
    let seats = BySeat::try_from_iter(players).expect("no game is for more than a table's seats");
    let setup = Setup {
        kind,
        options,
        seats,
        clock: TimeControl::None,
        rated: false,
        delay: 0,
        unlisted: false,
    };
    setup.complete().map_err(|error| game.fault(error))
}

fn is_name(word: &str) -> bool {
    word.len() <= NAME_LETTERS_MAX
        && word.starts_with(|first: char| first.is_ascii_alphanumeric())
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

type Numbered<'a, 'b> = (Option<(u32, u32)>, &'b [Word<'a>]);

/// Takes the ply number off a line, with its column, if there is one.
fn read_number<'a, 'b>(words: &'b [Word<'a>]) -> Result<Numbered<'a, 'b>, LineError> {
    let [first, rest @ ..] = words else { return Ok((None, words)) };
    let digits = first.text.strip_suffix('.').unwrap_or(first.text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok((None, words));
    }
    if rest.is_empty() {
        return Err(first.fault(TextRecordErrorKind::MoveMissing));
    }
    // A number too great to be read is too great for any ply.
    let given = digits.parse().unwrap_or(u32::MAX);
    Ok((Some((given, first.column)), rest))
}

fn read_line(words: &[Word<'_>], letters: &BySeat<char>) -> Result<(u32, LineKind), LineError> {
    match words {
        [word] => Ok((word.column, parse_word(word))),
        [letter, resign] if resign.is("resign") => {
            let mut seats = letters.entries();
            let seat = seats.find(|(_, known)| letter.is(known.encode_utf8(&mut [0; 4])));
            let (seat, _): (Seat, _) = seat.ok_or_else(|| {
                letter.fault(TextRecordErrorKind::NoSuchSeat { word: letter.quoted() })
            })?;
            Ok((letter.column, LineKind::SeatResign(seat)))
        }
        [_, second, ..] => Err(second.fault(TextRecordErrorKind::TooManyWords)),
        [] => unreachable!("blank lines are left out, and a number does not stand alone"),
    }
}

fn parse_word(word: &Word<'_>) -> LineKind {
    if word.is("resign") {
        LineKind::Resign
    } else if word.is("pass") {
        LineKind::Pass
    } else if word.is("swap") {
        LineKind::Swap
    } else if word.is("draw") {
        LineKind::Draw
    } else {
        LineKind::Move(word.text.into())
    }
}

/// A text record has no clocks: everything in it happens at once.
const NOW: u64 = 0;

/// What a line of a record led to, or a skip that the rules made of their own.
#[derive(Clone, PartialEq, Debug)]
pub struct ReplayStep {
    /// How many moves and skips have been made by now.
    pub ply: u32,
    /// The seat that acted; absent for the start and for an agreed draw.
    pub seat: Option<Seat>,
    /// The move in canonical form, or `pass`, `resign` or `draw`; empty for the start.
    pub notation: String,
    /// What the move captured.
    pub captures: Captures,
    /// The seats that left the game by it or right after it.
    pub removed: Vec<Seat>,
    /// The position after all that.
    pub position: Position,
    /// Whose turn it is then, unless the game is over.
    pub to_move: Option<Seat>,
    /// How the game ended, if it did.
    pub outcome: Option<Outcome>,
}

/// A line of a record that cannot be played.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("ply {ply}: {notation}: {why}")]
pub struct ReplayError {
    /// The ply that it would have been.
    pub ply: u32,
    /// As written.
    pub notation: String,
    /// Why not, in a sentence.
    pub why: String,
}

/// A replay: the start, then step by step, up to the first line that cannot be played.
#[derive(Clone, Debug)]
pub struct TextReplay<'a> {
    table: Table,
    lines: slice::Iter<'a, RecordLine>,
    /// Steps that are ready to be returned.
    steps: VecDeque<ReplayStep>,
    /// Skips at the end of the returned steps, which `pass` lines may write down.
    skips: u32,
    /// A draw that was agreed on paper, of which the table knows nothing.
    drawn: Option<Outcome>,
    failed: bool,
}

impl TextRecord {
    /// Replays the record, with or without the rule that the third occurrence of a position ends
    /// the game. Its length does not end it, because a text lacks some records. The setup must be
    /// playable; that of a parsed record is.
    pub fn replay(&self, repetition: bool) -> TextReplay<'_> {
        let events = Table::begin(self.setup.clone(), NOW).expect("the setup can be played");
        let table = Table::new(&events[0]).expect("a game begins with its first event");
        let mut table = table.without_end();
        if !repetition {
            table = table.without_repetition();
        }
        let mut replay = TextReplay {
            table,
            lines: self.lines.iter(),
            steps: VecDeque::new(),
            skips: 0,
            drawn: None,
            failed: false,
        };
        replay.begin_step(None, String::new());
        for event in &events[1..] {
            replay.follow(event);
        }
        replay
    }
}

impl Iterator for TextReplay<'_> {
    type Item = Result<ReplayStep, ReplayError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(step) = self.steps.pop_front() {
                return Some(Ok(step));
            }
            if self.failed {
                return None;
            }
            let line = self.lines.next()?;
            if let Err(bad) = self.play(&line.kind) {
                self.failed = true;
                return Some(Err(bad));
            }
        }
    }
}

impl TextReplay<'_> {
    /// The ply that the next line is, if it says this.
    fn ply_of(&self, kind: &LineKind) -> u32 {
        match kind {
            LineKind::Pass if self.skips > 0 => self.table.ply() + 1 - self.skips,
            LineKind::Move(_)
            | LineKind::Resign
            | LineKind::SeatResign(_)
            | LineKind::Pass
            | LineKind::Swap
            | LineKind::Draw => self.table.ply() + 1,
        }
    }

    /// Plays a line and drops its steps; returns whether it could be played.
    fn can_follow(&mut self, kind: &LineKind) -> bool {
        let played = self.play(kind);
        self.steps.clear();
        played.is_ok()
    }

    fn play(&mut self, kind: &LineKind) -> Result<(), ReplayError> {
        if *kind == LineKind::Pass && self.skips > 0 {
            self.skips -= 1;
            return Ok(());
        }
        let (None, Some(to_move)) = (&self.drawn, self.table.to_move()) else {
            return Err(self.bad(kind, Refusal::GameOver));
        };
        let act = match kind {
            LineKind::Move(notation) => {
                Act::Move { seat: to_move, turn: self.table.turn(), notation, lag_ms: 0 }
            }
            LineKind::Resign => Act::Resign { seat: to_move },
            LineKind::SeatResign(seat) => Act::Resign { seat: *seat },
            LineKind::Pass => {
                return Err(self.bad(kind, "a pass stands only where the rules skip a player"));
            }
            LineKind::Swap => {
                Act::Move { seat: to_move, turn: self.table.turn(), notation: "swap", lag_ms: 0 }
            }
            LineKind::Draw => {
                self.draw();
                return Ok(());
            }
        };
        let events = self.table.decide(&act, NOW).map_err(|refusal| self.bad(kind, refusal))?;
        self.skips = 0;
        for event in &events {
            self.follow(event);
        }
        Ok(())
    }

    /// Lets an event happen and adds it to the step that it belongs to. One that begins what a
    /// line led to without being a move is a resignation.
    fn follow(&mut self, event: &Event) {
        self.table.apply(event).expect("a table applies what it has decided");
        let first = self.steps.is_empty();
        match &event.kind {
            EventKind::Moved { seat, mv, captures, .. } => {
                self.begin_step(Some(*seat), mv.to_string());
                self.step().captures.clone_from(captures);
            }
            EventKind::Swapped { seat, mv, .. } => self.begin_step(Some(*seat), mv.to_string()),
            EventKind::Skipped { seat, .. } => {
                self.begin_step(Some(*seat), "pass".to_owned());
                self.skips += 1;
            }
            EventKind::Removed { seat, .. } => {
                if first {
                    self.begin_step(Some(*seat), "resign".to_owned());
                }
                self.step().removed.push(*seat);
            }
            EventKind::Ended { by, .. } if first => self.begin_step(*by, "resign".to_owned()),
            _ => {}
        }
        let position = self.table.position().clone();
        let (to_move, outcome) = (self.table.to_move(), self.table.outcome().cloned());
        let step = self.step();
        step.position = position;
        step.to_move = to_move;
        step.outcome = outcome;
    }

    fn draw(&mut self) {
        let outcome = self.table.agreed_draw();
        self.skips = 0;
        self.begin_step(None, "draw".to_owned());
        let step = self.step();
        step.to_move = None;
        step.outcome = Some(outcome.clone());
        self.drawn = Some(outcome);
    }

    /// Begins a step with the table as it stands.
    fn begin_step(&mut self, seat: Option<Seat>, notation: String) {
        self.steps.push_back(ReplayStep {
            ply: self.table.ply(),
            seat,
            notation,
            captures: Captures::new(),
            removed: Vec::new(),
            position: self.table.position().clone(),
            to_move: self.table.to_move(),
            outcome: None,
        });
    }

    fn step(&mut self) -> &mut ReplayStep {
        self.steps.back_mut().expect("every event belongs to a step that was begun before")
    }

    fn bad(&self, kind: &LineKind, why: impl fmt::Display) -> ReplayError {
        let notation = match kind {
            LineKind::Move(notation) => notation.to_string(),
            LineKind::Resign => "resign".to_owned(),
            LineKind::SeatResign(seat) => {
                format!("{} resign", self.table.position().letter(*seat))
            }
            LineKind::Pass => "pass".to_owned(),
            LineKind::Swap => "swap".to_owned(),
            LineKind::Draw => "draw".to_owned(),
        };
        ReplayError { ply: self.table.ply() + 1, notation, why: why.to_string() }
    }
}

/// Returns a text with the letters that notation has. Line ends become `\n`, and every dash `-`.
///
/// ```
/// use adamant_rules::record::plain;
///
/// assert_eq!(plain("\u{feff}c1\u{2013}c2\r\n"), "c1-c2\n");
/// ```
pub fn plain(text: &str) -> Cow<'_, str> {
    let is_plain = |letter: char| letter.is_ascii() && letter != '\r';
    let Some(first) = text.find(|letter| !is_plain(letter)) else { return Cow::Borrowed(text) };
    let mut plain = String::with_capacity(text.len());
    plain.push_str(&text[..first]);
    let mut letters = text[first..].chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\r' => {
                letters.next_if_eq(&'\n');
                plain.push('\n');
            }
            '\u{85}' | '\u{2028}' | '\u{2029}' => plain.push('\n'),
            // Hyphens, dashes and minus signs.
            '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' => plain.push('-'),
            '\u{d7}' => plain.push('x'),
            // Letters as wide as two, from keyboards of East Asia.
            '\u{ff01}'..='\u{ff5e}' => {
                plain.extend(char::from_u32(u32::from(letter) - 0xff01 + u32::from('!')));
            }
            // Soft hyphens, joiners, marks of direction and of byte order.
            '\u{ad}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}'
            | '\u{feff}' => {}
            blank if blank.is_whitespace() && !blank.is_ascii() => plain.push(' '),
            other => plain.push(other),
        }
    }
    Cow::Owned(plain)
}

/// Returns a row without the marks of a mail that quotes it, and how many letters they are.
fn unquoted(row: &str) -> (&str, usize) {
    let said = row.trim_start_matches(|mark: char| mark == '>' || mark.is_whitespace());
    if row.trim_start().starts_with('>') { (said, row.len() - said.len()) } else { (row, 0) }
}

/// The text record of a game, finished or not. What the form cannot say is said in comments; a
/// player whose time ran out in a game that went on is written as one who resigned, so that the
/// moves after it can be replayed.
pub fn write(table: &Table) -> String {
    let mut text = String::new();
    write_record(&mut text, table).expect("writing to a string does not fail");
    text
}

fn write_record(text: &mut String, table: &Table) -> fmt::Result {
    let setup = table.setup();
    write!(text, "{} challenge", setup.kind.name())?;
    let options = setup.options.to_string();
    let names = setup.seats.iter().map(|player| player.user.as_ref());
    for word in std::iter::once(options.as_str()).filter(|text| !text.is_empty()).chain(names) {
        write!(text, " {word}")?;
    }
    writeln!(text)?;
    if let Some((seat, left)) = table.substituted() {
        let (letter, computer) = (table.position().letter(seat), &table.players()[seat].user);
        writeln!(text, "# {letter}: {computer} has taken the seat of {}, who left", left.user)?;
    }
    write_departures(text, table, 0)?;
    for (ply, notation) in (1..).zip(table.moves()) {
        writeln!(text, "{notation}")?;
        write_departures(text, table, ply)?;
    }
    match table.outcome() {
        Some(Outcome::Ended { winners, reason: EndReason::Ruling, .. }) => match winners.single() {
            Some(winner) => {
                writeln!(text, "# {} won by a ruling", table.position().letter(winner))
            }
            None => writeln!(text, "# drawn by a ruling"),
        },
        Some(Outcome::Ended { winners, reason, .. }) => {
            let beaten = table.seats_in().iter().find(|&seat| !winners.contains(seat));
            write_end(text, table, *reason, beaten)
        }
        Some(Outcome::Aborted { by, reason }) => {
            let letter = table.position().letter(*by);
            match reason {
                AbortReason::ByPlayer => writeln!(text, "# called off by {letter}"),
                AbortReason::Agreed => writeln!(text, "# called off by agreement"),
                AbortReason::NoShow => writeln!(text, "# called off: {letter} did not come"),
                AbortReason::Ruling => writeln!(text, "# called off by a ruling"),
            }
        }
        None => Ok(()),
    }
}

/// Those who left of their own after this ply; the rules remove the others again by themselves.
fn write_departures(text: &mut String, table: &Table, ply: u32) -> fmt::Result {
    let departures = table.departures().iter().filter(|departure| departure.ply == ply);
    for &Departure { seat, reason, .. } in departures {
        let letter = table.position().letter(seat);
        match reason {
            LeaveReason::NoPieces | LeaveReason::NoMove => {}
            LeaveReason::Resigned => writeln!(text, "{letter} resign")?,
            LeaveReason::TimedOut => writeln!(text, "{letter} resign # ran out of time")?,
            LeaveReason::Abandoned => writeln!(text, "{letter} resign # went away")?,
        }
    }
    Ok(())
}

/// The end, where it is not in the moves. `beaten` is in the game and has not won it.
fn write_end(
    text: &mut String,
    table: &Table,
    reason: EndReason,
    beaten: Option<Seat>,
) -> fmt::Result {
    let letter = |seat| table.position().letter(seat);
    match (reason, beaten) {
        (EndReason::Resigned, Some(seat)) if seat == table.position().to_move() => {
            writeln!(text, "resign")
        }
        (EndReason::Resigned, Some(seat)) => writeln!(text, "{} resign", letter(seat)),
        (EndReason::TimedOut, Some(seat)) => writeln!(text, "# {} ran out of time", letter(seat)),
        (EndReason::Abandoned, Some(seat)) => writeln!(text, "# {} went away", letter(seat)),
        (EndReason::Agreement, _) => writeln!(text, "draw"),
        (EndReason::TooLong, _) => writeln!(text, "# drawn: the game had become too long"),
        (
            EndReason::Resigned
            | EndReason::TimedOut
            | EndReason::Abandoned
            | EndReason::LastPlayer
            | EndReason::TwoPieces
            | EndReason::Connected
            | EndReason::Aligned
            | EndReason::Stuck
            | EndReason::Repetition
            | EndReason::Ruling,
            _,
        ) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_pasted_becomes_what_was_meant() {
        for (pasted, meant) in [
            ("c1-c2\n", "c1-c2\n"),
            ("c1\u{2013}c2", "c1-c2"),
            ("c1\u{2212}c2", "c1-c2"),
            ("c1\u{2011}c2", "c1-c2"),
            ("c1-c2\u{200b}", "c1-c2"),
            ("\u{feff}c1\u{a0}-\u{202f}c2", "c1 - c2"),
            ("\u{ff43}\u{ff11}\u{ff0d}c2\u{ff0c}d1", "c1-c2,d1"),
            ("4\u{d7}c1-c2", "4xc1-c2"),
            ("1\r2\r\n3\u{2028}4\n\r5", "1\n2\n3\n4\n\n5"),
            ("\u{e9}\u{1f600}", "\u{e9}\u{1f600}"),
        ] {
            assert_eq!(plain(pasted), meant, "{pasted:?}");
        }
    }
}
