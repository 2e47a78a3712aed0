//! New clients that try to play during the attack.

use std::{
    net::{Ipv4Addr, SocketAddr},
    time::Duration,
};

use anyhow::{Context as _, Result, ensure};
use memchr::memmem::Finder;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep_until, timeout};

use super::report::Visits;
use crate::load::peer::Peer;

/// How often a newcomer connects.
const EVERY: Duration = Duration::from_secs(2);

/// How long a newcomer waits before it gives up.
const PATIENCE: Duration = Duration::from_secs(10);

/// Runs newcomers one after the other, each from its own address.
pub(super) async fn run_until(address: SocketAddr, until: Instant) -> Visits {
    let mut newcomers = Visits::default();
    for number in 1..=250_u8 {
        let begun = Instant::now();
        if begun + EVERY > until {
            break;
        }
        newcomers.came(timeout(PATIENCE, play(address, number)).await, begun);
        sleep_until((begun + EVERY).min(until)).await;
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
