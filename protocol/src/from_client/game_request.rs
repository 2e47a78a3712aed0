//! Requests that carry nothing but the game that they are about.

/// Defines requests with an id and a game.
macro_rules! game_requests {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {
        $($(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
        pub struct $name {
            /// The id of the request.
            pub id: crate::ids::RequestId,
            /// The game.
            pub game: crate::ids::GameId,
        }

        $crate::words::constructor!($name {
            id: crate::ids::RequestId, game: crate::ids::GameId
        });)+
    };
}

pub(super) use game_requests;
