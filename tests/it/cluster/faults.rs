//! Whatever happens to nodes and databases, nothing that was acknowledged or shown is lost, and
//! nothing is doubled.

use std::{fmt::Write as _, fs::File, io::Write as _, time::Duration};

use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng, seq::SliceRandom as _};

use super::contest::{FaultKind, Findings, Plan, Report, run_round};

/// The least share of contested appends, in percent, of a short contest that proves anything. It is
/// some 40 on a machine that does nothing else.
const CONTESTED_PERCENT: u64 = 10;

/// Faults of the short contest.
const FAULTS: [FaultKind; 10] = [
    FaultKind::NodeKill,
    FaultKind::NodeKill,
    FaultKind::NodeKill,
    FaultKind::NodeKill,
    FaultKind::NodePause,
    FaultKind::NodePause,
    FaultKind::PrimaryKill,
    FaultKind::PrimaryKill,
    FaultKind::PrimaryPause,
    FaultKind::StandbyKill,
];

/// Describes what happened.
fn describe(report: &Report) -> String {
    let mut text = format!(
        "{} games, {} writes, {} acknowledged, {} sent again, {} done before, {}% contested\n",
        report.games,
        report.writes,
        report.acknowledged,
        report.resent,
        report.done_before,
        report.contested_percent(),
    );
    for (kind, pauses) in &report.pauses {
        writeln!(text, "{kind}: {pauses:?} ms without an acknowledgement").unwrap();
    }
    for sentence in report.findings.sentences.iter().take(40) {
        writeln!(text, "{sentence}").unwrap();
    }
    text
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "cargo xtask test runs it alone"]
async fn faults_lose_double_and_show_nothing_in_vain() {
    let seed: u64 = rand::rng().random();
    println!("seed {seed}");
    let mut faults = FAULTS.to_vec();
    faults.shuffle(&mut SmallRng::seed_from_u64(seed));
    let plan = Plan {
        seed,
        nodes: 2,
        users: 8,
        games: 2,
        commit_delay: Duration::from_millis(30),
        faults: Some(faults),
        acks_between: 60,
        seconds_between: None,
        acks: 0,
    };
    let report = run_round(&plan, |acks, next| println!("{acks} acknowledged; next: {next}")).await;
    println!("{}", describe(&report));
    assert_eq!(report.findings, Findings::default());
    for kind in FaultKind::ALL {
        let planned = FAULTS.iter().filter(|fault| **fault == kind).count();
        assert_eq!(report.count(kind), planned, "{}", kind.name());
    }
    assert!(report.resent > 0, "no fault hit an unanswered request");
    assert!(report.contested_percent() > CONTESTED_PERCENT, "the nodes do not compete");
}

/// The variable with the plan of a round: its seed, the number of its acknowledgements, nodes and
/// games, the milliseconds by which commits take longer, and the file for its report.
const ROUND_VARIABLE: &str = "ADAMANT_CONTEST";

/// Reads the plan of a round from the environment.
#[expect(clippy::disallowed_methods, reason = "`cargo xtask contest` chooses the round")]
fn chosen_round() -> Option<(Plan, String)> {
    let chosen = std::env::var(ROUND_VARIABLE).ok()?;
    let [seed, acks, nodes, games, delay, file] =
        chosen.splitn(6, ' ').collect::<Vec<_>>().try_into().expect("six words");
    let number = |text: &str| text.parse::<u64>().expect("a number");
    let size = |text: &str| text.parse::<usize>().expect("a number");
    // Eight games of each two users.
    let games = size(games);
    let plan = Plan {
        seed: number(seed),
        nodes: size(nodes),
        users: 2 * games.div_ceil(8),
        games: games.min(8),
        commit_delay: Duration::from_millis(number(delay)),
        faults: None,
        acks_between: 1,
        seconds_between: Some(2..=6),
        acks: number(acks),
    };
    Some((plan, file.to_owned()))
}

/// One round of `cargo xtask contest`.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "cargo xtask contest runs it, many times"]
async fn round_of_a_contest() {
    let (plan, file) = chosen_round().expect("a plan");
    // The command that started this reads the lines. The harness may have begun one.
    let report = run_round(&plan, |acks, next| println!("\n@{acks} {next}")).await;
    let mut file = File::create(file).expect("the report can be written");
    writeln!(file, "{}", report.to_json()).expect("the report can be written");
}
