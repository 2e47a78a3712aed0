//! What a program holds: a [`Client`] that sends requests and an [`Inbox`] that receives. Both are
//! ends of queues to the task that owns the socket; see `driver`.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use adamant_protocol::{
    PROTOCOL_VERSION,
    codec::{FRAME_BYTES_MAX, encode_request},
    from_client::{Challenge, FromClient, Hello, Move},
    ids::{RequestId, RulesName, UserName},
    to_client::{Done, ToClient, Welcome, YourTurn},
};
use tokio::sync::{mpsc, oneshot};
use tokio_util::task::TaskTracker;

use crate::{
    config::Config,
    dial::{Dial, Network, open},
    driver::{Command, Driver, Endpoint, INBOX_MAX},
    error::{ConnectError, DisconnectReason, RequestError},
    incoming::Incoming,
    pending::{Ids, Request, is_act, is_repeatable, retry_wait},
    subscriptions::Subscriptions,
};

/// The capacity of the queue of requests to the task. Further callers wait.
const COMMANDS_MAX: usize = 64;

/// Sends requests to a server. Clones share the connection, which closes with the last of them.
#[derive(Debug, Clone)]
pub struct Client {
    commands: mpsc::Sender<Command>,
    ids: Arc<Ids>,
    ended: Arc<OnceLock<DisconnectReason>>,
    retry_wait_max: Duration,
    tasks: TaskTracker,
}

/// Receives the messages that are no replies, and changes of the connection.
///
/// A program should read it all the time. If its queue is full, the client drops the connection and
/// reconnects once there is room. No event of a game is lost by that.
#[derive(Debug)]
pub struct Inbox {
    incoming: mpsc::Receiver<Incoming>,
}

impl Inbox {
    /// Receives the next message; `None` once the connection has ended for good. It is cancel-safe:
    /// a dropped future loses no message.
    pub async fn next(&mut self) -> Option<Incoming> {
        self.incoming.recv().await
    }
}

impl Client {
    /// Opens a connection over the network and a session on it.
    pub async fn connect(config: Config) -> Result<(Self, Inbox, Box<Welcome>), ConnectError> {
        let network = Network::new(config.address.clone(), config.extra_ca.as_deref())?;
        Self::connect_over(config, Arc::new(network)).await
    }

    /// Opens a session over the streams of `dial`.
    pub async fn connect_over(
        config: Config,
        dial: Arc<dyn Dial>,
    ) -> Result<(Self, Inbox, Box<Welcome>), ConnectError> {
        let ids = Arc::new(Ids::new());
        let subscriptions = Subscriptions::new(config.resume);
        let mut hello = Hello::new(ids.next(), vec![PROTOCOL_VERSION]);
        hello.client = Some(config.software);
        hello.auth = config.auth;
        hello.caps = config.caps;
        let mut endpoint =
            Endpoint { dial, address: config.address, hello, reconnect: config.reconnect };
        let hello = endpoint.hello(subscriptions.cursors(FRAME_BYTES_MAX));
        let (socket, welcome) = open(endpoint.dial.as_ref(), &endpoint.address, hello).await?;
        endpoint.record_welcome(&welcome);

        let retry_wait_max = config.retry_wait_max;
        let (commands, commands_rx) = mpsc::channel(COMMANDS_MAX);
        let (incoming_tx, incoming) = mpsc::channel(INBOX_MAX);
        let ended = Arc::new(OnceLock::new());
        let driver = Driver::new(
            endpoint,
            subscriptions,
            Arc::clone(&ids),
            commands_rx,
            incoming_tx,
            Arc::clone(&ended),
        );
        let tasks = TaskTracker::new();
        tasks.spawn(driver.run(socket, welcome.clone()));
        tasks.close();
        Ok((Self { commands, ids, ended, retry_wait_max, tasks }, Inbox { incoming }, welcome))
    }

    /// Sends a request and waits for its reply.
    ///
    /// `make` gets the id to use. Acts of a game (moves, resigning, aborting, offers and their
    /// answers) survive a lost connection: the client sends them again until the server answers.
    /// Any other request fails with [`RequestError::ConnectionLost`].
    ///
    /// A request that the server refuses for now is sent again under the same id after the time that
    /// the server names, some times, and up to [`Config::retry_wait_max`].
    pub async fn request<R: Into<FromClient>>(
        &self,
        make: impl FnOnce(RequestId) -> R,
    ) -> Result<ToClient, RequestError> {
        let message: FromClient = make(self.ids.next()).into();
        let text = encode_request(&message);
        if text.len() > FRAME_BYTES_MAX {
            return Err(RequestError::TooLarge { bytes: text.len() });
        }
        let mut attempt = 0;
        loop {
            let failed = match self.reply(message.clone(), text.clone()).await? {
                ToClient::Error(failed) => failed,
                reply => return Ok(reply),
            };
            let is_repeatable = is_repeatable(&message);
            match retry_wait(&failed, is_repeatable, attempt, self.retry_wait_max) {
                Some(wait) => tokio::time::sleep(wait).await,
                None => return Err(RequestError::Refused(Box::new(failed))),
            }
            attempt += 1;
        }
    }

    /// Sends a request once on each connection and returns its reply.
    async fn reply(&self, message: FromClient, text: String) -> Result<ToClient, RequestError> {
        let (reply_to, reply) = oneshot::channel();
        let request =
            Request { id: message.id().clone(), text, is_act: is_act(&message), reply_to };
        let command = Command::Request { message: Box::new(message), request };
        self.commands.send(command).await.map_err(|_| self.closed())?;
        reply.await.unwrap_or_else(|_| Err(self.closed()))
    }

    /// Sends a request that the server answers with `ok`, and waits for it.
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

    /// Challenges users to a casual game without clocks. `seats` are the users by seat, this one
    /// included.
    pub async fn challenge(
        &self,
        rules: &RulesName,
        seats: &[UserName],
    ) -> Result<Done, RequestError> {
        let (rules, seats) = (rules.clone(), seats.to_vec());
        self.done(|id| Challenge::new(id, rules, seats)).await
    }

    /// Makes a move in answer to a turn.
    pub async fn play(&self, turn: &YourTurn, notation: &str) -> Result<Done, RequestError> {
        let (game, turn) = (turn.game.clone(), turn.turn);
        self.done(|id| Move::new(id, game, turn, notation.into())).await
    }

    /// Ends the wait before the next attempt to connect, for example because a person is there.
    /// Without such a wait it does nothing.
    pub fn reconnect_now(&self) {
        // While the queue is full, the task is not waiting.
        self.commands.try_send(Command::Reconnect).ok();
    }

    /// Closes the connection with a closing handshake and waits for its end. Clones see it closed.
    pub async fn close(self) {
        // The task may have ended.
        self.commands.send(Command::Close).await.ok();
        self.tasks.wait().await;
    }

    fn closed(&self) -> RequestError {
        let reason = self.ended.get().cloned().unwrap_or(DisconnectReason::ClosedHere);
        RequestError::Closed(reason)
    }
}
