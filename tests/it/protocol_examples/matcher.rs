//! Frames as the document shows them: JSON in which `..` stands for what is left out.
//!
//! `..` as a value matches any value, among the fields of an object any further fields, as the last
//! element of a list any further elements, and at the end of a text the rest of it. Ids, secrets
//! and chains differ from run to run: the document's value is a name for the server's value, the
//! same throughout a scene. Times match any number.

use std::collections::HashMap;

use serde_json::Value;

/// The mark for what is left out.
const REST: &str = "..";

/// Fields whose texts the server chooses at random, or that depend on such texts.
const NAMED_BY_SERVER: [&str; 11] = [
    "game",
    "challenge",
    "invite",
    "token",
    "token_id",
    "recovery",
    "session",
    "chain",
    "key",
    "keys",
    "sig",
];

/// Fields with unpredictable numbers, besides all that end with `_at`.
const UNPREDICTABLE: [&str; 17] = [
    "created",
    "expires",
    "last_used",
    "at",
    "ts",
    "t1",
    "t2",
    "since",
    "deadline",
    "until",
    "spent_ms",
    "lag_ms",
    "left_ms",
    "in_ms",
    "retry_after_ms",
    "rtt_ms",
    "by_ms",
];

/// A frame as the document shows it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Pattern {
    /// Any value.
    Any,
    /// This text or, if cut, one that begins with it.
    Text { text: String, cut: bool },
    /// A number, `true`, `false` or `null`.
    Plain(Value),
    /// These elements, and more if it is open.
    List { items: Vec<Self>, open: bool },
    /// These fields, and more if it is open.
    Object { fields: Vec<(String, Self)>, open: bool },
}

/// What the document's names stand for in this run.
#[derive(Debug, Default, Clone)]
pub(super) struct Bindings {
    actual: HashMap<String, String>,
}

impl Bindings {
    /// Binds a name of the document to the server's value.
    pub(super) fn bind(&mut self, shown: &str, actual: &str) -> Result<(), String> {
        match self.actual.get(shown) {
            Some(bound) if bound == actual => Ok(()),
            Some(bound) => Err(format!("{shown} was {bound} before and is {actual} here")),
            None => {
                let other = self.actual.iter().find(|(other, bound)| {
                    *bound == actual && !other.ends_with(REST) && !shown.ends_with(REST)
                });
                if let Some((other, _)) = other {
                    return Err(format!("{shown} is what was called {other} before"));
                }
                self.actual.insert(shown.to_owned(), actual.to_owned());
                Ok(())
            }
        }
    }

    /// Returns what the document's name stands for.
    pub(super) fn known(&self, shown: &str) -> Option<&str> {
        self.actual.get(shown).map(String::as_str)
    }

    /// Replaces the document's names in a text by the server's values.
    fn translate(&self, text: &str) -> String {
        if let Some(actual) = self.actual.get(text) {
            return actual.clone();
        }
        let whole = self.actual.iter().filter(|(shown, _)| !shown.ends_with(REST));
        whole.fold(text.to_owned(), |text, (shown, actual)| text.replace(shown, actual))
    }
}

impl Pattern {
    /// Parses a frame as the document shows it.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let mut reader = Reader { rest: text.trim() };
        let shown = reader.value()?;
        if reader.rest.trim().is_empty() {
            Ok(shown)
        } else {
            Err(format!("{:?} follows the frame", reader.rest))
        }
    }

    /// The field of that name.
    pub(super) fn field(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object { fields, .. } => {
                fields.iter().find(|(known, _)| known == name).map(|(_, value)| value)
            }
            Self::Any | Self::Text { .. } | Self::Plain(_) | Self::List { .. } => None,
        }
    }

    /// The text of that field.
    pub(super) fn text_of(&self, name: &str) -> Option<&str> {
        match self.field(name)? {
            Self::Text { text, cut: false } => Some(text),
            _ => None,
        }
    }

    /// Returns the whole frame, to be sent; fails if something is left out that has no name.
    pub(super) fn whole(&self, names: &Bindings) -> Result<Value, String> {
        let whole = |shown: &Self| shown.whole(names);
        match self {
            Self::Plain(value) => Ok(value.clone()),
            Self::Text { text, cut: false } => Ok(names.translate(text).into()),
            Self::Text { text, cut: true } => match names.actual.get(&format!("{text}{REST}")) {
                Some(actual) => Ok(actual.clone().into()),
                None => Err(format!("nothing before says what {text}{REST} is")),
            },
            Self::List { items, open: false } => {
                items.iter().map(whole).collect::<Result<Vec<_>, _>>().map(Value::from)
            }
            Self::Object { fields, open: false } => {
                let field =
                    |(name, shown): &(String, Self)| Ok((names.translate(name), whole(shown)?));
                fields
                    .iter()
                    .map(field)
                    .collect::<Result<serde_json::Map<_, _>, String>>()
                    .map(Value::from)
            }
            Self::Any | Self::List { open: true, .. } | Self::Object { open: true, .. } => {
                Err("something is left out".to_owned())
            }
        }
    }

    /// Compares a frame with this pattern; the first difference is the error. Binds names that were
    /// not bound yet.
    pub(super) fn compare(&self, value: &Value, names: &mut Bindings) -> Result<(), String> {
        self.compare_at("", value, names)
    }

    fn compare_at(&self, key: &str, value: &Value, names: &mut Bindings) -> Result<(), String> {
        let differs = || Err(format!("{key}: {value} is not as shown"));
        match (self, value) {
            (Self::Any, _) => Ok(()),
            (Self::Plain(Value::Number(_)), Value::Number(_)) if is_time(key) => Ok(()),
            (Self::Plain(shown), value) if shown == value => Ok(()),
            (Self::Text { text, cut }, Value::String(value)) => {
                if NAMED_BY_SERVER.contains(&key) {
                    let name = if *cut { format!("{text}{REST}") } else { text.clone() };
                    return if name == *value { Ok(()) } else { names.bind(&name, value) };
                }
                let text = names.translate(text);
                let fits = if *cut { value.starts_with(&text) } else { *value == text };
                if fits { Ok(()) } else { differs() }
            }
            (Self::List { items, open }, Value::Array(values)) => {
                if values.len() < items.len() || (!open && values.len() > items.len()) {
                    return differs();
                }
                // Elements are named after their list.
                let mut pairs = items.iter().zip(values);
                pairs.try_for_each(|(shown, value)| shown.compare_at(key, value, names))
            }
            (Self::Object { fields, open }, Value::Object(values)) => {
                for (name, shown) in fields {
                    let Some(value) = values.get(&names.translate(name)) else {
                        return Err(format!("{name} is missing"));
                    };
                    shown.compare_at(name, value, names)?;
                }
                let shown =
                    |name: &String| fields.iter().any(|(shown, _)| names.translate(shown) == *name);
                match values.keys().find(|name| !open && !shown(name)) {
                    Some(name) => Err(format!("{name} is not shown")),
                    None => Ok(()),
                }
            }
            _ => differs(),
        }
    }
}

fn is_time(key: &str) -> bool {
    UNPREDICTABLE.contains(&key) || key.ends_with("_at")
}

/// A parser of patterns.
struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    /// Skips the token if it comes next.
    fn eat(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        if self.eat(token) {
            Ok(())
        } else {
            Err(format!("{token} was expected before {:?}", self.rest))
        }
    }

    fn value(&mut self) -> Result<Pattern, String> {
        if self.eat(REST) {
            Ok(Pattern::Any)
        } else if self.eat("{") {
            let mut fields = Vec::new();
            let open = self.members("}", |reader| {
                let name = reader.plain()?;
                let name = name.as_str().ok_or("a field has a name")?.to_owned();
                reader.expect(":")?;
                fields.push((name, reader.value()?));
                Ok(())
            })?;
            Ok(Pattern::Object { fields, open })
        } else if self.eat("[") {
            let mut items = Vec::new();
            let open = self.members("]", |reader| {
                items.push(reader.value()?);
                Ok(())
            })?;
            Ok(Pattern::List { items, open })
        } else {
            let plain = self.plain()?;
            Ok(match plain.as_str() {
                Some(text) => match text.strip_suffix(REST) {
                    Some(begin) => Pattern::Text { text: begin.to_owned(), cut: true },
                    None => Pattern::Text { text: text.to_owned(), cut: false },
                },
                None => Pattern::Plain(plain),
            })
        }
    }

    /// Parses members up to `end`; returns whether more may follow.
    fn members(
        &mut self,
        end: &str,
        mut member: impl FnMut(&mut Self) -> Result<(), String>,
    ) -> Result<bool, String> {
        if self.eat(end) {
            return Ok(false);
        }
        let mut open = false;
        loop {
            if self.eat(REST) {
                open = true;
            } else {
                member(self)?;
            }
            if self.eat(end) {
                return Ok(open);
            }
            self.expect(",")?;
            // Elements are counted, so no element may follow those left out.
            if open && end == "]" {
                return Err(format!("{end} was expected before {:?}", self.rest));
            }
        }
    }

    /// Parses a text, a number, `true`, `false` or `null`.
    fn plain(&mut self) -> Result<Value, String> {
        self.rest = self.rest.trim_start();
        let mut values = serde_json::Deserializer::from_str(self.rest).into_iter::<Value>();
        match values.next() {
            Some(Ok(value)) if !value.is_object() && !value.is_array() => {
                self.rest = &self.rest[values.byte_offset()..];
                Ok(value)
            }
            _ => Err(format!("a value was expected before {:?}", self.rest)),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn compare(shown: &str, value: &Value) -> Result<(), String> {
        Pattern::read(shown).unwrap().compare(value, &mut Bindings::default())
    }

    #[test]
    fn dots_match_anything_and_all_else_must_match() {
        let frame = json!({"a": 1, "b": ["x", "yz"], "c": {"d": null}});
        for fits in [
            r#"{"a":1,"b":["x","yz"],"c":{"d":null}}"#,
            r#"{"c":{..}, ..}"#,
            r#"{"a":.., "b":["x", ..],"c":..}"#,
            r#"{"b":["x","y.."], ..}"#,
            r#"{"a":1, .. ,"c":..}"#,
        ] {
            assert_eq!(compare(fits, &frame), Ok(()), "{fits}");
        }
        for wrong in [
            r#"{"a":1,"b":["x","yz"]}"#,
            r#"{"a":2, ..}"#,
            r#"{"e":.., ..}"#,
            r#"{"b":["x"], ..}"#,
            r#"{"b":["x","yz","q", ..], ..}"#,
            r#"{"b":["x","z.."], ..}"#,
        ] {
            assert!(compare(wrong, &frame).is_err(), "{wrong}");
        }
        assert!(Pattern::read(r#"{"a":1"#).is_err());
        assert!(Pattern::read(r#"{"a":1} x"#).is_err());
        assert!(Pattern::read("[.., 1]").is_err());
    }

    #[test]
    fn names_match_one_value_each_and_times_match_any() {
        let mut names = Bindings::default();
        let compare = |shown: &str, value: Value, names: &mut Bindings| {
            Pattern::read(shown).unwrap().compare(&value, names)
        };
        let first = json!({"game": "real", "token": "at_1234", "at": 5, "chain": "ab12"});
        let shown = r#"{"game":"shown","token":"at_9..","at":1,"chain":"ff.."}"#;
        assert_eq!(compare(shown, first, &mut names), Ok(()));
        assert!(compare(r#"{"game":"shown"}"#, json!({"game": "other"}), &mut names).is_err());
        assert!(compare(r#"{"game":"second"}"#, json!({"game": "real"}), &mut names).is_err());
        let about = json!({"message": "there is no game real"});
        assert_eq!(compare(r#"{"message":"there is no game shown"}"#, about, &mut names), Ok(()));
        let sent =
            Pattern::read(r#"{"token":"at_9..","resume":{"shown":{"chain":"ff.."}}}"#).unwrap();
        let whole = json!({"token": "at_1234", "resume": {"real": {"chain": "ab12"}}});
        assert_eq!(sent.whole(&names), Ok(whole));
        assert!(Pattern::read(r#"{"token":"at_8.."}"#).unwrap().whole(&names).is_err());
    }
}
