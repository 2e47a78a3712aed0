//! Games by chance: dice say what is done, by whom and when.

use adamant_rules::{
    Act, BySeat, Seat, TimeControl,
    event::{OfferId, OfferKind},
    table::ServerAction,
};
use proptest::prelude::*;

use super::script::Script;

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
        Just(TimeControl::Byoyomi { base_ms: 15_000, periods: 2, period_ms: 5_000 }),
        Just(TimeControl::Days { per_move_days: 1 }),
        // So long that sides fail to come rather than run out of time.
        Just(TimeControl::Fischer { base_ms: 600_000, inc_ms: 0 }),
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
    script.now += if what == 255 { 91_000 } else { u64::from(wait / 16) };
    if what % 64 == 63 {
        let from = script.now.saturating_sub(u64::from(which));
        rule(script, &ServerAction::outage(from))?;
    }
    if let Some(events) = script.table.overdue(script.now) {
        prop_assert!(events.len() <= 8);
        script.happen(events);
    }
    let seat = Seat::new(usize::from(who % 3)).expect("a table has three seats");
    if let 5 | 6 = what {
        let claimed_by = seat.next(script.table.setup().seats.len());
        rule(script, &ServerAction::Abandoned { seat, claimed_by })?;
        let ratings = BySeat::from_fn(script.table.setup().seats.len(), |_| which);
        return rule(script, &ServerAction::Rated { before: ratings.clone(), after: ratings });
    }
    let offers = script.table.offers();
    let open = offers.get(usize::from(which) % offers.len().max(1));
    let offer = open.map_or(OfferId(1), |open| open.offer);
    let asked = open.and_then(|open| open.needs.iter().next()).unwrap_or(seat);
    let offered = [OfferKind::Draw, OfferKind::Abort, OfferKind::Takeback];
    let mut notation = String::new();
    let act = match what {
        0..=2 => Act::Resign { seat },
        3..=4 => Act::Abort { seat },
        // Draws and the like end the game, so takebacks are offered more often.
        5..=49 => Act::Offer { seat, what: offered[usize::from(which % 16).min(2)] },
        50..=59 => Act::Answer { seat, offer, accept: which % 2 == 0 },
        60..=109 => Act::Answer { seat: asked, offer, accept: which % 4 > 0 },
        110..=119 => Act::Withdraw { seat, offer },
        120..=124 => Act::Move { seat, turn: u32::from(which), notation: "b1-b2", lag_ms: 0 },
        125.. => {
            let Some(seat) = script.table.to_move() else { return Ok(()) };
            let mut moves = script.table.position().legal_moves(MOVES_MAX);
            // Captures are rare among all moves, and the games are to get somewhere.
            if what > 170 {
                let captures =
                    |mv| script.table.position().validate(mv).is_ok_and(|c| !c.is_empty());
                let some = moves.iter().filter(|mv| captures(mv)).cloned().collect::<Vec<_>>();
                if !some.is_empty() {
                    moves = some;
                }
            }
            notation = moves[usize::from(which) % moves.len()].to_string();
            let lag_ms = u64::from(which % 1_000);
            Act::Move { seat, turn: script.table.turn(), notation: &notation, lag_ms }
        }
    };
    let before = script.table.clone();
    let decided = script.decide(&act);
    prop_assert_eq!(&script.table, &before);
    match decided {
        Ok(events) => {
            prop_assert!((1..=8).contains(&events.len()), "{:?}", events);
            script.happen(events);
        }
        Err(refusal) => {
            prop_assert!(notation.is_empty(), "{} was refused: {}", notation, refusal);
        }
    }
    Ok(())
}

/// Makes a ruling as far as it can be made.
fn rule(script: &mut Script, action: &ServerAction) -> Result<(), TestCaseError> {
    let before = script.table.clone();
    let ruled = script.table.decide_server_action(action, script.now);
    prop_assert_eq!(&script.table, &before);
    if let Ok(events) = ruled {
        script.happen(events);
    }
    Ok(())
}
