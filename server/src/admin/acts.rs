//! Carries out requests. Each act stands in the audit with its Unix user, and in the log.

use std::sync::Arc;

use adamant_protocol::{
    ToClient, UserName,
    to_client::{Notice, NoticeKind},
};
use serde::Serialize;
use tokio::sync::mpsc;

use super::{
    bans, effects,
    error::{AdminError, Reply},
    keys,
    reload::{self, ReloadAnswer},
    sign_ups, users,
};
use crate::{
    admin_words::{
        ActSubject, AdminRequest, Answer, AuditWord, MaintenanceWord, NoticeWord, OperatorText,
    },
    policy::{Maintenance, Policy},
    runtime::time::milliseconds,
    session::Services,
    store::{Act, StoredAct, User},
};

/// An operator at work.
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

    /// Returns the user of a name.
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

/// Makes an answer of a value.
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

/// Carries out a request, and logs it.
pub(super) async fn answer(operator: &Operator, request: AdminRequest) -> Reply {
    let text = serde_json::to_string(&request).expect("requests are plain data");
    match carry_out(operator, request).await {
        Ok(answer) => {
            // operator: an operator's request by `adamant-server admin`, with its Unix user
            tracing::info!(who = operator.who, request = text, "administration");
            Reply::Ok(answer)
        }
        Err(error) => {
            let AdminError { code, message } = &error;
            // operator: an operator's request by `adamant-server admin` that had no effect
            tracing::info!(
                who = operator.who,
                request = text,
                code,
                why = message,
                "administration refused"
            );
            Reply::Error(error)
        }
    }
}

async fn carry_out(operator: &Operator, request: AdminRequest) -> Answered {
    let act = operator.act(&request);
    match request {
        AdminRequest::Users(word) => users::carry_out(operator, word, act).await,
        AdminRequest::Bans(word) => bans::carry_out(operator, word, act).await,
        AdminRequest::SignUp(word) => sign_ups::carry_out(operator, word, act).await,
        AdminRequest::Notice(word) => notify(operator, word, act).await,
        AdminRequest::Maintenance(word) => maintain(operator, word, act).await,
        AdminRequest::Keys(word) => keys::carry_out(operator, word, act).await,
        AdminRequest::Reload { .. } => reload::carry_out(operator, act).await,
        AdminRequest::Audit(AuditWord::List { about, before, limit }) => {
            let before = before.unwrap_or(i64::MAX.unsigned_abs());
            let about = about.map(|about| about.to_ascii_lowercase());
            let acts = operator.services.store.acts(about, before, limit).await?;
            answer_of(&Acts { acts: acts.into_iter().map(AuditedAct::from).collect() })
        }
    }
}

#[derive(Debug, Serialize)]
struct Acts {
    acts: Vec<AuditedAct>,
}

#[derive(Debug, Serialize)]
struct AuditedAct {
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

#[derive(Debug, Serialize)]
struct Noticed {
    done: &'static str,
    /// Whether the user is connected; absent for a notice to all.
    is_connected: Option<bool>,
}

async fn notify(operator: &Operator, word: NoticeWord, act: Act) -> Answered {
    let services = &operator.services;
    let (user, text) = match word {
        NoticeWord::All { text } => (None, text),
        NoticeWord::User { user, text } => (Some(operator.user(&user).await?.name), text),
    };
    services.store.note_act(act).await?;
    effects::notify(services, user.as_ref(), message(&text));
    let is_connected = user.map(|user| services.lobby.is_online(&user));
    answer_of(&Noticed { done: "the notice was sent", is_connected })
}

fn message(text: &OperatorText) -> Notice {
    let text = Some(text.as_str().into());
    Notice { text, ..Notice::new(NoticeKind::Message, 0) }
}

#[derive(Debug, Serialize)]
struct Planned {
    planned: bool,
    at: Option<u64>,
    text: Option<String>,
}

async fn maintain(operator: &Operator, word: MaintenanceWord, act: Act) -> Answered {
    let services = &operator.services;
    match word {
        MaintenanceWord::Show => {}
        MaintenanceWord::Plan { within, text } => {
            let at = act.at.saturating_add(milliseconds(within));
            let planned = Maintenance { at, text: text.into() };
            let value = Some(serde_json::to_string(&planned)?);
            services.store.set_policy(Policy::MAINTENANCE.to_owned(), value, act).await?;
            effects::policy_changed(services).await?;
            if let ToClient::Notice(notice) = planned.notice(operator.now_ms()) {
                effects::notify(services, None, notice);
            }
        }
        MaintenanceWord::Cancel { .. } => {
            if services.policy.maintenance().is_none() {
                return Err(AdminError::refused("nothing is planned"));
            }
            services.store.set_policy(Policy::MAINTENANCE.to_owned(), None, act).await?;
            effects::policy_changed(services).await?;
            effects::notify(services, None, Notice::new(NoticeKind::MaintenanceCancelled, 0));
        }
    }
    let (at, text) = services.policy.maintenance().map(|it| (it.at, it.text)).unzip();
    answer_of(&Planned { planned: at.is_some(), at, text })
}
