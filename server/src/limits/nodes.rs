//! Limits between nodes, and of the connections to PostgreSQL.

use std::time::Duration;

use super::lobby::UNSAY_WITHIN;

/// How long a statement or a commit may take. A server that needs longer may be paused, and its
/// connection is not used any more.
pub(crate) const POSTGRES_STATEMENT_MAX: Duration = Duration::from_secs(1);

/// How long a statement of an operator's task may take: it may read a whole table.
pub(crate) const POSTGRES_TASK_STATEMENT_MAX: Duration = Duration::from_mins(10);

/// How long a statement of a migration may take: it may build an index.
pub(crate) const POSTGRES_MIGRATION_MAX: Duration = Duration::from_hours(1);

/// How long a server may take to accept a connection. All servers are tried at once.
pub(crate) const POSTGRES_DIAL_MAX: Duration = Duration::from_millis(500);

/// The pause between two searches for the primary.
pub(crate) const POSTGRES_DIAL_EVERY: Duration = Duration::from_millis(100);

/// How often a node asks the standbys whether they could take over.
pub(crate) const POSTGRES_STANDBYS_EVERY: Duration = Duration::from_mins(5);

/// How long the node sends an operation again whose outcome is unknown. A fail-over is faster.
pub(crate) const POSTGRES_PATIENCE: Duration = Duration::from_secs(10);

/// How long the operations of a node wait for the database in all, counted from the last heartbeat:
/// a request fails within [`POSTGRES_PATIENCE`], however many operations it consists of. An append
/// waits as long, and has the rest for its outcome.
pub(crate) const POSTGRES_SILENCE_MAX: Duration = Duration::from_secs(8);

/// How long an operation tries in any case: the process may have stood still, and not the database.
pub(crate) const POSTGRES_PATIENCE_LEAST: Duration = Duration::from_millis(500);

/// How long a server may be unreachable while the node starts.
pub(crate) const POSTGRES_START_PATIENCE: Duration = Duration::from_secs(5);

/// How long a commit proves that its server is the primary. A primary is replaced later than that
/// after it has stopped committing, so a node reads no stale facts.
pub(crate) const POSTGRES_TRUST: Duration = Duration::from_millis(1500);

/// Connections of a node for reads and for writes other than moves.
pub(crate) const POSTGRES_CONNECTIONS: usize = 7;

/// Connections of these that reads may take at the same time. The others are left to writes, so
/// that no end of a game waits for a slow list.
pub(crate) const POSTGRES_READS_MAX: usize = 5;

/// Time between two heartbeats of a node.
pub(crate) const POSTGRES_BEAT_EVERY: Duration = Duration::from_millis(500);

/// A node whose last heartbeat is older, in milliseconds of the database's clock, has gone.
pub(crate) const POSTGRES_NODE_GONE_MS: i64 = 1500;

/// The shortest time without a commit of any node that no node's heartbeats are blamed for, in
/// milliseconds. It is shorter than the time after which a node has gone.
pub(crate) const POSTGRES_STALL_MS: i64 = 1000;

/// How long a starting node watches the row of its predecessor, which may live: several heartbeats.
pub(crate) const POSTGRES_NODE_WATCH: Duration = Duration::from_millis(2500);

/// The time without a heartbeat of any node beyond which it counts as an outage, in milliseconds:
/// several heartbeats are missing, and by [`POSTGRES_NODE_GONE_MS`] no node lives.
pub(crate) const POSTGRES_OUTAGE_MS: i64 = POSTGRES_NODE_GONE_MS;

/// How long an append may take before it waits for the next heartbeat, which tells whether there
/// was an outage. A shorter delay costs no clock more than a slow network does.
pub(crate) const POSTGRES_APPEND_STALL: Duration = POSTGRES_STATEMENT_MAX;

/// How long such an append waits for the heartbeat.
pub(crate) const POSTGRES_HEARTBEAT_AFTER_STALL: Duration = Duration::from_secs(1);

/// The latest outages with which a game is credited. There is one at each stop of all nodes.
pub(crate) const POSTGRES_OUTAGES_MAX: i64 = 1000;

/// Samples from which the database's clock is estimated: the one with the shortest round trip
/// counts.
pub(crate) const POSTGRES_CLOCK_SAMPLES: usize = 16;

/// A difference between the time that the database's clock has passed and that of a node's
/// monotonic clock which is a jump, in milliseconds: the time of the nodes goes on without it.
pub(crate) const POSTGRES_CLOCK_STEP_MS: i64 = 100;

/// The part of the time since a node's last heartbeat by which two clocks may differ without a
/// jump. It is as much as the nodes' clocks are adjusted.
pub(crate) const POSTGRES_CLOCK_UNSURE_PART: i64 = 200;

/// Milliseconds a second by which the time of the nodes approaches the database's clock after a
/// jump. It is less than the nodes' clocks can follow.
pub(crate) const POSTGRES_CLOCK_RETURN_MS: i64 = 2;

/// By how many milliseconds the database's clock may be behind the last heartbeat of any node, if
/// no node can tell how much time has passed. Beyond it that heartbeat was by a wrong clock.
pub(crate) const POSTGRES_CLOCK_BACK_MAX_MS: i64 = 60 * 60 * 1000;

/// How long the store may go without a commit before it counts as unhealthy.
pub(crate) const POSTGRES_HEALTHY: Duration = Duration::from_secs(3);

/// How long the sizes of the database are kept: counting rows is dear.
pub(crate) const POSTGRES_SIZE_EVERY: Duration = Duration::from_secs(30);

/// Time after which a node deletes what tells whether old requests were carried out.
pub(crate) const POSTGRES_FORGET_EVERY: Duration = Duration::from_mins(1);

/// Number of old requests that one statement deletes, which takes far less than
/// [`POSTGRES_STATEMENT_MAX`].
pub(crate) const POSTGRES_FORGET_AT_ONCE: u64 = 5000;

/// Time between two announcements. What comes meanwhile shares the next one.
pub(crate) const POSTGRES_ANNOUNCE_EVERY: Duration = Duration::from_millis(2);

/// Bytes of an announcement. PostgreSQL takes less than 8000.
pub(crate) const POSTGRES_ANNOUNCEMENT_BYTES: usize = 7900;

/// Announcements in one statement.
pub(crate) const POSTGRES_ANNOUNCEMENTS_AT_ONCE: usize = 16;

/// Bytes of records that wait to be announced. Beyond it records are only named, and nodes with
/// their games read them.
pub(crate) const POSTGRES_ANNOUNCED_RECORDS_BYTES: usize = 512 * 1024;

/// Events that wait to be announced. Beyond it they are dropped, and the other nodes notice.
pub(crate) const POSTGRES_EVENTS_MAX: usize = 8192;

/// Announcements of other nodes that wait to be read from a connection. A node that is slower than
/// that starts to listen again.
pub(crate) const POSTGRES_NOTIFICATIONS_MAX: usize = 4096;

/// Events of other nodes that wait for this one. Beyond it they are dropped, and this node reads
/// from the store what they could have said.
pub(crate) const POSTGRES_HEARD_MAX: usize = 4096;

/// Time between two checks of the connection that listens.
pub(crate) const POSTGRES_PROBE_EVERY: Duration = Duration::from_millis(500);

/// How long the tasks of the connections may take to end.
pub(crate) const POSTGRES_CLOSE_MAX: Duration = Duration::from_secs(2);

/// Appends that one statement stores. A batch is as slow as its slowest row.
pub(crate) const POSTGRES_BATCH_GAMES: usize = 512;

/// Bytes of records that one statement stores, unless a single append has more.
pub(crate) const POSTGRES_BATCH_BYTES: usize = 256 * 1024;

/// Appends that a connection has taken, and as many again that wait to be taken. Beyond it their
/// senders wait.
pub(crate) const POSTGRES_QUEUED_APPENDS_MAX: usize = 2048;

/// Reads of records that one statement answers.
pub(crate) const POSTGRES_READS_PER_QUERY: usize = 64;

/// Statements that read records at the same time. The reads that come meanwhile share the next one.
pub(crate) const POSTGRES_READ_QUERIES_MAX: usize = 2;

/// Reads of records that wait. Beyond it their senders wait.
pub(crate) const POSTGRES_QUEUED_READS_MAX: usize = 1024;

/// By how many milliseconds a flag may fall late in a game whose node has ended. Nodes look at each
/// game without a room at this interval, unless its next flag is later.
pub(crate) const POSTGRES_WAKE_LATE_MS: i64 = 5 * 60 * 1000;

/// Games whose flag is to fall earlier than nodes look at them, and for which that is not stored
/// yet. Beyond it their flags may fall late if this node ends.
pub(crate) const POSTGRES_WAKE_TIMES_MAX: usize = 8192;

/// For how many milliseconds no other node opens a game that one node opens because of its clock.
pub(crate) const POSTGRES_CLAIMED_MS: i64 = 60 * 1000;

/// After how many milliseconds another node archives a game that has ended.
pub(crate) const POSTGRES_UNFINISHED_MS: i64 = 5 * 1000;

/// Live games among which those with the latest events are looked for: the last ones that began.
pub(crate) const ACTIVE_GAMES_SEARCHED: i64 = 500;

/// How long a node has work for itself without another heartbeat, in milliseconds. Another node
/// takes the work over after that time.
pub(crate) const POSTGRES_LEASE_MS: i64 = 5000;

/// Time between two writes of which players are at their games. What changes meanwhile shares the
/// next one.
pub(crate) const POSTGRES_PRESENCE_EVERY: Duration = Duration::from_millis(50);

/// Time between two checks whether the database has lost which players are at their games, as a
/// fail-over does.
pub(crate) const POSTGRES_PRESENCE_CHECK: Duration = Duration::from_millis(500);

/// Players at games in one statement.
pub(crate) const POSTGRES_PRESENCE_ROWS: usize = 1000;

/// Players who have come or left, and wait to be stored. Beyond it the node notes all of its
/// players again.
pub(crate) const POSTGRES_PRESENCE_MAX: usize = 65_536;

/// How long claims are answered `busy` because a node has not noted its players. A node that lives
/// and cannot do so in that time counts as one without players.
pub(crate) const POSTGRES_PRESENCE_PATIENCE: Duration = Duration::from_secs(10);

/// Time between two looks at some rows of players at games for those that are of no use any more.
pub(crate) const POSTGRES_PRESENCE_SWEEP: Duration = Duration::from_secs(5);

/// How long the time is kept at which a player left a live game, in milliseconds.
pub(crate) const POSTGRES_PRESENCE_KEPT_MS: i64 = 30 * 24 * 60 * 60 * 1000;

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
