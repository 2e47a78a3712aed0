//! The accounts of the server's own bots, one for each level.

use adamant_engine::{choice::Level, search::LevelNumber};
use adamant_protocol::{
    UserName,
    to_client::{HouseLevel, HousePlayer},
    values::Named,
};
use adamant_rules::Kind;

use crate::{
    accounts::{Accounts, AuthError},
    cluster::NodeId,
    limits::{HOUSE_GAMES_MAX, HOUSE_SEARCHES_MAX},
};

/// The names that challenges go to, the weakest level first. All of them are reserved.
const HOUSE: [&str; 8] =
    ["house-easy", "house-2", "house-3", "house", "house-5", "house-6", "house-7", "house-hard"];

/// The first level whose thoughts are so long that it plays fewer games.
const LONG_THOUGHTS: u8 = 6;

/// A house player that has an account.
#[derive(Debug)]
pub(crate) struct HouseBot {
    pub(super) name: UserName,
    pub(super) level: LevelNumber,
    pub(super) token: Box<str>,
}

impl HouseBot {
    /// Returns the bot as clients see it.
    pub(crate) fn listed(&self) -> HousePlayer {
        let number = self.level.get();
        let level = HouseLevel::of_number(number).expect("a level has its word");
        let measured = |kind: &Kind| Some((kind.name().into(), self.level.elo(*kind)?));
        let elo = Named(Kind::ALL.iter().filter_map(measured).collect());
        HousePlayer { user: self.name.clone(), level, number: Some(number), elo }
    }

    /// The work of playing as this bot, which one node does.
    pub(super) const fn work(&self) -> &'static str {
        HOUSE[self.level.get() as usize - 1]
    }

    /// How it chooses its moves.
    pub(super) const fn search_level(&self) -> Level {
        Level::Numbered(self.level)
    }

    /// Games in use beyond which it takes on no other.
    pub(super) const fn games_max(&self) -> usize {
        if self.level.get() < LONG_THOUGHTS { HOUSE_GAMES_MAX } else { HOUSE_SEARCHES_MAX }
    }
}

/// Returns the bots with their tokens. The first start creates their accounts. A user who had the
/// name before keeps it.
pub(crate) async fn players(
    accounts: &Accounts,
    node: Option<NodeId>,
) -> Result<Vec<HouseBot>, AuthError> {
    let mut players = Vec::with_capacity(HOUSE.len());
    for (name, level) in HOUSE.into_iter().zip(LevelNumber::ALL) {
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
