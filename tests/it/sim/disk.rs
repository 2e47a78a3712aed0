//! The disk of a run: real files behind a delay. It fails commits, has another writer, and shows
//! every commit to the oracle.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use adamant_protocol::GameId;
use adamant_record::Head;
use adamant_rules::{Act, Seat, Table, event::OfferKind};
use adamant_server::simulation::{CommitFate, Disk, OtherAppend};
use bytes::Bytes;
use rand::{Rng as _, RngExt as _, SeedableRng as _, rngs::StdRng};

use super::{history::Fault, oracle::Oracle};

/// The disk, and what may go wrong with it.
#[derive(Debug)]
pub(super) struct SimDisk {
    chance: Mutex<StdRng>,
    slowest_ms: u64,
    /// How many commits of a thousand fail.
    failing: u32,
    /// How many appends of a thousand another writer overtakes.
    overtaken: u32,
    /// The number of commits that have failed in this life.
    failures: AtomicU64,
    /// Whether anything may go wrong now.
    is_unreliable: AtomicBool,
    oracle: Arc<Mutex<Oracle>>,
    fault: Fault,
    /// Commits that the oracle does not know yet, if the server sends too early.
    late: Mutex<Vec<(String, String)>>,
}

impl SimDisk {
    pub(super) fn new(chance: &mut StdRng, oracle: Arc<Mutex<Oracle>>, fault: Fault) -> Self {
        let mut own = StdRng::seed_from_u64(chance.next_u64());
        let is_sound = fault != Fault::None;
        let failing = if is_sound { 0 } else { [0, 0, 20, 60][own.random_range(0..4)] };
        let overtaken = if is_sound { 0 } else { [0, 0, 30, 200][own.random_range(0..4)] };
        oracle.lock().unwrap().commits_fail = failing > 0;
        Self {
            slowest_ms: [0, 3, 20, 150][own.random_range(0..4)],
            failing,
            overtaken,
            failures: AtomicU64::new(0),
            is_unreliable: AtomicBool::new(false),
            chance: Mutex::new(own),
            oracle,
            fault,
            late: Mutex::default(),
        }
    }

    /// Sets whether anything may go wrong from now on.
    pub(super) fn set_unreliable(&self, is_unreliable: bool) {
        self.is_unreliable.store(is_unreliable, Ordering::Relaxed);
    }

    /// Returns the number of commits that have failed since the last call.
    pub(super) fn take_failures(&self) -> u64 {
        self.failures.swap(0, Ordering::Relaxed)
    }

    fn happens(&self, of_a_thousand: u32) -> bool {
        self.is_unreliable.load(Ordering::Relaxed)
            && self.chance.lock().unwrap().random_range(0..1_000) < of_a_thousand
    }
}

impl Disk for SimDisk {
    fn latency(&self) -> Duration {
        Duration::from_millis(self.chance.lock().unwrap().random_range(0..=self.slowest_ms))
    }

    fn fate(&self) -> CommitFate {
        if !self.happens(self.failing) {
            return CommitFate::Stored;
        }
        let fates = [CommitFate::Refused, CommitFate::Failed, CommitFate::Unheard];
        let fate = fates[self.chance.lock().unwrap().random_range(0..3)];
        self.failures.fetch_add(1, Ordering::Relaxed);
        self.oracle.lock().unwrap().history.push(&format!("   disk: {fate:?}"));
        fate
    }

    fn other_append(&self, game: &GameId, seq: u64) -> Option<OtherAppend> {
        if !self.happens(self.overtaken) {
            return None;
        }
        let mut oracle = self.oracle.lock().unwrap();
        let now_ms = oracle.history.now_ms()?;
        let (table, head) = oracle.journal.games.get(game.as_str())?.parts()?;
        let chance = &mut *self.chance.lock().unwrap();
        let append = (head.seq == seq).then(|| other_append(table, head, now_ms, chance))??;
        oracle.overtaken += 1;
        Some(append)
    }

    fn committed(&self, game: &GameId, records: &[Bytes]) {
        for (game, record) in self.late.lock().unwrap().drain(..) {
            self.oracle.lock().unwrap().commit(&game, &record);
        }
        for record in records {
            let record = str::from_utf8(record).expect("records are text").to_owned();
            if self.fault == Fault::EarlySend {
                self.late.lock().unwrap().push((game.to_string(), record));
            } else {
                self.oracle.lock().unwrap().commit(game.as_str(), &record);
            }
        }
    }
}

/// A move or an offer, as another server decides and seals it.
fn other_append(
    mut table: Table,
    mut head: Head,
    now_ms: u64,
    chance: &mut StdRng,
) -> Option<OtherAppend> {
    let seats: Vec<Seat> = table.players().entries().map(|(seat, _)| seat).collect();
    let to_move = table.to_move()?;
    let events = if chance.random_bool(0.7) {
        let moves = table.position().sample_moves(1, &mut |below| chance.random_range(0..below));
        let notation = moves.first()?.to_string();
        let turn = table.turn();
        table.decide(&Act::Move { seat: to_move, turn, notation: &notation, lag_ms: 0 }, now_ms)
    } else {
        let seat = seats[chance.random_range(0..seats.len())];
        table.decide(&Act::Offer { seat, what: OfferKind::Takeback }, now_ms)
    };
    let (players, mut records) = (table.players().clone(), Vec::new());
    for event in &events.ok()? {
        records.push(Bytes::from(head.append(event, table.position(), None)));
        table.apply(event).ok()?;
    }
    // Another server would rate the game and list the seats; this one cannot.
    if table.outcome().is_some() || *table.players() != players {
        return None;
    }
    let (ply, to_move, last_at) = (table.ply(), table.to_move(), table.last_at());
    Some(OtherAppend { records, ply, to_move, last_at })
}
