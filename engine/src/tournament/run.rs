//! Plays the games of a schedule, several at once.

use std::{
    collections::{BTreeMap, BTreeSet},
    pin::pin,
    sync::Arc,
};

use serde::Serialize;
use tokio::task::JoinSet;

use super::{
    folder::{Folder, FolderError},
    game::{Host, play},
    plan::Plan,
    result::{GameResult, PlayedGame},
    schedule::Schedule,
    stats::{Pentanomial, Sprt, SprtBounds, Verdict},
    tally::Tally,
};

/// How a tournament ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// All games were played.
    Complete,
    /// The sequential test has its verdict.
    Decided,
    /// It was interrupted.
    Interrupted,
}

/// The sequential test. It looks at pairs in the order of their numbers, so that its verdict does
/// not depend on which game ends first.
struct OrderedTest {
    bounds: SprtBounds,
    pairs: Pentanomial,
    /// The number of pairs that it has seen.
    seen: u32,
    /// Complete pairs behind one that is not.
    waiting: BTreeMap<u32, usize>,
    is_decided: bool,
}

impl OrderedTest {
    fn add(&mut self, pair: u32, half_points: usize) {
        self.waiting.insert(pair, half_points);
        while !self.is_decided
            && let Some(half_points) = self.waiting.remove(&self.seen)
        {
            self.pairs.add(half_points);
            self.seen += 1;
            self.is_decided = Sprt::of(self.bounds, &self.pairs).verdict != Verdict::Continue;
        }
    }
}

/// The state of a tournament.
struct Run<'a, F> {
    schedule: &'a Schedule,
    folder: Option<&'a mut Folder>,
    tally: Tally,
    test: Option<OrderedTest>,
    results: BTreeMap<u32, GameResult>,
    on_result: F,
}

/// Plays all games that are not in `finished`, until `stop` or the verdict of the test. Calls
/// `on_result` after each game. Returns all results in the order of their numbers.
pub async fn run(
    plan: &Arc<Plan>,
    schedule: &Schedule,
    host: &Host,
    finished: Vec<GameResult>,
    folder: Option<&mut Folder>,
    stop: impl Future<Output = ()>,
    on_result: impl FnMut(&GameResult, &Tally),
) -> Result<(Vec<GameResult>, End), FolderError> {
    let test = plan.sprt.map(|bounds| OrderedTest {
        bounds,
        pairs: Pentanomial::default(),
        seen: 0,
        waiting: BTreeMap::new(),
        is_decided: false,
    });
    let tally = Tally::new(plan, schedule);
    let mut run = Run { schedule, folder, tally, test, results: BTreeMap::new(), on_result };
    for result in finished {
        run.count(result);
    }
    let played: BTreeSet<u32> = run.results.keys().copied().collect();
    let mut numbers = (0..schedule.games()).filter(|number| !played.contains(number));
    let mut games: JoinSet<PlayedGame> = JoinSet::new();
    let mut stop = pin!(stop);
    let end = loop {
        if run.is_decided() {
            break End::Decided;
        }
        while games.len() < host.concurrency
            && let Some(number) = numbers.next()
        {
            let scheduled = schedule.game(number, plan.openings.all().len());
            let (plan, host) = (Arc::clone(plan), host.clone());
            games.spawn(async move { Box::pin(play(&plan, &scheduled, &host)).await });
        }
        let played = tokio::select! {
            biased;
            () = &mut stop => break End::Interrupted,
            played = games.join_next() => played,
        };
        match played {
            Some(played) => run.keep(played.expect("games do not panic"))?,
            None => break End::Complete,
        }
    };
    // Dropping the games kills their engines.
    drop(games);
    run.finish(end)
}

impl<F: FnMut(&GameResult, &Tally)> Run<'_, F> {
    fn count(&mut self, result: GameResult) {
        if let (Some((pair, half_points)), Some(test)) = (self.tally.add(&result), &mut self.test) {
            test.add(pair, half_points);
        }
        self.results.insert(result.index(), result);
    }

    fn is_decided(&self) -> bool {
        self.test.as_ref().is_some_and(|test| test.is_decided)
    }

    fn keep(&mut self, played: PlayedGame) -> Result<(), FolderError> {
        if let Some(folder) = &mut self.folder {
            folder.append(&played)?;
        }
        let result = played.result;
        self.count(result.clone());
        (self.on_result)(&result, &self.tally);
        Ok(())
    }

    /// Puts the results in order, without those that came after the verdict.
    fn finish(mut self, end: End) -> Result<(Vec<GameResult>, End), FolderError> {
        if let (End::Decided, Some(test)) = (end, &self.test) {
            let after = self.results.split_off(&(test.seen * self.schedule.rotations()));
            if let Some(folder) = &self.folder {
                folder.remove(after.values())?;
            }
        }
        let results: Vec<GameResult> = self.results.into_values().collect();
        if let Some(folder) = self.folder
            && end != End::Interrupted
        {
            folder.sort(&results)?;
        }
        Ok((results, end))
    }
}
