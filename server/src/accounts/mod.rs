//! Users and their secrets: guests, accounts, bots, passwords and tokens.

mod accounts;
mod error;
mod mail;
mod password;
mod throttle;
mod tokens;

pub(crate) use accounts::{Accounts, LoggedIn};
pub(crate) use error::AuthError;
pub(crate) use tokens::{TokenDigest, TokenSpec};
