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

/// What is done with arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Task {
    /// Whether they fit.
    Check,
    /// All that is wrong with them, each with a copy of the value it is about.
    Tell,
}

impl Task {
    /// What it may come to, node by node: a small part of a second, or some ten megabytes.
    fn limit(self) -> usize {
        match self {
            Self::Check => 1 << 18,
            Self::Tell => 1 << 16,
        }
    }
}

/// A pattern counts as this many nodes, beside what its length adds.
const PATTERN: usize = 16;

/// As many bytes of text and of names, or states of a pattern at work, count as one node.
const BYTES: usize = 256;

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
        let mut walk = Walk::new(schema, Task::Check, MAX_NODES);
        walk.visit(schema, None, 0)?;
        Ok(Self { nodes: MAX_NODES - walk.left, recursive: walk.recursive })
    }

    pub(crate) fn nodes(self) -> usize {
        self.nodes
    }

    /// Whether a task with arguments of so many bytes stays within its limit. `schema` gives the schema where it takes a
    /// closer look.
    pub(crate) fn bounds(
        self,
        arguments: &Borrowed<'_>,
        bytes: usize,
        task: Task,
        schema: impl FnOnce() -> Option<Value>,
    ) -> bool {
        if !self.recursive && self.nodes.saturating_mul(bytes) <= task.limit() {
            return true;
        }
        schema().is_some_and(|schema| Walk::new(&schema, task, task.limit()).visit(&schema, Some(arguments), 0).is_ok())
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
    /// The bytes of the names on the way there: each error says its place.
    path: usize,
    task: Task,
    left: usize,
}

impl<'s> Walk<'s> {
    fn new(root: &'s Value, task: Task, limit: usize) -> Self {
        let mut walk = Self {
            // No last part of a URI has a `#`.
            resources: vec![("#", root)],
            anchors: Vec::new(),
            followed: Vec::new(),
            recursive: false,
            level: 0,
            path: 0,
            task,
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
        let looked_at = instance.map_or(0, |instance| match self.task {
            Task::Check => own_size(instance),
            Task::Tell => whole_size(instance),
        });
        self.spend(1 + self.path / BYTES + looked_at)?;
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
                    Some(member) => self.visit_member(schema, name, member, depth),
                    None => Ok(()),
                }
            }
            ("patternProperties" | "additionalProperties" | "unevaluatedProperties", _, Some(instance)) => {
                let mut members = instance.as_members().into_iter().flat_map(Members::entries);
                members.try_for_each(|(name, member)| self.visit_member(schema, name, member, depth))
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

    fn visit_member(
        &mut self,
        schema: &'s Value,
        name: &str,
        member: &Borrowed<'_>,
        depth: usize,
    ) -> Result<(), NotChecked> {
        self.path += name.len();
        let visited = self.visit(schema, Some(member), depth + 1);
        self.path -= name.len();
        visited
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

/// What a keyword takes beside what its subschemas do: to be at work on a value, or without one to be kept.
fn own_work(keyword: &str, value: &Value, instance: Option<&Borrowed<'_>>) -> usize {
    match (keyword, value) {
        ("pattern", Value::String(pattern)) => {
            PATTERN + pattern_work(pattern, instance.map(|instance| instance.as_text().map_or(0, str::len)))
        }
        ("patternProperties", Value::Object(patterns)) => {
            let members = instance.map(|instance| instance.as_members().into_iter().flat_map(Members::keys));
            let Some(names) = members else {
                return patterns.keys().map(|pattern| PATTERN + pattern_work(pattern, None)).sum();
            };
            let (count, all, longest) = names
                .fold((0, 0, 0), |(count, all, longest), name| (count + 1, all + name.len(), name.len().max(longest)));
            let work = |pattern: &String| {
                let looking = looking_around(pattern, longest).saturating_mul(count);
                PATTERN.saturating_mul(count).saturating_add(matching(pattern, all)).saturating_add(looking)
            };
            patterns.keys().map(work).fold(0, usize::saturating_add)
        }
        ("format", Value::String(format)) => {
            PATTERN + format.len() / BYTES + instance.and_then(Borrowed::as_text).map_or(1, |text| text.len() / 16)
        }
        ("enum" | "required" | "dependentRequired" | "dependencies", Value::Array(_) | Value::Object(_))
        | ("const", _) => size(value),
        // Told of, it is quoted.
        ("not", _) => instance.map_or(0, |_| size(value)),
        ("uniqueItems", Value::Bool(true)) | ("unevaluatedItems", _) => instance.map_or(0, whole_size),
        _ => 0,
    }
}

/// How much of a JSON value there is to compare with or to quote.
fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => 1 + text.len() / BYTES,
        Value::Array(items) => items.iter().map(size).sum::<usize>(),
        Value::Object(members) => {
            1 + members.iter().map(|(name, value)| name.len() / BYTES + size(value)).sum::<usize>()
        }
        _ => 1,
    }
}

/// What it takes to look at a value, but for its parts.
fn own_size(value: &Borrowed<'_>) -> usize {
    match value {
        Borrowed::Text(text) => text.len() / BYTES,
        Borrowed::Array(items) => items.len() / BYTES,
        Borrowed::Object(members) => members.len() / 16 + members.keys().map(str::len).sum::<usize>() / BYTES,
        _ => 0,
    }
}

/// What it takes to look at a value with all its parts.
fn whole_size(value: &Borrowed<'_>) -> usize {
    let parts = value.as_items().into_iter().flatten();
    let members = value.as_members().into_iter().flat_map(Members::values);
    1 + own_size(value) + parts.chain(members).map(whole_size).sum::<usize>()
}

/// What a pattern takes beside [`PATTERN`]: to match a text of so many bytes and be told of, or to be kept.
fn pattern_work(pattern: &str, length: Option<usize>) -> usize {
    match length {
        Some(length) => matching(pattern, length).saturating_add(looking_around(pattern, length)),
        // Compiled, a state takes some hundred bytes.
        None => states(pattern) / 8 + looking_around(pattern, PATTERN),
    }
}

fn matching(pattern: &str, length: usize) -> usize {
    let states = states(pattern);
    // Of few states the engine makes a table; through many it goes one by one.
    let steps = states.saturating_mul(1 + states / 1_024).saturating_mul(length);
    pattern.len() / BYTES + steps / BYTES
}

/// About how many states a pattern has, with what it repeats a number of times written out.
fn states(pattern: &str) -> usize {
    /// What has been read of a group: of it all, and of its last part, which a repetition is about.
    #[derive(Default)]
    struct Group {
        all: usize,
        last: usize,
    }
    impl Group {
        fn add(&mut self, states: usize) {
            self.all = self.all.saturating_add(states);
            self.last = states;
        }
    }
    // What stands for many characters, encoded as UTF-8; `\d` and `\w` are ASCII in JSON Schema.
    const MANY: usize = 10;
    const LETTERS: usize = 300;

    let mut outer: Vec<Group> = Vec::new();
    let mut group = Group::default();
    let mut rest = pattern;
    while let Some(char) = rest.chars().next() {
        rest = rest.get(char.len_utf8()..).unwrap_or_default();
        match char {
            '(' => outer.push(std::mem::take(&mut group)),
            ')' => {
                let inside = group.all;
                group = outer.pop().unwrap_or_default();
                group.add(inside.saturating_add(2));
            }
            '\\' => {
                let escaped = rest.chars().next().unwrap_or_default();
                rest = rest.get(escaped.len_utf8()..).unwrap_or_default();
                group.add(match escaped {
                    'p' | 'P' => LETTERS,
                    'D' | 'W' | 's' | 'S' => MANY,
                    _ => 1,
                });
            }
            '[' => {
                let mut escaped = false;
                let end = rest.find(|c| {
                    let ends = c == ']' && !escaped;
                    escaped = c == '\\' && !escaped;
                    ends
                });
                let (class, after) = rest.split_at(end.unwrap_or(rest.len()));
                rest = after.strip_prefix(']').unwrap_or(after);
                let letters = LETTERS * (class.matches("\\p").count() + class.matches("\\P").count());
                let is_plain = class.is_ascii() && !class.starts_with('^') && !class.contains('\\');
                group.add(if is_plain { 1 } else { MANY + class.len() + letters });
            }
            '.' => group.add(MANY),
            '{' => {
                let times = rest.split_once('}').and_then(|(times, after)| {
                    let most = times.rsplit(',').find(|times| !times.is_empty())?;
                    Some((most.parse::<usize>().ok()?, after))
                });
                if let Some((times, after)) = times {
                    rest = after;
                    let more = group.last.saturating_mul(times.saturating_sub(1));
                    group.all = group.all.saturating_add(more);
                    group.last = group.last.saturating_add(more);
                }
            }
            _ => group.add(1),
        }
    }
    outer.iter().map(|group| group.all).fold(group.all, usize::saturating_add)
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
        assert_eq!(nodes(&json!({"default": {"$ref": "elsewhere"}, "enum": [{"$ref": "elsewhere"}]})), Ok(3));
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
        extent.bounds(&arguments, text.len(), Task::Check, || Some(schema.clone()))
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
