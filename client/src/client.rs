//! What a program holds: a [`Client`] to ask and an [`Inbox`] to listen. Both are ends of queues to
//! the task that owns the socket; see `driver`.

use std::sync::{Arc, OnceLock};

use adamant_protocol::{
    FRAME_BYTES_MAX, FromClient, PROTOCOL_VERSION, RequestId, ToClient,
    codec::encode_request,
    from_client::{Cursor, Hello},
    to_client::{Done, Welcome},
    values::Named,
};
use tokio::sync::{mpsc, oneshot};
use tokio_util::task::TaskTracker;

use crate::{
    Config, ConnectError, Dial, DisconnectReason, RequestError,
    dial::Network,
    driver::{Command, Driver, INBOX_MAX, Line},
    followed::Followed,
    ids::Ids,
    incoming::Incoming,
    open::open,
    pending::{Request, is_act},
};

/// Requests that may wait for the task to look at them. Whoever sends more waits.
const COMMANDS_MAX: usize = 64;

/// Asks the server. Clones share the connection, which closes when the last of them is dropped.
#[derive(Debug, Clone)]
pub struct Client {
    commands: mpsc::Sender<Command>,
    ids: Arc<Ids>,
    ended: Arc<OnceLock<DisconnectReason>>,
    tasks: TaskTracker,
}

/// Hears what the server says unasked, and how the connection fares.
///
/// It should be read all the time. If it is not and its queue is full, the connection is given up
/// and opened again once there is room; nothing of a game is lost by that.
#[derive(Debug)]
pub struct Inbox {
    incoming: mpsc::Receiver<Incoming>,
}

impl Inbox {
    /// The next thing heard; `None` once the connection has ended for good. Nothing is lost if the
    /// future is dropped.
    pub async fn next(&mut self) -> Option<Incoming> {
        self.incoming.recv().await
    }
}

impl Client {
    /// Opens a connection over the network and says hello.
    pub async fn connect(config: Config) -> Result<(Self, Inbox, Box<Welcome>), ConnectError> {
        let network = Network::new(config.address.clone(), config.extra_ca.as_deref())?;
        Self::connect_over(config, Arc::new(network)).await
    }

    /// The same over streams that `dial` opens.
    pub async fn connect_over(
        config: Config,
        dial: Arc<dyn Dial>,
    ) -> Result<(Self, Inbox, Box<Welcome>), ConnectError> {
        let ids = Arc::new(Ids::new());
        let followed = Followed::new(config.resume);
        let mut line = Line {
            dial,
            address: config.address,
            hello: Hello {
                id: ids.next(),
                proto: vec![PROTOCOL_VERSION],
                client: Some(config.software),
                auth: config.auth,
                caps: config.caps,
                resume: Named::<Cursor>::default(),
            },
            reconnect: config.reconnect,
        };
        let hello = line.hello(followed.cursors());
        let (socket, welcome) = open(line.dial.as_ref(), &line.address, hello).await?;
        line.welcomed(&welcome);

        let (commands, commands_rx) = mpsc::channel(COMMANDS_MAX);
        let (incoming_tx, incoming) = mpsc::channel(INBOX_MAX);
        let ended = Arc::new(OnceLock::new());
        let driver = Driver::new(
            line,
            followed,
            Arc::clone(&ids),
            commands_rx,
            incoming_tx,
            Arc::clone(&ended),
        );
        let tasks = TaskTracker::new();
        tasks.spawn(driver.run(socket, welcome.clone()));
        tasks.close();
        Ok((Self { commands, ids, ended, tasks }, Inbox { incoming }, welcome))
    }

    /// Sends a request and waits for its reply.
    ///
    /// `make` is given the id to use. Acts of a game (moves, resigning, aborting, offers and their
    /// answers) outlive a lost connection: they are sent again until the server has answered.
    /// Anything else fails with [`RequestError::ConnectionLost`].
    pub async fn request<R: Into<FromClient>>(
        &self,
        make: impl FnOnce(RequestId) -> R,
    ) -> Result<ToClient, RequestError> {
        let message: FromClient = make(self.ids.next()).into();
        let text = encode_request(&message);
        if text.len() > FRAME_BYTES_MAX {
            return Err(RequestError::TooLarge { bytes: text.len() });
        }
        let (reply_to, reply) = oneshot::channel();
        let request =
            Request { id: message.id().clone(), text, is_act: is_act(&message), reply_to };
        let command = Command::Request { message: Box::new(message), request };
        self.commands.send(command).await.map_err(|_| self.closed())?;
        match reply.await {
            Ok(Ok(ToClient::Error(failed))) => Err(RequestError::Refused(Box::new(failed))),
            Ok(reply) => reply,
            Err(_) => Err(self.closed()),
        }
    }

    /// Sends a request that is answered with `ok`, and waits for that.
    pub async fn done<R: Into<FromClient>>(
        &self,
        make: impl FnOnce(RequestId) -> R,
    ) -> Result<Done, RequestError> {
        let reply = self.request(make).await?;
        if let ToClient::Ok(done) = reply {
            Ok(done)
        } else {
            let kind = reply.kind();
            Err(RequestError::Unreadable(format!("{kind} is not the reply expected here")))
        }
    }

    /// Closes the connection politely and waits until that is done. Clones see it closed.
    pub async fn close(self) {
        // A driver that is gone already has nothing left to close.
        self.commands.send(Command::Close).await.ok();
        self.tasks.wait().await;
    }

    fn closed(&self) -> RequestError {
        let reason = self.ended.get().cloned().unwrap_or(DisconnectReason::ClosedHere);
        RequestError::Closed(reason)
    }
}
