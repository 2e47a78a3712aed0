//! What clients cannot do to the server: rates, floods, malformed input, exhausted resources.

mod floods; // too many sockets, requests and pings
mod handshakes; // handshakes that never complete
mod hello; // sessions without a valid `hello`
mod invalid_values; // names, ids and numbers out of range
mod malformed_frames; // frames that are not requests
mod pacing; // connections above their own rate
mod rate_limits; // rates by user, address and network
mod resource_exhaustion; // no descriptors, a full disk, a failing disk
mod slow_clients; // clients that stop reading
