//! The commands, each in a file with its arguments, requests and output, and which one runs.

pub(crate) mod account;
pub(crate) mod bot;
pub(crate) mod conform;
pub(crate) mod download;
pub(crate) mod game;
pub(crate) mod lists;
pub(crate) mod manual;
pub(crate) mod matches;
pub(crate) mod puzzles;
pub(crate) mod records;
pub(crate) mod replay;
pub(crate) mod start;
pub(crate) mod talk;
pub(crate) mod users;

use adamant_protocol::{event::OfferKind, schema};
use tokio::runtime::Builder;

use crate::{
    cli::{Cli, Command},
    failure::ExitStatus,
    output::{Output, Pager},
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
        Command::Replay(args) => replay::replay(args, output),
        Command::Verify(args) => records::verify(global, args, output).await,
        Command::Count(args) => replay::count(args, output),
        Command::Engine(args) => matches::engine(args),
        Command::Match(args) => matches::play_match(args, output).await,
        Command::Conform(args) => conform::conform(args, output).await,
        Command::Puzzles(command) => puzzles::puzzles(command, output),
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
        Command::Complete(args) => manual::complete(global, args, output).await,
        Command::Play(args) => start::play(global, args, output).await,
        Command::Challenge(args) => start::challenge(global, args, output).await,
        Command::Seek(args) => start::seek(global, args, output).await,
        Command::Accept(args) => start::accept(global, args, output).await,
        Command::Decline(args) => start::decline(global, args, output).await,
        Command::Cancel(args) => start::cancel(global, args, output).await,
        Command::Invite(args) => start::invite(global, args, output).await,
        Command::Invites(args) => start::invites(global, args, output).await,
        Command::Lobby(args) => lists::lobby(global, args, output).await,
        Command::Challenges => lists::challenges(global, output).await,
        Command::Games(args) => lists::games(global, args, output).await,
        Command::Bots(args) => users::bots(global, args, output).await,
        Command::Stats(args) => lists::stats(global, args, output).await,
        Command::Standings(args) => users::standings(global, args, output).await,
        Command::User(args) => users::user(global, args, output).await,
        Command::History(args) => users::history(global, args, output).await,
        Command::Join(args) => game::join(global, args, output).await,
        Command::Watch(args) => game::watch(global, args, output).await,
        Command::Tv(args) => lists::tv(global, args, output).await,
        Command::Live(args) => lists::live(global, args, output).await,
        Command::Say(args) => talk::say(global, args, output).await,
        Command::Talk(args) => talk::talk(global, args, output).await,
        Command::Unsay(args) => talk::unsay(global, args, output).await,
        Command::Mute(args) => talk::mute(global, args, output).await,
        Command::Unmute(args) => talk::unmute(global, args, output).await,
        Command::Mutes => talk::mutes(global, output).await,
        Command::Block(args) => talk::block(global, args, output).await,
        Command::Unblock(args) => talk::unblock(global, args, output).await,
        Command::Blocks => talk::blocks(global, output).await,
        Command::Settings(args) => talk::settings(global, args, output).await,
        Command::Move(args) => game::make_move(global, args, output).await,
        Command::Try(args) => game::try_move(global, args, output).await,
        Command::Show(args) => game::show(global, args, output).await,
        Command::Resign(args) => game::resign(global, args, output).await,
        Command::Abort(args) => game::abort(global, args, output).await,
        Command::Draw(args) => game::offer(global, args, OfferKind::Draw, output).await,
        Command::Takeback(args) => game::offer(global, args, OfferKind::Takeback, output).await,
        Command::CallOff(args) => game::offer(global, args, OfferKind::Abort, output).await,
        Command::Claim(args) => game::claim(global, args, output).await,
        Command::Rematch(args) => start::rematch(global, args, output).await,
        Command::Download(args) => download::download(global, args, output).await,
        Command::Export(args) => records::export(global, args, output).await,
        Command::Signup(args) => account::signup(global, args, output).await,
        Command::Login(args) => account::login(global, args, output).await,
        Command::Logout(args) => account::logout(global, args, output).await,
        Command::Switch(args) => account::switch(global, args, output),
        Command::Config => account::config(global, output),
        Command::Whoami => account::whoami(global, output).await,
        Command::Password(args) => account::password_change(global, args, output).await,
        Command::Token(command) => account::token(global, command, output).await,
        Command::Bot(args) => match &args.command {
            Some(command) => account::bots(global, command, output).await,
            None => bot::bot(global, args, output).await,
        },
    }
}
