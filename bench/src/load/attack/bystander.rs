//! Clients that are connected before the attack and ping throughout.

use std::{net::Ipv4Addr, net::SocketAddr, time::Duration};

use anyhow::Result;
use futures::future::join_all;
use hdrhistogram::Histogram;
use serde_json::json;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};

use super::report::Pings;
use crate::load::{peer::Peer, report::histogram, setup::hello};

/// Sessions that ping, each from its own address.
const SESSIONS: u8 = 4;

/// The interval of each session's pings, within the server's limit of messages.
const EVERY: Duration = Duration::from_millis(125);

/// A ping that takes longer counts as this long.
const LONGEST: Duration = Duration::from_mins(1);

/// A few connected clients that only ping.
#[derive(Debug)]
pub(super) struct Bystander {
    peers: Vec<Peer>,
    pings: u64,
}

impl Bystander {
    pub(super) async fn connect(address: SocketAddr) -> Result<Self> {
        let mut peers = Vec::new();
        for number in 1..=SESSIONS {
            let from = Ipv4Addr::new(127, 0, 200, number);
            let mut peer = Peer::connect_from(address, from).await?;
            hello(&mut peer, &json!({"guest":format!("bystander{number}")})).await?;
            peers.push(peer);
        }
        Ok(Self { peers, pings: 0 })
    }

    /// Pings until `until`; returns the durations.
    pub(super) async fn ping_until(&mut self, until: Instant) -> Result<Pings> {
        self.pings += 1;
        let round = self.pings;
        let pinging = self.peers.iter_mut().map(|peer| ping_until(peer, round, until));
        let mut all = histogram();
        let mut closed = 0;
        for result in join_all(pinging).await {
            let (one, is_closed) = result?;
            all.add(one)?;
            closed += u64::from(is_closed);
        }
        Ok(Pings::new(&all, closed))
    }
}

async fn ping_until(peer: &mut Peer, round: u64, until: Instant) -> Result<(Histogram<u64>, bool)> {
    let mut times = histogram();
    let mut ticks = interval(EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut count = 0_u64;
    while Instant::now() < until {
        ticks.tick().await;
        count += 1;
        let begun = Instant::now();
        let ping = json!({"type":"ping","id":format!("p{round}-{count}"),"t0":0});
        let answered = timeout(LONGEST, peer.ask_any(&ping)).await;
        times.record(u64::try_from(begun.elapsed().as_micros())?.max(1))?;
        if let Ok(Err(_)) = answered {
            return Ok((times, true));
        }
    }
    Ok((times, false))
}
