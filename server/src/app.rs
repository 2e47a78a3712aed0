//! The only file that constructs everything.

use std::{
    net::SocketAddr,
    sync::{Arc, atomic::AtomicU64},
};

use crate::{
    accounts::Accounts,
    config::Config,
    edge::{Edge, EdgeError},
    house,
    lifecycle::Lifecycle,
    lobby::Lobby,
    room::RoomContext,
    rooms::Rooms,
    session::Services,
    store::{Sqlite, StoreError, sqlite::OpenError},
    time::TimeSource,
};

/// Why the server did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The store cannot be opened.
    #[error(transparent)]
    Store(#[from] OpenError),
    /// The store cannot be read or written.
    #[error(transparent)]
    StoreUse(#[from] StoreError),
    /// The port cannot be served.
    #[error(transparent)]
    Edge(#[from] EdgeError),
    /// The house player's account cannot be used.
    #[error("the house player has no account: {0}")]
    House(#[from] crate::accounts::AuthError),
    /// The operating system does not tell the address.
    #[error("the address that is listened on is unknown: {0}")]
    Address(std::io::Error),
}

/// A server that runs.
#[derive(Debug)]
pub struct App {
    /// Where it listens.
    pub address: SocketAddr,
    /// How to stop it.
    pub lifecycle: Lifecycle,
    store: Sqlite,
}

impl App {
    /// Starts everything. When this returns, connections are accepted and every live game goes on.
    pub async fn start(config: &Config) -> Result<Self, StartError> {
        // The port first: a second server on it should fail before it touches the store.
        let edge = Edge::bind(&config.network).await?;
        let address = edge.address().map_err(StartError::Address)?;
        let scheme = if edge.is_encrypted() { "wss" } else { "ws" };
        let lifecycle = Lifecycle::default();
        let time = TimeSource::from_system();

        let (store, found) = Sqlite::open(&config.store.data, config.store.flush_delay)?;
        let context = RoomContext {
            journal: Arc::new(store.clone()),
            time,
            lifecycle: lifecycle.clone(),
            park_after: config.games.park_after,
        };
        let rooms = Rooms::new(context, store.clone());
        let parked = found.parked;
        let live = rooms.recover(found.hot).await;
        tracing::info!(live, parked, data = %config.store.data.display(), "games recovered");

        let accounts = Accounts::new(store.clone(), time);
        let house = if config.games.house { house::account(&accounts).await? } else { None };
        let lobby = Lobby::open(rooms.clone(), accounts.clone(), time, house.is_some()).await?;
        let services = Services {
            lobby,
            rooms,
            accounts,
            time,
            limits: Arc::new(config.limits.clone()),
            lifecycle: lifecycle.clone(),
            last_session: Arc::new(AtomicU64::new(0)),
        };
        if let Some(token) = house {
            lifecycle.tasks.spawn(house::play(services.clone(), token));
        }
        if !config.limits.enforced {
            tracing::warn!("LIMITS ARE OFF: rates and per-address caps are not enforced");
        }
        lifecycle.tasks.spawn(edge.serve(services));
        tracing::info!("listening on {scheme}://{address}{}", adamant_protocol::WEBSOCKET_PATH);
        Ok(Self { address, lifecycle, store })
    }

    /// Waits until everything that was handed to the store is durable and in its file.
    pub async fn close_store(&self) {
        self.store.close().await;
    }
}
