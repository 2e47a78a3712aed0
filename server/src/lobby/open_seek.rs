//! One open seek: its terms, whom it suits, and who sits where.

use std::sync::Arc;

use adamant_protocol::{
    SeekId, UserName,
    from_client::{RatingRange, Seek},
    to_client::SeekEntry,
    values::Options,
};

use super::{blocks::BlocksAround, game_config::GameConfig, owners::SameOwner, pairing};
use crate::{
    error::Denial,
    limits::{GUEST_CHALLENGE_LIFE, LASTING_SEEK_LIFE},
    outbound::client::ClientHandle,
    ratings::Pool,
    runtime::{entropy::Entropy, time::milliseconds},
    store::{NodeSession, Seeker, StoredSeek},
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

/// A session's user; seeks are only made and joined by those who have one.
pub(super) fn user(client: &ClientHandle) -> Result<&UserName, Denial> {
    client.user.as_ref().ok_or_else(|| Denial::Forbidden("say who you are to play".to_owned()))
}

pub(super) fn not_found(id: &SeekId) -> Denial {
    Denial::NotFound(format!("open seek {id}"))
}

/// Reads the settings of the game that is sought, and checks the other fields.
pub(super) fn read_config(seek: &Seek) -> Result<GameConfig, Denial> {
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

/// Returns the settings of a stored seek.
pub(super) fn config(entry: &SeekEntry) -> Result<GameConfig, Denial> {
    let options = Options::Named(entry.options.clone());
    let (terms, players) = ((entry.delay, entry.unlisted), usize::from(entry.players));
    GameConfig::read(&entry.rules, &options, entry.clock, entry.rated, terms, players)
}

/// Returns the pool of the game that is sought.
pub(super) fn pool(entry: &SeekEntry) -> Result<Pool, Denial> {
    Ok(Pool::of(config(entry)?.kind, usize::from(entry.players)))
}

/// Creates the seek that a candidate has asked for, as it is stored.
pub(super) fn new_seek(
    id: SeekId,
    candidate: &Candidate,
    config: &GameConfig,
    seek: &Seek,
    now_ms: u64,
) -> StoredSeek {
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
    StoredSeek { entry, joined: vec![maker], from: None, version: 0 }
}

/// Whether a seek of these terms admits a user.
fn admits(entry: &SeekEntry, seeker: &Seeker) -> Result<(), Denial> {
    if seeker.bot && !entry.allow.bots {
        return Err(Denial::Forbidden("this seek is not for programs".to_owned()));
    }
    if seeker.guest && !entry.allow.guests {
        return Err(Denial::Forbidden("this seek is not for guests".to_owned()));
    }
    if entry.rating.is_some_and(|range| !range.contains(seeker.rating)) {
        let message = format!("this seek is for other ratings than your {}", seeker.rating);
        return Err(Denial::Forbidden(message));
    }
    Ok(())
}

/// Rejects a candidate who may not join a seek.
pub(super) fn check(open: &StoredSeek, candidate: &Candidate) -> Result<(), Denial> {
    let Candidate { seeker, blocks, same_owner, .. } = candidate;
    blocks.check(&seeker.user, &open.entry.joined)?;
    same_owner.check(&seeker.user, &open.entry.joined)?;
    if open.has(&seeker.user) {
        return Err(already_joined());
    }
    admits(&open.entry, seeker)
}

pub(super) fn already_joined() -> Denial {
    Denial::Forbidden("you have joined this seek already".to_owned())
}

/// Returns whether two seeks are for the same game and admit each other. `new` has its maker alone.
pub(super) fn suits(open: &StoredSeek, new: &StoredSeek, candidate: &Candidate) -> bool {
    let seeker = &candidate.seeker;
    let joined = || open.joined.iter();
    let wishes = joined().map(|joined| joined.seat).chain([seeker.seat]);
    open.entry.players == new.entry.players
        && config(&open.entry).is_ok_and(|theirs| config(&new.entry).is_ok_and(|o| o == theirs))
        && !open.has(&seeker.user)
        && admits(&open.entry, seeker).is_ok()
        && joined().all(|other| admits(&new.entry, other).is_ok())
        && joined().all(|other| candidate.blocks.allow(&other.user))
        && joined().all(|other| candidate.same_owner.allow(&other.user))
        && pairing::wishes_agree(wishes)
}

/// Those of a full seek who came as programs.
pub(super) fn bots(full: &StoredSeek) -> Vec<UserName> {
    let bots = full.joined.iter().filter(|joined| joined.bot);
    bots.map(|joined| joined.user.clone()).collect()
}

/// Returns the players of a full seek, in the order of their seats.
pub(super) fn seated(full: &StoredSeek, entropy: &mut Entropy) -> Vec<UserName> {
    let wishes = full.joined.iter().map(|seeker| (seeker.user.clone(), seeker.seat)).collect();
    pairing::seat_by_wish(wishes, entropy)
}
