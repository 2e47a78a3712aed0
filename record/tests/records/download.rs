//! Lines of downloads: written as a server does, verified, and tampered with.

use adamant_protocol::{
    EventFrame,
    from_client::GameState,
    to_client::{Algorithm, GameEntry},
};
use adamant_record::{
    DownloadChain, Signer,
    download::{is_genuine, line_end, line_start, records, verify_line},
    wire,
};
use adamant_rules::{Kind, Table, TimeControl};

use crate::{Terms, played};

/// A game that its players have played to the end, or as far as these dice go.
fn game(kind: Kind) -> (Vec<Vec<u8>>, Table) {
    let clock = TimeControl::Fischer { base_ms: 600_000, inc_ms: 500 };
    let dice: Vec<u32> =
        (0..60_u32).map(|number| number.wrapping_mul(7919) / 17 * 17 + 20).collect();
    played(&Terms { kind, players: 2, options: String::new() }, clock, &dice)
}

/// The line of a game.
fn line(sealed: &[Vec<u8>], table: &Table) -> String {
    let last = EventFrame::from_bytes(sealed.last().unwrap()).unwrap();
    let setup = table.setup();
    let entry = GameEntry {
        game: last.game,
        rules: wire::rules(setup.kind),
        options: wire::options(&setup.options),
        seats: wire::seats(table.players(), table.position()),
        clock: wire::Mirror::to_wire(setup.clock),
        rated: setup.rated,
        delay: setup.delay,
        unlisted: setup.unlisted,
        state: GameState::Finished,
        ply: table.ply(),
        to_move: None,
        started_at: 1,
        last_at: table.last_at(),
        result: table.outcome().map(wire::result),
        ratings: None,
    };
    let text: Vec<&str> =
        sealed.iter().map(|record| std::str::from_utf8(record).unwrap()).collect();
    line_start(&entry) + &text.join(",") + &line_end(last.seq, last.chain)
}

fn lines() -> Vec<(String, Vec<Vec<u8>>)> {
    let games = Kind::ALL.iter().map(|&kind| game(kind));
    let over = games.filter(|(_, table)| table.outcome().is_some());
    over.map(|(sealed, table)| (line(&sealed, &table), sealed)).collect()
}

#[test]
fn a_line_has_the_records_byte_for_byte_and_is_verified() {
    let lines = lines();
    assert!(!lines.is_empty(), "no game has come to its end");
    for (line, sealed) in lines {
        assert_eq!(records(line.as_bytes()).unwrap(), sealed);
        let entry = verify_line(line.as_bytes()).unwrap();
        let json: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(json["game"], entry.game.as_str());
        assert_eq!(json["record"].as_array().unwrap().len(), sealed.len());
    }
}

#[test]
fn a_line_that_says_something_else_than_its_record_is_refused() {
    let (line, sealed) = lines().swap_remove(0);
    let refused = |tampered: &str| {
        assert_ne!(tampered, line);
        verify_line(tampered.as_bytes()).map(|_| ()).unwrap_err().to_string()
    };
    assert!(refused(&line.replacen("\"ply\":", "\"ply\":1", 1)).contains("number of moves"));
    let rated = line.replacen("\"rated\":true", "\"rated\":false", 1);
    assert!(refused(&rated).contains("rated"));
    let other = format!("\"head\":{{\"seq\":{},", sealed.len() + 1);
    let head = format!("\"head\":{{\"seq\":{},", sealed.len());
    assert!(refused(&line.replace(&head, &other)).contains("head"));
    let cut = line.replacen(std::str::from_utf8(&sealed[1]).unwrap(), "", 1).replace("[,", "[");
    refused(&cut.replace(",,", ","));
    assert_eq!(refused("{\"game\":\"g\"}").split(':').next(), Some("the line cannot be read"));
    assert!(refused(&line[..line.len() - 1]).contains("cannot be read"));
}

#[test]
fn a_signature_covers_the_name_the_lines_and_whether_there_will_be_more() {
    let mut at = DownloadChain::default();
    at.add_line(b"first");
    let before = at.clone();
    at.add_line(b"second");
    assert_eq!((at.games, at.bytes), (2, 13));
    let mut other = DownloadChain::default();
    other.add_line(b"second");
    other.add_line(b"first");
    assert_ne!(at.chain, other.chain, "the order counts");

    let signer = Signer::new(&[7; 32]);
    let head = signer.sign_download("f".to_owned(), &at, "g1".parse().unwrap(), false);
    assert!(is_genuine(&head));
    assert_eq!((head.alg, head.key), (Algorithm::Ed25519, signer.key()));
    let mut forged = vec![head; 6];
    forged[0].file = "h".to_owned();
    forged[1].games = 1;
    forged[2].bytes = 5;
    forged[3].chain = before.chain;
    forged[4].last_game = "g2".parse().unwrap();
    forged[5].complete = true;
    for forged in forged {
        assert!(!is_genuine(&forged), "{forged:?}");
    }
}
