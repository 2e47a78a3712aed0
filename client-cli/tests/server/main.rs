//! The commands that talk to a server, as a shell runs them, against a scripted server.

#[cfg(test)]
mod commands;
#[cfg(test)]
mod help;
#[cfg(test)]
mod log_ins;
#[cfg(test)]
mod script;
