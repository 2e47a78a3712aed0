//! Password hashes: argon2id at the recommended minimum, which takes tens of milliseconds of a
//! core, on a bounded number of threads behind a short queue.

use std::num::NonZeroUsize;

use argon2::{
    Algorithm, Argon2, Params, Version,
    password_hash::{PasswordHasher as _, PasswordVerifier as _, phc::PasswordHash},
};

use super::turns::{Full, Turns};
use crate::{address::ClientAddress, limits::CORES_PER_HASH};

/// Why a hash was not computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum HashingError {
    /// The queue is full.
    #[error("too many password hashes at this moment")]
    Busy,
    /// The server stops.
    #[error("the server stops")]
    Stopped,
}

/// Computes hashes, few at a time.
#[derive(Debug)]
pub(super) struct Hashing {
    turns: Turns,
}

/// Hashes that are computed at the same time: a core for every four that there are.
fn hashes_at_a_time() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    (cores / CORES_PER_HASH).max(1)
}

impl Hashing {
    pub(super) fn new() -> Self {
        Self { turns: Turns::new(hashes_at_a_time()) }
    }

    /// The hash to store for a password.
    pub(super) async fn hash(
        &self,
        password: Box<str>,
        from: Option<ClientAddress>,
    ) -> Result<String, HashingError> {
        self.run(from, move || {
            argon2()
                .hash_password(password.as_bytes())
                .expect("the parameters and the length are within argon2's bounds")
                .to_string()
        })
        .await
    }

    /// Whether the password is the one of the hash. Without a hash the answer is no, after as
    /// much work.
    pub(super) async fn verify(
        &self,
        password: Box<str>,
        hash: Option<String>,
        from: Option<ClientAddress>,
    ) -> Result<bool, HashingError> {
        self.run(from, move || {
            if let Some(Ok(hash)) = hash.as_deref().map(PasswordHash::new) {
                argon2().verify_password(password.as_bytes(), &hash).is_ok()
            } else {
                // The result is of no interest, only the time that it takes.
                let _spent = argon2().hash_password(password.as_bytes());
                false
            }
        })
        .await
    }

    async fn run<T: Send + 'static>(
        &self,
        from: Option<ClientAddress>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, HashingError> {
        let turn = self.turns.queue_up(from).map_err(|Full| HashingError::Busy)?;
        let turn = turn.await.map_err(|_| HashingError::Stopped)?;
        tokio::task::spawn_blocking(move || {
            let result = work();
            drop(turn);
            result
        })
        .await
        .map_err(|_| HashingError::Stopped)
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
    async fn a_password_is_right_or_wrong() {
        let hashing = Hashing::new();
        let hash = hashing.hash("correct horse".into(), None).await.unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        assert!(hashing.verify("correct horse".into(), Some(hash.clone()), None).await.unwrap());
        assert!(!hashing.verify("battery staple".into(), Some(hash), None).await.unwrap());
        assert!(!hashing.verify("anything".into(), None, None).await.unwrap());
    }

    #[tokio::test]
    async fn a_full_queue_says_busy() {
        let hashing = Hashing::new();
        let mut line = Vec::new();
        while let Ok(waiting) = hashing.turns.queue_up(None) {
            line.push(waiting);
        }
        let busy = hashing.verify("x".into(), None, None).await;
        assert_eq!(busy, Err(HashingError::Busy));
    }
}
