//! Which games a listed bot accepts.

use adamant_protocol::from_client::Acceptance;
use serde_json::json;

#[test]
fn a_listed_game_is_accepted_with_its_numbers_of_players() {
    let all = Acceptance::default();
    assert!(all.plays(Some("adamas"), Some(3)) && all.plays(Some("diam"), None));
    let some: Acceptance = serde_json::from_value(
        json!({"games": [{"rules": "adamas", "players": 2}, {"rules": "hexma"}]}),
    )
    .unwrap();
    assert!(some.plays(Some("adamas"), None) && some.plays(Some("adamas"), Some(2)));
    assert!(!some.plays(Some("adamas"), Some(3)) && !some.plays(Some("diam"), None));
    assert!(some.plays(Some("hexma"), Some(3)) && some.plays(None, Some(3)));
}
