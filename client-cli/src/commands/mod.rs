//! The commands, each in a file with its arguments, requests and output, and which one runs.

pub(crate) mod account;
pub(crate) mod analyse;
pub(crate) mod bot;
pub(crate) mod conform;
pub(crate) mod download;
pub(crate) mod engine;
pub(crate) mod game;
pub(crate) mod lists;
pub(crate) mod manual;
pub(crate) mod matches;
pub(crate) mod oracle;
pub(crate) mod puzzles;
pub(crate) mod records;
pub(crate) mod replay;
pub(crate) mod reports;
pub(crate) mod start;
pub(crate) mod talk;
pub(crate) mod users;

use adamant_protocol::{event::OfferKind, schema};
use tokio::runtime::Builder;

use crate::{
    cli::{Cli, Command},
    failure::{CommandResult, ExitStatus},
    output::Pager,
};

pub(crate) fn run(cli: &Cli) -> CommandResult {
    let mut builder = if matches!(cli.command, Command::Match(_)) {
        // The games of a match check moves at the same time.
        Builder::new_multi_thread()
    } else {
        // One thread: a command waits for the network, not for other commands.
        Builder::new_current_thread()
    };
    let runtime = builder.enable_all().build()?;
    let is_long = cli.global.output.interactive && cli.command.is_long();
    let pager = if is_long { Pager::open(cli.global.settings.pager()) } else { None };
    let status = runtime.block_on(Box::pin(dispatch(cli)));
    if let Some(pager) = pager {
        pager.close();
    }
    status
}

async fn dispatch(cli: &Cli) -> CommandResult {
    let (global, output) = (&cli.global, cli.global.output);
    match &cli.command {
        Command::Replay(args) => replay::replay(args, output),
        Command::Analyse(args) => analyse::analyse(global, args).await,
        Command::Verify(args) => records::verify(global, args).await,
        Command::Count(args) => replay::count(args, output),
        Command::Engine(args) => engine::engine(args, output),
        Command::Oracle(args) => oracle::oracle(global, args).await,
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
        Command::Complete(args) => manual::complete(global, args).await,
        Command::Play(args) => start::play(global, args).await,
        Command::Challenge(args) => start::challenge(global, args).await,
        Command::Seek(args) => start::seek(global, args).await,
        Command::Accept(args) => start::accept(global, args).await,
        Command::Decline(args) => start::decline(global, args).await,
        Command::Cancel(args) => start::cancel(global, args).await,
        Command::Invite(args) => start::invite(global, args).await,
        Command::Invites(args) => start::invites(global, args).await,
        Command::Lobby(args) => lists::lobby(global, args).await,
        Command::Challenges => lists::challenges(global).await,
        Command::Games(args) => lists::games(global, args).await,
        Command::Bots(args) => users::bots(global, args).await,
        Command::Stats(args) => lists::stats(global, args).await,
        Command::Standings(args) => users::standings(global, args).await,
        Command::User(args) => users::user(global, args).await,
        Command::History(args) => users::history(global, args).await,
        Command::Join(args) => game::join(global, args).await,
        Command::Open(args) => game::open(global, args),
        Command::Watch(args) => game::watch(global, args).await,
        Command::Tv(args) => lists::tv(global, args).await,
        Command::Live(args) => lists::live(global, args).await,
        Command::Say(args) => talk::say(global, args).await,
        Command::Talk(args) => talk::talk(global, args).await,
        Command::Unsay(args) => talk::unsay(global, args).await,
        Command::Mute(args) => talk::mute(global, args).await,
        Command::Unmute(args) => talk::unmute(global, args).await,
        Command::Mutes => talk::mutes(global).await,
        Command::Block(args) => talk::block(global, args).await,
        Command::Unblock(args) => talk::unblock(global, args).await,
        Command::Blocks => talk::blocks(global).await,
        Command::Report(args) => reports::report(global, args).await,
        Command::Notices(args) => reports::notices(global, args).await,
        Command::Settings(args) => talk::settings(global, args).await,
        Command::Move(args) => game::make_move(global, args).await,
        Command::Try(args) => game::try_move(global, args).await,
        Command::Show(args) => game::show(global, args).await,
        Command::Resign(args) => game::resign(global, args).await,
        Command::Abort(args) => game::abort(global, args).await,
        Command::Draw(args) => game::offer(global, args, OfferKind::Draw).await,
        Command::Takeback(args) => game::offer(global, args, OfferKind::Takeback).await,
        Command::CallOff(args) => game::offer(global, args, OfferKind::Abort).await,
        Command::Claim(args) => game::claim(global, args).await,
        Command::Rematch(args) => start::rematch(global, args).await,
        Command::Download(args) => download::download(global, args).await,
        Command::Export(args) => records::export(global, args).await,
        Command::Signup(args) => account::signup(global, args).await,
        Command::Login(args) => account::login(global, args).await,
        Command::Logout(args) => account::logout(global, args).await,
        Command::Switch(args) => account::switch(global, args),
        Command::Config => account::config(global),
        Command::Whoami => account::whoami(global).await,
        Command::Password(args) => account::password_change(global, args).await,
        Command::CloseAccount(args) => account::close_account(global, args).await,
        Command::Token(command) => account::token(global, command).await,
        Command::Mail(command) => account::mail(global, command).await,
        Command::Webhook(command) => account::webhook(global, command).await,
        Command::Bot(args) => match &args.command {
            Some(command) => account::bots(global, command).await,
            None => bot::bot(global, args).await,
        },
    }
}
