//! Limits of seeks, challenges, invites, the server's own bots, and talk.

use std::time::Duration;

use crate::rate_limiter::Rate;

/// Open seeks of one user, over all of the user's sessions.
pub(crate) const SEEKS_PER_USER_MAX: usize = 8;

/// Open seeks from one network, over all of its users.
pub(crate) const SEEKS_PER_NETWORK_MAX: usize = 20;

/// Time for which a lasting seek stays open, unless its maker is a guest.
pub(crate) const LASTING_SEEK_LIFE: Duration = Duration::from_hours(7 * 24);

/// Seeks on one page of the lobby: some 60 kB.
pub(crate) const SEEKS_PAGE_MAX: usize = 200;

/// The shortest time between two updates of the open seeks for a subscriber.
pub(crate) const LOBBY_EVERY: Duration = Duration::from_millis(500);

/// Games that a bot lists in the directory: each of the four with each number of players, and more.
pub(crate) const ACCEPTED_GAMES_MAX: usize = 16;

/// Kinds of clocks that a bot lists in the directory: all that there are.
pub(crate) const CLOCK_MODES_MAX: usize = 5;

/// Games that a bot says it would begin: more than one user may play.
pub(crate) const FREE_GAMES_MAX: u32 = 1_000;

/// Bots of one owner in the directory.
pub(crate) const LISTED_BOTS_PER_OWNER_MAX: usize = 5;

/// Bots in the directory whose sessions come from one network.
pub(crate) const LISTED_BOTS_PER_NETWORK_MAX: usize = 10;

/// Subscribers to which the lobby sends a change before it yields: some hundred microseconds.
pub(crate) const LOBBY_CHUNK: usize = 32;

/// Open challenges made by one user.
pub(crate) const CHALLENGES_PER_USER_MAX: usize = 32;

/// Open challenges by one user that another has yet to answer.
pub(crate) const CHALLENGES_PER_PAIR_MAX: usize = 3;

/// Open challenges from one network that a user has yet to answer.
pub(crate) const CHALLENGES_PER_NETWORK_MAX: usize = 10;

/// Open challenges that a user has yet to answer: as many as a person can look through.
pub(crate) const CHALLENGES_WAITING_MAX: usize = 50;

/// Those of them that may come from guests, so that other users are not crowded out.
pub(crate) const GUESTS_CHALLENGES_WAITING_MAX: usize = 20;

/// Open challenges that one of the server's bots has yet to answer. A bot answers at once, and half
/// of its outbox stays free.
pub(crate) const HOUSE_CHALLENGES_WAITING_MAX: usize = 128;

/// Challenges on one page of a list, and in the answer to `hello`: some 12 kB.
pub(crate) const CHALLENGES_PAGE_MAX: u32 = 32;

/// Time for which a challenge stays open.
pub(crate) const CHALLENGE_LIFE: Duration = Duration::from_hours(7 * 24);

/// Time for which a challenge stays open if one of its players is a guest.
pub(crate) const GUEST_CHALLENGE_LIFE: Duration = Duration::from_hours(24);

/// Time for which a challenge to a game with a running clock stays open: such a game begins soon,
/// or its players meet another time.
pub(crate) const LIVE_CHALLENGE_LIFE: Duration = Duration::from_mins(10);

/// Open invites that one user has made or joined.
pub(crate) const INVITES_PER_USER_MAX: usize = 32;

/// Open invites from one network, over all of its users.
pub(crate) const INVITES_PER_NETWORK_MAX: usize = 100;

/// Time for which an invite stays open.
pub(crate) const INVITE_LIFE: Duration = Duration::from_hours(7 * 24);

/// Time for which an invite to a game with a running clock stays open: its maker is still there.
pub(crate) const LIVE_INVITE_LIFE: Duration = Duration::from_hours(2);

/// Challenges, invites and seeks that a node remembers to be closed: more than close while one
/// request waits for the store.
pub(crate) const RECENTLY_CLOSED_MAX: usize = 16_384;

/// Events of other nodes that wait to be read from the store. If there are more, the node reads
/// everything again.
pub(crate) const CLUSTER_EVENTS_MAX: usize = 1024;

/// Users in one announcement of who is connected to a node: some 5 kB.
pub(crate) const ONLINE_USERS_PER_EVENT: usize = 200;

/// Times that a request is decided again because the seek or invite that it would complete is gone,
/// or has others in it.
pub(crate) const ORIGIN_TRIES_MAX: u32 = 3;

/// The time after which a client whose request was decided so often may send it again.
pub(crate) const ORIGIN_RETRY: Duration = Duration::from_secs(1);

/// The time after which a client may try again for whom others have left no room: nobody knows when
/// they will. Our clients wait for less by themselves, so the program hears of it.
pub(crate) const OTHERS_RETRY: Duration = Duration::from_mins(2);

/// The longest time between two looks for what has expired.
pub(crate) const EXPIRY_WAIT_MAX: Duration = Duration::from_hours(1);
/// The shortest time between two such looks.
pub(crate) const EXPIRY_WAIT_MIN: Duration = Duration::from_secs(1);

/// Live games of one user with each of the server's bots: enough to start again a few times.
pub(crate) const HOUSE_GAMES_PER_USER_MAX: usize = 4;

/// Games in use with each of the server's bots that users of one network have asked for: a class
/// at school.
pub(crate) const HOUSE_GAMES_PER_NETWORK_MAX: usize = 40;

/// Time after its last event for which a game with one of the server's bots is in use, if one of
/// its players is connected.
pub(crate) const HOUSE_USE: Duration = Duration::from_mins(2);

/// A bot looks for abandoned games this many times within `games.house_waits`.
pub(crate) const HOUSE_ROUND_SHARE: u32 = 4;

/// The longest time between two such rounds.
pub(crate) const HOUSE_ROUND_MAX: Duration = Duration::from_mins(1);
/// The shortest time between two such rounds.
pub(crate) const HOUSE_ROUND_MIN: Duration = Duration::from_millis(50);

/// Games of one bot that are in use. Beyond it the bot declines a challenge as `busy`.
pub(crate) const HOUSE_GAMES_MAX: usize = 500;

/// Games in use of each bot that searches for long. If it is its turn in all of them, the last one
/// waits some ten seconds.
pub(crate) const HOUSE_SEARCHES_MAX: usize = 100;

/// Searches of all bots at the same time in games without clocks.
pub(crate) const HOUSE_SEARCHES_AT_ONCE_MAX: usize = 2;

/// Searches of all bots, and of each, at the same time in games with clocks.
pub(crate) const HOUSE_CLOCKED_SEARCHES_MAX: usize = 5;

/// Searches at the same time: of all bots, an opinion, and an analysis of a game. They share
/// `games.search_memory_mb`.
pub(crate) const SEARCHES_AT_ONCE_MAX: usize =
    HOUSE_CLOCKED_SEARCHES_MAX + HOUSE_SEARCHES_AT_ONCE_MAX + 1;

/// Live games of the server's bots alone that one user has asked for.
pub(crate) const EXHIBITIONS_PER_USER_MAX: usize = 2;

/// The same for one network.
pub(crate) const EXHIBITIONS_PER_NETWORK_MAX: usize = 8;

/// The same for a node.
pub(crate) const EXHIBITIONS_MAX: usize = 16;

/// What such a game counts for, for whoever asks for it: its records.
pub(crate) const EXHIBITION_BYTES: u64 = 256 * 1024;

/// Time before each move of such a game, so that people can follow it.
pub(crate) const EXHIBITION_PACE: Duration = Duration::from_secs(1);

/// Plies after which such a game ends in a draw: it ends before its room is parked, and no game of
/// the weakest levels goes on for ever.
pub(crate) const EXHIBITION_PLIES_MAX: u32 = 400;

/// Bytes in the pipe between a bot and its session, in each direction.
pub(crate) const HOUSE_PIPE_BYTES: usize = 64 * 1024;

/// Time for which a bot waits before it reconnects.
pub(crate) const HOUSE_PAUSE: Duration = Duration::from_millis(200);

/// Characters of a line of talk, once it is trimmed.
pub(crate) const TALK_CHARS_MAX: usize = 500;

/// Lines that a user may say in ten seconds.
pub(crate) const TALK_LINES_AT_ONCE: u32 = 5;

/// The rate of lines of one user.
pub(crate) const TALK_RATE: Rate = Rate::new(TALK_LINES_AT_ONCE, Duration::from_secs(10));

/// Lines on one page of talk, unless the client asks for fewer.
pub(crate) const TALK_HISTORY_MAX: u32 = 100;

/// Lines of one game's players or spectators that are kept. One more deletes the oldest.
pub(crate) const TALK_LINES_MAX: u64 = 1000;

/// Time within which its author may delete a line.
pub(crate) const UNSAY_WITHIN: Duration = Duration::from_mins(15);

/// Users that one user may mute, and users that one user may block.
pub(crate) const RELATIONS_PER_USER_MAX: u32 = 200;
