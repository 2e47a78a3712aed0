//! Saying something about a game, and taking it back: answered first, then told.

use adamant_protocol::from_client::{Say, Unsay};

use super::conversation::Conversation;
use crate::{caller::Caller, error::Denial};

impl Conversation {
    pub(super) async fn say(&self, caller: &Caller, request: Say) -> Result<(), Denial> {
        let (done, told) = self.services.talk.say(caller, request).await?;
        self.reply(done).await;
        if let Some(told) = told {
            self.services.talk.tell(told).await;
        }
        Ok(())
    }

    pub(super) async fn unsay(&self, caller: &Caller, request: Unsay) -> Result<(), Denial> {
        let (done, told) = self.services.talk.unsay(caller, request).await?;
        self.reply(done).await;
        if let Some(told) = told {
            self.services.talk.tell(told).await;
        }
        Ok(())
    }
}
