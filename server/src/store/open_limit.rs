//! A bound of what may be open at once.

/// Too many things of one kind are open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OpenLimitReached {
    /// The limit's name on the wire.
    pub limit: &'static str,
    /// The things counted, for people.
    pub what: &'static str,
    /// The limit.
    pub max: usize,
    /// Whether others fill it, so that the client can only wait.
    pub by_others: bool,
}
