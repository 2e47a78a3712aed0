//! What the program says of itself: rules of the games, manual pages and shell completions.

use std::{fs, path::Path, time::Duration};

use adamant_client::Address;
use adamant_protocol::{
    GameId, ToClient,
    from_client::{GameState, Games},
};
use adamant_rules::{Kind, options::OptionKind};
use anyhow::Context as _;
use clap::{Arg, Command, CommandFactory as _};
use clap_complete::Shell;
use tokio::time::timeout;

use crate::{
    cli::{Cli, CompleteArgs, CompletionsArgs, ManArgs, RulesArgs},
    credentials::Credentials,
    failure::{CommandResult, ExitStatus},
    output::Output,
    proposal::{option_list, unknown_kind},
    session::{ActAs, Session, address},
    settings::Global,
};

/// Prints the rules of a game and its options.
pub(super) fn rules(args: &RulesArgs, output: Output) -> CommandResult {
    let kind = Kind::from_name(&args.game).ok_or_else(|| unknown_kind(&args.game))?;
    let options: Vec<_> = kind
        .option_specs()
        .iter()
        .map(|spec| serde_json::json!({"name": spec.name, "about": spec.about}))
        .collect();
    if output.json {
        output.line(serde_json::json!({
            "game": kind.name(), "version": kind.version(), "page": kind.rules_summary(), "options": options
        }))?;
    } else {
        output.line(kind.rules_summary())?;
        if !options.is_empty() {
            output.line(format_args!("\n{}", option_list(kind)))?;
        }
    }
    Ok(ExitStatus::Success)
}

/// Prints a completion script for a shell.
pub(super) fn completions(args: &CompletionsArgs, output: Output) -> CommandResult {
    if let Some(script) = script(args.shell) {
        output.line(script)?;
    } else {
        let mut script = Vec::new();
        clap_complete::generate(args.shell, &mut Cli::program(), "adamant", &mut script);
        output.line(String::from_utf8_lossy(&script).trim_end())?;
    }
    Ok(ExitStatus::Success)
}

/// Writes the manual pages of the program and each command, or prints the program's page.
pub(super) fn man(args: &ManArgs, output: Output) -> CommandResult {
    let command = Cli::program();
    let Some(folder) = &args.out else {
        output.line(String::from_utf8_lossy(&page(&command)?).trim_end())?;
        return Ok(ExitStatus::Success);
    };
    fs::create_dir_all(folder).with_context(|| cannot_write(folder))?;
    let name = command.get_name().to_owned();
    write(folder, &name, &command)?;
    let mut written = 1;
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        let full = format!("{name}-{}", sub.get_name());
        let called = format!("{name} {}", sub.get_name());
        write(folder, &full, &sub.clone().bin_name(called).display_name(&full))?;
        written += 1;
    }
    output.message(format_args!("{written} manual pages written to {}.", folder.display()));
    Ok(ExitStatus::Success)
}

fn page(command: &Command) -> anyhow::Result<Vec<u8>> {
    let mut text = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut text)?;
    Ok(text)
}

fn write(folder: &Path, name: &str, command: &Command) -> anyhow::Result<()> {
    let path = folder.join(format!("{name}.1"));
    fs::write(&path, page(command)?).with_context(|| cannot_write(&path))
}

fn cannot_write(path: &Path) -> String {
    format!("{} cannot be written", path.display())
}

/// How long to wait for the server's list of games after Tab.
const SERVER_MAX: Duration = Duration::from_secs(1);

/// Number of games to list if the user has no live game.
const GAMES_MAX: u32 = 20;

/// An option with fewer values than this completes them one by one.
const VALUES_MAX: u32 = 12;

/// Returns the script that calls `adamant complete`, for the shells that have one.
pub(super) fn script(shell: Shell) -> Option<&'static str> {
    let scripts = [(Shell::Bash, BASH), (Shell::Zsh, ZSH), (Shell::Fish, FISH)];
    scripts.into_iter().find(|(of, _)| *of == shell).map(|(_, script)| script)
}

const BASH: &str = r#"_adamant() {
    local IFS=$'\n' current="${COMP_WORDS[COMP_CWORD]}"
    COMPREPLY=($(compgen -W "$(adamant complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "$current"))
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace; fi
}
complete -o default -F _adamant adamant"#;

const ZSH: &str = r#"#compdef adamant
_adamant() {
    local -a found
    found=("${(@f)$(adamant complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    found=(${found:#})
    if (( $#found )); then compadd -a found; else _files; fi
}
if [ "$funcstack[1]" = "_adamant" ]; then _adamant "$@"; else compdef _adamant adamant; fi"#;

const FISH: &str = "complete -c adamant -a '(adamant complete -- (commandline -opc | tail -n +2) (commandline -ct))'";

/// Prints the completions of the last word, one per line.
pub(super) async fn complete(global: &Global, args: &CompleteArgs) -> CommandResult {
    let (current, before) = match args.words.split_last() {
        Some((current, before)) => (current.as_str(), before),
        None => ("", &[][..]),
    };
    let found = match completion(&Cli::command(), before, current) {
        Completion::Words(words) => words,
        Completion::Users => users(global),
        Completion::Servers => servers(),
        Completion::Games => {
            let asked = timeout(SERVER_MAX, games(global)).await;
            // Without a server there are no completions, and no error on the command line.
            asked.ok().and_then(Result::ok).unwrap_or_default()
        }
    };
    for word in found.iter().filter(|word| word.starts_with(current)) {
        global.output.line(word)?;
    }
    Ok(ExitStatus::Success)
}

/// What completes a word.
#[derive(Debug, PartialEq, Eq)]
enum Completion {
    Words(Vec<String>),
    Users,
    Servers,
    Games,
}

fn completion(program: &Command, before: &[String], current: &str) -> Completion {
    let mut command = program;
    let mut positionals = 0;
    let mut value_of: Option<&Arg> = None;
    for word in before {
        if value_of.take().is_some() {
            continue;
        }
        if let Some(name) = word.strip_prefix("--") {
            value_of = flag(program, command, name).filter(|arg| takes_value(arg));
        } else if !word.starts_with('-') {
            match command.find_subcommand(word) {
                Some(sub) if positionals == 0 => command = sub,
                _ => positionals += 1,
            }
        }
    }
    if let Some(arg) = value_of {
        return of_argument(command, arg);
    }
    if current.starts_with("--") {
        let flags = program.get_arguments().chain(command.get_arguments());
        let flags = flags.filter(|arg| !arg.is_hide_set());
        let longs = flags.filter_map(|arg| Some(format!("--{}", arg.get_long()?)));
        return Completion::Words(longs.collect());
    }
    if current.starts_with('-') {
        return Completion::Words(options(before));
    }
    let positional = command.get_positionals().nth(positionals);
    if let Some(arg) = positional.or_else(|| command.get_positionals().last()) {
        return of_argument(command, arg);
    }
    let subs = command.get_subcommands().filter(|sub| !sub.is_hide_set());
    Completion::Words(subs.map(|sub| sub.get_name().to_owned()).collect())
}

fn flag<'a>(program: &'a Command, command: &'a Command, name: &str) -> Option<&'a Arg> {
    let mut all = command.get_arguments().chain(program.get_arguments());
    all.find(|arg| arg.get_long() == Some(name))
}

fn takes_value(arg: &Arg) -> bool {
    arg.get_action().takes_values() && arg.get_num_args().is_none_or(|range| range.min_values() > 0)
}

/// Returns what completes an argument.
fn of_argument(command: &Command, arg: &Arg) -> Completion {
    let values: Vec<String> =
        arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
    let kinds = [
        "challenge",
        "invite",
        "seek",
        "play",
        "match",
        "rules",
        "standings",
        "stats",
        "bots",
        "tv",
        "live",
    ];
    match (arg.get_id().as_str(), command.get_name()) {
        _ if !values.is_empty() => Completion::Words(values),
        ("server", _) => Completion::Servers,
        ("acting_as", _) | (_, "switch") => Completion::Users,
        ("rules" | "seek", _) => Completion::Words(kind_names()),
        ("game", name) if kinds.contains(&name) => Completion::Words(kind_names()),
        ("game" | "game_ply", _) => Completion::Games,
        _ => Completion::Words(Vec::new()),
    }
}

fn kind_names() -> Vec<String> {
    Kind::ALL.iter().map(|kind| kind.name().to_owned()).collect()
}

/// Returns the options of the game on the command line, with their values where these are few.
fn options(words: &[String]) -> Vec<String> {
    let Some(kind) = words.iter().find_map(|word| Kind::from_name(word)) else {
        return Vec::new();
    };
    let specs = kind.option_specs().iter();
    let spelt = specs.flat_map(|spec| match spec.kind {
        OptionKind::Flag => vec![format!("-{}", spec.name)],
        OptionKind::Number { min, max } if max.saturating_sub(min) < VALUES_MAX => {
            (min..=max).map(|value| format!("-{}={value}", spec.name)).collect()
        }
        OptionKind::Number { .. } | OptionKind::Text => vec![format!("-{}=", spec.name)],
    });
    spelt.collect()
}

fn users(global: &Global) -> Vec<String> {
    let found = || -> anyhow::Result<Vec<String>> {
        let here: Address = address(global)?;
        Ok(Credentials::open()?.users(&here).into_iter().map(str::to_owned).collect())
    };
    found().unwrap_or_default()
}

fn servers() -> Vec<String> {
    let credentials = Credentials::open().ok();
    credentials
        .map(|credentials| credentials.servers().map(str::to_owned).collect())
        .unwrap_or_default()
}

/// Returns the user's live games, or else some live games of others.
async fn games(global: &Global) -> anyhow::Result<Vec<String>> {
    let session = Session::open(global, ActAs::UserOrAnonymous).await?;
    let mut games: Vec<GameId> = session.live_games();
    if games.is_empty() {
        let list = |id| Games {
            id,
            user: None,
            rules: None,
            players: None,
            state: GameState::Live,
            opponent: None,
            result: None,
            rated: None,
            before: None,
            limit: Some(GAMES_MAX),
        };
        if let ToClient::Games(list) = session.client.request(list).await? {
            games.extend(list.games.into_iter().map(|entry| entry.game));
        }
    }
    session.close().await;
    Ok(games.iter().map(ToString::to_string).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let (current, before) = words.split_last().unwrap();
        match completion(&Cli::command(), before, current) {
            Completion::Words(words) => {
                words.into_iter().filter(|word| word.starts_with(current)).collect()
            }
            other @ (Completion::Users | Completion::Servers | Completion::Games) => {
                vec![format!("{other:?}")]
            }
        }
    }

    #[test]
    fn words_are_completed() {
        for (line, found) in [
            ("sta", vec!["standings", "stats"]),
            ("play ", vec!["adamas", "hexma", "stymie", "diam"]),
            ("play hexma --lev", vec!["--level"]),
            (
                "play hexma --level ",
                vec!["1", "2", "3", "4", "5", "6", "7", "8", "easy", "medium", "hard"],
            ),
            ("challenge adamas -prog", vec!["-prog_cap"]),
            ("challenge adamas -size=8", vec!["-size=8"]),
            ("games --rules h", vec!["hexma"]),
            ("rules st", vec!["stymie"]),
            ("match --game st", vec!["stymie"]),
            ("match --game diam -bo", vec!["-board="]),
            ("match --format g", vec!["gauntlet"]),
            ("draw k7q2mx a", vec!["accept"]),
            ("token cr", vec!["create"]),
            ("join ", vec!["Games"]),
            ("move ", vec!["Games"]),
            ("--json show ", vec!["Games"]),
            ("switch ", vec!["Users"]),
            ("games --as ", vec!["Users"]),
            ("games --server ", vec!["Servers"]),
            ("play hexma --op", vec![]),
            ("challenge chess -s", vec![]),
        ] {
            assert_eq!(words(line), found, "{line:?}");
        }
    }
}
