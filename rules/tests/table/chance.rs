//! Games by chance: dice say what is done, by whom and when.

use adamant_rules::{
    Act, Seat, TimeControl,
    event::{OfferId, OfferKind},
};
use proptest::prelude::*;

use crate::script::Script;

/// Moves to choose from at one turn, at the most; enough for games of all shapes.
pub(crate) const MOVES_MAX: usize = 300;

/// One roll of the dice: what is done, by whom, which move, after how long.
pub(crate) type Roll = (u8, u8, u16, u16);

pub(crate) fn rolls() -> impl Strategy<Value = Vec<Roll>> {
    prop::collection::vec(any::<Roll>(), 1..70)
}

pub(crate) fn game() -> impl Strategy<Value = Script> {
    let control = prop_oneof![
        Just(TimeControl::None),
        Just(TimeControl::Fischer { base_ms: 40_000, inc_ms: 2_000 }),
        Just(TimeControl::PerMove { move_ms: 10_000 }),
    ];
    (2..=3_usize, 2..=3_u32, 2..=5_u32, control).prop_map(|(players, size, pieces, control)| {
        Script::new(players, &format!("-size={size} -pieces={pieces}"), control)
    })
}

/// Does what the dice say, as far as it is allowed, and the overdue before it.
pub(crate) fn throw(
    script: &mut Script,
    (what, who, which, wait): Roll,
) -> Result<(), TestCaseError> {
    script.now += u64::from(wait / 16);
    if let Some(events) = script.table.overdue(script.now) {
        prop_assert!(events.len() <= 6);
        script.happen(events);
    }
    let seat = Seat::new(usize::from(who % 3)).expect("a table has three seats");
    let open = script.table.offers().first();
    let offer = open.map_or(OfferId(1), |open| open.offer);
    let asked = open.and_then(|open| open.needs.iter().next()).unwrap_or(seat);
    let mut notation = String::new();
    let act = match what {
        0..=4 => Act::Resign { seat },
        5..=6 => Act::Abort { seat },
        7..=39 => Act::Offer { seat, what: OfferKind::Draw },
        40..=49 => Act::Answer { seat, offer, accept: which % 2 == 0 },
        50..=84 => Act::Answer { seat: asked, offer, accept: which % 2 == 0 },
        85..=99 => Act::Withdraw { seat, offer },
        100..=109 => Act::Move { seat, turn: u32::from(which), notation: "b1-b2" },
        110.. => {
            let Some(seat) = script.table.to_move() else { return Ok(()) };
            let mut moves = script.table.position().legal_moves(MOVES_MAX);
            // Captures are rare among all moves, and the games are to get somewhere.
            if what > 170 {
                let captures =
                    |play| script.table.position().judge(play).is_ok_and(|c| !c.is_empty());
                let some = moves.iter().filter(|play| captures(play)).cloned().collect::<Vec<_>>();
                if !some.is_empty() {
                    moves = some;
                }
            }
            notation = moves[usize::from(which) % moves.len()].to_string();
            Act::Move { seat, turn: script.table.turn(), notation: &notation }
        }
    };
    let before = script.table.clone();
    let decided = script.decide(&act);
    prop_assert_eq!(&script.table, &before);
    match decided {
        Ok(events) => {
            prop_assert!((1..=6).contains(&events.len()), "{:?}", events);
            script.happen(events);
        }
        Err(refusal) => {
            prop_assert!(notation.is_empty(), "{} was refused: {}", notation, refusal);
        }
    }
    Ok(())
}
