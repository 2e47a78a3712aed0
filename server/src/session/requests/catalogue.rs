//! Which games can be played, as the rules declare them, and whom the house plays as.

use adamant_protocol::{
    RequestId,
    to_client::{GameCatalogue, GameOption, GameOptionKind, HousePlayer, PlayableGame},
};
use adamant_record::wire;
use adamant_rules::{
    Kind,
    options::{OptionKind, OptionSpec},
};

/// All of them.
pub(in crate::session) fn catalogue(re: RequestId, house: &[HousePlayer]) -> GameCatalogue {
    GameCatalogue {
        re,
        games: Kind::ALL.iter().copied().map(game).collect(),
        house: house.to_vec(),
    }
}

fn game(kind: Kind) -> PlayableGame {
    let players = kind.players();
    PlayableGame {
        rules: wire::rules(kind),
        players: players
            .map(|players| u8::try_from(players).expect("a table has few seats"))
            .collect(),
        options: kind.option_specs().iter().map(option).collect(),
        page: kind.rules_summary().into(),
    }
}

fn option(spec: &OptionSpec) -> GameOption {
    let (kind, least, most) = match spec.kind {
        OptionKind::Flag => (GameOptionKind::Flag, None, None),
        OptionKind::Number { min, max } => (GameOptionKind::Number, Some(min), Some(max)),
        OptionKind::Text => (GameOptionKind::Word, None, None),
    };
    GameOption { name: spec.name.into(), kind, least, most, about: spec.about.into() }
}
