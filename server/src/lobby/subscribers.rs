//! Clients that watch the open seeks. Each subscription has its own number: a client that requests
//! the list again receives no change from before that list.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use adamant_protocol::{ToClient, to_client::LobbyChange};

use super::open_games::SeekChanges;
use crate::{
    limits::SEEKS_PAGE_MAX,
    outbound::{SendOutcome, SessionId, client::ClientHandle, frame::Frame},
};

/// Every subscriber.
#[derive(Debug, Default)]
pub(super) struct Subscribers {
    subscriptions: BTreeMap<u64, Arc<ClientHandle>>,
    by_session: HashMap<SessionId, u64>,
    last_number: u64,
}

impl Subscribers {
    /// Subscribes a session to changes.
    pub(super) fn enter(&mut self, client: &Arc<ClientHandle>) {
        self.last_number += 1;
        self.subscriptions.insert(self.last_number, Arc::clone(client));
        self.by_session.insert(client.session, self.last_number);
    }

    /// From now on it is not.
    pub(super) fn leave(&mut self, session: SessionId) {
        if let Some(number) = self.by_session.remove(&session) {
            self.subscriptions.remove(&number);
        }
    }

    /// The subscriptions there are.
    pub(super) fn subscriptions(&self) -> Vec<u64> {
        self.subscriptions.keys().copied().collect()
    }

    /// Tells those of these subscriptions that are still there.
    pub(super) fn send(&mut self, some: &[u64], frames: &[Frame]) {
        for number in some {
            let Some(client) = self.subscriptions.get(number) else { continue };
            // A subscriber that cannot keep up is closed: a list with gaps would be wrong.
            if !frames.iter().all(|frame| client.outbox.send_or_evict(frame) == SendOutcome::Queued)
            {
                let session = client.session;
                self.leave(session);
            }
        }
    }
}

impl SeekChanges {
    /// Returns the frames for the subscribers, of bounded size, closed seeks first.
    pub(super) fn into_messages(self) -> impl Iterator<Item = ToClient> {
        let message = |add, remove| LobbyChange { re: None, add, remove, more: false }.into();
        let removed: Vec<ToClient> = self
            .remove
            .chunks(SEEKS_PAGE_MAX)
            .map(|some| message(Vec::new(), some.to_vec()))
            .collect();
        let added: Vec<ToClient> = self
            .add
            .chunks(SEEKS_PAGE_MAX)
            .map(|some| message(some.to_vec(), Vec::new()))
            .collect();
        removed.into_iter().chain(added)
    }
}
