//! Counts allocations of a move: in parsing the request and in writing the event. Counting is more
//! reliable than timing on a busy machine.

use adamant_bench::{CASES, Middle};
use adamant_protocol::{FromClient, codec::decode};
use adamant_record::Head;
use adamant_rules::EventKind;
use adamant_server::bench_api::{event_frame, your_turn_frame};

/// Counts the allocations of `work`.
fn allocations<T>(work: impl FnOnce() -> T) -> (u64, T) {
    let mut result = None;
    let counted = allocation_counter::measure(|| result = Some(work()));
    (counted.count_total, result.expect("it has been done"))
}

/// The control: an allocation is counted.
#[test]
fn an_allocation_is_counted() {
    let game = CASES[0].played(4);
    let (count, _copy) = allocations(|| game.middles[0].notation.clone());
    assert_eq!(count, 1);
}

/// A move in the middle of each game.
fn middles() -> impl Iterator<Item = Middle> {
    CASES.iter().flat_map(|case| case.played(40).middles)
}

/// The text of the move.
const ALLOCATIONS_TO_READ: u64 = 1;

#[test]
fn reading_a_move_allocates_its_text_alone() {
    for middle in middles() {
        let (turn, notation) = (middle.table.turn(), &middle.notation);
        let request = format!(
            r#"{{"type":"move","id":"k7q2mx:{turn}","game":"k7q2mx","turn":{turn},"move":"{notation}"}}"#
        );
        let (count, request) = allocations(|| decode(request.as_bytes()));
        assert!(matches!(request, Ok(FromClient::Move(_))), "{request:?}");
        assert!(count <= ALLOCATIONS_TO_READ, "{count} for {notation}");
    }
}

/// The record.
const ALLOCATIONS_TO_WRITE: u64 = 1;

/// The frame.
const ALLOCATIONS_TO_FRAME: u64 = 1;

/// The frame.
const ALLOCATIONS_FOR_A_TURN: u64 = 1;

#[test]
fn legal_moves_are_written_into_the_frame_without_an_allocation() {
    let head = Head::new("k7q2mx".parse().unwrap());
    // These have nearly always fewer moves than a list can hold.
    let simple = CASES.iter().filter(|case| ["Hexma", "Diam 12x6"].contains(&case.name()));
    for Middle { table, seat, notation } in simple.flat_map(|case| case.played(40).middles) {
        // Fills the thread's write buffer.
        drop(your_turn_frame(&table, &head, seat, true));
        let (count, frame) = allocations(|| your_turn_frame(&table, &head, seat, true));
        assert!(
            count <= ALLOCATIONS_FOR_A_TURN,
            "{count} before {notation}: {} bytes",
            frame.len()
        );
    }
}

#[test]
fn an_event_is_written_and_framed_once() {
    // Fills the thread's write buffer.
    drop(event_frame(&[b' '; 4096]));
    for middle in middles() {
        let events = middle.decide();
        let event = events.first().unwrap();
        let EventKind::Moved { .. } = &event.kind else { continue };
        let (position, req) = (middle.table.position(), "k7q2mx:7".parse().unwrap());
        let mut head = Head::new("k7q2mx".parse().unwrap());
        let (count, record) = allocations(|| head.append(event, position, Some(&req)));
        assert!(count <= ALLOCATIONS_TO_WRITE, "{count} for {}", middle.notation);
        let (count, _frame) = allocations(|| event_frame(&record));
        assert!(count <= ALLOCATIONS_TO_FRAME, "{count} for {}", middle.notation);
    }
}
