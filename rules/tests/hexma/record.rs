//! Whole games as text records, played at a table.

use adamant_rules::{
    EndReason, Seat, SeatSet,
    record::{ReplayStep, TextRecord},
    table::Outcome,
};

use super::positions::{seat_of, start};

const CONNECTION: &str = include_str!("records/connection.txt");
const BLOCKADE: &str = include_str!("records/blockade.txt");

/// All steps of a record, or why it cannot be played.
fn replay(text: &str) -> Result<Vec<ReplayStep>, String> {
    let record = TextRecord::parse(text).unwrap_or_else(|error| panic!("{error}"));
    let steps: Result<Vec<_>, _> = record.replay(true).collect();
    steps.map_err(|bad| format!("ply {}, {}: {}", bad.ply, bad.notation, bad.why))
}

fn result(step: &ReplayStep) -> (SeatSet, EndReason) {
    match &step.outcome {
        Some(Outcome::Ended { winners, reason, .. }) => (*winners, *reason),
        other => panic!("the game has not ended: {other:?}"),
    }
}

fn told(step: &ReplayStep) -> (Option<Seat>, &str, Option<Seat>) {
    (step.seat, step.notation.as_str(), step.to_move)
}

#[test]
fn a_game_is_won_by_connecting() {
    let steps = replay(CONNECTION).unwrap();
    let (last, before) = steps.split_last().unwrap();
    assert_eq!(steps.len(), 36);
    assert_eq!(steps[0].position.stacks(), adamant_rules::game::Game::stacks(&start(2)));
    assert!(before.iter().all(|step| step.outcome.is_none()));
    assert!(steps.iter().all(|step| step.captures.is_empty() && step.removed.is_empty()));
    assert_eq!((last.ply, last.to_move), (35, None));
    assert_eq!(result(last), (SeatSet::only(seat_of("O")), EndReason::Connected));
}

#[test]
fn landing_points_are_not_written_down() {
    let text = "hexma challenge ann bob\nM13-L12\n2. k5-j6\nn14-j14-j10 # not so\n";
    assert!(replay(text).unwrap_err().starts_with("ply 3, n14-j14-j10: "));
    let text = "hexma challenge ann bob\nM13-L12\n2. k5-j6\no15-m13-k11\n";
    let steps = replay(text).unwrap();
    assert_eq!(told(&steps[1]), (Some(seat_of("O")), "m13-l12", Some(seat_of("X"))));
    assert_eq!(told(&steps[3]), (Some(seat_of("O")), "o15-k11", Some(seat_of("X"))));
}

#[test]
fn a_blocked_seat_is_skipped() {
    for text in [BLOCKADE, BLOCKADE.strip_suffix("pass\n").unwrap()] {
        let steps = replay(text).unwrap();
        let [.., wall, pass] = &steps[..] else { panic!("the game is longer") };
        assert_eq!(told(wall), (Some(seat_of("O")), "m7-i7", Some(seat_of("X"))));
        assert_eq!(told(pass), (Some(seat_of("X")), "pass", Some(seat_of("Y"))));
        assert_eq!(pass.ply, wall.ply + 1);
        assert_eq!(pass.position.stacks(), wall.position.stacks());
        assert_eq!(pass.outcome, None);
    }
}

#[test]
fn the_game_goes_on_after_a_pass() {
    // Y moves and O opens the wall again: X moves as before.
    let steps = replay(&format!("{BLOCKADE}u7-w7\ni7-m7\ng7-i7\n")).unwrap();
    let last = steps.last().unwrap();
    assert_eq!(told(last), (Some(seat_of("X")), "g7-i7", Some(seat_of("Y"))));
    // While it stands, X is passed over again, and may not be by choice anywhere else.
    let steps = replay(&format!("{BLOCKADE}u7-w7\nm15-l14\npass\n")).unwrap();
    assert_eq!(told(steps.last().unwrap()).1, "pass");
    assert!(replay(&format!("{BLOCKADE}pass\n")).unwrap_err().contains("pass"));
}

#[test]
fn resigning_leaves_the_pieces_on_the_board() {
    let text = "hexma challenge ann bob cy\nk13-j12\nY resign\nd8-e9\nj12-i11\nresign\n";
    let steps = replay(text).unwrap();
    assert_eq!(steps[2].removed, [seat_of("Y")]);
    assert_eq!(steps[2].position.stacks(), steps[1].position.stacks());
    assert_eq!(steps[2].to_move, Some(seat_of("X")));
    assert_eq!(told(&steps[4]), (Some(seat_of("O")), "j12-i11", Some(seat_of("X"))));
    let last = steps.last().unwrap();
    assert_eq!(result(last), (SeatSet::only(seat_of("O")), EndReason::Resigned));
}

#[test]
fn the_third_occurrence_of_a_position_is_a_draw() {
    let round = "k13-j12\nk5-j6\nj12-k13\nj6-k5\n".repeat(2);
    let steps = replay(&format!("hexma challenge ann bob\n{round}")).unwrap();
    assert_eq!(result(steps.last().unwrap()), (SeatSet::all(2), EndReason::Repetition));
}
