//! The text of an announcement: a line with the node, its epoch and a number, then a line for each
//! event. The numbers of a node's epoch have no holes, so a node that misses one notices.

use adamant_protocol::GameId;

use crate::{
    cluster::{ClusterEvent, NodeId},
    limits::{POSTGRES_ANNOUNCED_GAMES, POSTGRES_ANNOUNCEMENT_BYTES},
};

/// Bytes of the first line at most: a name and two numbers.
const HEADER_BYTES: usize = 64;

/// An announcement of another node.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Announcement {
    /// Who announces.
    pub(super) node: NodeId,
    /// The node's run.
    pub(super) epoch: i64,
    /// Counts the announcements of the run from 1.
    pub(super) number: u64,
    /// The events whose kind is known.
    pub(super) events: Vec<ClusterEvent>,
}

impl Announcement {
    /// Reads an announcement; `None` if the text is none.
    pub(super) fn from_text(text: &str) -> Option<Self> {
        let (header, body) = text.split_once('\n')?;
        let mut words = header.split(' ');
        let (node, epoch, number) = (words.next()?, words.next()?, words.next()?);
        let events = body.lines().filter_map(ClusterEvent::from_text).collect();
        Some(Self {
            node: node.parse().ok()?,
            epoch: epoch.parse().ok()?,
            number: number.parse().ok()?,
            events,
        })
    }
}

/// Returns the text of an announcement with these lines.
pub(super) fn text(node: NodeId, epoch: i64, number: u64, lines: &str) -> String {
    format!("{} {epoch} {number}\n{lines}", node.as_str())
}

/// Events as lines, in as few announcements as they fit in.
#[derive(Debug, Default)]
pub(super) struct PackedEvents {
    /// The lines of each announcement.
    pub(super) lines: Vec<String>,
    /// Whether an event is longer than an announcement may be.
    pub(super) has_dropped: bool,
}

impl PackedEvents {
    /// Packs appends and other events.
    pub(super) fn of(appended: &[(GameId, u64)], events: Vec<ClusterEvent>) -> Self {
        let mut packed = Self::default();
        let games = appended.chunks(POSTGRES_ANNOUNCED_GAMES);
        for event in games.map(|games| ClusterEvent::Appended(games.to_vec())).chain(events) {
            packed.push(&event.to_text());
        }
        packed
    }

    fn push(&mut self, event: &str) {
        let most = POSTGRES_ANNOUNCEMENT_BYTES - HEADER_BYTES;
        if event.len() > most {
            self.has_dropped = true;
            return;
        }
        match self.lines.last_mut() {
            Some(lines) if lines.len() + 1 + event.len() <= most => {
                lines.push('\n');
                lines.push_str(event);
            }
            _ => self.lines.push(event.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn games(count: u32) -> Vec<(GameId, u64)> {
        (0..count).map(|n| (format!("g{n:015}").parse().unwrap(), u64::from(n))).collect()
    }

    #[test]
    fn announcements_keep_their_text_form() {
        let event = ClusterEvent::Watching { game: "k7q2mx".parse().unwrap(), spectators: 2 };
        let node: NodeId = "one".parse().unwrap();
        let packed = PackedEvents::of(&games(1), vec![event.clone()]);
        let text = text(node, 3, 9, &packed.lines[0]);
        let events = vec![ClusterEvent::Appended(games(1)), event];
        let announcement = Announcement { node, epoch: 3, number: 9, events };
        assert_eq!(Announcement::from_text(&text), Some(announcement));
        assert_eq!(Announcement::from_text("hello"), None);
    }

    #[test]
    fn many_events_are_split_and_none_is_lost() {
        let packed = PackedEvents::of(&games(1000), Vec::new());
        let node: NodeId = "a-node-of-16-let".parse().unwrap();
        let mut found = Vec::new();
        for lines in &packed.lines {
            let text = text(node, i64::MAX, u64::MAX, lines);
            assert!(text.len() <= POSTGRES_ANNOUNCEMENT_BYTES, "{}", text.len());
            for event in Announcement::from_text(&text).unwrap().events {
                let ClusterEvent::Appended(games) = event else { panic!("{event:?}") };
                found.extend(games);
            }
        }
        assert!(!packed.has_dropped && packed.lines.len() > 1);
        assert_eq!(found, games(1000));
    }
}
