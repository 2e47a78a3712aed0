//! The bans that stand, by user and by network.

use std::{collections::HashMap, sync::Arc};

use adamant_protocol::UserName;
use ipnet::IpNet;

use crate::{
    address::ClientAddress,
    error::Denial,
    runtime::time::timestamp,
    store::{BanKind, StoredBan},
};

#[derive(Debug, Default)]
pub(super) struct Bans {
    users: HashMap<UserName, Vec<Arc<StoredBan>>>,
    silenced: HashMap<UserName, Vec<Arc<StoredBan>>>,
    networks: Vec<(IpNet, Arc<StoredBan>)>,
}

impl Bans {
    pub(super) fn new(banned: Vec<StoredBan>) -> Self {
        let mut bans = Self::default();
        for ban in banned.into_iter().map(Arc::new) {
            if let Some(user) = &ban.user {
                let is_silence = ban.kind == BanKind::Silence;
                let users = if is_silence { &mut bans.silenced } else { &mut bans.users };
                users.entry(user.folded()).or_default().push(Arc::clone(&ban));
            } else if let Some(network) = ban.network.as_ref().and_then(|text| text.parse().ok()) {
                bans.networks.push((network, ban));
            }
        }
        bans
    }

    pub(super) fn check_user(&self, user: &UserName, now_ms: u64) -> Result<(), Denial> {
        let bans = self.users.get(&user.folded());
        refuse_for(bans.into_iter().flatten(), now_ms)
    }

    pub(super) fn check_talk(&self, user: &UserName, now_ms: u64) -> Result<(), Denial> {
        let silences = self.silenced.get(&user.folded());
        refuse_for(silences.into_iter().flatten(), now_ms)
    }

    pub(super) fn check_address(&self, from: ClientAddress, now_ms: u64) -> Result<(), Denial> {
        let bans = self.networks.iter().filter(|(network, _)| from.is_in(network));
        refuse_for(bans.map(|(_, ban)| ban), now_ms)
    }
}

/// Refuses for the ban that ends last.
fn refuse_for<'a>(
    bans: impl Iterator<Item = &'a Arc<StoredBan>>,
    now_ms: u64,
) -> Result<(), Denial> {
    let standing = bans.filter(|ban| ban.until.is_none_or(|until| until > now_ms));
    let is_closed = |ban: &StoredBan| ban.kind == BanKind::Closed;
    let longest = standing.max_by_key(|ban| (is_closed(ban), ban.until.unwrap_or(u64::MAX)));
    let Some(ban) = longest else { return Ok(()) };
    let what = match (ban.kind, &ban.network) {
        (BanKind::Silence, _) => "you may not talk",
        (BanKind::Closed, _) => "this account is closed",
        (BanKind::Ban, None) => "this user is banned",
        (BanKind::Ban, Some(_)) => "your address is banned",
    };
    let until = ban.until;
    let end = until.map_or_else(String::new, |until| format!(" until {}", timestamp(until)));
    let message = format!("{what}{end}: {}", ban.reason);
    Err(match ban.kind {
        BanKind::Silence => Denial::Silenced { message, until },
        BanKind::Ban | BanKind::Closed => Denial::Banned { message, until },
    })
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

    fn ban(user: Option<&str>, network: Option<&str>, until: Option<u64>) -> StoredBan {
        StoredBan {
            id: 1,
            user: user.map(|user| user.parse().unwrap()),
            network: network.map(str::to_owned),
            kind: BanKind::Ban,
            reason: format!("{until:?}"),
            banned_by: "root".to_owned(),
            banned_at: 0,
            until,
            lifted_at: None,
        }
    }

    #[test]
    fn the_ban_that_ends_last_is_named_and_one_that_is_over_bans_nobody() {
        let bans =
            Bans::new(vec![ban(Some("Ann"), None, Some(9)), ban(Some("Ann"), None, Some(5))]);
        let ann = "ann".parse().unwrap();
        let Err(Denial::Banned { until, .. }) = bans.check_user(&ann, 4) else { panic!("banned") };
        assert_eq!(until, Some(9));
        assert!(bans.check_user(&ann, 8).is_err());
        assert!(bans.check_user(&ann, 9).is_ok());
        assert!(bans.check_user(&"bob".parse().unwrap(), 4).is_ok());
    }

    #[test]
    fn a_silence_forbids_to_talk_and_nothing_else() {
        let silence = StoredBan { kind: BanKind::Silence, ..ban(Some("Ann"), None, Some(9)) };
        let bans = Bans::new(vec![silence]);
        let ann = "ann".parse().unwrap();
        assert!(bans.check_user(&ann, 8).is_ok());
        let silenced = bans.check_talk(&ann, 8);
        assert!(matches!(silenced, Err(Denial::Silenced { until: Some(9), .. })), "{silenced:?}");
        assert!(bans.check_talk(&ann, 9).is_ok());
    }

    #[test]
    fn a_network_bans_the_addresses_in_it() {
        let networks = ["192.0.2.0/24", "2001:db8:1::/48"];
        let bans = networks.map(|network| ban(None, Some(network), None));
        let bans = Bans::new(bans.into());
        let is_banned = |address: &str| {
            bans.check_address(address.parse::<IpAddr>().unwrap().into(), 1).is_err()
        };
        assert!(is_banned("192.0.2.9") && is_banned("::ffff:192.0.2.9"));
        assert!(is_banned("2001:db8:1:ffff::1"));
        assert!(!is_banned("192.0.3.9") && !is_banned("2001:db8:2::1"));
    }
}
