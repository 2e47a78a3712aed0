//! `cargo bench -p adamant-bench`: the server's part of a move besides the rules, step by step:
//! parsing the request, sealing the record, making it durable, and building the frames. Sockets,
//! queues and tasks are the rest of the cost; `adamant-bench` measures them.

use std::{hint::black_box, path::Path};

use adamant_bench::{CASES, Case, Middle};
use adamant_protocol::{RequestId, codec::decode, to_client::Done};
use adamant_record::Head;
use adamant_rules::Event;
use adamant_server::bench_api::{self, BenchJournal};
use divan::{Bencher, counter::ItemsCount};
use tempfile::TempDir;
use tokio::runtime;

/// Counts allocations beside the time.
#[global_allocator]
static ALLOCATIONS: divan::AllocProfiler = divan::AllocProfiler::system();

fn main() {
    divan::main();
}

/// Long enough for a middle, short enough that most games last that long.
const PLIES: usize = 60;

/// A move in the middle of a game, with the server's state at that point.
#[derive(Clone)]
struct Moment {
    middle: Middle,
    head: Head,
    re: RequestId,
    event: Event,
}

impl Moment {
    fn of(case: Case) -> Self {
        let game = case.played(PLIES);
        let middle = game.middle()[game.middle().len() / 2].clone();
        let event = middle.decide().first().expect("a move is an event").clone();
        let mut head = Head::new("k7q2mx".parse().expect("it is an id"));
        head.seq = u64::from(middle.table.ply()) + 2;
        Self { middle, head, re: "k7q2mx:17".parse().expect("it is an id"), event }
    }

    /// The move as its client sends it.
    fn request(&self) -> String {
        let Self { middle, re, head, .. } = self;
        format!(
            r#"{{"type":"move","id":"{re}","game":"{}","turn":{},"move":"{}"}}"#,
            head.game,
            middle.table.turn(),
            middle.notation
        )
    }

    fn record(&mut self) -> Vec<u8> {
        self.head.append(&self.event, self.middle.table.position(), Some(&self.re))
    }
}

#[divan::bench(args = CASES)]
fn read_request(bencher: Bencher<'_, '_>, case: &Case) {
    let request = Moment::of(*case).request();
    bencher.bench_local(|| decode(black_box(request.as_bytes())).expect("it is a request"));
}

#[divan::bench(args = CASES)]
fn seal_record(bencher: Bencher<'_, '_>, case: &Case) {
    let moment = Moment::of(*case);
    bencher.with_inputs(|| moment.clone()).bench_local_refs(Moment::record);
}

/// Once for all clients: the record behind the header of its frame.
#[divan::bench(args = CASES)]
fn frame_event(bencher: Bencher<'_, '_>, case: &Case) {
    let record = Moment::of(*case).record();
    bencher.bench_local(|| bench_api::event_frame(black_box(&record)));
}

#[divan::bench]
fn frame_ok(bencher: Bencher<'_, '_>) {
    let moment = Moment::of(CASES[0]);
    bencher.bench_local(|| {
        let mut done = Done::new(moment.re.clone());
        done.game = Some(moment.head.game.clone());
        done.seq = Some(black_box(moment.head.seq));
        done.turn = Some(black_box(moment.middle.table.turn()));
        bench_api::frame(&done.into())
    });
}

#[divan::bench(args = CASES)]
fn frame_your_turn(bencher: Bencher<'_, '_>, case: &Case) {
    let Moment { middle, head, .. } = Moment::of(*case);
    bencher.bench_local(|| {
        bench_api::your_turn_frame(black_box(&middle.table), &head, middle.seat, false)
    });
}

/// The same for a client that asks for the legal moves: most of the frame is their list.
#[divan::bench(args = CASES)]
fn frame_your_turn_with_legal(bencher: Bencher<'_, '_>, case: &Case) {
    let Moment { middle, head, .. } = Moment::of(*case);
    bencher.bench_local(|| {
        bench_api::your_turn_frame(black_box(&middle.table), &head, middle.seat, true)
    });
}

#[divan::bench(args = CASES)]
fn frame_snapshot(bencher: Bencher<'_, '_>, case: &Case) {
    let Moment { middle, head, re, .. } = Moment::of(*case);
    bencher.bench_local(|| {
        bench_api::frame(&bench_api::snapshot(black_box(&middle.table), &head, re.clone()))
    });
}

/// The answer to one click: the cells to start from, and the targets of the piece on that cell.
#[divan::bench(args = CASES)]
fn frame_hints(bencher: Bencher<'_, '_>, case: &Case) {
    let Moment { middle, head, re, .. } = Moment::of(*case);
    let position = middle.table.position();
    let sources = position.sources();
    let from = position.cell_name(*sources.first().expect("there is a move"));
    bencher.bench_local(|| {
        let table = black_box(&middle.table);
        let hints = bench_api::hints(table, middle.seat, &head, re.clone(), from.as_str());
        bench_api::frame(&hints.expect("there is such a cell"))
    });
}

/// Records submitted at once, each of its own game, with their flush, on the disk of the build's
/// directory. The items are records.
#[divan::bench(args = [1, 10, 100, 1_000])]
fn append_to_journal(bencher: Bencher<'_, '_>, records: usize) {
    let mut moment = Moment::of(CASES[0]);
    let record = moment.record();
    let runtime = runtime::Builder::new_current_thread().build().expect("a runtime starts");
    let files = TempDir::new_in(Path::new(env!("CARGO_TARGET_TMPDIR"))).expect("a directory");
    let creating = BenchJournal::create(files.path(), records, &moment.middle.table, record);
    let mut journal = runtime.block_on(creating).expect("the journal is made");
    bencher.counter(ItemsCount::new(records)).bench_local(|| {
        runtime.block_on(journal.append(records)).expect("the disk takes it");
    });
}
