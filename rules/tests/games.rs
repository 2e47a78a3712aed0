//! What every game keeps alike: how moves and cells are written, and what a sample of moves is.

use std::{collections::BTreeSet, ops::Range};

use Kind::{Adamas, Diam, Hexma, Stymie};
use adamant_rules::{IllegalMove, Kind, Options, Position};
use proptest::prelude::*;

/// The opening position of a challenge such as `-size=4`.
fn start(kind: Kind, options: &str, players: usize) -> Position {
    let options = Options::parse(options, kind.option_specs()).unwrap();
    kind.open(&options, players).unwrap()
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
