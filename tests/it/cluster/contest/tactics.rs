//! What a rival does in a game: mostly, something else at each of its two nodes.

use adamant_engine::choice::Level;
use adamant_rules::{Seat, Table};
use rand::{RngExt as _, rngs::SmallRng};
use serde_json::{Value, json};

/// Requests of one moment.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Tactic {
    /// Nothing.
    Wait,
    /// One request at one node.
    One(Value),
    /// The same request, with the same id, at both nodes.
    Same(Value),
    /// Different requests, one at each node.
    Different(Value, Value),
}

/// Chooses what to do in a game in which the user has a seat.
pub(super) fn choose(table: &Table, me: Seat, rng: &mut SmallRng) -> Tactic {
    let lot = rng.random_range(0..1000);
    let open = table.offers().first();
    if let Some(open) = open.filter(|open| open.needs.contains(me)) {
        let offer = format!("o_{}", open.offer.0);
        let answer = |accept: bool| json!({"type": "answer", "offer": offer, "accept": accept});
        match lot {
            0..10 => return Tactic::Different(answer(true), answer(false)),
            10..300 => return Tactic::Different(answer(false), answer(false)),
            300..400 => return Tactic::Same(answer(false)),
            _ => {}
        }
    }
    if let Some(open) = open.filter(|open| open.by == me && lot < 600) {
        let withdraw = json!({"type": "withdraw", "offer": format!("o_{}", open.offer.0)});
        return if lot < 100 {
            Tactic::Same(withdraw)
        } else {
            Tactic::Different(withdraw.clone(), withdraw)
        };
    }
    let offer = json!({"type": "offer", "what": "draw"});
    if table.to_move() != Some(me) {
        // The opponent moves at the same moment, at other nodes.
        let takeback = json!({"type": "offer", "what": "takeback"});
        return match lot {
            _ if open.is_some() => Tactic::Wait,
            0..350 => Tactic::Different(offer.clone(), offer),
            350..450 => Tactic::Same(offer),
            450..550 => Tactic::Different(offer, takeback),
            _ => Tactic::Wait,
        };
    }
    let Some(play) = a_move(table, rng) else { return Tactic::Wait };
    match lot {
        0..2 => Tactic::Different(json!({"type": "resign"}), play),
        2..150 if open.is_none() => Tactic::Different(play, offer),
        150..300 => Tactic::Same(play),
        300..330 => Tactic::One(play),
        _ => a_move(table, rng).map_or(Tactic::Wait, |other| Tactic::Different(play, other)),
    }
}

fn a_move(table: &Table, rng: &mut SmallRng) -> Option<Value> {
    let play = adamant_engine::choice::choose(table.position(), Level::Random, rng)?;
    Some(json!({"type": "move", "turn": table.turn(), "move": play.to_string()}))
}
