//! Who somebody is: `hello`, `signup` and tokens.

use std::sync::Arc;

use adamant_protocol::{
    CloseCode, GameId, PROTOCOL_VERSION, UserName,
    from_client::{self, CAP_LEGAL, CAP_NAMED, Cursor, Hello, Software},
    to_client::{Done, Heartbeat, Limits, Me, ResumeVerdict, ResumedGame, SnapshotReason, Welcome},
    values::Named,
};
use adamant_record::wire::seat_number;
use adamant_rules::Kind;

use super::conversation::Conversation;
use crate::{
    accounts::{AuthError, LoggedIn},
    caller::Caller,
    error::Denial,
    limits::RESUME_GAMES_MAX,
    room::{Command, From, Verdict},
};

impl std::convert::From<AuthError> for Denial {
    fn from(error: AuthError) -> Self {
        match error {
            AuthError::BadToken | AuthError::BadPassword => Self::Unauthorized(error.to_string()),
            AuthError::NameTaken(name) => Self::NameTaken(name),
            AuthError::PasswordLength | AuthError::TokenLabel => {
                Self::BadMessage(error.to_string())
            }
            AuthError::HasAccount | AuthError::GamesUnderName(_) => {
                Self::Forbidden(error.to_string())
            }
            AuthError::Busy => Self::Busy { what: error.to_string(), retry_after_ms: 1000 },
            AuthError::Store(error) => Self::Store(error),
        }
    }
}

/// A game that a session is brought up to date on.
struct Resumed {
    game: GameId,
    seat: Option<u8>,
    verdict: Option<Verdict>,
}

impl Conversation {
    pub(super) async fn on_hello(&mut self, hello: Hello) -> Result<(), CloseCode> {
        if !hello.proto.contains(&PROTOCOL_VERSION) {
            self.refuse(hello.id, Denial::ProtoUnsupported).await;
            return Err(CloseCode::Protocol);
        }
        if hello.resume.0.len() > RESUME_GAMES_MAX {
            let message = format!("a hello resumes at most {RESUME_GAMES_MAX} games");
            self.refuse(hello.id, Denial::BadMessage(message)).await;
            return Err(CloseCode::BadHello);
        }
        let logged_in = match hello.auth {
            Some(auth) => match self.services.accounts.log_in(auth).await {
                Ok(logged_in) => Some(logged_in),
                Err(error) => {
                    // The same hello may be sent again when the server was only busy.
                    let busy = matches!(error, AuthError::Busy);
                    self.refuse(hello.id, error.into()).await;
                    return if busy { Ok(()) } else { Err(CloseCode::BadHello) };
                }
            },
            None => None,
        };
        let caller = Arc::new(self.caller_for(logged_in.as_ref(), &hello.caps));
        if let Some(user) = &caller.user {
            match self.services.talk.muted_by(user).await {
                Ok(muted) => caller.muted.set(muted),
                Err(error) => {
                    self.refuse(hello.id, error.into()).await;
                    return Err(CloseCode::BadHello);
                }
            }
        }
        let resumed = self.resumed_games(caller.user.as_ref(), &hello.resume).await;
        let welcome = self.welcome(hello.id, logged_in.as_ref(), &caller, &resumed).await;
        self.reply(welcome).await;
        self.speak_as(&caller);
        let bot_token =
            logged_in.filter(|logged_in| logged_in.bot).map(|logged_in| logged_in.token_digest);
        self.services.lobby.enter(&caller, bot_token);
        self.join_games(&caller, resumed).await;
        self.services.lobby.remind(&caller);
        Ok(())
    }

    fn caller_for(&self, logged_in: Option<&LoggedIn>, caps: &[Box<str>]) -> Caller {
        let has = |cap: &str| caps.iter().any(|known| known.as_ref() == cap);
        Caller {
            session: self.id,
            user: logged_in.map(|logged_in| logged_in.user.name.clone()),
            bot: logged_in.is_some_and(|logged_in| logged_in.bot),
            guest: logged_in.is_some_and(|logged_in| logged_in.user.guest),
            wants_legal: has(CAP_LEGAL),
            named: has(CAP_NAMED),
            muted: Arc::default(),
            outbox: self.outbox.clone(),
        }
    }

    /// The user's live games, asked for or not, and the others that the client follows.
    async fn resumed_games(
        &self,
        user: Option<&UserName>,
        cursors: &Named<Cursor>,
    ) -> Vec<Resumed> {
        let live = self.services.rooms.store().live();
        let mut games: Vec<GameId> = user.map(|user| live.of_user(user)).unwrap_or_default();
        let mine = games.len();
        for (name, _) in &cursors.0 {
            if let Ok(game) = name.parse::<GameId>()
                && !games.contains(&game)
            {
                games.push(game);
            }
        }
        let mut resumed = Vec::with_capacity(games.len());
        for (index, game) in games.into_iter().enumerate() {
            let cursor = cursors.get(game.as_str()).cloned();
            let verdict = self.services.rooms.verdict(&game, user, cursor).await.ok();
            let mine = verdict.filter(|_| index < mine);
            let seat = mine.and_then(|verdict| verdict.seat).map(seat_number);
            resumed.push(Resumed { game, seat, verdict });
        }
        resumed
    }

    async fn welcome(
        &self,
        re: adamant_protocol::RequestId,
        logged_in: Option<&LoggedIn>,
        caller: &Caller,
        resumed: &[Resumed],
    ) -> Welcome {
        let services = &self.services;
        let messages = services.limits.messages();
        let milliseconds =
            |duration: std::time::Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        let challenges = match &caller.user {
            Some(user) => services.lobby.challenges_of(user).await,
            None => Vec::new(),
        };
        Welcome {
            re,
            proto: PROTOCOL_VERSION,
            server: Software { name: "adamant".into(), version: env!("CARGO_PKG_VERSION").into() },
            user: self.me(caller).await,
            session: self.id.to_string().into(),
            ts: self.now_ms(),
            token: logged_in.and_then(|logged_in| logged_in.token.clone()),
            rules: Named(
                Kind::ALL.iter().map(|kind| (kind.name().into(), kind.version())).collect(),
            ),
            limits: Limits {
                frame_bytes: adamant_protocol::FRAME_BYTES_MAX as u64,
                burst: messages.map_or(0, |(burst, _)| burst.get()),
                per_s: messages.map_or(0, |(_, per_s)| per_s.get()),
            },
            heartbeat: Heartbeat {
                ping_every_ms: milliseconds(services.limits.ping_every),
                idle_close_ms: milliseconds(services.limits.idle_close),
            },
            durability: "fsync".into(),
            keys: services.signing.keys().to_vec(),
            games: resumed
                .iter()
                .map(|resumed| ResumedGame {
                    game: resumed.game.clone(),
                    seat: resumed.seat,
                    resume: resumed.verdict.map_or(ResumeVerdict::Gone, |verdict| verdict.resume),
                    from: resumed.verdict.and_then(|verdict| verdict.from),
                })
                .collect(),
            challenges,
        }
    }

    /// Who the client is. That the ratings cannot be told just now keeps nobody out.
    async fn me(&self, caller: &Caller) -> Option<Me> {
        let name = caller.user.clone()?;
        let ratings = if caller.guest {
            Named::default()
        } else {
            self.services.directory.ratings_of(name.clone()).await.unwrap_or_default()
        };
        Some(Me { name, bot: caller.bot, guest: caller.guest, ratings })
    }

    /// Lets the session listen to its games, those included that began since they were listed.
    async fn join_games(&mut self, caller: &Arc<Caller>, resumed: Vec<Resumed>) {
        let mut known: Vec<GameId> = Vec::with_capacity(resumed.len());
        for Resumed { game, verdict, .. } in resumed {
            let Some(verdict) = verdict else { continue };
            let joined = if let Some(from) = verdict.from {
                self.follow_from(caller, &game, from, verdict.seq, caller.named).await
            } else {
                let from = From::Snapshot(Some(SnapshotReason::Resumed));
                let named = caller.named;
                let command = Command::Join { caller: Arc::clone(caller), re: None, from, named };
                self.send_to_room(&game, command).await
            };
            if let Err(denial) = joined {
                tracing::warn!(%game, %denial, "a session could not resume a game");
            }
            known.push(game);
        }
        let Some(user) = &caller.user else { return };
        for game in self.services.rooms.store().live().of_user(user) {
            if !known.contains(&game)
                && let Err(denial) =
                    self.follow_from(caller, &game, 1, u64::MAX, caller.named).await
            {
                tracing::warn!(%game, %denial, "a session could not join a new game");
            }
        }
    }

    pub(super) async fn sign_up(
        &mut self,
        caller: &Arc<Caller>,
        request: from_client::Signup,
    ) -> Result<(), Denial> {
        let present = match &caller.user {
            Some(name) => self.services.accounts.find(name.clone()).await?,
            None => None,
        };
        let logged_in = self
            .services
            .accounts
            .sign_up(present.as_ref(), request.user, request.password)
            .await?;
        let mut done = Done::new(request.id);
        done.user = Some(logged_in.user.name.clone());
        done.token.clone_from(&logged_in.token);
        let account = Arc::new(Caller {
            wants_legal: caller.wants_legal,
            named: caller.named,
            // Rooms go on knowing the session as it was, and are to hear of changes.
            muted: Arc::clone(&caller.muted),
            ..self.caller_for(Some(&logged_in), &[])
        });
        self.services.lobby.leave(caller);
        self.services.display.leave(self.id);
        self.speak_as(&account);
        self.services.lobby.enter(&account, None);
        self.reply(done).await;
        Ok(())
    }

    pub(super) async fn create_token(
        &self,
        caller: &Caller,
        request: from_client::TokenCreate,
    ) -> Result<(), Denial> {
        let accounts = &self.services.accounts;
        let user = match &caller.user {
            Some(name) => accounts.find(name.clone()).await?,
            None => None,
        };
        let user = user.ok_or_else(|| Denial::Forbidden("tokens are made by users".to_owned()))?;
        if request.expires.is_some_and(|expires| expires <= self.now_ms()) {
            return Err(Denial::BadMessage("the token would have expired already".to_owned()));
        }
        let secret =
            accounts.create_token(&user, &request.label, request.bot, request.expires).await?;
        let mut done = Done::new(request.id);
        done.token = Some(secret);
        self.reply(done).await;
        Ok(())
    }
}
