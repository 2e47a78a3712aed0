//! No game is lost on time that its clock allowed.

use rand::RngExt as _;

use super::{
    campaign::{Campaign, LONG_CLOCK},
    verdict::Victim,
};
use crate::harness::form;

/// How many programs are killed, in the short and in the long form: as many of each kind.
const KILLS: usize = 6;
const KILLS_LONG: usize = 30;

/// The variable that chooses another number of kills, and a seed: `100` or `100 17`.
const KILLS_VARIABLE: &str = "ADAMANT_BOT_KILLS";

#[expect(clippy::disallowed_methods, reason = "the environment chooses the kills")]
fn chosen() -> (usize, u64) {
    let by_default = if form::is_long() { KILLS_LONG } else { KILLS };
    let chosen = std::env::var(KILLS_VARIABLE).unwrap_or_else(|_| by_default.to_string());
    let mut numbers = chosen.split(' ');
    let kills = numbers.next().and_then(|kills| kills.parse().ok()).expect("a number of kills");
    let seed = numbers.next().map(|seed| seed.parse().expect("a seed"));
    (kills, seed.unwrap_or_else(|| rand::rng().random()))
}

#[tokio::test]
async fn kills_lose_no_game_on_time() {
    let (kills, seed) = chosen();
    // As many of each kind, in an order of the seed.
    let victims = Victim::ALL.iter().copied().cycle().take(kills).collect();
    let campaign = Campaign { seed, victims, clock: LONG_CLOCK, keeps_log_in: true };
    let verdict = campaign.run().await;
    assert!(verdict.lost_on_time.is_empty(), "{}", verdict.losses());
    assert!(verdict.faults.is_empty(), "{}", verdict.faults.join("\n"));
    assert!(verdict.moves > kills, "the bots have played");
}

/// The control: a bot that does not come back as the same user loses its games on time.
#[tokio::test]
async fn a_bot_without_its_log_in_loses_on_time() {
    let victims = vec![Victim::Bot];
    // This seed strikes a bot that plays three games at once, so that it is in a game.
    let campaign = Campaign { seed: 2, victims, clock: "4s+0s", keeps_log_in: false };
    let verdict = campaign.run().await;
    let is_found = verdict.lost_on_time.iter().any(|lost| lost.user == "cay");
    assert!(is_found, "{verdict:?}");
}
