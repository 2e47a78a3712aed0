//! Claims that a player has abandoned the game.

use std::sync::atomic::{AtomicU64, Ordering};

use adamant_protocol::{
    event::{EndReason, LeaveReason},
    to_client::Failed,
};

use super::*;

fn claim(seat: Option<u8>) -> PlayerAction {
    PlayerAction::Claim { seat }
}

impl Guest {
    async fn claims(&mut self, bench: &Bench, room: &RoomHandle, seat: Option<u8>) -> ToClient {
        static CLAIMS: AtomicU64 = AtomicU64::new(0);
        let id = format!("claim {}", CLAIMS.fetch_add(1, Ordering::Relaxed));
        self.act(room, &id, claim(seat), bench.now()).await;
        self.next_reply().await
    }

    async fn is_refused(&mut self, bench: &Bench, room: &RoomHandle, seat: Option<u8>) -> Failed {
        let reply = self.claims(bench, room, seat).await;
        let ToClient::Error(failed) = reply else { panic!("{reply:?}") };
        failed
    }
}

#[tokio::test(start_paused = true)]
async fn claim_is_possible_after_the_wait_and_only_once() {
    let bench = Bench::new(Memory::default());
    let room = bench.start(TimeControl::PerMove { move_ms: 3_600_000 }).await;
    both_move(&bench, &room).await;
    let (mut ann, bob) = (Guest::new(1, "ann"), Guest::new(2, "bob"));
    ann.join(&room).await;
    bob.join(&room).await;
    ann.act(&room, "second", move_to(2, "c2-c3"), bench.now()).await;
    ann.next_reply().await;
    let here = ann.is_refused(&bench, &room, Some(1)).await;
    assert_eq!((here.code, &*here.message), (ErrorCode::Forbidden, "seat 1 is here"));
    assert_eq!(ann.is_refused(&bench, &room, None).await.code, ErrorCode::Forbidden);
    drop(bob);
    tokio::time::sleep(CLAIM_AFTER.timed.saturating_sub(Duration::from_millis(1))).await;
    let early = ann.is_refused(&bench, &room, None).await;
    assert_eq!((early.code, early.retry_after_ms), (ErrorCode::TooSoon, Some(1)));

    // It counts by its arrival.
    let received_at = bench.now() + 1;
    ann.act(&room, "c", claim(None), received_at).await;
    let reply = ann.next_reply().await;
    assert!(matches!(&reply, ToClient::Ok(done) if done.seq == Some(6)), "{reply:?}");
    let ended = loop {
        if let EventBody::Ended(ended) = ann.next_event().await {
            break ended;
        }
    };
    assert_eq!((ended.reason, ended.winners), (EndReason::Abandoned, vec![0]));
    assert_eq!((ended.by, ended.claimed_by), (Some(1), Some(0)));

    let room = bench.reopen().await;
    for seat in [None, Some(1)] {
        ann.act(&room, "c", claim(seat), bench.now()).await;
        let again = ann.next_reply().await;
        assert!(matches!(&again, ToClient::Ok(done) if done.dup && done.seq == Some(6)));
    }
    ann.act(&room, "c", claim(Some(0)), bench.now()).await;
    assert!(
        matches!(ann.next_reply().await, ToClient::Error(failed) if failed.code == ErrorCode::IdReuse)
    );
    assert_eq!(ann.is_refused(&bench, &room, None).await.code, ErrorCode::GameOver);
}

#[tokio::test(start_paused = true)]
async fn player_who_returns_in_time_cannot_be_claimed() {
    let bench = Bench::new(Memory::default());
    let room = bench.start(TimeControl::None).await;
    let (mut ann, bob) = (Guest::new(1, "ann"), Guest::new(2, "bob"));
    ann.join(&room).await;
    bob.join(&room).await;
    ann.act(&room, "m", move_to(0, "c1-c2"), bench.now()).await;
    ann.next_reply().await;
    drop(bob);
    tokio::time::sleep(CLAIM_AFTER.untimed).await;
    let back = Guest::new(3, "bob");
    back.join(&room).await;
    assert_eq!(ann.is_refused(&bench, &room, None).await.code, ErrorCode::Forbidden);
    drop(back);
    let anew = ann.is_refused(&bench, &room, None).await;
    assert_eq!(anew.code, ErrorCode::Forbidden, "he has only just gone: {anew:?}");
    tokio::time::sleep(crate::limits::PRESENCE_GRACE).await;
    assert_eq!(ann.is_refused(&bench, &room, None).await.code, ErrorCode::TooSoon);
}

/// A player who has moved may leave: the game waits for the other seat.
#[tokio::test(start_paused = true)]
async fn absent_player_who_is_not_to_move_cannot_be_claimed() {
    let bench = Bench::new(Memory::default());
    let room = bench.start(TimeControl::None).await;
    let (mut ann, mut bob) = (Guest::new(1, "ann"), Guest::new(2, "bob"));
    ann.join(&room).await;
    // Bob never comes: ann has the first move, and thinks about it.
    tokio::time::sleep(3 * CLAIM_AFTER.untimed).await;
    for seat in [None, Some(1)] {
        let refused = ann.is_refused(&bench, &room, seat).await;
        assert_eq!(refused.code, ErrorCode::Forbidden);
        assert_eq!(
            &*refused.message,
            "you can claim only that the player whose turn it is has gone"
        );
    }
    // His turn has begun only now, and the wait with it.
    ann.act(&room, "m", move_to(0, "c1-c2"), bench.now()).await;
    ann.next_reply().await;
    let early = ann.is_refused(&bench, &room, None).await;
    let wait = u64::try_from(CLAIM_AFTER.untimed.as_millis()).unwrap();
    assert_eq!((early.code, early.retry_after_ms), (ErrorCode::TooSoon, Some(wait)));
    tokio::time::sleep(CLAIM_AFTER.untimed.saturating_sub(Duration::from_millis(1))).await;
    assert_eq!(ann.is_refused(&bench, &room, None).await.retry_after_ms, Some(1));
    // He moves without staying, and has gone when his next turn begins: it counts anew.
    bob.act(&room, "m", move_to(1, "c5-c4"), bench.now()).await;
    assert!(matches!(bob.next_reply().await, ToClient::Ok(_)));
    tokio::time::sleep(CLAIM_AFTER.untimed).await;
    assert_eq!(ann.is_refused(&bench, &room, None).await.code, ErrorCode::Forbidden);
    ann.act(&room, "m2", move_to(2, "c2-c3"), bench.now()).await;
    ann.next_reply().await;
    // A room that is opened again goes on counting from where it was.
    tokio::time::sleep(CLAIM_AFTER.untimed / 2).await;
    drop(ann);
    room.ended().await;
    let room = bench.reopen().await;
    let mut ann = Guest::new(3, "ann");
    ann.join(&room).await;
    let waited = ann.is_refused(&bench, &room, None).await.retry_after_ms;
    assert!(waited.is_some_and(|waited| waited <= wait / 2), "{waited:?}");
    tokio::time::sleep(CLAIM_AFTER.untimed / 2).await;
    assert!(matches!(ann.claims(&bench, &room, None).await, ToClient::Ok(_)));
}

#[tokio::test(start_paused = true)]
async fn correspondence_games_allow_no_claim() {
    let bench = Bench::new(Memory::default());
    let room = bench.start(TimeControl::Days { per_move_days: 3 }).await;
    let mut bob = Guest::new(2, "bob");
    bob.join(&room).await;
    tokio::time::sleep(2 * CLAIM_AFTER.untimed).await;
    assert_eq!(bob.is_refused(&bench, &room, Some(0)).await.code, ErrorCode::Forbidden);
}

#[tokio::test(start_paused = true)]
async fn claim_among_three_removes_the_seat_to_move() {
    let bench = Bench::new(Memory::default());
    let room = bench.start_with(&["ann", "bob", "cy"], TimeControl::None).await;
    let mut cy = Guest::new(3, "cy");
    // Ann is to move; bob has been away for longer, for he never came.
    let ann = Guest::new(1, "ann");
    cy.join(&room).await;
    ann.join(&room).await;
    tokio::time::sleep(Duration::from_mins(1)).await;
    drop(ann);
    tokio::time::sleep(CLAIM_AFTER.untimed.saturating_sub(Duration::from_mins(1))).await;
    assert_eq!(cy.is_refused(&bench, &room, None).await.code, ErrorCode::TooSoon);
    assert_eq!(cy.is_refused(&bench, &room, Some(7)).await.code, ErrorCode::BadMessage);
    for seat in [1, 2] {
        assert_eq!(cy.is_refused(&bench, &room, Some(seat)).await.code, ErrorCode::Forbidden);
    }

    tokio::time::sleep(Duration::from_mins(1)).await;
    assert!(matches!(cy.claims(&bench, &room, None).await, ToClient::Ok(_)));
    let removed = loop {
        if let EventBody::Removed(removed) = cy.next_event().await {
            break removed;
        }
    };
    assert_eq!((removed.seat, removed.reason), (0, LeaveReason::Abandoned));
    assert_eq!((removed.claimed_by, removed.to_move), (Some(2), Some(1)));
    assert_eq!(cy.is_refused(&bench, &room, Some(0)).await.code, ErrorCode::Forbidden);
    // Bob has been away for long enough; his turn has only just begun.
    assert_eq!(cy.is_refused(&bench, &room, None).await.code, ErrorCode::TooSoon);
    let mut ann = Guest::new(4, "ann");
    ann.join(&room).await;
    assert_eq!(ann.is_refused(&bench, &room, None).await.code, ErrorCode::Forbidden);
    tokio::time::sleep(CLAIM_AFTER.untimed).await;
    assert!(matches!(cy.claims(&bench, &room, None).await, ToClient::Ok(_)));
    assert!(matches!(cy.next_event().await, EventBody::Removed(removed) if removed.seat == 1));
    assert!(matches!(cy.next_event().await, EventBody::Ended(ended) if ended.winners == [2]));
}

#[tokio::test(start_paused = true)]
async fn no_show_aborts_the_game() {
    let bench = Bench::new(Memory::default());
    let begun = Instant::now();
    let room = bench.start(TimeControl::PerMove { move_ms: 3_600_000 }).await;
    let mut bob = Guest::new(2, "bob");
    bob.join(&room).await;
    let aborted = loop {
        if let EventBody::Aborted(aborted) = bob.next_event().await {
            break aborted;
        }
    };
    assert_eq!(aborted.by, 0);
    assert_eq!(begun.elapsed(), Duration::from_millis(adamant_rules::clock::NO_SHOW_MS));
}
