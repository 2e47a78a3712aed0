//! Chat about games: permissions, rates, and deletion. A line is stored before it is sent to
//! anyone, beside the game's record and never in it. The room delivers it to its subscribers.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use adamant_protocol::{
    GameId, ToClient, UserName,
    from_client::{Say, Talk as Ask, Unsay},
    to_client::{Done, GameEntry, Said, TalkLine, TalkList, Unsaid},
    values::TalkRoom,
};

use crate::{
    cluster::{ClusterEvent, Heard},
    config,
    error::Denial,
    limits::{
        RATE_KEYS_MAX, TALK_CHARS_MAX, TALK_HISTORY_MAX, TALK_LINES_AT_ONCE, TALK_RATE,
        TALK_ROW_BYTES, UNSAY_WITHIN,
    },
    lobby::Lobby,
    outbound::{client::ClientHandle, frame::Frame},
    rate_limiter::{RateLimiter, RetryAfter},
    room::{TalkBroadcast, registry::RoomRegistry},
    runtime::time::TimeSource,
    store::{NewLine, SayOutcome, Store, StoreError, UnsayOutcome},
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
}

/// A line, or its deletion, that the room sends once its author has the answer.
#[derive(Debug)]
pub(crate) struct PendingBroadcast {
    game: GameId,
    broadcast: TalkBroadcast,
    /// The line, if players who are away are to hear of it.
    line: Option<LineForPlayers>,
    /// What other nodes hear of it.
    event: ClusterEvent,
}

/// A line that a player has written for the other players.
#[derive(Debug)]
struct LineForPlayers {
    entry: GameEntry,
    by: UserName,
    at: u64,
}

/// Returns the broadcast of a line.
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
            TalkRoom::Players => Err(Denial::NotAPlayer(game.clone())),
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
        let rates = paced.then(|| Arc::new(RateLimiter::new(TALK_RATE, RATE_KEYS_MAX)));
        let settings = Arc::new(RwLock::new(settings));
        Self { store, rooms, lobby, time, settings, rates }
    }

    fn settings(&self) -> RwLockReadGuard<'_, config::TalkConfig> {
        self.settings.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Applies reloaded settings.
    pub(crate) fn reload(&self, settings: config::TalkConfig) {
        *self.settings.write().unwrap_or_else(PoisonError::into_inner) = settings;
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
        let text: Box<str> = checked_text(&text)?.into();
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
        let (n, dup) = match self.store.talk.say(line.clone()).await? {
            SayOutcome::New(n) => {
                if let Some(quota) = &client.quota {
                    quota.stored.charge(TALK_ROW_BYTES + line.text.len() as u64, at);
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
        let line =
            (room == TalkRoom::Players).then(|| LineForPlayers { entry, by: by.clone(), at });
        let event = ClusterEvent::Said { game: game.clone(), room, n };
        let broadcast = said(&game, room, TalkLine { n, at, by, text });
        Ok((done, (!dup).then_some(PendingBroadcast { game, broadcast, line, event })))
    }

    /// Deletes a line.
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
        let within_ms = u64::try_from(UNSAY_WITHIN.as_millis()).unwrap_or(u64::MAX);
        let not_before = self.time.now_ms().saturating_sub(within_ms);
        let author = (!self.moderates(client)).then_some((by, not_before));
        let dup = match self.store.talk.unsay(game.clone(), room, n, author).await? {
            UnsayOutcome::Deleted => false,
            UnsayOutcome::AlreadyDeleted => true,
            UnsayOutcome::NotFound => {
                return Err(Denial::NotFound(format!("line {n} in this room")));
            }
            UnsayOutcome::NotAuthor => {
                return Err(Denial::Forbidden("another user wrote this line".to_owned()));
            }
            UnsayOutcome::TooLate => {
                let minutes = UNSAY_WITHIN.as_secs() / 60;
                let message = format!("what was said can be taken back for {minutes} minutes");
                return Err(Denial::Forbidden(message));
            }
        };
        let mut done = Done::new(id);
        done.game = Some(game.clone());
        done.n = Some(n);
        done.dup = dup;
        let broadcast = unsaid(&game, room, n);
        let (line, event) = (None, ClusterEvent::Unsaid { game: game.clone(), room, n });
        Ok((done, (!dup).then_some(PendingBroadcast { game, broadcast, line, event })))
    }

    /// Sends a line or its deletion to the room's subscribers, and reports a line to players who
    /// are away. Call it after the author has the answer.
    pub(crate) async fn broadcast(&self, broadcast: PendingBroadcast) {
        let PendingBroadcast { game, broadcast, line, event } = broadcast;
        self.lobby.cluster().publish(|| event);
        self.rooms.broadcast_talk(&game, broadcast).await;
        if let Some(LineForPlayers { entry, by, at }) = line
            && let Err(error) = self.lobby.report_line(&entry, &by, at).await
        {
            tracing::warn!(%game, %error, "reporting a line to players who are away failed");
        }
    }

    /// Takes in what this node hears of others.
    pub(crate) async fn on_heard(&self, heard: &Heard) {
        let broadcast = match heard {
            Heard::Event(_, ClusterEvent::Said { game, room, n }) => {
                match self.line(game, *room, *n).await {
                    Ok(Some(line)) => (game, said(game, *room, line)),
                    // It has been deleted meanwhile.
                    Ok(None) => return,
                    Err(error) => {
                        tracing::warn!(%game, %error, "reading a line of talk failed");
                        return;
                    }
                }
            }
            Heard::Event(_, ClusterEvent::Unsaid { game, room, n }) => {
                (game, unsaid(game, *room, *n))
            }
            Heard::Event(..) | Heard::Appended(_) | Heard::Gap | Heard::NodeGone(_) => return,
        };
        self.rooms.broadcast_talk(broadcast.0, broadcast.1).await;
    }

    /// Reads one line.
    async fn line(
        &self,
        game: &GameId,
        room: TalkRoom,
        n: u64,
    ) -> Result<Option<TalkLine>, StoreError> {
        let lines = self.store.talk.talk(game.clone(), room, n.saturating_add(1), 1).await?;
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
        let limit = limit.unwrap_or(TALK_HISTORY_MAX).clamp(1, TALK_HISTORY_MAX);
        let before = before.unwrap_or(u64::MAX);
        let mut lines = self.store.talk.talk(game.clone(), room, before, limit + 1).await?;
        let more = lines.len() > usize::try_from(limit).unwrap_or(usize::MAX);
        if more {
            lines.remove(0);
        }
        lines.retain(|line| !client.muted.has(&line.by));
        Ok(TalkList { re: id, game, room, lines, more })
    }

    fn must_be_enabled(&self) -> Result<(), Denial> {
        if self.settings().enabled {
            return Ok(());
        }
        Err(Denial::Forbidden("talk is switched off on this server".to_owned()))
    }

    /// Returns the client's user if that user may write.
    fn speaker<'a>(&self, client: &'a ClientHandle) -> Result<&'a UserName, Denial> {
        self.must_be_enabled()?;
        if client.guest && !self.settings().guests {
            let message = "on this server only users with an account may talk";
            return Err(Denial::Forbidden(message.to_owned()));
        }
        named(client)
    }

    /// Returns whether the client is a moderator. A moderator's bot is not.
    fn moderates(&self, client: &ClientHandle) -> bool {
        let user = client.user.as_ref().filter(|_| !client.guest && !client.bot);
        user.is_some_and(|user| self.settings().has_moderator(user))
    }

    async fn entry(&self, game: &GameId) -> Result<GameEntry, Denial> {
        let entry = self.store.games.entry(game).await?;
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
    Denial::TooOften { limit: "lines", what, max: TALK_LINES_AT_ONCE, retry_after_ms }
}

fn named(client: &ClientHandle) -> Result<&UserName, Denial> {
    client.user.as_ref().ok_or_else(|| Denial::Forbidden("say who you are to talk".to_owned()))
}

/// Checks a line: visible text of bounded length, with nothing that disturbs the lines around it.
fn checked_text(text: &str) -> Result<&str, Denial> {
    let text = text.trim();
    if text.chars().any(is_disruptive) {
        let message = "a line has no control characters and nothing that turns text around";
        return Err(Denial::BadMessage(message.to_owned()));
    }
    let visible = |letter: char| !letter.is_whitespace() && !is_invisible(letter);
    if !text.chars().any(visible) || text.chars().count() > TALK_CHARS_MAX {
        let message = format!("a line has 1 to {TALK_CHARS_MAX} characters");
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

/// Characters without width. Some scripts need them inside words.
const fn is_invisible(letter: char) -> bool {
    matches!(
        letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}'
            | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_what_can_be_seen() {
        for good in ["hi", " gg ", "«naïve»", "שלום 12", "👩‍👩‍👧 👍🏽", "क्‍ष", "a", &"x".repeat(500)]
        {
            assert_eq!(checked_text(good).unwrap(), good.trim(), "{good:?}");
        }
        let long = "ü".repeat(501);
        for bad in [
            "",
            "   ",
            "\u{200b}",
            "\u{3164}\u{feff} ",
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
            assert!(checked_text(bad).is_err(), "{bad:?}");
        }
    }
}
