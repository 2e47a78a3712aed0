//! Engines that crash, hang or cheat.

use std::time::Duration;

use adamant_engine::protocol::{Choice, Player, PlayerSettings, Resort, limits::LINE_BYTES_MAX};
use tokio::time::{Instant, timeout};

use crate::programs::{LONG, PATIENCE, Program, diam, within};

/// A time in which an engine that runs can answer, and one that hangs is given up.
const SHORT: Duration = Duration::from_secs(1);

/// Lets a player idle until something has happened.
async fn idle_until(player: &mut Player, mut happened: impl FnMut() -> bool) {
    let happening = async {
        while !happened() {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        () = player.idle() => panic!("idle never ends"),
        happened = timeout(PATIENCE, happening) => happened.expect("it happens"),
    }
}

/// Waits until an engine reads its input.
async fn start(program: &Program, player: &mut Player) {
    idle_until(player, || program.heard().contains(&"newgame".to_owned())).await;
}

fn played(notation: &str) -> Choice {
    Choice::Move { notation: notation.to_owned(), ponder: None, draw: false }
}

#[tokio::test]
async fn a_crashed_engine_is_started_again_and_gets_the_whole_position() {
    let program = Program::new(
        r#"
for command, words in heard():
    if command == "position":
        moves = words[2:]
    elif command == "go":
        if run <= 2:
            os.abort()
        say("bestmove", "B2" if moves == ["A1", "X1"] else "?")
"#,
    );
    let mut table = diam();
    table.play("A1").unwrap();
    table.play("X1").unwrap();
    let mut player = program.player(&table);
    let choice = timeout(PATIENCE, player.choose(&table, within(LONG))).await.unwrap();
    assert_eq!(choice, played("B2"));
    assert_eq!(program.runs(), 3);
    assert!(program.logged()[0].contains("the engine ended: signal: 6"), "{:?}", program.logged());
}

#[tokio::test]
async fn an_engine_that_keeps_failing_resigns() {
    let crash = "for command, words in heard():\n    if command == 'go': sys.exit(3)\n";
    let illegal = "for command, words in heard():\n    if command == 'go': say('bestmove Z9')\n";
    let refusing = "for command, words in heard():\n    if command == 'go': say('error tired')\n";
    let curious = "for command, words in heard():\n    say('legal')\n";
    let long = format!(
        "for command, words in heard():\n    if command == 'go': say('x' * {})\n",
        LINE_BYTES_MAX + 1
    );
    for (body, why) in [
        (crash, "exit status: 3"),
        (illegal, "Z9 is illegal"),
        (refusing, "the engine says: tired"),
        (curious, "questions"),
        (long.as_str(), "a line of more than"),
    ] {
        let program = Program::new(body);
        let table = diam();
        let mut player = program.player(&table);
        let choice = timeout(PATIENCE, player.choose(&table, within(LONG))).await.unwrap();
        let Choice::Resign(reason) = choice else { panic!("{choice:?}") };
        assert!(reason.contains("failed 3 times") && reason.contains(why), "{reason}");
        assert_eq!(program.runs(), 3, "two restarts are allowed");
    }
}

#[tokio::test]
async fn an_engine_whose_failures_are_followed_by_moves_plays_on() {
    let program = Program::new(
        r#"
answered = run == 1
for command, words in heard():
    if command == "position":
        moves = words[2:]
    elif command == "go":
        if answered:
            os.abort()
        say("bestmove", ["A1", "A2", "A3", "A4"][len(moves) // 2])
        answered = True
"#,
    );
    let mut table = diam();
    let mut player = program.player(&table);
    for (own, reply) in [("A1", "X1"), ("A2", "X2"), ("A3", "X3"), ("A4", "X4")] {
        let choice = timeout(PATIENCE, player.choose(&table, within(LONG))).await.unwrap();
        assert_eq!(choice, played(own));
        table.play(own).unwrap();
        table.play(reply).unwrap();
    }
}

#[tokio::test]
async fn garbage_is_ignored() {
    let program = Program::new(
        r#"
for command, words in heard():
    if command == "go":
        sys.stdout.buffer.write(b"\xff\xfe\x00\n\n" + b"nonsense\n" * 5000)
        say("bestmove A1")
"#,
    );
    let table = diam();
    let mut player = program.player(&table);
    let choice = timeout(PATIENCE, player.choose(&table, within(LONG))).await.unwrap();
    assert_eq!(choice, played("A1"));
    assert_eq!((program.runs(), program.logged().len()), (1, 20), "the log is bounded");
}

#[tokio::test]
async fn an_engine_that_hangs_is_stopped_and_its_plan_is_played() {
    let hang = "    if command == 'go':\n        say('info pv B1 X1')\n        time.sleep(3600)\n";
    let obeys = "    if command == 'go': pass\n    if command == 'stop': say('bestmove B2')\n";
    let mute = "    if command == 'go': time.sleep(3600)\n";
    for (rules, resort, choice) in [
        (hang, Resort::Play, Some("B1")),
        (obeys, Resort::Play, Some("B2")),
        (obeys, Resort::Resign, Some("B2")),
        (mute, Resort::Play, Some("")),
        (hang, Resort::Resign, None),
    ] {
        let program = Program::new(&format!("for command, words in heard():\n{rules}"));
        let table = diam();
        let settings = PlayerSettings { resort, ..program.settings() };
        let mut player = program.player_with(&table, settings);
        start(&program, &mut player).await;
        let begun = Instant::now();
        let chosen = timeout(PATIENCE, player.choose(&table, within(SHORT))).await.unwrap();
        assert!(begun.elapsed() < 2 * SHORT, "{:?}", begun.elapsed());
        match choice {
            Some("") => {
                let Choice::Move { notation, .. } = chosen else { panic!("{chosen:?}") };
                assert!(table.clone().play(&notation).is_ok(), "any legal move");
            }
            Some(choice) => assert_eq!(chosen, played(choice)),
            None => assert!(matches!(chosen, Choice::Resign(_)), "{chosen:?}"),
        }
    }
}

#[tokio::test]
async fn an_engine_that_starts_slowly_is_not_started_twice() {
    let program = Program::new(
        r#"
time.sleep(0.5)
for command, words in heard():
    if command == "go":
        say("bestmove A1")
"#,
    );
    let table = diam();
    let mut player = program.player(&table);
    // Opponents' events interrupt the wait.
    for _ in 0..20 {
        timeout(Duration::from_millis(10), player.idle()).await.unwrap_err();
    }
    let choice = timeout(PATIENCE, player.choose(&table, within(LONG))).await.unwrap();
    assert_eq!((choice, program.runs()), (played("A1"), 1));
}

#[tokio::test]
async fn an_engine_that_ends_between_its_moves_is_started_again_at_once() {
    let program = Program::new(
        r#"
for command, words in heard():
    if command == "newgame" and run == 1:
        sys.exit(0)
    if command == "go":
        say("bestmove A1")
"#,
    );
    let table = diam();
    let mut player = program.player(&table);
    idle_until(&mut player, || program.runs() == 2).await;
    assert_eq!(player.choose(&table, within(LONG)).await, played("A1"));
}

#[tokio::test]
async fn a_dropped_player_kills_everything_that_its_engine_has_started() {
    let program = Program::new(
        r#"
import subprocess
child = subprocess.Popen(["sleep", "3600"])
for command, words in heard():
    if command == "go":
        say("info string", child.pid)
        with open(folder + "/child", "w") as file:
            file.write(str(child.pid))
        say("bestmove A1")
"#,
    );
    let table = diam();
    let mut player = program.player(&table);
    let choice = timeout(PATIENCE, player.choose(&table, within(LONG))).await.unwrap();
    assert_eq!(choice, played("A1"));
    let child = program.written("child");
    drop(player);
    let gone = async {
        // A killed process is a zombie until its parent has waited for it.
        while std::fs::read_to_string(format!("/proc/{child}/stat"))
            .is_ok_and(|stat| !stat.contains(") Z "))
        {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, gone).await.expect("the child is killed");
}
