//! Rooms that park when their clients have left.

use super::*;

#[tokio::test(start_paused = true)]
async fn room_parks_without_clients_unless_its_clock_runs_out_soon() {
    let bench = Bench::new(Memory::default());
    let room = bench.start(TimeControl::None).await;
    let ann = Guest::new(1, "ann");
    ann.join(&room).await;
    tokio::time::sleep(3 * PARK_AFTER).await;
    assert!(!room.is_closed(), "a client is in the room");
    let slots = &bench.context.slots;
    slots.insert(room.game().clone(), Arc::new(OnceCell::from(room.clone())));
    drop(ann);
    room.ended().await;
    assert!(slots.is_empty(), "a room that has ended has no slot");

    let bench = Bench::new(Memory::default());
    let park_after = u64::try_from(PARK_AFTER.as_millis()).unwrap();
    let move_ms = 2 * park_after;
    let room = bench.start(TimeControl::PerMove { move_ms }).await;
    both_move(&bench, &room).await;
    tokio::time::sleep(PARK_AFTER + PARK_AFTER / 2).await;
    assert!(!room.is_closed(), "a clock runs out soon");

    let bench = Bench::new(Memory::default());
    let begun = bench.now();
    let room = bench.start(TimeControl::Days { per_move_days: 1 }).await;
    room.ended().await;
    let deadline = bench.context.parked.next_deadline();
    assert_eq!(deadline, Some(begun + 86_400_000));
}
