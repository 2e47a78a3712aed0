//! Playing a game: moves, clocks, offers, seats, and what a client without rules can ask.

mod analysis; // moves that are tried on a game, and the cells that win
mod clocks; // time limits, flags, absent players, and time credited for outages
mod every_game; // one whole game of every variant
mod game_analysis; // what the server's search thinks of finished games
mod hints; // dry runs, hints, legal moves, boards, and moves cell by cell
mod lists; // lists of games, the catalogue, drawings and `ping`; resuming
mod long_games; // a game with as many records as a game can have
mod moves; // moves, also rejected and repeated ones, skipped turns, swaps, three players
mod offers; // draws and takebacks
mod substitutes; // a computer on the seat of a player who leaves
