//! A goal, and whether it is met.

use std::fmt;

use serde::Serialize;

/// The largest allowed value.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Threshold {
    /// The largest allowed value.
    pub at_most: f64,
    /// Whether the result is within it.
    pub met: bool,
}

/// A goal.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Goal {
    /// Its description.
    pub what: String,
    /// The result.
    pub reached: f64,
    /// The unit of the result.
    pub unit: &'static str,
    /// The first threshold.
    pub first: Option<Threshold>,
    /// The final threshold.
    pub then: Option<Threshold>,
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
        let mark = |at_most| Threshold { at_most, met: reached <= at_most };
        Some(Self { what, reached, unit, first: first.map(mark), then: then.map(mark) })
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = |mark: Option<Threshold>| {
            mark.map_or(String::new(), |Threshold { at_most, met }| {
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
    fn a_goal_shows_whether_it_is_met() {
        let limits = (Some(1.3), Some(0.9));
        let goal = Goal::new("moves: CPU per durable move", Some(1.2), "x relay", limits).unwrap();
        let row = goal.to_string();
        assert!(row.contains("1.20 x relay") && row.contains("<= 1.30 yes"), "{row}");
        assert!(row.contains("<= 0.90 NO"), "{row}");
        assert_eq!(row.len(), Goal::HEADING.len(), "{row}");
    }
}
