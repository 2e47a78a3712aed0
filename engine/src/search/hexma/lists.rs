//! The moves of positions, in the order that searches have found, for all threads of a thought.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::board::Step;

/// A move with the value that the position after it has for the seat that makes it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Branch {
    pub(super) mv: Step,
    pub(super) value: i32,
}

/// Parts that threads lock one by one.
const PARTS: usize = 64;

type Part = HashMap<u64, Vec<Branch>>;

/// Lists of moves, by the hash of their position.
pub(super) struct Lists {
    parts: [Mutex<Part>; PARTS],
    /// How many lists a part holds at the most.
    part_max: usize,
}

impl Lists {
    /// Holds about so many lists.
    pub(super) fn new(most: usize) -> Self {
        Self { parts: std::array::from_fn(|_| Mutex::default()), part_max: most.div_ceil(PARTS) }
    }

    fn part(&self, hash: u64) -> MutexGuard<'_, Part> {
        let number = (hash >> 40) as usize % PARTS;
        lock(&self.parts[number])
    }

    /// A copy of a list.
    pub(super) fn get(&self, hash: u64) -> Option<Vec<Branch>> {
        self.part(hash).get(&hash).cloned()
    }

    /// The first move of a list.
    pub(super) fn best(&self, hash: u64) -> Option<Branch> {
        self.part(hash).get(&hash)?.first().copied()
    }

    /// Keeps a list if there is room, or in the place of an earlier one.
    pub(super) fn put(&self, hash: u64, list: Vec<Branch>) {
        let mut part = self.part(hash);
        if part.len() < self.part_max || part.contains_key(&hash) {
            part.insert(hash, list);
        }
    }

    /// How many lists there are, and how many there may be.
    pub(super) fn fill(&self) -> (usize, usize) {
        let lists = self.parts.iter().map(|part| lock(part).len()).sum();
        (lists, self.part_max * PARTS)
    }
}

fn lock(part: &Mutex<Part>) -> MutexGuard<'_, Part> {
    part.lock().unwrap_or_else(PoisonError::into_inner)
}
