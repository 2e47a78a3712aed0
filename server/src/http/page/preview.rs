//! What a link to the page looks like in other programs: a title, a sentence and a picture, as
//! `OpenGraph` and Twitter define them. Those programs run no script.

use adamant_protocol::{
    GameId, InviteId, UserName,
    from_client::GameState,
    to_client::{GameEntry, ResultReason},
};

use super::invitation::terms_of;
use crate::http::{app_state::AppState, markup::escaped};

/// The name of the site.
const SITE: &str = "Adamant";

/// The sentence about the site as a whole.
const ABOUT: &str = "Four board games, live: play now, against people or bots.";

/// The side of a picture in pixels, as large as previews show it.
const PICTURE_SIDE: u32 = 630;

/// What a link looks like.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Preview {
    /// What is there.
    pub title: String,
    /// A sentence about it.
    pub description: String,
    /// The path of its picture.
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

    /// The title of the document.
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
}
