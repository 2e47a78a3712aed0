//! W6: what it costs to look at a long game.

use anyhow::Result;
use memchr::memmem::Finder;
use serde_json::json;

use super::{Bench, measured};
use crate::load::{
    script::longest,
    seating::{guest, pair},
    subject::{Program, Subject},
};

/// How often each is asked for.
const TIMES: usize = 2_000;

/// Asks for the snapshot of a game of so many plies, and for all its events.
pub async fn reading(bench: &mut Bench<'_>, plies: usize) -> Result<()> {
    let subject = Subject::start(Program::Adamant, bench.launch)?;
    let script = longest(plies);
    let mut pair = pair(&subject, 0, &script).await?;
    for (mover, frame) in &pair.frames {
        pair.peers[*mover].send_frame(frame).await?;
        pair.peers[*mover].text_with(&Finder::new(r#""type":"ok""#)).await?;
    }
    let mut watcher = guest(&subject, 10).await?;
    let snapshots = async {
        for _ in 0..TIMES {
            watcher.ask(&json!({"type":"watch","id":"w","game":pair.game})).await?;
        }
        Ok(())
    };
    let (phase, ()) = measured(&subject, snapshots).await?;
    let name = script.kind.name();
    let workload = format!("W6 snapshot, {plies} plies of {name}");
    bench.enter_cpu(&workload, Program::Adamant, &phase, TIMES as u64, None);
    let last = format!(r#""turn":{plies},"#);
    let tails = async {
        for _ in 0..TIMES / 10 {
            watcher.ask(&json!({"type":"watch","id":"w","game":pair.game,"from":1})).await?;
            watcher.text_with(&Finder::new(&last)).await?;
        }
        Ok(())
    };
    let (phase, ()) = measured(&subject, tails).await?;
    let workload = format!("W6 replay, {plies} plies of {name}");
    bench.enter_cpu(&workload, Program::Adamant, &phase, (TIMES / 10) as u64, None);
    Ok(())
}
