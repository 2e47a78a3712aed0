//! Looking at many games: the featured one of a kind, and all that are being played.

use adamant_client::Incoming;
use adamant_protocol::{
    ToClient,
    from_client::{Live, Tv},
    to_client::{Featured, LiveChange, LiveGame},
};

use serde_json::json;

use super::lists::game_row;
use crate::{
    args::{Global, LiveArgs, TvArgs},
    columns::aligned,
    exit::ExitStatus,
    failure::unexpected_reply,
    output::Output,
    session::{ActAs, Session},
};

async fn open(global: &Global, follow: bool, output: Output) -> anyhow::Result<Session> {
    if follow {
        Session::open_persistent(global, ActAs::UserOrAnonymous, output).await
    } else {
        Session::open(global, ActAs::UserOrAnonymous, output).await
    }
}

/// Names the featured game, and goes on telling when it is another one if asked to.
pub(super) async fn tv(
    global: &Global,
    args: &TvArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let session = open(global, args.follow, output).await?;
    let ask = async |session: &Session| show_featured(featured(session, args).await?, output);
    ask(&session).await?;
    follow(session, args.follow, ask, |incoming| {
        if let Incoming::Featured(featured) = incoming {
            show_featured(*featured, output)?;
        }
        Ok(())
    })
    .await
}

/// Goes on telling what comes, if asked to. Who watches is forgotten with the connection, so after
/// each loss of it all is asked for `anew`.
async fn follow(
    mut session: Session,
    follow: bool,
    anew: impl AsyncFn(&Session) -> anyhow::Result<()>,
    news: impl Fn(Incoming) -> anyhow::Result<()>,
) -> anyhow::Result<ExitStatus> {
    if !follow {
        session.close().await;
        return Ok(ExitStatus::Success);
    }
    loop {
        let incoming = session.next().await?;
        if matches!(incoming, Incoming::Connected(_)) {
            anew(&session).await?;
        } else {
            news(incoming)?;
        }
    }
}

async fn featured(session: &Session, args: &TvArgs) -> anyhow::Result<Featured> {
    let (rules, watch) = (args.rules.clone(), args.follow);
    let reply = session.client.request(|id| Tv { id, rules, watch }).await?;
    if let ToClient::Tv(featured) = reply {
        Ok(featured)
    } else {
        Err(unexpected_reply(&reply).into())
    }
}

fn show_featured(featured: Featured, output: Output) -> anyhow::Result<()> {
    if output.json {
        output.reply(featured)?;
    } else if let Some(entry) = &featured.entry {
        output.line(game_row(entry).join("  "))?;
        output.message(format_args!("`adamant watch {}` shows it.", entry.game));
    } else {
        output.message("No such game is being played.");
    }
    Ok(())
}

const HEADING: [&str; 7] = ["ID", "GAME", "PLAYERS", "CLOCK", "MOVES", "TO MOVE", "LAST"];

/// Lists the games that are being played, and goes on telling what changes if asked to.
pub(super) async fn live(
    global: &Global,
    args: &LiveArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let session = open(global, args.follow, output).await?;
    let all = list(&session, args).await?;
    if output.json {
        all.add.iter().try_for_each(|game| output.entry(game))?;
    } else if all.add.is_empty() {
        output.message("Nothing is being played. `adamant play` does.");
    } else {
        output.line(aligned(HEADING, &all.add.iter().map(row).collect::<Vec<_>>()))?;
    }
    let anew = async |session: &Session| show_change(&list(session, args).await?, output);
    follow(session, args.follow, anew, |incoming| {
        if let Incoming::Live(change) = incoming {
            show_change(&change, output)?;
        }
        Ok(())
    })
    .await
}

async fn list(session: &Session, args: &LiveArgs) -> anyhow::Result<LiveChange> {
    let (rules, watch) = (args.rules.clone(), args.follow);
    let reply = session.client.request(|id| Live { id, rules, watch, many: false }).await?;
    if let ToClient::Live(all) = reply { Ok(all) } else { Err(unexpected_reply(&reply).into()) }
}

fn show_change(change: &LiveChange, output: Output) -> anyhow::Result<()> {
    if output.json {
        change.add.iter().try_for_each(|game| output.entry(game))?;
        let gone = |game| json!({"game": game, "removed": true});
        return change.remove.iter().map(gone).try_for_each(|entry| output.entry(&entry));
    }
    for game in &change.add {
        output.line(format_args!("+ {}", row(game).join("  ")))?;
    }
    for game in &change.remove {
        output.line(format_args!("- {game}"))?;
    }
    Ok(())
}

fn row(game: &LiveGame) -> [String; 7] {
    let [id, rules, players, clock, moves, to_move] = game_row(&game.entry);
    let last = game.last_move.as_deref().unwrap_or_default().to_owned();
    [id, rules, players, clock, moves, to_move, last]
}
