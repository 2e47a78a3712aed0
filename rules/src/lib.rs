//! The rules of Adamant's games, and the table they are played at.
//!
//! Everything here is a function of its arguments: no input or output, no clock of its own, no
//! randomness, no serialisation. The server referees with it, the clients draw and replay with it,
//! and a journal is turned back into a game by the same calls that played it.
//!
//! # Examples
//!
//! Play a game from its notation and draw the board:
//!
//! ```
//! use adamant_rules::{Kind, Options, Seat};
//!
//! let mut position = Kind::Adamas.open(&Options::new(), 2)?;
//! for notation in ["c1-c2", "c5-c4"] {
//!     let mv = position.parse_move(notation)?;
//!     position.play(&mv)?;
//! }
//! assert_eq!(position.to_move(), Seat::FIRST);
//! assert!(position.pending().is_none(), "the game goes on");
//! println!("{}", position.draw(&[]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! List the legal moves of a variant:
//!
//! ```
//! use adamant_rules::{Kind, Options, game::MoveCount};
//!
//! let options = Options::parse("-board=8x4", Kind::Diam.option_specs())?;
//! let position = Kind::Diam.open(&options, 2)?;
//! assert_eq!(position.count_moves(), MoveCount::Exactly(16));
//! let moves = position.legal_moves(usize::MAX);
//! assert_eq!(moves[0].to_string(), "A1");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Play at a table, with seats and clocks:
//!
//! ```
//! use adamant_rules::{Act, BySeat, Kind, Player, Seat, Setup, Table, TimeControl};
//!
//! let names = ["ann", "bob"];
//! let player = |seat: Seat| Player::new(names[seat.index()]);
//! let mut setup = Setup::new(Kind::Adamas, BySeat::from_fn(2, player));
//! setup.clock = TimeControl::Fischer { base_ms: 300_000, inc_ms: 5_000 };
//! let events = Table::begin(setup, 0)?;
//! let mut table = Table::new(&events[0])?;
//! for event in &events[1..] {
//!     table.apply(event)?;
//! }
//!
//! let act = Act::Move { seat: Seat::FIRST, turn: table.turn(), notation: "c1-c2", lag_ms: 0 };
//! for event in table.decide(&act, 2_000)? {
//!     table.apply(&event)?;
//! }
//! assert_eq!(table.moves().collect::<Vec<_>>(), ["c1-c2"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod cell;
pub mod clock;
pub mod completions;
pub mod event;
pub mod game;
pub mod games;
mod hashing;
pub mod notation;
pub mod options;
pub mod proof;
pub mod reason;
pub mod record;
pub mod refusal;
pub mod seat;
pub mod sketch;
pub mod steps;
pub mod table;

pub use cell::{Cell, CellName};
pub use clock::{GameClock, TimeControl};
pub use event::{Event, EventKind, Events, Player, Setup};
pub use game::{Capture, Captures, Consequence, EndReason, LeaveReason};
pub use games::{Kind, Move, Position};
pub use options::Options;
pub use refusal::{IllegalMove, Refusal};
pub use seat::{BySeat, Seat, SeatSet};
pub use table::{Act, Table};

/// Has the programs of README.md tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
