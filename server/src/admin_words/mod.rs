//! The words of administration: the requests, which the command line and the socket share, and
//! answers as text. What they do stands in `admin`.

mod request;
mod text;

pub(crate) use request::{ActSubject, game_subject};
pub use request::{
    AdminRequest, AuditWord, BansWord, GamesWord, KeysWord, MaintenanceWord, NoticeWord,
    OperatorText, ReportStepWord, ReportsWord, RulingWord, SignUp, SignUpWord, Switch, UsersWord,
};
pub use text::Answer;
