//! What a bot says in the directory.

use adamant_protocol::{
    from_client::{Acceptance, AcceptedGame, BotStatus, PaceRange},
    ids::RulesName,
};
use adamant_rules::Kind;

use super::{
    filter::Filter,
    places::Listing,
    requests::with_retries,
    run::{Bot, Report},
};

impl Bot {
    /// Tells the directory how many games the bot would begin, if that has changed.
    pub(super) fn list_if_changed(&mut self) {
        let free = self.free();
        // The server lists no sessions of people.
        let is_bot = self.session.welcome.user.as_ref().is_some_and(|me| me.bot);
        let is_listed = self.accept_any && is_bot;
        if !is_listed || self.listing.is_asking || self.listing.said == Some(free) {
            return;
        }
        self.listing = Listing { said: Some(free), is_asking: true };
        let (client, accepts) = (self.context.client.clone(), self.filter.acceptance());
        self.tasks.spawn_local(async move {
            let list = async || {
                let accepts = Some(accepts.clone());
                client.done(|id| BotStatus { id, accepts, free }).await
            };
            // An older server has no directory.
            with_retries(list).await.ok();
            Ok(Report::Listed)
        });
    }
}

impl Filter {
    /// What the directory says that the bot accepts.
    pub(super) fn acceptance(&self) -> Acceptance {
        let args = &self.args;
        let ms = |time: std::time::Duration| u64::try_from(time.as_millis()).ok();
        let (min_ms, max_ms) = (args.pace.min.and_then(ms), args.pace.max.and_then(ms));
        let is_paced = min_ms.is_some() || max_ms.is_some();
        Acceptance {
            games: self.games(),
            clocks: args.only_clocks.iter().map(|mode| (*mode).into()).collect(),
            pace: is_paced.then_some(PaceRange { min_ms, max_ms }),
            rated: (args.only_rated || args.only_casual).then_some(args.only_rated),
            rating: args.rating,
            allow: self.allow(),
            default_options: !args.only_options.is_empty(),
        }
    }

    /// The games that the bot plays; none if it plays all.
    fn games(&self) -> Vec<AcceptedGame> {
        let mut games = Vec::new();
        let mut plays_all = true;
        for kind in Kind::ALL {
            let rules = || RulesName { name: kind.name().into(), version: None };
            let (played, declined): (Vec<_>, Vec<_>) =
                kind.players().partition(|players| self.plays(*kind, *players));
            plays_all &= declined.is_empty();
            if declined.is_empty() {
                games.push(AcceptedGame { rules: rules(), players: None });
                continue;
            }
            games.extend(played.into_iter().map(|players| AcceptedGame {
                rules: rules(),
                players: u8::try_from(players).ok(),
            }));
        }
        if plays_all { Vec::new() } else { games }
    }
}
