//! The thread of the noise, and what its clients have received.

use std::{cell::RefCell, net::SocketAddr, rc::Rc, thread};

use anyhow::{Context as _, Result, anyhow};
use hdrhistogram::Histogram;
use tokio::{sync::oneshot, task::LocalSet};

use super::noise::{Noise, Stage};
use crate::load::{machine, report::histogram};

/// The games that the noise is about.
#[derive(Debug)]
pub(super) struct NoisyGames {
    /// The measured game with spectators.
    pub(super) watched: String,
    /// The long game whose positions are read.
    pub(super) paged: String,
    /// The long games that are opened by turns.
    pub(super) opened: Vec<String>,
    /// The plies of each long game.
    pub(super) plies: usize,
}

/// What the noisy clients have received.
#[derive(Debug)]
pub(super) struct Heard {
    /// Events at spectators.
    pub(super) events: u64,
    /// Boards of the live list.
    pub(super) boards: u64,
    /// Requests that the server refused.
    pub(super) refused: u64,
    /// How long openings took.
    pub(super) openings: Histogram<u64>,
    /// How long pages of positions took.
    pub(super) pages: Histogram<u64>,
}

impl Heard {
    fn new() -> Self {
        let (openings, pages) = (histogram(), histogram());
        Self { events: 0, boards: 0, refused: 0, openings, pages }
    }

    /// The figures of the noise that there was, each with its unit.
    #[expect(clippy::cast_precision_loss, reason = "counts of work are far below 2^52")]
    pub(super) fn figures(&self) -> Vec<(&'static str, f64, &'static str)> {
        let mut figures = vec![("refused requests", self.refused as f64, "requests")];
        if self.events > 0 {
            figures.push(("events to spectators", self.events as f64, "events"));
        }
        if self.boards > 0 {
            figures.push(("boards of the live list", self.boards as f64, "boards"));
        }
        for (times, count, median) in [
            (&self.openings, "openings", "median opening"),
            (&self.pages, "pages of positions", "median page"),
        ] {
            if !times.is_empty() {
                figures.push((count, times.len() as f64, "answers"));
                figures.push((median, times.value_at_quantile(0.5) as f64, "us"));
            }
        }
        figures
    }
}

/// Noise on its own thread.
#[derive(Debug)]
pub(super) struct RunningNoise {
    stop: oneshot::Sender<()>,
    done: oneshot::Receiver<Result<Heard>>,
}

impl RunningNoise {
    /// Starts the noise, and waits until all its clients are connected.
    pub(super) async fn start(
        address: SocketAddr,
        noise: Noise,
        games: NoisyGames,
    ) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (begun, begins) = oneshot::channel();
        let (stop, stopped) = oneshot::channel();
        let (send, done) = oneshot::channel();
        thread::spawn(move || {
            machine::give_way();
            let making = make(address, noise, games, begun, stopped);
            // The receiving measurement may have failed already.
            drop(send.send(LocalSet::new().block_on(&runtime, making)));
        });
        let running = Self { stop, done };
        if begins.await.is_err() {
            running.stop().await?;
            return Err(anyhow!("the noise ended at once"));
        }
        Ok(running)
    }

    /// Ends the noise. Returns what its clients have received since all were connected.
    pub(super) async fn stop(self) -> Result<Heard> {
        // Noise that has failed stops no more.
        self.stop.send(()).ok();
        self.done.await.context("the thread of the noise has ended")?
    }
}

async fn make(
    address: SocketAddr,
    noise: Noise,
    games: NoisyGames,
    begun: oneshot::Sender<()>,
    stopped: oneshot::Receiver<()>,
) -> Result<Heard> {
    let heard = Rc::new(RefCell::new(Heard::new()));
    let stage = Stage { address, games: Rc::new(games), heard: Rc::clone(&heard) };
    let mut clients = noise.begin(&stage).await?;
    heard.replace(Heard::new());
    begun.send(()).ok();
    tokio::select! {
        // An error means that the measurement has failed.
        _ = stopped => {}
        ended = clients.join_next() => {
            ended.context("there are clients")??.context(noise.name())?;
        }
    }
    Ok(heard.replace(Heard::new()))
}
