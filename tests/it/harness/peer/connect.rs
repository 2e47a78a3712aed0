//! How a [`Peer`] connects and says hello.

use std::{
    collections::HashMap,
    net::{Ipv4Addr, SocketAddr},
};

use serde_json::{Value, json};
use tokio::{
    net::{TcpSocket, TcpStream},
    time::timeout,
};
use tokio_tungstenite::tungstenite::{client::IntoClientRequest as _, http::HeaderValue};

use super::client::{Frame, Peer, Stream};
use crate::harness::{node::Node, server::Server, timeout::PATIENCE};

/// The sub-protocol that peers request.
const SUBPROTOCOL: &str = "adamant.v1.json";

/// The password of accounts.
pub(crate) const PASSWORD: &str = "open sesame";

impl Peer {
    /// Connects from a loopback address (127.0.0.0/8) without sending `hello`.
    pub(crate) async fn connect_from(here: [u8; 4], address: SocketAddr) -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind((Ipv4Addr::from(here), 0).into()).expect("an address of this machine");
        let stream = timeout(PATIENCE, socket.connect(address)).await;
        let stream = stream.expect("the server accepts in time").expect("the server accepts");
        stream.set_nodelay(true).expect("the connection is open");
        let peer = Self::over(Box::new(stream), &format!("ws://{address}/v1/ws")).await;
        Self { address: Some(address), ..peer }
    }

    /// Connects without sending `hello`.
    pub(crate) async fn connect(address: SocketAddr) -> Self {
        let stream = timeout(PATIENCE, TcpStream::connect(address)).await;
        let stream = stream.expect("the server accepts in time").expect("the server accepts");
        stream.set_nodelay(true).expect("the connection is open");
        let peer = Self::over(Box::new(stream), &format!("ws://{address}/v1/ws")).await;
        Self { address: Some(address), ..peer }
    }

    /// Upgrades an open connection, such as a TLS one.
    pub(crate) async fn over(stream: Box<dyn Stream>, url: &str) -> Self {
        Self::over_with(stream, url, &[]).await
    }

    /// Upgrades an open connection with further headers.
    pub(crate) async fn over_with(
        stream: Box<dyn Stream>,
        url: &str,
        headers: &[(&'static str, &str)],
    ) -> Self {
        let mut request = url.into_client_request().expect("the address is a URL");
        for (name, value) in headers {
            request.headers_mut().append(*name, value.parse().expect("a header's value"));
        }
        let subprotocol = HeaderValue::from_static(SUBPROTOCOL);
        request.headers_mut().insert("Sec-WebSocket-Protocol", subprotocol);
        let upgraded = timeout(PATIENCE, tokio_tungstenite::client_async(request, stream)).await;
        let (socket, _) = upgraded.expect("an upgrade in time").expect("an upgrade");
        Self {
            name: "anonymous".to_owned(),
            socket: Some(socket),
            frames: Vec::new(),
            known: HashMap::new(),
            close: None,
            welcome: Value::Null,
            token: None,
            address: None,
        }
    }

    /// Connects as a guest of that name.
    pub(crate) async fn guest(server: &Server, name: &str) -> Self {
        let mut peer = Self::connect(server.address()).await;
        peer.hello_guest(name).await;
        peer
    }

    /// Connects to a node as a guest of that name.
    pub(crate) async fn guest_at(node: &Node, name: &str) -> Self {
        let mut peer = Self::connect(node.address()).await;
        peer.hello_guest(name).await;
        peer
    }

    /// Connects to a node with a token.
    pub(crate) async fn with_token_at(node: &Node, token: &str) -> Self {
        let mut peer = Self::connect(node.address()).await;
        peer.hello(json!({"auth": {"token": token}})).await;
        peer
    }

    /// Connects with another peer's token to this peer's node. What that user is sent on this node
    /// has then reached the node.
    pub(crate) async fn beside(&self, user: &Self) -> Self {
        let address = self.address.expect("the peer has connected by itself");
        let mut peer = Self::connect(address).await;
        peer.hello(json!({"auth": {"token": user.token}})).await;
        peer
    }

    /// Connects and signs up with [`PASSWORD`].
    pub(crate) async fn account(server: &Server, name: &str) -> Self {
        let mut peer = Self::anonymous(server).await;
        let ok = peer.ask(json!({"type": "signup", "user": name, "password": PASSWORD})).await;
        peer.name = ok["user"].as_str().expect("an account has a name").to_owned();
        peer.token = ok["token"].as_str().map(str::to_owned);
        peer
    }

    /// Connects with a token.
    pub(crate) async fn with_token(server: &Server, token: &str) -> Self {
        let mut peer = Self::connect(server.address()).await;
        peer.hello(json!({"auth": {"token": token}})).await;
        peer
    }

    /// Connects anonymously, without a user.
    pub(crate) async fn anonymous(server: &Server) -> Self {
        let mut peer = Self::connect(server.address()).await;
        peer.hello(json!({})).await;
        peer
    }

    /// Sends `hello` as a guest.
    pub(crate) async fn hello_guest(&mut self, name: &str) -> Frame {
        self.hello(json!({"auth": {"guest": name}})).await
    }

    /// Sends `hello` with these fields besides the protocol's version. The server must welcome it.
    pub(crate) async fn hello(&mut self, mut fields: Value) -> Frame {
        fields["type"] = json!("hello");
        if fields.get("proto").is_none() {
            fields["proto"] = json!([1]);
        }
        let welcome = self.request(fields).await;
        assert_eq!(welcome["type"], "welcome", "{}", self.recent_frames());
        welcome
    }

    /// Cuts the connection and connects again as the same user, with cursors for all known games.
    pub(crate) async fn reconnect(self, server: &Server) -> Self {
        self.reconnect_to(server.address()).await
    }

    /// The same at another address.
    pub(crate) async fn reconnect_to(self, address: SocketAddr) -> Self {
        let resume: serde_json::Map<String, Value> =
            self.known.keys().map(|game| (game.clone(), self.cursor(game))).collect();
        let Self { socket, known, token, .. } = self;
        drop(socket);
        let mut back = Self::connect(address).await;
        back.known = known;
        back.token.clone_from(&token);
        back.hello(json!({"auth": {"token": token}, "resume": resume})).await;
        back
    }
}
