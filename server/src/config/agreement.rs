//! Limits that must agree: what one allows, the others let through. Those that an operator sets
//! have their defaults here.

use std::time::Duration;

use adamant_engine::analysis::LINE_MOVES_MAX;
use adamant_protocol::{
    FRAME_BYTES_MAX, FromClient,
    codec::encode_request,
    from_client::{Auth, Cursor, Explore, Hello},
    values::Named,
};
use adamant_rules::{Kind, table::RECORDS_MAX};

use super::Limits;
use crate::{limits::*, runtime::time::milliseconds};

/// The largest frame that our clients take: `FRAME_IN_BYTES_MAX` of those in Rust and Python.
const CLIENT_FRAME_BYTES: usize = 1024 * 1024;

/// The time after which our clients give up on a connection without a `welcome`.
const CLIENT_OPEN: Duration = Duration::from_secs(10);

/// The time for which our clients wait for the answer to a ping.
const CLIENT_PONG: Duration = Duration::from_secs(20);

/// The longest wait after which our clients send a request again without telling the program.
const CLIENT_RETRY: Duration = Duration::from_mins(1);

/// What the page sends to show its front view, at the most, and what that costs: the catalogue, the
/// lobby, the live list, lists of games, challenges and invites, and the layouts of small boards.
const PAGE_MESSAGES: u64 = 25;
const PAGE_COST: u64 = 50;

/// What a client sends after a restart, at the most: `hello`, and what it had subscribed to.
const RETURN_COST: u64 = 15;

/// People in one room behind one address: a class at school.
const CLASS: u64 = HOUSE_GAMES_PER_NETWORK_MAX as u64;

/// The longest move of any game, as clients write it.
const MOVE_BYTES: usize = 64;

/// The most bytes of one character in a frame.
const CHARACTER_BYTES: usize = 4;

/// One pair: why, what is asked for, and what there is.
type Pair = (&'static str, u64, u64);

macro_rules! pairs {
    ($($why:literal: $asked:expr => $there_is:expr;)*) => {
        vec![$(($why, Amount::amount($asked), Amount::amount($there_is))),*]
    };
}

/// A number, or a time in milliseconds.
trait Amount: Copy {
    fn amount(self) -> u64;
}

impl Amount for u64 {
    fn amount(self) -> u64 {
        self
    }
}

impl Amount for u32 {
    fn amount(self) -> u64 {
        self.into()
    }
}

impl Amount for usize {
    fn amount(self) -> u64 {
        count(self)
    }
}

impl Amount for Duration {
    fn amount(self) -> u64 {
        milliseconds(self)
    }
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap()
}

/// The largest `hello`.
fn hello_bytes() -> u64 {
    let digits = "f".repeat(64);
    let cursor =
        Cursor { seq: u64::from(RECORDS_MAX), chain: Some(digits.parse().expect("a chain")) };
    let cursors = (0..RESUME_GAMES_MAX)
        .map(|number| (format!("{number:08}").into(), cursor.clone()))
        .collect::<Vec<_>>();
    let hello = Hello {
        id: "x".repeat(64).parse().unwrap(),
        proto: vec![1],
        client: None,
        auth: Some(Auth::Token("x".repeat(64).into())),
        caps: ["legal", "position", "steps", "named"].map(Into::into).into(),
        resume: Named(cursors),
    };
    count(encode_request(&FromClient::Hello(hello)).len())
}

/// The largest `explore`.
fn explore_bytes() -> u64 {
    let explore = format!(
        r#"{{"id":"x","rules":"{}","players":2,"moves":{}}}"#,
        Kind::ALL[0].name(),
        serde_json::to_string(&vec!["x".repeat(MOVE_BYTES); EXPLORED_MOVES_MAX]).unwrap()
    );
    let explore: Explore = serde_json::from_str(&explore).unwrap();
    count(encode_request(&FromClient::Explore(explore)).len())
}

/// What comes back to games fits.
fn coming_back(limits: &Limits) -> Vec<Pair> {
    let games = count(GAMES_PER_USER_MAX);
    let resuming = |games: u64| games / RESUMED_GAMES_PER_MESSAGE;
    let largest = 1 + resuming(count(RESUME_GAMES_MAX));
    let connections = u64::from(limits.connections_per_address);
    let refilled = |per_s: u32, within: Duration| u64::from(per_s) * milliseconds(within) / 1_000;
    pairs! {
        "a hello with all its cursors is one frame": hello_bytes() => FRAME_BYTES_MAX;
        "a client resumes all games of its user and all that it watches":
            games + count(WATCHED_GAMES_MAX) => RESUME_GAMES_MAX;
        "a client stays subscribed to all that it watches, though their rooms close":
            WATCHED_GAMES_MAX => PARKED_SUBSCRIPTIONS_MAX;
        "a guest in as many games as one may play comes back on two devices":
            2 * resuming(games) => limits.user_messages_burst;
        "an older account in as many games comes back on five":
            5 * resuming(games) => limits.account_messages_burst;
        "the largest hello is taken at once from an address":
            largest => limits.address_messages_burst;
        "a hello that an address has to wait for is due before the server gives up on it":
            largest => refilled(limits.address_messages_per_s, HELLO_MAX);
        "all clients of an address come back within the window after a restart":
            connections * RETURN_COST =>
            u64::from(limits.address_messages_burst)
                + refilled(limits.address_messages_per_s, RESTART_SPREAD);
        "all connections of an address are made anew within a minute":
            connections => limits.upgrades_per_min;
        "all sessions of a user may come from one address": SESSIONS_PER_USER_MAX => connections;
        "each session of a user has a token of its own":
            SESSIONS_PER_USER_MAX => TOKENS_PER_USER_MAX;
        "a program hears that others have left no room":
            milliseconds(CLIENT_RETRY) + 1 => OTHERS_RETRY;
        "a hello is answered before our clients give up":
            RESUME_WAIT_MAX => milliseconds(CLIENT_OPEN) - 1_000;
        "a game that waits for its turn to be read does not use up the time of a hello":
            REPLAY_WAIT_MAX + REPLAY_RETRY => RESUME_WAIT_MAX;
    }
}

/// Who may send so much may send it over every connection, and from where he is.
fn rates(limits: &Limits) -> Vec<Pair> {
    let (burst, per_s) = (u64::from(limits.messages_burst), u64::from(limits.messages_per_s));
    let (user_burst, user_per_s) =
        (u64::from(limits.user_messages_burst), u64::from(limits.user_messages_per_s));
    let (account_burst, account_per_s) =
        (u64::from(limits.account_messages_burst), u64::from(limits.account_messages_per_s));
    let (address_burst, address_per_s) =
        (u64::from(limits.address_messages_burst), u64::from(limits.address_messages_per_s));
    pairs! {
        "a user sends over one connection what it takes": burst => user_burst;
        "and in the long run": per_s => user_per_s;
        "an older account sends no less than a guest": user_burst => account_burst;
        "and in the long run": user_per_s => account_per_s;
        "an address sends what a user may": account_burst => address_burst;
        "and in the long run": account_per_s => address_per_s;
        "a connection above its rate has a message due within the time that it waits":
            1_000_u64 => per_s * milliseconds(PACED_MAX);
        "the page shows its front view at once": PAGE_MESSAGES => burst;
        "and its user pays for it": PAGE_COST => user_burst;
        "a class opens the page from one address within some seconds":
            CLASS * PAGE_COST => address_burst + 5 * address_per_s;
        "and each of it is a guest": CLASS => limits.guests_per_hour;
        "and has a connection": CLASS => limits.connections_per_address;
        "and the page's files, some six": 6 * CLASS => limits.page_files_per_min;
        "and an invite": CLASS => INVITES_PER_NETWORK_MAX;
        "and plays as many games": CLASS => limits.games_per_network;
        "an opinion with the oracle can be paid": 2 * THOUGHT_COST => user_burst;
        "a user makes all the seeks that may be open": SEEKS_PER_USER_MAX => limits.seeks_per_min;
        "a user says all the lines that one may at once": TALK_LINES_AT_ONCE => burst;
        "a connection that waits is not silent": PACED_MAX + limits.ping_every => limits.idle_close;
        "nor does its hello keep a ping from its answer":
            RESUME_WAIT_MAX + PACED_MAX => CLIENT_PONG;
        "a write that stalls ends before the client counts as silent":
            WRITE_STALL_MAX => limits.idle_close;
        "a player whose connection dies is told of the turn": limits.idle_close => TURN_UNSEEN_MAX;
    }
}

/// What the server sends fits into its queues and into our clients.
fn replies() -> Vec<Pair> {
    let page = |rows: usize, bytes: u64| count(rows) * bytes;
    let outbox = count(OUTBOX_BYTES_MAX);
    let half = outbox / 2;
    let frames = count(OUTBOX_FRAMES_MAX);
    let line = TALK_CHARS_MAX * CHARACTER_BYTES + 256;
    pairs! {
        "our clients take every frame that waits for them": outbox => CLIENT_FRAME_BYTES;
        "a list of games": page(PAGE_MAX as usize, GAME_ROW_BYTES) => half;
        "a page of challenges": page(CHALLENGES_PAGE_MAX as usize, CHALLENGE_ROW_BYTES) => half;
        "all invites of a user": page(INVITES_PER_USER_MAX, CHALLENGE_ROW_BYTES) => half;
        "a page of seeks": page(SEEKS_PAGE_MAX, CHALLENGE_ROW_BYTES) => half;
        "a page of talk": page(TALK_HISTORY_MAX as usize, count(line)) => half;
        "the legal moves and the first steps of a turn":
            page(LEGAL_MOVES_MAX, count(MOVE_BYTES)) + page(STEPS_CELLS_MAX, 16) => half;
        "all boards of the largest live list, at 3 kB each": page(LIVE_MANY_MAX, 3_072) => outbox;
        "what a session reads at once of a game":
            page(CATCH_UP_CHUNK, LONGEST_RECORD_BYTES) => outbox;
        "and its frames": CATCH_UP_CHUNK => frames;
        "the challenges that follow a welcome": CHALLENGES_PAGE_MAX => frames / 2;
        "those that a house bot has to answer": HOUSE_CHALLENGES_WAITING_MAX => frames / 2;
        "a spectator that the room waits for": FAN_OUT_FRAMES_MAX => frames;
        "the answers to all requests under way": ROOM_REQUESTS_PER_SESSION_MAX => frames / 2;
        "an analysis with all its moves is one frame": explore_bytes() => FRAME_BYTES_MAX;
        "the longest analysis":
            page(ANALYSED_MOVES_MAX as usize, count((LINE_MOVES_MAX + 1) * MOVE_BYTES + 256)) => half;
        "a line is one frame": TALK_CHARS_MAX * 12 + 256 => FRAME_BYTES_MAX;
    }
}

/// A share of something is no larger than the whole, and one user's no larger than a network's.
fn shares(limits: &Limits) -> Vec<Pair> {
    let network = u64::from(limits.games_per_network);
    pairs! {
        "challenges to one user": CHALLENGES_PER_PAIR_MAX => CHALLENGES_PER_NETWORK_MAX;
        "and from one network": CHALLENGES_PER_NETWORK_MAX => GUESTS_CHALLENGES_WAITING_MAX;
        "and from guests": GUESTS_CHALLENGES_WAITING_MAX => CHALLENGES_WAITING_MAX;
        "and to one user, of those that one may make":
            CHALLENGES_PER_PAIR_MAX => CHALLENGES_PER_USER_MAX;
        "seeks of a user": SEEKS_PER_USER_MAX => SEEKS_PER_NETWORK_MAX;
        "and of a network, which one page shows": SEEKS_PER_NETWORK_MAX => SEEKS_PAGE_MAX;
        "invites of a user": INVITES_PER_USER_MAX => INVITES_PER_NETWORK_MAX;
        "live games of a user": GAMES_PER_USER_MAX => network;
        "games that a bot says it would begin": GAMES_PER_USER_MAX => FREE_GAMES_MAX;
        "games of a user with a house bot": HOUSE_GAMES_PER_USER_MAX => HOUSE_GAMES_PER_NETWORK_MAX;
        "and of a network": HOUSE_GAMES_PER_NETWORK_MAX => HOUSE_SEARCHES_MAX;
        "and of the bot that searches": HOUSE_SEARCHES_MAX => HOUSE_GAMES_MAX;
        "analyses of a user": ANALYSES_PER_USER_MAX => ANALYSES_PER_NETWORK_MAX;
        "and of a network": ANALYSES_PER_NETWORK_MAX => ANALYSES_WAITING_MAX;
        "bots of an owner in the directory":
            LISTED_BOTS_PER_OWNER_MAX => LISTED_BOTS_PER_NETWORK_MAX;
        "and of all its bots": LISTED_BOTS_PER_OWNER_MAX => BOTS_PER_OWNER_MAX;
        "requests of a session in a room":
            ROOM_REQUESTS_PER_SESSION_MAX => ROOM_COMMANDS_WAITING_MAX;
        "and of a room in its loop": ROOM_COMMANDS_WAITING_MAX => LOOP_INBOX_MAX;
        "lines of talk on a page": TALK_HISTORY_MAX => TALK_LINES_MAX;
        "lines that a user is told of when away": LINES_REPORTED_PER_USER_MAX => 20_u64;
        "notifications of a user under way":
            OUTGOING_PER_USER_AT_ONCE => OUTGOING_PER_SERVER_AT_ONCE;
        "and to a server": OUTGOING_PER_SERVER_AT_ONCE => OUTGOING_AT_ONCE;
        "and those that are looked at": DELIVERIES_LOOKED_AT_MAX => NOTIFICATIONS_WAITING_MAX;
        "push subscriptions, one for each log-in":
            PUSH_SUBSCRIPTIONS_PER_USER_MAX => TOKENS_PER_USER_MAX;
        "passwords of an address that wait": HASHES_PER_ADDRESS_MAX => HASHES_PER_NETWORK_MAX;
        "and of a network": HASHES_PER_NETWORK_MAX => HASHES_WAITING_MAX;
        "a challenge of a guest": GUEST_CHALLENGE_LIFE => CHALLENGE_LIFE;
        "and to a game with a running clock": LIVE_CHALLENGE_LIFE => GUEST_CHALLENGE_LIFE;
        "an invite to one": LIVE_INVITE_LIFE => INVITE_LIFE;
        "clients that a node sends away, of the time that it has":
            DRAIN_BALANCER + DRAIN_SPREAD + DRAIN_ANSWERS => DRAIN_MAX;
        "and clients that come back after a restart": RESTART_SPREAD => DRAIN_MAX;
    }
}

#[test]
fn what_one_limit_allows_the_others_let_through() {
    let limits = Limits::default();
    let pairs = [coming_back(&limits), rates(&limits), replies(), shares(&limits)].concat();
    let broken: Vec<String> = pairs
        .into_iter()
        .filter(|(_, asked, there_is)| asked > there_is)
        .map(|(why, asked, there_is)| format!("{why}: {asked} of {there_is}"))
        .collect();
    assert!(broken.is_empty(), "{broken:#?}");
}
