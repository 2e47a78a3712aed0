//! `adamant engine`: the engine's side of the protocol, and what is done with the engine alone.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write as _},
    ops::RangeInclusive,
    path::{Path, PathBuf},
    process,
    time::Duration,
};

use adamant_engine::{
    choice::Level,
    protocol::{ServeSettings, serve},
    search::{self, BenchLine, Book, Endgame, Opening, Progress, Settings},
};
use adamant_rules::Kind;
use anyhow::{Context as _, bail};
use clap::{Args, Subcommand, builder::PossibleValuesParser};
use indicatif::ProgressBar;
use serde::Serialize;

use crate::{
    failure::{CommandResult, ExitStatus},
    output::{Output, format_table, progress_bar},
};

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct EngineArgs {
    /// What to do instead of serving a host.
    #[command(subcommand)]
    pub(crate) command: Option<EngineTask>,
    /// How it chooses moves: a level from 1 to 8, random, greedy, hard-0.1 or search
    #[arg(long, default_value_t = Level::Search)]
    pub(crate) level: Level,
    /// The most nodes of a thought, whatever the host says
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) nodes: Option<u64>,
    /// The seed: the same seed and nodes play the same moves
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Use the endgame tables of this folder, too
    #[arg(long, value_name = "FOLDER")]
    pub(crate) tables: Option<PathBuf>,
    /// Play the first moves by the opening books of this folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) books: Option<PathBuf>,
}

/// The time between two pictures of what shows that a proof goes on.
const TICK: Duration = Duration::from_millis(200);

/// Commands of `engine`.
#[derive(Debug, Subcommand)]
pub(crate) enum EngineTask {
    /// Search fixed positions with fixed nodes: the total is the signature of the search
    Bench,
    /// Prove who wins each opening of a small board, without the swap, or how long nobody does
    ///
    /// Examples: adamant engine solve stymie --size 4 --check, or
    /// adamant engine solve diam --plies 11
    Solve {
        /// The game
        #[arg(value_parser = solved_games())]
        game: String,
        /// The size of the board, where the game has several; 5 takes minutes, a check half an hour
        #[arg(long, value_name = "N", value_parser = range(search::SOLVED_SIZES))]
        size: Option<u8>,
        /// How far to look, where nobody knows the end; each two more take four times as long
        #[arg(long, value_name = "N", value_parser = range(1..=99))]
        plies: Option<u8>,
        /// Have another solver prove the same, on size 5 this one without its shortcuts
        #[arg(long)]
        check: bool,
    },
    /// Make or check endgame tables of Adamas
    #[command(subcommand)]
    Tables(TablesTask),
    /// Make or check opening books
    #[command(subcommand)]
    Book(BookTask),
}

/// Commands of `engine book`.
#[derive(Debug, Subcommand)]
pub(crate) enum BookTask {
    /// Make the book of a game of two with its default options
    ///
    /// Example: adamant engine book make stymie books
    Make {
        /// The game
        #[arg(value_parser = all_games())]
        game: String,
        /// How many plies it goes on; each one more takes four times as long
        #[arg(long, value_name = "N", default_value_t = 4, value_parser = range(1..=8))]
        plies: u8,
        /// The folder that the book goes to
        folder: PathBuf,
    },
    /// Think about each position of the books once more, and tell the moves that seem to be bad
    #[command(after_help = "Example: adamant engine book check books")]
    Check {
        /// A folder with books; without it, those of the program
        folder: Option<PathBuf>,
    },
}

/// Commands of `engine tables`.
#[derive(Debug, Subcommand)]
pub(crate) enum TablesTask {
    /// Make a table; with 8 pieces it takes some minutes, and knows more than that of the program
    #[command(after_help = "Example: adamant engine tables make --size 3 --pieces 8 tables")]
    Make {
        /// The size of the board
        #[arg(long, value_name = "N", default_value_t = 3, value_parser = range(search::TABLE_SIDES))]
        size: u8,
        /// The most pieces of both players together
        #[arg(long, value_name = "N", default_value_t = 8, value_parser = range(search::TABLE_PIECES))]
        pieces: u8,
        /// The folder that the table goes to
        folder: PathBuf,
    },
    /// Compare each value of the tables with those of the positions after all moves
    #[command(after_help = "Example: adamant engine tables check tables")]
    Check {
        /// A folder with tables; without it, those of the program
        folder: Option<PathBuf>,
    },
}

/// A number in a range.
fn range(numbers: RangeInclusive<u8>) -> clap::builder::RangedI64ValueParser<u8> {
    let (least, most) = numbers.into_inner();
    clap::value_parser!(u8).range(i64::from(least)..=i64::from(most))
}

fn all_games() -> PossibleValuesParser {
    Kind::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().into()
}

fn solved_games() -> PossibleValuesParser {
    search::SOLVED.map(Kind::name).into()
}

/// Runs the engine until `quit` or the end of the input.
pub(crate) fn engine(args: &EngineArgs, output: Output) -> CommandResult {
    let EngineArgs { command, level, nodes, seed, tables, books } = args;
    match command {
        Some(EngineTask::Bench) => return bench(output),
        Some(EngineTask::Solve { game, size, plies, check }) => {
            return solve(game, (*size, *plies), *check, output);
        }
        Some(EngineTask::Tables(task)) => return make_or_check(task, output),
        Some(EngineTask::Book(BookTask::Make { game, plies, folder })) => {
            return make_book(game, *plies, folder, output);
        }
        Some(EngineTask::Book(BookTask::Check { folder })) => {
            return check_books(folder.as_deref(), output);
        }
        None => {}
    }
    if let Some(folder) = tables {
        use_tables(folder)?;
    }
    if let Some(folder) = books {
        search::use_books(folder)?;
    }
    let search = Settings { seed: *seed, uses_book: books.is_some(), ..Settings::default() };
    let settings = ServeSettings { level: *level, nodes: *nodes, search };
    serve(io::BufReader::new(io::stdin()), io::stdout().lock(), settings)?;
    Ok(ExitStatus::Success)
}

/// Has searches use the tables of a folder.
pub(super) fn use_tables(folder: &Path) -> anyhow::Result<()> {
    search::use_tables(folder)?;
    Ok(())
}

/// The output of `engine tables --json`.
#[derive(Serialize)]
struct TableEntry {
    file: Option<PathBuf>,
    size: u8,
    pieces: u8,
    positions: u64,
    /// Positions whose value is wrong; none if the table was made and not checked.
    mistakes: Option<u64>,
}

fn make_or_check(task: &TablesTask, output: Output) -> CommandResult {
    match task {
        TablesTask::Make { size, pieces, folder } => make(*size, *pieces, folder, output),
        TablesTask::Check { folder } => check(folder.as_deref(), output),
    }
}

/// Makes a table. It has its name only once it is whole.
fn make(size: u8, pieces: u8, folder: &Path, output: Output) -> CommandResult {
    let file = search::table_file(folder, size);
    let known = search::read_table(&file).ok().flatten().filter(|known| known.pieces() > pieces);
    if let Some(known) = known {
        bail!("{} has a table up to {} pieces already", file.display(), known.pieces());
    }
    let write = || -> anyhow::Result<Endgame> {
        fs::create_dir_all(folder)?;
        let part = file.with_extension(format!("part-{}", process::id()));
        let mut out = BufWriter::new(File::create(&part)?);
        let bar = progress_bar(1, "{wide_bar} {percent} %, {eta} to go");
        let table = Endgame::make(size, pieces, &mut |progress| show(&bar, progress));
        let table = table.context("there is no such table")?;
        bar.finish_and_clear();
        table.write(&mut out)?;
        out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        fs::rename(&part, &file)?;
        Ok(table)
    };
    let table = write().with_context(|| format!("{} is not written", file.display()))?;
    let positions = table.positions();
    if output.json {
        output.entry(&TableEntry { file: Some(file), size, pieces, positions, mistakes: None })?;
    } else {
        let file = file.display();
        output
            .line(format!("{file}: size {size}, up to {pieces} pieces, {positions} positions"))?;
    }
    Ok(ExitStatus::Success)
}

/// Checks the tables of a folder, or of the program. Fails if one has a mistake.
fn check(folder: Option<&Path>, output: Output) -> CommandResult {
    let tables: Vec<_> = match folder {
        Some(folder) => {
            let read = |size| search::read_table(&search::table_file(folder, size));
            search::TABLE_SIDES
                .filter_map(|size| read(size).transpose())
                .collect::<Result<_, _>>()?
        }
        None => search::built_in_tables(),
    };
    if tables.is_empty() {
        bail!("the folder has no tables; `adamant engine tables make` makes one");
    }
    let mut is_sound = true;
    for table in tables {
        let bar = progress_bar(1, "{wide_bar} {percent} %, {eta} to go");
        let mistakes = table.check(&mut |progress| show(&bar, progress));
        bar.finish_and_clear();
        is_sound &= mistakes == 0;
        let (size, pieces, positions) = (table.side(), table.pieces(), table.positions());
        let file = folder.map(|folder| search::table_file(folder, size));
        if output.json {
            let mistakes = Some(mistakes);
            output.entry(&TableEntry { file, size, pieces, positions, mistakes })?;
        } else {
            output.line(format!(
                "size {size}, up to {pieces} pieces, {positions} positions: {mistakes} mistakes"
            ))?;
        }
    }
    Ok(if is_sound { ExitStatus::Success } else { ExitStatus::Failed })
}

/// The output of `engine book --json`.
#[derive(Serialize)]
struct BookEntry<'a> {
    file: Option<PathBuf>,
    game: &'a str,
    positions: usize,
    /// The moves that seem to be bad, each after those that lead there; none if the book was made and
    /// not checked.
    bad: Option<Vec<String>>,
}

/// Makes a book. It has its name only once it is whole.
fn make_book(game: &str, plies: u8, folder: &Path, output: Output) -> CommandResult {
    let kind = Kind::from_name(game).context("there is no such game")?;
    let file = search::book_file(folder, kind);
    let write = || -> anyhow::Result<Book> {
        fs::create_dir_all(folder)?;
        let part = file.with_extension(format!("part-{}", process::id()));
        let mut out = File::create(&part)?;
        let bar = progress_bar(1, "{wide_bar} {percent} %, {elapsed}");
        let book = Book::make(kind, plies.into(), &mut |progress| show(&bar, progress));
        bar.finish_and_clear();
        out.write_all(book.to_text().as_bytes())?;
        out.sync_all()?;
        fs::rename(&part, &file)?;
        Ok(book)
    };
    let book = write().with_context(|| format!("{} is not written", file.display()))?;
    let positions = book.positions();
    if output.json {
        output.entry(&BookEntry { file: Some(file), game, positions, bad: None })?;
    } else {
        output.line(format!("{}: {positions} positions", file.display()))?;
    }
    Ok(ExitStatus::Success)
}

/// Checks the books of a folder, or of the program. Fails if a move seems to be bad.
fn check_books(folder: Option<&Path>, output: Output) -> CommandResult {
    let books: Vec<_> = match folder {
        Some(folder) => search::read_books(folder)?,
        None => search::built_in_books(),
    };
    let mut are_sound = true;
    for book in books {
        let bar = progress_bar(1, "{wide_bar} {percent} %, {eta} to go");
        let bad = book.check(&mut |progress| show(&bar, progress));
        bar.finish_and_clear();
        are_sound &= bad.is_empty();
        let bad: Vec<_> = bad.iter().map(|moves| moves.join(" ")).collect();
        let (game, positions) = (book.kind().name(), book.positions());
        if output.json {
            let file = folder.map(|folder| search::book_file(folder, book.kind()));
            output.entry(&BookEntry { file, game, positions, bad: Some(bad) })?;
        } else {
            output.line(format!("{game}: {positions} positions, {} bad moves", bad.len()))?;
            bad.iter().try_for_each(|moves| output.line(moves.clone()))?;
        }
    }
    Ok(if are_sound { ExitStatus::Success } else { ExitStatus::Failed })
}

fn show(bar: &ProgressBar, Progress { done, all }: Progress) {
    bar.set_length(all);
    bar.set_position(done);
}

/// A line of `engine solve --json`.
#[derive(Serialize)]
struct OpeningEntry<'a> {
    opening: &'a str,
    alike: usize,
    /// None if nobody can force a win within `plies`.
    wins: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plies: Option<u8>,
    nodes: u64,
    agrees: Option<bool>,
}

/// Prints each opening as soon as it is solved. Fails if the solvers disagree.
fn solve(
    game: &str,
    depth: (Option<u8>, Option<u8>),
    check: bool,
    output: Output,
) -> CommandResult {
    let game = Kind::from_name(game).context("there is no such game")?;
    let mut printed: anyhow::Result<()> = Ok(());
    let mut is_sound = true;
    let bar = progress_bar(0, "{spinner} {elapsed} {msg}");
    bar.set_message("the first opening");
    bar.enable_steady_tick(TICK);
    let mut tell = |opening: &Opening, left: usize| {
        bar.set_message(format!("{left} openings to go"));
        is_sound &= opening.agrees != Some(false);
        let now = bar.suspend(|| print_opening(opening, check, output));
        printed = std::mem::replace(&mut printed, Ok(())).and(now);
    };
    let solved = search::solve(game, depth, check, &mut tell);
    bar.finish_and_clear();
    solved?;
    printed?;
    Ok(if is_sound { ExitStatus::Success } else { ExitStatus::Failed })
}

fn print_opening(opening: &Opening, check: bool, output: Output) -> anyhow::Result<()> {
    let Opening { text, alike, wins, plies, nodes, agrees } = opening;
    let (alike, wins, plies, nodes, agrees) = (*alike, *wins, *plies, *nodes, *agrees);
    if output.json {
        return output.entry(&OpeningEntry { opening: text, alike, wins, plies, nodes, agrees });
    }
    let result = match wins {
        Some(true) => "wins",
        Some(false) => "loses",
        None => "has no forced win after it",
    };
    let within = plies.map_or_else(String::new, |plies| format!(" within {plies} plies"));
    let said = match (check, agrees) {
        (false, _) => "",
        (true, Some(true)) => ", another solver agrees",
        (true, Some(false)) => ", another solver disagrees",
        (true, None) => ", another solver has no proof",
    };
    output.line(format!("{text} ({alike} alike) {result}{within}, {nodes} positions{said}"))?;
    Ok(())
}

/// The output of `engine bench --json`, a line for each game and one for all.
#[derive(Serialize)]
struct BenchEntry {
    game: String,
    positions: usize,
    nodes: u64,
    time_ms: u64,
    nps: u64,
    /// Times the nodes a second of `hard-0.1`; in Stymie times the games played out by `rules`.
    #[serde(skip_serializing_if = "Option::is_none")]
    ratio: Option<f64>,
    signature: String,
}

impl BenchEntry {
    fn of(game: String, lines: &[BenchLine]) -> Self {
        let nodes: u64 = lines.iter().map(|line| line.nodes).sum();
        let micros = lines.iter().map(|line| line.time.as_micros()).sum::<u128>().max(1);
        let small = |number: u128| u64::try_from(number).unwrap_or(u64::MAX);
        let joined = lines.iter().fold(0_u32, |all, line| all.rotate_left(5) ^ line.signature);
        Self {
            game,
            positions: lines.iter().map(|line| line.positions).sum(),
            nodes,
            time_ms: small(micros / 1000),
            nps: small(u128::from(nodes) * 1_000_000 / micros),
            ratio: if let [line] = lines { Some(line.ratio()) } else { None },
            signature: format!("{joined:08x}"),
        }
    }
}

fn bench(output: Output) -> CommandResult {
    let lines = search::bench();
    let name = |line: &BenchLine| format!("{} {}", line.game, line.options).trim().to_owned();
    let each = lines.iter().map(|line| BenchEntry::of(name(line), std::slice::from_ref(line)));
    let entries: Vec<_> = each.chain([BenchEntry::of("all".to_owned(), &lines)]).collect();
    if output.json {
        entries.iter().try_for_each(|entry| output.entry(entry))?;
        return Ok(ExitStatus::Success);
    }
    let heading = ["GAME", "POSITIONS", "NODES", "TIME", "NODES/S", "RATIO", "SIGNATURE"];
    let row = |entry: &BenchEntry| {
        let BenchEntry { game, positions, nodes, time_ms, nps, ratio, signature } = entry;
        let time = format!("{time_ms} ms");
        let numbers = [positions.to_string(), nodes.to_string(), time, nps.to_string()];
        let [positions, nodes, time, nps] = numbers;
        let ratio = ratio.map_or(String::new(), |ratio| format!("{ratio:.1}"));
        [game.clone(), positions, nodes, time, nps, ratio, signature.clone()]
    };
    output.line(format_table(heading, &entries.iter().map(row).collect::<Vec<_>>()))?;
    Ok(ExitStatus::Success)
}
