//! What an engine may ask and say.

use std::path::Path;

use adamant_engine::protocol::{Choice, Player};
use adamant_rules::{Seat, Table};
use tokio::time::timeout;

use crate::programs::{LONG, PATIENCE, Program, diam, settings, table, within};

/// Returns the move of a choice.
fn notation(choice: Choice) -> String {
    match choice {
        Choice::Move { notation, .. } => notation,
        Choice::Resign(why) => panic!("resigned: {why}"),
    }
}

async fn choose(player: &mut Player, table: &Table) -> String {
    notation(timeout(PATIENCE, player.choose(table, within(LONG))).await.expect("in time"))
}

#[tokio::test]
async fn the_example_engine_plays_every_game() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/examples/engine.py");
    for new_game in [
        "newgame adamas players 3 seat 0",
        "newgame hexma players 2 seat 0",
        "newgame stymie players 2 seat 0 options -size=8 -swap",
        "newgame diam players 2 seat 0 options -board=8x4",
    ] {
        let mut table = table(new_game);
        let log = std::sync::Arc::new(|line: &str| panic!("{line}"));
        let settings = std::sync::Arc::new(settings(&example));
        let mut player = Player::new(settings, &table, Seat::FIRST, log);
        while table.to_move().is_some() && table.ply() < 40 {
            let notation = choose(&mut player, &table).await;
            table.play(&notation).unwrap_or_else(|why| panic!("{new_game}: {notation}: {why}"));
        }
        player.quit().await;
    }
}

#[tokio::test]
async fn an_engine_is_told_everything_that_it_asks_for() {
    let program = Program::new(
        r#"
for command, words in heard():
    if command == "go":
        say("board")
    elif command == "board":
        say("info string", *words)
        say("legal max 3")
    elif command == "legal":
        say("info string", *words)
        print("to standard error", file=sys.stderr, flush=True)
        say("bestmove", words[-1], "ponder", words[1], "draw")
"#,
    );
    let mut table = diam();
    table.play("A1").unwrap();
    let mut player = program.player(&table);
    let choice = timeout(PATIENCE, player.choose(&table, within(LONG))).await.unwrap();
    let Choice::Move { notation, ponder, draw } = choice else { panic!("{choice:?}") };
    assert!(table.play(&notation).is_ok() && ponder.is_some() && draw);
    assert_eq!(
        program.heard(),
        ["adamant-engine", "newgame", "position", "clock", "go", "board", "legal"]
    );
    player.quit().await;
    assert_eq!(program.logged(), ["to standard error"]);
}

#[tokio::test]
async fn a_thought_that_nobody_waits_for_is_stopped_before_the_next() {
    let program = Program::new(
        r#"
for command, words in heard():
    if command == "position":
        moves = words[2:]
    elif command == "go" and not moves:
        say("info string thinking")
    elif command == "stop":
        say("bestmove B1")
    elif command == "go":
        say("bestmove X1")
"#,
    );
    let mut table = diam();
    let mut player = program.player(&table);
    let dropped = async {
        while !program.heard().contains(&"go".to_owned()) {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        choice = player.choose(&table, within(LONG)) => panic!("{choice:?}"),
        () = dropped => {}
    }
    // The turn is over, for example because of a takeback.
    table.play("A1").unwrap();
    assert_eq!(choose(&mut player, &table).await, "X1");
    assert_eq!(program.runs(), 1);
}

#[tokio::test]
async fn an_engine_ponders_on_the_expected_move() {
    let program = Program::new(
        r#"
def greet():
    say("can ponder draw\nready")
for command, words in heard():
    if command == "position":
        moves = words[2:]
    elif command == "go":
        say("bestmove", ["A1", "?", "A5"][len(moves)], "ponder X2")
    elif command == "ponderhit":
        say("bestmove A3")
    elif command == "stop":
        say("bestmove A6")
    elif command == "offer":
        say("accept")
"#,
    );
    for (answer, chosen) in [("X2", "A3"), ("X4", "A5")] {
        let mut table = diam();
        let mut player = program.player(&table);
        table.play(&choose(&mut player, &table).await).unwrap();
        let mut expected = table.clone();
        expected.play("X2").unwrap();
        player.ponder(&expected, within(LONG).limits).await;
        table.play(answer).unwrap();
        assert_eq!(choose(&mut player, &table).await, chosen);
        assert!(player.accepts_draw(&table).await);
    }
    assert_eq!(program.runs(), 2);
}

#[tokio::test]
async fn an_engine_that_does_not_know_draws_declines_them() {
    let program = Program::new("for command, words in heard():\n    pass\n");
    let table = diam();
    let mut player = program.player(&table);
    assert!(!player.accepts_draw(&table).await);
    assert!(!program.heard().contains(&"offer".to_owned()));
}
