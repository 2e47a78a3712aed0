//! Every way the server says no, and the one place where that becomes a code on the wire.

use adamant_protocol::{
    ErrorCode, GameId, Malformed, PROTOCOL_VERSION, RequestId, Retry, UserName, to_client::Failed,
};
use adamant_rules::{Refusal, options::OptionError, table::SetupError};

use crate::{
    limits::{LIST_RETRY, STORE_RETRY},
    quotas::{NoGame, Over, Spent, TooSoon},
    runtime::{metrics, time::milliseconds},
    store::StoreError,
};

/// Why a request was not carried out.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum Denial {
    /// The frame is not a request.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// A field cannot be meant.
    #[error("{0}")]
    BadMessage(String),
    /// No common version of the protocol.
    #[error("this server speaks version {PROTOCOL_VERSION} of the protocol")]
    ProtoUnsupported,
    /// The secret is not right.
    #[error("{0}")]
    Unauthorized(String),
    /// The session's user may not do this.
    #[error("{0}")]
    Forbidden(String),
    /// Somebody has the name, or one that looks like it; or nobody may have it.
    #[error("{0}")]
    NameTaken(String),
    /// What the request is about does not exist (any more).
    #[error("there is no {0}")]
    NotFound(String),
    /// The session's user has no seat in the game.
    #[error("you do not play in this game")]
    NotAPlayer(GameId),
    /// The table refused.
    #[error("{refusal}")]
    Refused {
        /// The game.
        game: GameId,
        /// Why.
        refusal: Refusal,
    },
    /// A player has not been away for long enough yet.
    #[error("the player may still come back: claim in {} s", .retry_after_ms.div_ceil(1000))]
    TooSoon {
        /// The game.
        game: GameId,
        /// When it may be claimed.
        retry_after_ms: u64,
    },
    /// The id was used for another request.
    #[error("this id was used for another request in this game: choose a new one")]
    IdReuse(GameId),
    /// A bounded worker is fully occupied.
    #[error("{what}; try again shortly")]
    Busy {
        /// Which, in words.
        what: String,
        /// When to try again.
        retry_after_ms: u64,
    },
    /// Too many messages in too short a time.
    #[error("too many messages: at most {burst} at once and {per_s} a second{}", .over.words())]
    RateLimited {
        /// Over what they are counted.
        over: Over,
        /// How many may come at once.
        burst: u32,
        /// How many a second in the long run.
        per_s: u32,
        /// When the next one will be taken.
        retry_after_ms: u64,
    },
    /// Too often.
    #[error("at most {max} {what}")]
    TooOften {
        /// The limit's name.
        limit: &'static str,
        /// Of what, and in which time.
        what: &'static str,
        /// How many.
        max: u32,
        /// When it may be done again.
        retry_after_ms: u64,
    },
    /// Too many things of one kind.
    #[error("at most {max} {what}")]
    LimitReached {
        /// The limit's name.
        limit: &'static str,
        /// Of what.
        what: &'static str,
        /// How many.
        max: usize,
    },
    /// One of those who would play has as many live games as a user may have.
    #[error("{user} has {max} live games, as many as a user may have")]
    GamesFull {
        /// Who.
        user: UserName,
        /// How many.
        max: usize,
    },
    /// What is stored of a game is not what was written.
    #[error(
        "the records of game {0} are damaged, and it cannot be opened until the server's operator \
         has restored them"
    )]
    Damaged(GameId),
    /// There is no room to store anything. Nothing has come of the request.
    #[error("the server can store nothing at present; try again shortly")]
    ReadOnly,
    /// The store failed or stops. What became of the request is settled by sending it again.
    #[error("the server could not do this just now")]
    Store(StoreError),
}

impl From<StoreError> for Denial {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unwritten => Self::ReadOnly,
            StoreError::Busy => Self::Busy {
                what: "many lists are being read".to_owned(),
                retry_after_ms: milliseconds(LIST_RETRY),
            },
            StoreError::Failed(_) | StoreError::Stopped => Self::Store(error),
        }
    }
}

impl From<TooSoon> for Denial {
    fn from(TooSoon { over, burst, per_s, wait }: TooSoon) -> Self {
        Self::RateLimited { over, burst, per_s, retry_after_ms: wait.0 }
    }
}

impl From<Spent> for Denial {
    fn from(Spent { limit, what, kib, wait }: Spent) -> Self {
        Self::TooOften { limit, what, max: kib, retry_after_ms: wait.0 }
    }
}

impl From<NoGame> for Denial {
    fn from(none: NoGame) -> Self {
        match none {
            NoGame::Spent(spent) => spent.into(),
            NoGame::NetworkFull { max } => Self::LimitReached {
                limit: "games_per_network",
                what: "live games of the guests and young accounts of one network",
                max: usize::try_from(max).unwrap_or(usize::MAX),
            },
        }
    }
}

impl From<OptionError> for Denial {
    fn from(error: OptionError) -> Self {
        Self::BadMessage(error.to_string())
    }
}

impl From<SetupError> for Denial {
    fn from(error: SetupError) -> Self {
        Self::BadMessage(error.to_string())
    }
}

const fn refusal_code(refusal: &Refusal) -> ErrorCode {
    match refusal {
        Refusal::GameOver => ErrorCode::GameOver,
        Refusal::StaleTurn { .. } => ErrorCode::StaleTurn,
        Refusal::NotYourTurn => ErrorCode::NotYourTurn,
        Refusal::Illegal(_) => ErrorCode::IllegalMove,
        Refusal::NoSuchOffer => ErrorCode::NoSuchOffer,
        Refusal::LeftTheGame
        | Refusal::NotYourOffer { .. }
        | Refusal::OfferStands
        | Refusal::OfferedThisTurn
        | Refusal::TakebacksSpent { .. }
        | Refusal::TooLongForOffers
        | Refusal::TooLateToAbort
        | Refusal::NothingToTakeBack
        | Refusal::TakebackBarred
        | Refusal::NothingToClaim
        | Refusal::NotAwaited
        | Refusal::NotToBeRated => ErrorCode::Forbidden,
        Refusal::NotReady => ErrorCode::TooSoon,
    }
}

impl Denial {
    /// What the client branches on. Exhaustive on purpose: a new denial does not compile until
    /// somebody has decided what the client is told.
    pub(crate) const fn code(&self) -> ErrorCode {
        match self {
            Self::Malformed(malformed) => malformed.code,
            Self::BadMessage(_) => ErrorCode::BadMessage,
            Self::ProtoUnsupported => ErrorCode::ProtoUnsupported,
            Self::Unauthorized(_) => ErrorCode::Unauthorized,
            Self::Forbidden(_) => ErrorCode::Forbidden,
            Self::NameTaken(_) => ErrorCode::NameTaken,
            Self::NotFound(_) => ErrorCode::NotFound,
            Self::NotAPlayer(_) => ErrorCode::NotAPlayer,
            Self::Refused { refusal, .. } => refusal_code(refusal),
            Self::TooSoon { .. } => ErrorCode::TooSoon,
            Self::IdReuse(_) => ErrorCode::IdReuse,
            Self::Busy { .. } => ErrorCode::Busy,
            Self::RateLimited { .. }
            | Self::TooOften { .. }
            | Self::LimitReached { .. }
            | Self::GamesFull { .. } => ErrorCode::RateLimited,
            Self::ReadOnly => ErrorCode::ReadOnly,
            Self::Store(_) | Self::Damaged(_) => ErrorCode::Internal,
        }
    }

    /// Whether it is the server's to mend.
    pub(crate) const fn is_fault(&self) -> bool {
        matches!(self, Self::Store(_))
    }

    /// What the client should do about it.
    const fn retry(&self) -> Retry {
        match self {
            Self::Busy { .. }
            | Self::RateLimited { .. }
            | Self::TooOften { .. }
            | Self::TooSoon { .. }
            | Self::ReadOnly => Retry::After,
            Self::Store(_) => Retry::Same,
            Self::Refused { refusal, .. } => match refusal {
                Refusal::StaleTurn { .. } | Refusal::GameOver | Refusal::NoSuchOffer => {
                    Retry::Resync
                }
                Refusal::NotReady => Retry::Same,
                Refusal::LeftTheGame
                | Refusal::NotYourTurn
                | Refusal::Illegal(_)
                | Refusal::NotYourOffer { .. }
                | Refusal::OfferStands
                | Refusal::OfferedThisTurn
                | Refusal::TakebacksSpent { .. }
                | Refusal::TooLongForOffers
                | Refusal::TooLateToAbort
                | Refusal::NothingToTakeBack
                | Refusal::TakebackBarred
                | Refusal::NothingToClaim
                | Refusal::NotAwaited
                | Refusal::NotToBeRated => Retry::Never,
            },
            Self::Malformed(_)
            | Self::BadMessage(_)
            | Self::ProtoUnsupported
            | Self::Unauthorized(_)
            | Self::Forbidden(_)
            | Self::NameTaken(_)
            | Self::NotFound(_)
            | Self::NotAPlayer(_)
            | Self::IdReuse(_)
            | Self::Damaged(_)
            | Self::LimitReached { .. }
            | Self::GamesFull { .. } => Retry::Never,
        }
    }

    /// The error as it is sent.
    pub(crate) fn into_failed(self, re: Option<RequestId>) -> Failed {
        metrics::refused_with(self.code());
        let mut failed = Failed {
            re,
            code: self.code(),
            message: self.to_string().into(),
            retry: self.retry(),
            retry_after_ms: None,
            game: None,
            why: None,
            turn: None,
            proto: None,
            limit: None,
        };
        match self {
            Self::Malformed(malformed) => failed.re = failed.re.or(malformed.id),
            Self::ProtoUnsupported => failed.proto = Some(vec![PROTOCOL_VERSION]),
            Self::NotAPlayer(game) | Self::IdReuse(game) | Self::Damaged(game) => {
                failed.game = Some(game);
            }
            Self::Refused { game, refusal } => {
                failed.game = Some(game);
                match refusal {
                    Refusal::Illegal(why) => failed.why = Some(why.to_string().into()),
                    Refusal::StaleTurn { turn, .. } => failed.turn = Some(turn),
                    Refusal::GameOver
                    | Refusal::NotReady
                    | Refusal::LeftTheGame
                    | Refusal::NotYourTurn
                    | Refusal::NoSuchOffer
                    | Refusal::NotYourOffer { .. }
                    | Refusal::OfferStands
                    | Refusal::OfferedThisTurn
                    | Refusal::TakebacksSpent { .. }
                    | Refusal::TooLongForOffers
                    | Refusal::TooLateToAbort
                    | Refusal::NothingToTakeBack
                    | Refusal::TakebackBarred
                    | Refusal::NothingToClaim
                    | Refusal::NotAwaited
                    | Refusal::NotToBeRated => {}
                }
            }
            Self::TooSoon { game, retry_after_ms } => {
                failed.game = Some(game);
                failed.retry_after_ms = Some(retry_after_ms);
            }
            Self::ReadOnly => failed.retry_after_ms = Some(milliseconds(STORE_RETRY)),
            Self::Busy { retry_after_ms, .. } => failed.retry_after_ms = Some(retry_after_ms),
            Self::RateLimited { over, retry_after_ms, .. } => {
                failed.retry_after_ms = Some(retry_after_ms);
                failed.limit = Some(over.limit().into());
            }
            Self::TooOften { limit, retry_after_ms, .. } => {
                failed.retry_after_ms = Some(retry_after_ms);
                failed.limit = Some(limit.into());
            }
            Self::LimitReached { limit, .. } => failed.limit = Some(limit.into()),
            Self::GamesFull { .. } => failed.limit = Some("games".into()),
            Self::BadMessage(_)
            | Self::Unauthorized(_)
            | Self::Forbidden(_)
            | Self::NameTaken(_)
            | Self::NotFound(_)
            | Self::Store(_) => {}
        }
        failed
    }
}
