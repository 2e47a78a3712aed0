//! One session of a player in the contest: a task that connects to a node and passes frames on.

use std::{collections::BTreeMap, net::SocketAddr, time::Duration};

use serde_json::Value;
use tokio::{
    sync::mpsc,
    task::JoinSet,
    time::{Instant, timeout},
};

use crate::durability::crash::player::{Connection, Disconnected};

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

/// A request that changed a game.
#[derive(Debug, Clone)]
pub(super) struct Operation {
    pub(super) game: String,
    pub(super) req: String,
    /// The record that it became.
    pub(super) seq: u64,
    /// When its user sent it for the first time.
    pub(super) invoked: Instant,
    /// When its user received the first reply.
    pub(super) acknowledged: Instant,
    /// The newest record of the game that a session of the user had received when it was sent.
    pub(super) known: u64,
}

/// Returns a sentence for each operation that is on record before one that had ended when it began.
pub(super) fn out_of_order(operations: &[Operation]) -> Vec<String> {
    let mut games: BTreeMap<&str, Vec<&Operation>> = BTreeMap::new();
    for operation in operations {
        games.entry(&operation.game).or_default().push(operation);
    }
    let mut found = Vec::new();
    for (game, mut operations) in games {
        operations.sort_by_key(|operation| operation.seq);
        // The operation that began last among those with a smaller seq.
        let mut latest: Option<&Operation> = None;
        for operation in operations {
            let Operation { req, seq, known, .. } = operation;
            if seq <= known {
                found.push(format!("{game}: {req} is record {seq}, and {known} was known before"));
            }
            if let Some(earlier) = latest
                && operation.acknowledged < earlier.invoked
            {
                found.push(format!(
                    "{game}: {req} had ended before {} began, and is a later record ({seq})",
                    earlier.req
                ));
            }
            latest =
                latest.filter(|latest| latest.invoked >= operation.invoked).or(Some(operation));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn operation(req: &str, seq: u64, invoked: u64, acknowledged: u64) -> Operation {
        static BEGAN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
        let at = |ms| *BEGAN.get_or_init(Instant::now) + Duration::from_millis(ms);
        let (game, req) = ("g1".to_owned(), req.to_owned());
        let (invoked, acknowledged) = (at(invoked), at(acknowledged));
        Operation { game, req, seq, invoked, acknowledged, known: seq - 1 }
    }

    #[test]
    fn an_operation_that_had_ended_before_has_the_smaller_seq() {
        let overlapping = [operation("a", 5, 10, 30), operation("b", 4, 20, 40)];
        assert_eq!(out_of_order(&overlapping), Vec::<String>::new());
        let reordered = [operation("a", 5, 10, 15), operation("b", 4, 20, 40)];
        assert_eq!(out_of_order(&reordered).len(), 1);
        let other_game = Operation { game: "g2".to_owned(), ..reordered[1].clone() };
        assert_eq!(out_of_order(&[reordered[0].clone(), other_game]), Vec::<String>::new());
        let stale = Operation { known: 4, ..operation("c", 4, 0, 9) };
        assert_eq!(out_of_order(&[stale]).len(), 1);
    }
}
