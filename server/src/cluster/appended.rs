//! The records that a node has appended, as other nodes hear of them.

use adamant_protocol::GameId;
use bytes::Bytes;

/// Records of a game that a standby has, so that they may be shown to clients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AppendedRecords {
    /// The game.
    pub(crate) game: GameId,
    /// The seq of the last record.
    pub(crate) until: u64,
    /// The last records, in order; none if they were too long to be announced. A room reads from
    /// the store what is not here.
    pub(crate) records: Vec<Bytes>,
}

impl AppendedRecords {
    /// Names records without their text.
    pub(crate) const fn up_to(game: GameId, until: u64) -> Self {
        Self { game, until, records: Vec::new() }
    }

    /// The seq of the first record whose text is here.
    pub(crate) fn first(&self) -> u64 {
        self.until.saturating_add(1).saturating_sub(self.records.len() as u64)
    }

    /// Number of bytes of the records that are here.
    pub(crate) fn bytes(&self) -> usize {
        self.records.iter().map(Bytes::len).sum()
    }

    /// Adds what was appended to the same game after it. What was appended before it adds nothing.
    pub(crate) fn add(&mut self, later: Self) {
        if later.until <= self.until {
            return;
        }
        let continues = later.first() == self.until.saturating_add(1);
        if !continues {
            self.records.clear();
        }
        self.until = later.until;
        self.records.extend(later.records);
    }

    /// Returns the records after a seq, up to the last one; none if one between is not here.
    pub(crate) fn after(&self, seq: u64) -> &[Bytes] {
        let known =
            (seq + 1).checked_sub(self.first()).and_then(|known| usize::try_from(known).ok());
        known.and_then(|known| self.records.get(known..)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn appended(until: u64, records: &[&'static str]) -> AppendedRecords {
        let records = records.iter().map(|record| Bytes::from_static(record.as_bytes())).collect();
        AppendedRecords { game: "k7q2mx".parse().unwrap(), until, records }
    }

    #[test]
    fn records_are_added_if_they_continue() {
        for (later, sum) in [
            (appended(6, &["6"]), appended(6, &["4", "5", "6"])),
            (appended(7, &["7"]), appended(7, &["7"])),
            (appended(6, &["5", "6"]), appended(6, &["5", "6"])),
            (appended(6, &[]), appended(6, &[])),
            (appended(5, &["x"]), appended(5, &["4", "5"])),
            (appended(3, &["3"]), appended(5, &["4", "5"])),
        ] {
            let mut known = appended(5, &["4", "5"]);
            known.add(later);
            assert_eq!(known, sum);
        }
        let mut unknown = appended(5, &[]);
        unknown.add(appended(6, &["6"]));
        assert_eq!(unknown, appended(6, &["6"]));
    }

    #[test]
    fn records_after_a_seq_have_no_hole_before_them() {
        let appended = appended(5, &["4", "5"]);
        assert_eq!(appended.after(2), [] as [Bytes; 0], "the third is missing");
        assert_eq!(appended.after(3), ["4", "5"]);
        assert_eq!(appended.after(4), ["5"]);
        for seq in [5, 6, u64::MAX - 1] {
            assert_eq!(appended.after(seq), [] as [Bytes; 0]);
        }
    }
}
