//! The policy as this node knows it. The store has it; each change is read from there by all nodes.

use std::sync::Arc;

use adamant_protocol::{
    ToClient, UserName,
    to_client::{Notice, NoticeKind},
};
use arc_swap::{ArcSwap, Guard};
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;

use super::bans::Bans;
use crate::{
    address::ClientAddress,
    admin_words::{SignUp, Switch},
    error::Denial,
    runtime::time::TimeSource,
    store::{Store, StoreError, or_default_if},
};

/// A planned restart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Maintenance {
    /// From when on no game begins, in epoch milliseconds.
    pub at: u64,
    pub text: String,
}

impl Maintenance {
    /// Returns what clients are told of it.
    pub(crate) fn notice(&self, now_ms: u64) -> ToClient {
        let in_ms = self.at.saturating_sub(now_ms);
        let text = Some(self.text.clone().into());
        Notice { text, ..Notice::new(NoticeKind::Maintenance, in_ms) }.into()
    }
}

#[derive(Debug, Default)]
struct State {
    bans: Bans,
    sign_up: SignUp,
    guests: Switch,
    maintenance: Option<Maintenance>,
}

/// A sign-up that may take place.
#[derive(Debug, Default)]
#[must_use]
pub(crate) struct Admission {
    /// The invitation of which a use was taken.
    taken: Option<String>,
}

/// The policy. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Policy {
    store: Store,
    time: TimeSource,
    state: Arc<ArcSwap<State>>,
    /// Held while the store is read, so that what was read last is what counts.
    reading: Arc<Mutex<()>>,
}

impl Policy {
    pub(crate) const SIGN_UP: &'static str = "sign_up";
    pub(crate) const GUESTS: &'static str = "guests";
    pub(crate) const MAINTENANCE: &'static str = "maintenance";

    pub(crate) async fn open(store: Store, time: TimeSource) -> Result<Self, StoreError> {
        let (state, reading) = (Arc::default(), Arc::default());
        let is_read_only = store.backend.read_only().is_some();
        let policy = Self { store, time, state, reading };
        or_default_if(is_read_only, policy.read().await)?;
        Ok(policy)
    }

    pub(crate) async fn read(&self) -> Result<(), StoreError> {
        let _reading = self.reading.lock().await;
        let bans = Bans::new(self.store.banned(self.time.now_ms()).await?);
        let mut state = State { bans, ..State::default() };
        for (name, value) in self.store.policy().await? {
            match name.as_str() {
                Self::SIGN_UP => state.sign_up = value_of(&name, &value),
                Self::GUESTS => state.guests = value_of(&name, &value),
                Self::MAINTENANCE => state.maintenance = value_of(&name, &value),
                // A later release has written it.
                _ => {}
            }
        }
        self.state.store(Arc::new(state));
        Ok(())
    }

    fn state(&self) -> Guard<Arc<State>> {
        self.state.load()
    }

    pub(crate) fn check_user(&self, user: &UserName) -> Result<(), Denial> {
        self.state().bans.check_user(user, self.time.now_ms())
    }

    /// Refuses a line of talk of a user who is silenced.
    pub(crate) fn check_talk(&self, user: &UserName) -> Result<(), Denial> {
        self.state().bans.check_talk(user, self.time.now_ms())
    }

    /// Refuses a banned address. A client inside the process has none.
    pub(crate) fn check_address(&self, from: Option<ClientAddress>) -> Result<(), Denial> {
        let Some(from) = from else { return Ok(()) };
        self.state().bans.check_address(from, self.time.now_ms())
    }

    /// Refuses a new guest while none may come.
    pub(crate) fn check_guests(&self) -> Result<(), Denial> {
        match self.guests() {
            Switch::On => Ok(()),
            Switch::Off => Err(Denial::SignUpClosed(
                "this server takes no guests at present: log in, or sign up",
            )),
        }
    }

    /// Refuses a new game once a planned restart has begun.
    pub(crate) fn check_new_games(&self) -> Result<(), Denial> {
        match self.maintenance() {
            Some(planned) if planned.at <= self.time.now_ms() => {
                Err(Denial::Maintenance(planned.text))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Admits a sign-up, for which it takes one use of the invitation if one is needed.
    pub(crate) async fn admit(&self, invitation: Option<&str>) -> Result<Admission, Denial> {
        match (self.sign_up(), invitation) {
            (SignUp::Open, _) => Ok(Admission::default()),
            (SignUp::Closed, _) => {
                Err(Denial::SignUpClosed("this server takes no new accounts at present"))
            }
            (SignUp::Invitation, None) => {
                Err(Denial::SignUpClosed("a new account needs an invitation on this server"))
            }
            (SignUp::Invitation, Some(code)) => {
                let (code, now_ms) = (code.to_owned(), self.time.now_ms());
                if self.store.take_invitation(code.clone(), now_ms).await? {
                    return Ok(Admission { taken: Some(code) });
                }
                Err(Denial::SignUpClosed("this invitation is not valid (any more)"))
            }
        }
    }

    /// Gives back what was taken for a sign-up that has created no account.
    pub(crate) async fn withdraw(&self, admission: Admission) {
        let Some(code) = admission.taken else { return };
        if let Err(error) = self.store.return_invitation(code).await {
            // operator: the store failed; an invitation has one use less, and no account was created
            tracing::warn!(%error, "giving back an invitation failed");
        }
    }

    pub(crate) fn sign_up(&self) -> SignUp {
        self.state().sign_up
    }

    pub(crate) fn guests(&self) -> Switch {
        self.state().guests
    }

    pub(crate) fn maintenance(&self) -> Option<Maintenance> {
        self.state().maintenance.clone()
    }
}

/// Reads a part of the policy. One that is unreadable has its default.
fn value_of<T: serde::de::DeserializeOwned + Default>(name: &str, value: &str) -> T {
    serde_json::from_str(value).unwrap_or_else(|error| {
        // operator: the database is damaged, or a later release has written it; the default holds
        tracing::error!(name, %error, "a part of the policy is unreadable");
        T::default()
    })
}
