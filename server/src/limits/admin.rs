//! Limits of administration.

use std::time::Duration;

/// Bans that may stand at once. The server keeps them in memory, and each `hello` looks at those of
/// networks.
pub(crate) const BANS_MAX: u32 = 10_000;

/// Connections to the administration socket.
pub(crate) const ADMIN_CONNECTIONS_MAX: usize = 16;

/// The longest request by the administration socket, in bytes.
pub(crate) const ADMIN_REQUEST_BYTES_MAX: u64 = 64 * 1024;

/// How long a connection to the administration socket may be silent.
pub(crate) const ADMIN_IDLE_MAX: Duration = Duration::from_secs(30);

/// The longest reason, note or text of an operator, in bytes.
pub(crate) const OPERATOR_TEXT_BYTES_MAX: usize = 1000;

/// Rows of one list for operators.
pub(crate) const ADMIN_PAGE_MAX: u32 = 1000;

/// Rows of each kind in an export of what is stored about a user. One that is cut says so.
pub(crate) const PERSONAL_ROWS_MAX: usize = 100_000;

/// Invitations to sign up that one request makes.
pub(crate) const INVITATIONS_AT_ONCE_MAX: u32 = 100;

/// How long the process may take to read the configuration again.
pub(crate) const RELOAD_ANSWER_MAX: Duration = Duration::from_secs(10);

/// Reports that no operator has closed.
pub(crate) const REPORTS_MAX: usize = 1000;

/// Open reports of one user.
pub(crate) const REPORTS_PER_USER_MAX: usize = 5;

/// Open reports from one network.
pub(crate) const REPORTS_PER_NETWORK_MAX: usize = 20;

/// The longest text of a report, in characters.
pub(crate) const REPORT_CHARS_MAX: usize = 1000;

/// The last lines of each talk room of a game that its report keeps.
pub(crate) const REPORTED_LINES_MAX: u32 = 20;

/// What a report counts for beside its text: its row with the lines of talk.
pub(crate) const REPORT_ROW_BYTES: u64 = 4096;

/// How long a closed report is kept: a user's history of half a year.
pub(crate) const REPORTS_KEPT_FOR: Duration = Duration::from_hours(180 * 24);

/// Notices of one user that wait to be read. One more deletes the oldest.
pub(crate) const NOTICES_PER_USER_MAX: u32 = 20;
