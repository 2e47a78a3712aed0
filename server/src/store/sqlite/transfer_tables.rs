//! What moves between an embedded store and a PostgreSQL database: tables row by row, and games
//! with their records.

use adamant_protocol::{GameId, to_client::GameEntry};
use bytes::Bytes;

/// A value in a row of either database.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    /// No value.
    Null,
    /// A number, or 0 or 1 for a boolean.
    Integer(i64),
    Text(String),
    Bytes(Vec<u8>),
}

/// The type of a column in PostgreSQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColumnType {
    BigInt,
    Integer,
    Boolean,
    Text,
    Bytes,
}

/// A column in both databases.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TransferColumn {
    /// The column of the embedded store, or an expression.
    pub(crate) embedded: &'static str,
    /// The column in PostgreSQL.
    pub(crate) postgres: &'static str,
    /// Its type there.
    pub(crate) column_type: ColumnType,
    /// What the embedded store computes from other columns, and does not store.
    pub(crate) is_derived: bool,
    /// Whether the embedded store has a text where PostgreSQL has bytes.
    pub(crate) is_text: bool,
}

/// A table in both databases.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TransferTable {
    /// The table of the embedded store, or a query in brackets.
    pub(crate) embedded: &'static str,
    /// The table in PostgreSQL.
    pub(crate) postgres: &'static str,
    /// The first columns are the key, by which rows are sorted.
    pub(crate) key_columns: usize,
    pub(crate) columns: &'static [TransferColumn],
    /// Whether the embedded store has no such table.
    pub(crate) is_derived: bool,
}

/// A row, in the order of the columns.
pub(crate) type TransferRow = Vec<Value>;

use ColumnType::{BigInt, Boolean, Bytes as Binary, Integer, Text};

const fn column(
    embedded: &'static str,
    postgres: &'static str,
    column_type: ColumnType,
) -> TransferColumn {
    TransferColumn { embedded, postgres, column_type, is_derived: false, is_text: false }
}

const fn same(name: &'static str, column_type: ColumnType) -> TransferColumn {
    column(name, name, column_type)
}

const fn derived(
    expression: &'static str,
    postgres: &'static str,
    column_type: ColumnType,
) -> TransferColumn {
    TransferColumn { is_derived: true, ..column(expression, postgres, column_type) }
}

const fn table(
    name: &'static str,
    key_columns: usize,
    columns: &'static [TransferColumn],
) -> TransferTable {
    TransferTable { embedded: name, postgres: name, key_columns, columns, is_derived: false }
}

/// The tables whose rows correspond, in an order in which each row follows those that it refers to.
pub(crate) const TRANSFER_TABLES: &[TransferTable] = &[
    table(
        "users",
        1,
        &[
            same("id", BigInt),
            same("name", Text),
            same("folded", Text),
            same("skeleton", Text),
            same("password_hash", Text),
            same("house", Boolean),
            column("owner", "owner_id", BigInt),
            same("created_at", BigInt),
            same("account_since", BigInt),
            same("settings", Text),
        ],
    ),
    table(
        "tokens",
        1,
        &[
            same("digest", Binary),
            column("user", "user_id", BigInt),
            TransferColumn { is_text: true, ..same("label", Binary) },
            same("bot", Boolean),
            same("created_at", BigInt),
            same("expires_at", BigInt),
            same("used_at", BigInt),
        ],
    ),
    table("mutes", 2, &[column("user", "user_id", BigInt), column("muted", "muted_id", BigInt)]),
    table(
        "blocks",
        2,
        &[column("user", "user_id", BigInt), column("blocked", "blocked_id", BigInt)],
    ),
    table(
        "push_subscriptions",
        1,
        &[
            same("endpoint", Text),
            same("token", Binary),
            same("key", Binary),
            same("auth", Binary),
            same("created_at", BigInt),
            same("failures", BigInt),
        ],
    ),
    table(
        "webhooks",
        1,
        &[
            column("user", "user_id", BigInt),
            same("url", Text),
            same("secret", Text),
            same("created_at", BigInt),
            same("failures", BigInt),
        ],
    ),
    table(
        "talk",
        3,
        &[
            same("game", Text),
            same("room", Text),
            same("n", BigInt),
            same("at", BigInt),
            column("user", "said_by", Text),
            derived("lower(user)", "author", Text),
            same("req", Text),
            same("text", Text),
        ],
    ),
    table(
        "results",
        1,
        &[same("id", BigInt), same("game", Text), same("pool", Text), same("seats", Text)],
    ),
    table(
        "ratings",
        2,
        &[
            column("user", "user_name", Text),
            same("pool", Text),
            same("rank_key", BigInt),
            same("rating", Integer),
            same("deviation", Integer),
            same("volatility", Integer),
            same("games", Integer),
            same("wins", Integer),
            same("draws", Integer),
            same("losses", Integer),
            same("bot", Boolean),
        ],
    ),
    table("rematches", 1, &[same("game", Text), same("next", Text)]),
    table("outages", 1, &[same("until_at", BigInt), same("from_at", BigInt)]),
    table(
        "challenges",
        1,
        &[
            same("id", Text),
            same("bots", Text),
            same("challenged", Text),
            same("created_at", BigInt),
            derived("lower(json_extract(challenged, '$.by'))", "maker", Text),
            derived("COALESCE(json_extract(challenged, '$.guest'), 0)", "guest", Boolean),
            derived("json_extract(challenged, '$.rematch_of')", "rematch_of", Text),
        ],
    ),
    TransferTable {
        embedded: "(SELECT DISTINCT lower(seat.value) AS user, challenges.id AS challenge
             FROM challenges, json_each(challenged, '$.seats') AS seat
             WHERE lower(seat.value) NOT IN (
                 SELECT lower(accepted.value)
                 FROM json_each(challenged, '$.accepted') AS accepted))",
        is_derived: true,
        ..table(
            "waiting_challenges",
            2,
            &[column("user", "user_name", Text), same("challenge", Text)],
        )
    },
    table(
        "invites",
        1,
        &[
            same("id", Text),
            same("bots", Text),
            same("invite", Text),
            same("expires_at", BigInt),
            same("game", Text),
            derived("0", "version", BigInt),
        ],
    ),
    TransferTable {
        embedded: "(SELECT DISTINCT lower(joined.value) AS user, invites.id AS invite
             FROM invites, json_each(invite, '$.joined') AS joined)",
        is_derived: true,
        ..table("invite_users", 2, &[column("user", "user_name", Text), same("invite", Text)])
    },
    table(
        "download_games",
        1,
        &[
            same("game", Text),
            same("seq", BigInt),
            same("line_start", Text),
            same("line_end", Text),
        ],
    ),
    table(
        "download_lines",
        2,
        &[
            same("file", Text),
            same("line", BigInt),
            same("start", BigInt),
            same("length", BigInt),
            same("chain", Binary),
            same("game", Text),
        ],
    ),
    table(
        "download_files",
        1,
        &[
            same("file", Text),
            same("games", BigInt),
            same("bytes", BigInt),
            same("chain", Binary),
            same("last_game", Text),
        ],
    ),
    table(
        "download_state",
        1,
        &[same("one", Boolean), same("version", BigInt), same("first_open", Text)],
    ),
];

/// A game with all of its records.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TransferGame {
    pub(crate) game: GameId,
    /// The list entry of a finished or parked game, as the source has it.
    pub(crate) entry: Option<GameEntry>,
    /// Whether the game is over and in the lists of finished games.
    pub(crate) is_finished: bool,
    /// The time at which a clock of a live game runs out, in epoch milliseconds.
    pub(crate) deadline: Option<u64>,
    pub(crate) records: Vec<Bytes>,
}
