//! A client without a socket.

use std::sync::Arc;

use adamant_protocol::{CloseCode, EventBody, ToClient, to_client::Failed};

use super::script::Script;
use crate::{
    outbound::{
        SessionEnd, SessionId,
        client::{Caller, ClientHandle, ClientPrefs, RoomRequests},
        frame::Frame,
        outbox::{OutboxReader, outbox},
    },
    room::{Command, JoinFrom, PlayerAction, command::ActRequest, input::Input},
};

/// A session, and the frames that it has received.
pub(crate) struct Client {
    pub(crate) handle: Arc<ClientHandle>,
    pub(crate) received: OutboxReader,
}

impl Client {
    /// Returns the session with this number of a user.
    pub(crate) fn new(session: u64, user: &str) -> Self {
        Self::of(session, user, false)
    }

    /// Returns the session of a server bot.
    pub(super) fn house(session: u64, user: &str) -> Self {
        Self::of(session, user, true)
    }

    fn of(session: u64, user: &str, house: bool) -> Self {
        let session = SessionId(session);
        let (outbox, received) = outbox(session, None);
        let handle = ClientHandle {
            session,
            user: Some(user.parse().unwrap()),
            from: None,
            quota: None,
            bot: house,
            house,
            guest: !house,
            is_lent: false,
            prefs: ClientPrefs::default(),
            muted: Arc::default(),
            outbox,
            room_requests: RoomRequests::default(),
            close_on_drop: None,
        };
        Self { handle: Arc::new(handle), received }
    }

    pub(crate) fn caller(&self) -> Caller {
        Caller::uncounted(Arc::clone(&self.handle))
    }

    /// Returns the command that joins the session to its game, from the first event on.
    pub(crate) fn joins(&self) -> Command {
        self.joins_from(None, JoinFrom::Seq(1))
    }

    pub(super) fn joins_from(&self, re: Option<&str>, from: JoinFrom) -> Command {
        let re = re.map(|re| re.parse().unwrap());
        Command::join(self.caller(), re, from, false)
    }

    pub(super) fn join(&self, script: &mut Script) {
        script.send(self.joins());
    }

    /// Returns the command that carries out an action.
    pub(crate) fn acts(&self, id: &str, action: PlayerAction, received_at: u64) -> Command {
        let (client, re) = (self.caller(), id.parse().unwrap());
        Command::Act(Box::new(ActRequest {
            client,
            re,
            action,
            received_at,
            lag_ms: 0,
            followed: false,
            knows_presence: false,
        }))
    }

    /// Sends an action to the room, which asks the store.
    pub(super) fn start_act(&self, script: &mut Script, id: &str, action: PlayerAction) {
        script.hand(Input::Command(self.acts(id, action, script.now)));
    }

    /// Carries out an action, and returns the response.
    pub(super) fn act(&mut self, script: &mut Script, id: &str, action: PlayerAction) -> ToClient {
        self.act_at(script, id, action, script.now)
    }

    /// Carries out an action that arrived at this time, and returns the response.
    pub(super) fn act_at(
        &mut self,
        script: &mut Script,
        id: &str,
        action: PlayerAction,
        received_at: u64,
    ) -> ToClient {
        script.send(self.acts(id, action, received_at));
        self.next_reply()
    }

    /// Returns the next frame, if one has arrived.
    pub(super) fn frame(&mut self) -> Option<Frame> {
        self.received.pop()
    }

    /// Returns the messages that have arrived.
    pub(super) fn messages(&mut self) -> Vec<ToClient> {
        std::iter::from_fn(|| self.frame())
            .map(|frame| ToClient::from_bytes(frame.payload()).unwrap().unwrap())
            .collect()
    }

    pub(super) fn next_message(&mut self) -> ToClient {
        let frame = self.frame().expect("a message has arrived");
        ToClient::from_bytes(frame.payload()).unwrap().unwrap()
    }

    /// Returns the next event, and skips other messages.
    pub(super) fn next_event(&mut self) -> EventBody {
        loop {
            if let ToClient::Event(frame) = self.next_message() {
                return frame.body;
            }
        }
    }

    /// Returns the last event that has arrived.
    pub(super) fn last_event(&mut self) -> EventBody {
        let mut events = self.messages().into_iter().filter_map(|message| {
            if let ToClient::Event(frame) = message { Some(frame.body) } else { None }
        });
        events.next_back().expect("an event has arrived")
    }

    /// Returns the next response, and skips other messages.
    pub(super) fn next_reply(&mut self) -> ToClient {
        loop {
            let message = self.next_message();
            if message.re().is_some() {
                return message;
            }
        }
    }

    pub(super) fn next_refusal(&mut self) -> Failed {
        let reply = self.next_reply();
        let ToClient::Error(failed) = reply else { panic!("{reply:?}") };
        failed
    }

    /// Returns why the server has closed the session, if it has.
    pub(super) fn closed(&self) -> Option<CloseCode> {
        match self.received.end_reason() {
            Some(SessionEnd::Close(code)) => Some(code),
            Some(SessionEnd::Disconnected) | None => None,
        }
    }
}

/// Returns the kinds of the events among the messages.
pub(super) fn event_kinds(messages: &[ToClient]) -> Vec<&str> {
    let mut kinds = Vec::new();
    for message in messages {
        if let ToClient::Event(frame) = message {
            kinds.push(frame.body.kind());
        }
    }
    kinds
}

pub(super) fn move_to(turn: u32, notation: &str) -> PlayerAction {
    PlayerAction::Move { turn, notation: notation.into() }
}

/// Makes the first move of each of two players, so that the no-show timer is off.
pub(super) fn both_move(script: &mut Script) {
    for (session, user, action) in
        [(91, "ann", move_to(0, "c1-c2")), (92, "bob", move_to(1, "c5-c4"))]
    {
        let reply = Client::new(session, user).act(script, "first", action);
        assert!(matches!(reply, ToClient::Ok(_)), "{reply:?}");
    }
}
