//! The half of a room that changes its game: decide, make durable, apply, tell. In this order.

use adamant_protocol::{CloseCode, RequestId};
use adamant_record::{Replay, wire};
use adamant_rules::{Act, Events, Seat, event::OfferId};
use bytes::Bytes;

use super::{
    Action,
    requests::{self, Known},
    state::{Room, RoomError, text},
    view,
};
use crate::{
    caller::Caller,
    error::Denial,
    limits::CATCH_UP_RECORDS_MAX,
    store::{Append, AppendError, FoldedState},
};

/// How often an append is tried while another writer is first.
const CONFLICTS_MAX: u32 = 8;

impl Room {
    /// Decides what a player asks, in the order that the protocol promises: a request that was
    /// carried out before, then whose it is, then a flag that has fallen, then the rules.
    pub(super) async fn act(
        &mut self,
        caller: &Caller,
        re: RequestId,
        action: &Action,
        received_at: u64,
    ) -> Result<(), RoomError> {
        for _ in 0..CONFLICTS_MAX {
            let (Some(user), Some(seat)) = (&caller.user, self.seat_of(caller)) else {
                caller.refuse(&re, Denial::NotAPlayer(self.head.game.clone()));
                return Ok(());
            };
            match self.requests.look_up(user.as_str(), &re, action, &self.table) {
                Known::New => {}
                Known::Before(mut done) => {
                    done.game = Some(self.head.game.clone());
                    caller.reply(*done);
                    return Ok(());
                }
                Known::Otherwise => {
                    caller.refuse(&re, Denial::IdReuse(self.head.game.clone()));
                    return Ok(());
                }
            }
            self.decide_overdue(received_at).await?;
            let events = match self.table.decide(&act_of(seat, action), received_at) {
                Ok(events) => events,
                Err(refusal) => {
                    let denial = self.refused(refusal);
                    caller.refuse(&re, denial);
                    return Ok(());
                }
            };
            if self.commit(&events, Some((caller, &re))).await? {
                return Ok(());
            }
        }
        Err(RoomError::Contended)
    }

    /// A clock that had run out is decided first, as an event of its own.
    pub(super) async fn decide_overdue(&mut self, now: u64) -> Result<(), RoomError> {
        for _ in 0..CONFLICTS_MAX {
            let Some(events) = self.table.overdue(now) else { return Ok(()) };
            self.commit(&events, None).await?;
        }
        Err(RoomError::Contended)
    }

    /// Makes events durable, then applies them, then tells of them. `false` if another writer was
    /// first: then that one's events have been applied and told, and these must be decided anew.
    async fn commit(
        &mut self,
        events: &Events,
        asked: Option<(&Caller, &RequestId)>,
    ) -> Result<bool, RoomError> {
        let mut head = self.head.clone();
        let mut records = Vec::with_capacity(events.len());
        for (index, event) in events.iter().enumerate() {
            let req = asked.map(|(_, re)| re).filter(|_| index == 0);
            records.push(Bytes::from(head.record(event, self.table.position(), req)));
        }
        let append = Append {
            game: head.game.clone(),
            expected_seq: self.head.seq,
            records: records.clone(),
            summary: view::summary_after(&self.table, events),
            reseated: view::reseated(&self.table, events),
            created: None,
            closes: None,
        };
        match self.context.journal.append(append).await {
            Ok(()) => {}
            Err(AppendError::Conflict { .. }) => {
                self.follow().await?;
                return Ok(false);
            }
            Err(AppendError::Store(error)) => {
                // Whoever asked is told in the only honest way, wherever they listen: come back
                // and ask again.
                if let Some((caller, _)) = asked {
                    caller.outbox.end(CloseCode::Restart);
                }
                return Err(error.into());
            }
        }
        if let (Some((caller, re)), Some(event)) = (asked, events.first()) {
            let seq = self.head.seq + 1;
            let mut done = requests::reply(re.clone(), seq, event);
            done.game = Some(self.head.game.clone());
            caller.reply(done);
        }
        let (before, seq) = (self.table.turn(), self.head.seq + 1);
        for event in events {
            self.table.apply(event)?;
        }
        self.head = head;
        if let (Some((_, re)), Some(event)) = (asked, events.first()) {
            self.requests.remember(re, seq, event, &self.table);
        }
        self.tell(records, before).await;
        Ok(true)
    }

    /// Takes over what another writer has appended.
    pub(super) async fn follow(&mut self) -> Result<(), RoomError> {
        let game = self.head.game.clone();
        let records =
            self.context.journal.read(game, self.head.seq + 1, CATCH_UP_RECORDS_MAX).await?;
        let mut replay = Replay::resume(self.table.clone(), self.head.clone());
        for record in &records {
            let (frame, event) = replay.push_frame(record)?;
            if let (Some(req), Some(table)) = (&frame.req, replay.table()) {
                self.requests.remember(req, frame.seq, &event, table);
            }
        }
        let before = self.table.turn();
        if let Some((table, head)) = replay.into_parts() {
            self.table = table;
            self.head = head;
        }
        self.tell(records, before).await;
        Ok(())
    }

    /// Tells the audience of records that are durable and applied.
    async fn tell(&mut self, records: Vec<Bytes>, turn_before: u32) {
        if self.table.outcome().is_some() {
            // Before anyone hears of the end: whoever then asks for a list finds the game there.
            self.fold(FoldedState::Finished).await;
        }
        for record in records {
            self.audience.publish(&self.head.game, &text(record));
        }
        self.audience.reseat(|user| self.table.seat_of(user.as_str()));
        if self.table.turn() != turn_before
            && let Some(seat) = self.table.to_move()
        {
            for caller in self.audience.of_seat(seat) {
                self.send_your_turn(caller, seat);
            }
        }
    }
}

fn act_of(seat: Seat, action: &Action) -> Act<'_> {
    match action {
        Action::Move { turn, notation } => Act::Move { seat, turn: *turn, notation, lag_ms: 0 },
        Action::Resign => Act::Resign { seat },
        Action::Abort => Act::Abort { seat },
        Action::Offer(what) => Act::Offer { seat, what: wire::offer_kind(*what) },
        Action::Answer { offer, accept } => {
            Act::Answer { seat, offer: OfferId(offer.0), accept: *accept }
        }
        Action::Withdraw(offer) => Act::Withdraw { seat, offer: OfferId(offer.0) },
    }
}
