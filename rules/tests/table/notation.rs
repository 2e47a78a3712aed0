//! The text record of a table, and that it leads to the same game again.

use adamant_rules::{
    Act, TimeControl,
    event::{OfferId, OfferKind},
    record::{ReplayStep, TextRecord, write},
};
use proptest::prelude::*;

use super::{
    random_games::{game, rolls, throw},
    script::{O, Script, X, Y},
};

/// The last step of a record.
fn last(text: &str) -> ReplayStep {
    let record = TextRecord::parse(text).unwrap_or_else(|error| panic!("{error} in {text:?}"));
    let steps: Result<Vec<_>, _> = record.replay(true).collect();
    let mut steps = steps.unwrap_or_else(|bad| panic!("{bad} in {text:?}"));
    steps.pop().expect("a record has a start")
}

#[test]
fn a_game_is_written_move_by_move() {
    let script = Script::without_clock(2, "").after(&["c1-e1,c2,4xc3,a1", "c5-c4,3xa3"]);
    let text = "adamas challenge -size=3 -pieces=8 ann bob\nc1-a1,c2,4xc3,e1\nc5-3xa3,c4\n";
    assert_eq!(write(&script.table), text);
}

#[test]
fn the_end_is_written_where_the_moves_do_not_make_it() {
    let end = |act: &Act<'_>| {
        let mut script = Script::without_clock(2, "").after(&["c1-c2"]);
        script.act(act);
        write(&script.table).lines().skip(2).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(end(&Act::Resign { seat: X }), "resign");
    assert_eq!(end(&Act::Resign { seat: O }), "O resign");
    assert_eq!(end(&Act::Abort { seat: X }), "# called off by X");

    let mut script = Script::without_clock(2, "-prog_cap");
    script.act(&Act::Offer { seat: X, what: OfferKind::Draw });
    script.act(&Act::Answer { seat: O, offer: OfferId(1), accept: true });
    let text = "adamas challenge -size=3 -pieces=8 -prog_cap ann bob\ndraw\n";
    assert_eq!(write(&script.table), text);

    let mut script = Script::new(2, "", TimeControl::PerMove { move_ms: 1_000 });
    script.wait(1_000).overdue();
    let text = "adamas challenge -size=3 -pieces=8 ann bob\n# O ran out of time\n";
    assert_eq!(write(&script.table), text);
}

#[test]
fn departures_are_written_at_their_ply() {
    let mut script = Script::new(3, "", TimeControl::PerMove { move_ms: 1_000 });
    script.play("d1-d2");
    script.act(&Act::Resign { seat: Y });
    script.play("g4-f4");
    script.wait(1_000).overdue();
    let text = "adamas challenge -size=4 -pieces=12 ann bob cy\n\
                d1-d2\n\
                Y resign\n\
                g4-f4\n\
                O resign # ran out of time\n";
    assert_eq!(write(&script.table), text);
}

#[test]
fn stuck_seats_are_not_written() {
    let script = Script::without_clock(3, "-size=2 -pieces=4").after(&["b1-a1,b2,b3,c1"]);
    assert_eq!(write(&script.table).lines().count(), 2);
    assert_eq!(last(&write(&script.table)).removed, [X, Y]);
}

proptest! {
    #[test]
    fn a_written_game_is_the_same_game_again(mut script in game(), rolls in rolls()) {
        for roll in rolls {
            throw(&mut script, roll)?;
            let step = last(&write(&script.table));
            prop_assert_eq!(&step.position, script.table.position());
            prop_assert_eq!(step.ply, script.table.ply());
        }
    }
}
