//! How a bot answers challenges.

use adamant_protocol::{from_client::Accept, to_client::Challenged};
use tokio::time::Instant;

use super::bot_session::{BotSession, PendingAccept};
use crate::{error::Denial, limits::STORE_RETRY, lobby::Refusal};

impl BotSession<'_> {
    pub(super) async fn on_challenge(&mut self, challenged: Challenged) -> bool {
        let known = |other: &Challenged| other.challenge == challenged.challenge;
        let is_answered = self.has_accepted(&challenged)
            || self.challenges.iter().any(known)
            || self.accepting.as_ref().is_some_and(|accepting| known(&accepting.challenged));
        if is_answered {
            return true;
        }
        self.challenges.push_back(challenged);
        self.answer_challenges().await
    }

    /// Answers the challenges up to one that is accepted, whose answer is waited for.
    pub(super) async fn answer_challenges(&mut self) -> bool {
        while self.accepting.is_none()
            && self.answers_again_at.is_none()
            && let Some(challenged) = self.challenges.pop_front()
        {
            let from = self.services.lobby.network_of_challenge(&challenged.challenge);
            let in_use = self.games_in_use();
            let load = (&self.services.store, &in_use);
            match self.admission.refusal(self.player, &challenged, from, load).await {
                Ok(None) => {}
                Ok(Some(refusal)) => {
                    self.decline(challenged, refusal).await;
                    continue;
                }
                Err(error) => {
                    // operator: the store failed; the bot answers the challenge later
                    tracing::warn!(%error, "server bot cannot count its games");
                    self.answer_later(challenged);
                    continue;
                }
            }
            self.admission.accept(&challenged, from);
            let id = self.next_id();
            let challenge = Some(challenged.challenge.clone());
            self.accepting = Some(PendingAccept { request: id.clone(), challenged });
            return self.send(Accept { id, seek: None, challenge, invite: None }.into()).await;
        }
        true
    }

    /// Declines out loud. What cannot be stored now is said later.
    pub(super) async fn decline(&mut self, challenged: Challenged, refusal: Refusal) {
        let (lobby, id) = (&self.services.lobby, challenged.challenge.clone());
        let said = lobby.decline_for(&self.player.name, id, refusal).await;
        // Refused otherwise, it is closed already.
        if let Err(Denial::ReadOnly | Denial::Store(_)) = said {
            self.answer_later(challenged);
        }
    }

    fn answer_later(&mut self, challenged: Challenged) {
        self.challenges.push_front(challenged);
        self.answers_again_at = Some(Instant::now() + STORE_RETRY);
    }

    pub(super) fn has_accepted(&self, challenged: &Challenged) -> bool {
        challenged.accepted.iter().any(|user| user.is_same(self.player.name.as_str()))
    }
}
