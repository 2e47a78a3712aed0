//! Games of the server's own bots alone, which users ask for to watch.

use adamant_protocol::{GameId, UserName};
use parking_lot::Mutex;

use super::terms::Result;
use crate::{
    address::ClientNetwork,
    error::Denial,
    limits::{EXHIBITIONS_MAX, EXHIBITIONS_PER_NETWORK_MAX, EXHIBITIONS_PER_USER_MAX},
};

/// The exhibitions that this node has begun, and who has asked for them.
#[derive(Debug, Default)]
pub(super) struct Exhibitions(Mutex<Vec<Exhibition>>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Exhibition {
    /// Tells apart those that are about to begin.
    pub(super) number: u64,
    /// `None` until it has begun.
    pub(super) game: Option<GameId>,
    pub(super) by: UserName,
    pub(super) from: Option<ClientNetwork>,
}

impl Exhibitions {
    pub(super) fn games(&self) -> Vec<GameId> {
        self.0.lock().iter().filter_map(|exhibition| exhibition.game.clone()).collect()
    }

    pub(super) fn forget(&self, is_over: impl Fn(&Exhibition) -> bool) {
        self.0.lock().retain(|exhibition| !is_over(exhibition));
    }

    /// Takes a place, unless the user, the network or this node has as many as may be.
    pub(super) fn reserve(&self, wanted: &Exhibition) -> Result<()> {
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

    pub(super) fn begin(&self, number: u64, game: &GameId) {
        let mut exhibitions = self.0.lock();
        let begun = exhibitions.iter_mut().find(|exhibition| exhibition.number == number);
        if let Some(begun) = begun {
            begun.game = Some(game.clone());
        }
    }
}
