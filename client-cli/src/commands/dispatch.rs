//! Runs the command that the command line names.

use adamant_protocol::{event::OfferKind, schema};
use tokio::runtime::Builder;

use super::{
    account, actions, bot, bots, challenge, complete, conform, download, invites, lists, live,
    manual, play, records, relations, seek, stats, talk, tokens, users, view,
};
use crate::{
    args::{Cli, Command},
    failure::ExitStatus,
    local,
    output::Output,
    pager::Pager,
};

pub(crate) fn run(cli: &Cli, output: Output) -> anyhow::Result<ExitStatus> {
    let mut builder = if matches!(cli.command, Command::Match(_)) {
        // The games of a match check moves at the same time.
        Builder::new_multi_thread()
    } else {
        // One thread: a command waits for the network, not for other commands.
        Builder::new_current_thread()
    };
    let runtime = builder.enable_all().build()?;
    let is_long = output.interactive && cli.command.is_long();
    let pager = if is_long { Pager::open(cli.global.settings.pager()) } else { None };
    let status = runtime.block_on(Box::pin(dispatch(cli, output)));
    if let Some(pager) = pager {
        pager.close();
    }
    status
}

async fn dispatch(cli: &Cli, output: Output) -> anyhow::Result<ExitStatus> {
    let global = &cli.global;
    match &cli.command {
        Command::Replay(args) => local::replay(args, output),
        Command::Verify(args) => records::verify(global, args, output).await,
        Command::Count(args) => local::count(args, output),
        Command::Engine(args) => local::engine(args, output),
        Command::Match(args) => local::play_match(args, output).await,
        Command::Conform(args) => conform::conform(args, output).await,
        Command::Puzzles(command) => local::puzzles(command, output),
        Command::Schema { closed } => {
            let schema = if *closed { schema::closed_document() } else { schema::document() };
            if output.json {
                output.line(schema)?;
            } else {
                output.line(format_args!("{schema:#}"))?;
            }
            Ok(ExitStatus::Success)
        }
        Command::Completions(args) => manual::completions(args, output),
        Command::Rules(args) => manual::rules(args, output),
        Command::Man(args) => manual::man(args, output),
        Command::Complete(args) => complete::complete(global, args, output).await,
        Command::Play(args) => play::play(global, args, output).await,
        Command::Challenge(args) => challenge::challenge(global, args, output).await,
        Command::Seek(args) => seek::seek(global, args, output).await,
        Command::Accept(args) => seek::accept(global, args, output).await,
        Command::Decline(args) => challenge::decline(global, args, output).await,
        Command::Cancel(args) => challenge::cancel(global, args, output).await,
        Command::Invite(args) => invites::invite(global, args, output).await,
        Command::Invites(args) => invites::invites(global, args, output).await,
        Command::Lobby(args) => lists::lobby(global, args, output).await,
        Command::Challenges => lists::challenges(global, output).await,
        Command::Games(args) => lists::games(global, args, output).await,
        Command::Bots(args) => bots::bots(global, args, output).await,
        Command::Stats(args) => stats::stats(global, args, output).await,
        Command::Standings(args) => users::standings(global, args, output).await,
        Command::User(args) => users::user(global, args, output).await,
        Command::History(args) => users::history(global, args, output).await,
        Command::Join(args) => view::join(global, args, output).await,
        Command::Watch(args) => view::watch(global, args, output).await,
        Command::Tv(args) => live::tv(global, args, output).await,
        Command::Live(args) => live::live(global, args, output).await,
        Command::Say(args) => talk::say(global, args, output).await,
        Command::Talk(args) => talk::talk(global, args, output).await,
        Command::Unsay(args) => talk::unsay(global, args, output).await,
        Command::Mute(args) => relations::mute(global, args, output).await,
        Command::Unmute(args) => relations::unmute(global, args, output).await,
        Command::Mutes => relations::mutes(global, output).await,
        Command::Block(args) => relations::block(global, args, output).await,
        Command::Unblock(args) => relations::unblock(global, args, output).await,
        Command::Blocks => relations::blocks(global, output).await,
        Command::Settings(args) => relations::settings(global, args, output).await,
        Command::Move(args) => actions::make_move(global, args, output).await,
        Command::Try(args) => view::try_move(global, args, output).await,
        Command::Show(args) => view::show(global, args, output).await,
        Command::Resign(args) => actions::resign(global, args, output).await,
        Command::Abort(args) => actions::abort(global, args, output).await,
        Command::Draw(args) => actions::offer(global, args, OfferKind::Draw, output).await,
        Command::Takeback(args) => actions::offer(global, args, OfferKind::Takeback, output).await,
        Command::CallOff(args) => actions::offer(global, args, OfferKind::Abort, output).await,
        Command::Claim(args) => actions::claim(global, args, output).await,
        Command::Rematch(args) => challenge::rematch(global, args, output).await,
        Command::Download(args) => download::download(global, args, output).await,
        Command::Export(args) => records::export(global, args, output).await,
        Command::Signup(args) => account::signup(global, args, output).await,
        Command::Login(args) => account::login(global, args, output).await,
        Command::Logout(args) => account::logout(global, args, output).await,
        Command::Switch(args) => account::switch(global, args, output),
        Command::Config => account::config(global, output),
        Command::Whoami => account::whoami(global, output).await,
        Command::Password(args) => account::password_change(global, args, output).await,
        Command::Token(command) => tokens::token(global, command, output).await,
        Command::Bot(args) => match &args.command {
            Some(command) => tokens::bots(global, command, output).await,
            None => bot::bot(global, args, output).await,
        },
    }
}
