//! Requests on the directory of bots, and what nodes announce of it.

use std::sync::PoisonError;

use adamant_protocol::{
    UserName,
    from_client::{Acceptance, BotStatus},
    to_client::DirectoryEntry,
    values::Named,
};
use adamant_rules::Kind;

use super::{bot_directory::DirectoryQuery, lobby::Lobby};
use crate::{
    cluster::ClusterEvent,
    error::Denial,
    limits::{ACCEPTED_GAMES_MAX, CLOCK_MODES_MAX, FREE_GAMES_MAX},
    outbound::{SessionId, client::ClientHandle},
};

impl Lobby {
    /// A bot says which challenges it accepts, or that it accepts none.
    pub(crate) async fn set_bot_status(
        &self,
        client: &ClientHandle,
        request: BotStatus,
    ) -> Result<(), Denial> {
        let Some(user) = client.user.as_ref().filter(|_| client.bot) else {
            let message =
                "only programs are in the directory: open the session with the token of a bot";
            return Err(Denial::Forbidden(message.to_owned()));
        };
        let entry = match request.accepts {
            None => None,
            Some(accepts) => {
                check(&accepts, request.free)?;
                let found = self.accounts.find(user.clone()).await?;
                let owner = found.and_then(|user| user.owner);
                let (user, guest, free) = (user.clone(), client.guest, Some(request.free));
                let ratings = Named::default();
                Some(DirectoryEntry { user, owner, guest, level: None, ratings, accepts, free })
            }
        };
        let Some(entry) = entry else {
            self.unlist_bot(user, client.session);
            return Ok(());
        };
        if self.shared.bots.list(client.session, self.network_of(client), entry)? {
            // A session that has just ended is not listed: its end may have come before.
            if !self.shared.online.has_session(user, client.session) {
                self.shared.bots.unlist(user, client.session);
            }
            self.announce_bot(user);
        }
        Ok(())
    }

    /// Takes away what a session says, and announces it.
    pub(super) fn unlist_bot(&self, user: &UserName, session: SessionId) {
        if self.shared.bots.unlist(user, session) {
            self.announce_bot(user);
        }
    }

    fn announce_bot(&self, user: &UserName) {
        if self.cluster.is_alone() {
            return;
        }
        // Under the lock, so that the last announcement has the last state.
        let _announcing = self.shared.announcing.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = self.shared.bots.here(user).map(Box::new);
        self.cluster.publish(|| ClusterEvent::BotListed { user: user.clone(), entry });
    }

    /// Announces the bots that this node lists.
    pub(super) fn announce_all_bots(&self) {
        for entry in self.shared.bots.all_here() {
            let (user, entry) = (entry.user.clone(), Some(Box::new(entry)));
            self.cluster.publish(|| ClusterEvent::BotListed { user, entry });
        }
    }

    /// Returns a page of the directory, with the server's own bots, and whether there are more.
    /// The ratings are not in it.
    pub(crate) fn directory(
        &self,
        query: &DirectoryQuery,
        limit: usize,
    ) -> (Vec<DirectoryEntry>, bool) {
        let house: Vec<DirectoryEntry> = self
            .house
            .iter()
            .map(|player| DirectoryEntry {
                user: player.user.clone(),
                owner: None,
                guest: false,
                level: Some(player.level),
                ratings: Named::default(),
                accepts: Acceptance::default(),
                free: None,
            })
            .collect();
        let mut page = self.shared.bots.page(&house, query, limit);
        let more = page.len() > limit;
        page.truncate(limit);
        (page, more)
    }
}

/// Checks what a bot says of itself.
fn check(accepts: &Acceptance, free: u32) -> Result<(), Denial> {
    if accepts.games.len() > ACCEPTED_GAMES_MAX || accepts.clocks.len() > CLOCK_MODES_MAX {
        let message = format!(
            "a bot lists at most {ACCEPTED_GAMES_MAX} games and {CLOCK_MODES_MAX} kinds of clocks"
        );
        return Err(Denial::BadMessage(message));
    }
    if free > FREE_GAMES_MAX {
        return Err(Denial::BadMessage(format!("free is at most {FREE_GAMES_MAX}")));
    }
    for game in &accepts.games {
        let kind = Kind::from_name(&game.rules.name)
            .ok_or_else(|| Denial::BadMessage(format!("there is no game called {}", game.rules)))?;
        if let Some(players) = game.players
            && !kind.players().contains(&usize::from(players))
        {
            let message = format!("{} is not played by {players}", kind.name());
            return Err(Denial::BadMessage(message));
        }
    }
    Ok(())
}
