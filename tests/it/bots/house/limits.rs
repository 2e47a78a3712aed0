//! How many games a server bot plays, and with whom.

use serde_json::json;

use super::challenging::{answer_to, begin, challenge, declined};
use crate::harness::{Peer, Server, with};

#[tokio::test]
async fn games_with_a_server_bot_are_limited_by_user_and_network() {
    let mut server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let with_house = |name: &str| challenge(&[name, "house"]);
    let mut games = Vec::new();
    for _ in 0..4 {
        games.push(begin(&mut ann, with_house("ann")).await);
    }
    let answer = answer_to(&mut ann, with_house("ann")).await;
    assert_eq!(declined(&answer, "ann has 4 games with house"), "busy");
    assert_eq!(
        (&answer["by"], &answer["limit"]),
        (&json!("house"), &json!("house_games_per_user"))
    );
    // A challenge of three does not evade the limit; another server bot has room.
    let three = answer_to(&mut ann, challenge(&["ann", "house", "house-easy"])).await;
    assert_eq!(declined(&three, "ann has 4 games with house"), "busy");
    begin(&mut ann, challenge(&["ann", "house-easy"])).await;

    // A class of pupils shares the network's limit; a user elsewhere has their own.
    let mut class = Vec::new();
    for number in 1..10 {
        let mut pupil = Peer::guest(&server, &format!("pupil-{number}")).await;
        for _ in 0..4 {
            let seats = with_house(pupil.name());
            begin(&mut pupil, seats).await;
        }
        class.push(pupil);
    }
    let mut late = Peer::guest(&server, "late").await;
    let answer = answer_to(&mut late, with_house("late")).await;
    assert_eq!(declined(&answer, "from your network"), "busy");
    assert_eq!(answer["limit"], "house_games_per_network");
    // Whoever is away takes no place.
    drop(class.pop());
    late.wait_for_online("pupil-9", false).await;
    begin(&mut late, with_house("late")).await;
    let mut dee = Peer::connect_from([127, 0, 0, 9], server.address()).await;
    dee.hello_guest("dee").await;
    begin(&mut dee, with_house("dee")).await;

    // Games are counted after a crash, too. Ending one makes room for another.
    server.kill().await;
    server.restart().await;
    let mut ann = ann.reconnect(&server).await;
    let answer = answer_to(&mut ann, with_house("ann")).await;
    assert_eq!(declined(&answer, "resign or abort"), "busy");
    ann.ask(json!({"type": "abort", "game": games[0]})).await;
    begin(&mut ann, with_house("ann")).await;
}

#[tokio::test]
async fn simultaneous_challenges_do_not_exceed_the_limit() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    for number in 0..14 {
        let id = json!({"id": format!("c{number}")});
        ann.send(&with(challenge(&["ann", "house-easy"]), id)).await;
    }
    let mut open = 0;
    for number in 0..14 {
        let reply = ann.next_matching("a reply", |frame| frame["re"] == format!("c{number}")).await;
        if reply["type"] == "ok" {
            open += 1;
        } else {
            assert_eq!(reply["limit"], "challenges_per_pair", "{reply}");
        }
    }
    assert!(open > 4, "too few challenges were open");
    let (mut begun, mut busy) = (0, 0);
    for _ in 0..open {
        let closed = ann.next_of("challenge_closed").await;
        begun += usize::from(closed["game"].is_string());
        busy += usize::from(closed["reason"] == "busy");
    }
    assert_eq!((begun, busy), (4, open - 4));
}

#[tokio::test]
async fn a_server_bot_exceeds_the_live_games_of_a_user_and_gives_reasons() {
    let mut server = Server::with(|setup| setup.set("limits", "enforced", false)).await;
    let mut ann = Peer::guest(&server, "ann").await;
    let most = usize::try_from(ann.welcome["limits"]["live_games"].as_u64().unwrap()).unwrap();
    let mut guests = Vec::new();
    for number in 0..=most / 4 {
        let mut guest = Peer::guest(&server, &format!("guest-{number}")).await;
        for _ in 0..4 {
            let seats = [guest.name().to_owned(), "house-easy".to_owned()];
            let answer = answer_to(&mut guest, challenge(&[&seats[0], &seats[1]])).await;
            assert!(answer["game"].is_string(), "{answer}");
        }
        guests.push(guest);
    }
    let entry = ann.ask(json!({"type": "user", "name": "house-easy"})).await;
    assert!(entry["live"].as_u64().unwrap() > most as u64, "{entry}");

    // After a crash the bot loads all of its games and plays on.
    server.kill().await;
    server.restart().await;
    let mut ann = ann.reconnect(&server).await;
    begin(&mut ann, challenge(&["ann", "house-easy"])).await;
    assert!(
        !server.log().iter().any(|line| line.contains("server bot disconnected")),
        "{:?}",
        server.log()
    );

    // Ann has as many live games as a user may have. The bot's acceptance fails, and the bot passes
    // the error on.
    let mut bob = Peer::guest(&server, "bob").await;
    for _ in 1..most {
        let id = bob.ask(json!({"type": "seek", "rules": "adamas"})).await["seek"].clone();
        ann.ask(json!({"type": "accept", "seek": id})).await;
    }
    let answer = answer_to(&mut ann, challenge(&["ann", "house"])).await;
    assert_eq!(declined(&answer, "ann has 200 live games"), "later");
}
