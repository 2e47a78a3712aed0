//! A computer takes the seat of a player who leaves a game of three, if both others agree.

use adamant_protocol::event::{LeaveReason, SeatOffered};
use adamant_protocol::to_client::{HouseLevel, HousePlayer};
use adamant_protocol::{OfferId, values::Named};
use adamant_rules::{Setup, table::SEAT_OFFER_MS};

use crate::cluster::StartedGame;
use crate::room::{RoomContext, Substitutes, tests::*};

const CLOCK: TimeControl = TimeControl::Fischer { base_ms: 600_000, inc_ms: 0 };

/// A game of ann, bob and cy in which all have moved, on a server whose house plays.
struct Seats {
    script: Script,
    ann: Client,
    bob: Client,
    cy: Client,
    seated: tokio::sync::mpsc::Receiver<StartedGame>,
}

impl Seats {
    fn begin() -> Self {
        Self::begin_with(setup(&["ann", "bob", "cy"], CLOCK))
    }

    fn begin_with(setup: Setup) -> Self {
        let (substitutes, seated) = Substitutes::queue();
        let (user, twin) = ("house".parse().unwrap(), Some("house-4b".parse().unwrap()));
        let level = HouseLevel::of_number(4).unwrap();
        let bot = HousePlayer { user, level, number: Some(4), elo: Named::default(), twin };
        substitutes.open([bot].into());
        let context = RoomContext { substitutes, ..context(PARK_AFTER) };
        let mut script = Script::begin_with(setup, context);
        let [mut ann, mut bob, mut cy] =
            [(1, "ann"), (2, "bob"), (3, "cy")].map(|(session, user)| {
                let client = Client::new(session, user);
                client.join(&mut script);
                client
            });
        for (client, turn, notation) in
            [(&mut ann, 0, "d1-d2"), (&mut bob, 1, "g4-f4"), (&mut cy, 2, "a4-b4")]
        {
            let reply = client.act(&mut script, "first", move_to(turn, notation));
            assert!(matches!(reply, ToClient::Ok(_)), "{reply:?}");
        }
        for client in [&mut ann, &mut bob, &mut cy] {
            client.messages();
        }
        Self { script, ann, bob, cy, seated }
    }

    /// Cy resigns two seconds later. Returns what ann is told.
    fn cy_resigns(&mut self) -> SeatOffered {
        self.script.advance_ms(2_000);
        let reply = self.cy.act(&mut self.script, "resign", PlayerAction::Resign);
        assert!(
            matches!(&reply, ToClient::Ok(done) if done.offer == Some(OfferId(1))),
            "{reply:?}"
        );
        let EventBody::SeatOffered(offered) = self.ann.next_event() else { panic!("no offer") };
        offered
    }

    fn answers(&mut self, accepts: [bool; 2]) {
        for (client, accept) in [&mut self.ann, &mut self.bob].into_iter().zip(accepts) {
            self.script.advance_ms(3_000);
            let answer = PlayerAction::Answer { offer: OfferId(1), accept };
            let reply = client.act(&mut self.script, "answer", answer);
            assert!(matches!(reply, ToClient::Ok(_)), "{reply:?}");
        }
    }

    fn kinds(&self) -> Vec<String> {
        self.script
            .records()
            .iter()
            .map(|record| EventFrame::from_bytes(record).unwrap().body.kind().to_owned())
            .skip(5)
            .collect()
    }
}

#[test]
fn a_bot_is_seated_once_both_agree_and_the_player_who_left_watches() {
    let mut seats = Seats::begin();
    let offered = seats.cy_resigns();
    assert_eq!((offered.seat, offered.reason), (2, LeaveReason::Resigned));
    assert_eq!((offered.by.user.as_str(), offered.level), ("house", 4));
    assert_eq!(offered.until, seats.script.now + SEAT_OFFER_MS);
    let early = seats.ann.act(&mut seats.script, "early", move_to(3, "d2-d3"));
    assert!(matches!(early, ToClient::Error(failed) if failed.code == ErrorCode::TooSoon));
    seats.answers([true, true]);
    assert_eq!(seats.kinds(), ["seat_offered", "agreed", "offer_closed", "substituted"]);
    let seated = seats.seated.try_recv().unwrap();
    assert_eq!((seated.game, seated.players), (game(), vec!["house".parse().unwrap()]));
    let house = Client::house(9, "house");
    house.join(&mut seats.script);
    for (client, turn, notation) in [(&mut seats.ann, 4, "d2-d3"), (&mut seats.bob, 5, "f4-e4")] {
        let reply = client.act(&mut seats.script, "next", move_to(turn, notation));
        assert!(matches!(reply, ToClient::Ok(_)), "{reply:?}");
    }
    let refused = seats.cy.act(&mut seats.script, "late", move_to(6, "b4-c4"));
    assert!(matches!(refused, ToClient::Error(failed) if failed.code == ErrorCode::NotAPlayer));
    let mut house = house;
    let reply = house.act(&mut seats.script, "move", move_to(6, "b4-c4"));
    assert!(matches!(reply, ToClient::Ok(_)), "{reply:?}");
}

#[test]
fn a_no_removes_the_seat_and_clocks_have_stood() {
    let mut seats = Seats::begin();
    seats.cy_resigns();
    seats.script.advance_ms(9_000);
    let no = PlayerAction::Answer { offer: OfferId(1), accept: false };
    let reply = seats.bob.act(&mut seats.script, "no", no);
    assert!(matches!(reply, ToClient::Ok(_)), "{reply:?}");
    assert_eq!(seats.kinds(), ["seat_offered", "offer_closed", "removed"]);
    let left = seats.script.load().table.clock().left_ms().unwrap().clone();
    assert_eq!(left[Seat::FIRST], 598_000);
    let again = seats.cy.act(&mut seats.script, "resign", PlayerAction::Resign);
    assert!(matches!(again, ToClient::Ok(done) if done.dup), "the same request");
    assert!(seats.seated.try_recv().is_err());
}

#[test]
fn without_an_answer_the_seat_is_removed_even_after_a_restart() {
    let mut seats = Seats::begin();
    seats.cy_resigns();
    // Another process goes on from the journal.
    seats.script.room = None;
    seats.script.absent_since = seats.script.now;
    seats.script.reopen();
    seats.script.advance_ms(SEAT_OFFER_MS - 1);
    assert_eq!(seats.kinds(), ["seat_offered"]);
    seats.script.advance_ms(1);
    assert_eq!(seats.kinds(), ["seat_offered", "removed"]);
}

#[test]
fn another_who_leaves_meanwhile_ends_the_game() {
    let mut seats = Seats::begin();
    seats.cy_resigns();
    let reply = seats.bob.act(&mut seats.script, "too", PlayerAction::Resign);
    assert!(matches!(reply, ToClient::Ok(_)), "{reply:?}");
    assert_eq!(seats.kinds(), ["seat_offered", "removed", "removed", "ended"]);
}

#[test]
fn a_fallen_flag_offers_the_seat_and_gives_the_bot_its_first_time() {
    let mut seats = Seats::begin();
    seats.script.advance_ms(600_000);
    assert_eq!(seats.kinds(), ["seat_offered"]);
    for client in [&mut seats.bob, &mut seats.cy] {
        let yes = PlayerAction::Answer { offer: OfferId(1), accept: true };
        let reply = client.act(&mut seats.script, "yes", yes);
        assert!(matches!(reply, ToClient::Ok(_)), "{reply:?}");
    }
    let table = seats.script.load().table;
    assert_eq!(table.clock().left_ms().unwrap()[Seat::FIRST], 600_000);
    assert_eq!(table.seat_of("house"), Some(Seat::FIRST));
}

#[test]
fn no_seat_is_offered_where_a_program_sits_or_one_is_away() {
    let mut with_bot = setup(&["ann", "bob", "cy"], CLOCK);
    with_bot.seats[Seat::FIRST].bot = true;
    let mut seats = Seats::begin_with(with_bot);
    seats.cy.act(&mut seats.script, "resign", PlayerAction::Resign);
    assert_eq!(seats.kinds(), ["removed"]);
    let mut seats = Seats::begin();
    drop(seats.ann);
    seats.script.pass_closed_sessions();
    seats.cy.act(&mut seats.script, "resign", PlayerAction::Resign);
    let removed = seats.script.records().pop().unwrap();
    assert!(matches!(EventFrame::from_bytes(&removed).unwrap().body, EventBody::Removed(_)));
}
