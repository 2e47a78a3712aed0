//! Users: guests, accounts, tokens, names and ratings.

mod guests; // guests, accounts, passwords and log-ins
mod ratings; // ratings, standings and user pages
mod stats; // the statistics of each game
mod tokens; // tokens: listing, revocation and expiry
mod user_names; // reserved, similar and released names
