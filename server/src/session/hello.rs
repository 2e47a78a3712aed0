//! `hello`: authentication, the welcome, and resuming games.

use std::{sync::Arc, time::Duration};

use adamant_protocol::{
    CloseCode, GameId, PROTOCOL_VERSION, UserName,
    from_client::{Auth, CAP_LEGAL, CAP_NAMED, CAP_POSITION, CAP_STEPS, Cursor, Hello, Software},
    to_client::{
        ClaimAfter, Heartbeat, Limits, Me, Notice, ResumeDecision, ResumedGame, SnapshotReason,
        Welcome,
    },
    values::{Named, UserSettings},
};
use adamant_record::wire::seat_number;
use adamant_rules::Kind;
use tokio::time::{sleep, timeout};

use crate::accounts::{AuthError, LoggedIn};
use crate::limits::{
    BOTS_PER_OWNER_MAX, CHALLENGES_PER_USER_MAX, GAMES_PER_USER_MAX, RESUME_GAMES_MAX,
    RESUME_WAIT_MAX, SEEKS_PER_USER_MAX, SESSIONS_PER_USER_MAX, TOKENS_PER_USER_MAX,
    WATCHED_GAMES_MAX,
};
use crate::outbound::client::{ClientHandle, ClientPrefs, RoomRequests};
use crate::outbound::{SendOutcome, frame::Frame};
use crate::ratings::{Pool, Rating};
use crate::room::{Command, JoinFrom, ReadFor, ResumePlan};
use crate::session::session::{Services, Session};
use crate::session::{account::sessions_of, limits::resuming};
use crate::store::{SessionSeed, StoreError};
use crate::{config, error::Denial, quotas::UserQuota};

/// What a client has to know of the limits in force; 0 for a rate that is not enforced.
fn limits(config: &config::Limits, quota: Option<&UserQuota>) -> Limits {
    let count = |max: usize| u32::try_from(max).unwrap_or(u32::MAX);
    let rate = |max: u32| if config.enforced { max } else { 0 };
    let (burst, per_s) = match quota {
        Some(quota) if quota.trusted => quota.messages.rate_numbers(),
        Some(_) | None => (config.messages_burst, config.messages_per_s),
    };
    Limits {
        frame_bytes: adamant_protocol::FRAME_BYTES_MAX as u64,
        burst: rate(burst),
        per_s: rate(per_s),
        seeks_per_min: rate(config.seeks_per_min),
        games_per_min: rate(config.games_per_min),
        open_seeks: count(SEEKS_PER_USER_MAX),
        open_challenges: count(CHALLENGES_PER_USER_MAX),
        live_games: count(GAMES_PER_USER_MAX),
        sessions: count(SESSIONS_PER_USER_MAX),
        watched_games: count(WATCHED_GAMES_MAX),
        tokens: TOKENS_PER_USER_MAX,
        bots: BOTS_PER_OWNER_MAX,
    }
}

/// A game that a session is brought up to date on.
struct Resumed {
    game: GameId,
    seat: Option<u8>,
    plan: Option<ResumePlan>,
}

/// The user as the welcome shows it.
fn me(logged_in: &LoggedIn, ratings: &[(Pool, Rating)]) -> Me {
    let LoggedIn { user, bot, .. } = logged_in;
    let ratings = ratings.iter().map(|(pool, rating)| (pool.to_string().into(), rating.rounded()));
    Me {
        name: user.name.clone(),
        bot: *bot,
        guest: user.guest,
        owner: user.owner.clone(),
        ratings: Named(ratings.collect()),
    }
}

impl Session {
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
        if let Err(denial) = self.services.policy.check_address(self.from) {
            self.refuse(hello.id, denial).await;
            return Err(CloseCode::BadHello);
        }
        // A new guest has no games. If the server has to give up on those that it follows, there is
        // no guest yet: nobody has been told the token.
        let is_new = matches!(hello.auth, Some(Auth::Guest(_) | Auth::GuestProgram(_)));
        let early =
            if is_new { Some(self.games_in_time(None, &hello.resume).await?) } else { None };
        let (logged_in, seed) = match hello.auth {
            Some(auth) => match self.log_in_unbanned(auth, is_new).await {
                Ok((logged_in, seed)) => (Some(logged_in), seed),
                Err(denial) => {
                    self.told_to_wait = denial.may_be_repeated();
                    self.refuse(hello.id, denial).await;
                    return if self.told_to_wait { Ok(()) } else { Err(CloseCode::BadHello) };
                }
            },
            None => (None, SessionSeed::default()),
        };
        let SessionSeed { muted, ratings, settings, notices } = seed;
        let client = Arc::new(self.client_of(logged_in.as_ref(), &hello.caps));
        client.muted.set(muted);
        let resumed = match early {
            Some(resumed) => resumed,
            None => self.games_in_time(client.user.as_ref(), &hello.resume).await?,
        };
        let (known_games, named_games) = (resumed.len(), hello.resume.0.len());
        let me = logged_in.as_ref().map(|logged_in| me(logged_in, &ratings));
        let welcome =
            self.welcome(hello.id, &client, logged_in.as_ref(), (me, settings), &resumed).await;
        // The welcome is the first that the client is sent, and leaves when the session is known
        // already: another one of the same token that is opened after it is the newer one.
        let corked = self.outbox.cork();
        // A program to which a person has lent a token is not the one to read them.
        let notices = if client.is_lent { Vec::new() } else { notices };
        self.send_welcome(welcome, notices);
        self.speak_as(&client);
        // Games that the client has not named cost as much as the others.
        let unnamed = known_games.saturating_sub(named_games);
        self.request_limits.charge(resuming(unnamed), self.now_ms());
        self.opened_with = logged_in.as_ref().map(|logged_in| logged_in.token);
        self.expires_at = logged_in.as_ref().and_then(|logged_in| logged_in.expires_at);
        let challenges = self.services.lobby.enter(&client, self.opened_with);
        drop(corked);
        self.confirm_unbanned(&client)?;
        if let Some(logged_in) = &logged_in {
            self.confirm_token(logged_in).await?;
        }
        self.join_games(&client, resumed).await;
        self.services.lobby.send_pending(&client, &challenges).await;
        Ok(())
    }

    /// Logs a client in, unless its user is banned, or new guests are not let in.
    async fn log_in_unbanned(
        &self,
        auth: Auth,
        is_new: bool,
    ) -> Result<(LoggedIn, SessionSeed), Denial> {
        let Services { policy, accounts, .. } = &*self.services;
        if is_new {
            policy.check_guests()?;
        }
        let (logged_in, seed) = self.log_in(auth).await?;
        if let Err(denial) = policy.check_user(&logged_in.user.name) {
            // Nobody is told the token that a password has made.
            if logged_in.secret.is_some() {
                accounts.revoke(logged_in.token).await?;
            }
            return Err(denial);
        }
        Ok((logged_in, seed))
    }

    /// Checks once more, now that the session is registered: a ban since the log-in has not found
    /// it. The next `hello` is told why.
    fn confirm_unbanned(&self, client: &ClientHandle) -> Result<(), CloseCode> {
        let policy = &self.services.policy;
        let user = client.user.as_ref().map_or(Ok(()), |user| policy.check_user(user));
        user.and_then(|()| policy.check_address(self.from)).map_err(|_| CloseCode::Restart)
    }

    /// Logs a client in, and logs the attempt without its secret.
    async fn log_in(&self, auth: Auth) -> Result<(LoggedIn, SessionSeed), AuthError> {
        let Services { accounts, metrics, .. } = &*self.services;
        let (way, user) = match &auth {
            Auth::Token(_) => ("token", None),
            Auth::Password { user, .. } => ("password", Some(user.clone())),
            Auth::Guest(name) | Auth::GuestProgram(name) => ("guest", Some(name.clone())),
        };
        let logged_in = accounts.log_in(auth, self.from).await;
        let address = self.from.as_ref().map(tracing::field::display);
        let user = user.as_ref().map(tracing::field::display);
        match &logged_in {
            Ok(_) if way == "guest" => {
                metrics.guests.inc();
                tracing::debug!(client = address, user, "guest created");
            }
            // operator: a log-in with a password. `client` is the address, for IPv6 the /64
            Ok(_) if way == "password" => tracing::info!(client = address, user, "log-in"),
            Err(
                error @ (AuthError::BadToken | AuthError::BadPassword | AuthError::TooMany { .. }),
            ) => {
                if !matches!(error, AuthError::TooMany { .. }) {
                    metrics.failed_log_ins.inc();
                }
                // operator: a wrong password or token; fail2ban can read this line
                tracing::info!(client = address, user, way, %error, "log-in failed");
            }
            Ok(_) | Err(_) => {}
        }
        logged_in
    }

    /// Sends the welcome, and with it the first ping: a fast game should not begin before the way
    /// has been measured. What the user has yet to read follows.
    fn send_welcome(&self, welcome: Welcome, notices: Vec<Notice>) {
        let mut frames = vec![Frame::of(&welcome.into()), Frame::ping(self.link.round_trip.ping())];
        let planned = self.services.policy.maintenance();
        frames.extend(planned.map(|planned| Frame::of(&planned.notice(self.now_ms()))));
        frames.extend(notices.into_iter().map(|notice| Frame::of(&notice.into())));
        if self.outbox.try_send_all(frames.iter()) == SendOutcome::Full {
            self.outbox.end(CloseCode::SlowConsumer);
        }
    }

    /// Rechecks the token once the session is registered: a revocation since the log-in has not
    /// found this session.
    async fn confirm_token(&self, logged_in: &LoggedIn) -> Result<(), CloseCode> {
        let Services { accounts, lobby, .. } = &*self.services;
        if !logged_in.evicted.is_empty() {
            lobby.end_sessions(&logged_in.user.name, sessions_of(&logged_in.evicted));
        }
        match accounts.is_still_valid(logged_in).await {
            Ok(true) => {}
            Ok(false) => return Err(CloseCode::TokenEnded),
            Err(error) => {
                // operator: the store failed during a log-in; the client retries
                tracing::warn!(session = %self.id, %error, "rechecking a token failed");
            }
        }
        match accounts.record_use(logged_in.token, logged_in.used_at).await {
            // That nothing can be stored stands in the log already.
            Ok(()) | Err(StoreError::ReadOnly) => {}
            Err(error) => {
                tracing::warn!(session = %self.id, %error, "recording token uses failed");
            }
        }
        Ok(())
    }

    pub(super) fn client_of(
        &self,
        logged_in: Option<&LoggedIn>,
        caps: &[Box<str>],
    ) -> ClientHandle {
        let has = |cap: &str| caps.iter().any(|known| known.as_ref() == cap);
        ClientHandle {
            session: self.id,
            user: logged_in.map(|logged_in| logged_in.user.name.clone()),
            from: self.from,
            quota: logged_in.zip(self.from).and_then(|(logged_in, from)| {
                self.services.quotas.of_user(&logged_in.user, from, self.now_ms())
            }),
            bot: logged_in.is_some_and(|logged_in| logged_in.bot),
            house: logged_in.is_some_and(|logged_in| logged_in.user.house),
            guest: logged_in.is_some_and(|logged_in| logged_in.user.guest),
            is_lent: logged_in.is_some_and(|LoggedIn { user, bot, .. }| {
                *bot && !user.guest && !user.house && !user.is_bot()
            }),
            prefs: ClientPrefs {
                legal: has(CAP_LEGAL),
                position: has(CAP_POSITION),
                steps: has(CAP_STEPS),
                named: has(CAP_NAMED),
            },
            muted: Arc::default(),
            outbox: self.outbox.clone(),
            room_requests: RoomRequests::default(),
            close_on_drop: None,
        }
    }

    /// Returns the user's live games; `None` if the store fails.
    async fn live_games_of(&self, user: Option<&UserName>) -> Option<Vec<GameId>> {
        let Some(user) = user else { return Some(Vec::new()) };
        let games = self.services.store.live_games_of(user).await;
        games
            .inspect_err(|error| {
                // operator: the store failed; the client reconnects and asks again. A game that
                // began during its log-in may reach it only after the next one
                tracing::warn!(session = %self.id, %error, "listing a user's games failed");
            })
            .ok()
    }

    /// Resumes games, unless it takes so long that the client would give up. The client comes back,
    /// and what has been read until then is there.
    async fn games_in_time(
        &self,
        user: Option<&UserName>,
        cursors: &Named<Cursor>,
    ) -> Result<Vec<Resumed>, CloseCode> {
        let games = self.resumed_games(user, cursors);
        timeout(RESUME_WAIT_MAX, games).await.unwrap_or_else(|_| {
            // operator: many games are being read; the client reconnects, and the next attempt
            // finds more of them loaded
            tracing::warn!(session = %self.id, "reading the games of a session takes too long");
            Err(CloseCode::Restart)
        })
    }

    /// The user's live games, asked for or not, and the others that the client follows.
    async fn resumed_games(
        &self,
        user: Option<&UserName>,
        cursors: &Named<Cursor>,
    ) -> Result<Vec<Resumed>, CloseCode> {
        let mut games = self.live_games_of(user).await.ok_or(CloseCode::Restart)?;
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
            let reason =
                if index < mine { ReadFor::Player(self.from) } else { ReadFor::Client(self.from) };
            let plan = match self.patient_plan(&game, user, reason, cursor).await {
                Ok(plan) => Some(plan),
                Err(Denial::NotFound(_) | Denial::Damaged(_)) => None,
                Err(denial) => {
                    // The game exists, although it cannot be opened now. After `gone` the client
                    // would forget it.
                    // operator: the room or the store failed; the client reconnects and asks again
                    tracing::warn!(
                        session = %self.id, %game, %denial,
                        "resuming a game failed"
                    );
                    return Err(CloseCode::Restart);
                }
            };
            let mine = plan.filter(|_| index < mine);
            let seat = mine.and_then(|plan| plan.seat).map(seat_number);
            resumed.push(Resumed { game, seat, plan });
        }
        Ok(resumed)
    }

    /// How the session resumes a game. While many games are being read it waits for its turn.
    async fn patient_plan(
        &self,
        game: &GameId,
        user: Option<&UserName>,
        reason: ReadFor,
        cursor: Option<Cursor>,
    ) -> Result<ResumePlan, Denial> {
        let rooms = &self.services.rooms;
        loop {
            match rooms.resume_plan(game, user, reason, cursor.clone()).await {
                Err(Denial::Busy { retry_after_ms, .. }) => {
                    sleep(Duration::from_millis(retry_after_ms)).await;
                }
                planned => return planned,
            }
        }
    }

    async fn welcome(
        &self,
        re: adamant_protocol::RequestId,
        client: &ClientHandle,
        logged_in: Option<&LoggedIn>,
        (me, settings): (Option<Me>, UserSettings),
        resumed: &[Resumed],
    ) -> Welcome {
        let services = &self.services;
        let milliseconds =
            |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        let (challenges, all) = match &me {
            Some(me) => services.lobby.challenges_of(&me.name).await,
            None => (Vec::new(), 0),
        };
        let challenges_total =
            (all > challenges.len()).then(|| u32::try_from(all).unwrap_or(u32::MAX));
        let in_force = services.limits.get();
        Welcome {
            re,
            proto: PROTOCOL_VERSION,
            server: Software { name: "adamant".into(), version: env!("CARGO_PKG_VERSION").into() },
            settings: me.is_some().then_some(settings),
            user: me,
            session: services.session_name(self.id).into(),
            ts: self.now_ms(),
            token: logged_in.and_then(|logged_in| logged_in.secret.clone()),
            rules: Named(
                Kind::ALL.iter().map(|kind| (kind.name().into(), kind.version())).collect(),
            ),
            limits: limits(&in_force, client.quota.as_ref()),
            heartbeat: Heartbeat {
                ping_every_ms: milliseconds(in_force.ping_every),
                idle_close_ms: milliseconds(in_force.idle_close),
            },
            claim_after: Some(ClaimAfter {
                timed_ms: milliseconds(services.claim_after.timed),
                untimed_ms: milliseconds(services.claim_after.untimed),
            }),
            durability: services.store.backend.durability().into(),
            keys: services.signing.keys(),
            push: services.notifications.push_key(),
            mail: services.accounts.sends_mail(),
            games: resumed
                .iter()
                .map(|resumed| ResumedGame {
                    game: resumed.game.clone(),
                    seat: resumed.seat,
                    resume: resumed.plan.map_or(ResumeDecision::Gone, |plan| plan.resume),
                    from: resumed.plan.and_then(|plan| plan.from),
                })
                .collect(),
            challenges,
            challenges_total,
        }
    }

    /// Lets the session listen to its games, those included that began since they were listed.
    async fn join_games(&mut self, client: &Arc<ClientHandle>, resumed: Vec<Resumed>) {
        let mut known: Vec<GameId> = Vec::with_capacity(resumed.len());
        for Resumed { game, plan, .. } in resumed {
            let Some(plan) = plan else { continue };
            // A room sends what it has at once; a user with many games is given time to read it.
            self.outbox.calm().await;
            let joined = if let Some(from) = plan.from {
                self.follow_from(client, &game, from, plan.seq, client.prefs.named).await
            } else {
                let from = JoinFrom::Snapshot(Some(SnapshotReason::Resumed));
                let named = client.prefs.named;
                let join = Command::join(client.call().await, None, from, named);
                self.services.rooms.send(&game, join).await;
                Ok(())
            };
            if let Err(denial) = joined {
                tracing::warn!(
                    session = %self.id, %game, %denial,
                    "resuming a game failed"
                );
            }
            known.push(game);
        }
        let Some(user) = &client.user else { return };
        for game in self.live_games_of(Some(user)).await.unwrap_or_default() {
            if known.contains(&game) {
                continue;
            }
            let (from, named) = (JoinFrom::Start, client.prefs.named);
            let join = Command::join(client.call().await, None, from, named);
            self.services.rooms.send(&game, join).await;
        }
    }
}
