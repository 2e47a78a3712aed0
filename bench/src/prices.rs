//! What requests cost the server, beside what they cost the client's rates.

use std::fmt::Write as _;

use adamant_rules::Kind;
use anyhow::{Context as _, Result};
use memchr::memmem::Finder;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::{
    net::TcpStream,
    time::{Duration, Instant},
};

use crate::{
    machine,
    peer::{Peer, begin_game, endless, guest, pair, script},
    target::{Conditions, Launch, Program, Service, Target},
};

/// How long each request is repeated: the system counts CPU time in steps of 10 ms.
const REPEATED: Duration = Duration::from_secs(1);

/// Requests of a kind at most.
const TIMES_MAX: u32 = 20_000;

/// CPU time that one message of the rates may cost, in microseconds.
const MESSAGE_MAX_US: f64 = 5_000.0;

/// Plies of the game that is read, and finished games in the store.
const PLIES: usize = 400;
const GAMES: usize = 500;

/// The board of which all costs the most.
const LARGEST: &str = "-size=8 -pieces=99";

/// Messages that a list costs, or an opinion of `medium`.
const LIST: f64 = 4.0;

/// Messages that an opinion of `hard` costs.
const HARD: f64 = 40.0;

/// Messages that a picture of the largest size costs, painted again.
const PAINTED: f64 = 52.0;

/// The cost of a kind of request.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Cost {
    pub(crate) request: String,
    /// What it costs of the rates, in messages.
    pub(crate) price: f64,
    /// The server's CPU time for one, in microseconds.
    pub(crate) us: f64,
    pub(crate) sent: u32,
}

impl Cost {
    /// CPU time for each message that it costs, in microseconds.
    pub(crate) fn us_per_message(&self) -> f64 {
        self.us / self.price
    }
}

/// The costs of all measured requests.
#[derive(Debug, Default, Serialize)]
pub(crate) struct PriceReport {
    /// In the order of the run.
    pub(crate) costs: Vec<Cost>,
}

impl PriceReport {
    /// Whether no request costs the server more than its price covers.
    pub(crate) fn is_fair(&self) -> bool {
        self.costs.iter().all(|cost| cost.us_per_message() <= MESSAGE_MAX_US)
    }

    /// Formats the table, the dearest first.
    pub(crate) fn table(&self) -> String {
        let mut costs = self.costs.clone();
        costs.sort_by(|one, other| other.us_per_message().total_cmp(&one.us_per_message()));
        let mut out =
            format!("{:<44} {:>10} {:>10} {:>14}\n", "request", "us", "messages", "us a message");
        for cost in &costs {
            let dear = if cost.us_per_message() > MESSAGE_MAX_US { "  TOO CHEAP" } else { "" };
            let Cost { request, price, us, .. } = cost;
            let each = cost.us_per_message();
            writeln!(out, "{request:<44} {us:>10.0} {price:>10.0} {each:>14.0}{dear}")
                .expect("writing to a string does not fail");
        }
        out
    }
}

/// Measures each request on one server without limits.
pub(crate) async fn measure(launch: &Launch) -> Result<PriceReport> {
    let conditions = Conditions { service: Service::LoadAndHouse, ..Conditions::default() };
    let target = Target::start_under(conditions, Program::Adamant, launch)?;
    finish_games(&target).await?;
    let mut long = pair(&target, 1_000, &endless(PLIES)).await?;
    for (mover, frame) in &long.frames {
        long.peers[*mover].send_frame(frame).await?;
        long.peers[*mover].text_with(&Finder::new(r#""type":"ok""#)).await?;
    }
    let mut large = pair(&target, 1_001, &script(Kind::Adamas, LARGEST, 4, 0)).await?;
    let mut report = PriceReport::default();
    for (name, price, request) in requests(&long.game, &large.game) {
        let cost = repeat(&target, &mut large.peers[0], &name, price, &request).await;
        report.costs.push(cost.with_context(|| name.clone())?);
    }
    for (name, price, path) in pages(&long.game, &large.game) {
        let cost = fetch_again_and_again(&target, name, price, &path).await;
        report.costs.push(cost.with_context(|| path.clone())?);
    }
    Ok(report)
}

/// What a client may ask for: its name, its price, and one that costs as much as any.
fn requests(long: &str, large: &str) -> Vec<(String, f64, Value)> {
    let opinion = |level: &str| {
        json!({
            "type": "explore", "rules": "adamas", "options": LARGEST, "players": 3,
            "opinion": level
        })
    };
    let mut requests = vec![
        ("opinion, easy".to_owned(), 1.0, opinion("easy")),
        ("opinion, medium".to_owned(), LIST, opinion("medium")),
        ("opinion, hard".to_owned(), HARD, opinion("hard")),
        ("watch, from the start".to_owned(), 1.0, json!({"type":"watch","game":long,"from":1})),
    ];
    let cheap = [
        json!({"type":"ping","t0":0}),
        json!({"type":"catalogue"}),
        json!({"type":"layout","rules":"adamas","options":LARGEST,"players":3}),
        json!({"type":"user","name":"g0"}),
        json!({"type":"watch","game":long}),
        json!({"type":"moves","game":large}),
        json!({"type":"hints","game":large}),
        json!({"type":"explore","game":long,"ply":PLIES,"steps":true}),
        json!({"type":"settings_get"}),
        json!({"type":"blocks"}),
        json!({"type":"invites"}),
    ];
    let lists = [
        json!({"type":"positions","game":long,"from_ply":0,"limit":100}),
        json!({"type":"lobby"}),
        json!({"type":"live"}),
        json!({"type":"directory"}),
        json!({"type":"games"}),
        json!({"type":"history","user":"g0"}),
        json!({"type":"standings","rules":"diam","players":2}),
        json!({"type":"stats","rules":"diam","opponents":"people"}),
        json!({"type":"challenges"}),
        json!({"type":"mutes"}),
        json!({"type":"token_list"}),
    ];
    for (price, requests_of_price) in [(1.0, cheap.as_slice()), (LIST, lists.as_slice())] {
        requests.extend(requests_of_price.iter().map(|request| {
            (request["type"].as_str().unwrap_or_default().to_owned(), price, request.clone())
        }));
    }
    requests
}

/// What is read by HTTP, in the same way.
fn pages(long: &str, large: &str) -> Vec<(&'static str, f64, String)> {
    vec![
        ("GET a picture, painted anew", PAINTED, format!("/game/{large}/board.png?size=")),
        ("GET a drawing, compressed", 1.0, format!("/game/{large}/board.svg?size=640")),
        ("GET a document of the page", 1.0, "/rules".to_owned()),
        ("GET a record", 1.0, format!("/v1/games/{long}/record")),
        ("GET games", 1.0, "/v1/games?state=finished&players=3".to_owned()),
        ("GET history", 1.0, "/v1/users/g0/history?rules=unknown".to_owned()),
    ]
}

/// Fills the store with finished games of two guests.
async fn finish_games(target: &Target) -> Result<()> {
    let mut one = guest(target, 0).await?;
    let mut other = guest(target, 1).await?;
    for number in 0..GAMES {
        let game = begin_game(&mut one, &mut other, ("diam", ""), None).await?;
        let first = json!({
            "type":"move","id":format!("m{number}"),"game":game,"turn":0,"move":"A1"
        });
        one.ask(&first).await?;
        one.ask(&json!({"type":"resign","id":format!("r{number}"),"game":game})).await?;
    }
    target.settle().await
}

/// Repeats a request and returns what one costs.
async fn repeat(
    target: &Target,
    peer: &mut Peer,
    name: &str,
    price: f64,
    request: &Value,
) -> Result<Cost> {
    let mut request = request.clone();
    let (begun, before) = (Instant::now(), target.cpu()?);
    let mut sent = 0;
    while begun.elapsed() < REPEATED && sent < TIMES_MAX {
        sent += 1;
        request["id"] = format!("{name}{sent}").into();
        peer.ask(&request).await?;
    }
    cost(target, name, price, sent, before.total_us())
}

/// Reads a path over new connections and returns what one costs.
async fn fetch_again_and_again(
    target: &Target,
    name: &str,
    price: f64,
    path: &str,
) -> Result<Cost> {
    let (begun, before) = (Instant::now(), target.cpu()?);
    let mut sent = 0;
    while begun.elapsed() < REPEATED && sent < TIMES_MAX {
        sent += 1;
        // Each picture has another size, so that none is kept.
        let size = if path.ends_with('=') { (640 - sent % 200).to_string() } else { String::new() };
        let stream = TcpStream::connect(target.address()).await?;
        let answer = machine::fetch(stream, &format!("{path}{size}"), "gzip").await?;
        anyhow::ensure!(
            answer.get(9..12) == Some(b"200"),
            "{}",
            String::from_utf8_lossy(&answer[..answer.len().min(200)])
        );
    }
    cost(target, name, price, sent, before.total_us())
}

fn cost(target: &Target, name: &str, price: f64, sent: u32, before_us: u64) -> Result<Cost> {
    #[expect(clippy::cast_precision_loss, reason = "microseconds of some seconds")]
    let used = (target.cpu()?.total_us() - before_us) as f64;
    Ok(Cost { request: name.to_owned(), price, us: used / f64::from(sent), sent })
}
