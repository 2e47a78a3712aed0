//! One session of a player in the contest: a task that connects to a node and passes frames on.

use std::{net::SocketAddr, time::Duration};

use serde_json::Value;
use tokio::{sync::mpsc, task::JoinSet, time::timeout};

use crate::durability::crash::link::{Connection, Disconnected};

/// The longest that a connection and its `hello` may take.
const OPEN_MAX: Duration = Duration::from_secs(2);

/// Orders and events that wait at most.
const QUEUED_MAX: usize = 8_192;

/// What a hand is to do.
#[derive(Debug)]
pub(super) enum HandOrder {
    /// Connect with these cursors.
    Open { address: SocketAddr, resume: Value },
    /// Send a frame.
    Send(String),
    /// Cut the connection.
    Cut,
}

/// What a hand has seen.
#[derive(Debug)]
pub(super) enum Seen {
    /// The server's `welcome`.
    Opened(Value),
    /// A frame.
    Frame(String),
    /// The connection is no more.
    Lost,
}

/// The rival's end of all its hands.
pub(super) struct Hands {
    orders: Vec<mpsc::Sender<HandOrder>>,
    seen: mpsc::Receiver<(usize, Seen)>,
    // Ends the tasks.
    _tasks: JoinSet<()>,
}

impl Hands {
    /// Starts hands that are not connected.
    pub(super) fn start(number: usize, token: &Value) -> Self {
        let (sender, seen) = mpsc::channel(QUEUED_MAX);
        let mut tasks = JoinSet::new();
        let orders = (0..number)
            .map(|hand| {
                let (orders, received) = mpsc::channel(QUEUED_MAX);
                tasks.spawn(run(hand, token.clone(), received, sender.clone()));
                orders
            })
            .collect();
        Self { orders, seen, _tasks: tasks }
    }

    /// Gives an order.
    pub(super) fn order(&self, hand: usize, order: HandOrder) {
        self.orders[hand].try_send(order).expect("a hand takes its orders");
    }

    /// Waits for what any hand sees next.
    pub(super) async fn next(&mut self) -> (usize, Seen) {
        self.seen.recv().await.expect("the hands live as long as this")
    }

    /// What a hand has seen and waits.
    pub(super) fn waiting(&mut self) -> Option<(usize, Seen)> {
        self.seen.try_recv().ok()
    }
}

async fn run(
    hand: usize,
    token: Value,
    mut orders: mpsc::Receiver<HandOrder>,
    seen: mpsc::Sender<(usize, Seen)>,
) {
    let mut link: Option<Connection> = None;
    loop {
        let event = tokio::select! {
            order = orders.recv() => match order {
                None => return,
                Some(HandOrder::Open { address, resume }) => {
                    let opening = Connection::open(address, Some(&token), &resume);
                    if let Ok(Ok((opened, welcome))) = timeout(OPEN_MAX, opening).await {
                        link = Some(opened.without_validation());
                        Seen::Opened(welcome)
                    } else {
                        link = None;
                        Seen::Lost
                    }
                }
                Some(HandOrder::Send(frame)) => {
                    let Some(open) = &mut link else { continue };
                    match open.send(&frame).await {
                        Ok(()) => continue,
                        Err(_) => Seen::Lost,
                    }
                }
                Some(HandOrder::Cut) if link.is_some() => Seen::Lost,
                Some(HandOrder::Cut) => continue,
            },
            frame = next(&mut link) => match frame {
                Ok(frame) => Seen::Frame(frame),
                Err(_) => Seen::Lost,
            },
        };
        if matches!(event, Seen::Lost) {
            link = None;
        }
        if seen.send((hand, event)).await.is_err() {
            return;
        }
    }
}

/// The next frame of a connection; never, without one.
async fn next(link: &mut Option<Connection>) -> Result<String, Disconnected> {
    match link {
        Some(link) => link.next().await,
        None => std::future::pending().await,
    }
}
