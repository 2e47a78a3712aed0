//! File descriptors: how many there may be, and how they are shared out. Every connection takes one,
//! and whatever is left over for nothing else must be enough for the store, which must never want.

use nix::{
    errno::Errno,
    sys::resource::{Resource, getrlimit, setrlimit},
};

use crate::limits::{DESCRIPTORS_RESERVED, HANDSHAKES_MAX, HANDSHAKES_MIN, HANDSHAKES_SHARE};

/// How many connections there may be at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shares {
    /// Sessions, and logs that are followed.
    pub(crate) connections: usize,
    /// Connections that have not become one of these. They have a share of their own, so that one
    /// can still come in and be told that the server is full, or ask whether it is ready.
    pub(crate) handshakes: usize,
}

/// There are too few descriptors to serve anybody.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error(
    "{limit} file descriptors are too few, {needed} are the least: raise the limit (ulimit -n)"
)]
pub struct TooFew {
    /// How many the process may have.
    limit: usize,
    /// How many it needs.
    needed: usize,
}

/// Raises the limit as far as the process may, and gives back what it is then.
pub(crate) fn raise() -> usize {
    let number = |limit| usize::try_from(limit).unwrap_or(usize::MAX);
    let (soft, hard) = match getrlimit(Resource::RLIMIT_NOFILE) {
        Ok(limits) => limits,
        Err(error) => {
            tracing::warn!(%error, "how many descriptors there may be is not known");
            return usize::MAX;
        }
    };
    if soft == hard {
        return number(soft);
    }
    match setrlimit(Resource::RLIMIT_NOFILE, hard, hard) {
        Ok(()) => number(hard),
        Err(error) => {
            tracing::warn!(%error, soft, hard, "the limit of descriptors could not be raised");
            number(soft)
        }
    }
}

/// Shares out so many descriptors where so many connections are wanted.
pub(crate) fn share_out(limit: usize, wanted: usize) -> Result<Shares, TooFew> {
    let needed = DESCRIPTORS_RESERVED + HANDSHAKES_MIN + 1;
    if limit < needed {
        return Err(TooFew { limit, needed });
    }
    let sockets = limit - DESCRIPTORS_RESERVED;
    let handshakes = (sockets / HANDSHAKES_SHARE).clamp(HANDSHAKES_MIN, HANDSHAKES_MAX);
    Ok(Shares { connections: wanted.min(sockets - handshakes), handshakes })
}

/// Whether the operating system had no connection to give for want of descriptors or memory, rather
/// than because of the connection itself.
pub(crate) fn are_exhausted(error: &std::io::Error) -> bool {
    matches!(
        error.raw_os_error().map(Errno::from_raw),
        Some(Errno::EMFILE | Errno::ENFILE | Errno::ENOBUFS | Errno::ENOMEM)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_get_what_nothing_else_needs() {
        let shares = share_out(20_000, 15_000).unwrap();
        assert_eq!(shares, Shares { connections: 15_000, handshakes: HANDSHAKES_MAX });
        for limit in [DESCRIPTORS_RESERVED + HANDSHAKES_MIN + 1, 64, 256, 1024, 4096, 15_000] {
            let Shares { connections, handshakes } = share_out(limit, 15_000).unwrap();
            assert!(connections >= 1 && handshakes >= HANDSHAKES_MIN, "{limit}");
            assert_eq!(connections + handshakes + DESCRIPTORS_RESERVED, limit);
        }
        let needed = DESCRIPTORS_RESERVED + HANDSHAKES_MIN + 1;
        assert_eq!(share_out(needed - 1, 10), Err(TooFew { limit: needed - 1, needed }));
    }
}
