//! The schema, compared with a recorded one.

use std::{env, fs, path::Path};

use adamant_protocol::schema::{closed_document, document};
use serde_json::{Value, json};

use crate::resolved::resolved;

/// The recorded schema.
const FIXTURE: &str = "tests/fixtures/schema-1.resolved.json";

/// Set, it makes the test below write the fixture instead of comparing with it.
const UPDATE: &str = "UPDATE_FIXTURES";

/// Fails after every change of a field, a bound, a code or a reason. Names of types and their
/// documentation may change freely. Of the open schema the fixture keeps how it differs from the
/// closed one.
///
/// After a wanted change, `UPDATE_FIXTURES=1 cargo test -p adamant-protocol --test wire` records
/// the schema anew. The diff of the fixture belongs to the review of the change.
#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the variable is for the maintainer who changes the wire"
)]
fn the_schema_is_the_recorded_one() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(FIXTURE);
    let closed = resolved(&closed_document());
    let mut opened = Vec::new();
    compare(&closed, &resolved(&document()), "", &mut opened);
    let present = json!({ "closed": closed, "opened": opened });
    if env::var_os(UPDATE).is_some() {
        let mut text = serde_json::to_string_pretty(&present).unwrap();
        text.push('\n');
        fs::write(&path, text).unwrap();
    }
    let recorded: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let mut differences = Vec::new();
    compare(&recorded, &present, "", &mut differences);
    assert!(differences.is_empty(), "the wire has changed:\n{}", differences.join("\n"));
}

/// Collects the places where two values differ.
fn compare(recorded: &Value, present: &Value, place: &str, differences: &mut Vec<String>) {
    match (recorded, present) {
        (Value::Object(before), Value::Object(after)) => {
            let added = after.keys().filter(|key| !before.contains_key(*key));
            for key in before.keys().chain(added) {
                let (before, after) = (&recorded[key], &present[key]);
                compare(before, after, &format!("{place}/{key}"), differences);
            }
        }
        (before, after) if before == after => {}
        (before, after) => differences.push(format!("{place}: {before} is now {after}")),
    }
}
