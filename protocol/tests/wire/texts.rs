//! Names and ids as text.

use adamant_protocol::ids::{Chain, OfferId, RulesName, UserName};

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
