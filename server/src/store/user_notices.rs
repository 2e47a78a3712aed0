//! Notices that stay until their users have read them.

use adamant_protocol::{UserName, to_client::Notice};

use super::{
    sql::{Row, Sql, SqlResult, params},
    store::operations,
};
use crate::limits::NOTICES_PER_USER_MAX;

/// The key under which the notices of a user are numbered.
pub(super) fn notices_key(user: i64) -> String {
    format!("notices {user}")
}

/// Keeps a notice for a user, whose notices are locked; returns it with its number.
pub(super) async fn add_notice(
    sql: &impl Sql,
    user: i64,
    notice: Notice,
    at: u64,
) -> SqlResult<Notice> {
    let last = "SELECT n FROM user_notices WHERE user_id = $1 ORDER BY n DESC LIMIT 1";
    let last: u64 = sql.first(last, params![user]).await?.map_or(Ok(0), |mut row| row.get(0))?;
    let n = at.max(last + 1);
    let insert = "INSERT INTO user_notices (user_id, n, notice) VALUES ($1, $2, $3)";
    let text = serde_json::to_string(&notice).expect("notices are plain data");
    sql.execute(insert, params![user, n, text]).await?;
    let oldest = "DELETE FROM user_notices WHERE user_id = $1 AND n <= (
             SELECT n FROM user_notices WHERE user_id = $1 ORDER BY n DESC LIMIT 1 OFFSET $2)";
    sql.execute(oldest, params![user, NOTICES_PER_USER_MAX]).await?;
    Ok(Notice { n: Some(n), ..notice })
}

/// Keeps a notice for each of these users; returns those who are still users.
pub(super) async fn leave_notices(
    sql: &impl Sql,
    users: &[UserName],
    notice: &Notice,
    at: u64,
) -> SqlResult<Vec<(UserName, Notice)>> {
    let mut found: Vec<(i64, UserName)> = Vec::new();
    for user in users {
        let select = "SELECT id, name FROM users WHERE folded = $1";
        if let Some(mut row) = sql.first(select, params![user.folded().as_str()]).await? {
            found.push((row.get(0)?, row.parse(1)?));
        }
    }
    // All at once, so that no two acts wait for each other.
    sql.lock(found.iter().map(|(user, _)| notices_key(*user)).collect()).await?;
    let mut notices = Vec::new();
    for (user, name) in found {
        notices.push((name, add_notice(sql, user, notice.clone(), at).await?));
    }
    Ok(notices)
}

/// Returns the statement that selects the notices of a user, by one that selects the user's id.
pub(super) fn select_notices(id: &str) -> String {
    format!("SELECT n, notice FROM user_notices WHERE user_id = ({id}) ORDER BY n")
}

pub(super) fn read_notices(rows: &mut [Row]) -> SqlResult<Vec<Notice>> {
    let read = |row: &mut Row| Ok(Notice { n: Some(row.get(0)?), ..row.json(1)? });
    rows.iter_mut().map(read).collect()
}

pub(super) async fn notices_of(sql: &impl Sql, user: &UserName) -> SqlResult<Vec<Notice>> {
    let select = select_notices("SELECT id FROM users WHERE folded = $1");
    read_notices(&mut sql.query(&select, params![user.folded().as_str()]).await?)
}

async fn forget_notices(sql: &impl Sql, user: &UserName, up_to: u64) -> SqlResult<()> {
    let delete = "DELETE FROM user_notices
         WHERE user_id = (SELECT id FROM users WHERE folded = $1) AND n <= $2";
    sql.execute(delete, params![user.folded().as_str(), up_to]).await?;
    Ok(())
}

operations! {
    /// Keeps a notice for each of these users; returns what each is told.
    fn leave_notices(users: Vec<UserName>, notice: Notice, at: u64) -> Vec<(UserName, Notice)> =
        transact(leave_notices(users, notice, *at));
    /// Deletes the notices of a user up to one.
    fn forget_notices(user: UserName, up_to: u64) -> () = transact(forget_notices(user, *up_to));
}
