//! Plays the examples of `docs/PROTOCOL.md` on a real server, frame by frame. Everything on the
//! wire must have an example.

use std::{
    collections::BTreeSet,
    fs,
    panic::{AssertUnwindSafe, resume_unwind},
};

use adamant_protocol::{CloseCode, EventBody, FromClient, ToClient};
use futures::{FutureExt as _, TryStreamExt as _, stream};
use serde_json::Value;

use super::{
    markdown,
    markdown::{Block, LineKind},
    matcher::{Bindings, Pattern},
    runner::Runner,
};
use crate::harness::{repository, schema};

fn document() -> String {
    fs::read_to_string(repository().join("docs/PROTOCOL.md")).expect("it is there")
}

fn blocks(document: &str) -> Vec<Block> {
    markdown::read(document).unwrap_or_else(|why| panic!("docs/PROTOCOL.md, {why}"))
}

/// Returns the words after `scene` if the block opens one.
fn scene(block: &mut Block) -> Option<Vec<String>> {
    let LineKind::Setup { words, .. } = &block.lines.first()?.kind else { return None };
    let (first, rest) = words.split_first()?;
    if first != "scene" {
        return None;
    }
    let rest = rest.to_vec();
    block.lines.remove(0);
    Some(rest)
}

/// Scenes that are played at the same time: they mostly wait.
const SCENES_AT_ONCE: usize = 3;

async fn play(document: &str) {
    let mut scenes = Vec::new();
    for mut block in blocks(document).into_iter().filter(|block| block.played) {
        if let Some(words) = scene(&mut block) {
            scenes.push((words, Vec::new()));
        }
        match scenes.last_mut() {
            Some((_, blocks)) => blocks.push(block),
            None => panic!("line {}: no scene yet", block.number),
        }
    }
    let played = stream::iter(scenes.into_iter().map(Ok)).try_for_each_concurrent(
        SCENES_AT_ONCE,
        |(words, blocks)| {
            let playing = async move {
                let mut runner = Runner::open(&words).await;
                for block in blocks {
                    runner.play(&block).await;
                }
            };
            AssertUnwindSafe(playing).catch_unwind()
        },
    );
    if let Err(failure) = played.await {
        // The other scenes have gone without a word: only the one that failed prints what it did.
        resume_unwind(failure);
    }
}

#[tokio::test]
async fn every_example_happens_as_shown() {
    play(&document()).await;
}

/// The control of the test above.
#[tokio::test]
#[should_panic(expected = "t0: 123 is not as shown")]
async fn a_wrong_example_is_found() {
    let wrong = "<!-- frames\nscene\nann joins\n-->\n```frames\n\
                 ann> {\"type\":\"ping\",\"id\":\"p\",\"t0\":123}\n\
                 ann< {\"type\":\"pong\",\"re\":\"p\",\"t0\":124, ..}\n```\n";
    play(wrong).await;
}

#[test]
fn every_frame_in_the_document_is_in_a_frames_block() {
    let document = document();
    let mut fence = None;
    for (index, line) in document.lines().enumerate() {
        if let Some(kind) = line.strip_prefix("```") {
            fence = if fence.is_some() { None } else { Some(kind) };
        }
        let is_frame = line.contains(r#"> {"type":"#) || line.contains(r#"< {"type":"#);
        assert!(
            fence != Some("") || !is_frame,
            "docs/PROTOCOL.md, line {}: frames stand in blocks that begin with ```frames (how: \
             CONTRIBUTING.md, \"an example\")",
            index + 1
        );
    }
}

#[test]
fn unplayed_examples_are_complete_and_in_the_schema() {
    for line in
        blocks(&document()).iter().filter(|block| !block.played).flat_map(|block| &block.lines)
    {
        let number = line.number;
        let whole = |pattern: &Pattern| match pattern.whole(&Bindings::default()) {
            Ok(frame) => frame,
            Err(why) => panic!("line {number}: {why}, though nothing is played here"),
        };
        let fault = match &line.kind {
            LineKind::Send { text, .. } => {
                let pattern =
                    Pattern::read(text).unwrap_or_else(|why| panic!("line {number}: {why}"));
                schema::fault_in_request(&whole(&pattern))
            }
            LineKind::Receive { frame, .. } => schema::fault_in_message(&whole(frame)),
            LineKind::Closed { code, reason, .. } => {
                let known = CloseCode::from_number(*code);
                (known.map(CloseCode::reason) != Some(reason)).then(|| format!("close {code}"))
            }
            LineKind::Setup { .. } => None,
        };
        assert_eq!(fault, None, "line {number}");
    }
}

/// What the visible examples contain.
#[derive(Default)]
struct Coverage {
    requests: BTreeSet<String>,
    messages: BTreeSet<String>,
    kinds: BTreeSet<String>,
    codes: BTreeSet<String>,
    closes: BTreeSet<String>,
}

impl Coverage {
    fn add(&mut self, kind: &LineKind) {
        match kind {
            LineKind::Send { text, .. } => {
                let pattern = Pattern::read(text).ok();
                self.requests.extend(
                    pattern.as_ref().and_then(|pattern| pattern.text_of("type")).map(str::to_owned),
                );
            }
            LineKind::Receive { frame, .. } => {
                self.messages.extend(frame.text_of("type").map(str::to_owned));
                self.kinds.extend(frame.text_of("kind").map(str::to_owned));
                self.codes.extend(frame.text_of("code").map(str::to_owned));
            }
            LineKind::Closed { code, .. } => {
                self.closes.insert(code.to_string());
            }
            LineKind::Setup { .. } => {}
        }
    }
}

/// Every error code, except those reserved for future versions.
fn error_codes() -> Vec<String> {
    let schema = adamant_protocol::schema::document();
    let code = &schema["$defs"]["ErrorCode"];
    let consts = code["oneOf"].as_array().into_iter().flatten().map(|one| &one["const"]);
    let listed = code["enum"].as_array().into_iter().flatten();
    consts.chain(listed).filter_map(Value::as_str).map(str::to_owned).collect()
}

#[test]
fn everything_on_the_wire_has_an_example() {
    let mut seen = Coverage::default();
    for block in blocks(&document()).iter().filter(|block| block.visible) {
        block.lines.iter().for_each(|line| seen.add(&line.kind));
    }
    let owned = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
    let closes = CloseCode::ALL.map(|code| code.number().to_string()).to_vec();
    let mut missing = Vec::new();
    for (what, all, seen) in [
        ("request", owned(FromClient::TYPES), &seen.requests),
        ("message", owned(ToClient::TYPES), &seen.messages),
        ("event of kind", owned(EventBody::KINDS), &seen.kinds),
        ("error with code", error_codes(), &seen.codes),
        ("close with code", closes, &seen.closes),
    ] {
        assert!(!all.is_empty(), "there is no {what}");
        let lacking = all.into_iter().filter(|word| !seen.contains(word));
        missing.extend(lacking.map(|word| format!("{what} {word}")));
    }
    assert!(
        missing.is_empty(),
        "docs/PROTOCOL.md shows no example of:\n  {}\nPut each into a block fenced as `frames` \
         (how: CONTRIBUTING.md, \"an example\").",
        missing.join("\n  ")
    );
}
