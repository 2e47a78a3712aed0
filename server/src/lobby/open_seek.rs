//! One open seek: its terms, and who has joined it.

use std::sync::Arc;

use adamant_protocol::{
    SeekId, UserName,
    from_client::{Allow, RatingRange, SeatWish, Seek},
    to_client::SeekEntry,
    values::Options,
};

use super::{blocks::BlocksAround, game_config::GameConfig, pairing};
use crate::{
    address::{ClientAddress, ClientNetwork},
    error::Denial,
    outbound::{SessionId, client::ClientHandle},
    runtime::entropy::Entropy,
    store::{Origin, Seeker, StoredSeek},
};

/// One seek and the users who have joined it, the seeker first.
#[derive(Debug)]
pub(super) struct OpenSeek {
    pub(super) config: GameConfig,
    pub(super) players: usize,
    pub(super) allow: Allow,
    pub(super) rating: Option<RatingRange>,
    /// When a lasting seek expires, in epoch milliseconds; `None` if it ends with its session.
    pub(super) expires: Option<u64>,
    pub(super) joined: Vec<Joined>,
}

/// A user who has joined a seek.
#[derive(Debug, Clone)]
pub(super) struct Joined {
    pub(super) seeker: Seeker,
    /// The session with which the user leaves; `None` in a lasting seek.
    pub(super) session: Option<SessionId>,
    /// Where the user came from, if that is known.
    pub(super) from: Option<ClientNetwork>,
}

/// A client that seeks a game, or that joins a seek.
#[derive(Debug)]
pub(super) struct Candidate<'a> {
    pub(super) client: &'a Arc<ClientHandle>,
    pub(super) user: &'a UserName,
    /// The rating in the game that is sought.
    pub(super) rating: u16,
    pub(super) blocks: BlocksAround,
}

/// A seek that all have joined. A lasting one stays stored until its game is.
#[derive(Debug)]
pub(super) struct FullSeek {
    pub(super) number: u64,
    pub(super) open: OpenSeek,
}

impl FullSeek {
    pub(super) fn seek(&self) -> SeekId {
        id_of(self.number)
    }

    pub(super) fn config(&self) -> &GameConfig {
        &self.open.config
    }

    /// What the game begins from, if that is stored.
    pub(super) fn origin(&self) -> Option<Origin> {
        self.open.expires.map(|_| Origin::Seek(self.seek()))
    }

    /// Those who would play.
    pub(super) fn users(&self) -> Vec<UserName> {
        self.open.users().cloned().collect()
    }

    /// Those of them who came as programs.
    pub(super) fn bots(&self) -> Vec<UserName> {
        let bots = self.open.joined.iter().filter(|joined| joined.seeker.bot);
        bots.map(|joined| joined.seeker.user.clone()).collect()
    }

    /// Everybody in their seat.
    pub(super) fn seated(&self, entropy: &mut Entropy) -> Vec<UserName> {
        let wishes = self.open.joined.iter().map(|joined| &joined.seeker);
        let wishes = wishes.map(|seeker| (seeker.user.clone(), seeker.seat)).collect();
        pairing::seat_by_wish(wishes, entropy)
    }
}

pub(super) fn id_of(number: u64) -> SeekId {
    format!("k_{number}").parse().expect("a short word")
}

pub(super) fn number_of(id: &SeekId) -> Option<u64> {
    id.as_str().strip_prefix("k_")?.parse().ok()
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

/// Whether a seek of these terms admits a user.
pub(super) fn admits(
    allow: Allow,
    range: Option<RatingRange>,
    seeker: &Seeker,
) -> Result<(), Denial> {
    if seeker.bot && !allow.bots {
        return Err(Denial::Forbidden("this seek is not for programs".to_owned()));
    }
    if seeker.guest && !allow.guests {
        return Err(Denial::Forbidden("this seek is not for guests".to_owned()));
    }
    if range.is_some_and(|range| !range.contains(seeker.rating)) {
        let message = format!("this seek is for other ratings than your {}", seeker.rating);
        return Err(Denial::Forbidden(message));
    }
    Ok(())
}

impl Candidate<'_> {
    pub(super) fn joined(&self, seat: SeatWish, lasting: bool) -> Joined {
        let Candidate { client, user, rating, .. } = *self;
        let user = user.clone();
        Joined {
            seeker: Seeker { user, bot: client.bot, guest: client.guest, rating, seat },
            session: (!lasting).then_some(client.session),
            from: client.from.map(ClientAddress::network),
        }
    }
}

impl Joined {
    pub(super) fn is(&self, user: &UserName) -> bool {
        self.seeker.user.is_same(user.as_str())
    }
}

impl OpenSeek {
    pub(super) fn seeker(&self) -> &Joined {
        &self.joined[0]
    }

    pub(super) fn users(&self) -> impl Iterator<Item = &UserName> {
        self.joined.iter().map(|joined| &joined.seeker.user)
    }

    pub(super) fn has(&self, user: &UserName) -> bool {
        self.joined.iter().any(|joined| joined.is(user))
    }

    /// Returns whether a client that seeks the same game can join.
    pub(super) fn suits(
        &self,
        candidate: &Candidate<'_>,
        config: &GameConfig,
        seek: &Seek,
    ) -> bool {
        let wishes = self.joined.iter().map(|joined| joined.seeker.seat).chain([seek.seat]);
        let Joined { seeker, .. } = candidate.joined(seek.seat, false);
        self.config == *config
            && self.players == usize::from(seek.players)
            && !self.has(candidate.user)
            && admits(self.allow, self.rating, &seeker).is_ok()
            && self.joined.iter().all(|o| admits(seek.allow, seek.rating, &o.seeker).is_ok())
            && self.users().all(|other| candidate.blocks.allow(other))
            && pairing::wishes_agree(wishes)
    }

    pub(super) fn entry(&self, number: u64) -> SeekEntry {
        let Seeker { user, bot, guest, seat, .. } = &self.seeker().seeker;
        SeekEntry {
            seek: id_of(number),
            by: user.clone(),
            bot: *bot,
            guest: *guest,
            rules: self.config.rules(),
            options: self.config.wire_options(),
            players: u8::try_from(self.players).expect("few players"),
            seat: *seat,
            clock: self.config.wire_clock(),
            rated: self.config.rated,
            delay: self.config.delay,
            unlisted: self.config.unlisted,
            allow: self.allow,
            rating: self.rating,
            lasting: self.expires.is_some(),
            expires: self.expires,
            joined: self.users().cloned().collect(),
        }
    }

    /// A lasting seek as it is stored; `None` for others.
    pub(super) fn stored(&self, number: u64) -> Option<StoredSeek> {
        self.expires?;
        let joined = self.joined.iter().map(|joined| joined.seeker.clone()).collect();
        Some(StoredSeek { entry: self.entry(number), joined })
    }

    /// Reads a stored seek.
    pub(super) fn read(stored: StoredSeek) -> Result<Self, Denial> {
        let StoredSeek { entry, joined } = stored;
        let players = usize::from(entry.players);
        let options = Options::Named(entry.options);
        let terms = (entry.delay, entry.unlisted);
        let config =
            GameConfig::read(&entry.rules, &options, entry.clock, entry.rated, terms, players)?;
        let joined = joined.into_iter().map(|seeker| Joined { seeker, session: None, from: None });
        let (allow, rating, expires) = (entry.allow, entry.rating, entry.expires);
        Ok(Self { config, players, allow, rating, expires, joined: joined.collect() })
    }
}
