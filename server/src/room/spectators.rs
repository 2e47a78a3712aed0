//! A room's spectators, possibly thousands. Events are sent in passes that the room interrupts for
//! each command of a player. A visited spectator gets all its queued frames in one write: the
//! further a pass is behind, the less each event costs.

use std::collections::{BTreeMap, VecDeque};
use std::{ops::Bound, sync::Arc};

use adamant_protocol::{GameId, UserName};

use crate::limits::{FAN_OUT_FRAMES_MAX, SPECTATOR_NAMES_MAX};
use crate::outbound::{SendOutcome, SessionId, client::ClientHandle, frame::Frame, outbox::Outbox};
use crate::{room::ParkedListener, runtime::metrics::Metrics};

#[derive(Debug)]
pub(super) struct Spectator {
    client: Arc<ClientHandle>,
    /// Copied from the client, to save a cache miss for each spectator.
    outbox: Outbox,
    /// Number of the first frame that is still to be sent.
    next: u64,
    /// Whether a frame did not fit. The spectator gets a snapshot before any further frame.
    lagging: bool,
    /// Whether the client has the presence that was published last.
    pub(super) knows_presence: bool,
}

impl Spectator {
    /// Sends a frame. Returns whether the session is open.
    pub(super) fn send(&mut self, game: &GameId, frame: &Frame) -> bool {
        send_frames(&self.outbox, &mut self.lagging, game, std::iter::once(frame))
    }
}

/// Sends frames. If they do not fit, the session needs a snapshot instead. Returns whether the
/// session is open.
fn send_frames<'a>(
    outbox: &Outbox,
    lagging: &mut bool,
    game: &GameId,
    frames: impl Iterator<Item = &'a Frame>,
) -> bool {
    if *lagging {
        return !outbox.is_closed();
    }
    match outbox.try_send_all(frames) {
        SendOutcome::Queued => true,
        SendOutcome::Full => {
            *lagging = true;
            outbox.mark_lagged(game);
            true
        }
        SendOutcome::Closed => false,
    }
}

#[derive(Debug)]
struct QueuedFrame {
    frame: Frame,
    /// The author of talk, for clients that have muted them.
    by: Option<UserName>,
}

impl QueuedFrame {
    fn is_for(&self, client: &ClientHandle) -> bool {
        self.by.as_ref().is_none_or(|by| !client.muted.has(by))
    }
}

/// The spectators, and the frames that some of them have yet to be sent.
#[derive(Debug)]
pub(super) struct Spectators {
    sessions: BTreeMap<SessionId, Spectator>,
    /// Number of sessions of each spectator with a user.
    users: BTreeMap<UserName, u32>,
    anonymous: u32,
    /// Spectators that lists may name.
    named: BTreeMap<SessionId, UserName>,
    queued: VecDeque<QueuedFrame>,
    /// Number of the first frame in `queued`. Frames are numbered in order.
    first: u64,
    pass: Option<FanOutPass>,
    metrics: Arc<Metrics>,
}

/// One visit to every spectator.
#[derive(Debug, Clone, Copy)]
struct FanOutPass {
    /// The end of the frames when the pass began. At its end all spectators have them.
    until: u64,
    /// The spectator that was visited last.
    after: Option<SessionId>,
}

/// What [`Spectators::advance`] has done.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Visited {
    pub(super) count: usize,
    pub(super) closed: Vec<SessionId>,
}

impl Spectators {
    pub(super) fn new(metrics: Arc<Metrics>) -> Self {
        let (sessions, users, named) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let (queued, anonymous, first, pass) = (VecDeque::new(), 0, 0, None);
        Self { sessions, users, anonymous, named, queued, first, pass, metrics }
    }

    /// Adds a session. It is sent the frames from here on.
    pub(super) fn join(&mut self, client: Arc<ClientHandle>, named: bool) {
        let (session, next) = (client.session, self.end());
        match &client.user {
            Some(user) => *self.users.entry(user.clone()).or_default() += 1,
            None => self.anonymous += 1,
        }
        if let Some(user) = client.user.as_ref().filter(|_| named) {
            self.named.insert(session, user.clone());
        }
        let outbox = client.outbox.clone();
        let spectator = Spectator { client, outbox, next, lagging: false, knows_presence: false };
        self.sessions.insert(session, spectator);
    }

    pub(super) fn leave(&mut self, session: SessionId) -> Option<Arc<ClientHandle>> {
        let client = self.sessions.remove(&session)?.client;
        self.named.remove(&session);
        let Some(user) = &client.user else {
            self.anonymous -= 1;
            return Some(client);
        };
        if let Some(sessions) = self.users.get_mut(user) {
            *sessions -= 1;
            if *sessions == 0 {
                self.users.remove(user);
            }
        }
        Some(client)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sessions.is_empty()
    }

    pub(super) fn has(&self, session: SessionId) -> bool {
        self.sessions.contains_key(&session)
    }

    pub(super) fn get(&mut self, session: SessionId) -> Option<&mut Spectator> {
        self.sessions.get_mut(&session)
    }

    pub(super) fn all(&mut self) -> impl Iterator<Item = &mut Spectator> {
        self.sessions.values_mut()
    }

    pub(super) fn clients(&self) -> impl Iterator<Item = &Arc<ClientHandle>> {
        self.sessions.values().map(|spectator| &spectator.client)
    }

    /// Number of spectators. Several sessions of one user count once.
    pub(super) fn count(&self) -> u32 {
        self.anonymous.saturating_add(u32::try_from(self.users.len()).unwrap_or(u32::MAX))
    }

    /// Returns the first spectators that lists may name, in the order in which they connected.
    pub(super) fn names(&self) -> Vec<UserName> {
        let mut names: Vec<UserName> = Vec::new();
        for user in self.named.values() {
            if names.len() == SPECTATOR_NAMES_MAX {
                break;
            }
            if !names.contains(user) {
                names.push(user.clone());
            }
        }
        names
    }

    pub(super) fn into_listeners(self) -> impl Iterator<Item = ParkedListener> {
        self.sessions.into_iter().map(move |(session, spectator)| {
            let Spectator { client, lagging, knows_presence, .. } = spectator;
            let named = self.named.contains_key(&session);
            ParkedListener { client, seat: None, named, knows_presence, lagging }
        })
    }

    /// Marks a session whose last room had frames that did not fit.
    pub(super) fn owe_snapshot(&mut self, session: SessionId) {
        if let Some(spectator) = self.sessions.get_mut(&session) {
            spectator.lagging = true;
        }
    }

    pub(super) fn into_clients(self) -> impl Iterator<Item = Arc<ClientHandle>> {
        self.sessions.into_values().map(|spectator| spectator.client)
    }

    /// Number of the next frame.
    fn end(&self) -> u64 {
        self.first + self.queued.len() as u64
    }

    /// Whether frames wait for some spectators.
    pub(super) fn is_behind(&self) -> bool {
        !self.queued.is_empty()
    }

    /// Queues a frame for all spectators. [`advance`](Self::advance) sends it.
    pub(super) fn push(&mut self, game: &GameId, frame: Frame, by: Option<UserName>) {
        if self.sessions.is_empty() {
            return;
        }
        // A room that outruns its spectators completes a pass, so that the queue stays bounded.
        while self.queued.len() >= FAN_OUT_FRAMES_MAX {
            for session in self.advance(game, usize::MAX).closed {
                self.leave(session);
            }
        }
        debug_assert!(self.queued.len() < FAN_OUT_FRAMES_MAX);
        self.queued.push_back(QueuedFrame { frame, by });
    }

    /// Visits up to `visits` spectators.
    pub(super) fn advance(&mut self, game: &GameId, visits: usize) -> Visited {
        let mut gone = Vec::new();
        if !self.is_behind() {
            return Visited { count: 0, closed: gone };
        }
        let end = self.end();
        let mut pass = self.pass.unwrap_or(FanOutPass { until: end, after: None });
        let from = pass.after.map_or(Bound::Unbounded, Bound::Excluded);
        let (mut visited, mut deliveries, mut lags) = (0, 0, 0);
        for (&session, spectator) in self.sessions.range_mut((from, Bound::Unbounded)).take(visits)
        {
            let Spectator { client, outbox, next, lagging, .. } = spectator;
            let sent = usize::try_from(next.saturating_sub(self.first)).unwrap_or(usize::MAX);
            let left = self.queued.range(sent.min(self.queued.len())..);
            let frames = left.filter(|queued| queued.is_for(client)).map(|left| &left.frame);
            let lagged = *lagging;
            if !send_frames(
                outbox,
                lagging,
                game,
                frames.inspect(|_| deliveries += u64::from(!lagged)),
            ) {
                gone.push(session);
            }
            lags += u64::from(*lagging && !lagged);
            *next = end;
            pass.after = Some(session);
            visited += 1;
        }
        self.metrics.deliveries.inc_by(deliveries);
        self.metrics.lags.inc_by(lags);
        if visited < visits {
            // The pass is complete.
            debug_assert!(self.sessions.values().all(|spectator| spectator.next >= pass.until));
            let known = usize::try_from(pass.until - self.first).unwrap_or(usize::MAX);
            self.queued.drain(..known.min(self.queued.len()));
            self.first = pass.until;
            self.pass = None;
        } else {
            self.pass = Some(pass);
        }
        Visited { count: visited, closed: gone }
    }

    /// Returns whether a session waits for a snapshot, and clears that state. The snapshot covers
    /// all queued frames.
    pub(super) fn catch_up(&mut self, session: SessionId) -> bool {
        let end = self.end();
        let Some(spectator) = self.sessions.get_mut(&session) else { return false };
        let lagged = std::mem::take(&mut spectator.lagging);
        if lagged {
            spectator.next = end;
        }
        lagged
    }
}

#[cfg(test)]
mod tests {
    use std::io::{ErrorKind, Read as _};

    use futures::FutureExt as _;
    use tokio::net::{TcpListener, TcpStream};

    use super::*;
    use crate::outbound::outbox::{OutboxReader, outbox};

    /// A spectator with a socket.
    struct Watcher {
        client: Arc<ClientHandle>,
        reader: OutboxReader,
        /// The client's end.
        socket: std::net::TcpStream,
    }

    impl Watcher {
        async fn new(number: u64) -> Self {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            let (near, server) = tokio::join!(TcpStream::connect(address), listener.accept());
            let (_, writes) = server.unwrap().0.into_split();
            writes.writable().await.unwrap();
            let session = SessionId(number);
            let (outbox, reader) = outbox(session, Some(writes));
            let client = Arc::new(ClientHandle::anonymous(session, outbox, None));
            let socket = near.unwrap().into_std().unwrap();
            Self { client, reader, socket }
        }

        /// Reads everything that the client has received. Writes to the loopback arrive
        /// immediately.
        fn received(&mut self) -> Vec<u8> {
            let mut received = Vec::new();
            let end = self.socket.read_to_end(&mut received).unwrap_err();
            assert_eq!(end.kind(), ErrorKind::WouldBlock);
            received
        }
    }

    fn game() -> GameId {
        "g1".parse().unwrap()
    }

    fn joined(frames: &[&Frame]) -> Vec<u8> {
        frames.iter().flat_map(|frame| frame.as_bytes()).copied().collect()
    }

    #[tokio::test]
    async fn sending_to_spectators_allocates_nothing_and_wakes_no_writer() {
        let mut spectators = Spectators::new(Arc::default());
        let mut watchers = Vec::new();
        for number in 0..8 {
            let watcher = Watcher::new(number).await;
            spectators.join(Arc::clone(&watcher.client), false);
            watchers.push(watcher);
        }
        let (game, frame) = (game(), Frame::text(b"an event"));
        spectators.push(&game, frame.clone(), None);
        let counted = allocation_counter::measure(|| {
            assert_eq!(spectators.advance(&game, usize::MAX).closed, []);
        });
        assert_eq!(counted.count_total, 0);
        assert!(!spectators.is_behind());
        for watcher in &mut watchers {
            assert!(!watcher.reader.is_waiting());
            assert!(watcher.reader.woken().now_or_never().is_none(), "the writer is not woken");
            assert_eq!(watcher.received(), frame.as_bytes());
        }
    }

    #[tokio::test]
    async fn late_visits_send_all_frames_and_none_twice() {
        let mut spectators = Spectators::new(Arc::default());
        let mut watchers = Vec::new();
        for number in 0..5 {
            let watcher = Watcher::new(number).await;
            spectators.join(Arc::clone(&watcher.client), false);
            watchers.push(watcher);
        }
        let (game, one, two) = (game(), Frame::text(b"one"), Frame::text(b"two"));
        spectators.push(&game, one.clone(), None);
        assert_eq!(spectators.advance(&game, 2).closed, []);
        spectators.push(&game, two.clone(), None);
        // A newcomer has these frames from its snapshot. A session that leaves receives no more.
        let mut late = Watcher::new(9).await;
        spectators.join(Arc::clone(&late.client), false);
        assert!(spectators.leave(SessionId(4)).is_some());
        while spectators.is_behind() {
            assert_eq!(spectators.advance(&game, 2).closed, []);
        }
        let mut gone = watchers.pop().unwrap();
        for watcher in &mut watchers {
            assert_eq!(watcher.received(), joined(&[&one, &two]));
        }
        assert!(late.received().is_empty() && gone.received().is_empty());
    }

    #[tokio::test]
    async fn room_that_outruns_its_spectators_completes_a_pass() {
        let mut spectators = Spectators::new(Arc::default());
        let mut watchers = [Watcher::new(1).await, Watcher::new(2).await];
        for watcher in &watchers {
            spectators.join(Arc::clone(&watcher.client), false);
        }
        let (game, frame) = (game(), Frame::text(b"x"));
        for _ in 0..=FAN_OUT_FRAMES_MAX {
            spectators.push(&game, frame.clone(), None);
        }
        assert_eq!(spectators.queued.len(), 1);
        for watcher in &mut watchers {
            assert_eq!(watcher.received(), frame.as_bytes().repeat(FAN_OUT_FRAMES_MAX));
        }
    }
}
