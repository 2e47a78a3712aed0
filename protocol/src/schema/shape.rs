//! The shape of one message.

use std::borrow::Cow;

use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Value, json};

/// One message: its word on the wire, the name of its definition, and its schema.
pub(crate) struct Shape {
    pub(super) word: &'static str,
    pub(super) name: Cow<'static, str>,
    pub(super) schema: Value,
}

impl Shape {
    /// Returns the shape of the message that is encoded with this type.
    pub(crate) fn of<T: JsonSchema>(word: &'static str, generator: &mut SchemaGenerator) -> Self {
        Self { word, name: T::schema_name(), schema: T::json_schema(generator).to_value() }
    }

    /// Adds a required field that identifies the type.
    pub(super) fn tag(&mut self, key: &str, value: Value) {
        let object = self.schema.as_object_mut().expect("a message is described by an object");
        let properties = object.entry("properties").or_insert_with(|| json!({}));
        properties.as_object_mut().expect("properties are an object").insert(key.to_owned(), value);
        let required = object.entry("required").or_insert_with(|| json!([]));
        required.as_array_mut().expect("required is a list").insert(0, Value::from(key));
    }

    /// Adds an optional field.
    pub(super) fn optional(&mut self, key: &str, value: Value) {
        self.schema["properties"][key] = value;
    }
}
