//! Everything that starts a game: a server bot, challenges, rematches, seeks and invites. They are
//! sent, accepted, declined and cancelled, and lead to the board.

use std::time::Duration;

use adamant_client::{Client, Incoming, RequestError};
use adamant_protocol::{
    ChallengeId, ErrorCode, EventBody, GameId, InviteId, SeekId, ToClient, UserName,
    from_client::{
        Accept, Allow, Cancel, Catalogue, Challenge, Decline, DeclineReason, Invite, InviteInfo,
        Invites, RatingRange, Rematch, SeatWish, Seek, Unseek,
    },
    to_client::{ChallengeClosed, ClosedReason, Done, HouseLevel, InviteEntry},
};
use adamant_rules::Kind;
use anyhow::{Context as _, bail};
use clap::{
    Args, ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser},
};
use tokio::time::timeout;

use super::{
    game::follow,
    lists::{clock, game_and_options},
};
use crate::{
    failure::{CommandResult, ExitStatus, UsageError},
    messages,
    output::Output,
    play::{self, Role},
    proposal::{GameSetupArgs, Proposal, read_range, read_seat, seats},
    session::{ActAs, Session, address, ask},
    settings::Global,
    spelling::{help_with_kinds, last_segment},
};

/// Whether to open the board when the game starts.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct JoinArgs {
    /// Print the game's id when it starts, and do not open the board
    #[arg(long)]
    pub(crate) no_join: bool,
}

/// When to wait for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum WaitMode {
    /// On a terminal, but not in scripts.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl WaitMode {
    const fn waits(self, output: Output) -> bool {
        match self {
            Self::Auto => output.interactive,
            Self::Always => true,
            Self::Never => false,
        }
    }
}

/// Waits for the game that a challenge leads to.
pub(super) async fn await_game(
    session: &mut Session,
    done: Done,
) -> anyhow::Result<Result<GameId, ChallengeClosed>> {
    if let Some(game) = done.game {
        return Ok(Ok(game));
    }
    let challenge = done.challenge.context("the server names neither a game nor a challenge")?;
    wait_for_answer(session, &challenge).await
}

/// Waits until a challenge is answered, across reconnects too.
pub(super) async fn wait_for_answer(
    session: &mut Session,
    challenge: &ChallengeId,
) -> anyhow::Result<Result<GameId, ChallengeClosed>> {
    let before = session.live_games();
    loop {
        let incoming = session.next().await?;
        if let Incoming::ChallengeClosed(closed) = &incoming
            && closed.challenge == *challenge
        {
            return Ok(closed.game.clone().ok_or_else(|| closed.clone()));
        }
        if let Incoming::Challenged(news) = &incoming
            && news.challenge == *challenge
        {
            let names: Vec<&str> = news.accepted.iter().map(UserName::as_str).collect();
            session.output.message(format_args!("Accepted so far: {}.", names.join(", ")));
        }
        // The answer may have been sent while the connection was lost.
        if let Incoming::Connected(welcome) = &incoming
            && !welcome.challenges.iter().any(|open| open.challenged.challenge == *challenge)
        {
            let begun = session.live_games().into_iter().find(|game| !before.contains(game));
            let reason = Some(ClosedReason::Expired);
            let closed = ChallengeClosed { reason, ..ChallengeClosed::new(challenge.clone()) };
            return Ok(begun.ok_or(closed));
        }
    }
}

/// Returns the game that this event creates, if it does.
pub(super) fn created_game(incoming: &Incoming) -> Option<GameId> {
    if let Incoming::Event { frame, .. } = incoming
        && matches!(frame.body, EventBody::Created(_))
    {
        return Some(frame.game.clone());
    }
    None
}

/// Opens the board of a game that has started. Without a terminal it prints the game's id.
pub(super) async fn enter_game(session: Session, game: GameId, join: JoinArgs) -> CommandResult {
    let output = session.output;
    if output.interactive && !join.no_join {
        return play::run(session, game, Role::Play).await;
    }
    session.close().await;
    if output.json {
        output.line(serde_json::json!({"game": game}))?;
    } else {
        output.line(&game)?;
        output.message(format_args!("`adamant join {game}` shows the board."));
    }
    Ok(ExitStatus::Success)
}

/// Prints why a challenge was closed without a game.
pub(super) fn show_closed_challenge(closed: &ChallengeClosed, output: Output) -> CommandResult {
    if output.json {
        output.reply(ToClient::ChallengeClosed(closed.clone()))?;
    }
    let why = match closed.reason {
        Some(ClosedReason::Cancelled) => "was cancelled",
        Some(ClosedReason::Expired) => "expired without an answer",
        Some(ClosedReason::Later) => "was declined: not now",
        Some(ClosedReason::TooFast) => "was declined: the clock is too fast",
        Some(ClosedReason::TooSlow) => "was declined: the clock is too slow",
        Some(ClosedReason::Rated) => "was declined: it should be rated",
        Some(ClosedReason::Casual) => "was declined: it should be casual",
        Some(ClosedReason::Game) => "was declined: another game is preferred",
        Some(ClosedReason::Options) => "was declined: other options are preferred",
        Some(ClosedReason::NoBot) => "was declined: no bots",
        Some(ClosedReason::Busy) => "was declined: too many games already",
        Some(ClosedReason::Generic | ClosedReason::Unknown(_)) | None => "was declined",
    };
    let by = closed.by.as_ref().map(|by| format!(" by {by}")).unwrap_or_default();
    let challenge = &closed.challenge;
    let (what, reason) = why.split_once(": ").unwrap_or((why, ""));
    // The server's sentence says whose limit it is, and what to do.
    output.message(match (closed.message.as_deref(), reason) {
        (Some(message), _) => format!("Challenge {challenge} {what}{by}: {message}"),
        (None, "") => format!("Challenge {challenge} {what}{by}."),
        (None, reason) => format!("Challenge {challenge} {what}{by}: {reason}."),
    });
    Ok(ExitStatus::Failed)
}

#[derive(Debug, Args)]
pub(crate) struct PlayArgs {
    #[arg(help = help_with_kinds("The game"), default_value = Kind::ALL[0].name())]
    pub(crate) game: String,
    /// The level of the server bot, from 1, the weakest, to 8
    #[arg(long, value_name = "LEVEL", default_value = "4", value_parser = play_level())]
    pub(crate) level: HouseLevel,
    #[command(flatten)]
    pub(crate) setup: GameSetupArgs,
}

/// Reads the level of a server bot: its number, or its word where that is no number.
fn play_level() -> impl TypedValueParser<Value = HouseLevel> {
    let known = ["1", "2", "3", "4", "5", "6", "7", "8", "easy", "medium", "hard"];
    PossibleValuesParser::new(known).map(|text| match &*text {
        "easy" => HouseLevel::Easy,
        "medium" => HouseLevel::Medium,
        "hard" => HouseLevel::Hard,
        number => number.parse().ok().and_then(HouseLevel::of_number).expect("it is known"),
    })
}

/// How long a server bot may take to answer before the challenge is cancelled. It normally answers
/// at once.
const HOUSE_ANSWER_MAX: Duration = Duration::from_secs(10);

/// How long to wait for an answer that crossed the cancellation.
const LATE_ANSWER_MAX: Duration = Duration::from_secs(2);

/// Starts a game against a server bot and opens its board.
pub(super) async fn play(global: &Global, args: &PlayArgs) -> CommandResult {
    let output = global.output;
    let proposal = Proposal::read(&args.game, &args.setup)?;
    proposal.check(2)?;
    let mut session = Session::open_persistent(global, ActAs::UserOrNewGuest).await?;
    let house = house_player(&session, args.level).await?;
    let seats = seats(session.require_me()?, std::slice::from_ref(&house));
    let done = session.client.done(|id| proposal.challenge(id, seats)).await?;
    match house_answer(&mut session, done, &house).await? {
        Ok(game) => {
            output.message(format_args!("Game {game}."));
            follow(session, game, Role::Play).await
        }
        Err(closed) => show_closed_challenge(&closed, output),
    }
}

/// Returns the name of the server bot of that level.
async fn house_player(session: &Session, level: HouseLevel) -> anyhow::Result<UserName> {
    let catalogue = ask!(session, Catalogue, |id| Catalogue { id });
    let mut players = catalogue.house.into_iter();
    let player = players.find(|player| player.level == level);
    Ok(player.context("this server has no bot of that level")?.user)
}

/// Waits for the bot's answer, and cancels the challenge if there is none.
async fn house_answer(
    session: &mut Session,
    done: Done,
    house: &UserName,
) -> anyhow::Result<Result<GameId, ChallengeClosed>> {
    let challenge = done.challenge.clone();
    if let Ok(answer) = timeout(HOUSE_ANSWER_MAX, await_game(session, done)).await {
        return answer;
    }
    let challenge = challenge.context("the server names no challenge")?;
    let cancel = |id| Cancel { id, challenge: Some(challenge.clone()), invite: None };
    match session.client.done(cancel).await {
        Ok(_) => {}
        // The answer crossed the cancellation.
        Err(RequestError::Refused(failed)) if failed.code == ErrorCode::NotFound => {
            let late = wait_for_answer(session, &challenge);
            if let Ok(answer) = timeout(LATE_ANSWER_MAX, late).await {
                return answer;
            }
        }
        Err(error) => return Err(error.into()),
    }
    let seconds = HOUSE_ANSWER_MAX.as_secs();
    bail!(
        "{house} has not answered in {seconds} s; the challenge is cancelled\nTry again later, or choose \
         another --level: each level is another bot."
    )
}

#[derive(Debug, Args)]
pub(crate) struct RematchArgs {
    /// The game's id
    pub(crate) game: GameId,
    /// When to wait until the others have accepted
    #[arg(long, value_name = "WHEN", default_value = "auto", default_missing_value = "always")]
    #[arg(num_args = 0..=1, require_equals = true)]
    pub(crate) wait: WaitMode,
    #[command(flatten)]
    pub(crate) join: JoinArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ChallengeArgs {
    #[arg(help = help_with_kinds("The game"))]
    pub(crate) game: String,
    /// The players in seat order; you take the first seat unless you name yourself
    #[arg(required = true, value_name = "NAME")]
    pub(crate) names: Vec<UserName>,
    #[command(flatten)]
    pub(crate) setup: GameSetupArgs,
    /// Play for a rating
    #[arg(long)]
    pub(crate) rated: bool,
    /// Assign the seats at random
    #[arg(long)]
    pub(crate) shuffle: bool,
    /// Take no seat: server bots play each other, for you to watch
    #[arg(long, conflicts_with_all = ["rated", "wait"])]
    pub(crate) without_me: bool,
    /// When to wait for the answer
    #[arg(long, value_name = "WHEN", default_value = "auto", default_missing_value = "always")]
    #[arg(num_args = 0..=1, require_equals = true)]
    pub(crate) wait: WaitMode,
    #[command(flatten)]
    pub(crate) join: JoinArgs,
}

#[derive(Debug, Args)]
pub(crate) struct DeclineArgs {
    /// The challenge
    pub(crate) id: ChallengeId,
    /// The reason.
    #[arg(
        help = "The reason: later, too_fast, too_slow, rated, casual, game, options, no_bot, busy"
    )]
    #[arg(default_value = "generic", value_parser = read_reason, hide_default_value = true)]
    pub(crate) reason: DeclineReason,
}

fn read_reason(text: &str) -> Result<DeclineReason, String> {
    adamant_protocol::known(serde_json::Value::from(text.to_ascii_lowercase()))
        .map_err(|_| "unknown reason; `adamant help decline` lists them".to_owned())
}

#[derive(Debug, Args)]
pub(crate) struct CancelArgs {
    /// The challenge (h_...), invite (i_...) or seek (k_...)
    pub(crate) id: String,
}

pub(super) async fn challenge(global: &Global, args: &ChallengeArgs) -> CommandResult {
    let proposal = Proposal::read(&args.game, &args.setup)?;
    let session = Session::open_persistent(global, ActAs::UserOrGuest).await?;
    let me = session.require_me()?;
    let seats = if args.without_me { args.names.clone() } else { seats(me, &args.names) };
    proposal.check(seats.len())?;
    let &ChallengeArgs { shuffle, rated, .. } = args;
    let challenge = |id| Challenge { shuffle, rated, ..proposal.challenge(id, seats) };
    let done = session.client.done(challenge).await?;
    if let (true, Some(game)) = (args.without_me, &done.game) {
        if session.output.json {
            session.output.reply(done.clone())?;
        } else {
            session.output.line(game)?;
            session.output.message(format_args!("`adamant watch {game}` shows it."));
        }
        return session.end().await;
    }
    follow_challenge(session, done, args.wait, args.join).await
}

pub(super) async fn rematch(global: &Global, args: &RematchArgs) -> CommandResult {
    let session = Session::open_persistent(global, ActAs::User).await?;
    let done = session.client.done(|id| Rematch { id, game: args.game.clone() }).await?;
    follow_challenge(session, done, args.wait, args.join).await
}

/// Prints the challenge or opens its game. Waits for the answer if asked to.
async fn follow_challenge(
    mut session: Session,
    done: Done,
    wait: WaitMode,
    join: JoinArgs,
) -> CommandResult {
    let output = session.output;
    if output.json {
        output.reply(done.clone())?;
    }
    let wait = wait.waits(output);
    match (&done.game, &done.challenge) {
        (None, Some(challenge)) if !wait => {
            if !output.json {
                output.line(challenge)?;
            }
            session.end().await
        }
        (game, challenge) => {
            if let (None, Some(challenge)) = (game, challenge) {
                output.message(format_args!(
                    "Challenge {challenge} is open. Waiting for an answer; `adamant cancel \
                     {challenge}` cancels it."
                ));
            }
            match await_game(&mut session, done).await? {
                Ok(game) => enter_game(session, game, join).await,
                Err(closed) => {
                    session.close().await;
                    show_closed_challenge(&closed, output)
                }
            }
        }
    }
}

pub(super) async fn decline(global: &Global, args: &DeclineArgs) -> CommandResult {
    let session = Session::open(global, ActAs::User).await?;
    let decline = |id| Decline { id, challenge: args.id.clone(), reason: args.reason };
    let done = session.client.done(decline).await?;
    global.output.done(done, format_args!("Challenge {} is declined.", args.id))?;
    session.end().await
}

/// Cancels a challenge, an invite or a lasting seek.
pub(super) async fn cancel(global: &Global, args: &CancelArgs) -> CommandResult {
    let session = Session::open(global, ActAs::User).await?;
    let done = match read_id(&args.id)? {
        OpenId::Challenge(challenge) => {
            let challenge = Some(challenge);
            session.client.done(|id| Cancel { id, challenge, invite: None }).await?
        }
        OpenId::Invite(invite) => {
            let invite = Some(invite);
            session.client.done(|id| Cancel { id, challenge: None, invite }).await?
        }
        OpenId::Seek(seek) => session.client.done(|id| Unseek { id, seek }).await?,
    };
    global.output.done(done, format_args!("{} is cancelled.", args.id))?;
    session.end().await
}

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own on the command line")]
pub(crate) struct SeekArgs {
    #[arg(help = help_with_kinds("The game"))]
    pub(crate) game: String,
    #[command(flatten)]
    pub(crate) setup: GameSetupArgs,
    /// The number of players, you included
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) players: u8,
    /// Your seat, counted from 1; random by default
    #[arg(long, value_name = "N", value_parser = read_seat)]
    pub(crate) seat: Option<SeatWish>,
    /// Play for a rating
    #[arg(long)]
    pub(crate) rated: bool,
    /// Exclude bots
    #[arg(long)]
    pub(crate) no_bots: bool,
    /// Exclude guests
    #[arg(long)]
    pub(crate) no_guests: bool,
    /// Only opponents with a rating in this range: 1400-1700, 1400- or -1700
    #[arg(long, value_name = "RANGE", allow_hyphen_values = true, value_parser = read_range)]
    pub(crate) rating: Option<RatingRange>,
    /// Keep the seek open for a week, whether you are connected or not
    #[arg(long)]
    pub(crate) lasting: bool,
    #[command(flatten)]
    pub(crate) join: JoinArgs,
}

#[derive(Debug, Args)]
pub(crate) struct AcceptArgs {
    /// The seek (k_...), challenge (h_...) or invite (i_... or its link)
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) join: JoinArgs,
}

/// Opens a seek and waits until a game starts.
pub(super) async fn seek(global: &Global, args: &SeekArgs) -> CommandResult {
    let output = global.output;
    let proposal = Proposal::read(&args.game, &args.setup)?;
    proposal.check(args.players.into())?;
    let terms = SeekTerms {
        proposal,
        players: args.players,
        seat: args.seat.unwrap_or_default(),
        rated: args.rated,
        allow: Allow { bots: !args.no_bots, guests: !args.no_guests },
        rating: args.rating,
        lasting: args.lasting,
    };
    let mut session = Session::open_persistent(global, ActAs::UserOrGuest).await?;
    let done = terms.seek(&session.client).await?;
    if output.json {
        output.reply(done.clone())?;
    }
    if let (None, Some(seek), true) = (&done.game, &done.seek, args.lasting) {
        if !output.json {
            output.line(seek)?;
        }
        output.message(format_args!("It stays open. `adamant cancel {seek}` closes it."));
        return session.end().await;
    }
    let game = if let Some(game) = done.game {
        game
    } else {
        if let Some(seek) = &done.seek {
            output.message(format_args!("Seek {seek} is open. Waiting; it closes when you leave."));
        }
        wait_for_game(&mut session, Some(&terms)).await?
    };
    enter_game(session, game, args.join).await
}

/// What a seek proposes.
#[derive(Debug, Clone)]
pub(super) struct SeekTerms {
    pub(super) proposal: Proposal,
    pub(super) players: u8,
    /// The seat that the user wants.
    pub(super) seat: SeatWish,
    /// Whether the game is rated.
    pub(super) rated: bool,
    /// Which opponents the user accepts.
    pub(super) allow: Allow,
    /// The ratings that the user accepts.
    pub(super) rating: Option<RatingRange>,
    /// Whether the seek outlives the session.
    pub(super) lasting: bool,
}

impl SeekTerms {
    pub(super) async fn seek(&self, client: &Client) -> Result<Done, RequestError> {
        let seek = |id| Seek {
            players: self.players,
            seat: self.seat,
            rated: self.rated,
            allow: self.allow,
            rating: self.rating,
            lasting: self.lasting,
            ..self.proposal.seek(id)
        };
        client.done(seek).await
    }
}

/// Waits for the game that a seek leads to. Reopens the user's own, which ended with its session.
async fn wait_for_game(session: &mut Session, own: Option<&SeekTerms>) -> anyhow::Result<GameId> {
    let before = session.live_games();
    loop {
        let incoming = session.next().await?;
        if let Some(game) = created_game(&incoming) {
            return Ok(game);
        }
        if matches!(incoming, Incoming::Connected(_)) {
            // The game may have started while the connection was lost.
            if let Some(game) = session.live_games().into_iter().find(|game| !before.contains(game))
            {
                return Ok(game);
            }
            let terms = own.context("the seek was lost with the connection")?;
            if let Some(game) = terms.seek(&session.client).await?.game {
                return Ok(game);
            }
        }
    }
}

/// Accepts a seek, a challenge or an invite, and waits for the game if other players have yet to
/// accept.
pub(super) async fn accept(global: &Global, args: &AcceptArgs) -> CommandResult {
    let output = global.output;
    let open = read_id(&args.id)?;
    let mut session = Session::open_persistent(global, ActAs::UserOrGuest).await?;
    let accept = |id| {
        let accept = Accept { id, seek: None, challenge: None, invite: None };
        match open.clone() {
            OpenId::Seek(seek) => Accept { seek: Some(seek), ..accept },
            OpenId::Challenge(challenge) => Accept { challenge: Some(challenge), ..accept },
            OpenId::Invite(invite) => Accept { invite: Some(invite), ..accept },
        }
    };
    let done = session.client.done(accept).await?;
    if output.json {
        output.reply(done.clone())?;
    }
    let game = if let Some(game) = done.game {
        game
    } else {
        output.message("Waiting for the other players.");
        match &open {
            OpenId::Challenge(challenge) => match wait_for_answer(&mut session, challenge).await? {
                Ok(game) => game,
                Err(closed) => {
                    session.close().await;
                    return show_closed_challenge(&closed, output);
                }
            },
            OpenId::Invite(invite) => match wait_for_players(&mut session, invite).await? {
                Ok(game) => game,
                Err(reason) => {
                    session.close().await;
                    show_closed_invite(invite, reason, output);
                    return Ok(ExitStatus::Failed);
                }
            },
            OpenId::Seek(_) => wait_for_game(&mut session, None).await?,
        }
    };
    enter_game(session, game, args.join).await
}

/// The id of something that a user may accept or cancel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum OpenId {
    Seek(SeekId),
    Challenge(ChallengeId),
    Invite(InviteId),
}

/// Parses an id, or the link of an invite. Seeks begin with k_, challenges with h_, invites with
/// i_.
pub(super) fn read_id(text: &str) -> Result<OpenId, UsageError> {
    let id = last_segment(text);
    let read = match id.get(..2) {
        Some("k_") => id.parse().ok().map(OpenId::Seek),
        Some("h_") => id.parse().ok().map(OpenId::Challenge),
        Some("i_") => id.parse().ok().map(OpenId::Invite),
        _ => None,
    };
    let what = "neither a seek (k_...), a challenge (h_...) nor an invite (i_...)";
    read.ok_or_else(|| UsageError(format!("{text} is {what}")))
}

#[derive(Debug, Args)]
pub(crate) struct InviteArgs {
    #[arg(help = help_with_kinds("The game"))]
    pub(crate) game: String,
    #[command(flatten)]
    pub(crate) setup: GameSetupArgs,
    /// The number of players, you included
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) players: u8,
    /// Your seat, counted from 1; random by default
    #[arg(long, value_name = "N", value_parser = read_seat)]
    pub(crate) seat: Option<SeatWish>,
    /// Play for a rating
    #[arg(long)]
    pub(crate) rated: bool,
    /// When to wait until the others have joined
    #[arg(long, value_name = "WHEN", default_value = "auto", default_missing_value = "always")]
    #[arg(num_args = 0..=1, require_equals = true)]
    pub(crate) wait: WaitMode,
    #[command(flatten)]
    pub(crate) join: JoinArgs,
}

#[derive(Debug, Args)]
pub(crate) struct InvitesArgs {
    /// Show this invite (i_... or its link) instead, of any user
    #[arg(value_parser = read_invite)]
    pub(crate) id: Option<InviteId>,
}

fn read_invite(text: &str) -> Result<InviteId, String> {
    last_segment(text).parse().map_err(|error| format!("{error}"))
}

/// Makes an invite and prints its link. Waits until the game starts if asked to.
pub(super) async fn invite(global: &Global, args: &InviteArgs) -> CommandResult {
    let output = global.output;
    let proposal = Proposal::read(&args.game, &args.setup)?;
    proposal.check(args.players.into())?;
    let mut session = Session::open_persistent(global, ActAs::UserOrGuest).await?;
    let &InviteArgs { players, rated, .. } = args;
    let seat = args.seat.unwrap_or_default();
    let request = |id| Invite { players, seat, rated, ..proposal.invite(id) };
    let done = session.client.done(request).await?;
    let invite = done.invite.clone().context("the server names no invite")?;
    if output.json {
        output.reply(done)?;
    } else {
        output.line(address(global)?.page_url(&format!("/join/{invite}")))?;
    }
    if !args.wait.waits(output) {
        return session.end().await;
    }
    output.message(format_args!(
        "Send this link to the other players. Waiting; `adamant cancel {invite}` cancels the invite."
    ));
    match wait_for_players(&mut session, &invite).await? {
        Ok(game) => enter_game(session, game, args.join).await,
        Err(reason) => {
            session.close().await;
            show_closed_invite(&invite, reason, output);
            Ok(ExitStatus::Failed)
        }
    }
}

/// Waits until an invite becomes a game or is closed, across reconnects too.
pub(super) async fn wait_for_players(
    session: &mut Session,
    invite: &InviteId,
) -> anyhow::Result<Result<GameId, Option<ClosedReason>>> {
    loop {
        let incoming = session.next().await?;
        let entry = if let Incoming::Invite(entry) = incoming {
            *entry
        } else if matches!(incoming, Incoming::Connected(_)) {
            // The change may have been sent while the connection was lost.
            let Ok(entry) = fetch_invite(session, invite).await else { return Ok(Err(None)) };
            entry
        } else {
            continue;
        };
        if entry.invite != *invite {
            continue;
        }
        if let Some(game) = entry.game {
            return Ok(Ok(game));
        }
        if entry.reason.is_some() {
            return Ok(Err(entry.reason));
        }
        session.output.message(format_args!("Joined so far: {}.", names(&entry.joined)));
    }
}

/// Prints why an invite was closed without a game.
pub(super) fn show_closed_invite(invite: &InviteId, reason: Option<ClosedReason>, output: Output) {
    let why = match reason {
        Some(ClosedReason::Cancelled) => "was cancelled",
        Some(ClosedReason::Expired) => "expired before all players had joined",
        Some(_) | None => "is no longer open",
    };
    output.message(format_args!("Invite {invite} {why}."));
}

async fn fetch_invite(session: &Session, invite: &InviteId) -> anyhow::Result<InviteEntry> {
    Ok(ask!(session, Invite, |id| InviteInfo { id, invite: invite.clone() }).entry)
}

/// Lists the user's open invites, or shows one of any user.
pub(super) async fn invites(global: &Global, args: &InvitesArgs) -> CommandResult {
    let (session, invites) = if let Some(invite) = &args.id {
        let session = Session::open(global, ActAs::UserOrAnonymous).await?;
        let entry = fetch_invite(&session, invite).await?;
        (session, vec![entry])
    } else {
        let session = Session::open(global, ActAs::User).await?;
        let list = ask!(session, Invites, |id| Invites { id });
        (session, list.invites)
    };
    let if_empty = "No invite is open. `adamant invite GAME` makes one.";
    let heading = ["INVITE", "GAME", "JOINED", "CLOCK", "SEATS", "ENDS"];
    let row = |entry: &InviteEntry| invite_row(entry, session.welcome.ts);
    global.output.list(&invites, if_empty, heading, row)?;
    session.end().await
}

fn invite_row(entry: &InviteEntry, now: u64) -> [String; 6] {
    let rated = if entry.rated { ", rated" } else { "" };
    let end = match &entry.game {
        Some(game) => format!("game {game}"),
        None => format!("in {}", messages::span(entry.expires.saturating_sub(now))),
    };
    [
        entry.invite.to_string(),
        game_and_options(&entry.rules, &entry.options),
        names(&entry.joined),
        format!("{}{rated}", clock(entry.clock)),
        format!("{} of {}", entry.joined.len(), entry.players),
        end,
    ]
}

fn names(users: &[UserName]) -> String {
    users.iter().map(UserName::as_str).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_distinguish_seeks_challenges_and_invites() {
        assert!(matches!(read_id("k_5"), Ok(OpenId::Seek(_))));
        assert!(matches!(read_id("h_9"), Ok(OpenId::Challenge(_))));
        for invite in ["i_7", "https://example.org/join/i_7", "http://localhost:7777/join/i_7/"] {
            assert_eq!(read_id(invite).unwrap(), OpenId::Invite("i_7".parse().unwrap()));
        }
        for bad in ["", "9", "k7q2mx", "h 9", "h_\u{e4}", "\u{e4}"] {
            assert!(read_id(bad).is_err(), "{bad:?}");
        }
    }
}
