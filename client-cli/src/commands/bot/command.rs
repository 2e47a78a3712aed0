//! The command: checks its arguments, starts the engine once, and connects.

use std::sync::Arc;

use adamant_engine::protocol::{Engine, EngineCommand, Introduction, Log};
use adamant_protocol::from_client::SeatWish;
use anyhow::Context as _;

use super::{
    filter::Filter,
    mind::{EngineSettings, MindSettings},
    run::Bot,
};
use crate::{
    args::{BotArgs, Global},
    commands::seek::SeekTerms,
    exit::ExitStatus,
    failure::UsageError,
    output::Output,
    proposal::Proposal,
    session::{ActAs, Session},
};

/// Runs a bot until it has played its number of games.
pub(crate) async fn bot(
    global: &Global,
    args: &BotArgs,
    output: Output,
) -> anyhow::Result<ExitStatus> {
    if !args.accept_any && args.seek.is_none() {
        let how = "a bot needs opponents: give --accept-any, --seek GAME or both";
        return Err(UsageError(how.to_owned()).into());
    }
    if args.acceptance.people_places > args.acceptance.games_at_once {
        let how = "--people-places cannot be more than --games-at-once";
        return Err(UsageError(how.to_owned()).into());
    }
    let mut filter = Filter { args: args.acceptance.clone(), engine: None };
    let mut mind = MindSettings::Level(args.level);
    if let Some(line) = &args.run.engine {
        let command = EngineCommand::parse(line).map_err(|error| UsageError(error.to_string()))?;
        filter.engine = Some(introduction(&command, output).await?);
        mind = MindSettings::Engine(EngineSettings::new(command, &args.run));
    }
    let terms = seek_terms(args, &filter)?;
    let who = match &args.guest {
        Some(name) => ActAs::GuestBot(name.clone()),
        None => ActAs::User,
    };
    let session = Session::open_persistent(global, who, output).await?;
    // The program has one thread, on which all games run.
    let bot = async { Bot::new(session, args, filter, mind, terms)?.run().await };
    tokio::task::LocalSet::new().run_until(bot).await?;
    Ok(ExitStatus::Success)
}

/// Starts the engine once, so that a wrong command is an error before a game begins.
async fn introduction(command: &EngineCommand, output: Output) -> anyhow::Result<Introduction> {
    let log: Log = Arc::new(move |line: &str| output.message(line));
    let mut engine = Engine::start(command, &log)?;
    let introduction = engine.ready().await.context("the engine does not introduce itself")?;
    let introduction = introduction.clone();
    let Introduction { name, author, .. } = &introduction;
    let by = if author.is_empty() { String::new() } else { format!(" by {author}") };
    output.message(format_args!("The engine is {name}{by}."));
    engine.quit().await;
    Ok(introduction)
}

fn seek_terms(args: &BotArgs, filter: &Filter) -> Result<Option<SeekTerms>, UsageError> {
    let Some(game) = &args.seek else { return Ok(None) };
    let proposal = Proposal::read(game, &args.setup)?;
    proposal.check(args.players.into())?;
    if !filter.plays(proposal.kind, args.players.into()) {
        let game = proposal.kind.name();
        let why = format!("the bot does not play {game} with {} players", args.players);
        return Err(UsageError(why));
    }
    Ok(Some(SeekTerms {
        proposal,
        players: args.players,
        seat: SeatWish::Random,
        rated: args.rated,
        allow: filter.allow(),
        rating: args.acceptance.rating,
        lasting: false,
    }))
}
