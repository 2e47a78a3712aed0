//! The order of acknowledged requests in real time.

use std::collections::BTreeMap;

use tokio::time::Instant;

/// A request that changed a game.
#[derive(Debug, Clone)]
pub(super) struct Operation {
    /// The game.
    pub(super) game: String,
    /// The request's id.
    pub(super) req: String,
    /// The record that it became.
    pub(super) seq: u64,
    /// When its user sent it for the first time.
    pub(super) invoked: Instant,
    /// When its user received the first reply.
    pub(super) acknowledged: Instant,
    /// The newest record of the game that a session of the user had received when it was sent.
    pub(super) known: u64,
}

/// Returns a sentence for each operation that is on record before one that had ended when it began.
pub(super) fn out_of_order(operations: &[Operation]) -> Vec<String> {
    let mut games: BTreeMap<&str, Vec<&Operation>> = BTreeMap::new();
    for operation in operations {
        games.entry(&operation.game).or_default().push(operation);
    }
    let mut found = Vec::new();
    for (game, mut operations) in games {
        operations.sort_by_key(|operation| operation.seq);
        // The operation that began last among those with a smaller seq.
        let mut latest: Option<&Operation> = None;
        for operation in operations {
            let Operation { req, seq, known, .. } = operation;
            if seq <= known {
                found.push(format!("{game}: {req} is record {seq}, and {known} was known before"));
            }
            if let Some(earlier) = latest
                && operation.acknowledged < earlier.invoked
            {
                found.push(format!(
                    "{game}: {req} had ended before {} began, and is a later record ({seq})",
                    earlier.req
                ));
            }
            latest =
                latest.filter(|latest| latest.invoked >= operation.invoked).or(Some(operation));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn operation(req: &str, seq: u64, invoked: u64, acknowledged: u64) -> Operation {
        static BEGAN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
        let at = |ms| *BEGAN.get_or_init(Instant::now) + Duration::from_millis(ms);
        let (game, req) = ("g1".to_owned(), req.to_owned());
        let (invoked, acknowledged) = (at(invoked), at(acknowledged));
        Operation { game, req, seq, invoked, acknowledged, known: seq - 1 }
    }

    #[test]
    fn an_operation_that_had_ended_before_has_the_smaller_seq() {
        let overlapping = [operation("a", 5, 10, 30), operation("b", 4, 20, 40)];
        assert_eq!(out_of_order(&overlapping), Vec::<String>::new());
        let reordered = [operation("a", 5, 10, 15), operation("b", 4, 20, 40)];
        assert_eq!(out_of_order(&reordered).len(), 1);
        let other_game = Operation { game: "g2".to_owned(), ..reordered[1].clone() };
        assert_eq!(out_of_order(&[reordered[0].clone(), other_game]), Vec::<String>::new());
        let stale = Operation { known: 4, ..operation("c", 4, 0, 9) };
        assert_eq!(out_of_order(&[stale]).len(), 1);
    }
}
