//! What is counted in the older text format, version 0.0.4, which every monitor reads.

use std::fmt::Write as _;

/// The same page as it was before there was `OpenMetrics`: metrics are described under the names that
/// their samples have, and units and infos are unknown.
pub(super) fn plain(openmetrics: &str) -> String {
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
            // A string takes whatever is written to it.
            let _written =
                writeln!(page, "# HELP {name}{suffix} {help}\n# TYPE {name}{suffix} {kind}");
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
    fn counters_and_infos_are_described_by_their_whole_names() {
        let page = "# HELP a_commits Made.\n# TYPE a_commits counter\na_commits_total 3\n# HELP a_build Which.\n# TYPE a_build info\na_build_info{version=\"1\"} 1\n# HELP a_seconds Time.\n# TYPE a_seconds histogram\n# UNIT a_seconds seconds\na_seconds_sum 0.5\n# EOF\n";
        let expected = "# HELP a_commits_total Made.\n# TYPE a_commits_total counter\na_commits_total 3\n# HELP a_build_info Which.\n# TYPE a_build_info gauge\na_build_info{version=\"1\"} 1\n# HELP a_seconds Time.\n# TYPE a_seconds histogram\na_seconds_sum 0.5\n";
        assert_eq!(plain(page), expected);
    }
}
