//! The server is paused, or killed and started again later, while its clients play by the clock.
//! Nobody loses a game on time whose move was on its way in time.

mod campaign; // the games, and what interrupts them
mod player; // a client that answers in time, and comes back
