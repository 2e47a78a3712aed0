//! The players and spectators of a game who are connected to other nodes.

use adamant_protocol::UserName;

use super::{
    command::Command,
    input::{AudienceElsewhere, Output, Pass},
    state::{Room, RoomError},
    step::Step,
};
use crate::{
    cluster::{ClusterEvent, NodeId},
    store::{PlayerAtGame, StoreError},
};

impl Room {
    /// Notes what another node announces of the audience.
    pub(super) fn note_elsewhere(&mut self, node: NodeId, what: AudienceElsewhere, now: u64) {
        match what {
            AudienceElsewhere::Player { user, here, at } => {
                self.presence.set_elsewhere(user.as_str(), node, here, at);
            }
            AudienceElsewhere::Spectators(count) => self.presence.set_watching(node, count),
        }
        self.update_presence(now);
    }

    /// Takes the players at other nodes from the presence that all nodes share.
    pub(super) fn refresh_elsewhere(&mut self, players: &[PlayerAtGame], now: u64) {
        let Some(here) = self.context.cluster.node() else { return };
        self.presence.replace_elsewhere(players, here, now);
        self.update_presence(now);
        // A node that has missed the number of spectators hears it again.
        self.announce_spectators(true);
    }

    /// Reads who is at the game on any node, before a claim is decided.
    pub(super) fn ask_presence(&mut self, claim: Command, pass: &mut Pass<'_>) {
        self.waiting.push_front(claim);
        self.wait_for(Step::AskPresence, Output::ReadPresence, pass);
    }

    /// The shared presence was read for a claim.
    pub(super) fn on_presence(
        &mut self,
        players: Result<Vec<PlayerAtGame>, StoreError>,
        pass: &mut Pass<'_>,
    ) -> Result<(), RoomError> {
        match self.step.take() {
            Some(Step::AskPresence) => {}
            step => return self.unexpected(step.as_ref()),
        }
        let Some(Command::Act(mut claim)) =
            self.waiting.pop_front_if(|command| matches!(command, Command::Act(_)))
        else {
            return self.unexpected(None);
        };
        match players {
            Ok(players) => {
                self.refresh_elsewhere(&players, pass.now);
                claim.knows_presence = true;
                self.waiting.push_front(Command::Act(claim));
            }
            Err(error) => {
                tracing::debug!(game = %self.head.game, %error, "reading the presence failed");
                claim.client.refuse(&claim.re, Self::busy());
            }
        }
        Ok(())
    }

    /// Announces which players have come to this node, or left it. A server that is alone announces
    /// nothing.
    pub(super) fn announce_players(&mut self, now: u64) {
        let Some(shared) = &self.context.presence else { return };
        let (cluster, game) = (&self.context.cluster, &self.head.game);
        self.presence.take_local_changes(|user, here| {
            let Ok(user) = user.parse::<UserName>() else { return };
            shared.note(game, &user, here, now);
            cluster.publish(|| ClusterEvent::AtGame { game: game.clone(), user, here, at: now });
        });
    }

    /// The room closes: no player is at the game as far as the other nodes know, so that the shared
    /// presence keeps no player of a game without a room. The room that follows notes who is there.
    pub(super) fn forget_players(&self, now: u64) {
        let Some(shared) = &self.context.presence else { return };
        for user in self.presence.local_players() {
            let Ok(user) = user.parse::<UserName>() else { continue };
            shared.note(&self.head.game, &user, false, now);
        }
    }

    /// Announces the number of spectators here if it has changed, or if there are any and the other
    /// nodes are to hear it `again`.
    pub(super) fn announce_spectators(&mut self, again: bool) {
        if self.context.cluster.is_alone() {
            return;
        }
        let spectators = self.audience.spectators();
        if self.presence.set_announced(spectators) || again && spectators > 0 {
            let game = &self.head.game;
            self.context
                .cluster
                .publish(|| ClusterEvent::Watching { game: game.clone(), spectators });
        }
    }
}
