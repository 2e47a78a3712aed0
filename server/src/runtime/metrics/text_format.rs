//! The Prometheus text format, version 0.0.4, which every monitor reads.

use std::fmt::Write as _;

/// Converts a page from `OpenMetrics`. The older format describes metrics by the names of their
/// samples, and has no units and no infos.
pub(super) fn from_openmetrics(openmetrics: &str) -> String {
    let mut page = String::with_capacity(openmetrics.len());
    let mut help = "";
    for line in openmetrics.lines() {
        if let Some(described) = line.strip_prefix("# HELP ") {
            help = described.split_once(' ').map_or("", |(_, text)| text);
        } else if let Some((name, kind)) =
            line.strip_prefix("# TYPE ").and_then(|typed| typed.split_once(' '))
        {
            let (suffix, kind) = match kind {
                "counter" => ("_total", "counter"),
                "info" => ("_info", "gauge"),
                "unknown" => ("", "untyped"),
                other => ("", other),
            };
            writeln!(page, "# HELP {name}{suffix} {help}\n# TYPE {name}{suffix} {kind}")
                .expect("writing to a string cannot fail");
        } else if !line.starts_with('#') {
            page.push_str(line);
            page.push('\n');
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_and_infos_are_described_by_the_names_of_their_samples() {
        let page = "# HELP a_commits Made.\n# TYPE a_commits counter\na_commits_total 3\n# HELP a_build Which.\n# TYPE a_build info\na_build_info{version=\"1\"} 1\n# HELP a_seconds Time.\n# TYPE a_seconds histogram\n# UNIT a_seconds seconds\na_seconds_sum 0.5\n# EOF\n";
        let expected = "# HELP a_commits_total Made.\n# TYPE a_commits_total counter\na_commits_total 3\n# HELP a_build_info Which.\n# TYPE a_build_info gauge\na_build_info{version=\"1\"} 1\n# HELP a_seconds Time.\n# TYPE a_seconds histogram\na_seconds_sum 0.5\n";
        assert_eq!(from_openmetrics(page), expected);
    }
}
