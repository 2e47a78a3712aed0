//! What players ask of the table of a game: each such request as the action that it means.

use adamant_protocol::{GameId, RequestId, from_client, from_client::ClaimKind};

use crate::room::PlayerAction;

/// A request that changes a game.
#[derive(Debug)]
pub(in crate::session) struct PlayerRequest {
    /// The request.
    pub re: RequestId,
    /// The game that it is about.
    pub game: GameId,
    /// What it asks for.
    pub action: PlayerAction,
}

impl From<from_client::Move> for PlayerRequest {
    fn from(from_client::Move { id, game, turn, notation }: from_client::Move) -> Self {
        Self { re: id, game, action: PlayerAction::Move { turn, notation } }
    }
}

impl From<from_client::Resign> for PlayerRequest {
    fn from(from_client::Resign { id, game }: from_client::Resign) -> Self {
        Self { re: id, game, action: PlayerAction::Resign }
    }
}

impl From<from_client::Abort> for PlayerRequest {
    fn from(from_client::Abort { id, game }: from_client::Abort) -> Self {
        Self { re: id, game, action: PlayerAction::Abort }
    }
}

impl From<from_client::Offer> for PlayerRequest {
    fn from(from_client::Offer { id, game, what }: from_client::Offer) -> Self {
        Self { re: id, game, action: PlayerAction::Offer(what) }
    }
}

impl From<from_client::Answer> for PlayerRequest {
    fn from(from_client::Answer { id, game, offer, accept }: from_client::Answer) -> Self {
        Self { re: id, game, action: PlayerAction::Answer { offer, accept } }
    }
}

impl From<from_client::Withdraw> for PlayerRequest {
    fn from(from_client::Withdraw { id, game, offer }: from_client::Withdraw) -> Self {
        Self { re: id, game, action: PlayerAction::Withdraw(offer) }
    }
}

impl From<from_client::Claim> for PlayerRequest {
    fn from(from_client::Claim { id, game, what, seat }: from_client::Claim) -> Self {
        let action = match what {
            ClaimKind::Abandoned | ClaimKind::Unknown(_) => PlayerAction::Claim { seat },
        };
        Self { re: id, game, action }
    }
}
