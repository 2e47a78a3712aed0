//! Spectators: watching games, delayed games and live lists.

mod delay; // games that spectators see some moves behind
mod live_lists; // live lists and the featured game
mod watching; // watching one game
