//! The requests of the clients about their accounts.

use rand::RngExt as _;
use serde_json::{Value, json};

use super::{
    accounts::LogIn,
    workload::{NAMES, Workload},
};

/// The values of the setting for who may challenge a user.
const WHO: [&str; 5] = ["all", "all", "all", "accounts", "none"];

impl Workload {
    /// How a user logs in: mostly with the latest token, and always if it must succeed.
    pub(super) fn choose_log_in(&mut self, user: usize, must_succeed: bool) -> LogIn {
        let other = if must_succeed { 9 } else { self.chance.random_range(0..10) };
        let oracle = self.oracle.lock().unwrap();
        let (user, account) = (&oracle.users[user], &oracle.users[user].account);
        let with = |secret: &str| {
            let has_ended = account.ended.contains(secret);
            LogIn::Token { secret: secret.to_owned(), has_ended }
        };
        match (&user.token, other) {
            (Some(_), 0) if account.exists => LogIn::Password { is_right: true },
            (Some(_), 1) if account.exists => LogIn::Password { is_right: false },
            (Some(_), 2) if !account.spare.is_empty() => with(&account.spare[0].0),
            (Some(_), 3) if !account.ended.is_empty() => {
                with(account.ended.last().expect("it is not empty"))
            }
            (Some(token), _) => with(token),
            (None, _) if account.password.is_some() => LogIn::Password { is_right: true },
            (None, _) => LogIn::Guest,
        }
    }

    /// The `auth` of a log-in.
    pub(super) fn auth(&self, user: usize, log_in: &LogIn) -> Value {
        let oracle = self.oracle.lock().unwrap();
        let user = &oracle.users[user];
        match log_in {
            LogIn::Guest => json!({"guest": user.name}),
            LogIn::Token { secret, .. } => json!({"token": secret}),
            LogIn::Password { is_right } => {
                let right = user.account.password.as_deref().unwrap_or_default();
                let password = if *is_right { right } else { "not the password" };
                json!({"user": user.name, "password": password})
            }
        }
    }

    /// Signs up, creates, lists or revokes a token, blocks a user, or changes the settings.
    pub(super) fn change_account(&mut self, link: usize) {
        let what = self.chance.random_range(0..12);
        let other = self.chance.random_range(0..NAMES.len());
        let request = {
            let oracle = self.oracle.lock().unwrap();
            if !oracle.links[self.links[link].number].welcomed {
                return;
            }
            let user = &oracle.users[self.links[link].user];
            let account = &user.account;
            match (what, account.spare.first()) {
                // Often, because only games between accounts are rated.
                (0 | 8.., _) if account.password.is_none() => {
                    let password = format!("the password of {}", user.name);
                    json!({"type": "signup", "user": user.name, "password": password})
                }
                (1, _) if account.spare.len() < 3 => {
                    json!({"type": "token_create", "label": "spare"})
                }
                (2, Some((_, id))) => json!({"type": "token_revoke", "token": id}),
                (3, _) => json!({"type": "block", "user": NAMES[other]}),
                (4, _) => json!({"type": "unblock", "user": NAMES[other]}),
                (5, _) => json!({"type": "blocks"}),
                (6, _) => json!({"type": "settings_set", "challenges": WHO[other % WHO.len()]}),
                _ => json!({"type": "token_list"}),
            }
        };
        self.request(link, request);
    }
}
