//! Whether arguments satisfy a schema, and what to tell a model when they do not.
//!
//! JSON Schema 2020-12 unless `$schema` says another draft. What cannot be checked is *not checked*, which is an answer
//! of its own and never a violation: a schema that is too large, that cannot be compiled or needs something remote,
//! arguments that cannot be read, a pattern that takes too long. Nothing is ever fetched.

use serde::{Serialize, Serializer};

use crate::locale::Locale;
use crate::text::one_line;

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
    /// The arguments are nested too deeply, or hold what is not Unicode or a number that no double comes near.
    ArgumentsUnreadable,
    /// A pattern took more steps than it may.
    PatternTooSlow,
    /// With its references followed the schema is too large or too deep, or checking the arguments takes too long.
    TooComplex,
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
            Self::TooComplex => "too_complex",
        }
    }
}

/// In a sentence a place is told up to this many grapheme clusters.
const SHOWN_PLACE: usize = 160;

/// One thing that is wrong with arguments. All texts but the path are on one line, and in the words of JSON Schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Where, as a JSON Pointer (RFC 6901); of a property that is missing, where it should be. One of more than 500
    /// characters is cut, and ends with `…`.
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
        let place = if path.is_empty() { "/".to_owned() } else { one_line(path, SHOWN_PLACE) };
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
    ArgumentsCheck::of(Validator::compile(schema).and_then(|validator| validator.check(schema, arguments, None)))
}

#[cfg(not(feature = "validate"))]
pub(crate) use without::{Read, Validator};

#[cfg(not(feature = "validate"))]
mod without {
    use super::{NotChecked, Violation};

    pub(crate) type Read<'t> = serde::de::IgnoredAny;

    /// Stands where a compiled schema would.
    #[derive(Debug)]
    pub(crate) struct Validator;

    impl Validator {
        pub(crate) fn compile(_schema: &str) -> Result<Self, NotChecked> {
            Err(NotChecked::NoValidation)
        }

        pub(crate) fn nodes(&self) -> usize {
            0
        }

        pub(crate) fn check(
            &self,
            _schema: &str,
            _arguments: &str,
            _read: Option<Read<'_>>,
        ) -> Result<Vec<Violation>, NotChecked> {
            Err(NotChecked::NoValidation)
        }
    }
}

#[cfg(feature = "validate")]
pub(crate) use compiled::{Read, Validator};

#[cfg(feature = "validate")]
mod compiled {
    use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
    use jsonschema::{PatternOptions, ValidationError};
    use serde_json::{Map, Value};

    use super::{MAX_SCHEMA_BYTES, MAX_VIOLATIONS, NotChecked, Violation};
    use crate::schema::compact::type_label;
    use crate::schema::extent::{Extent, Task};
    use crate::schema::resolve;
    use crate::schema::value::{Borrowed, BorrowedJson, Members};
    use crate::suggest::nearest;
    use crate::text::{cut, one_line};

    /// Steps a pattern may take on one text before the answer is "not checked".
    const MAX_PATTERN_STEPS: usize = 10_000;
    /// The size of a compiled pattern, in bytes; the time for a text is at most in proportion to both.
    const MAX_PATTERN_BYTES: usize = 1 << 20;
    /// What matching a pattern may keep for the next text, in bytes, each way through the text.
    const MAX_PATTERN_CACHE: usize = 32 << 10;

    /// A value is quoted up to this many grapheme clusters.
    const SHOWN_VALUE: usize = 60;
    /// An expectation is told up to this many grapheme clusters.
    const SHOWN_EXPECTATION: usize = 160;
    /// A place is told as it is up to this many grapheme clusters.
    const SHOWN_PATH: usize = 500;
    /// Errors are collected up to this many before the most useful ones are chosen.
    const MAX_COLLECTED: usize = 200;
    /// Names are compared with up to this many others for a suggestion.
    const MAX_COMPARED: usize = 500;

    /// Arguments as they are checked.
    pub(crate) type Read<'t> = Borrowed<'t>;

    /// A compiled schema.
    #[derive(Debug)]
    pub(crate) struct Validator {
        compiled: jsonschema::Validator<BorrowedJson>,
        extent: Extent,
    }

    impl Validator {
        pub(crate) fn compile(schema: &str) -> Result<Self, NotChecked> {
            if schema.len() > MAX_SCHEMA_BYTES {
                return Err(NotChecked::SchemaTooLarge);
            }
            let schema: Value = serde_json::from_str(schema).map_err(|_| NotChecked::SchemaUnusable)?;
            let extent = Extent::of(&schema)?;
            let patterns = PatternOptions::fancy_regex();
            let patterns = patterns.backtrack_limit(MAX_PATTERN_STEPS).size_limit(MAX_PATTERN_BYTES);
            let patterns = patterns.dfa_size_limit(MAX_PATTERN_CACHE);
            let compiled =
                jsonschema::options_for::<BorrowedJson>().offline().with_pattern_options(patterns).build(&schema);
            match compiled {
                Ok(compiled) => Ok(Self { compiled, extent }),
                Err(error) => Err(match error.kind() {
                    Kind::Referencing(_) => NotChecked::RemoteReference,
                    _ => NotChecked::SchemaUnusable,
                }),
            }
        }

        /// What keeping it costs, in the nodes of its schema with the references followed.
        pub(crate) fn nodes(&self) -> usize {
            self.extent.nodes()
        }

        /// The violations of arguments; none when they satisfy the schema. `schema` is the text that was compiled;
        /// `read` is what `arguments` was read as already.
        pub(crate) fn check(
            &self,
            schema: &str,
            arguments: &str,
            read: Option<Read<'_>>,
        ) -> Result<Vec<Violation>, NotChecked> {
            let schema = || serde_json::from_str::<Value>(schema).ok();
            let bytes = arguments.len();
            let arguments = match read {
                Some(read) => read,
                None => serde_json::from_str(arguments).map_err(|_| NotChecked::ArgumentsUnreadable)?,
            };
            if !self.extent.bounds(&arguments, bytes, Task::Check, schema) {
                return Err(NotChecked::TooComplex);
            }
            if self.compiled.is_valid(&arguments) {
                return Ok(Vec::new());
            }
            if !self.extent.bounds(&arguments, bytes, Task::Tell, schema) {
                return Ok(vec![Violation {
                    path: String::new(),
                    expected: "arguments that keep to the schema".to_owned(),
                    got: format!("{bytes} bytes that do not, too many to say where"),
                    suggestion: None,
                }]);
            }
            let schema = schema().ok_or(NotChecked::SchemaUnusable)?;
            let errors: Vec<ValidationError<'_>> = self.compiled.iter_errors(&arguments).take(MAX_COLLECTED).collect();
            let mut found = Vec::new();
            for error in &errors {
                tell(error, &schema, &arguments, &mut found)?;
            }
            found.sort_by(|a, b| (a.rank, &a.path, &a.expected).cmp(&(b.rank, &b.path, &b.expected)));
            let mut told: Vec<&Found<'_>> = Vec::new();
            for one in &found {
                if told.len() < MAX_VIOLATIONS && !told.iter().any(|told| told.path == one.path) {
                    told.push(one);
                }
            }
            Ok(told.into_iter().map(Found::told).collect())
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

    /// What could be told. What takes work is done for those that are.
    struct Found<'e> {
        rank: Rank,
        path: String,
        expected: String,
        got: Got<'e>,
        meant: Meant<'e>,
    }

    impl Found<'_> {
        fn told(&self) -> Violation {
            let mut path = self.path.clone();
            cut(&mut path, SHOWN_PATH);
            Violation { path, expected: self.expected.clone(), got: self.got.told(), suggestion: self.meant.told() }
        }
    }

    #[derive(Clone, Copy)]
    enum Got<'e> {
        Nothing,
        Value(&'e Borrowed<'e>),
        /// The name of a property, or its beginning.
        Name(&'e Value),
    }

    impl<'e> Got<'e> {
        fn members(self) -> Option<&'e Members<'e>> {
            if let Self::Value(value) = self { value.as_members() } else { None }
        }

        fn text(self) -> Option<&'e str> {
            match self {
                Self::Nothing => None,
                Self::Value(value) => value.as_text(),
                Self::Name(name) => name.as_str(),
            }
        }

        fn told(self) -> String {
            match self {
                Self::Nothing => "missing".to_owned(),
                Self::Value(Borrowed::Array(items)) if items.len() > 3 => format!("a list of {}", items.len()),
                Self::Value(Borrowed::Object(members)) if members.len() > 3 => {
                    format!("an object of {} properties", members.len())
                }
                Self::Value(value) => quoted(&value.to_value()),
                Self::Name(name) => quoted(name),
            }
        }
    }

    /// What may have been meant.
    enum Meant<'e> {
        Unknown,
        /// One of the keys of the object that its schema does not name, for a property that is missing.
        KeyFor {
            missing: &'e str,
            given: Option<&'e Members<'e>>,
            object: Option<&'e Value>,
        },
        /// One of the properties that are not there, for a key that the schema does not name.
        Property {
            unknown: &'e str,
            given: Option<&'e Members<'e>>,
            object: Option<&'e Value>,
        },
        /// One of the values of an `enum`.
        Option {
            given: &'e str,
            options: &'e Value,
        },
    }

    impl Meant<'_> {
        fn told(&self) -> Option<String> {
            match *self {
                Self::Unknown => None,
                Self::KeyFor { missing, given, object } => {
                    let named = |key: &str| properties(object).is_some_and(|named| named.contains_key(key));
                    let keys = given.into_iter().flat_map(Members::keys).filter(|key| !named(key)).take(MAX_COMPARED);
                    nearest(missing, keys, 1).first().map(|key| rename(key, missing))
                }
                Self::Property { unknown, given, object } => {
                    let is_there = |name: &str| given.is_some_and(|given| given.get(name).is_some());
                    let absent = keys(properties(object)).filter(|name| !is_there(name)).take(MAX_COMPARED);
                    nearest(unknown, absent, 1).first().map(|name| rename(unknown, name))
                }
                Self::Option { given, options } => {
                    let texts = options.as_array().into_iter().flatten().filter_map(Value::as_str);
                    nearest(given, texts.take(MAX_COMPARED), 1).first().map(|option| quoted(&Value::from(*option)))
                }
            }
        }
    }

    /// Adds what one error of the crate comes to. What the error is about is looked for at its place.
    fn tell<'e>(
        error: &'e ValidationError<'_>,
        schema: &'e Value,
        arguments: &'e Borrowed<'e>,
        found: &mut Vec<Found<'e>>,
    ) -> Result<(), NotChecked> {
        let got = arguments.at(error.instance_path().as_str()).map_or(Got::Nothing, Got::Value);
        tell_of(error, got, schema, arguments, found)
    }

    fn tell_of<'e>(
        error: &'e ValidationError<'_>,
        got: Got<'e>,
        schema: &'e Value,
        arguments: &'e Borrowed<'e>,
        found: &mut Vec<Found<'e>>,
    ) -> Result<(), NotChecked> {
        let path = error.instance_path().as_str();
        let mut add = |rank, path: String, expected: String, got, meant| {
            found.push(Found { rank, path, expected: one_line(&expected, SHOWN_EXPECTATION), got, meant });
        };
        let expected = match error.kind() {
            Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } => {
                return Err(NotChecked::PatternTooSlow);
            }
            Kind::Referencing(_) => return Err(NotChecked::RemoteReference),
            Kind::Required { property } => {
                let missing = property.as_str().unwrap_or_default();
                let object = parent(error, schema);
                let expected = properties(object).and_then(|named| named.get(missing)).and_then(|s| resolve(s, schema));
                let expected = expected.map_or_else(|| "present".to_owned(), type_label);
                let meant = Meant::KeyFor { missing, given: got.members(), object };
                add(Rank::Missing, pointer(path, missing), format!("{expected} (required)"), Got::Nothing, meant);
                return Ok(());
            }
            Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
                let object = parent(error, schema);
                for unknown in unexpected.iter().take(MAX_COLLECTED) {
                    let given = got.members();
                    let value = given.and_then(|members| members.get(unknown)).map_or(got, Got::Value);
                    let meant = Meant::Property { unknown, given, object };
                    let expected = "absent (no such property)".to_owned();
                    add(Rank::Unknown, pointer(path, unknown), expected, value, meant);
                }
                return Ok(());
            }
            Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
                return tell_nearest(context, error, got, schema, arguments, found);
            }
            Kind::PropertyNames { error } => {
                return tell_of(error, Got::Name(error.instance()), schema, arguments, found);
            }
            Kind::Enum { options } => {
                let meant = got.text().map_or(Meant::Unknown, |given| Meant::Option { given, options });
                add(Rank::Value, path.to_owned(), alternatives(options), got, meant);
                return Ok(());
            }
            Kind::Type { kind: TypeKind::Single(one) } => one.to_string(),
            Kind::Type { kind: TypeKind::Multiple(several) } => {
                several.iter().map(|one| one.to_string()).collect::<Vec<_>>().join(" | ")
            }
            Kind::Constant { expected_value } => expected_value.to_string(),
            Kind::Pattern { pattern } => format!("a text that matches {pattern}"),
            Kind::Format { format } => format!("a text of the format {format}"),
            Kind::Minimum { limit } => format!(">= {limit}"),
            Kind::Maximum { limit } => format!("<= {limit}"),
            Kind::ExclusiveMinimum { limit } => format!("> {limit}"),
            Kind::ExclusiveMaximum { limit } => format!("< {limit}"),
            Kind::MultipleOf { multiple_of } => format!("a multiple of {multiple_of}"),
            Kind::MinLength { limit } => format!("at least {limit} characters long"),
            Kind::MaxLength { limit } => format!("at most {limit} characters long"),
            Kind::MinItems { limit } => format!("a list of at least {limit}"),
            Kind::MaxItems { limit } => format!("a list of at most {limit}"),
            Kind::AdditionalItems { limit } => format!("a list of at most {limit}"),
            Kind::UnevaluatedItems { .. } => "a list without items that its schema does not name".to_owned(),
            Kind::MinProperties { limit } => format!("an object of at least {limit} properties"),
            Kind::MaxProperties { limit } => format!("an object of at most {limit} properties"),
            Kind::UniqueItems => "a list without repetitions".to_owned(),
            Kind::FalseSchema => "absent".to_owned(),
            // What is left has no shorter form than the crate's own sentence, without the value it quotes.
            _ => {
                let expected = format!("such that: {}", error.masked_with("it"));
                add(Rank::Whole, path.to_owned(), expected, got, Meant::Unknown);
                return Ok(());
            }
        };
        add(Rank::Value, path.to_owned(), expected, got, Meant::Unknown);
        Ok(())
    }

    /// Of the branches of a union, tells of the one the value comes nearest to; where it fits none even by its kind,
    /// of the kinds there are.
    fn tell_nearest<'e>(
        branches: &'e [Vec<ValidationError<'static>>],
        error: &'e ValidationError<'_>,
        got: Got<'e>,
        schema: &'e Value,
        arguments: &'e Borrowed<'e>,
        found: &mut Vec<Found<'e>>,
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
            for error in nearest.iter().take(MAX_COLLECTED) {
                tell_within(error, here, got, schema, arguments, found)?;
            }
            return Ok(());
        }
        let mut told = Vec::new();
        for error in branches.iter().flatten().take(MAX_COLLECTED) {
            tell_within(error, here, got, schema, arguments, &mut told)?;
        }
        let mut kinds: Vec<String> = Vec::new();
        for Found { path, expected, .. } in told {
            if path == here && !kinds.contains(&expected) {
                kinds.push(expected);
            }
        }
        let expected = one_line(&kinds.join(" | "), SHOWN_EXPECTATION);
        found.push(Found { rank: Rank::Value, path: here.to_owned(), expected, got, meant: Meant::Unknown });
        Ok(())
    }

    /// As [`tell`], of an error in the branch of a union: at the union's own place it is about what the union is about,
    /// which may be a name.
    fn tell_within<'e>(
        error: &'e ValidationError<'_>,
        here: &str,
        got: Got<'e>,
        schema: &'e Value,
        arguments: &'e Borrowed<'e>,
        found: &mut Vec<Found<'e>>,
    ) -> Result<(), NotChecked> {
        if error.instance_path().as_str() == here {
            tell_of(error, got, schema, arguments, found)
        } else {
            tell(error, schema, arguments, found)
        }
    }

    /// The schema that holds the keyword an error is about.
    fn parent<'s>(error: &ValidationError<'_>, schema: &'s Value) -> Option<&'s Value> {
        let (parent, _keyword) = error.schema_path().as_str().rsplit_once('/')?;
        schema.pointer(parent)
    }

    fn properties(object: Option<&Value>) -> Option<&Map<String, Value>> {
        object?.get("properties")?.as_object()
    }

    fn keys(object: Option<&Map<String, Value>>) -> impl Iterator<Item = &str> {
        object.into_iter().flatten().map(|(key, _)| key.as_str())
    }

    /// The values of an `enum`, no more of them than are shown.
    fn alternatives(options: &Value) -> String {
        let mut text = String::new();
        for option in options.as_array().into_iter().flatten() {
            if !text.is_empty() {
                text.push_str(" | ");
            }
            text.push_str(&option.to_string());
            if text.len() > 16 * SHOWN_EXPECTATION {
                break;
            }
        }
        text
    }

    fn rename(given: &str, meant: &str) -> String {
        format!("{} → {}", one_line(given, SHOWN_VALUE), one_line(meant, SHOWN_VALUE))
    }

    /// Appends a property's name to a JSON Pointer.
    fn pointer(path: &str, name: &str) -> String {
        format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"))
    }

    fn quoted(value: &Value) -> String {
        one_line(&value.to_string(), SHOWN_VALUE)
    }
}
