//! What every store promises of reports, and of notices that wait for their users.

use adamant_protocol::to_client::{Notice, NoticeKind, ReportOutcome};

use super::{operators::act, *};
use crate::limits::{NOTICES_PER_USER_MAX, REPORTS_PER_NETWORK_MAX, REPORTS_PER_USER_MAX};

fn new(reporter: &str, user: &str, text: &str) -> NewReport {
    NewReport {
        reporter: name(reporter),
        user: Some(name(user)),
        game: None,
        reason: "abuse".into(),
        text: text.into(),
        evidence: None,
        from: None,
        at: 10,
    }
}

async fn added(store: &Store, new: NewReport) -> u64 {
    match store.add_report(new).await.unwrap() {
        AddReportOutcome::Added(id) => id,
        other => panic!("{other:?}"),
    }
}

async fn closed(store: &Store, id: u64, step: ReportStep, until: Option<u64>) -> ClosedReport {
    let close = CloseReport { step, until, answer: None };
    match store.close_report(id, close, act(20, None)).await.unwrap() {
        CloseReportOutcome::Closed(closed) => *closed,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn reports_are_counted_by_user_and_by_network_until_they_are_closed() {
    for tested in TestedStore::all().await {
        let store = &tested.store;
        account(store, "bob").await;
        let limit = async |new: NewReport| match store.add_report(new).await.unwrap() {
            AddReportOutcome::LimitReached(reached) => reached.limit,
            other => panic!("{other:?}"),
        };
        let network = "192.0.2.1".parse().ok();
        let reporters = REPORTS_PER_NETWORK_MAX / REPORTS_PER_USER_MAX;
        let from =
            |reporter: &str, text: &str| NewReport { from: network, ..new(reporter, "bob", text) };
        for reporter in 0..=reporters {
            account(store, &format!("user{reporter}")).await;
        }
        let mut first = None;
        for reporter in 0..reporters {
            for text in 0..REPORTS_PER_USER_MAX {
                let id = added(store, from(&format!("user{reporter}"), &text.to_string())).await;
                first.get_or_insert(id);
            }
        }
        let again = store.add_report(from("user0", "0")).await.unwrap();
        assert_eq!(again, AddReportOutcome::Repeated(first.unwrap()));
        assert_eq!(limit(from("user0", "more")).await, "reports_per_user");
        let last = format!("user{reporters}");
        assert_eq!(limit(from(&last, "more")).await, "reports_per_network");
        closed(store, first.unwrap(), ReportStep::None, None).await;
        added(store, from(&last, "more")).await;
        added(store, new(&last, "bob", "from elsewhere")).await;
        let nobody = store.add_report(new("user0", "nobody", "x")).await.unwrap();
        assert_eq!(nobody, AddReportOutcome::UserNotFound);
    }
}

#[tokio::test]
async fn a_report_is_closed_once_with_its_step_its_notices_and_its_act() {
    for tested in TestedStore::all().await {
        let store = &tested.store;
        let (ann, bob) = (account(store, "ann").await, account(store, "Bob").await);
        let notices = async |user: &str| store.session_seed(name(user)).await.unwrap().notices;
        let id = added(store, new("ann", "bob", "rude")).await;
        let closed_one = closed(store, id, ReportStep::Ban(BanKind::Silence), Some(99)).await;
        assert_eq!(
            (closed_one.report.id, closed_one.report.step.as_deref()),
            (id, Some("silence"))
        );
        let [silence] = &*store.banned(50).await.unwrap() else { panic!("one") };
        assert_eq!((silence.kind, silence.until), (BanKind::Silence, Some(99)));
        let [told] = &*notices("bob").await else { panic!("one") };
        assert_eq!((told.what, told.until), (NoticeKind::Silenced, Some(99)));
        let [told] = &*notices("ANN").await else { panic!("one") };
        let expected = Notice {
            n: told.n,
            report: Some(id),
            outcome: Some(ReportOutcome::Acted),
            ..Notice::new(NoticeKind::ReportClosed, 0)
        };
        assert_eq!(told, &expected);
        assert!(closed_one.notices.contains(&(ann.name.clone(), expected)));
        let again = CloseReport { step: ReportStep::Warn, until: None, answer: None };
        let close = |id| store.close_report(id, again.clone(), act(21, None));
        assert_eq!(close(id).await.unwrap(), CloseReportOutcome::AlreadyClosed);
        assert_eq!(close(id + 100).await.unwrap(), CloseReportOutcome::NotFound);
        let of_a_game =
            NewReport { user: None, game: "g1".parse().ok(), ..new("ann", "bob", "both") };
        let of_a_game = added(store, of_a_game).await;
        assert_eq!(close(of_a_game).await.unwrap(), CloseReportOutcome::NoUser);
        let about = store.acts(Some("bob".to_owned()), 99, 9).await.unwrap();
        assert_eq!(about.len(), 1, "{about:?}");
        assert_eq!(store.user_notes(bob.id, 9).await.unwrap(), []);
        let listed = async |listed| store.reports(listed, 99, 9).await.unwrap().len();
        assert_eq!(listed(ListedReports::Open).await, 1);
        assert_eq!(listed(ListedReports::All).await, 2);
        assert_eq!(listed(ListedReports::About(name("bob"))).await, 1);
    }
}

#[tokio::test]
async fn a_report_outlives_its_users_and_its_names_follow_them() {
    for tested in TestedStore::all().await {
        let store = &tested.store;
        let (ann, bob) = (account(store, "ann").await, guest(store, "bob").await);
        let id = added(store, new("ann", "bob", "rude")).await;
        store.rename_user(ann.id, name("anna"), act(11, None)).await.unwrap();
        store.delete_guest(bob.id).await.unwrap();
        let report = store.report(id).await.unwrap().unwrap();
        assert_eq!((report.reporter, report.user), (name("anna"), Some(name("bob"))));
        let close = CloseReport { step: ReportStep::Warn, until: None, answer: None };
        let outcome = store.close_report(id, close, act(20, None)).await.unwrap();
        assert_eq!(outcome, CloseReportOutcome::NoUser);
    }
}

#[tokio::test]
async fn notices_wait_for_their_user_up_to_a_number_and_the_oldest_goes_first() {
    for tested in TestedStore::all().await {
        let store = &tested.store;
        let (ann, _) = (account(store, "ann").await, account(store, "bob").await);
        let numbers = async |user: &str| -> Vec<u64> {
            let seed = store.session_seed(name(user)).await.unwrap();
            seed.notices.into_iter().filter_map(|notice| notice.n).collect()
        };
        let mut given = Vec::new();
        for _ in 0..=NOTICES_PER_USER_MAX {
            given.push(store.warn_user(ann.id, act(10, None)).await.unwrap().n.unwrap());
        }
        assert_eq!(numbers("ann").await, given[1..]);
        store.forget_notices(name("bob"), given[3]).await.unwrap();
        store.forget_notices(name("Ann"), given[2]).await.unwrap();
        assert_eq!(numbers("ann").await, given[3..]);
        assert_eq!(numbers("bob").await, [0; 0]);
    }
}
