//! What a run adds to the numbers.

use super::{oracle::Oracle, stats::Stats};

impl Oracle {
    /// Counts the games, their records and what happened in them.
    pub(super) fn count(&self, stats: &mut Stats) {
        for game in self.journal.games.values() {
            stats.games += 1;
            for frame in &game.frames {
                stats.records += 1;
                let kind = frame["kind"].as_str().unwrap_or_default();
                let kind = match frame["reason"].as_str() {
                    Some(reason) if kind == "ended" => format!("ended {reason}"),
                    _ => kind.to_owned(),
                };
                *stats.kinds.entry(kind).or_default() += 1;
                // The house names its moves by game and turn, and no other request has a colon.
                let by_house = frame["req"].as_str().is_some_and(|req| req.contains(':'));
                stats.house_moves += u64::from(by_house);
            }
        }
        self.users.iter().for_each(|user| user.account.count(stats));
        stats.over = stats.games - self.journal.live().len() as u64;
        stats.frames = self.frames;
        stats.overtaken = self.overtaken;
        stats.unknown = self.unknown;
        stats.refused = self.refused;
    }
}
