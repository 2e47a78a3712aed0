//! Everything that the store has about one user, for the user to have: no secrets, and nothing of
//! others but their names. And what of it goes when the account is closed.

use serde_json::{Map, Value as Json, json};

use super::{
    operators::end_tokens_of,
    sql::{Row, Sql, SqlResult, Value, params},
    store::operations,
    users::{User, UserId, belongings},
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

const PARTS: [Part; 17] = [
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
        "mail",
        Of::Id,
        &[("address", AsItIs), ("confirmed", Truth)],
        "SELECT address, confirmed FROM mail_addresses WHERE user_id = $1 ORDER BY confirmed",
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

/// What came of closing an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CloseOutcome {
    Closed,
    /// The password is another by now.
    PasswordChanged,
    /// So many games of the account and its bots go on.
    HasLiveGames(u32),
}

/// What goes with the account `$1`. The name stays in records, lists and standings, and so stays
/// taken; a user who has never played, and whom no operator has banned, goes whole. Reports stay as
/// long as all reports do. No password matches an empty hash.
const FORGET: [&str; 10] = [
    "DELETE FROM webhooks WHERE user_id IN (SELECT id FROM users WHERE id = $1 OR owner_id = $1)",
    "DELETE FROM reset_codes WHERE user_id = $1",
    "DELETE FROM mail_addresses WHERE user_id = $1",
    "DELETE FROM user_notices WHERE user_id = $1",
    "DELETE FROM mutes WHERE user_id = $1 OR muted_id = $1",
    "DELETE FROM blocks WHERE user_id = $1 OR blocked_id = $1",
    "UPDATE talk SET text = NULL
     WHERE text IS NOT NULL AND author = (SELECT folded FROM users WHERE id = $1)",
    "UPDATE users SET password_hash = '', settings = NULL WHERE id = $1",
    "DELETE FROM users WHERE owner_id = $1
         AND NOT EXISTS (SELECT 1 FROM game_users WHERE game_users.user_name = users.folded)",
    "DELETE FROM users WHERE id = $1
         AND NOT EXISTS (SELECT 1 FROM game_users WHERE game_users.user_name = users.folded)
         AND NOT EXISTS (SELECT 1 FROM bans WHERE bans.user_id = users.id)
         AND NOT EXISTS (SELECT 1 FROM users AS bots WHERE bots.owner_id = users.id)",
];

async fn close_account(sql: &impl Sql, user: UserId, hash: &str) -> SqlResult<CloseOutcome> {
    // A log-in that has compared the hash has stored its token by now, or finds none.
    sql.lock(belongings(user)).await?;
    let is_known = "SELECT 1 FROM users WHERE id = $1 AND password_hash = $2";
    if !sql.exists(is_known, params![user.0, hash]).await? {
        return Ok(CloseOutcome::PasswordChanged);
    }
    let live = "SELECT COUNT(*) FROM game_users WHERE ended_at IS NULL
         AND user_name IN (SELECT folded FROM users WHERE id = $1 OR owner_id = $1)";
    let live = sql.count(live, params![user.0]).await?;
    if live > 0 {
        return Ok(CloseOutcome::HasLiveGames(u32::try_from(live).unwrap_or(u32::MAX)));
    }
    end_tokens_of(sql, user).await?;
    for forget in FORGET {
        sql.execute(forget, params![user.0]).await?;
    }
    Ok(CloseOutcome::Closed)
}

operations! {
    /// Closes an account whose password has this hash, and forgets its user.
    fn close_account(user: UserId, hash: String) -> CloseOutcome =
        transact(close_account(*user, hash));
    /// Returns everything that is stored about a user, as JSON.
    fn personal_data(user: User) -> Map<String, Json> = read_unconfirmed(personal_data(user));
}
