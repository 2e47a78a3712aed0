//! What the clients do about accounts, and what the server may say to a log-in.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::stats::Stats;

/// What a user knows of the own account.
#[derive(Debug, Default)]
pub(super) struct SimAccount {
    /// The password, once the user has asked for an account.
    pub(super) password: Option<String>,
    /// Whether the account certainly exists.
    pub(super) exists: bool,
    /// Tokens for later log-ins: their secrets and ids.
    pub(super) spare: Vec<(String, String)>,
    /// Tokens that a request may have ended, with the id of the request.
    pub(super) doubtful: BTreeMap<String, String>,
    /// The id of the sign-up.
    pub(super) sign_up: Option<String>,
    /// Requests for tokens before the sign-up, which ends these tokens.
    pub(super) as_guest: BTreeSet<String>,
    /// Tokens that have ended: the server has said so.
    pub(super) ended: BTreeSet<String>,
    pub(super) refused_log_ins: u64,
}

/// How a connection logs in.
#[derive(Debug, Clone, Default)]
pub(super) enum LogIn {
    #[default]
    Guest,
    /// With the password of an account, or with a wrong one.
    Password { is_right: bool },
    /// With a token; `has_ended` if the server had already said that it has ended.
    Token { secret: String, has_ended: bool },
}

impl LogIn {
    /// The secret of the token.
    pub(super) fn secret(&self) -> Option<&str> {
        match self {
            Self::Token { secret, .. } => Some(secret),
            Self::Guest | Self::Password { .. } => None,
        }
    }
}

impl SimAccount {
    /// Whether the server may end the sessions of a token.
    pub(super) fn may_end(&self, secret: Option<&str>) -> bool {
        secret
            .is_some_and(|secret| self.ended.contains(secret) || self.doubtful.contains_key(secret))
    }

    /// Adds what happened to the account.
    pub(super) fn count(&self, stats: &mut Stats) {
        stats.accounts += u64::from(self.exists);
        stats.ended_tokens += self.ended.len() as u64;
        stats.refused_log_ins += self.refused_log_ins;
    }

    /// Notes a request that is being sent.
    pub(super) fn ask(&mut self, frame: &Value, tokens: impl Iterator<Item = String>) {
        let id = frame["id"].as_str().unwrap_or_default();
        match frame["type"].as_str() {
            Some("signup") => {
                self.password = frame["password"].as_str().map(str::to_owned);
                self.sign_up = Some(id.to_owned());
                let spare = self.spare.drain(..).map(|(secret, _)| secret);
                self.doubtful.extend(spare.chain(tokens).map(|secret| (secret, id.to_owned())));
            }
            Some("token_create") if self.sign_up.is_none() => {
                self.as_guest.insert(id.to_owned());
            }
            Some("token_revoke") => {
                if let Some(place) = self.spare.iter().position(|(_, id)| frame["token"] == **id) {
                    self.doubtful.insert(self.spare.swap_remove(place).0, id.to_owned());
                }
            }
            _ => {}
        }
    }

    /// Notes a request that was carried out, with its answer.
    pub(super) fn done(&mut self, request: &Value, answer: &Value) {
        let text = |key: &str| answer[key].as_str().unwrap_or_default().to_owned();
        let id = request["id"].as_str().unwrap_or_default();
        match request["type"].as_str() {
            Some("signup") => self.exists = true,
            Some("token_create") => match &self.sign_up {
                Some(sign_up) if self.as_guest.contains(id) => {
                    self.doubtful.insert(text("token"), sign_up.clone());
                }
                _ => self.spare.push((text("token"), text("token_id"))),
            },
            Some("token_revoke") => {}
            _ => return,
        }
        let ended = self.doubtful.extract_if(.., |_, by| by == id);
        self.ended.extend(ended.map(|(secret, _)| secret));
    }

    /// Checks a welcome.
    pub(super) fn welcomed(&mut self, log_in: &LogIn) -> Result<(), String> {
        match log_in {
            LogIn::Token { has_ended: true, .. } => Err("a token opens a session after its end"),
            LogIn::Password { is_right: false } => Err("a wrong password opens a session"),
            LogIn::Password { is_right: true } => {
                self.exists = true;
                Ok(())
            }
            LogIn::Guest | LogIn::Token { .. } => Ok(()),
        }
        .map_err(str::to_owned)
    }

    /// Checks a log-in that was refused. Returns whether the user's token is good no more.
    pub(super) fn refused(&mut self, log_in: &LogIn) -> Result<bool, String> {
        self.refused_log_ins += 1;
        match log_in {
            LogIn::Token { secret, .. } if self.may_end(Some(secret)) => {
                self.exists |=
                    self.doubtful.get(secret).is_some_and(|by| Some(by) == self.sign_up.as_ref());
                Ok(true)
            }
            LogIn::Token { .. } => Err("a good token is refused".to_owned()),
            LogIn::Password { is_right: true } if self.exists => {
                Err("the right password is refused".to_owned())
            }
            LogIn::Password { .. } => Ok(false),
            LogIn::Guest => Err("a guest is refused".to_owned()),
        }
    }
}
