//! Open seeks. A seek lives as long as the session that made it.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use adamant_protocol::{
    SeekId, UserName,
    from_client::{Allow, SeatWish, Seek},
    to_client::SeekEntry,
};
use adamant_rules::Player;

use super::{game_config::GameConfig, pairing};
use crate::{
    address::ClientAddress,
    error::Denial,
    limits::{SEEKS_PAGE_MAX, SEEKS_PER_NETWORK_MAX, SEEKS_PER_USER_MAX},
    outbound::{SessionId, client::ClientHandle},
    runtime::entropy::Entropy,
};

/// One seek and the clients that have joined it, the seeker first.
#[derive(Debug)]
pub(super) struct OpenSeek {
    config: GameConfig,
    players: usize,
    allow: Allow,
    joined: Vec<(Arc<ClientHandle>, SeatWish)>,
}

/// Every open seek, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Seeks {
    open: BTreeMap<u64, OpenSeek>,
    last_number: u64,
    /// Those that have changed since the changes were last taken.
    changed: BTreeSet<u64>,
    /// Whether networks have bounds of their own.
    bounds_networks: bool,
}

/// What came of seeking, or of joining a seek.
#[derive(Debug)]
pub(super) enum JoinOutcome {
    /// Others are still missing.
    Waiting(SeekId),
    /// All are there. The seek is taken out, so that only one game can come of it.
    Full(FullSeek),
}

/// A seek that all have joined.
#[derive(Debug)]
pub(super) struct FullSeek {
    number: u64,
    open: OpenSeek,
}

impl FullSeek {
    pub(super) fn seek(&self) -> SeekId {
        id_of(self.number)
    }

    pub(super) fn config(&self) -> &GameConfig {
        &self.open.config
    }

    /// Everybody in their seat.
    /// Those who would play.
    pub(super) fn users(&self) -> Vec<UserName> {
        self.open.joined.iter().filter_map(|(client, _)| client.user.clone()).collect()
    }

    pub(super) fn seated(&self, entropy: &mut Entropy) -> Vec<Arc<ClientHandle>> {
        pairing::seat_by_wish(self.open.joined.clone(), entropy)
    }
}

/// How the open seeks have changed.
#[derive(Debug, Default)]
pub(super) struct SeekChanges {
    pub(super) add: Vec<SeekEntry>,
    pub(super) remove: Vec<SeekId>,
}

fn id_of(number: u64) -> SeekId {
    format!("k_{number}").parse().expect("a short word")
}

fn number_of(id: &SeekId) -> Option<u64> {
    id.as_str().strip_prefix("k_")?.parse().ok()
}

/// A session's user; seeks are only made and joined by those who have one.
fn user(client: &ClientHandle) -> Result<&UserName, Denial> {
    client.user.as_ref().ok_or_else(|| Denial::Forbidden("say who you are to play".to_owned()))
}

fn not_found(id: &SeekId) -> Denial {
    Denial::NotFound(format!("open seek {id}"))
}

fn admits(allow: Allow, client: &ClientHandle) -> Result<(), Denial> {
    if client.bot && !allow.bots {
        return Err(Denial::Forbidden("this seek is not for programs".to_owned()));
    }
    if client.guest && !allow.guests {
        return Err(Denial::Forbidden("this seek is not for guests".to_owned()));
    }
    Ok(())
}

impl OpenSeek {
    fn seeker(&self) -> &Arc<ClientHandle> {
        &self.joined[0].0
    }

    fn clients(&self) -> impl Iterator<Item = &Arc<ClientHandle>> {
        self.joined.iter().map(|(client, _)| client)
    }

    fn has(&self, user: &UserName) -> bool {
        self.clients()
            .filter_map(|client| client.user.as_ref())
            .any(|other| other.is_same(user.as_str()))
    }

    /// Returns whether a client that seeks the same game can join.
    fn suits(
        &self,
        client: &ClientHandle,
        user: &UserName,
        config: &GameConfig,
        seek: &Seek,
    ) -> bool {
        let wishes = self.joined.iter().map(|(_, wish)| *wish).chain([seek.seat]);
        self.config == *config
            && self.players == usize::from(seek.players)
            && !self.has(user)
            && admits(self.allow, client).is_ok()
            && self.clients().all(|other| admits(seek.allow, other).is_ok())
            && pairing::wishes_agree(wishes)
    }

    fn entry(&self, number: u64) -> SeekEntry {
        let seeker = self.seeker();
        SeekEntry {
            seek: id_of(number),
            by: seeker.user.clone().expect("seekers have a name"),
            bot: seeker.bot,
            guest: seeker.guest,
            rules: self.config.rules(),
            options: self.config.wire_options(),
            players: u8::try_from(self.players).expect("few players"),
            seat: self.joined[0].1,
            clock: self.config.wire_clock(),
            rated: self.config.rated,
            delay: self.config.delay,
            allow: self.allow,
            joined: self.clients().filter_map(|client| client.user.clone()).collect(),
        }
    }
}

impl Seeks {
    /// No seeks yet. With `bounds_networks` those from one network are bounded besides those of one
    /// user.
    pub(super) fn new(bounds_networks: bool) -> Self {
        Self { bounds_networks, ..Self::default() }
    }

    /// Opens a seek, or joins the oldest one that seeks the same.
    pub(super) fn open(
        &mut self,
        client: &Arc<ClientHandle>,
        seek: &Seek,
    ) -> Result<JoinOutcome, Denial> {
        let user = user(client)?;
        let players = usize::from(seek.players);
        let config = GameConfig::read(
            &seek.rules,
            &seek.options,
            seek.clock,
            seek.rated,
            seek.delay,
            players,
        )?;
        pairing::check_wish(seek.seat, players)?;
        let same = self.open.iter().find(|(_, open)| open.suits(client, user, &config, seek));
        if let Some((&number, _)) = same {
            return Ok(self.add(number, client, seek.seat));
        }
        self.check_room_for(client, user)?;
        self.last_number += 1;
        let joined = vec![(Arc::clone(client), seek.seat)];
        let open = OpenSeek { config, players, allow: seek.allow, joined };
        self.open.insert(self.last_number, open);
        self.changed.insert(self.last_number);
        Ok(JoinOutcome::Waiting(id_of(self.last_number)))
    }

    /// Refuses a user, or a network, with as many open seeks as it may have.
    fn check_room_for(&self, client: &ClientHandle, user: &UserName) -> Result<(), Denial> {
        let network = client.from.filter(|_| self.bounds_networks).map(ClientAddress::network);
        let (mut of_user, mut of_network) = (0, 0);
        for seeker in self.open.values().map(OpenSeek::seeker) {
            let same = seeker.user.as_ref().is_some_and(|other| other.is_same(user.as_str()));
            of_user += usize::from(same);
            let from = seeker.from.map(ClientAddress::network);
            of_network += usize::from(network.is_some() && from == network);
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

    /// Closes one's own seek, or leaves one that was joined: then it stays open.
    pub(super) fn close(&mut self, client: &ClientHandle, id: &SeekId) -> Result<(), Denial> {
        let user = user(client)?;
        let number = number_of(id).ok_or_else(|| not_found(id))?;
        let open = self.open.get_mut(&number).ok_or_else(|| not_found(id))?;
        if !open.has(user) {
            return Err(Denial::Forbidden("this seek is not yours".to_owned()));
        }
        let is_me = |other: &UserName| other.is_same(user.as_str());
        if open.seeker().user.as_ref().is_some_and(is_me) {
            self.open.remove(&number);
        } else {
            open.joined.retain(|(other, _)| !other.user.as_ref().is_some_and(is_me));
        }
        self.changed.insert(number);
        Ok(())
    }

    /// Joins a seek.
    pub(super) fn join(
        &mut self,
        client: &Arc<ClientHandle>,
        id: &SeekId,
    ) -> Result<JoinOutcome, Denial> {
        let name = user(client)?;
        let number = number_of(id).ok_or_else(|| not_found(id))?;
        let open = self.open.get(&number).ok_or_else(|| not_found(id))?;
        if open.has(name) {
            return Err(Denial::Forbidden("you have joined this seek already".to_owned()));
        }
        admits(open.allow, client)?;
        Ok(self.add(number, client, SeatWish::Random))
    }

    fn add(&mut self, number: u64, client: &Arc<ClientHandle>, wish: SeatWish) -> JoinOutcome {
        let open = self.open.get_mut(&number).expect("it has just been found");
        open.joined.push((Arc::clone(client), wish));
        self.changed.insert(number);
        if open.joined.len() < open.players {
            return JoinOutcome::Waiting(id_of(number));
        }
        let open = self.open.remove(&number).expect("it has just been found");
        JoinOutcome::Full(FullSeek { number, open })
    }

    /// Puts a seek back of which no game could be made, with those of its players who stay. Without
    /// the seeker it remains closed.
    pub(super) fn restore(&mut self, full: FullSeek, stays: impl Fn(&ClientHandle) -> bool) {
        let FullSeek { number, mut open } = full;
        if stays(open.seeker()) {
            open.joined.retain(|(client, _)| stays(client));
            self.open.insert(number, open);
            self.changed.insert(number);
        }
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

    /// Forgets a session: its own seeks close, and it leaves those that it had joined. Whether
    /// anything has changed by that.
    pub(super) fn remove_session(&mut self, session: SessionId) -> bool {
        let before = self.changed.len();
        let changed = &mut self.changed;
        self.open.retain(|&number, open| {
            let own = open.seeker().session == session;
            if own || open.clients().any(|client| client.session == session) {
                changed.insert(number);
            }
            open.joined.retain(|(client, _)| client.session != session);
            !own
        });
        self.changed.len() > before
    }
}

/// A session's user as a player.
pub(super) fn player(client: &ClientHandle) -> Player {
    Player {
        user: client.user.as_ref().map_or("", UserName::as_str).into(),
        bot: client.bot,
        guest: client.guest,
        rating: None,
    }
}
