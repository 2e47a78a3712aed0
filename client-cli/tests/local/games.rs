//! Records of every game, with the same terms for seats, turns and results.

use serde_json::Value;

use super::{adamant, counts, last_line, replay, without_boards};

/// A game in which X has no move.
const BLOCKADE: &str = include_str!("../../../rules/tests/hexma/records/blockade.txt");

/// Removes the position from a line of JSON.
fn without_position(line: &str) -> String {
    let mut line: Value = serde_json::from_str(line).expect("a line is JSON");
    line.as_object_mut().and_then(|line| line.remove("position")).expect("it has a position");
    line.to_string()
}

#[test]
fn a_player_of_hexma_who_cannot_move_passes() {
    let run = replay(BLOCKADE);
    insta::assert_snapshot!(without_position(last_line(&run)), @r#"{"captures":[],"move":"pass","ply":74,"removed":[],"result":null,"seat":"X","to_move":"Y"}"#);
    // The line may be omitted, because the pass is forced.
    let omitted = replay(BLOCKADE.strip_suffix("pass\n").unwrap());
    assert_eq!((run.status, omitted), (0, run));
}

#[test]
fn a_player_of_hexma_cannot_choose_to_pass() {
    let run = replay("hexma challenge ann bob\npass\n");
    assert_eq!(run.status, 1);
    insta::assert_snapshot!(last_line(&run), @r#"{"ply":1,"error":{"code":"illegal_move","move":"pass","why":"a pass stands only where the rules skip a player"}}"#);
}

#[test]
fn text_output_shows_a_move_of_hexma() {
    let record = "hexma challenge ann bob cy\nk13-l12 # a step\n";
    let run = adamant(&["replay"], record.as_bytes());
    assert_eq!((run.stderr.as_str(), run.status), ("", 0));
    insta::assert_snapshot!(without_boards(&run.stdout, record), @"
    hexma

    [board 0]

    O ann to move.

    1. O ann: k13-l12

    [board 1]

    X bob to move.
    ");
}

#[test]
fn players_of_stymie_swap() {
    let run = replay("stymie challenge -size=3 -swap ann bob\nc3\nswap\nb2,c1\n");
    insta::assert_snapshot!(run.stdout, @r#"
    {"ply":0,"position":{},"to_move":"V"}
    {"ply":1,"seat":"V","move":"c3","captures":[],"removed":[],"position":{"c3":"V"},"to_move":"H","result":null}
    {"ply":2,"seat":"H","move":"swap","captures":[],"removed":[],"position":{"c3":"V"},"to_move":"H","result":null}
    {"ply":3,"seat":"H","move":"b2,c1","captures":[],"removed":[],"position":{"b2":"H","c1":"H","c3":"V"},"to_move":"V","result":null}
    "#);
    assert_eq!((run.stderr.as_str(), run.status), ("", 0));
}

#[test]
fn text_output_names_the_players_of_stymie_after_a_swap() {
    let record = "stymie challenge -size=3 -swap ann bob\nc3\nswap\nb2,c1\n";
    let run = adamant(&["replay"], record.as_bytes());
    insta::assert_snapshot!(without_boards(&run.stdout, record), @"
    stymie -size=3 -swap

    [board 0]

    V ann to move.

    1. V ann: c3

    [board 1]

    H bob to move.

    2. H bob: swap

    [board 2]

    H bob to move.

    3. H ann: b2,c1

    [board 3]

    V bob to move.
    ");
    assert_eq!((run.stderr.as_str(), run.status), ("", 0));
}

#[test]
fn stymie_without_the_option_has_no_swap() {
    let run = replay("stymie challenge -size=3 ann bob\nc3\nswap\n");
    assert_eq!(run.status, 1);
    insta::assert_snapshot!(last_line(&run), @r#"{"ply":2,"error":{"code":"illegal_move","move":"swap","why":"this game is played without swap"}}"#);
}

#[test]
fn options_of_diam_may_follow_the_names() {
    let after = replay("diam challenge ann bob -board=8x4 -pieces=2x4\nA1\nX5\nB1\n1,2+\n");
    let before = replay("diam challenge -pieces=2x4 -board=8x4 ann bob\nA1\nX5\nB1\n1,2+\n");
    assert_eq!(after, before);
    assert_eq!(after.status, 1);
    insta::assert_snapshot!(after.stdout, @r#"
    {"ply":0,"position":{},"to_move":"A"}
    {"ply":1,"seat":"A","move":"A1","captures":[],"removed":[],"position":{"1":"A"},"to_move":"X","result":null}
    {"ply":2,"seat":"X","move":"X5","captures":[],"removed":[],"position":{"1":"A","5":"X"},"to_move":"A","result":null}
    {"ply":3,"seat":"A","move":"B1","captures":[],"removed":[],"position":{"1":"AB","5":"X"},"to_move":"X","result":null}
    {"ply":4,"error":{"code":"illegal_move","move":"1,2+","why":"piece 2 of sector 1 is B, which is not yours"}}
    "#);
}

#[test]
fn the_highest_pair_wins_a_game_of_diam() {
    let run = replay("diam challenge ann bob\nA5\nY5\nB5\nX2\nB2\nY1\nA7\n2-\n");
    assert_eq!(run.status, 0);
    insta::assert_snapshot!(last_line(&run), @r#"{"ply":8,"seat":"X","move":"2-","captures":[],"removed":[],"position":{"1":"YXB","5":"AYB","7":"A"},"to_move":null,"result":{"winners":["A"],"reason":"aligned"}}"#);
}

#[test]
fn a_player_of_diam_who_cannot_move_passes() {
    let game = "diam challenge ann bob -board=8x3 -pieces=2x3\n\
                A2\nX1\nB2\nY1\nA2\nX1\nB3\nY4\nA3\nX4\nB3\nY4\n";
    let run = adamant(&["replay"], game.as_bytes());
    let text = without_boards(&run.stdout, game);
    let (_, passed) = text.rsplit_once("\n\n13. ").unwrap();
    assert_eq!(passed, "A ann: pass\n\n[board 13]\n\nX bob to move.\n");
}

#[test]
fn moves_of_every_game_are_counted() {
    // Ten steps and ten hops, for either side.
    counts(&[], "hexma challenge ann bob\n", "20");
    counts(&["--depth", "2"], "hexma challenge ann bob\n", "400");
    // One piece on any of 64 octagons and 49 squares; then one on any other, or two on one of the
    // 195 pairs of a square and an octagon that are left.
    counts(&[], "stymie challenge ann bob\n", "113");
    counts(&[], "stymie challenge ann bob\na1\n", "307");
    counts(&[], "stymie challenge -swap ann bob\na1\n", "308");
    // Two letters on eight sectors, or on seven.
    counts(&[], "diam challenge ann bob\n", "16");
    counts(&[], "diam challenge ann bob -nomirror\nA1\n", "14");
}
