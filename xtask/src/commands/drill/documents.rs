//! The commands of the operator's documents, as they stand there.

use std::{cell::RefCell, collections::BTreeSet, fs};

use anyhow::{Context as _, Result, bail, ensure};

use crate::run::root;

const INSTALL: &str = "docs/operate/install.md";
const NIGHT: &str = "docs/operate/night.md";
const OPERATIONS: &str = "docs/OPERATIONS.md";
const REFERENCE: &str = "docs/operate/reference.md";

/// Commands of the installation and of the night that the drill runs, each by words that no other
/// command has.
const RUN: [&str; 31] = [
    "apt install ./adamant_VERSION",
    "install -o adamant",
    "cp /usr/share/doc/adamant/config/production.example.toml",
    "sed -i",
    "systemctl restart adamant",
    "/var/lib/adamant doctor",
    "systemctl start adamant-backup",
    "printf '[store.shipping]",
    "config/monitoring/alerts.yml",
    "config/fail2ban/adamant.conf",
    "adamant play stymie",
    "admin users list",
    "runuser -u adamant -- bash",
    "export ADAMANT_CONFIG",
    "adamant-server doctor",
    "adamant-server health",
    "--check-config",
    "systemctl status adamant",
    "fuser",
    "ss -ltnp",
    "adamant-server check",
    "systemctl reload adamant",
    "admin bans network",
    "admin users reset-code",
    "adamant-server backup --to /mnt/other",
    "admin sign-up accounts invitation",
    "admin sign-up accounts open",
    "admin reports list",
    "admin reports close",
    "admin maintenance plan",
    "restore --until latest",
];

/// Those that the drill cannot run, and why.
const LEFT_OUT: [(&str, &str); 7] = [
    ("systemctl enable --now adamant-backup.timer", "timers need systemd"),
    ("apt install prometheus", "needs the network"),
    ("apt install fail2ban", "needs the network"),
    ("journalctl", "needs systemd; the drill reads the log from the server"),
    ("timedatectl", "needs systemd"),
    ("iostat", "runs until it is broken off"),
    ("dmesg", "shows the log of the machine, not of the root"),
];

/// What a command in a line of text begins with.
const PROGRAMS: [&str; 11] = [
    "adamant ",
    "adamant-server ",
    "systemctl ",
    "runuser ",
    "journalctl ",
    "fuser ",
    "ss ",
    "timedatectl",
    "iostat ",
    "dmesg",
    "kill ",
];

/// The commands, and which of them have been run.
pub(super) struct Documents {
    /// Those of which each must be run.
    required: Vec<String>,
    /// Others, and those of which the reference lists the words behind `adamant-server admin`.
    others: Vec<String>,
    run: RefCell<BTreeSet<&'static str>>,
}

impl Documents {
    /// Reads the documents, and fails if they have a command that the drill does not know, or have
    /// one no longer that it does.
    pub(super) fn read() -> Result<Self> {
        let [install, night, operations, reference] = [INSTALL, NIGHT, OPERATIONS, REFERENCE]
            .map(|document| fs::read_to_string(root().join(document)));
        let mut required = commands(&install?);
        required.extend(commands(&night?));
        let mut seen = BTreeSet::new();
        required.retain(|command| seen.insert(command.clone()));
        let left_out = LEFT_OUT.map(|(words, _)| words);
        for words in RUN.iter().chain(&left_out) {
            only(&required, words)?;
        }
        for command in &required {
            let is_known = RUN.iter().chain(&left_out).any(|words| command.contains(words));
            ensure!(is_known, "the drill does not know `{command}` of {INSTALL} or {NIGHT}");
        }
        let mut others = commands(&operations?);
        others.extend(administration(&reference?));
        Ok(Self { required, others, run: RefCell::default() })
    }

    /// Returns the command with these words, which only it has, with values in the place of what the
    /// document leaves open.
    pub(super) fn command(&self, words: &str, values: &[(&str, &str)]) -> Result<String> {
        let command = match RUN.iter().find(|known| **known == words) {
            Some(known) => {
                self.run.borrow_mut().insert(known);
                only(&self.required, words)?
            }
            None => only(&self.others, words)?,
        };
        let mut command = command.to_owned();
        for (open, value) in values {
            ensure!(command.contains(open), "`{command}` leaves no {open} open");
            command = command.replace(open, value);
        }
        Ok(command)
    }

    /// Fails if the drill has not run a command that it knows.
    pub(super) fn all_were_run(&self) -> Result<()> {
        let run = self.run.borrow();
        let missing: Vec<_> = RUN.iter().filter(|words| !run.contains(**words)).collect();
        ensure!(missing.is_empty(), "these were not run: {missing:?}");
        Ok(())
    }
}

/// Returns the command with these words, which no other has.
fn only<'a>(commands: &'a [String], words: &str) -> Result<&'a str> {
    let mut found = commands.iter().filter(|command| command.contains(words));
    let command = found.next().with_context(|| format!("no command has the words `{words}`"))?;
    if let Some(other) = found.next() {
        bail!("`{command}` and `{other}` both have the words `{words}`");
    }
    Ok(command)
}

/// The commands of a document: the lines of its blocks for the shell, those that stand behind `$` in
/// other blocks, and those in backquotes.
fn commands(document: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut block = None;
    // A line with a backslash at its end goes on.
    for line in document.replace(" \\\n", " ").lines().map(str::trim) {
        match (line.strip_prefix("```"), block) {
            (Some(language), None) => block = Some(language),
            (Some(_), Some(_)) => block = None,
            (None, Some("sh")) => found.push(line.to_owned()),
            (None, Some(_)) => found.extend(line.strip_prefix("$ ").map(str::to_owned)),
            (None, None) => {
                let quoted = line.split('`').skip(1).step_by(2);
                let is_command =
                    |text: &&str| PROGRAMS.iter().any(|program| text.starts_with(program));
                found.extend(quoted.filter(is_command).map(str::to_owned));
            }
        }
    }
    found
}

/// The commands of the administration's table, without what one may leave out.
fn administration(reference: &str) -> Vec<String> {
    let section = reference.split("\n## ").find(|section| section.starts_with("Administration"));
    let rows = section.unwrap_or_default().lines().filter_map(|line| {
        let (command, _) = line.strip_prefix("| `")?.split_once('`')?;
        let mut text = String::from("adamant-server admin");
        let mut depth = 0_u32;
        for word in command.split(' ') {
            depth += u32::from(word.starts_with('['));
            if depth == 0 {
                text.push(' ');
                text.push_str(word);
            }
            depth = depth.saturating_sub(u32::from(word.ends_with(']')));
        }
        Some(text)
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_drill_knows_every_command_of_the_installation_and_the_night() {
        Documents::read().unwrap();
    }

    #[test]
    fn commands_stand_in_blocks_and_backquotes() {
        let text = "run `adamant-server check`, not `--check`\n\n   ```sh\n   ls -l\n   ```\n\
                    ```\n$ adamant-server backup\nsaid\n```\n";
        assert_eq!(commands(text), ["adamant-server check", "ls -l", "adamant-server backup"]);
        let table = "\n## Administration\n| `bans user USER --reason TEXT [--for TIME]` | x |\n";
        assert_eq!(administration(table), ["adamant-server admin bans user USER --reason TEXT"]);
    }
}
