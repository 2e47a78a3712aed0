//! What becomes of the connection and of requests under way when it breaks.

use std::time::Duration;

use adamant_client::{Client, ConnectError, DisconnectReason, Incoming, Reconnect, RequestError};
use adamant_protocol::{
    ErrorCode, RequestId, ToClient,
    event::OfferKind,
    from_client::{Auth, Games, Move, Offer, Ping},
};
use tokio::time::Instant;

use crate::{IDLE_CLOSE_MS, Peer, config, welcome};

fn a_move(id: RequestId) -> Move {
    Move { id, game: "g".parse().unwrap(), turn: 3, notation: "c1-c2".into() }
}

fn a_list(id: RequestId) -> Games {
    let state = adamant_protocol::from_client::GameState::Live;
    Games {
        id,
        user: None,
        rules: None,
        players: None,
        state,
        opponent: None,
        result: None,
        rated: None,
        before: None,
        limit: None,
    }
}

fn ok(re: &str, rest: &str) -> String {
    format!(r#"{{"type":"ok","re":"{re}"{rest}}}"#)
}

async fn lost(inbox: &mut adamant_client::Inbox) -> (DisconnectReason, Option<Duration>) {
    match inbox.next().await {
        Some(Incoming::Disconnected { reason, retry_in }) => (reason, retry_in),
        other => panic!("a disconnect was expected, not {other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn secrets_are_never_in_debug() {
    let (mut peer, client, mut inbox, first, call) = Peer::connected(config()).await;
    drop(call);
    let _call = peer.welcome("[]").await;
    lost(&mut inbox).await;
    let connected = inbox.next().await;
    let done = ToClient::from_bytes(
        br#"{"type":"ok","re":"1","token":"at_new","secret":"at_new","user":"ann"}"#,
    );
    let shown = format!("{:?} {client:?} {inbox:?} {first:?} {connected:?} {done:?}", config());
    assert!(!shown.contains("at_"), "{shown}");
    assert_eq!(first.token.as_deref(), Some("at_new"));
}

#[tokio::test(start_paused = true)]
async fn an_unanswered_move_is_sent_again_under_its_id() {
    let (mut peer, client, _inbox, _, mut call) = Peer::connected(config()).await;
    let moving = tokio::spawn(async move { client.done(a_move).await });
    let first = call.receive().await;
    drop(call);

    let (mut call, _) = peer.welcome("[]").await;
    let second = call.receive().await;
    assert_eq!(first.0, second.0);
    call.send(&ok(second.id(), r#","game":"g","seq":42,"turn":4,"dup":true"#)).await;
    let done = moving.await.unwrap().unwrap();
    assert_eq!((done.seq, done.turn, done.dup), (Some(42), Some(4), true));
}

#[tokio::test(start_paused = true)]
async fn acts_are_sent_again_in_order_with_those_made_while_disconnected() {
    let (mut peer, client, mut inbox, _, mut call) = Peer::connected(config()).await;
    let mover = client.clone();
    tokio::spawn(async move { mover.done(a_move).await });
    assert_eq!(call.receive().await.kind(), "move");
    drop(call);
    lost(&mut inbox).await;
    let offering = tokio::spawn(async move {
        let game: adamant_protocol::GameId = "g".parse().unwrap();
        client.done(|id| Offer { id, game, what: OfferKind::Draw }).await
    });

    let (mut call, _) = peer.welcome("[]").await;
    assert_eq!(call.receive().await.kind(), "move");
    let offer = call.receive().await;
    assert_eq!(offer.kind(), "offer");
    call.send(&ok(offer.id(), "")).await;
    offering.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn queries_fail_when_the_connection_breaks() {
    let (mut peer, client, mut inbox, _, mut call) = Peer::connected(config()).await;
    let asker = client.clone();
    let asking = tokio::spawn(async move { asker.request(a_list).await });
    call.receive().await;
    drop(call);
    assert_eq!(asking.await.unwrap(), Err(RequestError::ConnectionLost));

    lost(&mut inbox).await;
    assert_eq!(client.request(a_list).await, Err(RequestError::ConnectionLost));
    let (mut call, _) = peer.welcome("[]").await;
    let pinging = tokio::spawn(async move { client.request(|id| Ping { id, t0: None }).await });
    let ping = call.receive().await;
    assert_eq!(ping.kind(), "ping", "queries are not sent again");
    call.send(&format!(r#"{{"type":"pong","re":"{}","t1":1,"t2":2}}"#, ping.id())).await;
    assert!(matches!(pinging.await.unwrap(), Ok(ToClient::Pong(_))));
}

#[tokio::test(start_paused = true)]
async fn the_client_reconnects_with_its_token() {
    let mut peer = Peer::new();
    let guest = config().with_auth(Auth::Guest("ann".parse().unwrap()));
    let (_client, mut inbox, _, call) = peer.connect(guest).await;
    drop(call);
    let (_call, hello) = peer.welcome("[]").await;
    assert_eq!(hello.0["auth"], serde_json::json!({"token": "at_new"}));
    let (_, retry_in) = lost(&mut inbox).await;
    assert!(retry_in.unwrap() <= Duration::from_millis(250));
    assert!(matches!(inbox.next().await, Some(Incoming::Connected(_))));
}

#[tokio::test(start_paused = true)]
async fn the_client_drops_a_silent_server_but_not_one_that_pings() {
    let (mut peer, _client, mut inbox, _, mut call) = Peer::connected(config()).await;
    let start = Instant::now();
    for _ in 0..5 {
        tokio::time::sleep(Duration::from_millis(IDLE_CLOSE_MS - 1000)).await;
        call.ping().await;
    }
    let (reason, retry_in) = lost(&mut inbox).await;
    assert_eq!(reason, DisconnectReason::Silent);
    assert!(retry_in.is_some());
    let silent = Duration::from_millis(5 * (IDLE_CLOSE_MS - 1000) + IDLE_CLOSE_MS);
    assert!(start.elapsed() >= silent, "{:?}", start.elapsed());
    assert!(start.elapsed() < silent + Duration::from_secs(5), "{:?}", start.elapsed());
    peer.welcome("[]").await;
    assert!(matches!(inbox.next().await, Some(Incoming::Connected(_))));
}

#[tokio::test(start_paused = true)]
async fn a_hello_without_an_answer_times_out() {
    let mut peer = Peer::new();
    let connecting = Client::connect_over(config(), peer.dialer());
    let silent = async {
        let mut call = peer.accept().await;
        call.receive().await;
        tokio::time::sleep(Duration::from_hours(1)).await;
    };
    tokio::select! {
        connected = connecting => assert!(matches!(connected, Err(ConnectError::TimedOut { .. }))),
        () = silent => panic!("the client waits forever"),
    }
}

#[tokio::test(start_paused = true)]
async fn close_codes_that_forbid_reconnecting_end_the_client() {
    for code in [1001, 1002, 1003, 1007, 1008, 1009, 4001, 4002, 4003] {
        let (_peer, client, mut inbox, _, mut call) = Peer::connected(config()).await;
        let mover = client.clone();
        let moving = tokio::spawn(async move { mover.request(a_move).await });
        call.receive().await;
        call.close(code).await;
        let reason = DisconnectReason::Closed { code, reason: "scripted".into() };
        assert_eq!(lost(&mut inbox).await, (reason.clone(), None));
        assert_eq!(inbox.next().await, None);
        assert_eq!(moving.await.unwrap(), Err(RequestError::Closed(reason.clone())));
        assert_eq!(client.request(a_list).await, Err(RequestError::Closed(reason)));
    }
}

#[tokio::test(start_paused = true)]
async fn other_close_codes_lead_to_a_reconnect() {
    for code in [1000, 1011, 1012, 4004, 4005, 4006] {
        let (mut peer, _client, mut inbox, _, call) = Peer::connected(config()).await;
        call.close(code).await;
        assert!(lost(&mut inbox).await.1.is_some(), "{code}");
        peer.welcome("[]").await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_restart_notice_sets_the_wait() {
    let (mut peer, _client, mut inbox, _, mut call) = Peer::connected(config()).await;
    call.send(r#"{"type":"notice","what":"restart","in_ms":7000}"#).await;
    assert!(matches!(inbox.next().await, Some(Incoming::Notice(_))));
    call.close(1012).await;
    let start = Instant::now();
    assert_eq!(lost(&mut inbox).await.1, Some(Duration::from_secs(7)));
    peer.welcome("[]").await;
    assert!(start.elapsed() >= Duration::from_secs(7));
}

#[tokio::test(start_paused = true)]
async fn the_client_gives_up_after_the_last_attempt() {
    let mut peer = Peer::new();
    let mut config = config();
    config.reconnect = Reconnect::Attempts(3);
    let (client, mut inbox, _, call) = peer.connect(config).await;
    drop((peer, call));
    let mut attempts = 0;
    while let (_, Some(wait)) = lost(&mut inbox).await {
        attempts += 1;
        assert!(wait <= Duration::from_millis(250 << attempts));
    }
    assert_eq!(attempts, 3);
    assert!(matches!(client.request(a_move).await, Err(RequestError::Closed(_))));
}

#[tokio::test(start_paused = true)]
async fn a_refused_hello_is_reported_and_a_busy_server_retried() {
    let mut peer = Peer::new();
    let refusal = |re: &str, code: &str, retry: &str| {
        format!(
            r#"{{"type":"error","re":"{re}","code":"{code}","message":"No.","retry":"{retry}"}}"#
        )
    };
    let connecting = Client::connect_over(config(), peer.dialer());
    let refusing = async {
        let mut call = peer.accept().await;
        let hello = call.receive().await;
        call.send(&refusal(hello.id(), "proto_unsupported", "never")).await;
    };
    let error = tokio::join!(connecting, refusing).0.unwrap_err();
    assert!(error.is_version_mismatch(), "{error:?}");

    let (_client, mut inbox, _, call) = peer.connect(config()).await;
    drop(call);
    for (code, retry) in [("busy", "after"), ("unauthorized", "never")] {
        lost(&mut inbox).await.1.expect("a further attempt");
        let mut call = peer.accept().await;
        let hello = call.receive().await;
        call.send(&refusal(hello.id(), code, retry)).await;
    }
    let (reason, retry_in) = lost(&mut inbox).await;
    let DisconnectReason::Refused(failed) = reason else { panic!("{reason:?}") };
    assert_eq!((failed.code, retry_in), (ErrorCode::Unauthorized, None));
}

#[tokio::test(start_paused = true)]
async fn a_lost_server_is_tried_every_three_seconds_for_a_minute() {
    let (peer, _client, mut inbox, _, call) = Peer::connected(config()).await;
    drop((call, peer));
    let lost_at = Instant::now();
    let mut waits = Vec::new();
    while lost_at.elapsed() < Duration::from_mins(5) {
        let wait = lost(&mut inbox).await.1.expect("a further attempt");
        waits.push((lost_at.elapsed(), wait));
    }
    let (early, late): (Vec<_>, Vec<_>) =
        waits.into_iter().partition(|(at, _)| *at < Duration::from_mins(1));
    assert!(early.iter().all(|(_, wait)| *wait <= Duration::from_secs(3)), "{early:?}");
    assert!(late.iter().all(|(_, wait)| *wait <= Duration::from_secs(15)), "{late:?}");
    assert!(late.iter().any(|(_, wait)| *wait > Duration::from_secs(3)), "{late:?}");
}

#[tokio::test(start_paused = true)]
async fn a_program_can_end_the_wait() {
    let (mut peer, client, mut inbox, _, call) = Peer::connected(config()).await;
    drop(call);
    lost(&mut inbox).await;
    let body = r#"{"type":"error","code":"busy","message":"stopping","retry_after_ms":60000}"#;
    peer.refuse("503 Service Unavailable", body).await;
    lost(&mut inbox).await;
    let lost_at = Instant::now();
    client.reconnect_now();
    let (_call, _) = peer.welcome("[]").await;
    assert!(lost_at.elapsed() < Duration::from_secs(1));
    assert!(matches!(inbox.next().await, Some(Incoming::Connected(_))));
}

#[tokio::test(start_paused = true)]
async fn a_client_with_500_live_games_comes_back_in_all_of_them() {
    const GAMES: u64 = 500;
    let limits = r#""frame_bytes":65536,"burst":0,"per_s":0"#;
    let mut peer = Peer::new();
    let connecting = Client::connect_over(config(), peer.dialer());
    let (connected, (mut call, _)) = tokio::join!(connecting, peer.welcome_with(limits));
    let (_client, mut inbox, _) = connected.unwrap();
    for number in 0..GAMES {
        call.send_event(&format!("{number:08}"), 1).await;
        assert_eq!(crate::next_seq(&mut inbox).await, 1);
    }
    drop(call);
    let (mut call, hello) = peer.welcome_with(limits).await;
    assert_eq!(hello.0["resume"].as_object().unwrap().len(), 500);
    assert!(hello.0.to_string().len() < 64 * 1024);
    lost(&mut inbox).await;
    assert!(matches!(inbox.next().await, Some(Incoming::Connected(_))));
    // The program reads the whole burst late.
    for seq in 2..=3 {
        for number in 0..GAMES {
            call.send_event(&format!("{number:08}"), seq).await;
        }
    }
    for _ in 0..2 * GAMES {
        crate::next_seq(&mut inbox).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_refused_for_now_is_sent_again_under_its_id() {
    let (_peer, client, _inbox, _, mut call) = Peer::connected(config()).await;
    let refusals = [("rate_limited", "after", 40), ("internal", "same", 0), ("busy", "after", 300)];
    let refusing = async {
        let mut moves = Vec::new();
        for (code, retry, wait) in refusals {
            let asked = call.receive().await;
            call.send(&format!(
                r#"{{"type":"error","re":"{}","code":"{code}","message":"No.","retry":"{retry}","retry_after_ms":{wait}}}"#,
                asked.id()
            ))
            .await;
            moves.push(asked.0);
        }
        let asked = call.receive().await;
        call.send(&ok(asked.id(), r#","game":"g","seq":42,"turn":4"#)).await;
        assert!(moves.iter().all(|earlier| *earlier == asked.0), "{moves:?}");
    };
    let begun = Instant::now();
    let (done, ()) = tokio::join!(client.done(a_move), refusing);
    assert_eq!(done.unwrap().seq, Some(42));
    assert!((340..1_000).contains(&begun.elapsed().as_millis()), "{:?}", begun.elapsed());
}

#[tokio::test(start_paused = true)]
async fn refusals_without_end_reach_the_program() {
    let (_peer, client, _inbox, _, mut call) = Peer::connected(config()).await;
    let refusing = async {
        for count in 1.. {
            let asked = call.receive().await;
            // The last wait is longer than the client is patient.
            let wait = if asked.kind() == "move" { 1 } else { 3_600_000 };
            call.send(&format!(
                r#"{{"type":"error","re":"{}","code":"too_soon","message":"No.","retry":"after","retry_after_ms":{wait}}}"#,
                asked.id()
            ))
            .await;
            if wait > 1 {
                return count;
            }
        }
        unreachable!()
    };
    let asking = async {
        assert!(matches!(client.done(a_move).await, Err(RequestError::Refused(_))));
        assert!(matches!(client.request(a_list).await, Err(RequestError::Refused(_))));
    };
    let (count, ()) = tokio::join!(refusing, asking);
    assert_eq!(count, 10, "a move and eight repetitions, and the list once");
}

#[tokio::test(start_paused = true)]
async fn the_client_keeps_within_the_rate_of_the_server() {
    let mut peer = Peer::new();
    let connecting = Client::connect_over(config(), peer.dialer());
    let limits = r#""frame_bytes":65536,"burst":40,"per_s":10"#;
    let (connected, (mut call, _)) = tokio::join!(connecting, peer.welcome_with(limits));
    let (client, _inbox, _) = connected.unwrap();
    let begun = Instant::now();
    let asked = futures::future::join_all((0..100).map(|_| client.request(a_list)));
    let answering = async {
        for _ in 0..100 {
            let asked = call.receive().await;
            call.send(&format!(
                r#"{{"type":"games","re":"{}","games":[],"more":false}}"#,
                asked.id()
            ))
            .await;
        }
    };
    let (answers, ()) = tokio::join!(asked, answering);
    assert!(answers.iter().all(Result::is_ok));
    // 32 at once, and then 8 a second.
    assert!((8..10).contains(&begun.elapsed().as_secs()), "{:?}", begun.elapsed());
}

#[tokio::test(start_paused = true)]
async fn close_sends_a_close_frame() {
    let (_peer, client, mut inbox, _, mut call) = Peer::connected(config()).await;
    let other = client.clone();
    let ((), code) = tokio::join!(client.close(), call.receive_close());
    assert_eq!(code, 1000);
    assert_eq!(inbox.next().await, None);
    let closed = RequestError::Closed(DisconnectReason::ClosedHere);
    assert_eq!(other.request(a_list).await, Err(closed));
}

#[tokio::test(start_paused = true)]
async fn an_unread_inbox_does_not_block_requests() {
    let (mut peer, client, mut inbox, _, mut call) = Peer::connected(config()).await;
    let flooding = async {
        for seq in 1..=4097 {
            call.send_event("g", seq).await;
        }
        call
    };
    let asking = client.request(a_list);
    let (_call, answer) = tokio::join!(flooding, asking);
    assert_eq!(answer, Err(RequestError::ConnectionLost));

    // The reader catches up and hears everything once, in order.
    for seq in 1..=4096 {
        assert_eq!(crate::next_seq(&mut inbox).await, seq);
    }
    assert_eq!(lost(&mut inbox).await.0, DisconnectReason::InboxFull);
    let mut call = peer.accept().await;
    let hello = call.receive().await;
    assert_eq!(hello.0["resume"]["g"]["seq"], 4096);
    call.send(&welcome(&hello, "[]")).await;
    call.send_event("g", 4097).await;
    assert!(matches!(inbox.next().await, Some(Incoming::Connected(_))));
    assert_eq!(crate::next_seq(&mut inbox).await, 4097);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_is_refused_by_http_waits_as_long_as_the_server_asks() {
    let (mut peer, _client, mut inbox, _, call) = Peer::connected(config()).await;
    drop(call);
    lost(&mut inbox).await;
    let body = r#"{"type":"error","code":"busy","message":"stopping","retry_after_ms":7300}"#;
    peer.refuse("503 Service Unavailable", body).await;
    let (reason, retry_in) = lost(&mut inbox).await;
    assert_eq!(retry_in, Some(Duration::from_millis(7_300)), "{reason:?}");
}
