//! An operator at work, and the answers that acts make.

use std::sync::Arc;

use adamant_protocol::UserName;
use serde::Serialize;
use tokio::sync::mpsc;

use super::{error::AdminError, reloaded::ReloadAnswer};
use crate::{
    admin_words::{ActSubject, AdminRequest, Answer},
    session::Services,
    store::{Act, StoredAct, User},
};

#[derive(Debug)]
pub(super) struct Operator {
    pub(super) services: Arc<Services>,
    pub(super) reloads: mpsc::Sender<ReloadAnswer>,
    pub(super) who: String,
}

impl Operator {
    pub(super) fn now_ms(&self) -> u64 {
        self.services.time.now_ms()
    }

    /// Returns an act for the audit.
    pub(super) fn act(&self, request: &AdminRequest) -> Act {
        let ActSubject { subject, reason } = request.subject();
        Act {
            at: self.now_ms(),
            who: self.who.clone(),
            node: self.services.lobby.cluster().node().map(|node| node.to_string()),
            subject,
            reason,
            request: serde_json::to_string(request).expect("requests are plain data"),
        }
    }

    pub(super) async fn user(&self, name: &UserName) -> Result<User, AdminError> {
        let found = self.services.accounts.find(name.clone()).await?;
        found.ok_or_else(|| AdminError::not_found(&format!("user {name}")))
    }

    /// Returns the user of a name who is not one of the server's own bots.
    pub(super) async fn governed(&self, name: &UserName) -> Result<User, AdminError> {
        let user = self.user(name).await?;
        if user.house {
            let message = format!("{name} is the server's own bot: see games.house");
            return Err(AdminError::refused(message));
        }
        Ok(user)
    }
}

pub(super) type Answered = Result<Answer, AdminError>;

pub(super) fn answer_of(value: &impl Serialize) -> Answered {
    Ok(serde_json::from_str(&serde_json::to_string(value)?)?)
}

/// An answer that says that it is done.
#[derive(Debug, Serialize)]
pub(super) struct Done {
    pub(super) done: &'static str,
}

pub(super) fn done(what: &'static str) -> Answered {
    answer_of(&Done { done: what })
}

/// An act as operators see it.
#[derive(Debug, Serialize)]
pub(super) struct AuditedAct {
    id: u64,
    at: u64,
    who: String,
    node: Option<String>,
    about: Option<String>,
    reason: Option<String>,
    request: String,
}

impl From<StoredAct> for AuditedAct {
    fn from(StoredAct { id, act }: StoredAct) -> Self {
        let Act { at, who, node, subject, reason, request } = act;
        Self { id, at, who, node, about: subject, reason, request }
    }
}
