//! How exactly the engine keeps to its time, and how soon it obeys `stop`.
//!
//! A thread that only sleeps wakes at the same moments. What it is late by is the machine's doing.

use std::{
    path::Path,
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use adamant_rules::{Kind, Options, Position};
use anyhow::{Context as _, Result, ensure};

use super::engine::Engine;
use crate::run::{note, now, print};

/// The times of a move in milliseconds.
const TIMES: [u64; 3] = [20, 100, 500];

/// What a move may take beyond its time and the lateness of the idle thread.
const SLACK: Duration = Duration::from_millis(5);

/// The worst that may happen beyond it.
const WORST: Duration = Duration::from_millis(50);

/// The share of moves within the slack, in thousandths.
const WITHIN: usize = 995;

/// How long a thought without limit goes on before `stop`, and how soon it must end.
const BEFORE_STOP: Duration = Duration::from_millis(30);
const STOPPED_WITHIN: Duration = Duration::from_millis(5);

/// Plies after which a game is begun again.
const PLIES_MAX: usize = 120;

/// What was measured at one time.
#[derive(Default)]
struct Measured {
    /// How late each answer was, and the idle thread beside it.
    moves: Vec<(Duration, Duration)>,
}

impl Measured {
    fn within(&self) -> usize {
        self.moves.iter().filter(|(late, idle)| *late <= SLACK + *idle).count()
    }

    fn worst(&self) -> (Duration, Duration) {
        let beyond = |(late, idle): &&(Duration, Duration)| late.saturating_sub(*idle);
        self.moves.iter().max_by_key(beyond).copied().unwrap_or_default()
    }
}

/// Plays games against itself at each time, and asks it to stop.
pub(super) fn measure(only: Option<&str>, engine: &Path, moves: usize) -> Result<()> {
    let is_wanted = |kind: &&Kind| only.is_none_or(|only| only == kind.name());
    let kinds: Vec<_> = Kind::ALL.iter().filter(is_wanted).collect();
    ensure!(!kinds.is_empty(), "there is no such game");
    let mut is_kept = true;
    for kind in kinds {
        for ms in TIMES {
            note(&format!("{}: {moves} moves at {ms} ms", kind.name()));
            let measured = play(*kind, engine, &format!("movetime {ms}"), moves, |asked| {
                thread::sleep(Duration::from_millis(ms).saturating_sub(asked.elapsed()));
                Wake { due: asked + Duration::from_millis(ms), woke: now(), says: None }
            })?;
            let (late, idle) = measured.worst();
            let idle_worst = measured.moves.iter().map(|(_, idle)| *idle).max().unwrap_or_default();
            let within = measured.within();
            is_kept &= within * 1000 >= moves * WITHIN && late <= WORST + idle;
            print(&format!(
                "{} {ms} ms: {within} of {moves} within +5 ms and the idle thread's lateness; \
                 the worst {} ms late, the idle thread then {} ms, at most {} ms",
                kind.name(),
                shown(late),
                shown(idle),
                shown(idle_worst)
            ));
        }
        let stops = moves.div_ceil(5);
        let measured = play(*kind, engine, "infinite", stops, |asked| {
            thread::sleep(BEFORE_STOP.saturating_sub(asked.elapsed()));
            Wake { due: asked + BEFORE_STOP, woke: now(), says: Some("stop") }
        })?;
        let slowest = measured.moves.iter().map(|(late, _)| *late).max().unwrap_or_default();
        let within = measured.moves.iter().filter(|(late, _)| *late <= STOPPED_WITHIN).count();
        is_kept &= within == stops;
        print(&format!(
            "{} stop: {within} of {stops} obeyed within 5 ms; the slowest after {} ms",
            kind.name(),
            shown(slowest)
        ));
    }
    ensure!(is_kept, "the engine does not keep to its time");
    Ok(())
}

fn shown(time: Duration) -> String {
    format!("{:.1}", time.as_secs_f64() * 1000.0)
}

/// The idle thread at its moment.
struct Wake {
    due: Instant,
    woke: Instant,
    /// A line for the engine at this moment, which then must answer at once.
    says: Option<&'static str>,
}

/// Plays games until so many moves are measured.
fn play(
    kind: Kind,
    path: &Path,
    limit: &str,
    moves: usize,
    wait: impl Fn(Instant) -> Wake + Send + Sync,
) -> Result<Measured> {
    let mut engine = Engine::start(path)?;
    let options = kind.complete(&Options::new(), 2)?;
    let (mut position, mut steps) = (kind.start(&options, 2), Vec::new());
    let mut measured = Measured::default();
    while measured.moves.len() < moves {
        engine.place(kind, position.to_move().index(), &steps)?;
        let asked = engine.say(&format!("go {limit}"))?;
        let (sender, woken) = mpsc::sync_channel(1);
        let (answered, wake, notation) = thread::scope(|scope| {
            let wait = &wait;
            scope.spawn(move || drop(sender.send(wait(asked))));
            let mut wake = woken.recv().context("the idle thread wakes")?;
            if let Some(line) = wake.says {
                // The answer is late from when it was asked for.
                wake.due = engine.say(line)?;
                wake.woke = wake.due;
            }
            let (answered, notation) = engine.best_move()?;
            anyhow::Ok((answered, wake, notation))
        })?;
        let late = answered.saturating_duration_since(wake.due);
        measured.moves.push((late, wake.woke.saturating_duration_since(wake.due)));
        if !go_on(&mut position, &mut steps, notation)? {
            (position, steps) = (kind.start(&options, 2), Vec::new());
        }
    }
    Ok(measured)
}

/// Makes a move. Returns whether the game goes on.
fn go_on(position: &mut Position, steps: &mut Vec<String>, notation: String) -> Result<bool> {
    let seat = position.to_move();
    let mv = position.parse_move(&notation)?;
    position.play(&mv)?;
    steps.push(notation);
    let is_over = position.settle().is_some() || steps.len() > PLIES_MAX;
    // A game in which a seat is passed over is begun again.
    Ok(!is_over && position.to_move() != seat)
}
