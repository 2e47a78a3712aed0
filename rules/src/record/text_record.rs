//! What a text record consists of, and why one cannot be read.

use super::plain::{plain, unquoted};
use crate::{
    clock::TimeControl,
    event::{Player, Setup},
    games::Kind,
    options::{OptionError, Options},
    seat::{BySeat, Seat},
    table::SetupError,
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
    let players = names.into_iter().map(|name| Player {
        user: name.into(),
        bot: false,
        guest: false,
        rating: None,
    });
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
