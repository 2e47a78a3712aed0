//! List entries for tests.

use adamant_protocol::{
    from_client::GameState,
    ids::RulesName,
    to_client::GameEntry,
    values::{Named, SeatUser, TimeControl},
};

/// Returns the entry of a game of two people that last changed at `last_at`.
pub(crate) fn entry(id: &str, rules: &str, last_at: u64) -> GameEntry {
    let seat = |user: &str| SeatUser {
        user: user.parse().unwrap(),
        letter: "O".into(),
        bot: false,
        guest: false,
        rating: None,
    };
    GameEntry {
        game: id.parse().unwrap(),
        rules: RulesName::pinned(rules, 1),
        options: Named::default(),
        seats: vec![seat("ann"), seat("bob")],
        clock: TimeControl::None,
        rated: false,
        delay: 0,
        unlisted: false,
        state: GameState::Live,
        ply: 0,
        to_move: Some(0),
        started_at: 1,
        last_at,
        result: None,
        ratings: None,
        annulled: false,
        substituted: None,
    }
}
