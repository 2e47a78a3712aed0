//! The server that the chaos mode starts behind its relay.

use std::{
    net::{IpAddr, SocketAddr},
    path::Path,
};

use adamant_chaos::{MessageRate, Server};

use crate::{
    app::App,
    config::{Config, StoreConfig},
    limits::PACED_MAX,
    runtime::shutdown::NoSignals,
};

/// A server without bots, whose limits let the client and its opponent connect from one address.
#[derive(Debug)]
pub struct ChaosServer {
    app: App,
    rate: MessageRate,
}

impl Server for ChaosServer {
    async fn start(directory: &Path, ip: IpAddr) -> anyhow::Result<Self> {
        let mut config = Config { store: StoreConfig::at(directory), ..Config::default() };
        config.network.listen = SocketAddr::new(ip, 0);
        config.games.house = false;
        config.games.loops = Some(1);
        // The client's sessions and the opponent's come from one address.
        config.limits.upgrades_per_min = 1_000;
        config.limits.connections = 200;
        let (burst, per_s) = (config.limits.messages_burst, config.limits.messages_per_s);
        let rate = MessageRate {
            // The server lets a client be ahead of its rate by as much.
            burst: u64::from(burst) + u64::from(per_s) * PACED_MAX.as_secs(),
            per_s: per_s.into(),
        };
        Ok(Self { app: Box::pin(App::start(&config)).await?, rate })
    }

    fn address(&self) -> SocketAddr {
        self.app.address
    }

    fn message_rate(&self) -> MessageRate {
        self.rate
    }

    async fn stop(self) {
        self.app.lifecycle.soft.cancel();
        self.app.run(NoSignals, |_| {}).await;
        self.app.close().await;
    }
}
