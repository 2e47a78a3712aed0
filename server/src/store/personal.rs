//! Everything that the store has about one user, for the user to have: no secrets, and nothing of
//! others but their names.

use serde_json::{Map, Value as Json, json};

use super::{
    sql::{Row, Sql, SqlResult, Value},
    store::operations,
    users::{User, UserId},
};
use crate::limits::PERSONAL_ROWS_MAX;

/// What identifies the user in a table.
enum Of {
    Id,
    /// The folded name.
    Name,
}

/// How a column is shown.
enum Shown {
    AsItIs,
    Truth,
    Json,
    /// Bytes that are text.
    Text,
}

use Shown::{AsItIs, Json as AsJson, Text, Truth};

/// Rows about a user. The statement has the columns in this order, and the user as `$1`.
struct Part {
    name: &'static str,
    of: Of,
    columns: &'static [(&'static str, Shown)],
    select: &'static str,
}

const fn part(
    name: &'static str,
    of: Of,
    columns: &'static [(&'static str, Shown)],
    select: &'static str,
) -> Part {
    Part { name, of, columns, select }
}

const PARTS: [Part; 16] = [
    part(
        "user",
        Of::Id,
        &[
            ("user", AsItIs),
            ("created_at", AsItIs),
            ("account_since", AsItIs),
            ("settings", AsJson),
        ],
        "SELECT name, created_at, account_since, settings FROM users WHERE id = $1",
    ),
    part(
        "bots",
        Of::Id,
        &[("user", AsItIs), ("created_at", AsItIs)],
        "SELECT name, created_at FROM users WHERE owner_id = $1 ORDER BY id",
    ),
    part(
        "tokens",
        Of::Id,
        &[
            ("label", Text),
            ("program", Truth),
            ("created_at", AsItIs),
            ("expires_at", AsItIs),
            ("used_at", AsItIs),
        ],
        "SELECT label, bot, created_at, expires_at, used_at FROM tokens WHERE user_id = $1
         ORDER BY created_at",
    ),
    part(
        "muted",
        Of::Id,
        &[("user", AsItIs)],
        "SELECT name FROM mutes JOIN users ON users.id = muted_id WHERE user_id = $1",
    ),
    part(
        "blocked",
        Of::Id,
        &[("user", AsItIs)],
        "SELECT name FROM blocks JOIN users ON users.id = blocked_id WHERE user_id = $1",
    ),
    part(
        "push_subscriptions",
        Of::Id,
        &[("endpoint", AsItIs), ("created_at", AsItIs)],
        "SELECT endpoint, push_subscriptions.created_at FROM push_subscriptions
         JOIN tokens ON tokens.digest = token WHERE tokens.user_id = $1",
    ),
    part(
        "webhooks",
        Of::Id,
        &[("url", AsItIs), ("created_at", AsItIs)],
        "SELECT url, created_at FROM webhooks WHERE user_id = $1",
    ),
    part(
        "notices",
        Of::Id,
        &[("notice", AsJson)],
        "SELECT notice FROM user_notices WHERE user_id = $1 ORDER BY n",
    ),
    part(
        "bans",
        Of::Id,
        &[
            ("kind", AsItIs),
            ("reason", AsItIs),
            ("banned_at", AsItIs),
            ("until", AsItIs),
            ("lifted_at", AsItIs),
        ],
        "SELECT kind, reason, banned_at, until_at, lifted_at FROM bans WHERE user_id = $1
         ORDER BY id",
    ),
    part(
        "notes",
        Of::Id,
        &[("noted_at", AsItIs), ("note", AsItIs)],
        "SELECT noted_at, note FROM user_notes WHERE user_id = $1 ORDER BY id",
    ),
    part(
        "reports",
        Of::Id,
        &[
            ("about", AsItIs),
            ("game", AsItIs),
            ("reason", AsItIs),
            ("text", AsItIs),
            ("reported_at", AsItIs),
            ("step", AsItIs),
        ],
        "SELECT user_name, game, reason, text, reported_at, step FROM reports
         WHERE reporter_id = $1 ORDER BY id",
    ),
    part(
        "reported",
        Of::Id,
        &[("game", AsItIs), ("reason", AsItIs), ("reported_at", AsItIs), ("step", AsItIs)],
        "SELECT game, reason, reported_at, step FROM reports WHERE user_id = $1 ORDER BY id",
    ),
    part(
        "offers",
        Of::Name,
        &[("offer", AsItIs), ("kind", AsItIs), ("entry", AsJson)],
        "SELECT id, kind, entry FROM offers JOIN offer_users ON offer = id
         WHERE offer_users.user_name = $1 AND game IS NULL ORDER BY place",
    ),
    part(
        "ratings",
        Of::Name,
        &[
            ("pool", AsItIs),
            ("rating", AsItIs),
            ("deviation", AsItIs),
            ("games", AsItIs),
            ("wins", AsItIs),
            ("draws", AsItIs),
            ("losses", AsItIs),
        ],
        "SELECT pool, rating, deviation, games, wins, draws, losses FROM ratings
         WHERE user_name = $1 ORDER BY pool",
    ),
    part(
        "games",
        Of::Name,
        &[("game", AsItIs), ("rules", AsItIs), ("started_at", AsItIs), ("ended_at", AsItIs)],
        "SELECT game, rules, started_at, ended_at FROM game_users WHERE user_name = $1
         ORDER BY started_at, game",
    ),
    part(
        "talk",
        Of::Name,
        &[("game", AsItIs), ("room", AsItIs), ("at", AsItIs), ("text", AsItIs)],
        "SELECT game, room, at, text FROM talk WHERE author = $1 ORDER BY at",
    ),
];

impl Shown {
    fn read(&self, value: &Value) -> Json {
        match (self, value) {
            (_, Value::Null) => Json::Null,
            (Self::Truth, Value::Integer(value)) => json!(*value != 0),
            (_, Value::Truth(value)) => json!(value),
            (_, Value::Integer(number)) => json!(number),
            (Self::Json, Value::Text(text)) => {
                serde_json::from_str(text).unwrap_or_else(|_| json!(text))
            }
            (_, Value::Text(text)) => json!(text),
            (_, Value::Bytes(bytes)) => json!(String::from_utf8_lossy(bytes)),
        }
    }
}

/// Returns everything about a user by part, and the parts that have more rows than are shown.
async fn personal_data(sql: &impl Sql, user: &User) -> SqlResult<Map<String, Json>> {
    let (UserId(id), name) = (user.id, user.name.folded());
    let (mut parts, mut cut) = (Map::new(), Vec::new());
    for Part { name: part, of, columns, select } in &PARTS {
        let limited = format!("{select} LIMIT {}", PERSONAL_ROWS_MAX + 1);
        let user = match of {
            Of::Id => Value::from(id),
            Of::Name => Value::from(name.as_str()),
        };
        let mut rows = sql.query(&limited, &[user]).await?;
        if rows.len() > PERSONAL_ROWS_MAX {
            rows.truncate(PERSONAL_ROWS_MAX);
            cut.push(*part);
        }
        let fields = |row: &Row| -> Json {
            let shown = columns.iter().zip(row.values());
            shown.map(|((name, shown), value)| ((*name).to_owned(), shown.read(value))).collect()
        };
        parts.insert((*part).to_owned(), rows.iter().map(fields).collect());
    }
    parts.insert("cut".to_owned(), json!(cut));
    Ok(parts)
}

operations! {
    /// Returns everything that is stored about a user, as JSON.
    fn personal_data(user: User) -> Map<String, Json> = read_unconfirmed(personal_data(user));
}
