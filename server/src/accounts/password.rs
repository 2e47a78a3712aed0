//! Password hashes: argon2id at OWASP's recommended minimum, which takes tens of milliseconds of a
//! core. The work pool computes a limited number at a time, behind a short queue.

use std::sync::Arc;

use argon2::{
    Algorithm, Argon2, Block, Params, Version,
    password_hash::phc::{Output, ParamsString, PasswordHash, Salt},
};
use parking_lot::Mutex;
use rand::RngExt as _;

use super::hashing_queue::{HashingQueue, QueueFull};
use crate::{
    accounts::error::AuthError,
    address::ClientAddress,
    limits::CORES_PER_HASH,
    runtime::{entropy::Entropy, work_pool::WorkPool},
    store::StoreError,
};

/// Why a hash was not computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum HashingError {
    /// The queue is full.
    #[error("too many password hashes at this moment")]
    Busy,
    /// The server shuts down.
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

/// Computes password hashes.
#[derive(Debug)]
pub(super) struct Hashing {
    queue: HashingQueue,
    memory: HashingMemory,
    work: WorkPool,
    /// Where salts come from.
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

#[cfg(test)]
mod tests {
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
}
