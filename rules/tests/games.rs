//! What every game keeps alike: how moves and cells are written, samples, lists of legal moves, why a
//! move is refused, and the cells that win.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use Kind::{Adamas, Diam, Hexma, Stymie};
use adamant_rules::{
    BySeat, EndReason, IllegalMove, Kind, Options, Player, Position, Seat, Setup, Table,
    game::{Captures, Drawing, Game, Mark, MoveCount},
    notation::{MoveSink, Notation},
    options::{OptionKind, OptionValue},
    reason::{Reason, ReasonText},
};
use proptest::prelude::*;
use serde_json::Value;

/// The opening position of a challenge such as `-size=4`.
fn start(kind: Kind, options: &str, players: usize) -> Position {
    let options = Options::parse(options, kind.option_specs()).unwrap();
    kind.open(&options, players).unwrap()
}

/// The same as the position of one game.
pub(crate) fn opening<G: Game>(options: &str, players: usize) -> G {
    let options = Options::parse(options, G::OPTIONS).unwrap();
    G::start(&G::complete(&options, players).unwrap(), players)
}

/// The cells of a text such as `c1:OOO c3:X`, each with what stands on it.
pub(crate) fn cells(text: &str) -> Vec<(&str, &str)> {
    text.split_whitespace().map(|stack| stack.split_once(':').unwrap()).collect()
}

/// What stands on which cell.
pub(crate) fn stacks<G: Game>(position: &G) -> BTreeMap<String, String> {
    let named = |(cell, pieces)| (position.cell_name(cell).to_string(), pieces);
    position.stacks().into_iter().map(named).collect()
}

/// What `cells` reads.
pub(crate) fn written<G: Game>(position: &G) -> String {
    let stacks = position.stacks().into_iter();
    let stacks = stacks.map(|(cell, pieces)| format!("{}:{pieces}", position.cell_name(cell)));
    stacks.collect::<Vec<_>>().join(" ")
}

/// Parses, validates and makes a move.
pub(crate) fn play<G: Game>(position: &mut G, notation: &str) -> Result<Captures, IllegalMove> {
    let mv = position.parse_move(notation)?;
    let captures = position.validate(&mv)?;
    assert!(G::CAPTURES || captures.is_empty(), "nothing is captured in {}", G::TITLE);
    position.apply(&mv);
    Ok(captures)
}

/// Returns the sentence of a refusal.
pub(crate) fn refused<G: Game>(position: &G, notation: &str) -> String {
    play(&mut position.clone(), notation).unwrap_err().to_string()
}

/// The spans that show a cell: the text, the seat, and the mark of each.
pub(crate) fn shown<'d>(
    position: &impl Game,
    drawing: &'d Drawing,
    name: &str,
) -> Vec<(&'d str, Option<usize>, Option<Mark>)> {
    let cell = Some(position.cell(name).unwrap());
    let spans = drawing.lines.iter().flatten().filter(|span| span.cell == cell);
    spans.map(|span| (span.text.trim(), span.seat.map(Seat::index), span.mark)).collect()
}

/// How many spans show cells.
pub(crate) fn count_shown(drawing: &Drawing) -> usize {
    drawing.lines.iter().flatten().filter(|span| span.cell.is_some()).count()
}

/// Checks the places of cells: those one apart from a cell, and those at given points.
pub(crate) fn are_at(position: &impl Game, from: &str, near: &[&str], at: &[(&str, f64, f64)]) {
    let layout = position.layout();
    let place = |name: &str| {
        let cell = position.cell(name).unwrap();
        let found = layout.cells.iter().find(|at| at.cell == cell).unwrap();
        (found.x, found.y)
    };
    for &name in near {
        let ((ax, ay), (bx, by)) = (place(from), place(name));
        assert!(((ax - bx).hypot(ay - by) - 1.0).abs() < 1e-9, "{name}");
    }
    for &(name, x, y) in at {
        let (found_x, found_y) = place(name);
        assert!((found_x - x).hypot(found_y - y) < 1e-9, "{name}");
    }
}

/// Every legal move as it is written.
pub(crate) fn listed<G: Game>(position: &G) -> Vec<String> {
    position.legal_moves(usize::MAX).iter().map(ToString::to_string).collect()
}

/// The seat that a letter stands for among these.
pub(crate) fn seat_of(letters: &str, letter: &str) -> Seat {
    Seat::new(letters.find(letter).unwrap()).unwrap()
}

/// The cases of a file, each with its id; none has a key that no test reads.
pub(crate) fn cases_of(file: &str, keys: &str) -> Vec<(String, Value)> {
    let file: Value = serde_json::from_str(file).unwrap();
    let mut cases = Vec::new();
    for case in file["cases"].as_array().unwrap() {
        let id = case["id"].as_str().unwrap();
        for key in case.as_object().unwrap().keys() {
            assert!(keys.split_whitespace().any(|known| known == key), "{id}: no test reads {key}");
        }
        cases.push((id.to_owned(), case.clone()));
    }
    cases
}

pub(crate) fn options_of(case: &Value) -> Options {
    let mut options = Options::new();
    for (name, value) in case["options"].as_object().unwrap() {
        let value = match value {
            Value::Bool(flag) => OptionValue::Flag(*flag),
            Value::String(text) => OptionValue::Text(text.as_str().into()),
            number => OptionValue::Number(number.as_u64().unwrap().try_into().unwrap()),
        };
        options.set(name, value);
    }
    options
}

/// What stands on which cell, and other texts by name.
pub(crate) fn texts_of(value: &Value) -> BTreeMap<String, String> {
    serde_json::from_value(value.clone()).unwrap()
}

#[test]
fn no_game_opens_wrongly_and_no_illegal_move_is_played() {
    for &kind in Kind::ALL {
        for players in [0, 1, 4] {
            assert!(kind.open(&Options::new(), players).is_err(), "{kind:?} of {players}");
        }
        let mut position = kind.open(&Options::new(), 2).unwrap();
        let opening = position.clone();
        for &other in Kind::ALL.iter().filter(|&&other| other != kind) {
            let foreign = other.open(&Options::new(), 2).unwrap().legal_moves(1).remove(0);
            assert_eq!(position.play(&foreign), Err(IllegalMove::OTHER_GAME));
            assert!(position.affected_cells(&foreign).is_empty());
            assert!(!position.swaps_seats(&foreign));
        }
        assert_eq!(position, opening);
        let mv = position.legal_moves(1).remove(0);
        position.play(&mv).unwrap();
        assert_ne!(position, opening);
    }
}

/// Picks from a sequence of numbers that looks like chance and is the same each time.
pub(crate) fn picks(mut state: u64) -> impl FnMut(usize) -> usize {
    move |below| {
        assert!(below > 0, "there is nothing to pick from");
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    }
}

#[test]
fn one_canonical_form() {
    for &kind in Kind::ALL {
        let (options, forms): (_, &[(&str, &str)]) = match kind {
            Adamas => (
                "-size=4",
                &[
                    ("d1-d3", "d1-d3"),
                    ("9xd1-d3", "9xd1-d3"),
                    ("d1-9xd3", "9xd1-d3"),
                    ("1xd1-d3", "d1-d3"),
                    ("d1-1xd3,E1,03Xf1", "d1-d3,e1,3xf1"),
                    ("D1-F1,2XE1,D3", "d1-d3,2xe1,f1"),
                    ("3xa4,2xd1-d4", "3xa4,2xd1-d4"),
                    ("2xd1,3xa4-d4", "3xa4,2xd1-d4"),
                    ("d1,d7,a4-d4", "a4,d1,d7-d4"),
                    (" \t12xd1-d3\r\n", "12xd1-d3"),
                ],
            ),
            Hexma => (
                "",
                &[
                    ("k13-j12", "k13-j12"),
                    ("K13-J12", "k13-j12"),
                    (" \tk13-j12\r\n", "k13-j12"),
                    ("n14-l12", "n14-l12"),
                    ("m1-m17", "m1-m17"),
                ],
            ),
            Stymie => (
                "-size=12",
                &[
                    ("f6", "f6"),
                    ("F6", "f6"),
                    ("g5,f6", "f6,g5"),
                    ("h6,G5,f6", "f6,g5,h6"),
                    ("f6,f4,g5", "f4,f6,g5"),
                    ("a11,a9,b10", "a9,a11,b10"),
                    ("w23,v22", "v22,w23"),
                    (" \tf6,g5\r\n", "f6,g5"),
                    ("swap", "swap"),
                    (" SwaP ", "swap"),
                ],
            ),
            Diam => (
                "-board=12x6 -pieces=4x6",
                &[
                    ("A1", "A1"),
                    ("x4", "X4"),
                    ("w12", "W12"),
                    ("4+", "4+"),
                    ("4,1+", "4+"),
                    ("4,01+", "4+"),
                    ("12-", "12-"),
                    ("6,3-", "6,3-"),
                    ("6,003-", "6,3-"),
                    (" \tz10\r\n", "Z10"),
                ],
            ),
        };
        let position = start(kind, options, 2);
        for (written, form) in forms {
            assert_eq!(position.parse_move(written).unwrap().to_string(), *form, "{written}");
        }
    }
}

#[test]
fn text_that_is_no_move_is_refused() {
    for &kind in Kind::ALL {
        // Between bars.
        let texts = match kind {
            Adamas => {
                "| |-|c1|c1-|-c2|c1-c2-c3|c1--c2|c1-c2,|,c1-c2|c1 - c2|c1-c2 c3|xc1-c2|2c1-c2|\
                 2xxc1-c2|-2xc1-c2|+1xc1-c2|c-c2|1-2|c1–c2|ç1-c2|c1-c²|c1-\u{1b}[2J|resign|c1-c1.5"
            }
            Hexma => {
                "| |-|k13|k13-|-j12|k13--j12|k13-j12-|k13 - j12|k13-j12 l12|k13,m13-j12|\
                 1xk13-j12|k-j12|13-12|k13-j|k13–j12|ç13-j12|k13-j1²|k13-\u{1b}[2J|k13-j1.5|\
                 resign|pass"
            }
            Stymie => {
                "| |,|f|6|6f|f6,|,f6|f6,,g5|f6 g5|f6, g5|f6-g5|f6;g5|f-6|f+6|f6.0|ff6|f６|é6|\
                 f6\u{1b}[2J|swap,f6|swap swap|pass|resign"
            }
            Diam => {
                "| |+|-|1|A|A+|A1+|AA1|1A|4++|4+-|+4|4,+|,3+|4,1|4,1,2+|4, 1+|4 +|A 1|4.1+|\
                 6,-3-|6,+3+|4–|٤+|Ä1|A١|A-1|A+1|\u{1b}[2J|resign|A1A2|A1,B2|ß1|1\u{301}+"
            }
        };
        let position = start(kind, "", 2);
        for written in texts.split('|') {
            let answer = position.parse_move(written);
            assert!(matches!(answer, Err(IllegalMove::Unreadable { .. })), "{written}: {answer:?}");
        }
    }
}

#[test]
fn length_is_bounded_before_anything_else() {
    const MANY: usize = 1_000_000;
    for &kind in Kind::ALL {
        let (options, texts) = match kind {
            Adamas => (
                "-size=8",
                vec!["h1-".to_owned() + &"h2,".repeat(MANY) + "h3", "0".repeat(MANY) + "1xh1-h2"],
            ),
            Hexma => ("", vec!["k7-m9-".repeat(MANY), "0".repeat(MANY)]),
            Stymie => ("", vec!["f6,".repeat(MANY) + "g5", format!("f{}6", "0".repeat(MANY))]),
            Diam => (
                "",
                vec![
                    "A".repeat(MANY),
                    format!("4,{}1+", "0".repeat(MANY)),
                    format!("A{}", "1".repeat(33)),
                ],
            ),
        };
        let position = start(kind, options, 2);
        for written in texts {
            assert_eq!(position.parse_move(&written), Err(IllegalMove::TOO_LONG));
        }
    }
}

#[test]
fn every_cell_is_found_by_its_name() {
    for &kind in Kind::ALL {
        let sizes = |range: Range<usize>, cells: fn(usize) -> usize| -> Vec<_> {
            range.map(|size| (format!("-size={size}"), cells(size))).collect()
        };
        // The options with how many cells they lead to, and names of none, between bars.
        let (boards, none) = match kind {
            Adamas => {
                let none = "|a|a0|1|p1|a9|h16|a01|a1 |é1|a256|a-1";
                (sizes(2..9, |size| 3 * size * (size - 1) + 1), none)
            }
            Hexma => (vec![(String::new(), 121)], "|m|m0|1|b5|a1|y17|z5|m18|m01|m1 |é1|m256|m-1"),
            Stymie => {
                let none = "|a|a0|1|x1|x24|a2|b1|a25|a01|a1 |é1|a257|a-1";
                (sizes(3..13, |size| size * size + (size - 1) * (size - 1)), none)
            }
            Diam => {
                let heights = |sectors| {
                    (3..=6).map(move |height| (format!("-board={sectors}x{height}"), sectors))
                };
                (
                    [8, 10, 12].into_iter().flat_map(heights).collect(),
                    "|0|00|01|13|-1|+1|1 |a1|111|256|²",
                )
            }
        };
        for (options, count) in boards {
            let position = start(kind, &options, 2);
            let cells = position.layout().cells;
            assert_eq!(cells.len(), count, "{options}");
            assert!(cells.is_sorted_by(|a, b| a.cell < b.cell), "{options}");
            for at in cells {
                let name = position.cell_name(at.cell);
                assert_eq!(position.cell(name.as_str()), Some(at.cell));
                assert_eq!(position.cell(&name.as_str().to_uppercase()), Some(at.cell));
            }
            for none in none.split('|') {
                assert_eq!(position.cell(none), None, "{none} with {options}");
            }
        }
    }
}

#[test]
fn few_moves_are_all_sampled() {
    for &kind in Kind::ALL {
        let (options, first) = match kind {
            Adamas => ("-size=2 -pieces=2", "b1-c1"),
            Hexma => ("", "k13-j12"),
            Stymie => ("-size=3", "c3"),
            Diam => ("", "A1"),
        };
        let mut position = start(kind, options, 2);
        position.apply(&position.parse_move(first).unwrap());
        let all = position.legal_moves(usize::MAX);
        let sample = |max| position.sample_moves(max, &mut picks(1));
        assert_eq!(sample(all.len()), all);
        assert_eq!(sample(usize::MAX), all);
        let fewer = sample(all.len() - 1).len();
        // A sample of Adamas may have fewer moves than it could.
        assert!(fewer == all.len() - 1 || kind == Adamas && fewer < all.len(), "{kind:?}: {fewer}");
    }
}

#[test]
fn every_move_can_be_sampled() {
    for (kind, options, players, moves) in [
        (Hexma, "", 3, &[][..]),
        (Stymie, "-size=3", 2, &["c3", "e1"]),
        (Diam, "", 2, &["A1", "X1", "B2", "Y5"]),
    ] {
        let mut position = start(kind, options, players);
        for notation in moves {
            position.play(&position.parse_move(notation).unwrap()).unwrap();
        }
        let mut left = position.legal_moves(usize::MAX);
        for seed in 0..2_000 {
            let sampled = position.sample_moves(1, &mut picks(seed * 7919)).remove(0);
            left.retain(|mv| *mv != sampled);
        }
        assert_eq!(left, [], "{kind:?}");
    }
}

/// Options and players of any game.
fn challenge() -> impl Strategy<Value = (Kind, String, usize)> {
    let parts = (any::<prop::sample::Index>(), 2..=99_u32, any::<bool>(), 2..=3_usize);
    (proptest::sample::select(Kind::ALL), parts).prop_map(
        |(kind, (pick, pieces, flag, players))| {
            let pick = |range: Range<usize>| range.start + pick.index(range.len());
            let flag = |name| if flag { name } else { "" };
            let options = match kind {
                Adamas => format!("-size={} -pieces={pieces}{}", pick(2..9), flag(" -prog_cap")),
                Hexma => String::new(),
                Stymie => format!("-size={}{}", pick(3..13), flag(" -swap")),
                Diam => {
                    let (sectors, rest) = ([8, 10, 12][pick(0..3)], pick(0..48));
                    let (height, colours, each) = (3 + rest % 4, 2 + rest / 16, 3 + rest / 4 % 4);
                    format!("-board={sectors}x{height} -pieces={colours}x{each}")
                }
            };
            (kind, options, players.min(*kind.players().end()))
        },
    )
}

proptest! {
    #![proptest_config(crate::cases(256))]

    #[test]
    fn any_text_is_handled(
        text in "\\PC*|[0-9a-zA-Z, +-]{0,40}|([a-y]1?[0-9]-){0,6}[a-y]1?[0-9]|\
                 [a-g][0-9]{1,2}(,[a-g][0-9]){0,3}",
        bytes: Vec<u8>,
        (kind, options, players) in challenge(),
        seeds in proptest::collection::vec(any::<u64>(), 0..4),
    ) {
        let mut position = start(kind, &options, players);
        for text in [text.as_str(), &String::from_utf8_lossy(&bytes)] {
            let mut given = Options::new();
            drop(given.parse_word(text, kind.option_specs()));
            drop(kind.complete(&given, players));
        }
        for seed in seeds {
            for text in [text.as_str(), &String::from_utf8_lossy(&bytes)] {
                prop_assert!(position.cell(text).is_none() || text.len() <= 3);
                if let Ok(mv) = position.parse_move(text) {
                    prop_assert_eq!(position.parse_move(&mv.to_string()), Ok(mv.clone()));
                    drop(position.validate(&mv));
                    drop(position.affected_cells(&mv));
                }
            }
            if position.pending().is_some() {
                break;
            }
            let mv = position.sample_moves(1, &mut picks(seed)).remove(0);
            position.apply(&mv);
        }
    }

    #[test]
    fn samples_are_legal_different_and_bounded(
        (kind, options, players) in challenge(),
        max in 0..110_usize,
        seeds in proptest::collection::vec(any::<u64>(), 1..40),
    ) {
        let mut position = start(kind, &options, players);
        for seed in seeds {
            if position.pending().is_some() {
                break;
            }
            let moves = position.sample_moves(max, &mut picks(seed));
            if kind == Adamas {
                // Too many moves to list them; a sample may have fewer than it could.
                prop_assert!(moves.len() <= max);
                prop_assert_eq!(moves.is_empty(), max == 0);
            } else {
                let all = position.legal_moves(usize::MAX);
                prop_assert_eq!(moves.len(), max.min(all.len()));
                prop_assert!(moves.iter().all(|mv| all.contains(mv)));
            }
            for mv in &moves {
                prop_assert!(position.validate(mv).is_ok(), "{}", mv);
                // What is not in canonical form would come back changed.
                prop_assert_eq!(&position.parse_move(&mv.to_string()), &Ok(mv.clone()));
            }
            let different: BTreeSet<_> = moves.iter().map(ToString::to_string).collect();
            prop_assert_eq!(different.len(), moves.len());
            let one = position.sample_moves(1, &mut picks(seed));
            prop_assert_eq!(one.len(), 1);
            position.apply(&one[0]);
        }
    }
}

const PLIES: usize = 60;

/// Sizes of lists: those that few, many and nearly all positions exceed.
const SIZES: [usize; 4] = [0, 1, 20, 300];

#[derive(Default)]
struct Texts(Vec<String>);

impl MoveSink for Texts {
    fn push(&mut self, mv: &impl Notation) {
        let mut text = String::new();
        mv.write_to(&mut text).unwrap();
        self.0.push(text);
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}

/// Every game, by as many as may play it, and with each of its flags.
fn starts() -> Vec<Position> {
    let mut starts = Vec::new();
    for &kind in Kind::ALL {
        let flags = kind.option_specs().iter().filter(|spec| spec.kind == OptionKind::Flag);
        let flags: Vec<_> = flags.map(|spec| format!("-{}", spec.name)).collect();
        for players in kind.players() {
            for options in [String::new()].iter().chain(&flags) {
                let options = Options::parse(options, kind.option_specs()).unwrap();
                starts.push(kind.start(&kind.complete(&options, players).unwrap(), players));
            }
        }
    }
    starts
}

/// Calls `check` with every position of a game in which there is a move.
fn each_position(mut check: impl FnMut(&Position)) {
    for (start, mut chance) in starts().into_iter().zip(1_u64..) {
        let mut position = start;
        let mut pick = |below: usize| {
            chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            usize::try_from(chance >> 33).unwrap() % below
        };
        for _ in 0..PLIES {
            if position.pending().is_some() {
                break;
            }
            check(&position);
            let moves = position.sample_moves(8, &mut pick);
            position.apply(&moves[pick(moves.len())]);
        }
    }
}

fn representatives(position: &Position, max: usize) -> (Vec<String>, MoveCount, bool) {
    let mut list = Texts::default();
    let represented = position.list_representatives(max, &mut list);
    (list.0, represented.total, represented.is_cut)
}

#[test]
fn a_list_has_all_legal_moves_in_order_or_says_that_it_is_cut() {
    each_position(|position| {
        for max in SIZES {
            let moves = position.legal_moves(max + 1);
            let (listed, total, is_cut) = representatives(position, max);
            assert_eq!((total, is_cut), (position.count_moves(), moves.len() > max));
            if is_cut {
                assert!(listed.len() <= max && (max == 0 || !listed.is_empty()));
                assert_eq!(listed.iter().collect::<BTreeSet<_>>().len(), listed.len());
                for notation in &listed {
                    let mv = position.parse_move(notation).unwrap();
                    assert!(position.validate(&mv).is_ok(), "{notation}");
                    assert_eq!(&mv.to_string(), notation);
                }
                assert_eq!(listed, representatives(position, max).0);
            } else {
                assert_eq!(listed, moves.iter().map(ToString::to_string).collect::<Vec<_>>());
            }
        }
    });
}

/// In games whose moves are all alike.
#[test]
fn places_are_different_and_all_over() {
    let mut cut = 0;
    each_position(|position| {
        if !matches!(position, Position::Hexma(_) | Position::Diam(_)) {
            return;
        }
        let all = position.legal_moves(usize::MAX);
        let place = |notation: &String| all.iter().position(|mv| mv.to_string() == *notation);
        for max in [1, 3, 7, 20].into_iter().filter(|&max| max < all.len()) {
            let (listed, ..) = representatives(position, max);
            assert_eq!(listed.len(), max);
            // One in each of `max` even stretches.
            for (number, notation) in listed.iter().enumerate() {
                let stretch = number * all.len() / max..(number + 1) * all.len() / max;
                assert!(stretch.contains(&place(notation).unwrap()), "{notation} of {listed:?}");
            }
            cut += 1;
        }
    });
    assert!(cut > 500, "{cut}");
}

#[test]
fn pages_behind_each_other_are_one_list() {
    each_position(|position| {
        let moves = position.legal_moves(60);
        let mut pages = Texts::default();
        for before in (0..moves.len()).step_by(20) {
            let after = before.checked_sub(1).map(|last| &moves[last]);
            position.list_moves_after(None, after, 20.min(moves.len() - before), &mut pages);
        }
        assert_eq!(pages.0, moves.iter().map(ToString::to_string).collect::<Vec<_>>());
    });
}

/// More moves than a greedy game takes.
const MOVES_MAX: usize = 400;

fn table(kind: Kind, players: usize) -> Table {
    let player = |seat: Seat| Player::new(format!("p{}", seat.index()));
    Table::for_analysis(Setup::new(kind, BySeat::from_fn(players, player))).unwrap()
}

/// Returns the move after which the mover is nearest to its aim, so that games end.
fn choose(position: &Position) -> String {
    let value = |mv: &adamant_rules::Move| {
        let mut after = position.clone();
        after.apply(mv);
        after.progress(position.to_move())
    };
    let moves = position.legal_moves(300);
    moves.iter().max_by_key(|mv| value(mv)).unwrap().to_string()
}

/// Plays a game to its end, or as far as it may take.
fn played(kind: Kind, players: usize) -> Table {
    let mut table = table(kind, players);
    for _ in 0..MOVES_MAX {
        if table.to_move().is_none() {
            break;
        }
        assert_eq!(table.position().winning_cells(), []);
        let notation = choose(table.position());
        table.play(&notation).unwrap();
    }
    table
}

#[test]
fn the_winning_cells_have_pieces_of_the_winner() {
    for kind in [Hexma, Stymie, Diam] {
        let table = played(kind, 2);
        let position = table.position();
        let Some(adamant_rules::table::Outcome::Ended { winners, reason, .. }) = table.outcome()
        else {
            panic!("{kind:?} did not end")
        };
        assert!(matches!(reason, EndReason::Connected | EndReason::Aligned), "{reason:?}");
        let winner = winners.single().unwrap();
        let winning = position.winning_cells();
        assert!(winning.len() >= 2 && winning.is_sorted(), "{winning:?}");
        let letters = &position.layout().letters[winner.index()];
        let stacks = position.stacks();
        for cell in &winning {
            let (_, pieces) = stacks.iter().find(|(at, _)| at == cell).unwrap();
            assert!(pieces.chars().any(|letter| letters.contains(letter)), "{pieces}");
        }
        // A chain joins the two edges of the winner.
        let layout = position.layout();
        for edge in layout.edges.iter().filter(|edge| edge.seat == winner) {
            assert!(edge.cells.iter().any(|cell| winning.contains(cell)), "{}", edge.name);
        }
    }
}

#[test]
fn a_branch_is_the_game_as_it_stood() {
    for &kind in Kind::ALL {
        for players in kind.players() {
            let mut table = table(kind, players);
            let mut stood = vec![table.clone()];
            for _ in 0..40 {
                if table.to_move().is_none() {
                    break;
                }
                let notation = choose(table.position());
                table.play(&notation).unwrap();
                stood.push(table.clone());
            }
            for earlier in &stood {
                let branch = table.branch(earlier.ply()).unwrap();
                assert_eq!(branch.position(), earlier.position());
                assert_eq!(branch.positions_seen(), earlier.positions_seen());
                assert_eq!(branch.outcome(), earlier.outcome());
            }
            assert_eq!(table.branch(table.ply() + 1), None);
        }
    }
}

const PROTOCOL: &str = include_str!("../../docs/PROTOCOL.md");

fn sentences() -> BTreeMap<String, ReasonText> {
    IllegalMove::sentences().collect()
}

/// The names between braces.
fn places(sentence: &str) -> impl Iterator<Item = &str> {
    sentence.split('{').skip(1).map(|rest| rest.split_once('}').unwrap().0)
}

#[test]
fn keys_are_unique_and_name_the_arguments_of_their_sentences() {
    let known = sentences();
    assert_eq!(known.len(), IllegalMove::sentences().count());
    for (key, text) in known {
        assert!(key.split_once('.').is_some_and(|(of, name)| !of.is_empty() && !name.is_empty()));
        for name in places(text.sentence) {
            assert!(text.args.contains(&name), "{key} has no {name}");
        }
    }
}

#[test]
fn the_protocol_lists_every_key_with_its_sentence() {
    for (key, text) in sentences() {
        let row = format!("| `{key}` | {} |", text.sentence);
        assert!(PROTOCOL.contains(&row), "docs/PROTOCOL.md has no row\n{row}");
    }
}

/// Tries moves of every shape in every game, and collects the reasons.
fn reasons() -> Vec<Reason> {
    let notations = [
        "",
        "hello",
        "c1",
        "c3",
        "swap",
        "z9",
        "z9-z8",
        "0xc1-c3",
        "99xc1-c3",
        "9xc1-c3",
        "c1-c1",
        "c1-e3",
        "c5-c3",
        "c2-c3",
        "c1-c5",
        "2xc1-2xc3",
        "2xc1-c3,d1",
        "c1,c2-c3,c4",
        "c1-c3,c3",
        "k13-j12-l12",
        "k13-k13",
        "k13-o13",
        "a5-b6",
        "k14-k12",
        "f6,f6",
        "f6,g5",
        "a1,b2,c3,d4",
        "A1",
        "X1",
        "Q1",
        "A99",
        "1+",
        "8,0+",
        "1,2+",
        "8+",
        "1-5",
    ];
    let mut found = Vec::new();
    for &kind in Kind::ALL {
        let options = kind.complete(&Options::new(), 2).unwrap();
        let mut position = kind.start(&options, 2);
        for _ in 0..3 {
            for notation in notations {
                let tried = position.parse_move(notation);
                if let Err(why) = tried.and_then(|mv| position.validate(&mv)) {
                    found.push(why.reason());
                }
            }
            position.apply(&position.legal_moves(1)[0].clone());
        }
    }
    found
}

#[test]
fn reasons_are_their_keys_sentences_filled_in() {
    let known = sentences();
    let found = reasons();
    assert!(found.len() > 100, "{}", found.len());
    for reason in found {
        let text = known[reason.text.key];
        assert_eq!(reason.text.sentence, text.sentence);
        let mut filled = text.sentence.to_owned();
        for (name, arg) in reason.named_args() {
            filled = filled.replace(&format!("{{{name}}}"), &arg.to_string());
        }
        assert_eq!(reason.to_string(), filled);
        assert!(!filled.contains('{'), "{filled}");
    }
}
