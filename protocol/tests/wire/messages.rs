//! Requests, decoded: those that are well formed, and what is said of the others.

use std::fmt::Write as _;

use adamant_protocol::{
    ErrorCode, EventBody, EventFrame, FRAME_BYTES_MAX, FromClient, ToClient,
    codec::{decode, encode, encode_into, encode_request},
    event::{Moved, Started},
    from_client::{self, Acceptance, Hello, Lobby, Seek, Signup},
    ids::{Chain, OfferId, PositionHash, RulesName, UserName},
    schema::closed_document,
    to_client::{Done, Failed, LegalWriter, Welcome, YourTurn},
    values::{Capture, Options},
};
use jsonschema::Validator;
use serde::Deserialize;
use serde_json::{Value, json};

#[test]
fn errors_in_values_do_not_name_a_place_in_the_text() {
    let said = |frame: &str| decode(frame.as_bytes()).unwrap_err().message;
    assert_eq!(
        said(r#"{"type":"signup","id":"a","user":"x","password":"12345678"}"#),
        "signup: a name is 2 to 20 characters of A-Z a-z 0-9 _ -, the first a letter or digit"
    );
    let clock = said(r#"{"type":"seek","id":"a","rules":"hexma","clock":{"mode":"days"}}"#);
    assert_eq!(clock, "seek: missing field `per_move_days`");
    assert_eq!(said(r#"{"type":"positions","id":"a"}"#), "positions: missing field `game`");
    assert!(said(r#"{"type":"layout","#).contains(" at line 1 column "), "that is no JSON");
}

fn refused(frame: &str) -> (ErrorCode, Option<String>) {
    let malformed = decode(frame.as_bytes()).unwrap_err();
    (malformed.code, malformed.id.map(|id| id.to_string()))
}

#[test]
fn requests_are_decoded_as_documented() {
    let hello = r#"{"type":"hello","id":"1","proto":[1],"client":{"name":"hexbot","version":"0.4.1"},
        "auth":{"token":"at_x"},"caps":["legal"],"resume":{"k7q2mx":{"seq":41}},"later":{"x":1}}"#;
    let FromClient::Hello(hello) = decode(hello.as_bytes()).unwrap() else { panic!() };
    assert_eq!(hello.auth, Some(from_client::Auth::Token("at_x".into())));
    assert_eq!(hello.resume.get("k7q2mx").unwrap().seq, 41);

    let seek = r#"{"type":"seek","id":"2","rules":"adamas","options":"-size=4","players":3,"seat":"random",
        "clock":{"mode":"fischer","base_ms":300000,"inc_ms":5000},"rated":true}"#;
    let FromClient::Seek(seek) = decode(seek.as_bytes()).unwrap() else { panic!() };
    assert_eq!(seek.options, Options::Text("-size=4".into()));
    assert!(seek.allow.bots && seek.allow.guests);
}

#[test]
fn a_move_is_decoded_alike_wherever_its_type_stands() {
    let alike = |first: &str, later: &str| {
        // The place of an error in the text differs.
        let read = |frame: &str| {
            decode(frame.as_bytes()).map_err(|malformed| (malformed.code, malformed.id))
        };
        assert_eq!(read(first), read(later), "{first}");
        read(first)
    };
    let fields = r#""id":"a","game":"g","turn":1,"move":"c1-c2""#;
    let usual = |fields: &str| {
        let first = format!(r#"{{"type":"move",{fields}}}"#);
        alike(&first, &format!(r#"{{ "type":"move",{fields}}}"#))
    };
    assert!(matches!(usual(fields), Ok(FromClient::Move(mv)) if mv.turn == 1));
    let later: &[&str] = &[r#""later":[1]"#, r#""more":{"type":"ping"}"#];
    for later in later {
        assert_eq!(usual(&format!("{fields},{later}")), usual(fields));
    }
    let broken: &[&str] =
        &[r#""type":"ping""#, r#""type":"move""#, r#""turn":2"#, r#""id":"b""#, "", "x"];
    for broken in broken {
        assert!(usual(&format!("{fields},{broken}")).is_err(), "{broken}");
    }
    assert_eq!(usual(r#""id":7"#).unwrap_err(), (ErrorCode::BadMessage, None));
    assert!(decode(b"{\"type\":\"move\",\"id\":\"\xff\"}").is_err());
}

#[test]
fn errors_have_a_code_and_the_id() {
    assert_eq!(refused("{"), (ErrorCode::BadJson, None));
    assert_eq!(refused("\u{1}"), (ErrorCode::BadJson, None));
    assert_eq!(refused("[]"), (ErrorCode::BadMessage, None));
    assert_eq!(refused("7"), (ErrorCode::BadMessage, None));
    assert_eq!(refused(r#"{"type":"ping"}"#), (ErrorCode::BadMessage, None));
    for id in ["7", "-7", "0.5", "true", "null", "[1,[2]]", r#"{"a":{"b":1}}"#, r#""""#] {
        let frame = format!(r#"{{"type":"ping","id":{id}}}"#);
        assert_eq!(refused(&frame), (ErrorCode::BadMessage, None), "{id}");
    }
    assert_eq!(refused(r#"{"id":"a"}"#), (ErrorCode::BadMessage, Some("a".to_owned())));
    assert_eq!(
        refused(r#"{"type":"fly","id":"a"}"#),
        (ErrorCode::UnknownType, Some("a".to_owned()))
    );
    assert_eq!(
        refused(r#"{"type":"move","id":"a","game":"g","turn":-1,"move":"c1-c2"}"#),
        (ErrorCode::BadMessage, Some("a".to_owned()))
    );
    assert_eq!(
        refused(r#"{"type":"hello","id":"a","proto":[1],"auth":{"user":"ann"}}"#),
        (ErrorCode::BadMessage, Some("a".to_owned()))
    );
    let nested = "[".repeat(FRAME_BYTES_MAX);
    assert_eq!(refused(&nested).0, ErrorCode::BadJson);
    let large = " ".repeat(FRAME_BYTES_MAX + 1);
    assert_eq!(refused(&large).0, ErrorCode::TooLarge);
}

#[test]
fn integers_may_be_written_as_json_schema_has_them() {
    let plain =
        decode(br#"{"type":"move","id":"a","game":"k7q2mx","turn":3,"move":"a1"}"#).unwrap();
    for turn in ["3.0", "3e0", "0.3e1"] {
        let text =
            format!(r#"{{"type":"move","id":"a","game":"k7q2mx","turn":{turn},"move":"a1"}}"#);
        assert_eq!(decode(text.as_bytes()).unwrap(), plain, "{turn}");
    }
    let seek = |base: &str, limit: &str| {
        format!(
            r#"{{"type":"seek","id":"a","rules":"adamas","rating":[{limit},1500],
            "clock":{{"mode":"fischer","base_ms":{base},"inc_ms":0}}}}"#
        )
    };
    let plain = decode(seek("300000", "1200").as_bytes()).unwrap();
    assert_eq!(decode(seek("3e5", "1200.0").as_bytes()).unwrap(), plain, "deeper inside");
    for turn in ["3.5", "-1.0", "1e300", "\"3\""] {
        let text =
            format!(r#"{{"type":"move","id":"a","game":"k7q2mx","turn":{turn},"move":"a1"}}"#);
        assert_eq!(refused(&text).0, ErrorCode::BadMessage, "{turn}");
    }
}

/// A request of a type with a value for every field that one of them needs.
fn request_of(kind: &str, secret: &str) -> String {
    let what = if kind == "claim" { "abandoned" } else { "draw" };
    let auth = match kind {
        "push_subscribe" => format!("{secret:?}"),
        "hello" => format!(r#"{{"user":"ann","password":{secret:?}}}"#),
        _ => "null".to_owned(),
    };
    let reason = if kind == "report" { "abuse" } else { "busy" };
    format!(
        r#"{{"type":"{kind}","id":"i","proto":[1],"user":"ann","password":{secret:?},"label":"l",
        "rules":"adamas","seek":"k_1","challenge":"h_1","seats":["ann","bob"],"game":"g","turn":1,
        "move":"c1-c2","name":"ann","what":"{what}","offer":"o_1","accept":true,"room":"players",
        "text":"hello","n":1,"token":"t_1a2b","old":{secret:?},"new":{secret:?},"auth":{auth},
        "endpoint":"https://push","p256dh":"k","url":"https://hook","invite":"i_1","code":{secret:?},
        "reason":"{reason}","invitation":{secret:?}}}"#
    )
}

#[test]
fn every_type_is_decoded_as_it_is_encoded() {
    for kind in FromClient::TYPES {
        let frame = request_of(kind, "secret");
        let message = decode(frame.as_bytes()).unwrap_or_else(|error| panic!("{kind}: {error}"));
        assert_eq!(message.kind(), *kind);
        assert_eq!(decode(encode_request(&message).as_bytes()).unwrap(), message);
    }
}

#[test]
fn what_is_logged_of_a_message_has_no_secret() {
    const SECRET: &str = "hunter2";
    let is_hidden = |shown: String| assert!(!shown.contains(SECRET), "{shown}");
    for kind in FromClient::TYPES {
        is_hidden(format!("{:?}", decode(request_of(kind, SECRET).as_bytes()).unwrap()));
    }
    let by_token =
        format!(r#"{{"type":"hello","id":"i","proto":[1],"auth":{{"token":"{SECRET}"}}}}"#);
    is_hidden(format!("{:?}", decode(by_token.as_bytes()).unwrap()));
    for Recorded { mut frame, .. } in recorded().filter(|recorded| recorded.from == "server") {
        for name in ["token", "recovery", "secret"] {
            frame[name] = SECRET.into();
        }
        is_hidden(format!("{:?}", ToClient::from_bytes(frame.to_string().as_bytes()).unwrap()));
    }
}

#[test]
fn a_constructor_gives_the_rest_the_defaults_of_the_wire() {
    let id = || "i".parse().unwrap();
    let requests = [
        (FromClient::from(Hello::new(id(), vec![1])), r#"{"type":"hello","id":"i","proto":[1]}"#),
        (Lobby::new(id()).into(), r#"{"type":"lobby","id":"i"}"#),
        (
            Seek::new(id(), "diam".parse().unwrap()).into(),
            r#"{"type":"seek","id":"i","rules":"diam"}"#,
        ),
        (
            Signup::new(id(), "ann".parse().unwrap(), "12345678".into()).into(),
            r#"{"type":"signup","id":"i","user":"ann","password":"12345678"}"#,
        ),
    ];
    for (made, written) in requests {
        assert_eq!(decode(written.as_bytes()).unwrap(), made);
    }
    let frame = recorded().find(|recorded| recorded.frame["type"] == "welcome").unwrap().frame;
    let mut least = json!({"type": "welcome", "games": [], "challenges": []});
    for name in
        ["re", "proto", "server", "session", "ts", "rules", "limits", "heartbeat", "durability"]
    {
        least[name] = frame[name].clone();
    }
    let welcome: Welcome = serde_json::from_value(least).unwrap();
    let made = Welcome::new(
        welcome.re.clone(),
        welcome.proto,
        welcome.server.clone(),
        welcome.session.clone(),
        welcome.ts,
        welcome.rules.clone(),
        welcome.limits,
        welcome.heartbeat,
        welcome.durability.clone(),
    );
    assert_eq!(welcome, made);
    let answers = [
        (ToClient::from(Done::new(id())), r#"{"type":"ok","re":"i"}"#),
        (
            Failed::new(Some(id()), ErrorCode::UnknownType, "No.").into(),
            r#"{"type":"error","re":"i","code":"unknown_type","message":"No.","retry":"never"}"#,
        ),
    ];
    for (made, written) in answers {
        assert_eq!(ToClient::from_bytes(written.as_bytes()).unwrap(), Some(made));
    }
}

#[test]
fn a_listed_game_is_accepted_with_its_numbers_of_players() {
    let all = Acceptance::default();
    assert!(all.plays(Some("adamas"), Some(3)) && all.plays(Some("diam"), None));
    let some: Acceptance = serde_json::from_value(
        json!({"games": [{"rules": "adamas", "players": 2}, {"rules": "hexma"}]}),
    )
    .unwrap();
    assert!(some.plays(Some("adamas"), None) && some.plays(Some("adamas"), Some(2)));
    assert!(!some.plays(Some("adamas"), Some(3)) && !some.plays(Some("diam"), None));
    assert!(some.plays(Some("hexma"), Some(3)) && some.plays(None, Some(3)));
}

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

/// One frame a line, with the side that sent it. Secrets are replaced.
const FRAMES: &str = include_str!("../fixtures/frames-1.ndjson");

#[derive(Deserialize)]
struct Recorded {
    from: String,
    frame: Value,
}

fn recorded() -> impl Iterator<Item = Recorded> {
    FRAMES.lines().map(|line| serde_json::from_str(line).unwrap())
}

#[test]
fn recorded_frames_satisfy_the_closed_schema() {
    let document = closed_document();
    let validator = |set: &str| -> Validator {
        let root = json!({ "$ref": format!("#/$defs/{set}"), "$defs": document["$defs"] });
        jsonschema::draft202012::new(&root).unwrap()
    };
    let (from_client, to_client) = (validator("FromClient"), validator("ToClient"));
    for Recorded { from, frame } in recorded() {
        let validator = if from == "client" { &from_client } else { &to_client };
        if let Err(error) = validator.validate(&frame) {
            panic!("{from} {frame}: {error}");
        }
    }
}

#[test]
fn recorded_frames_are_decoded_and_encoded_without_loss() {
    for Recorded { from, frame } in recorded() {
        let bytes = frame.to_string();
        if from == "client" {
            // A request may leave out what has a default, which encoding writes.
            let request = decode(bytes.as_bytes()).unwrap();
            let encoded = encode_request(&request);
            assert_eq!(decode(encoded.as_bytes()).unwrap(), request, "{frame}");
        } else {
            let message = ToClient::from_bytes(bytes.as_bytes()).unwrap().unwrap();
            let encoded = encode(&message);
            assert_eq!(serde_json::from_str::<Value>(&encoded).unwrap(), frame);
            assert_eq!(serde_json::to_string(&message).unwrap(), encoded, "there is one encoding");
        }
    }
}

#[test]
fn every_type_of_message_was_recorded() {
    let has = |from: &str, word: &str| {
        recorded().any(|recorded| recorded.from == from && recorded.frame["type"] == word)
    };
    for word in FromClient::TYPES {
        assert!(has("client", word), "{word}");
    }
    for word in ToClient::TYPES {
        assert!(has("server", word), "{word}");
    }
}

fn turn() -> YourTurn {
    YourTurn {
        game: "k7q2mx".parse().unwrap(),
        seat: 1,
        turn: 34,
        ply: 28,
        left_ms: Some(vec![201_000, 187_964]),
        deadline: None,
        hash: PositionHash(0x77de),
        position: None,
        threatened: None,
        steps: None,
        legal: None,
        legal_total: None,
        legal_cut: None,
    }
}

#[test]
fn written_moves_are_the_bytes_of_the_whole_message() {
    let lists: [&[&str]; 3] = [&[], &["c5-a3"], &["c5-a3", "2xc5-b4", "swap", "6,3-", "é"]];
    for list in lists {
        for (total, is_cut) in [(Some(27), false), (None, true), (Some(1 << 53), true)] {
            let mut whole = turn();
            whole.legal = Some(list.iter().map(|&mv| mv.into()).collect());
            whole.legal_total = Some(total);
            whole.legal_cut = Some(is_cut);
            let mut bytes = b"header".to_vec();
            encode_into(&mut bytes, &turn().into());
            let mut legal = LegalWriter::open(&mut bytes);
            legal.push(|text| text.write_str("not listed"));
            legal.clear();
            for mv in list {
                legal.push(|text| text.write_str(mv));
            }
            legal.close(total, is_cut);
            let written = std::str::from_utf8(&bytes).unwrap();
            assert_eq!(written, format!("header{}", encode(&whole.into())));
        }
    }
}

#[test]
fn invalid_names_are_rejected() {
    for good in ["ann", "a1", "Bot_3-x", "01234567890123456789"] {
        assert!(good.parse::<UserName>().is_ok(), "{good}");
    }
    for bad in ["a", "", "_ann", "-ann", "ann bob", "änn", "012345678901234567890"] {
        assert!(bad.parse::<UserName>().is_err(), "{bad}");
    }
}

#[test]
fn text_forms_are_parsed_as_they_are_written() {
    assert_eq!("o_17".parse::<OfferId>().unwrap().to_string(), "o_17");
    let chain = Chain([0xa5; 32]);
    assert_eq!(chain.to_string().parse::<Chain>().unwrap(), chain);
    assert!("g".repeat(64).parse::<Chain>().is_err());
    assert!("A".repeat(64).parse::<Chain>().is_err(), "another spelling is another record");
    assert!("é".repeat(32).parse::<Chain>().is_err());
    assert_eq!("Adamas@1".parse::<RulesName>().unwrap().to_string(), "adamas@1");
    assert_eq!("adamas".parse::<RulesName>().unwrap().version, None);
}
