//! Which challenges a bot accepts, and the reason it gives for a decline: no user may occupy it
//! for all others.

use std::collections::{HashMap, HashSet};

use adamant_protocol::{
    ChallengeId, GameId, UserName,
    to_client::{Challenged, ClosedReason},
};
use parking_lot::Mutex;

use super::bot::HouseBot;
use crate::{
    address::ClientNetwork,
    limits::{HOUSE_GAMES_PER_NETWORK_MAX, HOUSE_GAMES_PER_USER_MAX},
    lobby::Refusal,
    store::{Store, StoreError},
};

/// Which of a house player's games and challenges belong to whom. It outlives the player's session.
#[derive(Debug)]
pub(super) struct Admission {
    /// Whether networks have bounds of their own.
    bounds_networks: bool,
    entries: Mutex<AdmittedGames>,
}

#[derive(Debug, Default)]
struct AdmittedGames {
    /// Where the player's games were asked for, of those that began since the server started.
    networks: HashMap<GameId, ClientNetwork>,
    /// Challenges that the player has accepted and that wait for others.
    accepted: HashMap<ChallengeId, AcceptedChallenge>,
}

#[derive(Debug)]
struct AcceptedChallenge {
    seats: Vec<UserName>,
    from: Option<ClientNetwork>,
}

/// How much a house player has to do, seen from one challenge. A game whose opponent is away, or
/// has not moved for a while, has nothing for it to do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct BotLoad {
    in_use: usize,
    /// The most live games with one of the other players, and that player.
    of_user: Option<(usize, UserName)>,
    /// Games in use from the challenge's network.
    of_network: usize,
}

impl Admission {
    pub(super) fn new(bounds_networks: bool) -> Self {
        Self { bounds_networks, entries: Mutex::default() }
    }

    /// Why the player does not take a challenge on; `None` if it does.
    pub(super) async fn refusal(
        &self,
        player: &HouseBot,
        challenged: &Challenged,
        from: Option<ClientNetwork>,
        (store, in_use): (&Store, &HashSet<GameId>),
    ) -> Result<Option<Refusal>, StoreError> {
        let load = self.load(player, challenged, from, (store, in_use)).await?;
        Ok(refusal(player, &load))
    }

    async fn load(
        &self,
        player: &HouseBot,
        challenged: &Challenged,
        from: Option<ClientNetwork>,
        (store, in_use): (&Store, &HashSet<GameId>),
    ) -> Result<BotLoad, StoreError> {
        let live = store.live_games_of(&player.name).await?;
        let live: HashSet<GameId> = live.into_iter().collect();
        let mut shared = Vec::new();
        for user in challenged.seats.iter().filter(|user| !user.is_same(player.name.as_str())) {
            let theirs = store.live_games_of(user).await?;
            shared.push((theirs.iter().filter(|game| live.contains(*game)).count(), user));
        }
        let mut entries = self.entries.lock();
        entries.networks.retain(|game, _| live.contains(game));
        let AdmittedGames { networks, accepted } = &*entries;
        let accepted_with = |user: &UserName| {
            let has = |seats: &[UserName]| seats.iter().any(|seat| seat.is_same(user.as_str()));
            accepted.values().filter(|accepted| has(&accepted.seats)).count()
        };
        let of_users =
            shared.into_iter().map(|(games, user)| (games + accepted_with(user), user.clone()));
        let mut of_network = 0;
        if self.bounds_networks && from.is_some() {
            let theirs = |(game, other): &(&GameId, &ClientNetwork)| {
                Some(**other) == from && in_use.contains(*game)
            };
            of_network += networks.iter().filter(theirs).count();
            of_network += accepted.values().filter(|accepted| accepted.from == from).count();
        }
        let in_use = in_use.len() + accepted.len();
        Ok(BotLoad { in_use, of_user: of_users.max_by_key(|(games, _)| *games), of_network })
    }

    /// A challenge was accepted and waits for others.
    pub(super) fn accept(&self, challenged: &Challenged, from: Option<ClientNetwork>) {
        let accepted = AcceptedChallenge { seats: challenged.seats.clone(), from };
        self.entries.lock().accepted.insert(challenged.challenge.clone(), accepted);
    }

    /// A challenge is open no longer; perhaps a game came of it.
    pub(super) fn close(&self, challenge: &ChallengeId, game: Option<&GameId>) {
        let mut entries = self.entries.lock();
        let from = entries.accepted.remove(challenge).and_then(|accepted| accepted.from);
        if let (Some(game), Some(from)) = (game, from) {
            entries.networks.insert(game.clone(), from);
        }
    }
}

/// The limit that a bot names when it plays as many games as it can.
pub(super) const FULL: &str = "house_games";

fn refusal(player: &HouseBot, load: &BotLoad) -> Option<Refusal> {
    let name = &player.name;
    let busy = |limit, message: String| {
        let (limit, message) = (Some(limit), Some(message.into()));
        Some(Refusal { reason: ClosedReason::Busy, limit, message })
    };
    if let Some((games, user)) = &load.of_user
        && *games >= HOUSE_GAMES_PER_USER_MAX
    {
        let said = format!(
            "{user} has {games} games with {name}, as many as one user may have: finish one of them, \
             resign or abort it, and challenge {name} again"
        );
        return busy("house_games_per_user", said);
    }
    if load.of_network >= HOUSE_GAMES_PER_NETWORK_MAX {
        let said = format!(
            "{} games with {name} are being played from your network, as many as there may be: \
             try again later, or challenge another house player",
            load.of_network
        );
        return busy("house_games_per_network", said);
    }
    if load.in_use >= player.games_max() {
        let said = format!(
            "{name} plays {} games, as many as it can: try again later, or challenge another \
             house player",
            load.in_use
        );
        return busy(FULL, said);
    }
    None
}

#[cfg(test)]
mod tests {
    use adamant_engine::search::LevelNumber;

    use super::*;

    /// The limit for which a challenge is declined.
    fn limit(level: u8, load: &BotLoad) -> Option<&'static str> {
        let level = LevelNumber::new(level).unwrap();
        let name = "house".parse().unwrap();
        let player = HouseBot { name, level, token: "".into(), work: "house" };
        refusal(&player, load).and_then(|refusal| refusal.limit)
    }

    #[test]
    fn users_and_networks_have_a_share_and_a_bot_has_as_many_games_as_it_can_play() {
        let ann = |games| Some((games, "ann".parse().unwrap()));
        let load = |in_use, games, of_network| BotLoad { in_use, of_user: ann(games), of_network };
        let (user, network) = (Some("house_games_per_user"), Some("house_games_per_network"));
        assert_eq!(limit(4, &load(499, 3, 39)), None);
        assert_eq!(limit(4, &load(30, 4, 0)), user);
        assert_eq!(limit(4, &load(30, 0, 40)), network);
        assert_eq!(limit(4, &load(500, 0, 0)), Some("house_games"));
        assert_eq!(limit(8, &load(99, 0, 0)), None);
        assert_eq!(limit(8, &load(100, 0, 0)), Some("house_games"));
    }
}
