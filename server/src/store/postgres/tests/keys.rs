//! The keys of several nodes.

use adamant_protocol::ids::PublicKey;

use super::TestDatabase;
use crate::{
    cluster::NodeId,
    store::postgres::{NodeKeys, PushSecret},
};

#[tokio::test]
async fn all_nodes_know_the_keys_of_all() {
    let database = TestDatabase::open().await;
    let [one, two] = ["one", "two"]
        .map(|node| node.parse::<NodeId>().unwrap())
        .map(|node| NodeKeys::new(database.store.clone(), node));
    let [first, second, third] = [1, 2, 3].map(|byte| PublicKey([byte; 32]));
    one.register_keys(vec![first, second], 10).await.unwrap();
    two.register_keys(vec![third], 20).await.unwrap();
    one.register_keys(vec![first, second], 30).await.unwrap();
    for keys in [one, two] {
        assert_eq!(keys.signing_keys().await.unwrap(), [first, second, third]);
    }
}

#[tokio::test]
async fn all_nodes_share_the_push_key_that_was_first() {
    let database = TestDatabase::open().await;
    let keys = NodeKeys::new(database.store.clone(), "one".parse().unwrap());
    let (secret, new) = ([1; 32], [2; 32]);
    let of_first = PushSecret { secret, is_new: true };
    assert_eq!(keys.push_key(secret).await.unwrap(), of_first);
    let keys = NodeKeys::new(database.another_node().await, "two".parse().unwrap());
    let of_first = PushSecret { is_new: false, ..of_first };
    assert_eq!(keys.push_key(new).await.unwrap(), of_first);
    assert_eq!(keys.push_key(secret).await.unwrap(), of_first);
}
