//! Long games that go back: where that leads, what it costs, and what is kept for it.

use std::time::{Duration, Instant};

use adamant_rules::{
    Act, BySeat, Event, EventKind, Kind, Options, Player, Position, Seat, Setup, Table,
    TimeControl,
    event::{OfferId, OfferKind},
};

use super::script::NOON;

/// Plies between two kept positions.
const KEPT_EVERY: u32 = 32;

/// Every position comes again after four plies.
const SHUTTLE: [&str; 4] = ["8xc1-b1", "8xc5-b4", "8xb1-c1", "8xb4-c5"];

struct TestGame {
    table: Table,
    events: Vec<Event>,
    /// The seats of the moves that stand; `None` for a skip.
    movers: Vec<Option<Seat>>,
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
        Self { table: follow(&events), events, movers: Vec::new(), offers: 0 }
    }

    fn apply(&mut self, events: impl IntoIterator<Item = Event>) {
        for event in events {
            self.table.apply(&event).unwrap();
            if let EventKind::Moved { seat, .. } = event.kind {
                self.movers.push(Some(seat));
            } else if let EventKind::Skipped { .. } = event.kind {
                self.movers.push(None);
            }
            self.movers.truncate(self.table.ply() as usize);
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
        let last = self.movers.iter().rposition(Option::is_some)?;
        (last >= takebacks_from as usize).then(|| self.movers[last]).flatten()
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

#[test]
fn a_long_game_goes_back_and_forth_at_its_end_and_then_to_its_beginning() {
    let mut game = TestGame::new();
    let mut boards = Vec::new();
    for ply in 0..4_000 {
        boards.push((game.table.position().clone(), game.table.last_move().cloned()));
        game.play(SHUTTLE[ply % 4]);
    }
    let mut takebacks = 0;
    while game.table.ply() > 1 {
        let by = Seat::new(takebacks % 2).unwrap();
        if takebacks < 2_500 && takebacks % 5 == 4 {
            game.play(SHUTTLE[game.table.ply() as usize % 4]);
        }
        game.take_back(by);
        let stands = (game.table.position().clone(), game.table.last_move().cloned());
        assert_eq!(stands, boards[game.table.ply() as usize]);
        takebacks += 1;
    }
    assert!(takebacks > 2_500, "{takebacks}");
    assert_eq!(follow(&game.events), game.table);
}

/// Games of 31 plies, which keeps no position yet, and of 4,000 and 31: both play the same number
/// of moves again. Each takes as long as in the fastest of many tries, taken by turns.
#[test]
fn a_takeback_takes_no_longer_however_long_the_game_is() {
    let [mut short, mut long] = [KEPT_EVERY - 1, 125 * KEPT_EVERY + KEPT_EVERY - 1].map(|plies| {
        let mut game = TestGame::new();
        for ply in 0..plies {
            game.play(SHUTTLE[ply as usize % 4]);
        }
        (game, Duration::MAX)
    });
    for _ in 0..200 {
        for (game, fastest) in [&mut short, &mut long] {
            let by = game.last_mover(0).unwrap();
            *fastest = timed(|| game.take_back(by)).min(*fastest);
            game.play(SHUTTLE[game.table.ply() as usize % 4]);
        }
    }
    let (short, long) = (short.1, long.1);
    assert!(long < short * 4, "{long:?} in a long game, {short:?} in a short one");
}

#[expect(clippy::disallowed_methods, reason = "what takes long is measured")]
fn timed(what: impl FnOnce()) -> Duration {
    let begun = Instant::now();
    what();
    begun.elapsed()
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
            game.movers.truncate(game.table.ply() as usize);
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

/// A copy of a table has the kept positions one by one, and everything else in as many pieces of
/// memory however long the game is.
#[test]
fn what_is_kept_takes_no_more_memory_than_the_moves() {
    assert!(size_of::<Position>() <= 1_024, "{}", size_of::<Position>());
    let mut game = TestGame::new();
    let pieces_of = |table: &Table| {
        let counted = allocation_counter::measure(|| drop(table.clone()));
        counted.count_total
    };
    game.play(SHUTTLE[0]);
    let pieces = pieces_of(&game.table);
    for ply in 1..1_000 {
        let kept = u64::from(game.table.ply() / KEPT_EVERY);
        let with_their_list = if kept == 0 { 0 } else { kept + 1 };
        assert_eq!(pieces_of(&game.table), pieces + with_their_list, "{ply}");
        game.play(SHUTTLE[ply % 4]);
    }
}
