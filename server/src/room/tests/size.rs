//! The memory of an idle room.

use crate::room::Room;

/// Maximum size of a room, without the heap of its table.
const ROOM_BYTES_MAX: usize = 2032;

#[test]
fn idle_room_is_small() {
    let room = size_of::<Room>();
    assert!(room <= ROOM_BYTES_MAX, "{room} bytes");
}
