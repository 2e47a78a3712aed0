//! A fake server's side of a game, for tests of the views.

use adamant_client::Incoming;
use adamant_protocol::{
    EventBody, EventFrame, GameId,
    sketch::Sketch,
    to_client::{HintList, ResumeDecision, ResumedGame, Welcome},
};
use adamant_record::{Head, chain_after, wire};
use adamant_rules::{Act, BySeat, Event, Kind, Options, Player, Seat, Setup, Table, TimeControl};

pub(in crate::play) const GAME: &str = "k7q2mx";

/// Start of the game, in epoch milliseconds.
pub(in crate::play) const START_MS: u64 = 1_790_000_000_000;

pub(in crate::play) const O: Seat = Seat::FIRST;

pub(in crate::play) fn x() -> Seat {
    Seat::new(1).unwrap()
}

/// A server's table and its journal.
pub(in crate::play) struct FakeServer {
    pub(in crate::play) table: Table,
    pub(in crate::play) head: Head,
    /// The events that clients receive.
    pub(in crate::play) journal: Vec<Incoming>,
}

impl FakeServer {
    /// Starts a game of Adamas.
    pub(in crate::play) fn new(options: &str, users: &[&str], clock: TimeControl) -> Self {
        Self::of(Kind::Adamas, options, users, clock)
    }

    /// Starts a game of any kind.
    pub(in crate::play) fn of(
        kind: Kind,
        options: &str,
        users: &[&str],
        clock: TimeControl,
    ) -> Self {
        let options = Options::parse(options, kind.option_specs()).unwrap();
        let player =
            |user: &&str| Player { user: (*user).into(), bot: false, guest: false, rating: None };
        let seats = BySeat::try_from_iter(users.iter().map(player)).unwrap();
        let setup = Setup { kind, options, seats, clock, rated: false, delay: 0, unlisted: false };
        let events = Table::begin(setup, START_MS).unwrap();
        let table = Table::new(&events[0]).unwrap();
        let mut server =
            Self { table, head: Head::new(GAME.parse().unwrap()), journal: Vec::new() };
        server.record(&events[0]);
        server.apply(&events[1..]);
        server
    }

    /// Starts a game of two players with five minutes each.
    pub(in crate::play) fn two() -> Self {
        let clock = TimeControl::Fischer { base_ms: 300_000, inc_ms: 5_000 };
        Self::new("", &["ann", "bob"], clock)
    }

    fn record(&mut self, event: &Event) {
        let bytes = self.head.append(event, self.table.position(), None);
        let frame = Box::new(EventFrame::from_bytes(&bytes).unwrap());
        self.journal.push(Incoming::Event { frame, bytes: bytes.into() });
    }

    /// Records an event of a kind that only later versions know.
    pub(in crate::play) fn record_unknown(&mut self, kind: &str) {
        let Some(Incoming::Event { frame, .. }) = self.journal.last() else {
            panic!("a game has begun")
        };
        let (head, body) = (&mut self.head, EventBody::Unknown(kind.into()));
        head.seq += 1;
        let unsealed =
            EventFrame::unsealed_bytes(&head.game, head.seq, frame.at, &body, None, frame.hash);
        head.chain = chain_after(head.chain, &unsealed);
        let bytes = EventFrame::seal(unsealed, head.chain);
        let frame = Box::new(EventFrame::from_bytes(&bytes).unwrap());
        self.journal.push(Incoming::Event { frame, bytes: bytes.into() });
    }

    pub(in crate::play) fn apply(&mut self, events: &[Event]) {
        for event in events {
            self.table.apply(event).unwrap();
            self.record(event);
        }
    }

    /// Applies an act at a time in seconds.
    pub(in crate::play) fn act(&mut self, act: Act<'_>, seconds: u64) {
        let events = self.table.decide(&act, START_MS + seconds * 1_000).unwrap();
        self.apply(&events);
    }

    pub(in crate::play) fn hints(&self, sent: &Sketch) -> Box<HintList> {
        let position = self.table.position();
        let sketch = wire::sketch::from_wire(position, sent).unwrap();
        let words = position.named_moves();
        Box::new(HintList {
            re: "1".parse().unwrap(),
            game: GAME.parse().unwrap(),
            turn: self.table.turn(),
            to_move: wire::seat_number(position.to_move()),
            cells: Vec::new(),
            from: None,
            to: None,
            words: words.iter().map(|play| play.to_string().into()).collect(),
            sketch: Some(wire::sketch::completions(position, &sketch, false)),
        })
    }

    /// Makes a move for the seat to move, at a time in seconds.
    pub(in crate::play) fn play(&mut self, notation: &str, seconds: u64) {
        let (seat, turn) = (self.table.to_move().unwrap(), self.table.turn());
        self.act(Act::Move { seat, turn, notation, lag_ms: 0 }, seconds);
    }
}

/// Returns the `welcome` for a client that connects `at_seconds` after the start.
pub(in crate::play) fn welcome(
    user: Option<&str>,
    at_seconds: u64,
    verdict: Option<ResumeDecision>,
) -> Welcome {
    let user = user.map_or("null".to_owned(), |name| {
        format!(r#"{{"name":"{name}","bot":false,"guest":false}}"#)
    });
    let text = format!(
        r#"{{"re":"1","proto":1,"server":{{"name":"adamant","version":"0"}},"user":{user},
        "session":"s_1","ts":{},"rules":{{"adamas":1}},
        "limits":{{"frame_bytes":65536,"burst":40,"per_s":10}},
        "heartbeat":{{"ping_every_ms":10000,"idle_close_ms":30000}},"durability":"fsync",
        "games":[],"challenges":[]}}"#,
        START_MS + at_seconds * 1_000
    );
    let mut welcome: Welcome = serde_json::from_str(&text).unwrap();
    let game: GameId = GAME.parse().unwrap();
    let resumed = verdict.map(|resume| ResumedGame { game, seat: None, resume, from: None });
    welcome.games.extend(resumed);
    welcome
}
