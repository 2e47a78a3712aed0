//! One connection of a simulated client: a pipe, a WebSocket over it, and a task that sends what
//! the link orders and reports what it receives to the oracle.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use futures::{SinkExt as _, StreamExt as _};
use tokio::{io::DuplexStream, sync::mpsc, task::AbortHandle, time::sleep};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{Message, protocol::Role},
};

use super::oracle::Oracle;

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
    /// Whether it is stalled.
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
