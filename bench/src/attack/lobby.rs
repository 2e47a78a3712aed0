//! Attacks on the lobby: challenges, seeks and watchers.

use std::net::Ipv4Addr;

use anyhow::{Context as _, Result, ensure};
use futures::future::join_all;
use serde_json::{Value, json};
use tokio::{
    net::TcpListener,
    time::{Duration, Instant, timeout},
};

use super::attacker::{Arena, Attacker, Tally, attacker, pause};

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

pub(crate) async fn challenges(arena: Arena, tally: &Tally) -> Result<()> {
    let begun = Instant::now();
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
                pause(arena, Duration::from_millis(500)).await;
            }
            None => tally.harm("target was rejected"),
        }
    }
    Ok(())
}

pub(crate) async fn seeks(arena: Arena, tally: &Tally) -> Result<()> {
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

/// Guests of one address, and push endpoints of each.
const GUESTS: usize = 6;
const ENDPOINTS: usize = 10;

/// The share of the attack after which somebody else's notice is due.
const NOTICED_AFTER: f64 = 0.4;

/// The time in which it goes out: the grace of a user who is away, and as much again.
const NOTICE_MAX: Duration = Duration::from_secs(10);

/// The keys of a browser's subscription.
const P256DH: &str =
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
const AUTH: &str = "BTBZMqHH6r4Tts7J_aSIgg";

pub(crate) async fn notices(arena: Arena, tally: &Tally) -> Result<()> {
    let due_at = Instant::now() + (arena.until - Instant::now()).mul_f64(NOTICED_AFTER);
    // Where the target is notified a connection counts: nothing is encrypted for this.
    let (home, silent) =
        (TcpListener::bind("127.0.0.1:0").await?, TcpListener::bind("127.0.0.1:0").await?);
    let mut target = sign_up(arena, 1, "target").await?;
    let url = format!("https://{}/", home.local_addr()?);
    ensure!(
        target.ask(arena, "webhooks", json!({"type":"webhook_set","url":url})).await?.is_ok(),
        "the target has a webhook"
    );
    drop(target);
    let mut friend = sign_up(arena, 2, "friend").await?;
    let endpoint = silent.local_addr()?.to_string();
    let noticing = async {
        pause(arena, due_at - Instant::now()).await;
        let begun = Instant::now();
        let challenge = json!({"type":"challenge","rules":"adamas","seats":["friend","target"]});
        ensure!(
            friend.ask_until_accepted(arena, "challenges", &challenge).await?.is_some(),
            "a friend may challenge the target"
        );
        match timeout(NOTICE_MAX, home.accept()).await {
            Ok(_) => {
                tally.add(format!("the target's notice after {} s", begun.elapsed().as_secs()));
            }
            Err(_) => tally.harm("the target's notice was late"),
        }
        Ok(())
    };
    let attacking =
        async { tokio::join!(ring(arena, &endpoint, tally), keep_silent(arena, &silent)) };
    let (noticed, _) = tokio::join!(noticing, attacking);
    noticed
}

/// An account at an address of its own.
async fn sign_up(arena: Arena, number: u8, name: &str) -> Result<Attacker> {
    let hello = json!({"type":"hello","id":"h","proto":[1]});
    let from = Ipv4Addr::new(127, 0, 202, number);
    let entered = Attacker::enter_with(arena, from, &hello, &Tally::default()).await;
    let mut entered = entered.context("somebody is let in")?;
    let account = json!({"type":"signup","user":name,"password":"correct horse"});
    ensure!(entered.ask(arena, "accounts", account).await?.is_ok(), "{name} signs up");
    Ok(entered)
}

/// Subscribes endpoints for guests who leave, and challenges them and the target again and again.
async fn ring(arena: Arena, endpoint: &str, tally: &Tally) -> Result<()> {
    let mut absent = vec![json!("target")];
    for guest in 0..GUESTS {
        let auth = json!({"guest":format!("stranger{guest}")});
        let Some(mut one) = Attacker::enter(arena, attacker(1), &auth, tally).await else { break };
        for path in 0..ENDPOINTS {
            let url = format!("https://{endpoint}/{guest}/{path}");
            let subscribe =
                json!({"type":"push_subscribe","endpoint":url,"p256dh":P256DH,"auth":AUTH});
            one.ask_until_accepted(arena, "subscriptions", &subscribe).await?;
        }
        absent.push(one.welcome["user"]["name"].clone());
    }
    let caller = Attacker::enter(arena, attacker(1), &json!({"guest":"caller"}), tally).await;
    let mut caller = caller.context("the caller is let in")?;
    let name = caller.welcome["user"]["name"].clone();
    for user in absent.iter().cycle() {
        let challenge = json!({"type":"challenge","rules":"adamas","seats":[name, user]});
        let made: Option<Value> = caller.ask_until_accepted(arena, "rings", &challenge).await?;
        let Some(made) = made else { break };
        let cancel = json!({"type":"cancel","challenge":made["challenge"]});
        caller.ask_until_accepted(arena, "withdrawals", &cancel).await?;
    }
    Ok(())
}

/// Takes all connections and says nothing.
async fn keep_silent(arena: Arena, listener: &TcpListener) {
    let mut held = Vec::new();
    while let Ok(Ok(connection)) = tokio::time::timeout_at(arena.until, listener.accept()).await {
        held.push(connection);
    }
}
