//! What a link to the page looks like in other programs: a title, a sentence and a picture, as
//! `OpenGraph` and Twitter define them. Those programs run no script.

use adamant_protocol::{
    GameId, InviteId, UserName,
    from_client::GameState,
    to_client::{GameEntry, InviteEntry, ResultReason},
    values::{OptionValue, TimeControl},
};
use adamant_rules::Kind;

use crate::http::{answers::escaped, app_state::AppState};

/// The name of the site.
const SITE: &str = "Adamant";

/// The sentence about the site as a whole.
const ABOUT: &str = "Four board games, live: play now, against people or bots.";

/// The side of a picture in pixels, as large as previews show it.
const PICTURE_SIDE: u32 = 630;

/// What a link looks like.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Preview {
    pub title: String,
    pub description: String,
    pub picture: Option<String>,
}

impl Default for Preview {
    fn default() -> Self {
        Self { title: SITE.to_owned(), description: ABOUT.to_owned(), picture: None }
    }
}

impl Preview {
    /// Returns the preview of an address of the page.
    pub(super) async fn of(app: &AppState, path: &str) -> Self {
        let mut parts = path.trim_matches('/').split('/');
        let preview = match (parts.next(), parts.next()) {
            (Some("game"), Some(game)) => game_preview(app, game).await,
            (Some("user"), Some(name)) => user_preview(app, name).await,
            (Some("join"), Some(invite)) => Some(invite_preview(app, invite).await),
            _ => None,
        };
        preview.unwrap_or_default()
    }

    /// Writes it for the head of the document at a path of the site.
    pub(super) fn tags(&self, site: &str, path: &str) -> String {
        let Self { title, description, picture } = self;
        let meta = |name: &str, content: &str| {
            let kind = if name.starts_with("og:") { "property" } else { "name" };
            format!("<meta {kind}=\"{name}\" content=\"{}\">\n", escaped(content))
        };
        let mut tags = [
            meta("description", description),
            meta("og:site_name", SITE),
            meta("og:type", "website"),
            meta("og:title", title),
            meta("og:description", description),
        ]
        .concat();
        tags.push_str(&meta("og:url", &format!("{site}{path}")));
        if let Some(picture) = picture {
            tags.push_str(&meta("og:image", &format!("{site}{picture}")));
            tags.push_str(&meta("og:image:type", "image/png"));
            tags.push_str(&meta("og:image:width", &PICTURE_SIDE.to_string()));
            tags.push_str(&meta("og:image:height", &PICTURE_SIDE.to_string()));
        }
        let card = if picture.is_some() { "summary_large_image" } else { "summary" };
        tags.push_str(&meta("twitter:card", card));
        tags
    }

    pub(super) fn document_title(&self) -> String {
        if self.title == SITE { SITE.to_owned() } else { format!("{} · {SITE}", self.title) }
    }
}

async fn game_preview(app: &AppState, game: &str) -> Option<Preview> {
    let game: GameId = game.parse().ok()?;
    let entry = app.services.store.game_entry(&game).await.ok()??;
    Some(Preview {
        title: title_of(app, &entry),
        description: description_of(app, &entry),
        picture: Some(format!("/game/{game}/board.png?size={PICTURE_SIDE}")),
    })
}

/// The name of a player as the page has it: the house is the computer.
fn player_name(app: &AppState, user: &UserName) -> String {
    let house = app.services.lobby.house();
    let player = house.iter().find(|player| player.user.is_same(user.as_str()));
    player.map_or_else(|| user.to_string(), |player| format!("Computer ({})", player.level))
}

fn title_of(app: &AppState, entry: &GameEntry) -> String {
    let users: Vec<String> = entry.seats.iter().map(|seat| player_name(app, &seat.user)).collect();
    format!("{}: {}", capitalized(&entry.rules.name), users.join(" – "))
}

fn description_of(app: &AppState, entry: &GameEntry) -> String {
    let Some(result) = entry.result.as_ref().filter(|_| entry.state == GameState::Finished) else {
        return "Being played now: follow it move by move.".to_owned();
    };
    let name = |seat: &u8| Some(player_name(app, &entry.seats.get(usize::from(*seat))?.user));
    let winners: Vec<String> = result.winners.iter().filter_map(name).collect();
    let how = reason(result.reason);
    let moves = if entry.ply == 1 { "1 move".to_owned() } else { format!("{} moves", entry.ply) };
    match &winners[..] {
        [] => format!("The game was aborted after {moves}."),
        [winner] => format!("{winner} won {how} after {moves}."),
        _ => format!("The game was drawn {how} after {moves}."),
    }
}

const fn reason(reason: ResultReason) -> &'static str {
    match reason {
        ResultReason::Aborted => "by nobody",
        ResultReason::LastPlayer => "as the last player left",
        ResultReason::TwoPieces => "with two pieces left that do not see each other",
        ResultReason::Connected => "by connecting two edges",
        ResultReason::Aligned => "by two like pieces facing each other",
        ResultReason::Stuck => "because no player could move",
        ResultReason::Repetition => "by threefold repetition",
        ResultReason::TooLong => "by its length",
        ResultReason::Agreement => "by agreement",
        ResultReason::Resigned => "by resignation",
        ResultReason::TimedOut => "on time",
        ResultReason::Abandoned => "because the opponent left",
        ResultReason::Ruling => "by a ruling of the operator",
        ResultReason::Unknown(_) => "by another rule",
    }
}

async fn invite_preview(app: &AppState, invite: &str) -> Preview {
    let invite = match invite.parse::<InviteId>() {
        Ok(invite) => app.services.lobby.invite_entry(&invite).await.ok(),
        Err(_) => None,
    };
    match invite.filter(|invite| invite.game.is_none()) {
        Some(invite) => Preview {
            title: format!("{} invites you to {}", invite.by, capitalized(&invite.rules.name)),
            description: format!("{}. Open the link to play.", terms_of(&invite)),
            picture: None,
        },
        None => Preview {
            title: "An invitation to a game".to_owned(),
            description: "This invitation is no longer open.".to_owned(),
            picture: None,
        },
    }
}

async fn user_preview(app: &AppState, name: &str) -> Option<Preview> {
    let name: UserName = name.parse().ok()?;
    let profile = app.services.user_queries.user(None, name).await.ok()?;
    let ratings = profile
        .ratings
        .iter()
        .map(|rating| format!("{} {}", capitalized(&rating.rules.name), rating.record.rating));
    let mut parts: Vec<String> = ratings.collect();
    let finished = profile.finished;
    parts.push(if finished == 1 {
        "1 finished game".to_owned()
    } else {
        format!("{finished} finished games")
    });
    Some(Preview {
        title: player_name(app, &profile.user),
        description: format!("{}.", parts.join(" · ")),
        picture: None,
    })
}

/// The name of a game as a title.
fn capitalized(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Returns the terms, the time first.
fn terms_of(invite: &InviteEntry) -> String {
    let mut terms = vec![clock(invite.clock)];
    terms.push(if invite.rated { "rated" } else { "not rated" }.to_owned());
    if invite.players > 2 {
        terms.push(format!("{} players", invite.players));
    }
    let options = invite.options.0.iter();
    terms.extend(options.filter_map(|(name, value)| option(&invite.rules.name, name, value)));
    terms.join(" · ")
}

fn clock(clock: TimeControl) -> String {
    match clock {
        TimeControl::None => "no clock".to_owned(),
        TimeControl::Fischer { base_ms, inc_ms: 0 } => span(base_ms),
        TimeControl::Fischer { base_ms, inc_ms } => {
            format!("{} + {} a move", span(base_ms), span(inc_ms))
        }
        TimeControl::PerMove { move_ms } => format!("{} a move", span(move_ms)),
        TimeControl::Byoyomi { base_ms, periods, period_ms } => {
            format!("{} + {periods} × {}", span(base_ms), span(period_ms))
        }
        TimeControl::Days { per_move_days: 1 } => "1 day a move".to_owned(),
        TimeControl::Days { per_move_days } => format!("{per_move_days} days a move"),
        TimeControl::Unknown(mode) => mode.to_string(),
    }
}

/// A time in the largest unit that gives a whole number.
fn span(ms: u64) -> String {
    let units = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "min")];
    let unit = units.into_iter().find(|(unit_ms, _)| ms > 0 && ms.is_multiple_of(*unit_ms));
    let (unit_ms, name) = unit.unwrap_or((1_000, "s"));
    format!("{} {name}", ms / unit_ms)
}

/// An option with its value; `None` if it only says what is usual.
fn option(rules: &str, name: &str, value: &OptionValue) -> Option<String> {
    let spec = Kind::from_name(rules)?.option_specs().iter().find(|spec| spec.name == name)?;
    let written = match value {
        OptionValue::Flag(true) => return Some(spec.title.to_lowercase()),
        OptionValue::Flag(false) => return None,
        OptionValue::Number(number) => number.to_string(),
        OptionValue::Text(text) => text.to_string(),
    };
    let choice = spec.choices.iter().find(|choice| choice.value == written);
    Some(choice.map_or_else(
        || format!("{}: {written}", spec.title.to_lowercase()),
        |choice| choice.title.to_owned(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_preview_is_markup() {
        let hostile = "\"><script>alert(1)</script>";
        let preview = Preview {
            title: hostile.to_owned(),
            description: hostile.to_owned(),
            picture: Some(hostile.to_owned()),
        };
        let tags = preview.tags("https://a\"b", hostile);
        assert!(!tags.contains("<script") && !tags.contains("\">alert"), "{tags}");
        assert_eq!(tags.matches('<').count(), tags.lines().count(), "{tags}");
        assert!(tags.contains("content=\"https://a&quot;b&quot;&gt;"), "{tags}");
    }

    #[test]
    fn clocks_are_told_in_plain_words() {
        let fischer = |base_ms, inc_ms| clock(TimeControl::Fischer { base_ms, inc_ms });
        assert_eq!(fischer(600_000, 5_000), "10 min + 5 s a move");
        assert_eq!(fischer(90_000, 0), "90 s");
        let byoyomi = TimeControl::Byoyomi { base_ms: 0, periods: 3, period_ms: 30_000 };
        assert_eq!(clock(byoyomi), "0 s + 3 × 30 s");
        assert_eq!(clock(TimeControl::Days { per_move_days: 3 }), "3 days a move");
        assert_eq!(clock(TimeControl::PerMove { move_ms: 7_200_000 }), "2 h a move");
    }

    #[test]
    fn options_are_told_by_their_titles() {
        assert_eq!(
            option("adamas", "size", &OptionValue::Number(4)).as_deref(),
            Some("4 cells a side, 37 in all")
        );
        assert_eq!(
            option("stymie", "swap", &OptionValue::Flag(true)).as_deref(),
            Some("swap after the opening")
        );
        assert_eq!(
            option("adamas", "pieces", &OptionValue::Number(9)).as_deref(),
            Some("pieces for each player: 9")
        );
        assert_eq!(option("adamas", "prog_cap", &OptionValue::Flag(false)), None);
        assert_eq!(option("adamas", "unknown", &OptionValue::Flag(true)), None);
    }
}
