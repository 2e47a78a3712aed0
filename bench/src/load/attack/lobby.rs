//! Attacks on the lobby: challenges, seeks and watchers.

use std::net::Ipv4Addr;

use anyhow::{Context as _, Result};
use futures::future::join_all;
use serde_json::json;

use super::{
    arena::Arena,
    attacker::{Attacker, Tally, attacker, pause},
};

/// Guests of one address who challenge one user.
const CHALLENGERS: usize = 60;

/// The share of the attack in which challenges are made, before their target reconnects.
const RETURN_AFTER: f64 = 0.4;

/// Sessions of one address that seek.
const SEEKERS: usize = 95;

/// Seeks that each session tries to keep open.
const SEEKS: usize = 8;

/// Addresses of lobby watchers, and watchers of each.
const WATCHING: (u8, usize) = (15, 95);

pub(super) async fn challenges(arena: Arena, tally: &Tally) -> Result<()> {
    let begun = tokio::time::Instant::now();
    let making = Arena { until: begun + (arena.until - begun).mul_f64(RETURN_AFTER), ..arena };
    let home = Ipv4Addr::new(127, 0, 202, 1);
    let target = Attacker::enter(arena, home, &json!({"guest":"target"}), &Tally::default()).await;
    let target = target.context("the target is let in")?;
    let auth = json!({"token":target.welcome["token"]});
    drop(target);
    let challenging = (0..CHALLENGERS).map(|number| async move {
        let name = format!("stranger{number}");
        let guest = Attacker::enter(making, attacker(1), &json!({"guest":name}), tally).await;
        let Some(mut guest) = guest else { return Ok(()) };
        let challenge = json!({"type":"challenge","rules":"adamas","seats":[name,"target"]});
        while making.is_running() {
            if let Err(wait) = guest.ask(making, "challenges", challenge.clone()).await? {
                pause(making, wait).await;
            }
        }
        anyhow::Ok(())
    });
    drop(join_all(challenging).await);
    while arena.is_running() {
        match Attacker::enter(arena, home, &auth, &Tally::default()).await {
            Some(mut target) => {
                let ping = json!({"type":"ping","t0":0});
                // The server sends the reminders before this reply.
                let is_there = matches!(target.ask(arena, "pings", ping).await, Ok(Ok(_)));
                if is_there {
                    tally.add("target reconnected");
                } else {
                    tally.harm("target was disconnected");
                }
                pause(arena, std::time::Duration::from_millis(500)).await;
            }
            None => tally.harm("target was rejected"),
        }
    }
    Ok(())
}

pub(super) async fn seeks(arena: Arena, tally: &Tally) -> Result<()> {
    let (addresses, watchers) = WATCHING;
    let mut watching = Vec::new();
    for address in 0..addresses {
        let entering = (0..watchers).map(|_| async move {
            let hello = json!({"type":"hello","id":"h","proto":[1]});
            let from = attacker(10 + address);
            let mut watcher = Attacker::enter_with(arena, from, &hello, tally).await?;
            let watch = json!({"type":"lobby"});
            watcher.ask(arena, "watchers", watch).await.ok()?.ok()?;
            Some(watcher)
        });
        watching.extend(join_all(entering).await.into_iter().flatten());
    }
    let seeking = (0..SEEKERS).map(|number| async move {
        let auth = json!({"guest":format!("seeker{number}")});
        let seeker = Attacker::enter(arena, attacker(1), &auth, tally).await;
        let Some(mut seeker) = seeker else { return Ok(()) };
        let seek = json!({"type":"seek","rules":"adamas","players":3,"options":"-size=8"});
        let mut open = std::collections::VecDeque::new();
        while arena.is_running() {
            let taken = if open.len() < SEEKS {
                seeker.ask(arena, "seeks", seek.clone()).await?
            } else {
                let unseek = json!({"type":"unseek","seek":open.pop_front()});
                seeker.ask(arena, "seeks closed", unseek).await?
            };
            match taken {
                Ok(answer) if answer["seek"].is_string() => open.push_back(answer["seek"].clone()),
                Ok(_) => {}
                Err(wait) => pause(arena, wait).await,
            }
            let list = json!({"type":"lobby","watch":false});
            if let Err(wait) = seeker.ask(arena, "lists", list).await? {
                pause(arena, wait).await;
            }
        }
        anyhow::Ok(())
    });
    let reading = watching.iter_mut().map(|watcher| async move {
        // Watchers read all frames, so that the server closes none of them.
        watcher.wait_for(arena, "there is no such text").await
    });
    drop(tokio::join!(join_all(seeking), join_all(reading)));
    Ok(())
}
