//! The requests. Each is read from the command line or from JSON, so that both have the same words.

use std::{net::IpAddr, str::FromStr, time::Duration};

use adamant_protocol::{GameId, UserName, ids::TokenId};
use clap::{Subcommand, ValueEnum};
use humantime_serde::re::humantime::parse_duration;
use ipnet::IpNet;
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};

use crate::limits::{ADMIN_PAGE_MAX, INVITATIONS_AT_ONCE_MAX, OPERATOR_TEXT_BYTES_MAX};

/// A reason, a note or a text to users.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct OperatorText(String);

impl OperatorText {
    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<OperatorText> for String {
    fn from(OperatorText(text): OperatorText) -> Self {
        text
    }
}

impl TryFrom<String> for OperatorText {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text.trim().is_empty() || text.len() > OPERATOR_TEXT_BYTES_MAX {
            return Err(format!("a text has 1 to {OPERATOR_TEXT_BYTES_MAX} bytes"));
        }
        if text.chars().any(char::is_control) {
            return Err("a text is one line without control characters".to_owned());
        }
        Ok(Self(text))
    }
}

impl FromStr for OperatorText {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        text.to_owned().try_into()
    }
}

/// A request of an operator.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Subcommand)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum AdminRequest {
    /// Users: list, show, note, log out, close, reopen, rename
    #[command(subcommand)]
    Users(UsersWord),
    /// Bans of users, addresses and networks
    #[command(subcommand)]
    Bans(BansWord),
    /// Reports of users: list, show, close with a step
    #[command(subcommand)]
    Reports(ReportsWord),
    /// Games: show, end by a ruling, annul a rated result
    #[command(subcommand)]
    Games(GamesWord),
    /// Who may sign up, and whether guests may come
    #[command(subcommand)]
    SignUp(SignUpWord),
    /// Texts to users who are connected
    #[command(subcommand)]
    Notice(NoticeWord),
    /// A planned restart: no new games from a time
    #[command(subcommand)]
    Maintenance(MaintenanceWord),
    /// The keys of records and of push messages
    #[command(subcommand)]
    Keys(KeysWord),
    /// Read the configuration again, and say what has changed and what needs a restart
    Reload {
        /// Why; operators alone read it
        #[arg(long, value_name = "TEXT")]
        reason: OperatorText,
    },
    /// What operators have done
    #[command(subcommand)]
    Audit(AuditWord),
}

/// What operators do about users.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Subcommand)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum UsersWord {
    /// List users by name
    List {
        /// Only users whose names contain this
        #[arg(long, value_name = "TEXT")]
        #[serde(default)]
        search: Option<String>,
        /// Go on after this name
        #[arg(long, value_name = "NAME")]
        #[serde(default)]
        after: Option<String>,
        /// At most so many
        #[arg(long, default_value_t = 50, value_parser = page())]
        #[serde(default = "fifty", deserialize_with = "page_size")]
        limit: u32,
    },
    /// Show a user with notes, bans, bots and where the user is connected
    Show {
        /// The user
        user: UserName,
    },
    /// Show everything that is stored about a user, without secrets; meant for --json
    Export {
        /// The user
        user: UserName,
    },
    /// Add a note about a user, which operators alone read
    Note {
        /// The user
        user: UserName,
        /// The note
        note: OperatorText,
    },
    /// Warn a user, who is told so until the notice is read
    Warn {
        /// The user
        user: UserName,
        /// Why; the user reads it
        #[arg(long, value_name = "TEXT")]
        reason: OperatorText,
    },
    /// List a user's tokens and the sessions on this node
    Tokens {
        /// The user
        user: UserName,
    },
    /// End a user's tokens, those of the user's bots, and their sessions
    LogOut {
        /// The user
        user: UserName,
        /// Only this token
        #[arg(long, value_name = "ID")]
        #[serde(default)]
        token: Option<TokenId>,
        /// Why; operators alone read it
        #[arg(long, value_name = "TEXT")]
        reason: OperatorText,
    },
    /// Make a code with which a user sets a new password, once
    ResetCode {
        /// The user
        user: UserName,
        /// How long the code is valid
        #[arg(long = "for", value_name = "DURATION", default_value = "1day",
            value_parser = parse_duration)]
        #[serde(rename = "for", default = "one_day", with = "humantime_serde")]
        lasts: Duration,
        /// Why; operators alone read it
        #[arg(long, value_name = "TEXT")]
        reason: OperatorText,
    },
    /// Close an account or a guest: nobody logs in to it, and the name stays taken
    Close {
        /// The user
        user: UserName,
        /// Why; the user reads it
        #[arg(long, value_name = "TEXT")]
        reason: OperatorText,
    },
    /// Open a closed account again
    Reopen {
        /// The user
        user: UserName,
        /// Why; operators alone read it
        #[arg(long, value_name = "TEXT")]
        reason: OperatorText,
    },
    /// Rename a user who has never played: records name the others
    Rename {
        /// The user
        user: UserName,
        /// The new name
        name: UserName,
        /// Why; operators alone read it
        #[arg(long, value_name = "TEXT")]
        reason: OperatorText,
    },
}

/// What operators do about bans.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Subcommand)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum BansWord {
    /// List the bans that stand, the latest first
    List {
        /// Also those that were lifted or are over
        #[arg(long)]
        #[serde(default)]
        all: bool,
        /// At most so many
        #[arg(long, default_value_t = 50, value_parser = page())]
        #[serde(default = "fifty", deserialize_with = "page_size")]
        limit: u32,
    },
    /// Ban a user and the user's bots
    User {
        /// The user
        user: UserName,
        /// Why; the user reads it
        #[arg(long, value_name = "TEXT")]
        reason: OperatorText,
        /// For how long, such as 12h or 30days; without it, until it is lifted
        #[arg(long = "for", value_name = "DURATION", value_parser = parse_duration)]
        #[serde(rename = "for", default, with = "humantime_serde::option")]
        lasts: Option<Duration>,
    },
    /// Silence a user and the user's bots: they play, and their talk is refused
    Silence {
        /// The user
        user: UserName,
        /// Why; the user reads it
        #[arg(long, value_name = "TEXT")]
        reason: OperatorText,
        /// For how long, such as 12h or 30days; without it, until it is lifted
        #[arg(long = "for", value_name = "DURATION", value_parser = parse_duration)]
        #[serde(rename = "for", default, with = "humantime_serde::option")]
        lasts: Option<Duration>,
    },
    /// Ban an address or a network; of IPv6 a /64 at least
    Network {
        /// An address, or a network such as 192.0.2.0/24
        #[arg(value_parser = network)]
        #[serde(with = "network_text")]
        network: IpNet,
        /// Why; who is refused reads it
        #[arg(long, value_name = "TEXT")]
        reason: OperatorText,
        /// For how long, such as 12h or 30days; without it, until it is lifted
        #[arg(long = "for", value_name = "DURATION", value_parser = parse_duration)]
        #[serde(rename = "for", default, with = "humantime_serde::option")]
        lasts: Option<Duration>,
    },
    /// Lift a ban or a silence
    Lift {
        /// The number of the ban
        id: u64,
        /// Why; operators alone read it
        #[arg(long, value_name = "TEXT")]
        reason: OperatorText,
    },
}

/// What operators do about reports.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Subcommand)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum ReportsWord {
    /// List the open reports, the latest first
    List {
        /// Also those that are closed
        #[arg(long)]
        #[serde(default)]
        all: bool,
        /// All reports about this user, open or closed
        #[arg(long, value_name = "NAME")]
        #[serde(default)]
        about: Option<UserName>,
        /// Go on before the report with this number
        #[arg(long, value_name = "ID")]
        #[serde(default)]
        before: Option<u64>,
        /// At most so many
        #[arg(long, default_value_t = 50, value_parser = page())]
        #[serde(default = "fifty", deserialize_with = "page_size")]
        limit: u32,
    },
    /// Show a report with its evidence, and what was done about the user before
    Show {
        /// The number of the report
        id: u64,
    },
    /// Close a report; the reporter is told whether something was done
    Close {
        /// The number of the report
        id: u64,
        /// What is done about the reported user
        #[arg(long)]
        step: ReportStepWord,
        /// For how long the user is silenced or suspended, such as 12h or 30days
        #[arg(long = "for", value_name = "DURATION", value_parser = parse_duration)]
        #[serde(rename = "for", default, with = "humantime_serde::option")]
        lasts: Option<Duration>,
        /// Why; the reported user reads it if a step is taken
        #[arg(long, value_name = "TEXT")]
        reason: OperatorText,
        /// What the reporter reads beside the outcome
        #[arg(long, value_name = "TEXT")]
        #[serde(default)]
        answer: Option<OperatorText>,
    },
}

/// What operators do about games.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Subcommand)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum GamesWord {
    /// Show a game with its clocks, its rating changes, where its room is open, and acts about it
    Show {
        /// The game
        game: GameId,
    },
    /// End a live game by a ruling, which its record tells; a rated game counts as ever
    End {
        /// The game
        game: GameId,
        /// Who wins, by name or by the letter of the seat; or draw; or abort, without a result
        #[arg(long, value_name = "RESULT")]
        result: RulingWord,
        /// Why; the players read it
        #[arg(long, value_name = "TEXT")]
        reason: OperatorText,
    },
    /// Annul the result of a rated game: it counts for nothing, and ratings are computed again
    Annul {
        /// The game
        game: GameId,
        /// Why; the players read it
        #[arg(long, value_name = "TEXT")]
        reason: OperatorText,
    },
}

/// How a ruling ends a game: `draw`, `abort`, or who wins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum RulingWord {
    /// The players who are left share the win.
    Draw,
    /// There is no result.
    Abort,
    /// The name of the player, or the letter of the seat.
    Winner(Box<str>),
}

impl FromStr for RulingWord {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(match text {
            "draw" => Self::Draw,
            "abort" => Self::Abort,
            letter if letter.chars().count() == 1 => Self::Winner(letter.into()),
            name => {
                let name = name.parse::<UserName>().map_err(|error| error.to_string())?;
                Self::Winner(name.as_str().into())
            }
        })
    }
}

impl TryFrom<String> for RulingWord {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<RulingWord> for String {
    fn from(word: RulingWord) -> Self {
        match word {
            RulingWord::Draw => "draw".to_owned(),
            RulingWord::Abort => "abort".to_owned(),
            RulingWord::Winner(winner) => winner.into(),
        }
    }
}

/// What is done about a reported user, from the mildest step to the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum ReportStepWord {
    /// Nothing.
    None,
    /// The user is warned.
    Warn,
    /// The user may not talk for a time.
    Silence,
    /// The user may not come for a time.
    Suspend,
    /// The account is closed.
    Close,
}

/// What operators do about sign-ups.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Subcommand)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum SignUpWord {
    /// Show who may sign up, and whether guests may come
    Show,
    /// Set who may sign up
    Accounts {
        /// Who
        who: SignUp,
        /// Why; operators alone read it
        #[arg(long, value_name = "TEXT")]
        reason: OperatorText,
    },
    /// Let new guests in or not; guests who have come stay
    Guests {
        /// Whether
        may: Switch,
        /// Why; operators alone read it
        #[arg(long, value_name = "TEXT")]
        reason: OperatorText,
    },
    /// Make invitations to sign up
    Invite {
        /// How many
        #[arg(long, default_value_t = 1, value_parser = invitations())]
        #[serde(default = "one", deserialize_with = "invitation_count")]
        count: u32,
        /// How many accounts each is good for
        #[arg(long, default_value_t = 1, value_parser = page())]
        #[serde(default = "one", deserialize_with = "page_size")]
        uses: u32,
        /// For how long they are valid
        #[arg(long = "for", value_name = "DURATION", default_value = "30days",
            value_parser = parse_duration)]
        #[serde(rename = "for", default = "thirty_days", with = "humantime_serde")]
        lasts: Duration,
        /// Why; operators alone read it
        #[arg(long, value_name = "TEXT")]
        reason: OperatorText,
    },
    /// List the invitations that are valid
    Invitations,
    /// Take an invitation back
    Revoke {
        /// The invitation
        code: String,
        /// Why; operators alone read it
        #[arg(long, value_name = "TEXT")]
        reason: OperatorText,
    },
}

/// Texts to users.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Subcommand)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum NoticeWord {
    /// Send a text to all who are connected
    All {
        /// The text
        text: OperatorText,
    },
    /// Send a text to one user's sessions
    User {
        /// The user
        user: UserName,
        /// The text
        text: OperatorText,
    },
}

/// What operators do about a planned restart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Subcommand)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum MaintenanceWord {
    /// Show what is planned
    Show,
    /// Announce it to all: from then on no game begins, and games go on until the server stops
    Plan {
        /// In how long it begins
        #[arg(long = "in", value_name = "DURATION", value_parser = parse_duration)]
        #[serde(rename = "in", with = "humantime_serde")]
        within: Duration,
        /// What users read
        text: OperatorText,
    },
    /// Cancel it, and say so to all
    Cancel {
        /// Why; operators alone read it
        #[arg(long, value_name = "TEXT")]
        reason: OperatorText,
    },
}

/// What operators do about keys.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Subcommand)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum KeysWord {
    /// Show the public keys
    Show,
    /// Sign records with a new key on this node; those signed before can still be verified
    Replace {
        /// Why; operators alone read it
        #[arg(long, value_name = "TEXT")]
        reason: OperatorText,
    },
    /// Send push messages with a new key; browsers are served with the old one until they are back
    ReplacePush {
        /// Why; operators alone read it
        #[arg(long, value_name = "TEXT")]
        reason: OperatorText,
    },
}

/// What operators read of their acts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Subcommand)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum AuditWord {
    /// List acts, the latest first
    List {
        /// Only those about this user, game, network or code
        #[arg(long, value_name = "SUBJECT")]
        #[serde(default)]
        about: Option<String>,
        /// Go on before the act with this number
        #[arg(long, value_name = "ID")]
        #[serde(default)]
        before: Option<u64>,
        /// At most so many
        #[arg(long, default_value_t = 50, value_parser = page())]
        #[serde(default = "fifty", deserialize_with = "page_size")]
        limit: u32,
    },
}

/// Who may sign up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum SignUp {
    /// Everybody.
    #[default]
    Open,
    /// Who has an invitation.
    Invitation,
    /// Nobody.
    Closed,
}

/// Whether something may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Switch {
    /// It may.
    #[default]
    On,
    /// It may not.
    Off,
}

/// What an act is about, and why it is done.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ActSubject {
    pub(crate) subject: Option<String>,
    pub(crate) reason: Option<String>,
}

impl AdminRequest {
    /// Returns what the request is about, and why, as the audit has them.
    pub(crate) fn subject(&self) -> ActSubject {
        let user = |user: &UserName| Some(user.folded().to_string());
        let (subject, reason) = match self {
            Self::Users(
                UsersWord::Note { user: of, .. }
                | UsersWord::Show { user: of }
                | UsersWord::Export { user: of }
                | UsersWord::Tokens { user: of },
            )
            | Self::Notice(NoticeWord::User { user: of, .. }) => (user(of), None),
            Self::Users(
                UsersWord::LogOut { user: of, reason, .. }
                | UsersWord::Warn { user: of, reason }
                | UsersWord::ResetCode { user: of, reason, .. }
                | UsersWord::Close { user: of, reason }
                | UsersWord::Reopen { user: of, reason }
                | UsersWord::Rename { user: of, reason, .. },
            )
            | Self::Bans(
                BansWord::User { user: of, reason, .. }
                | BansWord::Silence { user: of, reason, .. },
            ) => (user(of), Some(reason)),
            Self::Bans(BansWord::Network { network, reason, .. }) => {
                (Some(network.to_string()), Some(reason))
            }
            Self::Bans(BansWord::Lift { id, reason }) => (Some(id.to_string()), Some(reason)),
            Self::SignUp(
                SignUpWord::Accounts { reason, .. }
                | SignUpWord::Guests { reason, .. }
                | SignUpWord::Invite { reason, .. },
            )
            | Self::Maintenance(MaintenanceWord::Cancel { reason })
            // The report names the user.
            | Self::Reports(ReportsWord::Close { reason, .. })
            | Self::Keys(KeysWord::Replace { reason } | KeysWord::ReplacePush { reason })
            | Self::Reload { reason } => (None, Some(reason)),
            Self::Games(
                GamesWord::Annul { game, reason } | GamesWord::End { game, reason, .. },
            ) => {
                (Some(game_subject(game)), Some(reason))
            }
            Self::SignUp(SignUpWord::Revoke { code, reason }) => (Some(code.clone()), Some(reason)),
            Self::Users(UsersWord::List { .. })
            | Self::Bans(BansWord::List { .. })
            | Self::Reports(ReportsWord::List { .. } | ReportsWord::Show { .. })
            | Self::Games(GamesWord::Show { .. })
            | Self::SignUp(SignUpWord::Show | SignUpWord::Invitations)
            | Self::Notice(NoticeWord::All { .. })
            | Self::Maintenance(MaintenanceWord::Show | MaintenanceWord::Plan { .. })
            | Self::Keys(KeysWord::Show)
            | Self::Audit(_) => (None, None),
        };
        ActSubject { subject, reason: reason.map(|reason| reason.as_str().to_owned()) }
    }
}

/// The name under which acts about a game are found.
pub(crate) fn game_subject(game: &GameId) -> String {
    game.as_str().to_ascii_lowercase()
}

fn page() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=i64::from(ADMIN_PAGE_MAX))
}

fn invitations() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=i64::from(INVITATIONS_AT_ONCE_MAX))
}

/// The same as the ranges of the command line.
fn within<'de, D: Deserializer<'de>>(from: D, max: u32) -> Result<u32, D::Error> {
    let number = u32::deserialize(from)?;
    if (1..=max).contains(&number) {
        Ok(number)
    } else {
        Err(D::Error::custom(format!("{number} is not in 1..={max}")))
    }
}

fn page_size<'de, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
    within(from, ADMIN_PAGE_MAX)
}

fn invitation_count<'de, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
    within(from, INVITATIONS_AT_ONCE_MAX)
}

const fn fifty() -> u32 {
    50
}

const fn one_day() -> Duration {
    Duration::from_hours(24)
}

const fn thirty_days() -> Duration {
    Duration::from_hours(30 * 24)
}

const fn one() -> u32 {
    1
}

/// Reads an address or a network.
fn network(text: &str) -> Result<IpNet, String> {
    let network = text.parse::<IpNet>().or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
    network.map_err(|_| format!("{text:?} is neither an address nor a network"))
}

/// A network as text.
mod network_text {
    use ipnet::IpNet;
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub(super) fn serialize<S: Serializer>(network: &IpNet, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(network)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<IpNet, D::Error> {
        super::network(&String::deserialize(from)?).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(subcommand)]
        request: AdminRequest,
    }

    #[test]
    fn the_command_line_and_json_have_the_same_words() {
        for (line, json) in [
            ("users show ann", r#"{"users":{"show":{"user":"ann"}}}"#),
            (
                "bans user ann --reason spam --for 2days",
                r#"{"bans":{"user":{"user":"ann","reason":"spam","for":"2days"}}}"#,
            ),
            (
                "bans network 192.0.2.1 --reason spam",
                r#"{"bans":{"network":{"network":"192.0.2.1/32","reason":"spam"}}}"#,
            ),
            (
                "sign-up accounts invitation --reason wave",
                r#"{"sign-up":{"accounts":{"who":"invitation","reason":"wave"}}}"#,
            ),
            ("sign-up show", r#"{"sign-up":"show"}"#),
            (
                "reports close 3 --step silence --for 2h --reason rude",
                r#"{"reports":{"close":{"id":3,"step":"silence","for":"2h","reason":"rude"}}}"#,
            ),
            (
                "maintenance plan --in 10m soon",
                r#"{"maintenance":{"plan":{"in":"10m","text":"soon"}}}"#,
            ),
            (
                "games annul k7q2mx --reason cheat",
                r#"{"games":{"annul":{"game":"k7q2mx","reason":"cheat"}}}"#,
            ),
            (
                "games end k7q2mx --result draw --reason tired",
                r#"{"games":{"end":{"game":"k7q2mx","result":"draw","reason":"tired"}}}"#,
            ),
            ("audit list", r#"{"audit":{"list":{}}}"#),
        ] {
            let words = ["admin"].into_iter().chain(line.split(' '));
            let Line { request } = Line::try_parse_from(words).unwrap();
            assert_eq!(serde_json::from_str::<AdminRequest>(json).unwrap(), request, "{line}");
            let again = serde_json::to_string(&request).unwrap();
            assert_eq!(serde_json::from_str::<AdminRequest>(&again).unwrap(), request, "{line}");
        }
    }

    #[test]
    fn what_the_command_line_refuses_json_refuses() {
        for json in [
            r#"{"users":{"close":{"user":"ann","reason":"a\nb"}}}"#,
            r#"{"users":{"close":{"user":"ann","reason":" "}}}"#,
            r#"{"users":{"close":{"user":"ann"}}}"#,
            r#"{"users":{"show":{"user":"ann","more":1}}}"#,
            r#"{"shutdown":{}}"#,
            r#"{"users":{"list":{"limit":0}}}"#,
            r#"{"audit":{"list":{"limit":1001}}}"#,
            r#"{"games":{"end":{"game":"k7q2mx","result":"a b","reason":"x"}}}"#,
            r#"{"sign-up":{"invite":{"count":101,"reason":"x"}}}"#,
        ] {
            assert!(serde_json::from_str::<AdminRequest>(json).is_err(), "{json}");
        }
    }
}
