//! A short game, frame by frame. A change here is a change for every client.

use serde_json::{Value, json};

use crate::harness::{Peer, Server};

/// Fields that differ from run to run.
const REDACTED: [&str; 16] = [
    "at",
    "chain",
    "created",
    "durability",
    "expires",
    "key",
    "keys",
    "challenge",
    "game",
    "session",
    "since",
    "spent_ms",
    "token",
    "ts",
    "t1",
    "t2",
];

fn redact(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                if REDACTED.contains(&name.as_str()) {
                    *value = json!("..");
                } else {
                    redact(value);
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(redact),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[tokio::test]
async fn a_short_games_frames_are_unchanged() {
    let server = Server::start().await;
    let mut ann = Peer::connect(server.address()).await;
    ann.hello(json!({"id": "a1", "auth": {"guest": "ann"}})).await;
    let mut bob = Peer::connect(server.address()).await;
    bob.hello(json!({"id": "b1", "auth": {"guest": "bob"}, "caps": ["legal"]})).await;
    let challenge = json!({"type": "challenge", "id": "a2", "rules": "adamas", "seats": ["ann", "bob"],
        "options": "-pieces=2"});
    let challenge = ann.ask(challenge).await["challenge"].clone();
    bob.next_of("challenged").await;
    let accepted = bob.ask(json!({"type": "accept", "id": "b2", "challenge": challenge})).await;
    let game = accepted["game"].as_str().unwrap().to_owned();
    ann.next_of("your_turn").await;
    let play = |id: &str, turn: u32, play: &str| json!({"type": "move", "id": id, "game": game, "turn": turn, "move": play});
    ann.refused(play("a3", 0, "c3-c4"), "illegal_move").await;
    ann.ask(play("a4", 0, FIRST_MOVE)).await;
    bob.next_of("your_turn").await;
    bob.refused(play("b3", 0, FIRST_MOVE), "stale_turn").await;
    ann.ask(json!({"type": "offer", "id": "a5", "game": game, "what": "draw"})).await;
    let offered = bob.next_event(&game, "offered").await;
    let answer = json!({"type": "answer", "id": "b4", "game": game, "offer": offered["offer"], "accept": false});
    bob.ask(answer).await;
    ann.next_event(&game, "offer_closed").await;
    bob.ask(json!({"type": "resign", "id": "b5", "game": game})).await;
    ann.next_event(&game, "ended").await;
    bob.ask(json!({"type": "watch", "id": "b6", "game": game})).await;
    ann.ask(json!({"type": "ping", "id": "a6", "t0": 1})).await;

    let mut transcript = String::new();
    for peer in [&ann, &bob] {
        transcript.push_str(peer.name());
        transcript.push('\n');
        // The server sends presence at any time.
        for frame in peer.frames().filter(|frame| frame["type"] != "presence") {
            let mut frame = frame.clone();
            redact(&mut frame);
            transcript.push_str(&frame.to_string());
            transcript.push('\n');
        }
    }
    insta::assert_snapshot!(transcript, @r#"
    ann
    {"challenges":[],"claim_after":{"timed_ms":120000,"untimed_ms":604800000},"durability":"..","games":[],"heartbeat":{"idle_close_ms":30000,"ping_every_ms":10000},"keys":"..","limits":{"bots":20,"burst":100000,"frame_bytes":65536,"games_per_min":1000,"live_games":200,"open_challenges":32,"open_seeks":8,"per_s":100000,"seeks_per_min":1000,"sessions":50,"tokens":50,"watched_games":256},"proto":1,"push":{"key":".."},"re":"a1","rules":{"adamas":1,"diam":1,"hexma":1,"stymie":1},"server":{"name":"adamant","version":"0.1.0"},"session":"..","settings":{"challenges":"all"},"token":"..","ts":"..","type":"welcome","user":{"bot":false,"guest":true,"name":"ann"}}
    {"challenge":"..","re":"a2","type":"ok"}
    {"challenge":"..","game":"..","type":"challenge_closed"}
    {"at":"..","chain":"..","clock":{"mode":"none"},"game":"..","hash":"5ec730dad608951a","kind":"created","options":{"pieces":2,"prog_cap":false,"size":3},"rated":false,"rules":"adamas@1","seats":[{"bot":false,"guest":true,"letter":"O","user":"ann"},{"bot":false,"guest":true,"letter":"X","user":"bob"}],"seq":1,"type":"event"}
    {"at":"..","chain":"..","game":"..","hash":"5ec730dad608951a","kind":"started","seq":2,"to_move":0,"type":"event"}
    {"game":"..","hash":"5ec730dad608951a","ply":0,"seat":0,"turn":0,"type":"your_turn"}
    {"code":"illegal_move","game":"..","message":"c3 is empty","re":"a3","retry":"never","type":"error","why":"c3 is empty","why_args":{"cell":"c3"},"why_key":"adamas.empty_source"}
    {"game":"..","re":"a4","seq":3,"turn":1,"type":"ok"}
    {"at":"..","captures":[],"chain":"..","game":"..","hash":"f8c56c7f1af89c16","kind":"moved","lag_ms":0,"move":"c1-c2","ply":1,"req":"a4","seat":0,"seq":3,"spent_ms":"..","to_move":1,"turn":1,"type":"event"}
    {"game":"..","offer":"o_1","re":"a5","seq":4,"type":"ok"}
    {"at":"..","by":0,"chain":"..","game":"..","hash":"f8c56c7f1af89c16","kind":"offered","needs":[1],"offer":"o_1","req":"a5","seq":4,"type":"event","what":"draw"}
    {"at":"..","by":1,"chain":"..","game":"..","hash":"f8c56c7f1af89c16","kind":"offer_closed","offer":"o_1","outcome":"declined","req":"b4","seq":5,"type":"event"}
    {"at":"..","by":1,"chain":"..","game":"..","hash":"f8c56c7f1af89c16","kind":"ended","places":[1,2],"reason":"resigned","req":"b5","seq":6,"type":"event","winners":[0]}
    {"re":"a6","t0":1,"t1":"..","t2":"..","type":"pong"}
    bob
    {"challenges":[],"claim_after":{"timed_ms":120000,"untimed_ms":604800000},"durability":"..","games":[],"heartbeat":{"idle_close_ms":30000,"ping_every_ms":10000},"keys":"..","limits":{"bots":20,"burst":100000,"frame_bytes":65536,"games_per_min":1000,"live_games":200,"open_challenges":32,"open_seeks":8,"per_s":100000,"seeks_per_min":1000,"sessions":50,"tokens":50,"watched_games":256},"proto":1,"push":{"key":".."},"re":"b1","rules":{"adamas":1,"diam":1,"hexma":1,"stymie":1},"server":{"name":"adamant","version":"0.1.0"},"session":"..","settings":{"challenges":"all"},"token":"..","ts":"..","type":"welcome","user":{"bot":false,"guest":true,"name":"bob"}}
    {"accepted":["ann"],"by":"ann","challenge":"..","clock":{"mode":"none"},"created":"..","expires":"..","guest":true,"options":{"pieces":2,"prog_cap":false,"size":3},"rated":false,"rules":"adamas@1","seats":["ann","bob"],"shuffle":false,"type":"challenged"}
    {"challenge":"..","game":"..","re":"b2","type":"ok"}
    {"challenge":"..","game":"..","type":"challenge_closed"}
    {"at":"..","chain":"..","clock":{"mode":"none"},"game":"..","hash":"5ec730dad608951a","kind":"created","options":{"pieces":2,"prog_cap":false,"size":3},"rated":false,"rules":"adamas@1","seats":[{"bot":false,"guest":true,"letter":"O","user":"ann"},{"bot":false,"guest":true,"letter":"X","user":"bob"}],"seq":1,"type":"event"}
    {"at":"..","chain":"..","game":"..","hash":"5ec730dad608951a","kind":"started","seq":2,"to_move":0,"type":"event"}
    {"at":"..","captures":[],"chain":"..","game":"..","hash":"f8c56c7f1af89c16","kind":"moved","lag_ms":0,"move":"c1-c2","ply":1,"req":"a4","seat":0,"seq":3,"spent_ms":"..","to_move":1,"turn":1,"type":"event"}
    {"game":"..","hash":"f8c56c7f1af89c16","legal":["c5-a3","2xc5-a3","c5-b4","c5-a3,b4","2xc5-b4","c5-c3","c5-a3,c3","c5-b4,c3","2xc5-c3","c5-c4","c5-a3,c4","c5-b4,c4","c5-c3,c4","2xc5-c4","c5-d4","c5-a3,d4","c5-b4,d4","c5-c3,d4","c5-c4,d4","2xc5-d4","c5-e3","c5-a3,e3","c5-b4,e3","c5-c3,e3","c5-c4,e3","c5-d4,e3","2xc5-e3"],"legal_cut":false,"legal_total":27,"ply":1,"seat":1,"turn":1,"type":"your_turn"}
    {"code":"stale_turn","game":"..","message":"turn 0 is not the present turn, which is 1","re":"b3","retry":"resync","turn":1,"type":"error"}
    {"at":"..","by":0,"chain":"..","game":"..","hash":"f8c56c7f1af89c16","kind":"offered","needs":[1],"offer":"o_1","req":"a5","seq":4,"type":"event","what":"draw"}
    {"game":"..","offer":"o_1","re":"b4","seq":5,"type":"ok"}
    {"at":"..","by":1,"chain":"..","game":"..","hash":"f8c56c7f1af89c16","kind":"offer_closed","offer":"o_1","outcome":"declined","req":"b4","seq":5,"type":"event"}
    {"game":"..","re":"b5","seq":6,"type":"ok"}
    {"at":"..","by":1,"chain":"..","game":"..","hash":"f8c56c7f1af89c16","kind":"ended","places":[1,2],"reason":"resigned","req":"b5","seq":6,"type":"event","winners":[0]}
    {"at":"..","chain":"..","clock":{"mode":"none"},"game":"..","hash":"f8c56c7f1af89c16","moves":["c1-c2"],"offers":[],"options":{"pieces":2,"prog_cap":false,"size":3},"ply":1,"position":{"c1":"O","c2":"O","c5":"XX"},"presence":[{"online":true,"seat":0},{"online":true,"seat":1}],"rated":false,"re":"b6","result":{"places":[1,2],"reason":"resigned","winners":[0]},"rules":"adamas@1","seats":[{"guest":true,"letter":"O","state":"in","user":"ann"},{"guest":true,"letter":"X","state":"in","user":"bob"}],"seq":6,"spectators":0,"threatened":[],"to_move":null,"turn":1,"type":"snapshot"}
    "#);
}

/// The first stack moves one piece one step.
const FIRST_MOVE: &str = "c1-c2";
