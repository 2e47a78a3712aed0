//! The line `clock`.

use std::fmt;

use adamant_rules::TimeControl;

use super::words::{LineError, Words, write_words};

/// The clocks of all seats. Times are in milliseconds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClockLine {
    /// The time control.
    pub control: TimeControl,
    /// What each seat has left; empty without a time control. In byoyomi it includes all periods.
    pub left_ms: Vec<u64>,
}

impl fmt::Display for ClockLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.control.mode())?;
        if !self.left_ms.is_empty() {
            f.write_str(" left")?;
            write_words(f, &self.left_ms)?;
        }
        match self.control {
            TimeControl::None => Ok(()),
            TimeControl::Fischer { base_ms, inc_ms } => write!(f, " base {base_ms} inc {inc_ms}"),
            TimeControl::PerMove { move_ms } => write!(f, " move {move_ms}"),
            TimeControl::Byoyomi { base_ms, periods, period_ms } => {
                write!(f, " base {base_ms} periods {periods} period {period_ms}")
            }
            TimeControl::Days { per_move_days } => write!(f, " days {per_move_days}"),
        }
    }
}

impl ClockLine {
    /// Reads the words after `clock`. Unknown words are passed over.
    pub(super) fn read(mut words: Words<'_>) -> Result<Self, LineError> {
        let mode = words.word("a time control")?;
        let mut named: Vec<(&str, Vec<u64>)> = Vec::new();
        while let Some(word) = words.next() {
            named.push((word, words.numbers()));
        }
        let list = |name: &str| named.iter().find(|(known, _)| *known == name).map(|(_, all)| all);
        let number = |name: &'static str| {
            let missing = LineError::Missing { command: "clock", what: name };
            list(name).and_then(|all| all.first()).copied().ok_or(missing)
        };
        let few = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let control = match mode {
            "none" => TimeControl::None,
            "fischer" => TimeControl::Fischer { base_ms: number("base")?, inc_ms: number("inc")? },
            "per_move" => TimeControl::PerMove { move_ms: number("move")? },
            "byoyomi" => TimeControl::Byoyomi {
                base_ms: number("base")?,
                periods: few(number("periods")?),
                period_ms: number("period")?,
            },
            "days" => TimeControl::Days { per_move_days: few(number("days")?) },
            other => return Err(words.wrong(other, "a time control")),
        };
        Ok(Self { control, left_ms: list("left").cloned().unwrap_or_default() })
    }
}
