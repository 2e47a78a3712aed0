//! What holds in every game and for every text.

use adamant_rules::{Consequence, EndReason, game::Game, games::stymie::Stymie};
use proptest::prelude::*;

use super::{
    positions::{play, start},
    reference_rules::Naive,
};

#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) size: u8,
    pub(crate) swap: bool,
    pub(crate) choices: Vec<u16>,
}

/// Choices enough to fill the largest board.
pub(crate) fn plan() -> impl Strategy<Value = Plan> {
    let choices = proptest::collection::vec(any::<u16>(), 1..266);
    (3..=12_u8, any::<bool>(), choices).prop_map(|(size, swap, choices)| Plan {
        size,
        swap,
        choices,
    })
}

impl Plan {
    pub(crate) fn options(&self) -> String {
        format!("-size={}{}", self.size, if self.swap { " -swap" } else { "" })
    }
}

/// A move: three times out of four a single piece, so that chains grow slowly.
pub(crate) fn choose(position: &Stymie, choice: u16) -> String {
    let singles = position.sources().len();
    let moves = position.legal_moves(usize::MAX);
    let most = if choice.is_multiple_of(4) { moves.len() } else { singles };
    moves[usize::from(choice / 4) % most].to_string()
}

/// Some hundred moves from all over the list.
fn check_list(position: &Stymie) -> Result<(), TestCaseError> {
    let moves = position.legal_moves(usize::MAX);
    for mv in moves.iter().step_by(1 + moves.len() / 100) {
        let notation = mv.to_string();
        prop_assert_eq!(&position.parse_move(&notation), &Ok(mv.clone()));
        prop_assert_eq!(&position.parse_move(&notation.to_uppercase()), &Ok(mv.clone()));
        prop_assert!(position.validate(mv).is_ok_and(|captures| captures.is_empty()));

        let mut after = position.clone();
        after.apply(mv);
        let swap = notation == "swap";
        let put = if swap { 0 } else { notation.split(',').count() };
        prop_assert_eq!(after.stacks().len(), position.stacks().len() + put);
        prop_assert_eq!(after.to_move() == position.to_move(), swap);
        prop_assert_eq!(after.hash(), after.hash_from_scratch());
        prop_assert_ne!(after.hash(), position.hash());
    }
    Ok(())
}

proptest! {
    #![proptest_config(crate::cases(32))]

    #[test]
    fn random_games_keep_the_invariants(plan in plan()) {
        let mut position = start(&plan.options());
        let mut notations = Vec::new();
        for (ply, &choice) in plan.choices.iter().enumerate() {
            prop_assert_eq!(position.hash(), position.hash_from_scratch());
            prop_assert_eq!(position.can_move(), !position.legal_moves(1).is_empty());
            let naive = Naive::of(&position, plan.size);
            for (letter, seat) in [('V', 0), ('H', 1)] {
                let seat = adamant_rules::Seat::new(seat).unwrap();
                prop_assert_eq!(position.is_connected(seat), naive.connected(letter));
            }
            if let Some(end) = position.pending() {
                let winner = position.seats_in().iter().find(|&seat| position.is_connected(seat));
                prop_assert_ne!(winner, Some(position.to_move()), "the mover has won");
                let winners = winner.into_iter().collect();
                prop_assert_eq!(end, Consequence::End { winners, reason: EndReason::Connected });
                break;
            }
            prop_assert!(position.can_move(), "there is a winner before a board is full");
            if ply % 16 < 2 {
                check_list(&position)?;
            }
            let notation = choose(&position, choice);
            prop_assert!(play(&mut position, &notation).is_ok());
            notations.push(notation);
        }
        let mut again = start(&plan.options());
        for notation in notations {
            prop_assert!(play(&mut again, &notation.to_uppercase()).is_ok());
        }
        prop_assert_eq!(again, position);
    }

    #[test]
    fn any_text_is_handled(text in "\\PC*|[0-9a-wA-W, -]{0,40}|[a-g][0-9]{1,2}(,[a-g][0-9]){0,3}", bytes: Vec<u8>) {
        let mut position = start("-swap");
        for next in ["o15", "a15", "o1"] {
            for text in [text.as_str(), &String::from_utf8_lossy(&bytes)] {
                if let Ok(mv) = position.parse_move(text) {
                    prop_assert_eq!(position.parse_move(&mv.to_string()), Ok(mv.clone()));
                    drop(position.validate(&mv));
                }
            }
            play(&mut position, next).unwrap();
        }
    }
}
