//! Connections that never finish their handshake.

use std::time::Duration;

use anyhow::Result;
use futures::future::join_all;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    time::timeout_at,
};

use super::{
    arena::Arena,
    attacker::{Tally, attacker, pause},
    requests::connect,
};

/// Addresses, and connections of each.
const SILENT: (u8, usize) = (16, 64);

/// Bytes of an endless header: more than a server should keep.
const HEAD_BYTES: usize = 300 * 1024;

/// How soon a closed connection is replaced.
const AGAIN: Duration = Duration::from_millis(20);

pub(super) async fn hold(arena: Arena, tally: &Tally) -> Result<()> {
    let (addresses, each) = SILENT;
    let holding = (0..addresses).flat_map(|address| (0..each).map(move |at| (address, at))).map(
        |(address, at)| async move {
            while arena.is_running() {
                let holding = async {
                    let mut stream = connect(arena, attacker(10 + address)).await?;
                    // Half of them send nothing, and half send an endless head.
                    if at % 2 == 0 {
                        stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ").await?;
                        stream.write_all(&vec![b'x'; HEAD_BYTES]).await?;
                    }
                    stream.read_to_end(&mut Vec::new()).await?;
                    anyhow::Ok(())
                };
                let what = match timeout_at(arena.until, holding).await {
                    Ok(Ok(())) => "closed",
                    Ok(Err(_)) => "reset",
                    Err(_) => "held to the end",
                };
                tally.add(what);
                pause(arena, AGAIN).await;
            }
        },
    );
    join_all(holding).await;
    Ok(())
}
