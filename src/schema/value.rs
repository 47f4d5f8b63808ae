//! JSON values as checking reads them: a text without escapes stays where it was read.
//!
//! Every call is checked, and making values that own all their texts and keep hashes of all their keys takes longer than
//! checking them. Of a key that stands there twice the last value counts, as everywhere else.

use std::borrow::Cow;
use std::fmt;

use indexmap::IndexMap;
use jsonschema::JsonType;
use jsonschema::json::{Array, Json, Node, NodeIdentity, Object, cmp};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Number, Value};

/// In objects with fewer members keys are looked for one by one.
const FEW: usize = 16;

/// A JSON value that may borrow from the text it was read from.
#[derive(Debug)]
pub(crate) enum Borrowed<'t> {
    Null,
    Bool(bool),
    Number(Number),
    Text(Cow<'t, str>),
    Array(Vec<Self>),
    Object(Members<'t>),
}

/// The members of an object, in the order they were read, each key once.
#[derive(Debug, Default)]
pub(crate) struct Members<'t> {
    entries: Vec<(Cow<'t, str>, Borrowed<'t>)>,
    /// The entries in the order of their keys, where they are more than a [`FEW`].
    by_key: Vec<u32>,
}

impl<'t> Members<'t> {
    fn new(entries: Vec<(Cow<'t, str>, Borrowed<'t>)>) -> Self {
        let mut members = Self { entries, by_key: Vec::new() };
        if members.put_in_order() {
            return members;
        }
        let last_counts: IndexMap<_, _> = members.entries.into_iter().collect();
        let mut members = Self { entries: last_counts.into_iter().collect(), by_key: Vec::new() };
        members.put_in_order();
        members
    }

    /// False when a key is there twice.
    fn put_in_order(&mut self) -> bool {
        if self.entries.len() <= FEW {
            let mut rest = self.entries.as_slice();
            while let Some(((key, _), others)) = rest.split_first() {
                if others.iter().any(|(other, _)| other == key) {
                    return false;
                }
                rest = others;
            }
            return true;
        }
        let key = |index: &u32| self.entries.get(*index as usize).map(|(key, _)| key);
        self.by_key = (0..u32::try_from(self.entries.len()).unwrap_or(u32::MAX)).collect();
        self.by_key.sort_unstable_by(|a, b| key(a).cmp(&key(b)));
        self.by_key.windows(2).all(|pair| match pair {
            [a, b] => key(a) != key(b),
            _ => true,
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Borrowed<'t>> {
        if self.by_key.is_empty() {
            return self.entries.iter().find(|(key, _)| key == name).map(|(_, value)| value);
        }
        let entry = |index: u32| self.entries.get(index as usize);
        let found = self.by_key.binary_search_by(|index| entry(*index).map(|(key, _)| &**key).cmp(&Some(name)));
        entry(*self.by_key.get(found.ok()?)?).map(|(_, value)| value)
    }

    pub(crate) fn entries(&self) -> impl Iterator<Item = (&str, &Borrowed<'t>)> {
        self.entries.iter().map(|(key, value)| (&**key, value))
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|(key, _)| &**key)
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &Borrowed<'t>> {
        self.entries.iter().map(|(_, value)| value)
    }
}

impl<'t> Borrowed<'t> {
    pub(crate) fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    pub(crate) fn as_members(&self) -> Option<&Members<'t>> {
        if let Self::Object(members) = self { Some(members) } else { None }
    }

    pub(crate) fn as_items(&self) -> Option<&[Self]> {
        if let Self::Array(items) = self { Some(items) } else { None }
    }

    /// The value at a JSON Pointer.
    pub(crate) fn at(&self, pointer: &str) -> Option<&Self> {
        pointer.split('/').skip(1).try_fold(self, |value, token| match value {
            Self::Array(items) => items.get(token.parse::<usize>().ok()?),
            Self::Object(members) => members.get(&token.replace("~1", "/").replace("~0", "~")),
            _ => None,
        })
    }

    fn equals(&self, expected: &Value) -> bool {
        match (self, expected) {
            (Self::Null, Value::Null) => true,
            (Self::Bool(value), Value::Bool(expected)) => value == expected,
            (Self::Number(number), Value::Number(expected)) => cmp::equal_numbers(number, expected),
            (Self::Text(text), Value::String(expected)) => text == expected,
            (Self::Array(items), Value::Array(expected)) => {
                items.len() == expected.len()
                    && items.iter().zip(expected).all(|(item, expected)| item.equals(expected))
            }
            (Self::Object(members), Value::Object(expected)) => {
                let is_there =
                    |(key, expected): (&String, &Value)| members.get(key).is_some_and(|it| it.equals(expected));
                members.len() == expected.len() && expected.iter().all(is_there)
            }
            _ => false,
        }
    }

    pub(crate) fn to_value(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Number(number) => Value::Number(number.clone()),
            Self::Text(text) => Value::String(text.clone().into_owned()),
            Self::Array(items) => Value::Array(items.iter().map(Self::to_value).collect()),
            Self::Object(members) => {
                let entries = members.entries.iter();
                Value::Object(entries.map(|(key, value)| (key.clone().into_owned(), value.to_value())).collect())
            }
        }
    }
}

impl<'de> Deserialize<'de> for Borrowed<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;

        impl<'de> Visitor<'de> for Any {
            type Value = Borrowed<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a JSON value")
            }

            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(Borrowed::Null)
            }

            fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
                Ok(Borrowed::Bool(value))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
                Ok(Borrowed::Number(value.into()))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
                Ok(Borrowed::Number(value.into()))
            }

            fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
                Ok(Number::from_f64(value).map_or(Borrowed::Null, Borrowed::Number))
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Borrowed::Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Borrowed::Text(Cow::Owned(text.to_owned())))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = seq.next_element()? {
                    items.push(item);
                }
                Ok(Borrowed::Array(items))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some((Key(key), value)) = map.next_entry()? {
                    entries.push((key, value));
                }
                Ok(Borrowed::Object(Members::new(entries)))
            }
        }

        deserializer.deserialize_any(Any)
    }
}

struct Key<'t>(Cow<'t, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl<'de> Visitor<'de> for Text {
            type Value = Key<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a key")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Owned(text.to_owned())))
            }
        }

        deserializer.deserialize_str(Text)
    }
}

/// [`Borrowed`] as the `jsonschema` crate knows its values.
#[derive(Debug)]
pub(crate) struct BorrowedJson;

impl Json for BorrowedJson {
    type Node<'a> = &'a Borrowed<'a>;
    type PreparedKey = String;
    type StringBuffer = ();

    const ACYCLIC: bool = true;

    fn prepare_key(key: &str) -> String {
        key.to_owned()
    }

    fn with_string_node<T>((): &mut (), text: &str, f: impl FnOnce(Self::Node<'_>) -> T) -> T {
        f(&Borrowed::Text(Cow::Borrowed(text)))
    }
}

impl<'a> Node<'a, BorrowedJson> for &'a Borrowed<'a> {
    type Object = &'a Members<'a>;
    type Array = &'a [Borrowed<'a>];
    type Number = &'a Number;

    fn as_object(&self) -> Option<Self::Object> {
        self.as_members()
    }

    fn as_array(&self) -> Option<Self::Array> {
        self.as_items()
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        self.as_text().map(Cow::Borrowed)
    }

    fn as_number(&self) -> Option<Self::Number> {
        if let Borrowed::Number(number) = self { Some(number) } else { None }
    }

    fn as_boolean(&self) -> Option<bool> {
        if let Borrowed::Bool(value) = self { Some(*value) } else { None }
    }

    fn is_null(&self) -> bool {
        matches!(self, Borrowed::Null)
    }

    fn json_type(&self) -> JsonType {
        match self {
            Borrowed::Null => JsonType::Null,
            Borrowed::Bool(_) => JsonType::Boolean,
            Borrowed::Number(_) => JsonType::Number,
            Borrowed::Text(_) => JsonType::String,
            Borrowed::Array(_) => JsonType::Array,
            Borrowed::Object(_) => JsonType::Object,
        }
    }

    fn string_length_within(&self, min: u64, max: u64) -> Option<bool> {
        let text = self.as_text()?;
        // A character takes one to four bytes, which mostly settles it.
        let (least, most) = (text.len().div_ceil(4) as u64, text.len() as u64);
        Some(match () {
            () if most < min || least > max => false,
            () if least >= min && most <= max => true,
            () => (min..=max).contains(&(text.chars().count() as u64)),
        })
    }

    fn equals_value(&self, expected: &Value) -> bool {
        self.equals(expected)
    }

    /// A copy, which every error carries.
    fn to_value(&self) -> Cow<'a, Value> {
        Cow::Owned(Borrowed::to_value(self))
    }

    fn identity(&self) -> Option<NodeIdentity> {
        Some(NodeIdentity::new(std::ptr::from_ref::<Borrowed<'_>>(self).addr()))
    }
}

impl<'a> Object<'a, BorrowedJson> for &'a Members<'a> {
    type Node = &'a Borrowed<'a>;
    type MemberName = &'a str;
    type MembersIter = MembersIter<'a>;

    fn len(&self) -> usize {
        Members::len(self)
    }

    fn get(&self, key: &String) -> Option<Self::Node> {
        Members::get(self, key)
    }

    fn members(&self) -> MembersIter<'a> {
        MembersIter(self.entries.iter())
    }
}

pub(crate) struct MembersIter<'a>(std::slice::Iter<'a, (Cow<'a, str>, Borrowed<'a>)>);

impl<'a> Iterator for MembersIter<'a> {
    type Item = (&'a str, &'a Borrowed<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(key, value)| (&**key, value))
    }
}

impl<'a> Array<'a, BorrowedJson> for &'a [Borrowed<'a>] {
    type Node = &'a Borrowed<'a>;
    type ElementsIter = std::slice::Iter<'a, Borrowed<'a>>;

    fn len(&self) -> usize {
        <[Borrowed<'_>]>::len(self)
    }

    fn elements(&self) -> Self::ElementsIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn read(text: &str) -> Borrowed<'_> {
        serde_json::from_str(text).expect("JSON")
    }

    #[test]
    fn of_a_repeated_key_the_last_value_counts_at_the_first_place() {
        let many: String = (0..40).map(|n| format!("\"k{n}\":{n},")).collect();
        for text in [r#"{"a":1,"b":2,"\u0061":3}"#.to_owned(), format!("{{{many}\"k7\":\"last\",\"k39\":[]}}")] {
            assert_eq!(read(&text).to_value().to_string(), serde_json::from_str::<Value>(&text).unwrap().to_string());
        }
        let text = format!("{{{many}\"k7\":\"last\"}}");
        let value = read(&text);
        let members = value.as_members().unwrap();
        assert_eq!((members.len(), members.get("k7").and_then(Borrowed::as_text)), (40, Some("last")));
        assert!(members.get("k8").is_some() && members.get("k40").is_none() && members.get("").is_none());
    }

    #[test]
    fn a_text_without_escapes_is_not_copied() {
        let text = r#"{"key":"text","other":"t\u0065xt"}"#;
        let value = read(text);
        let borrows = |key| matches!(value.as_members().unwrap().get(key), Some(Borrowed::Text(Cow::Borrowed(_))));
        assert!(borrows("key") && !borrows("other"));
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            ".{0,5}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 80, 30, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::vec(("[a-c]{0,3}", inner), 0..30)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Read this way a value is what it is read the usual way, and keeps to a schema exactly when that does.
        #[test]
        fn the_same_value_by_another_way(value in any_json(), other in any_json()) {
            let text = value.to_string();
            let borrowed = read(&text);
            prop_assert_eq!(borrowed.to_value(), serde_json::from_str::<Value>(&text).unwrap());
            for schema in [
                json!({"const": other}),
                json!({"enum": [other, value]}),
                json!({"type": ["object", "array", "integer"], "minProperties": 1, "maxItems": 2, "uniqueItems": true}),
                json!({"properties": {"a": {"type": "string", "minLength": 2, "maxLength": 3}, "b": {"multipleOf": 2}}}),
                json!({"propertyNames": {"maxLength": 2}, "additionalProperties": {"type": ["null", "boolean"]}}),
                json!({"patternProperties": {"^a": {"minimum": 0}}, "required": ["a", "b"], "maxProperties": 9}),
            ] {
                let usual = jsonschema::validator_for(&schema).unwrap();
                let here = jsonschema::options_for::<BorrowedJson>().build(&schema).unwrap();
                prop_assert_eq!(here.is_valid(&borrowed), usual.is_valid(&value), "{}", schema);
            }
        }
    }
}
