//! What every store promises about challenges, invites and seeks, which several nodes decide about
//! at once. One suite of tests over every kind of store.

use adamant_protocol::{
    ChallengeId, GameId, InviteId, SeekId, UserName,
    ids::Chain,
    to_client::{Challenged, InviteEntry, SeekEntry},
};
use futures::future::join;
use serde_json::json;
use tempfile::TempDir;

use crate::{
    address::{ClientAddress, ClientNetwork},
    cluster::NodeId,
    config::StoreConfig,
    limits::{CHALLENGES_PER_PAIR_MAX, INVITES_PER_USER_MAX, SEEKS_PER_USER_MAX},
    outbound::SessionId,
    store::{
        AcceptChallengeOutcome, AddChallengeOutcome, Begin, BeginError, JoinInviteOutcome,
        JoinSeekOutcome, NewChallenge, NodeSession, Origin, OriginClaim, SeekOutcome, Seeker,
        Seeking, Sqlite, Store, StoredChallenge, StoredInvite, StoredSeek, SuitsSeek,
        fixture::entry,
    },
};

/// A store, with its directory if it has one.
struct OpenRowsStore {
    store: Store,
    directory: TempDir,
}

impl OpenRowsStore {
    /// Returns every kind of store, empty.
    fn all() -> [Self; 1] {
        let directory = tempfile::tempdir().unwrap();
        [Self { store: open(&directory), directory }]
    }

    /// Stops the store and opens it again.
    async fn reopen(self) -> Self {
        let Self { store, directory } = self;
        store.backend.close(1).await;
        drop(store);
        Self { store: open(&directory), directory }
    }

    async fn begin(&self, game: &str, origin: Origin) -> Result<(), BeginError> {
        let origin = Some(claim(origin));
        self.store.journal.begin(Begin { origin, ..begun(game) }).await
    }

    async fn add(&self, stored: StoredChallenge) -> AddChallengeOutcome {
        let house = Vec::new();
        self.store.challenges.add_challenge(NewChallenge { stored, house }).await.unwrap()
    }

    async fn accept(&self, id: &str, user: &str) -> AcceptChallengeOutcome {
        self.store
            .challenges
            .accept_challenge(id.parse().unwrap(), name(user), false)
            .await
            .unwrap()
    }

    async fn join_invite(&self, id: &str, user: &str) -> JoinInviteOutcome {
        self.store.invites.join_invite(id.parse().unwrap(), name(user), false).await.unwrap()
    }

    async fn seek(&self, seek: StoredSeek, suits: SuitsSeek) -> SeekOutcome {
        let session = session("here", 1);
        self.store.seeks.open_or_join(Seeking { seek, session, suits }).await.unwrap()
    }

    /// The ids of all open seeks, each with its users.
    async fn seeks(&self) -> Vec<(String, Vec<String>)> {
        let seeks = self.store.seeks.seeks().await.unwrap();
        let users = |seek: &StoredSeek| seek.entry.joined.iter().map(UserName::to_string).collect();
        seeks.iter().map(|seek| (seek.entry.seek.to_string(), users(seek))).collect()
    }
}

fn open(directory: &TempDir) -> Store {
    let config = StoreConfig { wal_mib: 1, ..StoreConfig::at(directory.path()) };
    Sqlite::open(&config, std::sync::Arc::default()).unwrap().0.into()
}

fn begun(game: &str) -> Begin {
    let records = vec!["created".into(), "started".into()];
    let (entry, chain) = (Box::new(entry(game, "game", 1)), Chain::default());
    Begin { entry, records, chain, deadline: None, origin: None, rematch_of: None }
}

/// The claim to something that only its maker has joined.
fn claim(origin: Origin) -> OriginClaim {
    OriginClaim { origin, version: Some(0) }
}

fn name(user: &str) -> UserName {
    user.parse().unwrap()
}

fn network(address: [u8; 4]) -> ClientNetwork {
    ClientAddress::from(std::net::IpAddr::from(address)).network()
}

fn challenge(id: &str, seats: &[&str], rematch_of: Option<&str>) -> StoredChallenge {
    let by = seats[0];
    let challenged: Challenged = serde_json::from_value(json!({
        "challenge": id, "by": by, "rules": "game@1", "options": {}, "seats": seats,
        "shuffle": false, "clock": {"mode": "none"}, "rated": false, "accepted": [by],
        "rematch_of": rematch_of, "created": 1, "expires": 9
    }))
    .unwrap();
    let (bots, created_at, from) = (Vec::new(), 1, None);
    StoredChallenge { id: id.parse().unwrap(), challenged, bots, created_at, from }
}

fn invite(id: &str, by: &str, players: u8) -> StoredInvite {
    let entry: InviteEntry = serde_json::from_value(json!({
        "invite": id, "by": by, "rules": "game@1", "options": {}, "players": players,
        "seat": "random", "clock": {"mode": "none"}, "rated": false, "joined": [by],
        "created": 1, "expires": 9
    }))
    .unwrap();
    StoredInvite { entry, bots: Vec::new(), from: None, version: 0 }
}

fn session(node: &str, session: u64) -> NodeSession {
    NodeSession { node: Some(node.parse().unwrap()), session: SessionId(session) }
}

fn seeker(user: &str, session: Option<NodeSession>) -> Seeker {
    let (user, seat) = (name(user), adamant_protocol::from_client::SeatWish::Random);
    Seeker { user, bot: false, guest: false, rating: 1500, seat, session }
}

/// A seek that ends with a session, or a lasting one.
fn seek(id: &str, by: &str, players: u8, session: Option<NodeSession>) -> StoredSeek {
    let lasting = session.is_none();
    let entry: SeekEntry = serde_json::from_value(json!({
        "seek": id, "by": by, "bot": false, "guest": false, "rules": "game@1", "options": {},
        "players": players, "seat": "random", "clock": {"mode": "none"}, "rated": false,
        "allow": {"bots": true, "guests": true}, "lasting": lasting,
        "expires": lasting.then_some(9), "joined": [by]
    }))
    .unwrap();
    StoredSeek { entry, joined: vec![seeker(by, session)], from: None, version: 0 }
}

fn any() -> SuitsSeek {
    Box::new(|_| true)
}

fn none() -> SuitsSeek {
    Box::new(|_| false)
}

#[tokio::test]
async fn a_challenge_waits_until_all_have_accepted() {
    for subject in OpenRowsStore::all() {
        let seats = ["ann", "bob", "cy"];
        assert_eq!(subject.add(challenge("h_1", &seats, None)).await, AddChallengeOutcome::Added);
        let waiting = subject.accept("h_1", "bob").await;
        assert!(matches!(waiting, AcceptChallengeOutcome::Waiting(_)), "{waiting:?}");
        let again = subject.accept("h_1", "bob").await;
        assert_eq!(again, AcceptChallengeOutcome::AlreadyAccepted);
        let AcceptChallengeOutcome::Full(full) = subject.accept("h_1", "cy").await else {
            panic!("all have accepted")
        };
        assert_eq!(full.challenged.accepted, ["ann", "bob", "cy"].map(name));
        // Its game may yet fail to begin: it is open, without the last acceptance.
        let id: ChallengeId = "h_1".parse().unwrap();
        let open = subject.store.challenges.find_challenge(id.clone()).await.unwrap().unwrap();
        assert_eq!(open.challenged.accepted, ["ann", "bob"].map(name));
        assert!(subject.store.challenges.delete_challenge(id.clone()).await.unwrap());
        assert!(!subject.store.challenges.delete_challenge(id).await.unwrap());
        assert_eq!(subject.accept("h_1", "cy").await, AcceptChallengeOutcome::Gone);
    }
}

#[tokio::test]
async fn of_acceptances_at_the_same_moment_one_is_the_last() {
    for subject in OpenRowsStore::all() {
        subject.add(challenge("h_1", &["ann", "bob", "cy"], None)).await;
        let outcomes = join(subject.accept("h_1", "bob"), subject.accept("h_1", "cy")).await;
        let outcomes = [outcomes.0, outcomes.1];
        let full = |outcome: &&_| matches!(outcome, AcceptChallengeOutcome::Full(_));
        assert_eq!(outcomes.iter().filter(full).count(), 1, "{outcomes:?}");
    }
}

#[tokio::test]
async fn open_challenges_are_bounded_and_closed_ones_do_not_count() {
    for subject in OpenRowsStore::all() {
        let add = async |number: usize| {
            subject.add(challenge(&format!("h_{number}"), &["Ann", "Bob"], None)).await
        };
        for number in 0..CHALLENGES_PER_PAIR_MAX {
            assert_eq!(add(number).await, AddChallengeOutcome::Added);
        }
        let refused = add(CHALLENGES_PER_PAIR_MAX).await;
        assert!(
            matches!(&refused, AddChallengeOutcome::LimitReached(limit)
                if limit.limit == "challenges_per_pair"),
            "{refused:?}"
        );
        let to_another = challenge("h_cy", &["ann", "cy"], None);
        assert_eq!(subject.add(to_another).await, AddChallengeOutcome::Added);
        // An acceptance, a game and a deletion make room for another.
        let first: ChallengeId = "h_0".parse().unwrap();
        subject.begin("g1", Origin::Challenge(first)).await.unwrap();
        assert_eq!(add(CHALLENGES_PER_PAIR_MAX).await, AddChallengeOutcome::Added);
        assert!(matches!(add(99).await, AddChallengeOutcome::LimitReached(_)));
        let second: ChallengeId = "h_1".parse().unwrap();
        subject.store.challenges.delete_challenge(second).await.unwrap();
        assert_eq!(add(99).await, AddChallengeOutcome::Added);
    }
}

#[tokio::test]
async fn bounds_hold_after_a_restart() {
    for subject in OpenRowsStore::all() {
        for number in 0..CHALLENGES_PER_PAIR_MAX {
            subject.add(challenge(&format!("h_{number}"), &["ann", "bob"], None)).await;
        }
        let subject = subject.reopen().await;
        let refused = subject.add(challenge("h_x", &["ann", "bob"], None)).await;
        assert!(matches!(refused, AddChallengeOutcome::LimitReached(_)), "{refused:?}");
    }
}

#[tokio::test]
async fn a_game_has_one_challenge_to_a_rematch() {
    for subject in OpenRowsStore::all() {
        let before: GameId = "g0".parse().unwrap();
        let ask = |id| subject.add(challenge(id, &["ann", "bob"], Some("g0")));
        let outcomes = join(ask("h_1"), ask("h_2")).await;
        let open = AddChallengeOutcome::RematchOpen("h_1".parse().unwrap());
        assert_eq!(outcomes, (AddChallengeOutcome::Added, open));
        let origin = Some(claim(Origin::Challenge("h_1".parse().unwrap())));
        let rematch = Begin { origin, rematch_of: Some(before), ..begun("g1") };
        subject.store.journal.begin(rematch).await.unwrap();
        assert_eq!(ask("h_3").await, AddChallengeOutcome::RematchBegun("g1".parse().unwrap()));
    }
}

#[tokio::test]
async fn users_join_and_leave_an_invite() {
    for subject in OpenRowsStore::all() {
        let invites = &subject.store.invites;
        invites.add_invite(invite("i_1", "ann", 3)).await.unwrap().unwrap();
        assert_eq!(subject.join_invite("i_1", "ann").await, JoinInviteOutcome::AlreadyJoined);
        let JoinInviteOutcome::Waiting(waiting) = subject.join_invite("i_1", "bob").await else {
            panic!("one is missing")
        };
        assert_eq!((waiting.entry.joined.len(), waiting.version), (2, 1));
        let id: InviteId = "i_1".parse().unwrap();
        assert_eq!(invites.leave_invite(id.clone(), name("ann")).await.unwrap(), None);
        assert_eq!(invites.leave_invite(id.clone(), name("dan")).await.unwrap(), None);
        let left = invites.leave_invite(id.clone(), name("bob")).await.unwrap().unwrap();
        assert_eq!((left.entry.joined, left.version), (vec![name("ann")], 2));
        for user in ["cy", "bob"] {
            subject.join_invite("i_1", user).await;
        }
        // The last one is not stored before the game is.
        let open = invites.find_invite(id.clone()).await.unwrap().unwrap();
        assert_eq!((open.entry.joined, open.version), (["ann", "cy"].map(name).to_vec(), 3));
        let joined = ["ann", "cy"].map(name).to_vec();
        assert_eq!(invites.delete_invite(id).await.unwrap(), Some(joined));
        assert_eq!(subject.join_invite("i_1", "bob").await, JoinInviteOutcome::Gone);
    }
}

#[tokio::test]
async fn an_invite_becomes_one_game() {
    for subject in OpenRowsStore::all() {
        subject.store.invites.add_invite(invite("i_1", "ann", 2)).await.unwrap().unwrap();
        for user in ["bob", "cy"] {
            let full = subject.join_invite("i_1", user).await;
            assert!(matches!(full, JoinInviteOutcome::Full(_)), "{full:?}");
        }
        let take = |game| subject.begin(game, Origin::Invite("i_1".parse().unwrap()));
        let taken = join(take("g1"), take("g2")).await;
        assert!(matches!(taken, (Ok(()), Err(BeginError::OriginGone(_)))), "{taken:?}");
        assert_eq!(subject.join_invite("i_1", "dan").await, JoinInviteOutcome::Gone);
        let id: InviteId = "i_1".parse().unwrap();
        assert_eq!(subject.store.invites.delete_invite(id.clone()).await.unwrap(), None);
        let found = subject.store.invites.find_invite(id).await.unwrap().unwrap();
        assert_eq!(found.entry.game, Some("g1".parse().unwrap()));
        assert_eq!(subject.store.invites.open_invites().await.unwrap(), []);
    }
}

#[tokio::test]
async fn open_invites_are_bounded_and_those_that_are_games_do_not_count() {
    for subject in OpenRowsStore::all() {
        let from = Some(network([10, 0, 0, 1]));
        let add = async |number: usize, by| {
            let stored = StoredInvite { from, ..invite(&format!("i_{number}"), by, 2) };
            subject.store.invites.add_invite(stored).await.unwrap()
        };
        for number in 0..INVITES_PER_USER_MAX {
            add(number, "ann").await.unwrap();
        }
        assert_eq!(add(99, "ANN").await.unwrap_err().limit, "invites");
        add(100, "bob").await.unwrap();
        let joined = subject.join_invite("i_100", "ann").await;
        assert!(matches!(joined, JoinInviteOutcome::LimitReached(_)), "{joined:?}");
        subject.begin("g1", Origin::Invite("i_0".parse().unwrap())).await.unwrap();
        add(99, "ann").await.unwrap();
        let found = subject.store.invites.find_invite("i_99".parse().unwrap()).await.unwrap();
        assert_eq!(found.unwrap().from, from);
    }
}

#[tokio::test]
async fn a_user_joins_the_oldest_seek_that_suits_or_opens_one() {
    for subject in OpenRowsStore::all() {
        for (id, by) in [("k_1", "ann"), ("k_2", "bob")] {
            let opened = subject.seek(seek(id, by, 3, Some(session("here", 1))), none()).await;
            assert_eq!(opened, SeekOutcome::Opened);
        }
        // One for another number of players is never asked about.
        subject.seek(seek("k_3", "dan", 2, Some(session("here", 1))), none()).await;
        let is_bobs: SuitsSeek = Box::new(|open| {
            assert_eq!(open.entry.players, 3);
            open.entry.by == name("bob")
        });
        let SeekOutcome::Waiting(joined) = subject.seek(seek("k_4", "cy", 3, None), is_bobs).await
        else {
            panic!("one is missing")
        };
        assert_eq!((joined.entry.seek.as_str(), joined.version), ("k_2", 1));
        assert_eq!(
            joined.joined[1].session,
            Some(session("here", 1)),
            "it leaves with its session"
        );
        let SeekOutcome::Full(full) = subject.seek(seek("k_5", "eve", 2, None), any()).await else {
            panic!("all are there")
        };
        assert_eq!(full.entry.joined, ["dan", "eve"].map(name));
        let users = |users: &[&str]| users.iter().map(ToString::to_string).collect::<Vec<_>>();
        let open =
            [("k_1", users(&["ann"])), ("k_2", users(&["bob", "cy"])), ("k_3", users(&["dan"]))];
        assert_eq!(subject.seeks().await, open.map(|(id, users)| (id.to_owned(), users)));
        // Two users complete the seek at the same moment, and one game begins.
        let take = |game| subject.begin(game, Origin::Seek("k_3".parse().unwrap()));
        let taken = join(take("g1"), take("g2")).await;
        assert!(matches!(taken, (Ok(()), Err(BeginError::OriginGone(_)))), "{taken:?}");
        assert_eq!(subject.seeks().await.len(), 2);
    }
}

#[tokio::test]
async fn two_who_seek_the_same_at_the_same_moment_meet() {
    for subject in OpenRowsStore::all() {
        let sought = |id, by, at| subject.seek(seek(id, by, 2, Some(session("here", at))), any());
        let outcomes = join(sought("k_1", "ann", 1), sought("k_2", "bob", 2)).await;
        assert!(matches!(outcomes, (SeekOutcome::Opened, SeekOutcome::Full(_))), "{outcomes:?}");
    }
}

#[tokio::test]
async fn a_user_joins_a_named_seek_if_it_suits_and_leaves_it() {
    for subject in OpenRowsStore::all() {
        subject.seek(seek("k_1", "ann", 3, None), none()).await;
        let id: SeekId = "k_1".parse().unwrap();
        let seeks = &subject.store.seeks;
        let join_as = |user, suits| {
            seeks.join_seek("k_1".parse().unwrap(), seeker(user, Some(session("here", 7))), suits)
        };
        let refused = join_as("bob", none()).await.unwrap();
        assert!(matches!(refused, JoinSeekOutcome::Unsuitable(_)), "{refused:?}");
        assert_eq!(join_as("ann", any()).await.unwrap(), JoinSeekOutcome::AlreadyJoined);
        let JoinSeekOutcome::Waiting(joined) = join_as("bob", any()).await.unwrap() else {
            panic!("one is missing")
        };
        assert_eq!(joined.joined[1].session, None, "a lasting seek outlives the connection");
        assert_eq!(seeks.leave_seek(id.clone(), name("ann")).await.unwrap(), None);
        let left = seeks.leave_seek(id.clone(), name("bob")).await.unwrap().unwrap();
        assert_eq!((left.entry.joined, left.version), (vec![name("ann")], 2));
        assert!(seeks.delete_seek(id.clone()).await.unwrap());
        assert!(!seeks.delete_seek(id.clone()).await.unwrap());
        assert_eq!(join_as("bob", any()).await.unwrap(), JoinSeekOutcome::Gone);
        assert_eq!(seeks.find_seek(id).await.unwrap(), None);
    }
}

#[tokio::test]
async fn seeks_end_with_their_session_their_node_and_the_store_unless_they_last() {
    for subject in OpenRowsStore::all() {
        let (first, other) = (session("one", 1), session("one", 2));
        let elsewhere = session("two", 1);
        for (id, by, session) in
            [("k_1", "ann", first), ("k_2", "bob", other), ("k_3", "cy", elsewhere)]
        {
            subject.seek(seek(id, by, 3, Some(session)), none()).await;
        }
        subject.seek(seek("k_4", "dan", 3, None), none()).await;
        let joins = seeker("ann", Some(first));
        subject.store.seeks.join_seek("k_2".parse().unwrap(), joins, any()).await.unwrap();
        let seeks = &subject.store.seeks;
        let ids = |ids: Vec<SeekId>| ids.iter().map(SeekId::to_string).collect::<Vec<_>>();
        let ended = seeks.end_seeks_of_session(first).await.unwrap();
        assert_eq!(ids(ended), ["k_1", "k_2"]);
        let users = |users: &[&str]| users.iter().map(ToString::to_string).collect::<Vec<_>>();
        let left = [("k_2", users(&["bob"])), ("k_3", users(&["cy"])), ("k_4", users(&["dan"]))];
        assert_eq!(subject.seeks().await, left.map(|(id, users)| (id.to_owned(), users)));
        assert_eq!(ids(seeks.end_seeks_of_session(first).await.unwrap()), <[&str; 0]>::default());
        let two: NodeId = "two".parse().unwrap();
        assert_eq!(ids(seeks.end_seeks_of_node(two).await.unwrap()), ["k_3"]);
        let subject = subject.reopen().await;
        assert_eq!(subject.seeks().await, [("k_4".to_owned(), users(&["dan"]))]);
    }
}

#[tokio::test]
async fn open_seeks_are_bounded() {
    for subject in OpenRowsStore::all() {
        let from = Some(network([10, 0, 0, 1]));
        let sought = async |number: usize, by: &str| {
            let new = seek(&format!("k_{number}"), by, 2, Some(session("here", 1)));
            subject.seek(StoredSeek { from, ..new }, none()).await
        };
        for number in 0..SEEKS_PER_USER_MAX {
            assert_eq!(sought(number, "ann").await, SeekOutcome::Opened);
        }
        let refused = sought(99, "Ann").await;
        assert!(
            matches!(&refused, SeekOutcome::LimitReached(limit) if limit.limit == "seeks"),
            "{refused:?}"
        );
        subject.begin("g1", Origin::Seek("k_0".parse().unwrap())).await.unwrap();
        assert_eq!(sought(99, "ann").await, SeekOutcome::Opened);
        let mut last = SeekOutcome::Opened;
        for number in 100..120 {
            last = sought(number, &format!("user{number}")).await;
        }
        assert!(
            matches!(&last, SeekOutcome::LimitReached(limit) if limit.limit == "seeks_per_network"),
            "{last:?}"
        );
    }
}
