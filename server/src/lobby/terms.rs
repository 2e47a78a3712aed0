//! The terms of an open game: what is played, whom it suits, and who sits where.

use std::sync::Arc;

use adamant_protocol::{
    UserName,
    from_client::{Invite, RatingRange, SeatWish, Seek},
    to_client::{Challenged, InviteEntry, SeekEntry},
    values::Options,
};
use rand::{RngExt as _, seq::SliceRandom as _};

use super::{blocks::BlocksAround, game_config::GameConfig, owners::SameOwner, pairing};
use crate::{
    address::ClientNetwork,
    error::Denial,
    limits::{GUEST_CHALLENGE_LIFE, LASTING_SEEK_LIFE},
    outbound::client::ClientHandle,
    ratings::Pool,
    runtime::{entropy::Entropy, time::milliseconds},
    store::{NodeSession, Offer, OpenGame, Seeker},
};

/// A client that seeks a game, or that joins a seek.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    /// The user, as one who joins.
    pub(super) seeker: Seeker,
    pub(super) session: NodeSession,
    pub(super) blocks: Arc<BlocksAround>,
    /// Those who may not play the game against the user, if it is rated.
    pub(super) same_owner: Arc<SameOwner>,
}

/// The users of a challenge, and what the challenge depends on.
#[derive(Debug, Clone, Default)]
pub(super) struct Participants {
    /// In the order of their seats.
    pub(super) seats: Vec<UserName>,
    /// Whether one of them has no account.
    pub(super) any_guest: bool,
    /// Those that are the server's own players.
    pub(super) house: Vec<UserName>,
}

/// A client's user as one who joins a challenge or an invite.
pub(super) fn seeker(user: &UserName, client: &ClientHandle) -> Seeker {
    let (user, bot, guest) = (user.clone(), client.bot, client.guest);
    Seeker { user, bot, guest, rating: 0, seat: SeatWish::Random, session: None }
}

/// Creates a challenge by one of the users.
pub(super) fn new_challenge(
    config: &GameConfig,
    maker: Seeker,
    players: &Participants,
    now_ms: u64,
    entropy: &mut Entropy,
) -> Challenged {
    let number: u64 = entropy.random();
    let life = config.challenge_life(players.any_guest);
    Challenged {
        challenge: format!("h_{number:016x}").parse().expect("a short word"),
        by: maker.user.clone(),
        bot: maker.bot,
        guest: maker.guest,
        rules: config.rules(),
        options: config.wire_options(),
        seats: players.seats.clone(),
        shuffle: false,
        clock: config.wire_clock(),
        rated: config.rated,
        delay: config.delay,
        unlisted: config.unlisted,
        accepted: vec![maker.user],
        rematch_of: None,
        created: now_ms,
        expires: now_ms.saturating_add(milliseconds(life)),
    }
}

/// Creates the invite that a user has asked for.
pub(super) fn new_invite(
    config: &GameConfig,
    request: &Invite,
    maker: Seeker,
    from: Option<ClientNetwork>,
    now_ms: u64,
    entropy: &mut Entropy,
) -> Result<(InviteEntry, OpenGame), Denial> {
    pairing::check_wish(request.seat, usize::from(request.players))?;
    let number: u64 = entropy.random();
    let entry = InviteEntry {
        invite: format!("i_{number:016x}").parse().expect("a short word"),
        by: maker.user.clone(),
        bot: maker.bot,
        guest: maker.guest,
        rules: config.rules(),
        options: config.wire_options(),
        players: request.players,
        seat: request.seat,
        clock: config.wire_clock(),
        rated: config.rated,
        delay: config.delay,
        unlisted: config.unlisted,
        joined: vec![maker.user.clone()],
        created: now_ms,
        expires: now_ms.saturating_add(milliseconds(config.invite_life(maker.guest))),
        game: None,
        reason: None,
    };
    let maker = Seeker { seat: request.seat, ..maker };
    Ok((entry.clone(), OpenGame::new(Offer::Invite(entry), maker, from)))
}

/// Reads the settings of the game that is sought, and checks the other fields.
pub(super) fn read_seek(seek: &Seek) -> Result<GameConfig, Denial> {
    let players = usize::from(seek.players);
    let terms = (seek.delay, seek.unlisted);
    let config =
        GameConfig::read(&seek.rules, &seek.options, seek.clock, seek.rated, terms, players)?;
    pairing::check_wish(seek.seat, players)?;
    let RatingRange { min, max } = seek.rating.unwrap_or(RatingRange { min: None, max: None });
    if min.zip(max).is_some_and(|(min, max)| min > max) {
        let message = "the lowest rating is above the highest".to_owned();
        return Err(Denial::BadMessage(message));
    }
    if seek.lasting && config.is_live() {
        let message = "a lasting seek is for games without a clock, or by days";
        return Err(Denial::BadMessage(message.to_owned()));
    }
    Ok(config)
}

/// Creates the seek that a candidate has asked for, as it is stored.
pub(super) fn new_seek(
    id: adamant_protocol::SeekId,
    candidate: &Candidate,
    config: &GameConfig,
    seek: &Seek,
    from: Option<ClientNetwork>,
    now_ms: u64,
) -> OpenGame {
    let Candidate { seeker, session, .. } = candidate;
    let life = if seeker.guest { GUEST_CHALLENGE_LIFE } else { LASTING_SEEK_LIFE };
    let entry = SeekEntry {
        seek: id,
        by: seeker.user.clone(),
        bot: seeker.bot,
        guest: seeker.guest,
        rules: config.rules(),
        options: config.wire_options(),
        players: seek.players,
        seat: seek.seat,
        clock: config.wire_clock(),
        rated: config.rated,
        delay: config.delay,
        unlisted: config.unlisted,
        allow: seek.allow,
        rating: seek.rating,
        lasting: seek.lasting,
        expires: seek.lasting.then(|| now_ms.saturating_add(milliseconds(life))),
        joined: vec![seeker.user.clone()],
    };
    let maker = Seeker { session: (!seek.lasting).then_some(*session), ..seeker.clone() };
    OpenGame::new(Offer::Seek(entry), maker, from)
}

/// Returns the settings of an open game.
pub(super) fn config(open: &OpenGame) -> Result<GameConfig, Denial> {
    let (rules, options, clock, rated, delay, unlisted) = match &open.offer {
        Offer::Seek(SeekEntry { rules, options, clock, rated, delay, unlisted, .. })
        | Offer::Challenge(Challenged { rules, options, clock, rated, delay, unlisted, .. })
        | Offer::Invite(InviteEntry { rules, options, clock, rated, delay, unlisted, .. }) => {
            (rules, options, clock, rated, delay, unlisted)
        }
    };
    let options = Options::Named(options.clone());
    GameConfig::read(rules, &options, *clock, *rated, (*delay, *unlisted), open.players())
}

/// Returns whether the game is rated.
pub(super) const fn is_rated(open: &OpenGame) -> bool {
    match &open.offer {
        Offer::Seek(SeekEntry { rated, .. })
        | Offer::Challenge(Challenged { rated, .. })
        | Offer::Invite(InviteEntry { rated, .. }) => *rated,
    }
}

/// Returns the pool of the game.
pub(super) fn pool(open: &OpenGame) -> Result<Pool, Denial> {
    Ok(Pool::of(config(open)?.kind, open.players()))
}

/// Whether a seek of these terms admits a user.
fn admits(open: &OpenGame, seeker: &Seeker) -> Result<(), Denial> {
    let Offer::Seek(SeekEntry { allow, rating, .. }) = &open.offer else { return Ok(()) };
    if seeker.bot && !allow.bots {
        return Err(Denial::Forbidden("this seek is not for programs".to_owned()));
    }
    if seeker.guest && !allow.guests {
        return Err(Denial::Forbidden("this seek is not for guests".to_owned()));
    }
    if rating.is_some_and(|range| !range.contains(seeker.rating)) {
        let message = format!("this seek is for other ratings than your {}", seeker.rating);
        return Err(Denial::Forbidden(message));
    }
    Ok(())
}

/// Rejects a candidate who may not join a seek.
pub(super) fn check(open: &OpenGame, candidate: &Candidate) -> Result<(), Denial> {
    let Candidate { seeker, blocks, same_owner, .. } = candidate;
    blocks.check(&seeker.user, open.joined_users())?;
    same_owner.check(&seeker.user, open.joined_users())?;
    if open.has(&seeker.user) {
        return Err(Denial::Forbidden("you have joined this seek already".to_owned()));
    }
    admits(open, seeker)
}

/// Returns whether two seeks are for the same game and admit each other. `new` has its maker alone.
pub(super) fn suits(open: &OpenGame, new: &OpenGame, candidate: &Candidate) -> bool {
    let seeker = &candidate.seeker;
    let joined = || open.joined.iter();
    let wishes = joined().map(|joined| joined.seat).chain([seeker.seat]);
    open.players() == new.players()
        && config(open).is_ok_and(|theirs| config(new).is_ok_and(|ours| ours == theirs))
        && !open.has(&seeker.user)
        && admits(open, seeker).is_ok()
        && joined().all(|other| admits(new, other).is_ok())
        && joined().all(|other| candidate.blocks.allow(&other.user))
        && joined().all(|other| candidate.same_owner.allow(&other.user))
        && pairing::wishes_agree(wishes)
}

/// Returns the players of a full offer, in the order of their seats.
pub(super) fn seated(full: &OpenGame, entropy: &mut Entropy) -> Vec<UserName> {
    if let Offer::Challenge(challenged) = &full.offer {
        let mut seats = challenged.seats.clone();
        if challenged.shuffle {
            seats.shuffle(entropy);
        }
        return seats;
    }
    let wishes = full.joined.iter().map(|seeker| (seeker.user.clone(), seeker.seat)).collect();
    pairing::seat_by_wish(wishes, entropy)
}
