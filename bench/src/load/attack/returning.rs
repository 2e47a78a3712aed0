//! A player whose clock runs, and who comes back to the parked game again and again.

use std::{net::Ipv4Addr, net::SocketAddr, time::Duration};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep_until, timeout};

use super::report::Visits;
use crate::load::{
    peer::Peer,
    setup::{begin_game, hello},
};

/// How often the player comes back: the game is parked in between.
const EVERY: Duration = Duration::from_secs(4);

/// How long the player waits.
const PATIENCE: Duration = Duration::from_secs(10);

/// A player who has left a game, at its turn.
#[derive(Debug)]
pub(super) struct Returning {
    address: SocketAddr,
    token: Value,
    game: String,
}

impl Returning {
    /// Begins a game with a running clock; both players leave.
    pub(super) async fn begin(address: SocketAddr) -> Result<Self> {
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
    pub(super) async fn return_until(&self, until: Instant) -> Visits {
        let mut visits = Visits::default();
        loop {
            let begun = Instant::now();
            if begun + EVERY > until {
                return visits;
            }
            visits.came(timeout(PATIENCE, self.come_back()).await, begun);
            sleep_until((begun + EVERY).min(until)).await;
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
