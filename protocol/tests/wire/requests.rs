//! Requests, decoded: those that are well formed, and what is said of the others.

use adamant_protocol::{
    ErrorCode, FRAME_BYTES_MAX, FromClient,
    codec::{decode, encode_request},
    from_client,
    values::Options,
};

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
    for turn in ["3.5", "-1.0", "1e300", "\"3\""] {
        let text =
            format!(r#"{{"type":"move","id":"a","game":"k7q2mx","turn":{turn},"move":"a1"}}"#);
        assert_eq!(refused(&text).0, ErrorCode::BadMessage, "{turn}");
    }
}

#[test]
fn every_type_is_decoded_as_it_is_encoded() {
    for kind in FromClient::TYPES {
        let what = if *kind == "claim" { "abandoned" } else { "draw" };
        let auth = if *kind == "push_subscribe" { r#""k""# } else { "null" };
        let frame = format!(
            r#"{{"type":"{kind}","id":"i","proto":[1],"user":"ann","password":"secret","label":"l",
            "rules":"adamas","seek":"k_1","challenge":"h_1","seats":["ann","bob"],"game":"g","turn":1,
            "move":"c1-c2","name":"ann","what":"{what}","offer":"o_1","accept":true,"room":"players",
            "text":"hello","n":1,"token":"t_1a2b","old":"secret","new":"secreter","auth":{auth},
            "endpoint":"https://push","p256dh":"k","url":"https://hook","invite":"i_1"}}"#
        );
        let message = decode(frame.as_bytes()).unwrap_or_else(|error| panic!("{kind}: {error}"));
        assert_eq!(message.kind(), *kind);
        assert_eq!(decode(encode_request(&message).as_bytes()).unwrap(), message);
    }
}
