//! Nodes behind HAProxy: where clients land, and where they go when a node is killed or drains.

use std::net::{Ipv4Addr, SocketAddr};

use futures::future::join_all;
use postgres_fixture::{Balancer, Cluster, free_port};
use serde_json::json;
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::{Duration, Instant, timeout},
};

use crate::harness::{Metrics, Node, PATIENCE, Peer, Setup, game, with};

/// Three nodes on a database of their own, behind HAProxy.
struct BalancedNodes {
    nodes: Vec<Node>,
    // Before the folder with its files.
    balancer: Balancer,
    _folder: TempDir,
}

impl BalancedNodes {
    async fn start() -> Self {
        let cluster = Cluster::shared();
        let url = cluster.url(&cluster.create_database());
        let mut nodes = Vec::new();
        for number in 1..=3 {
            let mut setup = Setup::default();
            setup.argument("--no-house");
            setup.set("store", "database", url.as_str());
            setup.set("cluster", "node", format!("n{number}"));
            setup.set("network", "trusted_proxies", vec!["127.0.0.1".to_owned()]);
            nodes.push(Node::start(setup).await);
        }
        let folder = tempfile::tempdir().unwrap();
        let port = free_port().unwrap();
        let places: Vec<_> = (1..)
            .zip(&nodes)
            .map(|(number, node)| (format!("n{number}"), node.address().port()))
            .collect();
        let balancer = Balancer::start(folder.path(), port, &places).unwrap();
        let cluster = Self { nodes, balancer, _folder: folder };
        cluster.know_each_other().await;
        cluster
    }

    /// Waits until each node has seen a heartbeat of the others. A node that stops before that has
    /// no other node for its clients.
    async fn know_each_other(&self) {
        let all = u64::try_from(self.nodes.len()).unwrap();
        let knowing =
            async { while self.values("adamant_nodes").await.iter().any(|n| *n < all) {} };
        timeout(PATIENCE, knowing).await.expect("the nodes know each other");
    }

    fn address(&self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.balancer.port()).into()
    }

    /// Connects a guest through HAProxy, and returns the index of the node.
    async fn guest(&self, name: &str) -> (Peer, usize) {
        let before = self.values("adamant_connections").await;
        let mut peer = Peer::connect(self.address()).await;
        peer.hello_guest(name).await;
        let after = self.values("adamant_connections").await;
        let node = (0..self.nodes.len()).find(|index| after[*index] > before[*index]);
        (peer, node.expect("a node counts the connection"))
    }

    /// Returns the value of a metric at each node.
    async fn values(&self, metric: &str) -> Vec<u64> {
        let metrics = self.nodes.iter().map(|node| Metrics::fetch_at(node.address()));
        let metrics = join_all(metrics).await;
        metrics.iter().map(|metrics| metrics.value(metric)).collect()
    }
}

/// Asks a node without a client library; `None` once the port is closed.
async fn status(address: SocketAddr, path: &str) -> Option<u16> {
    let asking = async {
        let mut stream = TcpStream::connect(address).await.ok()?;
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.ok()?;
        answer.split(' ').nth(1)?.parse().ok()
    };
    timeout(PATIENCE, asking).await.expect("an answer in time")
}

#[tokio::test]
async fn players_and_a_spectator_at_three_nodes_go_on_after_one_is_killed() {
    let mut cluster = BalancedNodes::start().await;
    let (mut ann, at_ann) = cluster.guest("ann").await;
    let (mut bob, at_bob) = cluster.guest("bob").await;
    let (mut eve, at_eve) = cluster.guest("eve").await;
    let mut taken = [at_ann, at_bob, at_eve];
    taken.sort_unstable();
    assert_eq!(taken, [0, 1, 2], "one client at each node");

    let game = game::start_and_play(&mut [&mut ann, &mut bob], 4).await;
    eve.ask(json!({"type": "watch", "game": game, "from": 1})).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 4).await;
    eve.read_up_to(&game, ann.replay(&game).seq()).await;
    assert_eq!(eve.records(&game), ann.records(&game));

    cluster.nodes[at_ann].kill().await;
    ann.expect_cut().await;
    let mut ann = ann.reconnect_to(cluster.address()).await;
    assert_eq!(ann.welcome["games"][0]["resume"], "tail", "{}", ann.welcome);
    game::play_to_end(&mut [&mut ann, &mut bob], &game).await;
    eve.read_up_to(&game, ann.replay(&game).seq()).await;
    assert_eq!(eve.records(&game), ann.records(&game));
    assert_eq!(bob.records(&game), ann.records(&game));
}

#[tokio::test]
async fn a_draining_node_sends_its_clients_to_the_others_one_by_one() {
    let mut cluster = BalancedNodes::start().await;
    let (mut ann, at_ann) = cluster.guest("ann").await;
    let (mut bob, at_bob) = cluster.guest("bob").await;
    assert_ne!(at_ann, at_bob);
    let game = game::start_and_play(&mut [&mut ann, &mut bob], 2).await;
    let address = cluster.nodes[at_ann].address();
    let mut others = Vec::new();
    for _ in 0..12 {
        let mut peer = Peer::connect(address).await;
        peer.hello(json!({})).await;
        others.push(peer);
    }

    assert_eq!(status(address, "/lb").await, Some(200));
    let stopped_at = Instant::now();
    cluster.nodes[at_ann].terminate().await;
    let balancer = cluster.address();
    let notation = game::choose_move(ann.table(&game));
    let asked = with(game::move_request(&ann, &game, &notation), json!({"id": "on leaving"}));
    let leaves = async {
        // The answer may come before the node asks the client to leave, or never.
        ann.send(&asked).await;
        ann.next_of("notice").await;
        assert_eq!(ann.expect_close().await, 1012);
        let mut ann = ann.reconnect_to(balancer).await;
        assert_eq!(ann.welcome["games"][0]["resume"], "tail", "{}", ann.welcome);
        let seq = ann.ask(asked).await["seq"].as_u64().expect("a move is an event");
        ann.read_up_to(&game, seq).await;
        ann
    };
    let closes = join_all(others.iter_mut().map(|peer| async {
        peer.next_of("notice").await;
        assert_eq!(peer.expect_close().await, 1012);
        stopped_at.elapsed()
    }));
    // The balancer gets an answer until the node has ended.
    let checks = async {
        let mut answers = Vec::new();
        while let Some(answer) = status(address, "/lb").await {
            assert_eq!(status(address, "/healthz").await.unwrap_or(200), 200);
            answers.push(answer);
        }
        answers.dedup();
        answers
    };
    let (ann, closed_after, answers) = tokio::join!(leaves, closes, checks);
    assert!(answers.ends_with(&[404]) && answers.len() <= 2, "{answers:?}");
    let (first, last) = (closed_after.iter().min().unwrap(), closed_after.iter().max().unwrap());
    assert!(*first > Duration::from_millis(900), "the balancer notices first: {closed_after:?}");
    assert!(*last > *first + Duration::from_millis(200), "one by one: {closed_after:?}");
    assert!(cluster.nodes[at_ann].wait().await.success());
    let mut ann = ann;
    game::play_to_end(&mut [&mut ann, &mut bob], &game).await;
}
