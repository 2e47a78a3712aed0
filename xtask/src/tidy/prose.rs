//! The width of prose: Markdown and comments.

use super::{sources::Sources, violation::Violation};

const CHECK: &str = "prose";

const MARKDOWN_COLUMNS_MAX: usize = 120;

/// Of comments: the ending of the file, what begins a line, and how wide it may be.
const COMMENTS: [(&str, &[&str], usize); 6] = [
    (".rs", &["//"], 100),
    (".js", &["//", "/*", "*"], 100),
    (".css", &["/*", "*"], 100),
    (".ts", &["//", "/*", "*"], 120),
    (".mjs", &["//", "/*", "*"], 120),
    (".py", &["#"], 120),
];

/// Finds lines of prose that are too wide. Tables, code, headings, lines with a URL, types in the
/// tags of a comment and comments of Markdown may be.
pub(crate) fn check(sources: &Sources) -> Vec<Violation> {
    let mut found = Vec::new();
    for (path, text) in sources.texts(".md") {
        found.extend(wide(path, markdown(text), MARKDOWN_COLUMNS_MAX));
    }
    for (ending, begins, columns_max) in COMMENTS {
        for (path, text) in sources.texts(ending) {
            let lines = text.lines().map(|line| (line, comment(line, begins).unwrap_or_default()));
            found.extend(wide(path, lines, columns_max));
        }
    }
    found
}

/// The lines of a Markdown document with the prose in each: none inside a comment.
fn markdown(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut is_comment = false;
    text.lines().map(move |line| {
        is_comment |= line.starts_with("<!--");
        let prose = if is_comment { "" } else { line };
        is_comment &= !line.ends_with("-->");
        (line, prose)
    })
}

/// The text of a comment that takes a line of its own.
fn comment<'a>(line: &'a str, begins: &[&str]) -> Option<&'a str> {
    let line = line.trim_start();
    let comment = begins.iter().find_map(|begin| line.strip_prefix(begin))?;
    Some(comment.trim_start_matches(['/', '!', '*']).trim_start())
}

/// The lines that are too wide, given each with the prose in it.
fn wide<'a>(
    path: &str,
    lines: impl Iterator<Item = (&'a str, &'a str)>,
    columns_max: usize,
) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut fence = None;
    for (at, (line, prose)) in lines.enumerate() {
        let prose = prose.trim_start();
        let ticks = prose.len() - prose.trim_start_matches('`').len();
        match fence {
            None if ticks >= 3 => fence = Some(ticks),
            Some(open) if ticks >= open => fence = None,
            _ => {}
        }
        let is_exempt = fence.is_some()
            || ticks >= 3
            || prose.is_empty()
            || prose.starts_with('|')
            || prose.starts_with('#')
            || prose.contains("://")
            || is_typed(prose);
        let columns = line.chars().count();
        if !is_exempt && columns > columns_max {
            let text =
                format!("has {columns} columns; at most {columns_max}: make it two sentences");
            found.push(Violation::new(CHECK, path, at + 1, text));
        }
    }
    found
}

/// If the text has a tag such as `@type` with a type in braces, which cannot be broken.
fn is_typed(prose: &str) -> bool {
    prose.split_once('@').and_then(|(_, tag)| tag.split_once(" {")).is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use super::{comment, is_typed, markdown, wide};

    #[test]
    fn tables_code_headings_and_links_may_be_wide() {
        let long = "word ".repeat(5);
        let text = format!(
            "# {long}\n{long}\n| {long}\n```\n{long}\n```\nhttps://example.org {long}\n<!-- a\n{long}\n-->\n{long}\n"
        );
        let found = wide("a.md", markdown(&text), 20);
        assert_eq!(found.iter().map(|found| found.line).collect::<Vec<_>>(), [2, 11]);
    }

    #[test]
    fn comments_are_lines_of_their_own() {
        assert_eq!(comment("    //! A.", &["//"]), Some("A."));
        assert_eq!(comment("let a = 1; // b", &["//"]), None);
        assert_eq!(comment(" * A.", &["//", "/*", "*"]), Some("A."));
        assert_eq!(comment("  /** A. */", &["//", "/*", "*"]), Some("A. */"));
        assert_eq!(comment("# A.", &["#"]), Some("A."));
    }

    #[test]
    fn types_of_jsdoc_may_be_wide() {
        assert!(is_typed("@param {string} name"));
        assert!(is_typed("The modules. @type {Map<string, string>}"));
        assert!(!is_typed("Mail to a@example.org in {braces}"));
        assert!(!is_typed("words alone"));
    }
}
