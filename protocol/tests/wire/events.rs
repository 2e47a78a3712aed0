//! Whole events: as bytes, sealed and decoded.

use adamant_protocol::{
    EventBody, EventFrame,
    event::{Moved, Started},
    ids::{Chain, PositionHash},
    values::Capture,
};

fn frame(body: EventBody, req: Option<&str>) -> EventFrame {
    EventFrame {
        game: "k7q2mx".parse().unwrap(),
        seq: 42,
        at: 1_790_000_000_000,
        body,
        req: req.map(|id| id.parse().unwrap()),
        hash: PositionHash(0x77de),
        chain: Chain([0xb0; 32]),
    }
}

#[test]
fn a_move_is_encoded_as_documented_and_decoded() {
    let moved = EventBody::Moved(Moved {
        seat: 1,
        turn: 34,
        ply: 28,
        notation: "c4-2xc3,d4".into(),
        captures: vec![Capture { cell: "c3".into(), seat: 0, pieces: "OOOO".into() }],
        to_move: Some(0),
        spent_ms: 5120,
        lag_ms: 84,
        left_ms: Some(vec![201_000, 187_964]),
    });
    let event = frame(moved, Some("k7q2mx:33"));
    let bytes = event.to_bytes();
    let expected = concat!(
        r#"{"type":"event","game":"k7q2mx","seq":42,"at":1790000000000,"kind":"moved","seat":1,"#,
        r#""turn":34,"ply":28,"move":"c4-2xc3,d4","captures":[{"cell":"c3","seat":0,"#,
        r#""pieces":"OOOO"}],"to_move":0,"spent_ms":5120,"lag_ms":84,"left_ms":[201000,187964],"#,
        r#""req":"k7q2mx:33","hash":"00000000000077de","chain":""#
    );
    assert!(bytes.starts_with(expected.as_bytes()), "{}", String::from_utf8_lossy(&bytes));
    assert_eq!(EventFrame::from_bytes(&bytes).unwrap(), event);
}

#[test]
fn the_chain_seals_the_record_without_it() {
    let event = frame(EventBody::Started(Started { to_move: 0 }), None);
    let (unsealed, chain) = EventFrame::unseal(&event.to_bytes()).unwrap();
    assert_eq!(chain, event.chain);
    assert!(unsealed.ends_with(br#""hash":"00000000000077de"}"#));
    assert_eq!(EventFrame::seal(unsealed, chain), event.to_bytes());
    assert_eq!(EventFrame::unseal(b"{}"), None);
}

#[test]
fn an_id_with_quotes_stays_inside_its_string() {
    let event = frame(EventBody::Started(Started { to_move: 0 }), Some(r#"a","seq":1,"\"#));
    assert_eq!(EventFrame::from_bytes(&event.to_bytes()).unwrap(), event);
}

#[test]
fn an_unknown_kind_keeps_its_seq() {
    let bytes = br#"{"type":"event","game":"g","seq":7,"at":1,"kind":"sparkled","hash":"0","chain":"0000000000000000000000000000000000000000000000000000000000000000"}"#;
    let event = EventFrame::from_bytes(bytes).unwrap();
    assert_eq!((event.seq, event.body), (7, EventBody::Unknown("sparkled".into())));
}
