//! What every store promises of mutes and blocks.

use futures::future::join_all;

use super::{
    people::{account, guest, name},
    tested_store::TestedStore,
};
use crate::{
    limits::RELATIONS_PER_USER_MAX,
    store::{Block, RelateOutcome, Relation},
};

#[tokio::test]
async fn those_whom_a_user_mutes_or_blocks_are_hidden() {
    for tested in TestedStore::all().await {
        let relations = &tested.store;
        for user in ["Ann", "bob", "Cy", "dee"] {
            account(&tested.store, user).await;
        }
        let relate = |relation, other| relations.relate(relation, name("ann"), name(other));
        let stored = |hidden: &[&str]| {
            RelateOutcome::Stored(hidden.iter().map(|hidden| name(hidden)).collect())
        };
        assert_eq!(relate(Relation::Mutes, "DEE").await.unwrap(), stored(&["dee"]));
        assert_eq!(relate(Relation::Mutes, "cy").await.unwrap(), stored(&["Cy", "dee"]));
        assert_eq!(relate(Relation::Blocks, "cy").await.unwrap(), stored(&["Cy", "dee"]));
        assert_eq!(relate(Relation::Blocks, "bob").await.unwrap(), stored(&["bob", "Cy", "dee"]));
        assert_eq!(relate(Relation::Mutes, "eve").await.unwrap(), RelateOutcome::UserNotFound);
        let back = relations.relate(Relation::Blocks, name("dee"), name("ANN")).await.unwrap();
        assert_eq!(back, stored(&["Ann"]));

        let related = |relation, user| relations.related(relation, name(user));
        assert_eq!(related(Relation::Mutes, "ann").await.unwrap(), [name("Cy"), name("dee")]);
        assert_eq!(related(Relation::Blocks, "ANN").await.unwrap(), [name("bob"), name("Cy")]);
        assert_eq!(related(Relation::Blocks, "bob").await.unwrap(), []);
        let mut around = relations.blocks_around(name("ANN")).await.unwrap();
        around.sort_by_key(|block| (block.by.clone(), block.user.clone()));
        let block = |by, user| Block { by: name(by), user: name(user) };
        assert_eq!(around, [block("Ann", "Cy"), block("Ann", "bob"), block("dee", "Ann")]);

        let unrelate = |relation, other| relations.unrelate(relation, name("ann"), name(other));
        let both = unrelate(Relation::Blocks, "CY").await.unwrap();
        assert_eq!(both, [name("bob"), name("Cy"), name("dee")], "cy is muted still");
        let rest = unrelate(Relation::Mutes, "Cy").await.unwrap();
        assert_eq!(rest, [name("bob"), name("dee")]);
        assert_eq!(unrelate(Relation::Mutes, "Cy").await.unwrap(), rest);
    }
}

#[tokio::test]
async fn the_number_of_mutes_is_limited_however_they_come() {
    for tested in TestedStore::all().await {
        let relations = &tested.store;
        account(&tested.store, "ann").await;
        let others: Vec<_> =
            (0..RELATIONS_PER_USER_MAX + 2).map(|number| format!("user_{number:03}_")).collect();
        for some in others.chunks(50) {
            join_all(some.iter().map(|other| guest(&tested.store, other))).await;
        }
        let mute = |other: &String| relations.relate(Relation::Mutes, name("ann"), name(other));
        let outcomes = join_all(others.iter().map(mute)).await;
        let refused =
            outcomes.iter().filter(|outcome| matches!(outcome, Ok(RelateOutcome::LimitReached)));
        assert_eq!(refused.count(), 2);
        // Each relation has a limit of its own.
        let blocked = relations.relate(Relation::Blocks, name("ann"), name(&others[0])).await;
        assert!(matches!(blocked.unwrap(), RelateOutcome::Stored(_)));
        let muted = relations.related(Relation::Mutes, name("ann")).await.unwrap();
        assert_eq!(muted.len(), RELATIONS_PER_USER_MAX as usize);
    }
}

#[tokio::test]
async fn a_relation_ends_with_either_user() {
    for tested in TestedStore::all().await {
        let store = &tested.store;
        account(store, "ann").await;
        let visitor = guest(store, "visitor").await;
        for (user, other) in [("ann", "visitor"), ("visitor", "ann")] {
            for relation in [Relation::Mutes, Relation::Blocks] {
                store.relate(relation, name(user), name(other)).await.unwrap();
            }
        }
        store.delete_guest(visitor.id).await.unwrap();
        assert_eq!(store.related(Relation::Mutes, name("ann")).await.unwrap(), []);
        assert_eq!(store.blocks_around(name("ann")).await.unwrap(), []);
    }
}
