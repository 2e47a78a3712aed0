//! Requests that carry nothing but the game that they are about.

/// Defines requests with an id and a game.
macro_rules! game_requests {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {
        $($(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        pub struct $name {
            /// The id of the request.
            pub id: crate::ids::RequestId,
            /// The game.
            pub game: crate::ids::GameId,
        })+
    };
}

pub(super) use game_requests;
