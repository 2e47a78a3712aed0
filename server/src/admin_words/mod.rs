//! The words of administration: the requests, which the command line and the socket share, and
//! answers as text. What they do stands in `admin`.

mod request;
mod text;

pub use request::{
    AdminRequest, AuditWord, BansWord, MaintenanceWord, NoticeWord, SignUpWord, UsersWord,
};
pub(crate) use request::{ActSubject, OperatorText, SignUp, Switch};
pub use text::Answer;
