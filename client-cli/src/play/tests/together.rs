//! Offers, absences and rematches.

use adamant_protocol::{
    UserName,
    to_client::{ChallengeClosed, Challenged, ClaimAfter, ClosedReason, Presence, SeatPresence},
};

use adamant_rules::Kind;

use super::*;

const NEXT: &str = "x7kq3mfe";

/// Presence in which the second seat is away for some seconds; a claim needs two minutes.
fn away(seconds: u64) -> Message {
    let since = START_MS + seconds * 1_000;
    let seats = vec![
        SeatPresence { seat: 0, online: true, since: None, claim_at: None },
        SeatPresence {
            seat: 1,
            online: false,
            since: Some(since),
            claim_at: Some(since + 120_000),
        },
    ];
    let (game, spectators) = (GAME.parse().unwrap(), 0);
    Message::Incoming(Incoming::Presence(Presence {
        game,
        seats,
        spectators,
        spectator_names: Vec::new(),
    }))
}

fn user(name: &str) -> UserName {
    name.parse().unwrap()
}

fn challenged(by: &str) -> Message {
    let text = format!(
        r#"{{"challenge":"h_1","by":"{by}","rules":"adamas@1","options":{{}},"seats":["bob","ann"],
        "shuffle":false,"clock":{{"mode":"none"}},"rated":false,"accepted":["{by}"],
        "rematch_of":"{GAME}"}}"#
    );
    let challenged: Challenged = serde_json::from_str(&text).unwrap();
    Message::Incoming(Incoming::Challenged(Box::new(challenged)))
}

fn closed(game: Option<&str>, by: Option<&str>) -> Message {
    Message::Incoming(Incoming::ChallengeClosed(ChallengeClosed {
        game: game.map(|game| game.parse().unwrap()),
        reason: by.map(|_| ClosedReason::Later),
        by: by.map(user),
        rematch_of: Some(GAME.parse().unwrap()),
        ..ChallengeClosed::new("h_1".parse().unwrap())
    }))
}

#[test]
fn an_absence_is_shown_with_the_time_until_a_claim() {
    let mut ann = TestClient::ann();
    ann.wait_until(10);
    assert_eq!(ann.update(away(5)), []);
    ann.shows("X bob (away)");
    ann.shows("Your move, O ann.  X bob is away; claim in 1:55.");
    ann.wait_until(125);
    ann.shows("X bob is away: claim, or wait.");
    assert_eq!(ann.enter("claim"), [Effect::Send(Request::Claim)]);
    ann.refused(Request::Claim, "the player may still come back: claim in 1 s");
    ann.shows("the player may still come back");

    // The presence is unknown during an outage, and arrives again after the reconnect.
    let (reason, retry_in) = (DisconnectReason::Silent, Some(Duration::from_secs(1)));
    ann.update(Message::Incoming(Incoming::Disconnected { reason, retry_in }));
    ann.shows_no("(away)");
}

#[test]
fn a_game_that_is_left_lying_against_the_house_is_parked() {
    let against = |other| {
        let server = FakeServer::new("", &["ann", other], TimeControl::None);
        TestClient::new(server, Some("ann"), Role::Play)
    };
    let mut ann = against("house-easy");
    ann.wait_until(119);
    ann.shows_no("Parked");
    assert!(ann.view.is_ticking());
    ann.wait_until(120);
    ann.shows("Your move, O ann.  Parked; it goes on when you move.");
    assert!(!ann.view.is_ticking());
    ann.play("c1-c2", 130);
    ann.shows_no("Parked");

    let mut waited_for_by_bob = against("bob");
    waited_for_by_bob.wait_until(600);
    waited_for_by_bob.shows_no("Parked");
}

#[test]
fn the_wait_before_a_claim_is_shown_before_the_turn() {
    let mut ann = TestClient::ann();
    ann.view.claim_after = Some(ClaimAfter { timed_ms: 120_000, untimed_ms: 604_800_000 });
    let text = format!(
        r#"{{"game":"{GAME}","seats":[{{"seat":0,"online":true}},
        {{"seat":1,"online":false,"since":{START_MS}}}],"spectators":0}}"#
    );
    ann.update(Message::Incoming(Incoming::Presence(serde_json::from_str(&text).unwrap())));
    ann.shows("X bob is away; you may claim after 2m of their turn.");
}

#[test]
fn a_spectator_sees_absences_but_no_claim() {
    let mut eve = TestClient::new(FakeServer::two(), None, Role::Watch);
    eve.update(away(5));
    eve.shows("X bob is away.");
    eve.shows_no("claim");
}

#[test]
fn takebacks_and_aborts_are_offered_and_accepted_by_name() {
    let mut ann = TestClient::ann();
    ann.play("c1-c2", 1);
    ann.play("c5-c4", 2);
    let takeback = Request::Offer(OfferKind::Takeback);
    assert_eq!(ann.enter("takeback"), [Effect::Send(takeback.clone())]);
    ann.update(Message::Response(takeback, Ok(())));
    ann.server.act(Act::Offer { seat: O, what: OfferKind::Takeback }, 3);
    ann.server.act(Act::Offer { seat: x(), what: OfferKind::Abort }, 4);
    ann.receive_journal();
    // An offer to answer comes before the player's own offer.
    ann.shows("X bob offers an end without a result: accept or decline?");
    assert_eq!(ann.enter("draw"), [Effect::Send(Request::Offer(OfferKind::Draw))], "another offer");
    ann.refused(Request::Offer(OfferKind::Draw), "no");
    ann.press(KeyCode::Esc);
    let agree = Request::Answer { offer: OfferId(2), accept: true };
    assert_eq!(ann.enter("calloff"), [Effect::Send(agree)]);
}

#[test]
fn a_declined_offer_is_shown_for_some_seconds() {
    let mut ann = TestClient::ann();
    ann.play("c1-c2", 1);
    ann.server.act(Act::Offer { seat: O, what: OfferKind::Draw }, 2);
    ann.receive_journal();
    ann.server.act(Act::Answer { seat: x(), offer: OfferId(1), accept: false }, 3);
    // The other player moves at once; the note stays.
    ann.play("c5-c4", 3);
    ann.shows("X bob declines the draw.");
    ann.wait_until(20);
    ann.play("c2-c3", 20);
    ann.shows_no("declines");
}

#[test]
fn a_swap_moves_absences_to_the_new_seats() {
    let clock = TimeControl::None;
    let server = FakeServer::of(Kind::Stymie, "-swap", &["ann", "bob"], clock);
    let mut ann = TestClient::new(server, Some("ann"), Role::Play);
    ann.play("f6", 1);
    ann.update(away(2));
    ann.shows("bob (away)");
    ann.play("swap", 3);
    ann.shows("bob (away)");
    ann.shows_no("ann (you) (away)");
}

#[test]
fn joining_a_game_of_others_watches_it() {
    let mut eve = TestClient::new(FakeServer::two(), Some("eve"), Role::Play);
    eve.shows("You do not play in this game; you are watching.");
    assert_eq!(eve.press(KeyCode::Char('q')), [Effect::Leave]);
}

#[test]
fn a_rematch_follows_a_finished_game() {
    let mut ann = TestClient::ann();
    ann.server.act(Act::Resign { seat: x() }, 3);
    ann.receive_journal();
    ann.shows("r rematch");
    ann.update(challenged("bob"));
    ann.shows("bob offers a rematch; r accepts.");
    ann.update(closed(None, Some("bob")));
    ann.shows("No rematch: bob closed it.");
    assert_eq!(ann.press(KeyCode::Char('r')), [Effect::Send(Request::Rematch)]);
    ann.update(Message::Response(Request::Rematch, Ok(())));
    ann.update(challenged("ann"));
    ann.shows("The rematch waits for 1 more.");
    assert_eq!(ann.update(closed(Some(NEXT), None)), [Effect::Send(Request::Follow { from: 1 })]);
    assert_eq!(ann.view.game.as_str(), NEXT);
    ann.shows("Waiting for the game");
}
