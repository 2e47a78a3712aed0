//! The places at a bot's tables, for games that are played and challenges that it has accepted.

/// The bounds of a bot's games at once.
#[derive(Debug, Clone, Copy)]
pub(super) struct Places {
    /// All of them.
    pub(super) all: u32,
    /// Those that bots cannot take.
    pub(super) people: u32,
}

/// How many places are taken.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Taken {
    /// All of them.
    pub(super) all: u32,
    /// Those of games against bots alone.
    pub(super) bots: u32,
}

impl Taken {
    /// Counts places by whether each is against bots alone.
    pub(super) fn count(against_bots: impl Iterator<Item = bool>) -> Self {
        against_bots.fold(Self::default(), |taken, bots| Self {
            all: taken.all + 1,
            bots: taken.bots + u32::from(bots),
        })
    }
}

impl Places {
    /// Whether a further game may begin.
    pub(super) const fn has_room(self, taken: Taken, against_bot: bool) -> bool {
        let for_bots = self.all.saturating_sub(self.people);
        taken.all < self.all && !(against_bot && taken.bots >= for_bots)
    }
}

/// What the bot has said of its free places in the directory.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// The number of free places that the server knows or is being told.
    pub(super) said: Option<u32>,
    /// Whether the server has yet to answer.
    pub(super) is_asking: bool,
}

impl Listing {
    /// The session is a new one, and the server has forgotten what was said.
    pub(super) const fn forget(&mut self) {
        self.said = None;
    }

    /// The request has been answered.
    pub(super) const fn answered(&mut self) {
        self.is_asking = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bots_cannot_take_the_places_of_people() {
        let places = Places { all: 3, people: 1 };
        for (taken, bot, room) in [
            (&[][..], true, true),
            (&[true], true, true),
            (&[true, true], true, false),
            (&[true, true], false, true),
            (&[false, true], true, true),
            (&[false, false], true, true),
            (&[true, true, false], false, false),
        ] {
            let counted = Taken::count(taken.iter().copied());
            assert_eq!(places.has_room(counted, bot), room, "{taken:?} {bot}");
        }
    }
}
