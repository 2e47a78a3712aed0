//! Queries for the directory of bots.

use adamant_protocol::{RequestId, UserName, to_client::DirectoryList};
use adamant_rules::Kind;

use super::people::{UserQueries, index, page_size};
use crate::{error::Denial, lobby::DirectoryQuery, ratings::Pool};

impl UserQueries {
    /// Lists the bots that accept challenges, with their ratings, in the order of their names.
    pub(crate) async fn directory(
        &self,
        re: Option<RequestId>,
        query: DirectoryQuery,
    ) -> Result<DirectoryList, Denial> {
        let limit = index(page_size(query.limit));
        let (mut bots, more) = self.lobby.directory(&query, limit);
        let users: Vec<UserName> = bots.iter().map(|bot| bot.user.clone()).collect();
        if users.is_empty() {
            return Ok(DirectoryList { re, bots, more });
        }
        let pools = Kind::ALL
            .iter()
            .flat_map(|kind| kind.players().map(|players| Pool::of(*kind, players)));
        for pool in pools {
            let ratings = self.store.ratings(pool.clone(), users.clone()).await?;
            for (bot, rating) in bots.iter_mut().zip(ratings) {
                let rating = rating.map(|rating| (pool.to_string().into(), rating.rounded()));
                bot.ratings.0.extend(rating);
            }
        }
        Ok(DirectoryList { re, bots, more })
    }
}
