//! Repeated requests and cursors, also after the game is loaded again.

use super::*;

/// A move is made, taken back and replaced. Its requests are then sent again, to the same room and
/// to a loaded one.
#[tokio::test(start_paused = true)]
async fn repeated_move_after_a_takeback_gets_its_own_response() {
    let bench = Bench::new(Memory::default());
    let room = bench.start(TimeControl::None).await;
    let (mut ann, mut bob) = (Guest::new(1, "ann"), Guest::new(2, "bob"));
    let accept = PlayerAction::Answer { offer: "o_1".parse().unwrap(), accept: true };
    let asked = [
        ("m1", true, move_to(0, "c1-c2")),
        ("o1", true, PlayerAction::Offer(adamant_protocol::event::OfferKind::Takeback)),
        ("a1", false, accept),
        ("m2", true, move_to(2, "c1-e1")),
    ];
    let mut room = room;
    let mut first = Vec::new();
    for again in [false, true, true] {
        for (index, (id, is_ann, action)) in asked.iter().enumerate() {
            let who = if *is_ann { &mut ann } else { &mut bob };
            who.act(&room, id, action.clone(), bench.now()).await;
            let ToClient::Ok(mut done) = who.next_reply().await else { panic!("{id} is refused") };
            assert_eq!(done.dup, again, "{id}");
            done.dup = false;
            if again {
                assert_eq!(done, first[index]);
            } else {
                first.push(done);
            }
        }
        for (id, other) in [("m1", move_to(0, "c1-e1")), ("m2", move_to(2, "c1-c2"))] {
            ann.act(&room, id, other, bench.now()).await;
            let reply = ann.next_reply().await;
            let ToClient::Error(failed) = reply else { panic!("{reply:?}") };
            assert_eq!(failed.code, ErrorCode::IdReuse);
        }
        let loaded = LoadedGame::replay(&bench.records().await).unwrap().unwrap();
        room = open(Arc::new(bench.context.clone()), loaded);
    }
    let kinds: Vec<_> = bench
        .records()
        .await
        .iter()
        .map(|record| EventFrame::from_bytes(record).unwrap().body.kind().to_owned())
        .collect();
    let expected =
        ["created", "started", "moved", "offered", "offer_closed", "taken_back", "moved"];
    assert_eq!(kinds, expected);
}

#[tokio::test(start_paused = true)]
async fn loaded_room_knows_its_requests_and_cursors() {
    let bench = Bench::new(Memory::default());
    let room = bench.start(TimeControl::None).await;
    let mut ann = Guest::new(1, "ann");
    ann.join(&room).await;
    ann.act(&room, "m1", move_to(0, "c1-c2"), bench.now()).await;
    assert!(matches!(ann.next_reply().await, ToClient::Ok(_)));

    let records = bench.records().await;
    let loaded = LoadedGame::replay(&records).unwrap().unwrap();
    let room = open(Arc::new(bench.context.clone()), loaded);
    ann.act(&room, "m1", move_to(0, "C1-c2"), bench.now()).await;
    assert!(
        matches!(ann.next_reply().await, ToClient::Ok(done) if done.dup && done.turn == Some(1))
    );
    ann.act(&room, "m1", PlayerAction::Resign, bench.now()).await;
    let reply = ann.next_reply().await;
    assert!(
        matches!(&reply, ToClient::Error(failed) if failed.code == ErrorCode::IdReuse),
        "{reply:?}"
    );

    let mut first = Replay::new();
    first.push(&records[0]).unwrap();
    let good = adamant_protocol::from_client::Cursor { seq: 1, chain: Some(first.chain()) };
    let forked = adamant_protocol::from_client::Cursor { seq: 2, chain: Some(first.chain()) };
    let ahead = adamant_protocol::from_client::Cursor { seq: 9, chain: None };
    for (cursor, resume, from) in [
        (good, ResumeDecision::Tail, Some(2)),
        (forked, ResumeDecision::Fork, None),
        (ahead, ResumeDecision::Fork, None),
    ] {
        let (reply, plan) = tokio::sync::oneshot::channel();
        room.send(Command::PlanResume {
            user: None,
            from: None,
            cursor: Some(cursor),
            reply,
            anew: None,
        })
        .await
        .unwrap();
        let plan = plan.await.unwrap();
        assert_eq!((plan.resume, plan.from, plan.seq), (resume, from, 3));
    }
}
