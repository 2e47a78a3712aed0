//! A game with more records than any real one loads to its end from every place it is stored in.

use adamant_protocol::{EventFrame, ids::Chain};
use adamant_record::{Head, Replay, chain_after};
use adamant_rules::{
    Act, Event, EventKind, SeatSet, Table,
    event::{OfferId, OfferKind, OfferOutcome},
};
use rusqlite::{Connection, params};
use serde_json::{Value, json};

use crate::harness::{self, Peer, Server, game, http};

/// The approximate number of records, in the short and in the long form. A real game has hundreds.
const RECORDS: u32 = 20_000;
const RECORDS_LONG: u32 = 60_000;

/// Appends to a live game's stored records draw offers, each withdrawn at once, and one move.
/// Returns the head of the record and the table at that point.
fn lengthen(server: &Server, game: &str) -> (Head, Table) {
    let mut database = Connection::open(server.data().join("adamant.db")).unwrap();
    let transaction = database.transaction().unwrap();
    let mut replay = Replay::new();
    let stored: Vec<Vec<u8>> = transaction
        .prepare("SELECT record FROM arrivals WHERE game = ?1 ORDER BY seq")
        .unwrap()
        .query_map([game], |row| row.get(0))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    for record in &stored {
        replay.push(record).unwrap();
    }
    let (mut table, mut head) = replay.into_parts().unwrap();
    let (at, hash, by) = (table.last_at(), table.position().hash(), table.to_move().unwrap());
    let mut insert = transaction
        .prepare("INSERT INTO arrivals (game, seq, record) VALUES (?1, ?2, ?3)")
        .unwrap();
    let mut append = |event: &Event| {
        let record = head.append(event, table.position(), None);
        insert.execute(params![game, i64::try_from(head.seq).unwrap(), record]).unwrap();
    };
    let needs = SeatSet::all(2).without(by);
    let records = if harness::is_long() { RECORDS_LONG } else { RECORDS };
    for number in 1..=records / 2 {
        let (offer, outcome) = (OfferId(number), OfferOutcome::Withdrawn);
        for kind in [
            EventKind::Offered { offer, what: OfferKind::Draw, by, needs },
            EventKind::OfferClosed { offer, outcome, by },
        ] {
            append(&Event { at, kind, hash });
        }
    }
    let notation = game::choose_move(&table);
    let act = Act::Move { seat: by, turn: table.turn(), notation: &notation, lag_ms: 0 };
    let moved = table.decide(&act, at).unwrap();
    append(&moved[0]);
    drop(insert);
    transaction.commit().unwrap();
    table.apply(&moved[0]).unwrap();
    (head, table)
}

/// Reads a game's whole event stream by HTTP and checks its chain.
async fn whole_log(server: &Server, game: &str) -> u64 {
    let mut log = http::ask(server, "GET", &format!("/v1/games/{game}/log")).await;
    let (mut count, mut chain) = (0, Chain::default());
    while let Some(line) = log.next_line_with_text().await {
        let (unsealed, sealed) = EventFrame::unseal(line.as_bytes()).unwrap();
        assert_eq!(chain_after(chain, &unsealed), sealed, "record {}", count + 1);
        (count, chain) = (count + 1, sealed);
    }
    assert!(log.is_whole());
    count
}

async fn snapshot_of(peer: &mut Peer, game: &str) -> Value {
    peer.ask(json!({"type": "watch", "game": game})).await
}

#[tokio::test]
async fn a_game_of_many_records_loads_live_parked_and_finished() {
    let mut server = Server::embedded(|setup| {
        setup.set("games", "park_after", "100ms");
        setup.set("log", "filter", "info,adamant_server=debug");
    })
    .await;
    let (mut ann, mut bob, game) = game::start_two(&server).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 2).await;
    let (ann, bob) = (ann.token.clone().unwrap(), bob.token.clone().unwrap());
    server.kill().await;
    let (head, table) = lengthen(&server, &game);

    // Live: read from the journal at the start.
    server.restart().await;
    let mut peer = Peer::with_token(&server, &bob).await;
    let snapshot = snapshot_of(&mut peer, &game).await;
    assert_eq!((&snapshot["seq"], &snapshot["ply"]), (&json!(head.seq), &json!(3)), "{snapshot}");
    assert_eq!(snapshot["chain"], json!(head.chain.to_string()));

    // Parked: all records are in the archive.
    peer.disconnect();
    server.wait_for_log("game parked").await;
    let mut peer = Peer::with_token(&server, &bob).await;
    let snapshot = snapshot_of(&mut peer, &game).await;
    assert_eq!((&snapshot["seq"], &snapshot["ply"]), (&json!(head.seq), &json!(3)), "{snapshot}");
    let (turn, notation) = (table.turn(), game::choose_move(&table));
    let next = json!({"type": "move", "game": game, "turn": turn, "move": notation});
    let done = peer.ask(next).await;
    assert_eq!(done["seq"], json!(head.seq + 1));
    assert!(whole_log(&server, &game).await > head.seq);

    // Finished.
    peer.request(json!({"type": "resign", "game": game})).await;
    peer.disconnect();
    server.stop().await;
    server.restart().await;
    let mut peer = Peer::with_token(&server, &ann).await;
    let snapshot = snapshot_of(&mut peer, &game).await;
    let end = snapshot["seq"].as_u64().unwrap();
    assert!(end > head.seq + 1, "{snapshot}");
    assert_eq!(snapshot["ply"], json!(4), "{snapshot}");
    assert_eq!(whole_log(&server, &game).await, end);
}
