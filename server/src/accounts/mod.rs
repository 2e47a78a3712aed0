//! Users and their secrets: guests, accounts, bots, passwords and tokens.

mod accounts;
mod error;
mod hashing_queue;
mod password;
mod revocations;
mod throttle;
mod token;
mod tokens;

pub(crate) use accounts::{Accounts, LoggedIn};
pub(crate) use error::AuthError;
pub(crate) use token::{TokenDigest, TokenSpec};
