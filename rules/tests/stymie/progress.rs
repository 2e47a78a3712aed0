//! How near seats are to their aim.

use adamant_rules::{game::Game, games::stymie::LastMove};
use proptest::prelude::*;

use super::{
    positions::{arranged, play, seat_of, start},
    properties,
    reference_rules::Naive,
};

#[test]
fn the_cells_that_are_needed_are_counted() {
    for size in [3, 8, 12] {
        let position = start(&format!("-size={size}"));
        assert_eq!(["V", "H"].map(|seat| position.progress(seat_of(seat))), [-size; 2]);
    }
    // V goes up the first column by a3 and a5, H along the top by a5 and e5.
    let position = arranged("-size=3", "a1:V c5:H", "H", LastMove::Other);
    assert_eq!(["V", "H"].map(|seat| position.progress(seat_of(seat))), [-2, -2]);
    // V lacks a5. H has to go round a3, by a square and another octagon.
    let position = arranged("-size=3", "a1:V a3:V c3:H e3:H", "V", LastMove::Other);
    assert_eq!(["V", "H"].map(|seat| position.progress(seat_of(seat))), [-1, -2]);
}

#[test]
fn a_seat_cut_off_has_less_progress_than_one_with_an_empty_board() {
    let position = arranged("-size=3", "a1:V a3:V a5:V", "H", LastMove::Other);
    assert_eq!(position.progress(seat_of("V")), 0);
    assert!(position.progress(seat_of("H")) < -13);
}

proptest! {
    #![proptest_config(crate::cases(64))]

    #[test]
    fn no_way_needs_fewer_cells(plan in properties::plan(), plies in 0..80_usize) {
        let mut position = start(&plan.options());
        for &choice in plan.choices.iter().take(plies) {
            if position.pending().is_some() {
                break;
            }
            let notation = properties::choose(&position, choice);
            play(&mut position, &notation).unwrap();
        }
        let naive = Naive::of(&position, plan.size);
        for letter in ['V', 'H'] {
            let progress = position.progress(seat_of(&letter.to_string()));
            if let Some(cells) = naive.cells_needed(letter) {
                prop_assert_eq!(progress, -cells);
            } else {
                let cells = i32::try_from(position.layout().cells.len()).unwrap();
                prop_assert!(position.pending().is_some() && progress < -cells);
            }
        }
    }
}
