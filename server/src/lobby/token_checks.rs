//! Checks the tokens of open sessions, which another node may have ended: the announcement of that
//! may be lost.

use std::collections::BTreeSet;

use adamant_protocol::UserName;
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
                // operator: the store failed; sessions whose tokens another node has ended may live
                // on until the next check
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
            self.end_session(&user, token);
        }
        Ok(())
    }

    /// Another node has ended sessions of a user. Those of tokens that are younger than that stay.
    pub(super) async fn end_invalid_sessions(
        &self,
        user: &UserName,
        ended: &EndedSessions,
    ) -> Result<(), StoreError> {
        // A session that is just being opened has checked its token before.
        self.accounts.note_revocation();
        let open = self.shared.online.tokens_of(user, ended);
        for some in open.chunks(TOKENS_PER_CHECK) {
            for token in self.accounts.ended_tokens(some).await? {
                self.end_session(user, token);
            }
        }
        Ok(())
    }

    /// Ends the sessions of one token on this node.
    fn end_session(&self, user: &UserName, token: TokenDigest) {
        self.accounts.note_revocation();
        self.shared.online.end(user, &EndedSessions::Of(vec![token.id()]));
    }
}
