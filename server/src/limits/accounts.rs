//! Limits of users, passwords and tokens.

use std::time::Duration;

/// One password hash is computed at once for this many cores, and at least one. Each takes a core
/// for tens of milliseconds.
pub(crate) const CORES_PER_HASH: usize = 4;

/// Password hashes that may wait in all. Beyond it the answer is `busy`. Networks take turns.
pub(crate) const HASHES_WAITING_MAX: usize = 128;

/// Password hashes of one address that may wait.
pub(crate) const HASHES_PER_ADDRESS_MAX: usize = 2;
/// Password hashes of one network that may wait.
pub(crate) const HASHES_PER_NETWORK_MAX: usize = 4;

/// The shortest and longest password, in bytes.
pub(crate) const PASSWORD_BYTES: std::ops::RangeInclusive<usize> = 8..=256;

/// The longest label of a token, in bytes.
pub(crate) const TOKEN_LABEL_BYTES_MAX: usize = 64;

/// Log-in tokens of one user, and as many again for programs. One more log-in deletes the one that
/// was unused for longest.
pub(crate) const TOKENS_PER_USER_MAX: u32 = 50;

/// How exactly the store knows when a token was last used. A write for every `hello` would be
/// waste.
pub(crate) const TOKEN_USE_GRAIN: Duration = Duration::from_mins(10);

/// The store records a token's use at least this many times within the token's life.
pub(crate) const TOKEN_USE_SHARE: u64 = 4;

/// Uses of open sessions' tokens that share one write.
pub(crate) const TOKEN_USES_PER_WRITE: usize = 256;

/// Bots of one owner.
pub(crate) const BOTS_PER_OWNER_MAX: u32 = 20;

/// Time between two sweeps of guests who never played and of tokens that have expired.
pub(crate) const SWEEP_EVERY: Duration = Duration::from_hours(24);

/// Live games of one user.
pub(crate) const GAMES_PER_USER_MAX: usize = 200;

/// The time between two checks of the tokens of open sessions, with several nodes.
pub(crate) const TOKEN_CHECK_EVERY: Duration = Duration::from_secs(30);

/// Tokens that one read checks.
pub(crate) const TOKENS_PER_CHECK: usize = 1000;
