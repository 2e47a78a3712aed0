//! Carries out requests. Each act stands in the audit with its Unix user, and in the log.

use adamant_protocol::{
    ToClient,
    to_client::{Notice, NoticeKind},
};
use serde::Serialize;
use tokio::{sync::oneshot, time::timeout};

use super::{
    bans, effects,
    error::{AdminError, Reply},
    games, keys,
    operator::{Answered, AuditedAct, Operator, answer_of},
    reports, sign_ups, users,
};
use crate::{
    admin_words::{AdminRequest, AuditWord, MaintenanceWord, NoticeWord, OperatorText},
    limits::RELOAD_ANSWER_MAX,
    policy::{Maintenance, Policy},
    runtime::time::milliseconds,
    store::Act,
};

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
        AdminRequest::Reports(word) => reports::carry_out(operator, word, act).await,
        AdminRequest::Games(word) => games::carry_out(operator, word, act).await,
        AdminRequest::SignUp(word) => sign_ups::carry_out(operator, word, act).await,
        AdminRequest::Notice(word) => notify(operator, word, act).await,
        AdminRequest::Maintenance(word) => maintain(operator, word, act).await,
        AdminRequest::Keys(word) => keys::carry_out(operator, word, act).await,
        AdminRequest::Reload { .. } => reload(operator, act).await,
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
struct PlannedRestart {
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
    answer_of(&PlannedRestart { planned: at.is_some(), at, text })
}

/// Has the process read the configuration again.
async fn reload(operator: &Operator, act: Act) -> Answered {
    operator.services.store.note_act(act).await?;
    let (answer, answered) = oneshot::channel();
    let busy = |_| AdminError::refused("another reload is under way");
    operator.reloads.try_send(answer).map_err(busy)?;
    match timeout(RELOAD_ANSWER_MAX, answered).await {
        Ok(Ok(Ok(reloaded))) => answer_of(&reloaded),
        Ok(Ok(Err(why))) => Err(AdminError::refused(format!("nothing has changed: {why}"))),
        Ok(Err(_)) | Err(_) => Err(AdminError::internal("the server does not answer")),
    }
}
