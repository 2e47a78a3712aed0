//! Questions about everybody's games, which the directory answers.

use adamant_protocol::from_client::{Games, History, Standings, User};

use crate::error::Denial;
use crate::session::session::Session;

impl Session {
    pub(in crate::session) async fn list_games(&self, request: Games) -> Result<(), Denial> {
        let re = Some(request.id.clone());
        let games = self.services.user_queries.games(re, request.into()).await?;
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

    pub(in crate::session) async fn show_user(&self, request: User) -> Result<(), Denial> {
        let user = self.services.user_queries.user(Some(request.id), request.name).await?;
        self.reply(user).await;
        Ok(())
    }

    pub(in crate::session) async fn list_history(&self, request: History) -> Result<(), Denial> {
        let re = Some(request.id.clone());
        let history = self.services.user_queries.history(re, request.into()).await?;
        self.reply(history).await;
        Ok(())
    }
}
