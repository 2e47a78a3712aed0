//! Failing journals, and other writers of the same journal.

use super::*;

#[tokio::test(start_paused = true)]
async fn failed_append_ends_the_room_before_the_move_is_published() {
    let bench = Bench::new(FakeJournal::default().failing(|append| append.expected_seq > 0));
    let room = bench.start(TimeControl::None).await;
    let (mut ann, mut eve) = (Guest::new(1, "ann"), Guest::new(3, "eve"));
    ann.join(&room).await;
    eve.join(&room).await;
    ann.act(&room, "m1", move_to(0, "c1-c2"), bench.now()).await;
    room.ended().await;
    for guest in [&mut ann, &mut eve] {
        assert_eq!(guest.client.outbox.ended().await, SessionEnd::Close(CloseCode::Restart));
        while let Some(frame) = guest.queue.pop() {
            let text = String::from_utf8_lossy(frame.payload());
            assert!(!text.contains("moved") && !text.contains(r#""type":"ok""#), "{text}");
        }
    }
}

/// Appends an act as another node does.
async fn append_elsewhere(journal: &Memory, act: &Act<'_>, req: &str) {
    let records = journal.read(game(), 1, usize::MAX).await.unwrap();
    let mut replay = Replay::new();
    for record in &records {
        replay.push(record).unwrap();
    }
    let (table, mut head): (Table, Head) = replay.into_parts().unwrap();
    let expected_seq = head.seq;
    let req = req.parse().unwrap();
    let events = table.decide(act, table.last_at()).unwrap();
    let records = events
        .iter()
        .map(|event| Bytes::from(head.append(event, table.position(), Some(&req))))
        .collect();
    let append = Append {
        game: game(),
        expected_seq,
        records,
        summary: crate::store::Summary { ply: 0, to_move: None, last_at: 0 },
        reseated: None,
        result: None,
    };
    journal.append(vec![append]).await.pop().unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn events_of_another_writer_are_published_and_the_action_is_decided_again() {
    let journal = Arc::new(Memory::default());
    let bench = Bench::new(FakeJournal::sharing(&journal));
    let room = bench.start(TimeControl::None).await;
    let mut ann = Guest::new(1, "ann");
    ann.join(&room).await;
    let elsewhere = Act::Offer { seat: Seat::new(1).unwrap(), what: OfferKind::Draw };
    append_elsewhere(&journal, &elsewhere, "o1").await;

    ann.act(&room, "m1", move_to(0, "c1-c2"), bench.now()).await;
    let mut kinds = Vec::new();
    while kinds.len() < 5 {
        kinds.push(ann.next_event().await.kind().to_owned());
    }
    assert_eq!(kinds, ["created", "started", "offered", "moved", "offer_closed"]);
}

#[tokio::test(start_paused = true)]
async fn move_repeated_through_another_node_is_a_duplicate() {
    let journal = Arc::new(Memory::default());
    let bench = Bench::new(FakeJournal::sharing(&journal));
    let room = bench.start(TimeControl::None).await;
    let mut ann = Guest::new(1, "ann");
    ann.join(&room).await;
    let elsewhere = Act::Move { seat: Seat::FIRST, turn: 0, notation: "c1-c2", lag_ms: 0 };
    append_elsewhere(&journal, &elsewhere, "m1").await;

    ann.act(&room, "m1", move_to(0, "c1-c2"), bench.now()).await;
    let reply = ann.next_reply().await;
    assert!(matches!(&reply, ToClient::Ok(done) if done.dup && done.seq == Some(3)), "{reply:?}");
    assert_eq!(bench.records().await.len(), 3);
}
