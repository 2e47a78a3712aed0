//! The accounts of the server's own bots, one for each level.

use std::sync::Arc;

use adamant_engine::choice::Level;
use adamant_protocol::{
    UserName,
    to_client::{HouseLevel, HousePlayer},
};
use tokio::{select, time::sleep};
use tokio_tungstenite::{WebSocketStream, tungstenite::protocol::Role};

use super::{absent_opponents::WaitLimits, admission::Admission, session::BotSession};
use crate::{
    accounts::{Accounts, AuthError},
    cluster::NodeId,
    config,
    limits::{HOUSE_GAMES_MAX, HOUSE_PAUSE, HOUSE_PIPE_BYTES, HOUSE_SEARCHES_MAX},
    session::{self, Services},
    store::SharedWork,
};

/// The names that challenges go to and what they stand for, the weakest first.
const HOUSE: [(&str, HouseLevel); 3] = [
    ("house-easy", HouseLevel::Easy),
    ("house", HouseLevel::Medium),
    ("house-hard", HouseLevel::Hard),
];

/// A house player that has an account.
#[derive(Debug)]
pub(crate) struct HouseBot {
    pub(super) name: UserName,
    pub(super) level: HouseLevel,
    pub(super) token: Box<str>,
}

impl HouseBot {
    /// Returns the bot as clients see it.
    pub(crate) fn listed(&self) -> HousePlayer {
        HousePlayer { user: self.name.clone(), level: self.level }
    }

    /// The work of playing as this bot, which one node does.
    pub(super) const fn work(&self) -> &'static str {
        match self.level {
            HouseLevel::Easy | HouseLevel::Unknown(_) => "house-easy",
            HouseLevel::Medium => "house",
            HouseLevel::Hard => "house-hard",
        }
    }

    /// How it chooses its moves.
    pub(super) const fn search_level(&self) -> Level {
        match self.level {
            HouseLevel::Easy | HouseLevel::Unknown(_) => Level::Random,
            HouseLevel::Medium => Level::Greedy,
            HouseLevel::Hard => Level::Search,
        }
    }

    /// Games in use beyond which it takes on no other.
    pub(super) const fn games_max(&self) -> usize {
        match self.level {
            HouseLevel::Easy | HouseLevel::Medium | HouseLevel::Unknown(_) => HOUSE_GAMES_MAX,
            HouseLevel::Hard => HOUSE_SEARCHES_MAX,
        }
    }
}

/// Returns the bots with their tokens. The first start creates their accounts. A user who had the
/// name before keeps it.
pub(crate) async fn players(
    accounts: &Accounts,
    node: Option<NodeId>,
) -> Result<Vec<HouseBot>, AuthError> {
    let mut players = Vec::with_capacity(HOUSE.len());
    for (name, level) in HOUSE {
        let name: UserName = name.parse().expect("the house has proper names");
        let logged_in = accounts.house(name.clone(), node).await?;
        if let Some(token) = logged_in.and_then(|logged_in| logged_in.secret) {
            players.push(HouseBot { name, level, token });
        } else {
            // operator: see "Server bots"
            tracing::warn!(%name, "name of a server bot is taken");
        }
    }
    Ok(players)
}

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
