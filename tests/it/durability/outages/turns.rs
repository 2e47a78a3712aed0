//! What a client knows of its turns, and the games that it has lost on time.

use std::collections::BTreeMap;

/// The last turn in a game of which the client was told. Times are in epoch milliseconds.
#[derive(Debug, Clone)]
struct Turn {
    number: u64,
    /// The deadline in the last `your_turn`.
    deadline: u64,
    /// When the client last wrote its move to the socket.
    written_at: Option<u64>,
    /// Whether it wrote the move before the deadline that it knew.
    is_in_time: bool,
    /// Whether the server has acknowledged or shown the move.
    is_answered: bool,
}

/// A game lost on time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Loss {
    pub(super) game: String,
    /// When the game ended.
    pub(super) at: u64,
    /// Whether the move was written to the socket before the deadline of the turn.
    pub(super) is_in_time: bool,
    /// The rest of what the client knows, for people.
    pub(super) known: String,
}

/// The turns of one client.
#[derive(Debug, Clone, Default)]
pub(super) struct Turns(BTreeMap<String, Turn>);

impl Turns {
    /// Notes a `your_turn`. Returns whether the turn is still to be answered.
    pub(super) fn told(&mut self, game: &str, turn: u64, deadline: u64) -> bool {
        let new = Turn {
            number: turn,
            deadline,
            written_at: None,
            is_in_time: false,
            is_answered: false,
        };
        let known = self.0.entry(game.to_owned()).or_insert_with(|| new.clone());
        if known.number < turn {
            *known = new;
        }
        known.deadline = deadline;
        !known.is_answered && known.number == turn
    }

    /// Notes that the move of a turn was written to the socket.
    pub(super) fn wrote(&mut self, game: &str, turn: u64, now: u64) {
        if let Some(known) = self.0.get_mut(game).filter(|known| known.number == turn) {
            known.written_at = Some(now);
            known.is_in_time |= now < known.deadline;
        }
    }

    /// Notes that the server has the move of the last turn.
    pub(super) fn answered(&mut self, game: &str) {
        if let Some(known) = self.0.get_mut(game) {
            known.is_answered = true;
        }
    }

    /// Judges a game that the client has lost on time.
    pub(super) fn lost(&self, game: &str, at: u64) -> Loss {
        let last = self.0.get(game).filter(|turn| !turn.is_answered);
        Loss {
            game: game.to_owned(),
            at,
            is_in_time: last.is_some_and(|turn| turn.is_in_time),
            known: last.map_or("never told of the turn".to_owned(), |turn| format!("{turn:?}")),
        }
    }
}

#[test]
fn a_move_that_was_written_in_time_is_found_if_the_game_is_lost_all_the_same() {
    let mut turns = Turns::default();
    let is_found = |turns: &Turns| turns.lost("g", 4_100).is_in_time;
    assert!(turns.told("g", 2, 4_000));
    assert!(!is_found(&turns), "no move was written");
    turns.wrote("g", 2, 4_000);
    assert!(!is_found(&turns), "the move is late");
    assert!(turns.told("g", 2, 5_000), "the server has credited a second");
    turns.wrote("g", 2, 4_999);
    assert!(is_found(&turns));
    turns.answered("g");
    assert!(!is_found(&turns), "a later turn was lost, of which the client knows nothing");
    assert!(!turns.told("g", 2, 5_000), "the turn is over");
    assert!(turns.told("g", 4, 9_000));
    assert!(!is_found(&turns));
}
