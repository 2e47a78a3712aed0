//! Reads the profile that callgrind writes: the instructions of each function, by the file of the
//! source that they come from. The costs of calls are left out, so that nothing counts twice.

use std::collections::{BTreeMap, HashMap};

use anyhow::{Context as _, Result, ensure};
use serde::Serialize;

/// Where instructions come from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Origin {
    /// The program or library.
    pub object: String,
    /// The function. Functions that the compiler has inlined belong to it.
    pub function: String,
    /// The file of the source: that of the inlined function, where there is one.
    pub file: String,
}

/// What callgrind has counted.
#[derive(Debug, Default)]
pub struct Profile {
    /// The instructions of each origin.
    pub instructions: BTreeMap<Origin, u64>,
    /// How often each function was called.
    pub calls: BTreeMap<String, u64>,
}

/// Names by the numbers that stand for them after their first use.
#[derive(Debug, Default)]
struct Names(HashMap<String, String>);

impl Names {
    /// Resolves `(4) name` and remembers it, or resolves `(4)`.
    fn resolve(&mut self, written: &str) -> Result<String> {
        let Some((number, name)) = written.strip_prefix('(').and_then(|rest| rest.split_once(')'))
        else {
            return Ok(written.to_owned());
        };
        if let Some(name) = name.strip_prefix(' ') {
            self.0.insert(number.to_owned(), name.to_owned());
            return Ok(name.to_owned());
        }
        self.0.get(number).cloned().with_context(|| format!("the name {written} is used undefined"))
    }
}

/// Reads a profile with one position (the line) and one cost (instructions) a row.
pub(super) fn parse(text: &str) -> Result<Profile> {
    ensure!(text.contains("\npositions: line\n"), "the profile has other positions than lines");
    ensure!(text.contains("\nevents: Ir\n"), "the profile has other events than instructions");
    let (mut objects, mut files, mut functions) =
        (Names::default(), Names::default(), Names::default());
    let mut origin = Origin { object: String::new(), function: String::new(), file: String::new() };
    let mut profile = Profile::default();
    let (mut callee, mut is_call) = (String::new(), false);
    for line in text.lines() {
        if line.starts_with(['+', '-', '*']) || line.starts_with(|first: char| first.is_numeric()) {
            // The row after `calls=` has the cost of the called functions, which have rows, too.
            if !std::mem::take(&mut is_call) {
                let cost = line.split(' ').nth(1).context("a row has a cost")?.parse::<u64>()?;
                *profile.instructions.entry(origin.clone()).or_default() += cost;
            }
            continue;
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        match key {
            "ob" => origin.object = objects.resolve(value)?,
            "fl" | "fi" | "fe" => origin.file = files.resolve(value)?,
            "fn" => origin.function = functions.resolve(value)?,
            "cob" => drop(objects.resolve(value)?),
            "cfi" | "cfl" => drop(files.resolve(value)?),
            "cfn" => callee = functions.resolve(value)?,
            "calls" => {
                let calls = value.split(' ').next().unwrap_or(value).parse::<u64>()?;
                *profile.calls.entry(callee.clone()).or_default() += calls;
                is_call = true;
            }
            _ => {}
        }
    }
    Ok(profile)
}
