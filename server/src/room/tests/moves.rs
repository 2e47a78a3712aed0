//! Moves and clocks: order of messages, arrival times and lag.

use super::*;

#[tokio::test(start_paused = true)]
async fn mover_gets_the_response_first_and_all_clients_get_the_same_bytes() {
    let bench = Bench::new(Memory::default());
    let room = bench.start(TimeControl::None).await;
    let (mut ann, mut bob, mut eve) =
        (Guest::new(1, "ann"), Guest::new(2, "bob"), Guest::new(3, "eve"));
    for guest in [&eve, &ann, &bob] {
        guest.join(&room).await;
    }
    ann.act(&room, "m1", move_to(0, "c1-c2"), bench.now()).await;
    for guest in [&mut ann, &mut bob, &mut eve] {
        assert!(matches!(guest.next_event().await, EventBody::Created(_)));
        assert!(matches!(guest.next_event().await, EventBody::Started(_)));
    }
    assert!(matches!(ann.next_message().await, ToClient::YourTurn(turn) if turn.turn == 0));
    assert!(
        matches!(ann.next_message().await, ToClient::Ok(done) if done.seq == Some(3) && !done.dup)
    );
    let frames = [ann.next_frame().await, bob.next_frame().await, eve.next_frame().await];
    let record = &bench.records().await[2];
    assert!(frames.iter().all(|frame| frame.payload() == record.as_ref()));
    assert!(matches!(bob.next_message().await, ToClient::YourTurn(turn) if turn.turn == 1));
}

#[tokio::test(start_paused = true)]
async fn flag_falls_without_a_request() {
    let bench = Bench::new(Memory::default());
    let begun = Instant::now();
    let room = bench.start(TimeControl::PerMove { move_ms: 60_000 }).await;
    let mut eve = Guest::new(3, "eve");
    eve.join(&room).await;
    let ended = loop {
        if let EventBody::Ended(ended) = eve.next_event().await {
            break ended;
        }
    };
    assert_eq!((ended.reason, ended.winners), (EndReason::TimedOut, vec![1]));
    assert_eq!(begun.elapsed(), Duration::from_mins(1));
}

#[tokio::test(start_paused = true)]
async fn move_counts_by_its_arrival() {
    let bench = Bench::new(Memory::default());
    let room = bench.start(TimeControl::PerMove { move_ms: 60_000 }).await;
    let mut ann = Guest::new(1, "ann");
    ann.join(&room).await;
    let late = bench.now() + 60_000;
    ann.act(&room, "m1", move_to(0, "c1-c2"), late).await;
    let reply = ann.next_reply().await;
    assert!(
        matches!(&reply, ToClient::Error(failed) if failed.code == ErrorCode::GameOver),
        "{reply:?}"
    );

    let bench = Bench::new(Memory::default());
    let room = bench.start(TimeControl::PerMove { move_ms: 60_000 }).await;
    ann.act(&room, "m1", move_to(0, "c1-c2"), bench.now() + 59_999).await;
    assert!(matches!(ann.next_reply().await, ToClient::Ok(_)));
}

#[tokio::test(start_paused = true)]
async fn lag_is_not_charged() {
    let bench = Bench::new(Memory::default());
    let room = bench.start(TimeControl::Fischer { base_ms: 60_000, inc_ms: 0 }).await;
    let mut ann = Guest::new(1, "ann");
    ann.join(&room).await;
    let (client, action) = (Arc::clone(&ann.client), move_to(0, "c1-c2"));
    let (re, received_at) = ("m1".parse().unwrap(), bench.now() + 300);
    room.send(Command::Act { client, re, action, received_at, lag_ms: 120 }).await.unwrap();
    let moved = loop {
        if let EventBody::Moved(moved) = ann.next_event().await {
            break moved;
        }
    };
    assert_eq!((moved.spent_ms, moved.lag_ms), (300, 120));
    assert_eq!(moved.left_ms, Some(vec![60_000 - 180, 60_000]));
}

#[tokio::test(start_paused = true)]
async fn stopping_room_answers_accepted_commands() {
    let bench = Bench::new(Memory::default());
    let room = bench.start(TimeControl::None).await;
    let mut ann = Guest::new(1, "ann");
    ann.join(&room).await;
    ann.act(&room, "m1", move_to(0, "c1-c2"), bench.now()).await;
    bench.context.lifecycle.soft.cancel();
    room.ended().await;
    assert!(matches!(ann.next_reply().await, ToClient::Ok(done) if done.seq == Some(3)));
    assert_eq!(bench.records().await.len(), 3);
}
