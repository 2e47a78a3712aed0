//! Dispatches each request to the service that handles it. An error response never closes the
//! session, except before `hello`.

use std::sync::Arc;

use adamant_protocol::from_client::{self, ClaimKind};
use adamant_protocol::to_client::{InviteState, Pong};
use adamant_protocol::{CloseCode, FromClient, GameId, RequestId};
use tokio::time::Instant;

use crate::room::{Command, PlayerAction, TableQuery};
use crate::session::limits::{Terms, terms};
use crate::session::queries::catalogue;
use crate::session::session::{Handled, Services, Session};
use crate::{error::Denial, outbound::client::ClientHandle};

impl Session {
    /// Hands a move to its room if the room's loop takes it at once. Gives back every other
    /// request.
    pub(super) fn try_send_move(
        &mut self,
        request: FromClient,
        received_at: u64,
    ) -> Option<FromClient> {
        let FromClient::Move(request) = request else { return Some(request) };
        let rooms = &self.services.rooms;
        let place = rooms.try_reserve(&request.game);
        let caller = self.client.as_ref().and_then(ClientHandle::try_call);
        let (Some(place), Some(client)) = (place, caller) else {
            return Some(FromClient::Move(request));
        };
        let PlayerRequest { re, game, action } = request.into();
        place.send(
            game,
            Command::act(client, re, action, received_at, self.link.round_trip.shortest_ms()),
        );
        None
    }

    pub(super) async fn on_request(
        &mut self,
        request: FromClient,
        received_at: u64,
    ) -> Result<(), CloseCode> {
        let Some(client) = self.client.clone() else {
            return self.on_first_request(request).await;
        };
        let (re, begun) = (request.id().clone(), Instant::now());
        let Terms { from, queue, .. } = terms(&request);
        if client.user.is_none()
            && let Err(denial) = self.services.policy.check_address(self.from)
        {
            // No list has the sessions without a user.
            self.refuse(re, denial).await;
            return Err(CloseCode::BadHello);
        }
        let done = match from.check(&client) {
            Ok(()) => self.dispatch(&client, request, received_at).await,
            Err(denial) => Err(denial),
        };
        if let Some(queue) = queue.name() {
            self.services.metrics.observe_request(queue, begun.elapsed());
        }
        if let Err(denial) = done {
            self.refuse(re, denial).await;
        }
        Ok(())
    }

    async fn on_first_request(&mut self, request: FromClient) -> Result<(), CloseCode> {
        if let FromClient::Hello(hello) = request {
            return self.on_hello(hello).await;
        }
        let denial = Denial::Unauthorized("the first message is hello".to_owned());
        self.refuse(request.id().clone(), denial).await;
        Err(CloseCode::BadHello)
    }

    /// Hands each type of request to its handler.
    async fn dispatch(
        &mut self,
        client: &Arc<ClientHandle>,
        request: FromClient,
        received_at: u64,
    ) -> Handled {
        let Services { lobby, live_lists, .. } = &*self.services;
        match request {
            FromClient::Hello(_) => {
                return Err(Denial::BadMessage("hello has been said already".to_owned()));
            }
            FromClient::Signup(request) => self.sign_up(client, request).await?,
            FromClient::TokenCreate(request) => self.create_token(client, request).await?,
            FromClient::TokenList(request) => self.list_tokens(client, request).await?,
            FromClient::TokenRevoke(request) => self.revoke_token(client, request).await?,
            FromClient::Logout(request) => self.log_out(client, request).await?,
            FromClient::PasswordChange(request) => self.change_password(client, request).await?,
            FromClient::RecoveryCode(request) => self.make_recovery_code(client, request).await?,
            FromClient::MailSet(request) => self.set_mail(client, request).await?,
            FromClient::MailConfirm(request) => self.confirm_mail(client, request).await?,
            FromClient::MailGet(request) => self.show_mail(client, request).await?,
            FromClient::PasswordMail(request) => self.mail_reset_code(request).await?,
            FromClient::AccountClose(request) => self.close_account(client, request).await?,
            FromClient::PasswordReset(request) => self.reset_password(client, request).await?,
            FromClient::BotCreate(request) => self.create_bot(client, request).await?,
            FromClient::BotList(request) => self.list_bots(client, request).await?,
            FromClient::BotStatus(request) => self.set_bot_status(client, request).await?,
            FromClient::Directory(request) => self.list_directory(request).await?,
            FromClient::PushSubscribe(request) => self.subscribe_push(client, request).await?,
            FromClient::PushUnsubscribe(request) => self.unsubscribe_push(client, request).await?,
            FromClient::PushList(request) => self.list_push(client, request).await?,
            FromClient::WebhookSet(request) => self.set_webhook(client, request).await?,
            FromClient::WebhookGet(request) => self.show_webhook(client, request).await?,
            FromClient::WebhookDelete(request) => self.delete_webhook(client, request).await?,
            FromClient::Seek(request) => self.seek(client, request).await?,
            FromClient::Unseek(request) => self.unseek(client, request).await?,
            FromClient::Challenge(request) => self.challenge(client, request).await?,
            FromClient::Accept(request) => self.accept(client, request).await?,
            FromClient::Decline(request) => self.decline(client, request).await?,
            FromClient::Cancel(request) => self.cancel(client, request).await?,
            FromClient::Challenges(request) => self.list_challenges(client, request).await?,
            FromClient::Invite(request) => self.invite(client, request).await?,
            FromClient::Invites(request) => self.list_invites(client, request).await?,
            FromClient::InviteInfo(request) => {
                let entry = lobby.invite_entry(&request.invite).await?;
                self.reply(InviteState { re: Some(request.id), entry }).await;
            }
            FromClient::Lobby(request) => lobby.watch(client, &request),
            FromClient::Games(request) => self.list_games(client, request).await?,
            FromClient::Catalogue(request) => {
                self.reply(catalogue(request.id, lobby.house())).await;
            }
            FromClient::Standings(request) => self.list_standings(request).await?,
            FromClient::Stats(request) => self.show_stats(request).await?,
            FromClient::User(request) => self.show_user(request).await?,
            FromClient::History(request) => self.list_history(client, request).await?,
            FromClient::Watch(request) => self.watch(client, request).await?,
            FromClient::Unwatch(request) => self.unwatch(client, request).await,
            FromClient::Ping(request) => {
                let t2 = self.now_ms();
                self.reply(Pong { re: request.id, t0: request.t0, t1: received_at, t2 }).await;
            }
            FromClient::Say(request) => self.say(client, request).await?,
            FromClient::Unsay(request) => self.unsay(client, request).await?,
            FromClient::Talk(request) => self.list_talk(client, request).await?,
            FromClient::Mute(request) => self.mute(client, request).await?,
            FromClient::Unmute(request) => self.unmute(client, request).await?,
            FromClient::Mutes(request) => self.list_mutes(client, request).await?,
            FromClient::Block(request) => self.block(client, request).await?,
            FromClient::Unblock(request) => self.unblock(client, request).await?,
            FromClient::Blocks(request) => self.list_blocks(client, request).await?,
            FromClient::Report(request) => self.report(client, request).await?,
            FromClient::NoticeSeen(request) => self.see_notice(client, request).await?,
            FromClient::SettingsGet(request) => self.show_settings(client, request).await?,
            FromClient::SettingsSet(request) => self.change_settings(client, request).await?,
            FromClient::Positions(request) => self.list_positions(client, request).await?,
            FromClient::Tv(request) => live_lists.tv(client, &request).await?,
            FromClient::Live(request) => live_lists.live(client, request).await?,
            FromClient::Signature(request) => self.sign_record(client, request).await?,
            FromClient::Explore(request) => self.explore(client, request).await?,
            FromClient::Analyse(request) => self.analyse(client, request).await?,
            FromClient::Layout(request) => self.draw_layout(client, request).await?,
            FromClient::Hints(request) => {
                let from_client::Hints { id, game, from, sketch, board } = request;
                self.ask(client, id, &game, TableQuery::Hints { from, sketch, board }).await;
            }
            FromClient::Moves(request) => {
                let from_client::Moves { id, game, from, after, limit } = request;
                self.ask(client, id, &game, TableQuery::Moves { from, after, limit }).await;
            }
            FromClient::Try(request) => {
                let query = TableQuery::Try { turn: request.turn, notation: request.notation };
                self.ask(client, request.id, &request.game, query).await;
            }
            FromClient::Move(request) => self.act(client, request, received_at).await,
            FromClient::Resign(request) => self.act(client, request, received_at).await,
            FromClient::Abort(request) => self.act(client, request, received_at).await,
            FromClient::Offer(request) => self.act(client, request, received_at).await,
            FromClient::Answer(request) => self.act(client, request, received_at).await,
            FromClient::Withdraw(request) => self.act(client, request, received_at).await,
            FromClient::Claim(request) => self.act(client, request, received_at).await,
            FromClient::Rematch(request) => self.rematch(client, request).await?,
        }
        Ok(())
    }

    async fn act(
        &self,
        client: &Arc<ClientHandle>,
        request: impl Into<PlayerRequest>,
        received_at: u64,
    ) {
        let PlayerRequest { re, game, action } = request.into();
        let (client, lag_ms) = (client.call().await, self.link.round_trip.shortest_ms());
        let act = Command::act(client, re, action, received_at, lag_ms);
        self.services.rooms.send(&game, act).await;
    }

    pub(super) async fn ask(
        &self,
        client: &Arc<ClientHandle>,
        re: RequestId,
        game: &GameId,
        query: TableQuery,
    ) {
        let command = Command::Query { client: client.call().await, re, query: Box::new(query) };
        self.services.rooms.send(game, command).await;
    }
}

impl Session {
    async fn say(&self, client: &ClientHandle, request: from_client::Say) -> Result<(), Denial> {
        let Services { policy, talk, .. } = &*self.services;
        client.user.as_ref().map_or(Ok(()), |user| policy.check_talk(user))?;
        self.said(talk.say(client, request).await?).await;
        Ok(())
    }
}

/// What sessions do about requests that a service answers alone.
macro_rules! answers {
    ($($method:ident($request:ident) => $service:ident.$call:ident, $reply:ident;)+) => {
        impl Session {
            $(async fn $method(
                &self,
                client: &ClientHandle,
                request: from_client::$request,
            ) -> Handled {
                self.$reply(self.services.$service.$call(client, request).await?).await;
                Ok(())
            })+
        }
    };
}

answers! {
    decline(Decline) => lobby.decline, reply;
    list_challenges(Challenges) => lobby.list_challenges, reply;
    list_positions(Positions) => position_pages.positions, reply;
    unsay(Unsay) => talk.unsay, said;
    list_talk(Talk) => talk.list, reply;
    mute(Mute) => relations.mute, reply;
    unmute(Unmute) => relations.unmute, reply;
    list_mutes(Mutes) => relations.mutes, reply;
    block(Block) => relations.block, reply;
    unblock(Unblock) => relations.unblock, reply;
    list_blocks(Blocks) => relations.blocks, reply;
    report(Report) => reports.report, reply;
    see_notice(NoticeSeen) => reports.see_notice, reply;
    show_settings(SettingsGet) => relations.settings, reply;
    change_settings(SettingsSet) => relations.set_settings, reply;
}

/// A request that changes a game.
struct PlayerRequest {
    re: RequestId,
    game: GameId,
    action: PlayerAction,
}

macro_rules! player_requests {
    ($($request:ident { $($fields:tt)* } => $action:expr;)+) => {
        $(impl From<from_client::$request> for PlayerRequest {
            fn from(request: from_client::$request) -> Self {
                let from_client::$request { id: re, game, $($fields)* } = request;
                Self { re, game, action: $action }
            }
        })+
    };
}

player_requests! {
    Move { turn, notation } => PlayerAction::Move { turn, mv: notation };
    Resign {} => PlayerAction::Resign;
    Abort {} => PlayerAction::Abort;
    Offer { what } => PlayerAction::Offer(what);
    Answer { offer, accept } => PlayerAction::Answer { offer, accept };
    Withdraw { offer } => PlayerAction::Withdraw(offer);
    Claim { what: ClaimKind::Abandoned | ClaimKind::Unknown(_), seat } => PlayerAction::Claim { seat };
}
