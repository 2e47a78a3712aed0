//! The table as a machine: whatever is done in whatever order, some things always hold. Every short
//! interleaving is tried, and long ones by chance.

use adamant_rules::{
    Act, BySeat, Event, EventKind, Events, Refusal, Seat, SeatSet, TimeControl,
    clock::NO_SHOW_MS,
    event::{AbortReason, OfferId, OfferKind, OfferOutcome},
    table::{Outcome, Ruling, ServerAction},
};
use proptest::prelude::*;

use super::{O, Script, X, follow};

/// What a reader of the events knows, and holds the next event against.
#[derive(Clone)]
struct Reader {
    turn: u32,
    ply: u32,
    open: Vec<(OfferId, OfferKind, Seat, SeatSet)>,
    offers_made: u32,
    gone: SeatSet,
    over: bool,
    rated: bool,
    /// How many moves each seat has ever made, those taken back included.
    moves: BySeat<u64>,
}

impl Reader {
    fn new(players: usize) -> Self {
        Self {
            turn: 0,
            ply: 0,
            open: Vec::new(),
            offers_made: 0,
            gone: SeatSet::EMPTY,
            over: false,
            rated: false,
            moves: BySeat::from_fn(players, |_| 0),
        }
    }

    fn read(&mut self, event: &Event) {
        assert!(!self.over || matches!(event.kind, EventKind::Rated { .. }), "{event:?}");
        match &event.kind {
            EventKind::Created(_) | EventKind::Started { .. } => {}
            EventKind::Moved { seat, turn, ply, .. }
            | EventKind::Swapped { seat, turn, ply, .. } => {
                assert!(!self.gone.contains(*seat), "{event:?}");
                self.moves[*seat] += 1;
                self.turn_to(*turn, event);
                self.ply_to(*ply);
            }
            EventKind::Skipped { turn, ply, .. } => {
                self.turn_to(*turn, event);
                self.ply_to(*ply);
            }
            EventKind::Removed { seat, turn, claimed_by, .. } => {
                assert!(!self.gone.contains(*seat), "{event:?}");
                self.gone = self.gone.with(*seat);
                assert!(claimed_by.is_none_or(|by| !self.gone.contains(by)), "{event:?}");
                self.turn_to(*turn, event);
            }
            EventKind::TakenBack { turn, ply, to_move, .. } => {
                assert!(!self.gone.contains(*to_move), "{event:?}");
                assert!(*ply < self.ply, "{event:?}");
                self.turn_to(*turn, event);
                self.ply = *ply;
            }
            EventKind::Offered { offer, what, by, needs } => {
                assert!(!needs.is_empty() && !needs.contains(*by), "{event:?}");
                assert!(self.open.iter().all(|open| open.1 != *what), "{event:?}");
                self.offers_made += 1;
                assert_eq!(offer.0, self.offers_made);
                self.open.push((*offer, *what, *by, *needs));
            }
            EventKind::SeatOffered { .. } | EventKind::Substituted { .. } => {
                panic!("no server has offered a seat: {event:?}")
            }
            EventKind::Agreed { offer, seat, needs } => {
                let open = self.open.iter_mut().find(|open| open.0 == *offer);
                let open = open.expect("only an open offer is agreed to");
                assert!(open.3.contains(*seat) && open.3.without(*seat) == *needs, "{event:?}");
                assert!(!needs.is_empty(), "{event:?}");
                open.3 = *needs;
            }
            EventKind::OfferClosed { offer, outcome, by } => {
                let index = self.open.iter().position(|open| open.0 == *offer);
                let open = self.open.remove(index.expect("only an open offer is closed"));
                match outcome {
                    OfferOutcome::Accepted => assert_eq!(open.3, SeatSet::only(*by)),
                    OfferOutcome::Declined => assert!(open.3.contains(*by), "{event:?}"),
                    OfferOutcome::Withdrawn => assert_eq!(open.2, *by),
                    OfferOutcome::Moved => {}
                }
            }
            EventKind::ClockAdjusted { by_ms, .. } => assert!(*by_ms > 0, "{event:?}"),
            EventKind::Aborted { .. } | EventKind::Ended { .. } => {
                self.over = true;
                self.open.clear();
            }
            EventKind::Rated { .. } => {
                assert!(self.over && !self.rated, "{event:?}");
                self.rated = true;
            }
        }
    }

    /// Turns count on, whatever is taken back.
    fn turn_to(&mut self, turn: u32, event: &Event) {
        assert_eq!(turn, self.turn + 1, "{event:?}");
        self.turn = turn;
    }

    fn ply_to(&mut self, ply: u32) {
        assert_eq!(ply, self.ply + 1);
        self.ply = ply;
    }

    /// What must hold between acts.
    fn agrees(&self, script: &Script) {
        let table = &script.table;
        assert_eq!((table.turn(), table.ply()), (self.turn, self.ply));
        assert_eq!(table.moves().count(), self.ply as usize);
        assert_eq!(table.outcome().is_some(), self.over);
        let open: Vec<_> = table
            .offers()
            .iter()
            .map(|open| (open.offer, open.what, open.by, open.needs))
            .collect();
        assert_eq!(open, self.open);
        // One clock runs, that of the side to move, and none once the game is over.
        assert_eq!(table.clock().running().map(|(seat, _)| seat), table.to_move());
        assert_eq!(table.clock().running().is_none(), self.over);
        if let Some(left_ms) = table.clock().left_ms() {
            for (seat, &left) in left_ms.entries() {
                assert!(left <= self.left_max(table.clock().control(), seat), "{left} of {seat:?}");
            }
        }
        match table.outcome() {
            Some(Outcome::Ended { winners, places, .. }) => {
                assert!(!winners.is_empty());
                let first: SeatSet = places
                    .entries()
                    .filter(|(_, place)| **place == 1)
                    .map(|(seat, _)| seat)
                    .collect();
                assert_eq!(first, *winners);
            }
            Some(Outcome::Aborted { .. }) | None => {}
        }
        assert!(table.next_deadline().is_none_or(|deadline| table.overdue(deadline).is_some()));
        let early = table.next_deadline().map(|deadline| deadline - 1);
        assert!(
            early.is_none_or(|early| early < table.last_at() || table.overdue(early).is_none())
        );
    }

    /// The most that the time control can have granted a seat.
    fn left_max(&self, control: TimeControl, seat: Seat) -> u64 {
        match control {
            TimeControl::None => 0,
            TimeControl::Fischer { base_ms, inc_ms } => base_ms + inc_ms * self.moves[seat],
            TimeControl::PerMove { move_ms } => move_ms,
            TimeControl::Byoyomi { base_ms, periods, period_ms } => {
                base_ms + u64::from(periods) * period_ms
            }
            TimeControl::Days { per_move_days } => u64::from(per_move_days) * 86_400_000,
        }
    }
}

/// One thing that can be tried.
#[derive(Clone, Copy, Debug)]
enum Step {
    Move,
    Resign(Seat),
    Abort(Seat),
    Claim {
        seat: Seat,
        claimed_by: Seat,
    },
    Offer(Seat, OfferKind),
    Answer(Seat, usize, bool),
    Withdraw(Seat, usize),
    /// Until the flag falls, or the side is missed.
    Wait,
    Outage,
}

fn steps(players: usize) -> Vec<Step> {
    let mut steps = vec![Step::Move, Step::Wait, Step::Outage];
    for seat in Seat::all(players) {
        steps.push(Step::Resign(seat));
        steps.push(Step::Abort(seat));
        steps.push(Step::Claim { seat, claimed_by: seat.next(players) });
        for what in [OfferKind::Draw, OfferKind::Takeback, OfferKind::Abort] {
            steps.push(Step::Offer(seat, what));
        }
        for index in 0..2 {
            steps.push(Step::Answer(seat, index, true));
            steps.push(Step::Answer(seat, index, false));
            steps.push(Step::Withdraw(seat, index));
        }
    }
    steps
}

/// What a step leads to here; nothing where there is nothing that it could be about.
fn decide(script: &mut Script, step: Step) -> Option<Result<Events, Refusal>> {
    let offer = |index: usize| script.table.offers().get(index).map(|open| open.offer);
    let act = match step {
        Step::Move => {
            let notation = script.table.position().legal_moves(1).first()?.to_string();
            script.table.to_move()?;
            return Some(script.decide(&script.move_act(&notation)));
        }
        Step::Wait => {
            script.now = script.now.max(script.table.next_deadline()?);
            return script.table.overdue(script.now).map(Ok);
        }
        Step::Outage => {
            let from = script.now;
            script.now += NO_SHOW_MS * 2;
            return Some(
                script.table.decide_server_action(&ServerAction::outage(from), script.now),
            );
        }
        Step::Claim { seat, claimed_by } => {
            let action = ServerAction::Abandoned { seat, claimed_by };
            return Some(script.table.decide_server_action(&action, script.now));
        }
        Step::Resign(seat) => Act::Resign { seat },
        Step::Abort(seat) => Act::Abort { seat },
        Step::Offer(seat, what) => Act::Offer { seat, what },
        Step::Answer(seat, index, accept) => Act::Answer { seat, offer: offer(index)?, accept },
        Step::Withdraw(seat, index) => Act::Withdraw { seat, offer: offer(index)? },
    };
    Some(script.decide(&act))
}

/// Tries every sequence of `depth` steps from here on. Returns how many were possible.
fn explore(script: &Script, reader: &Reader, steps: &[Step], depth: u32) -> u64 {
    let mut possible = 0;
    for &step in steps {
        let (mut script, mut reader) = (script.clone(), reader.clone());
        let Some(Ok(events)) = decide(&mut script, step) else { continue };
        if events.is_empty() {
            continue;
        }
        possible += 1;
        for event in &events {
            reader.read(event);
        }
        script.happen(events);
        reader.agrees(&script);
        if depth > 1 && script.table.outcome().is_none() {
            possible += explore(&script, &reader, steps, depth - 1);
        } else {
            assert_eq!(follow(&script.events), script.table);
        }
    }
    possible
}

fn reader_of(script: &Script) -> Reader {
    let mut reader = Reader::new(script.table.setup().seats.len());
    for event in &script.events {
        reader.read(event);
    }
    reader
}

#[test]
fn every_short_interleaving_of_two_players_holds() {
    let control = TimeControl::Fischer { base_ms: 120_000, inc_ms: 1_000 };
    for moves in [&[][..], &["c1-c2", "c5-c4", "c2-c3"]] {
        let script = Script::new(2, "", control).after(moves);
        let possible = explore(&script, &reader_of(&script), &steps(2), 4);
        assert!(possible > 2_000, "{possible}");
    }
}

#[test]
fn every_short_interleaving_of_three_players_holds() {
    let control = TimeControl::Byoyomi { base_ms: 60_000, periods: 2, period_ms: 30_000 };
    let script = Script::new(3, "", control).after(&["d1-d2", "g4-f4", "a4-b4", "d2-d3"]);
    let possible = explore(&script, &reader_of(&script), &steps(3), 3);
    assert!(possible > 2_000, "{possible}");
}

proptest! {
    #[test]
    fn long_games_hold(mut script in game(), rolls in rolls()) {
        let mut reader = reader_of(&script);
        for roll in rolls {
            let known = script.events.len();
            throw(&mut script, roll)?;
            for event in &script.events[known..] {
                reader.read(event);
            }
            reader.agrees(&script);
        }
        prop_assert_eq!(follow(&script.events), script.table);
    }
}

/// The refusals: the act, the seat and the time.
#[test]
fn every_refusal_has_its_case() {
    let offer = |seat, what| Act::Offer { seat, what };
    let opened = Script::without_clock(2, "");
    let moved = opened.clone().after(&["c1-c2"]);
    let both = moved.clone().after(&["c5-c4"]);
    let mut offered = both.clone();
    offered.act(&offer(O, OfferKind::Abort));
    let mut over = both.clone();
    over.act(&Act::Resign { seat: O });
    let mut late = Script::new(2, "", TimeControl::PerMove { move_ms: 1_000 });
    late.wait(1_000);
    let mut left = Script::without_clock(3, "").after(&["d1-d2"]);
    left.act(&Act::Resign { seat: X });

    let stale = Act::Move { seat: O, turn: 7, notation: "c2-c3", lag_ms: 0 };
    let not_mine = Act::Move { seat: X, turn: 2, notation: "c4-c3", lag_ms: 0 };
    let unknown = OfferId(9);
    let (draw, takeback, abort) = (OfferKind::Draw, OfferKind::Takeback, OfferKind::Abort);
    let cases = [
        (&over, offer(O, takeback), Refusal::GameOver),
        (&over, Act::Abort { seat: X }, Refusal::GameOver),
        (&late, offer(X, draw), Refusal::NotReady),
        (&left, offer(X, abort), Refusal::LeftTheGame),
        (&left, offer(X, takeback), Refusal::LeftTheGame),
        (&left, offer(O, takeback), Refusal::TakebackBarred),
        (&opened, offer(O, takeback), Refusal::NothingToTakeBack),
        (&moved, offer(X, takeback), Refusal::NothingToTakeBack),
        (&both, stale, Refusal::StaleTurn { given: 7, turn: 2 }),
        (&both, not_mine, Refusal::NotYourTurn),
        (&both, Act::Abort { seat: O }, Refusal::TooLateToAbort),
        (&both, Act::Withdraw { seat: O, offer: unknown }, Refusal::NoSuchOffer),
        (&both, Act::Answer { seat: O, offer: unknown, accept: true }, Refusal::NoSuchOffer),
        (&offered, offer(X, abort), Refusal::OfferStands),
        (
            &offered,
            Act::Withdraw { seat: X, offer: OfferId(1) },
            Refusal::NotYourOffer { what: "withdraw" },
        ),
        (
            &offered,
            Act::Answer { seat: O, offer: OfferId(1), accept: true },
            Refusal::NotYourOffer { what: "answer" },
        ),
    ];
    for (script, act, refusal) in cases {
        assert_eq!(script.refusal(&act), refusal, "{act:?}");
    }
    let aborted = offered.act(&Act::Answer { seat: X, offer: OfferId(1), accept: true });
    assert!(matches!(aborted[1], EventKind::Aborted { by: O, reason: AbortReason::Agreed, .. }));
}

/// Moves to choose from at one turn, at the most; enough for games of all shapes.
pub(crate) const MOVES_MAX: usize = 300;

/// One roll of the dice: what is done, by whom, which move, after how long.
pub(crate) type Roll = (u8, u8, u16, u16);

pub(crate) fn rolls() -> impl Strategy<Value = Vec<Roll>> {
    prop::collection::vec(any::<Roll>(), 1..70)
}

pub(crate) fn game() -> impl Strategy<Value = Script> {
    let control = prop_oneof![
        Just(TimeControl::None),
        Just(TimeControl::Fischer { base_ms: 40_000, inc_ms: 2_000 }),
        Just(TimeControl::PerMove { move_ms: 10_000 }),
        Just(TimeControl::Byoyomi { base_ms: 15_000, periods: 2, period_ms: 5_000 }),
        Just(TimeControl::Days { per_move_days: 1 }),
        // So long that sides fail to come rather than run out of time.
        Just(TimeControl::Fischer { base_ms: 600_000, inc_ms: 0 }),
    ];
    (2..=3_usize, 2..=3_u32, 2..=5_u32, control).prop_map(|(players, size, pieces, control)| {
        Script::new(players, &format!("-size={size} -pieces={pieces}"), control)
    })
}

/// Does what the dice say, as far as it is allowed, and the overdue before it.
pub(crate) fn throw(
    script: &mut Script,
    (what, who, which, wait): Roll,
) -> Result<(), TestCaseError> {
    script.now += if what == 255 { 91_000 } else { u64::from(wait / 16) };
    if what % 64 == 63 {
        let from = script.now.saturating_sub(u64::from(which));
        rule(script, &ServerAction::outage(from))?;
    }
    if let Some(events) = script.table.overdue(script.now) {
        prop_assert!(events.len() <= 8);
        script.happen(events);
    }
    let seat = Seat::new(usize::from(who % 3)).expect("a table has three seats");
    if what == 7 && which % 8 == 0 {
        let ruling = [Ruling::Winner(seat), Ruling::Draw, Ruling::Abort][usize::from(who % 3)];
        return rule(script, &ServerAction::Rule(ruling));
    }
    if let 5 | 6 = what {
        let claimed_by = seat.next(script.table.setup().seats.len());
        rule(script, &ServerAction::Abandoned { seat, claimed_by })?;
        let ratings = BySeat::from_fn(script.table.setup().seats.len(), |_| which);
        return rule(script, &ServerAction::Rated { before: ratings.clone(), after: ratings });
    }
    let offers = script.table.offers();
    let open = offers.get(usize::from(which) % offers.len().max(1));
    let offer = open.map_or(OfferId(1), |open| open.offer);
    let asked = open.and_then(|open| open.needs.iter().next()).unwrap_or(seat);
    let offered = [OfferKind::Draw, OfferKind::Abort, OfferKind::Takeback];
    let mut notation = String::new();
    let act = match what {
        0..=2 => Act::Resign { seat },
        3..=4 => Act::Abort { seat },
        // Draws and the like end the game, so takebacks are offered more often.
        5..=49 => Act::Offer { seat, what: offered[usize::from(which % 16).min(2)] },
        50..=59 => Act::Answer { seat, offer, accept: which % 2 == 0 },
        60..=109 => Act::Answer { seat: asked, offer, accept: which % 4 > 0 },
        110..=119 => Act::Withdraw { seat, offer },
        120..=124 => Act::Move { seat, turn: u32::from(which), notation: "b1-b2", lag_ms: 0 },
        125.. => {
            let Some(seat) = script.table.to_move() else { return Ok(()) };
            let mut moves = script.table.position().legal_moves(MOVES_MAX);
            // Captures are rare among all moves, and the games are to get somewhere.
            if what > 170 {
                let captures =
                    |mv| script.table.position().validate(mv).is_ok_and(|c| !c.is_empty());
                let some = moves.iter().filter(|mv| captures(mv)).cloned().collect::<Vec<_>>();
                if !some.is_empty() {
                    moves = some;
                }
            }
            notation = moves[usize::from(which) % moves.len()].to_string();
            let lag_ms = u64::from(which % 1_000);
            Act::Move { seat, turn: script.table.turn(), notation: &notation, lag_ms }
        }
    };
    let before = script.table.clone();
    let decided = script.decide(&act);
    prop_assert_eq!(&script.table, &before);
    match decided {
        Ok(events) => {
            prop_assert!((1..=8).contains(&events.len()), "{:?}", events);
            script.happen(events);
        }
        Err(refusal) => {
            prop_assert!(notation.is_empty(), "{} was refused: {}", notation, refusal);
        }
    }
    Ok(())
}

/// Makes a ruling as far as it can be made.
fn rule(script: &mut Script, action: &ServerAction) -> Result<(), TestCaseError> {
    let before = script.table.clone();
    let ruled = script.table.decide_server_action(action, script.now);
    prop_assert_eq!(&script.table, &before);
    if let Ok(events) = ruled {
        script.happen(events);
    }
    Ok(())
}
