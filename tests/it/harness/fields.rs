//! Builds frames.

use serde_json::Value;

/// Adds fields to a frame, or replaces them.
pub(crate) fn with(mut frame: Value, fields: Value) -> Value {
    let (Some(object), Value::Object(fields)) = (frame.as_object_mut(), fields) else {
        panic!("frames and fields are objects")
    };
    object.extend(fields);
    frame
}
