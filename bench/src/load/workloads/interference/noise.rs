//! The noise: clients that ask much of the loop whose games are measured.

use std::{cell::RefCell, net::SocketAddr, rc::Rc, time::Duration};

use anyhow::{Context as _, Result};
use clap::ValueEnum;
use futures::future::try_join_all;
use memchr::memmem::{self, Finder};
use serde_json::{Value, json};
use tokio::{
    task::JoinSet,
    time::{Instant, MissedTickBehavior, interval},
};

use super::{
    super::moves::{SETUP_AT_ONCE, micros_since},
    heard::{Heard, NoisyGames},
};
use crate::load::{peer::Peer, setup::hello};

/// Spectators of one of the measured games.
const SPECTATORS: usize = 5_000;

/// Clients that ask for pages of a long game's positions.
const PAGE_READERS: usize = 10;

/// Boards on a page.
const PAGE_BOARDS: usize = 100;

/// The shortest time between two openings.
const OPEN_EVERY: Duration = Duration::from_millis(100);

/// The numbers of the first noisy clients.
const NOISY_FROM: usize = 400_000;

/// What other clients do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Noise {
    /// All of them at once.
    All,
    /// A client opens parked games of 10,000 plies.
    Opening,
    /// 5,000 spectators watch one of the measured games.
    Spectators,
    /// A client shows the boards of all measured games.
    Boards,
    /// Ten clients ask for positions of a game of 10,000 plies.
    Positions,
}

/// What the parts of the noise share.
#[derive(Debug, Clone)]
pub(super) struct Stage {
    pub(super) address: SocketAddr,
    pub(super) games: Rc<NoisyGames>,
    pub(super) heard: Rc<RefCell<Heard>>,
}

impl Noise {
    /// Its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::All => "interference: by all",
            Self::Opening => "interference: by opening",
            Self::Spectators => "interference: by spectators",
            Self::Boards => "interference: by boards",
            Self::Positions => "interference: by positions",
        }
    }

    fn has(self, part: Self) -> bool {
        self == part || self == Self::All
    }

    /// Connects its clients and starts them.
    pub(super) async fn begin(self, stage: &Stage) -> Result<JoinSet<Result<()>>> {
        let mut clients = JoinSet::new();
        if self.has(Self::Spectators) {
            let numbers: Vec<_> = (0..SPECTATORS).collect();
            for chunk in numbers.chunks(SETUP_AT_ONCE) {
                let joining = chunk.iter().map(|&number| stage.spectator(number));
                for spectator in try_join_all(joining).await? {
                    clients.spawn_local(stage.clone().listen(spectator));
                }
            }
        }
        if self.has(Self::Boards) {
            let peer = stage.client(SPECTATORS).await?;
            clients.spawn_local(stage.clone().show_boards(peer));
        }
        if self.has(Self::Opening) {
            let peer = stage.client(SPECTATORS + 1).await?;
            clients.spawn_local(stage.clone().open_games(peer));
        }
        if self.has(Self::Positions) {
            for number in 0..PAGE_READERS {
                let peer = stage.client(SPECTATORS + 2 + number).await?;
                clients.spawn_local(stage.clone().read_pages(peer));
            }
        }
        Ok(clients)
    }
}

impl Stage {
    async fn client(&self, number: usize) -> Result<Peer> {
        let number = NOISY_FROM + number;
        let mut peer = Peer::connect(self.address, number).await?;
        hello(&mut peer, &json!({"guest": format!("g{number}")})).await?;
        Ok(peer)
    }

    async fn spectator(&self, number: usize) -> Result<Peer> {
        let mut peer = self.client(number).await?;
        peer.ask(&json!({"type":"watch","id":"w","game":self.games.watched})).await?;
        Ok(peer)
    }

    async fn listen(self, mut peer: Peer) -> Result<()> {
        let moved = Finder::new(r#""kind":"moved""#);
        loop {
            peer.text_with(&moved).await?;
            self.heard.borrow_mut().events += 1;
        }
    }

    async fn show_boards(self, mut peer: Peer) -> Result<()> {
        peer.send(&json!({"type":"live","id":"l","many":true}).to_string()).await?;
        let board = Finder::new(r#""position""#);
        loop {
            let boards = board.find_iter(peer.text().await?).count();
            self.heard.borrow_mut().boards += boards as u64;
        }
    }

    async fn open_games(self, mut peer: Peer) -> Result<()> {
        let mut ticks = interval(OPEN_EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        for game in self.games.opened.iter().cycle() {
            ticks.tick().await;
            let begun = Instant::now();
            if self.answers(&mut peer, &json!({"type":"watch","id":"w","game":game})).await? {
                self.heard.borrow_mut().openings.saturating_record(micros_since(begun));
            }
            self.answers(&mut peer, &json!({"type":"unwatch","id":"u","game":game})).await?;
        }
        Ok(())
    }

    async fn read_pages(self, mut peer: Peer) -> Result<()> {
        let NoisyGames { paged, plies, .. } = &*self.games;
        let from = plies - PAGE_BOARDS;
        let request = json!({
            "type":"positions","id":"p","game":paged,"from_ply":from,"limit":PAGE_BOARDS
        });
        loop {
            let begun = Instant::now();
            if self.answers(&mut peer, &request).await? {
                self.heard.borrow_mut().pages.saturating_record(micros_since(begun));
            }
        }
    }

    /// Sends a request. Returns whether the server carries it out.
    async fn answers(&self, peer: &mut Peer, request: &Value) -> Result<bool> {
        let id = request.get("id").and_then(Value::as_str).context("a request has an id")?;
        peer.send(&request.to_string()).await?;
        let reply = peer.text_with(&Finder::new(&format!(r#""re":"{id}""#))).await?;
        let is_refused = memmem::find(reply, br#""type":"error""#).is_some();
        self.heard.borrow_mut().refused += u64::from(is_refused);
        Ok(!is_refused)
    }
}
