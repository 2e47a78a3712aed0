//! Parses time controls: `none`, `5m+5s`, `1h30m`, `30s/move`, `5m+5x30s`, `days:3`. `messages`
//! formats them.

use adamant_protocol::values::TimeControl;
use adamant_record::wire;

const HOW: &str = "write none, 5m+5s (main time and increment), 30s/move, 5m+5x30s (main time and \
                   five byoyomi periods) or days:3 (per move)";

/// Parses a time control and checks its bounds.
pub(crate) fn read_clock(text: &str) -> Result<TimeControl, String> {
    let text = text.to_ascii_lowercase();
    let clock = if text == "none" {
        TimeControl::None
    } else if let Some(length) = text.strip_suffix("/move") {
        TimeControl::PerMove { move_ms: read_length(length).ok_or(HOW)? }
    } else if let Some(days) = text.strip_prefix("days:") {
        TimeControl::Days { per_move_days: days.parse().map_err(|_| HOW)? }
    } else if let Some(byoyomi) = text.strip_prefix("byoyomi:") {
        read_byoyomi(byoyomi, read_seconds).ok_or(HOW)?
    } else if text.contains('x') {
        read_byoyomi(&text, read_length).ok_or(HOW)?
    } else {
        let (base, inc) = text.split_once('+').unwrap_or((&text, "0s"));
        let base_ms = read_length(base).ok_or(HOW)?;
        TimeControl::Fischer { base_ms, inc_ms: read_length(inc).ok_or(HOW)? }
    };
    let rules = <adamant_rules::TimeControl as wire::Mirror>::from_wire(clock);
    rules.map_err(|error| error.to_string())?.check().map_err(|error| error.to_string())?;
    Ok(clock)
}

/// Parses a main time and byoyomi periods: `5m+5x30s`.
fn read_byoyomi(text: &str, length: impl Fn(&str) -> Option<u64>) -> Option<TimeControl> {
    let (base, overtime) = text.split_once('+')?;
    let (periods, period) = overtime.split_once('x')?;
    let (base_ms, period_ms) = (length(base)?, length(period)?);
    Some(TimeControl::Byoyomi { base_ms, periods: periods.parse().ok()?, period_ms })
}

/// Parses a duration in which a number without a unit means seconds, as is usual after `byoyomi:`.
fn read_seconds(text: &str) -> Option<u64> {
    match text.parse::<u64>() {
        Ok(seconds) => seconds.checked_mul(1_000),
        Err(_) => read_length(text),
    }
}

/// Parses a duration such as `90s` or `1h30m`. A number needs its unit: on other servers `5+5` has
/// two meanings.
pub(crate) fn read_length(text: &str) -> Option<u64> {
    let mut rest = text;
    let mut total_ms: u64 = 0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let (number, after) = rest.split_at(digits);
        let unit = after.find(|c: char| c.is_ascii_digit()).unwrap_or(after.len());
        let (unit, after) = after.split_at(unit);
        let unit_ms = match unit {
            "ms" => 1,
            "s" => 1_000,
            "m" => 60_000,
            "h" => 3_600_000,
            "d" => 86_400_000,
            _ => return None,
        };
        let ms = number.parse::<u64>().ok()?.checked_mul(unit_ms)?;
        total_ms = total_ms.checked_add(ms)?;
        rest = after;
    }
    (!text.is_empty()).then_some(total_ms)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages;

    #[test]
    fn time_controls_are_parsed() {
        assert_eq!(read_clock("none"), Ok(TimeControl::None));
        let fischer = |base_ms, inc_ms| Ok(TimeControl::Fischer { base_ms, inc_ms });
        assert_eq!(read_clock("5m+5s"), fischer(300_000, 5_000));
        assert_eq!(read_clock("10M"), fischer(600_000, 0));
        assert_eq!(read_clock("1h30m+500ms"), fischer(5_400_000, 500));
        assert_eq!(read_clock("30s/move"), Ok(TimeControl::PerMove { move_ms: 30_000 }));
        assert_eq!(read_clock("2d/move"), Ok(TimeControl::PerMove { move_ms: 172_800_000 }));
        let byoyomi = Ok(TimeControl::Byoyomi { base_ms: 300_000, periods: 5, period_ms: 30_000 });
        for text in ["5m+5x30s", "byoyomi:5m+5x30s", "byoyomi:300+5x30", "Byoyomi:300+5X30s"] {
            assert_eq!(read_clock(text), byoyomi, "{text}");
        }
        assert_eq!(read_clock("days:3"), Ok(TimeControl::Days { per_move_days: 3 }));
    }

    #[test]
    fn ambiguous_and_out_of_bounds_time_controls_are_rejected() {
        for bad in [
            "",
            "5",
            "5+5",
            "5m+",
            "+5s",
            "5m+5",
            "m",
            "5x",
            "-5m",
            "/move",
            "5 m",
            "5m+5x30",
            "300+5x30s",
            "5m+x30s",
            "5m+5x",
            "5x30s",
            "byoyomi:5m+5s",
            "days:",
            "days:1.5",
            "3days",
        ] {
            assert!(read_clock(bad).is_err(), "{bad:?}");
        }
        for out_of_bounds in [
            "0s",
            "0s/move",
            "400d",
            "5m+2h",
            "99999999999999999999d",
            "5m+0x30s",
            "5m+100x30s",
            "5m+5x999ms",
            "5m+5x2h",
            "days:0",
            "days:31",
        ] {
            assert!(read_clock(out_of_bounds).is_err(), "{out_of_bounds:?}");
        }
    }

    #[test]
    fn formatted_time_controls_parse_back() {
        for text in ["5m+5s", "90s+0s", "2d+1h", "5m+5x30s", "0s+1x1m"] {
            let clock = read_clock(text).unwrap();
            let shown = messages::control(wire::Mirror::from_wire(clock).unwrap());
            assert_eq!(read_clock(&shown), Ok(clock), "{text} is shown as {shown}");
        }
    }
}
