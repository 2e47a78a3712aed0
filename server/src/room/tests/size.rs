//! The memory of an idle room.

use super::*;

/// Maximum size of a room's task without the room.
const TASK_BYTES_MAX: usize = 1000;

/// Maximum size of a room, without the heap of its table.
const ROOM_BYTES_MAX: usize = 2000;

/// Size of the futures that a function returns.
const fn size_of_future<A, B, F: Future>(_: &impl Fn(A, B) -> F) -> usize {
    size_of::<F>()
}

#[test]
fn idle_room_is_small() {
    let run = |room: Box<state::Room>, commands| room.run(commands);
    let (task, room) = (size_of_future(&run), size_of::<state::Room>());
    assert!(task <= TASK_BYTES_MAX && room <= ROOM_BYTES_MAX, "{task} and {room} bytes");
}
