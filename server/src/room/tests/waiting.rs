//! Commands that wait while a room waits for the store.

use tokio::sync::oneshot;

use super::*;
use crate::{error::Denial, limits::ROOM_COMMANDS_WAITING_MAX};

#[test]
fn commands_wait_in_order_while_an_append_is_under_way() {
    let mut script = Script::begin(TimeControl::None);
    let (mut ann, mut bob) = (Client::new(1, "ann"), Client::new(2, "bob"));
    ann.start_act(&mut script, "m1", move_to(0, "c1-c2"));
    // Each needs the one before it.
    bob.start_act(&mut script, "m2", move_to(1, "c5-c4"));
    ann.start_act(&mut script, "m3", move_to(2, "c2-c1"));
    bob.start_act(&mut script, "r", PlayerAction::Resign);
    ann.start_act(&mut script, "late", PlayerAction::Resign);
    assert_eq!((ann.messages(), bob.messages()), (vec![], vec![]));
    assert_eq!(script.room.as_ref().unwrap().deadline(), None, "a deadline waits, too");
    script.settle();
    assert_eq!(script.kinds(2), ["moved", "moved", "moved", "ended"]);
    for (client, ids) in [(&mut ann, ["m1", "m3"]), (&mut bob, ["m2", "r"])] {
        for id in ids {
            let reply = client.next_reply();
            assert!(matches!(&reply, ToClient::Ok(done) if done.re.as_str() == id), "{reply:?}");
        }
    }
    assert_eq!(ann.next_refusal().code, ErrorCode::GameOver);
}

#[test]
fn command_beyond_those_that_may_wait_is_refused_as_busy() {
    let mut script = Script::begin(TimeControl::None);
    let mut ann = Client::new(1, "ann");
    ann.start_act(&mut script, "m1", move_to(0, "c1-c2"));
    let mut ask = || {
        let (reply, answer) = oneshot::channel();
        script.hand(Input::Command(Command::ReadTable { as_seen: true, reply }));
        answer
    };
    let waiting: Vec<_> = (0..ROOM_COMMANDS_WAITING_MAX).map(|_| ask()).collect();
    let mut beyond = ask();
    assert!(matches!(beyond.try_recv().unwrap(), Err(Denial::Busy { .. })));
    let mut bob = Client::new(2, "bob");
    bob.start_act(&mut script, "m2", move_to(1, "c5-c4"));
    assert_eq!(bob.next_refusal().code, ErrorCode::Busy);

    script.settle();
    assert!(matches!(ann.next_reply(), ToClient::Ok(_)));
    for mut answer in waiting {
        let table = answer.try_recv().unwrap().unwrap();
        assert_eq!(table.turn(), 1, "it saw the move that it waited for");
    }
    let again = bob.act(&mut script, "m2", move_to(1, "c5-c4"));
    assert!(matches!(again, ToClient::Ok(done) if !done.dup));
}
