//! Why a log-in or a change of an account fails.

use adamant_protocol::UserName;

use crate::{
    error::Denial,
    limits::{BOTS_PER_OWNER_MAX, PASSWORD_BYTES, TOKEN_LABEL_BYTES_MAX, TOKENS_PER_USER_MAX},
    store::StoreError,
};

/// Why a log-in or a change of an account fails.
#[derive(Debug, Clone, thiserror::Error)]
pub enum AuthError {
    /// The token is unknown, revoked or expired.
    #[error("this token is not valid (any more)")]
    BadToken,
    /// The name is unknown or the password is wrong. The client does not learn which.
    #[error("name or password is wrong")]
    BadPassword,
    /// The name or the code is wrong, or the code is used or too old.
    #[error("name or code is wrong, or the code is not valid any more")]
    BadCode,
    /// Another user has the name.
    #[error("the name {0} is taken")]
    NameTaken(UserName),
    /// Another user has a name that looks like it.
    #[error("the name {name} looks too much like {like}, which is taken")]
    NameAlike {
        /// The requested name.
        name: UserName,
        /// The name of the other user.
        like: UserName,
    },
    /// The server keeps the name for itself.
    #[error("the name {0} is reserved")]
    NameReserved(UserName),
    /// The password is too short or too long.
    #[error("a password has {} to {} bytes", PASSWORD_BYTES.start(), PASSWORD_BYTES.end())]
    PasswordLength,
    /// The label is empty or too long.
    #[error("a token's label has 1 to {TOKEN_LABEL_BYTES_MAX} bytes")]
    TokenLabel,
    /// The user has the maximum number of tokens for programs.
    #[error("at most {TOKENS_PER_USER_MAX} tokens for programs: revoke one first")]
    TokensFull,
    /// The user has the maximum number of bots.
    #[error("at most {BOTS_PER_OWNER_MAX} bots of one owner")]
    BotsFull,
    /// The session has an account already.
    #[error("you have an account already")]
    HasAccount,
    /// Guests and bots have no password.
    #[error("only accounts have a password")]
    NoPassword,
    /// A guest who plays keeps the name that the players of live games know.
    #[error("you have live games as {0}: finish them first, or sign up with that name")]
    LiveUnderName(UserName),
    /// An account with live games stays open, because its opponents wait for it.
    #[error("{0} games of you and your bots are live: finish or resign them first")]
    LiveGames(u32),
    /// The client is over a rate limit.
    #[error("at most {max} {what}")]
    TooMany {
        /// The limit's name in the configuration.
        limit: &'static str,
        /// The limit.
        max: u32,
        /// What is counted, and in which time.
        what: &'static str,
        /// Time after which the request is allowed again.
        retry_after_ms: u64,
    },
    /// The server has no command that sends mail.
    #[error("this server sends no mail: keep the recovery code")]
    NoMail,
    /// The text is no mail address.
    #[error("this is no mail address")]
    MailAddress,
    /// The queue of mails is full.
    #[error("too many mails at this moment")]
    MailBusy,
    /// The queue of password hashes is full.
    #[error("too many log-ins at this moment")]
    Busy,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<AuthError> for Denial {
    fn from(error: AuthError) -> Self {
        let count = |max: u32| usize::try_from(max).unwrap_or(usize::MAX);
        match error {
            AuthError::BadToken | AuthError::BadPassword | AuthError::BadCode => {
                Self::Unauthorized(error.to_string())
            }
            AuthError::NameTaken(_) | AuthError::NameAlike { .. } | AuthError::NameReserved(_) => {
                Self::NameTaken(error.to_string())
            }
            AuthError::PasswordLength | AuthError::TokenLabel | AuthError::MailAddress => {
                Self::BadMessage(error.to_string())
            }
            AuthError::HasAccount
            | AuthError::NoMail
            | AuthError::NoPassword
            | AuthError::LiveUnderName(_)
            | AuthError::LiveGames(_) => Self::Forbidden(error.to_string()),
            AuthError::TokensFull => Self::LimitReached {
                limit: "tokens",
                what: "tokens for programs; revoke one first",
                max: count(TOKENS_PER_USER_MAX),
                by_others: false,
            },
            AuthError::BotsFull => Self::LimitReached {
                limit: "bots",
                what: "bots of one owner",
                max: count(BOTS_PER_OWNER_MAX),
                by_others: false,
            },
            AuthError::TooMany { limit, max, what, retry_after_ms } => {
                Self::TooOften { limit, what, max, retry_after_ms }
            }
            AuthError::Busy | AuthError::MailBusy => {
                Self::Busy { what: error.to_string(), retry_after_ms: 1000 }
            }
            AuthError::Store(error) => error.into(),
        }
    }
}
