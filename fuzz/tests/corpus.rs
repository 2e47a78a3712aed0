//! Replays every stored input of the fuzzers through its target.

use std::{fs, path::Path};

fn replay(target: &str, case: fn(&[u8])) {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("cargo-fuzz/corpus").join(target);
    let mut inputs = 0;
    for entry in fs::read_dir(&directory).expect("the corpus exists") {
        let path = entry.expect("the corpus can be listed").path();
        case(&fs::read(path).expect("the corpus can be read"));
        inputs += 1;
    }
    assert!(inputs > 0, "{} is empty", directory.display());
}

#[test]
fn notation() {
    replay("notation", adamant_fuzz_cases::notation);
}

#[test]
fn sketch() {
    replay("sketch", adamant_fuzz_cases::sketch);
}

#[test]
fn text_record() {
    replay("text_record", adamant_fuzz_cases::text_record);
}

#[test]
fn journal() {
    replay("journal", adamant_fuzz_cases::journal);
}

#[test]
fn frame() {
    replay("frame", adamant_fuzz_cases::frame);
}
