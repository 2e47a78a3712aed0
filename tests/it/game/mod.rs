//! Playing a game: moves, clocks, offers, seats, and what a client without rules can ask.

mod analysis; // moves that are tried on a game, and the cells that win
mod clocks; // time limits, flags, and time credited for outages
mod draw_offers; // draw offers of two and three players
mod ending; // aborts and resignations
mod every_game; // one whole game of every variant
mod hints; // dry runs, hints, legal moves and boards
mod lists; // lists of games, the catalogue, drawings and `ping`
mod long_games; // a game with as many records as a game can have
mod moves; // rejected moves and repeated moves
mod parking; // games without connected clients
mod positions; // board positions by ply
mod presence; // who is connected to a game, and claims against absent players
mod resume; // resuming a game by cursor
mod sketches; // partial moves for clients without rules
mod skipped_turns; // players without a legal move
mod steps; // the first steps of a turn, and boards with a sketch
mod swap; // the swap of seats
mod takebacks; // takebacks and agreed aborts
mod three_players; // players who leave a game of three
mod transcript; // a short game, frame by frame
