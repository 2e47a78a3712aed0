//! The tables, by the version that introduced them.

/// Entry n migrates a database from version n to n + 1. Entries are only ever appended, so that
/// every older database can be migrated.
pub(super) const MIGRATIONS: &[&str] = &[
    FIRST_TABLES,
    RATINGS,
    DEADLINES_OUTAGES_REMATCHES,
    TALK,
    ACCOUNTS,
    STALE_ROWS,
    ACCOUNT_AGE,
    PIECES,
    LISTS_BY_KIND,
    NOTIFICATIONS,
    INVITES,
    UNLISTED_GAMES,
    BLOCKS_SETTINGS,
    LASTING_SEEKS,
    RATINGS_OF_BOTS,
    DOWNLOADS,
    TALLIES,
    HOME,
    NOTICES,
];

/// The number by which `file` and other programs know a database of this server: "Adam" in ASCII.
pub(super) const APPLICATION_ID: i32 = 0x4164_616d;

// The journal is in order of arrival: a key on (game, seq) would cost more than the rest of a move.
// The row ids of live games are in memory.
pub(super) const FIRST_TABLES: &str = "
CREATE TABLE journal (
    id     INTEGER PRIMARY KEY,
    game   TEXT NOT NULL,
    seq    INTEGER NOT NULL,
    record BLOB NOT NULL
);
CREATE TABLE games (
    id         TEXT PRIMARY KEY,
    state      TEXT NOT NULL CHECK (state IN ('parked', 'finished')),
    rules      TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    last_seq   INTEGER NOT NULL,
    entry      TEXT NOT NULL,
    records    BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX games_by_time ON games (state, started_at, id);
CREATE TABLE game_users (
    user       TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    game       TEXT NOT NULL REFERENCES games (id) ON DELETE CASCADE,
    PRIMARY KEY (user, started_at, game)
) WITHOUT ROWID;
CREATE TABLE users (
    id            INTEGER PRIMARY KEY,
    name          TEXT NOT NULL,
    folded        TEXT NOT NULL UNIQUE,
    password_hash TEXT,
    house         INTEGER NOT NULL DEFAULT 0,
    created_at    INTEGER NOT NULL
);
CREATE TABLE tokens (
    digest     BLOB PRIMARY KEY,
    user       INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    label      TEXT NOT NULL,
    bot        INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER
) WITHOUT ROWID;
CREATE INDEX tokens_by_user ON tokens (user, created_at);
CREATE TABLE challenges (
    id         TEXT PRIMARY KEY,
    bots       TEXT NOT NULL,
    challenged TEXT NOT NULL,
    created_at INTEGER NOT NULL
) WITHOUT ROWID;
";

// `results` has the rated games in the order in which they were rated, which is that of the
// journal: a row is committed with the record of the end. `ratings` is their sum; `rank_key` sorts
// the strongest first. A user's finished games are listed by end.
const RATINGS: &str = "
CREATE TABLE results (
    id    INTEGER PRIMARY KEY,
    game  TEXT NOT NULL UNIQUE,
    pool  TEXT NOT NULL,
    seats TEXT NOT NULL
);
CREATE TABLE ratings (
    pool       TEXT NOT NULL,
    user       TEXT NOT NULL,
    rank_key   INTEGER NOT NULL,
    rating     INTEGER NOT NULL,
    deviation  INTEGER NOT NULL,
    volatility INTEGER NOT NULL,
    games      INTEGER NOT NULL,
    wins       INTEGER NOT NULL,
    draws      INTEGER NOT NULL,
    losses     INTEGER NOT NULL,
    PRIMARY KEY (user, pool)
) WITHOUT ROWID;
CREATE INDEX ratings_by_rank ON ratings (pool, rank_key, user);
CREATE INDEX games_by_rules ON games (rules, state, started_at, id);
ALTER TABLE game_users ADD COLUMN ended_at INTEGER;
UPDATE game_users SET ended_at =
    (SELECT json_extract(entry, '$.last_at') FROM games WHERE id = game AND state = 'finished');
CREATE INDEX game_users_by_end ON game_users (user, ended_at, game) WHERE ended_at IS NOT NULL;
";

// The deadlines of parked games, the outages that clocks are credited for, and rematches: a game
// has at most one, however often players ask for it.
const DEADLINES_OUTAGES_REMATCHES: &str = "
ALTER TABLE games ADD COLUMN deadline INTEGER;
CREATE TABLE alive (
    one      INTEGER PRIMARY KEY CHECK (one = 1),
    alive_at INTEGER NOT NULL
);
CREATE TABLE outages (
    until_at INTEGER PRIMARY KEY,
    from_at  INTEGER NOT NULL
);
CREATE TABLE rematches (
    game TEXT PRIMARY KEY,
    next TEXT NOT NULL
) WITHOUT ROWID;
";

// A deleted line keeps its number and loses its text.
const TALK: &str = "
CREATE TABLE talk (
    game TEXT NOT NULL,
    room TEXT NOT NULL CHECK (room IN ('players', 'spectators')),
    n    INTEGER NOT NULL,
    at   INTEGER NOT NULL,
    user TEXT NOT NULL COLLATE NOCASE,
    req  TEXT NOT NULL,
    text TEXT,
    PRIMARY KEY (game, room, n)
) WITHOUT ROWID;
CREATE UNIQUE INDEX talk_requests ON talk (game, user, req);
CREATE TABLE mutes (
    user  INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    muted INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    PRIMARY KEY (user, muted)
) WITHOUT ROWID;
CREATE INDEX mutes_by_muted ON mutes (muted);
";

// The migration computes the skeletons of older rows. They are not unique, because older names may
// look alike; a new name is compared before it is stored.
const ACCOUNTS: &str = "
ALTER TABLE users ADD COLUMN skeleton TEXT;
ALTER TABLE users ADD COLUMN owner INTEGER REFERENCES users (id);
CREATE INDEX users_by_skeleton ON users (skeleton);
CREATE INDEX users_by_owner ON users (owner);
ALTER TABLE tokens ADD COLUMN used_at INTEGER;
";

// The tables are unchanged, but the journal may have stale rows, whose records are archived. An
// older server would take them for a live game and must not open the database.
const STALE_ROWS: &str = "";

// The time at which a guest became an account. NULL for other accounts and for those from before
// this column: these are as old as their user.
const ACCOUNT_AGE: &str = "
ALTER TABLE users ADD COLUMN account_since INTEGER;
";

// Blocks of a game's records. The migration fills them from the column `games.records`, which the
// next version drops.
pub(super) const PIECES: &str = "
CREATE TABLE pieces (
    id      INTEGER PRIMARY KEY,
    game    TEXT NOT NULL,
    first   INTEGER NOT NULL,
    records BLOB NOT NULL
);
CREATE UNIQUE INDEX pieces_by_game ON pieces (game, first);
";

// Each list of finished games follows an index, with any filter.
const LISTS_BY_KIND: &str = "
ALTER TABLE games DROP COLUMN records;
ALTER TABLE games ADD COLUMN players INTEGER NOT NULL DEFAULT 0;
UPDATE games SET players = json_array_length(entry, '$.seats');
DROP INDEX games_by_rules;
CREATE INDEX games_by_kind ON games (rules, players, state, started_at, id);
ALTER TABLE game_users ADD COLUMN rules TEXT NOT NULL DEFAULT '';
ALTER TABLE game_users ADD COLUMN players INTEGER NOT NULL DEFAULT 0;
UPDATE game_users SET (rules, players) =
    (SELECT games.rules, games.players FROM games WHERE games.id = game_users.game);
CREATE INDEX game_users_by_kind_and_start ON game_users (user, rules, players, started_at, game)
    WHERE ended_at IS NOT NULL;
CREATE INDEX game_users_by_kind_and_end ON game_users (user, rules, players, ended_at, game)
    WHERE ended_at IS NOT NULL;
";

// A push subscription belongs to the browser that has the token, and ends with it.
const NOTIFICATIONS: &str = "
CREATE TABLE push_subscriptions (
    endpoint   TEXT PRIMARY KEY,
    token      BLOB NOT NULL REFERENCES tokens (digest) ON DELETE CASCADE,
    key        BLOB NOT NULL,
    auth       BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    failures   INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX push_subscriptions_by_token ON push_subscriptions (token);
CREATE TABLE webhooks (
    user       INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    url        TEXT NOT NULL,
    secret     TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    failures   INTEGER NOT NULL
);
";

// An invite stays when its game begins, until it expires.
const INVITES: &str = "
CREATE TABLE invites (
    id         TEXT PRIMARY KEY,
    bots       TEXT NOT NULL,
    invite     TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    game       TEXT
) WITHOUT ROWID;
CREATE INDEX invites_by_expiry ON invites (expires_at);
";

// The indices of the lists of all games have the listed ones only. One user has few unlisted games.
const UNLISTED_GAMES: &str = "
ALTER TABLE games ADD COLUMN unlisted INTEGER NOT NULL DEFAULT 0;
ALTER TABLE game_users ADD COLUMN unlisted INTEGER NOT NULL DEFAULT 0;
DROP INDEX games_by_time;
DROP INDEX games_by_kind;
CREATE INDEX games_by_time ON games (state, started_at, id) WHERE unlisted = 0;
CREATE INDEX games_by_kind ON games (rules, players, state, started_at, id) WHERE unlisted = 0;
CREATE INDEX games_parked ON games (id) WHERE state = 'parked';
";

// Settings are JSON. NULL means the default ones.
const BLOCKS_SETTINGS: &str = "
CREATE TABLE blocks (
    user    INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    blocked INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    PRIMARY KEY (user, blocked)
) WITHOUT ROWID;
CREATE INDEX blocks_by_blocked ON blocks (blocked);
ALTER TABLE users ADD COLUMN settings TEXT;
";

const LASTING_SEEKS: &str = "
CREATE TABLE seeks (
    id   TEXT PRIMARY KEY,
    seek TEXT NOT NULL
) WITHOUT ROWID;
";

// A user is a bot from the start or never: the standings of bots and of people follow an index.
const RATINGS_OF_BOTS: &str = "
ALTER TABLE ratings ADD COLUMN bot INTEGER NOT NULL DEFAULT 0;
UPDATE ratings SET bot = 1
    WHERE user IN (SELECT folded FROM users WHERE house OR owner IS NOT NULL);
CREATE INDEX ratings_by_bot_and_rank ON ratings (pool, bot, rank_key, user);
";

// Which game stands on which line of which download. `games.to_publish` is the end of a finished
// and listed game that no download has. `download_games` has what the lines of a game have beside
// its records.
const DOWNLOADS: &str = "
ALTER TABLE games ADD COLUMN to_publish INTEGER;
UPDATE games SET to_publish = json_extract(entry, '$.last_at')
    WHERE state = 'finished' AND unlisted = 0;
CREATE INDEX games_to_publish ON games (to_publish, id) WHERE to_publish IS NOT NULL;
CREATE TABLE download_state (
    one        INTEGER PRIMARY KEY CHECK (one = 1),
    version    INTEGER NOT NULL,
    first_open TEXT NOT NULL
);
CREATE TABLE download_files (
    file      TEXT PRIMARY KEY,
    games     INTEGER NOT NULL,
    bytes     INTEGER NOT NULL,
    chain     BLOB NOT NULL,
    last_game TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE download_games (
    game       TEXT PRIMARY KEY,
    seq        INTEGER NOT NULL,
    line_start TEXT NOT NULL,
    line_end   TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE download_lines (
    file   TEXT NOT NULL,
    line   INTEGER NOT NULL,
    start  INTEGER NOT NULL,
    length INTEGER NOT NULL,
    chain  BLOB NOT NULL,
    game   TEXT NOT NULL,
    PRIMARY KEY (file, line)
) WITHOUT ROWID;
CREATE UNIQUE INDEX download_lines_by_start ON download_lines (file, start);
";

// What finished games add up to. A game that is not marked as counted waits for it: those from
// before this column do, too.
const TALLIES: &str = "
CREATE TABLE tallies (
    rules     TEXT NOT NULL,
    players   INTEGER NOT NULL,
    opponents TEXT NOT NULL,
    aspect    TEXT NOT NULL,
    value     TEXT NOT NULL,
    games     INTEGER NOT NULL,
    first     INTEGER NOT NULL,
    second    INTEGER NOT NULL,
    third     INTEGER NOT NULL,
    draws     INTEGER NOT NULL,
    PRIMARY KEY (rules, players, opponents, aspect, value)
) WITHOUT ROWID;
CREATE INDEX tallies_by_games ON tallies (rules, players, opponents, aspect, games DESC, value);
ALTER TABLE games ADD COLUMN counted INTEGER NOT NULL DEFAULT 0;
CREATE INDEX games_uncounted ON games (id) WHERE state = 'finished' AND counted = 0;
";

// The file in which the server last had this database.
const HOME: &str = "
CREATE TABLE home (
    one   INTEGER PRIMARY KEY CHECK (one = 1),
    inode INTEGER NOT NULL
);
";

// Notices that are not sent yet.
const NOTICES: &str = "
CREATE TABLE notices (
    id         INTEGER PRIMARY KEY,
    overdue_at INTEGER NOT NULL,
    occasion   TEXT NOT NULL
);
CREATE INDEX notices_by_time ON notices (overdue_at);
";
