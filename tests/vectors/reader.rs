//! Reads the vectors beside this file and matches outputs against them; the format is described in `README.md`.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

/// One vector, with its generated texts written out.
pub(crate) struct Vector {
    pub(crate) id: String,
    pub(crate) operation: String,
    pub(crate) input: Input,
    pub(crate) pick: String,
    pub(crate) expect: Option<Value>,
    pub(crate) error: Option<Value>,
    /// What a build must have to run it.
    pub(crate) requires: Option<String>,
}

/// The arguments of an operation.
pub(crate) struct Input {
    /// Everything that is JSON.
    pub(crate) values: Map<String, Value>,
    /// `documentText` or `reportText`: bytes that may be anything.
    pub(crate) text: Option<Vec<u8>>,
}

impl Input {
    /// The document of a working set, as bytes.
    pub(crate) fn document(&self) -> Vec<u8> {
        self.text.clone().unwrap_or_else(|| self.values["document"].to_string().into_bytes())
    }

    /// A text argument; nothing when it is absent or null.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        match self.values.get(key) {
            None | Some(Value::Null) => None,
            Some(value) => Some(value.as_str().unwrap_or_else(|| panic!("`{key}` is no text: {value}"))),
        }
    }
}

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors")
}

/// The files by name, with their JSON as it stands there.
pub(crate) fn files() -> Vec<(String, Value)> {
    let mut files: Vec<_> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .filter(|path| path.file_name().unwrap() != "schema.json")
        .map(|path| {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let text = fs::read_to_string(&path).unwrap();
            (name, serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
        })
        .collect();
    files.sort_by(|a, b| a.0.cmp(&b.0));
    files
}

/// The vectors of one file.
pub(crate) fn vectors(file: &Value) -> Vec<Vector> {
    let none = Value::Object(Map::new());
    let documents = file.get("documents").unwrap_or(&none);
    file["vectors"].as_array().unwrap().iter().map(|vector| read(vector, documents)).collect()
}

fn read(vector: &Value, documents: &Value) -> Vector {
    let text = |key: &str| vector.get(key).map(|value| value.as_str().unwrap().to_owned());
    Vector {
        id: text("id").unwrap(),
        operation: text("operation").unwrap(),
        input: input(&vector["input"], documents),
        pick: text("pick").unwrap_or_default(),
        expect: vector.get("expect").map(written_out),
        error: vector.get("error").map(written_out),
        requires: text("requires"),
    }
}

/// The inputs of one input of `same` and `different`, or the input of any other operation.
pub(crate) fn input(input: &Value, documents: &Value) -> Input {
    let mut values = Map::new();
    let mut bytes = None;
    for (key, value) in input.as_object().unwrap() {
        match (key.as_str(), value) {
            ("documentText" | "reportText", text) => bytes = Some(generated(text).unwrap()),
            ("document", Value::String(name)) => {
                values.insert(key.clone(), written_out(documents.get(name).unwrap_or_else(|| panic!("no {name}"))));
            }
            ("inputs", Value::Array(inputs)) => {
                let inputs = inputs.iter().map(|each| match each.get("document") {
                    Some(Value::String(name)) => {
                        let mut each = each.clone();
                        each["document"] = documents[name].clone();
                        each
                    }
                    _ => each.clone(),
                });
                values.insert(key.clone(), inputs.collect());
            }
            _ => {
                values.insert(key.clone(), written_out(value));
            }
        }
    }
    Input { values, text: bytes }
}

/// The value with every generated text in it written out.
fn written_out(value: &Value) -> Value {
    if value.is_object()
        && let Some(bytes) = generated(value)
    {
        return Value::String(String::from_utf8(bytes).unwrap());
    }
    match value {
        Value::Array(items) => items.iter().map(written_out).collect(),
        Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), written_out(value))).collect(),
        _ => value.clone(),
    }
}

/// The bytes of a string, `$concat`, `$repeat` or `$hex`; nothing for every other value.
fn generated(value: &Value) -> Option<Vec<u8>> {
    match value {
        Value::String(text) => Some(text.clone().into_bytes()),
        Value::Object(map) => match map.iter().next()? {
            (key, Value::Array(parts)) if key == "$concat" => {
                Some(parts.iter().flat_map(|part| generated(part).unwrap()).collect())
            }
            (key, repeat) if key == "$repeat" => {
                let times = usize::try_from(repeat["times"].as_u64().unwrap()).unwrap();
                Some(generated(&repeat["text"]).unwrap().repeat(times))
            }
            (key, Value::String(digits)) if key == "$hex" => {
                let digit = |c: u8| u8::try_from(char::from(c).to_digit(16).unwrap()).unwrap();
                Some(digits.as_bytes().chunks(2).map(|pair| digit(pair[0]) * 16 + digit(pair[1])).collect())
            }
            _ => None,
        },
        _ => None,
    }
}

/// Matches an output against what is expected, or says where it differs.
pub(crate) fn matches(expect: &Value, got: &Value, path: &str) -> Result<(), String> {
    let differ = |what: &str| Err(format!("{path}: {what}, got {}", shown(got)));
    match (expect, got) {
        (Value::Object(expected), _) if expected.keys().next().is_some_and(|key| key.starts_with('$')) => {
            let (matchers, fields): (Vec<_>, Vec<_>) = expected.iter().partition(|(key, _)| key.starts_with('$'));
            matchers.into_iter().try_for_each(|(matcher, expect)| matches_one(matcher, expect, got, path))?;
            fields.into_iter().try_for_each(|field| matches_field(field, got, path))
        }
        (Value::Object(expected), Value::Object(_)) => {
            expected.iter().try_for_each(|field| matches_field(field, got, path))
        }
        (Value::Array(expected), Value::Array(items)) => {
            if expected.len() != items.len() {
                return differ(&format!("{} items expected, {} there", expected.len(), items.len()));
            }
            let pairs = expected.iter().zip(items).enumerate();
            pairs.into_iter().try_for_each(|(index, (expect, item))| matches(expect, item, &format!("{path}/{index}")))
        }
        _ if expect == got => Ok(()),
        _ => differ(&format!("{} expected", shown(expect))),
    }
}

fn matches_field((key, expect): (&String, &Value), got: &Value, path: &str) -> Result<(), String> {
    matches(expect, got.get(key).unwrap_or(&Value::Null), &format!("{path}/{key}"))
}

fn matches_one(matcher: &str, expect: &Value, got: &Value, path: &str) -> Result<(), String> {
    let text = got.as_str().unwrap_or_default();
    let holds = match matcher {
        "$contains" => got.is_string() && texts(expect).iter().all(|part| text.contains(part)),
        "$notContains" => got.is_string() && texts(expect).iter().all(|part| !text.contains(part)),
        "$startsWith" => match (expect, got) {
            (Value::Array(expected), Value::Array(items)) => {
                expected.len() <= items.len()
                    && expected.iter().zip(items).all(|(e, item)| matches(e, item, path).is_ok())
            }
            _ => got.is_string() && text.starts_with(expect.as_str().unwrap()),
        },
        "$endsWith" => got.is_string() && text.ends_with(expect.as_str().unwrap()),
        "$chars" => got.is_string() && text.chars().all(|c| expect.as_str().unwrap().contains(c)),
        "$oneOf" => expect.as_array().unwrap().iter().any(|each| matches(each, got, path).is_ok()),
        "$includes" => {
            let items = got.as_array().map_or(&[][..], Vec::as_slice);
            let each = expect.as_array().unwrap();
            each.iter().all(|expect| items.iter().any(|item| matches(expect, item, path).is_ok()))
        }
        "$equals" => expect == got,
        "$length" => length(got) == expect.as_u64(),
        "$notEmpty" => length(got).is_some_and(|length| length > 0),
        "$keys" => got.as_object().is_some_and(|map| {
            let keys: Vec<_> = map.keys().map(String::as_str).collect();
            keys == texts(expect)
        }),
        "$json" => match serde_json::from_str(text) {
            Ok(parsed) => return matches(expect, &parsed, &format!("{path}($json)")),
            Err(_) => false,
        },
        other => panic!("{path}: no matcher `{other}`"),
    };
    if holds { Ok(()) } else { Err(format!("{path}: {matcher} {} expected, got {}", shown(expect), shown(got))) }
}

fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::Array(items) => items.iter().map(|item| item.as_str().unwrap()).collect(),
        _ => vec![value.as_str().unwrap()],
    }
}

/// Unicode scalar values of a text, items of an array.
fn length(value: &Value) -> Option<u64> {
    match value {
        Value::String(text) => Some(text.chars().count() as u64),
        Value::Array(items) => Some(items.len() as u64),
        _ => None,
    }
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() > 600 { text.chars().take(600).collect::<String>() + " …" } else { text }
}
