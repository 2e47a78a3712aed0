//! The service. A line is stored before it is sent to anyone, beside the game's record and never in
//! it. The room delivers it to its subscribers.

use std::sync::Arc;

use adamant_protocol::{
    GameId, ToClient, UserName,
    from_client::{Say, Talk as Ask, Unsay},
    to_client::{Done, GameEntry, Said, TalkLine, TalkList, Unsaid},
    values::TalkRoom,
};
use parking_lot::{Mutex, RwLock};

use super::sent_lines::{SentAs, SentLines};
use crate::{
    cluster::{ClusterEvent, Heard},
    config,
    error::Denial,
    limits::{self, TALK_CHARS_MAX},
    lobby::Lobby,
    occasions::{Occasion, OccasionKind},
    outbound::{client::ClientHandle, frame::Frame},
    rate_limiter::{RateLimiter, RetryAfter},
    room::{TalkBroadcast, registry::RoomRegistry},
    runtime::time::TimeSource,
    store::{NewLine, RecentLine, Relation, SayOutcome, Store, StoreError, UnsayOutcome, has_name},
};

/// The chat service. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct TalkService {
    store: Store,
    rooms: RoomRegistry,
    lobby: Lobby,
    time: TimeSource,
    /// Can be reloaded at run time. The lock is held for moments.
    settings: Arc<RwLock<config::TalkConfig>>,
    /// The rate of lines by user; `None` if limits are off.
    rates: Option<Arc<RateLimiter<UserName>>>,
    /// What clients of this node were sent; `None` if the server is alone and sends each line when
    /// it stores it.
    sent: Option<Arc<Mutex<SentLines>>>,
}

/// A line, or its deletion, that the room sends once its author has the answer.
#[derive(Debug)]
pub(crate) struct PendingBroadcast {
    line: RecentLine,
    /// The line, if players who are away are to hear of it.
    for_players: Option<LineForPlayers>,
}

/// A line that a player has written for the other players.
#[derive(Debug)]
struct LineForPlayers {
    entry: GameEntry,
    by: UserName,
    at: u64,
}

fn said(game: &GameId, room: TalkRoom, line: TalkLine) -> TalkBroadcast {
    let TalkLine { n, at, by, text } = line;
    let said = Said { game: game.clone(), room, n, at, by: by.clone(), text };
    TalkBroadcast { room, by: Some(by), frame: Frame::of(&ToClient::Said(said)) }
}

/// Returns the broadcast of a deletion.
fn unsaid(game: &GameId, room: TalkRoom, n: u64) -> TalkBroadcast {
    let unsaid = Unsaid { game: game.clone(), room, n };
    TalkBroadcast { room, by: None, frame: Frame::of(&ToClient::Unsaid(unsaid)) }
}

/// A client's rights in the talk of one game.
struct TalkRights {
    plays: bool,
    over: bool,
    moderates: bool,
}

impl TalkRights {
    /// Checks that the client may write in a talk room. Players do not see the spectators' talk
    /// before the game is over, because it could help them.
    fn may_enter(&self, room: TalkRoom, game: &GameId) -> Result<(), Denial> {
        match room {
            TalkRoom::Players if self.plays => Ok(()),
            TalkRoom::Players | TalkRoom::Unknown(_) => Err(Denial::NotAPlayer(game.clone())),
            TalkRoom::Spectators if self.over || !self.plays => Ok(()),
            TalkRoom::Spectators => {
                let message = "players join the spectators' talk once the game is over";
                Err(Denial::Forbidden(message.to_owned()))
            }
        }
    }

    fn may_read(&self, room: TalkRoom, game: &GameId) -> Result<(), Denial> {
        // A moderator who plays is a player first.
        if self.moderates && !self.plays { Ok(()) } else { self.may_enter(room, game) }
    }
}

impl TalkService {
    /// Creates the service. Without `paced` users may send lines at any rate.
    pub(crate) fn new(
        store: Store,
        rooms: RoomRegistry,
        lobby: Lobby,
        time: TimeSource,
        settings: config::TalkConfig,
        paced: bool,
    ) -> Self {
        let rates =
            paced.then(|| Arc::new(RateLimiter::new(limits::TALK_RATE, limits::RATE_KEYS_MAX)));
        let settings = Arc::new(RwLock::new(settings));
        let is_alone = lobby.cluster().is_alone();
        let sent = (!is_alone).then(|| Arc::new(Mutex::new(SentLines::new(time.now_ms()))));
        Self { store, rooms, lobby, time, settings, rates, sent }
    }

    pub(crate) fn reload(&self, settings: config::TalkConfig) {
        *self.settings.write() = settings;
    }

    /// Stores a line. The line is to be broadcast unless the request was carried out before; then
    /// it gets the same answer.
    pub(crate) async fn say(
        &self,
        client: &ClientHandle,
        request: Say,
    ) -> Result<(Done, Option<PendingBroadcast>), Denial> {
        let by = self.speaker(client)?;
        let Say { id, game, room, text } = request;
        let text: Box<str> = checked_text(&text, TALK_CHARS_MAX)?.into();
        let entry = self.entry(&game).await?;
        self.rights(client, &entry).may_enter(room, &game)?;
        let at = self.time.now_ms();
        if let Some(quota) = &client.quota {
            quota.stored.check(at)?;
        }
        if let Some(rates) = &self.rates {
            rates.take(&by.folded(), at).map_err(too_often)?;
        }
        let (by, req) = (by.clone(), id.clone());
        let line = NewLine { game: game.clone(), room, by, req, at, text };
        let (n, dup) = match self.store.say(line.clone()).await? {
            SayOutcome::New(n) => {
                if let Some(quota) = &client.quota {
                    quota.stored.charge(limits::TALK_ROW_BYTES + line.text.len() as u64, at);
                }
                (n, false)
            }
            SayOutcome::Repeated(n) => (n, true),
            SayOutcome::IdReused => return Err(Denial::IdReuse(game)),
        };
        let mut done = Done::new(id);
        done.game = Some(game.clone());
        done.n = Some(n);
        done.dup = dup;
        let NewLine { by, text, .. } = line;
        let for_players =
            (room == TalkRoom::Players).then(|| LineForPlayers { entry, by: by.clone(), at });
        let line = RecentLine { game, room, n, line: Some(TalkLine { n, at, by, text }) };
        Ok((done, (!dup).then_some(PendingBroadcast { line, for_players })))
    }

    pub(crate) async fn unsay(
        &self,
        client: &ClientHandle,
        request: Unsay,
    ) -> Result<(Done, Option<PendingBroadcast>), Denial> {
        self.must_be_enabled()?;
        let by = named(client)?.clone();
        let Unsay { id, game, room, n } = request;
        // Checked before the line is looked up, so that only clients that may read it learn
        // whether it exists.
        let rights = self.rights(client, &self.entry(&game).await?);
        rights.may_read(room, &game).map_err(|_| {
            Denial::Forbidden("only those who may read a room take a line of it back".to_owned())
        })?;
        let within_ms = u64::try_from(limits::UNSAY_WITHIN.as_millis()).unwrap_or(u64::MAX);
        let not_before = self.time.now_ms().saturating_sub(within_ms);
        let author = (!self.moderates(client)).then_some((by, not_before));
        let dup = match self.store.unsay(game.clone(), room, n, author).await? {
            UnsayOutcome::Deleted => false,
            UnsayOutcome::AlreadyDeleted => true,
            UnsayOutcome::NotFound => {
                return Err(Denial::NotFound(format!("line {n} in this room")));
            }
            UnsayOutcome::NotAuthor => {
                return Err(Denial::Forbidden("another user wrote this line".to_owned()));
            }
            UnsayOutcome::TooLate => {
                let minutes = limits::UNSAY_WITHIN.as_secs() / 60;
                let message = format!("what was said can be taken back for {minutes} minutes");
                return Err(Denial::Forbidden(message));
            }
        };
        let mut done = Done::new(id);
        done.game = Some(game.clone());
        done.n = Some(n);
        done.dup = dup;
        let line = RecentLine { game, room, n, line: None };
        Ok((done, (!dup).then_some(PendingBroadcast { line, for_players: None })))
    }

    /// Sends a line or its deletion to the room's subscribers, and reports a line to players who
    /// are away. Call it after the author has the answer.
    pub(crate) async fn broadcast(&self, broadcast: PendingBroadcast) {
        let PendingBroadcast { line, for_players } = broadcast;
        self.lobby.cluster().publish(|| {
            let (game, room, n) = (line.game.clone(), line.room, line.n);
            if line.line.is_some() {
                ClusterEvent::Said { game, room, n }
            } else {
                ClusterEvent::Unsaid { game, room, n }
            }
        });
        self.send(line).await;
        if let Some(LineForPlayers { entry, by, at }) = for_players
            && let Err(error) = self.report_line(&entry, &by, at).await
        {
            let game = &entry.game;
            // operator: the store failed; the players who are away are not notified of the line
            tracing::warn!(%game, %error, "reporting a line to players who are away failed");
        }
    }

    /// Reports a line that a player has written for the other players of a game to those who are
    /// not connected. Each hears of one line in a game until they come back.
    async fn report_line(
        &self,
        entry: &GameEntry,
        by: &UserName,
        at: u64,
    ) -> Result<(), StoreError> {
        let occasions = self.rooms.occasions();
        if !occasions.are_enabled() {
            return Ok(());
        }
        let players = || entry.seats.iter().map(|seat| &seat.user);
        for user in players().filter(|user| !user.is_same(by.as_str())) {
            if self.lobby.is_online(user)
                || !occasions.allows_line(user, &entry.game)
                || self.hides(user, by).await?
                || !occasions.add_line(user, &entry.game)
            {
                continue;
            }
            let subject = OccasionKind::Line(entry.game.clone());
            occasions.report(|| Occasion::by(by, user, players(), &entry.rules, at, subject));
        }
        Ok(())
    }

    /// Whether a user mutes or blocks another.
    async fn hides(&self, user: &UserName, other: &UserName) -> Result<bool, StoreError> {
        for relation in [Relation::Mutes, Relation::Blocks] {
            if has_name(&self.store.related(relation, user.clone()).await?, other) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Sends a line or its deletion to the clients of this node, unless they know it.
    async fn send(&self, line: RecentLine) {
        let RecentLine { game, room, n, line } = line;
        let sent_as = if line.is_some() { SentAs::Said } else { SentAs::Unsaid };
        let is_known =
            self.with_sent(|sent, now| !sent.note((game.clone(), room, n), sent_as, now));
        if is_known == Some(true) {
            return;
        }
        let broadcast = match line {
            Some(line) => said(&game, room, line),
            None => unsaid(&game, room, n),
        };
        self.rooms.broadcast_talk(&game, broadcast).await;
    }

    /// Calls this with the lines that were sent and the time; `None` if the server is alone.
    fn with_sent<T>(&self, call: impl FnOnce(&mut SentLines, u64) -> T) -> Option<T> {
        let sent = self.sent.as_ref()?;
        Some(call(&mut sent.lock(), self.time.now_ms()))
    }

    /// Takes in what this node hears of others.
    pub(crate) async fn on_heard(&self, heard: &Heard) {
        match heard {
            Heard::Event(_, event) => {
                self.with_sent(SentLines::heard);
                self.on_event(event).await;
            }
            // A node that has gone may have stored what it has not announced.
            Heard::Gap | Heard::NodeGone(_) => {
                self.with_sent(|sent, _| sent.missed());
            }
            Heard::Appended(_) => {}
        }
        if self.with_sent(|sent, _| sent.is_incomplete()) == Some(true) {
            self.send_missing().await;
        }
    }

    async fn on_event(&self, event: &ClusterEvent) {
        if let ClusterEvent::Unsaid { game, room, n } = event {
            self.send(RecentLine { game: game.clone(), room: *room, n: *n, line: None }).await;
        }
        if let ClusterEvent::Said { game, room, n } = event {
            match self.line(game, *room, *n).await {
                // A line without text has been deleted meanwhile.
                Ok(None) => {}
                Ok(line) => {
                    self.send(RecentLine { game: game.clone(), room: *room, n: *n, line }).await;
                }
                Err(error) => {
                    // operator: the store failed; the server reads the line again with the next
                    // announcement of another node
                    tracing::warn!(%game, %error, "reading a line of talk failed");
                    self.with_sent(|sent, _| sent.missed());
                }
            }
        }
    }

    /// Sends what other nodes have stored while this one may have missed their announcements. If
    /// the store fails, the next announcement leads to another try.
    async fn send_missing(&self) {
        let Some((now, missing)) = self.with_sent(|sent, now| (now, sent.missing(now))) else {
            return;
        };
        match self.store.recent_talk(missing).await {
            Ok(lines) => {
                for line in lines {
                    self.send(line).await;
                }
                self.with_sent(|sent, _| sent.completed(now));
            }
            // operator: the store failed; the server reads it with the next announcement of another
            // node
            Err(error) => tracing::warn!(%error, "reading what was said meanwhile failed"),
        }
    }

    async fn line(
        &self,
        game: &GameId,
        room: TalkRoom,
        n: u64,
    ) -> Result<Option<TalkLine>, StoreError> {
        let lines = self.store.talk(game.clone(), room, n.saturating_add(1), 1).await?;
        Ok(lines.into_iter().find(|line| line.n == n))
    }

    /// Lists the talk without lines by users whom the client has muted.
    pub(crate) async fn list(
        &self,
        client: &ClientHandle,
        request: Ask,
    ) -> Result<TalkList, Denial> {
        self.must_be_enabled()?;
        let Ask { id, game, room, before, limit } = request;
        self.rights(client, &self.entry(&game).await?).may_read(room, &game)?;
        let limit = limit.unwrap_or(limits::TALK_HISTORY_MAX).clamp(1, limits::TALK_HISTORY_MAX);
        let before = before.unwrap_or(u64::MAX);
        let mut lines = self.store.talk(game.clone(), room, before, limit + 1).await?;
        let more = lines.len() > usize::try_from(limit).unwrap_or(usize::MAX);
        if more {
            lines.remove(0);
        }
        lines.retain(|line| !client.muted.has(&line.by));
        Ok(TalkList { re: id, game, room, lines, more })
    }

    fn must_be_enabled(&self) -> Result<(), Denial> {
        if self.settings.read().enabled {
            return Ok(());
        }
        Err(Denial::Forbidden("talk is switched off on this server".to_owned()))
    }

    /// Returns the client's user if that user may write.
    fn speaker<'a>(&self, client: &'a ClientHandle) -> Result<&'a UserName, Denial> {
        self.must_be_enabled()?;
        if client.guest && !self.settings.read().guests {
            let message = "on this server only users with an account may talk";
            return Err(Denial::Forbidden(message.to_owned()));
        }
        named(client)
    }

    /// Returns whether the client is a moderator. A moderator's bot is not.
    fn moderates(&self, client: &ClientHandle) -> bool {
        let user = client.user.as_ref().filter(|_| !client.guest && !client.bot);
        user.is_some_and(|user| self.settings.read().has_moderator(user))
    }

    async fn entry(&self, game: &GameId) -> Result<GameEntry, Denial> {
        let entry = self.store.game_entry(game).await?;
        entry.ok_or_else(|| Denial::NotFound(format!("game {game}")))
    }

    fn rights(&self, client: &ClientHandle, entry: &GameEntry) -> TalkRights {
        let plays = client
            .user
            .as_ref()
            .is_some_and(|user| entry.seats.iter().any(|seat| seat.user.is_same(user.as_str())));
        let over = entry.result.is_some();
        TalkRights { plays, over, moderates: self.moderates(client) }
    }
}

fn too_often(RetryAfter(retry_after_ms): RetryAfter) -> Denial {
    let what = "lines in ten seconds; wait a little";
    Denial::TooOften { limit: "lines", what, max: limits::TALK_LINES_AT_ONCE, retry_after_ms }
}

fn named(client: &ClientHandle) -> Result<&UserName, Denial> {
    client.user.as_ref().ok_or_else(|| Denial::Forbidden("say who you are to talk".to_owned()))
}

/// Checks a line: visible text of bounded length, with nothing that disturbs the lines around it.
pub(crate) fn checked_text(text: &str, chars_max: usize) -> Result<&str, Denial> {
    let text = text.trim();
    if without_flags(text).any(is_disruptive) {
        let message = "a text has no control characters and nothing that turns text around";
        return Err(Denial::BadMessage(message.to_owned()));
    }
    let visible = |letter: char| !letter.is_whitespace() && !is_invisible(letter);
    if !text.chars().any(visible) || text.chars().count() > chars_max {
        let message = format!("a text has 1 to {chars_max} characters");
        return Err(Denial::BadMessage(message));
    }
    Ok(text)
}

/// Control characters, line and paragraph ends, overrides of the text direction, and marks and
/// tags that hide text.
fn is_disruptive(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{2028}'..='\u{202e}'
                | '\u{2066}'..='\u{206f}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

/// The characters without the tags of flags: a black flag, tags that spell a region, and the tag
/// that ends them are one picture.
fn without_flags(text: &str) -> impl Iterator<Item = char> {
    let (mut rest, mut is_flag) = (text.chars(), false);
    std::iter::from_fn(move || {
        loop {
            let letter = rest.next()?;
            let is_tag = matches!(letter, '\u{e0020}'..='\u{e007f}');
            if is_flag && is_tag {
                is_flag = letter != '\u{e007f}';
                continue;
            }
            is_flag = letter == '\u{1f3f4}';
            return Some(letter);
        }
    })
}

/// Characters of which nothing is seen: those with the property `Default_Ignorable_Code_Point` of
/// Unicode, which some scripts need inside words, and two blanks that are no white space.
const fn is_invisible(letter: char) -> bool {
    matches!(
        letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}' | '\u{2800}' | '\u{1d159}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_what_can_be_seen() {
        let england = "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}";
        for good in
            [england, "hi", " gg ", "«naïve»", "שלום 12", "👩‍👩‍👧 👍🏽", "क्‍ष", "a", &"x".repeat(500)]
        {
            assert_eq!(checked_text(good, TALK_CHARS_MAX).unwrap(), good.trim(), "{good:?}");
        }
        let long = "ü".repeat(501);
        for bad in [
            "",
            "   ",
            "\u{200b}",
            "\u{3164}\u{feff} ",
            "\u{2800}\u{115f}\u{180b}\u{180e}\u{17b4}\u{1d159}\u{1d173}",
            "\u{1f3f4}x\u{e0067}",
            "a\nb",
            "a\tb",
            "\u{7}",
            "a\u{0}b",
            "\u{9b}31m",
            "\u{202e}evil",
            "a\u{2066}b\u{2069}",
            "a\u{2028}b",
            "x\u{e0041}",
            &long,
        ] {
            assert!(checked_text(bad, TALK_CHARS_MAX).is_err(), "{bad:?}");
        }
    }
}
