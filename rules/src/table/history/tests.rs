//! How many moves a takeback plays again, counted.

use std::cell::Cell;

use super::moves::KEPT_EVERY;
use crate::{
    Act, BySeat, Event, EventKind, Kind, Options, Player, Position, Seat, Setup, Table,
    TimeControl,
    event::{OfferId, OfferKind},
    seat::SEATS_MAX,
};

thread_local! {
    /// Plies that were played again in this thread.
    pub(super) static PLAYED_AGAIN: Cell<u64> = const { Cell::new(0) };
}

/// A takeback plays from a kept position up to a move; the seats passed over since then come on
/// top.
const PLAYED_AGAIN_MAX: u64 = KEPT_EVERY as u64 + SEATS_MAX as u64 - 1;

/// To decide a takeback, to apply it and to find the last move that then stands.
const TIMES: u64 = 3;

const NOON: u64 = 1_790_000_000_000;

/// Every position comes again after four plies.
const SHUTTLE: [&str; 4] = ["8xc1-b1", "8xc5-b4", "8xb1-c1", "8xb4-c5"];

struct TestGame {
    table: Table,
    events: Vec<Event>,
    offers: u32,
}

impl TestGame {
    fn new() -> Self {
        Self::of(Kind::Adamas, 2)
    }

    fn of(kind: Kind, players: usize) -> Self {
        let player = |seat: Seat| Player {
            user: ["ann", "bob", "cy"][seat.index()].into(),
            bot: false,
            guest: false,
            rating: None,
        };
        let setup = Setup {
            kind,
            options: Options::new(),
            seats: BySeat::from_fn(players, player),
            clock: TimeControl::None,
            rated: false,
            delay: 0,
            unlisted: false,
        };
        let events: Vec<_> = Table::begin(setup, NOON).unwrap().into_iter().collect();
        Self { table: follow(&events), events, offers: 0 }
    }

    fn apply(&mut self, events: impl IntoIterator<Item = Event>) {
        for event in events {
            self.table.apply(&event).unwrap();
            self.events.push(event);
        }
    }

    fn play(&mut self, notation: &str) {
        let seat = self.table.to_move().unwrap();
        let act = Act::Move { seat, turn: self.table.turn(), notation, lag_ms: 0 };
        let events = self.table.decide(&act, NOON).unwrap();
        self.apply(events);
    }

    /// Returns the seat of the last move that can be taken back.
    fn last_mover(&self, takebacks_from: u32) -> Option<Seat> {
        let last = self.table.moves.movers.iter().rposition(Option::is_some)?;
        (last >= takebacks_from as usize).then(|| self.table.moves.movers[last]).flatten()
    }

    /// Takes a move back by a record as it could be written before offers were bounded.
    fn take_back(&mut self, by: Seat) {
        self.offers += 1;
        let (offer, what) = (OfferId(self.offers), OfferKind::Takeback);
        let needs = self.table.seats_in().without(by);
        let kind = EventKind::Offered { offer, what, by, needs };
        self.apply([Event { at: NOON, kind, hash: self.table.hash() }]);
        for seat in needs.iter() {
            let answer = Act::Answer { seat, offer, accept: true };
            let events = self.table.decide(&answer, NOON).unwrap();
            self.apply(events);
        }
    }
}

fn follow(events: &[Event]) -> Table {
    let mut table = Table::new(&events[0]).unwrap().without_repetition().without_end();
    for event in &events[1..] {
        table.apply(event).unwrap();
    }
    table
}

fn played_again(what: impl FnOnce()) -> u64 {
    let before = PLAYED_AGAIN.get();
    what();
    PLAYED_AGAIN.get() - before
}

#[test]
fn a_takeback_plays_few_moves_again_however_long_the_game_is() {
    let mut game = TestGame::new();
    let mut boards = Vec::new();
    for ply in 0..4_000 {
        boards.push((game.table.position().clone(), game.table.last_move().cloned()));
        game.play(SHUTTLE[ply % 4]);
    }
    // Nothing is played again as long as nothing is taken back.
    assert_eq!(PLAYED_AGAIN.get(), 0);

    let (mut takebacks, mut all) = (0, 0);
    // Back and forth at the end, then back to the beginning.
    while game.table.ply() > 1 {
        let by = Seat::new(takebacks % 2).unwrap();
        if takebacks < 2_500 && takebacks % 5 == 4 {
            game.play(SHUTTLE[game.table.ply() as usize % 4]);
        }
        let again = played_again(|| game.take_back(by));
        assert!(again <= TIMES * PLAYED_AGAIN_MAX, "{again}");
        let stands = (game.table.position().clone(), game.table.last_move().cloned());
        assert_eq!(stands, boards[game.table.ply() as usize]);
        (takebacks, all) = (takebacks + 1, all + again);
    }
    assert!(takebacks > 2_500, "{takebacks}");

    // A reader of the record replays each takeback twice: for the position, and for the last move.
    let mut replayed = None;
    let again = played_again(|| replayed = Some(follow(&game.events)));
    assert_eq!(replayed.as_ref(), Some(&game.table));
    assert_eq!(again * TIMES, all * (TIMES - 1));
}

#[test]
fn every_game_goes_back_move_by_move_to_where_it_was_and_no_further_than_a_departure() {
    let cases = [
        (Kind::Adamas, 2),
        (Kind::Adamas, 3),
        (Kind::Hexma, 2),
        (Kind::Hexma, 3),
        (Kind::Stymie, 2),
        (Kind::Diam, 2),
    ];
    for (case, (kind, players)) in (1..).zip(cases) {
        let mut game = TestGame::of(kind, players);
        let mut dice = SplitMix(case);
        let (mut boards, mut departed) = (Vec::new(), 0);
        while game.table.ply() < 6 * KEPT_EVERY && game.table.outcome().is_none() {
            if players == 3 && game.table.ply() == 3 * KEPT_EVERY {
                let seat = game.table.to_move().unwrap();
                if departed == 0 {
                    let events = game.table.decide(&Act::Resign { seat }, NOON).unwrap();
                    game.apply(events);
                    departed = game.table.ply();
                }
            }
            let ply = game.table.ply() as usize;
            let stands = (game.table.position().clone(), game.table.last_move().cloned());
            boards.resize(ply + 1, stands);
            let moves = game.table.position().sample_moves(64, &mut |n| dice.below(n));
            game.play(&moves[dice.below(moves.len())].to_string());
        }
        if game.table.outcome().is_some() {
            // The end cannot be taken back: the same game without its last move.
            game.events.pop();
            while !matches!(game.events.pop().unwrap().kind, EventKind::Moved { .. }) {}
            game.table = follow(&game.events);
        }
        let mut takebacks = 0;
        while let Some(by) = game.last_mover(departed) {
            game.take_back(by);
            let stands = (game.table.position().clone(), game.table.last_move().cloned());
            assert_eq!(stands, boards[game.table.ply() as usize], "{kind:?} {}", game.table.ply());
            takebacks += 1;
        }
        assert!(takebacks > 10, "{kind:?} {takebacks}");
        assert_eq!(follow(&game.events), game.table);
    }
}

/// Steele, Lea and Flood's generator: numbers that are the same in every run.
struct SplitMix(u64);

impl SplitMix {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let bound = u64::try_from(bound).unwrap();
        usize::try_from((z ^ (z >> 31)) % bound).unwrap()
    }
}

#[test]
fn what_is_kept_takes_no_more_memory_than_the_moves() {
    assert!(size_of::<Position>() <= 1_024, "{}", size_of::<Position>());
    let mut game = TestGame::new();
    for ply in 0..usize::try_from(KEPT_EVERY).unwrap() - 1 {
        game.play(SHUTTLE[ply % 4]);
    }
    assert_eq!(game.table.moves.kept.capacity(), 0);
    for ply in usize::try_from(KEPT_EVERY).unwrap() - 1..1_000 {
        game.play(SHUTTLE[ply % 4]);
    }
    assert_eq!(game.table.moves.kept.len(), 1_000 / KEPT_EVERY as usize);
}
