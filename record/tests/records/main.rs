//! Whole games as records: what is written reads back, and whatever is done to a record is noticed
//! by its reader.

#![expect(clippy::unwrap_used, reason = "a game that cannot be set up fails its test")]

use adamant_protocol::{EventFrame, GameId, RequestId};
use adamant_record::{Head, RecordError, Replay, wire};
use adamant_rules::{
    Act, BySeat, Event, Kind, Options, Player, Setup, Table, TimeControl,
    event::{OfferId, OfferKind},
    options::OptionKind,
    table::ServerAction,
};
use proptest::prelude::*;

mod download;
mod verified;

/// A game as it can be agreed on.
#[derive(Clone, Debug)]
struct Terms {
    kind: Kind,
    players: usize,
    options: String,
}

/// Every game with every number of players: plain, with each of its flags, and with other sizes.
fn terms() -> Vec<Terms> {
    let sizes: [(Kind, &str); 4] = [
        (Kind::Adamas, "-size=2 -pieces=5"),
        (Kind::Stymie, "-size=3 -swap"),
        (Kind::Stymie, "-size=12"),
        (Kind::Diam, "-board=12x6 -pieces=4x6"),
    ];
    let mut all = Vec::new();
    for &kind in Kind::ALL {
        let flags = kind.option_specs().iter().filter(|spec| spec.kind == OptionKind::Flag);
        let mut choices: Vec<String> = flags.map(|spec| format!("-{}", spec.name)).collect();
        choices.push(String::new());
        let resized = sizes.iter().filter(|(other, _)| *other == kind);
        choices.extend(resized.map(|(_, options)| (*options).to_owned()));
        for players in kind.players() {
            let choices = choices.iter().cloned();
            all.extend(choices.map(|options| Terms { kind, players, options }));
        }
    }
    all
}

/// A game played by dice: every number picks one of the acts that are possible.
fn played(terms: &Terms, clock: TimeControl, dice: &[u32]) -> (Vec<Vec<u8>>, Table) {
    let Terms { kind, players, ref options } = *terms;
    let player = |number| Player {
        user: format!("user{number}").into(),
        bot: number == 1,
        guest: number == 2,
        rating: (number == 0).then_some(1500),
    };
    let setup = Setup {
        kind,
        options: Options::parse(options, kind.option_specs()).unwrap(),
        seats: BySeat::try_from_iter((0..players).map(player)).unwrap(),
        clock,
        rated: true,
        delay: 0,
        unlisted: false,
    };
    let mut at = 1_790_000_000_000;
    let begun = Table::begin(setup, at).unwrap();
    let (first, later) = begun.split_first().unwrap();
    let mut table = Table::new(first).unwrap();
    let mut head = Head::new("g7".parse::<GameId>().unwrap());
    let mut records = vec![head.append(first, table.position(), None)];
    let mut note = |table: &mut Table, events: &[Event], req: Option<&RequestId>| {
        for (index, event) in events.iter().enumerate() {
            let req = req.filter(|_| index == 0);
            records.push(head.append(event, table.position(), req));
            table.apply(event).unwrap();
        }
    };
    note(&mut table, later, None);
    for (number, die) in dice.iter().enumerate() {
        let since = at;
        at += u64::from(die % 900);
        if die % 41 == 0 {
            at += 100_000;
            let events = table.decide_server_action(&ServerAction::outage(since), at).unwrap();
            note(&mut table, &events, None);
        }
        if let Some(events) = table.overdue(at) {
            note(&mut table, &events, None);
        }
        let Some(seat) = table.to_move() else { break };
        let moves = table.position().legal_moves(500);
        // Where seats can be changed, they often are.
        let swap = moves.iter().find(|mv| die % 2 == 0 && table.position().swaps_seats(mv));
        let notation = swap.unwrap_or(&moves[*die as usize % moves.len()]).to_string();
        let offers = [OfferKind::Draw, OfferKind::Takeback, OfferKind::Takeback, OfferKind::Abort];
        let what = offers[*die as usize / 17 % offers.len()];
        let open = table.offers().first().copied();
        let turn = table.turn();
        let moving = Act::Move { seat, turn, notation: &notation, lag_ms: u64::from(die % 300) };
        let act = match (die % 17, open) {
            (0 | 4, None) => Act::Offer { seat, what },
            (1 | 5, Some(open)) => {
                let seat = open.needs.iter().next().unwrap();
                Act::Answer { seat, offer: open.offer, accept: die % 4 > 0 }
            }
            (2, Some(open)) => Act::Withdraw { seat: open.by, offer: OfferId(open.offer.0) },
            (3, _) if number > 20 => Act::Resign { seat },
            _ => moving,
        };
        let req: RequestId = format!("r{number}").parse().unwrap();
        let claimed_by = table.seats_in().without(seat).iter().next().unwrap();
        let events = match table.decide(&act, at) {
            _ if die % 101 == 0 => table
                .decide_server_action(&ServerAction::Abandoned { seat, claimed_by }, at)
                .unwrap(),
            Ok(events) => events,
            // What cannot be taken back is not; then a move is made instead.
            Err(_) => table.decide(&moving, at).unwrap(),
        };
        note(&mut table, &events, Some(&req));
    }
    let ratings = BySeat::from_fn(players, |_| 1_500);
    let rated = ServerAction::Rated { before: ratings.clone(), after: ratings };
    if let Ok(events) = table.decide_server_action(&rated, at) {
        note(&mut table, &events, None);
    }
    (records, table)
}

/// Replays records. A head that follows them with its table accepts the same, and changes nothing
/// at the first that is wrong.
fn replayed(records: &[Vec<u8>]) -> Result<Replay, RecordError> {
    let (mut replay, mut following) = (Replay::new(), None);
    for record in records {
        let pushed = replay.push(record);
        if let Some((table, head)) = &mut following {
            let followed = Head::follow(head, table, record);
            assert_eq!(followed.as_ref().ok().map(|(_, event)| event), pushed.as_ref().ok());
            assert_eq!((head.seq, head.chain), (replay.seq(), replay.chain()));
            assert_eq!(Some(&*table), replay.table());
        }
        pushed?;
        following = following.or_else(|| replay.clone().into_parts());
    }
    Ok(replay)
}

fn games() -> impl Strategy<Value = (Vec<Vec<u8>>, Table)> {
    let clocks = prop_oneof![
        Just(TimeControl::None),
        Just(TimeControl::Fischer { base_ms: 20_000, inc_ms: 500 }),
        Just(TimeControl::PerMove { move_ms: 1_000 }),
        Just(TimeControl::Byoyomi { base_ms: 2_000, periods: 3, period_ms: 1_000 }),
        Just(TimeControl::Days { per_move_days: 1 }),
        Just(TimeControl::Fischer { base_ms: 600_000, inc_ms: 0 }),
    ];
    let dice = proptest::collection::vec(any::<u32>(), 1..60);
    (prop::sample::select(terms()), clocks, dice)
        .prop_map(|(terms, clock, dice)| played(&terms, clock, &dice))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn a_game_reads_back_as_it_was_played((records, table) in games()) {
        let replay = replayed(&records).unwrap();
        prop_assert_eq!(replay.table().unwrap(), &table);
        prop_assert_eq!(replay.seq(), records.len() as u64);
    }

    #[test]
    fn bytes_and_frames_and_events_are_the_same_thing((records, _) in games()) {
        let mut replay = Replay::new();
        for record in &records {
            let names = replay.table().map(|table| table.position().clone());
            let (frame, event) = replay.push_frame(record).unwrap();
            prop_assert_eq!(&frame.to_bytes(), record);
            prop_assert_eq!(&EventFrame::from_bytes(record).unwrap(), &frame);
            if let Some(names) = names {
                prop_assert_eq!(wire::to_wire(&event.kind, &names), frame.body);
            }
        }
    }

    #[test]
    fn a_record_that_is_changed_dropped_doubled_or_moved_is_found(
        (records, _) in games(),
        place in any::<prop::sample::Index>(),
        byte in any::<prop::sample::Index>(),
        flip in 1..=255_u8,
    ) {
        let at = place.index(records.len());
        let found = |records: &[Vec<u8>]| replayed(records).err().map(|error| error.seq());

        let mut changed = records.clone();
        let length = changed[at].len();
        changed[at][byte.index(length)] ^= flip;
        prop_assert_eq!(found(&changed), Some(at as u64 + 1));

        let mut doubled = records.clone();
        doubled.insert(at, records[at].clone());
        prop_assert_eq!(found(&doubled), Some(at as u64 + 2));

        // Without its last record a game is merely shorter; every other gap shows.
        if at + 1 < records.len() {
            let mut dropped = records.clone();
            dropped.remove(at);
            prop_assert_eq!(found(&dropped), Some(at as u64 + 1));

            let mut moved = records;
            moved.swap(at, at + 1);
            prop_assert_eq!(found(&moved), Some(at as u64 + 1));
        }
    }
}

/// The chain proves that nothing was changed after it was written; the rules prove that what was
/// written was right.
#[test]
fn a_record_that_is_sealed_anew_is_still_held_against_the_rules() {
    let dice: Vec<u32> = (0..12).map(|number| number * 7919 + 5).collect();
    let terms = Terms { kind: Kind::Adamas, players: 2, options: String::new() };
    let (records, _) = played(&terms, TimeControl::None, &dice);
    let forgeries = [
        (r#""to_move":1"#, r#""to_move":0"#),
        (r#""turn":1"#, r#""turn":2"#),
        (r#""seat":0"#, r#""seat":1"#),
        (r#""captures":[]"#, r#""captures":[{"cell":"c5","seat":1,"pieces":"X"}]"#),
        (r#""move":""#, r#""move":"9x"#),
        (r#""spent_ms":"#, r#""spent_ms":7"#),
    ];
    for (from, to) in forgeries {
        let mut replay = replayed(&records[..2]).unwrap();
        let (unsealed, _) = EventFrame::unseal(&records[2]).unwrap();
        let text = String::from_utf8(unsealed).unwrap();
        assert!(text.contains(from), "{from} is not in {text}");
        let forged = text.replacen(from, to, 1).into_bytes();
        let chain = adamant_record::chain_after(replay.chain(), &forged);
        let before = replay.table().cloned();
        let error = replay.push(&EventFrame::seal(forged, chain)).unwrap_err();
        assert_eq!(error.seq(), 3, "{from} became {to}");
        assert_eq!(replay.table().cloned(), before, "a refused record changes nothing");
    }
}

/// What a takeback leads to follows from the moves before it, whatever its record says.
#[test]
fn a_takeback_with_another_board_is_refused() {
    let mut dice = vec![6, 7, 17, 1];
    let terms = Terms { kind: Kind::Adamas, players: 2, options: String::new() };
    let (records, table) = played(&terms, TimeControl::PerMove { move_ms: 60_000 }, &dice);
    assert_eq!((table.ply(), table.turn()), (0, 3), "two moves are made and the first taken back");
    let text = String::from_utf8(records.last().unwrap().clone()).unwrap();
    let expected = concat!(
        r#""kind":"taken_back","turn":3,"ply":0,"position":{"c1":"OOOOOOOO","c5":"XXXXXXXX"},"#,
        r#""left_ms":[60000,60000],"to_move":0,"hash":"#
    );
    assert!(text.contains(expected), "{text}");
    for (from, to) in [
        (r#""c1":"OOOOOOOO""#, r#""c1":"OOOOOOO""#),
        (r#""ply":0"#, r#""ply":1"#),
        (r#""turn":3"#, r#""turn":1"#),
        (r#""left_ms":[60000,"#, r#""left_ms":[60001,"#),
        (r#""to_move":0"#, r#""to_move":1"#),
    ] {
        let mut replay = replayed(&records[..records.len() - 1]).unwrap();
        let (unsealed, _) = EventFrame::unseal(text.as_bytes()).unwrap();
        let forged = String::from_utf8(unsealed).unwrap().replacen(from, to, 1).into_bytes();
        let chain = adamant_record::chain_after(replay.chain(), &forged);
        assert!(replay.push(&EventFrame::seal(forged, chain)).is_err(), "{from} became {to}");
    }
    // One move further, nothing has been agreed to that such a record could tell of.
    dice.truncate(2);
    let (shorter, _) = played(&terms, TimeControl::PerMove { move_ms: 60_000 }, &dice);
    let mut replay = replayed(&shorter).unwrap();
    assert!(replay.push(text.as_bytes()).is_err());
}
