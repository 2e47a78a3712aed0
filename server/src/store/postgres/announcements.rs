//! Announces events to the other nodes, after their commits and on a connection of its own.
//!
//! An announcement waits for no disk and no standby: what it points to was committed before. Its
//! text is a line with the node, its epoch and a number, then what the node announces. The numbers
//! of a node's epoch have no holes, so a node that misses one notices.
//!
//! An event is a line of JSON. Records that were appended to a game begin with a line that names
//! the game, the seq of the last record, and how many of the last records follow, one a line.

use std::{
    collections::HashMap,
    fmt::Write as _,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use adamant_protocol::GameId;
use bytes::Bytes;
use parking_lot::Mutex;
use tokio::{
    sync::Notify,
    time::{Instant, sleep, sleep_until},
};
use tokio_util::sync::CancellationToken;

use super::{connection::Connection, dialer::Dialer, errors::Failure};
use crate::{
    cluster::{AppendedRecords, ClusterEvent, EventBus, NodeId},
    limits::{
        POSTGRES_ANNOUNCE_EVERY, POSTGRES_ANNOUNCED_RECORDS_BYTES, POSTGRES_ANNOUNCEMENT_BYTES,
        POSTGRES_ANNOUNCEMENTS_AT_ONCE, POSTGRES_DIAL_EVERY, POSTGRES_EVENTS_MAX,
    },
};

/// Bytes of the first line at most: a name and two numbers.
const HEADER_BYTES: usize = 64;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Announcement {
    pub(super) node: NodeId,
    pub(super) epoch: i64,
    /// Counts the announcements of the run from 1.
    pub(super) number: u64,
    pub(super) appended: Vec<AppendedRecords>,
    pub(super) events: Vec<ClusterEvent>,
}

impl Announcement {
    pub(super) fn from_text(text: &str) -> Option<Self> {
        let (header, body) = text.split_once('\n')?;
        let [node, epoch, number] = words(header)?;
        let mut announcement = Self {
            node: node.parse().ok()?,
            epoch: epoch.parse().ok()?,
            number: number.parse().ok()?,
            appended: Vec::new(),
            events: Vec::new(),
        };
        // All records share one copy of the text.
        let body = Bytes::copy_from_slice(body.as_bytes());
        let mut lines = std::str::from_utf8(&body).ok()?.split('\n');
        while let Some(line) = lines.next() {
            // An event without fields is a JSON string.
            if line.starts_with(['{', '"']) {
                announcement.events.extend(ClusterEvent::from_text(line));
                continue;
            }
            let [game, until, count] = words(line)?;
            let (game, until) = (game.parse().ok()?, until.parse().ok()?);
            let count: usize = count.parse().ok()?;
            let record = |_| Some(body.slice_ref(lines.next()?.as_bytes()));
            let records = (0..count).map(record).collect::<Option<Vec<Bytes>>>()?;
            announcement.appended.push(AppendedRecords { game, until, records });
        }
        Some(announcement)
    }
}

pub(super) fn is_of(node: NodeId, text: &str) -> bool {
    text.strip_prefix(node.as_str()).is_some_and(|rest| rest.starts_with(' '))
}

fn words<const N: usize>(line: &str) -> Option<[&str; N]> {
    let mut words = line.split(' ');
    let mut found = [""; N];
    for word in &mut found {
        *word = words.next()?;
    }
    words.next().is_none().then_some(found)
}

pub(super) fn text(node: NodeId, epoch: i64, number: u64, lines: &str) -> String {
    format!("{} {epoch} {number}\n{lines}", node.as_str())
}

/// What is announced as lines, in as few announcements as it fits in.
#[derive(Debug, Default)]
pub(super) struct PackedEvents {
    pub(super) lines: Vec<String>,
    /// Whether an event is longer than an announcement may be.
    pub(super) has_dropped: bool,
}

impl PackedEvents {
    /// Packs appended records and events. Records that are too long are only named.
    pub(super) fn of(
        appended: impl Iterator<Item = AppendedRecords>,
        events: &[ClusterEvent],
    ) -> Self {
        let (mut packed, mut lines) = (Self::default(), String::new());
        for appended in appended {
            name(&mut lines, &appended.game, appended.until, &appended.records);
            if !packed.push(&lines) {
                name(&mut lines, &appended.game, appended.until, &[]);
                packed.push(&lines);
            }
        }
        for event in events {
            let fits = packed.push(&event.to_text());
            packed.has_dropped |= !fits;
        }
        packed
    }

    fn push(&mut self, added: &str) -> bool {
        let most = POSTGRES_ANNOUNCEMENT_BYTES - HEADER_BYTES;
        if added.len() > most {
            return false;
        }
        match self.lines.last_mut() {
            Some(lines) if lines.len() + 1 + added.len() <= most => {
                lines.push('\n');
                lines.push_str(added);
            }
            _ => self.lines.push(added.to_owned()),
        }
        true
    }
}

/// Writes the lines of records. Those that cannot be a line are only named.
fn name(text: &mut String, game: &GameId, until: u64, records: &[Bytes]) {
    let count = if records.iter().all(|record| is_line(record)) { records.len() } else { 0 };
    text.clear();
    write!(text, "{game} {until} {count}").expect("a string takes any text");
    for line in records[..count].iter().filter_map(|record| std::str::from_utf8(record).ok()) {
        text.push('\n');
        text.push_str(line);
    }
}

/// Whether a record can be a line of an announcement. Every record can.
fn is_line(record: &[u8]) -> bool {
    !record.iter().any(|byte| matches!(byte, b'\n' | b'\0')) && std::str::from_utf8(record).is_ok()
}

/// What waits. Several appends to a game are announced as one. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(super) struct EventQueue(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    waiting: Mutex<WaitingEvents>,
    added: Notify,
}

#[derive(Debug, Default)]
pub(super) struct WaitingEvents {
    pub(super) appended: HashMap<GameId, AppendedRecords>,
    bytes: usize,
    /// The events, in order.
    pub(super) others: Vec<ClusterEvent>,
    pub(super) has_dropped: bool,
}

impl WaitingEvents {
    fn is_empty(&self) -> bool {
        self.appended.is_empty() && self.others.is_empty() && !self.has_dropped
    }

    fn push(&mut self, event: ClusterEvent) {
        if self.is_full() {
            self.has_dropped = true;
        } else {
            self.others.push(event);
        }
    }

    fn is_full(&self) -> bool {
        self.appended.len() + self.others.len() >= POSTGRES_EVENTS_MAX
    }

    fn push_appended(&mut self, mut appended: AppendedRecords) {
        if self.bytes + appended.bytes() > POSTGRES_ANNOUNCED_RECORDS_BYTES {
            appended.records.clear();
        }
        let added = appended.bytes();
        if let Some(known) = self.appended.get_mut(&appended.game) {
            let before = known.bytes();
            known.add(appended);
            self.bytes = self.bytes - before + known.bytes();
        } else if self.is_full() {
            self.has_dropped = true;
        } else {
            self.bytes += added;
            self.appended.insert(appended.game.clone(), appended);
        }
    }
}

impl EventBus for EventQueue {
    fn publish(&self, event: ClusterEvent) {
        self.0.waiting.lock().push(event);
        self.0.added.notify_one();
    }
}

impl EventQueue {
    /// Announces records that a standby has. Never waits.
    pub(super) fn publish_appended(&self, appended: impl Iterator<Item = AppendedRecords>) {
        let mut waiting = self.0.waiting.lock();
        appended.for_each(|appended| waiting.push_appended(appended));
        drop(waiting);
        self.0.added.notify_one();
    }

    /// Waits for events and takes all of them. One task calls this.
    pub(super) async fn take(&self) -> WaitingEvents {
        loop {
            let taken = self.take_now();
            if !taken.is_empty() {
                return taken;
            }
            self.0.added.notified().await;
        }
    }

    pub(super) fn take_now(&self) -> WaitingEvents {
        std::mem::take(&mut *self.0.waiting.lock())
    }
}

pub(super) const CHANNEL: &str = "adamant";

/// All of them are one transaction, for which the listening servers wake once.
const NOTIFY: &str = "SELECT pg_notify($1, texts.text) FROM unnest($2::text[]) AS texts (text)";

#[derive(Debug)]
pub(super) struct Announcer {
    dialer: Arc<Dialer>,
    queue: EventQueue,
    node: NodeId,
    epoch: Arc<AtomicI64>,
    connection: Option<Arc<Connection>>,
    last: (i64, u64),
}

impl Announcer {
    pub(super) fn new(
        dialer: Arc<Dialer>,
        queue: EventQueue,
        node: NodeId,
        epoch: Arc<AtomicI64>,
    ) -> Self {
        Self { dialer, queue, node, epoch, connection: None, last: (0, 0) }
    }

    pub(super) async fn run(mut self, stop: CancellationToken) {
        loop {
            let queue = self.queue.clone();
            let Some(waiting) = stop.run_until_cancelled(queue.take()).await else { break };
            let started = Instant::now();
            if stop.run_until_cancelled(self.announce(waiting)).await.is_none() {
                return;
            }
            sleep_until(started + POSTGRES_ANNOUNCE_EVERY).await;
        }
        let rest = self.queue.take_now();
        self.announce(rest).await;
    }

    async fn announce(&mut self, waiting: WaitingEvents) {
        let WaitingEvents { appended, others, has_dropped, .. } = waiting;
        let packed = PackedEvents::of(appended.into_values(), &others);
        if has_dropped || packed.has_dropped {
            // A number that is never sent, so that the other nodes notice.
            self.next_number();
            // operator: PostgreSQL was unreachable for too long. The other nodes notice and read
            // from the database
            tracing::warn!(node = %self.node, "announcements to the other nodes were dropped");
        }
        for lines in packed.lines.chunks(POSTGRES_ANNOUNCEMENTS_AT_ONCE) {
            let numbered = |lines: &String| {
                let (epoch, number) = self.next_number();
                text(self.node, epoch, number, lines)
            };
            let texts: Vec<String> = lines.iter().map(numbered).collect();
            // A second copy has the same number and is not heard twice.
            let mut has_failed = false;
            while let Err(failure) = self.send(&texts).await {
                if !has_failed {
                    // operator: PostgreSQL was away. The node tries again until it succeeds
                    tracing::warn!(node = %self.node, ?failure, "announcing to the other nodes failed");
                }
                has_failed = true;
                self.connection = None;
                sleep(POSTGRES_DIAL_EVERY).await;
            }
        }
    }

    fn next_number(&mut self) -> (i64, u64) {
        let epoch = self.epoch.load(Ordering::SeqCst);
        let number = if self.last.0 == epoch { self.last.1 + 1 } else { 1 };
        self.last = (epoch, number);
        self.last
    }

    async fn send(&mut self, texts: &[String]) -> Result<(), Failure> {
        let connection = self.dialer.without_waiting(&mut self.connection).await?;
        connection.query(NOTIFY, &[&CHANNEL, &texts]).await.map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONGEST: usize =
        POSTGRES_ANNOUNCEMENT_BYTES - HEADER_BYTES - "g000000000000000 0 1\n".len();

    fn games(count: u32, record: &str) -> Vec<AppendedRecords> {
        let appended = |n| AppendedRecords {
            game: format!("g{n:015}").parse().unwrap(),
            until: u64::from(n),
            records: vec![Bytes::copy_from_slice(record.as_bytes())],
        };
        (0..count).map(appended).collect()
    }

    fn packed(appended: &[AppendedRecords]) -> PackedEvents {
        PackedEvents::of(appended.iter().cloned(), &[])
    }

    #[test]
    fn announcements_keep_their_text_form() {
        let event = ClusterEvent::Watching { game: "k7q2mx".parse().unwrap(), spectators: 2 };
        let node: NodeId = "one".parse().unwrap();
        let mut appended = games(2, r#"{"t":"moved"}"#);
        appended[0].records.clear();
        let packed = PackedEvents::of(appended.iter().cloned(), std::slice::from_ref(&event));
        let text = text(node, 3, 9, &packed.lines[0]);
        assert_eq!(
            text,
            "one 3 9\ng000000000000000 0 0\ng000000000000001 1 1\n{\"t\":\"moved\"}\n\
             {\"watching\":{\"game\":\"k7q2mx\",\"spectators\":2}}"
        );
        let events = vec![event];
        let announcement = Announcement { node, epoch: 3, number: 9, appended, events };
        assert_eq!(Announcement::from_text(&text), Some(announcement));
    }

    #[test]
    fn events_without_fields_are_announced() {
        let events = [ClusterEvent::OnlineWanted, ClusterEvent::KeysChanged];
        let packed = PackedEvents::of(games(1, "{}").into_iter(), &events);
        let text = text("one".parse().unwrap(), 3, 9, &packed.lines[0]);
        let announcement = Announcement::from_text(&text).unwrap();
        assert_eq!(
            (announcement.appended, &announcement.events[..]),
            (games(1, "{}"), &events[..])
        );
    }

    #[test]
    fn a_node_knows_its_own_announcements() {
        let node: NodeId = "one".parse().unwrap();
        for (text, is_own) in [
            (text(node, 3, 9, "{}"), true),
            (text("one-2".parse().unwrap(), 3, 9, "{}"), false),
            (text("two".parse().unwrap(), 3, 9, "one 3 9"), false),
            ("one".to_owned(), false),
        ] {
            assert_eq!(is_of(node, &text), is_own, "{text}");
        }
    }

    #[test]
    fn text_that_is_malformed_is_no_announcement() {
        for text in [
            "",
            "hello",
            "one 3\n{}",
            "one 3 9",
            "one 3 9 9\n{}",
            "one 3 x\n{}",
            "one 3 9\n",
            "one 3 9\nk7q2mx 5",
            "one 3 9\nk7q2mx 5 x",
            "one 3 9\nk7q2mx 5 1",
            "one 3 9\nk7q2mx 5 2\n{\"seq\":5}",
            "one 3 9\nk7q2mx 5 18446744073709551615\n{\"seq\":5}",
            "one 3 9\nk7q2mx -1 0",
            "one 3 9\nno game 5 0",
            "one 3 9\n{\"newer\":1}\nk7q2mx 5 0 0",
        ] {
            assert_eq!(Announcement::from_text(text), None, "{text:?}");
        }
    }

    #[test]
    fn many_records_are_split_and_none_is_lost() {
        let games = games(1000, &"x".repeat(400));
        let packed = packed(&games);
        let node: NodeId = "a-node-of-16-let".parse().unwrap();
        let mut found = Vec::new();
        for lines in &packed.lines {
            let text = text(node, i64::MAX, u64::MAX, lines);
            assert!(text.len() <= POSTGRES_ANNOUNCEMENT_BYTES, "{}", text.len());
            found.extend(Announcement::from_text(&text).unwrap().appended);
        }
        assert!(!packed.has_dropped);
        assert_eq!(packed.lines.len(), 1000_usize.div_ceil(18));
        assert_eq!(found, games);
    }

    #[test]
    fn records_that_are_too_long_are_only_named() {
        for (record, lines) in [
            ("x".repeat(LONGEST), 2),
            ("x".repeat(LONGEST + 1), 1),
            ("a\nb".to_owned(), 1),
            ("a\0b".to_owned(), 1),
        ] {
            let packed = packed(&games(1, &record));
            let [text] = &packed.lines[..] else { panic!("{packed:?}") };
            assert_eq!(text.lines().count(), lines);
            assert!(!packed.has_dropped);
        }
    }

    #[test]
    fn an_event_that_is_too_long_is_dropped_and_that_is_noticed() {
        let users = vec!["a".repeat(20).parse().unwrap(); POSTGRES_ANNOUNCEMENT_BYTES / 20];
        let event = ClusterEvent::OnlineUsers { users, is_first: true };
        let packed = PackedEvents::of(std::iter::empty(), &[event]);
        assert!(packed.has_dropped && packed.lines.is_empty());
    }

    #[test]
    fn several_appends_to_a_game_are_announced_as_one() {
        let (queue, game): (EventQueue, GameId) =
            (EventQueue::default(), "k7q2mx".parse().unwrap());
        let appended = |until: u64| AppendedRecords {
            game: game.clone(),
            until,
            records: vec![until.to_string().into()],
        };
        for seq in [3, 4, 3] {
            queue.publish_appended(std::iter::once(appended(seq)));
        }
        let both = AppendedRecords { records: vec!["3".into(), "4".into()], ..appended(4) };
        assert_eq!(queue.take_now().appended, HashMap::from([(game.clone(), both)]));
        assert!(queue.take_now().is_empty());
    }

    #[test]
    fn records_beyond_the_limit_are_only_named() {
        let queue = EventQueue::default();
        let half: Bytes = vec![b'x'; POSTGRES_ANNOUNCED_RECORDS_BYTES / 2].into();
        let games: Vec<GameId> = (0..4).map(|n| format!("game{n}").parse().unwrap()).collect();
        let appended = |game: &GameId| AppendedRecords {
            game: game.clone(),
            until: 3,
            records: vec![half.clone()],
        };
        queue.publish_appended(games[..3].iter().map(appended));
        // It replaces records, whose place another game has then.
        let longer = AppendedRecords { until: 5, records: vec!["5".into()], ..appended(&games[0]) };
        queue.publish_appended(std::iter::once(longer));
        queue.publish_appended(games[3..].iter().map(appended));
        let waiting = queue.take_now();
        let bytes: Vec<usize> = games.iter().map(|game| waiting.appended[game].bytes()).collect();
        assert_eq!(bytes, [0, half.len(), 0, half.len()]);
        assert!(!waiting.has_dropped);
        queue.publish_appended(games[3..].iter().map(appended));
        assert_eq!(queue.take_now().appended[&games[3]].bytes(), half.len());
    }

    #[test]
    fn what_does_not_fit_is_noticed() {
        let (queue, game): (EventQueue, GameId) =
            (EventQueue::default(), "k7q2mx".parse().unwrap());
        for spectators in 0..=POSTGRES_EVENTS_MAX {
            let spectators = u32::try_from(spectators).unwrap();
            queue.publish(ClusterEvent::Watching { game: game.clone(), spectators });
        }
        let taken = queue.take_now();
        assert!(taken.has_dropped);
        assert_eq!(taken.others.len(), POSTGRES_EVENTS_MAX);
    }
}
