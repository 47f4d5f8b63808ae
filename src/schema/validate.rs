//! Whether arguments satisfy a schema, and what to tell a model when they do not.
//!
//! JSON Schema 2020-12 unless `$schema` says another draft. What cannot be checked is *not checked*, which is an answer
//! of its own and never a violation: a schema that is too large, that cannot be compiled or needs something remote,
//! arguments that cannot be read, a pattern that takes too long. Nothing is ever fetched.

use serde::{Serialize, Serializer};

use crate::locale::Locale;

/// A larger schema is not compiled, in bytes.
pub const MAX_SCHEMA_BYTES: usize = 256 << 10;

/// As many violations are told; a model that repairs these is told of the next.
pub const MAX_VIOLATIONS: usize = 5;

/// What arguments came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ArgumentsCheck {
    /// False where the arguments could not be checked; then there are no violations.
    pub checked: bool,
    /// Why they could not be checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unchecked: Option<NotChecked>,
    /// What is wrong, the most useful first, at most [`MAX_VIOLATIONS`], one for each place.
    pub violations: Vec<Violation>,
}

/// Why arguments were not checked. That never blocks a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NotChecked {
    /// This build has no validation.
    NoValidation,
    /// The schema is larger than [`MAX_SCHEMA_BYTES`].
    SchemaTooLarge,
    /// The schema is no JSON, is nested too deeply, or is no schema.
    SchemaUnusable,
    /// The schema refers to another document.
    RemoteReference,
    /// The arguments are nested too deeply or hold what is not Unicode.
    ArgumentsUnreadable,
    /// A pattern took more steps than it may.
    PatternTooSlow,
}

impl NotChecked {
    /// The reason as a code, in snake_case.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoValidation => "no_validation",
            Self::SchemaTooLarge => "schema_too_large",
            Self::SchemaUnusable => "schema_unusable",
            Self::RemoteReference => "remote_reference",
            Self::ArgumentsUnreadable => "arguments_unreadable",
            Self::PatternTooSlow => "pattern_too_slow",
        }
    }
}

/// One thing that is wrong with arguments. All texts are on one line and in the words of JSON Schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Where, as a JSON Pointer (RFC 6901); of a property that is missing, where it should be.
    pub path: String,
    /// What should be there.
    pub expected: String,
    /// What is there.
    pub got: String,
    /// What was probably meant, such as `filePath → path`.
    pub suggestion: Option<String>,
}

impl Violation {
    /// One sentence.
    #[must_use]
    pub fn message(&self, locale: Locale) -> String {
        let Self { path, expected, got, suggestion } = self;
        let place = if path.is_empty() { "/" } else { path };
        let hint =
            suggestion.as_ref().map(|meant| locale.pick(format!("(可能是 {meant})"), format!(" (perhaps {meant})")));
        locale.pick(format!("{place} 应为 {expected},实际为 {got}"), format!("{place} must be {expected}, not {got}"))
            + hint.as_deref().unwrap_or_default()
    }
}

impl Serialize for Violation {
    /// `{path, message, expected, got, suggestion?}`, the message in English.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut violation = serializer.serialize_struct("Violation", 5)?;
        violation.serialize_field("path", &self.path)?;
        violation.serialize_field("message", &self.message(Locale::En))?;
        violation.serialize_field("expected", &self.expected)?;
        violation.serialize_field("got", &self.got)?;
        match &self.suggestion {
            Some(suggestion) => violation.serialize_field("suggestion", suggestion)?,
            None => violation.skip_field("suggestion")?,
        }
        violation.end()
    }
}

impl ArgumentsCheck {
    pub(crate) fn of(result: Result<Vec<Violation>, NotChecked>) -> Self {
        match result {
            Ok(violations) => Self { checked: true, unchecked: None, violations },
            Err(reason) => Self { checked: false, unchecked: Some(reason), violations: Vec::new() },
        }
    }

    /// The check in its JSON form, `{checked, unchecked?, violations: [{path, message, expected, got, suggestion?}]}`.
    #[must_use]
    pub fn to_json(&self) -> String {
        crate::document::to_json(self)
    }
}

/// Checks the text of arguments against the text of a schema, which is compiled anew each time; a
/// [`WorkingSet`](crate::WorkingSet) keeps the compiled schemas of its tools.
///
/// ```
/// use mcp_working_set::validate_arguments;
/// let schema = r#"{"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}"#;
/// let check = validate_arguments(schema, r#"{"filePath": "/a"}"#);
/// # if !check.checked { return } // without the feature `validate`
/// assert_eq!(check.violations[0].path, "/path");
/// assert_eq!(check.violations[0].suggestion.as_deref(), Some("filePath → path"));
/// ```
#[must_use]
pub fn validate_arguments(schema: &str, arguments: &str) -> ArgumentsCheck {
    ArgumentsCheck::of(Validator::compile(schema).and_then(|validator| validator.check(schema, arguments)))
}

#[cfg(not(feature = "validate"))]
pub(crate) use without::Validator;

#[cfg(not(feature = "validate"))]
mod without {
    use super::{NotChecked, Violation};

    /// Stands where a compiled schema would.
    #[derive(Debug)]
    pub(crate) struct Validator;

    impl Validator {
        pub(crate) fn compile(_schema: &str) -> Result<Self, NotChecked> {
            Err(NotChecked::NoValidation)
        }

        pub(crate) fn check(&self, _schema: &str, _arguments: &str) -> Result<Vec<Violation>, NotChecked> {
            Err(NotChecked::NoValidation)
        }
    }
}

#[cfg(feature = "validate")]
pub(crate) use compiled::Validator;

#[cfg(feature = "validate")]
mod compiled {
    use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
    use jsonschema::{PatternOptions, ValidationError};
    use serde_json::Value;

    use super::{MAX_SCHEMA_BYTES, MAX_VIOLATIONS, NotChecked, Violation};
    use crate::schema::compact::type_label;
    use crate::schema::resolve;
    use crate::suggest::nearest;
    use crate::text::one_line;

    /// Steps a pattern may take on one text before the answer is "not checked".
    const MAX_PATTERN_STEPS: usize = 10_000;

    /// A value is quoted up to this many grapheme clusters.
    const SHOWN_VALUE: usize = 60;
    /// An expectation is told up to this many grapheme clusters.
    const SHOWN_EXPECTATION: usize = 160;
    /// Errors are collected up to this many before the most useful ones are chosen.
    const MAX_COLLECTED: usize = 200;

    /// A compiled schema.
    #[derive(Debug)]
    pub(crate) struct Validator(jsonschema::Validator);

    impl Validator {
        pub(crate) fn compile(schema: &str) -> Result<Self, NotChecked> {
            if schema.len() > MAX_SCHEMA_BYTES {
                return Err(NotChecked::SchemaTooLarge);
            }
            let schema: Value = serde_json::from_str(schema).map_err(|_| NotChecked::SchemaUnusable)?;
            jsonschema::options()
                .offline()
                .with_pattern_options(PatternOptions::fancy_regex().backtrack_limit(MAX_PATTERN_STEPS))
                .build(&schema)
                .map(Self)
                .map_err(|error| match error.kind() {
                    Kind::Referencing(_) => NotChecked::RemoteReference,
                    _ => NotChecked::SchemaUnusable,
                })
        }

        /// The violations of arguments; none when they satisfy the schema. `schema` is the text that was compiled.
        pub(crate) fn check(&self, schema: &str, arguments: &str) -> Result<Vec<Violation>, NotChecked> {
            let arguments: Value = serde_json::from_str(arguments).map_err(|_| NotChecked::ArgumentsUnreadable)?;
            if self.0.is_valid(&arguments) {
                return Ok(Vec::new());
            }
            let schema: Value = serde_json::from_str(schema).map_err(|_| NotChecked::SchemaUnusable)?;
            let mut found = Vec::new();
            for error in self.0.iter_errors(&arguments).take(MAX_COLLECTED) {
                tell(&error, &schema, &arguments, &mut found)?;
            }
            found.sort();
            let mut violations: Vec<Violation> = Vec::new();
            for Found { path, expected, got, suggestion, .. } in found {
                if violations.len() < MAX_VIOLATIONS && !violations.iter().any(|told| told.path == path) {
                    violations.push(Violation { path, expected, got, suggestion });
                }
            }
            Ok(violations)
        }
    }

    /// How useful it is to hear of a violation: what is missing and what is too much explain most of the rest.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    enum Rank {
        Missing,
        Unknown,
        Value,
        Whole,
    }

    #[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
    struct Found {
        rank: Rank,
        path: String,
        expected: String,
        got: String,
        suggestion: Option<String>,
    }

    /// Adds what one error of the crate comes to.
    fn tell(
        error: &ValidationError<'_>,
        schema: &Value,
        arguments: &Value,
        found: &mut Vec<Found>,
    ) -> Result<(), NotChecked> {
        let path = error.instance_path().as_str().to_owned();
        let instance: &Value = error.instance();
        let mut add = |rank, path: String, expected: String, got: String, suggestion: Option<String>| {
            let expected = one_line(&expected, SHOWN_EXPECTATION);
            found.push(Found { rank, path: one_line(&path, SHOWN_EXPECTATION), expected, got, suggestion });
        };
        let value = |expected: String| (Rank::Value, path.clone(), expected, shown(instance), None);
        let (rank, path, expected, got, suggestion) = match error.kind() {
            Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } => {
                return Err(NotChecked::PatternTooSlow);
            }
            Kind::Referencing(_) => return Err(NotChecked::RemoteReference),
            Kind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                let object = parent(error, schema);
                let expected = object.and_then(|object| property_schema(object, name)).and_then(|s| resolve(s, schema));
                let expected = expected.map_or_else(|| "present".to_owned(), type_label);
                let unknown = unknown_keys(instance, object);
                let meant = nearest(name, unknown.into_iter(), 1).into_iter().next();
                let meant = meant.map(|given| rename(given, name));
                (Rank::Missing, pointer(&path, name), format!("{expected} (required)"), "missing".to_owned(), meant)
            }
            Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
                let object = parent(error, schema);
                let known = object.and_then(|object| object.get("properties")).and_then(Value::as_object);
                for name in unexpected {
                    let absent = known.into_iter().flatten().map(|(key, _)| key.as_str());
                    let absent = absent.filter(|key| instance.get(key).is_none());
                    let meant = nearest(name, absent, 1).into_iter().next().map(|known| rename(name, known));
                    let got = instance.get(name).map_or_else(|| "a property".to_owned(), shown);
                    add(Rank::Unknown, pointer(&path, name), "absent (no such property)".to_owned(), got, meant);
                }
                return Ok(());
            }
            Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
                return tell_nearest(context, error, schema, arguments, found);
            }
            Kind::PropertyNames { error } => return tell(error, schema, arguments, found),
            Kind::Enum { options } => {
                let texts: Vec<String> = options.as_array().into_iter().flatten().map(ToString::to_string).collect();
                let strings = options.as_array().into_iter().flatten().filter_map(Value::as_str);
                let meant = instance.as_str().and_then(|given| nearest(given, strings, 1).into_iter().next());
                let meant = meant.map(|meant| one_line(&Value::from(meant).to_string(), SHOWN_VALUE));
                (Rank::Value, path, texts.join(" | "), shown(instance), meant)
            }
            Kind::Type { kind } => value(match kind {
                TypeKind::Single(one) => one.to_string(),
                TypeKind::Multiple(several) => {
                    several.iter().map(|one| one.to_string()).collect::<Vec<_>>().join(" | ")
                }
            }),
            Kind::Constant { expected_value } => value(expected_value.to_string()),
            Kind::Pattern { pattern } => value(format!("a text that matches {pattern}")),
            Kind::Format { format } => value(format!("a text of the format {format}")),
            Kind::Minimum { limit } => value(format!(">= {limit}")),
            Kind::Maximum { limit } => value(format!("<= {limit}")),
            Kind::ExclusiveMinimum { limit } => value(format!("> {limit}")),
            Kind::ExclusiveMaximum { limit } => value(format!("< {limit}")),
            Kind::MultipleOf { multiple_of } => value(format!("a multiple of {multiple_of}")),
            Kind::MinLength { limit } => value(format!("at least {limit} characters long")),
            Kind::MaxLength { limit } => value(format!("at most {limit} characters long")),
            Kind::MinItems { limit } => value(format!("a list of at least {limit}")),
            Kind::MaxItems { limit } => value(format!("a list of at most {limit}")),
            Kind::AdditionalItems { limit } => value(format!("a list of at most {limit}")),
            Kind::MinProperties { limit } => value(format!("an object of at least {limit} properties")),
            Kind::MaxProperties { limit } => value(format!("an object of at most {limit} properties")),
            Kind::UniqueItems => value("a list without repetitions".to_owned()),
            Kind::FalseSchema => value("absent".to_owned()),
            // What is left has no shorter form than the crate's own sentence, without the value it quotes.
            _ => {
                let (expected, got) = (error.masked_with("it").to_string(), shown(instance));
                (Rank::Whole, path, format!("such that: {expected}"), got, None)
            }
        };
        add(rank, path, expected, got, suggestion);
        Ok(())
    }

    /// Of the branches of a union, tells of the one the value comes nearest to; where it fits none even by its kind,
    /// of the kinds there are.
    fn tell_nearest(
        branches: &[Vec<ValidationError<'static>>],
        error: &ValidationError<'_>,
        schema: &Value,
        arguments: &Value,
        found: &mut Vec<Found>,
    ) -> Result<(), NotChecked> {
        let here = error.instance_path().as_str();
        let far = |branch: &&Vec<ValidationError<'static>>| {
            branch.iter().any(|e| {
                let of_another_kind = matches!(e.kind(), Kind::Type { .. } | Kind::Constant { .. } | Kind::Enum { .. });
                e.instance_path().as_str() == here && of_another_kind
            })
        };
        for error in branches.iter().flatten() {
            if matches!(error.kind(), Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. }) {
                return Err(NotChecked::PatternTooSlow);
            }
        }
        if let Some(nearest) = branches.iter().filter(|branch| !far(branch)).min_by_key(|branch| branch.len()) {
            for error in nearest {
                tell(error, schema, arguments, found)?;
            }
            return Ok(());
        }
        let mut told = Vec::new();
        for error in branches.iter().flatten() {
            tell(error, schema, arguments, &mut told)?;
        }
        let mut kinds: Vec<String> = Vec::new();
        for Found { path, expected, .. } in told {
            if path == here && !kinds.contains(&expected) {
                kinds.push(expected);
            }
        }
        let expected = one_line(&kinds.join(" | "), SHOWN_EXPECTATION);
        let got = shown(error.instance());
        found.push(Found { rank: Rank::Value, path: here.to_owned(), expected, got, suggestion: None });
        Ok(())
    }

    /// The schema that holds the keyword an error is about.
    fn parent<'s>(error: &ValidationError<'_>, schema: &'s Value) -> Option<&'s Value> {
        let (parent, _keyword) = error.schema_path().as_str().rsplit_once('/')?;
        schema.pointer(parent)
    }

    fn property_schema<'s>(object: &'s Value, name: &str) -> Option<&'s Value> {
        object.get("properties")?.get(name)
    }

    /// The keys of a value that its schema does not name.
    fn unknown_keys<'v>(instance: &'v Value, object: Option<&Value>) -> Vec<&'v str> {
        let known = object.and_then(|object| object.get("properties"));
        let keys = instance.as_object().into_iter().flatten().map(|(key, _)| key.as_str());
        keys.filter(|key| known.is_none_or(|known| known.get(key).is_none())).collect()
    }

    fn rename(given: &str, meant: &str) -> String {
        format!("{} → {}", one_line(given, SHOWN_VALUE), one_line(meant, SHOWN_VALUE))
    }

    /// Appends a property's name to a JSON Pointer.
    fn pointer(path: &str, name: &str) -> String {
        format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"))
    }

    fn shown(value: &Value) -> String {
        match value {
            Value::Array(items) if items.len() > 3 => format!("a list of {}", items.len()),
            Value::Object(members) if members.len() > 3 => format!("an object of {} properties", members.len()),
            other => one_line(&other.to_string(), SHOWN_VALUE),
        }
    }
}
