//! The tables of the journal, of games, of ratings and of nodes, and all migrations.
//!
//! Only ids and names are compared by their bytes (`COLLATE "C"`), whatever the database's locale.

use super::tables::{DOWNLOADS, OFFERS, PEOPLE, PRESENCE, TALK};

/// Entry n migrates a database from schema n to n + 1, table group by table group.
pub(super) const MIGRATIONS: &[&[&str]] = &[
    &[NODES, GAMES, RATINGS, PEOPLE, TALK, OFFERS, PRESENCE],
    &[RATINGS_OF_BOTS],
    &[DOWNLOADS],
    &[TALLIES],
    &[TALK_BY_TIME],
    &[CLOCK_OFFSET],
    &[NOTICES],
    &[CUT_OFF],
];

/// The oldest schema that may use a database into which an import is copying: none.
pub(super) const DURING_IMPORT: i32 = i32::MAX;

/// The oldest schema of a server that may use a database of this server's schema.
pub(super) const MIN_READER: i32 = 1;

// `cluster.alive_at` is the last time at which any node could commit. The last stall, in which none
// could, began at `stalled_at` and ended at `resumed_at`.
// The journal may have records up to `cluster.records_version`, which all nodes that live can read.
// A node's row is its heartbeat, and `epoch` tells its runs apart. `nodes.records_version` is the
// newest version of records that it can read.
// A lease is work that one node does for all.
const NODES: &str = r#"
CREATE TABLE cluster (
    one             boolean PRIMARY KEY DEFAULT true CHECK (one),
    alive_at        bigint NOT NULL,
    stalled_at      bigint NOT NULL DEFAULT 0,
    resumed_at      bigint NOT NULL DEFAULT 0,
    schema          integer NOT NULL,
    min_reader      integer NOT NULL,
    records_version integer NOT NULL DEFAULT 1
) WITH (fillfactor = 50);
CREATE TABLE nodes (
    node            text COLLATE "C" PRIMARY KEY,
    epoch           bigint NOT NULL,
    beat_at         bigint NOT NULL,
    records_version integer NOT NULL
) WITH (fillfactor = 50);
CREATE TABLE leases (
    what  text COLLATE "C" PRIMARY KEY,
    node  text COLLATE "C" NOT NULL,
    until bigint NOT NULL
) WITH (fillfactor = 50);
CREATE TABLE outages (
    until_at bigint PRIMARY KEY,
    from_at  bigint NOT NULL
);
CREATE TABLE signing_keys (
    node       text COLLATE "C" NOT NULL,
    public_key bytea NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (node, public_key)
);
CREATE TABLE push_key (
    one    boolean PRIMARY KEY DEFAULT true CHECK (one),
    secret bytea NOT NULL CHECK (octet_length(secret) = 32)
);
"#;

// One row of the journal is one append: either all of its records are there or none. Its key
// orders the appends of all nodes. The columns after `chain` are what lists and the sweeper need,
// so that a move changes no other row. `games.entry` has the seats as they are; moves and times of
// a live game are in its last row of the journal. `wake_at`: no node looks at the clocks before.
const GAMES: &str = r#"
CREATE TABLE games (
    game        text COLLATE "C" PRIMARY KEY,
    finished    boolean NOT NULL,
    rules       text COLLATE "C" NOT NULL,
    players     smallint NOT NULL,
    delay       smallint NOT NULL,
    unlisted    boolean NOT NULL,
    started_at  bigint NOT NULL,
    ended_at    bigint,
    entry       text NOT NULL,
    wake_at     bigint
) WITH (fillfactor = 80);
CREATE INDEX games_by_start ON games (finished, started_at, game) WHERE NOT unlisted;
CREATE INDEX games_by_kind ON games (rules, players, finished, started_at, game) WHERE NOT unlisted;
CREATE INDEX games_live ON games (game) WHERE NOT finished;
CREATE INDEX games_to_wake ON games (wake_at) WHERE wake_at IS NOT NULL;
CREATE TABLE game_users (
    user_name  text COLLATE "C" NOT NULL,
    game       text COLLATE "C" NOT NULL REFERENCES games (game) ON DELETE CASCADE,
    rules      text COLLATE "C" NOT NULL,
    players    smallint NOT NULL,
    unlisted   boolean NOT NULL,
    started_at bigint NOT NULL,
    ended_at   bigint,
    PRIMARY KEY (user_name, game)
);
CREATE INDEX game_users_live ON game_users (user_name, started_at, game) WHERE ended_at IS NULL;
CREATE INDEX game_users_by_start ON game_users (user_name, started_at, game)
    WHERE ended_at IS NOT NULL;
CREATE INDEX game_users_by_end ON game_users (user_name, ended_at, game)
    WHERE ended_at IS NOT NULL;
CREATE INDEX game_users_by_kind_and_start ON game_users
    (user_name, rules, players, started_at, game) WHERE ended_at IS NOT NULL;
CREATE INDEX game_users_by_kind_and_end ON game_users
    (user_name, rules, players, ended_at, game) WHERE ended_at IS NOT NULL;
CREATE TABLE journal (
    game     text COLLATE "C" NOT NULL,
    seq      bigint NOT NULL,
    events   smallint NOT NULL,
    chain    bytea NOT NULL,
    ply      integer NOT NULL,
    to_move  smallint,
    last_at  bigint NOT NULL,
    deadline bigint,
    records  bytea NOT NULL,
    PRIMARY KEY (game, seq)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
CREATE TABLE rematches (
    game text COLLATE "C" PRIMARY KEY,
    next text COLLATE "C" NOT NULL
);
"#;

// As in the embedded store. The ids of two results with a common user are in the order in which
// they were rated, because a transaction draws the id while it holds the rows of all users.
const RATINGS: &str = r#"
CREATE TABLE results (
    id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    game  text COLLATE "C" NOT NULL UNIQUE,
    pool  text COLLATE "C" NOT NULL,
    seats text NOT NULL
);
CREATE TABLE ratings (
    pool       text COLLATE "C" NOT NULL,
    user_name  text COLLATE "C" NOT NULL,
    rank_key   bigint NOT NULL,
    rating     integer NOT NULL,
    deviation  integer NOT NULL,
    volatility integer NOT NULL,
    games      integer NOT NULL,
    wins       integer NOT NULL,
    draws      integer NOT NULL,
    losses     integer NOT NULL,
    PRIMARY KEY (user_name, pool)
) WITH (fillfactor = 80);
CREATE INDEX ratings_by_rank ON ratings (pool, rank_key, user_name);
"#;

// A user is a bot from the start or never: the standings of bots and of people follow an index.
// Servers of an older schema add ratings, too, so the database itself looks up who is a bot.
const RATINGS_OF_BOTS: &str = r"
ALTER TABLE ratings ADD COLUMN bot boolean NOT NULL DEFAULT false;
UPDATE ratings SET bot = true FROM users
    WHERE users.folded = ratings.user_name AND (users.house OR users.owner_id IS NOT NULL);
CREATE INDEX ratings_by_bot_and_rank ON ratings (pool, bot, rank_key, user_name);
CREATE FUNCTION mark_rating_of_bot() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.bot := EXISTS (SELECT 1 FROM users
        WHERE folded = NEW.user_name AND (house OR owner_id IS NOT NULL));
    RETURN NEW;
END
$$;
CREATE TRIGGER ratings_of_bots BEFORE INSERT ON ratings
    FOR EACH ROW EXECUTE FUNCTION mark_rating_of_bot();
";

// What finished games add up to. A game that is not marked as counted waits for it: those from
// before this column and those that a server of an older schema ends do, too.
const TALLIES: &str = r#"
CREATE TABLE tallies (
    rules     text COLLATE "C" NOT NULL,
    players   smallint NOT NULL,
    opponents text COLLATE "C" NOT NULL,
    aspect    text COLLATE "C" NOT NULL,
    value     text COLLATE "C" NOT NULL,
    games     bigint NOT NULL,
    first     bigint NOT NULL,
    second    bigint NOT NULL,
    third     bigint NOT NULL,
    draws     bigint NOT NULL,
    PRIMARY KEY (rules, players, opponents, aspect, value)
) WITH (fillfactor = 80);
CREATE INDEX tallies_by_games ON tallies (rules, players, opponents, aspect, games DESC, value);
ALTER TABLE games ADD COLUMN counted boolean NOT NULL DEFAULT false;
CREATE INDEX games_uncounted ON games (game) WHERE finished AND NOT counted;
"#;

// A node that may have missed announcements reads what was said lately.
const TALK_BY_TIME: &str = "CREATE INDEX talk_by_time ON talk (at)";

// The time of the nodes is the database's clock and this many milliseconds, so that it goes on when
// that clock jumps or another server's takes its place. Servers of an older schema do not add it.
const CLOCK_OFFSET: &str = "ALTER TABLE cluster ADD COLUMN clock_offset bigint NOT NULL DEFAULT 0";

// Notices that are not sent yet.
const NOTICES: &str = "
CREATE TABLE notices (
    id         bigint PRIMARY KEY,
    overdue_at bigint NOT NULL,
    occasion   text NOT NULL
);
CREATE INDEX notices_by_time ON notices (overdue_at);
";

// Equals `at` if a player has left a game because the node died. Servers of an older schema change
// `at` alone.
const CUT_OFF: &str = "ALTER TABLE at_game ADD COLUMN cut_off_at bigint";
