//! The live games in memory, derived from the journal when the store is opened: for lists, and for
//! the compare in compare-and-set. Parked games are live, too. There may be a million of them, so
//! that their list entries are read from the database.

use std::{
    collections::{BTreeSet, HashMap, hash_map::Entry},
    ops::Bound,
};

use adamant_protocol::{
    GameId, UserName,
    from_client::GameState,
    ids::RulesName,
    to_client::{GameEntry, SubstitutedUser},
    values::{Named, OptionValue, SeatUser, TimeControl},
};
use adamant_record::wire;
use adamant_rules::Kind;
use dashmap::DashMap;
use hashbrown::DefaultHashBuilder;
use parking_lot::RwLock;
use rusqlite::Connection;
use serde::Serialize;

use crate::store::{Append, GameFilter, ListKey, LiveState, games, sql::SqlResult};

/// A live game that has a room.
#[derive(Debug)]
struct OpenGame {
    listed: ListedGame,
    last_seq: u64,
    archived_seq: u64,
    /// The rows in which the later events have arrived.
    row_ids: Vec<i64>,
    uncommitted: u32,
    ply: u32,
    to_move: Option<u8>,
    last_at: u64,
    /// The [`Terms`] as JSON: they are read for lists alone, and take a third of the memory.
    terms: Box<[u8]>,
}

/// What the players have agreed on, and who they are.
type Terms =
    (RulesName, Named<OptionValue>, Vec<SeatUser>, TimeControl, bool, Option<SubstitutedUser>);

impl OpenGame {
    fn new(entry: &GameEntry, last_seq: u64, archived_seq: u64, row_ids: Vec<i64>) -> Self {
        let GameEntry { rules, options, seats, clock, rated, substituted, .. } = entry;
        Self {
            listed: ListedGame::new(entry),
            last_seq,
            archived_seq,
            row_ids,
            uncommitted: 0,
            ply: entry.ply,
            to_move: entry.to_move,
            last_at: entry.last_at,
            terms: to_json(&(rules, options, seats, clock, rated, substituted)),
        }
    }

    fn terms(&self) -> Terms {
        serde_json::from_slice(&self.terms).expect("they were written by to_json")
    }

    fn reseat(&mut self, game: &GameId, seats: &[SeatUser]) {
        let entry = games::reseated(self.entry(game), seats);
        let GameEntry { rules, options, seats, clock, rated, substituted, .. } = entry;
        self.terms = to_json(&(rules, options, seats, clock, rated, substituted));
    }

    /// Returns the list entry. The result of a game that is over comes when it is archived.
    fn entry(&self, game: &GameId) -> GameEntry {
        let (rules, options, seats, clock, rated, substituted) = self.terms();
        GameEntry {
            game: game.clone(),
            rules,
            options,
            seats,
            clock,
            rated,
            delay: self.listed.delay,
            unlisted: self.listed.unlisted,
            state: GameState::Live,
            ply: self.ply,
            to_move: self.to_move,
            started_at: self.listed.started_at,
            last_at: self.last_at,
            result: None,
            ratings: None,
            annulled: false,
            substituted,
        }
    }
}

fn to_json(value: &impl Serialize) -> Box<[u8]> {
    serde_json::to_vec(value).expect("it has a JSON form").into()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClaimOutcome {
    /// It follows the last event.
    Claimed,
    /// It follows the last event of a parked game. The writer opens the game first.
    Parked,
    /// Another append has come first. The game's last event has this seq.
    Conflict(u64),
    NotLive,
}

/// A live game without a room. All its events are archived, and the writer's open transaction has
/// no others.
#[derive(Debug, Clone, Copy)]
struct ParkedGame {
    last_seq: u64,
    listed: ListedGame,
}

/// What decides whether and where a list shows a game.
#[derive(Debug, Clone, Copy)]
struct ListedGame {
    started_at: u64,
    kind: Option<Kind>,
    players: u8,
    delay: u8,
    unlisted: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct RecordLocation {
    /// The seq of the game's last archived event.
    pub archived_seq: u64,
    /// The rows in which the wanted events behind it have arrived.
    pub row_ids: Vec<i64>,
}

impl RecordLocation {
    /// Locates at most `max` events from a seq on, in a game whose later ones are in these rows.
    pub(crate) fn new(archived_seq: u64, row_ids: &[i64], from: u64, max: usize) -> Self {
        let from = from.max(1);
        let index = |seq: u64| usize::try_from(seq).unwrap_or(usize::MAX);
        let first = index(from.saturating_sub(archived_seq.saturating_add(1)));
        let archived = index(archived_seq.saturating_add(1).saturating_sub(from));
        let wanted = row_ids.iter().skip(first).take(max.saturating_sub(archived));
        Self { archived_seq, row_ids: wanted.copied().collect() }
    }
}

#[derive(Debug)]
enum LiveGame {
    /// Boxed, because it is much larger than the other.
    Open(Box<OpenGame>),
    Parked(ParkedGame),
}

impl LiveGame {
    const fn last_seq(&self) -> u64 {
        match self {
            Self::Open(game) => game.last_seq,
            Self::Parked(game) => game.last_seq,
        }
    }

    const fn listed(&self) -> &ListedGame {
        match self {
            Self::Open(game) => &game.listed,
            Self::Parked(game) => &game.listed,
        }
    }
}

impl ListedGame {
    fn new(entry: &GameEntry) -> Self {
        Self {
            started_at: entry.started_at,
            kind: Kind::from_name(&entry.rules.name),
            players: u8::try_from(entry.seats.len()).unwrap_or(u8::MAX),
            delay: entry.delay,
            unlisted: entry.unlisted,
        }
    }

    /// Returns whether the filter selects the game, apart from the filter's user.
    fn matches(&self, filter: &GameFilter) -> bool {
        let kind = self.kind.map_or("", Kind::name);
        (filter.unlisted || !self.unlisted) && filter.matches_kind(kind, self.players.into())
    }
}

/// Live games of one kind and number of players, the newest last.
#[derive(Debug)]
struct Group {
    kind: Option<Kind>,
    players: usize,
    keys: BTreeSet<ListKey>,
}

/// Every live game, by id, by user, and in the order of the lists.
#[derive(Debug, Default)]
pub(crate) struct LiveGames {
    games: DashMap<GameId, LiveGame, DefaultHashBuilder>,
    by_user: DashMap<UserName, Vec<GameId>>,
    /// The listed games, one group for each kind and number of players. The lock is held briefly.
    groups: RwLock<Vec<Group>>,
}

impl LiveGames {
    /// Lists a game whose events after `archived_seq` have arrived in these rows.
    pub(crate) fn insert(&self, entry: &GameEntry, archived_seq: u64, row_ids: Vec<i64>) {
        self.add_to_lists(entry);
        let last_seq = archived_seq + row_ids.len() as u64;
        let open = OpenGame::new(entry, last_seq, archived_seq, row_ids);
        self.games.insert(entry.game.clone(), LiveGame::Open(Box::new(open)));
    }

    pub(crate) fn insert_parked(&self, entry: &GameEntry, last_seq: u64) {
        self.add_to_lists(entry);
        let parked = ParkedGame { last_seq, listed: ListedGame::new(entry) };
        self.games.insert(entry.game.clone(), LiveGame::Parked(parked));
    }

    fn add_to_lists(&self, entry: &GameEntry) {
        self.update_group(entry, |keys| keys.insert(ListKey::by_start(entry)));
        for user in games::users_of(entry) {
            self.by_user.entry(user).or_default().push(entry.game.clone());
        }
    }

    /// Changes the group of a game, if it has one: unlisted games are in none.
    fn update_group(&self, entry: &GameEntry, change: impl FnOnce(&mut BTreeSet<ListKey>) -> bool) {
        if entry.unlisted {
            return;
        }
        let (kind, players) = (Kind::from_name(&entry.rules.name), entry.seats.len());
        let mut groups = self.groups.write();
        let known = groups.iter().position(|group| group.kind == kind && group.players == players);
        let place = known.unwrap_or_else(|| {
            groups.push(Group { kind, players, keys: BTreeSet::new() });
            groups.len() - 1
        });
        change(&mut groups[place].keys);
    }

    /// Marks a parked game as open, before its room starts or an append is claimed.
    pub(crate) fn unpark(&self, entry: &GameEntry) {
        if let Some(mut game) = self.games.get_mut(&entry.game)
            && let LiveGame::Parked(ParkedGame { last_seq, .. }) = *game
        {
            let open = OpenGame::new(entry, last_seq, last_seq, Vec::new());
            *game = LiveGame::Open(Box::new(open));
        }
    }

    pub(crate) fn remove(&self, entry: &GameEntry) {
        let id = &entry.game;
        if self.games.remove(id).is_none() {
            return;
        }
        self.update_group(entry, |keys| keys.remove(&ListKey::by_start(entry)));
        for user in games::users_of(entry) {
            if let Some(mut games) = self.by_user.get_mut(&user) {
                games.retain(|other| other != id);
            }
            self.by_user.remove_if(&user, |_, games| games.is_empty());
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.games.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.games.len()
    }

    /// Returns the listed games of a kind, or of all, with a room: the latest events first.
    pub(crate) fn active(&self, kind: Option<Kind>, limit: usize) -> Vec<GameEntry> {
        let mut latest: Vec<(u64, GameId)> = Vec::new();
        for game in &self.games {
            if let LiveGame::Open(open) = game.value()
                && !open.listed.unlisted
                && kind.is_none_or(|kind| open.listed.kind == Some(kind))
            {
                latest.push((open.last_at, game.key().clone()));
            }
        }
        latest.sort_unstable_by(|a, b| b.cmp(a));
        let latest = latest.iter().take(limit);
        latest.filter_map(|(_, id)| self.entry(id)).collect()
    }

    fn with<T>(&self, id: &GameId, read: impl FnOnce(&OpenGame) -> T) -> Option<T> {
        match &*self.games.get(id)? {
            LiveGame::Open(game) => Some(read(game)),
            LiveGame::Parked(_) => None,
        }
    }

    /// Returns the list entry of a game that has a room.
    pub(crate) fn entry(&self, id: &GameId) -> Option<GameEntry> {
        self.with(id, |open| open.entry(id))
    }

    pub(crate) fn last_seq(&self, id: &GameId) -> Option<u64> {
        self.games.get(id).map(|game| game.last_seq())
    }

    pub(crate) fn locate(&self, id: &GameId, from: u64, max: usize) -> Option<RecordLocation> {
        self.games.get(id).map(|game| match &*game {
            LiveGame::Open(game) => {
                RecordLocation::new(game.archived_seq, &game.row_ids, from, max)
            }
            LiveGame::Parked(game) => {
                RecordLocation { archived_seq: game.last_seq, row_ids: Vec::new() }
            }
        })
    }

    /// Returns the rows in which a live game's records have arrived, from the seq behind the second
    /// value on.
    pub(crate) fn arrivals_of(&self, id: &GameId) -> (Vec<i64>, u64) {
        match self.games.get(id).as_deref() {
            Some(LiveGame::Open(game)) => (game.row_ids.clone(), game.archived_seq),
            Some(LiveGame::Parked(game)) => (Vec::new(), game.last_seq),
            None => (Vec::new(), 0),
        }
    }

    /// Counts the records of an append in if it follows the last event of an open game, before its
    /// commit. Only the writer does this.
    pub(crate) fn claim(&self, append: &Append) -> ClaimOutcome {
        let Some(mut game) = self.games.get_mut(&append.game) else {
            return ClaimOutcome::NotLive;
        };
        let (last_seq, open) = match &mut *game {
            LiveGame::Open(game) => (game.last_seq + u64::from(game.uncommitted), Some(game)),
            LiveGame::Parked(game) => (game.last_seq, None),
        };
        if last_seq != append.expected_seq {
            return ClaimOutcome::Conflict(last_seq);
        }
        let Some(open) = open else { return ClaimOutcome::Parked };
        open.uncommitted += u32::try_from(append.records.len()).unwrap_or(u32::MAX);
        ClaimOutcome::Claimed
    }

    pub(crate) fn is_claimed(&self, id: &GameId) -> bool {
        self.with(id, |game| game.uncommitted > 0).unwrap_or(false)
    }

    pub(crate) fn release(&self, id: &GameId) {
        if let Some(mut game) = self.games.get_mut(id)
            && let LiveGame::Open(game) = &mut *game
        {
            game.uncommitted = 0;
        }
    }

    /// Returns the state of a live game. The records of a parked game have no end.
    pub(crate) fn state(&self, id: &GameId) -> Option<LiveState> {
        self.games.get(id).map(|game| match &*game {
            LiveGame::Open(game) => {
                LiveState { ended: game.to_move.is_none(), delay: game.listed.delay }
            }
            LiveGame::Parked(game) => LiveState { ended: false, delay: game.listed.delay },
        })
    }

    /// Records events that have become durable, in the rows from `first_row` on.
    pub(crate) fn advance(&self, append: &Append, first_row: i64) {
        let Some(mut game) = self.games.get_mut(&append.game) else { return };
        let LiveGame::Open(game) = &mut *game else { return };
        let (summary, records) = (&append.summary, append.records.len());
        if let Some(seats) = &append.reseated {
            game.reseat(&append.game, seats);
            for seat in seats {
                let mut games = self.by_user.entry(seat.user.folded()).or_default();
                if !games.contains(&append.game) {
                    games.push(append.game.clone());
                }
            }
        }
        game.uncommitted = 0;
        game.last_seq += records as u64;
        if game.row_ids.len() + records > game.row_ids.capacity() {
            // There are many games: doubling would leave half of this memory empty.
            game.row_ids.reserve_exact(records.max(game.row_ids.len() / 4).max(8));
        }
        game.row_ids.extend((first_row..).take(records));
        game.ply = summary.ply;
        game.to_move = summary.to_move.map(wire::seat_number);
        game.last_at = summary.last_at;
    }

    /// Marks a game as parked, after its records have been archived. A game stays open if the same
    /// transaction has appended to it after that.
    pub(crate) fn park(&self, id: &GameId) {
        let Some(mut game) = self.games.get_mut(id) else { return };
        let LiveGame::Open(open) = &mut *game else { return };
        if open.uncommitted > 0 {
            open.archived_seq = open.last_seq;
            open.row_ids.clear();
            return;
        }
        let parked = ParkedGame { last_seq: open.last_seq, listed: open.listed };
        *game = LiveGame::Parked(parked);
    }

    /// Returns the live games of a user, the oldest first.
    pub(crate) fn of_user(&self, user: &UserName) -> Vec<GameId> {
        self.by_user.get(&user.folded()).map(|games| games.clone()).unwrap_or_default()
    }

    pub(crate) fn count_of_user(&self, user: &UserName) -> usize {
        self.by_user.get(&user.folded()).map_or(0, |games| games.len())
    }

    /// Returns the selected games after a position, the newest first, and whether there are more.
    pub(crate) fn list(
        &self,
        filter: &GameFilter,
        after: Option<&ListKey>,
        limit: usize,
    ) -> (Vec<ListKey>, bool) {
        let mut keys: Vec<ListKey> = if let Some(user) = &filter.user {
            let listed = |id: &GameId| {
                let game = self.games.get(id)?;
                let listed = game.listed();
                let key = ListKey { at: listed.started_at, game: id.clone() };
                (after.is_none_or(|after| key < *after) && listed.matches(filter)).then_some(key)
            };
            self.of_user(user).iter().filter_map(listed).collect()
        } else {
            let groups = self.groups.read();
            let is_matching = |group: &&Group| {
                filter.matches_kind(group.kind.map_or("", Kind::name), group.players)
            };
            let until = after.map_or(Bound::Unbounded, Bound::Excluded);
            let newest = |group: &Group| {
                let keys = group.keys.range((Bound::Unbounded, until)).rev();
                keys.take(limit + 1).cloned().collect::<Vec<_>>()
            };
            groups.iter().filter(is_matching).flat_map(newest).collect()
        };
        keys.sort_unstable_by(|a, b| b.cmp(a));
        let more = keys.len() > limit;
        keys.truncate(limit);
        (keys, more)
    }
}

/// A live game with records that are not archived.
#[derive(Debug)]
pub(crate) struct OpenGameRow {
    pub game: GameId,
    pub archived_seq: u64,
    /// The rows in which the later records have arrived, in order.
    pub row_ids: Vec<i64>,
}

#[derive(Debug)]
pub(crate) struct TimedGame {
    pub game: GameId,
    pub last_at: u64,
    /// The time at which the clock runs out if no outage is credited, in epoch milliseconds.
    pub deadline: u64,
}

/// What is found in the database when the store is opened.
#[derive(Debug)]
pub(super) struct RecoveredRows {
    /// Games with records that are not archived, in order of arrival.
    pub(super) open: Vec<OpenGameRow>,
    pub(super) parked: usize,
    pub(super) timed: Vec<TimedGame>,
    pub(super) stale_rows: BTreeSet<i64>,
}

/// Reads the arrivals once, in order, and lists the parked games as live.
pub(super) fn recover(connection: &Connection, live: &LiveGames) -> SqlResult<RecoveredRows> {
    let mut stale_rows = BTreeSet::new();
    let games = arrived(connection, |id, _, _| {
        stale_rows.insert(id);
    })?;
    let (mut parked, mut timed) = (0, Vec::new());
    let mut select = connection
        .prepare("SELECT game, entry, archived_seq, wake_at FROM games WHERE NOT finished")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        if games.contains_key(row.get_ref(0)?.as_str()?) {
            continue;
        }
        let Some(entry) = games::parse_entry(row.get_ref(1)?.as_str()?) else { continue };
        parked += 1;
        if let Some(deadline) = row.get::<_, Option<i64>>(3)? {
            let (game, deadline) = (entry.game.clone(), deadline.cast_unsigned());
            timed.push(TimedGame { game, last_at: entry.last_at, deadline });
        }
        live.insert_parked(&entry, row.get::<_, i64>(2)?.cast_unsigned());
    }
    let mut open: Vec<OpenGameRow> = games.into_values().collect();
    open.sort_unstable_by_key(|game| game.row_ids.first().copied());
    Ok(RecoveredRows { open, parked, timed, stale_rows })
}

/// Returns the games with records that are not archived. `stale` receives the other rows with their
/// games and seqs.
pub(super) fn arrived(
    connection: &Connection,
    mut stale: impl FnMut(i64, &GameId, u64),
) -> SqlResult<HashMap<GameId, OpenGameRow>> {
    let mut games: HashMap<GameId, OpenGameRow> = HashMap::new();
    let mut archived = connection.prepare("SELECT archived_seq FROM games WHERE game = ?1")?;
    let mut select = connection.prepare("SELECT id, game, seq FROM arrivals ORDER BY id")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let (id, seq): (i64, i64) = (row.get(0)?, row.get(2)?);
        let name = row.get_ref(1)?.as_str()?;
        let Ok(game) = name.parse::<GameId>() else {
            // operator: the database is damaged; the server skips the record. Run `adamant-server
            // check`
            tracing::error!(name, "the journal has an invalid game id");
            continue;
        };
        let game = match games.entry(game) {
            Entry::Occupied(found) => found.into_mut(),
            Entry::Vacant(new) => {
                let found: Option<i64> =
                    archived.query_map([name], |row| row.get(0))?.next().transpose()?;
                let archived_seq = found.unwrap_or_default().cast_unsigned();
                let (game, row_ids) = (new.key().clone(), Vec::new());
                new.insert(OpenGameRow { game, archived_seq, row_ids })
            }
        };
        if seq.cast_unsigned() <= game.archived_seq {
            stale(id, &game.game, seq.cast_unsigned());
        } else {
            game.row_ids.push(id);
        }
    }
    games.retain(|_, game| !game.row_ids.is_empty());
    Ok(games)
}
