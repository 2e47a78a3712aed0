//! The thread of the noise, and what its clients have received.

use std::{cell::RefCell, net::SocketAddr, rc::Rc, thread};

use anyhow::{Context as _, Result, anyhow};
use tokio::{sync::oneshot, task::LocalSet};

use super::{
    heard::{Heard, NoisyGames},
    noise::{Noise, Stage},
};
use crate::load::machine;

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
