//! Questions about everybody's games, which the directory answers.

use std::sync::Arc;

use adamant_protocol::from_client::{
    Directory, Explore, Games, History, Layout, Standings, Stats, User,
};

use crate::{
    error::Denial, outbound::client::ClientHandle, queries::analysis, room::TableQuery,
    session::session::Session,
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
        // Boxed, since this rare future would otherwise enlarge every idle session.
        let explored = Box::pin(self.services.analysis.explore(client, request)).await?;
        self.reply(Box::new(explored)).await;
        Ok(())
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
