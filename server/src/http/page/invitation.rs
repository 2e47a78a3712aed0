//! The terms of an invite in words, for the preview of its link.

use adamant_protocol::{
    to_client::InviteEntry,
    values::{OptionValue, TimeControl},
};
use adamant_rules::Kind;

/// Returns the terms, the time first.
pub(super) fn terms_of(invite: &InviteEntry) -> String {
    let mut terms = vec![clock(invite.clock)];
    terms.push(if invite.rated { "rated" } else { "not rated" }.to_owned());
    if invite.players > 2 {
        terms.push(format!("{} players", invite.players));
    }
    let options = invite.options.0.iter();
    terms.extend(options.filter_map(|(name, value)| option(&invite.rules.name, name, value)));
    terms.join(" · ")
}

fn clock(clock: TimeControl) -> String {
    match clock {
        TimeControl::None => "no clock".to_owned(),
        TimeControl::Fischer { base_ms, inc_ms: 0 } => span(base_ms),
        TimeControl::Fischer { base_ms, inc_ms } => {
            format!("{} + {} a move", span(base_ms), span(inc_ms))
        }
        TimeControl::PerMove { move_ms } => format!("{} a move", span(move_ms)),
        TimeControl::Byoyomi { base_ms, periods, period_ms } => {
            format!("{} + {periods} × {}", span(base_ms), span(period_ms))
        }
        TimeControl::Days { per_move_days: 1 } => "1 day a move".to_owned(),
        TimeControl::Days { per_move_days } => format!("{per_move_days} days a move"),
        TimeControl::Unknown(mode) => mode.to_string(),
    }
}

/// A time in the largest unit that gives a whole number.
fn span(ms: u64) -> String {
    let units = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "min")];
    let unit = units.into_iter().find(|(unit_ms, _)| ms > 0 && ms.is_multiple_of(*unit_ms));
    let (unit_ms, name) = unit.unwrap_or((1_000, "s"));
    format!("{} {name}", ms / unit_ms)
}

/// An option with its value; `None` if it only says what is usual.
fn option(rules: &str, name: &str, value: &OptionValue) -> Option<String> {
    let spec = Kind::from_name(rules)?.option_specs().iter().find(|spec| spec.name == name)?;
    let written = match value {
        OptionValue::Flag(true) => return Some(spec.title.to_lowercase()),
        OptionValue::Flag(false) => return None,
        OptionValue::Number(number) => number.to_string(),
        OptionValue::Text(text) => text.to_string(),
    };
    let choice = spec.choices.iter().find(|choice| choice.value == written);
    Some(choice.map_or_else(
        || format!("{}: {written}", spec.title.to_lowercase()),
        |choice| choice.title.to_owned(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_told_in_plain_words() {
        let fischer = |base_ms, inc_ms| clock(TimeControl::Fischer { base_ms, inc_ms });
        assert_eq!(fischer(600_000, 5_000), "10 min + 5 s a move");
        assert_eq!(fischer(90_000, 0), "90 s");
        let byoyomi = TimeControl::Byoyomi { base_ms: 0, periods: 3, period_ms: 30_000 };
        assert_eq!(clock(byoyomi), "0 s + 3 × 30 s");
        assert_eq!(clock(TimeControl::Days { per_move_days: 3 }), "3 days a move");
        assert_eq!(clock(TimeControl::PerMove { move_ms: 7_200_000 }), "2 h a move");
    }

    #[test]
    fn options_are_told_by_their_titles() {
        assert_eq!(
            option("adamas", "size", &OptionValue::Number(4)).as_deref(),
            Some("4 cells a side, 37 in all")
        );
        assert_eq!(
            option("stymie", "swap", &OptionValue::Flag(true)).as_deref(),
            Some("swap after the opening")
        );
        assert_eq!(
            option("adamas", "pieces", &OptionValue::Number(9)).as_deref(),
            Some("pieces for each player: 9")
        );
        assert_eq!(option("adamas", "prog_cap", &OptionValue::Flag(false)), None);
        assert_eq!(option("adamas", "unknown", &OptionValue::Flag(true)), None);
    }
}
