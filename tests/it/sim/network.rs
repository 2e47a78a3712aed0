//! The network between simulated nodes: it loses, doubles, delays and so reorders events.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use adamant_server::simulation::Network;
use bytes::Bytes;
use futures::{SinkExt as _, StreamExt as _};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use tokio::{io::DuplexStream, sync::mpsc, task::AbortHandle, time::sleep};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{Message, protocol::Role},
};

use super::oracle::Oracle;

/// The network, and what may go wrong with it.
#[derive(Debug)]
pub(super) struct SimNetwork {
    chance: Mutex<StdRng>,
    /// How many events of a thousand are lost.
    lost: u32,
    /// How many events of a thousand come twice.
    doubled: u32,
    slowest_ms: u64,
    /// How many announced records of a thousand are lost or damaged, and with them those before.
    spoilt: u32,
    /// Whether anything may go wrong now.
    is_unreliable: AtomicBool,
}

impl SimNetwork {
    pub(super) fn new(seed: u64) -> Self {
        let mut own = StdRng::seed_from_u64(seed);
        Self {
            lost: [0, 10, 100, 500][own.random_range(0..4)],
            doubled: [0, 100][own.random_range(0..2)],
            slowest_ms: [0, 5, 50, 400][own.random_range(0..4)],
            spoilt: [0, 50, 500][own.random_range(0..3)],
            is_unreliable: AtomicBool::new(true),
            chance: Mutex::new(own),
        }
    }

    /// Sets whether anything may go wrong from now on.
    pub(super) fn set_unreliable(&self, is_unreliable: bool) {
        self.is_unreliable.store(is_unreliable, Ordering::Relaxed);
    }
}

impl Network for SimNetwork {
    fn deliveries(&self) -> Vec<Duration> {
        if !self.is_unreliable.load(Ordering::Relaxed) {
            return vec![Duration::ZERO];
        }
        let chance = &mut *self.chance.lock().unwrap();
        let copies = match chance.random_range(0..1_000) {
            lot if lot < self.lost => 0,
            lot if lot < self.lost + self.doubled => 2,
            _ => 1,
        };
        let mut delay = || Duration::from_millis(chance.random_range(0..=self.slowest_ms));
        (0..copies).map(|_| delay()).collect()
    }

    fn records(&self, mut records: Vec<Bytes>) -> Vec<Bytes> {
        if !self.is_unreliable.load(Ordering::Relaxed) {
            return records;
        }
        let chance = &mut *self.chance.lock().unwrap();
        for place in (0..records.len()).rev() {
            if chance.random_range(0..1_000) >= self.spoilt {
                continue;
            }
            if chance.random_bool(0.5) {
                // The last records are announced, so that the first ones can be missing.
                records.drain(..=place);
                break;
            }
            let mut damaged = records[place].to_vec();
            let at = chance.random_range(0..damaged.len());
            damaged[at] ^= 1;
            records[place] = damaged.into();
        }
        records
    }

    fn gap(&self) -> Option<Duration> {
        let chance = &mut *self.chance.lock().unwrap();
        chance.random_bool(0.5).then(|| Duration::from_millis(chance.random_range(0..2_000)))
    }
}

/// The most orders that a connection queues, also while it is stalled.
const ORDERS_MAX: usize = 4_096;

enum Order {
    Send(String),
    /// Neither reads nor writes until the next `Go`.
    Stall,
    Go,
}

/// The near end of a connection. Dropping it cuts the connection without a close frame.
pub(super) struct Link {
    /// Its index among the oracle's connections.
    pub(super) number: usize,
    /// The index of its user.
    pub(super) user: usize,
    /// The index of the node that it is connected to.
    pub(super) node: usize,
    pub(super) stalled: bool,
    orders: mpsc::Sender<Order>,
    task: AbortHandle,
}

impl Link {
    /// Connects. The client answers a ping of the server after `latency`.
    #[expect(clippy::disallowed_methods, reason = "the task ends with its link or the runtime")]
    pub(super) fn new(
        (number, user, node): (usize, usize, usize),
        stream: DuplexStream,
        latency: Duration,
        oracle: Arc<Mutex<Oracle>>,
    ) -> Self {
        let (orders, waiting) = mpsc::channel(ORDERS_MAX);
        let task = tokio::spawn(run(number, stream, latency, oracle, waiting)).abort_handle();
        Self { number, user, node, stalled: false, orders, task }
    }

    pub(super) fn send(&self, text: String) {
        // A connection that has ended accepts nothing; the workload repeats unanswered requests.
        drop(self.orders.try_send(Order::Send(text)));
    }

    pub(super) fn stall(&mut self, stalled: bool) {
        self.stalled = stalled;
        drop(self.orders.try_send(if stalled { Order::Stall } else { Order::Go }));
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn run(
    number: usize,
    stream: DuplexStream,
    latency: Duration,
    oracle: Arc<Mutex<Oracle>>,
    mut orders: mpsc::Receiver<Order>,
) {
    let mut socket = WebSocketStream::from_raw_socket(stream, Role::Client, None).await;
    let mut stalled = false;
    loop {
        tokio::select! {
            biased;
            order = orders.recv() => match order {
                Some(Order::Send(text)) => {
                    if !stalled && socket.send(Message::text(text)).await.is_err() {
                        break;
                    }
                }
                Some(Order::Stall) => stalled = true,
                Some(Order::Go) => stalled = false,
                None => break,
            },
            frame = socket.next(), if !stalled => {
                match frame {
                    Some(Ok(Message::Text(text))) => oracle.lock().unwrap().receive(number, text.as_str()),
                    Some(Ok(Message::Close(frame))) => {
                        let code = frame.map_or(1005, |frame| frame.code.into());
                        oracle.lock().unwrap().close(number, code);
                    }
                    // The pong leaves with the next poll of the socket, and everything else follows
                    // it.
                    Some(Ok(_)) => sleep(latency).await,
                    Some(Err(_)) | None => break,
                }
            }
        }
    }
    oracle.lock().unwrap().lose(number);
}
