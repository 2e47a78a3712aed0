//! The open games as this node knows them, and the clients that watch the seeks among them.
//!
//! What the store answers arrives here in any order: requests run side by side, and other nodes
//! decide, too. Versions put the states of one offer in order. Ids are never used twice, so that an
//! offer that has been closed cannot come back. Nothing here looks at all offers.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque},
    sync::Arc,
};

use adamant_protocol::{
    ChallengeId, GameId, SeekId, UserName,
    to_client::{Challenged, Direction, InviteEntry, LobbyChange, OpenChallenge, SeekEntry},
};

use super::terms;
use crate::{
    cluster::NodeId,
    limits::{RECENTLY_CLOSED_MAX, SEEKS_PAGE_MAX},
    outbound::{SendOutcome, SessionId, client::ClientHandle, frame::Frame},
    store::{NodeSession, Offer, OfferId, OpenGame},
};

/// The place of a seek in the list: its number, and the node that has numbered it.
type SeekPlace = (u64, Option<NodeId>);

/// Returns the id of a seek. No two nodes give the same one.
fn id_of((number, node): SeekPlace) -> SeekId {
    let id = match node {
        None => format!("k_{number}"),
        Some(node) => format!("k_{node}_{number}"),
    };
    id.parse().expect("a short word")
}

fn place_of(id: &SeekId) -> Option<SeekPlace> {
    let name = id.as_str().strip_prefix("k_")?;
    match name.rsplit_once('_') {
        None => Some((name.parse().ok()?, None)),
        Some((node, number)) => Some((number.parse().ok()?, Some(node.parse().ok()?))),
    }
}

/// What an offer has done to what is known.
#[derive(Debug, PartialEq)]
pub(super) enum PutOutcome {
    Opened,
    /// Returns the older state that was known.
    Changed(Box<OpenGame>),
    /// The same or a newer state is known, or the offer has been closed.
    Known,
}

#[derive(Debug)]
struct Entry {
    open: OpenGame,
    /// The number of the change that has brought this state.
    changed_by: u64,
}

#[derive(Debug, Default)]
pub(super) struct OpenGames {
    offers: HashMap<OfferId, Entry>,
    /// By everybody whom an offer concerns, by folded name, the oldest first.
    by_user: HashMap<UserName, BTreeSet<(u64, OfferId)>>,
    by_expiry: BTreeSet<(u64, OfferId)>,
    by_rematch: HashMap<GameId, ChallengeId>,
    /// The seeks, the oldest first.
    by_place: BTreeMap<SeekPlace, SeekId>,
    /// The seeks that have changed since the changes were last taken.
    changed_seeks: BTreeSet<(SeekPlace, SeekId)>,
    /// The last number of a seek that this node has given.
    last_number: u64,
    closed: HashSet<OfferId>,
    /// The ids in `closed`, the oldest first.
    closed_order: VecDeque<OfferId>,
    changes: u64,
}

impl OpenGames {
    pub(super) fn new(stored: Vec<OpenGame>) -> Self {
        let mut known = Self::default();
        for open in stored {
            if let Offer::Seek(seek) = &open.offer
                && let Some((number, None)) = place_of(&seek.seek)
            {
                known.last_number = known.last_number.max(number);
            }
            known.put(open);
        }
        known.changed_seeks.clear();
        known
    }

    /// Returns an id for a new seek of this node. The numbers of several nodes are times, so that
    /// their seeks are in order.
    pub(super) fn new_seek_id(&mut self, node: Option<NodeId>, now_ms: u64) -> SeekId {
        let at_least = node.map_or(0, |_| now_ms);
        self.last_number = (self.last_number + 1).max(at_least);
        id_of((self.last_number, node))
    }

    /// Takes back the id of a seek that was not opened, unless there is a later one.
    pub(super) fn give_back(&mut self, id: &SeekId) {
        if place_of(id).is_some_and(|(number, _)| number == self.last_number) {
            self.last_number -= 1;
        }
    }

    /// Takes in the state of an open offer.
    pub(super) fn put(&mut self, open: OpenGame) -> PutOutcome {
        let id = open.id();
        if let Offer::Seek(seek) = &open.offer {
            let (place, config) = (place_of(&seek.seek), terms::config(&open));
            if place.is_none() || config.is_err() {
                // operator: this server does not have the game or the options; the server skips the
                // seek
                tracing::error!(%id, error = ?config.err(), "a stored seek is wrong");
                return PutOutcome::Known;
            }
        }
        let is_known = |known: &Entry| known.open.version >= open.version;
        if self.closed.contains(&id) || self.offers.get(&id).is_some_and(is_known) {
            return PutOutcome::Known;
        }
        let older = self.take(&id);
        self.changes += 1;
        self.index(&id, &open);
        self.offers.insert(id, Entry { open, changed_by: self.changes });
        older.map_or(PutOutcome::Opened, |older| PutOutcome::Changed(Box::new(older)))
    }

    /// Takes out an offer that is open no longer. Returns its last known state.
    pub(super) fn close(&mut self, id: &OfferId) -> Option<OpenGame> {
        if self.closed.insert(id.clone()) {
            self.closed_order.push_back(id.clone());
            if self.closed_order.len() > RECENTLY_CLOSED_MAX
                && let Some(oldest) = self.closed_order.pop_front()
            {
                self.closed.remove(&oldest);
            }
        }
        self.take(id)
    }

    fn index(&mut self, id: &OfferId, open: &OpenGame) {
        for user in open.users() {
            let of_user = self.by_user.entry(user.folded()).or_default();
            of_user.insert((open.created(), id.clone()));
        }
        self.by_expiry.extend(open.expires().map(|expires| (expires, id.clone())));
        match &open.offer {
            Offer::Seek(seek) => {
                if let Some(place) = place_of(&seek.seek) {
                    self.by_place.insert(place, seek.seek.clone());
                    self.changed_seeks.insert((place, seek.seek.clone()));
                }
            }
            Offer::Challenge(Challenged { challenge, rematch_of: Some(game), .. }) => {
                self.by_rematch.insert(game.clone(), challenge.clone());
            }
            _ => {}
        }
    }

    /// Takes out an offer with all that finds it.
    fn take(&mut self, id: &OfferId) -> Option<OpenGame> {
        let Entry { open, .. } = self.offers.remove(id)?;
        for user in open.users().iter().map(UserName::folded) {
            if let Some(of_user) = self.by_user.get_mut(&user) {
                of_user.remove(&(open.created(), id.clone()));
                if of_user.is_empty() {
                    self.by_user.remove(&user);
                }
            }
        }
        if let Some(expires) = open.expires() {
            self.by_expiry.remove(&(expires, id.clone()));
        }
        if let Some(game) = open.rematch_of() {
            self.by_rematch.remove(game);
        }
        if let OfferId::Seek(id) = id
            && let Some(place) = place_of(id)
        {
            self.by_place.remove(&place);
            self.changed_seeks.insert((place, id.clone()));
        }
        Some(open)
    }

    /// Returns a number for the present moment, for [`missing`](Self::missing).
    pub(super) const fn moment(&self) -> u64 {
        self.changes
    }

    /// Returns the offers that were known at a moment and that the store has no longer, in the
    /// order of their ids. `stored` are the offers that it has had since.
    pub(super) fn missing(&self, moment: u64, stored: &[OpenGame]) -> BTreeSet<OfferId> {
        let stored: HashSet<OfferId> = stored.iter().map(OpenGame::id).collect();
        let known = self.offers.iter().filter(|(_, entry)| entry.changed_by <= moment);
        known.map(|(id, _)| id).filter(|id| !stored.contains(id)).cloned().collect()
    }

    pub(super) fn get(&self, id: &OfferId) -> Option<&OpenGame> {
        self.offers.get(id).map(|entry| &entry.open)
    }

    /// The offers that concern a user, the newest first.
    pub(super) fn of_user(&self, user: &UserName) -> impl Iterator<Item = &OpenGame> {
        let places = self.by_user.get(&user.folded()).into_iter().flatten().rev();
        places.filter_map(|(_, id)| self.get(id))
    }

    fn challenges_of(&self, user: &UserName) -> impl Iterator<Item = (&OpenGame, &Challenged)> {
        self.of_user(user).filter_map(|open| match &open.offer {
            Offer::Challenge(challenged) => Some((open, challenged)),
            _ => None,
        })
    }

    /// Returns a page of a user's open challenges, the newest first, from a place in the list on.
    /// Also returns the number of all of them.
    pub(super) fn challenge_page(
        &self,
        user: &UserName,
        before: Option<&OfferId>,
        limit: usize,
    ) -> (Vec<OpenChallenge>, usize) {
        let before = before.and_then(|id| Some((self.get(id)?.created(), id)));
        let is_after =
            |open: &OpenGame| before.is_none_or(|before| (open.created(), &open.id()) < before);
        let listed = self.challenges_of(user).filter(|(open, _)| is_after(open)).take(limit);
        let listed = listed.map(|(_, challenged)| {
            let mine = challenged.by.is_same(user.as_str());
            let direction = if mine { Direction::Out } else { Direction::In };
            OpenChallenge { direction, challenged: challenged.clone() }
        });
        (listed.collect(), self.challenges_of(user).count())
    }

    /// The newest open challenges that a user has yet to answer, the oldest of them first.
    pub(super) fn awaiting(&self, user: &UserName, limit: usize) -> Vec<ChallengeId> {
        let awaiting = self.challenges_of(user).filter(|(open, _)| !open.has(user)).take(limit);
        let mut newest: Vec<_> = awaiting.map(|(_, known)| known.challenge.clone()).collect();
        newest.reverse();
        newest
    }

    /// A user's open invites, made or joined, the newest first.
    pub(super) fn invites_of(&self, user: &UserName) -> Vec<InviteEntry> {
        let invites = self.of_user(user).filter_map(|open| match &open.offer {
            Offer::Invite(invite) => Some(invite.clone()),
            _ => None,
        });
        invites.collect()
    }

    /// The open challenge to play a game once more.
    pub(super) fn rematch_of(&self, game: &GameId) -> Option<ChallengeId> {
        self.by_rematch.get(game).cloned()
    }

    pub(super) fn expired(&self, now_ms: u64) -> Vec<OpenGame> {
        let expired = self.by_expiry.iter().take_while(|(expires, _)| *expires <= now_ms);
        expired.filter_map(|(_, id)| self.get(id)).cloned().collect()
    }

    /// The next time at which an offer expires, in epoch milliseconds.
    pub(super) fn next_expiry(&self) -> Option<u64> {
        self.by_expiry.first().map(|(expires, _)| *expires)
    }

    /// Whether a session has made or joined a seek.
    pub(super) fn has_session(&self, user: &UserName, session: NodeSession) -> bool {
        let is_here = |open: &OpenGame| open.joined.iter().any(|o| o.session == Some(session));
        self.of_user(user).any(is_here)
    }

    /// The newest seeks before a place in the list, as many as one page has, the oldest first; and
    /// whether there are older ones.
    pub(super) fn seek_page(&self, before: Option<&SeekId>) -> (Vec<SeekEntry>, bool) {
        let end = before.and_then(place_of).unwrap_or((u64::MAX, None));
        let mut seeks = self.by_place.range(..end).rev();
        let some = seeks.by_ref().take(SEEKS_PAGE_MAX);
        let mut page: Vec<SeekEntry> = some.filter_map(|(_, id)| self.seek(id)).cloned().collect();
        page.reverse();
        (page, seeks.next().is_some())
    }

    fn seek(&self, id: &SeekId) -> Option<&SeekEntry> {
        match &self.get(&OfferId::Seek(id.clone()))?.offer {
            Offer::Seek(seek) => Some(seek),
            _ => None,
        }
    }

    /// How the seeks have changed since this was last asked, in messages of bounded size, closed
    /// seeks first.
    pub(super) fn take_changes(&mut self) -> Vec<LobbyChange> {
        let (mut added, mut removed) = (Vec::new(), Vec::new());
        for (_, id) in std::mem::take(&mut self.changed_seeks) {
            match self.seek(&id) {
                Some(open) => added.push(open.clone()),
                None => removed.push(id),
            }
        }
        let change = |add: &[SeekEntry], remove: &[SeekId]| LobbyChange {
            re: None,
            add: add.to_vec(),
            remove: remove.to_vec(),
            more: false,
        };
        let removed = removed.chunks(SEEKS_PAGE_MAX).map(|some| change(&[], some));
        removed.chain(added.chunks(SEEKS_PAGE_MAX).map(|some| change(some, &[]))).collect()
    }
}

/// The sessions that watch the seeks. Each subscription has its own number: a client that requests
/// the list again receives no change from before that list.
#[derive(Debug, Default)]
pub(super) struct Subscribers {
    by_session: BTreeMap<SessionId, (u64, Arc<ClientHandle>)>,
    last_number: u64,
}

impl Subscribers {
    pub(super) fn enter(&mut self, client: &Arc<ClientHandle>) {
        self.last_number += 1;
        self.by_session.insert(client.session, (self.last_number, Arc::clone(client)));
    }

    pub(super) fn subscriptions(&self) -> Vec<(SessionId, u64)> {
        self.by_session.iter().map(|(session, (number, _))| (*session, *number)).collect()
    }

    pub(super) fn leave(&mut self, session: SessionId) {
        self.by_session.remove(&session);
    }

    /// Tells those of these subscriptions that are still there.
    pub(super) fn send(&mut self, some: &[(SessionId, u64)], frames: &[Frame]) {
        let is_queued = |client: &ClientHandle, frame| {
            client.outbox.send_or_evict(frame) == SendOutcome::Queued
        };
        for (session, number) in some {
            // A subscriber that cannot keep up is closed: a list with gaps would be wrong.
            if let Some((subscribed, client)) = self.by_session.get(session)
                && subscribed == number
                && !frames.iter().all(|frame| is_queued(client, frame))
            {
                self.by_session.remove(session);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Seeker;
    use adamant_protocol::from_client::SeatWish;
    use serde_json::json;

    fn invite(id: &str, version: u64) -> OpenGame {
        let entry: InviteEntry = serde_json::from_value(json!({
            "invite": id, "by": "ann", "rules": "adamas@1", "options": {}, "players": 2,
            "seat": "random", "clock": {"mode": "none"}, "rated": false, "joined": ["ann"],
            "created": 1, "expires": 9
        }))
        .unwrap();
        let (user, seat) = ("ann".parse().unwrap(), SeatWish::Random);
        let ann = Seeker { user, bot: false, guest: false, rating: 0, seat, session: None };
        OpenGame { version, ..OpenGame::new(Offer::Invite(entry), ann, None) }
    }

    fn id(name: &str) -> OfferId {
        OfferId::Invite(name.parse().unwrap())
    }

    #[test]
    fn ids_of_nodes_differ_and_are_in_the_order_of_time() {
        let [a, b] = ["node-a", "0123456789abcdef"].map(|node| node.parse::<NodeId>().unwrap());
        let (mut of_a, mut of_b) = (OpenGames::default(), OpenGames::default());
        let now_ms = 1_790_000_000_000;
        let ids = [
            of_a.new_seek_id(Some(a), now_ms),
            of_a.new_seek_id(Some(a), now_ms),
            of_b.new_seek_id(Some(b), now_ms + 5),
        ];
        assert_eq!(ids[0].as_str(), "k_node-a_1790000000000");
        assert_eq!(ids[2].as_str(), "k_0123456789abcdef_1790000000005");
        let places = ids.each_ref().map(|id| place_of(id).unwrap());
        assert!(places.is_sorted() && places[0] != places[1], "{places:?}");
        assert_eq!(places.map(id_of), ids);
    }

    #[test]
    fn a_server_that_is_alone_counts_its_seeks() {
        let mut seeks = OpenGames::default();
        assert_eq!(seeks.new_seek_id(None, 5).as_str(), "k_1");
        let second = seeks.new_seek_id(None, 5);
        assert_eq!((second.as_str(), place_of(&second)), ("k_2", Some((2, None))));
        // A seek that is not opened leaves no gap.
        seeks.give_back(&second);
        assert_eq!(seeks.new_seek_id(None, 5), second);
    }

    #[test]
    fn the_newest_state_stays_in_whatever_order_states_arrive() {
        let mut known = OpenGames::default();
        assert_eq!(known.put(invite("a", 1)), PutOutcome::Opened);
        assert_eq!(known.put(invite("a", 3)), PutOutcome::Changed(Box::new(invite("a", 1))));
        for version in [2, 3] {
            assert_eq!(known.put(invite("a", version)), PutOutcome::Known);
        }
        assert_eq!(known.get(&id("a")), Some(&invite("a", 3)));
        assert_eq!(known.invites_of(&"ANN".parse().unwrap()).len(), 1);
    }

    #[test]
    fn an_offer_that_is_closed_does_not_come_back_and_leaves_nothing_behind() {
        let mut known = OpenGames::default();
        assert_eq!(known.close(&id("a")), None, "another request was faster");
        assert_eq!(known.put(invite("a", 0)), PutOutcome::Known);
        known.put(invite("b", 0));
        assert_eq!(known.close(&id("b")), Some(invite("b", 0)));
        assert_eq!(known.put(invite("b", 1)), PutOutcome::Known);
        assert!(known.offers.is_empty() && known.by_user.is_empty() && known.by_expiry.is_empty());
        for number in 0..2 * RECENTLY_CLOSED_MAX {
            known.close(&id(&format!("i{number}")));
        }
        let remembered = (known.closed.len(), known.closed_order.len());
        assert_eq!(remembered, (RECENTLY_CLOSED_MAX, RECENTLY_CLOSED_MAX));
    }

    #[test]
    fn offers_that_the_store_has_no_longer_are_missing_but_not_those_that_are_new() {
        let mut known = OpenGames::default();
        for name in ["a", "b", "c"] {
            known.put(invite(name, 0));
        }
        let moment = known.moment();
        known.put(invite("d", 0));
        known.put(invite("c", 1));
        assert_eq!(known.missing(moment, &[invite("a", 0)]), BTreeSet::from([id("b")]));
    }
}
