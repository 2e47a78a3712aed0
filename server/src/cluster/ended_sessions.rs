//! Which sessions of a user end.

use adamant_protocol::ids::TokenId;
use serde::{Deserialize, Serialize};

/// The sessions of a user whose tokens are valid no longer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EndedSessions {
    /// Those that these tokens have opened.
    Of(Vec<TokenId>),
    /// Those that any other token has opened. Those of programs end only if this is stated.
    AllBut { keep: TokenId, programs: bool },
    /// All.
    All,
}

impl EndedSessions {
    /// Returns whether a session ends that this token has opened.
    pub(crate) fn includes(&self, is_program: bool, token: &TokenId) -> bool {
        match self {
            Self::Of(tokens) => tokens.contains(token),
            Self::AllBut { keep, programs } => token != keep && (*programs || !is_program),
            Self::All => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_token_and_perhaps_programs_stay() {
        let [kept, other]: [TokenId; 2] = ["t_1", "t_2"].map(|token| token.parse().unwrap());
        let people = EndedSessions::AllBut { keep: kept.clone(), programs: false };
        assert!(people.includes(false, &other) && !people.includes(true, &other));
        let all = EndedSessions::AllBut { keep: kept.clone(), programs: true };
        assert!(all.includes(true, &other) && !all.includes(false, &kept));
        let one = EndedSessions::Of(vec![other.clone()]);
        assert!(one.includes(true, &other) && !one.includes(false, &kept));
        assert!(EndedSessions::All.includes(false, &kept));
    }
}
