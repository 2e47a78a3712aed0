//! Open seeks. A seek lives as long as the session that made it. A lasting one lives until it
//! expires: the store keeps it.

use std::collections::{BTreeMap, BTreeSet};

use adamant_protocol::{
    SeekId, UserName,
    from_client::{SeatWish, Seek},
    to_client::SeekEntry,
};

use super::{
    game_config::GameConfig,
    open_seek::{Candidate, FullSeek, Joined, OpenSeek, admits, id_of, not_found, number_of},
};
use crate::{
    address::ClientAddress,
    error::Denial,
    limits::{
        GUEST_CHALLENGE_LIFE, LASTING_SEEK_LIFE, SEEKS_PAGE_MAX, SEEKS_PER_NETWORK_MAX,
        SEEKS_PER_USER_MAX,
    },
    outbound::SessionId,
    ratings::Pool,
    runtime::time::milliseconds,
    store::StoredSeek,
};

/// Every open seek, the oldest first.
#[derive(Debug, Default)]
pub(super) struct OpenSeeks {
    open: BTreeMap<u64, OpenSeek>,
    /// The lasting ones by the time at which they expire.
    by_expiry: BTreeSet<(u64, u64)>,
    last_number: u64,
    /// Those that have changed since the changes were last taken.
    changed: BTreeSet<u64>,
    /// Whether networks have bounds of their own.
    bounds_networks: bool,
}

/// What came of seeking, or of joining a seek.
#[derive(Debug)]
pub(super) enum JoinOutcome {
    /// The new seek is a lasting one. It is open once it is stored.
    New(NewSeek),
    /// Others are still missing.
    Waiting(SeekId),
    /// All are there. The seek is taken out, so that only one game can come of it.
    Full(FullSeek),
}

/// A lasting seek that is not open yet: nobody can join it before it is stored.
#[derive(Debug)]
pub(super) struct NewSeek {
    number: u64,
    open: OpenSeek,
}

impl NewSeek {
    pub(super) fn id(&self) -> SeekId {
        id_of(self.number)
    }

    pub(super) fn stored(&self) -> Option<StoredSeek> {
        self.open.stored(self.number)
    }
}

/// How the open seeks have changed.
#[derive(Debug, Default)]
pub(super) struct SeekChanges {
    pub(super) add: Vec<SeekEntry>,
    pub(super) remove: Vec<SeekId>,
}

impl OpenSeeks {
    /// The lasting seeks that were stored. With `bounds_networks` those from one network are
    /// bounded besides those of one user.
    pub(super) fn new(stored: Vec<StoredSeek>, bounds_networks: bool) -> Self {
        let mut seeks = Self { bounds_networks, ..Self::default() };
        for stored in stored {
            let id = stored.entry.seek.clone();
            match (number_of(&id), OpenSeek::read(stored)) {
                (Some(number), Ok(open)) => {
                    seeks.last_number = seeks.last_number.max(number);
                    seeks.insert(number, open);
                }
                (_, read) => tracing::error!(%id, error = ?read.err(), "a stored seek is wrong"),
            }
        }
        seeks.changed.clear();
        seeks
    }

    fn insert(&mut self, number: u64, open: OpenSeek) {
        self.by_expiry.extend(open.expires.map(|expires| (expires, number)));
        self.open.insert(number, open);
        self.changed.insert(number);
    }

    fn remove(&mut self, number: u64) -> Option<OpenSeek> {
        let open = self.open.remove(&number)?;
        if let Some(expires) = open.expires {
            self.by_expiry.remove(&(expires, number));
        }
        self.changed.insert(number);
        Some(open)
    }

    fn find(&self, id: &SeekId) -> Result<(u64, &OpenSeek), Denial> {
        let number = number_of(id).ok_or_else(|| not_found(id))?;
        Ok((number, self.open.get(&number).ok_or_else(|| not_found(id))?))
    }

    /// Opens a seek, or joins the oldest one that seeks the same.
    pub(super) fn open(
        &mut self,
        candidate: &Candidate<'_>,
        config: GameConfig,
        seek: &Seek,
        now_ms: u64,
    ) -> Result<JoinOutcome, Denial> {
        let same = self.open.iter().find(|(_, open)| open.suits(candidate, &config, seek));
        if let Some((&number, _)) = same {
            return Ok(self.add(number, candidate, seek.seat));
        }
        self.check_room_for(candidate)?;
        self.last_number += 1;
        let guest = candidate.client.guest;
        let life = if guest { GUEST_CHALLENGE_LIFE } else { LASTING_SEEK_LIFE };
        let open = OpenSeek {
            config,
            players: usize::from(seek.players),
            allow: seek.allow,
            rating: seek.rating,
            expires: seek.lasting.then(|| now_ms.saturating_add(milliseconds(life))),
            joined: vec![candidate.joined(seek.seat, seek.lasting)],
        };
        let number = self.last_number;
        if seek.lasting {
            return Ok(JoinOutcome::New(NewSeek { number, open }));
        }
        self.insert(number, open);
        Ok(JoinOutcome::Waiting(id_of(number)))
    }

    /// Opens a lasting seek that is stored.
    pub(super) fn open_stored(&mut self, new: NewSeek) {
        self.insert(new.number, new.open);
    }

    /// Refuses a user, or a network, with as many open seeks as it may have.
    fn check_room_for(&self, candidate: &Candidate<'_>) -> Result<(), Denial> {
        let network = candidate.client.from.filter(|_| self.bounds_networks);
        let network = network.map(ClientAddress::network);
        let (mut of_user, mut of_network) = (0, 0);
        for seeker in self.open.values().map(OpenSeek::seeker) {
            of_user += usize::from(seeker.is(candidate.user));
            of_network += usize::from(network.is_some() && seeker.from == network);
        }
        if of_user >= SEEKS_PER_USER_MAX {
            let what = "open seeks a user: take one back first";
            return Err(Denial::LimitReached { limit: "seeks", what, max: SEEKS_PER_USER_MAX });
        }
        if of_network >= SEEKS_PER_NETWORK_MAX {
            let (limit, max) = ("seeks_per_network", SEEKS_PER_NETWORK_MAX);
            let what = "open seeks from one network: take one of those that are open";
            return Err(Denial::LimitReached { limit, what, max });
        }
        Ok(())
    }

    /// Whether a seek is the user's own, and not only joined. Others may not close it.
    pub(super) fn is_own(&self, user: &UserName, id: &SeekId) -> Result<bool, Denial> {
        let (_, open) = self.find(id)?;
        if !open.has(user) {
            return Err(Denial::Forbidden("this seek is not yours".to_owned()));
        }
        Ok(open.seeker().is(user))
    }

    /// Closes one's own seek, or leaves one that was joined: then it stays open.
    pub(super) fn close(&mut self, user: &UserName, id: &SeekId) -> Result<(), Denial> {
        let own = self.is_own(user, id)?;
        let (number, _) = self.find(id)?;
        if own {
            self.remove(number);
        } else if let Some(open) = self.open.get_mut(&number) {
            open.joined.retain(|joined| !joined.is(user));
            self.changed.insert(number);
        }
        Ok(())
    }

    /// Joins a seek.
    pub(super) fn join(
        &mut self,
        candidate: &Candidate<'_>,
        id: &SeekId,
    ) -> Result<JoinOutcome, Denial> {
        let (number, open) = self.find(id)?;
        if open.has(candidate.user) {
            return Err(Denial::Forbidden("you have joined this seek already".to_owned()));
        }
        let Joined { seeker, .. } = candidate.joined(SeatWish::Random, false);
        admits(open.allow, open.rating, &seeker)?;
        Ok(self.add(number, candidate, SeatWish::Random))
    }

    fn add(&mut self, number: u64, candidate: &Candidate<'_>, wish: SeatWish) -> JoinOutcome {
        let open = self.open.get_mut(&number).expect("it has just been found");
        open.joined.push(candidate.joined(wish, open.expires.is_some()));
        self.changed.insert(number);
        if open.joined.len() < open.players {
            return JoinOutcome::Waiting(id_of(number));
        }
        let open = self.remove(number).expect("it has just been found");
        JoinOutcome::Full(FullSeek { number, open })
    }

    /// Puts a seek back of which no game could be made, with those of its players who stay. Without
    /// the seeker it remains closed.
    pub(super) fn restore(&mut self, full: FullSeek, stays: impl Fn(&Joined) -> bool) {
        let FullSeek { number, mut open } = full;
        if stays(open.seeker()) {
            open.joined.retain(|joined| stays(joined));
            self.insert(number, open);
        }
    }

    /// The pool of the game that is sought, and those who have joined.
    pub(super) fn terms(&self, id: &SeekId) -> Result<(Pool, Vec<UserName>), Denial> {
        let (_, open) = self.find(id)?;
        Ok((Pool::of(open.config.kind, open.players), open.users().cloned().collect()))
    }

    /// A lasting seek as it is stored; `None` for others.
    pub(super) fn stored(&self, id: &SeekId) -> Option<StoredSeek> {
        let (number, open) = self.find(id).ok()?;
        open.stored(number)
    }

    /// The lasting seeks that a user has made or joined.
    pub(super) fn lasting_of(&self, user: &UserName) -> Vec<SeekId> {
        let lasting = self.by_expiry.iter().map(|(_, number)| number);
        let of_user = lasting.filter(|number| self.open.get(number).is_some_and(|o| o.has(user)));
        of_user.map(|number| id_of(*number)).collect()
    }

    /// The lasting seeks whose time is up.
    pub(super) fn expired(&self, now_ms: u64) -> Vec<(SeekId, UserName)> {
        let over = self.by_expiry.iter().take_while(|(expires, _)| *expires <= now_ms);
        let open = over.filter_map(|(_, number)| Some((*number, self.open.get(number)?)));
        open.map(|(number, open)| (id_of(number), open.seeker().seeker.user.clone())).collect()
    }

    /// The next time at which a lasting seek expires, in epoch milliseconds.
    pub(super) fn next_expiry(&self) -> Option<u64> {
        self.by_expiry.first().map(|(expires, _)| *expires)
    }

    /// The newest seeks before a place in the list, as many as one page has, the oldest first; and
    /// whether there are older ones.
    pub(super) fn page(&self, before: Option<&SeekId>) -> (Vec<SeekEntry>, bool) {
        let end = before.and_then(number_of).unwrap_or(u64::MAX);
        let mut seeks = self.open.range(..end).rev();
        let mut page: Vec<SeekEntry> =
            seeks.by_ref().take(SEEKS_PAGE_MAX).map(|(&number, open)| open.entry(number)).collect();
        page.reverse();
        (page, seeks.next().is_some())
    }

    /// How the seeks have changed since this was last asked.
    pub(super) fn take_changes(&mut self) -> SeekChanges {
        let mut changes = SeekChanges::default();
        for number in std::mem::take(&mut self.changed) {
            match self.open.get(&number) {
                Some(open) => changes.add.push(open.entry(number)),
                None => changes.remove.push(id_of(number)),
            }
        }
        changes
    }

    /// Forgets a session: its own seeks close, and it leaves those that it had joined, but for the
    /// lasting ones. Whether anything has changed by that.
    pub(super) fn remove_session(&mut self, session: SessionId) -> bool {
        let before = self.changed.len();
        let changed = &mut self.changed;
        self.open.retain(|&number, open| {
            let is_here = |joined: &Joined| joined.session == Some(session);
            let own = is_here(open.seeker());
            if open.joined.iter().any(is_here) {
                changed.insert(number);
            }
            open.joined.retain(|joined| !is_here(joined));
            !own
        });
        self.changed.len() > before
    }
}
