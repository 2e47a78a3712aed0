//! The accounts of the server's own bots, one for each level.

use adamant_engine::choice::Level;
use adamant_protocol::{
    UserName,
    to_client::{HouseLevel, HousePlayer},
};

use crate::{
    accounts::{Accounts, AuthError},
    cluster::NodeId,
    limits::{HOUSE_GAMES_MAX, HOUSE_SEARCHES_MAX},
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
