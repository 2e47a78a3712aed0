//! What holds in every game and for every text.

use std::collections::BTreeSet;

use adamant_rules::{Consequence, EndReason, Seat, game::Game, games::hexma::Hexma};
use proptest::prelude::*;

use super::{positions::start, reference_rules};

/// Lets everything happen that must; how the game ended, if it did.
fn settle(position: &mut Hexma) -> Result<Option<EndReason>, TestCaseError> {
    loop {
        prop_assert_eq!(position.hash(), position.hash_from_scratch());
        match position.pending() {
            None => return Ok(None),
            Some(Consequence::End { reason, .. }) => return Ok(Some(reason)),
            Some(Consequence::Remove(..)) => prop_assert!(false, "the rules remove no seat"),
            Some(Consequence::Skip(seat)) => {
                prop_assert_eq!(seat, position.to_move());
                prop_assert!(!position.can_move());
                let before = position.stacks();
                position.skip();
                prop_assert_eq!(position.stacks(), before);
                prop_assert!(position.seats_in().contains(position.to_move()));
            }
        }
    }
}

/// A seat leaves and nothing else happens to the board.
fn leave(position: &mut Hexma, seat: Seat) -> Result<(), TestCaseError> {
    let before = position.clone();
    position.remove(seat);
    prop_assert_eq!(position.stacks(), before.stacks());
    prop_assert_eq!(position.seats_in(), before.seats_in().without(seat));
    prop_assert_ne!(position.to_move(), seat);
    if before.to_move() != seat {
        prop_assert_eq!(position.to_move(), before.to_move());
    }
    Ok(())
}

proptest! {
    #![proptest_config(crate::cases(32))]

    #[test]
    fn random_games_keep_the_invariants(
        players in 2..=3_usize,
        choices in proptest::collection::vec(any::<prop::sample::Index>(), 1..80),
        leaver in 0..3_usize,
        leaves_at in 0..120_usize,
    ) {
        let (mut live, mut replayed) = (start(players), start(players));
        for (ply, choice) in choices.iter().enumerate() {
            let ended = settle(&mut live)?;
            prop_assert_eq!(settle(&mut replayed)?, ended);
            prop_assert_eq!(&live, &replayed);
            prop_assert_eq!(live.hash(), replayed.hash());
            if ended.is_some() {
                break;
            }
            if ply % 8 == 0 {
                reference_rules::check(&live)?;
            }
            if players == 3 && ply == leaves_at {
                leave(&mut live, Seat::new(leaver).unwrap())?;
                replayed.remove(Seat::new(leaver).unwrap());
                continue;
            }
            let mv = *choice.get(&live.legal_moves(usize::MAX));
            let notation = mv.to_string();
            prop_assert_eq!(live.parse_move(&notation), Ok(mv));
            prop_assert_eq!(live.parse_move(&notation.to_uppercase()), Ok(mv));
            live.apply(&mv);
            replayed.apply(&replayed.parse_move(&notation).unwrap());
        }
    }

    #[test]
    fn only_the_mover_completes_a_chain(position in reference_rules::anything()) {
        prop_assume!(position.pending().is_none());
        let mover = position.to_move();
        for mv in position.legal_moves(40) {
            let mut after = position.clone();
            after.apply(&mv);
            prop_assert_eq!(after.hash(), after.hash_from_scratch());
            prop_assert_ne!(after.hash(), position.hash());
            prop_assert_eq!(after.stacks().len(), position.stacks().len());
            prop_assert_eq!(after.pending(), reference_rules::pending(&after));
            let others = after.seats_in().iter().filter(|&seat| seat != mover);
            prop_assert!(!others.into_iter().any(|seat| after.connected(seat)));
        }
    }

    #[test]
    fn any_text_is_handled(
        text in "\\PC*|[a-zA-Z0-9 -]{0,20}|([a-y]1?[0-9]-){0,6}[a-y]1?[0-9]",
        bytes: Vec<u8>,
    ) {
        let position = start(3);
        for text in [text.as_str(), &String::from_utf8_lossy(&bytes)] {
            prop_assert!(position.cell(text).is_none() || text.len() <= 3);
            if let Ok(mv) = position.parse_move(text) {
                prop_assert_eq!(position.parse_move(&mv.to_string()), Ok(mv));
                drop(position.validate(&mv));
            }
        }
    }
}

#[test]
fn positions_that_differ_have_different_hashes() {
    let mut hashes = BTreeSet::new();
    let mut seen = 0;
    for players in 2..=3 {
        let opening = start(players);
        for first in opening.legal_moves(usize::MAX) {
            let mut after = opening.clone();
            after.apply(&first);
            for second in after.legal_moves(usize::MAX) {
                let mut after = after.clone();
                after.apply(&second);
                hashes.insert(after.hash());
                seen += 1;
            }
        }
    }
    assert_eq!(hashes.len(), seen, "after two plies no position comes about in two ways");
}
