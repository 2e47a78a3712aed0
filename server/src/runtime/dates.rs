//! Dates and times of the calendar, in UTC.

/// Milliseconds per day.
const MS_PER_DAY: u64 = 24 * 60 * 60 * 1000;

/// Returns the date of a time in epoch milliseconds, such as `2026-03-01`.
pub(crate) fn date(epoch_ms: u64) -> String {
    // Counts in periods of 400 years from a 1 March, so that leap days come last.
    let days = epoch_ms / MS_PER_DAY + 719_468;
    let (span, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{month:02}-{day:02}", span * 400 + year + later)
}

/// Returns a time in epoch milliseconds in the form of RFC 3339, to the second.
pub(crate) fn timestamp(epoch_ms: u64) -> String {
    let seconds = epoch_ms / 1000 % (24 * 60 * 60);
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    format!("{}T{hours:02}:{minutes:02}:{:02}Z", date(epoch_ms), seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_converted_to_dates() {
        let dates = [
            (0, "1970-01-01"),
            (58, "1970-02-28"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (20_513, "2026-03-01"),
            (20_818, "2026-12-31"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
        ];
        for (days, expected) in dates {
            assert_eq!(date(days * MS_PER_DAY + MS_PER_DAY - 1), expected);
        }
    }

    #[test]
    fn times_are_written_to_the_second() {
        assert_eq!(timestamp(0), "1970-01-01T00:00:00Z");
        assert_eq!(timestamp(951_868_799_999), "2000-02-29T23:59:59Z");
    }
}
