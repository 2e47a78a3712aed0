//! What must hold once nothing happens any more.

use serde_json::json;

use super::{
    clients::ConnState,
    oracle::{Oracle, word},
};

impl Oracle {
    /// Returns what is wrong once every user is connected and nothing has happened for a while.
    pub(super) fn check_rest(&self, now: u64) -> Vec<String> {
        let mut faults = Vec::new();
        for (user, who) in self.users.iter().enumerate() {
            for frame in self.unanswered(user) {
                faults.push(format!("{} never heard about {frame}", who.name));
            }
            for (id, request) in &who.requests {
                let game = self.journal.games.get(&word(&request.frame, "game"));
                let done = game.is_some_and(|game| game.has(&who.name, id));
                if done && request.errors == request.sends {
                    faults.push(format!("refused, and done: {}", request.frame));
                }
            }
        }
        for (number, conn) in self.links.iter().enumerate().filter(|(_, conn)| conn.open) {
            for (game, &heard) in &conn.heard {
                if let Err(why) = self.check_conn(conn, game, heard) {
                    let name = &self.users[conn.user].name;
                    faults.push(format!("{name} on connection {number} of {game}: {why}"));
                }
            }
        }
        for game in self.journal.live() {
            let due = self.journal.table(&game).and_then(adamant_rules::Table::next_deadline);
            if due.is_some_and(|due| due + self.flag_margin_ms() < now) {
                faults.push(format!("a flag of {game} was to fall at {due:?}, it is {now}"));
            }
        }
        faults
    }

    /// How much later than its time a flag may fall.
    const fn flag_margin_ms(&self) -> u64 {
        if self.is_cluster { 5_000 } else { 1_000 }
    }

    fn check_conn(&self, conn: &ConnState, id: &str, heard: u64) -> Result<(), String> {
        let (game, table) = (&self.journal.games[id], self.journal.table(id).expect("a game"));
        let me = &self.users[conn.user].name;
        let over = table.outcome().is_some();
        let plays = table.seat_of(me);
        if plays.is_none() && !over && game.frames[0]["delay"].is_u64() {
            return Ok(());
        }
        if heard != game.last_seq() {
            return Err(format!("heard {heard} events of {}", game.last_seq()));
        }
        if over {
            return Ok(());
        }
        if plays.is_some() && table.to_move() == plays {
            let told = conn.your_turn.get(id).copied();
            if told != Some(table.turn().into()) {
                return Err(format!(
                    "it is their turn {}, and they know of {told:?}",
                    table.turn()
                ));
            }
        }
        let seats = conn.presence.get(id).ok_or("no presence received")?;
        for (seat, player) in table.players().entries() {
            // The house is always there.
            let here = player.user.starts_with("house")
                || self.links.iter().any(|other| {
                    other.open
                        && other.heard.contains_key(id)
                        && self.users[other.user].name == *player.user
                });
            if seats[seat.index()]["online"] != json!(here) {
                return Err(format!("{} is there: {here}; told {seats}", player.user));
            }
        }
        Ok(())
    }
}
