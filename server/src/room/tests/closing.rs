//! Parked games with an audience, which does not notice.

use adamant_protocol::{to_client::Said, values::TalkRoom};

use super::*;
use crate::{limits::FINISHED_ROOM_IDLE_MAX, room::TalkBroadcast};

impl Guest {
    /// Returns the messages that have arrived.
    fn received(&mut self) -> Vec<ToClient> {
        std::iter::from_fn(|| self.queue.pop())
            .map(|frame| ToClient::from_bytes(frame.payload()).unwrap().unwrap())
            .collect()
    }

    /// Returns a server bot.
    fn house(number: u64, name: &str) -> Self {
        let Self { client, queue } = Self::new(number, name);
        let ClientHandle { session, user, bot, prefs, outbox, .. } =
            Arc::into_inner(client).unwrap();
        let (from, guest, house, close_on_drop) = (None, false, true, None);
        let (quota, muted) = (None, Arc::default());
        let client = ClientHandle {
            session,
            user,
            from,
            quota,
            bot,
            house,
            guest,
            prefs,
            muted,
            outbox,
            close_on_drop,
        };
        Self { client: Arc::new(client), queue }
    }
}

async fn say(room: &RoomHandle, by: &str, to: TalkRoom) {
    let by: UserName = by.parse().unwrap();
    let said = Said { game: game(), room: to, n: 1, at: 1, by: by.clone(), text: "gg".into() };
    let frame = Frame::of(&ToClient::Said(said));
    room.send(Command::BroadcastTalk(TalkBroadcast { room: to, by: Some(by), frame }))
        .await
        .unwrap();
}

fn is_said(message: &ToClient) -> bool {
    matches!(message, ToClient::Said(said) if &*said.text == "gg")
}

#[tokio::test(start_paused = true)]
async fn finished_game_has_no_room_and_its_audience_receives_talk() {
    let bench = Bench::new(Memory::default());
    let room = bench.start(TimeControl::None).await;
    let (mut ann, mut bob, mut eve) =
        (Guest::new(1, "ann"), Guest::new(2, "bob"), Guest::new(3, "eve"));
    for guest in [&ann, &bob, &eve] {
        guest.join(&room).await;
    }
    ann.act(&room, "r", PlayerAction::Resign, bench.now()).await;
    let over = Instant::now();
    room.ended().await;
    assert!(
        over.elapsed() <= FINISHED_ROOM_IDLE_MAX + FINISHED_ROOM_IDLE_MAX / 2,
        "{:?}",
        over.elapsed()
    );
    assert!(ann.received().iter().any(|message| matches!(message, ToClient::Presence(_))));
    bob.received();
    eve.received();

    let parked = &bench.context.parked;
    for _ in 0..2 {
        assert!(parked.has_listeners(&game()));
        let room = bench.reopen().await;
        assert!(!parked.has_listeners(&game()));
        say(&room, "ann", TalkRoom::Spectators).await;
        room.ended().await;
        for guest in [&mut ann, &mut bob, &mut eve] {
            let received = guest.received();
            assert!(matches!(&received[..], [message] if is_said(message)), "{received:?}");
        }
    }

    // A session that ends is missing from the presence of the others.
    drop(bob);
    parked.sweep(bench.now());
    let room = bench.reopen().await;
    say(&room, "ann", TalkRoom::Players).await;
    room.ended().await;
    let received = ann.received();
    let [first, ToClient::Presence(presence)] = &received[..] else { panic!("{received:?}") };
    assert!(is_said(first));
    let online: Vec<bool> = presence.seats.iter().map(|seat| seat.online).collect();
    assert_eq!((online, presence.spectators), (vec![true, false], 1));
    assert!(eve.received().iter().all(|message| matches!(message, ToClient::Presence(_))));
    drop((ann, eve));
    parked.sweep(bench.now());
    assert!(!parked.has_listeners(&game()));
}

#[tokio::test(start_paused = true)]
async fn server_bot_alone_keeps_no_room_open_and_plays_on_later() {
    let bench = Bench::new(Memory::default());
    let room = bench.start(TimeControl::None).await;
    let mut house = Guest::house(1, "bob");
    house.join(&room).await;
    let ann = Guest::new(2, "ann");
    ann.join(&room).await;
    drop(ann);
    room.ended().await;
    house.received();
    assert!(bench.context.parked.has_listeners(&game()));

    let room = bench.reopen().await;
    let mut ann = Guest::new(3, "ann");
    ann.act(&room, "m1", move_to(0, "c1-c2"), bench.now()).await;
    assert!(matches!(ann.next_reply().await, ToClient::Ok(_)));
    assert!(matches!(house.next_event().await, EventBody::Moved(_)));
    assert!(matches!(house.next_message().await, ToClient::YourTurn(turn) if turn.turn == 1));
}
