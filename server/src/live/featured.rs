//! Chooses the featured game of a kind. Pure.

use adamant_protocol::{from_client::GameState, to_client::GameEntry};

use crate::limits::IDLE_AFTER;

/// Whether the game is idle.
pub(super) fn is_idle(game: &GameEntry, now_ms: u64) -> bool {
    u128::from(now_ms.saturating_sub(game.last_at)) >= IDLE_AFTER.as_millis()
}

/// Returns the rank of a game, by: not idle, people play, mean rating, last change. The id only
/// makes the order total.
fn rank(game: &GameEntry, now_ms: u64) -> impl Ord + use<> {
    let people = game.seats.iter().all(|seat| !seat.bot);
    let ratings: Vec<u32> =
        game.seats.iter().filter_map(|seat| seat.rating).map(u32::from).collect();
    let count = u32::try_from(ratings.len()).unwrap_or(u32::MAX);
    let mean = ratings.iter().sum::<u32>().checked_div(count);
    (!is_idle(game, now_ms), people, mean, game.last_at, game.game.clone())
}

/// Chooses the game to feature. The current one stays until it is over, or until it is idle and
/// another is not.
pub(super) fn choose(
    current: Option<&GameEntry>,
    games: impl Iterator<Item = GameEntry>,
    now_ms: u64,
) -> Option<GameEntry> {
    let current = current.filter(|game| game.state == GameState::Live);
    if let Some(game) = current.filter(|game| !is_idle(game, now_ms)) {
        return Some(game.clone());
    }
    let best = games.max_by_key(|game| rank(game, now_ms));
    match (current, best) {
        (Some(current), Some(best)) if is_idle(&best, now_ms) => Some(current.clone()),
        (Some(current), None) => Some(current.clone()),
        (_, best) => best,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::fixture::entry;

    const NOW: u64 = 1_000_000;

    fn rated(id: &str, ratings: [u16; 2]) -> GameEntry {
        let mut entry = entry(id, "adamas", NOW - 5);
        for (seat, rating) in entry.seats.iter_mut().zip(ratings) {
            seat.rating = Some(rating);
        }
        entry
    }

    fn chosen(current: Option<&GameEntry>, games: &[GameEntry]) -> Option<String> {
        choose(current, games.iter().cloned(), NOW).map(|game| game.game.to_string())
    }

    #[test]
    fn people_rank_before_bots_and_strong_players_before_weak() {
        let mut house = rated("house", [2_400, 2_400]);
        house.seats[1].bot = true;
        let mut unrated = entry("unrated", "adamas", NOW);
        unrated.last_at = NOW;
        let games =
            [house, rated("weak", [1_200, 1_300]), unrated, rated("strong", [1_900, 1_200])];
        assert_eq!(chosen(None, &games).unwrap(), "strong");
        assert_eq!(chosen(None, &games[..2]).unwrap(), "weak");
        assert_eq!(chosen(None, &games[..1]).unwrap(), "house");
        assert_eq!(chosen(None, &[]), None);
        let mut later = rated("later", [1_900, 1_200]);
        later.last_at += 1;
        assert_eq!(chosen(None, &[later, rated("strong", [1_900, 1_200])]).unwrap(), "later");
    }

    #[test]
    fn featured_game_stays_until_over_or_until_idle_while_another_is_not() {
        let strong = rated("strong", [2_000, 2_000]);
        let mut current = rated("present", [1_000, 1_000]);
        assert_eq!(chosen(Some(&current), std::slice::from_ref(&strong)).unwrap(), "present");
        current.last_at = NOW - 60_000;
        assert_eq!(chosen(Some(&current), std::slice::from_ref(&strong)).unwrap(), "strong");
        let mut idle = strong;
        idle.last_at = NOW - 60_001;
        assert_eq!(chosen(Some(&current), &[idle.clone()]).unwrap(), "present");
        assert_eq!(chosen(Some(&current), &[]).unwrap(), "present");
        current.state = GameState::Finished;
        assert_eq!(chosen(Some(&current), &[idle]).unwrap(), "strong");
        assert_eq!(chosen(Some(&current), &[]), None);
    }
}
