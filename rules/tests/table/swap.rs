//! Two players who change seats, as Stymie's option has it.

use adamant_rules::{
    Act, BySeat, EventKind, Kind, Options, Player, Refusal, Seat, Setup, Table, TimeControl,
    event::OfferKind,
    record::{self, TextRecord},
};

use super::script::NOON;

const V: Seat = Seat::FIRST;
const H: Seat = Seat::new(1).expect("a table has two seats");

fn stymie(clock: TimeControl) -> (Table, Vec<adamant_rules::Event>) {
    let player = |seat: Seat| Player {
        user: ["ann", "bob"][seat.index()].into(),
        bot: false,
        guest: false,
        rating: None,
    };
    let setup = Setup {
        kind: Kind::Stymie,
        options: Options::parse("-size=3 -swap", Kind::Stymie.option_specs()).unwrap(),
        seats: BySeat::from_fn(2, player),
        clock,
        rated: false,
        delay: 0,
        unlisted: false,
    };
    let events: Vec<_> = Table::begin(setup, NOON).unwrap().into_iter().collect();
    let mut table = Table::new(&events[0]).unwrap();
    for event in &events[1..] {
        table.apply(event).unwrap();
    }
    (table, events)
}

fn play(table: &mut Table, events: &mut Vec<adamant_rules::Event>, notation: &str, at: u64) {
    let act = Act::Move { seat: table.to_move().unwrap(), turn: table.turn(), notation, lag_ms: 0 };
    for event in table.decide(&act, at).unwrap() {
        table.apply(&event).unwrap();
        events.push(event);
    }
}

#[test]
fn a_swap_moves_the_players_and_their_time_and_nothing_else() {
    let (mut table, mut events) = stymie(TimeControl::Fischer { base_ms: 60_000, inc_ms: 0 });
    play(&mut table, &mut events, "c3", NOON + 5_000);
    play(&mut table, &mut events, "Swap", NOON + 6_000);

    let EventKind::Swapped { seat, turn, ply, to_move, spent_ms, left_ms, .. } =
        &events.last().unwrap().kind
    else {
        panic!("{events:?}");
    };
    assert_eq!((*seat, *turn, *ply, *to_move, *spent_ms), (H, 2, 2, H, 1_000));
    // ann has used five seconds and is H now; bob has used one.
    assert_eq!(left_ms.as_ref().unwrap().iter().copied().collect::<Vec<_>>(), [59_000, 55_000]);
    assert_eq!((table.seat_of("ann"), table.seat_of("bob")), (Some(H), Some(V)));
    assert_eq!(table.setup().seats[V].user.as_ref(), "ann", "what was agreed stays as it was");
    assert_eq!(table.moves().collect::<Vec<_>>(), ["c3", "swap"]);
    assert_eq!(table.position().stacks().len(), 1);

    let turn = table.turn();
    let triple = Act::Move { seat: H, turn, notation: "a1,b2,a3", lag_ms: 0 };
    assert!(table.decide(&triple, NOON + 7_000).is_err(), "three pieces answer no opening");
    let again = Act::Move { seat: H, turn, notation: "swap", lag_ms: 0 };
    assert!(table.decide(&again, NOON + 7_000).is_err(), "a swap is not swapped back");
    play(&mut table, &mut events, "a1,b2", NOON + 7_000);
    assert_eq!(table.to_move(), Some(V));
}

#[test]
fn a_swapped_game_is_replayed_and_written_down() {
    let (mut table, mut events) = stymie(TimeControl::None);
    for (notation, at) in [("c3", 1), ("swap", 2), ("e1", 3), ("a1,b2,a3", 4)] {
        play(&mut table, &mut events, notation, NOON + at);
    }
    let mut replayed = Table::new(&events[0]).unwrap();
    for event in &events[1..] {
        replayed.apply(event).unwrap();
    }
    assert_eq!(replayed, table);

    let text = record::write(&table);
    assert!(text.ends_with("ann bob\nc3\nswap\ne1\na1,a3,b2\n"), "{text}");
    let steps: Vec<_> = TextRecord::parse(&text)
        .unwrap()
        .replay(true)
        .map(|step| step.map(|step| (step.seat, step.notation, step.to_move)))
        .collect::<Result<_, _>>()
        .unwrap();
    assert_eq!(steps[2], (Some(H), "swap".to_owned(), Some(H)));
}

#[test]
fn a_swap_with_wrong_seats_is_refused() {
    let (mut table, mut events) = stymie(TimeControl::None);
    play(&mut table, &mut events, "c3", NOON + 1);
    let act = Act::Move { seat: H, turn: table.turn(), notation: "swap", lag_ms: 0 };
    let mut event = table.decide(&act, NOON + 2).unwrap().remove(0);
    let EventKind::Swapped { seats, .. } = &mut event.kind else { panic!("{event:?}") };
    seats.swap(V, H);
    assert!(table.apply(&event).is_err());
}

/// After a swap the seat no longer names the player of a move, so a takeback never crosses a swap.
#[test]
fn a_move_from_before_a_swap_is_not_taken_back() {
    let (mut table, mut events) = stymie(TimeControl::None);
    play(&mut table, &mut events, "c3", NOON + 1);
    play(&mut table, &mut events, "swap", NOON + 2);
    let offer = |seat| Act::Offer { seat, what: OfferKind::Takeback };
    for seat in [V, H] {
        assert_eq!(table.decide(&offer(seat), NOON + 3), Err(Refusal::TakebackBarred));
    }
    play(&mut table, &mut events, "e1", NOON + 3);
    assert!(table.decide(&offer(H), NOON + 4).is_ok());
    assert_eq!(table.decide(&offer(V), NOON + 4), Err(Refusal::TakebackBarred));
}

#[test]
fn the_lag_of_a_swap_is_granted_and_goes_with_its_player() {
    let (mut table, mut events) = stymie(TimeControl::Fischer { base_ms: 60_000, inc_ms: 0 });
    play(&mut table, &mut events, "c3", NOON);
    let act = Act::Move { seat: H, turn: 1, notation: "swap", lag_ms: 300 };
    let swapped = table.decide(&act, NOON + 1_000).unwrap().remove(0);
    let EventKind::Swapped { spent_ms, lag_ms, left_ms, .. } = &swapped.kind else {
        panic!("{swapped:?}");
    };
    assert_eq!((*spent_ms, *lag_ms), (1_000, 300));
    assert_eq!(left_ms.as_ref().unwrap().iter().copied().collect::<Vec<_>>(), [59_300, 60_000]);
}
