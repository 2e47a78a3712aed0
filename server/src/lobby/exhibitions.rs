//! Games of the server's own bots alone, which users ask for to watch.

use adamant_protocol::{
    GameId, UserName, from_client::Challenge, to_client::Done, values::TimeControl,
};
use parking_lot::Mutex;
use rand::{RngExt as _, seq::SliceRandom as _};

use super::{
    lobby::Lobby,
    terms::{GameConfig, Result, read_config},
};
use crate::{
    address::ClientNetwork,
    cluster::StartedGame,
    error::Denial,
    limits::{EXHIBITIONS_MAX, EXHIBITIONS_PER_NETWORK_MAX, EXHIBITIONS_PER_USER_MAX},
    outbound::client::ClientHandle,
};

/// The exhibitions that this node has begun, and who has asked for them.
#[derive(Debug, Default)]
pub(super) struct Exhibitions(Mutex<Vec<Exhibition>>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Exhibition {
    /// Tells apart those that are about to begin.
    number: u64,
    /// `None` until it has begun.
    game: Option<GameId>,
    by: UserName,
    from: Option<ClientNetwork>,
}

impl Exhibitions {
    fn games(&self) -> Vec<GameId> {
        self.0.lock().iter().filter_map(|exhibition| exhibition.game.clone()).collect()
    }

    fn forget(&self, is_over: impl Fn(&Exhibition) -> bool) {
        self.0.lock().retain(|exhibition| !is_over(exhibition));
    }

    /// Takes a place, unless the user, the network or this node has as many as may be.
    fn reserve(&self, wanted: &Exhibition) -> Result<()> {
        let mut exhibitions = self.0.lock();
        let count = |counts: &dyn Fn(&Exhibition) -> bool| {
            exhibitions.iter().filter(|exhibition| counts(exhibition)).count()
        };
        let of_user = count(&|other| other.by.is_same(wanted.by.as_str()));
        let of_network = count(&|other| wanted.from.is_some() && other.from == wanted.from);
        for (found, max, what, by_others) in [
            (
                of_user,
                EXHIBITIONS_PER_USER_MAX,
                "games of server bots that one user watches",
                false,
            ),
            (of_network, EXHIBITIONS_PER_NETWORK_MAX, "games of server bots for one network", true),
            (exhibitions.len(), EXHIBITIONS_MAX, "games of server bots", true),
        ] {
            if found >= max {
                return Err(Denial::LimitReached { limit: "exhibitions", what, max, by_others });
            }
        }
        exhibitions.push(wanted.clone());
        Ok(())
    }

    fn begin(&self, number: u64, game: &GameId) {
        let mut exhibitions = self.0.lock();
        let begun = exhibitions.iter_mut().find(|exhibition| exhibition.number == number);
        if let Some(begun) = begun {
            begun.game = Some(game.clone());
        }
    }
}

impl Lobby {
    /// Whether a game has nobody but the server's own bots for players.
    pub(crate) fn is_exhibition<'a>(&self, mut players: impl Iterator<Item = &'a str>) -> bool {
        players.all(|user| user.parse().is_ok_and(|user| self.is_house(&user)))
    }

    /// Starts a game of the server's own bots, which no list shows to others. Nobody has to accept:
    /// the `ok` has the game.
    pub(super) async fn exhibit(
        &self,
        client: &ClientHandle,
        by: &UserName,
        request: Challenge,
    ) -> Result<Done> {
        let request = Challenge { rated: false, unlisted: true, ..request };
        if request.clock != TimeControl::None {
            let message = "server bots play each other without a clock";
            return Err(Denial::BadMessage(message.to_owned()));
        }
        let config = read_config!(request, request.options, request.seats.len())?;
        let players = self.participants(by, &request.seats, false).await?;
        self.forget_ended_exhibitions().await?;
        let wanted = Exhibition {
            number: self.entropy.clone().random(),
            game: None,
            by: by.clone(),
            from: self.network_of(client),
        };
        self.shared.exhibitions.reserve(&wanted)?;
        let mut players = players.seats;
        if request.shuffle {
            players.shuffle(&mut self.entropy.clone());
        }
        match self.begin(config, &players, &[], (None, None)).await {
            Ok(game) => {
                self.shared.exhibitions.begin(wanted.number, &game);
                let done = Done { game: Some(game.clone()), ..Done::new(request.id) };
                self.seat(StartedGame { game, players, challenge: None, rematch_of: None }).await;
                Ok(done)
            }
            Err(denial) => {
                self.shared.exhibitions.forget(|other| other.number == wanted.number);
                Err(denial)
            }
        }
    }

    async fn forget_ended_exhibitions(&self) -> Result<()> {
        for game in self.shared.exhibitions.games() {
            let entry = self.store.game_entry(&game).await?;
            if entry.is_none_or(|entry| entry.result.is_some()) {
                self.shared.exhibitions.forget(|other| other.game.as_ref() == Some(&game));
            }
        }
        Ok(())
    }
}
