//! Draws the board of a game after each move until its end: `spectator SERVER GAME`.

use std::{env, error::Error};

use adamant_client::{
    Client, Config, Incoming,
    protocol::{EventBody, from_client::Watch, ids::GameId},
};
use adamant_record::Replay;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [server, game] = arguments.as_slice() else { return Err("spectator SERVER GAME".into()) };
    let game: GameId = game.parse()?;
    let (client, mut inbox, _) = Client::connect(Config::new(server.parse()?)).await?;
    // Every event from the first on.
    client
        .request(|id| {
            let mut watch = Watch::new(id, game);
            watch.from = Some(1);
            watch
        })
        .await?;
    let mut replay = Replay::new();
    while let Some(incoming) = inbox.next().await {
        let Incoming::Event { frame, bytes, .. } = incoming else { continue };
        replay.push(&bytes)?;
        match &frame.body {
            EventBody::Moved(moved) => {
                let table = replay.table().ok_or("a record begins with the game")?;
                println!("{}. {}\n{}", moved.ply, moved.notation, table.position().draw(&[]));
            }
            EventBody::Ended(ended) => {
                println!("{}", ended.reason);
                client.close().await;
                return Ok(());
            }
            _ => {}
        }
    }
    Err("the session has ended".into())
}
