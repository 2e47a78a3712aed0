//! Users who leave a seek or an invite in the moment in which another user completes it.

use std::{
    future,
    sync::{Arc, Mutex},
};

use adamant_protocol::{GameId, UserName, values::RatingChange};
use bytes::Bytes;
use futures::{FutureExt as _, future::BoxFuture};
use serde_json::{Value, json};

use super::{client::TestClient, node::TestNode};
use crate::{
    config::StoreConfig,
    store::{
        Append, AppendOutcome, ArchiveError, ArchivedGame, Begin, BeginError, Journal, Sqlite,
        Store, StoreError,
    },
};

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

    fn rating_change(
        &self,
        _game: GameId,
    ) -> BoxFuture<'static, Result<Option<RatingChange>, StoreError>> {
        future::ready(Ok(None)).boxed()
    }

    fn read(
        &self,
        game: GameId,
        from: u64,
        max: usize,
    ) -> BoxFuture<'static, Result<Vec<Bytes>, StoreError>> {
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
