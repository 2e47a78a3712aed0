//! The cost of reading a long game.

use anyhow::Result;
use memchr::memmem::Finder;
use serde_json::json;

use super::measurement::{Bench, measured};
use crate::load::{
    script::longest,
    setup::{guest, pair},
    target::{Program, Target},
};

/// How often each request is sent.
const TIMES: usize = 2_000;

/// Requests the snapshot of a game with this many plies, and all its events.
pub async fn reading(bench: &mut Bench<'_>, plies: usize) -> Result<()> {
    let target = Target::start(Program::Adamant, bench.launch)?;
    let script = longest(plies);
    let mut pair = pair(&target, 0, &script).await?;
    for (mover, frame) in &pair.frames {
        pair.peers[*mover].send_frame(frame).await?;
        pair.peers[*mover].text_with(&Finder::new(r#""type":"ok""#)).await?;
    }
    let mut watcher = guest(&target, 10).await?;
    let snapshots = async {
        for _ in 0..TIMES {
            watcher.ask(&json!({"type":"watch","id":"w","game":pair.game})).await?;
        }
        Ok(())
    };
    let (phase, ()) = measured(&target, snapshots).await?;
    let name = script.kind.name();
    let workload = format!("reading: snapshot, {plies} plies of {name}");
    bench.add_cpu(&workload, Program::Adamant, &phase, TIMES as u64, None);
    let last = format!(r#""turn":{plies},"#);
    let tails = async {
        for _ in 0..TIMES / 10 {
            watcher.ask(&json!({"type":"watch","id":"w","game":pair.game,"from":1})).await?;
            watcher.text_with(&Finder::new(&last)).await?;
        }
        Ok(())
    };
    let (phase, ()) = measured(&target, tails).await?;
    let workload = format!("reading: replay, {plies} plies of {name}");
    bench.add_cpu(&workload, Program::Adamant, &phase, (TIMES / 10) as u64, None);
    Ok(())
}
