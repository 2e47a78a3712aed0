//! What every store promises of bans, notes, invitations, codes and the audit.

use super::*;

pub(super) fn act(at: u64, subject: Option<&str>) -> Act {
    Act {
        at,
        who: "root".to_owned(),
        node: None,
        subject: subject.map(str::to_owned),
        reason: Some("why".to_owned()),
        request: "{}".to_owned(),
    }
}

async fn ban(store: &Store, subject: BanSubject, kind: BanKind, until: Option<u64>) -> StoredBan {
    let new = NewBan { subject, kind, until };
    store.ban(new, act(10, None)).await.unwrap().unwrap().0
}

#[tokio::test]
async fn a_ban_stands_until_its_end_or_until_it_is_lifted_and_covers_bots() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        let ann = account(store, "ann").await;
        let robo = new_user("robo", NewUserKind::Bot(ann.id));
        created(store.create_user(robo, None).await.unwrap());
        let until_20 = ban(store, BanSubject::User(ann.id), BanKind::Ban, Some(20)).await;
        let network =
            ban(store, BanSubject::Network("192.0.2.0/24".into()), BanKind::Ban, None).await;
        let banned = |at| async move {
            let banned = store.banned(at).await.unwrap();
            let mut names: Vec<String> = banned
                .into_iter()
                .map(|ban| ban.user.map_or_else(|| ban.network.unwrap(), |user| user.to_string()))
                .collect();
            names.sort();
            names
        };
        assert_eq!(banned(19).await, ["192.0.2.0/24", "ann", "robo"]);
        assert_eq!(banned(20).await, ["192.0.2.0/24"]);
        assert!(store.lift_ban(network.id, act(15, None)).await.unwrap());
        assert!(!store.lift_ban(network.id, act(16, None)).await.unwrap(), "once");
        assert!(!store.lift_ban(until_20.id, act(20, None)).await.unwrap(), "it is over");
        assert_eq!(
            store.bans(ListedBans::Standing(19), 9).await.unwrap(),
            std::slice::from_ref(&until_20)
        );
        assert_eq!(store.bans(ListedBans::Of(ann.id), 9).await.unwrap(), [until_20]);
        let all = store.bans(ListedBans::All, 9).await.unwrap();
        assert_eq!(all.len(), 2);
        assert_eq!(all[0], StoredBan { lifted_at: Some(15), ..network });
    }
}

#[tokio::test]
async fn closing_an_account_ends_its_tokens_and_those_of_its_bots() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        let ann = account(store, "ann").await;
        let robo = new_user("robo", NewUserKind::Bot(ann.id));
        created(store.create_user(robo, Some(program(2))).await.unwrap());
        store.add_token(ann.id, log_in(1)).await.unwrap();
        ban(store, BanSubject::User(ann.id), BanKind::Closed, None).await;
        assert!(!has_token(store, 1).await && !has_token(store, 2).await);
        assert!(store.reopen(ann.id, act(11, None)).await.unwrap());
        assert!(!store.reopen(ann.id, act(12, None)).await.unwrap());
        assert_eq!(store.banned(12).await.unwrap(), []);
    }
}

#[tokio::test]
async fn a_code_sets_a_password_once_and_in_time() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        let ann = account(store, "ann").await;
        store.add_token(ann.id, log_in(1)).await.unwrap();
        store.set_reset_code(ann.id, [8; 32], 20, act(10, None)).await.unwrap();
        // A later code takes the place of the earlier one.
        store.set_reset_code(ann.id, [9; 32], 20, act(10, None)).await.unwrap();
        let may = |digest, now_ms| store.reset_code(name("Ann"), [digest; 32], now_ms);
        assert_eq!(may(9, 19).await.unwrap(), Some(ann.clone()));
        assert_eq!((may(8, 19).await.unwrap(), may(9, 20).await.unwrap()), (None, None));
        let set = |now_ms| store.use_reset_code(ann.id, [9; 32], "new".to_owned(), now_ms);
        assert!(!set(20).await.unwrap() && has_token(store, 1).await);
        assert!(set(19).await.unwrap() && !has_token(store, 1).await);
        assert!(!set(19).await.unwrap(), "once");
        let (_, hash) = store.find_user(name("ann")).await.unwrap().unwrap();
        assert_eq!(hash.as_deref(), Some("new"));
    }
}

#[tokio::test]
async fn an_invitation_is_good_for_so_many_accounts_and_for_so_long() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        let codes = ["one", "two"].map(str::to_owned).to_vec();
        store.add_invitations(codes, (2, 20), act(10, None)).await.unwrap();
        let take = |now_ms| store.take_invitation("one".to_owned(), now_ms);
        assert!(!take(20).await.unwrap());
        assert!(take(19).await.unwrap() && take(19).await.unwrap());
        assert!(!take(19).await.unwrap());
        store.return_invitation("one".to_owned()).await.unwrap();
        assert!(take(19).await.unwrap());
        let left = store.invitations(19, 9).await.unwrap();
        assert_eq!(
            left.iter().map(|left| (&*left.code, left.uses)).collect::<Vec<_>>(),
            [("two", 2)]
        );
    }
}

#[tokio::test]
async fn a_user_of_whom_records_tell_keeps_the_name() {
    for tested in TestedStore::all().await {
        let store = &tested.store;
        let (ann, bob) = (account(store, "ann").await, guest(store, "bob").await);
        let rename = |user: &User, to| store.rename_user(user.id, name(to), act(10, Some(to)));
        assert_eq!(rename(&ann, "Bob").await.unwrap(), RenameOutcome::NameTaken(name("bob")));
        assert_eq!(rename(&ann, "AN7").await.unwrap(), RenameOutcome::Renamed);
        assert_eq!(store.find_user(name("ann")).await.unwrap(), None);
        assert!(store.find_user(name("an7")).await.unwrap().is_some());
        tested.begin("k7q2mx", ["bob", "cy"]).await;
        assert_eq!(rename(&bob, "bobby").await.unwrap(), RenameOutcome::HasGames);
        let acts = store.acts(None, 99, 9).await.unwrap();
        assert_eq!(acts.len(), 1, "only what was done: {acts:?}");
        assert_eq!(acts[0].act, act(10, Some("AN7")));
        assert_eq!(store.acts(Some("AN7".to_owned()), 99, 9).await.unwrap(), acts);
        assert_eq!(store.acts(None, acts[0].id, 9).await.unwrap(), []);
    }
}

#[tokio::test]
async fn the_acts_about_a_user_follow_the_name() {
    for tested in TestedStore::all().await {
        let store = &tested.store;
        let ann = account(store, "ann").await;
        store.add_user_note(ann.id, "calm".to_owned(), act(10, Some("ann"))).await.unwrap();
        store.rename_user(ann.id, name("Eve"), act(11, Some("ann"))).await.unwrap();
        // Somebody else takes the name.
        let other = account(store, "ann").await;
        store.add_user_note(other.id, "new".to_owned(), act(12, Some("ann"))).await.unwrap();
        let times = async |about: &str| -> Vec<u64> {
            let acts = store.acts(Some(about.to_owned()), 99, 9).await.unwrap();
            acts.into_iter().map(|stored| stored.act.at).collect()
        };
        assert_eq!(times("eve").await, [11, 10]);
        assert_eq!(times("ann").await, [12]);
    }
}
