//! Answers read-only queries about the current position, or the delayed position for spectators of
//! a delayed game.

use adamant_protocol::{RequestId, sketch::Sketch, to_client::ToClient};
use adamant_record::{Head, wire::sketch::NoSuchCell};
use adamant_rules::{Refusal, Seat, Table};

use super::{command::TableQuery, hints, snapshot, state::Room};
use crate::{error::Denial, outbound::client::ClientHandle};

impl Room {
    pub(super) fn answer(
        &self,
        client: &ClientHandle,
        re: &RequestId,
        query: &TableQuery,
        now: u64,
    ) {
        let answer = match query {
            TableQuery::Layout => {
                let game = Some(self.head.game.clone());
                Ok(snapshot::layout(self.table.position(), game, re.clone()).into())
            }
            TableQuery::Hints { from, sketch, board } => {
                self.hints(client, re, from.as_deref(), sketch.as_ref(), *board)
            }
            TableQuery::Moves { from, after, limit } => {
                self.moves(client, re, from.as_deref(), after.as_deref(), *limit)
            }
            TableQuery::Try { turn, notation } => self.try_move(client, re, *turn, notation, now),
        };
        match answer {
            Ok(answer) => client.reply(answer),
            Err(denial) => client.refuse(re, denial),
        }
    }

    /// Returns the game as the client may see it, and the seat to move there.
    fn visible_in_play(&self, client: &ClientHandle) -> Result<(&Table, &Head, Seat), Denial> {
        let (table, head) = self.visible_to(self.seat_of(client));
        let to_move = table.to_move().ok_or_else(|| self.refused(Refusal::GameOver))?;
        Ok((table, head, to_move))
    }

    fn hints(
        &self,
        client: &ClientHandle,
        re: &RequestId,
        from: Option<&str>,
        sketch: Option<&Sketch>,
        board: bool,
    ) -> Result<ToClient, Denial> {
        let (table, head, to_move) = self.visible_in_play(client)?;
        hints::hints(table, to_move, head, re.clone(), from, sketch, board)
            .map(ToClient::from)
            .map_err(|NoSuchCell(name)| Denial::no_such_cell(&name))
    }

    fn moves(
        &self,
        client: &ClientHandle,
        re: &RequestId,
        from: Option<&str>,
        after: Option<&str>,
        limit: Option<u32>,
    ) -> Result<ToClient, Denial> {
        let (table, head, to_move) = self.visible_in_play(client)?;
        let from =
            hints::cell(table, from).map_err(|NoSuchCell(name)| Denial::no_such_cell(&name))?;
        let after = after
            .map(|notation| hints::legal(table, notation))
            .transpose()
            .map_err(|why| self.refused(Refusal::Illegal(why)))?;
        let list = hints::moves(table, to_move, head, re.clone(), from, after.as_ref(), limit);
        Ok(list.into())
    }

    fn try_move(
        &self,
        client: &ClientHandle,
        re: &RequestId,
        turn: u32,
        notation: &str,
        now: u64,
    ) -> Result<ToClient, Denial> {
        let seat =
            self.seat_of(client).ok_or_else(|| Denial::NotAPlayer(self.head.game.clone()))?;
        let (events, after) = self
            .table
            .preview(seat, turn, notation, now)
            .map_err(|refusal| self.refused(refusal))?;
        Ok(snapshot::tried(re.clone(), &self.head, &self.table, &events, &after).into())
    }
}
