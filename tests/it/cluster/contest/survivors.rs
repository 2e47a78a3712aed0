//! The journal after a contest, as the database has it and as every node returns it, compared with
//! what players received.

use std::{collections::BTreeMap, net::SocketAddr};

use data_encoding::HEXLOWER;
use serde_json::json;
use tokio::time::timeout;

use super::{
    findings::Findings,
    operations::{Operation, out_of_order},
    stage::Stage,
};
use crate::{
    durability::crash::{checker::History, link::Connection},
    harness::PATIENCE,
};

/// Compares everything.
pub(super) async fn check(stage: &Stage, history: History, operations: &[Operation]) -> Findings {
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
