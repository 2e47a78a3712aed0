//! Challenges, invites, seeks and rematches between users of two nodes.

use std::{
    future,
    sync::{Arc, Mutex},
};

use adamant_protocol::{GameId, UserName, values::RatingChange};
use bytes::Bytes;
use futures::{FutureExt as _, future::BoxFuture};
use serde_json::{Value, json};
use tokio::join;

use super::node::{TestClient, TestNode};
use crate::{
    cluster::{GoneNode, Heard},
    config::StoreConfig,
    store::{
        Append, AppendOutcome, ArchiveError, ArchivedGame, Begin, BeginError, Journal, NewOffer,
        Offer, OfferId, Sqlite, Store, StoreFuture,
    },
};

fn challenge(seats: &[&str]) -> Value {
    json!({"type": "challenge", "rules": "adamas", "seats": seats})
}

fn accept(what: &str, id: &Value) -> Value {
    json!({"type": "accept", what: id})
}

/// The games that these clients are seated at next.
async fn seated<const N: usize>(clients: [&mut TestClient; N]) -> [Value; N] {
    let mut games = [const { Value::Null }; N];
    for (client, game) in clients.into_iter().zip(&mut games) {
        let created = client.next(|frame| frame["type"] == "event" && frame["kind"] == "created");
        *game = created.await["game"].clone();
    }
    games
}

#[tokio::test]
async fn users_of_two_nodes_meet_by_a_challenge() {
    let (_nodes, _store, mut ann, mut bob) = TestNode::with_ann_and_bob().await;
    let id = ann.ask(challenge(&["ann", "bob"])).await["challenge"].clone();
    let told = bob.next_of("challenged").await;
    assert_eq!((&told["challenge"], &told["by"]), (&id, &json!("ann")));
    let game = bob.ask(accept("challenge", &id)).await["game"].clone();
    assert_eq!(ann.next_of("challenge_closed").await["game"], game);
    assert_eq!(seated([&mut ann, &mut bob]).await, [game.clone(), game]);
}

#[tokio::test]
async fn a_challenge_that_is_declined_elsewhere_closes_here() {
    let (_nodes, _store, mut ann, mut bob) = TestNode::with_ann_and_bob().await;
    let id = ann.ask(challenge(&["ann", "bob"])).await["challenge"].clone();
    bob.next_of("challenged").await;
    bob.ask(json!({"type": "decline", "challenge": id, "reason": "later"})).await;
    let closed = ann.next_of("challenge_closed").await;
    assert_eq!((&closed["reason"], &closed["by"]), (&json!("later"), &json!("bob")));
    let listed = ann.ask(json!({"type": "challenges"})).await;
    assert_eq!(listed["challenges"], json!([]));
}

#[tokio::test]
async fn of_two_nodes_that_accept_at_once_one_begins_the_game() {
    let ([one, two], _store) = TestNode::pair().await;
    let (mut ann, _) = one.guest("ann").await;
    let (mut bob, token) = one.guest("bob").await;
    let mut bob_elsewhere = two.log_in(&token).await;
    let id = ann.ask(challenge(&["ann", "bob"])).await["challenge"].clone();
    bob.next_of("challenged").await;
    bob_elsewhere.next_of("challenged").await;
    let answers =
        join!(bob.ask(accept("challenge", &id)), bob_elsewhere.ask(accept("challenge", &id)));
    let answers = [answers.0, answers.1];
    let begun: Vec<_> = answers.iter().filter(|answer| answer["type"] == "ok").collect();
    assert_eq!(begun.len(), 1, "{answers:#?}");
    let game = begun[0]["game"].clone();
    let all = seated([&mut ann, &mut bob, &mut bob_elsewhere]).await;
    assert_eq!(all, [game.clone(), game.clone(), game]);
}

#[tokio::test]
async fn two_who_seek_on_two_nodes_at_once_meet() {
    let (_nodes, _store, mut ann, mut bob) = TestNode::with_ann_and_bob().await;
    let seek = || json!({"type": "seek", "rules": "adamas"});
    join!(ann.ask(seek()), bob.ask(seek()));
    let [of_ann, of_bob] = seated([&mut ann, &mut bob]).await;
    assert_eq!(of_ann, of_bob);
}

#[tokio::test]
async fn the_seeks_of_all_nodes_are_listed_and_end_with_their_sessions_and_nodes() {
    let ([one, two], _store, mut ann, mut bob) = TestNode::with_ann_and_bob().await;
    bob.ask(json!({"type": "lobby", "watch": true})).await;
    let seek = |players| json!({"type": "seek", "rules": "adamas", "players": players});
    let by_ann = ann.ask(seek(2)).await["seek"].clone();
    assert!(by_ann.as_str().unwrap().starts_with("k_one_"), "{by_ann}");
    let listed = bob.next_of("lobby").await;
    assert_eq!(listed["add"][0]["seek"], by_ann);
    drop(ann);
    assert_eq!(bob.next_of("lobby").await["remove"], json!([by_ann]));

    let (mut cy, _) = one.guest("cy").await;
    let by_cy = cy.ask(seek(2)).await["seek"].clone();
    assert_eq!(bob.next_of("lobby").await["add"][0]["seek"], by_cy);
    two.hear(Heard::NodeGone(GoneNode { node: one.id(), died_at: None }));
    assert_eq!(bob.next_of("lobby").await["remove"], json!([by_cy]));
}

#[tokio::test]
async fn a_game_of_a_newer_release_is_joined_at_an_older_node_while_it_waits_for_others() {
    let ([one, two], _store) = TestNode::pair().await;
    let (mut ann, _) = one.guest("ann").await;
    let (mut bob, _) = two.guest("bob").await;
    one.cut(true);
    let invite = json!({"type": "invite", "rules": "adamas", "players": 3});
    let id = ann.ask(invite).await["invite"].clone();
    let store = &two.services.store;
    let known = OfferId::Invite(id.as_str().unwrap().parse().unwrap());
    let mut open = store.delete_offer(known).await.unwrap().unwrap();
    // This release knows no such delay.
    let Offer::Invite(entry) = &mut open.offer else { panic!("it is an invite") };
    entry.delay = u8::MAX;
    store.add_offer(NewOffer { open, house: Vec::new() }).await.unwrap();
    let joined = bob.ask(accept("invite", &id)).await;
    assert_eq!((&joined["type"], joined.get("game")), (&json!("ok"), None), "{joined}");
}

#[tokio::test]
async fn all_who_have_joined_an_invite_hear_that_it_is_cancelled() {
    let ([_one, two], _store, mut ann, mut bob) = TestNode::with_ann_and_bob().await;
    let invite = json!({"type": "invite", "rules": "adamas", "players": 3});
    let id = ann.ask(invite).await["invite"].clone();
    // Ann's node does not hear of it in time.
    two.cut(true);
    bob.ask(accept("invite", &id)).await;
    ann.ask(json!({"type": "cancel", "invite": id})).await;
    let closed = bob.next(|frame| frame["type"] == "invite" && frame["reason"] == "cancelled");
    assert_eq!(closed.await["joined"], json!(["ann", "bob"]));
}

#[tokio::test]
async fn an_invite_collects_users_of_two_nodes() {
    let ([one, _two], _store, mut ann, mut bob) = TestNode::with_ann_and_bob().await;
    let (mut cy, _) = one.guest("cy").await;
    let invite = json!({"type": "invite", "rules": "adamas", "players": 3});
    let id = ann.ask(invite).await["invite"].clone();
    bob.ask(accept("invite", &id)).await;
    assert_eq!(ann.next_of("invite").await["joined"], json!(["ann", "bob"]));
    let game = cy.ask(accept("invite", &id)).await["game"].clone();
    let taken = |frame: &Value| frame["type"] == "invite" && frame["game"] == game;
    bob.next(taken).await;
    let all = seated([&mut ann, &mut bob, &mut cy]).await;
    assert_eq!(all, [game.clone(), game.clone(), game.clone()]);
}

#[tokio::test]
async fn requests_for_a_rematch_on_two_nodes_at_once_make_one_game() {
    let (_nodes, _store, mut ann, mut bob) = TestNode::with_ann_and_bob().await;
    let id = ann.ask(challenge(&["ann", "bob"])).await["challenge"].clone();
    bob.next_of("challenged").await;
    let before = bob.ask(accept("challenge", &id)).await["game"].clone();
    seated([&mut ann, &mut bob]).await;
    ann.ask(json!({"type": "abort", "game": before})).await;
    let rematch = || json!({"type": "rematch", "game": before});
    // The game ends on the other node once it has read so.
    let (of_ann, of_bob) = join!(ann.ask(rematch()), bob.ask(rematch()));
    assert!(of_ann["type"] == "ok" && of_bob["type"] == "ok", "{of_ann:#} {of_bob:#}");
    let [by_ann, by_bob] = seated([&mut ann, &mut bob]).await;
    assert_eq!(by_ann, by_bob);
}

#[tokio::test]
async fn after_a_gap_a_node_tells_what_its_clients_have_missed() {
    let ([one, two], _store, mut ann, mut bob) = TestNode::with_ann_and_bob().await;
    let (mut cy, _) = two.guest("cy").await;
    let closed = ann.ask(challenge(&["ann", "bob"])).await["challenge"].clone();
    bob.next_of("challenged").await;
    one.cut(true);
    ann.ask(json!({"type": "cancel", "challenge": closed})).await;
    let opened = ann.ask(challenge(&["ann", "bob"])).await["challenge"].clone();
    let (mut dan, _) = one.guest("dan").await;
    let to_cy = cy.ask(challenge(&["cy", "dan"])).await["challenge"].clone();
    dan.next_of("challenged").await;
    let game = dan.ask(accept("challenge", &to_cy)).await["game"].clone();
    one.cut(false);
    two.hear(Heard::Gap);
    assert_eq!(bob.next_of("challenged").await["challenge"], opened);
    assert_eq!(bob.next_of("challenge_closed").await["challenge"], closed);
    assert_eq!(seated([&mut cy]).await, [game]);
}

/// A journal before whose next game a user leaves what the game begins from.
#[derive(Debug)]
struct LeftJournal {
    store: Store,
    leaves: Mutex<Option<UserName>>,
}

impl Journal for LeftJournal {
    fn append(&self, batch: Vec<Append>) -> BoxFuture<'static, Vec<AppendOutcome>> {
        self.store.journal.append(batch)
    }

    fn begin(&self, game: Begin) -> BoxFuture<'static, Result<(), BeginError>> {
        let (store, leaves) = (self.store.clone(), self.leaves.lock().unwrap().take());
        async move {
            let offer = game.offer.as_ref().map(|claim| claim.offer.clone());
            if let (Some(id), Some(user)) = (offer, leaves) {
                store.leave_offer(id, user).await.unwrap().unwrap();
            }
            store.journal.begin(game).await
        }
        .boxed()
    }

    fn archive(&self, game: ArchivedGame) -> BoxFuture<'static, Result<(), ArchiveError>> {
        self.store.journal.archive(game)
    }

    fn rating_change(&self, _game: GameId) -> StoreFuture<Option<RatingChange>> {
        future::ready(Ok(None)).boxed()
    }

    fn read(&self, game: GameId, from: u64, max: usize) -> StoreFuture<Vec<Bytes>> {
        self.store.journal.read(game, from, max)
    }
}

/// Three users, of whom bob leaves in the moment in which the next game begins.
async fn users(directory: &std::path::Path) -> ([TestNode; 2], [TestClient; 3]) {
    let config = StoreConfig { wal_mib: 1, ..StoreConfig::at(directory) };
    let store: Store = Sqlite::open(&config, Arc::default()).unwrap().0.into();
    let leaves = Mutex::new(Some("bob".parse().unwrap()));
    let left = LeftJournal { store: store.clone(), leaves };
    let nodes =
        TestNode::pair_on([Store { journal: Arc::new(left), ..store.clone() }, store]).await;
    let (ann, bob) = (nodes[0].guest("ann").await.0, nodes[1].guest("bob").await.0);
    let cy = nodes[0].guest("cy").await.0;
    (nodes, [ann, bob, cy])
}

async fn expect_no_game(client: &mut TestClient) {
    assert_eq!(client.ask(json!({"type": "games"})).await["games"], json!([]));
}

/// Expects that the last user has joined the one who is still there, and that bob may come back.
async fn expect_three_after_all(mut clients: [TestClient; 3], joined: Value, accept: Value) {
    assert_eq!((&joined["type"], &joined["game"]), (&json!("ok"), &Value::Null), "{joined}");
    expect_no_game(&mut clients[0]).await;
    let game = clients[1].ask(accept).await["game"].clone();
    assert!(game.is_string());
    let created = |frame: &Value| frame["type"] == "event" && frame["kind"] == "created";
    for client in &mut clients {
        assert_eq!(client.next(created).await["game"], game);
    }
}

#[tokio::test]
async fn a_user_who_leaves_a_seek_as_it_becomes_full_is_not_seated() {
    for by_name in [true, false] {
        let directory = tempfile::tempdir().unwrap();
        let (_nodes, [mut ann, mut bob, mut cy]) = users(directory.path()).await;
        let seek = || json!({"type": "seek", "rules": "adamas", "players": 3});
        let id = ann.ask(seek()).await["seek"].clone();
        let accept = json!({"type": "accept", "seek": id});
        bob.ask(accept.clone()).await;
        let joined = cy.ask(if by_name { accept.clone() } else { seek() }).await;
        assert_eq!(joined["seek"], id, "{joined}");
        expect_three_after_all([ann, bob, cy], joined, accept).await;
    }
}

#[tokio::test]
async fn a_user_who_leaves_an_invite_as_it_becomes_full_is_not_seated() {
    let directory = tempfile::tempdir().unwrap();
    let (_nodes, [mut ann, mut bob, mut cy]) = users(directory.path()).await;
    let invite = json!({"type": "invite", "rules": "adamas", "players": 3});
    let id = ann.ask(invite).await["invite"].clone();
    let accept = json!({"type": "accept", "invite": id});
    bob.ask(accept.clone()).await;
    let joined = cy.ask(accept.clone()).await;
    expect_three_after_all([ann, bob, cy], joined, accept).await;
}
