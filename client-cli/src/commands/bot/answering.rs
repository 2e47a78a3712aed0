//! Requests about challenges.

use adamant_client::{Client, RequestError};
use adamant_protocol::{
    ChallengeId, UserName,
    from_client::{Accept, Challenge, Decline, DeclineReason, RatingRange, User},
    to_client::{Done, ToClient},
};

use super::requests::with_retries;
use crate::commands::seek::SeekTerms;

/// The rating of a user who has none in a pool.
const FIRST_RATING: u16 = 1_500;

/// Challenges a user to the game of a seek. The seats are drawn by lot.
pub(super) async fn challenge(
    client: &Client,
    terms: &SeekTerms,
    seats: [UserName; 2],
) -> Result<Done, RequestError> {
    let proposal = &terms.proposal;
    let make = |id| Challenge {
        id,
        rules: proposal.wire_rules(),
        options: proposal.wire_options(),
        seats: seats.to_vec(),
        shuffle: true,
        clock: proposal.clock,
        rated: terms.rated,
        delay: proposal.delay,
        unlisted: proposal.unlisted,
    };
    client.done(make).await
}

/// Declines a challenge if there is a reason, and else accepts it.
pub(super) async fn answer(
    client: &Client,
    challenge: &ChallengeId,
    reason: Option<DeclineReason>,
) -> Result<Done, RequestError> {
    with_retries(async || {
        let challenge = challenge.clone();
        if let Some(reason) = reason {
            client.done(|id| Decline { id, challenge, reason }).await
        } else {
            let (seek, invite) = (None, None);
            client.done(|id| Accept { id, seek, challenge: Some(challenge), invite }).await
        }
    })
    .await
}

/// Whether a user's rating in a pool is within a range. A user who cannot be looked up is not.
pub(super) async fn is_within(
    client: &Client,
    name: UserName,
    pool: &str,
    range: RatingRange,
) -> Result<bool, RequestError> {
    let profile = match client.request(|id| User { id, name }).await {
        Ok(ToClient::User(profile)) => profile,
        Ok(_) | Err(RequestError::Refused(_) | RequestError::ConnectionLost) => return Ok(false),
        Err(error) => return Err(error),
    };
    let of_pool = profile.ratings.iter().find(|rating| {
        pool.split_once('/').is_some_and(|(game, players)| {
            let game = game.split('@').next().unwrap_or_default();
            *rating.rules.name == *game && rating.players.to_string() == players
        })
    });
    Ok(range.contains(of_pool.map_or(FIRST_RATING, |rating| rating.record.rating)))
}
