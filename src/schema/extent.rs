//! How much there is of a schema once its references are followed, and how much of it arguments meet.
//!
//! A schema of a few hundred bytes can stand for one of millions of nodes, or for one without end. Both are found here
//! before anything is compiled or checked, so that a server cannot make its host run out of time, memory or stack. What is
//! counted is never less than what there is: a reference that could lead to several places leads to all of them.

use serde_json::Value;

use super::Holds;
use super::validate::NotChecked;
use super::value::{Borrowed, Members};

/// Schemas in schemas, references included, are followed this far; every level takes some stack.
const MAX_DEPTH: usize = 64;

/// The nodes a schema may have once its references are followed, each of up to a kilobyte when compiled. The largest
/// of some seven hundred tools of public servers has less than 200.
const MAX_NODES: usize = 5_000;

/// Node by node, what checking may come to: a small part of a second.
const MAX_WORK: usize = 1 << 18;

/// A pattern counts as this many nodes, beside what its length adds.
const PATTERN: usize = 16;

/// One that looks ahead or behind counts as this many at least, so that the texts it is for are looked at closely.
const LOOKING_AROUND: usize = 128;

/// What there is of one schema.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extent {
    nodes: usize,
    /// Then arguments meet its nodes as often as they are deep.
    recursive: bool,
}

impl Extent {
    /// Refuses a schema that is too large or too deep, or refers to what is not in it.
    pub(crate) fn of(schema: &Value) -> Result<Self, NotChecked> {
        let mut walk = Walk::new(schema, MAX_NODES);
        walk.visit(schema, None, 0)?;
        Ok(Self { nodes: MAX_NODES - walk.left, recursive: walk.recursive })
    }

    pub(crate) fn nodes(self) -> usize {
        self.nodes
    }

    /// Whether arguments of so many bytes can be checked against the schema with bounded work. `schema` gives the schema
    /// where it takes a closer look.
    pub(crate) fn bounds(self, arguments: &Borrowed<'_>, bytes: usize, schema: impl FnOnce() -> Option<Value>) -> bool {
        if !self.recursive && self.nodes.saturating_mul(bytes) <= MAX_WORK {
            return true;
        }
        schema().is_some_and(|schema| Walk::new(&schema, MAX_WORK).visit(&schema, Some(arguments), 0).is_ok())
    }
}

/// Goes through a schema as checking does, at worst: with every branch taken, and every subschema of properties and
/// items applied to every value it may be about. Without a value it goes through all there is, each reference to where
/// it already is left out.
struct Walk<'s> {
    /// The document, and what in it has an `$id`, each with the last part of that.
    resources: Vec<(&'s str, &'s Value)>,
    anchors: Vec<(&'s str, &'s Value)>,
    /// The targets of the references that led here, each with the level it was met at.
    followed: Vec<(&'s Value, usize)>,
    recursive: bool,
    /// How deep in the value the schema at hand is at work.
    level: usize,
    left: usize,
}

impl<'s> Walk<'s> {
    fn new(root: &'s Value, limit: usize) -> Self {
        let mut walk = Self {
            // No last part of a URI has a `#`.
            resources: vec![("#", root)],
            anchors: Vec::new(),
            followed: Vec::new(),
            recursive: false,
            level: 0,
            left: limit,
        };
        walk.index(root);
        walk
    }

    /// Finds what references may lead to, wherever it stands; what is none is not referred to.
    fn index(&mut self, value: &'s Value) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.index(item)),
            Value::Object(members) => {
                for (key, member) in members {
                    match (key.as_str(), member) {
                        ("$id" | "id", Value::String(id)) => match id.split_once('#') {
                            Some(("", anchor)) => self.anchors.push((anchor, value)),
                            Some((uri, _)) => self.resources.push((last_part(uri), value)),
                            None => self.resources.push((last_part(id), value)),
                        },
                        ("$anchor" | "$dynamicAnchor", Value::String(name)) => self.anchors.push((name, value)),
                        _ => self.index(member),
                    }
                }
            }
            _ => {}
        }
    }

    fn spend(&mut self, work: usize) -> Result<(), NotChecked> {
        self.left = self.left.checked_sub(work).ok_or(NotChecked::TooComplex)?;
        Ok(())
    }

    fn visit(&mut self, schema: &'s Value, instance: Option<&Borrowed<'_>>, depth: usize) -> Result<(), NotChecked> {
        self.spend(1)?;
        let Value::Object(keywords) = schema else { return Ok(()) };
        if depth == MAX_DEPTH {
            return Err(NotChecked::TooComplex);
        }
        for (keyword, value) in keywords {
            self.spend(own_work(keyword, value, instance))?;
            match (keyword.as_str(), Holds::of(keyword), value) {
                ("$ref" | "$dynamicRef" | "$recursiveRef", _, Value::String(reference)) => {
                    self.follow(reference, instance, depth)?;
                }
                // These count where something refers to them.
                ("$defs" | "definitions", _, _) => {}
                (_, Holds::Schema | Holds::SchemaOrList, Value::Object(_) | Value::Bool(_)) => {
                    self.apply(keyword, Place::Whole, value, instance, depth)?;
                }
                (_, Holds::List | Holds::SchemaOrList, Value::Array(schemas)) => {
                    for (index, schema) in schemas.iter().enumerate() {
                        self.apply(keyword, Place::Index(index), schema, instance, depth)?;
                    }
                }
                (_, Holds::Map, Value::Object(schemas)) => {
                    for (name, schema) in schemas {
                        self.apply(keyword, Place::Name(name), schema, instance, depth)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Visits a subschema with each value it may be about.
    fn apply(
        &mut self,
        keyword: &str,
        place: Place<'_>,
        schema: &'s Value,
        instance: Option<&Borrowed<'_>>,
        depth: usize,
    ) -> Result<(), NotChecked> {
        let level = self.level;
        self.level += usize::from(is_about_parts(keyword));
        let met = self.meet(keyword, place, schema, instance, depth);
        self.level = level;
        met
    }

    fn meet(
        &mut self,
        keyword: &str,
        place: Place<'_>,
        schema: &'s Value,
        instance: Option<&Borrowed<'_>>,
        depth: usize,
    ) -> Result<(), NotChecked> {
        match (keyword, place, instance) {
            ("properties", Place::Name(name), Some(instance)) => {
                match instance.as_members().and_then(|members| members.get(name)) {
                    Some(member) => self.visit(schema, Some(member), depth + 1),
                    None => Ok(()),
                }
            }
            ("patternProperties" | "additionalProperties" | "unevaluatedProperties", _, Some(instance)) => {
                let mut members = instance.as_members().into_iter().flat_map(Members::values);
                members.try_for_each(|member| self.visit(schema, Some(member), depth + 1))
            }
            ("propertyNames", _, Some(instance)) => {
                let mut names = instance.as_members().into_iter().flat_map(Members::keys);
                names.try_for_each(|name| self.visit(schema, Some(&Borrowed::Text(name.into())), depth + 1))
            }
            ("items" | "prefixItems", Place::Index(index), Some(instance)) => {
                match instance.as_items().and_then(|items| items.get(index)) {
                    Some(item) => self.visit(schema, Some(item), depth + 1),
                    None => Ok(()),
                }
            }
            ("items" | "additionalItems" | "unevaluatedItems" | "contains", _, Some(instance)) => {
                let mut items = instance.as_items().into_iter().flatten();
                items.try_for_each(|item| self.visit(schema, Some(item), depth + 1))
            }
            _ => self.visit(schema, instance, depth + 1),
        }
    }

    fn follow(&mut self, reference: &str, instance: Option<&Borrowed<'_>>, depth: usize) -> Result<(), NotChecked> {
        let mut found = false;
        for target in self.targets(reference)? {
            found = true;
            let before = self.followed.iter().rev().find(|(followed, _)| std::ptr::eq(*followed, target));
            match before {
                // It stands for itself: there is no value that this would come to an end with. Compiled beside
                // `unevaluatedProperties` or `unevaluatedItems` it would also never be freed.
                Some((_, level)) if instance.is_none() && *level == self.level => return Err(NotChecked::TooComplex),
                Some(_) if instance.is_none() => {
                    self.recursive = true;
                    continue;
                }
                _ => {}
            }
            self.followed.push((target, self.level));
            self.visit(target, instance, depth + 1)?;
            self.followed.pop();
        }
        if found { Ok(()) } else { Err(NotChecked::RemoteReference) }
    }

    /// All a reference may lead to.
    fn targets(&mut self, reference: &str) -> Result<Vec<&'s Value>, NotChecked> {
        let (uri, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let fragment = percent_decoded(fragment);
        self.spend((self.resources.len() + self.anchors.len()) / 16)?;
        if !fragment.is_empty() && !fragment.starts_with('/') {
            return Ok(self.anchors.iter().filter(|(name, _)| *name == fragment).map(|(_, at)| *at).collect());
        }
        let resources = self.resources.iter().filter(|(name, _)| uri.is_empty() || *name == last_part(uri));
        Ok(resources.filter_map(|(_, resource)| resource.pointer(&fragment)).collect())
    }
}

/// Where in the value of its keyword a subschema stands.
#[derive(Clone, Copy)]
enum Place<'n> {
    Whole,
    Index(usize),
    Name(&'n str),
}

/// Whether the subschemas of a keyword are about parts of the value and not about the value itself.
fn is_about_parts(keyword: &str) -> bool {
    matches!(
        keyword,
        "properties"
            | "patternProperties"
            | "additionalProperties"
            | "unevaluatedProperties"
            | "propertyNames"
            | "items"
            | "prefixItems"
            | "additionalItems"
            | "unevaluatedItems"
            | "contains"
            | "contentSchema"
    )
}

/// What a keyword takes beside what its subschemas do.
fn own_work(keyword: &str, value: &Value, instance: Option<&Borrowed<'_>>) -> usize {
    let text = |instance: Option<&Borrowed<'_>>| instance.and_then(Borrowed::as_text).map_or(PATTERN, str::len);
    match (keyword, value) {
        ("pattern", Value::String(pattern)) => {
            let length = text(instance);
            PATTERN + pattern.len() * length / 256 + looking_around(pattern, length)
        }
        ("format", _) => PATTERN + text(instance) / 16,
        ("patternProperties", Value::Object(patterns)) => {
            let names = instance.and_then(Borrowed::as_members).map_or(1, Members::len);
            let longest =
                instance.and_then(Borrowed::as_members).and_then(|members| members.keys().map(str::len).max());
            let length = longest.unwrap_or(PATTERN);
            patterns.keys().map(|p| (PATTERN + p.len() / 16 + looking_around(p, length)) * names).sum()
        }
        ("enum" | "required", Value::Array(values)) => values.len(),
        _ => 0,
    }
}

/// A pattern that looks ahead or behind may go through the whole text at each of its steps.
fn looking_around(pattern: &str, length: usize) -> usize {
    if ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|look| pattern.contains(look)) {
        (length.saturating_mul(length) / 16).max(LOOKING_AROUND)
    } else {
        0
    }
}

fn last_part(uri: &str) -> &str {
    uri.rsplit(['/', ':']).next().unwrap_or(uri)
}

/// A fragment with its `%2F` read; what does not come to text stays as it is, and leads nowhere.
fn percent_decoded(fragment: &str) -> String {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let escape = after.get(..2).filter(|_| byte == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        match escape.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(decoded) => {
                bytes.push(decoded);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| fragment.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    use serde_json::json;

    fn nodes(schema: &Value) -> Result<usize, NotChecked> {
        Extent::of(schema).map(|extent| extent.nodes)
    }

    /// `a0` refers to `a1`, that to `a2` and so on; `link` makes of a reference what stands under each name.
    fn chain(length: usize, link: impl Fn(Value) -> Value) -> Value {
        let next = |i| json!({"$ref": format!("#/$defs/a{i}")});
        let mut defs: serde_json::Map<_, _> = (0..length).map(|i| (format!("a{i}"), link(next(i + 1)))).collect();
        defs.insert(format!("a{length}"), json!({"type": "integer"}));
        json!({"$ref": "#/$defs/a0", "$defs": defs})
    }

    #[test]
    fn every_use_of_a_definition_counts() {
        assert_eq!(nodes(&json!({"type": "object", "properties": {"a": {}, "b": {"items": {}}}})), Ok(4));
        let twice = json!({"properties": {"a": {"$ref": "#/$defs/d"}, "b": {"$ref": "#/$defs/d"}, "c": {"$ref": "#d"}},
                           "$defs": {"d": {"$anchor": "d", "items": {}}, "unused": {"items": {}}}});
        assert_eq!(nodes(&twice), Ok(10));
        assert_eq!(nodes(&json!({"enum": [1, 2, 3]})), Ok(4));
        assert_eq!(nodes(&json!({"default": {"$ref": "elsewhere"}, "enum": [{"$ref": "elsewhere"}]})), Ok(2));
    }

    #[test]
    fn references_lead_to_anchors_ids_and_pointers() {
        for (reference, place) in [
            ("#/$defs/a", json!({"$defs": {"a": {"type": "string"}}})),
            ("#/$defs/a%2Fb~1c%C3%A4", json!({"$defs": {"a": {"b/cä": {}}}})),
            ("#name", json!({"definitions": {"a": {"$id": "#name"}}})),
            ("#name", json!({"$defs": {"a": {"$dynamicAnchor": "name"}}})),
            ("other.json", json!({"$defs": {"a": {"$id": "https://example.com/other.json"}}})),
            ("https://example.com/x#/items", json!({"$defs": {"a": {"$id": "x", "items": {}}}})),
        ] {
            let mut schema = place;
            schema["properties"] = json!({"p": {"$ref": reference}});
            assert!(Extent::of(&schema).is_ok(), "{reference}");
        }
        for elsewhere in
            ["https://example.com/x", "https://example.com/", "x.json", "#/$defs/none", "#none", "file:///etc/passwd"]
        {
            assert_eq!(nodes(&json!({"items": {"$ref": elsewhere}})), Err(NotChecked::RemoteReference), "{elsewhere}");
        }
    }

    #[test]
    fn what_multiplies_is_found_before_it_is_made() {
        for keyword in ["anyOf", "oneOf", "allOf"] {
            let doubling = |n| chain(n, |next| json!({keyword: [next.clone(), next]}));
            assert!(Extent::of(&doubling(6)).is_ok());
            assert_eq!(nodes(&doubling(40)), Err(NotChecked::TooComplex));
        }
    }

    #[test]
    fn depth_is_bounded() {
        assert!(Extent::of(&chain(20, |next| json!({"not": next}))).is_ok());
        for length in [70, 5_000] {
            assert_eq!(nodes(&chain(length, |next| next)), Err(NotChecked::TooComplex));
            assert_eq!(nodes(&chain(length, |next| json!({"items": next}))), Err(NotChecked::TooComplex));
        }
    }

    fn bounded(schema: &Value, arguments: &Value) -> bool {
        let extent = Extent::of(schema).expect("small in itself");
        let text = arguments.to_string();
        let arguments = serde_json::from_str(&text).expect("JSON");
        extent.bounds(&arguments, text.len(), || Some(schema.clone()))
    }

    #[test]
    fn recursion_is_followed_as_deep_as_the_arguments_are() {
        let nested = |depth| (0..depth).fold(json!(1), |inner, _| json!({"p": inner}));
        let list = json!({"properties": {"p": {"$ref": "#"}}});
        assert!(bounded(&list, &nested(30)));
        assert!(!bounded(&list, &nested(100)), "deeper than the stack is sure to bear");
        let doubled = json!({"anyOf": [{"properties": {"p": {"$ref": "#"}}}, {"properties": {"p": {"$ref": "#"}}}]});
        assert!(bounded(&doubled, &nested(8)));
        assert!(!bounded(&doubled, &nested(30)), "2^30 nodes");
        for endless in [
            json!({"$ref": "#"}),
            json!({"not": {"$ref": "#"}}),
            json!({"if": {"$recursiveRef": "#"}}),
            json!({"$dynamicAnchor": "n", "allOf": [{"$dynamicRef": "#n"}]}),
            json!({"items": {"$ref": "#/$defs/a"}, "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"not": {"$ref": "#/$defs/a"}}}}),
            json!({"$ref": "#/$defs/a", "unevaluatedItems": false, "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}, true]}}}),
        ] {
            assert_eq!(nodes(&endless), Err(NotChecked::TooComplex), "{endless}");
        }
        for keyword in ["items", "additionalProperties", "contains", "unevaluatedItems"] {
            let ends = json!({"anyOf": [{keyword: {"allOf": [{"$ref": "#"}]}}], "unevaluatedProperties": false});
            assert!(bounded(&ends, &json!({})), "{keyword}");
        }
    }

    #[test]
    fn large_arguments_are_checked_where_the_schema_meets_little_of_them() {
        let text = json!({"path": "a", "content": "x".repeat(1 << 20)});
        let plain = json!({"properties": {"path": {"type": "string"}, "content": {"type": "string"}}});
        assert!(bounded(&plain, &text));
        let pattern = json!({"properties": {"content": {"pattern": "^[a-z]+( [a-z]+)*$".repeat(8)}}});
        assert!(!bounded(&pattern, &text));
        assert!(bounded(&pattern, &json!({"content": "x".repeat(2_000)})));
        let many = json!({"items": {"enum": (0..1_000).collect::<Vec<_>>()}});
        assert!(!bounded(&many, &json!(vec![1; 1_000])));
    }
}
