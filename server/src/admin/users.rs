//! `users`: who they are, what is known of them, and what ends their sessions.

use adamant_protocol::ids::TokenId;
use serde::Serialize;

use super::{
    bans::{ListedBan, ban_user},
    effects,
    error::AdminError,
    operator::{Answered, Operator, answer_of, done},
};
use crate::{
    admin_words::UsersWord,
    cluster::EndedSessions,
    limits::ADMIN_PAGE_MAX,
    runtime::time::milliseconds,
    store::{Act, BanKind, ListedBans, RenameOutcome, StoredNote, User, is_reserved},
};

#[derive(Debug, Serialize)]
struct UserList {
    users: Vec<UserEntry>,
}

#[derive(Debug, Serialize)]
struct UserEntry {
    user: String,
    kind: &'static str,
    owner: Option<String>,
    created_at: u64,
    account_since: Option<u64>,
}

impl UserEntry {
    fn of(user: &User, created_at: u64) -> Self {
        let kind = match user {
            User { house: true, .. } => "house",
            User { owner: Some(_), .. } => "bot",
            User { guest: true, .. } => "guest",
            _ => "account",
        };
        let owner = user.owner.as_ref().map(ToString::to_string);
        let account_since = user.account_since;
        Self { user: user.name.to_string(), kind, owner, created_at, account_since }
    }
}

#[derive(Debug, Serialize)]
struct UserDetails {
    #[serde(flatten)]
    entry: UserEntry,
    closed_by_user: bool,
    live_games: u64,
    finished_games: u64,
    tokens: u64,
    sessions_here: usize,
    also_at: Vec<String>,
    bots: Vec<String>,
    bans: Vec<ListedBan>,
    notes: Vec<ListedNote>,
}

#[derive(Debug, Serialize)]
pub(super) struct ListedNote {
    noted_at: u64,
    by: String,
    note: String,
}

impl From<StoredNote> for ListedNote {
    fn from(StoredNote { noted_by, noted_at, note }: StoredNote) -> Self {
        Self { noted_at, by: noted_by, note }
    }
}

#[derive(Debug, Serialize)]
struct TokensAndSessions {
    tokens: Vec<ListedToken>,
    sessions: Vec<OpenSession>,
    also_at: Vec<String>,
}

#[derive(Debug, Serialize)]
struct ListedToken {
    token: TokenId,
    of: String,
    label: Box<str>,
    program: bool,
    created_at: u64,
    used_at: Option<u64>,
    expires_at: Option<u64>,
}

#[derive(Debug, Serialize)]
struct OpenSession {
    session: String,
    address: Option<String>,
    program: bool,
}

#[derive(Debug, Serialize)]
struct ResetCode {
    code: Box<str>,
    until: u64,
}

#[derive(Debug, Serialize)]
struct Ended {
    ended_tokens: u64,
}

pub(super) async fn carry_out(operator: &Operator, word: UsersWord, act: Act) -> Answered {
    let services = &operator.services;
    match word {
        UsersWord::List { search, after, limit } => {
            let (containing, after) = (search.unwrap_or_default(), after.unwrap_or_default());
            let users = services.store.list_users(containing, after, limit).await?;
            answer_of(&UserList {
                users: users.iter().map(|it| UserEntry::of(&it.user, it.created_at)).collect(),
            })
        }
        UsersWord::Show { user } => show(operator, &operator.user(&user).await?).await,
        UsersWord::Export { user } => {
            let user = operator.user(&user).await?;
            answer_of(&services.store.personal_data(user).await?)
        }
        UsersWord::Note { user, note } => {
            let user = operator.user(&user).await?;
            services.store.add_user_note(user.id, note.into(), act).await?;
            done("the note is kept")
        }
        UsersWord::Warn { user, .. } => {
            let user = operator.governed(&user).await?;
            let notice = services.store.warn_user(user.id, act).await?;
            effects::notify(services, Some(&user.name), notice);
            done("the user is warned")
        }
        UsersWord::Tokens { user } => tokens(operator, &operator.user(&user).await?).await,
        UsersWord::LogOut { user, token, .. } => {
            let user = operator.governed(&user).await?;
            log_out(operator, &user, token, act).await
        }
        UsersWord::ResetCode { user, lasts, .. } => {
            let user = operator.governed(&user).await?;
            if user.guest || user.is_bot() {
                return Err(AdminError::refused("only accounts have a password"));
            }
            let (code, digest) = services.accounts.new_reset_code();
            let until = act.at.saturating_add(milliseconds(lasts));
            services.store.set_reset_code(user.id, digest.0, until, act).await?;
            answer_of(&ResetCode { code, until })
        }
        UsersWord::Close { user, .. } => {
            let user = operator.governed(&user).await?;
            ban_user(operator, &user, BanKind::Closed, None, act).await
        }
        UsersWord::Reopen { user, .. } => {
            let user = operator.governed(&user).await?;
            if !services.store.reopen(user.id, act).await? {
                return Err(AdminError::refused(format!("{} is not closed", user.name)));
            }
            effects::policy_changed(services).await?;
            done("the account is open again; its user logs in with the password")
        }
        UsersWord::Rename { user, name, .. } => {
            let user = operator.governed(&user).await?;
            rename(operator, &user, name, act).await
        }
    }
}

async fn show(operator: &Operator, user: &User) -> Answered {
    let services = &operator.services;
    let store = &services.store;
    let counts = store.user_counts(user.id, user.name.clone()).await?;
    let bans = store.bans(ListedBans::Of(user.id), ADMIN_PAGE_MAX).await?;
    let notes = store.user_notes(user.id, ADMIN_PAGE_MAX).await?;
    let bots = services.accounts.bots(user).await?;
    answer_of(&UserDetails {
        entry: UserEntry::of(user, counts.created_at),
        closed_by_user: counts.left,
        live_games: counts.live_games,
        finished_games: counts.finished_games,
        tokens: counts.tokens,
        sessions_here: services.lobby.sessions_of(&user.name).len(),
        also_at: also_at(operator, user),
        bots: bots.into_iter().map(|bot| bot.name.to_string()).collect(),
        bans: bans.into_iter().map(ListedBan::from).collect(),
        notes: notes.into_iter().map(ListedNote::from).collect(),
    })
}

fn also_at(operator: &Operator, user: &User) -> Vec<String> {
    let nodes = operator.services.lobby.nodes_of(&user.name);
    nodes.iter().map(ToString::to_string).collect()
}

async fn tokens(operator: &Operator, user: &User) -> Answered {
    let services = &operator.services;
    let tokens =
        services.accounts.tokens_under(user).await?.into_iter().map(|(of, digest, token)| {
            ListedToken {
                token: digest.id(),
                of: of.to_string(),
                label: token.label,
                program: token.bot,
                created_at: token.created_at,
                used_at: token.used_at,
                expires_at: token.expires_at,
            }
        });
    let sessions = services.lobby.sessions_of(&user.name);
    let sessions = sessions.iter().map(|client| OpenSession {
        session: services.session_name(client.session),
        address: client.from.map(|from| from.to_string()),
        program: client.bot,
    });
    answer_of(&TokensAndSessions {
        tokens: tokens.collect(),
        sessions: sessions.collect(),
        also_at: also_at(operator, user),
    })
}

async fn log_out(operator: &Operator, user: &User, token: Option<TokenId>, act: Act) -> Answered {
    let services = &operator.services;
    let (ends, digest) = if let Some(id) = token {
        let found = services.accounts.find_token(user, &id).await?;
        let (owner, digest) =
            found.ok_or_else(|| AdminError::not_found(&format!("token {id} of this user")))?;
        (vec![(owner, EndedSessions::Of(vec![id]))], Some(digest.0.to_vec()))
    } else {
        let bots = services.accounts.bots(user).await?;
        let users = bots.into_iter().map(|bot| bot.name).chain([user.name.clone()]);
        (users.map(|name| (name, EndedSessions::All)).collect(), None)
    };
    let ended_tokens = services.store.log_out(user.id, digest, act).await?;
    services.accounts.note_revocation();
    for (name, ended) in ends {
        services.lobby.end_sessions(&name, ended);
    }
    answer_of(&Ended { ended_tokens })
}

async fn rename(
    operator: &Operator,
    user: &User,
    name: adamant_protocol::UserName,
    act: Act,
) -> Answered {
    let services = &operator.services;
    if is_reserved(&name) {
        return Err(AdminError::refused(format!("the name {name} is reserved")));
    }
    services.lobby.close_offers_of(&user.name).await?;
    match services.store.rename_user(user.id, name.clone(), act).await? {
        RenameOutcome::Renamed => {
            effects::send_away(services, &user.name);
            // The bans by name are those of the new one.
            effects::policy_changed(services).await?;
            done("the user is renamed")
        }
        RenameOutcome::NameTaken(like) if name.is_same(like.as_str()) => {
            Err(AdminError::refused(format!("the name {name} is taken")))
        }
        RenameOutcome::NameTaken(like) => {
            let message = format!("the name {name} looks too much like {like}, which is taken");
            Err(AdminError::refused(message))
        }
        RenameOutcome::HasGames => {
            let message = format!("the records of games name {}, and no record changes", user.name);
            Err(AdminError::refused(message))
        }
    }
}
