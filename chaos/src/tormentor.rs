//! What all connections of a run share.

use std::{
    net::SocketAddr,
    sync::atomic::{AtomicU64, Ordering},
};

use parking_lot::{Mutex, MutexGuard};
use tokio::{
    net::TcpStream,
    sync::{Notify, mpsc, watch},
    time::{Instant, timeout},
};
use tokio_tungstenite::WebSocketStream;
use tokio_util::sync::CancellationToken;

use crate::{
    ledger::Ledger,
    plan::{Plan, REPLY_MAX},
    records::Records,
};

pub(crate) type Socket = WebSocketStream<TcpStream>;

/// What all connections of a run share.
#[derive(Debug)]
pub(crate) struct Tormentor {
    /// The faults.
    pub(crate) plan: Plan,
    /// The address of the inner server; `None` while it restarts.
    pub(crate) inner: watch::Sender<Option<SocketAddr>>,
    /// Asks for a restart of the inner server.
    pub(crate) restarts: mpsc::Sender<()>,
    /// Whether all games are over.
    pub(crate) ended: CancellationToken,
    ledger: Mutex<Ledger>,
    records: Mutex<Records>,
    records_changed: Notify,
    started: Instant,
    moves: AtomicU64,
    /// Frames of the client so far: whether it does anything.
    signs_of_life: AtomicU64,
    open_sessions: AtomicU64,
}

impl Tormentor {
    /// Begins a run.
    pub(crate) fn new(plan: Plan, ledger: Ledger, restarts: mpsc::Sender<()>) -> Self {
        Self {
            plan,
            inner: watch::Sender::new(None),
            restarts,
            ended: CancellationToken::new(),
            ledger: Mutex::new(ledger),
            records: Mutex::new(Records::new(plan.draw)),
            records_changed: Notify::new(),
            started: Instant::now(),
            moves: AtomicU64::new(0),
            signs_of_life: AtomicU64::new(0),
            open_sessions: AtomicU64::new(0),
        }
    }

    /// Milliseconds since the beginning of the run.
    pub(crate) fn now_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// The account.
    pub(crate) fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock()
    }

    /// The records of the games.
    pub(crate) fn records(&self) -> MutexGuard<'_, Records> {
        self.records.lock()
    }

    /// Keeps an event of the server. Returns its texts for the client, with their numbers.
    pub(crate) fn keep_event(&self, text: &str) -> Option<Vec<(u64, String)>> {
        let events = self.records().event(text);
        self.records_changed.notify_waiters();
        Some(events?.into_iter().map(|event| (event.seq, event.text)).collect())
    }

    /// Waits until a game's records are known up to a number, but not long.
    pub(crate) async fn wait_for_records(&self, game: &str, seq: u64) {
        let known = async {
            loop {
                let changed = self.records_changed.notified();
                if self.records().known(game).seq >= seq {
                    return;
                }
                changed.await;
            }
        };
        // A game that is not followed here stays as the server tells it.
        timeout(REPLY_MAX, known).await.ok();
    }

    /// Counts a move of the client. Returns its number, from 0.
    pub(crate) fn count_move(&self) -> u64 {
        self.moves.fetch_add(1, Ordering::Relaxed)
    }

    /// The client has sent something.
    pub(crate) fn sign_of_life(&self) {
        self.signs_of_life.fetch_add(1, Ordering::Relaxed);
    }

    /// How often the client has sent something.
    pub(crate) fn signs_of_life(&self) -> u64 {
        self.signs_of_life.load(Ordering::Relaxed)
    }

    pub(crate) fn session_opened(&self, is_open: bool) {
        if is_open {
            self.open_sessions.fetch_add(1, Ordering::Relaxed);
        } else {
            self.open_sessions.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Whether the client has an open session.
    pub(crate) fn has_session(&self) -> bool {
        self.open_sessions.load(Ordering::Relaxed) > 0
    }
}
