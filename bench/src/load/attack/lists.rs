//! Lists of finished games with filters that match nothing.

use anyhow::Result;
use futures::future::{join_all, try_join_all};
use serde_json::json;

use super::{
    arena::Arena,
    attacker::{Tally, attacker},
    requests::get,
};
use crate::load::{
    setup::{begin_game, guest},
    target::{Conditions, Launch, Program, Service, Target},
};

/// Finished games in the store.
const GAMES: usize = 6_000;
const GAMES_FULL: usize = 60_000;

/// Pairs that play at the same time.
const PAIRS: usize = 20;

/// Clients that request lists at once.
const READERS: usize = 40;

/// Starts a server whose store holds many finished games.
pub(super) async fn prepared(
    conditions: Conditions,
    launch: &Launch,
    full: bool,
) -> Result<Target> {
    let open = Conditions { service: Service::Load, ..conditions };
    let target = Target::start_under(open, Program::Adamant, launch)?;
    let games = if full { GAMES_FULL } else { GAMES };
    let playing = (0..PAIRS).map(|pair| {
        let target = &target;
        async move {
            let mut one = guest(target, 2 * pair).await?;
            let mut other = guest(target, 2 * pair + 1).await?;
            for _ in 0..games / PAIRS {
                let game = begin_game(&mut one, &mut other, ("diam", ""), None).await?;
                one.ask(&json!({"type":"move","id":format!("{game}-0"),"game":game,"turn":0,
                    "move":"A1"}))
                    .await?;
                one.ask(&json!({"type":"resign","id":format!("{game}-1"),"game":game})).await?;
            }
            anyhow::Ok(())
        }
    });
    try_join_all(playing).await?;
    target.settle().await?;
    Ok(target.crash_and_restart_under(conditions, launch)?.0)
}

pub(super) async fn read(arena: Arena, tally: &Tally) -> Result<()> {
    let paths = [
        "/v1/games?state=finished&players=3",
        "/v1/games?state=finished&rules=unknown",
        "/v1/users/g0/history?rules=unknown",
        "/v1/games?state=finished&rules=adamas",
    ];
    let reading = (0..READERS).map(|number| async move {
        let path = paths[number % paths.len()];
        while arena.is_running() {
            drop(get(arena, attacker(1), path, path, tally).await);
        }
    });
    join_all(reading).await;
    Ok(())
}
