//! Locks for decisions that count challenges, invites or seeks.

use adamant_protocol::UserName;

use super::{columns::SqlResult, transaction::Transaction};
use crate::address::ClientNetwork;

/// Waits until no other transaction decides about offers of these users, or from this network. All
/// transactions lock in the same order, so that they do not wait for each other.
pub(super) async fn lock_offers<'a>(
    tx: &Transaction,
    users: impl IntoIterator<Item = &'a UserName>,
    network: Option<ClientNetwork>,
) -> SqlResult<()> {
    let users = users.into_iter().map(|user| user.folded().as_str().to_owned());
    // No name has a full stop or a colon, and every network has one.
    let mut keys: Vec<String> = users.chain(network.map(|network| network.to_string())).collect();
    keys.sort_unstable();
    keys.dedup();
    lock_keys(tx, &keys).await
}

/// Waits until no other transaction looks for a seek of these terms.
pub(super) async fn lock_terms(tx: &Transaction, terms: &str) -> SqlResult<()> {
    // Terms begin with a bracket, which no name or network has.
    lock_keys(tx, &[terms.to_owned()]).await
}

async fn lock_keys(tx: &Transaction, keys: &[String]) -> SqlResult<()> {
    let lock = "SELECT pg_advisory_xact_lock(hashtextextended(key, 2))
         FROM unnest($1::text[]) WITH ORDINALITY AS keys (key, place) ORDER BY place";
    tx.query(lock, &[&keys]).await?;
    Ok(())
}
