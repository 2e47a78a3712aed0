//! Lists that legal moves are written into, in every game.

use std::collections::BTreeSet;

use adamant_rules::{
    Kind, Options, Position,
    game::MoveCount,
    notation::{MoveSink, Notation},
    options::OptionKind,
};

/// Plies of a game.
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
