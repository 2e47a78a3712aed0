//! Something to be reached, and whether it was.

use std::fmt;

use serde::Serialize;

/// A figure that must not be passed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Mark {
    /// At most.
    pub at_most: f64,
    /// Whether what was reached is no more.
    pub met: bool,
}

/// Something to be reached.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Goal {
    /// What.
    pub what: String,
    /// What was reached.
    pub reached: f64,
    /// What it is counted in.
    pub unit: &'static str,
    /// What is to be reached at first.
    pub first: Option<Mark>,
    /// What is to be reached in the end.
    pub then: Option<Mark>,
}

impl Goal {
    pub(super) const HEADING: &str = "goal                                               reached                      first             then";

    pub(super) fn new(
        what: impl Into<String>,
        reached: Option<f64>,
        unit: &'static str,
        (first, then): (Option<f64>, Option<f64>),
    ) -> Option<Self> {
        let (what, reached) = (what.into(), reached?);
        let mark = |at_most| Mark { at_most, met: reached <= at_most };
        Some(Self { what, reached, unit, first: first.map(mark), then: then.map(mark) })
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = |mark: Option<Mark>| {
            mark.map_or(String::new(), |Mark { at_most, met }| {
                format!("<= {at_most:.2} {}", if met { "yes" } else { "NO" })
            })
        };
        let Self { what, reached, unit, .. } = self;
        write!(f, "{what:<48} {reached:>9.2} {unit:<8} {:>17}", mark(self.first))?;
        write!(f, " {:>16}", mark(self.then))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_says_whether_it_is_met() {
        let limits = (Some(1.3), Some(0.9));
        let goal = Goal::new("W1 CPU per durable move", Some(1.2), "x relay", limits).unwrap();
        let row = goal.to_string();
        assert!(row.contains("1.20 x relay") && row.contains("<= 1.30 yes"), "{row}");
        assert!(row.contains("<= 0.90 NO"), "{row}");
        assert_eq!(row.len(), Goal::HEADING.len(), "{row}");
    }
}
