//! Which engines meet in which game. Games have numbers from 0, from which everything follows.

use std::{fmt, str::FromStr};

use super::limits::GAMES_MAX;

/// Who meets whom.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Format {
    /// Everyone meets everyone.
    #[default]
    RoundRobin,
    /// The first engine meets all others, who do not meet without it.
    Gauntlet,
}

impl Format {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::RoundRobin => "round-robin",
            Self::Gauntlet => "gauntlet",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Format {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        let all = [Self::RoundRobin, Self::Gauntlet];
        let named = all.into_iter().find(|format| format.name() == text);
        named.ok_or("the formats are round-robin and gauntlet")
    }
}

/// Why games cannot be scheduled.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ScheduleError {
    /// A seat would stay empty.
    #[error("a game for {players} needs as many engines, and there are {engines}")]
    TooFewEngines {
        /// The seats.
        players: usize,
        /// The engines.
        engines: usize,
    },
    /// The last opening would not be played with all rotations.
    #[error(
        "each opening is played {players} times, with every engine in every seat: \
         {games} games are not a multiple of {players}, {more} are"
    )]
    NotWhole {
        /// The seats.
        players: u32,
        /// The games of each pairing.
        games: u32,
        /// The next number that would do.
        more: u32,
    },
    /// There are more games than a tournament has.
    #[error("these are {games} games; a tournament has at most {}", GAMES_MAX)]
    TooManyGames {
        /// The number of games.
        games: u64,
    },
}

/// One game of a schedule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScheduledGame {
    /// Its number, from 0.
    pub number: u32,
    /// The number of its opening, from 0.
    pub opening: usize,
    /// The number of its pairing.
    pub pairing: usize,
    /// The engine in each seat.
    pub seats: Vec<usize>,
}

/// All games of a tournament.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schedule {
    players: u32,
    pairings: Vec<Vec<usize>>,
    rounds: u32,
}

impl Schedule {
    /// Schedules `games` games for each set of engines that meets.
    pub fn new(
        format: Format,
        engines: usize,
        players: usize,
        games: u32,
    ) -> Result<Self, ScheduleError> {
        if engines < players {
            return Err(ScheduleError::TooFewEngines { players, engines });
        }
        let mut pairings = subsets(engines, players);
        if format == Format::Gauntlet {
            pairings.retain(|pairing| pairing[0] == 0);
        }
        let players = u32::try_from(players).expect("a table has few seats");
        if games == 0 || !games.is_multiple_of(players) {
            let more = (games / players + 1) * players;
            return Err(ScheduleError::NotWhole { players, games, more });
        }
        let all = u64::from(games) * pairings.len() as u64;
        if all > u64::from(GAMES_MAX) {
            return Err(ScheduleError::TooManyGames { games: all });
        }
        Ok(Self { players, pairings, rounds: games / players })
    }

    /// The number of games.
    pub fn games(&self) -> u32 {
        self.rounds * self.players * self.pairing_count()
    }

    /// The number of different openings that the schedule can use.
    pub const fn rounds(&self) -> u32 {
        self.rounds
    }

    /// The number of games with the same engines and opening: 2 or 3.
    pub const fn rotations(&self) -> u32 {
        self.players
    }

    /// The sets of engines that meet, in the order of the engines.
    pub fn pairings(&self) -> &[Vec<usize>] {
        &self.pairings
    }

    /// Returns a game. All pairings play an opening before the next one comes; each plays it with
    /// every rotation of the seats.
    pub fn game(&self, number: u32, openings: usize) -> ScheduledGame {
        let (set, rotation) = (number / self.players, number % self.players);
        let (round, pairing) = (set / self.pairing_count(), set % self.pairing_count());
        let mut seats = self.pairings[pairing as usize].clone();
        seats.rotate_left(rotation as usize);
        let opening = round as usize % openings.max(1);
        ScheduledGame { number, opening, pairing: pairing as usize, seats }
    }

    fn pairing_count(&self) -> u32 {
        u32::try_from(self.pairings.len()).expect("it is less than the number of games")
    }
}

/// Returns all subsets of a size, each in order.
fn subsets(number: usize, size: usize) -> Vec<Vec<usize>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for first in 0..number {
        for rest in subsets(number - first - 1, size - 1) {
            let moved = rest.into_iter().map(|one| one + first + 1);
            all.push(std::iter::once(first).chain(moved).collect());
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seats(format: Format, engines: usize, players: usize, games: u32) -> Vec<Vec<usize>> {
        let schedule = Schedule::new(format, engines, players, games).unwrap();
        (0..schedule.games()).map(|number| schedule.game(number, 100).seats).collect()
    }

    #[test]
    fn two_engines_change_sides_with_each_opening() {
        assert_eq!(seats(Format::RoundRobin, 2, 2, 4), [[0, 1], [1, 0], [0, 1], [1, 0]]);
        let schedule = Schedule::new(Format::RoundRobin, 2, 2, 6).unwrap();
        let openings: Vec<usize> = (0..6).map(|number| schedule.game(number, 2).opening).collect();
        assert_eq!(openings, [0, 0, 1, 1, 0, 0], "a book of two is used again");
    }

    #[test]
    fn three_players_have_every_seat_once() {
        assert_eq!(seats(Format::RoundRobin, 3, 3, 3), [[0, 1, 2], [1, 2, 0], [2, 0, 1]]);
        let of_four = Schedule::new(Format::RoundRobin, 4, 3, 3).unwrap();
        assert_eq!(of_four.pairings(), [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]);
        let gauntlet = Schedule::new(Format::Gauntlet, 4, 3, 3).unwrap();
        assert_eq!(gauntlet.pairings(), [[0, 1, 2], [0, 1, 3], [0, 2, 3]]);
    }

    #[test]
    fn all_pairings_share_an_opening() {
        let wanted = [[0, 1], [1, 0], [0, 2], [2, 0], [1, 2], [2, 1]];
        assert_eq!(seats(Format::RoundRobin, 3, 2, 2), wanted);
        assert_eq!(seats(Format::Gauntlet, 3, 2, 2), wanted[..4]);
        let schedule = Schedule::new(Format::RoundRobin, 3, 2, 4).unwrap();
        assert!((0..6).all(|number| schedule.game(number, 100).opening == 0));
        assert!((6..12).all(|number| schedule.game(number, 100).opening == 1));
    }

    #[test]
    fn impossible_schedules_are_refused() {
        let refused = |engines, players, games| {
            Schedule::new(Format::RoundRobin, engines, players, games).unwrap_err().to_string()
        };
        assert!(refused(2, 3, 3).contains("a game for 3 needs as many engines"));
        assert!(refused(2, 2, 5).contains("5 games are not a multiple of 2, 6 are"));
        assert!(refused(3, 3, 0).contains("0 games are not a multiple of 3, 3 are"));
        assert!(refused(64, 3, 300).contains("12499200 games"));
    }
}
