//! Notifications in words.

use adamant_protocol::{
    UserName,
    notification::{Notification, NotificationKind},
};

use crate::occasions::{GameSide, Occasion, OccasionKind};

/// Writes the notification of an occasion. `site` is the URL of the page, or empty.
pub(super) fn write(occasion: Occasion, site: &str) -> Notification {
    let Occasion { user, rules, others, at, subject } = occasion;
    let name = capitalised(&rules.name);
    let names = listed(&others);
    let (kind, title, body, game, challenge) = match subject {
        OccasionKind::Turn(game) => {
            let body = format!("{name} against {names}: it is your move.");
            (NotificationKind::YourTurn, "Your turn", body, Some(game), None)
        }
        OccasionKind::End(game, ending) => {
            let end = match ending {
                GameSide::Won => "you won",
                GameSide::Lost => "you lost",
                GameSide::Drew => "a draw",
                GameSide::Aborted => "the game was aborted",
            };
            let body = format!("{name} against {names}: {end}.");
            (NotificationKind::GameOver, "Game over", body, Some(game), None)
        }
        OccasionKind::Challenge(challenge) => {
            let by = others.first().map_or("Somebody", UserName::as_str);
            let body = format!("{by} challenges you to a game of {name}.");
            (NotificationKind::Challenged, "Challenge", body, None, Some(challenge))
        }
        OccasionKind::Line(game) => {
            let by = others.first().map_or("Somebody", UserName::as_str);
            let body = format!("{by} has written to you in a game of {name}.");
            (NotificationKind::Message, "Message", body, Some(game), None)
        }
    };
    let url = match &game {
        Some(game) => format!("{site}/game/{game}"),
        None => format!("{site}/"),
    };
    let (title, body, url) = (title.into(), body.into(), url.into());
    Notification { kind, user, game, challenge, rules, others, at, title, body, url }
}

fn capitalised(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// Lists names: `bob`, or `bob and cy`.
fn listed(names: &[UserName]) -> String {
    let names: Vec<&str> = names.iter().map(UserName::as_str).collect();
    names.join(" and ")
}

#[cfg(test)]
mod tests {
    use adamant_protocol::ids::RulesName;

    use super::*;

    fn occasion(subject: OccasionKind, others: &[&str]) -> Occasion {
        Occasion {
            user: "ann".parse().unwrap(),
            rules: RulesName::pinned("adamas", 1),
            others: others.iter().map(|name| name.parse().unwrap()).collect(),
            at: 5,
            subject,
        }
    }

    #[test]
    fn each_occasion_has_its_words_and_its_page() {
        let game = || "k7q2mx".parse().unwrap();
        let site = "https://play.example.org";
        let turn = write(occasion(OccasionKind::Turn(game()), &["bob", "cy"]), site);
        assert_eq!(&*turn.body, "Adamas against bob and cy: it is your move.");
        assert_eq!(&*turn.url, "https://play.example.org/game/k7q2mx");
        let end = write(occasion(OccasionKind::End(game(), GameSide::Lost), &["bob"]), "");
        assert_eq!((&*end.body, &*end.url), ("Adamas against bob: you lost.", "/game/k7q2mx"));
        let line = write(occasion(OccasionKind::Line(game()), &["bob", "cy"]), "");
        assert_eq!(&*line.body, "bob has written to you in a game of Adamas.");
        assert_eq!((line.kind, &*line.url), (NotificationKind::Message, "/game/k7q2mx"));
        let challenge = "h_9de6cde8e61fce92".parse().unwrap();
        let challenge = write(occasion(OccasionKind::Challenge(challenge), &["bob"]), "");
        assert_eq!(&*challenge.body, "bob challenges you to a game of Adamas.");
        assert_eq!((&*challenge.url, challenge.game), ("/", None));
    }
}
