//! What `Verifier` finds: whatever is done to a record that was signed, and whatever is wrong with
//! one that another party wrote, sealed and signed.

use adamant_protocol::{EventFrame, ToClient, encode, ids::PositionHash, to_client::SignedHead};
use adamant_record::{Head, Signer, Verified, Verifier, VerifyError, chain_after};
use adamant_rules::{Kind, TimeControl};
use proptest::{prelude::*, sample::Index};

use crate::{Terms, games, played, terms};

const SECRET: [u8; 32] = [7; 32];

/// The record as it is exported.
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
