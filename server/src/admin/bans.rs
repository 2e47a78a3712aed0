//! `bans`: of users, addresses and networks.

use std::time::Duration;

use adamant_protocol::to_client::Notice;
use ipnet::{IpNet, Ipv6Net};
use serde::Serialize;

use super::{
    effects,
    error::AdminError,
    operator::{Answered, Operator, answer_of, done},
};
use crate::{
    admin_words::BansWord,
    cluster::EndedSessions,
    limits::BANS_MAX,
    runtime::time::milliseconds,
    store::{Act, BanKind, BanSubject, ListedBans, NewBan, StoredBan, User},
};

#[derive(Debug, Serialize)]
struct BanList {
    bans: Vec<ListedBan>,
}

/// A ban as operators see it.
#[derive(Debug, Serialize)]
pub(super) struct ListedBan {
    id: u64,
    user: Option<String>,
    network: Option<String>,
    what: &'static str,
    reason: String,
    by: String,
    banned_at: u64,
    until: Option<u64>,
    lifted_at: Option<u64>,
}

impl From<StoredBan> for ListedBan {
    fn from(ban: StoredBan) -> Self {
        let StoredBan { id, user, network, kind, reason, banned_by, banned_at, .. } = ban;
        let (user, by) = (user.map(|user| user.to_string()), banned_by);
        let what = kind.word();
        let (until, lifted_at) = (ban.until, ban.lifted_at);
        Self { id, user, network, what, reason, by, banned_at, until, lifted_at }
    }
}

pub(super) async fn carry_out(operator: &Operator, word: BansWord, act: Act) -> Answered {
    let services = &operator.services;
    match word {
        BansWord::List { all, limit } => {
            let listed =
                if all { ListedBans::All } else { ListedBans::Standing(operator.now_ms()) };
            let bans = services.store.bans(listed, limit).await?;
            answer_of(&BanList { bans: bans.into_iter().map(ListedBan::from).collect() })
        }
        BansWord::User { user, lasts, .. } => {
            let user = operator.governed(&user).await?;
            ban_user(operator, &user, BanKind::Ban, lasts, act).await
        }
        BansWord::Silence { user, lasts, .. } => {
            let user = operator.governed(&user).await?;
            ban_user(operator, &user, BanKind::Silence, lasts, act).await
        }
        BansWord::Network { network, lasts, .. } => {
            let network = bannable(network)?;
            let subject = BanSubject::Network(network.to_string());
            let act = Act { subject: Some(network.to_string()), ..act };
            let new = NewBan { subject, kind: BanKind::Ban, until: end(&act, lasts) };
            let (ban, _) = ban(operator, new, act).await?;
            answer_of(&ListedBan::from(ban))
        }
        BansWord::Lift { id, .. } => {
            if !services.store.lift_ban(id, act).await? {
                return Err(AdminError::not_found(&format!("ban {id} that stands")));
            }
            effects::policy_changed(services).await?;
            done("the ban is lifted")
        }
    }
}

/// Silences or bans a user, or closes the account.
pub(super) async fn ban_user(
    operator: &Operator,
    user: &User,
    kind: BanKind,
    lasts: Option<Duration>,
    act: Act,
) -> Answered {
    let subject = BanSubject::User(user.id);
    let (ban, notice) =
        ban(operator, NewBan { subject, kind, until: end(&act, lasts) }, act).await?;
    if let Some(notice) = notice {
        effects::notify(&operator.services, Some(&user.name), notice);
    }
    withdraw(operator, user, kind).await?;
    answer_of(&ListedBan::from(ban))
}

/// Withdraws what a banned user offers, and ends the sessions of a closed account.
pub(super) async fn withdraw(
    operator: &Operator,
    user: &User,
    kind: BanKind,
) -> Result<(), AdminError> {
    let services = &operator.services;
    if kind == BanKind::Silence {
        return Ok(());
    }
    services.lobby.close_offers_of(&user.name).await?;
    if kind == BanKind::Closed {
        services.accounts.note_revocation();
        for bot in services.accounts.bots(user).await? {
            services.lobby.end_sessions(&bot.name, EndedSessions::All);
        }
        services.lobby.end_sessions(&user.name, EndedSessions::All);
    }
    Ok(())
}

async fn ban(
    operator: &Operator,
    new: NewBan,
    act: Act,
) -> Result<(StoredBan, Option<Notice>), AdminError> {
    let banned = operator.services.store.ban(new, act).await?.ok_or_else(bans_are_full)?;
    effects::policy_changed(&operator.services).await?;
    Ok(banned)
}

pub(super) fn bans_are_full() -> AdminError {
    AdminError::refused(format!("at most {BANS_MAX} bans stand at once"))
}

pub(super) fn end(act: &Act, lasts: Option<Duration>) -> Option<u64> {
    lasts.map(|lasts| act.at.saturating_add(milliseconds(lasts)))
}

/// Returns the network that is banned. A single address of IPv6 stands for its /64.
fn bannable(network: IpNet) -> Result<IpNet, AdminError> {
    match (network, network.prefix_len()) {
        (_, 0) => Err(AdminError::bad_request("that is everybody")),
        (IpNet::V4(_), _) | (IpNet::V6(_), ..=64) => Ok(network.trunc()),
        (IpNet::V6(v6), 128) => {
            let shortened = Ipv6Net::new(v6.addr(), 64).map(|shortened| shortened.trunc().into());
            shortened.map_err(|error| AdminError::bad_request(error.to_string()))
        }
        _ => Err(AdminError::bad_request("of IPv6 a /64 is the smallest network")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_is_banned_as_limits_count_addresses() {
        let banned = |text: &str| bannable(text.parse().unwrap()).map(|it| it.to_string());
        assert_eq!(banned("192.0.2.9/32").unwrap(), "192.0.2.9/32");
        assert_eq!(banned("192.0.2.9/24").unwrap(), "192.0.2.0/24");
        assert_eq!(banned("2001:db8::9/128").unwrap(), "2001:db8::/64");
        assert_eq!(banned("2001:db8::9/48").unwrap(), "2001:db8::/48");
        for refused in ["2001:db8::9/80", "0.0.0.0/0", "::/0"] {
            assert_eq!(banned(refused).unwrap_err().code, "bad_request", "{refused}");
        }
    }
}
