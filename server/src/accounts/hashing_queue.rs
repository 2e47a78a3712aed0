//! The queue of password hashes. Networks take turns, so that one network's log-ins do not wait for
//! all of another's.

use std::{collections::VecDeque, sync::Arc};

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::oneshot;

use crate::{
    address::{ClientAddress, ClientNetwork},
    limits::{HASHES_PER_ADDRESS_MAX, HASHES_PER_NETWORK_MAX, HASHES_WAITING_MAX},
};

/// Hands out a few slots for password hashes. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct HashingQueue(Arc<Mutex<WaitingLogIns>>);

#[derive(Debug)]
struct WaitingLogIns {
    /// Unused slots.
    free: usize,
    /// Waiting log-ins by network. A network that has had a slot goes to the end.
    waiting: VecDeque<(Option<ClientNetwork>, VecDeque<WaitingLogIn>)>,
}

#[derive(Debug)]
struct WaitingLogIn {
    from: Option<ClientAddress>,
    slot: oneshot::Sender<HashingSlot>,
}

/// A slot. Dropping it passes it to the next log-in.
#[derive(Debug)]
pub(super) struct HashingSlot(HashingQueue);

/// The queue is full, in all or for this address or network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct QueueFull;

impl HashingQueue {
    /// Creates a queue with this number of slots.
    pub(super) fn new(at_a_time: usize) -> Self {
        Self(Arc::new(Mutex::new(WaitingLogIns { free: at_a_time, waiting: VecDeque::new() })))
    }

    fn queue(&self) -> MutexGuard<'_, WaitingLogIns> {
        self.0.lock()
    }

    /// Waits for a slot. `from` is `None` for clients inside the process.
    pub(super) fn enqueue(
        &self,
        from: Option<ClientAddress>,
    ) -> Result<oneshot::Receiver<HashingSlot>, QueueFull> {
        let (turn, mine) = oneshot::channel();
        let mut queue = self.queue();
        if queue.free > 0 {
            queue.free -= 1;
            drop(queue);
            // The receiver is `mine`, so this cannot fail.
            drop(turn.send(HashingSlot(self.clone())));
            return Ok(mine);
        }
        queue.drop_cancelled();
        if !queue.admits(from) {
            return Err(QueueFull);
        }
        let network = from.map(ClientAddress::network);
        let waiting = WaitingLogIn { from, slot: turn };
        match queue.waiting.iter_mut().find(|(other, _)| *other == network) {
            Some((_, line)) => line.push_back(waiting),
            None => queue.waiting.push_back((network, VecDeque::from([waiting]))),
        }
        Ok(mine)
    }
}

impl WaitingLogIns {
    fn lines(&self) -> impl Iterator<Item = &WaitingLogIn> {
        self.waiting.iter().flat_map(|(_, line)| line)
    }

    fn admits(&self, from: Option<ClientAddress>) -> bool {
        if self.lines().count() >= HASHES_WAITING_MAX {
            return false;
        }
        let Some(from) = from else { return true };
        let network = Some(from.network());
        let of_network = self.waiting.iter().find(|(other, _)| *other == network);
        let of_network = of_network.map_or(0, |(_, line)| line.len());
        let of_address = self.lines().filter(|waiting| waiting.from == Some(from)).count();
        of_network < HASHES_PER_NETWORK_MAX && of_address < HASHES_PER_ADDRESS_MAX
    }

    fn drop_cancelled(&mut self) {
        for (_, line) in &mut self.waiting {
            line.retain(|waiting| !waiting.slot.is_closed());
        }
        self.waiting.retain(|(_, line)| !line.is_empty());
    }

    /// Removes the next log-in, and moves the others of its network behind all other networks.
    fn next(&mut self) -> Option<oneshot::Sender<HashingSlot>> {
        let (network, mut line) = self.waiting.pop_front()?;
        let next = line.pop_front();
        if !line.is_empty() {
            self.waiting.push_back((network, line));
        }
        next.map(|waiting| waiting.slot)
    }
}

impl Drop for HashingSlot {
    fn drop(&mut self) {
        let mut queue = self.0.queue();
        match queue.next() {
            None => queue.free += 1,
            Some(next) => {
                drop(queue);
                // If that log-in was cancelled, the slot comes back, and its drop passes it on.
                drop(next.send(Self(self.0.clone())));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

    #[expect(clippy::unnecessary_wraps, reason = "the queue takes an option")]
    fn from(address: &str) -> Option<ClientAddress> {
        Some(address.parse::<IpAddr>().unwrap().into())
    }

    #[test]
    fn networks_take_turns() {
        let turns = HashingQueue::new(1);
        let mut first = turns.enqueue(from("10.0.0.1")).unwrap().try_recv().unwrap();
        let mut line = Vec::new();
        for address in ["2001:db8:1:1::1", "2001:db8:1:1::1", "2001:db8:1:2::1", "10.0.0.2"] {
            line.push(turns.enqueue(from(address)).unwrap());
        }
        let mut order = Vec::new();
        for _ in 0..4 {
            drop(first);
            let next = line.iter_mut().position(|waiting| !waiting.is_empty()).unwrap();
            first = line[next].try_recv().unwrap();
            order.push(next);
        }
        assert_eq!(order, [0, 3, 1, 2]);
        drop(first);
        assert_eq!(turns.queue().free, 1);
    }

    #[test]
    fn waiting_log_ins_of_an_address_and_a_network_are_limited() {
        let turns = HashingQueue::new(1);
        let _turn = turns.enqueue(from("10.0.0.1")).unwrap().try_recv().unwrap();
        let mut line = Vec::new();
        let mut wait = |address: &str, most: usize| {
            let before = line.len();
            while let Ok(waiting) = turns.enqueue(from(address)) {
                line.push(waiting);
            }
            assert_eq!(line.len() - before, most, "{address}");
        };
        wait("10.0.0.1", HASHES_PER_ADDRESS_MAX);
        wait("2001:db8:1:1::1", HASHES_PER_ADDRESS_MAX);
        wait("2001:db8:1:2::1", HASHES_PER_NETWORK_MAX - HASHES_PER_ADDRESS_MAX);
        wait("2001:db8:1:3::1", 0);
        wait("10.0.0.2", HASHES_PER_ADDRESS_MAX);
    }

    #[test]
    fn a_cancelled_log_in_frees_its_place_and_takes_no_slot() {
        let turns = HashingQueue::new(1);
        let turn = turns.enqueue(from("10.0.0.1")).unwrap().try_recv().unwrap();
        let left: Vec<_> =
            (0..HASHES_PER_ADDRESS_MAX).map(|_| turns.enqueue(from("10.0.0.1")).unwrap()).collect();
        drop(left);
        let mut stays = turns.enqueue(from("10.0.0.1")).unwrap();
        drop(turn);
        drop(stays.try_recv().unwrap());
        assert_eq!(turns.queue().free, 1);
    }
}
