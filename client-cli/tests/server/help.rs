//! Help, rules, manual pages and completions, without a server.

use std::{fs, process::Command};

use serde_json::Value;

use crate::script::{Home, err, out};

#[test]
fn the_program_without_arguments_lists_commands_in_groups() {
    let output = Command::new(env!("CARGO_BIN_EXE_adamant")).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    for part in ["Play:\n", "Records:\n", "  challenge ", "Examples:", "--server <URL>"] {
        assert!(out(&output).contains(part), "{part:?} is not in\n{}", out(&output));
    }
    assert!(!out(&output).contains("  complete "), "{}", out(&output));
    let home = Home::new();
    let slip = home.run(1, "shwo g");
    assert_eq!(slip.status.code(), Some(2));
    assert!(err(&slip).contains("'show'"), "{}", err(&slip));
    let missing = home.run(1, "show");
    assert!(!err(&missing).contains("--server <URL> <GAME"), "{}", err(&missing));
}

#[test]
fn rules_prints_every_game_with_its_options() {
    let home = Home::new();
    for (game, option) in
        [("adamas", "-prog_cap"), ("Hexma", ""), ("stymie", "-swap"), ("diam", "-board")]
    {
        let output = home.run(1, &format!("rules {game}"));
        assert!(out(&output).starts_with(&game.to_uppercase()), "{}", out(&output));
        assert!(out(&output).contains(option), "{}", out(&output));
    }
    let page: Value = serde_json::from_str(out(&home.run(1, "rules diam --json"))).unwrap();
    assert_eq!(page["game"], "diam");
    let other = home.run(1, "rules chess");
    assert_eq!(other.status.code(), Some(2));
    assert!(err(&other).contains("adamas, hexma, stymie, diam"), "{}", err(&other));
}

#[test]
fn man_writes_a_page_for_each_command() {
    let home = Home::new();
    let folder = home.path("man1");
    let output = home.run(1, &format!("man --out {}", folder.display()));
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    for page in ["adamant.1", "adamant-play.1", "adamant-call-off.1"] {
        let text = fs::read_to_string(folder.join(page)).unwrap();
        assert!(text.contains(".TH") && text.contains(".SH SYNOPSIS"), "{page}: {text}");
    }
    assert!(!folder.join("adamant-complete.1").exists());
    let page = home.run(1, "man");
    assert!(out(&page).contains(".TH adamant 1"), "{}", out(&page));
}

#[test]
fn completion_scripts_work() {
    let home = Home::new();
    let complete = |words: &str| out(&home.run(1, &format!("complete -- {words}"))).to_owned();
    assert_eq!(complete("play he"), "hexma\n");
    assert_eq!(complete("challenge stymie -sw"), "-swap\n");
    assert_eq!(complete("join "), "", "without a server there is nothing to offer");
    fs::create_dir(home.path("adamant")).unwrap();
    fs::write(
        home.path("adamant/credentials.toml"),
        "[servers.\"ws://127.0.0.1:1\".users.ann]\nname = \"ann\"\ntoken = \"at_1\"\n",
    )
    .unwrap();
    assert_eq!(complete("switch "), "ann\n");
    assert_eq!(complete("games --as a"), "ann\n");
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = home.run(1, &format!("completions {shell}"));
        assert_eq!(script.status.code(), Some(0));
        assert!(out(&script).contains("adamant"), "{shell}");
        if shell == "bash" {
            let file = home.path("adamant.bash");
            fs::write(&file, script.stdout).unwrap();
            let check = Command::new("bash").arg("-n").arg(file).status();
            // Skips the check on a system without bash.
            assert!(check.is_err() || check.is_ok_and(|status| status.success()));
        }
    }
}
