//! What a move costs the server, counted under callgrind: no figure grows unless a change says why.

use std::{collections::BTreeMap, fs};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use super::release::{SHIPPED, build_as_shipped};
use crate::{
    run::{log_line, output, program, root, target},
    suite::Step,
    tools,
};

/// The file: figures of a move, by what is counted. A change may raise one, and says in its commit
/// why.
const FILE: &str = "bench/counts.json";

/// By how much a figure may exceed the file: the rounds differ by a few percent.
const GROWTH_MAX: f64 = 1.03;

/// The figures of a move, by name.
type Figures = BTreeMap<String, f64>;

pub(super) fn counts() -> Step {
    Step::check("counts of a move", |_| {
        tools::VALGRIND.require()?;
        build_as_shipped()?;
        let file = fs::read(root().join(FILE)).with_context(|| FILE)?;
        let allowed: BTreeMap<String, Figures> = serde_json::from_slice(&file)?;
        let mut count = program(target().join(SHIPPED).join("adamant-bench"));
        let report = output(count.args(["count", "plain", "legal", "--json"]))?;
        let grown = grown(&allowed, &serde_json::from_slice(&report)?)?;
        ensure!(grown.is_empty(), "more than {FILE} allows: {}", grown.join("; "));
        Ok(())
    })
}

/// Returns the figures that have grown. A figure counts as the median of its rounds.
fn grown(allowed: &BTreeMap<String, Figures>, report: &Value) -> Result<Vec<String>> {
    let runs = report["instructions"].as_array().context("the report has no instructions")?;
    let mut grown = Vec::new();
    for (workload, figures) in allowed {
        for (figure, allowed) in figures {
            let of_workload = runs.iter().filter(|run| run["workload"] == workload.as_str());
            let counted = of_workload.filter_map(|run| run["counts"][figure].as_f64());
            let mut counted: Vec<f64> = counted.collect();
            counted.sort_by(f64::total_cmp);
            let median = *counted
                .get(counted.len() / 2)
                .with_context(|| format!("the report has no {figure} of {workload}"))?;
            let line = format!("{workload}: {figure} {median:.1}, {allowed:.1} in the file");
            log_line(&line)?;
            if median > allowed * GROWTH_MAX {
                grown.push(line);
            }
        }
    }
    Ok(grown)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_figure_that_has_grown_is_named_and_one_that_is_missing_is_an_error() {
        let run = |all: f64| json!({"workload": "plain", "counts": {"all": all}});
        let report = json!({"instructions": [run(101.0), run(104.0), run(200.0)]});
        let allowed = |figure: &str, most| {
            let figures = Figures::from([(figure.to_owned(), most)]);
            BTreeMap::from([("plain".to_owned(), figures)])
        };
        assert_eq!(grown(&allowed("all", 101.0), &report).unwrap(), [""; 0]);
        let found = grown(&allowed("all", 100.0), &report).unwrap();
        assert_eq!(found, ["plain: all 104.0, 100.0 in the file"]);
        assert!(grown(&allowed("allocations", 1.0), &report).is_err());
    }
}
