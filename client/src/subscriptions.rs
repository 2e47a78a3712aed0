//! The games that the client follows, each with its last known event. Decides for each event that
//! arrives whether it is the next one, is dropped, or shows a gap.

use std::collections::HashMap;

use adamant_protocol::{
    event::EventFrame,
    from_client::{Cursor, FromClient},
    ids::{Chain, GameId, RequestId},
    to_client::{Done, ResumeDecision, Snapshot, SnapshotReason, ToClient, Welcome},
    values::Named,
};

/// The most cursors in one `hello`, as the protocol has it.
pub(crate) const CURSORS_MAX: usize = 512;

/// What a cursor takes of a frame at most, beside the id of its game.
const CURSOR_BYTES_MAX: usize = 100;

/// What a `hello` takes of a frame at most, without its cursors.
const HELLO_BYTES_MAX: usize = 4 * 1024;

/// The most games that are remembered. Further games displace the least recently active ones.
pub(crate) const GAMES_MAX: usize = 1024;

/// The followed games.
#[derive(Debug, Default)]
pub(crate) struct Subscriptions {
    games: HashMap<GameId, Game>,
    /// Counts all activity, to order the games by it.
    activity: u64,
}

#[derive(Debug)]
struct Game {
    last: LastEvent,
    state: GameState,
    /// The `watch` whose events are under way. Live events may overtake them, and arrive again.
    replay: Option<Replay>,
    /// The value of the counter at the last activity.
    active_at: u64,
}

/// The last known event of a game.
#[derive(Debug, Clone, Copy)]
struct LastEvent {
    seq: u64,
    chain: Option<Chain>,
}

/// The state before the first event, with the chain that every game begins with.
const BEFORE_FIRST: LastEvent = LastEvent { seq: 0, chain: Some(Chain([0; 32])) };

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GameState {
    Live,
    /// The game has ended. It is not resumed.
    Finished,
    /// The program has unwatched the game. Events that still arrive were under way.
    Unwatched,
}

#[derive(Debug)]
struct Replay {
    id: RequestId,
    /// The last event before the request, restored if the server refuses.
    before: LastEvent,
    /// The last event of the replay, once the reply has named it.
    until: Option<u64>,
}

impl Game {
    /// Ends the replay once its last event has arrived.
    fn end_replay_if_complete(&mut self) {
        let seq = self.last.seq;
        self.replay.take_if(|replay| replay.until.is_some_and(|until| seq >= until));
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum EventDisposition {
    /// Pass it on: it is the next one.
    Next,
    /// Drop it: it is known, unwanted, or will arrive again.
    Drop,
    Missing {
        /// The seq of the first missing event.
        from: u64,
    },
}

impl Subscriptions {
    /// Creates the list with the cursors of an earlier run.
    pub(crate) fn new(cursors: Vec<(GameId, Cursor)>) -> Self {
        let mut subscriptions = Self::default();
        for (game, cursor) in cursors {
            subscriptions.entry(game).last = LastEvent { seq: cursor.seq, chain: cursor.chain };
        }
        subscriptions
    }

    fn entry(&mut self, game: GameId) -> &mut Game {
        self.activity += 1;
        let active_at = self.activity;
        if self.games.len() >= GAMES_MAX && !self.games.contains_key(&game) {
            self.forget_one();
        }
        let entry = self.games.entry(game).or_insert(Game {
            last: BEFORE_FIRST,
            state: GameState::Live,
            replay: None,
            active_at,
        });
        entry.active_at = active_at;
        entry
    }

    /// Removes the least recently active game, finished ones first.
    fn forget_one(&mut self) {
        let oldest = self
            .games
            .iter()
            .min_by_key(|(_, game)| (game.state == GameState::Live, game.active_at))
            .map(|(id, _)| id.clone());
        if let Some(id) = oldest {
            self.games.remove(&id);
        }
    }

    /// Returns the cursors for a new `hello` of at most `frame_bytes`: live games, the most recently
    /// active first. The server sends the state of the others.
    pub(crate) fn cursors(&self, frame_bytes: usize) -> Named<Cursor> {
        let mut room = frame_bytes.saturating_sub(HELLO_BYTES_MAX);
        let mut fits = |id: &GameId| {
            let left = room.checked_sub(CURSOR_BYTES_MAX + id.as_str().len());
            room = left.unwrap_or_default();
            left.is_some()
        };
        let mut live: Vec<_> =
            self.games.iter().filter(|(_, game)| game.state == GameState::Live).collect();
        live.sort_unstable_by_key(|(_, game)| std::cmp::Reverse(game.active_at));
        let live = live.into_iter().take(CURSORS_MAX).take_while(|(id, _)| fits(id));
        let cursors = live.map(|(id, game)| {
            let LastEvent { seq, chain } = game.last;
            let mut cursor = Cursor::new(seq);
            cursor.chain = chain;
            (id.as_str().into(), cursor)
        });
        Named(cursors.collect())
    }

    /// Records how the server resumes the games.
    pub(crate) fn record_welcome(&mut self, welcome: &Welcome) {
        for game in &welcome.games {
            match game.resume {
                ResumeDecision::Gone => {
                    self.games.remove(&game.game);
                }
                ResumeDecision::Fork => self.entry(game.game.clone()).last = BEFORE_FIRST,
                // Whatever a later version decides, the game goes on.
                _ => {
                    self.entry(game.game.clone());
                }
            }
        }
    }

    /// Records a request that is about to be sent.
    pub(crate) fn record_request(&mut self, message: &FromClient) {
        if let FromClient::Watch(watch) = message {
            let entry = self.entry(watch.game.clone());
            entry.state = GameState::Live;
            if let Some(from) = watch.from {
                entry.replay =
                    Some(Replay { id: watch.id.clone(), before: entry.last, until: None });
                // LastEvent events are wanted again from there on.
                entry.last = match from.saturating_sub(1) {
                    0 => BEFORE_FIRST,
                    seq if seq == entry.last.seq => entry.last,
                    seq => LastEvent { seq, chain: None },
                };
            }
        } else if let FromClient::Unwatch(unwatch) = message {
            self.entry(unwatch.game.clone()).state = GameState::Unwatched;
        }
    }

    pub(crate) fn record_reply(&mut self, re: &RequestId, reply: &ToClient) {
        let waiting = self
            .games
            .values_mut()
            .find(|game| game.replay.as_ref().is_some_and(|replay| replay.id == *re));
        let Some(game) = waiting else { return };
        if let (ToClient::Ok(Done { seq: Some(until), .. }), Some(replay)) =
            (reply, &mut game.replay)
        {
            replay.until = Some(*until);
            game.end_replay_if_complete();
        } else if let Some(replay) = game.replay.take()
            && matches!(reply, ToClient::Error(_))
        {
            game.last = replay.before;
        }
    }

    /// Records a snapshot. The events after it follow.
    pub(crate) fn record_snapshot(&mut self, snapshot: &Snapshot) {
        let finished = snapshot.result.is_some();
        let entry = self.entry(snapshot.game.clone());
        // The snapshot after a `hello` may cross a `watch`. The events that the `watch` asks for
        // arrive after it, and are wanted although the snapshot contains them. In contrast, the
        // snapshot after a lag replaces the events of a replay that did not fit.
        let is_resumed = snapshot.reason == Some(SnapshotReason::Resumed);
        let replays = |replay: &Replay| replay.until.is_none() || is_resumed;
        if entry.replay.as_ref().is_some_and(replays) {
            return;
        }
        entry.last = LastEvent { seq: snapshot.seq, chain: Some(snapshot.chain) };
        entry.state = if finished { GameState::Finished } else { GameState::Live };
        entry.replay = None;
    }

    /// Decides what to do with an event and records it if it is the next one.
    pub(crate) fn record_event(&mut self, event: &EventFrame) -> EventDisposition {
        let entry = self.entry(event.game.clone());
        if entry.state == GameState::Unwatched || event.seq <= entry.last.seq {
            return EventDisposition::Drop;
        }
        if event.seq > entry.last.seq + 1 {
            return match entry.replay {
                Some(_) => EventDisposition::Drop,
                None => EventDisposition::Missing { from: entry.last.seq + 1 },
            };
        }
        entry.last = LastEvent { seq: event.seq, chain: Some(event.chain) };
        entry.end_replay_if_complete();
        if event.body.is_end() {
            entry.state = GameState::Finished;
        }
        EventDisposition::Next
    }

    /// Ends all replays: the lost connection does not send them, and the next `hello` resumes.
    pub(crate) fn connection_lost(&mut self) {
        for game in self.games.values_mut() {
            game.replay = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use adamant_protocol::{
        FRAME_BYTES_MAX,
        event::{AbortReason, Aborted, EventBody, Started},
        from_client::{Unwatch, Watch},
        ids::PositionHash,
    };

    use super::*;

    fn event(game: &str, seq: u64) -> EventFrame {
        EventFrame {
            game: game.parse().unwrap(),
            seq,
            at: 1,
            body: EventBody::Started(Started { to_move: 0 }),
            req: None,
            hash: PositionHash(0),
            chain: Chain([7; 32]),
        }
    }

    fn watch(id: &str, game: &str, from: Option<u64>) -> FromClient {
        Watch { id: id.parse().unwrap(), game: game.parse().unwrap(), from, named: None }.into()
    }

    #[test]
    fn each_event_passes_once_and_in_order() {
        let mut subscriptions = Subscriptions::default();
        assert_eq!(subscriptions.record_event(&event("g", 1)), EventDisposition::Next);
        assert_eq!(subscriptions.record_event(&event("g", 1)), EventDisposition::Drop);
        assert_eq!(
            subscriptions.record_event(&event("g", 3)),
            EventDisposition::Missing { from: 2 }
        );
        assert_eq!(subscriptions.record_event(&event("g", 2)), EventDisposition::Next);
        assert_eq!(
            subscriptions.record_event(&event("h", 2)),
            EventDisposition::Missing { from: 1 }
        );
    }

    fn ok(seq: Option<u64>) -> ToClient {
        let mut done = Done::new("w".parse().unwrap());
        done.seq = seq;
        done.into()
    }

    #[test]
    fn a_replay_from_the_start_passes_known_events_again() {
        let mut subscriptions = Subscriptions::default();
        for seq in 1..=3 {
            subscriptions.record_event(&event("g", seq));
        }
        subscriptions.record_request(&watch("w", "g", Some(1)));
        assert_eq!(
            subscriptions.record_event(&event("g", 4)),
            EventDisposition::Drop,
            "it will arrive again"
        );
        subscriptions.record_reply(&"w".parse().unwrap(), &ok(Some(4)));
        assert_eq!(subscriptions.record_event(&event("g", 1)), EventDisposition::Next);
        assert_eq!(
            subscriptions.record_event(&event("g", 5)),
            EventDisposition::Drop,
            "it has overtaken the others"
        );
        for seq in 2..=5 {
            assert_eq!(
                subscriptions.record_event(&event("g", seq)),
                EventDisposition::Next,
                "{seq}"
            );
        }
        assert_eq!(
            subscriptions.record_event(&event("g", 7)),
            EventDisposition::Missing { from: 6 }
        );
    }

    #[test]
    fn the_reply_ends_an_empty_replay() {
        for answer in [ok(None), ok(Some(1))] {
            let mut subscriptions = Subscriptions::default();
            subscriptions.record_event(&event("g", 1));
            subscriptions.record_request(&watch("w", "g", Some(2)));
            subscriptions.record_reply(&"w".parse().unwrap(), &answer);
            assert_eq!(
                subscriptions.record_event(&event("g", 3)),
                EventDisposition::Missing { from: 2 }
            );
        }
    }

    #[test]
    fn a_refused_replay_changes_nothing() {
        let mut subscriptions = Subscriptions::default();
        subscriptions.record_event(&event("g", 1));
        subscriptions.record_request(&watch("w", "g", Some(1)));
        let refused = ToClient::from_bytes(
            br#"{"type":"error","re":"w","code":"not_found","message":"No.","retry":"never"}"#,
        );
        subscriptions.record_reply(&"w".parse().unwrap(), &refused.unwrap().unwrap());
        assert_eq!(subscriptions.record_event(&event("g", 2)), EventDisposition::Next);
    }

    #[test]
    fn unwatched_games_are_not_resumed() {
        let mut subscriptions = Subscriptions::default();
        subscriptions.record_event(&event("g", 1));
        let unwatch = Unwatch { id: "u".parse().unwrap(), game: "g".parse().unwrap() };
        subscriptions.record_request(&unwatch.into());
        assert_eq!(subscriptions.record_event(&event("g", 2)), EventDisposition::Drop);
        assert_eq!(subscriptions.record_event(&event("g", 9)), EventDisposition::Drop);
        assert!(subscriptions.cursors(FRAME_BYTES_MAX).0.is_empty());
        subscriptions.record_request(&watch("w", "g", None));
        assert_eq!(subscriptions.cursors(FRAME_BYTES_MAX).0.len(), 1);
    }

    #[test]
    fn finished_games_are_not_resumed() {
        let mut subscriptions = Subscriptions::default();
        let mut aborted = event("g", 1);
        aborted.body =
            EventBody::Aborted(Aborted { by: 0, reason: AbortReason::ByPlayer, claimed_by: None });
        assert_eq!(subscriptions.record_event(&aborted), EventDisposition::Next);
        assert!(subscriptions.cursors(FRAME_BYTES_MAX).0.is_empty());
        assert_eq!(
            subscriptions.record_event(&event("g", 2)),
            EventDisposition::Next,
            "a late event is passed on"
        );
    }

    #[test]
    fn games_and_cursors_are_bounded_and_the_latest_stay() {
        let mut subscriptions = Subscriptions::default();
        for number in 0..GAMES_MAX + 10 {
            subscriptions.record_event(&event(&format!("g{number}"), 1));
        }
        assert_eq!(subscriptions.games.len(), GAMES_MAX);
        let cursors = subscriptions.cursors(FRAME_BYTES_MAX);
        assert_eq!(cursors.0.len(), CURSORS_MAX);
        assert_eq!(cursors.0[0].0.as_ref(), format!("g{}", GAMES_MAX + 9));
        let bytes = serde_json::to_string(&cursors).unwrap().len();
        assert!(bytes + HELLO_BYTES_MAX < FRAME_BYTES_MAX, "{bytes}");
        let fewer = subscriptions.cursors(16 * 1024);
        let bytes = serde_json::to_string(&fewer).unwrap().len();
        assert!(!fewer.0.is_empty() && bytes + HELLO_BYTES_MAX < 16 * 1024, "{bytes}");
    }
}
