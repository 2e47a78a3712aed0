//! The terms of an open game: what is played, who may play it with whom, and who sits where.

use std::{collections::BTreeSet, time::Duration};

use adamant_protocol::{
    UserName,
    from_client::{SeatWish, Seek},
    ids::RulesName,
    to_client::SeekEntry,
    values,
};
use adamant_record::wire;
use adamant_rules::{
    BySeat, Kind, Options, Player, Setup, TimeControl, event::DELAY_MAX, table::SetupError,
};
use rand::{Rng, seq::SliceRandom as _};

use crate::{
    error::Denial,
    limits::{
        CHALLENGE_LIFE, GUEST_CHALLENGE_LIFE, INVITE_LIFE, LIVE_CHALLENGE_LIFE, LIVE_INVITE_LIFE,
    },
    outbound::client::ClientHandle,
    store::{Block, Offer, OpenGame, Seeker, has_name},
};

pub(super) type Result<T, E = Denial> = std::result::Result<T, E>;

/// What is played, validated once when the request is read; options are complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GameConfig {
    pub(super) kind: Kind,
    pub(super) options: Options,
    pub(super) clock: TimeControl,
    pub(super) rated: bool,
    pub(super) delay: u8,
    pub(super) unlisted: bool,
}

/// Reads the terms of a request or an entry: all of them have the same fields.
macro_rules! read_config {
    ($from:expr, $options:expr, $players:expr) => {{
        let terms = ($from.delay, $from.unlisted);
        GameConfig::read(&$from.rules, &$options, $from.clock, $from.rated, terms, $players)
    }};
}
pub(super) use read_config;

/// Builds the entry of an open game, of the fields that all kinds share and those of its own.
macro_rules! entry {
    ($Entry:ident, $config:expr, $maker:expr, $($field:ident: $value:expr),* $(,)?) => {
        $Entry {
            by: $maker.user.clone(),
            bot: $maker.bot,
            guest: $maker.guest,
            rules: wire::rules($config.kind),
            options: wire::options(&$config.options),
            clock: wire::Mirror::to_wire($config.clock),
            rated: $config.rated,
            delay: $config.delay,
            unlisted: $config.unlisted,
            $($field: $value),*
        }
    };
}
pub(super) use entry;

impl GameConfig {
    pub(super) fn read(
        rules: &RulesName,
        options: &values::Options,
        clock: values::TimeControl,
        rated: bool,
        (delay, unlisted): (u8, bool),
        players: usize,
    ) -> Result<Self> {
        let kind = wire::kind(rules).map_err(|_| Denial::unknown_rules(rules))?;
        let given = wire::given_options(kind, options)?;
        let given = if rated { kind.when_rated(given) } else { given };
        let options = kind.complete(&given, players)?;
        let clock = <TimeControl as wire::Mirror>::from_wire(clock)?;
        clock.check().map_err(|error| Denial::BadMessage(error.to_string()))?;
        if delay > DELAY_MAX {
            return Err(SetupError::Delay.into());
        }
        Ok(Self { kind, options, clock, rated, delay, unlisted })
    }

    /// Returns the setup of a game. A game with a guest is never rated.
    pub(super) fn setup(self, players: Vec<Player>) -> Result<Setup> {
        let rated = self.rated && !players.iter().any(|player| player.guest);
        let seats = BySeat::try_from_iter(players)
            .ok_or_else(|| Denial::BadMessage("there are more players than seats".to_owned()))?;
        let Self { kind, options, clock, delay, unlisted, .. } = self;
        Ok(Setup { kind, options, seats, clock, rated, delay, unlisted }.complete()?)
    }

    /// Whether the players are expected to play at once, because a clock runs for them.
    const fn is_live(&self) -> bool {
        !matches!(self.clock, TimeControl::None | TimeControl::Days { .. })
    }

    pub(super) const fn challenge_life(&self, any_guest: bool) -> Duration {
        match (self.is_live(), any_guest) {
            (true, _) => LIVE_CHALLENGE_LIFE,
            (false, true) => GUEST_CHALLENGE_LIFE,
            (false, false) => CHALLENGE_LIFE,
        }
    }

    pub(super) fn invite_life(&self, by_guest: bool) -> Duration {
        let life = if self.is_live() { LIVE_INVITE_LIFE } else { INVITE_LIFE };
        if by_guest { life.min(GUEST_CHALLENGE_LIFE) } else { life }
    }
}

/// A client's user who would join an open game, and who does not play with that user.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) seeker: Seeker,
    /// The blocks by and of the user.
    pub(super) blocks: Vec<Block>,
    /// Those of the same owner, if the game is rated.
    pub(super) same_owner: Vec<UserName>,
}

pub(super) fn forbidden(why: &str) -> Denial {
    Denial::Forbidden(why.to_owned())
}

/// A client's user as one who joins a challenge or an invite.
pub(super) fn seeker(user: &UserName, client: &ClientHandle) -> Seeker {
    let (user, bot, guest) = (user.clone(), client.bot, client.guest);
    Seeker { user, bot, guest, rating: 0, seat: SeatWish::Random, session: None }
}

/// Reads the settings of the game that is sought, and checks the other fields.
pub(super) fn read_seek(seek: &Seek) -> Result<GameConfig> {
    let players = usize::from(seek.players);
    let config = read_config!(seek, seek.options, players)?;
    check_wish(seek.seat, players)?;
    let ends = seek.rating.and_then(|range| range.min.zip(range.max));
    if ends.is_some_and(|(min, max)| min > max) {
        return Err(Denial::BadMessage("the lowest rating is above the highest".to_owned()));
    }
    if seek.lasting && config.is_live() {
        let message = "a lasting seek is for games without a clock, or by days";
        return Err(Denial::BadMessage(message.to_owned()));
    }
    Ok(config)
}

pub(super) fn config(open: &OpenGame) -> Result<GameConfig> {
    let (players, named) = (open.players(), values::Options::Named);
    match &open.offer {
        Offer::Seek(entry) => read_config!(entry, named(entry.options.clone()), players),
        Offer::Challenge(entry) => read_config!(entry, named(entry.options.clone()), players),
        Offer::Invite(entry) => read_config!(entry, named(entry.options.clone()), players),
    }
}

/// Rejects a user's game with others if one has blocked the other.
pub(super) fn check_blocks(blocks: &[Block], user: &UserName, others: &[UserName]) -> Result<()> {
    let is_other = |name: &UserName| !name.is_same(user.as_str()) && has_name(others, name);
    match blocks.iter().find(|block| is_other(&block.by) || is_other(&block.user)) {
        None => Ok(()),
        Some(block) if block.by.is_same(user.as_str()) => {
            Err(Denial::YouBlocked(block.user.clone()))
        }
        Some(block) => Err(Denial::BlockedBy(block.by.clone())),
    }
}

/// Rejects a rated game of a user with others of the same owner.
pub(super) fn check_owner(
    same_owner: &[UserName],
    user: &UserName,
    others: &[UserName],
) -> Result<()> {
    let is_same = |name: &&UserName| !name.is_same(user.as_str()) && has_name(same_owner, name);
    let same = others.iter().find(is_same);
    same.map_or(Ok(()), |other| Err(Denial::SameOwner(other.clone(), user.clone())))
}

/// Rejects a user who may not answer a challenge.
pub(super) fn check_challenged(open: &OpenGame, user: &UserName) -> Result<()> {
    if !has_name(open.users(), user) {
        return Err(forbidden("this challenge is not for you"));
    }
    if open.maker().is_same(user.as_str()) {
        return Err(forbidden("this challenge is your own"));
    }
    Ok(())
}

/// Rejects a user whom a seek does not admit.
fn check_admitted(seek: &SeekEntry, seeker: &Seeker) -> Result<()> {
    if seeker.bot && !seek.allow.bots {
        return Err(forbidden("this seek is not for programs"));
    }
    if seeker.guest && !seek.allow.guests {
        return Err(forbidden("this seek is not for guests"));
    }
    if seek.rating.is_some_and(|range| !range.contains(seeker.rating)) {
        let message = format!("this seek is for other ratings than your {}", seeker.rating);
        return Err(Denial::Forbidden(message));
    }
    Ok(())
}

/// Rejects a candidate who may not join an open game.
pub(super) fn check(open: &OpenGame, candidate: &Candidate) -> Result<()> {
    let Candidate { seeker, blocks, same_owner } = candidate;
    check_blocks(blocks, &seeker.user, open.users())?;
    check_owner(same_owner, &seeker.user, open.users())?;
    match &open.offer {
        Offer::Seek(_) if open.has(&seeker.user) => {
            Err(forbidden("you have joined this seek already"))
        }
        Offer::Seek(seek) => check_admitted(seek, seeker),
        Offer::Challenge(_) => check_challenged(open, &seeker.user),
        Offer::Invite(invite) if invite.by.is_same(seeker.user.as_str()) => {
            Err(forbidden("this invite is your own"))
        }
        Offer::Invite(_) => Ok(()),
    }
}

/// Returns whether two seeks are for the same game and admit each other. `new` has the candidate
/// alone.
pub(super) fn suits(open: &OpenGame, new: &OpenGame, candidate: &Candidate) -> bool {
    let Offer::Seek(sought) = &new.offer else { return false };
    let wishes = open.joined.iter().map(|joined| joined.seat).chain([candidate.seeker.seat]);
    // What is cheap comes first: a seek is held against all others of the same game.
    open.players() == new.players()
        && wishes_agree(wishes)
        && check(open, candidate).is_ok()
        && open.joined.iter().all(|other| check_admitted(sought, other).is_ok())
        && config(open).is_ok_and(|theirs| config(new).is_ok_and(|ours| ours == theirs))
}

/// Returns the players of a full offer, in the order of their seats.
pub(super) fn seated(full: &OpenGame, rng: &mut impl Rng) -> Vec<UserName> {
    if let Offer::Challenge(challenged) = &full.offer {
        let mut seats = challenged.seats.clone();
        if challenged.shuffle {
            seats.shuffle(rng);
        }
        return seats;
    }
    let wishes = full.joined.iter().map(|seeker| (seeker.user.clone(), seeker.seat)).collect();
    seat_by_wish(wishes, rng)
}

/// Rejects a wish for a seat that a game of this number of players does not have.
pub(super) fn check_wish(wish: SeatWish, players: usize) -> Result<()> {
    if matches!(wish, SeatWish::Seat(seat) if usize::from(seat) >= players) {
        return Err(Denial::BadMessage(format!("seats are numbered from 0 to {}", players - 1)));
    }
    Ok(())
}

/// Whether everybody can sit as they wish: no seat is wished for twice.
fn wishes_agree(wishes: impl IntoIterator<Item = SeatWish>) -> bool {
    let mut taken = BTreeSet::new();
    wishes.into_iter().all(|wish| match wish {
        SeatWish::Random | SeatWish::Unknown(_) => true,
        SeatWish::Seat(seat) => taken.insert(seat),
    })
}

/// Seats everybody as they wish, and those without a wish by lot. Wishes must agree.
fn seat_by_wish<T>(joined: Vec<(T, SeatWish)>, rng: &mut impl Rng) -> Vec<T> {
    let mut seats: Vec<Option<T>> = joined.iter().map(|_| None).collect();
    let mut others = Vec::new();
    for (player, wish) in joined {
        match wish {
            SeatWish::Seat(seat) if seats.get(usize::from(seat)).is_some_and(Option::is_none) => {
                seats[usize::from(seat)] = Some(player);
            }
            _ => others.push(player),
        }
    }
    others.shuffle(rng);
    seats.into_iter().filter_map(|seat| seat.or_else(|| others.pop())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{SeedableRng as _, rngs::SmallRng};

    const ANY: SeatWish = SeatWish::Random;

    #[test]
    fn wishes_are_granted_and_every_player_has_a_seat() {
        let mut rng = SmallRng::seed_from_u64(7);
        for (first, second) in [(0, 1), (1, 0), (2, 1), (0, 2)] {
            let joined =
                vec![("ann", SeatWish::Seat(first)), ("bob", ANY), ("cy", SeatWish::Seat(second))];
            let seated = seat_by_wish(joined, &mut rng);
            assert_eq!(seated[usize::from(first)], "ann");
            assert_eq!(seated[usize::from(second)], "cy");
            assert!(seated.contains(&"bob") && seated.len() == 3);
        }
    }

    #[test]
    fn chance_reaches_every_seating() {
        let mut rng = SmallRng::seed_from_u64(7);
        let mut seen = BTreeSet::new();
        for _ in 0..200 {
            seen.insert(seat_by_wish(vec![(0, ANY), (1, ANY), (2, ANY)], &mut rng));
        }
        assert_eq!(seen.len(), 6);
    }

    #[test]
    fn one_seat_cannot_be_wished_for_twice() {
        assert!(wishes_agree([SeatWish::Seat(0), ANY, SeatWish::Seat(1)]));
        assert!(!wishes_agree([SeatWish::Seat(1), SeatWish::Seat(1)]));
    }
}
