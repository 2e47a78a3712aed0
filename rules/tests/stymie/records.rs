//! Text records of games.

use adamant_rules::{
    EndReason, Position, SeatSet,
    game::Game,
    record::{ReplayStep, TextRecord},
    table::Outcome,
};
use proptest::prelude::*;

use super::{
    positions::{play, seat_of, start},
    properties::{Plan, choose, plan},
};

fn replay(text: &str) -> Vec<ReplayStep> {
    let record = TextRecord::parse(text).unwrap_or_else(|error| panic!("{error} in {text}"));
    record.replay(true).collect::<Result<_, _>>().unwrap()
}

#[test]
fn a_record_is_echoed_in_canonical_form_up_to_its_end() {
    let steps = replay(
        "stymie challenge -size=3 ann bob
        1. C3  # the middle
        2. E1
        3. d4,e5
        4. a1
        5. b2,c1,d2
        ",
    );
    let notations: Vec<_> = steps.iter().map(|step| step.notation.as_str()).collect();
    assert_eq!(notations, ["", "c3", "e1", "d4,e5", "a1", "b2,c1,d2"]);
    let last = steps.last().unwrap();
    assert_eq!(last.seat, Some(seat_of("V")));
    assert_eq!(last.to_move, None);
    let Some(Outcome::Ended { winners, places, reason }) = &last.outcome else {
        panic!("the game has ended")
    };
    assert_eq!((*winners, *reason), (SeatSet::only(seat_of("V")), EndReason::Connected));
    assert_eq!(places.iter().copied().collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn a_record_stops_at_a_move_that_cannot_be_played() {
    let record = TextRecord::parse("stymie challenge ann bob\nc3\nf6,g5,h6\n").unwrap();
    let bad = record.replay(true).find_map(Result::err).unwrap();
    assert_eq!((bad.ply, bad.notation.as_str()), (2, "f6,g5,h6"));
    assert_eq!(bad.why, "three pieces answer a single piece of the opponent, but not the opening");
}

proptest! {
    #![proptest_config(crate::cases(24))]

    #[test]
    fn a_game_is_its_record(plan in plan()) {
        let plan = Plan { swap: false, ..plan };
        let mut position = start(&plan.options());
        let mut text = format!("stymie challenge {} ann bob\n", plan.options());
        for choice in plan.choices {
            if position.pending().is_some() {
                break;
            }
            let notation = choose(&position, choice);
            play(&mut position, &notation).unwrap();
            text = text + &notation + "\n";
        }
        let steps = replay(&text);
        prop_assert_eq!(steps.len(), text.lines().count());
        let last = steps.last().unwrap();
        prop_assert_eq!(last.outcome.is_some(), position.pending().is_some());
        prop_assert_eq!(&last.position, &Position::Stymie(position));
    }
}
