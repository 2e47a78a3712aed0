//! The accounts of the server's own bots, two for each level: in a game of three both may play.

use std::sync::Arc;

use adamant_engine::{choice::Level, search::LevelNumber};
use adamant_protocol::{
    UserName,
    to_client::{HouseLevel, HousePlayer},
    values::Named,
};
use adamant_rules::Kind;
use futures::future::try_join_all;

use crate::{
    accounts::{Accounts, AuthError},
    cluster::NodeId,
    limits::{HOUSE_GAMES_MAX, HOUSE_SEARCHES_MAX},
};

/// The names that challenges go to, the weakest level first, and those for a second seat. All of
/// them are reserved.
const HOUSE: [[&str; 2]; 8] = [
    ["house-easy", "house-1b"],
    ["house-2", "house-2b"],
    ["house-3", "house-3b"],
    ["house", "house-4b"],
    ["house-5", "house-5b"],
    ["house-6", "house-6b"],
    ["house-7", "house-7b"],
    ["house-hard", "house-8b"],
];

/// The first level whose thoughts are so long that it plays fewer games.
const LONG_THOUGHTS: u8 = 6;

/// A house player that has an account.
#[derive(Debug)]
pub(crate) struct HouseBot {
    pub(super) name: UserName,
    pub(super) level: LevelNumber,
    pub(super) token: Box<str>,
    /// The work of playing as this bot, which one node does.
    pub(super) work: &'static str,
}

/// Returns the bots as clients see them, one for each level.
pub(crate) fn listed(bots: &[HouseBot]) -> Arc<[HousePlayer]> {
    let levels = LevelNumber::ALL.into_iter().filter_map(|level| {
        let mut of_level = bots.iter().filter(|bot| bot.level == level);
        let player = of_level.next()?.listed();
        Some(HousePlayer { twin: of_level.next().map(|twin| twin.name.clone()), ..player })
    });
    levels.collect()
}

impl HouseBot {
    fn listed(&self) -> HousePlayer {
        let number = self.level.get();
        let level = HouseLevel::of_number(number).expect("a level has its word");
        let measured = |kind: &Kind| Some((kind.name().into(), self.level.elo(*kind)?));
        let elo = Named(Kind::ALL.iter().filter_map(measured).collect());
        HousePlayer { user: self.name.clone(), level, number: Some(number), elo, twin: None }
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
    let levels = HOUSE.into_iter().zip(LevelNumber::ALL);
    let bots = levels.flat_map(|(names, level)| names.map(|name| (name, level)));
    // Together, so that they share a few commits.
    let players = try_join_all(bots.map(|(name, level)| log_in(accounts, node, name, level)));
    Ok(players.await?.into_iter().flatten().collect())
}

async fn log_in(
    accounts: &Accounts,
    node: Option<NodeId>,
    work: &'static str,
    level: LevelNumber,
) -> Result<Option<HouseBot>, AuthError> {
    let name: UserName = work.parse().expect("the house has proper names");
    let logged_in = accounts.house(name.clone(), node).await?;
    let token = logged_in.and_then(|logged_in| logged_in.secret);
    if token.is_none() {
        // operator: see "Server bots"
        tracing::warn!(%name, "name of a server bot is taken");
    }
    Ok(token.map(|token| HouseBot { name, level, token, work }))
}
