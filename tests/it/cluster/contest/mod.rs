//! A contest: every user has sessions on two nodes, which act against each other, while nodes and
//! databases are killed and paused.
//!
//! [`round`] runs one and returns what it found. Everything that a client received is compared with
//! the journal of the database that survives, and with what every node returns.

mod fault; // what is killed and paused, and how it comes back
mod hand; // one session of a rival
mod rival; // a user with two sessions
mod sight; // a game as a rival knows it
mod stage; // the nodes and databases

use std::{collections::BTreeMap, net::SocketAddr, ops::RangeInclusive, time::Duration};

use data_encoding::HEXLOWER;
use fault::FaultRecord;
use hand::{Operation, out_of_order};
use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng};
use rival::{Record, Rival, Shared};
use serde_json::{Value, json};
use stage::Stage;
use tokio::{
    sync::watch,
    task::JoinSet,
    time::{Instant, sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use crate::{
    durability::crash::{checker::History, player::Connection},
    harness::PATIENCE,
};

pub(crate) use self::{fault::FaultKind, sight::Findings};

/// How long rivals may take for a number of acknowledgements, and for their last answers.
const ROUND_PATIENCE: Duration = Duration::from_mins(1);

/// Time between two reports of progress.
const SHOWN_EVERY: Duration = Duration::from_millis(500);

/// What happens in a contest.
#[derive(Debug)]
pub(crate) struct Plan {
    /// What everything random is drawn from.
    pub(crate) seed: u64,
    pub(crate) nodes: usize,
    /// Number of users, an even one.
    pub(crate) users: usize,
    /// Games of each two users at a time.
    pub(crate) games: usize,
    /// How much longer each commit takes, as with standbys far away. So nodes append at the same
    /// time.
    pub(crate) commit_delay: Duration,
    /// The faults in their order; without them, faults of all kinds.
    pub(crate) faults: Option<Vec<FaultKind>>,
    /// Acknowledgements between the end of a fault and the next one.
    pub(crate) acks_between: u64,
    /// Seconds between the end of a fault and the next one, besides.
    pub(crate) seconds_between: Option<RangeInclusive<u64>>,
    /// Acknowledgements after which a contest without a list of faults ends.
    pub(crate) acks: u64,
}

/// The outcome of a contest.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) writes: u64,
    /// Appends that came after another node's.
    pub(crate) conflicts: u64,
    /// Requests that a client knows to be stored.
    pub(crate) acknowledged: u64,
    /// Requests that were sent again.
    pub(crate) resent: u64,
    /// Requests that had been carried out before they were sent again.
    pub(crate) done_before: u64,
    pub(crate) games: usize,
    pub(crate) findings: Findings,
    /// Milliseconds without an acknowledgement, by kind of fault.
    pub(crate) pauses: BTreeMap<String, Vec<u64>>,
    faults: Vec<FaultRecord>,
    began: Instant,
}

impl Report {
    /// Conflicts for each hundred stored appends. With two nodes this is the share of the stored
    /// appends for whose place another node had one, too.
    pub(crate) fn contested_percent(&self) -> u64 {
        100 * self.conflicts / self.writes.max(1)
    }

    pub(crate) fn count(&self, kind: FaultKind) -> usize {
        self.faults.iter().filter(|fault| fault.kind == kind).count()
    }

    /// The report as the command for many rounds reads it.
    pub(crate) fn to_json(&self) -> Value {
        let Findings { lost, doubled, shown_in_vain, others, sentences } = &self.findings;
        let faults: Vec<Value> =
            self.faults.iter().map(|fault| fault.to_json(self.began)).collect();
        json!({
            "writes": self.writes, "conflicts": self.conflicts,
            "acknowledged": self.acknowledged, "resent": self.resent,
            "done_before": self.done_before, "games": self.games,
            "lost": lost, "doubled": doubled, "shown_in_vain": shown_in_vain, "others": others,
            "sentences": sentences, "pauses_ms": self.pauses, "faults": faults,
        })
    }
}

/// Runs a contest. Panics if the games stall.
pub(crate) async fn run_round(plan: &Plan, mut progress: impl FnMut(u64, &str)) -> Report {
    let mut rng = SmallRng::seed_from_u64(plan.seed);
    let mut stage = Stage::start(plan.nodes, plan.commit_delay).await;
    let shared = Shared {
        addresses: stage.addresses(),
        acked: watch::Sender::new(0),
        stop: CancellationToken::new(),
    };
    let began = Instant::now();
    let mut rivals = start_rivals(plan, &stage, &shared, &mut rng).await;
    let mut faults = Vec::new();
    loop {
        let acked = *shared.acked.borrow();
        let next = match &plan.faults {
            Some(planned) => planned.get(faults.len()).copied(),
            None => (acked < plan.acks).then(|| FaultKind::draw(&mut rng)),
        };
        progress(acked, next.map_or("the end", FaultKind::name));
        wait_for_acks(&shared.acked, acked + plan.acks_between, &mut rivals).await;
        let Some(next) = next else { break };
        if let Some(seconds) = &plan.seconds_between {
            let until = Instant::now() + Duration::from_secs(rng.random_range(seconds.clone()));
            while Instant::now() < until {
                progress(*shared.acked.borrow(), next.name());
                sleep(SHOWN_EVERY).await;
            }
        }
        faults.push(fault::carry_out(&mut stage, next, &mut rng).await);
    }
    shared.stop.cancel();
    let mut records = Vec::new();
    while let Some(record) =
        timeout(ROUND_PATIENCE, rivals.join_next()).await.expect("all are answered")
    {
        records.push(record.expect("no rival has failed"));
    }
    progress(*shared.acked.borrow(), "the comparison");
    report(&stage, began, faults, records).await
}

async fn report(
    stage: &Stage,
    began: Instant,
    faults: Vec<FaultRecord>,
    records: Vec<Record>,
) -> Report {
    let (mut history, mut operations, mut sessions) = (History::default(), Vec::new(), Vec::new());
    let (mut resent, mut done_before, mut complaints) = (0, 0, Vec::new());
    for record in records {
        history.merge(record.history);
        operations.extend(record.operations);
        sessions.extend(record.answers);
        complaints.extend(record.complaints);
        (resent, done_before) = (resent + record.resent, done_before + record.done_before);
    }
    let games = history.games.len();
    let mut findings = check(stage, history, &operations).await;
    findings.others += complaints.len() as u64;
    findings.sentences.append(&mut complaints);
    Report {
        writes: stage.sql("SELECT count(*) FROM journal").parse().expect("a number"),
        conflicts: stage.conflicts().await,
        acknowledged: operations.len() as u64,
        resent,
        done_before,
        games,
        findings,
        pauses: fault::after_faults(&sessions, &faults),
        faults,
        began,
    }
}

/// Signs up all users and lets each two of them play.
async fn start_rivals(
    plan: &Plan,
    stage: &Stage,
    shared: &Shared,
    rng: &mut SmallRng,
) -> JoinSet<Record> {
    let mut tokens = Vec::new();
    for user in 0..plan.users {
        let address = stage.addresses()[user % plan.nodes].borrow().expect("the node runs");
        tokens.push(sign_up(address, &format!("rival{user}")).await);
    }
    let mut rivals = JoinSet::new();
    for (user, token) in tokens.iter().enumerate() {
        let guest = (user % 2 == 0).then(|| (format!("rival{}", user + 1), plan.games));
        // Opponents begin at different nodes.
        let rival = Rival::new(
            &format!("rival{user}"),
            token,
            user % plan.nodes,
            guest,
            shared.clone(),
            rng.fork(),
        );
        rivals.spawn(rival.run());
    }
    rivals
}

async fn sign_up(address: SocketAddr, name: &str) -> Value {
    let opened = Connection::open(address, None, &json!({})).await;
    let (mut link, _) = opened.expect("the node runs");
    let sign_up =
        json!({"type": "signup", "id": "account", "user": name, "password": "open sesame"});
    link.send(&sign_up.to_string()).await.expect("the node runs");
    let made: Value = serde_json::from_str(&link.next().await.expect("a reply")).unwrap();
    assert_eq!(made["type"], "ok", "{made}");
    json!({"token": made["token"]})
}

async fn wait_for_acks(acked: &watch::Sender<u64>, target: u64, rivals: &mut JoinSet<Record>) {
    let mut count = acked.subscribe();
    let reached = count.wait_for(|count| *count >= target);
    tokio::select! {
        reached = timeout(ROUND_PATIENCE, reached) => {
            reached.expect("the games go on").expect("this has the sender");
        }
        ended = rivals.join_next() => {
            ended.expect("there are rivals").expect("no rival has failed");
            panic!("a rival has ended too soon");
        }
    }
}

/// Compares everything.
async fn check(stage: &Stage, history: History, operations: &[Operation]) -> Findings {
    let mut findings = Findings::default();
    let mut games = history.by_game();
    let stored = journal(stage, &mut findings);
    for game in stored.keys() {
        // No client has heard of some of them.
        games.entry(game.clone()).or_default();
    }
    for (game, received) in &games {
        let records = stored.get(game).map_or(&[][..], Vec::as_slice);
        if let Err(violation) = received.check(records) {
            findings.add(game, &violation);
        }
        for (node, address) in stage.addresses().iter().enumerate() {
            let address = address.borrow().expect("every node runs again");
            if let Err(got) = compare_at(address, game, records).await {
                let sentence = format!("{game}: node {node} does not return what is stored: {got}");
                findings.other(sentence);
            }
        }
    }
    for sentence in out_of_order(operations) {
        findings.other(sentence);
    }
    findings
}

/// Compares a game's records with those that a node returns to a new spectator. A node may follow
/// the others with a delay.
async fn compare_at(address: SocketAddr, game: &str, stored: &[String]) -> Result<(), String> {
    let opened = Connection::open(address, None, &json!({})).await;
    let (link, _) = opened.expect("the node runs");
    let mut link = link.without_validation();
    let watch = json!({"type": "watch", "id": "from the start", "game": game, "from": 1});
    link.send(&watch.to_string()).await.expect("the node runs");
    let (mut seq, mut is_answered) = (0, false);
    while seq < stored.len() || !is_answered {
        let frame = match timeout(PATIENCE, link.next()).await {
            Ok(frame) => frame.expect("the node runs"),
            Err(_) => return Err(format!("{seq} of {} records", stored.len())),
        };
        if frame.starts_with(r#"{"type":"event""#) {
            if stored.get(seq) != Some(&frame) {
                return Err(frame);
            }
            seq += 1;
        } else if frame.contains(r#""re":"from the start""#) {
            is_answered = true;
            if frame.starts_with(r#"{"type":"error""#) && !stored.is_empty() {
                return Err(frame);
            }
        }
    }
    Ok(())
}

/// The journal of the primary, by game. Each row must continue the one before.
fn journal(stage: &Stage, findings: &mut Findings) -> BTreeMap<String, Vec<String>> {
    let query = "SELECT game, seq, events, encode(records, 'hex') FROM journal ORDER BY game, seq";
    let mut stored: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in stage.sql(query).lines() {
        let [game, seq, events, hex] =
            row.split('|').collect::<Vec<_>>().try_into().expect("four columns");
        let text = HEXLOWER.decode(hex.as_bytes()).expect("it is in hexadecimal digits");
        let text = String::from_utf8(text).expect("records are text");
        let records = stored.entry(game.to_owned()).or_default();
        if seq.parse() != Ok(records.len() + 1) || events.parse() != Ok(text.lines().count()) {
            findings.doubled += 1;
            findings.sentences.push(format!("{game}: a row of {events} events at {seq}"));
        }
        records.extend(text.lines().map(str::to_owned));
    }
    stored
}
