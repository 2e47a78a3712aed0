//! W7: spectators of whom some never read, and what their players notice of it.

use std::{cell::RefCell, rc::Rc};

use anyhow::Result;
use tokio::task::JoinSet;

use super::{
    Bench,
    fan_out::{Arrived, listen, play, watchers},
    measured,
};
use crate::load::{
    report::{Latency, histogram},
    script::scripts,
    seating::pair,
    subject::{Program, Subject},
};

/// Moves of the game.
const PLIES: usize = 40;

/// One room watched by so many, of whom some never read.
pub async fn unread(bench: &mut Bench<'_>, spectators: usize, never_read: usize) -> Result<()> {
    let program = Program::Adamant;
    let subject = Subject::start(program, bench.launch)?;
    let scripts = scripts(PLIES);
    let arrived = Rc::new(Arrived::default());
    for (room, (reading, not)) in
        [(0, 0), (spectators - never_read, never_read)].into_iter().enumerate()
    {
        let mut pair = pair(&subject, room, &scripts[0]).await?;
        let mut listening = JoinSet::new();
        for watcher in watchers(&subject, &pair, room, reading).await? {
            listening.spawn_local(listen(watcher, program, Rc::clone(&arrived)));
        }
        let silent = watchers(&subject, &pair, room, not).await?;
        let latencies = RefCell::new(histogram());
        let playing = play(&mut pair, reading, &arrived, &latencies);
        let (phase, ()) = measured(&subject, playing).await?;
        drop(silent);
        let workload = format!("W7 move to event, {reading} read, {not} do not");
        let latency = Latency::from(&*latencies.borrow());
        bench.enter_cpu(&workload, program, &phase, PLIES as u64, Some(latency));
    }
    Ok(())
}
