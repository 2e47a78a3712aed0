//! The list of all moves, page by page.

use adamant_rules::{
    game::{Game, Mark},
    games::adamas::{Adamas, Move},
};
use proptest::prelude::*;

use super::positions::{arranged, play, start};

/// All moves in pages, each behind the last move of the one before.
fn pages(position: &Adamas, from: Option<&str>, max: usize) -> Vec<Move> {
    let from = from.map(|name| position.cell(name).unwrap());
    let mut all: Vec<Move> = Vec::new();
    loop {
        let page = position.moves_after(from, all.last(), max);
        assert!(page.len() <= max);
        let is_last = page.len() < max;
        all.extend(page);
        if is_last {
            return all;
        }
    }
}

fn is_from(position: &Adamas, mv: &Move, from: &str) -> bool {
    position.affected_cells(mv).contains(&(position.cell(from).unwrap(), Mark::From))
}

proptest! {
    #![proptest_config(crate::cases(24))]

    #[test]
    fn pages_make_up_the_list(
        size in 2..=3_u32,
        players in 2..=3_usize,
        progressive: bool,
        page in 1..200_usize,
        choices in proptest::collection::vec(any::<usize>(), 0..8),
    ) {
        let flag = if progressive { " -prog_cap" } else { "" };
        let mut position = start(&format!("-size={size} -pieces=4{flag}"), players);
        for choice in choices {
            let listed = position.legal_moves(usize::MAX);
            if position.pending().is_some() || listed.is_empty() {
                break;
            }
            prop_assert_eq!(&pages(&position, None, page), &listed);
            for cell in position.sources() {
                let from = position.cell_name(cell);
                let wanted = listed.iter().filter(|mv| is_from(&position, mv, from.as_str()));
                let wanted: Vec<_> = wanted.cloned().collect();
                prop_assert_eq!(pages(&position, Some(from.as_str()), page), wanted);
            }
            position.apply(&listed[choice % listed.len()]);
        }
    }
}

#[test]
fn a_page_comes_at_once_wherever_it_begins() {
    for flag in ["", " -prog_cap"] {
        let mut position = start(&format!("-size=8 -pieces=99{flag}"), 2);
        play(&mut position, "50xh1-h9").unwrap();
        play(&mut position, "50xh15-h14").unwrap();
        for after in ["h9-h2,h3,h4,h5,h6,h7,h8,9xh10", "h1-40xa1,o1", "7xh1,3xh9-h4"] {
            let after = position.parse_move(after).unwrap();
            position.validate(&after).unwrap();
            let page = position.moves_after(None, Some(&after), 512);
            assert_eq!(page.len(), 512, "{after}");
            assert!(page.iter().all(|mv| position.validate(mv).is_ok()));
            let from = page[511].to_string();
            let next = position.moves_after(None, Some(&page[255]), 256);
            assert_eq!(next.last().map(ToString::to_string), Some(from));
        }
    }
}

#[test]
fn captures_by_later_parts_are_listed_where_captures_are_progressive() {
    // With two of three pieces in the air c5 sees one at c3; one more on c4 is enough for two.
    let position = arranged("-prog_cap", 2, "c3:OOO c5:XX a1:X", "O");
    let listed: Vec<_> = position.legal_moves(usize::MAX).iter().map(ToString::to_string).collect();
    let later = listed.iter().filter(|mv| mv.contains(",c5") || mv.contains(",2xc5"));
    for mv in later.clone() {
        assert!(!position.validate(&position.parse_move(mv).unwrap()).unwrap().is_empty());
    }
    assert!(later.count() > 0, "{listed:?}");
}

#[test]
fn there_are_no_moves_from_where_nothing_may_leave() {
    let position = start("", 2);
    assert!(position.moves_after(position.cell("c5"), None, 10).is_empty());
    assert!(position.moves_after(position.cell("c2"), None, 10).is_empty());
}
