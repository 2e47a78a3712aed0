//! Going back to before a move, by agreement.

use adamant_rules::{
    Act, EndReason, Event, EventKind, Kind, Position, Refusal, Seat, SeatSet, Table, TimeControl,
    clock::LAG_PER_MOVE_MS_MAX,
    event::{OfferId, OfferKind},
    record,
};
use proptest::prelude::*;

use super::{
    NOON, O, Script, X, Y, names, setup_of,
    state_machine::{MOVES_MAX, game, rolls, throw},
};

const TAKEBACK: OfferKind = OfferKind::Takeback;
const FISCHER: TimeControl = TimeControl::Fischer { base_ms: 60_000, inc_ms: 2_000 };

const fn offer(seat: Seat) -> Act<'static> {
    Act::Offer { seat, what: TAKEBACK }
}

fn left(script: &Script) -> Vec<u64> {
    script.table.clock().left_ms().expect("there are clocks").iter().copied().collect()
}

/// All that a takeback restores.
fn standing(script: &Script) -> impl PartialEq + std::fmt::Debug + use<> {
    let table = &script.table;
    (
        (table.position().clone(), table.hash(), table.ply(), table.to_move()),
        table.clock().left_ms().cloned(),
        table.moves().map(str::to_owned).collect::<Vec<_>>(),
        (table.last_move().map(str::to_owned), table.last_captures().to_vec()),
        record::write(table),
    )
}

#[test]
fn a_takeback_goes_back_to_the_beginning_of_the_offerers_last_turn() {
    let mut script = Script::new(2, "", FISCHER);
    script.wait(3_000).play("c1-c2");
    script.wait(4_000).play("c5-c4");
    let before = standing(&script);
    assert_eq!(left(&script), [59_000, 58_000]);

    script.wait(5_000).play("c2-c3");
    script.wait(6_000).play("c5-a3");
    script.wait(7_000);
    let kinds = script.agree(O, TAKEBACK);
    assert_eq!(names(&kinds), ["closed Accepted seat 1", "taken back seat 0"]);
    let EventKind::TakenBack { turn, ply, position, left_ms, to_move } = &kinds[1] else {
        panic!("{kinds:?}")
    };
    assert_eq!((*turn, *ply, *to_move), (5, 2, O));
    assert_eq!(position.as_ref(), script.table.position());
    assert_eq!(left_ms.as_ref(), script.table.clock().left_ms());
    assert_eq!(standing(&script), before);
    assert_eq!(script.table.turn(), 5);
    assert_eq!(script.table.clock().running(), Some((O, script.now)));

    // What was meant for the turn that is no more is not taken for the present one.
    let late = Act::Move { seat: O, turn: 2, notation: "c2-c3", lag_ms: 0 };
    assert_eq!(script.refusal(&late), Refusal::StaleTurn { given: 2, turn: 5 });
    script.wait(1_000).play("c2-c3");
    assert_eq!(left(&script), [60_000, 58_000]);
}

#[test]
fn a_move_is_taken_back_answered_or_not() {
    let mut script = Script::new(2, "", FISCHER).after(&["c1-c2"]);
    script.agree(O, TAKEBACK);
    assert_eq!((script.table.ply(), script.table.to_move()), (0, Some(O)));
    assert_eq!(script.table.last_move(), None);
    assert_eq!(script.table.moves().count(), 0);

    let mut script = script.after(&["c1-c2", "c5-c4"]);
    script.agree(X, TAKEBACK);
    assert_eq!((script.table.ply(), script.table.to_move()), (1, Some(X)));
    assert_eq!(script.table.moves().collect::<Vec<_>>(), ["c1-c2"]);
}

#[test]
fn captured_pieces_come_back_and_the_last_move_is_the_one_before() {
    let moves = ["c1-a1,c4", "e3-c3,d3", "a3-a2,b3", "c4-d3"];
    let mut script = Script::without_clock(3, "-size=3 -pieces=2").after(&moves[..3]);
    let before = standing(&script);
    script.play(moves[3]);
    assert_eq!(script.table.last_captures().len(), 1);
    script.agree(O, TAKEBACK);
    assert_eq!(standing(&script), before);
}

#[test]
fn three_players_all_have_to_agree_to_a_takeback() {
    let mut script = Script::without_clock(3, "").after(&["d1-d2", "g4-f4"]);
    script.act(&offer(O));
    assert_eq!(script.table.offers()[0].needs, SeatSet::all(3).without(O));
    script.act(&Act::Answer { seat: Y, offer: OfferId(1), accept: true });
    assert_eq!(script.table.ply(), 2);
    script.act(&Act::Answer { seat: X, offer: OfferId(1), accept: true });
    assert_eq!((script.table.ply(), script.table.turn()), (0, 3));
}

#[test]
fn a_seat_that_has_not_moved_cannot_take_back() {
    let mut script = Script::without_clock(2, "");
    assert_eq!(script.refusal(&offer(O)), Refusal::NothingToTakeBack);
    script.play("c1-c2");
    assert_eq!(script.refusal(&offer(X)), Refusal::NothingToTakeBack);
    script.agree(O, TAKEBACK);
    assert_eq!(script.refusal(&offer(O)), Refusal::NothingToTakeBack);
}

#[test]
fn takebacks_do_not_cross_a_departure() {
    let mut script = Script::without_clock(3, "").after(&["d1-d2", "g4-f4"]);
    script.act(&Act::Resign { seat: Y });
    for seat in [O, X] {
        assert_eq!(script.refusal(&offer(seat)), Refusal::TakebackBarred);
    }
    assert_eq!(script.refusal(&offer(Y)), Refusal::LeftTheGame);
    script.play("d2-d3");
    let before = standing(&script);
    script.play("f4-e4");
    script.agree(X, TAKEBACK);
    assert_eq!(standing(&script), before);
}

#[test]
fn a_move_closes_every_open_offer() {
    let mut script = Script::without_clock(2, "").after(&["c1-c2"]);
    for what in [TAKEBACK, OfferKind::Abort, OfferKind::Draw] {
        script.act(&Act::Offer { seat: O, what });
        assert_eq!(script.refusal(&Act::Offer { seat: O, what }), Refusal::OfferStands);
    }
    let expected =
        ["moved seat 1", "closed Moved seat 1", "closed Moved seat 1", "closed Moved seat 1"];
    assert_eq!(names(&script.play("c5-c4")), expected);
    assert!(script.table.offers().is_empty());
}

#[test]
fn a_takeback_closes_the_other_offers() {
    let mut script = Script::without_clock(2, "").after(&["c1-c2"]);
    script.act(&Act::Offer { seat: O, what: OfferKind::Draw });
    script.act(&Act::Offer { seat: X, what: OfferKind::Abort });
    let kinds = script.agree(O, TAKEBACK);
    let expected = [
        "closed Accepted seat 1",
        "taken back seat 0",
        "closed Moved seat 0",
        "closed Moved seat 0",
    ];
    assert_eq!(names(&kinds), expected);
    assert_eq!(script.refusal(&Act::Withdraw { seat: O, offer: OfferId(1) }), Refusal::NoSuchOffer);
}

#[test]
fn a_game_is_abortable_again_after_the_first_move_is_taken_back() {
    let mut script = Script::without_clock(2, "").after(&["c1-c2", "c5-c4"]);
    assert_eq!(script.refusal(&Act::Abort { seat: O }), Refusal::TooLateToAbort);
    script.agree(X, TAKEBACK);
    assert!(script.decide(&Act::Abort { seat: O }).is_ok());
}

/// Every position comes again after four plies, and is drawn when it comes for the third time.
const SHUTTLE: [&str; 4] = ["8xc1-b1", "8xc5-b4", "8xb1-c1", "8xb4-c5"];

#[test]
fn positions_that_were_taken_back_have_not_come_up() {
    let mut script = Script::without_clock(2, "").after(&SHUTTLE).after(&SHUTTLE[..3]);
    for _ in 0..3 {
        script.play(SHUTTLE[3]);
        assert_eq!(script.table.outcome(), None);
        script.agree(X, TAKEBACK);
        assert_eq!(script.table.positions_seen().len(), 8);
    }
    script.play(SHUTTLE[3]);
    assert_eq!(names(&script.play(SHUTTLE[0])), ["moved seat 0", "ended Repetition"]);
    assert_eq!(script.result().2, EndReason::Repetition);
}

#[test]
fn a_position_that_is_gone_back_to_counts_as_often_as_before() {
    let mut script = Script::without_clock(2, "").after(&SHUTTLE).after(&SHUTTLE);
    for notation in ["7xc1-b1", "7xc1-c2"] {
        script.play(notation);
        script.agree(O, TAKEBACK);
        assert_eq!(script.table.outcome(), None);
    }
    script.play("6xc1-c2");
    script.play("8xc5-b4");
    assert_eq!(script.table.outcome(), None);
}

#[test]
fn lag_that_was_granted_is_not_granted_again_after_a_takeback() {
    let mut script = Script::new(2, "", TimeControl::Fischer { base_ms: 600_000, inc_ms: 0 });
    let mut granted = 0;
    for _ in 0..100 {
        script.wait(1_000);
        let kinds = script.act(&script.lagging_move("c1-c2", LAG_PER_MOVE_MS_MAX));
        let EventKind::Moved { lag_ms, .. } = &kinds[0] else { panic!("{kinds:?}") };
        granted += lag_ms;
        script.agree(O, TAKEBACK);
        assert_eq!(left(&script), [600_000, 600_000]);
    }
    assert_eq!(granted, adamant_rules::clock::LAG_PER_GAME_MS_MAX);
}

proptest! {
    /// In any game: after a takeback the seat stands where that turn began, and a game that goes on
    /// from there ends like one in which nothing was taken back.
    #[test]
    fn a_takeback_restores_exactly(
        mut script in game(),
        rolls in rolls(),
        choices in prop::collection::vec((any::<u16>(), 0..3_000_u64), 1..12),
        who in 0..3_usize,
    ) {
        for roll in rolls {
            throw(&mut script, roll)?;
        }
        // From here on no seat leaves voluntarily, and every turn is recorded.
        let mut turns = Vec::new();
        for (which, wait) in choices {
            script.now += wait;
            let (Some(seat), None) = (script.table.to_move(), script.table.overdue(script.now)) else {
                return Ok(());
            };
            turns.push((seat, standing(&script), script.clone(), script.table.seats_in()));
            let moves = script.table.position().legal_moves(MOVES_MAX);
            let notation = moves[usize::from(which) % moves.len()].to_string();
            script.play(&notation);
        }
        let by = Seat::new(who).expect("a table has three seats");
        let here = script.table.seats_in();
        let last = turns.into_iter().rev().find(|(seat, ..)| *seat == by);
        let Some((_, before, mut then, _)) = last.filter(|turn| turn.3 == here) else {
            return Ok(());
        };
        if script.table.to_move().is_none() || !script.table.offers().is_empty() {
            return Ok(());
        }
        script.agree(by, TAKEBACK);
        prop_assert_eq!(standing(&script), before);
        let hash = script.table.position().hash_from_scratch();
        prop_assert_eq!(script.table.hash(), hash);
        // Both go on alike: the same moves are legal, and end the game at the same ply.
        then.now = then.table.last_at();
        for _ in 0..12 {
            let Some(_) = script.table.to_move() else { break };
            let moves = script.table.position().legal_moves(1);
            let notation = moves[0].to_string();
            then.play(&notation);
            script.play(&notation);
            prop_assert_eq!(script.table.position(), then.table.position());
            prop_assert_eq!(script.table.outcome(), then.table.outcome());
        }
    }
}

/// Plies between two kept positions.
const KEPT_EVERY: u32 = 32;

/// Every position comes again after four plies.
const LONG_SHUTTLE: [&str; 4] = ["8xc1-b1", "8xc5-b4", "8xb1-c1", "8xb4-c5"];

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
        let events = Script::of(setup_of(kind, players, "", TimeControl::None)).events;
        Self { table: endless(&events), events, movers: Vec::new(), offers: 0 }
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

/// Follows a game that neither repetition nor its length ends.
fn endless(events: &[Event]) -> Table {
    let mut table = Table::new(&events[0]).unwrap().without_repetition().without_end();
    for event in &events[1..] {
        table.apply(event).unwrap();
    }
    table
}

/// The rules assert that no takeback replays more than [`KEPT_EVERY`] moves, however long the game.
#[test]
fn a_long_game_goes_back_and_forth_at_its_end_and_then_to_its_beginning() {
    let mut game = TestGame::new();
    let mut boards = Vec::new();
    for ply in 0..4_000 {
        boards.push((game.table.position().clone(), game.table.last_move().map(str::to_owned)));
        game.play(LONG_SHUTTLE[ply % 4]);
    }
    let mut takebacks = 0;
    while game.table.ply() > 1 {
        let by = Seat::new(takebacks % 2).unwrap();
        if takebacks < 2_500 && takebacks % 5 == 4 {
            game.play(LONG_SHUTTLE[game.table.ply() as usize % 4]);
        }
        game.take_back(by);
        let stands = (game.table.position().clone(), game.table.last_move().map(str::to_owned));
        assert_eq!(stands, boards[game.table.ply() as usize]);
        takebacks += 1;
    }
    assert!(takebacks > 2_500, "{takebacks}");
    assert_eq!(endless(&game.events), game.table);
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
            let stands = (game.table.position().clone(), game.table.last_move().map(str::to_owned));
            boards.resize(ply + 1, stands);
            let moves = game.table.position().sample_moves(64, &mut |n| dice.below(n));
            game.play(&moves[dice.below(moves.len())].to_string());
        }
        if game.table.outcome().is_some() {
            // The end cannot be taken back: the same game without its last move.
            game.events.pop();
            while !matches!(game.events.pop().unwrap().kind, EventKind::Moved { .. }) {}
            game.table = endless(&game.events);
            game.movers.truncate(game.table.ply() as usize);
        }
        let mut takebacks = 0;
        while let Some(by) = game.last_mover(departed) {
            game.take_back(by);
            let stands = (game.table.position().clone(), game.table.last_move().map(str::to_owned));
            assert_eq!(stands, boards[game.table.ply() as usize], "{kind:?} {}", game.table.ply());
            takebacks += 1;
        }
        assert!(takebacks > 10, "{kind:?} {takebacks}");
        assert_eq!(endless(&game.events), game.table);
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
    game.play(LONG_SHUTTLE[0]);
    let pieces = pieces_of(&game.table);
    for ply in 1..1_000 {
        let kept = u64::from(game.table.ply() / KEPT_EVERY);
        let with_their_list = if kept == 0 { 0 } else { kept + 1 };
        assert_eq!(pieces_of(&game.table), pieces + with_their_list, "{ply}");
        game.play(LONG_SHUTTLE[ply % 4]);
    }
}
