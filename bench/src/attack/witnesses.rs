//! Clients that are connected before the attack and ping throughout.

use std::{
    net::{Ipv4Addr, SocketAddr},
    time::Duration,
};

use anyhow::{Context as _, Result, ensure};
use futures::future::join_all;
use hdrhistogram::Histogram;
use memchr::memmem::Finder;
use serde_json::{Value, json};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until, timeout};

use super::report::{Pings, Visits};
use crate::{
    peer::{Peer, begin_game, hello},
    report::histogram,
};

/// Sessions that ping, each from its own address.
const SESSIONS: u8 = 4;

/// The interval of each session's pings, within the server's limit of messages.
const PING_EVERY: Duration = Duration::from_millis(125);

/// A ping that takes longer counts as this long.
const LONGEST: Duration = Duration::from_mins(1);

/// A few connected clients that only ping.
#[derive(Debug)]
pub(crate) struct Bystander {
    peers: Vec<Peer>,
    pings: u64,
}

impl Bystander {
    pub(crate) async fn connect(address: SocketAddr) -> Result<Self> {
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
    pub(crate) async fn ping_until(&mut self, until: Instant) -> Result<Pings> {
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
    let mut ticks = interval(PING_EVERY);
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

/// How often a newcomer connects.
const COME_EVERY: Duration = Duration::from_secs(2);

/// How long a newcomer waits before it gives up.
const PATIENCE: Duration = Duration::from_secs(10);

/// Runs newcomers one after the other, each from its own address.
pub(crate) async fn newcomers(address: SocketAddr, until: Instant) -> Visits {
    let mut newcomers = Visits::default();
    for number in 1..=250_u8 {
        let begun = Instant::now();
        if begun + COME_EVERY > until {
            break;
        }
        newcomers.came(timeout(PATIENCE, play(address, number)).await, begun);
        sleep_until((begun + COME_EVERY).min(until)).await;
    }
    newcomers
}

/// Connects, sends `hello`, challenges a server bot, makes one move and resigns.
async fn play(address: SocketAddr, number: u8) -> Result<()> {
    let mut peer = Peer::connect_from(address, Ipv4Addr::new(127, 0, 201, number)).await?;
    let name = format!("newcomer{number}");
    peer.ask(&json!({
        "type":"hello","id":"h","proto":[1],"auth":{"guest":name},"caps":["legal"]
    }))
    .await
    .context("hello")?;
    let clock = json!({"mode":"fischer","base_ms":180_000,"inc_ms":2_000});
    peer.ask(&json!({
        "type":"challenge","id":"c","rules":"diam","seats":[name,"house"],"clock":clock
    }))
    .await
    .context("challenge")?;
    let turn: Value = loop {
        let text = peer.text().await?;
        if Finder::new(r#""type":"your_turn""#).find(text).is_some() {
            break serde_json::from_slice(text)?;
        }
        let declined = Finder::new(r#""type":"challenge_closed""#).find(text).is_some()
            && Finder::new(r#""reason":"declined""#).find(text).is_some();
        ensure!(!declined, "the house declines: {}", String::from_utf8_lossy(text));
    };
    peer.ask(&json!({
        "type":"move","id":"m","game":turn["game"],"turn":turn["turn"],"move":turn["legal"][0]
    }))
    .await
    .context("move")?;
    peer.ask(&json!({"type":"resign","id":"r","game":turn["game"]})).await.context("resign")?;
    Ok(())
}

/// How often the player comes back: the game is parked in between.
const RETURN_EVERY: Duration = Duration::from_secs(4);

/// A player who has left a game, at its turn.
#[derive(Debug)]
pub(crate) struct Returning {
    address: SocketAddr,
    token: Value,
    game: String,
}

impl Returning {
    /// Begins a game with a running clock; both players leave.
    pub(crate) async fn begin(address: SocketAddr) -> Result<Self> {
        let mut opponent = Peer::connect_from(address, Ipv4Addr::new(127, 0, 203, 2)).await?;
        hello(&mut opponent, &json!({"guest":"opponent"})).await?;
        let mut player = Peer::connect_from(address, home()).await?;
        let welcome = hello(&mut player, &json!({"guest":"returning"})).await?;
        let clock = json!({"mode":"fischer","base_ms":600_000,"inc_ms":0});
        let rules = ("adamas", "");
        let game = begin_game(&mut opponent, &mut player, rules, Some(&clock)).await?;
        let first = json!({"type":"move","id":"m","game":game,"turn":0,"move":"c1-c2"});
        opponent.ask(&first).await.context("the first move")?;
        Ok(Self { address, token: welcome["token"].clone(), game })
    }

    /// Comes back again and again until `until`.
    pub(crate) async fn return_until(&self, until: Instant) -> Visits {
        let mut visits = Visits::default();
        loop {
            let begun = Instant::now();
            if begun + RETURN_EVERY > until {
                return visits;
            }
            visits.came(timeout(PATIENCE, self.come_back()).await, begun);
            sleep_until((begun + RETURN_EVERY).min(until)).await;
        }
    }

    /// Connects, sends `hello`, and asks for the game.
    async fn come_back(&self) -> Result<()> {
        let mut player = Peer::connect_from(self.address, home()).await?;
        hello(&mut player, &json!({"token":self.token})).await.context("hello")?;
        let watch = json!({"type":"watch","id":"w","game":self.game});
        player.ask(&watch).await.context("the game")?;
        Ok(())
    }
}

const fn home() -> Ipv4Addr {
    Ipv4Addr::new(127, 0, 203, 1)
}
