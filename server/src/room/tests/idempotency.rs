//! Repeated requests, also after the game is loaded again.

use super::*;

/// A move is made, taken back and replaced. Its requests are then sent again, to the same room and
/// to a loaded one.
#[test]
fn repeated_move_after_a_takeback_gets_its_own_response() {
    let mut script = Script::begin(TimeControl::None);
    let (mut ann, mut bob) = (Client::new(1, "ann"), Client::new(2, "bob"));
    let accept = PlayerAction::Answer { offer: "o_1".parse().unwrap(), accept: true };
    let takeback = PlayerAction::Offer(adamant_protocol::event::OfferKind::Takeback);
    let asked = [
        ("m1", true, move_to(0, "c1-c2")),
        ("o1", true, takeback),
        ("a1", false, accept),
        ("m2", true, move_to(2, "c1-e1")),
    ];
    let mut first = Vec::new();
    for again in [false, true, true] {
        for (index, (id, is_ann, action)) in asked.iter().enumerate() {
            let who = if *is_ann { &mut ann } else { &mut bob };
            let ToClient::Ok(mut done) = who.act(&mut script, id, action.clone()) else {
                panic!("{id} is refused")
            };
            assert_eq!(done.dup, again, "{id}");
            done.dup = false;
            if again {
                assert_eq!(done, first[index]);
            } else {
                first.push(done);
            }
        }
        for (id, other) in [("m1", move_to(0, "c1-e1")), ("m2", move_to(2, "c1-c2"))] {
            let reply = ann.act(&mut script, id, other);
            let ToClient::Error(failed) = reply else { panic!("{reply:?}") };
            assert_eq!(failed.code, ErrorCode::IdReuse);
        }
        script.reopen();
    }
    let expected = ["moved", "offered", "offer_closed", "taken_back", "moved"];
    assert_eq!(script.kinds(2), expected);
}

#[test]
fn loaded_room_knows_its_requests() {
    let mut script = Script::begin(TimeControl::None);
    let mut ann = Client::new(1, "ann");
    ann.join(&mut script);
    assert!(matches!(ann.act(&mut script, "m1", move_to(0, "c1-c2")), ToClient::Ok(_)));

    script.reopen();
    let again = ann.act(&mut script, "m1", move_to(0, "C1-c2"));
    assert!(matches!(again, ToClient::Ok(done) if done.dup && done.turn == Some(1)));
    let other = ann.act(&mut script, "m1", PlayerAction::Resign);
    assert!(matches!(&other, ToClient::Error(failed) if failed.code == ErrorCode::IdReuse));
}
