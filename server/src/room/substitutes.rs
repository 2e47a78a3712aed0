//! The computers that take the seats of players who leave games of three: which one is offered a
//! seat, and who seats it.

use std::sync::{Arc, OnceLock};

use adamant_protocol::{GameId, UserName, to_client::HousePlayer};
use adamant_rules::{BySeat, Player};
use tokio::sync::mpsc;

use crate::cluster::StartedGame;
use crate::limits::SUBSTITUTES_QUEUED_MAX;

/// The level that is offered: the middle one.
const LEVEL: u8 = 4;

/// The server's bots that may take seats.
#[derive(Debug)]
pub(crate) struct Substitutes {
    /// Not set where the house does not play.
    bots: OnceLock<Arc<[HousePlayer]>>,
    seated: mpsc::Sender<StartedGame>,
}

impl Substitutes {
    /// Returns the bots, none so far, and the queue of the seats that they have taken.
    pub(crate) fn queue() -> (Self, mpsc::Receiver<StartedGame>) {
        let (seated, queue) = mpsc::channel(SUBSTITUTES_QUEUED_MAX);
        (Self { bots: OnceLock::new(), seated }, queue)
    }

    /// Lets these bots take seats. The first call counts.
    pub(crate) fn open(&self, bots: Arc<[HousePlayer]>) {
        self.bots.get_or_init(|| bots);
    }

    pub(super) fn is_house(&self, user: &str) -> bool {
        let bots = self.bots.get().into_iter().flat_map(|bots| bots.iter());
        let mut names = bots.flat_map(|bot| bot.twin.iter().chain([&bot.user]));
        names.any(|name| name.is_same(user))
    }

    /// Returns a bot that does not play in this game, and its level.
    pub(super) fn choose(&self, players: &BySeat<Player>) -> Option<(Player, u8)> {
        let bot = self.bots.get()?.iter().find(|bot| bot.number == Some(LEVEL))?;
        let is_free = |name: &&UserName| !players.iter().any(|player| name.is_same(&player.user));
        let name = [&bot.user].into_iter().chain(&bot.twin).find(is_free)?;
        Some((Player { bot: true, ..Player::new(name.as_str()) }, LEVEL))
    }

    /// Has the sessions of a bot seated, which has taken a seat of this game. A bot that does not
    /// hear of it finds the game among its own later.
    pub(super) fn seat(&self, game: &GameId, bot: &Player) {
        let Ok(user) = bot.user.parse::<UserName>() else { return };
        let (game, challenge, rematch_of) = (game.clone(), None, None);
        let seated = StartedGame { game, players: vec![user], challenge, rematch_of };
        if self.seated.try_send(seated).is_err() {
            tracing::debug!(bot = %bot.user, "a bot will find its new game later");
        }
    }
}
