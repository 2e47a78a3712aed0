//! Password hashes: argon2id at OWASP's recommended minimum, which takes tens of milliseconds of a
//! core. The work pool computes a limited number at a time. Networks take turns in a short queue, so
//! that one network's log-ins do not wait for all of another's.

use std::{collections::VecDeque, sync::Arc};

use argon2::{
    Algorithm, Argon2, Block, Params, Version,
    password_hash::phc::{Output, ParamsString, PasswordHash, Salt},
};
use parking_lot::{Mutex, MutexGuard};
use rand::RngExt as _;
use tokio::sync::oneshot;

use super::error::AuthError;
use crate::{
    address::{ClientAddress, ClientNetwork},
    limits::{CORES_PER_HASH, HASHES_PER_ADDRESS_MAX, HASHES_PER_NETWORK_MAX, HASHES_WAITING_MAX},
    runtime::{entropy::Entropy, work_pool::WorkPool},
    store::StoreError,
};

/// Why a hash was not computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum HashingError {
    #[error("too many password hashes at this moment")]
    Busy,
    #[error("the server is shutting down")]
    Stopped,
}

impl From<HashingError> for AuthError {
    fn from(error: HashingError) -> Self {
        match error {
            HashingError::Busy => Self::Busy,
            HashingError::Stopped => Self::Store(StoreError::Stopped),
        }
    }
}

#[derive(Debug)]
pub(super) struct Hashing {
    queue: HashingQueue,
    memory: HashingMemory,
    work: WorkPool,
    entropy: Entropy,
}

/// Memory for hashes, one block list for each hash at a time, reused by the next. The allocator
/// would keep some for each thread that ever computed a hash.
#[derive(Debug, Clone, Default)]
struct HashingMemory(Arc<Mutex<Vec<Vec<Block>>>>);

impl HashingMemory {
    fn compute(&self, argon2: &Argon2<'_>, password: &[u8], salt: &[u8]) -> Option<Output> {
        let taken = self.0.lock().pop();
        let mut blocks = taken.unwrap_or_default();
        blocks.resize(argon2.params().block_count(), Block::default());
        let mut out = [0; Params::DEFAULT_OUTPUT_LEN];
        let done = argon2.hash_password_into_with_memory(password, salt, &mut out, &mut blocks);
        self.0.lock().push(blocks);
        done.ok()?;
        Output::new(&out).ok()
    }

    /// Returns the hash of a new password.
    fn hash(&self, password: &[u8], entropy: &mut Entropy) -> Option<PasswordHash> {
        let argon2 = argon2();
        let salt = Salt::new(&entropy.random::<[u8; Salt::RECOMMENDED_LENGTH]>()).ok()?;
        let output = self.compute(&argon2, password, &salt)?;
        Some(PasswordHash {
            algorithm: Algorithm::Argon2id.ident(),
            version: Some(Version::V0x13.into()),
            params: ParamsString::try_from(argon2.params()).ok()?,
            salt: Some(salt),
            hash: Some(output),
        })
    }

    /// Whether a password has this hash. Returns `None` for a hash of another kind or length.
    fn verify(&self, password: &[u8], hash: &str) -> Option<bool> {
        let stored = PasswordHash::new(hash).ok()?;
        if stored.algorithm != Algorithm::Argon2id.ident() {
            return None;
        }
        let version = Version::try_from(stored.version?).ok()?;
        let params = Params::try_from(&stored).ok()?;
        let argon2 = Argon2::new(Algorithm::Argon2id, version, params);
        let output = self.compute(&argon2, password, &stored.salt?)?;
        // Outputs are compared in constant time.
        Some(output == stored.hash?)
    }
}

impl Hashing {
    pub(super) fn new(work: WorkPool, entropy: Entropy) -> Self {
        let at_a_time = (work.parallelism() / CORES_PER_HASH).max(1);
        let (queue, memory) = (HashingQueue::new(at_a_time), HashingMemory::default());
        Self { queue, memory, work, entropy }
    }

    /// Returns the hash to store for a password.
    pub(super) async fn hash(
        &self,
        password: Box<str>,
        from: Option<ClientAddress>,
    ) -> Result<String, HashingError> {
        let (memory, mut entropy) = (self.memory.clone(), self.entropy.clone());
        self.run(from, move || {
            memory
                .hash(password.as_bytes(), &mut entropy)
                .expect("the parameters and the length are within argon2's bounds")
                .to_string()
        })
        .await
    }

    /// Whether the password has this hash. Without a hash the answer is no, after as much work.
    pub(super) async fn verify(
        &self,
        password: Box<str>,
        hash: Option<String>,
        from: Option<ClientAddress>,
    ) -> Result<bool, HashingError> {
        let (memory, mut entropy) = (self.memory.clone(), self.entropy.clone());
        self.run(from, move || {
            let password = password.as_bytes();
            hash.and_then(|hash| memory.verify(password, &hash)).unwrap_or_else(|| {
                // Only the time that this takes matters.
                std::hint::black_box(memory.hash(password, &mut entropy));
                false
            })
        })
        .await
    }

    async fn run<T: Send + 'static>(
        &self,
        from: Option<ClientAddress>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, HashingError> {
        let slot = self.queue.enqueue(from).map_err(|QueueFull| HashingError::Busy)?;
        let slot = slot.await.map_err(|_| HashingError::Stopped)?;
        let done = self.work.run(move || {
            let result = work();
            drop(slot);
            result
        });
        done.await.map_err(|_| HashingError::Stopped)
    }
}

/// 19 MiB, two passes, one lane: OWASP's recommended minimum for argon2id.
fn argon2() -> Argon2<'static> {
    let params = Params::new(19 * 1024, 2, 1, None).expect("constants within argon2's bounds");
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
}

/// Hands out a few slots for password hashes. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct HashingQueue(Arc<Mutex<WaitingLogIns>>);

#[derive(Debug)]
struct WaitingLogIns {
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
struct QueueFull;

impl HashingQueue {
    /// Creates a queue with this number of slots.
    pub(super) fn new(at_a_time: usize) -> Self {
        Self(Arc::new(Mutex::new(WaitingLogIns { free: at_a_time, waiting: VecDeque::new() })))
    }

    fn queue(&self) -> MutexGuard<'_, WaitingLogIns> {
        self.0.lock()
    }

    /// Waits for a slot. `from` is `None` for clients inside the process.
    fn enqueue(
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

    #[tokio::test]
    async fn verify_tells_right_from_wrong_passwords() {
        let hashing = Hashing::new(WorkPool::default(), Entropy::default());
        let hash = hashing.hash("correct horse".into(), None).await.unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        assert!(hashing.verify("correct horse".into(), Some(hash.clone()), None).await.unwrap());
        assert!(!hashing.verify("battery staple".into(), Some(hash), None).await.unwrap());
        assert!(!hashing.verify("anything".into(), None, None).await.unwrap());
    }

    #[tokio::test]
    async fn hashes_are_compatible_with_the_library_and_reuse_memory() {
        use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
        let hashing = Hashing::new(WorkPool::default(), Entropy::default());
        let theirs = argon2().hash_password(b"correct horse").unwrap().to_string();
        for _ in 0..3 {
            assert!(
                hashing.verify("correct horse".into(), Some(theirs.clone()), None).await.unwrap()
            );
        }
        let ours = hashing.hash("correct horse".into(), None).await.unwrap();
        let ours = PasswordHash::new(&ours).unwrap();
        assert!(argon2().verify_password(b"correct horse", &ours).is_ok());
        assert_eq!(hashing.memory.0.lock().len(), 1);
        assert!(!hashing.verify("anything".into(), Some("no hash".into()), None).await.unwrap());
    }

    #[tokio::test]
    async fn a_full_queue_returns_busy() {
        let hashing = Hashing::new(WorkPool::default(), Entropy::default());
        let mut line = Vec::new();
        while let Ok(waiting) = hashing.queue.enqueue(None) {
            line.push(waiting);
        }
        let busy = hashing.verify("x".into(), None, None).await;
        assert_eq!(busy, Err(HashingError::Busy));
    }

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
