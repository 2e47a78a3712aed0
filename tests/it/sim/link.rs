//! One connection of a simulated client: a pipe, a WebSocket over it, and the task at its near end
//! that sends what it is told and has the world hear what comes.

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

use super::oracle::World;

/// Orders that may wait for a connection, one that stands still included.
const ORDERS_MAX: usize = 4_096;

enum Order {
    Send(String),
    /// Neither read nor written until told otherwise.
    Stall,
    Go,
}

/// The near end of a connection. Dropping it cuts the connection without a goodbye.
pub(super) struct Link {
    /// Its place among the world's connections.
    pub(super) number: usize,
    /// Whose it is.
    pub(super) user: usize,
    /// Whether it stands still.
    pub(super) stalled: bool,
    orders: mpsc::Sender<Order>,
    task: AbortHandle,
}

impl Link {
    /// Connects. A ping of the server is answered after `latency`.
    #[expect(clippy::disallowed_methods, reason = "the task ends with its link or the runtime")]
    pub(super) fn new(
        (number, user): (usize, usize),
        stream: DuplexStream,
        latency: Duration,
        world: Arc<Mutex<World>>,
    ) -> Self {
        let (orders, waiting) = mpsc::channel(ORDERS_MAX);
        let task = tokio::spawn(run(number, stream, latency, world, waiting)).abort_handle();
        Self { number, user, stalled: false, orders, task }
    }

    pub(super) fn send(&self, text: String) {
        // A connection that has ended takes nothing; what was sent in vain is sent again.
        let _sent = self.orders.try_send(Order::Send(text));
    }

    pub(super) fn stall(&mut self, stalled: bool) {
        self.stalled = stalled;
        let _sent = self.orders.try_send(if stalled { Order::Stall } else { Order::Go });
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
    world: Arc<Mutex<World>>,
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
                    Some(Ok(Message::Text(text))) => world.lock().unwrap().hear(number, text.as_str()),
                    Some(Ok(Message::Close(frame))) => {
                        let code = frame.map_or(1005, |frame| frame.code.into());
                        world.lock().unwrap().close(number, code);
                    }
                    // The pong leaves with the next look at the socket, and all else stands behind.
                    Some(Ok(_)) => sleep(latency).await,
                    Some(Err(_)) | None => break,
                }
            }
        }
    }
    world.lock().unwrap().lose(number);
}
