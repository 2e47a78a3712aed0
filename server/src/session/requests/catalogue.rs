//! Which games can be played, as the rules declare them, and whom the house plays as.

use adamant_protocol::{
    RequestId,
    to_client::{
        GameCatalogue, GameOption, GameOptionChoice, GameOptionKind, HousePlayer, PlayableGame,
    },
    values::OptionValue,
};
use adamant_record::wire;
use adamant_rules::{
    Kind,
    options::{OptionChoice, OptionKind, OptionSpec},
};

/// All of them.
pub(crate) fn catalogue(re: RequestId, house: &[HousePlayer]) -> GameCatalogue {
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
        title: kind.title().into(),
        goal: kind.goal().into(),
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
    GameOption {
        name: spec.name.into(),
        title: spec.title.into(),
        kind,
        least,
        most,
        about: spec.about.into(),
        choices: spec.choices.iter().map(|choice| option_choice(spec, choice)).collect(),
    }
}

fn option_choice(spec: &OptionSpec, choice: &OptionChoice) -> GameOptionChoice {
    let number = match spec.kind {
        OptionKind::Number { .. } => choice.value.parse().ok(),
        OptionKind::Flag | OptionKind::Text => None,
    };
    let text = || OptionValue::Text(choice.value.into());
    let value = number.map_or_else(text, OptionValue::Number);
    GameOptionChoice { value, title: choice.title.into() }
}
