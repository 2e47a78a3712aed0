//! Which games are followed, and up to which event. Decides what becomes of each event that comes:
//! it is passed on, dropped because it is known, or shows that some before it are missing.

use std::collections::HashMap;

use adamant_protocol::{
    EventFrame, FromClient, GameId, RequestId, ToClient,
    event::EventBody,
    from_client::Cursor,
    ids::Chain,
    to_client::{Done, ResumeVerdict, Snapshot, Welcome},
    values::Named,
};

/// Cursors in one hello, at the most: with some 100 bytes each they fit into a frame.
pub(crate) const CURSORS_MAX: usize = 128;

/// Games that are remembered, at the most. Beyond it the ones longest unheard of are forgotten.
pub(crate) const FOLLOWED_MAX: usize = 1024;

/// Up to where games are known.
#[derive(Debug, Default)]
pub(crate) struct Followed {
    games: HashMap<GameId, Game>,
    /// Counts everything heard, to tell which game was heard of last.
    heard: u64,
}

#[derive(Debug)]
struct Game {
    known: Known,
    state: State,
    /// The `watch` whose events are under way. Live ones may overtake them, and come again.
    asked: Option<Asked>,
    heard: u64,
}

/// The last event that is known, and its chain.
#[derive(Debug, Clone, Copy)]
struct Known {
    seq: u64,
    chain: Option<Chain>,
}

/// Before the first event. Its chain is the one that every game begins with.
const NOTHING: Known = Known { seq: 0, chain: Some(Chain([0; 32])) };

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Live,
    /// It has ended: nothing is lost if the server is not asked for it again.
    Over,
    /// Somebody here has unwatched it: what still comes was under way.
    Left,
}

#[derive(Debug)]
struct Asked {
    id: RequestId,
    /// What was known before, in case the server refuses.
    before: Known,
    /// The last event that is sure to come, once the server has said so.
    until: Option<u64>,
}

impl Game {
    /// Nothing is under way any more once the last event of the answer has come.
    fn settle(&mut self) {
        let known = self.known.seq;
        self.asked.take_if(|asked| asked.until.is_some_and(|until| known >= until));
    }
}

/// What becomes of an event.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is the next one.
    Next,
    /// It is known already, or not wanted, or will come again.
    Drop,
    /// Events are missing from this one on.
    Missing {
        /// The first that is missing.
        from: u64,
    },
}

impl Followed {
    /// Begins with what is known from an earlier run.
    pub(crate) fn new(cursors: Vec<(GameId, Cursor)>) -> Self {
        let mut followed = Self::default();
        for (game, cursor) in cursors {
            followed.entry(game).known = Known { seq: cursor.seq, chain: cursor.chain };
        }
        followed
    }

    fn entry(&mut self, game: GameId) -> &mut Game {
        self.heard += 1;
        let heard = self.heard;
        if self.games.len() >= FOLLOWED_MAX && !self.games.contains_key(&game) {
            self.forget_one();
        }
        let entry = self.games.entry(game).or_insert(Game {
            known: NOTHING,
            state: State::Live,
            asked: None,
            heard,
        });
        entry.heard = heard;
        entry
    }

    /// Forgets the game that was heard of the longest ago, finished ones first.
    fn forget_one(&mut self) {
        let oldest = self
            .games
            .iter()
            .min_by_key(|(_, game)| (game.state == State::Live, game.heard))
            .map(|(id, _)| id.clone());
        if let Some(id) = oldest {
            self.games.remove(&id);
        }
    }

    /// What a new hello says about the games: the live ones, last heard of first.
    pub(crate) fn cursors(&self) -> Named<Cursor> {
        let mut live: Vec<_> =
            self.games.iter().filter(|(_, game)| game.state == State::Live).collect();
        live.sort_unstable_by_key(|(_, game)| std::cmp::Reverse(game.heard));
        let cursors = live.into_iter().take(CURSORS_MAX).map(|(id, game)| {
            let Known { seq, chain } = game.known;
            (id.as_str().into(), Cursor { seq, chain })
        });
        Named(cursors.collect())
    }

    /// Takes note of what the server says about the games.
    pub(crate) fn welcomed(&mut self, welcome: &Welcome) {
        for game in &welcome.games {
            match game.resume {
                ResumeVerdict::Gone => {
                    self.games.remove(&game.game);
                }
                ResumeVerdict::Fork => self.entry(game.game.clone()).known = NOTHING,
                ResumeVerdict::Tail | ResumeVerdict::Snapshot => {
                    self.entry(game.game.clone());
                }
            }
        }
    }

    /// Takes note of a request that is about to be sent.
    pub(crate) fn asking(&mut self, message: &FromClient) {
        if let FromClient::Watch(watch) = message {
            let entry = self.entry(watch.game.clone());
            entry.state = State::Live;
            if let Some(from) = watch.from {
                entry.asked =
                    Some(Asked { id: watch.id.clone(), before: entry.known, until: None });
                // Events that were known are wanted again from there on.
                entry.known = match from.saturating_sub(1) {
                    0 => NOTHING,
                    seq if seq == entry.known.seq => entry.known,
                    seq => Known { seq, chain: None },
                };
            }
        } else if let FromClient::Unwatch(unwatch) = message {
            self.entry(unwatch.game.clone()).state = State::Left;
        }
    }

    /// Takes note of the reply to a request.
    pub(crate) fn answered(&mut self, re: &RequestId, reply: &ToClient) {
        let asker = self
            .games
            .values_mut()
            .find(|game| game.asked.as_ref().is_some_and(|asked| asked.id == *re));
        let Some(game) = asker else { return };
        if let (ToClient::Ok(Done { seq: Some(until), .. }), Some(asked)) = (reply, &mut game.asked)
        {
            asked.until = Some(*until);
            game.settle();
        } else if let Some(asked) = game.asked.take()
            && matches!(reply, ToClient::Error(_))
        {
            game.known = asked.before;
        }
    }

    /// Takes note of a snapshot: the events after it follow.
    pub(crate) fn snapshot(&mut self, snapshot: &Snapshot) {
        let over = snapshot.result.is_some();
        let entry = self.entry(snapshot.game.clone());
        // One that follows a hello may meet a `watch` that was sent meanwhile. What was asked for
        // there comes after it, and is wanted although the snapshot contains it.
        if entry.asked.as_ref().is_some_and(|asked| asked.until.is_none() || snapshot.re.is_none())
        {
            return;
        }
        entry.known = Known { seq: snapshot.seq, chain: Some(snapshot.chain) };
        entry.state = if over { State::Over } else { State::Live };
        entry.asked = None;
    }

    /// Decides about an event and, if it is the next one, takes note of it.
    pub(crate) fn event(&mut self, event: &EventFrame) -> Verdict {
        let entry = self.entry(event.game.clone());
        if entry.state == State::Left || event.seq <= entry.known.seq {
            return Verdict::Drop;
        }
        if event.seq > entry.known.seq + 1 {
            return match entry.asked {
                Some(_) => Verdict::Drop,
                None => Verdict::Missing { from: entry.known.seq + 1 },
            };
        }
        entry.known = Known { seq: event.seq, chain: Some(event.chain) };
        entry.settle();
        if matches!(event.body, EventBody::Ended(_) | EventBody::Aborted(_)) {
            entry.state = State::Over;
        }
        Verdict::Next
    }

    /// Forgets questions that the lost connection will not answer: the next hello asks anew.
    pub(crate) fn connection_lost(&mut self) {
        for game in self.games.values_mut() {
            game.asked = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use adamant_protocol::{
        event::{AbortReason, Aborted, Started},
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
    fn events_pass_once_and_in_order() {
        let mut followed = Followed::default();
        assert_eq!(followed.event(&event("g", 1)), Verdict::Next);
        assert_eq!(followed.event(&event("g", 1)), Verdict::Drop);
        assert_eq!(followed.event(&event("g", 3)), Verdict::Missing { from: 2 });
        assert_eq!(followed.event(&event("g", 2)), Verdict::Next);
        assert_eq!(followed.event(&event("h", 2)), Verdict::Missing { from: 1 });
    }

    fn ok(seq: Option<u64>) -> ToClient {
        let mut done = Done::new("w".parse().unwrap());
        done.seq = seq;
        done.into()
    }

    #[test]
    fn a_replay_from_the_start_passes_known_events_again() {
        let mut followed = Followed::default();
        for seq in 1..=3 {
            followed.event(&event("g", seq));
        }
        followed.asking(&watch("w", "g", Some(1)));
        assert_eq!(followed.event(&event("g", 4)), Verdict::Drop, "it comes again");
        followed.answered(&"w".parse().unwrap(), &ok(Some(4)));
        assert_eq!(followed.event(&event("g", 1)), Verdict::Next);
        assert_eq!(followed.event(&event("g", 5)), Verdict::Drop, "it has overtaken the others");
        for seq in 2..=5 {
            assert_eq!(followed.event(&event("g", seq)), Verdict::Next, "{seq}");
        }
        assert_eq!(followed.event(&event("g", 7)), Verdict::Missing { from: 6 });
    }

    #[test]
    fn a_replay_of_nothing_is_over_with_its_answer() {
        for answer in [ok(None), ok(Some(1))] {
            let mut followed = Followed::default();
            followed.event(&event("g", 1));
            followed.asking(&watch("w", "g", Some(2)));
            followed.answered(&"w".parse().unwrap(), &answer);
            assert_eq!(followed.event(&event("g", 3)), Verdict::Missing { from: 2 });
        }
    }

    #[test]
    fn a_refused_replay_changes_nothing() {
        let mut followed = Followed::default();
        followed.event(&event("g", 1));
        followed.asking(&watch("w", "g", Some(1)));
        let refused = ToClient::from_bytes(
            br#"{"type":"error","re":"w","code":"not_found","message":"No.","retry":"never"}"#,
        );
        followed.answered(&"w".parse().unwrap(), &refused.unwrap().unwrap());
        assert_eq!(followed.event(&event("g", 2)), Verdict::Next);
    }

    #[test]
    fn what_was_left_is_not_asked_for_again() {
        let mut followed = Followed::default();
        followed.event(&event("g", 1));
        let unwatch = Unwatch { id: "u".parse().unwrap(), game: "g".parse().unwrap() };
        followed.asking(&unwatch.into());
        assert_eq!(followed.event(&event("g", 2)), Verdict::Drop);
        assert_eq!(followed.event(&event("g", 9)), Verdict::Drop);
        assert!(followed.cursors().0.is_empty());
        followed.asking(&watch("w", "g", None));
        assert_eq!(followed.cursors().0.len(), 1);
    }

    #[test]
    fn finished_games_are_not_resumed() {
        let mut followed = Followed::default();
        let mut aborted = event("g", 1);
        aborted.body = EventBody::Aborted(Aborted { by: 0, reason: AbortReason::ByPlayer });
        assert_eq!(followed.event(&aborted), Verdict::Next);
        assert!(followed.cursors().0.is_empty());
        assert_eq!(followed.event(&event("g", 2)), Verdict::Next, "what comes late is still heard");
    }

    #[test]
    fn memory_and_hello_are_bounded_and_keep_the_latest() {
        let mut followed = Followed::default();
        for number in 0..FOLLOWED_MAX + 10 {
            followed.event(&event(&format!("g{number}"), 1));
        }
        assert_eq!(followed.games.len(), FOLLOWED_MAX);
        let cursors = followed.cursors();
        assert_eq!(cursors.0.len(), CURSORS_MAX);
        assert_eq!(cursors.0[0].0.as_ref(), format!("g{}", FOLLOWED_MAX + 9));
    }
}
