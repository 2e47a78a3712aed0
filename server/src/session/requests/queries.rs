//! Questions about everybody's games, which the directory answers.

use std::sync::Arc;

use adamant_protocol::from_client::{
    Directory, Explore, Games, History, Layout, Standings, Stats, User,
};

use crate::{
    error::Denial,
    outbound::client::ClientHandle,
    queries::analysis::{self, LivePosition},
    room::TableQuery,
    session::{services::Services, session::Session},
};

impl Session {
    pub(in crate::session) async fn list_games(
        &self,
        client: &ClientHandle,
        request: Games,
    ) -> Result<(), Denial> {
        let asked = (Some(request.id.clone()), client.user.as_ref());
        let games = self.services.user_queries.games(asked, request.into()).await?;
        self.reply(games).await;
        Ok(())
    }

    pub(in crate::session) async fn list_standings(
        &self,
        request: Standings,
    ) -> Result<(), Denial> {
        let re = Some(request.id.clone());
        let standings = self.services.user_queries.standings(re, request.into()).await?;
        self.reply(standings).await;
        Ok(())
    }

    pub(in crate::session) async fn list_directory(
        &self,
        request: Directory,
    ) -> Result<(), Denial> {
        let re = Some(request.id.clone());
        let directory = self.services.user_queries.directory(re, request.into()).await?;
        self.reply(directory).await;
        Ok(())
    }

    pub(in crate::session) async fn show_stats(&self, request: Stats) -> Result<(), Denial> {
        let re = Some(request.id.clone());
        let stats = self.services.user_queries.stats(re, request.into()).await?;
        self.reply(stats).await;
        Ok(())
    }

    pub(in crate::session) async fn show_user(&self, request: User) -> Result<(), Denial> {
        let user = self.services.user_queries.user(Some(request.id), request.name).await?;
        self.reply(user).await;
        Ok(())
    }

    pub(in crate::session) async fn list_history(
        &self,
        client: &ClientHandle,
        request: History,
    ) -> Result<(), Denial> {
        let asked = (Some(request.id.clone()), client.user.as_ref());
        let history = self.services.user_queries.history(asked, request.into()).await?;
        self.reply(history).await;
        Ok(())
    }

    pub(in crate::session) async fn explore(
        &self,
        client: &ClientHandle,
        request: Explore,
    ) -> Result<(), Denial> {
        // Boxed, since these rare futures would otherwise enlarge every idle session.
        let live = match request.opinion {
            Some(_) => Box::pin(self.live_positions(client)).await?,
            None => Vec::new(),
        };
        let explored = Box::pin(self.services.analysis.explore(client, request, live)).await?;
        self.reply(Box::new(explored)).await;
        Ok(())
    }

    /// The positions of the live games that the client's user plays or, without a user, anybody at
    /// the client's address.
    async fn live_positions(&self, client: &ClientHandle) -> Result<Vec<LivePosition>, Denial> {
        let Services { lobby, store, rooms, .. } = &*self.services;
        let users = match (&client.user, client.from) {
            (Some(user), _) => vec![user.clone()],
            (None, Some(from)) => lobby.users_at(from),
            (None, None) => Vec::new(),
        };
        let mut live = Vec::new();
        for user in users {
            for game in store.live_games_of(&user).await? {
                // One that cannot be read is not played on either.
                let table = rooms.present_table(&game, client.from).await;
                live.extend(table.ok().as_ref().and_then(LivePosition::of));
            }
        }
        Ok(live)
    }

    pub(in crate::session) async fn draw_layout(
        &self,
        client: &Arc<ClientHandle>,
        request: Layout,
    ) -> Result<(), Denial> {
        match &request.game {
            Some(game) => self.ask(client, request.id.clone(), game, TableQuery::Layout).await,
            None => self.reply(analysis::layout(request)?).await,
        }
        Ok(())
    }
}
