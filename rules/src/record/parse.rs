//! Parses a text record. Replaying decides whether its moves are legal. Only ply numbers are
//! checked here, because a wrong one makes a record unreadable.

use super::text_record::{
    LineKind, NAME_LETTERS_MAX, RECORD_BYTES_MAX, RECORD_LINES_MAX, RecordLine, TextRecord,
    TextRecordError, TextRecordErrorKind,
};
use crate::{
    clock::TimeControl,
    event::{Player, Setup},
    games::Kind,
    options::Options,
    seat::{BySeat, Seat},
};

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
    /// Parses a record in time proportional to its length.
    pub fn parse(text: &str) -> Result<Self, TextRecordError> {
        if text.len() > RECORD_BYTES_MAX {
            return Err(TextRecordError { line: 1, column: 1, what: TextRecordErrorKind::TooLong });
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
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
    let said = row.split('#').next().unwrap_or_default();
    let mut words = Vec::new();
    let mut column = 1;
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
