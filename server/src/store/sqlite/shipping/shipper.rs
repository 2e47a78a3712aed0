//! The thread that ships: each second a segment, and now and then a copy of the database. A share
//! that hangs stops this thread and nothing else.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io,
    os::unix::fs::FileExt as _,
    path::PathBuf,
    sync::Arc,
    thread::{self, JoinHandle},
    time::Duration,
};

use bytes::Bytes;
use data_encoding::HEXLOWER;
use parking_lot::Mutex;
use rand::RngExt as _;
use serde_json::json;
use tokio::time::{Instant, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use super::{
    capture::Capture,
    destination::Destination,
    layout::{self, BEGIN, CopyHead, copy_head_name, copy_name, generation_name, segment_name},
    segment::{EncodedSegment, FORMAT},
};
use crate::{
    config::ShippingConfig,
    limits::{SHIP_BEGIN_WAIT, SHIP_COPY_RETRY, SHIP_READ_BYTES, SHIP_SOON_SHARE, SHIPPED_LATE},
    runtime::{
        entropy::Entropy,
        metrics::{Metrics, Warning},
        time::{TimeSource, timestamp},
    },
    signing::KEY_FILES,
};

/// Why a generation ends whose directory somebody has removed.
const GONE: &str = "what was shipped is gone from the second place";

/// When the second place last had all that was stored.
#[derive(Debug, Clone)]
pub(super) struct LastShipped(Arc<Mutex<Instant>>);

impl LastShipped {
    /// Counts from the start before the first time.
    pub(super) fn new() -> Self {
        Self(Arc::new(Mutex::new(Instant::now())))
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.0.lock().elapsed()
    }
}

/// The present generation: the segments since a copy of the database that nothing interrupts.
#[derive(Debug)]
struct Generation {
    name: String,
    /// The hash of the last segment.
    hash: String,
    /// The number of the last segment.
    shipped: u64,
    /// The keys as they were shipped last.
    keys: BTreeMap<&'static str, Vec<u8>>,
    /// A segment that the second place has not taken yet.
    waiting: Option<EncodedSegment>,
    copies: u32,
    copying: Option<Copying>,
    /// A copy whose segments are not all shipped.
    copied: Option<(u32, CopyHead)>,
    /// When the last copy was whole, and after how many segments.
    whole: Option<(Instant, u64)>,
    /// When a copy may begin after one has failed.
    copy_after: Instant,
    /// Stops the copy.
    stop: CancellationToken,
}

/// A copy that is under way. It returns its length and hash.
#[derive(Debug)]
struct Copying {
    number: u32,
    first: u64,
    thread: JoinHandle<io::Result<(u64, String)>>,
}

impl Drop for Generation {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

#[derive(Debug)]
pub(super) struct Shipper {
    pub(super) parts: ShipperParts,
    time: TimeSource,
    present: Option<Generation>,
    /// The last generation that this server has begun, and when.
    begun: Option<(String, Instant)>,
    last_at: u64,
    is_failing: bool,
    is_late: bool,
}

/// What ships, and what it needs.
#[derive(Debug)]
pub(super) struct ShipperParts {
    pub(super) destination: Destination,
    pub(super) config: ShippingConfig,
    pub(super) directory: PathBuf,
    pub(super) capture: Arc<Mutex<Capture>>,
    pub(super) database: Arc<File>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) last: LastShipped,
    pub(super) stop: CancellationToken,
}

impl Shipper {
    pub(super) fn new(parts: ShipperParts) -> Self {
        let time = TimeSource::from_system();
        let (present, begun, last_at) = (None, None, 0);
        Self { parts, time, present, begun, last_at, is_failing: false, is_late: false }
    }

    /// Ships until the stop, and then once more.
    pub(super) async fn run(mut self) {
        let mut seconds = interval(self.parts.config.every);
        seconds.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let stops = tokio::select! {
                biased;
                () = self.parts.stop.cancelled() => true,
                _ = seconds.tick() => false,
            };
            let shipped = self.ship().await;
            self.report(shipped);
            if stops {
                return;
            }
        }
    }

    fn report(&mut self, shipped: io::Result<()>) {
        match shipped {
            Ok(()) => {
                if std::mem::take(&mut self.is_failing) {
                    // operator: end of `shipping fails`
                    tracing::info!("shipping succeeds again");
                }
                // Segments alone restore nothing.
                if self.present.as_ref().is_some_and(|present| present.whole.is_some()) {
                    *self.parts.last.0.lock() = Instant::now();
                }
            }
            Err(error)
                if layout::is_full(&error)
                    && make_room(
                        &self.parts.destination,
                        self.present.as_ref().map_or("", |present| &present.name),
                    ) => {}
            Err(error) if !self.is_failing => {
                self.is_failing = true;
                // operator: the second place does not take what the server ships: the share is not
                // mounted or full, or the command fails. Games go on. Logged once, until it does
                tracing::warn!(%error, "shipping fails");
            }
            Err(_) => {}
        }
        let is_late = self.parts.last.elapsed() > SHIPPED_LATE;
        self.parts.metrics.set_warning(Warning::NotShipped, is_late);
        if is_late && !self.is_late {
            let seconds = self.parts.last.elapsed().as_secs();
            // operator: with the machine more than the last second would be lost: shipping fails or
            // is slow, or the copy after a start takes its time. Logged once, until it has caught up
            tracing::warn!(seconds, "the second place is behind");
        }
        self.is_late = is_late;
    }

    pub(super) async fn ship(&mut self) -> io::Result<()> {
        if let Some(why) = self.look() {
            self.begin(why).await?;
            if let Some(why) = self.look() {
                return Err(io::Error::other(why));
            }
        }
        let at = self.time.machine_ms().max(self.last_at);
        self.last_at = at;
        if self.present.is_some() && !self.is_own_there()? {
            self.parts.capture.lock().lose(GONE);
            return Err(io::Error::other(GONE));
        }
        let Some(present) = &mut self.present else { return Ok(()) };
        // One that waits, and what has come since.
        for _ in 0..2 {
            if present.waiting.is_none() {
                let taken = self.parts.capture.lock().take(at);
                let Some(segment) = taken else { break };
                present.waiting = Some(segment.encode(&present.hash)?);
            }
            let Some(segment) = &present.waiting else { break };
            self.parts.capture.lock().waiting = segment.bytes.len();
            let (name, file) = (segment_name(segment.number), segment.bytes.clone());
            self.parts.destination.put_one(&present.name, &name, file).await?;
            self.parts.capture.lock().waiting = 0;
            if let Some(segment) = present.waiting.take() {
                (present.shipped, present.hash) = (segment.number, segment.hash);
            }
        }
        if self.parts.config.with_key {
            self.ship_keys().await?;
        }
        self.end_copy().await?;
        self.begin_copy_when_due()
    }

    /// Ships the keys that are new, such as after the first start or after an operator has replaced
    /// one.
    async fn ship_keys(&mut self) -> io::Result<()> {
        let Some(present) = &mut self.present else { return Ok(()) };
        for name in KEY_FILES {
            let key = match fs::read(self.parts.directory.join(name)) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                read => read?,
            };
            if present.keys.get(name) != Some(&key) {
                let file = Bytes::copy_from_slice(&key);
                self.parts.destination.put_one(&present.name, name, file).await?;
                present.keys.insert(name, key);
            }
        }
        Ok(())
    }

    /// Collects what was committed; returns why the segments do not continue, if so.
    fn look(&self) -> Option<&'static str> {
        let mut capture = self.parts.capture.lock();
        capture.follow();
        capture.gap()
    }

    /// Whether the last generation is in the second place. Refuses to ship beside another server: each
    /// would remove what the other has shipped, and a restore would find the one that has started
    /// last.
    fn is_own_there(&self) -> io::Result<bool> {
        let (Destination::Directory(place), Some((own, _))) =
            (&self.parts.destination, &self.begun)
        else {
            return Ok(true);
        };
        let (newest, is_there) = layout::newest_and(place, own)?;
        if let Some(other) = newest.filter(|newest| newest > own) {
            return Err(io::Error::other(format!(
                "another server ships to {}, too: it has begun {other}; name a directory of its \
                 own for each, and restart this one",
                place.display()
            )));
        }
        Ok(is_there)
    }

    /// Begins a generation, once the second place takes files.
    async fn begin(&mut self, why: &'static str) -> io::Result<()> {
        self.is_own_there()?;
        // A generation without a whole copy that ends at once is worth nothing, and the next one
        // would fare no better.
        let is_useless = self.present.as_ref().is_some_and(|present| present.whole.is_none());
        let has_just_begun = |begun: &(_, Instant)| begun.1.elapsed() < SHIP_BEGIN_WAIT;
        if is_useless && self.begun.as_ref().is_some_and(has_just_begun) {
            return Err(io::Error::other(why));
        }
        self.present = None;
        let mut now_ms = self.time.machine_ms().max(self.last_at);
        if let Destination::Directory(place) = &self.parts.destination {
            now_ms = layout::behind_all(place, now_ms)?;
        }
        self.last_at = now_ms;
        let name = generation_name(now_ms, Entropy::System.random());
        let begin = json!({ "format": FORMAT, "at": timestamp(now_ms), "why": why });
        let put = self.parts.destination.put_one(&name, BEGIN, begin.to_string().into());
        put.await?;
        // operator: the server begins to ship, at a start or after a gap; until the copy of the
        // database is whole, what was shipped before counts
        tracing::info!(generation = name, why, "shipping begins with a copy of the database");
        self.parts.capture.lock().begin();
        self.begun = Some((name.clone(), Instant::now()));
        // A server that ends again and again before its copy is whole leaves none behind.
        self.remove_old(&name)?;
        self.present = Some(Generation {
            hash: name.clone(),
            name,
            shipped: 0,
            keys: BTreeMap::new(),
            waiting: None,
            copies: 0,
            copying: None,
            copied: None,
            whole: None,
            copy_after: Instant::now(),
            stop: CancellationToken::new(),
        });
        Ok(())
    }

    /// Ends a copy, and names it whole once all segments that it needs are shipped.
    async fn end_copy(&mut self) -> io::Result<()> {
        let Some(present) = &mut self.present else { return Ok(()) };
        if let Some(Copying { number, first, thread }) =
            present.copying.take_if(|copying| copying.thread.is_finished())
        {
            let copied = thread.join().unwrap_or_else(|_| Err(io::Error::other("it panicked")));
            match copied {
                Ok((bytes, hash)) => {
                    let mut capture = self.parts.capture.lock();
                    capture.follow();
                    let until = capture.needed_until();
                    let head = CopyHead { until, bytes, hash, ..CopyHead::new(first) };
                    present.copied = Some((number, head));
                }
                // The next copy begins at once if there is room for it now.
                Err(error)
                    if layout::is_full(&error)
                        && make_room(&self.parts.destination, &present.name) => {}
                Err(error) => {
                    present.copy_after = Instant::now() + SHIP_COPY_RETRY;
                    // operator: as with `shipping fails`; the next copy begins in a minute
                    tracing::warn!(%error, "the copy of the database was not shipped");
                }
            }
        }
        let is_whole = |(_, head): &mut (u32, CopyHead)| head.until <= present.shipped;
        let Some((number, head)) = present.copied.take_if(is_whole) else { return Ok(()) };
        let head = CopyHead { at: self.last_at, ..head };
        let (name, file) = (copy_head_name(number), serde_json::to_vec(&head)?);
        if let Err(error) = self.parts.destination.put_one(&present.name, &name, file.into()).await
        {
            present.copied = Some((number, head));
            return Err(error);
        }
        present.whole = Some((Instant::now(), present.shipped));
        // operator: from this moment on, what is stored can be restored from the second place
        tracing::info!(bytes = head.bytes, "a copy of the database was shipped");
        let name = present.name.clone();
        self.remove_old(&name)
    }

    /// Removes what is not kept, beside the present generation. Many files, of which nobody waits
    /// for the end.
    fn remove_old(&self, present: &str) -> io::Result<()> {
        if let Destination::Directory(place) = self.parts.destination.clone() {
            let (name, keep) = (present.to_owned(), self.parts.config.keep.get());
            let soon = self.parts.config.copy_every / SHIP_SOON_SHARE;
            thread::Builder::new().name("store-shipper".to_owned()).spawn(move || {
                if let Err(error) = layout::remove_old(&place, &name, keep, soon) {
                    // operator: old generations stay in the second place. Look at its permissions
                    tracing::warn!(%error, "what was shipped long ago could not be removed");
                }
            })?;
        }
        Ok(())
    }

    /// Begins a copy if there is none, or the last one is old and something has been stored since.
    fn begin_copy_when_due(&mut self) -> io::Result<()> {
        let Some(present) = &mut self.present else { return Ok(()) };
        let is_due = present.whole.is_none_or(|(at, shipped)| {
            at.elapsed() >= self.parts.config.copy_every && present.shipped > shipped
        });
        let is_under_way = present.copying.is_some() || present.copied.is_some();
        if is_under_way || !is_due || present.copy_after > Instant::now() {
            return Ok(());
        }
        present.copies += 1;
        let (number, first) = (present.copies, self.parts.capture.lock().needed_from());
        let (destination, generation) = (self.parts.destination.clone(), present.name.clone());
        let (database, stop) = (Arc::clone(&self.parts.database), present.stop.clone());
        let mut parts = Parts { database, stop, offset: 0, hasher: blake3::Hasher::new() };
        let copy = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(destination.put(&generation, &copy_name(number), &mut parts))?;
            Ok((parts.offset, HEXLOWER.encode(parts.hasher.finalize().as_bytes())))
        };
        let thread = thread::Builder::new().name("store-copier".to_owned()).spawn(copy)?;
        present.copying = Some(Copying { number, first, thread });
        Ok(())
    }
}

/// Gives up the oldest copy in a place that is full, unless it is the only one. Returns whether it
/// has.
fn make_room(destination: &Destination, present: &str) -> bool {
    let Destination::Directory(place) = destination else { return false };
    match layout::remove_oldest(place, present) {
        Ok(false) => false,
        Ok(true) => {
            // operator: the second place is full, and the server has removed the oldest copy
            // there with what only that one needs. Give the place more room, or lower
            // `store.shipping.keep`
            tracing::warn!("the second place is full: its oldest copy is removed");
            true
        }
        Err(error) => {
            // operator: old generations stay in the second place. Look at its permissions
            tracing::warn!(%error, "what was shipped long ago could not be removed");
            false
        }
    }
}

/// The database's file in parts. The writer may change it meanwhile: the segments put that right.
struct Parts {
    database: Arc<File>,
    stop: CancellationToken,
    offset: u64,
    hasher: blake3::Hasher,
}

impl Parts {
    fn read(&mut self) -> io::Result<Bytes> {
        if self.stop.is_cancelled() {
            return Err(io::Error::other("the generation has ended"));
        }
        let mut part = vec![0; SHIP_READ_BYTES];
        let read = self.database.read_at(&mut part, self.offset)?;
        part.truncate(read);
        self.hasher.update(&part);
        self.offset += read as u64;
        Ok(part.into())
    }
}

impl Iterator for Parts {
    type Item = io::Result<Bytes>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.read() {
            Ok(part) if part.is_empty() => None,
            part => Some(part),
        }
    }
}
