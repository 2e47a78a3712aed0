//! What every test needs.
//!
//! A test starts a [`Server`], connects [`Peer`]s to it, and lets them play with the functions of
//! [`game`]. [`http`] reads the HTTP API, and [`raw_socket`] and [`raw_http`] send bytes that no
//! well-behaved client sends.

mod binaries; // the paths of the product's binaries
mod clock; // the machine's clock
mod command; // commands of the server's program
mod fields; // builds frames
pub(crate) mod form; // the short form of the tests, and the long one
pub(crate) mod game; // starts games and makes moves
mod home; // home directories of the command line program
pub(crate) mod http; // a minimal HTTP client
mod metrics; // reads `/metrics`
mod node; // a server process
mod peer; // a test client
mod python; // the Python of bots
pub(crate) mod raw_http; // HTTP as plain text over TCP or TLS
pub(crate) mod raw_socket; // any bytes on a TCP connection
pub(crate) mod schema; // validates frames
mod self_test; // tests of the harness
mod server; // the server of a test
mod timeout; // the timeout of all waits
mod variant; // every game with its players and flags

pub(crate) use binaries::{binary, repository};
pub(crate) use clock::now_ms;
pub(crate) use command::server_command;
pub(crate) use fields::with;
pub(crate) use home::Home;
pub(crate) use metrics::Metrics;
pub(crate) use node::{Node, Setup};
pub(crate) use peer::{Frame, PASSWORD, Peer};
pub(crate) use python::python;
pub(crate) use server::Server;
pub(crate) use timeout::PATIENCE;
pub(crate) use variant::Variant;
