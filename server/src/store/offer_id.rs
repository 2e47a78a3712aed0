//! The ids of offers, and a game's claim to one.

use std::fmt;

use adamant_protocol::{ChallengeId, InviteId, SeekId};
use serde::{Deserialize, Serialize};

/// The id of an offer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OfferId {
    Seek(SeekId),
    Challenge(ChallengeId),
    Invite(InviteId),
}

impl OfferId {
    /// Returns the word for its kind.
    pub(crate) const fn kind(&self) -> &'static str {
        match self {
            Self::Seek(_) => "seek",
            Self::Challenge(_) => "challenge",
            Self::Invite(_) => "invite",
        }
    }

    /// Returns its text. No two offers have the same one.
    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Seek(id) => id.as_str(),
            Self::Challenge(id) => id.as_str(),
            Self::Invite(id) => id.as_str(),
        }
    }
}

impl fmt::Display for OfferId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind(), self.as_str())
    }
}

/// A game's claim to its offer, as the last user to join has found that: while the version is the
/// same, so are those who have joined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OfferClaim {
    pub offer: OfferId,
    pub version: u64,
}
