//! Rulings: an operator ends a live game.

use adamant_rules::{
    EndReason,
    event::AbortReason,
    table::{Outcome, Ruling, ServerAction},
};

use crate::{
    error::Denial,
    limits::APPEND_CONFLICTS_MAX,
    room::{Cause, Command, Pass, Room, RulingRequest},
};

impl Room {
    /// Ends the game by an operator's decision, if it goes on.
    pub(super) fn rule(&mut self, mut request: Box<RulingRequest>, pass: &mut Pass<'_>) {
        let denied = |request: Box<RulingRequest>, denial| Command::Rule(request).deny(denial);
        if self.context.reads_only {
            return denied(request, Denial::ReadOnly);
        }
        if request.followed && self.is_ruled(request.ruling) {
            // It was stored, although the store failed.
            return drop(request.reply.send(Ok(())));
        }
        if self.conflicts >= APPEND_CONFLICTS_MAX {
            self.conflicts = 0;
            return denied(request, Self::busy());
        }
        if self.decide_overdue(pass.now, pass) || self.end_seat_offer(None, pass) {
            return self.waiting.push_front(Command::Rule(request));
        }
        let action = ServerAction::Rule(request.ruling);
        let decided = self.table.decide_server_action(&action, pass.now);
        match decided.map_err(|refusal| self.refused(refusal)) {
            Ok(events) => self.append(events, Cause::Ruling(request), pass),
            Err(denial) if !request.followed && self.may_be_stale(&denial) => {
                request.followed = true;
                self.waiting.push_front(Command::Rule(request));
                self.follow(pass);
            }
            Err(denial) => denied(request, denial),
        }
    }

    /// Whether the game has ended by this ruling.
    fn is_ruled(&self, ruling: Ruling) -> bool {
        let winner = match self.table.outcome() {
            Some(Outcome::Ended { winners, reason: EndReason::Ruling, .. }) => winners.single(),
            Some(Outcome::Aborted { reason: AbortReason::Ruling, .. }) => {
                return ruling == Ruling::Abort;
            }
            _ => return false,
        };
        ruling == winner.map_or(Ruling::Draw, Ruling::Winner)
    }
}
