//! The port of a node whose store is not open yet.

use std::{io::ErrorKind, net::SocketAddr, pin::pin};

use tokio::{
    net::{TcpListener, TcpStream},
    select,
};

use crate::{
    app::{App, StartError},
    config::Config,
};

/// A database that accepts connections and never answers, and a node of it.
async fn waiting_node(listen: SocketAddr) -> (TcpListener, Config, tempfile::TempDir) {
    let directory = tempfile::tempdir().unwrap();
    let database = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut config = Config::default();
    config.store.data = directory.path().to_owned();
    let url = format!("postgres://a@{}/a?sslmode=disable", database.local_addr().unwrap());
    config.store.database = Some(url.into());
    config.cluster.node = Some("one".to_owned());
    config.network.listen = listen;
    (database, config, directory)
}

#[tokio::test]
async fn connections_are_refused_until_a_node_is_ready() {
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let (database, config, _directory) = waiting_node(free).await;
    let mut starting = pin!(App::start(&config));
    select! {
        biased;
        started = &mut starting => panic!("{started:?}"),
        accepted = database.accept() => drop(accepted.unwrap()),
    }
    let refused = TcpStream::connect(free).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::ConnectionRefused);
}

#[tokio::test]
async fn a_node_whose_port_is_in_use_fails_before_it_touches_the_store() {
    let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (database, config, _directory) = waiting_node(taken.local_addr().unwrap()).await;
    let failed = select! {
        biased;
        _ = database.accept() => panic!("the node has dialled its database"),
        started = App::start(&config) => started.unwrap_err(),
    };
    assert!(matches!(failed, StartError::Bind(_)), "{failed}");
}
