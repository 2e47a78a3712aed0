//! The featured game of a kind, and the list of live games.

use adamant_client::Incoming;
use adamant_protocol::{
    ToClient,
    from_client::{Live, Tv},
    ids::RulesName,
    to_client::{Featured, LiveChange, LiveGame},
};
use clap::Args;
use serde_json::{Value, json};

use super::lists::game_row;
use crate::{
    args::{Global, spelling::help_with_kinds},
    failure::{ExitStatus, unexpected_reply},
    output::{Output, format_table},
    session::{ActAs, Session},
};

/// Arguments of `tv`.
#[derive(Debug, Args)]
pub(crate) struct TvArgs {
    /// The game
    #[arg(value_name = "GAME", help = help_with_kinds("The game"))]
    pub(crate) rules: RulesName,
    /// Keep running and print each newly featured game
    #[arg(long)]
    pub(crate) follow: bool,
}

/// Arguments of `live`.
#[derive(Debug, Args)]
pub(crate) struct LiveArgs {
    #[arg(value_name = "GAME", help = help_with_kinds("Only games of this kind"))]
    pub(crate) rules: Option<RulesName>,
    /// Keep running and print changes
    #[arg(long)]
    pub(crate) follow: bool,
}

async fn open(global: &Global, follow: bool, output: Output) -> anyhow::Result<Session> {
    if follow {
        Session::open_persistent(global, ActAs::UserOrAnonymous, output).await
    } else {
        Session::open(global, ActAs::UserOrAnonymous, output).await
    }
}

/// Prints the featured game, and each newly featured game if asked to.
pub(super) async fn tv(
    global: &Global,
    args: &TvArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let session = open(global, args.follow, output).await?;
    let ask = async |session: &Session| show_featured(&featured(session, args).await?, output);
    ask(&session).await?;
    follow(session, args.follow, ask, |incoming| {
        if let Incoming::Featured(featured) = incoming {
            show_featured(&featured, output)?;
        }
        Ok(())
    })
    .await
}

/// Prints events if asked to. A subscription ends with the connection, so each reconnect calls
/// `refetch`.
async fn follow(
    mut session: Session,
    follow: bool,
    refetch: impl AsyncFn(&Session) -> anyhow::Result<()>,
    on_event: impl Fn(Incoming) -> anyhow::Result<()>,
) -> anyhow::Result<ExitStatus> {
    if !follow {
        session.close().await;
        return Ok(ExitStatus::Success);
    }
    loop {
        let incoming = session.next().await?;
        if matches!(incoming, Incoming::Connected(_)) {
            refetch(&session).await?;
        } else {
            on_event(incoming)?;
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

fn show_featured(featured: &Featured, output: Output) -> anyhow::Result<()> {
    if output.json {
        featured.entry.iter().try_for_each(|entry| output.entry(entry))?;
    } else if let Some(entry) = &featured.entry {
        output.line(game_row(entry).join("  "))?;
        output.message(format_args!("`adamant watch {}` shows it.", entry.game));
    } else {
        output.message("No game of this kind is live.");
    }
    Ok(())
}

const HEADING: [&str; 7] = ["ID", "GAME", "PLAYERS", "CLOCK", "MOVES", "TO MOVE", "LAST"];

/// Lists live games, and prints changes if asked to.
pub(super) async fn live(
    global: &Global,
    args: &LiveArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    let session = open(global, args.follow, output).await?;
    let all = list(&session, args).await?;
    if output.json {
        all.add.iter().try_for_each(|game| output.entry(&fields(game)?))?;
    } else if all.add.is_empty() {
        output.message("No game is live. `adamant play` starts one.");
    } else {
        output.line(format_table(HEADING, &all.add.iter().map(row).collect::<Vec<_>>()))?;
    }
    let refetch = async |session: &Session| show_change(&list(session, args).await?, output);
    follow(session, args.follow, refetch, |incoming| {
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
        change.add.iter().try_for_each(|game| output.entry(&fields(game)?))?;
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

/// A live game as an entry of lists has it, with what is live about it beside that.
fn fields(game: &LiveGame) -> serde_json::Result<Value> {
    let mut fields = serde_json::to_value(game)?;
    let entry = fields.as_object_mut().and_then(|fields| fields.remove("entry"));
    let mut all = entry.unwrap_or_default();
    if let (Some(all), Value::Object(further)) = (all.as_object_mut(), fields) {
        all.extend(further);
    }
    Ok(all)
}

fn row(game: &LiveGame) -> [String; 7] {
    let [id, rules, players, clock, moves, to_move] = game_row(&game.entry);
    let last = game.last_move.as_deref().unwrap_or_default().to_owned();
    [id, rules, players, clock, moves, to_move, last]
}
