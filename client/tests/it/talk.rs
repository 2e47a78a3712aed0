//! Requests and replies, and messages of later versions.

use std::collections::HashSet;

use adamant_client::{Incoming, RequestError};
use adamant_protocol::{
    ErrorCode, ToClient,
    from_client::{Lobby, Ping, Signup},
};

use crate::peer::{Peer, config};

#[tokio::test(start_paused = true)]
async fn replies_reach_their_callers_in_any_order() {
    let mut peer = Peer::new();
    let (client, _inbox, welcome, mut call) = peer.connect(config()).await;
    assert_eq!(welcome.user.unwrap().name.as_str(), "ann");
    let ask = |t0| {
        let client = client.clone();
        tokio::spawn(async move { client.request(|id| Ping { id, t0: Some(t0) }).await })
    };
    let asked = [ask(1), ask(2), ask(3)];
    let mut heard = [call.receive().await, call.receive().await, call.receive().await];
    heard.reverse();
    for ping in &heard {
        let (re, t0) = (ping.id(), &ping.0["t0"]);
        call.send(&format!(r#"{{"type":"pong","re":"{re}","t0":{t0},"t1":1,"t2":2}}"#)).await;
    }
    for (asking, t0) in asked.into_iter().zip(1..) {
        let Ok(ToClient::Pong(pong)) = asking.await.unwrap() else { panic!() };
        assert_eq!(pong.t0, Some(t0));
    }
}

#[tokio::test(start_paused = true)]
async fn a_refused_request_fails_with_the_fields_of_the_error() {
    let mut peer = Peer::new();
    let (client, _inbox, _, mut call) = peer.connect(config()).await;
    let asking =
        tokio::spawn(
            async move { client.done(|id| Lobby { id, watch: true, before: None }).await },
        );
    let re = call.receive().await.id().to_owned();
    call.send(&format!(
        r#"{{"type":"error","re":"{re}","code":"illegal_move","message":"No.","retry":"never","why":"w"}}"#
    ))
    .await;
    let Err(RequestError::Refused(failed)) = asking.await.unwrap() else { panic!() };
    assert_eq!((failed.code, failed.why.as_deref()), (ErrorCode::IllegalMove, Some("w")));
}

#[tokio::test(start_paused = true)]
async fn unknown_messages_are_ignored_and_undecodable_replies_fail_their_request() {
    let mut peer = Peer::new();
    let (client, mut inbox, _, mut call) = peer.connect(config()).await;
    let asker = client.clone();
    let asking = tokio::spawn(async move { asker.request(|id| Ping { id, t0: None }).await });
    let ping = call.receive().await;
    call.send(r#"{"type":"fireworks","colours":7}"#).await;
    call.send(r#"{"type":"notice","what":"weather","in_ms":0}"#).await;
    call.send(&format!(r#"{{"type":"pong","re":"{}","t1":"noon"}}"#, ping.id())).await;
    assert!(matches!(asking.await.unwrap(), Err(RequestError::Unreadable(_))));
    let Some(Incoming::Notice(notice)) = inbox.next().await else { panic!() };
    assert_eq!(notice.what.as_str(), "weather");
    call.send(r#"{"type":"lobby","add":[],"remove":["k_5"],"mood":"good"}"#).await;
    assert!(matches!(inbox.next().await, Some(Incoming::Lobby(_))));
}

#[tokio::test(start_paused = true)]
async fn requests_are_limited_in_size_and_number() {
    let mut peer = Peer::new();
    let (client, _inbox, _, call) = peer.connect(config()).await;
    let password: Box<str> = "x".repeat(70_000).into();
    let user = "ann".parse().unwrap();
    let large = client.request(|id| Signup::new(id, user, password)).await;
    assert!(matches!(large, Err(RequestError::TooLarge { bytes: 70_000.. })));

    // The server answers nothing, so the request beyond the limit fails.
    let asked: Vec<_> = (0..257)
        .map(|_| {
            let client = client.clone();
            tokio::spawn(async move { client.request(|id| Ping { id, t0: None }).await })
        })
        .collect();
    let (first, _, _) = futures::future::select_all(asked).await;
    assert_eq!(first.unwrap(), Err(RequestError::TooManyPending));
    drop(call);
}

#[tokio::test(start_paused = true)]
async fn ids_never_repeat_over_requests_and_runs() {
    let mut ids = HashSet::new();
    for _ in 0..3 {
        let mut peer = Peer::new();
        let (client, _inbox, _, mut call) = peer.connect(config()).await;
        for _ in 0..3 {
            let client = client.clone();
            tokio::spawn(async move { client.request(|id| Ping { id, t0: None }).await });
            assert!(ids.insert(call.receive().await.id().to_owned()));
        }
    }
}
