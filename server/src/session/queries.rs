//! Questions about games, users and records, talk, and the catalogue of the games that can be
//! played.

use std::sync::Arc;

use adamant_protocol::{
    GameId, RequestId, UserName,
    from_client::{
        Analyse, Directory, Explore, Games, History, Layout, Signature, Standings, Stats, User,
    },
    to_client::{
        Done, GameCatalogue, GameOption, GameOptionChoice, GameOptionKind, HousePlayer,
        PlayableGame, SignedHead,
    },
    values::OptionValue,
};
use adamant_record::{Head, wire};
use adamant_rules::Kind;
use adamant_rules::options::{OptionChoice, OptionKind, OptionSpec};

use crate::queries::analysis::{self, LivePosition};
use crate::room::{ReadFor, TableQuery};
use crate::session::session::{Handled, Services, Session};
use crate::{
    address::ClientAddress, error::Denial, outbound::client::ClientHandle, talk::PendingBroadcast,
};

impl Services {
    /// Signs the head of a game's record, as far as this user or an anonymous client may see it.
    pub(crate) async fn sign_head(
        &self,
        game: &GameId,
        user: Option<&UserName>,
        from: Option<ClientAddress>,
    ) -> Result<SignedHead, Denial> {
        let plan = self.rooms.resume_plan(game, user, ReadFor::Client(from), None).await?;
        let head = Head { game: game.clone(), seq: plan.seq, chain: plan.chain };
        // Without room for a key there is none.
        self.signing.sign(head).ok_or(Denial::ReadOnly)
    }
}

impl Session {
    pub(super) async fn list_games(&self, client: &ClientHandle, request: Games) -> Handled {
        let asked = (Some(request.id.clone()), client.user.as_ref());
        let games = self.services.user_queries.games(asked, request.into()).await?;
        self.reply(games).await;
        Ok(())
    }

    pub(super) async fn list_standings(&self, request: Standings) -> Handled {
        let re = Some(request.id.clone());
        let standings = self.services.user_queries.standings(re, request.into()).await?;
        self.reply(standings).await;
        Ok(())
    }

    pub(super) async fn list_directory(&self, request: Directory) -> Handled {
        let re = Some(request.id.clone());
        let directory = self.services.user_queries.directory(re, request.into()).await?;
        self.reply(directory).await;
        Ok(())
    }

    pub(super) async fn show_stats(&self, request: Stats) -> Handled {
        let re = Some(request.id.clone());
        let stats = self.services.user_queries.stats(re, request.into()).await?;
        self.reply(stats).await;
        Ok(())
    }

    pub(super) async fn show_user(&self, request: User) -> Handled {
        let user = self.services.user_queries.user(Some(request.id), request.name).await?;
        self.reply(user).await;
        Ok(())
    }

    pub(super) async fn list_history(&self, client: &ClientHandle, request: History) -> Handled {
        let asked = (Some(request.id.clone()), client.user.as_ref());
        let history = self.services.user_queries.history(asked, request.into()).await?;
        self.reply(history).await;
        Ok(())
    }

    pub(super) async fn explore(&self, client: &ClientHandle, request: Explore) -> Handled {
        // Boxed, since these rare futures would otherwise enlarge every idle session.
        let live = if request.judges() {
            Box::pin(self.live_positions(client)).await?
        } else {
            Vec::new()
        };
        let explored = Box::pin(self.services.analysis.explore(client, request, live)).await?;
        self.reply(Box::new(explored)).await;
        Ok(())
    }

    pub(super) async fn analyse(&self, client: &ClientHandle, request: Analyse) -> Handled {
        let live = Box::pin(self.live_positions(client)).await?;
        let analyses = &self.services.game_analyses;
        let found = Box::pin(analyses.analysis(client, request, &live)).await?;
        self.reply(Box::new(found)).await;
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

    pub(super) async fn draw_layout(&self, client: &Arc<ClientHandle>, request: Layout) -> Handled {
        match &request.game {
            Some(game) => self.ask(client, request.id.clone(), game, TableQuery::Layout).await,
            None => self.reply(analysis::layout(request)?).await,
        }
        Ok(())
    }

    pub(super) async fn sign_record(&self, client: &ClientHandle, request: Signature) -> Handled {
        let (user, from) = (client.user.as_ref(), client.from);
        let signed = self.services.sign_head(&request.game, user, from).await?;
        self.reply(SignedHead { re: Some(request.id), ..signed }).await;
        Ok(())
    }

    /// Answers what a client has said or taken back, then broadcasts it.
    pub(super) async fn said(&self, (done, broadcast): (Done, Option<PendingBroadcast>)) {
        self.reply(done).await;
        if let Some(broadcast) = broadcast {
            self.services.talk.broadcast(broadcast).await;
        }
    }
}

/// All of them.
pub(crate) fn catalogue(re: RequestId, house: &[HousePlayer]) -> GameCatalogue {
    GameCatalogue {
        re,
        games: Kind::ALL.iter().copied().map(game).collect(),
        house: house.to_vec(),
    }
}

fn game(kind: Kind) -> PlayableGame {
    let players = kind.players();
    PlayableGame {
        rules: wire::rules(kind),
        title: kind.title().into(),
        goal: kind.goal().into(),
        players: players
            .map(|players| u8::try_from(players).expect("a table has few seats"))
            .collect(),
        options: kind.option_specs().iter().map(option).collect(),
        page: kind.rules_summary().into(),
    }
}

fn option(spec: &OptionSpec) -> GameOption {
    let (kind, least, most) = match spec.kind {
        OptionKind::Flag => (GameOptionKind::Flag, None, None),
        OptionKind::Number { min, max } => (GameOptionKind::Number, Some(min), Some(max)),
        OptionKind::Text => (GameOptionKind::Word, None, None),
    };
    GameOption {
        name: spec.name.into(),
        title: spec.title.into(),
        kind,
        least,
        most,
        about: spec.about.into(),
        choices: spec.choices.iter().map(|choice| option_choice(spec, choice)).collect(),
    }
}

fn option_choice(spec: &OptionSpec, choice: &OptionChoice) -> GameOptionChoice {
    let number = match spec.kind {
        OptionKind::Number { .. } => choice.value.parse().ok(),
        OptionKind::Flag | OptionKind::Text => None,
    };
    let text = || OptionValue::Text(choice.value.into());
    let value = number.map_or_else(text, OptionValue::Number);
    GameOptionChoice { value, title: choice.title.into() }
}
