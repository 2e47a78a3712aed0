//! The settings of a game to be played, validated once when the request is read.

use std::time::Duration;

use adamant_protocol::{ids::RulesName, values};
use adamant_record::wire;
use adamant_rules::{
    BySeat, Kind, Options, Player, Setup, TimeControl, event::DELAY_MAX, table::SetupError,
};

use crate::{
    error::Denial,
    limits::{
        CHALLENGE_LIFE, GUEST_CHALLENGE_LIFE, INVITE_LIFE, LIVE_CHALLENGE_LIFE, LIVE_INVITE_LIFE,
    },
};

/// Game, options and clock of a seek, a challenge or an invite; options are complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GameConfig {
    pub(super) kind: Kind,
    pub(super) options: Options,
    pub(super) clock: TimeControl,
    pub(super) rated: bool,
    pub(super) delay: u8,
    pub(super) unlisted: bool,
}

impl GameConfig {
    pub(super) fn read(
        rules: &RulesName,
        options: &values::Options,
        clock: values::TimeControl,
        rated: bool,
        (delay, unlisted): (u8, bool),
        players: usize,
    ) -> Result<Self, Denial> {
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

    /// Returns the setup of a game with these settings. A game with a guest is never rated.
    pub(super) fn setup(&self, players: Vec<Player>) -> Result<Setup, Denial> {
        let rated = self.rated && !players.iter().any(|player| player.guest);
        let seats = BySeat::try_from_iter(players)
            .ok_or_else(|| Denial::BadMessage("there are more players than seats".to_owned()))?;
        let setup = Setup {
            kind: self.kind,
            options: self.options.clone(),
            seats,
            clock: self.clock,
            rated,
            delay: self.delay,
            unlisted: self.unlisted,
        };
        Ok(setup.complete()?)
    }

    /// Whether the players are expected to play at once, because a clock runs for them.
    pub(super) const fn is_live(&self) -> bool {
        match self.clock {
            TimeControl::None | TimeControl::Days { .. } => false,
            TimeControl::PerMove { .. }
            | TimeControl::Fischer { .. }
            | TimeControl::Byoyomi { .. } => true,
        }
    }

    /// Time for which a challenge to such a game stays open.
    pub(super) fn challenge_life(&self, any_guest: bool) -> Duration {
        match (self.is_live(), any_guest) {
            (true, _) => LIVE_CHALLENGE_LIFE,
            (false, true) => GUEST_CHALLENGE_LIFE,
            (false, false) => CHALLENGE_LIFE,
        }
    }

    /// Time for which an invite to such a game stays open.
    pub(super) fn invite_life(&self, by_guest: bool) -> Duration {
        let life = if self.is_live() { LIVE_INVITE_LIFE } else { INVITE_LIFE };
        if by_guest { life.min(GUEST_CHALLENGE_LIFE) } else { life }
    }

    pub(super) fn rules(&self) -> RulesName {
        wire::rules(self.kind)
    }

    pub(super) fn wire_options(&self) -> values::Named<values::OptionValue> {
        wire::options(&self.options)
    }

    pub(super) fn wire_clock(&self) -> values::TimeControl {
        wire::Mirror::to_wire(self.clock)
    }
}
