//! Whole games as records: what is written reads back, and whatever is done to a record is noticed
//! by its reader.
#![expect(clippy::unwrap_used, reason = "a game that cannot be set up fails its test")]

use adamant_protocol::{
    EventFrame, GameId, RequestId, ToClient, encode,
    from_client::GameState,
    ids::PositionHash,
    to_client::{Algorithm, GameEntry, SignedHead},
};
use adamant_record::{
    DownloadChain, Head, RecordError, Replay, Signer, Verified, Verifier, VerifyError, chain_after,
    download::{is_genuine, line_end, line_start, records, verify_line},
    wire,
};
use adamant_rules::{
    Act, BySeat, Event, Kind, Options, Player, Seat, Setup, Table, TimeControl,
    event::{OfferId, OfferKind},
    options::OptionKind,
    table::{Ruling, ServerAction},
};
use proptest::{prelude::*, sample::Index};

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
    let seats = BySeat::try_from_iter((0..players).map(player)).unwrap();
    let mut setup = Setup::new(kind, seats);
    setup.options = Options::parse(options, kind.option_specs()).unwrap();
    (setup.clock, setup.rated) = (clock, true);
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
            _ if number > 30 && die % 103 == 0 => {
                let rulings = [Ruling::Winner(seat), Ruling::Draw, Ruling::Abort];
                let ruling = rulings[*die as usize % rulings.len()];
                table.decide_server_action(&ServerAction::Rule(ruling), at).unwrap()
            }
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
        place in any::<Index>(),
        byte in any::<Index>(),
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
        let chain = chain_after(replay.chain(), &forged);
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
        let chain = chain_after(replay.chain(), &forged);
        assert!(replay.push(&EventFrame::seal(forged, chain)).is_err(), "{from} became {to}");
    }
    // One move further, nothing has been agreed to that such a record could tell of.
    dice.truncate(2);
    let (shorter, _) = played(&terms, TimeControl::PerMove { move_ms: 60_000 }, &dice);
    let mut replay = replayed(&shorter).unwrap();
    assert!(replay.push(text.as_bytes()).is_err());
}

const SECRET: [u8; 32] = [7; 32];

fn exported(records: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let last = EventFrame::from_bytes(records.last().unwrap()).unwrap();
    let head = Head { game: last.game, seq: last.seq, chain: last.chain };
    let mut lines = records.to_vec();
    lines.push(encode(&Signer::new(&SECRET).sign(head).into()).into_bytes());
    lines
}

/// The same records sealed again, as a forger would after changing some of them.
fn sealed_anew(records: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut chain = adamant_protocol::ids::Chain::default();
    let mut sealed = Vec::new();
    for record in records {
        let (unsealed, _) = EventFrame::unseal(record).unwrap();
        chain = chain_after(chain, &unsealed);
        sealed.push(EventFrame::seal(unsealed, chain));
    }
    sealed
}

/// A record with a text in the place of another, which must occur.
fn forged(record: &[u8], from: &str, to: &str) -> Vec<u8> {
    let text = std::str::from_utf8(record).unwrap();
    assert!(text.contains(from), "{from} is not in {text}");
    text.replacen(from, to, 1).into_bytes()
}

/// The line of the first flaw, and the flaw.
fn verified(lines: &[Vec<u8>]) -> Result<Verified, (usize, VerifyError)> {
    let mut verifier = Verifier::new();
    for (index, line) in lines.iter().enumerate() {
        verifier.line(line).map_err(|error| (index + 1, error))?;
    }
    verifier.finish(None).map_err(|error| (lines.len(), error))
}

fn error(lines: &[Vec<u8>]) -> String {
    let (line, error) = verified(lines).map(|_| ()).unwrap_err();
    format!("{line}: {error}")
}

/// A whole game of each kind, with clocks that count.
fn whole_games() -> Vec<(Kind, Vec<Vec<u8>>)> {
    let clock = TimeControl::Fischer { base_ms: 600_000, inc_ms: 500 };
    let dice: Vec<u32> =
        (0..60_u32).map(|number| number.wrapping_mul(7919) / 17 * 17 + 20).collect();
    let plain = |kind: Kind| Terms { kind, players: 2, options: String::new() };
    Kind::ALL.iter().map(|&kind| (kind, played(&plain(kind), clock, &dice).0)).collect()
}

/// The place of the first record of this kind.
fn place_of(records: &[Vec<u8>], kind: &str) -> usize {
    let word = format!(r#""kind":"{kind}""#);
    let found =
        records.iter().position(|record| std::str::from_utf8(record).unwrap().contains(&word));
    found.unwrap_or_else(|| panic!("nothing {kind}"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_signed_record_is_right_as_it_is((records, table) in games()) {
        let found = verified(&exported(&records)).map_err(|(_, error)| error).unwrap();
        prop_assert_eq!(found.table, table);
        prop_assert_eq!(found.key, Some(Signer::new(&SECRET).key()));
        let mut verifier = Verifier::new();
        for record in &records {
            verifier.line(record).unwrap();
        }
        prop_assert!(matches!(verifier.finish(Some(&[])), Err(VerifyError::Unsigned)));
    }

    #[test]
    fn a_line_that_is_changed_dropped_doubled_or_moved_is_found(
        (records, _) in games(),
        place in any::<Index>(),
        byte in any::<Index>(),
        flip in 1..=255_u8,
    ) {
        let lines = exported(&records);
        let at = place.index(records.len());

        let mut changed = lines.clone();
        let length = changed[at].len();
        changed[at][byte.index(length)] ^= flip;
        prop_assert_eq!(verified(&changed).map(|_| ()).map_err(|(line, _)| line), Err(at + 1));

        let mut doubled = lines.clone();
        doubled.insert(at, lines[at].clone());
        prop_assert_eq!(verified(&doubled).map(|_| ()).map_err(|(line, _)| line), Err(at + 2));

        // The signature says how far the game went: what is cut off at the end is missed, too.
        let mut dropped = lines.clone();
        dropped.remove(at);
        prop_assert_eq!(verified(&dropped).map(|_| ()).map_err(|(line, _)| line), Err(at + 1));

        let mut moved = lines;
        moved.swap(at, at + 1);
        prop_assert!(verified(&moved).is_err());
    }

    #[test]
    fn a_signature_that_is_changed_is_found(
        (records, _) in games(),
        byte in any::<Index>(),
        flip in 1..=255_u8,
    ) {
        let mut lines = exported(&records);
        let last = lines.last_mut().unwrap();
        let length = last.len();
        last[byte.index(length)] ^= flip;
        prop_assert!(verified(&lines).is_err(), "{}", String::from_utf8_lossy(lines.last().unwrap()));
    }

    #[test]
    fn a_record_with_another_key_is_rejected((records, _) in games()) {
        let mut verifier = Verifier::new();
        for line in exported(&records) {
            verifier.line(&line).unwrap();
        }
        let other = Signer::new(&[8; 32]).key();
        let error = verifier.finish(Some(&[other])).map(|_| ());
        prop_assert!(matches!(error, Err(VerifyError::OtherKey { .. })), "{:?}", error);
    }
}

/// A forger can seal and sign a record with another key. What a forger cannot do is to break the
/// rules in it.
#[test]
fn illegal_events_are_found_even_if_sealed_and_signed_again() {
    for (kind, records) in whole_games() {
        let moved = place_of(&records, "moved");
        let forgeries = [
            // A move that is none, one of the wrong seat, a board and a clock that are not so.
            (moved, r#""move":""#, r#""move":"z9"#),
            (moved, r#""seat":0"#, r#""seat":1"#),
            (moved, r#""ply":1"#, r#""ply":2"#),
            (moved, r#""spent_ms":"#, r#""spent_ms":1"#),
            (moved, r#""left_ms":[6"#, r#""left_ms":[5"#),
            (moved, r#""at":1"#, r#""at":2"#),
        ];
        let hash = EventFrame::from_bytes(&records[moved]).unwrap().hash;
        let hashes = [hash, PositionHash(hash.0 ^ 1)].map(|hash| format!(r#""hash":"{hash}""#));
        let forgeries = forgeries.into_iter().chain([(moved, &*hashes[0], &*hashes[1])]);
        for (place, from, to) in forgeries {
            let mut records = records.clone();
            records[place] = forged(&records[place], from, to);
            let lines = exported(&sealed_anew(&records));
            // A time that is too late is only found by what it makes of the clocks.
            assert_eq!(
                verified(&lines).map(|_| ()).map_err(|(line, _)| line),
                Err(place + 1),
                "{kind:?}: {to}"
            );
        }
    }
}

/// A game of three whose third player resigns, and in which a computer plays on.
fn with_a_substitute() -> (Vec<Vec<u8>>, Table) {
    let player = |seat: Seat| Player::new(["ann", "bob", "cy"][seat.index()]);
    let mut setup = Setup::new(Kind::Adamas, BySeat::from_fn(3, player));
    setup.clock = TimeControl::Fischer { base_ms: 600_000, inc_ms: 0 };
    let mut at = 1_790_000_000_000;
    let begun = Table::begin(setup, at).unwrap();
    let mut table = Table::new(&begun[0]).unwrap();
    let mut head = Head::new("g7".parse::<GameId>().unwrap());
    let mut records = vec![head.append(&begun[0], table.position(), None)];
    let mut note = |table: &mut Table, events: &[Event]| {
        for event in events {
            records.push(head.append(event, table.position(), None));
            table.apply(event).unwrap();
        }
    };
    note(&mut table, &begun[1..]);
    for notation in ["d1-d2", "g4-f4", "a4-b4"] {
        at += 1_000;
        let (seat, turn) = (table.to_move().unwrap(), table.turn());
        let events = table.decide(&Act::Move { seat, turn, notation, lag_ms: 0 }, at).unwrap();
        note(&mut table, &events);
    }
    let [ann, bob, cy] = [0, 1, 2].map(|number| Seat::new(number).unwrap());
    let removal = table.decide(&Act::Resign { seat: cy }, at).unwrap();
    let mut computer = Player::new("house");
    computer.bot = true;
    let offered = table.offer_seat(&removal[0], computer, 4).unwrap();
    note(&mut table, &offered);
    for seat in [bob, ann] {
        at += 1_000;
        let offer = table.offers()[0].offer;
        let events = table.decide(&Act::Answer { seat, offer, accept: true }, at).unwrap();
        note(&mut table, &events);
    }
    for notation in ["d2-d3", "f4-e4", "b4-c4"] {
        at += 1_000;
        let (seat, turn) = (table.to_move().unwrap(), table.turn());
        let events = table.decide(&Act::Move { seat, turn, notation, lag_ms: 0 }, at).unwrap();
        note(&mut table, &events);
    }
    (records, table)
}

#[test]
fn a_record_says_which_computer_has_taken_a_seat_and_no_other_can() {
    let (records, table) = with_a_substitute();
    assert_eq!(*replayed(&records).unwrap().table().unwrap(), table);
    let verified = verified(&exported(&records)).unwrap();
    assert_eq!(verified.table.seat_of("house"), Seat::new(2));
    let [offered, substituted] =
        ["seat_offered", "substituted"].map(|kind| place_of(&records, kind));
    let forgeries = [
        (offered, r#""seat":2"#, r#""seat":1"#),
        (offered, r#""until":1"#, r#""until":2"#),
        (offered, r#""bot":true"#, r#""bot":false"#),
        (offered, r#""user":"house""#, r#""user":"ann""#),
        (offered, r#""reason":"resigned""#, r#""reason":"timed_out""#),
        (substituted, r#""user":"house""#, r#""user":"hal""#),
        (substituted, r#""level":4"#, r#""level":5"#),
        (substituted, r#""turn":4"#, r#""turn":3"#),
        (substituted, "600000]", "500000]"),
    ];
    for (place, from, to) in forgeries {
        let mut records = records.clone();
        records[place] = forged(&records[place], from, to);
        let flaw = error(&exported(&sealed_anew(&records)));
        assert!(flaw.starts_with(&format!("{}: ", place + 1)), "{to}: {flaw}");
    }
}

#[test]
fn a_result_that_does_not_follow_is_found() {
    for (kind, mut records) in whole_games() {
        let Some(place) = records
            .iter()
            .position(|record| std::str::from_utf8(record).unwrap().contains(r#""kind":"ended""#))
        else {
            panic!("{kind:?} does not end")
        };
        let text = String::from_utf8(records[place].clone()).unwrap();
        let (from, to) = if text.contains(r#""winners":[0]"#) {
            (r#""winners":[0]"#, r#""winners":[1]"#)
        } else if text.contains(r#""winners":[1]"#) {
            (r#""winners":[1]"#, r#""winners":[0]"#)
        } else {
            (r#""winners":[0,1]"#, r#""winners":[0]"#)
        };
        records[place] = forged(&records[place], from, to);
        let lines = exported(&sealed_anew(&records));
        assert_eq!(
            verified(&lines).map(|_| ()).map_err(|(line, _)| line),
            Err(place + 1),
            "{kind:?}"
        );
    }
}

#[test]
fn an_act_after_the_flag_has_fallen_is_found() {
    let terms = terms().swap_remove(0);
    let clock = TimeControl::PerMove { move_ms: 1_000 };
    let (records, _) = played(&terms, clock, &[20, 20]);
    let moved = place_of(&records, "moved");
    let started = EventFrame::from_bytes(&records[moved - 1]).unwrap().at;
    let at = EventFrame::from_bytes(&records[moved]).unwrap().at;
    // In time by its clock, and far too late by its date.
    let mut late = records[..=moved].to_vec();
    late[moved] =
        forged(&late[moved], &format!(r#""at":{at}"#), &format!(r#""at":{}"#, started + 5_000));
    let found = error(&exported(&sealed_anew(&late)));
    assert_eq!(
        found,
        format!("{}: record {}: the rules demand another event here", moved + 1, moved + 1)
    );
}

#[test]
fn verify_errors_at_the_end_are_specific() {
    let (_, records) = whole_games().swap_remove(0);
    let lines = exported(&records);
    let (signature, records) = lines.split_last().unwrap();
    let count = records.len();
    let then = |line: &[u8]| [records, &[line.to_vec()]].concat();

    let mut cut = lines.clone();
    cut.drain(count - 2..count);
    assert_eq!(
        error(&cut),
        format!("{}: the signature is for {count} records, but there are {}", count - 1, count - 2)
    );
    let behind = [&lines[..], std::slice::from_ref(signature)].concat();
    assert_eq!(error(&behind), format!("{}: something stands behind the signature", count + 2));
    assert_eq!(error(&[]), "0: there is no record");
    assert!(error(&then(b"")).contains("cannot be read"));

    let Ok(Some(ToClient::Signature(signed))) = ToClient::from_bytes(signature) else { panic!() };
    let other = SignedHead { game: "other".parse().unwrap(), ..signed.clone() };
    let other = then(encode(&other.into()).as_bytes());
    assert_eq!(error(&other), format!("{}: the signature is for game other", count + 1));
    let mut forged = signed.clone();
    forged.sig.0[9] ^= 1;
    let forged = then(encode(&forged.into()).as_bytes());
    assert_eq!(error(&forged), format!("{}: the signature is not genuine", count + 1));
    // A genuine signature of the same server, for another course of the same game.
    let mut chain = signed.chain;
    chain.0[0] ^= 1;
    let head = Head { game: signed.game, seq: signed.seq, chain };
    let elsewhere = then(encode(&Signer::new(&SECRET).sign(head).into()).as_bytes());
    assert!(error(&elsewhere).ends_with("ends with another chain"), "{}", error(&elsewhere));
}

/// Without a signature a record that is cut off is a shorter game, unless the rules know better.
#[test]
fn a_result_that_is_left_out_is_missed_where_the_rules_demand_it() {
    let dice: Vec<u32> = (0..60).map(|number| number * 17 + 20).collect();
    let mut found = 0;
    for terms in terms().into_iter().filter(|terms| terms.players == 2) {
        let (mut records, table) = played(&terms, TimeControl::None, &dice);
        let by_act =
            table.outcome().is_none_or(|outcome| format!("{outcome:?}").contains("Resigned"));
        if by_act {
            continue;
        }
        records.truncate(place_of(&records, "ended"));
        let error = verified(&records).map(|_| ()).map_err(|(_, error)| error.to_string());
        let breaks_off = error.as_ref().is_err_and(|error| error.contains("breaks off"));
        assert!(breaks_off, "{terms:?}, {:?}: {error:?}", table.outcome());
        found += 1;
    }
    assert!(found > 0, "no game came to its end");
}

/// A game that its players have played to the end, or as far as these dice go.
fn game(kind: Kind) -> (Vec<Vec<u8>>, Table) {
    let clock = TimeControl::Fischer { base_ms: 600_000, inc_ms: 500 };
    let dice: Vec<u32> =
        (0..60_u32).map(|number| number.wrapping_mul(7919) / 17 * 17 + 20).collect();
    played(&Terms { kind, players: 2, options: String::new() }, clock, &dice)
}

/// The line of a game.
fn line(sealed: &[Vec<u8>], table: &Table) -> String {
    let last = EventFrame::from_bytes(sealed.last().unwrap()).unwrap();
    let setup = table.setup();
    let entry = GameEntry {
        game: last.game,
        rules: wire::rules(setup.kind),
        options: wire::options(&setup.options),
        seats: wire::seats(table.players(), table.position()),
        clock: wire::Mirror::to_wire(setup.clock),
        rated: setup.rated,
        delay: setup.delay,
        unlisted: setup.unlisted,
        state: GameState::Finished,
        ply: table.ply(),
        to_move: None,
        started_at: 1,
        last_at: table.last_at(),
        result: table.outcome().map(wire::result),
        ratings: None,
        annulled: false,
        substituted: None,
    };
    let text: Vec<&str> =
        sealed.iter().map(|record| std::str::from_utf8(record).unwrap()).collect();
    line_start(&entry) + &text.join(",") + &line_end(last.seq, last.chain)
}

fn lines() -> Vec<(String, Vec<Vec<u8>>)> {
    let games = Kind::ALL.iter().map(|&kind| game(kind));
    let over = games.filter(|(_, table)| table.outcome().is_some());
    over.map(|(sealed, table)| (line(&sealed, &table), sealed)).collect()
}

#[test]
fn a_line_has_the_records_byte_for_byte_and_is_verified() {
    let lines = lines();
    assert!(!lines.is_empty(), "no game has come to its end");
    for (line, sealed) in lines {
        assert_eq!(records(line.as_bytes()).unwrap(), sealed);
        let entry = verify_line(line.as_bytes()).unwrap();
        let json: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(json["game"], entry.game.as_str());
        assert_eq!(json["record"].as_array().unwrap().len(), sealed.len());
    }
}

#[test]
fn a_line_that_says_something_else_than_its_record_is_refused() {
    let (line, sealed) = lines().swap_remove(0);
    let refused = |tampered: &str| {
        assert_ne!(tampered, line);
        verify_line(tampered.as_bytes()).map(|_| ()).unwrap_err().to_string()
    };
    assert!(refused(&line.replacen("\"ply\":", "\"ply\":1", 1)).contains("number of moves"));
    let rated = line.replacen("\"rated\":true", "\"rated\":false", 1);
    assert!(refused(&rated).contains("rated"));
    let other = format!("\"head\":{{\"seq\":{},", sealed.len() + 1);
    let head = format!("\"head\":{{\"seq\":{},", sealed.len());
    assert!(refused(&line.replace(&head, &other)).contains("head"));
    let cut = line.replacen(std::str::from_utf8(&sealed[1]).unwrap(), "", 1).replace("[,", "[");
    refused(&cut.replace(",,", ","));
    assert_eq!(refused("{\"game\":\"g\"}").split(':').next(), Some("the line cannot be read"));
    assert!(refused(&line[..line.len() - 1]).contains("cannot be read"));
}

#[test]
fn a_signature_covers_the_name_the_lines_and_whether_there_will_be_more() {
    let mut at = DownloadChain::default();
    at.add_line(b"first");
    let before = at.clone();
    at.add_line(b"second");
    assert_eq!((at.games, at.bytes), (2, 13));
    let mut other = DownloadChain::default();
    other.add_line(b"second");
    other.add_line(b"first");
    assert_ne!(at.chain, other.chain, "the order counts");

    let signer = Signer::new(&[7; 32]);
    let head = signer.sign_download("f".to_owned(), &at, "g1".parse().unwrap(), false);
    assert!(is_genuine(&head));
    assert_eq!((head.alg, head.key), (Algorithm::Ed25519, signer.key()));
    let mut forged = vec![head; 6];
    forged[0].file = "h".to_owned();
    forged[1].games = 1;
    forged[2].bytes = 5;
    forged[3].chain = before.chain;
    forged[4].last_game = "g2".parse().unwrap();
    forged[5].complete = true;
    for forged in forged {
        assert!(!is_genuine(&forged), "{forged:?}");
    }
}
