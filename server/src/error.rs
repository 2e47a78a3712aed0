//! Every reason for which the server denies a request, and the table that gives each its code on
//! the wire.

use adamant_protocol::{
    ErrorCode, GameId, Malformed, PROTOCOL_VERSION, RequestId, Retry, UserName, ids::RulesName,
    to_client::Failed,
};
use adamant_record::wire;
use adamant_rules::{Kind, Refusal, options::OptionError, table::SetupError};

use crate::{
    limits::{LIST_RETRY, ORIGIN_RETRY, OTHERS_RETRY, ROOM_RETRY, STORE_RETRY},
    quotas::{BudgetExhausted, GameDenied, LimitScope, RateExceeded},
    runtime::{metrics, time::milliseconds},
    store::{OfferId, OpenLimitReached, StoreError},
};

/// Why the server denies a request.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum Denial {
    /// The frame is not a request.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// A field has a value that is not allowed.
    #[error("{0}")]
    BadMessage(String),
    /// The client speaks no version of the protocol that the server speaks.
    #[error("this server speaks version {PROTOCOL_VERSION} of the protocol")]
    ProtoUnsupported,
    /// The token or password is wrong, or there is none.
    #[error("{0}")]
    Unauthorized(String),
    /// The session's user may not do this.
    #[error("{0}")]
    Forbidden(String),
    /// The client's user has blocked this one.
    #[error("you have blocked {0}: unblock them first")]
    YouBlocked(UserName),
    /// This user has blocked the client's user.
    #[error("{0} does not play with you")]
    BlockedBy(UserName),
    /// This user accepts no challenges.
    #[error("{0} accepts no challenges")]
    AcceptsNone(UserName),
    /// This user accepts no challenges of guests.
    #[error("{0} accepts challenges of users with an account")]
    AcceptsAccounts(UserName),
    /// A rated game of users who belong to one owner.
    #[error("{0} and {1} belong to the same owner: a game between them cannot be rated")]
    SameOwner(UserName, UserName),
    /// The name, or a look-alike of it, is taken or reserved.
    #[error("{0}")]
    NameTaken(String),
    /// The thing that the request names does not exist, or no longer.
    #[error("there is no {0}")]
    NotFound(String),
    /// The challenge or invite has been answered or taken back.
    #[error("there is no open {0}")]
    OfferGone(OfferId),
    /// Users kept joining and leaving the invite or seek while the request would complete it.
    #[error("users join and leave the {0} at this moment; try again shortly")]
    OfferChanged(OfferId),
    /// The rematch has started already.
    #[error("the rematch has started already: it is game {0}")]
    RematchExists(GameId),
    /// The session's user has no seat in the game.
    #[error("you do not play in this game")]
    NotAPlayer(GameId),
    /// The table refused the act.
    #[error("{refusal}")]
    Refused {
        game: GameId,
        /// The table's reason.
        refusal: Refusal,
    },
    /// The rules refuse one of several tried moves.
    #[error("{refusal}")]
    TriedMove {
        /// Which, from 0.
        index: u32,
        /// The table's reason.
        refusal: Refusal,
    },
    /// The player has not been away for long enough for a claim.
    #[error("the player may still come back: claim in {} s", .retry_after_ms.div_ceil(1000))]
    TooSoon {
        game: GameId,
        /// Time until the claim is allowed.
        retry_after_ms: u64,
    },
    /// The id was used for a different request in this game.
    #[error("this id was used for another request in this game: choose a new one")]
    IdReuse(GameId),
    /// A bounded worker has no capacity left.
    #[error("{what}; try again shortly")]
    Busy {
        /// The reason, for people.
        what: String,
        /// Time until the client may retry.
        retry_after_ms: u64,
    },
    /// Too many messages in a short time.
    #[error("too many messages: at most {burst} at once and {per_s} a second{}", .scope.scope_text())]
    RateLimited {
        /// The scope over which messages are counted.
        scope: LimitScope,
        /// Messages allowed at once.
        burst: u32,
        /// Messages per second in the long run.
        per_s: u32,
        /// Time until the next message is accepted.
        retry_after_ms: u64,
    },
    /// An action was requested too often.
    #[error("at most {max} {what}")]
    TooOften {
        /// The limit's name on the wire.
        limit: &'static str,
        /// The things counted and their period, for people.
        what: &'static str,
        /// The limit.
        max: u32,
        /// Time until the action is allowed.
        retry_after_ms: u64,
    },
    /// Too many things of one kind exist.
    #[error("at most {max} {what}")]
    LimitReached {
        /// The limit's name on the wire.
        limit: &'static str,
        /// The things counted, for people.
        what: &'static str,
        max: usize,
        /// Whether others fill it, so that the client can only wait.
        by_others: bool,
    },
    /// Another player has the maximum number of live games.
    #[error("{user} has {max} live games, as many as a user may have")]
    GamesFull {
        /// The player.
        user: UserName,
        /// The limit.
        max: usize,
    },
    /// The user or the address is banned, or the account is closed.
    #[error("{message}")]
    Banned {
        /// What is banned, until when and why.
        message: String,
        /// When it ends, in epoch milliseconds.
        until: Option<u64>,
    },
    /// The user may not talk.
    #[error("{message}")]
    Silenced {
        /// Until when and why.
        message: String,
        /// When it ends, in epoch milliseconds.
        until: Option<u64>,
    },
    /// New accounts or new guests are not taken, or not without an invitation.
    #[error("{0}")]
    SignUpClosed(&'static str),
    /// The server is about to be restarted.
    #[error("no new games: {0}")]
    Maintenance(String),
    /// The stored records of a game are damaged.
    #[error(
        "the records of game {0} are damaged, and it cannot be opened until the server's operator \
         has restored them"
    )]
    Damaged(GameId),
    /// The store is read-only. The request had no effect.
    #[error("the server can store nothing at present; try again shortly")]
    ReadOnly,
    /// The store failed or stops. The request may have had its effect: the client sends it again.
    #[error("the server could not do this just now")]
    Store(StoreError),
}

impl From<StoreError> for Denial {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::ReadOnly => Self::ReadOnly,
            StoreError::Busy => Self::Busy {
                what: "many lists are being read".to_owned(),
                retry_after_ms: milliseconds(LIST_RETRY),
            },
            StoreError::Failed(_) | StoreError::Stopped => Self::Store(error),
        }
    }
}

impl From<RateExceeded> for Denial {
    fn from(RateExceeded { scope, burst, per_s, wait }: RateExceeded) -> Self {
        Self::RateLimited { scope, burst, per_s, retry_after_ms: wait.0 }
    }
}

impl From<BudgetExhausted> for Denial {
    fn from(BudgetExhausted { limit, what, kib, wait }: BudgetExhausted) -> Self {
        Self::TooOften { limit, what, max: kib, retry_after_ms: wait.0 }
    }
}

impl From<GameDenied> for Denial {
    fn from(denied: GameDenied) -> Self {
        match denied {
            GameDenied::BudgetExhausted(exhausted) => exhausted.into(),
            GameDenied::NetworkFull { max } => Self::LimitReached {
                limit: "games_per_network",
                what: "live games of the guests and young accounts of one network",
                max: usize::try_from(max).unwrap_or(usize::MAX),
                by_others: true,
            },
        }
    }
}

impl From<OpenLimitReached> for Denial {
    fn from(OpenLimitReached { limit, what, max, by_others }: OpenLimitReached) -> Self {
        Self::LimitReached { limit, what, max, by_others }
    }
}

impl From<wire::WireError> for Denial {
    fn from(error: wire::WireError) -> Self {
        Self::BadMessage(error.to_string())
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

/// A denial as the wire shows it, apart from its message.
#[derive(Debug)]
struct WireFields<'a> {
    code: ErrorCode,
    retry: Retry,
    retry_after_ms: Option<u64>,
    game: Option<&'a GameId>,
    /// The limit's name.
    limit: Option<&'static str>,
}

const fn fields<'a>(code: ErrorCode) -> WireFields<'a> {
    WireFields { code, retry: code.retry(), retry_after_ms: None, game: None, limit: None }
}

/// Others have to leave room first, and the client can only wait.
fn filled_by_others<'a>(limit: &'static str) -> WireFields<'a> {
    WireFields {
        retry_after_ms: Some(milliseconds(OTHERS_RETRY)),
        limit: Some(limit),
        ..fields(ErrorCode::RateLimited)
    }
}

/// The code of a refusal by the table.
const fn of_refusal(refusal: &Refusal) -> ErrorCode {
    match refusal {
        Refusal::GameOver => ErrorCode::GameOver,
        Refusal::StaleTurn { .. } => ErrorCode::StaleTurn,
        Refusal::NoSuchOffer => ErrorCode::NoSuchOffer,
        Refusal::NotReady | Refusal::SeatIsOffered => ErrorCode::TooSoon,
        Refusal::NotYourTurn => ErrorCode::NotYourTurn,
        Refusal::Illegal(_) => ErrorCode::IllegalMove,
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
    }
}

/// The fields of a refusal by the table.
fn refused<'a>(refusal: &Refusal) -> WireFields<'a> {
    let fields = fields(of_refusal(refusal));
    let wait = (fields.retry == Retry::After).then(|| milliseconds(ROOM_RETRY));
    WireFields { retry_after_ms: wait, ..fields }
}

impl Denial {
    /// The one table from denials to the wire. It has no wildcard, so a new denial does not compile
    /// without a code.
    fn wire_fields(&self) -> WireFields<'_> {
        match self {
            Self::Malformed(malformed) => fields(malformed.code),
            Self::BadMessage(_) => fields(ErrorCode::BadMessage),
            Self::ProtoUnsupported => fields(ErrorCode::ProtoUnsupported),
            Self::Unauthorized(_) => fields(ErrorCode::Unauthorized),
            Self::Forbidden(_) | Self::SameOwner(..) => fields(ErrorCode::Forbidden),
            Self::YouBlocked(_) | Self::BlockedBy(_) => fields(ErrorCode::Blocked),
            Self::AcceptsNone(_) | Self::AcceptsAccounts(_) => fields(ErrorCode::NotAccepting),
            Self::NameTaken(_) => fields(ErrorCode::NameTaken),
            Self::NotFound(_) | Self::OfferGone(_) => fields(ErrorCode::NotFound),
            Self::OfferChanged(_) => WireFields {
                retry_after_ms: Some(milliseconds(ORIGIN_RETRY)),
                ..fields(ErrorCode::Busy)
            },
            Self::RematchExists(game) => {
                WireFields { game: Some(game), ..fields(ErrorCode::Forbidden) }
            }
            Self::NotAPlayer(game) => {
                WireFields { game: Some(game), ..fields(ErrorCode::NotAPlayer) }
            }
            Self::Refused { game, refusal } => WireFields { game: Some(game), ..refused(refusal) },
            Self::TriedMove { refusal, .. } => refused(refusal),
            Self::TooSoon { game, retry_after_ms } => WireFields {
                game: Some(game),
                retry_after_ms: Some(*retry_after_ms),
                ..fields(ErrorCode::TooSoon)
            },
            Self::IdReuse(game) => WireFields { game: Some(game), ..fields(ErrorCode::IdReuse) },
            Self::Busy { retry_after_ms, .. } => {
                WireFields { retry_after_ms: Some(*retry_after_ms), ..fields(ErrorCode::Busy) }
            }
            Self::RateLimited { scope, retry_after_ms, .. } => WireFields {
                retry_after_ms: Some(*retry_after_ms),
                limit: Some(scope.limit()),
                ..fields(ErrorCode::RateLimited)
            },
            Self::TooOften { limit, retry_after_ms, .. } => WireFields {
                retry_after_ms: Some(*retry_after_ms),
                limit: Some(limit),
                ..fields(ErrorCode::RateLimited)
            },
            Self::LimitReached { limit, by_others: false, .. } => WireFields {
                retry: Retry::Never,
                limit: Some(limit),
                ..fields(ErrorCode::RateLimited)
            },
            Self::LimitReached { limit, by_others: true, .. } => filled_by_others(limit),
            Self::GamesFull { .. } => filled_by_others("games"),
            Self::Banned { .. } => fields(ErrorCode::Banned),
            Self::Silenced { .. } => fields(ErrorCode::Silenced),
            Self::SignUpClosed(_) => fields(ErrorCode::SignUpClosed),
            Self::Maintenance(_) => fields(ErrorCode::Maintenance),
            Self::ReadOnly => WireFields {
                retry_after_ms: Some(milliseconds(STORE_RETRY)),
                ..fields(ErrorCode::ReadOnly)
            },
            Self::Store(_) => fields(ErrorCode::Internal),
            Self::Damaged(game) => {
                WireFields { retry: Retry::Never, game: Some(game), ..fields(ErrorCode::Internal) }
            }
        }
    }

    /// Returns the denial of a request for rules that the server does not play.
    pub(crate) fn unknown_rules(rules: &RulesName) -> Self {
        let known: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
        Self::NotFound(format!("game called {rules} here; there is {}", known.join(", ")))
    }

    /// Returns the denial of a request that names a cell which the board does not have.
    pub(crate) fn no_such_cell(name: &str) -> Self {
        Self::NotFound(format!("cell {name:.8} on this board"))
    }

    /// The code that clients branch on.
    pub(crate) fn code(&self) -> ErrorCode {
        self.wire_fields().code
    }

    /// Whether the same request may succeed later.
    pub(crate) fn may_be_repeated(&self) -> bool {
        matches!(self.wire_fields().retry, Retry::Same | Retry::After)
    }

    /// Whether the server is at fault, not the client.
    pub(crate) const fn is_fault(&self) -> bool {
        matches!(self, Self::Store(_))
    }

    /// The error as it is sent, as the answer to a request.
    pub(crate) fn into_failed(self, re: Option<RequestId>) -> Failed {
        let WireFields { code, retry, retry_after_ms, game, limit } = self.wire_fields();
        metrics::count_refusal(code);
        let mut failed = Failed {
            retry,
            retry_after_ms,
            game: game.cloned(),
            limit: limit.map(Into::into),
            ..Failed::new(re, code, self.to_string())
        };
        if let Self::TriedMove { index, .. } = self {
            failed.index = Some(index);
        }
        if let Self::Banned { until, .. } | Self::Silenced { until, .. } = self {
            failed.until = until;
        }
        if let Self::Refused { refusal, .. } | Self::TriedMove { refusal, .. } = &self {
            if let Refusal::Illegal(violation) = refusal {
                let reason = violation.reason();
                let (key, args) = wire::reason_key(&reason);
                failed.why = Some(reason.to_string().into());
                failed.why_key = Some(key);
                failed.why_args = args;
            }
            if let Refusal::StaleTurn { turn, .. } = refusal {
                failed.turn = Some(*turn);
            }
        }
        if matches!(self, Self::ProtoUnsupported) {
            failed.proto = Some(vec![PROTOCOL_VERSION]);
        }
        if let Self::Malformed(malformed) = self {
            failed.re = failed.re.or(malformed.id);
        }
        failed
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    /// Every denial that does not come from the table.
    fn denials() -> Vec<Denial> {
        let game = || "k7q2mx".parse::<GameId>().unwrap();
        let user = || "ann".parse::<UserName>().unwrap();
        let offer = || OfferId::Seek("s_1".parse().unwrap());
        let text = String::new;
        let limit =
            |by_others| Denial::LimitReached { limit: "seeks", what: "", max: 1, by_others };
        let busy = StoreError::Busy;
        let wait = 1;
        vec![
            Malformed { code: ErrorCode::BadJson, id: None, message: text() }.into(),
            Denial::BadMessage(text()),
            Denial::ProtoUnsupported,
            Denial::Unauthorized(text()),
            Denial::Forbidden(text()),
            Denial::YouBlocked(user()),
            Denial::BlockedBy(user()),
            Denial::AcceptsNone(user()),
            Denial::AcceptsAccounts(user()),
            Denial::SameOwner(user(), user()),
            Denial::NameTaken(text()),
            Denial::NotFound(text()),
            Denial::OfferGone(offer()),
            Denial::OfferChanged(offer()),
            Denial::RematchExists(game()),
            Denial::NotAPlayer(game()),
            Denial::TooSoon { game: game(), retry_after_ms: wait },
            Denial::IdReuse(game()),
            busy.into(),
            Denial::RateLimited {
                scope: LimitScope::User,
                burst: 1,
                per_s: 1,
                retry_after_ms: wait,
            },
            Denial::TooOften { limit: "lines", what: "", max: 1, retry_after_ms: wait },
            limit(false),
            limit(true),
            GameDenied::NetworkFull { max: 1 }.into(),
            Denial::GamesFull { user: user(), max: 1 },
            Denial::Banned { message: text(), until: None },
            Denial::Silenced { message: text(), until: None },
            Denial::SignUpClosed(""),
            Denial::Maintenance(text()),
            Denial::Damaged(game()),
            StoreError::ReadOnly.into(),
            StoreError::Failed(Arc::from("")).into(),
            StoreError::Stopped.into(),
        ]
    }

    fn refusals() -> Vec<Denial> {
        let refusals = [
            Refusal::NotReady,
            Refusal::SeatIsOffered,
            Refusal::GameOver,
            Refusal::LeftTheGame,
            Refusal::StaleTurn { given: 1, turn: 2 },
            Refusal::NotYourTurn,
            Refusal::NoSuchOffer,
            Refusal::NotYourOffer { what: "answer" },
            Refusal::OfferStands,
            Refusal::OfferedThisTurn,
            Refusal::TakebacksSpent { max: 1 },
            Refusal::TooLongForOffers,
            Refusal::TooLateToAbort,
            Refusal::NothingToTakeBack,
            Refusal::TakebackBarred,
            Refusal::NothingToClaim,
            Refusal::NotAwaited,
            Refusal::NotToBeRated,
        ];
        let game: GameId = "k7q2mx".parse().unwrap();
        refusals.map(|refusal| Denial::Refused { game: game.clone(), refusal }).into()
    }

    #[test]
    fn a_denial_that_time_mends_says_how_long_to_wait_and_no_other_does() {
        for denial in denials().into_iter().chain(refusals()) {
            let shown = format!("{denial:?}");
            let is_by_others = matches!(
                denial,
                Denial::LimitReached { by_others: true, .. } | Denial::GamesFull { .. }
            );
            let failed = denial.into_failed(None);
            let waits = failed.retry_after_ms.is_some_and(|wait_ms| wait_ms > 0);
            assert_eq!(waits, failed.retry == Retry::After, "{shown}");
            assert!(waits || !is_by_others, "{shown}");
            let is_told = failed.message.contains("try again");
            assert!(!is_told || waits, "{shown}: {}", failed.message);
        }
    }
}
