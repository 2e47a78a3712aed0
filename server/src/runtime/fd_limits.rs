//! File descriptors: their limit, and how many connections it allows. Each connection takes one
//! descriptor; the store's files take the reserved ones and must never run out.

use nix::{
    errno::Errno,
    sys::resource::{Resource, getrlimit, setrlimit},
};

use crate::limits::{DESCRIPTORS_RESERVED, HANDSHAKES_MAX, HANDSHAKES_MIN, HANDSHAKES_SHARE};

/// Descriptors for connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FdBudget {
    /// Sessions and event streams.
    pub(crate) connections: usize,
    /// As many as there could be.
    pub(crate) most_connections: usize,
    /// Connections that are neither yet. With a share of their own a client can still connect to a
    /// full server, to receive the refusal or to request `/readyz`.
    pub(crate) handshakes: usize,
}

/// There are too few descriptors for a single connection.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error(
    "{limit} file descriptors are too few, the server needs {needed}: raise the limit (ulimit -n)"
)]
pub struct TooFewDescriptors {
    limit: usize,
    needed: usize,
}

/// Raises the soft limit to the hard limit and returns the effective limit.
pub(crate) fn raise_limit() -> usize {
    let number = |limit| usize::try_from(limit).unwrap_or(usize::MAX);
    let (soft, hard) = match getrlimit(Resource::RLIMIT_NOFILE) {
        Ok(limits) => limits,
        Err(error) => {
            // operator: the server assumes that there is no limit
            tracing::warn!(%error, "reading the file descriptor limit failed");
            return usize::MAX;
        }
    };
    if soft == hard {
        return number(soft);
    }
    match setrlimit(Resource::RLIMIT_NOFILE, hard, hard) {
        Ok(()) => number(hard),
        Err(error) => {
            // operator: the soft limit applies. Raise it yourself: see "Descriptors"
            tracing::warn!(%error, soft, hard, "raising the file descriptor limit failed");
            number(soft)
        }
    }
}

/// Divides descriptors among connections and handshakes; `wanted` is the configured number of
/// connections.
pub(crate) fn allocate(limit: usize, wanted: usize) -> Result<FdBudget, TooFewDescriptors> {
    let needed = DESCRIPTORS_RESERVED + HANDSHAKES_MIN + 1;
    if limit < needed {
        return Err(TooFewDescriptors { limit, needed });
    }
    let sockets = limit - DESCRIPTORS_RESERVED;
    let handshakes = (sockets / HANDSHAKES_SHARE).clamp(HANDSHAKES_MIN, HANDSHAKES_MAX);
    let most_connections = sockets - handshakes;
    let connections = wanted.min(most_connections);
    Ok(FdBudget { connections, most_connections, handshakes })
}

/// Whether an accept failed because the operating system is out of descriptors or memory, and not
/// because of the connection itself.
pub(crate) fn is_exhaustion(error: &std::io::Error) -> bool {
    matches!(
        error.raw_os_error().map(Errno::from_raw),
        Some(Errno::EMFILE | Errno::ENFILE | Errno::ENOBUFS | Errno::ENOMEM)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_descriptors_are_allocated_and_too_few_are_an_error() {
        let budget = allocate(20_000, 15_000).unwrap();
        assert_eq!((budget.connections, budget.handshakes), (15_000, HANDSHAKES_MAX));
        for limit in [DESCRIPTORS_RESERVED + HANDSHAKES_MIN + 1, 64, 256, 1024, 4096, 15_000] {
            let FdBudget { connections, handshakes, .. } = allocate(limit, 15_000).unwrap();
            assert!(connections >= 1 && handshakes >= HANDSHAKES_MIN, "{limit}");
            assert_eq!(connections + handshakes + DESCRIPTORS_RESERVED, limit);
        }
        let needed = DESCRIPTORS_RESERVED + HANDSHAKES_MIN + 1;
        assert_eq!(allocate(needed - 1, 10), Err(TooFewDescriptors { limit: needed - 1, needed }));
    }
}
