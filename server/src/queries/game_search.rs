//! Finished games by opponent, result and rating. The store lists games by user and kind, and what
//! it lists is looked through here, a named number of games at a time.

use adamant_protocol::{
    UserName,
    from_client::{GameState, SoughtResult},
    to_client::GameEntry,
};

use crate::error::Denial;

/// What is sought among the games that the store lists.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct GameSearch {
    pub(super) opponent: Option<UserName>,
    pub(super) result: Option<SoughtResult>,
    pub(super) rated: Option<bool>,
}

impl GameSearch {
    /// Whether every game is sought.
    pub(super) fn is_for_all(&self) -> bool {
        *self == Self::default()
    }

    /// Returns an error if the games are not finished, or if the search needs a user whose games it
    /// is about.
    pub(super) fn check(&self, state: GameState, user: Option<&UserName>) -> Result<(), Denial> {
        if state == GameState::Live {
            let why = "opponent, result and rated are for finished games: set state to finished";
            return Err(Denial::BadMessage(why.to_owned()));
        }
        let needs_user = self.opponent.is_some() || self.result.is_some();
        if needs_user && user.is_none() {
            let why = "opponent and result are those of a user: name the user";
            return Err(Denial::BadMessage(why.to_owned()));
        }
        Ok(())
    }

    /// Whether a finished game of the user is sought.
    pub(super) fn matches(&self, user: Option<&UserName>, entry: &GameEntry) -> bool {
        let seat_of =
            |user: &UserName| entry.seats.iter().position(|seat| seat.user.is_same(user.as_str()));
        let own = user.and_then(seat_of);
        let of_opponent = self
            .opponent
            .as_ref()
            .is_none_or(|other| seat_of(other).is_some_and(|seat| Some(seat) != own));
        let of_result = self
            .result
            .is_none_or(|wanted| own.and_then(|seat| result(entry, seat)) == Some(wanted));
        let of_rating = self.rated.is_none_or(|rated| entry.rated == rated);
        of_opponent && of_result && of_rating
    }
}

/// Returns the result of a seat; `None` without a result.
fn result(entry: &GameEntry, seat: usize) -> Option<SoughtResult> {
    let winners = &entry.result.as_ref()?.winners;
    let won = winners.iter().any(|&winner| usize::from(winner) == seat);
    match (winners.len(), won) {
        (0, _) => None,
        (1, true) => Some(SoughtResult::Won),
        (_, true) => Some(SoughtResult::Drawn),
        (_, false) => Some(SoughtResult::Lost),
    }
}
