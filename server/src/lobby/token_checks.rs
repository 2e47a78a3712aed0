//! Checks the tokens of open sessions, which another node may have ended: the announcement of that
//! may be lost.

use std::collections::BTreeSet;

use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::lobby::Lobby;
use crate::{
    accounts::TokenDigest,
    cluster::EndedSessions,
    limits::{TOKEN_CHECK_EVERY, TOKENS_PER_CHECK},
    store::StoreError,
};

impl Lobby {
    /// Ends the sessions of tokens that are valid no longer, again and again, until the server
    /// stops.
    pub(crate) async fn run_token_checks(self, stop: CancellationToken) {
        while stop.run_until_cancelled(sleep(TOKEN_CHECK_EVERY)).await.is_some() {
            if let Err(error) = self.check_tokens().await {
                tracing::warn!(%error, "checking the tokens of sessions failed");
            }
        }
    }

    pub(crate) async fn check_tokens(&self) -> Result<(), StoreError> {
        let open: Vec<TokenDigest> = self.open_tokens().into_iter().collect();
        let mut ended = BTreeSet::new();
        for some in open.chunks(TOKENS_PER_CHECK) {
            ended.extend(self.accounts.ended_tokens(some).await?);
        }
        for (user, token) in self.shared.online.users_of(&ended) {
            self.end_sessions_here(&user, &EndedSessions::Of(vec![token.id()]));
        }
        Ok(())
    }
}
