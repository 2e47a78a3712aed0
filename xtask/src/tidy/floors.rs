//! The floors of the server: the one list from which the arrows of its modules and the list in
//! ARCHITECTURE.md are checked.

use std::{collections::BTreeSet, fmt::Write as _, fs, path::Path};

use anyhow::{Context as _, Result};

use super::{imports::arrows, sources::Sources, violation::Violation};

const CHECK: &str = "floors";

/// The server's floors, from the top. A module may use those below it, and those beside it as long
/// as there is no circle.
const FLOORS: &[&[(&str, &str)]] = &[
    &[
        ("simulation", "the server without a port, in simulated time"),
        ("chaos", "the chaos mode: a server that torments a client, and its verdict"),
        ("bench_api", "doors to what micro benchmarks measure"),
    ],
    &[
        ("app", "the only file that constructs everything"),
        ("maintenance", "checks and copies a data directory"),
    ],
    &[("http", "one port: TLS, HTTP, the upgrade, proxies"), ("house", "the server's own bots")],
    &[("session", "one connection: transport, reader, writer, hello, dispatch, requests")],
    &[
        ("queries", "games, standings, users, positions"),
        ("lobby", "seeks, challenges, invites, users online"),
        ("downloads", "the monthly files of finished games"),
        ("live", "lists of live games, featured games"),
        ("talk", "chat about games"),
        ("relations", "mutes, blocks and settings"),
        ("notify", "push messages and webhooks to users who are away"),
    ],
    &[
        ("room", "registry, actor, commit, audience, views"),
        ("accounts", "users, bots, passwords, tokens"),
    ],
    &[
        ("store", "what is stored: games, users, offers; SQLite and PostgreSQL"),
        ("cluster", "what nodes announce to each other"),
        ("signing", "the server's key"),
        ("config", "the configuration"),
        ("error", "what clients receive instead of a reply"),
        ("quotas", "what users and networks may ask for in all"),
        ("outbound", "frames, outbox, client handle"),
        ("occasions", "what users who are away may want to know"),
        ("runtime", "metrics, log, shutdown, time, files"),
    ],
    &[
        ("address", "networks and addresses"),
        ("rate_limiter", "rates of users, networks and addresses"),
        ("ratings", "arithmetic of ratings"),
        ("cache", "what takes long to make and never changes"),
        ("fair_queue", "fair shares of a few places"),
        ("limits", "every bound with its reason"),
    ],
];

const DOCUMENT: &str = "ARCHITECTURE.md";
const BEGIN: &str = "<!-- floors: cargo xtask tidy --write -->";
const END: &str = "<!-- end of floors -->";

/// Finds modules without a floor, floors without a module, and arrows that go up; and whether
/// ARCHITECTURE.md has the list as it is.
pub(crate) fn check(sources: &Sources) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut modules = BTreeSet::new();
    let crates = arrows(sources);
    for (_, arrows) in &crates {
        for (file, uses) in arrows {
            let Some(module) = module_of(file) else { continue };
            modules.insert(module);
            for (used, line) in uses {
                let Some(below) = module_of(used) else { continue };
                if floor_of(module) > floor_of(below) {
                    let text = format!("{module} may not use {below}, which is above it");
                    found.push(Violation::new(CHECK, file, *line, text));
                }
            }
        }
    }
    for module in &modules {
        if floor_of(module).is_none() {
            let text = format!("the server's module {module} has no floor");
            found.push(Violation::new(CHECK, file!(), 0, text));
        }
    }
    for (module, _) in FLOORS.iter().copied().flatten() {
        if !modules.contains(module) {
            let text = format!("the server has no module {module}");
            found.push(Violation::new(CHECK, file!(), 0, text));
        }
    }
    let document = sources.text(DOCUMENT).unwrap_or_default();
    if with_floors(document).as_deref() != Some(document) {
        let text = "the floors are not as in floors.rs: cargo xtask tidy --write";
        found.push(Violation::new(CHECK, DOCUMENT, 0, text));
    }
    found
}

/// Writes the floors into ARCHITECTURE.md.
pub(crate) fn write(root: &Path) -> Result<()> {
    let path = root.join(DOCUMENT);
    let document = fs::read_to_string(&path)?;
    let written = with_floors(&document)
        .with_context(|| format!("{DOCUMENT} has no lines {BEGIN} and {END}"))?;
    Ok(fs::write(path, written)?)
}

/// The server's module that a file belongs to. The roots of its crates are none.
fn module_of(file: &str) -> Option<&str> {
    let inside = file.strip_prefix("server/src/")?;
    let module = inside.split(['/', '.']).next()?;
    (!["lib", "main"].contains(&module)).then_some(module)
}

fn floor_of(module: &str) -> Option<usize> {
    FLOORS.iter().position(|floor| floor.iter().any(|(name, _)| *name == module))
}

/// The document with the floors between its marks.
fn with_floors(document: &str) -> Option<String> {
    let (before, rest) = document.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n{}{END}{after}", block()))
}

fn block() -> String {
    let mut block = "```\n".to_owned();
    for (at, floor) in FLOORS.iter().enumerate() {
        if at > 0 {
            block.push('\n');
        }
        for (module, what) in *floor {
            writeln!(block, "{module:<12} {what}").expect("a string takes any text");
        }
    }
    block.push_str("```\n");
    block
}

#[cfg(test)]
mod tests {
    use super::{floor_of, module_of};

    #[test]
    fn floors_are_counted_from_the_top() {
        assert!(floor_of("app") < floor_of("limits"));
        assert_eq!(module_of("server/src/room/actor.rs"), Some("room"));
        assert_eq!(module_of("server/src/main.rs"), None);
    }
}
