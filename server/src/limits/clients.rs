//! Limits of clients: connections, sessions, frames, rates, downloads and pictures.

use std::time::Duration;

/// Frames that may wait for one client: about 13 seconds at 20 events a second.
pub(crate) const OUTBOX_FRAMES_MAX: usize = 256;

/// Bytes that may wait for one client. Several snapshots of the longest games fit.
pub(crate) const OUTBOX_BYTES_MAX: usize = 1024 * 1024;

/// A session that resumes several games waits before each of them until its outbox is filled to
/// at most one part in this many.
pub(crate) const OUTBOX_LOW_WATER_SHARE: usize = 4;

/// Time for one write to a socket. After it the client counts as not reading.
pub(crate) const WRITE_STALL_MAX: Duration = Duration::from_secs(10);

/// Time for the close frame to a peer that has stopped reading.
pub(crate) const CLOSE_MAX: Duration = Duration::from_millis(500);

/// Time for the close frame to a client that is closed because it is behind. The client first reads
/// what the operating system has buffered for it, which takes seconds on a slow line.
pub(crate) const SLOW_CLOSE_MAX: Duration = Duration::from_secs(5);

/// Time for which the server reads and discards input after a close frame. Unread input would make
/// the operating system reset the connection before the close frame arrives.
pub(crate) const LINGER_MAX: Duration = Duration::from_secs(1);
/// Bytes that the server reads and discards after a close frame. See [`LINGER_MAX`].
pub(crate) const LINGER_BYTES_MAX: usize = 1024 * 1024;

/// Connections that the operating system keeps until the server accepts them.
pub(crate) const ACCEPT_BACKLOG: u32 = 1024;

/// Time for TLS, the request's head and the upgrade together.
pub(crate) const HANDSHAKE_MAX: Duration = Duration::from_secs(5);

/// Bytes that the server reads of a connection before the head of its request has ended. A browser
/// sends far fewer.
pub(crate) const HEAD_BYTES_MAX: usize = 16 * 1024;

/// Handshakes at once. Beyond it the server closes the oldest silent one of the network with the
/// most handshakes.
pub(crate) const HANDSHAKES_MAX: usize = 1024;

/// Encrypted connections that one address may begin at once and per second. With a large RSA key a
/// handshake takes a core 6 ms.
pub(crate) const ENCRYPTIONS_BURST: u32 = 200;
pub(crate) const ENCRYPTIONS_PER_S: u32 = 20;

/// The fewest descriptors for handshakes with which a server starts: some clients and a monitor.
pub(crate) const HANDSHAKES_MIN: usize = 4;

/// One descriptor for connections in this many is for handshakes, if descriptors are scarce.
pub(crate) const HANDSHAKES_SHARE: usize = 4;

/// Descriptors that connections do not use. Half are for standard streams, runtime, port and store;
/// half are for files that are open for a moment.
pub(crate) const DESCRIPTORS_RESERVED: usize = 48;

/// Time for a request on the spare descriptor, which is used when all others are taken.
pub(crate) const SPARE_MAX: Duration = Duration::from_secs(1);

/// A full server counts as free again once one connection in this many is free. Without a margin
/// each connection that comes and goes would write a log line.
pub(crate) const FREE_AGAIN_SHARE: usize = 16;

/// The shortest time between two log lines about refused connections. A metric counts all of them.
pub(crate) const REFUSAL_LOGGED_EVERY: Duration = Duration::from_secs(1);

/// The shortest time between two log lines about clients with a cursor that is not of this chain. A
/// metric counts all of them.
pub(crate) const FORK_LOGGED_EVERY: Duration = Duration::from_secs(10);

/// Round trips of which the shortest counts.
pub(crate) const ROUND_TRIPS: usize = 8;

/// Time from the upgrade to an accepted `hello`.
pub(crate) const HELLO_MAX: Duration = Duration::from_secs(5);

/// Frames within a minute that are no requests. This many close the connection.
pub(crate) const MALFORMED_PER_MINUTE_MAX: usize = 3;

/// Time that the requests of a connection above its own rate wait, in a row. The server refuses
/// what comes beyond it: it would otherwise answer the heartbeats of a client that floods it late.
pub(crate) const PACED_MAX: Duration = Duration::from_secs(1);

/// Requests in a row over the rate limit. One more closes the connection.
pub(crate) const RATE_STRIKES_MAX: u32 = 100;

/// A network (an IPv6 /48) has this many times the limit of one address. A household has several
/// /64s, each of which counts as an address; a /48 has 65,536.
pub(crate) const NETWORK_SHARE: u32 = 4;

/// Tokens of the rate limits of a user and an address that a request for a list costs. A list takes
/// several times as long as a request about one game.
pub(crate) const LIST_COST: u64 = 4;

/// What an opinion of the strongest bot costs: it takes a core for up to two tenths of a second.
pub(crate) const THOUGHT_COST: u64 = 40;

/// Games in a `hello.resume` that cost as much as one request.
pub(crate) const RESUMED_GAMES_PER_MESSAGE: u64 = 2;

/// Games whose cursors one `hello` may carry.
pub(crate) const RESUME_GAMES_MAX: usize = 512;

/// Time for which a `hello` waits for its games to be read. Our clients wait for ten seconds.
pub(crate) const RESUME_WAIT_MAX: Duration = Duration::from_secs(8);

/// Games that one session may watch at once. Each keeps a room open.
pub(crate) const WATCHED_GAMES_MAX: usize = 256;

/// Bytes that a WebSocket reads at once. A move takes half of it. Every idle connection keeps this
/// buffer; tungstenite's own default is 128 KiB.
pub(crate) const SOCKET_READ_BYTES: usize = 256;

/// The operating system's send buffer of one client. Linux doubles it. Without this limit the
/// buffer of a client that does not read grows to megabytes.
pub(crate) const SOCKET_SEND_BYTES: u32 = 128 * 1024;

/// Addresses, users, or names at an address whose rates are kept: some megabytes at most.
pub(crate) const RATE_KEYS_MAX: usize = 32 * 1024;

/// Sessions of one user. One more replaces the oldest.
pub(crate) const SESSIONS_PER_USER_MAX: usize = 50;

/// Chunks of an event stream that may wait for its HTTP connection.
pub(crate) const EVENT_STREAM_CHUNKS_MAX: usize = 4;

/// The largest number of a record from which a stream may begin: the largest that JSON holds
/// exactly in most languages, and more than a game has.
pub(crate) const STREAM_FROM_MAX: u64 = (1 << 53) - 1;

/// Time for sessions and rooms to finish once the server shuts down.
pub(crate) const DRAIN_MAX: Duration = Duration::from_secs(20);

/// The window over which clients are asked to come back after a restart.
pub(crate) const RESTART_SPREAD: Duration = Duration::from_secs(3);

/// Time for a load balancer to see that a node is draining, before the node sends clients away: it
/// asks every 500 ms.
pub(crate) const DRAIN_BALANCER: Duration = Duration::from_secs(1);

/// The window over which a draining node sends its clients to the other nodes, after that time.
pub(crate) const DRAIN_SPREAD: Duration = Duration::from_secs(2);

/// Time for the answers to the last requests of a client that a draining node sends away.
pub(crate) const DRAIN_ANSWERS: Duration = Duration::from_millis(200);

/// Requests of monitors and refused clients that a stopping server answers at once. More wait.
pub(crate) const STOPPING_REQUESTS_MAX: usize = 64;

/// Games that one publication adds. Their frames take some hundred kilobytes.
pub(crate) const GAMES_PUBLISHED_AT_ONCE: u32 = 50;

/// The pause between two publications while more games wait, so that a server with many old games
/// publishes them beside its other work: 500 a second.
pub(crate) const PUBLISH_PAUSE: Duration = Duration::from_millis(100);

/// Time after the end of a month in which its last games are archived. A game that comes later is
/// in the next month.
pub(crate) const MONTH_SETTLES: Duration = Duration::from_hours(1);

/// Downloads at once. Each reads the store as fast as its client takes it.
pub(crate) const DOWNLOADS_MAX: usize = 16;

/// Those of them that one address may have; a network has some shares of that.
pub(crate) const DOWNLOADS_PER_ADDRESS_MAX: usize = 2;

/// Where all of them are taken, one that is slower than this makes room for another network's, in
/// bytes per second: a client with a common line takes more.
pub(crate) const DOWNLOAD_SLOW_BYTES_PER_S: u64 = 256 * 1024;

/// Time for which a download goes on whatever its pace: the first seconds say little of it.
pub(crate) const DOWNLOAD_UNDISTURBED: Duration = Duration::from_secs(2);

/// Requests for the bytes of a download from one address within a minute.
pub(crate) const DOWNLOADS_PER_MIN: u32 = 60;

/// Lines of a download that the server looks up at once.
pub(crate) const DOWNLOAD_LINES_AT_ONCE: u32 = 64;

/// The side of a picture in pixels, unless the client chooses: readable in a column of text.
pub(crate) const PICTURE_SIDE_DEFAULT: u32 = 480;

/// The least side of a picture in pixels: below this nothing can be told.
pub(crate) const PICTURE_SIDE_MIN: u32 = 32;

/// The largest side of a picture in pixels: the time to paint a PNG grows with its square. A larger
/// one is painted as large as this.
pub(crate) const PICTURE_SIDE_MAX: u32 = 640;

/// Pixels of a PNG that cost as much as one reading: some 4 ms of a core.
pub(crate) const PIXELS_PER_READING: u32 = 8_000;

/// Cores for each picture that is painted at a time.
pub(crate) const CORES_PER_PAINTING: usize = 4;

/// Pictures that one network waits for.
pub(crate) const PAINTINGS_WAITING_MAX: usize = 16;

/// Time for which a picture may wait for its turn. Beyond it the answer is `busy`.
pub(crate) const PAINTING_WAIT_MAX: Duration = Duration::from_secs(5);

/// `retry_after` of a picture that had no turn.
pub(crate) const PAINTING_RETRY: Duration = Duration::from_secs(2);

/// Bytes of pictures in the cache: some hundred.
pub(crate) const PICTURE_CACHE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// The server warns of a certificate that expires this soon.
pub(crate) const CERTIFICATE_SOON: Duration = Duration::from_hours(14 * 24);

/// The time between two checks of the certificate.
pub(crate) const CERTIFICATE_CHECKED_EVERY: Duration = Duration::from_hours(24);

/// Time in which a server answers whether it is ready, before it counts as not answering.
pub(crate) const HEALTH_MAX: Duration = Duration::from_secs(5);

/// The longest answer of that kind that is shown, in bytes.
pub(crate) const HEALTH_BYTES_MAX: usize = 1024;
