//! What an act changes on every node: the policy that it goes by, sessions that end, and notices.

use std::sync::Arc;

use adamant_protocol::{GameId, ToClient, UserName, to_client::Notice};

use crate::{
    cluster::{ClusterEvent, Heard},
    outbound::client::ClientHandle,
    policy::Policy,
    session::Services,
    store::{Act, StoreError},
};

/// The policy has changed in the store: this node goes by it at once, and tells the others.
pub(super) async fn policy_changed(services: &Services) -> Result<(), StoreError> {
    services.lobby.cluster().publish(|| ClusterEvent::PolicyChanged);
    follow_policy(services).await
}

/// Reads the policy, and ends the sessions of users and addresses that are banned. The next `hello`
/// of their clients is told why.
async fn follow_policy(services: &Services) -> Result<(), StoreError> {
    let Services { policy, lobby, .. } = services;
    policy.read().await?;
    let is_banned = |client: &ClientHandle| {
        let user = client.user.as_ref().map_or(Ok(()), |user| policy.check_user(user));
        user.and_then(|()| policy.check_address(client.from)).is_err()
    };
    lobby.send_away(is_banned);
    Ok(())
}

/// Ends the sessions of a user on all nodes, whose clients come back under a new name.
pub(super) fn send_away(services: &Services, user: &UserName) {
    send_away_here(services, user);
    services.lobby.cluster().publish(|| ClusterEvent::SentAway(user.clone()));
}

fn send_away_here(services: &Services, user: &UserName) {
    let is_theirs = |of: &UserName| of.is_same(user.as_str());
    services.lobby.send_away(|client| client.user.as_ref().is_some_and(is_theirs));
}

/// Sends a notice to all users or to one, on all nodes.
pub(super) fn notify(services: &Services, user: Option<&UserName>, notice: Notice) {
    services.lobby.send_notice(user, &ToClient::Notice(notice.clone()));
    let user = user.cloned();
    services.lobby.cluster().publish(|| ClusterEvent::Noticed { user, notice });
}

/// The result of a game is annulled: this node goes by it at once, and tells the others.
pub(super) async fn annulled(services: &Services, game: &GameId) {
    services.lobby.cluster().publish(|| ClusterEvent::Annulled(game.clone()));
    follow_annulment(services, game).await;
}

async fn follow_annulment(services: &Services, game: &GameId) {
    services.annulled.note();
    services.rooms.note_annulled(game).await;
}

/// Another node has announced something, or its announcements may be lost.
pub(crate) async fn on_heard(services: &Arc<Services>, heard: &Heard) {
    match heard {
        Heard::Gap | Heard::Event(_, ClusterEvent::PolicyChanged) => {
            if let Err(error) = follow_policy(services).await {
                // operator: the store failed; bans and sign-ups are as they were before, until the
                // next change
                tracing::warn!(%error, "reading the policy failed");
            }
        }
        Heard::Event(_, ClusterEvent::Annulled(game)) => follow_annulment(services, game).await,
        Heard::Event(_, ClusterEvent::SentAway(user)) => send_away_here(services, user),
        Heard::Event(_, ClusterEvent::Noticed { user, notice }) => {
            services.lobby.send_notice(user.as_ref(), &ToClient::Notice(notice.clone()));
        }
        _ => {}
    }
}

/// A server that is alone has been restarted as planned: games may begin again. With several nodes
/// the operator says when all have been.
pub(crate) async fn end_passed_maintenance(services: &Services) -> Result<(), StoreError> {
    let at = services.time.now_ms();
    let has_passed = services.policy.maintenance().is_some_and(|planned| planned.at <= at);
    let is_read_only = services.store.backend.read_only().is_some();
    if !has_passed || !services.lobby.cluster().is_alone() || is_read_only {
        return Ok(());
    }
    let act = Act {
        at,
        who: "server".to_owned(),
        node: None,
        subject: None,
        reason: Some("the server was restarted as planned".to_owned()),
        request: r#"{"maintenance":"over"}"#.to_owned(),
    };
    services.store.set_policy(Policy::MAINTENANCE.to_owned(), None, act).await?;
    services.policy.read().await
}
