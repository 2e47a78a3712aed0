//! Whose turn it is to have a password hashed: a network after the other, so that no customer's
//! log-ins wait for all of another's.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::oneshot;

use crate::{
    address::{ClientAddress, ClientNetwork},
    limits::{HASHES_PER_ADDRESS_MAX, HASHES_PER_NETWORK_MAX, HASHES_WAITING_MAX},
};

/// Shares out turns, of which there are few at a time. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Turns(Arc<Mutex<Queue>>);

#[derive(Debug)]
struct Queue {
    /// Turns that are not in use.
    free: usize,
    /// The log-ins that wait, by network; a network that has had a turn goes to the end.
    waiting: VecDeque<(Option<ClientNetwork>, VecDeque<Waiting>)>,
}

#[derive(Debug)]
struct Waiting {
    from: Option<ClientAddress>,
    turn: oneshot::Sender<Turn>,
}

/// A turn; passed on when dropped.
#[derive(Debug)]
pub(super) struct Turn(Turns);

/// As many wait as may, on the whole or from where this one comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Full;

impl Turns {
    /// Has this number of turns at a time.
    pub(super) fn new(at_a_time: usize) -> Self {
        Self(Arc::new(Mutex::new(Queue { free: at_a_time, waiting: VecDeque::new() })))
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stands in line, for a client that is there; `None` inside the process.
    pub(super) fn queue_up(
        &self,
        from: Option<ClientAddress>,
    ) -> Result<oneshot::Receiver<Turn>, Full> {
        let (turn, mine) = oneshot::channel();
        let mut queue = self.queue();
        if queue.free > 0 {
            queue.free -= 1;
            drop(queue);
            // It is received here.
            let _received = turn.send(Turn(self.clone()));
            return Ok(mine);
        }
        queue.forget_those_who_left();
        if !queue.admits(from) {
            return Err(Full);
        }
        let network = from.map(ClientAddress::network);
        let waiting = Waiting { from, turn };
        match queue.waiting.iter_mut().find(|(other, _)| *other == network) {
            Some((_, line)) => line.push_back(waiting),
            None => queue.waiting.push_back((network, VecDeque::from([waiting]))),
        }
        Ok(mine)
    }
}

impl Queue {
    fn lines(&self) -> impl Iterator<Item = &Waiting> {
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

    fn forget_those_who_left(&mut self) {
        for (_, line) in &mut self.waiting {
            line.retain(|waiting| !waiting.turn.is_closed());
        }
        self.waiting.retain(|(_, line)| !line.is_empty());
    }

    /// Who is next; then the others of that network come after all other networks.
    fn next(&mut self) -> Option<oneshot::Sender<Turn>> {
        let (network, mut line) = self.waiting.pop_front()?;
        let next = line.pop_front();
        if !line.is_empty() {
            self.waiting.push_back((network, line));
        }
        next.map(|waiting| waiting.turn)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut queue = self.0.queue();
        match queue.next() {
            None => queue.free += 1,
            Some(next) => {
                drop(queue);
                // Where that client has left, the turn comes back, is dropped, and the next one has it.
                let _returned = next.send(Self(self.0.clone()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

    #[expect(clippy::unnecessary_wraps, reason = "it is what clients come from")]
    fn from(address: &str) -> Option<ClientAddress> {
        Some(address.parse::<IpAddr>().unwrap().into())
    }

    #[test]
    fn a_network_waits_for_one_of_each_other_network_and_not_for_all() {
        let turns = Turns::new(1);
        let mut first = turns.queue_up(from("10.0.0.1")).unwrap().try_recv().unwrap();
        let mut line = Vec::new();
        for address in ["2001:db8:1:1::1", "2001:db8:1:1::1", "2001:db8:1:2::1", "10.0.0.2"] {
            line.push(turns.queue_up(from(address)).unwrap());
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
    fn an_address_and_a_network_have_so_many_that_wait() {
        let turns = Turns::new(1);
        let _turn = turns.queue_up(from("10.0.0.1")).unwrap().try_recv().unwrap();
        let mut line = Vec::new();
        let mut wait = |address: &str, most: usize| {
            let before = line.len();
            while let Ok(waiting) = turns.queue_up(from(address)) {
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
    fn who_leaves_makes_room_and_keeps_no_turn() {
        let turns = Turns::new(1);
        let turn = turns.queue_up(from("10.0.0.1")).unwrap().try_recv().unwrap();
        let left: Vec<_> = (0..HASHES_PER_ADDRESS_MAX)
            .map(|_| turns.queue_up(from("10.0.0.1")).unwrap())
            .collect();
        drop(left);
        let mut stays = turns.queue_up(from("10.0.0.1")).unwrap();
        drop(turn);
        drop(stays.try_recv().unwrap());
        assert_eq!(turns.queue().free, 1);
    }
}
