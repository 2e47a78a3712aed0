//! What test programs report: one JSON object a line, in the format of Rust's test harness. The
//! reporters for Node (`xtask/reporters/node.mjs`) and for Python (`xtask/reporters/python.py`)
//! write the same.

use std::{collections::BTreeSet, time::Duration};

use serde_json::Value;

/// A test that failed, with what it printed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) test: String,
    pub(crate) output: String,
}

/// What tests came to.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) passed: usize,
    pub(crate) skipped: usize,
    pub(crate) failures: Vec<Failure>,
    pub(crate) times: Vec<(Duration, String)>,
    running: BTreeSet<String>,
}

impl Tally {
    /// Takes in a line of a test program. Other lines than reports change nothing. Returns a line
    /// for people about a test that has ended.
    pub(crate) fn read(&mut self, line: &str) -> Option<String> {
        let report = serde_json::from_str::<Value>(line).ok()?;
        let (Some("test"), Some(test), Some(event)) =
            (report["type"].as_str(), report["name"].as_str(), report["event"].as_str())
        else {
            return None;
        };
        if event == "started" {
            self.running.insert(test.to_owned());
            return None;
        }
        if event == "timeout" {
            return None;
        }
        self.running.remove(test);
        let seconds = report["exec_time"].as_f64();
        if let Some(seconds) = seconds {
            self.times.push((Duration::from_secs_f64(seconds), test.to_owned()));
        }
        match event {
            "ok" => self.passed += 1,
            "ignored" => self.skipped += 1,
            _ => {
                let output = report["stdout"].as_str().or(report["message"].as_str());
                let output = output.unwrap_or_default().trim().to_owned();
                self.failures.push(Failure { test: test.to_owned(), output });
            }
        }
        Some(format!("{:8.2} s  {event:<8}  {test}", seconds.unwrap_or_default()))
    }

    /// Adds what other tests came to.
    pub(crate) fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.skipped += other.skipped;
        self.failures.extend(other.failures);
        self.times.extend(other.times);
    }

    /// How many tests have ended.
    pub(crate) fn ended(&self) -> usize {
        self.passed + self.skipped + self.failures.len()
    }

    /// The tests that have begun and not ended: if their program has ended, they ended it.
    pub(crate) fn running(&self) -> impl Iterator<Item = &str> {
        self.running.iter().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::Tally;

    #[test]
    fn reports_are_counted_and_other_lines_are_not() {
        let mut tally = Tally::default();
        for line in [
            r#"{ "type": "suite", "event": "started", "test_count": 4 }"#,
            r#"{ "type": "test", "event": "started", "name": "a" }"#,
            r#"{ "type": "test", "event": "started", "name": "b" }"#,
            "a line of a program that the test starts",
            r#"{ "type": "test", "name": "a", "event": "ok", "exec_time": 1.5 }"#,
            r#"{ "type": "test", "name": "c", "event": "ignored" }"#,
            r#"{ "type": "test", "name": "d", "event": "failed", "stdout": "why\n" }"#,
            r#"{ "type": "suite", "event": "failed", "passed": 1, "failed": 1 }"#,
        ] {
            tally.read(line);
        }
        assert_eq!((tally.passed, tally.skipped, tally.ended()), (1, 1, 3));
        assert_eq!((&*tally.failures[0].test, &*tally.failures[0].output), ("d", "why"));
        assert_eq!(tally.times[0].0.as_millis(), 1_500);
        assert_eq!(tally.running().collect::<Vec<_>>(), ["b"]);
        let ended =
            tally.read(r#"{ "type": "test", "name": "b", "event": "ok", "exec_time": 0.25 }"#);
        assert_eq!(ended.as_deref(), Some("    0.25 s  ok        b"));
    }
}
