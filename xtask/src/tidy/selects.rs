//! Every `select!` of the server tries its branches in their order: without `biased` a draw picks
//! the branch, and a simulation does not repeat.

use super::{sources::Sources, violation::Violation};

const CHECK: &str = "selects";

/// Finds each `select!` of the server that is not biased.
pub(crate) fn check(sources: &Sources) -> Vec<Violation> {
    let server = sources.rust().filter(|(path, _)| path.starts_with("server/src/"));
    let unbiased = server.filter(|(_, rust)| has_unbiased(rust.code()));
    unbiased
        .map(|(path, _)| {
            Violation::new(CHECK, path, 0, "has a `select!` without `biased`".to_owned())
        })
        .collect()
}

fn has_unbiased(code: &str) -> bool {
    code.split("select!").skip(1).any(|rest| {
        let body = rest.trim_start().trim_start_matches(['{', '(']);
        !body.trim_start().starts_with("biased")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_select_must_be_biased() {
        assert!(has_unbiased("tokio::select! {\n    () = a => {}\n}"));
        assert!(has_unbiased("select! { biased; } select! { () = a => {} }"));
        assert!(!has_unbiased("tokio::select! {\n    biased;\n    () = a => {}\n}"));
    }
}
