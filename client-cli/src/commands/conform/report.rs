//! The report of `conform`: a table, the findings with the way to repeat them, and the result.

use std::{collections::BTreeMap, fmt::Write as _};

use serde_json::{Value, json};

/// The verdicts of all seeds.
#[derive(Debug)]
pub(super) struct ConformanceReport<'a> {
    /// By seed, as the servers said them.
    pub(super) verdicts: BTreeMap<u64, Value>,
    /// The client's command.
    pub(super) command: &'a [String],
    /// Whether waits were long.
    pub(super) slow: bool,
    /// Games for each seed.
    pub(super) games: u64,
}

impl ConformanceReport<'_> {
    fn passed(&self) -> usize {
        self.verdicts.values().filter(|verdict| verdict["passed"] == true).count()
    }

    /// Whether the client has passed all seeds.
    pub(super) fn has_passed(&self) -> bool {
        self.passed() == self.verdicts.len()
    }

    /// The result in a line.
    fn result(&self) -> String {
        let (passed, all) = (self.passed(), self.verdicts.len());
        let word = if self.has_passed() { "passed" } else { "FAILED" };
        let version = env!("CARGO_PKG_VERSION");
        format!(
            "Adamant conformance (protocol 1, adamant {version}): {word}, {passed} of {all} seeds"
        )
    }

    /// The report as text.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        let mut line = |words: String| writeln!(text, "{words}").expect("a string takes text");
        line(format!(
            "{:>6}  {:6}  {:>6}  {:>8}  {:>5}  {:>6}  {:>8}  findings",
            "seed", "result", "games", "sessions", "acts", "again", "slowest"
        ));
        for (seed, verdict) in &self.verdicts {
            let number = |name: &str| verdict[name].as_u64().unwrap_or_default();
            let names = verdict["findings"].as_object().into_iter().flatten();
            let names: Vec<&str> = names.map(|(name, _)| name.as_str()).collect();
            line(format!(
                "{seed:>6}  {:6}  {:>6}  {:>8}  {:>5}  {:>6}  {:>5} ms  {}",
                if verdict["passed"] == true { "passed" } else { "FAILED" },
                format!("{}/{}", number("games"), number("games_wanted")),
                number("sessions"),
                number("acts"),
                number("acts_sent_again"),
                number("think_max_ms"),
                names.join(", ")
            ));
        }
        for (name, (first_seed, seeds, found)) in self.findings() {
            let text = |field: &str| found[field].as_str().unwrap_or_default().to_owned();
            line(String::new());
            line(format!("{name}, with {seeds} of the seeds: the client {}.", text("meaning")));
            line(format!("  What to do: docs/PROTOCOL.md, \"{}\".", text("section")));
            line(format!("  First with seed {first_seed}: {}", text("first")));
            line(format!("  Again: {}", self.again(first_seed)));
        }
        line(String::new());
        line(self.result());
        text
    }

    /// The findings by name: the first seed, the number of seeds, and what was found first.
    fn findings(&self) -> BTreeMap<&str, (u64, u64, &Value)> {
        let mut all = BTreeMap::new();
        for (seed, verdict) in &self.verdicts {
            for (name, found) in verdict["findings"].as_object().into_iter().flatten() {
                all.entry(name.as_str()).or_insert((*seed, 0, found)).1 += 1;
            }
        }
        all
    }

    /// The command that repeats a seed.
    fn again(&self, seed: u64) -> String {
        let slow = if self.slow { " --slow" } else { "" };
        let words: Vec<String> = self.command.iter().map(|word| quoted(word)).collect();
        let (games, command) = (self.games, words.join(" "));
        format!("adamant conform --seed {seed} --games {games}{slow} --logs . -- {command}")
    }

    /// The report as JSON.
    pub(super) fn json(&self) -> Value {
        json!({
            "passed": self.has_passed(),
            "seeds": self.verdicts.len(),
            "seeds_passed": self.passed(),
            "result": self.result(),
            "verdicts": self.verdicts.values().collect::<Vec<_>>(),
        })
    }
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+{}".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The result as a picture for a web page.
pub(super) fn badge(report: &ConformanceReport<'_>) -> String {
    let (passed, all) = (report.passed(), report.verdicts.len());
    let colour = if report.has_passed() { "#2a7a3b" } else { "#b3261e" };
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="230" height="20" role="img" aria-label="Adamant conformance: {passed} of {all} seeds">
<rect width="150" height="20" fill="#444"/><rect x="150" width="80" height="20" fill="{colour}"/>
<g fill="#fff" font-family="sans-serif" font-size="11" text-anchor="middle">
<text x="75" y="14">Adamant conformance</text><text x="190" y="14">{passed} of {all}</text></g></svg>
"##
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(command: &[String]) -> ConformanceReport<'_> {
        let good = json!({
            "passed": true, "games": 4, "games_wanted": 4, "sessions": 5, "acts": 30,
            "acts_sent_again": 6, "think_max_ms": 12, "findings": {},
        });
        let found = json!({
            "count": 2, "first": "session 1, request m2: it is m1 again",
            "meaning": "made an unanswered act again under a new id", "section": "Guarantees",
        });
        let bad = json!({
            "passed": false, "games": 1, "games_wanted": 4, "sessions": 2, "acts": 3,
            "acts_sent_again": 0, "think_max_ms": 4, "findings": {"act_doubled": found},
        });
        ConformanceReport { verdicts: [(1, good), (2, bad)].into(), command, slow: false, games: 4 }
    }

    #[test]
    fn the_report_names_each_finding_and_how_to_repeat_it() {
        let command = ["python3".to_owned(), "my bot.py".to_owned(), "{url}".to_owned()];
        let report = report(&command);
        let text = report.text();
        for part in [
            "     1  passed     4/4         5     30       6     12 ms",
            "     2  FAILED     1/4         2      3       0      4 ms  act_doubled",
            "act_doubled, with 1 of the seeds: the client made an unanswered act again under a new id.",
            "  First with seed 2: session 1, request m2: it is m1 again",
            "  Again: adamant conform --seed 2 --games 4 --logs . -- python3 'my bot.py' {url}",
            "FAILED, 1 of 2 seeds",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        assert!(!report.has_passed());
        assert_eq!(report.json()["seeds_passed"], 1);
    }

    #[test]
    fn the_badge_has_the_result() {
        let command = ["bot".to_owned()];
        let badge = badge(&report(&command));
        assert!(badge.contains("1 of 2") && badge.contains("#b3261e"), "{badge}");
    }
}
