//! What every journal promises.

use super::*;

/// A journal: of a store, or in memory.
struct Subject {
    journal: Arc<dyn Journal>,
    place: Result<TestedStore, Arc<Memory>>,
}

impl Subject {
    fn of(tested: TestedStore) -> Self {
        Self { journal: Arc::clone(&tested.store.journal), place: Ok(tested) }
    }

    /// Returns the journals that carry out calls in the order in which they are made, empty.
    fn in_order() -> Vec<Self> {
        let memory = Arc::new(Memory::default());
        let in_memory = Self { journal: Arc::<Memory>::clone(&memory), place: Err(memory) };
        vec![in_memory, Self::of(TestedStore::embedded())]
    }

    async fn all() -> Vec<Self> {
        let mut all = Self::in_order();
        all.push(Self::of(TestedStore::shared().await));
        all
    }

    async fn add_challenge(&self, id: &ChallengeId) {
        let open = challenge(id.as_str(), &["ann", "bob"]);
        match &self.place {
            Ok(tested) => {
                tested.store.add_offer(NewOffer { open, house: Vec::new() }).await.unwrap();
            }
            Err(memory) => memory.add_offer(open.id()),
        }
    }

    async fn append(&self, append: Append) -> AppendOutcome {
        self.journal.append(vec![append]).await.pop().unwrap()
    }

    async fn begin(&self, game: &str) {
        self.journal.begin(begin(game)).await.unwrap();
    }

    async fn records(&self, game: &str) -> Vec<Bytes> {
        self.journal.read(game.parse().unwrap(), 1, usize::MAX).await.unwrap()
    }
}

fn record(text: &'static str) -> Bytes {
    Bytes::from_static(text.as_bytes())
}

/// The chain of a game's record with this seq.
fn chain(game: &str, seq: u64) -> Chain {
    chain_after(Chain::default(), format!("{game} {seq}").as_bytes())
}

pub(in crate::store) fn begin(game: &str) -> Begin {
    let records = vec![record("created"), record("started")];
    let (entry, chain) = (Box::new(entry(game, "adamas", 1)), chain(game, 2));
    Begin { entry, records, chain, deadline: None, offer: None, rematch_of: None }
}

pub(in crate::store) fn append(game: &str, expected_seq: u64, records: &[&'static str]) -> Append {
    Append {
        game: game.parse().unwrap(),
        expected_seq,
        prev: chain(game, expected_seq),
        records: records.iter().map(|text| Frame::text(&record(text))).collect(),
        chain: chain(game, expected_seq + records.len() as u64),
        summary: Summary { ply: 1, to_move: Some(Seat::FIRST), last_at: 2 },
        deadline: None,
        reseated: None,
        result: None,
    }
}

pub(in crate::store) fn archived(game: &str, seq: u64, state: ArchivedState) -> ArchivedGame {
    let entry = Box::new(entry(game, "adamas", 1));
    ArchivedGame { game: game.parse().unwrap(), seq, state, entry, deadline: None }
}

#[tokio::test]
async fn an_append_is_stored_whole_or_not_at_all() {
    for subject in Subject::all().await {
        subject.begin("g1").await;
        assert_eq!(subject.append(append("g1", 2, &["three", "four"])).await.unwrap(), None);
        for seq in [0, 2, 3, 5] {
            let refused = subject.append(append("g1", seq, &["other", "another"])).await;
            let is_conflict = matches!(refused, Err(AppendError::Conflict { last_seq: 4 }));
            assert!(is_conflict, "after {seq}: {refused:?}");
        }
        assert_eq!(subject.records("g1").await, ["created", "started", "three", "four"]);
        let page = subject.journal.read("g1".parse().unwrap(), 2, 2).await.unwrap();
        assert_eq!(page, ["started", "three"]);
    }
}

#[tokio::test]
async fn a_conflict_refuses_one_append_of_a_batch() {
    for subject in Subject::all().await {
        for game in ["g1", "g2", "g3"] {
            subject.begin(game).await;
        }
        let pool = Pool { rules: "adamas".into(), players: 2 };
        let users = ["ann", "bob"].map(|user| user.parse().unwrap()).to_vec();
        let result = Some(RatedResult::new(pool, users, vec![1, 2]));
        let batch = vec![
            append("g1", 2, &["moved"]),
            append("g2", 1, &["late"]),
            Append { result, ..append("g3", 2, &["ended"]) },
        ];
        let outcomes = subject.journal.append(batch).await;
        let [Ok(None), Err(AppendError::Conflict { last_seq: 2 }), Ok(Some(change))] =
            &outcomes[..]
        else {
            panic!("{outcomes:?}")
        };
        let stored = subject.journal.rating_change("g3".parse().unwrap()).await.unwrap();
        assert_eq!(stored.as_ref(), Some(change));
        assert_eq!(subject.records("g1").await, ["created", "started", "moved"]);
        assert_eq!(subject.records("g2").await, ["created", "started"]);
        assert_eq!(subject.records("g3").await, ["created", "started", "ended"]);
    }
}

#[tokio::test]
async fn one_of_two_writers_appends() {
    for subject in Subject::all().await {
        subject.begin("g1").await;
        let (one, other) = (append("g1", 2, &["one"]), append("g1", 2, &["other"]));
        let outcomes = join(subject.append(one), subject.append(other)).await;
        assert!(
            matches!(outcomes, (Ok(_), Err(AppendError::Conflict { last_seq: 3 }))),
            "{outcomes:?}"
        );
        assert_eq!(subject.records("g1").await, ["created", "started", "one"]);
    }
}

#[tokio::test]
async fn an_id_serves_one_game() {
    for subject in Subject::all().await {
        subject.begin("live").await;
        subject.begin("over").await;
        let finished = archived("over", 2, ArchivedState::Finished);
        subject.journal.archive(finished).await.unwrap();
        for game in ["live", "over"] {
            let again = subject.journal.begin(begin(game)).await;
            assert!(matches!(again, Err(BeginError::IdTaken)), "{again:?}");
            assert_eq!(subject.records(game).await.len(), 2);
        }
        let at_once =
            join(subject.journal.begin(begin("new")), subject.journal.begin(begin("new"))).await;
        assert!(
            matches!(
                at_once,
                (Ok(()), Err(BeginError::IdTaken)) | (Err(BeginError::IdTaken), Ok(()))
            ),
            "{at_once:?}"
        );
    }
}

fn claim(challenge: &ChallengeId) -> OfferClaim {
    OfferClaim { offer: OfferId::Challenge(challenge.clone()), version: 0 }
}

#[tokio::test]
async fn a_challenge_becomes_one_game() {
    for subject in Subject::all().await {
        let open: ChallengeId = "h_1".parse().unwrap();
        subject.add_challenge(&open).await;
        let accept = |game| Begin { offer: Some(claim(&open)), ..begin(game) };
        let accepted =
            join(subject.journal.begin(accept("g1")), subject.journal.begin(accept("g2"))).await;
        let ((Ok(()), Err(refused)) | (Err(refused), Ok(()))) = accepted else {
            panic!("{accepted:?}")
        };
        let BeginError::OfferGone(gone) = refused else { panic!("{refused:?}") };
        assert_eq!(gone, OfferId::Challenge(open.clone()));
        if let Ok(tested) = &subject.place {
            let deleted = tested.store.delete_offer(OfferId::Challenge(open)).await;
            assert_eq!(deleted.unwrap(), None, "it has become a game");
        }
        let stored = [subject.records("g1").await.len(), subject.records("g2").await.len()];
        assert!([[2, 0], [0, 2]].contains(&stored), "{stored:?}");
    }
}

#[tokio::test]
async fn a_game_has_one_rematch() {
    for subject in Subject::all().await {
        let before: GameId = "g0".parse().unwrap();
        let open: ChallengeId = "h_1".parse().unwrap();
        let rematch = |game| Begin { rematch_of: Some(before.clone()), ..begin(game) };
        // A refused game does not take the place of the rematch.
        let refused = Begin { offer: Some(claim(&open)), ..rematch("g1") };
        let refused = subject.journal.begin(refused).await;
        assert!(matches!(refused, Err(BeginError::OfferGone(_))), "{refused:?}");
        let begun =
            join(subject.journal.begin(rematch("g2")), subject.journal.begin(rematch("g3"))).await;
        let ((Ok(()), Err(refused)) | (Err(refused), Ok(()))) = begun else { panic!("{begun:?}") };
        let BeginError::RematchExists(next) = refused else { panic!("{refused:?}") };
        let stored = [subject.records("g2").await.len(), subject.records("g3").await.len()];
        assert!([("g2", [2, 0]), ("g3", [0, 2])].contains(&(next.as_str(), stored)), "{stored:?}");
        // A refused game does not take the challenge either.
        subject.add_challenge(&open).await;
        let refused = Begin { offer: Some(claim(&open)), ..rematch("g4") };
        let refused = subject.journal.begin(refused).await;
        assert!(matches!(refused, Err(BeginError::RematchExists(_))), "{refused:?}");
        subject.journal.begin(Begin { offer: Some(claim(&open)), ..begin("g5") }).await.unwrap();
    }
}

#[tokio::test]
async fn a_game_that_has_moved_on_is_not_archived() {
    for subject in Subject::all().await {
        subject.begin("g1").await;
        subject.append(append("g1", 2, &["moved"])).await.unwrap();
        let parked = subject.journal.archive(archived("g1", 2, ArchivedState::Parked)).await;
        assert!(matches!(parked, Err(ArchiveError::Conflict { last_seq: 3 })), "{parked:?}");
        let finished = subject.journal.archive(archived("g1", 2, ArchivedState::Finished)).await;
        assert!(matches!(finished, Err(ArchiveError::Conflict { last_seq: 3 })), "{finished:?}");
        assert_eq!(subject.append(append("g1", 3, &["again"])).await.unwrap(), None);
        assert_eq!(subject.records("g1").await.len(), 4);
    }
}

#[tokio::test]
async fn an_append_and_an_archiving_are_carried_out_in_order() {
    for subject in Subject::in_order() {
        subject.begin("g1").await;
        let moved = subject.append(append("g1", 2, &["moved"]));
        let parked =
            async { subject.journal.archive(archived("g1", 2, ArchivedState::Parked)).await };
        let (moved, parked) = join(moved, parked).await;
        moved.unwrap();
        assert!(matches!(parked, Err(ArchiveError::Conflict { last_seq: 3 })), "{parked:?}");
        let ended = subject.append(append("g1", 3, &["ended"]));
        let finish =
            async { subject.journal.archive(archived("g1", 4, ArchivedState::Finished)).await };
        let (ended, finished) = join(ended, finish).await;
        ended.unwrap();
        finished.unwrap();
        assert_eq!(subject.records("g1").await, ["created", "started", "moved", "ended"]);
    }
}

#[tokio::test]
async fn a_parked_game_goes_on_with_its_next_append() {
    for subject in Subject::all().await {
        subject.begin("g1").await;
        for seq in 2..6 {
            subject.journal.archive(archived("g1", seq, ArchivedState::Parked)).await.unwrap();
            let stale = subject.append(append("g1", seq - 1, &["stale"])).await;
            let AppendError::Conflict { last_seq } = stale.unwrap_err() else { panic!() };
            assert_eq!(last_seq, seq);
            subject.append(append("g1", seq, &["moved"])).await.unwrap();
            assert_eq!(subject.records("g1").await.len() as u64, seq + 1);
        }
        assert_eq!(subject.records("g1").await[2..], ["moved"; 4]);
    }
    for subject in Subject::in_order() {
        subject.begin("g1").await;
        let park = subject.journal.archive(archived("g1", 2, ArchivedState::Parked));
        let go_on = subject.append(append("g1", 2, &["moved"]));
        let (parked, moved) = join(park, go_on).await;
        parked.unwrap();
        moved.unwrap();
        assert_eq!(subject.records("g1").await[2..], ["moved"]);
    }
}

#[tokio::test]
async fn a_game_without_a_beginning_is_not_appended_to() {
    for subject in Subject::all().await {
        let refused = subject.append(append("g1", 0, &["moved"])).await;
        assert!(matches!(refused, Err(AppendError::Conflict { last_seq: 0 })), "{refused:?}");
        assert_eq!(subject.records("g1").await, Vec::<Bytes>::new());
    }
}

#[tokio::test]
async fn a_batch_of_any_size_is_stored_in_order() {
    for subject in Subject::all().await {
        let games: Vec<String> = (0..105).map(|number| format!("g{number}")).collect();
        for game in &games {
            subject.begin(game).await;
        }
        let appends = games.iter().map(|game| append(game, 2, &["three", "four"]));
        let outcomes = subject.journal.append(appends.collect()).await;
        assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
        for game in &games {
            assert_eq!(subject.records(game).await, ["created", "started", "three", "four"]);
        }
    }
}

#[tokio::test]
async fn a_game_can_be_finished_again() {
    for subject in Subject::all().await {
        subject.begin("g1").await;
        subject.append(append("g1", 2, &["ended"])).await.unwrap();
        for _ in 0..2 {
            let finished = archived("g1", 3, ArchivedState::Finished);
            subject.journal.archive(finished).await.unwrap();
            assert_eq!(subject.records("g1").await, ["created", "started", "ended"]);
        }
        let finish = || async {
            let finished = archived("g1", 3, ArchivedState::Finished);
            subject.journal.archive(finished).await
        };
        let (one, other) = join(finish(), finish()).await;
        one.unwrap();
        other.unwrap();
        let stale = subject.journal.archive(archived("g1", 2, ArchivedState::Parked)).await;
        assert!(matches!(stale, Err(ArchiveError::Conflict { last_seq: 3 })), "{stale:?}");
    }
}
