//! The file of a book: text, with the format, the game and a digest in its first line, and a position
//! in each further one: the moves that lead to it, a bar, and what to play with its value.

use std::{
    fs, io,
    path::{Path, PathBuf},
    str::FromStr,
    sync::{Arc, PoisonError},
};

use adamant_rules::Kind;
use thiserror::Error;

use super::{BOOKS, Book, Entry, Valued};

/// The first words of a book, with the version of this format and the rules.
const MAGIC: &str = "adamant-book 1";

/// The books that are part of the program, as `adamant engine book make` writes them: of the games in
/// which they are no worse than a thought.
const BUILT_IN: [&str; 2] = [include_str!("stymie.book"), include_str!("diam.book")];

/// Why a file is no book.
#[derive(Debug, Error)]
pub enum BookFault {
    /// It cannot be read.
    #[error("it cannot be read: {0}")]
    Io(#[from] io::Error),
    /// It is something else, or of another version.
    #[error("it is no opening book of this version")]
    Other,
    /// There is none in the folder.
    #[error("it has no book; `adamant engine book make` makes one")]
    Missing,
    /// It has been changed, or cut off.
    #[error("it is damaged: make it again")]
    Damaged,
}

/// A file that is no book.
#[derive(Debug, Error)]
#[error("{}: {why}", file.display())]
pub struct BadBook {
    /// The file.
    pub file: PathBuf,
    /// What is wrong with it.
    pub why: BookFault,
}

impl Book {
    /// The text of its file.
    pub fn to_text(&self) -> String {
        let line = |Entry { path, moves }: &Entry| {
            let moves = moves.iter().map(|Valued { mv, value }| format!(" {mv} {value}"));
            let path = path.iter().map(|mv| format!("{mv} "));
            format!("{}|{}\n", path.collect::<String>(), moves.collect::<String>())
        };
        let body: String = self.entries.iter().map(line).collect();
        format!("{MAGIC} {} {}\n{body}", self.kind.name(), digest(self.kind, &body))
    }
}

fn digest(kind: Kind, body: &str) -> String {
    blake3::hash(format!("{}\n{body}", kind.name()).as_bytes()).to_hex()[..16].to_owned()
}

impl FromStr for Book {
    type Err = BookFault;

    fn from_str(text: &str) -> Result<Self, BookFault> {
        let text = text.strip_prefix(MAGIC).and_then(|text| text.strip_prefix(' '));
        let (head, body) = text.and_then(|text| text.split_once('\n')).ok_or(BookFault::Other)?;
        let (kind, known) = head.split_once(' ').ok_or(BookFault::Other)?;
        let kind = Kind::from_name(kind).ok_or(BookFault::Other)?;
        if known != digest(kind, body) {
            return Err(BookFault::Damaged);
        }
        let entries: Option<_> = body.lines().map(entry).collect();
        entries.and_then(|entries| Self::of(kind, entries)).ok_or(BookFault::Other)
    }
}

fn entry(line: &str) -> Option<Entry> {
    let (path, moves) = line.split_once('|')?;
    let path = path.split_whitespace().map(str::to_owned).collect();
    let moves: Vec<_> = moves.split_whitespace().collect();
    let valued = |pair: &[&str]| {
        let [mv, value] = pair else { return None };
        Some(Valued { mv: (*mv).to_owned(), value: value.parse().ok()? })
    };
    Some(Entry { path, moves: moves.chunks(2).map(valued).collect::<Option<_>>()? })
}

/// The file of a book in a folder of books.
pub fn book_file(folder: &Path, kind: Kind) -> PathBuf {
    folder.join(format!("{}.book", kind.name()))
}

/// Reads the book of a game from its file in a folder; none if there is no such file.
fn read_book(folder: &Path, kind: Kind) -> Result<Option<Book>, BadBook> {
    let file = book_file(folder, kind);
    let read = match fs::read_to_string(&file) {
        Ok(text) => text.parse::<Book>(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => Err(error.into()),
    };
    match read {
        Ok(book) if book.kind() == kind => Ok(Some(book)),
        Ok(_) => Err(BadBook { file, why: BookFault::Other }),
        Err(why) => Err(BadBook { file, why }),
    }
}

/// Reads the books of a folder.
///
/// # Errors
///
/// The file that is no book, and why, or the folder without any.
pub fn read_books(folder: &Path) -> Result<Vec<Book>, BadBook> {
    let read = |&kind: &Kind| read_book(folder, kind).transpose();
    let books: Vec<_> = Kind::ALL.iter().filter_map(read).collect::<Result<_, _>>()?;
    if books.is_empty() {
        return Err(BadBook { file: folder.to_owned(), why: BookFault::Missing });
    }
    Ok(books)
}

/// The books that are part of the program.
pub fn built_in_books() -> Vec<Book> {
    BUILT_IN.iter().map(|text| text.parse().expect("a test reads them")).collect()
}

/// Has searches that begin later use the books of a folder instead of those of the program.
///
/// # Errors
///
/// Those of [`read_books`]. Then nothing changes.
pub fn use_books(folder: &Path) -> Result<(), BadBook> {
    *BOOKS.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(read_books(folder)?);
    Ok(())
}
