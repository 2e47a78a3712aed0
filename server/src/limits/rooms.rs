//! Limits of rooms and of the lists of live games.

use std::time::Duration;

/// Ids that a new game tries while other games have them. One in some hundred billion is taken for
/// each game of the server.
pub(crate) const GAME_IDS_TRIED_MAX: usize = 4;

/// Messages that may wait for one loop. A full inbox stops the readers that fill it.
pub(crate) const LOOP_INBOX_MAX: usize = 4096;

/// Messages that a loop takes in one pass: some milliseconds of a core. Answers of the store and
/// spectators have their turn after them.
pub(crate) const LOOP_PASS_INPUTS_MAX: usize = 1024;

/// Requests of one session that rooms have not answered. Beyond it the server reads no further
/// requests of the session.
pub(crate) const ROOM_REQUESTS_PER_SESSION_MAX: usize = 32;

/// Commands that may wait while a room waits for the store. Beyond it the answer is `busy`.
pub(crate) const ROOM_COMMANDS_WAITING_MAX: usize = 256;

/// Announcements about the audience of a game that wait until its room is open: the players and the
/// spectators of some nodes.
pub(crate) const OPENING_ANNOUNCED_MAX: usize = 64;

/// `retry_after` of a request that its room could not take.
pub(crate) const ROOM_RETRY: Duration = Duration::from_secs(1);

/// Appends of one room that other writers may precede in a row. Beyond it the answer is `busy`.
pub(crate) const APPEND_CONFLICTS_MAX: u8 = 8;

/// Times in a row that a room reads its journal back after an append with an unknown outcome.
/// Beyond it the room ends, and its clients reconnect.
pub(crate) const APPEND_RETRIES_MAX: u8 = 2;

/// Time without a request after which the room of a finished game closes, if `games.park_after` is
/// not shorter. A client that plays many games leaves many such rooms.
pub(crate) const FINISHED_ROOM_IDLE_MAX: Duration = Duration::from_mins(1);

/// Finished games to which one session stays subscribed although their rooms are closed; some
/// hundred bytes each. One more drops the one whose room closed first.
pub(crate) const PARKED_SUBSCRIPTIONS_MAX: usize = 256;

/// Time for which a player without a connection still counts as present, so that a quick reconnect
/// is silent. It is shorter where an opponent may claim earlier.
pub(crate) const PRESENCE_GRACE: Duration = Duration::from_secs(5);

/// A room sends at most one message about presence in this time.
pub(crate) const PRESENCE_CONFLATE: Duration = Duration::from_secs(1);

/// Time after which the server tries again to open a parked game whose clock has run out.
pub(crate) const WAKE_AGAIN: Duration = Duration::from_mins(1);

/// Time for which the clock of a player on the move stands after an outage that a start has ended,
/// until the player is back.
pub(crate) const RETURN_MAX: Duration = Duration::from_secs(20);

/// Time for which the clock of the player who has the first turn stands, until the player's session
/// has been sent the game.
pub(crate) const ARRIVAL_MAX: Duration = Duration::from_secs(30);

/// Games whose rooms have ended because nothing could be stored. The server remembers them until
/// they are opened again.
pub(crate) const UNSTORED_KEPT_MAX: usize = 4096;

/// Time from the arrival of a move until it is durable that the next player gets back at once, and
/// time of a wait for a player. Less is credited when the flag would fall.
pub(crate) const LATE_TURN: Duration = Duration::from_secs(1);

/// Time between two beats, by which the process knows that it runs.
pub(crate) const PULSE_EVERY: Duration = Duration::from_millis(25);

/// The shortest time without a beat that counts as a stall, in milliseconds. A beat may be late by
/// as much on a busy machine.
pub(crate) const STALL_MIN_MS: u64 = 100;

/// The shortest stall that is credited to all running clocks at once, in milliseconds. Shorter ones
/// are credited to a clock whose flag would fall.
pub(crate) const STALL_OUTAGE_MS: u64 = 1_000;

/// Time that the process needs after a short stall to read what has waited for it, in milliseconds.
/// A stall that ended earlier before a flag is not credited.
pub(crate) const STALL_BACKLOG_MS: u64 = 100;

/// Short stalls that are remembered.
pub(crate) const STALLS_KEPT_MAX: usize = 4_096;

/// Time between two looks at the machine's clock.
pub(crate) const MACHINE_CLOCK_EVERY: Duration = Duration::from_secs(1);

/// By how much the machine's clock is ahead once it has jumped, in milliseconds.
pub(crate) const MACHINE_CLOCK_JUMP_MS: i64 = 1_000;

/// Time between two heartbeats in the store. After a crash up to this much thinking time is not
/// charged.
pub(crate) const HEARTBEAT_EVERY: Duration = Duration::from_secs(5);

/// The machine's clock may be this far behind the newest record before the server warns.
pub(crate) const CLOCK_BEHIND_MAX: Duration = Duration::from_secs(1);

/// Spectators to whom a room sends an event before it looks for requests of players: some hundred
/// microseconds.
pub(crate) const FAN_OUT_CHUNK: usize = 32;

/// Events that a room may be ahead of its spectators. Beyond it the room waits for them.
pub(crate) const FAN_OUT_FRAMES_MAX: usize = 256;

/// Records that a session reads at once to bring a client up to date, so that it never holds a long
/// game in memory.
pub(crate) const CATCH_UP_CHUNK: usize = 128;

/// Records that a replay reads at a time: some milliseconds of a core. Another replay has its turn
/// after them.
pub(crate) const REPLAY_CHUNK: usize = 256;

/// Games that one job replays at the start.
pub(crate) const RECOVERED_AT_ONCE: usize = 256;

/// One replay runs at once for this many cores, and at least one. The other cores serve players.
pub(crate) const CORES_PER_REPLAY: usize = 2;

/// Replays of one network that may wait. Beyond it the answer is `busy`.
pub(crate) const REPLAYS_WAITING_MAX: usize = 64;

/// Time for which a replay may wait for its turn. Beyond it the answer is `busy`.
pub(crate) const REPLAY_WAIT_MAX: Duration = Duration::from_secs(5);

/// Opinions of one network that wait for their turn.
pub(crate) const THOUGHTS_WAITING_MAX: usize = 4;

/// Time for which an opinion may wait for its turn. Beyond it the answer is `busy`.
pub(crate) const THOUGHT_WAIT_MAX: Duration = Duration::from_secs(1);

/// Games that wait for an analysis, with the one that is analysed. Beyond it the answer is `busy`. A
/// game of usual length takes a core some 6 seconds.
pub(crate) const ANALYSES_WAITING_MAX: usize = 64;

/// Of these, those of one network: half a minute of a core.
pub(crate) const ANALYSES_PER_NETWORK_MAX: usize = 6;

/// Of these, those of one user.
pub(crate) const ANALYSES_PER_USER_MAX: usize = 2;

/// `retry_after` of an analysis for which there was no place.
pub(crate) const ANALYSIS_RETRY: Duration = Duration::from_secs(10);

/// Plies of a game that is analysed, at most: some minutes of a core, and half of an outbox.
pub(crate) const ANALYSED_MOVES_MAX: u32 = 512;

/// Bytes of analyses in the cache: some hundred games of usual length.
pub(crate) const ANALYSES_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Time for which an analysis waits before each position while moves of live games are searched.
pub(crate) const ANALYSIS_YIELD_MAX: Duration = Duration::from_secs(1);

/// `retry_after` of a replay or an opinion that had no turn.
pub(crate) const REPLAY_RETRY: Duration = Duration::from_secs(1);

/// Bytes of text records of finished games in the cache: some thousand games of usual length.
pub(crate) const TEXT_CACHE_BYTES_MAX: usize = 2 * 1024 * 1024;

/// Legal moves in `your_turn`, or on a page of `moves`.
pub(crate) const LEGAL_MOVES_MAX: usize = 512;

/// Cells that the first steps of a turn list to be picked next: some 12 kB. One more cuts the steps
/// after it. Only the largest boards have as many.
pub(crate) const STEPS_CELLS_MAX: usize = 2048;

/// Most languages' JSON cannot hold a larger number exactly. The server sends `null` instead.
pub(crate) const EXACT_NUMBER_MAX: u128 = 1 << 53;

/// Spectators that a snapshot names.
pub(crate) const SPECTATOR_NAMES_MAX: usize = 50;

/// Boards on a page of a game's positions, unless the client asks for fewer.
pub(crate) const POSITIONS_PAGE_MAX: u32 = 100;

/// Moves that an analysis tries at once: some milliseconds of a core.
pub(crate) const EXPLORED_MOVES_MAX: usize = 512;

/// Best moves that the oracle names: more than anybody reads.
pub(crate) const ORACLE_MOVES_MAX: usize = 64;

/// Positions that a proof of the oracle takes at the most: about a twentieth of a second.
pub(crate) const ORACLE_POSITIONS_MAX: u64 = 500_000;

/// Plies of a live game from which on those who play it get no opinion on its position.
pub(crate) const SECRET_FROM_PLY: u32 = 2;

/// Games in a live list.
pub(crate) const LIVE_GAMES_MAX: usize = 50;

/// Games in a live list for a client that asks for many: a page full of small boards.
pub(crate) const LIVE_MANY_MAX: usize = 200;

/// Games in one frame of a live list: some 150 kB with boards of the largest size.
pub(crate) const LIVE_FRAME_GAMES_MAX: usize = 50;

/// Changed games between two updates of the live lists that no list holds yet.
pub(crate) const UNLISTED_CHANGES_MAX: usize = 64;

/// The shortest time between two updates of a live list.
pub(crate) const LIVE_UPDATE_EVERY: Duration = Duration::from_millis(500);

/// Time between two checks whether featured games are idle.
pub(crate) const FEATURED_CHECK_EVERY: Duration = Duration::from_secs(10);

/// Time without an event after which another game replaces a featured one.
pub(crate) const IDLE_AFTER: Duration = Duration::from_mins(1);

/// Time for which a live list waits for a room to publish its game.
pub(crate) const PUBLISH_WAIT_MAX: Duration = Duration::from_secs(1);
