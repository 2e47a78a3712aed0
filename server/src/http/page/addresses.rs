//! The addresses that the page shows something at; see `web/src/main.js`.

/// Each address. A slash behind it changes nothing.
pub(in crate::http) const ADDRESSES: &[&str] = &[
    "/",
    "/game/{game}",
    "/user/{name}",
    "/live",
    "/live/{rules}",
    "/tv",
    "/tv/{rules}",
    "/games",
    "/join/{invite}",
    "/bots",
    "/bots/{rules}",
    "/standings",
    "/standings/{rules}",
    "/learn",
    "/learn/{rules}",
    "/puzzles/{rules}",
    "/puzzles/{rules}/{number}",
    "/rules",
    "/rules/{rules}",
    "/analysis",
    "/analysis/{rules}",
    "/analysis/game/{game}",
    "/account",
];
