//! Who somebody is: guests, accounts, their bots and their tokens.

mod accounts;
mod hashing_queue;
mod password;
mod revocations;
mod throttle;
mod tokens;

pub(crate) use accounts::AuthError;
pub(crate) use accounts::{Accounts, LoggedIn};
pub(crate) use tokens::{TokenDigest, TokenTerms};
