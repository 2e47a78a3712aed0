//! Plays one game as a guest against a bot of the server: `bot SERVER NAME OPPONENT GAME`.

use std::{env, error::Error};

use adamant_client::{Client, Config, Incoming, protocol::EventBody, protocol::from_client::Auth};
use rand::seq::IteratorRandom as _;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [server, name, opponent, rules] = arguments.as_slice() else {
        return Err("bot SERVER NAME OPPONENT GAME".into());
    };
    let auth = Auth::GuestProgram(name.parse()?);
    let config = Config::new(server.parse()?).with_auth(auth).with_legal_moves();
    let (client, mut inbox, _) = Client::connect(config).await?;
    client.challenge(&rules.parse()?, &[name.parse()?, opponent.parse()?]).await?;
    loop {
        match inbox.next().await.ok_or("the session has ended")? {
            Incoming::YourTurn(turn) => {
                let choice = turn.legal.iter().flatten().choose(&mut rand::rng());
                client.play(&turn, choice.ok_or("there is no move")?).await?;
            }
            Incoming::Event { frame, .. } => {
                if let EventBody::Ended(ended) = &frame.body {
                    println!("{} {} {:?}", frame.game, ended.reason, ended.winners);
                    client.close().await;
                    return Ok(());
                }
            }
            Incoming::ChallengeClosed(closed) if closed.game.is_none() => {
                return Err("the challenge was declined".into());
            }
            _ => {}
        }
    }
}
