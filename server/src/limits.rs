//! Every bound inside the server that an operator does not set, with its unit and its reason.
//! Those that an operator sets are in `config::limits`.

use std::time::Duration;

use crate::rate_limiter::Rate;

/// Commands that may wait for one room. A full mailbox stops the readers that fill it.
pub(crate) const MAILBOX_COMMANDS_MAX: usize = 64;

/// Frames that may wait for one client: at 20 events a second about 13 seconds.
pub(crate) const OUTBOX_FRAMES_MAX: usize = 256;

/// Bytes that may wait for one client; several snapshots of the longest games fit.
pub(crate) const OUTBOX_BYTES_MAX: usize = 1024 * 1024;

/// A session that listens to its games again, one after the other, waits for the client before each
/// of them until no more than this part of the room is taken.
pub(crate) const OUTBOX_CALM_SHARE: usize = 4;

/// How long one write to a socket may take before its client counts as not reading.
pub(crate) const WRITE_STALL_MAX: Duration = Duration::from_secs(10);

/// How long a peer that has stopped reading may hold up its own goodbye.
pub(crate) const GOODBYE_MAX: Duration = Duration::from_millis(500);

/// The same for a client that is sent away because it is behind. It has yet to read what the
/// operating system has taken for it, which on a poor line takes seconds, before it hears why.
pub(crate) const SLOW_GOODBYE_MAX: Duration = Duration::from_secs(5);

/// How long and how much is read and thrown away after a goodbye, so that unread input does not
/// make the operating system reset the connection before the goodbye has arrived.
pub(crate) const LINGER_MAX: Duration = Duration::from_secs(1);
/// See [`LINGER_MAX`].
pub(crate) const LINGER_BYTES_MAX: usize = 1024 * 1024;

/// Connections that the operating system keeps until they are accepted.
pub(crate) const ACCEPT_BACKLOG: u32 = 1024;

/// Time for TLS, the request's head and the upgrade together.
pub(crate) const HANDSHAKE_MAX: Duration = Duration::from_secs(5);

/// What is read of a connection before its request's head has ended: far more than a browser sends.
pub(crate) const HEAD_BYTES_MAX: usize = 16 * 1024;

/// Handshakes under way at once; beyond it the oldest silent one of the network with the most makes
/// room for a new one.
pub(crate) const HANDSHAKES_MAX: usize = 1024;

/// The least share of the descriptors for handshakes that one can serve with: some clients, and a
/// monitor.
pub(crate) const HANDSHAKES_MIN: usize = 4;

/// Where descriptors are scarce: one in so many of those for connections is for handshakes.
pub(crate) const HANDSHAKES_SHARE: usize = 4;

/// Descriptors that connections leave alone: half of them for streams, runtime, port and store, which
/// has all its files open from the start, and the rest for what is open for moments.
pub(crate) const DESCRIPTORS_RESERVED: usize = 48;

/// How long somebody is listened to who has come in on the spare descriptor.
pub(crate) const SPARE_MAX: Duration = Duration::from_secs(1);

/// A server that was full is no longer once one in so many places is free: without a margin each who
/// comes and goes would be a line in the log.
pub(crate) const FREE_AGAIN_SHARE: usize = 16;

/// How long the room of a game that is over stays open while nobody asks anything there, if
/// `games.park_after` is not shorter: whoever plays much leaves many behind.
pub(crate) const OVER_IDLE_MAX: Duration = Duration::from_mins(1);

/// Games that are over, and to which a session goes on listening although their rooms are closed; some
/// hundred bytes each. The one whose room was closed first makes room for another.
pub(crate) const LISTENED_IN_NAME_MAX: usize = 256;

/// How long a player whose connections are gone still counts as there, so that a quick return is
/// no news to anybody. Less where one may be claimed against sooner.
pub(crate) const PRESENCE_GRACE: Duration = Duration::from_secs(5);

/// How long changes of presence are gathered before a room tells of them: at most one message in
/// this time, however many come and go.
pub(crate) const PRESENCE_CONFLATE: Duration = Duration::from_secs(1);

/// When a parked game whose clock has run out is tried again after its room could not be opened.
pub(crate) const WAKE_AGAIN: Duration = Duration::from_mins(1);

/// How often it is logged that a connection was refused. All of them are counted.
pub(crate) const REFUSAL_TOLD_EVERY: Duration = Duration::from_secs(1);

/// Below how many free bytes the log warns of a disk that fills: some days of a busy server.
pub(crate) const DISK_LOW_BYTES: u64 = 1024 * 1024 * 1024;

/// How often it is looked how full the disk is.
pub(crate) const DISK_LOOK_EVERY: Duration = Duration::from_mins(1);

/// How often it is logged that a client knows other records than this server. All of them are
/// counted.
pub(crate) const FORK_TOLD_EVERY: Duration = Duration::from_secs(10);

/// How far the machine's clock may be behind the newest record before that is worth a warning.
pub(crate) const CLOCK_BEHIND_MAX: Duration = Duration::from_secs(1);

/// Measurements of the way to a client and back of which the shortest counts.
pub(crate) const ROUND_TRIPS: usize = 8;

/// How often the server notes that it is alive: a crash makes up to so much thinking time uncounted.
pub(crate) const ALIVE_EVERY: Duration = Duration::from_secs(5);

/// Time from the upgrade to an accepted `hello`.
pub(crate) const HELLO_MAX: Duration = Duration::from_secs(5);

/// Frames that are no requests within a minute before the connection is closed.
pub(crate) const MALFORMED_PER_MINUTE_MAX: usize = 3;

/// Requests refused for their rate in a row before the connection is closed.
pub(crate) const RATE_STRIKES_MAX: u32 = 100;

/// Shares of one address that a customer's network (an IPv6 /48) has: enough for the /64s of a
/// household, each of which is an address, and far from what all 65 536 of them would be.
pub(crate) const NETWORK_SHARE: u32 = 4;

/// What a request for a list costs against the rates of users and addresses: it takes some times as
/// long as one about a game.
pub(crate) const LIST_COST: u64 = 4;

/// Games in a `hello.resume` that cost as much as one message.
pub(crate) const RESUMED_GAMES_PER_MESSAGE: u64 = 2;

/// What a record counts for beside its own bytes: its place in a table.
pub(crate) const RECORD_ROW_BYTES: u64 = 32;

/// No record of a move is longer, on the largest board of Adamas with three players: its fields and
/// clocks take some 450 bytes, a split onto every cell in sight 260, six captures with all pieces of two
/// players 400, and a request's id of letters that are written with two bytes each 128.
#[cfg(test)]
pub(crate) const LONGEST_RECORD_BYTES: u64 = 1250;

/// What the record of a takeback, which holds the whole board, may have beyond that.
#[cfg(test)]
pub(crate) const TAKEN_BACK_BYTES: u64 = 1750;

/// What a game counts for beside its records: its row, with what lists say of it, and its result.
pub(crate) const GAME_ROW_BYTES: u64 = 2048;

/// What a user counts for, with the first token.
pub(crate) const USER_ROW_BYTES: u64 = 1024;

/// What a challenge or rematch counts for, or that one is accepted.
pub(crate) const CHALLENGE_ROW_BYTES: u64 = 1024;

/// What a line of talk counts for beside its text.
pub(crate) const TALK_ROW_BYTES: u64 = 192;

/// Games that one session may watch at the same time. Each keeps a room open.
pub(crate) const WATCHED_GAMES_MAX: usize = 256;

/// Games whose rooms one session remembers; beyond it the map of rooms is asked again.
pub(crate) const SESSION_ROOMS_MAX: usize = 256;

/// Bytes a WebSocket reads at once; a move takes half of it, and what is longer is read in parts.
/// Every idle connection keeps so much, and tungstenite's own default is 128 KiB.
pub(crate) const SOCKET_READ_BYTES: usize = 256;

/// Bytes that the operating system keeps for a client that does not read, doubled by Linux. Left to
/// itself it would let the buffer of each grow to megabytes.
pub(crate) const SOCKET_SEND_BYTES: u32 = 128 * 1024;

/// Spectators that a room tells of an event before it looks whether a player has asked something:
/// some hundred microseconds.
pub(crate) const FAN_OUT_CHUNK: usize = 32;

/// Events that a room may be ahead of its spectators. Beyond it the room waits for them.
pub(crate) const FAN_OUT_FRAMES_MAX: usize = 256;

/// Jobs that may wait for the store's writer; beyond it their senders wait.
pub(crate) const STORE_JOBS_MAX: usize = 4096;

/// After how long a request may come again that could not be stored for want of room.
pub(crate) const STORE_RETRY: Duration = Duration::from_secs(2);

/// Jobs that share one commit. More would only make the first of them wait longer.
pub(crate) const STORE_BATCH_JOBS_MAX: usize = 1024;

/// How much later the next commit begins for each write that shares the last one: from some ten
/// thousand writes a second on, ever more of them share one.
pub(crate) const COMMIT_PAUSE_PER_JOB: Duration = Duration::from_micros(100);

/// How much later at the most. It is the price of a busy hour, paid by every move.
pub(crate) const COMMIT_PAUSE_MAX: Duration = Duration::from_millis(1);

/// Left-overs in the journal that may stay there: taken away in order, many at once lie side by side.
pub(crate) const LEFT_OVERS_KEPT: usize = 2048;

/// Left-overs that are taken away with each write: more than it adds, so that they do not pile up.
pub(crate) const LEFT_OVERS_PER_WRITE: usize = 3;

/// Memory in which the store's writer keeps parts of the database, in KiB: the end of the journal,
/// where the records of games lie that are folded soon.
pub(crate) const WRITER_CACHE_KIB: i64 = 4 * 1024;

/// The same while the log is made as large as it may become: what does not fit goes there.
pub(crate) const FILLING_CACHE_KIB: i64 = 256;

/// The log is made as large as it may become only where there is so many times as much room: the
/// database has to grow, too.
pub(crate) const LOG_ROOM_FACTOR: u64 = 2;

/// Room without which a server does not begin to write, in bytes: a new database and a key.
pub(crate) const ROOM_TO_BEGIN_BYTES: usize = 512 * 1024;

/// How often a server that found no room looks whether there is some.
pub(crate) const ROOM_LOOK_EVERY: Duration = Duration::from_secs(2);

/// The same for each connection that reads, mostly a row here and a row there.
pub(crate) const READER_CACHE_KIB: i64 = 512;

/// Connections that read the store at the same time.
pub(crate) const STORE_READERS_MAX: usize = 4;

/// Those of them that lists may have, so that whoever asks for lists keeps nobody from logging in or
/// from a room.
pub(crate) const LIST_READERS_MAX: usize = 2;

/// How long a list may wait for one of those; beyond it the answer is `busy`.
pub(crate) const LIST_WAIT_MAX: Duration = Duration::from_secs(2);

/// Steps of the database's machine that a list may take: some ten milliseconds of a core, and a
/// hundred times what a page takes that follows an index.
pub(crate) const LIST_STEPS_MAX: std::ffi::c_int = 1_000_000;

/// When to ask again for a list that was not read.
pub(crate) const LIST_RETRY: Duration = Duration::from_secs(1);

/// Records of a finished or parked game that share a row. A few are read as fast as one, and a row
/// of the longest records still fits into memory many times.
pub(crate) const PIECE_RECORDS: u64 = 128;

/// Statements that a connection to the store keeps ready: more than there are.
pub(crate) const STATEMENTS_KEPT: usize = 96;

/// Records that are read and replayed at a time: some milliseconds of a core, after which whoever
/// else waits for a replay has a turn.
pub(crate) const REPLAY_CHUNK: usize = 256;

/// One replay at once for so many cores, and one at least: the others are for those who play.
pub(crate) const CORES_PER_REPLAY: usize = 2;

/// Replays that may wait for one network; beyond it the answer is `busy`.
pub(crate) const REPLAYS_WAITING_MAX: usize = 64;

/// How long a replay may wait for its turn; beyond it the answer is `busy`.
pub(crate) const REPLAY_WAIT_MAX: Duration = Duration::from_secs(5);

/// Bytes of finished games, as people write them down, that are kept for who asks next: some
/// thousand games of usual length.
pub(crate) const TEXTS_BYTES_MAX: usize = 2 * 1024 * 1024;

/// When to ask again for a replay that had no turn.
pub(crate) const REPLAY_RETRY: Duration = Duration::from_secs(1);

/// Records that a session reads at once while it is brought up to date, so that it never holds a
/// whole long game in memory.
pub(crate) const CATCH_UP_CHUNK: usize = 128;

/// One password hash is computed at once for so many cores, at least one in all: each takes a core
/// for tens of milliseconds.
pub(crate) const CORES_PER_HASH: usize = 4;

/// Password hashes that may wait, on the whole; beyond it the answer is `busy`. Networks take turns,
/// so that this many matters only where as many customers come at once.
pub(crate) const HASHES_WAITING_MAX: usize = 128;

/// The same for one address, and for one customer's network.
pub(crate) const HASHES_PER_ADDRESS_MAX: usize = 2;
/// See [`HASHES_PER_ADDRESS_MAX`].
pub(crate) const HASHES_PER_NETWORK_MAX: usize = 4;

/// The shortest and longest password, in bytes.
pub(crate) const PASSWORD_BYTES: std::ops::RangeInclusive<usize> = 8..=256;

/// The longest label of a token, in bytes.
pub(crate) const TOKEN_LABEL_BYTES_MAX: usize = 64;

/// Tokens of one user for log-ins, and as many again for programs. One more log-in takes the one
/// away that was not used for longest.
pub(crate) const TOKENS_PER_USER_MAX: u32 = 50;

/// How exactly it is known when a token was last used: a write for every `hello` would be waste.
pub(crate) const TOKEN_USE_GRAIN: Duration = Duration::from_mins(10);

/// Where that is much, a token's use is noted this many times before it would count as forgotten.
pub(crate) const TOKEN_USE_SHARE: u64 = 4;

/// Tokens of open sessions whose use is noted with one write.
pub(crate) const TOKENS_NOTED_AT_ONCE: usize = 256;

/// Bots of one owner.
pub(crate) const BOTS_PER_OWNER_MAX: u32 = 20;

/// Sessions of one user; one more takes the place of the oldest.
pub(crate) const SESSIONS_PER_USER_MAX: usize = 50;

/// Addresses, users, or names at an address, whose rates are remembered at once: some megabytes,
/// should so many ever come within a period.
pub(crate) const RATE_KEYS_MAX: usize = 32 * 1024;

/// How often guests who never played and tokens that have expired are swept out.
pub(crate) const SWEEP_EVERY: Duration = Duration::from_hours(24);

/// Open seeks of one user, over all of the user's sessions.
pub(crate) const SEEKS_PER_USER_MAX: usize = 8;

/// Open seeks from one network, whichever users make them.
pub(crate) const SEEKS_PER_NETWORK_MAX: usize = 20;

/// Seeks on one page of the lobby: some 60 kB.
pub(crate) const SEEKS_PAGE_MAX: usize = 200;

/// How often those who watch the open seeks are told what changed, at the most.
pub(crate) const LOBBY_EVERY: Duration = Duration::from_millis(500);

/// Watchers that are told of a change before others have their turn: some hundred microseconds.
pub(crate) const LOBBY_CHUNK: usize = 32;

/// Open challenges made by one user.
pub(crate) const CHALLENGES_PER_USER_MAX: usize = 32;

/// Open challenges by one user that another has yet to answer.
pub(crate) const CHALLENGES_PER_PAIR_MAX: usize = 3;

/// Open challenges from one network that a user has yet to answer.
pub(crate) const CHALLENGES_PER_NETWORK_MAX: usize = 10;

/// Open challenges that a user has yet to answer: as many as a person can look through.
pub(crate) const CHALLENGES_WAITING_MAX: usize = 50;

/// How many of those may come from guests, so that there is room for others.
pub(crate) const GUESTS_CHALLENGES_WAITING_MAX: usize = 20;

/// The same for a house player, which answers at once: half of the frames that may wait for it.
pub(crate) const HOUSE_CHALLENGES_WAITING_MAX: usize = 128;

/// Challenges on one page of a list, and in the answer to `hello`: some 12 kB.
pub(crate) const CHALLENGES_PAGE_MAX: u32 = 32;

/// How long a challenge stays open.
pub(crate) const CHALLENGE_LIFE: Duration = Duration::from_hours(7 * 24);

/// The same where one of the players is a guest, who may never come back.
pub(crate) const GUEST_CHALLENGE_LIFE: Duration = Duration::from_hours(24);

/// Live games of one user.
pub(crate) const GAMES_PER_USER_MAX: usize = 200;

/// Legal moves told with `your_turn`, or on a page of `moves`.
pub(crate) const LEGAL_MOVES_MAX: usize = 512;

/// Above it a number is not exact in the JSON of most languages, and is told as `null`.
pub(crate) const EXACT_NUMBER_MAX: u128 = 1 << 53;

/// Pieces of a game's log that may wait for the connection that reads it by HTTP.
pub(crate) const LOG_CHUNKS_MAX: usize = 4;

/// How often a log that looks damaged is read again before it is called so: a running server may be
/// writing the very frame.
pub(crate) const LOG_READS: u32 = 3;

/// Findings that a check of the database or of the ratings names; it counts the others.
pub(crate) const DIFFERENCES_MAX: usize = 100;

/// Games or players on one page of a list, unless fewer are asked for.
pub(crate) const PAGE_MAX: u32 = 100;

/// Games whose cursors one `hello` may carry.
pub(crate) const RESUME_GAMES_MAX: usize = 512;

/// How long sessions and rooms may take to finish once the server is asked to stop.
pub(crate) const DRAIN_MAX: Duration = Duration::from_secs(20);

/// The window over which clients are asked to come back after a restart.
pub(crate) const RESTART_SPREAD: Duration = Duration::from_secs(3);

/// Live games of one user with each house player: enough for a visitor who begins anew a few times.
pub(crate) const HOUSE_GAMES_PER_USER_MAX: usize = 4;

/// Live games with each house player that were asked for from one network.
pub(crate) const HOUSE_GAMES_PER_NETWORK_MAX: usize = 10;

/// A house player takes on games without clocks up to one in so many of its games: those with clocks
/// end by themselves.
pub(crate) const HOUSE_UNTIMED_SHARE: usize = 2;

/// In each of so many parts of its patience a house player looks for games to end.
pub(crate) const HOUSE_ROUND_SHARE: u32 = 4;

/// How often it looks at the least, and at the most.
pub(crate) const HOUSE_ROUND_MAX: Duration = Duration::from_mins(1);
/// See [`HOUSE_ROUND_MAX`].
pub(crate) const HOUSE_ROUND_MIN: Duration = Duration::from_millis(50);

/// Live games of one house player; beyond it a challenge is declined as `busy`.
pub(crate) const HOUSE_GAMES_MAX: usize = 500;

/// The same for the house player that searches: should it be its turn in all of them, the last one
/// waits some ten seconds while it thinks about one after the other.
pub(crate) const HOUSE_SEARCHES_MAX: usize = 100;

/// Bytes in the pipe between a house player and its session, in each direction.
pub(crate) const HOUSE_PIPE_BYTES: usize = 64 * 1024;

/// How long a house player waits before it connects again after it was sent away.
pub(crate) const HOUSE_PAUSE: Duration = Duration::from_millis(200);

/// Characters of a line that is said, once it is trimmed.
pub(crate) const TALK_CHARS_MAX: usize = 500;

/// Lines that a user may say in ten seconds.
pub(crate) const TALK_LINES_AT_ONCE: u32 = 5;

/// How often a user may say something.
pub(crate) const TALK_RATE: Rate = Rate::new(TALK_LINES_AT_ONCE, Duration::from_secs(10));

/// Lines on one page of talk, unless fewer are asked for.
pub(crate) const TALK_HISTORY_MAX: u32 = 100;

/// Lines that are kept of one room of a game; then the oldest make room.
pub(crate) const TALK_LINES_MAX: u64 = 1000;

/// How long after it was said its author may take a line back.
pub(crate) const UNSAY_WITHIN: Duration = Duration::from_mins(15);

/// Users that one user may mute.
pub(crate) const MUTES_PER_USER_MAX: u32 = 200;

/// Spectators that a snapshot names.
pub(crate) const SPECTATOR_NAMES_MAX: usize = 50;

/// Boards on one page of a game's positions, unless fewer are asked for.
pub(crate) const POSITIONS_PAGE_MAX: u32 = 100;

/// Games in a list of what is being played.
pub(crate) const LIVE_GAMES_MAX: usize = 50;

/// Games in such a list for who asks for many: a page full of small boards, and no more moves to
/// show than 200 rooms make.
pub(crate) const LIVE_MANY_MAX: usize = 200;

/// Games in one frame of such a list: with boards of the largest size some 150 kB.
pub(crate) const LIVE_FRAME_GAMES_MAX: usize = 50;

/// Games that nobody looks at yet and whose changes are gathered between two looks.
pub(crate) const NEWCOMERS_MAX: usize = 64;

/// How often those who look at many games are told what changed, at the most.
pub(crate) const DISPLAY_EVERY: Duration = Duration::from_millis(500);

/// How often it is looked whether the featured games are idle.
pub(crate) const DISPLAY_CHECK: Duration = Duration::from_secs(10);

/// After how long without an event a game gives way to another on such pages.
pub(crate) const IDLE_AFTER: Duration = Duration::from_mins(1);

/// How long a room is waited for that is to show its game.
pub(crate) const SHOW_WAIT_MAX: Duration = Duration::from_secs(1);
