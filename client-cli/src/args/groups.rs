//! The commands by what they are for, as `adamant help` shows them.

use clap::Command;

/// Groups of commands, each with its heading. Every visible command is in one group.
const GROUPS: [(&str, &[&str]); 7] = [
    (
        "Play",
        &[
            "play",
            "join",
            "seek",
            "lobby",
            "accept",
            "challenge",
            "challenges",
            "invite",
            "invites",
            "decline",
            "cancel",
            "rematch",
        ],
    ),
    (
        "In a game",
        &["move", "try", "show", "resign", "abort", "draw", "takeback", "call-off", "claim"],
    ),
    (
        "Watch and look up",
        &["watch", "tv", "live", "games", "standings", "stats", "bots", "user", "history", "rules"],
    ),
    ("Talk", &["say", "talk", "unsay", "mute", "unmute", "mutes", "block", "unblock", "blocks"]),
    ("Records", &["export", "download", "verify", "replay", "count", "puzzles"]),
    (
        "Account and programs",
        &[
            "login", "logout", "switch", "signup", "whoami", "password", "settings", "token",
            "bot", "engine", "match", "conform",
        ],
    ),
    ("This program", &["config", "completions", "man", "schema", "help"]),
];

/// Returns the grouped list of commands, each with its description.
pub(super) fn list(command: &Command) -> String {
    let about = |name: &str| -> String {
        let found = command.get_subcommands().find(|sub| sub.get_name() == name);
        let about = found.and_then(Command::get_about).map(ToString::to_string);
        about.unwrap_or_else(|| "Show this help, or that of a command".to_owned())
    };
    let width = GROUPS.iter().flat_map(|(_, names)| *names).map(|name| name.len()).max();
    let width = width.unwrap_or_default();
    let groups = GROUPS.iter().map(|(heading, names)| {
        let lines = names.iter().map(|name| format!("  {name:width$}  {}", about(name)));
        format!("{heading}:\n{}", lines.collect::<Vec<_>>().join("\n"))
    });
    groups.collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::args::Cli;

    #[test]
    fn every_command_stands_in_one_group() {
        let command = Cli::command();
        let mut shown: Vec<&str> = command
            .get_subcommands()
            .filter(|sub| !sub.is_hide_set())
            .map(Command::get_name)
            .collect();
        let mut grouped: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .filter(|name| *name != "help")
            .collect();
        shown.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(grouped, shown);
    }
}
