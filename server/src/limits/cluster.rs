//! Limits between nodes.

use std::time::Duration;

use super::{lobby::UNSAY_WITHIN, postgres::POSTGRES_NODE_GONE_MS};

/// Time for which a room leaves a fallen flag to the node at which the player on the move has a
/// session. A move that arrived there in time may still be on its way into the store.
pub(crate) const FLAG_GRACE: Duration = Duration::from_secs(1);

/// Time after its last heartbeat at which a node counts as gone, in milliseconds.
pub(crate) const NODE_GONE_MS: u64 = POSTGRES_NODE_GONE_MS.unsigned_abs();

/// Time after the last heartbeat of a node by which the rooms of all others know that it has gone,
/// in milliseconds: their next heartbeats tell, and a busy node is late.
pub(crate) const NODE_GONE_KNOWN_MS: u64 = NODE_GONE_MS + 1_000;

/// Time after which a room looks again whether a heartbeat is later than a flag that has fallen.
pub(crate) const FLAG_CHECK_EVERY: Duration = Duration::from_millis(100);

/// Time for which a room that hears of the end of a rated game leaves it to the node of the end to
/// record the rating change.
pub(crate) const RATED_GRACE: Duration = Duration::from_millis(200);

/// Time after which a loop asks the store whether its games have moved on, whatever it has heard.
/// A lost announcement delays a move by no more than this.
pub(crate) const AUDIT_EVERY: Duration = Duration::from_secs(30);

/// Time after which a loop asks again when the store could not answer.
pub(crate) const AUDIT_RETRY: Duration = Duration::from_secs(1);

/// Games in one such question.
pub(crate) const AUDIT_GAMES_MAX: usize = 256;

/// Time between two questions which games have something due while no node has a room for them.
pub(crate) const DUE_GAMES_EVERY: Duration = Duration::from_secs(1);

/// Games in one such question. Those that are due are opened before the next question.
pub(crate) const DUE_GAMES_PAGE: usize = 64;

/// Such questions in a row, as long as there are more games. So a node looks at a thousand games a
/// second, and holds no more rooms for that than clients open in the same time.
pub(crate) const DUE_GAMES_PAGES_MAX: usize = 16;

/// A difference to the store's clock that the node does not follow, in milliseconds. Its own clock
/// or the store's is wrong.
pub(crate) const CLOCK_AHEAD_MAX_MS: u64 = 1_000;

/// A difference to the store's clock of which the node warns, in milliseconds. Moves through
/// another node cost players up to twice as much.
pub(crate) const CLOCK_AHEAD_WARN_MS: u64 = 20;

/// Time between two answers of a node to lost events. Each answer publishes events, which may be
/// lost as well: without a limit, nodes would answer each other without end.
pub(crate) const GAPS_APART: Duration = Duration::from_secs(1);

/// Time back to which a node that may have missed announcements reads what was said and deleted.
/// Authors cannot delete older lines.
pub(crate) const TALK_REREAD_WITHIN: Duration = UNSAY_WITHIN;

/// Time back from the last announcement that a node has heard. A line that was said earlier, and is
/// not deleted since, was announced before that one.
pub(crate) const TALK_REREAD_BEFORE: Duration = Duration::from_mins(1);

/// Lines that a node reads again at once: the latest ones.
pub(crate) const TALK_REREAD_MAX: u32 = 2_000;

/// Lines that a node remembers to have sent. It does not read back beyond those that it forgets.
pub(crate) const TALK_SENT_MAX: usize = 20_000;
