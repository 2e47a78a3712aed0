//! What every store promises of the lists of games, standings, statistics and downloads.

use super::*;

/// Games of ann and bob, each with its kind and start, and its end if it is over.
const GAMES: [(&str, &str, u64, Option<u64>); 6] = [
    ("g1", "adamas", 10, Some(90)),
    ("g2", "diam", 20, Some(50)),
    ("g3", "adamas", 30, None),
    ("g4", "diam", 30, None),
    ("g5", "adamas", 40, Some(60)),
    ("g6", "adamas", 50, None),
];

fn game(id: &str) -> GameId {
    id.parse().unwrap()
}

/// Begins a game, and plays it to its end if it has one.
async fn play_game(store: &Store, entry: GameEntry, ended_at: Option<u64>) {
    let (journal, id) = (&store.journal, entry.game.to_string());
    let new = Begin { entry: Box::new(entry.clone()), ..begin(&id) };
    journal.begin(new).await.unwrap();
    let Some(last_at) = ended_at else { return };
    let summary = Summary { ply: 1, to_move: None, last_at };
    let end = Append { summary, ..append(&id, 2, &["ended"]) };
    journal.append(vec![end]).await.pop().unwrap().unwrap();
    let entry = GameEntry { last_at, state: GameState::Finished, to_move: None, ..entry };
    let over = archived(&id, 3, ArchivedState::Finished);
    journal.archive(ArchivedGame { entry: Box::new(entry), ..over }).await.unwrap();
}

/// Begins the games and another, unlisted one of bob and cat, and finishes those that are over.
async fn play(tested: &TestedStore) {
    for (id, rules, started_at, ended_at) in GAMES {
        let entry = GameEntry { started_at, ..entry(id, rules, started_at) };
        play_game(&tested.store, entry, ended_at).await;
    }
    let mut unlisted = entry("u1", "adamas", 1);
    (unlisted.unlisted, unlisted.started_at) = (true, 60);
    unlisted.seats[0].user = name("cat");
    play_game(&tested.store, unlisted, None).await;
}

fn ids(games: &[GameEntry]) -> Vec<&str> {
    games.iter().map(|entry| entry.game.as_str()).collect()
}

fn of(user: &str) -> GameFilter {
    GameFilter { user: Some(name(user)), ..GameFilter::default() }
}

fn kind(rules: &str) -> GameFilter {
    GameFilter { rules: Some(rules.into()), ..GameFilter::default() }
}

#[tokio::test]
async fn live_games_are_listed_by_start() {
    for tested in TestedStore::all().await {
        play(&tested).await;
        let store = &tested.store;
        let all = GameFilter::default();
        let page = |filter, after, limit| async move {
            let (games, more) = store.live_games(&filter, after, limit).await.unwrap();
            (ids(&games).join(" "), more)
        };
        assert_eq!(page(all.clone(), None, 9).await, ("g6 g4 g3".to_owned(), false));
        assert_eq!(page(all.clone(), None, 2).await, ("g6 g4".to_owned(), true));
        let after = store.list_key_by_start(game("g4")).await.unwrap().unwrap();
        assert_eq!(after, ListKey { at: 30, game: game("g4") });
        assert_eq!(page(all, Some(&after), 2).await, ("g3".to_owned(), false));
        assert_eq!(page(kind("diam"), None, 9).await, ("g4".to_owned(), false));
        assert_eq!(page(kind("hexma"), None, 9).await, (String::new(), false));
        assert_eq!(page(of("Ann"), None, 9).await, ("g6 g4 g3".to_owned(), false));
        assert_eq!(page(of("cat"), None, 9).await, (String::new(), false));
        let own = GameFilter { unlisted: true, ..of("bob") };
        assert_eq!(page(own.clone(), None, 9).await, ("u1 g6 g4 g3".to_owned(), false));
        let own = GameFilter { rules: Some("adamas".into()), players: Some(2), ..own };
        assert_eq!(page(own, None, 9).await, ("u1 g6 g3".to_owned(), false));
        assert_eq!(page(GameFilter { players: Some(3), ..of("ann") }, None, 9).await.0, "");
    }
}

#[tokio::test]
async fn finished_games_are_listed_by_start_and_by_end() {
    for tested in TestedStore::all().await {
        play(&tested).await;
        let store = &tested.store;
        let by_start = |filter, after| async move {
            ids(&store.finished_games(filter, after, 2).await.unwrap()).join(" ")
        };
        let by_end = |filter, after| async move {
            ids(&store.history(filter, after, 2).await.unwrap()).join(" ")
        };
        assert_eq!(by_start(GameFilter::default(), None).await, "g5 g2");
        let after = store.list_key_by_start(game("g2")).await.unwrap();
        assert_eq!(by_start(GameFilter::default(), after.clone()).await, "g1");
        assert_eq!(by_start(of("ann"), after).await, "g1");
        assert_eq!(by_start(kind("adamas"), None).await, "g5 g1");
        let both = GameFilter { players: Some(2), ..GameFilter::default() };
        assert_eq!(by_start(both, None).await, "g5 g2");
        assert_eq!(by_end(of("ann"), None).await, "g1 g5");
        let after = store.list_key_by_end(game("g5")).await.unwrap();
        assert_eq!(after, Some(ListKey { at: 60, game: game("g5") }));
        assert_eq!(by_end(of("ann"), after).await, "g2");
        let diam = GameFilter { rules: Some("diam".into()), ..of("BOB") };
        assert_eq!(by_end(diam, None).await, "g2");
        assert_eq!(store.list_key_by_end(game("g3")).await.unwrap(), None);
        assert_eq!(store.list_key_by_start(game("none")).await.unwrap(), None);
    }
}

#[tokio::test]
async fn a_live_game_is_known_by_its_last_append() {
    for tested in TestedStore::all().await {
        play(&tested).await;
        let (games, journal) = (&tested.store, &tested.store.journal);
        let live = |ended| Some(LiveState { ended, delay: 0 });
        assert_eq!(games.live_state(&game("g3")).await.unwrap(), live(false));
        assert_eq!(games.live_state(&game("g1")).await.unwrap(), None);
        assert_eq!(games.live_state(&game("none")).await.unwrap(), None);
        let summary = Summary { ply: 7, to_move: Seat::new(1), last_at: 99 };
        let moved = Append { summary, ..append("g3", 2, &["moved"]) };
        journal.append(vec![moved]).await.pop().unwrap().unwrap();
        let entry = games.game_entry(&game("g3")).await.unwrap().unwrap();
        assert_eq!((entry.ply, entry.to_move, entry.last_at), (7, Some(1), 99));
        let (listed, _) = games.live_games(&kind("adamas"), None, 9).await.unwrap();
        assert_eq!(listed[1], entry);
        let active = games.active_games(Some(Kind::ALL[0]), 1).await.unwrap();
        assert_eq!(active.len(), 1);
        let active = games.active_games(None, 1).await.unwrap();
        assert_eq!(active, std::slice::from_ref(&entry));

        let mut seats = entry.seats;
        seats.reverse();
        let swapped = Append { reseated: Some(seats.clone()), ..append("g3", 3, &["swapped"]) };
        journal.append(vec![swapped]).await.pop().unwrap().unwrap();
        assert_eq!(games.game_entry(&game("g3")).await.unwrap().unwrap().seats, seats);

        let summary = Summary { ply: 7, to_move: None, last_at: 100 };
        let ended = Append { summary, ..append("g3", 4, &["ended"]) };
        journal.append(vec![ended]).await.pop().unwrap().unwrap();
        assert_eq!(games.live_state(&game("g3")).await.unwrap(), live(true));
        assert_eq!(games.game_entry(&game("none")).await.unwrap(), None);
        let over = games.game_entry(&game("g1")).await.unwrap().unwrap();
        assert_eq!((over.last_at, over.to_move), (90, None));
    }
}

#[tokio::test]
async fn live_games_of_a_user_are_counted_and_named() {
    for tested in TestedStore::all().await {
        play(&tested).await;
        let store = &tested.store;
        let of_ann: Vec<GameId> = ["g3", "g4", "g6"].map(game).into();
        let mut found = store.live_games_of(&name("ANN")).await.unwrap();
        found.sort();
        assert_eq!(found, of_ann);
        for (user, count) in [("ann", 3), ("bob", 4), ("Cat", 1), ("dan", 0)] {
            assert_eq!(store.count_live_of(&name(user)).await.unwrap(), count, "{user}");
        }
        let parked = archived("g6", 2, ArchivedState::Parked);
        store.journal.archive(parked).await.unwrap();
        assert_eq!(store.count_live_of(&name("ann")).await.unwrap(), 3);
        let (listed, _) = store.live_games(&of("ann"), None, 1).await.unwrap();
        assert_eq!(ids(&listed), ["g6"]);
    }
}

fn pool() -> Pool {
    Pool { rules: "adamas".into(), players: 2 }
}

async fn beats(store: &Store, winner: &str, loser: &str) {
    let game = format!("{winner}-{loser}").replace('-', "0");
    store.journal.begin(begin(&game)).await.unwrap();
    let users = vec![name(winner), name(loser)];
    let result = Some(RatedResult::new(pool(), users, vec![1, 2]));
    let ended = Append { result, ..append(&game, 2, &["ended"]) };
    store.journal.append(vec![ended]).await.pop().unwrap().unwrap();
}

async fn listed(store: &Store, bot: Option<bool>, limit: u32) -> Vec<StandingRow> {
    let filter = StandingsFilter { pool: pool(), bot };
    let (mut rows, mut after) = (Vec::new(), None);
    loop {
        let page = store.standings(filter.clone(), after, limit).await.unwrap();
        let Some(last) = page.last() else { return rows };
        after = Some(last.key.clone());
        rows.extend(page);
    }
}

#[tokio::test]
async fn bots_and_people_have_places_of_their_own() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        let ann = account(store, "Ann").await;
        for person in ["bob", "cy", "dee"] {
            account(store, person).await;
        }
        for (bot, kind) in [("Annbot", NewUserKind::Bot(ann.id)), ("house", NewUserKind::House)] {
            created(store.create_user(new_user(bot, kind), None).await.unwrap());
        }
        for (winner, loser) in
            [("annbot", "ann"), ("house", "bob"), ("annbot", "cy"), ("dee", "house")]
        {
            beats(store, winner, loser).await;
        }
        let all = listed(store, None, 100).await;
        assert_eq!(all.len(), 6);
        assert_eq!(listed(store, None, 1).await, all);
        let place = |user| all.iter().find(|row| row.user == name(user)).unwrap().place;
        assert_eq!(place("Ann"), place("bob"), "both have lost once");
        for (bot, names) in
            [(true, &["Annbot", "house"][..]), (false, &["dee", "cy", "Ann", "bob"])]
        {
            let whole = listed(store, Some(bot), 100).await;
            let mut found: Vec<&str> = whole.iter().map(|row| row.user.as_str()).collect();
            let mut expected: Vec<StandingRow> =
                all.iter().filter(|row| row.bot == bot).cloned().collect();
            let ranks: Vec<i64> = expected.iter().map(|row| row.key.rank).collect();
            for row in &mut expected {
                let stronger = ranks.iter().filter(|rank| **rank < row.key.rank).count();
                row.place = u32::try_from(stronger).unwrap() + 1;
            }
            assert_eq!(whole, expected);
            for limit in [1, 2] {
                assert_eq!(listed(store, Some(bot), limit).await, expected);
            }
            found.sort_unstable();
            let mut names = names.to_vec();
            names.sort_unstable();
            assert_eq!(found, names);
        }
        // A user's own place is that among all.
        let house = store.user_summary(name("house")).await.unwrap().unwrap();
        let user = &house.user;
        assert_eq!((user.name.as_str(), house.since, user.guest), ("house", 1, false));
        let (_, own) = &house.standings[0];
        assert_eq!(Some(own), all.iter().find(|row| row.user == name("house")));
    }
}

async fn finish(store: &Store, game: &str) {
    play_game(store, entry(game, "adamas", 1), Some(2)).await;
}

fn group(opponents: Option<Opponents>) -> TallyGroup {
    TallyGroup { rules: "adamas".into(), players: 2, opponents }
}

fn key(opponents: Option<Opponents>, aspect: Aspect, value: &str) -> TallyKey {
    TallyKey { group: group(opponents), aspect, value: value.into() }
}

/// A game that the first seat won, and that began with a move.
fn won(game: &str, first_move: &str) -> CountedGame {
    let keys = [None, Some(Opponents::Bots)].map(|opponents| {
        [key(opponents, Aspect::Result, ""), key(opponents, Aspect::FirstMove, first_move)]
    });
    let tally = Tally { games: 1, wins: [1, 0, 0], draws: 0 };
    CountedGame { game: game.parse().unwrap(), keys: keys.concat(), tally }
}

fn row(aspect: Aspect, value: &str, games: u64) -> TallyRow {
    let tally = Tally { games, wins: [games, 0, 0], draws: 0 };
    TallyRow { aspect, value: value.into(), tally }
}

/// Counts a game that `finish` has played, with its records.
fn read_whole(game: UncountedGame) -> CountedGame {
    let UncountedGame { game, entry, records } = game;
    assert!(entry.is_some());
    assert_eq!(records, ["created", "started", "ended"]);
    CountedGame { game, keys: Vec::new(), tally: Tally::default() }
}

async fn uncounted(store: &Store, max: u32) -> Vec<String> {
    let games = store.uncounted(max, read_whole).await.unwrap();
    games.iter().map(|game| game.game.to_string()).collect()
}

#[tokio::test]
async fn each_finished_game_counts_once() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        store.journal.begin(begin("g0")).await.unwrap();
        for game in ["g1", "g2", "g3"] {
            finish(store, game).await;
        }
        assert_eq!(uncounted(store, 2).await, ["g1", "g2"]);
        store.count_finished(vec![won("g1", "a1"), won("g2", "b1")]).await.unwrap();
        assert_eq!(uncounted(store, 9).await, ["g3"]);
        // Another node has looked at the same time, and has not heard of the first.
        let again = vec![won("g1", "a1"), won("g2", "b1"), won("g3", "b1")];
        store.count_finished(again).await.unwrap();
        assert_eq!(uncounted(store, 9).await, [] as [&str; 0]);
        for opponents in [None, Some(Opponents::Bots)] {
            let tallies = |max| store.tallies(group(opponents), max);
            let (all, first) = (row(Aspect::Result, "", 3), row(Aspect::FirstMove, "b1", 2));
            let second = row(Aspect::FirstMove, "a1", 1);
            assert_eq!(tallies(|_| 9).await.unwrap(), [all.clone(), first.clone(), second]);
            assert_eq!(tallies(|_| 1).await.unwrap(), [all, first]);
        }
        let people = store.tallies(group(Some(Opponents::People)), |_| 9);
        assert_eq!(people.await.unwrap(), []);
    }
}

#[tokio::test]
async fn rare_openings_give_way_once_there_are_too_many() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        for game in ["g1", "g2", "g3"] {
            finish(store, game).await;
        }
        let opening = |n: u32| key(None, Aspect::ThreeMoves, &format!("{n:05}"));
        let counted = |game: &str, openings: std::ops::Range<u32>| CountedGame {
            keys: openings.map(opening).collect(),
            ..won(game, "a1")
        };
        // The first ones are played twice.
        let full = vec![counted("g1", 0..2 * OPENINGS_KEPT), counted("g2", 0..5)];
        store.count_finished(full).await.unwrap();
        let kept = async || store.tallies(group(None), |_| 10_000).await.unwrap();
        assert_eq!(kept().await.len(), 2 * OPENINGS_KEPT as usize);
        let beyond = 2 * OPENINGS_KEPT;
        store.count_finished(vec![counted("g3", beyond..beyond + 1)]).await.unwrap();
        let kept = kept().await;
        assert_eq!(kept.len(), OPENINGS_KEPT as usize);
        assert!(kept[..5].iter().all(|row| row.tally.games == 2), "{:?}", &kept[..5]);
    }
}

async fn waiting(tested: &TestedStore, before: u64) -> String {
    let found = tested.store.unpublished_games(before, 9).await.unwrap();
    found.iter().map(|entry| entry.game.as_str()).collect::<Vec<_>>().join(" ")
}

/// Returns a publication of games as lines of one file, each of 10 bytes.
fn publication(follows: DownloadState, from: Option<DownloadHead>, games: &[&str]) -> Publication {
    let mut at = from.map(|head| head.at).unwrap_or_default();
    let mut publication =
        Publication { follows, first_open: "2026-10".to_owned(), ..Publication::default() };
    for id in games {
        let mut digest = LineDigest::default();
        digest.update(b"123456789");
        let offset = at.bytes;
        at.add(digest);
        let head = DownloadHead { file: "f".to_owned(), at: at.clone(), last_game: game(id) };
        publication.lines.push(DownloadLine { offset, length: 10, head });
        let (start, end) = (format!("<{id}"), format!("{id}>"));
        publication.frames.push(LineFrame { game: game(id), seq: 3, start, end });
    }
    publication
}

#[tokio::test]
async fn finished_and_listed_games_wait_by_their_ends() {
    for tested in TestedStore::all().await {
        for (id, last_at, unlisted) in
            [("g1", 30, false), ("g2", 20, false), ("g3", 20, false), ("u1", 10, true)]
        {
            let entry = GameEntry { unlisted, ..entry(id, "diam", 1) };
            play_game(&tested.store, entry, Some(last_at)).await;
        }
        tested.begin("live", ["ann", "bob"]).await;
        assert_eq!(waiting(&tested, 31).await, "g2 g3 g1");
        assert_eq!(waiting(&tested, 30).await, "g2 g3", "a game that has just ended waits");
    }
}

#[tokio::test]
async fn of_two_publications_after_the_same_one_only_one_counts() {
    for tested in TestedStore::all().await {
        for id in ["g1", "g2", "g3"] {
            finish(&tested.store, id).await;
        }
        let store = &tested.store;
        let before = store.download_state().await.unwrap();
        assert_eq!(before, DownloadState::default());
        assert!(store.publish(publication(before.clone(), None, &["g2"])).await.unwrap());
        assert!(!store.publish(publication(before, None, &["g1"])).await.unwrap());
        let after = store.download_state().await.unwrap();
        assert_eq!(after, DownloadState { version: 1, first_open: "2026-10".to_owned() });
        assert_eq!(waiting(&tested, 99).await, "g1 g3");
        let left_out = vec![game("g3")];
        let damaged = Publication { left_out, ..publication(after, None, &[]) };
        assert!(store.publish(damaged).await.unwrap());
        assert_eq!(waiting(&tested, 99).await, "g1");
    }
}

#[tokio::test]
async fn a_file_keeps_each_of_its_heads_and_lines() {
    for tested in TestedStore::all().await {
        for id in ["g1", "g2", "g3"] {
            finish(&tested.store, id).await;
        }
        let store = &tested.store;
        let head = |games| store.download_head("f".to_owned(), games);
        assert_eq!(head(None).await.unwrap(), None);
        let state = store.download_state().await.unwrap();
        store.publish(publication(state, None, &["g1", "g3"])).await.unwrap();
        let second = head(None).await.unwrap().unwrap();
        assert_eq!((second.at.games, second.at.bytes), (2, 20));
        let state = store.download_state().await.unwrap();
        store.publish(publication(state, Some(second.clone()), &["g2"])).await.unwrap();

        assert_eq!(head(Some(2)).await.unwrap(), Some(second.clone()), "heads do not change");
        assert_eq!(head(Some(4)).await.unwrap(), None);
        let third = head(None).await.unwrap().unwrap();
        assert_eq!((third.at.games, &third.last_game), (3, &game("g2")));
        assert_ne!(third.at.chain, second.at.chain);
        assert_eq!(store.download_files().await.unwrap(), [third]);

        let lines = async |offset, limit| {
            let found = store.download_lines("f".to_owned(), offset, limit).await.unwrap();
            let line = |line: &StoredLine| {
                assert_eq!((line.length, line.frame.seq), (10, 3));
                format!("{}{}{}", line.frame.start, line.offset, line.frame.end)
            };
            found.iter().map(line).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(lines(0, 9).await, "<g10g1> <g310g3> <g220g2>");
        assert_eq!(lines(9, 1).await, "<g10g1>", "the line that has the byte");
        assert_eq!(lines(10, 1).await, "<g310g3>");
        assert_eq!(lines(25, 9).await, "<g220g2>");
    }
}
