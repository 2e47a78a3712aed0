//! A cache of what takes long to make and never changes, bounded by its bytes.

use std::collections::VecDeque;

use parking_lot::{Mutex, MutexGuard};

/// The values that were inserted last. The lock is held briefly.
#[derive(Debug)]
pub(crate) struct Cache<K, V> {
    bytes_max: usize,
    kept: Mutex<Kept<K, V>>,
}

#[derive(Debug)]
struct Kept<K, V> {
    bytes: usize,
    /// Each with its bytes. The latest insertion is at the back.
    values: VecDeque<(K, V, usize)>,
}

impl<K: PartialEq, V: Clone> Cache<K, V> {
    /// Returns an empty cache of so many bytes.
    pub(crate) const fn new(bytes_max: usize) -> Self {
        Self { bytes_max, kept: Mutex::new(Kept { bytes: 0, values: VecDeque::new() }) }
    }

    fn kept(&self) -> MutexGuard<'_, Kept<K, V>> {
        self.kept.lock()
    }

    /// Returns the value of a key, if cached.
    pub(crate) fn get(&self, key: &K) -> Option<V> {
        let kept = self.kept();
        kept.values.iter().find(|(other, ..)| other == key).map(|(_, value, _)| value.clone())
    }

    /// Inserts a value of so many bytes, and evicts the oldest if needed.
    pub(crate) fn insert(&self, key: K, value: V, bytes: usize) {
        let mut kept = self.kept();
        if kept.values.iter().any(|(other, ..)| *other == key) {
            return;
        }
        kept.bytes += bytes;
        kept.values.push_back((key, value, bytes));
        while kept.bytes > self.bytes_max {
            let Some((_, _, oldest)) = kept.values.pop_front() else { return };
            kept.bytes -= oldest;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oldest_values_are_evicted_first() {
        let cache = Cache::new(100);
        for key in ["a", "b", "c"] {
            cache.insert(key, key, 50);
            cache.insert(key, key, 50);
        }
        assert_eq!(["a", "b", "c"].map(|key| cache.get(&key)), [None, Some("b"), Some("c")]);
        cache.insert("a", "a", 101);
        assert_eq!(["a", "b", "c"].map(|key| cache.get(&key)), [None; 3]);
    }
}
