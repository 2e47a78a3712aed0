//! From a connection to its welcome.

use anyhow::{Context as _, Result};
use futures::future::try_join_all;
use serde_json::{Value, json};

use super::measurement::{Bench, measured};
use crate::load::{
    peer::Peer,
    setup::hello,
    target::{Program, Target},
    workload_names,
};

/// Connections made at the same time.
const AT_ONCE: usize = 32;

/// One new guest for this many connections, because each is stored before the welcome.
const CONNECTIONS_PER_GUEST: usize = 4;

/// Connects this often: on a baseline the bare handshake, on the real server also as a new guest
/// and with a token.
pub async fn accept(bench: &mut Bench<'_>, program: Program, connections: usize) -> Result<()> {
    let target = Target::start(program, bench.launch)?;
    let address = target.address();
    let bare = repeat(connections, AT_ONCE, |number| async move {
        Peer::connect(address, number).await.map(drop)
    });
    let (phase, ()) = measured(&target, bare).await?;
    bench.add_cpu(workload_names::CONNECT, program, &phase, connections as u64, None);
    if program != Program::Adamant {
        return Ok(());
    }
    let mut first = Peer::connect(address, 0).await?;
    let welcome = hello(&mut first, &json!({"guest":"first"})).await?;
    let token = welcome["token"].as_str().context("a guest gets a token")?.to_owned();
    let guests = connections / CONNECTIONS_PER_GUEST;
    let as_guests = repeat(guests, AT_ONCE, |number| async move {
        let mut peer = Peer::connect(address, number).await?;
        hello(&mut peer, &json!({"guest": format!("n{number}")})).await.map(drop)
    });
    let (phase, ()) = measured(&target, as_guests).await?;
    bench.add_cpu(workload_names::CONNECT_NEW, program, &phase, guests as u64, None);
    let auth: &Value = &json!({ "token": token });
    let with_token = repeat(connections, AT_ONCE, |number| async move {
        let mut peer = Peer::connect(address, number).await?;
        hello(&mut peer, auth).await.map(drop)
    });
    let (phase, ()) = measured(&target, with_token).await?;
    bench.add_cpu(workload_names::CONNECT_TOKEN, program, &phase, connections as u64, None);
    Ok(())
}

/// Runs `one` this often, a few at a time.
pub(super) async fn repeat<F>(times: usize, at_once: usize, one: impl Fn(usize) -> F) -> Result<()>
where
    F: Future<Output = Result<()>>,
{
    let lanes = (0..at_once).map(|lane| {
        let one = &one;
        async move {
            for number in (lane..times).step_by(at_once) {
                one(number).await?;
            }
            anyhow::Ok(())
        }
    });
    try_join_all(lanes).await.map(drop)
}
