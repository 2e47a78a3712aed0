//! `adamant replay`, `count`, `puzzles`, `engine` and `match` as a shell runs them: input, output
//! and exit status.

mod engines;
mod matches;
mod puzzles;

use std::{
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

use adamant_rules::{game::Mark, record::TextRecord};

/// The result of a run of the program.
#[derive(Debug, PartialEq, Eq)]
struct Run {
    stdout: String,
    stderr: String,
    status: i32,
}

fn adamant(args: &[&str], stdin: &[u8]) -> Run {
    let mut child = Command::new(env!("CARGO_BIN_EXE_adamant"))
        .args(args)
        .env_remove("CLICOLOR_FORCE")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program has been built");
    // The program may exit without reading its input.
    child.stdin.take().expect("it is a pipe").write_all(stdin).ok();
    let output = child.wait_with_output().expect("the program ends");
    Run {
        stdout: String::from_utf8(output.stdout).expect("data is text"),
        stderr: String::from_utf8(output.stderr).expect("messages are text"),
        status: output.status.code().expect("it is not killed"),
    }
}

fn replay(record: &str) -> Run {
    adamant(&["replay", "--json"], record.as_bytes())
}

fn last_line(run: &Run) -> &str {
    run.stdout.lines().last().unwrap_or_default()
}

/// Replaces the board after each ply of a record by its number. The boards are those that the rules
/// draw.
#[track_caller]
fn without_boards(output: &str, record: &str) -> String {
    let record = TextRecord::parse(record).expect("a record of the fixtures");
    let mut text = output.to_owned();
    for (ply, step) in record.replay(true).enumerate() {
        let step = step.expect("a legal move");
        let parsed = step.position.parse_move(&step.notation);
        let mut marks = parsed.map_or_else(|_| Vec::new(), |mv| step.position.affected_cells(&mv));
        marks.extend(step.captures.iter().map(|capture| (capture.cell, Mark::Captured)));
        let board = step.position.draw(&marks).to_string();
        assert!(text.contains(&board), "board {ply} is not in\n{text}");
        text = text.replacen(&board, &format!("[board {ply}]\n"), 1);
    }
    text
}

#[track_caller]
fn counts(args: &[&str], record: &str, number: &str) {
    let args: Vec<&str> = std::iter::once("count").chain(args.iter().copied()).collect();
    let run = adamant(&args, record.as_bytes());
    assert_eq!(run, Run { stdout: format!("{number}\n"), stderr: String::new(), status: 0 });
}

/// A short game with comments and ply numbers.
const GAME: &str = "\
# A comment before the challenge.
adamas challenge -size=3 ann bob

c1-e1,c2,4xc3,a1   # any order, echoed in order
2. C5-c4,3xa3
3 3xc3,c2,e1-d2
";

#[test]
fn a_game_is_analysed_move_by_move() {
    let record = b"stymie challenge -size=4 ann bob\na1\nb2\nc3\n";
    let args = ["analyse", "--json", "--nodes", "500", "--threads", "2"];
    let Run { stdout, status, .. } = adamant(&args, record);
    assert_eq!(status, 0);
    let lines: Vec<serde_json::Value> =
        stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((lines.len(), &lines[1]["ply"], &lines[1]["move"]), (4, &2.into(), &"b2".into()));
    assert!(lines[3]["accuracy"][0].as_f64().is_some_and(|of| of <= 100.0), "{stdout}");
    let words = adamant(&args[..1], record).stdout;
    assert!(words.contains("Accuracy of ann: "), "{words}");
    let three = adamant(&["analyse"], b"hexma challenge ann bob cy\n");
    assert_eq!((three.status, three.stderr.contains("game of two")), (1, true));
}

#[test]
fn the_oracle_says_who_wins_and_how_soon() {
    let record = b"stymie challenge ann bob -size=3\n\
                   c3\n";
    let words = adamant(&["oracle"], record);
    assert_eq!(words.status, 0);
    assert!(words.stdout.starts_with("The seat to move loses in 4 plies.\nBest: "), "{words:?}");
    let first = adamant(&["oracle", "--ply", "0", "--json"], record).stdout;
    let first: serde_json::Value = serde_json::from_str(&first).unwrap();
    assert_eq!((&first["value"], &first["distance"]), (&"win".into(), &5.into()));
    assert_eq!((&first["best"], &first["moves"]), (&serde_json::json!(["c3"]), &1.into()));
    let unknown = adamant(&["oracle"], b"diam challenge ann bob\n");
    assert_eq!((unknown.status, unknown.stderr.contains("nothing is known")), (1, true));
}

#[test]
fn tables_are_made_and_checked_and_used() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().to_str().unwrap();
    let make = ["engine", "tables", "make", "--size", "2", "--pieces", "4", folder];
    assert_eq!(adamant(&make, b"").status, 0);
    let check = ["engine", "tables", "check", folder];
    let sound = "size 2, up to 4 pieces, 376 positions: 0 mistakes\n";
    assert_eq!(adamant(&check, b"").stdout, sound);
    let play = ["engine", "--tables", folder];
    assert_eq!(adamant(&play, b"quit\n").status, 0);
    let file = Path::new(folder).join("adamas-2.table");
    std::fs::write(&file, b"adamas-endgame 1").unwrap();
    for args in [check.as_slice(), &play] {
        let broken = adamant(args, b"quit\n");
        assert_eq!((broken.status, broken.stderr.contains("damaged")), (1, true), "{broken:?}");
    }
}

#[test]
fn a_book_is_made_and_checked_and_used() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().to_str().unwrap();
    let make = adamant(&["engine", "book", "make", "hexma", "--plies", "1", folder], b"");
    assert!(make.stdout.ends_with("hexma.book: 1 positions\n"), "{make:?}");
    let check = ["engine", "book", "check", folder];
    assert_eq!(adamant(&check, b"").stdout, "hexma: 1 positions, 0 bad moves\n");
    let play = ["engine", "--books", folder];
    let game = b"newgame hexma players 2 seat 0\nposition start\ngo nodes 100\nquit\n";
    let played = adamant(&play, game).stdout;
    assert!(played.contains(" nodes 0 ") && played.contains("\nbestmove "), "{played}");
    let file = Path::new(folder).join("hexma.book");
    std::fs::write(&file, b"adamant-book 1 hexma 0123\n").unwrap();
    for args in [check.as_slice(), &play] {
        let broken = adamant(args, b"quit\n");
        assert_eq!((broken.status, broken.stderr.contains("damaged")), (1, true), "{broken:?}");
    }
}

#[test]
fn json_output_is_one_object_per_ply() {
    let run = replay(GAME);
    insta::assert_snapshot!(run.stdout, @r#"
    {"ply":0,"position":{"c1":"OOOOOOOO","c5":"XXXXXXXX"},"to_move":"O"}
    {"ply":1,"seat":"O","move":"c1-a1,c2,4xc3,e1","captures":[],"removed":[],"position":{"a1":"O","c1":"O","c2":"O","c3":"OOOO","c5":"XXXXXXXX","e1":"O"},"to_move":"X","result":null}
    {"ply":2,"seat":"X","move":"c5-3xa3,c4","captures":[],"removed":[],"position":{"a1":"O","a3":"XXX","c1":"O","c2":"O","c3":"OOOO","c4":"X","c5":"XXXX","e1":"O"},"to_move":"O","result":null}
    {"ply":3,"seat":"O","move":"c2,3xc3,e1-d2","captures":[],"removed":[],"position":{"a1":"O","a3":"XXX","c1":"O","c3":"O","c4":"X","c5":"XXXX","d2":"OOOOO"},"to_move":"X","result":null}
    "#);
    assert_eq!((run.stderr.as_str(), run.status), ("", 0));
}

#[test]
fn text_output_shows_the_board_after_each_ply() {
    let run = adamant(&["replay"], GAME.as_bytes());
    insta::assert_snapshot!(without_boards(&run.stdout, GAME), @"
    adamas -size=3 -pieces=8

    [board 0]

    O ann to move.

    1. O ann: c1-a1,c2,4xc3,e1

    [board 1]

    X bob to move.

    2. X bob: c5-3xa3,c4

    [board 2]

    O ann to move.

    3. O ann: c2,3xc3,e1-d2

    [board 3]

    X bob to move.
    ");
    assert_eq!((run.stderr.as_str(), run.status), ("", 0));
}

#[test]
fn pipes_have_no_colour_by_default() {
    let plain = adamant(&["replay"], GAME.as_bytes());
    assert!(!plain.stdout.contains('\u{1b}'));
    let painted = adamant(&["replay", "--color", "always"], GAME.as_bytes());
    assert!(painted.stdout.contains("\u{1b}["));
}

#[test]
fn a_file_is_read_like_standard_input() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("game.txt");
    std::fs::write(&file, GAME).unwrap();
    let file = file.to_str().unwrap();
    assert_eq!(adamant(&["replay", "--json", file], b""), replay(GAME));
    assert_eq!(adamant(&["replay", "--json", "-"], GAME.as_bytes()), replay(GAME));
    assert_eq!(adamant(&["count", file], b"").stdout, adamant(&["count"], GAME.as_bytes()).stdout);
}

#[test]
fn captures_and_results_are_printed() {
    let record = "adamas challenge -size=2 -pieces=2 ann bob\nb1-a1\nb3-a2\n";
    let won = format!("{record}a1-a2\nb3-c2\na2-b3\nc2-c1\nb1-c1\n");
    let run = replay(&won);
    insta::assert_snapshot!(run.stdout, @r#"
    {"ply":0,"position":{"b1":"OO","b3":"XX"},"to_move":"O"}
    {"ply":1,"seat":"O","move":"b1-a1","captures":[],"removed":[],"position":{"a1":"O","b1":"O","b3":"XX"},"to_move":"X","result":null}
    {"ply":2,"seat":"X","move":"b3-a2","captures":[],"removed":[],"position":{"a1":"O","a2":"X","b1":"O","b3":"X"},"to_move":"O","result":null}
    {"ply":3,"seat":"O","move":"a1-a2","captures":[{"cell":"a2","seat":"X","pieces":"X"}],"removed":[],"position":{"a2":"O","b1":"O","b3":"X"},"to_move":"X","result":null}
    {"ply":4,"seat":"X","move":"b3-c2","captures":[],"removed":[],"position":{"a2":"O","b1":"O","c2":"X"},"to_move":"O","result":null}
    {"ply":5,"seat":"O","move":"a2-b3","captures":[],"removed":[],"position":{"b1":"O","b3":"O","c2":"X"},"to_move":"X","result":null}
    {"ply":6,"seat":"X","move":"c2-c1","captures":[],"removed":[],"position":{"b1":"O","b3":"O","c1":"X"},"to_move":"O","result":null}
    {"ply":7,"seat":"O","move":"b1-c1","captures":[{"cell":"c1","seat":"X","pieces":"X"}],"removed":["X"],"position":{"b3":"O","c1":"O"},"to_move":null,"result":{"winners":["O"],"reason":"last_player"}}
    "#);
    let words = adamant(&["replay"], won.as_bytes());
    assert!(words.stdout.contains("\n3. O ann: a1-a2 and captures X on a2\n"), "{}", words.stdout);
    assert!(words.stdout.ends_with("O ann wins: nobody else is left.\n"), "{}", words.stdout);
    let tied = replay(&format!("{record}b1-b3\na2-b3\n"));
    insta::assert_snapshot!(last_line(&tied), @r#"{"ply":4,"seat":"X","move":"a2-b3","captures":[{"cell":"b3","seat":"O","pieces":"O"}],"removed":[],"position":{"a1":"O","b3":"X"},"to_move":null,"result":{"winners":["O","X"],"reason":"two_pieces"}}"#);
}

#[test]
fn a_player_of_three_resigns_out_of_turn() {
    let words = adamant(&["replay"], b"adamas challenge ann bob cy\nY resign\n");
    assert!(words.stdout.contains("Y cy leaves the game."), "{}", words.stdout);
}

#[test]
fn a_draw_needs_all_players() {
    let run = replay("adamas challenge ann bob\nc1-c2\ndraw\n");
    insta::assert_snapshot!(last_line(&run), @r#"{"ply":1,"seat":null,"move":"draw","captures":[],"removed":[],"position":{"c1":"OOOOOOO","c2":"O","c5":"XXXXXXXX"},"to_move":null,"result":{"winners":["O","X"],"reason":"agreement"}}"#);
    let words = adamant(&["replay"], b"adamas challenge ann bob\ndraw\n");
    assert!(words.stdout.ends_with("A draw between O ann and X bob: they agreed on it.\n"));
}

/// A game in which one piece of each side moves to and fro.
fn shuffling(rounds: usize) -> String {
    let round = "c1-c2\nc5-c4\nc2-c1\nc4-c5\n";
    format!("adamas challenge -pieces=3 ann bob\n{}", round.repeat(rounds))
}

#[test]
fn repetition_ends_a_game_unless_disabled() {
    let ended = replay(&shuffling(3));
    insta::assert_snapshot!(last_line(&ended), @r#"{"ply":10,"error":{"code":"illegal_move","move":"c5-c4","why":"the game is over"}}"#);
    assert_eq!(ended.status, 1, "moves stand after the end");
    let without = adamant(&["replay", "--json", "--no-repetition"], shuffling(3).as_bytes());
    assert_eq!((without.status, without.stdout.lines().count()), (0, 13));
    // Counting ignores the rule too.
    assert_eq!(adamant(&["count"], shuffling(3).as_bytes()).status, 0);
}

#[test]
fn an_illegal_move_ends_the_output_with_its_reason() {
    let record = "adamas challenge ann bob\nc1-c2\nc1-c3\nc5-c4\n";
    let run = replay(record);
    assert_eq!((run.status, run.stdout.lines().count()), (1, 3));
    insta::assert_snapshot!(last_line(&run), @r#"{"ply":2,"error":{"code":"illegal_move","move":"c1-c3","why":"c1 is not your stack"}}"#);
    let words = adamant(&["replay"], record.as_bytes());
    assert_eq!(words.status, 1);
    insta::assert_snapshot!(words.stderr, @"adamant: ply 2, c1-c3: c1 is not your stack");
    let count = adamant(&["count"], record.as_bytes());
    assert_eq!((count.status, count.stdout.as_str()), (1, ""));
    insta::assert_snapshot!(count.stderr, @"adamant: ply 2, c1-c3: c1 is not your stack");
    let count = adamant(&["count", "--json"], record.as_bytes());
    assert_eq!((count.status, last_line(&count)), (1, last_line(&run)));
}

#[track_caller]
fn is_unreadable(record: &[u8], why: &str) {
    for command in ["replay", "count"] {
        let run = adamant(&[command], record);
        let stderr = format!("adamant: standard input: {why}\n");
        assert_eq!(run, Run { stdout: String::new(), stderr, status: 2 });
    }
}

#[test]
fn invalid_records_are_reported_with_line_and_column() {
    is_unreadable(
        b"adamas challenge ann bob\n\nc1-c2 c2-c3\n",
        "line 3, column 7: a line has one move, which is written without spaces",
    );
    is_unreadable(b"adamas challenge ann bob\nc1-\xff\n", "line 2, column 4: this is not text");
    is_unreadable(
        &vec![b'\n'; (1 << 20) + 1],
        "line 1, column 1: a record has at most 1048576 bytes",
    );
}

#[test]
fn a_missing_file_is_named() {
    let run = adamant(&["replay", "no/such/file"], b"");
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.starts_with("adamant: no/such/file: "), "{}", run.stderr);
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let record = shuffling(1_000);
    let mut child = Command::new(env!("CARGO_BIN_EXE_adamant"))
        .args(["replay", "--no-repetition"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    child.stdin.take().unwrap().write_all(record.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
}

#[test]
fn legal_moves_are_counted() {
    counts(&[], "adamas challenge ann bob\n", "6434");
    counts(&["--depth", "1"], "adamas challenge ann bob\n", "6434");
    counts(&["-"], "adamas challenge ann bob cy\n", "2704155");
    counts(&["--depth", "2"], "adamas challenge ann bob\n", "10525879");
    let run = adamant(&["count", "--json", "--depth", "2"], b"adamas challenge ann bob\n");
    assert_eq!(run.stdout, "{\"ply\":0,\"depth\":2,\"count\":10525879}\n");
}

#[test]
fn counts_may_be_large_but_not_lists_of_moves() {
    let record = "adamas challenge -size=8 -pieces=99 ann bob\n";
    counts(&[], record, "2334317668639388069721506499");
    let run = adamant(&["count", "--depth", "2"], record.as_bytes());
    assert_eq!((run.status, run.stdout.as_str()), (1, ""));
    insta::assert_snapshot!(run.stderr, @"adamant: a position on the way has 2334317668639388069721506499 moves, and at most 4000000 can be made one by one");
}

#[test]
fn a_finished_game_has_no_moves() {
    counts(&[], "adamas challenge ann bob\nresign\n", "0");
    counts(&["--depth", "2"], "adamas challenge ann bob\ndraw\n", "0");
}

#[test]
fn an_uncountable_position_is_rejected_with_a_reason() {
    for depth in ["1", "2"] {
        let run = adamant(&["count", "--depth", depth], b"adamas challenge -prog_cap ann bob\n");
        assert_eq!((run.status, run.stdout.as_str()), (1, ""));
        insta::allow_duplicates! { insta::assert_snapshot!(run.stderr, @"adamant: with -prog_cap the order of a split's parts decides what is legal, so different moves cannot be counted"); }
    }
    let none = adamant(&["count", "--depth", "0"], b"adamas challenge ann bob\n");
    assert_eq!(none.status, 2);
}

#[test]
fn text_output_names_the_players_of_stymie_after_a_swap() {
    let record = "stymie challenge -size=3 -swap ann bob\nc3\nswap\nb2,c1\n";
    let run = adamant(&["replay"], record.as_bytes());
    insta::assert_snapshot!(without_boards(&run.stdout, record), @"
    stymie -size=3 -swap

    [board 0]

    V ann to move.

    1. V ann: c3

    [board 1]

    H bob to move.

    2. H bob: swap

    [board 2]

    H bob to move.

    3. H ann: b2,c1

    [board 3]

    V bob to move.
    ");
    assert_eq!((run.stderr.as_str(), run.status), ("", 0));
}

#[test]
fn a_player_of_diam_who_cannot_move_passes() {
    let game = "diam challenge ann bob -board=8x3 -pieces=2x3\n\
                A2\nX1\nB2\nY1\nA2\nX1\nB3\nY4\nA3\nX4\nB3\nY4\n";
    let run = adamant(&["replay"], game.as_bytes());
    let text = without_boards(&run.stdout, game);
    let (_, passed) = text.rsplit_once("\n\n13. ").unwrap();
    assert_eq!(passed, "A ann: pass\n\n[board 13]\n\nX bob to move.\n");
}

#[test]
fn moves_of_every_game_are_counted() {
    // Ten steps and ten hops, for either side.
    counts(&[], "hexma challenge ann bob\n", "20");
    counts(&["--depth", "2"], "hexma challenge ann bob\n", "400");
    // One piece on any of 64 octagons and 49 squares; then one on any other, or two on one of the
    // 195 pairs of a square and an octagon that are left.
    counts(&[], "stymie challenge ann bob\n", "113");
    counts(&[], "stymie challenge ann bob\na1\n", "307");
    counts(&[], "stymie challenge -swap ann bob\na1\n", "308");
    // Two letters on eight sectors, or on seven.
    counts(&[], "diam challenge ann bob\n", "16");
    counts(&[], "diam challenge ann bob -nomirror\nA1\n", "14");
}

pub(crate) fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package lies in the repository")
}

/// Returns the text of a document in `docs/`.
pub(crate) fn document(name: &str) -> String {
    std::fs::read_to_string(repository().join("docs").join(name)).expect("the document is there")
}

/// Whether a line is what a document shows; `..` stands for any text.
pub(crate) fn fits(shown: &str, line: &str) -> bool {
    let Some((first, shown)) = shown.split_once("..") else { return shown == line };
    let Some(line) = line.strip_prefix(first) else { return false };
    let mut rests = (0..=line.len()).filter_map(|at| line.get(at..));
    rests.any(|rest| fits(shown, rest))
}

#[test]
fn shown_lines_fit_lines() {
    for (shown, line, is_fit) in [
        ("bestmove ..", "bestmove c1-c2", true),
        ("info depth 1 score .. pv ..", "info depth 1 score -3 pv a b", true),
        ("info depth 1 score .. pv ..", "info depth 1 score -3", false),
        ("ready", "ready", true),
        ("ready", "ready now", false),
        ("..", "accept", true),
        ("id .. 2", "id name 3", false),
        ("id .. 2", "id name 2", true),
    ] {
        assert_eq!(fits(shown, line), is_fit, "{shown} and {line}");
    }
}
