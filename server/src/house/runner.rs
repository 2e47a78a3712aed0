//! Runs each bot as a session over a pipe inside the process.

use std::sync::Arc;

use tokio::{select, time::sleep};
use tokio_tungstenite::{WebSocketStream, tungstenite::protocol::Role};

use super::{
    absent_opponents::WaitLimits, admission::Admission, bot::HouseBot, bot_session::BotSession,
};
use crate::{
    config,
    limits::{HOUSE_PAUSE, HOUSE_PIPE_BYTES},
    session::{self, Services},
    store::SharedWork,
};

/// Plays until the server stops; a connection that ends for another reason is opened anew. Of
/// several nodes one plays at a time. When another one does, its session goes on with all games.
pub(crate) async fn play(services: Arc<Services>, player: HouseBot, games: config::GamesConfig) {
    let admission = Admission::new(services.limits.enforced);
    let wait_limits = WaitLimits::new(&games);
    // The house is as fast as the server lets it; its own limit is one search at a time.
    let mut limits = (*services.limits).clone();
    limits.enforced = false;
    let services = Arc::new(Services { limits: limits.into(), ..(*services).clone() });
    let soft = services.lifecycle.soft.clone();
    let work = SharedWork::new(&services.store.backend, services.lobby.cluster(), player.work());
    while soft.run_until_cancelled(work.taken()).await.is_some() {
        let (near, far) = tokio::io::duplex(HOUSE_PIPE_BYTES);
        let serving = session::serve_stream(Arc::clone(&services), far, None);
        let playing = async {
            let socket = WebSocketStream::from_raw_socket(near, Role::Client, None).await;
            let session = BotSession::new(socket, &services, &player, &admission, wait_limits);
            select! {
                biased;
                () = session.run() => {}
                () = work.lost() => {
                    // operator: this node's session of the bot ends; its games go on from the other
                    // node
                    tracing::info!(player = %player.name, "another node plays for a server bot");
                }
            }
        };
        tokio::join!(serving, playing);
        if soft.run_until_cancelled(sleep(HOUSE_PAUSE)).await.is_none() {
            return;
        }
    }
}
