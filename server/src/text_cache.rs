//! A cache of the text records of finished games. They never change, and writing one takes a replay
//! of the game.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

use adamant_protocol::GameId;

use crate::limits::TEXT_CACHE_BYTES_MAX;

/// The text records that were inserted last. The lock is held briefly.
#[derive(Debug, Default)]
pub(crate) struct TextCache(Mutex<CachedTexts>);

#[derive(Debug, Default)]
struct CachedTexts {
    bytes: usize,
    /// The latest insertion is at the back.
    texts: VecDeque<(GameId, Arc<str>)>,
}

impl TextCache {
    /// Returns the text of a game, if cached.
    pub(crate) fn get(&self, game: &GameId) -> Option<Arc<str>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.texts.iter().find(|(other, _)| other == game).map(|(_, text)| Arc::clone(text))
    }

    /// Inserts the text of a finished game, and evicts the oldest if needed.
    pub(crate) fn insert(&self, game: &GameId, text: &Arc<str>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.texts.iter().any(|(other, _)| other == game) {
            return;
        }
        kept.bytes += text.len();
        kept.texts.push_back((game.clone(), Arc::clone(text)));
        while kept.bytes > TEXT_CACHE_BYTES_MAX {
            let Some((_, oldest)) = kept.texts.pop_front() else { return };
            kept.bytes -= oldest.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oldest_texts_are_evicted_first() {
        let texts = TextCache::default();
        let text: Arc<str> = "x".repeat(TEXT_CACHE_BYTES_MAX / 2).into();
        let games = ["a", "b", "c"].map(|name| name.parse::<GameId>().unwrap());
        for game in &games {
            texts.insert(game, &text);
            texts.insert(game, &text);
        }
        let kept = games.each_ref().map(|game| texts.get(game).is_some());
        assert_eq!(kept, [false, true, true]);
        let huge: Arc<str> = "x".repeat(TEXT_CACHE_BYTES_MAX + 1).into();
        texts.insert(&games[0], &huge);
        assert_eq!(games.each_ref().map(|game| texts.get(game).is_some()), [false; 3]);
    }
}
