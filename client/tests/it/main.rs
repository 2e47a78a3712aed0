//! The client against a scripted server, over pipes and in paused time: no test waits for real.
#![expect(clippy::disallowed_methods, reason = "what a test spawns ends with its runtime")]

#[cfg(test)]
mod drops;
#[cfg(test)]
mod games;
#[cfg(test)]
mod peer;
#[cfg(test)]
mod talk;
#[cfg(test)]
mod tls;
mod words;
