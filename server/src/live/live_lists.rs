//! The service for live lists and featured games.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use adamant_protocol::{
    GameId, ToClient,
    from_client::{Live, Tv},
    ids::RulesName,
    to_client::{Featured, GameEntry, LiveChange, LiveGame},
};
use adamant_record::wire;
use adamant_rules::Kind;
use futures::future::join_all;
use parking_lot::Mutex;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::{
    error::Denial,
    limits::{FEATURED_CHECK_EVERY, LIVE_UPDATE_EVERY, PUBLISH_WAIT_MAX},
    live::list::{ListFilter, LiveList, choose, is_idle},
    outbound::{SendOutcome, SessionId, client::ClientHandle, frame::Frame},
    room::{live_feed::LiveFeed, registry::RoomRegistry},
    runtime::time::TimeSource,
    store::Store,
};

/// The live lists and featured games. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct LiveLists {
    rooms: RoomRegistry,
    store: Store,
    live_feed: LiveFeed,
    time: TimeSource,
    state: Arc<Mutex<ListsState>>,
    /// Number of clients that are about to watch a list.
    joining: Arc<AtomicUsize>,
    /// Whether games have begun on other nodes since the last update.
    began_elsewhere: Arc<AtomicBool>,
}

#[derive(Debug, Default)]
struct ListsState {
    lists: Vec<WatchedList>,
    channels: Vec<FeaturedChannel>,
}

/// Keeps the live feed open for a client that is about to watch.
struct JoinGuard(Arc<AtomicUsize>);

impl Drop for JoinGuard {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A list and its watchers.
#[derive(Debug)]
struct WatchedList {
    list: LiveList,
    watchers: Vec<ListWatcher>,
}

#[derive(Debug)]
struct ListWatcher {
    client: Arc<ClientHandle>,
    /// Whether a change did not fit. The watcher gets the whole list before any further change.
    behind: bool,
}

/// The featured game of a kind, and its watchers.
#[derive(Debug)]
struct FeaturedChannel {
    kind: Kind,
    featured: Option<GameEntry>,
    watchers: Vec<Arc<ClientHandle>>,
}

impl LiveLists {
    /// Returns the service for these games, whose rooms publish to `live_feed`.
    pub(crate) fn new(
        rooms: RoomRegistry,
        store: Store,
        live_feed: LiveFeed,
        time: TimeSource,
    ) -> Self {
        Self {
            rooms,
            store,
            live_feed,
            time,
            state: Arc::default(),
            joining: Arc::default(),
            began_elsewhere: Arc::default(),
        }
    }

    /// Sends changes to the watchers until shutdown.
    pub(crate) async fn run(self, stop: CancellationToken) {
        let round = async {
            loop {
                tokio::select! {
                    biased;
                    () = self.live_feed.changed() => {}
                    // A featured game becomes idle without a change.
                    () = sleep(FEATURED_CHECK_EVERY), if self.live_feed.is_open() => {}
                }
                self.update().await;
                sleep(LIVE_UPDATE_EVERY).await;
            }
        };
        // The loop never ends by itself.
        stop.run_until_cancelled(round).await;
    }

    /// Takes in that a game may have begun on another node, where its room does not publish to
    /// these lists.
    pub(crate) fn began_elsewhere(&self) {
        if self.live_feed.is_open() {
            self.began_elsewhere.store(true, Ordering::Relaxed);
            self.live_feed.refresh();
        }
    }

    /// Applies the changes that rooms have published, and sends them to the watchers.
    async fn update(&self) {
        if self.began_elsewhere.swap(false, Ordering::Relaxed) {
            self.add_newcomers().await;
        }
        let now_ms = self.time.now_ms();
        let changed = self.live_feed.drain();
        let vacant = self.apply(&changed, now_ms);
        for kind in vacant {
            let games = self.active_games(Some(kind), usize::MAX).await;
            let mut state = self.state.lock();
            if let Some(channel) = state.channels.iter_mut().find(|channel| channel.kind == kind) {
                channel.choose(games, now_ms);
            }
        }
        let mut state = self.state.lock();
        let joining = self.joining.load(Ordering::Relaxed) > 0;
        // A joining client may be about to watch a list without watchers.
        state.lists.retain(|watched| joining || !watched.watchers.is_empty());
        state.channels.retain(|channel| !channel.watchers.is_empty());
        if state.lists.is_empty() && state.channels.is_empty() && !joining {
            self.live_feed.close();
        } else {
            self.live_feed.subscribe(state.subscribed());
        }
    }

    /// Applies changes to the lists, and sends them to the watchers. Returns the kinds whose
    /// featured game may have to be replaced.
    fn apply(&self, changed: &[LiveGame], now_ms: u64) -> Vec<Kind> {
        let mut state = self.state.lock();
        for watched in &mut state.lists {
            for game in changed {
                watched.list.update(game, now_ms);
            }
            watched.publish();
        }
        for channel in &mut state.channels {
            channel.update(changed);
        }
        let vacant = state.channels.iter().filter(|channel| !channel.stays(now_ms));
        vacant.map(|channel| channel.kind).collect()
    }

    /// Returns the games of a kind, or of all, that are being played, the latest changes first.
    async fn active_games(&self, kind: Option<Kind>, limit: usize) -> Vec<GameEntry> {
        self.store.active_games(kind, limit).await.unwrap_or_else(|error| {
            // operator: a live list or a featured game lacks games until the next change
            tracing::warn!(%error, "listing the games that are played failed");
            Vec::new()
        })
    }

    /// Opens the live feed, so that no change is lost while the rooms are read.
    fn join(&self) -> JoinGuard {
        let _state = self.state.lock();
        self.joining.fetch_add(1, Ordering::Relaxed);
        self.live_feed.open();
        JoinGuard(Arc::clone(&self.joining))
    }

    /// Handles `live`: sends the list, and starts or stops watching it.
    pub(crate) async fn live(
        &self,
        client: &Arc<ClientHandle>,
        request: Live,
    ) -> Result<(), Denial> {
        let kind = request.rules.as_ref().map(kind_of).transpose()?;
        let filter = ListFilter { kind, many: request.many };
        let _joining = self.join();
        let found = self.read_rooms(filter).await;
        let now_ms = self.time.now_ms();
        let mut state = self.state.lock();
        state.lists.iter_mut().for_each(|watched| watched.leave(client.session));
        let watched = state.list_of(filter);
        for game in &found {
            watched.list.update_expected(game, now_ms);
        }
        if watched.watchers.is_empty() {
            // The response has the whole list.
            watched.list.drain_changes();
        } else if !found.is_empty() {
            self.live_feed.refresh();
        }
        // Sent under the lock, so that no change precedes the list.
        let mut re = Some(request.id);
        for part in watched.list.full() {
            client.reply(LiveChange { re: re.take(), ..part });
        }
        if request.watch {
            watched.watchers.push(ListWatcher { client: Arc::clone(client), behind: false });
        }
        self.live_feed.subscribe(state.subscribed());
        Ok(())
    }

    /// Handles `tv`: sends the featured game, and starts or stops watching it.
    pub(crate) async fn tv(&self, client: &Arc<ClientHandle>, request: &Tv) -> Result<(), Denial> {
        let kind = kind_of(&request.rules)?;
        let _joining = self.join();
        let now_ms = self.time.now_ms();
        let stays = self.state.lock().channel_of(kind).stays(now_ms);
        let games =
            if stays { Vec::new() } else { self.active_games(Some(kind), usize::MAX).await };
        let mut state = self.state.lock();
        let channel = state.channel_of(kind);
        channel.watchers.retain(|watcher| watcher.session != client.session);
        channel.choose(games, now_ms);
        if request.watch {
            channel.watchers.push(Arc::clone(client));
        }
        client.reply(Featured { re: Some(request.id.clone()), ..channel.message() });
        self.live_feed.subscribe(state.subscribed());
        Ok(())
    }

    /// Removes a session that has ended or changes its user.
    pub(crate) fn leave(&self, session: SessionId) {
        let mut state = self.state.lock();
        state.lists.iter_mut().for_each(|watched| watched.leave(session));
        for channel in &mut state.channels {
            channel.watchers.retain(|watcher| watcher.session != session);
        }
    }

    /// Adds games that have begun on other nodes to the lists that have free slots.
    async fn add_newcomers(&self) {
        let filters: Vec<ListFilter> = {
            let state = self.state.lock();
            let lists = state.lists.iter().map(|watched| &watched.list);
            lists.filter(|list| list.has_free_slot()).map(LiveList::filter).collect()
        };
        for filter in filters {
            let found = self.read_games(filter).await;
            let now_ms = self.time.now_ms();
            let mut state = self.state.lock();
            let list = &mut state.list_of(filter).list;
            for game in &found {
                list.update_expected(game, now_ms);
            }
        }
    }

    /// Reads the games that changed last from their rooms; none if the list exists. The list exists
    /// from now on, so that it receives the changes while the rooms are read.
    async fn read_rooms(&self, filter: ListFilter) -> Vec<LiveGame> {
        {
            let mut state = self.state.lock();
            if state.lists.iter().any(|watched| watched.list.filter() == filter) {
                return Vec::new();
            }
            state.list_of(filter);
        }
        self.read_games(filter).await
    }

    /// Reads those of the games that changed last from their rooms that the list does not have.
    async fn read_games(&self, filter: ListFilter) -> Vec<LiveGame> {
        let games = self.active_games(filter.kind, filter.games_max()).await;
        let mut games: Vec<GameId> = games.into_iter().map(|entry| entry.game).collect();
        {
            let mut state = self.state.lock();
            let list = &mut state.list_of(filter).list;
            games.retain(|game| !list.has(game));
            list.expect(&games);
            self.live_feed.subscribe(state.subscribed());
        }
        let shows = games.iter().map(|game| async move {
            // A busy room publishes with its next event.
            timeout(PUBLISH_WAIT_MAX, self.rooms.live_game(game)).await.ok().flatten()
        });
        join_all(shows).await.into_iter().flatten().collect()
    }
}

impl ListsState {
    fn list_of(&mut self, filter: ListFilter) -> &mut WatchedList {
        let known = self.lists.iter().position(|watched| watched.list.filter() == filter);
        let at = known.unwrap_or_else(|| {
            self.lists.push(WatchedList { list: LiveList::new(filter), watchers: Vec::new() });
            self.lists.len() - 1
        });
        &mut self.lists[at]
    }

    fn channel_of(&mut self, kind: Kind) -> &mut FeaturedChannel {
        let known = self.channels.iter().position(|channel| channel.kind == kind);
        let at = known.unwrap_or_else(|| {
            self.channels.push(FeaturedChannel { kind, featured: None, watchers: Vec::new() });
            self.channels.len() - 1
        });
        &mut self.channels[at]
    }

    /// Returns the games with every change subscribed.
    fn subscribed(&self) -> BTreeSet<GameId> {
        let featured = self.channels.iter().filter_map(|channel| channel.featured.as_ref());
        let listed = self.lists.iter().flat_map(|watched| watched.list.ids());
        listed.chain(featured.map(|game| &game.game)).cloned().collect()
    }
}

impl WatchedList {
    fn leave(&mut self, session: SessionId) {
        self.watchers.retain(|watcher| watcher.client.session != session);
    }

    /// Sends the changes to the watchers, encoded once.
    fn publish(&mut self) {
        let change = encoded(self.list.drain_changes());
        let mut all: Option<Vec<Frame>> = None;
        let list = &self.list;
        self.watchers.retain_mut(|watcher| {
            let frames = if watcher.behind {
                all.get_or_insert_with(|| encoded(list.full()))
            } else {
                &change
            };
            watcher.send(frames)
        });
    }
}

impl ListWatcher {
    /// Sends frames. Returns whether the session is open.
    fn send(&mut self, frames: &[Frame]) -> bool {
        for frame in frames {
            match self.client.outbox.try_send(frame) {
                SendOutcome::Queued => self.behind = false,
                SendOutcome::Full => {
                    self.behind = true;
                    return true;
                }
                SendOutcome::Closed => return false,
            }
        }
        !self.client.outbox.is_closed()
    }
}

fn encoded(changes: Vec<LiveChange>) -> Vec<Frame> {
    changes.into_iter().map(|change| Frame::of(&ToClient::Live(change))).collect()
}

impl FeaturedChannel {
    /// Whether the featured game stays: it is neither over nor idle.
    fn stays(&self, now_ms: u64) -> bool {
        let featured = self.featured.as_ref();
        featured.is_some_and(|game| !is_idle(game, now_ms) && game.result.is_none())
    }

    /// Applies the changes of the featured game, and forgets watchers that have gone.
    fn update(&mut self, changed: &[LiveGame]) {
        if let Some(featured) = &mut self.featured
            && let Some(game) = changed.iter().find(|game| game.entry.game == featured.game)
        {
            *featured = game.entry.clone();
        }
        self.watchers.retain(|watcher| !watcher.outbox.is_closed());
    }

    /// Chooses the featured game, among these games if the current one does not stay, and sends it
    /// to the watchers if it is another.
    fn choose(&mut self, games: Vec<GameEntry>, now_ms: u64) {
        let current = self.featured.take();
        self.featured = choose(current.as_ref(), games.into_iter(), now_ms);
        let id = |game: &Option<GameEntry>| game.as_ref().map(|game| game.game.clone());
        if id(&self.featured) != id(&current) {
            let frame = Frame::of(&ToClient::Tv(self.message()));
            for watcher in &self.watchers {
                // An overflow ends the session. The client reconnects and subscribes again.
                watcher.outbox.send_or_evict(&frame);
            }
        }
    }

    fn message(&self) -> Featured {
        Featured {
            re: None,
            rules: wire::rules(self.kind),
            game: self.featured.as_ref().map(|game| game.game.clone()),
            entry: self.featured.clone(),
        }
    }
}

fn kind_of(rules: &RulesName) -> Result<Kind, Denial> {
    wire::kind(rules).map_err(|_| Denial::NotFound(format!("game called {rules} here")))
}
