//! Reads the names of a call from text that arrives in pieces.
//!
//! Decides which `server` and `tool` stand at the top level, as soon as each is read to its end. Everything else is
//! passed over and not kept, so a reader stays small however long the arguments are, and each byte is looked at once.
//! It takes off the same wrappings as [`ToolCall`](crate::ToolCall) and agrees with it on every text that is a call.
//! It refuses to know what the names are for, and it never completes a text.

use crate::text::{ELLIPSIS, json_string, one_line};

/// A name is kept to this many bytes; a longer one is known to go on.
const KEPT_NAME_BYTES: usize = 1024;

/// Longest name shown, in grapheme clusters: as long as MCP lets a tool name be.
const SHOWN_NAME: usize = 128;

/// A key longer than this is neither `server` nor `tool`.
const KEPT_KEY_BYTES: usize = 8;

/// The decoded text of a wrapped call is passed on in pieces of this size.
const PIECE_BYTES: usize = 4096;

/// A name that was read to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Name {
    text: String,
    goes_on: bool,
}

impl Name {
    pub(crate) fn new(name: &str) -> Self {
        let mut end = name.len().min(KEPT_NAME_BYTES);
        while !name.is_char_boundary(end) {
            end -= 1;
        }
        Self { text: name.get(..end).unwrap_or_default().to_owned(), goes_on: end < name.len() }
    }

    /// The name itself; nothing when it is too long to be kept.
    pub(crate) fn whole(&self) -> Option<&str> {
        (!self.goes_on).then_some(self.text.as_str())
    }

    /// The name on one line. One of which nothing can be seen is shown as a JSON string literal.
    pub(crate) fn shown(&self) -> String {
        let mut line = one_line(&self.text, SHOWN_NAME);
        if line.is_empty() {
            line = one_line(&json_string(&self.text), SHOWN_NAME);
        }
        if self.goes_on && !line.ends_with(ELLIPSIS) {
            line.push(ELLIPSIS);
            crate::text::cut(&mut line, SHOWN_NAME);
        }
        line
    }
}

/// What is known of one of the two names.
#[derive(Debug, Default)]
enum Field {
    #[default]
    Absent,
    /// Its key has been read, its value not to the end.
    Reading,
    Known(Name),
    /// Not a usable name, or there twice.
    Unusable,
}

impl Field {
    fn meet_key(&mut self) {
        *self = if matches!(self, Self::Absent) { Self::Reading } else { Self::Unusable };
    }

    fn known(&self) -> Option<&Name> {
        match self {
            Self::Known(name) => Some(name),
            Self::Absent | Self::Reading | Self::Unusable => None,
        }
    }
}

/// The reader. Feed it with [`push`](Self::push); ask at any time.
#[derive(Debug, Default)]
pub(crate) struct CallReader {
    wrapping: Wrapping,
    literal: StringDecoder,
    object: ObjectReader,
}

/// Where in the whole text, outside the object, the reader is.
#[derive(Debug, Default, Clone, Copy)]
enum Wrapping {
    /// Nothing but white space so far.
    #[default]
    Unknown,
    /// The object stands there as it is.
    Plain,
    /// This many back-ticks of an opening fence.
    OpeningFence(u8),
    /// The language word of a fence.
    FenceInfo,
    /// In a fence; so many back-ticks of the closing one were read.
    Fence(u8),
    /// In a JSON string that holds the object.
    Literal,
    AfterLiteral,
    /// Not a call; the rest is not read.
    Broken,
}

impl CallReader {
    pub(crate) fn push(&mut self, mut bytes: &[u8]) {
        while let Some((&byte, rest)) = bytes.split_first() {
            match self.wrapping {
                Wrapping::Unknown => match byte {
                    b'{' => {
                        self.wrapping = Wrapping::Plain;
                        continue;
                    }
                    b'"' => self.wrapping = Wrapping::Literal,
                    b'`' => self.wrapping = Wrapping::OpeningFence(1),
                    byte if is_space(byte) => {}
                    _ => self.wrapping = Wrapping::Broken,
                },
                Wrapping::Plain => return self.read_object(bytes),
                Wrapping::OpeningFence(ticks) => {
                    self.wrapping = match (byte, ticks) {
                        (b'`', 2) => Wrapping::FenceInfo,
                        (b'`', _) => Wrapping::OpeningFence(ticks + 1),
                        _ => Wrapping::Broken,
                    }
                }
                Wrapping::FenceInfo => {
                    if !(byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')) {
                        self.wrapping = Wrapping::Fence(0);
                        continue;
                    }
                }
                Wrapping::Fence(0) if !self.object.is_closed() => {
                    bytes = self.object.read(bytes);
                    continue;
                }
                Wrapping::Fence(ticks) => match (byte, ticks) {
                    (b'`', 0..=2) => self.wrapping = Wrapping::Fence(ticks + 1),
                    (byte, 0 | 3) if is_space(byte) => {}
                    _ => return self.withdraw(),
                },
                Wrapping::Literal => {
                    bytes = self.read_literal(bytes);
                    continue;
                }
                Wrapping::AfterLiteral if is_space(byte) => {}
                Wrapping::AfterLiteral => return self.withdraw(),
                Wrapping::Broken => return,
            }
            bytes = rest;
        }
    }

    pub(crate) fn server(&self) -> Option<&Name> {
        self.object.server.known()
    }

    pub(crate) fn tool(&self) -> Option<&Name> {
        self.object.tool.known()
    }

    /// Reads text of the object; behind it only white space may stand.
    fn read_object(&mut self, text: &[u8]) {
        let behind = self.object.read(text);
        if !behind.iter().copied().all(is_space) {
            self.withdraw();
        }
    }

    /// Decodes one piece of the string that holds the object, and returns what is left of the bytes.
    fn read_literal<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        let mut text = Vec::with_capacity(bytes.len().min(PIECE_BYTES));
        let mut left = bytes;
        while let Some((&byte, rest)) = left.split_first() {
            left = rest;
            let before = text.len();
            match self.literal.step(byte, &mut text) {
                Step::Inside if self.literal.lone_surrogate => {
                    // Without the missing half, what follows it could end a name that nobody wrote.
                    text.truncate(before);
                    self.wrapping = Wrapping::Broken;
                }
                Step::Inside if text.len() < PIECE_BYTES => continue,
                Step::Inside => {}
                Step::Closed => self.wrapping = Wrapping::AfterLiteral,
                Step::Malformed => self.wrapping = Wrapping::Broken,
            }
            break;
        }
        self.read_object(&text);
        left
    }

    /// More follows where the call should have ended: nobody can say which call is meant.
    fn withdraw(&mut self) {
        self.wrapping = Wrapping::Broken;
        self.object.server = Field::Unusable;
        self.object.tool = Field::Unusable;
    }
}

/// Reads one object.
#[derive(Debug, Default)]
struct ObjectReader {
    at: At,
    key: Key,
    server: Field,
    tool: Field,
    string: StringDecoder,
    /// The key or name being read.
    kept: Kept,
    nesting: Nesting,
}

#[derive(Debug, Default, Clone, Copy)]
enum At {
    #[default]
    Start,
    FirstKey,
    NextKey,
    InKey,
    Colon,
    Value,
    /// In the string that is the value of `server` or `tool`.
    InName,
    /// In a string that is passed over.
    InString {
        escaped: bool,
    },
    /// In a number, `true`, `false` or `null`.
    InScalar,
    /// In a nested array or object.
    Nested,
    AfterValue,
    Closed,
    /// This is not JSON; the rest is not read.
    Broken,
}

/// The key whose value is being read.
#[derive(Debug, Default, Clone, Copy)]
enum Key {
    Server,
    Tool,
    #[default]
    Other,
}

impl ObjectReader {
    fn is_closed(&self) -> bool {
        matches!(self.at, At::Closed)
    }

    /// Reads on and returns what stands behind the object.
    fn read<'b>(&mut self, mut bytes: &'b [u8]) -> &'b [u8] {
        while !self.is_closed()
            && let Some((&byte, rest)) = bytes.split_first()
        {
            bytes = rest;
            self.at = match self.at {
                At::Start if byte == b'{' => At::FirstKey,
                At::FirstKey if byte == b'}' => At::Closed,
                At::FirstKey | At::NextKey if byte == b'"' => {
                    self.start_string();
                    At::InKey
                }
                At::InKey => self.read_key(byte),
                At::Colon if byte == b':' => At::Value,
                At::Value if !is_space(byte) => self.start_value(byte),
                At::InName => self.read_name(byte),
                At::InString { escaped: true } => At::InString { escaped: false },
                At::InString { escaped: false } => match byte {
                    b'\\' => At::InString { escaped: true },
                    b'"' => self.after_value(),
                    _ => {
                        // Nearly all bytes of a long call are passed over here.
                        let plain = bytes.iter().position(|b| matches!(b, b'"' | b'\\')).unwrap_or(bytes.len());
                        bytes = bytes.get(plain..).unwrap_or_default();
                        At::InString { escaped: false }
                    }
                },
                At::InScalar => match byte {
                    b',' => At::NextKey,
                    b'}' => At::Closed,
                    b'"' | b':' | b'{' | b'[' | b']' => At::Broken,
                    byte if is_space(byte) => At::AfterValue,
                    _ => At::InScalar,
                },
                At::Nested => self.read_nested(byte),
                At::AfterValue if byte == b',' => At::NextKey,
                At::AfterValue if byte == b'}' => At::Closed,
                at @ (At::Start | At::FirstKey | At::NextKey | At::Colon | At::Value | At::AfterValue) => {
                    if is_space(byte) { at } else { At::Broken }
                }
                At::Broken => return &[],
                At::Closed => At::Closed,
            };
        }
        bytes
    }

    fn start_string(&mut self) {
        self.string = StringDecoder::default();
        self.kept.clear();
    }

    fn read_key(&mut self, byte: u8) -> At {
        match self.string.step(byte, &mut self.kept.bytes) {
            Step::Malformed => At::Broken,
            Step::Inside => {
                self.kept.keep(KEPT_KEY_BYTES);
                At::InKey
            }
            Step::Closed => {
                self.key = match self.kept.bytes.as_slice() {
                    _ if self.kept.goes_on || self.string.lone_surrogate => Key::Other,
                    b"server" => Key::Server,
                    b"tool" => Key::Tool,
                    _ => Key::Other,
                };
                if let Some(field) = self.field() {
                    field.meet_key();
                }
                At::Colon
            }
        }
    }

    fn read_name(&mut self, byte: u8) -> At {
        match self.string.step(byte, &mut self.kept.bytes) {
            Step::Malformed => At::Broken,
            Step::Inside => {
                self.kept.keep(KEPT_NAME_BYTES);
                At::InName
            }
            Step::Closed => {
                let name = if self.string.lone_surrogate { None } else { self.kept.name() };
                self.settle(name.map_or(Field::Unusable, Field::Known));
                At::AfterValue
            }
        }
    }

    fn start_value(&mut self, byte: u8) -> At {
        if byte == b'"' && matches!(self.field(), Some(Field::Reading)) {
            self.start_string();
            return At::InName;
        }
        self.settle(Field::Unusable);
        match byte {
            b'"' => At::InString { escaped: false },
            b'{' | b'[' => {
                self.nesting.open(byte);
                At::Nested
            }
            b'}' | b']' | b',' | b':' => At::Broken,
            _ => At::InScalar,
        }
    }

    fn read_nested(&mut self, byte: u8) -> At {
        let fits = match byte {
            b'"' => return At::InString { escaped: false },
            b'{' | b'[' => self.nesting.open(byte),
            b'}' | b']' => self.nesting.close(byte),
            _ => true,
        };
        if fits { self.after_value() } else { At::Broken }
    }

    /// Where a string or bracket leaves the reader: still inside the nested value, or behind it.
    fn after_value(&self) -> At {
        if self.nesting.depth == 0 { At::AfterValue } else { At::Nested }
    }

    fn field(&mut self) -> Option<&mut Field> {
        match self.key {
            Key::Server => Some(&mut self.server),
            Key::Tool => Some(&mut self.tool),
            Key::Other => None,
        }
    }

    fn settle(&mut self, value: Field) {
        if let Some(field @ Field::Reading) = self.field() {
            *field = value;
        }
    }
}

/// Text that is kept up to a limit.
#[derive(Debug, Default)]
struct Kept {
    bytes: Vec<u8>,
    goes_on: bool,
}

impl Kept {
    fn clear(&mut self) {
        self.bytes.clear();
        self.goes_on = false;
    }

    fn keep(&mut self, limit: usize) {
        if self.bytes.len() > limit {
            self.bytes.truncate(limit);
            self.goes_on = true;
        }
    }

    /// The text as a name; nothing when it is empty or not Unicode.
    fn name(&self) -> Option<Name> {
        let text = match str::from_utf8(&self.bytes) {
            Ok(text) => text,
            // The limit may have cut a character in two.
            Err(error) if self.goes_on && error.error_len().is_none() => {
                str::from_utf8(self.bytes.get(..error.valid_up_to())?).ok()?
            }
            Err(_) => return None,
        };
        (!text.is_empty()).then(|| Name { text: text.to_owned(), goes_on: self.goes_on })
    }
}

/// Which brackets are open, one bit for each: set for `{`. As deep as a call may nest.
#[derive(Debug, Default)]
struct Nesting {
    braces: u128,
    depth: u32,
}

impl Nesting {
    fn open(&mut self, bracket: u8) -> bool {
        if self.depth == u128::BITS {
            return false;
        }
        self.braces = self.braces << 1 | u128::from(bracket == b'{');
        self.depth += 1;
        true
    }

    /// False when another bracket is open.
    fn close(&mut self, bracket: u8) -> bool {
        let brace = self.braces & 1 == 1;
        self.braces >>= 1;
        self.depth = self.depth.saturating_sub(1);
        brace == (bracket == b'}')
    }
}

/// Decodes the inside of a JSON string byte by byte, so that it may be cut anywhere, also inside an escape or between
/// the halves of a surrogate pair.
#[derive(Debug, Default)]
struct StringDecoder {
    state: Escape,
    /// An escape stood for half a surrogate pair; the string is not Unicode.
    lone_surrogate: bool,
}

#[derive(Debug, Default, Clone, Copy)]
enum Escape {
    #[default]
    None,
    /// Behind a `\`; with the first half of a pair that stands before it.
    Backslash(Option<u16>),
    /// In `\uXXXX`, of which `digits` have been read.
    Unicode { first: Option<u16>, unit: u16, digits: u8 },
    /// Behind the first half of a pair.
    FirstHalf(u16),
}

enum Step {
    Inside,
    /// That was the closing quote.
    Closed,
    /// No JSON string goes on like this.
    Malformed,
}

impl StringDecoder {
    fn step(&mut self, byte: u8, out: &mut Vec<u8>) -> Step {
        match self.state {
            Escape::FirstHalf(first) if byte == b'\\' => self.state = Escape::Backslash(Some(first)),
            Escape::None | Escape::FirstHalf(_) => {
                self.lone_surrogate |= matches!(self.state, Escape::FirstHalf(_));
                self.state = Escape::None;
                match byte {
                    b'"' => return Step::Closed,
                    b'\\' => self.state = Escape::Backslash(None),
                    0..=0x1F => return Step::Malformed,
                    _ => out.push(byte),
                }
            }
            Escape::Backslash(first) if byte == b'u' => self.state = Escape::Unicode { first, unit: 0, digits: 0 },
            Escape::Backslash(first) => {
                self.lone_surrogate |= first.is_some();
                self.state = Escape::None;
                out.push(match byte {
                    b'"' | b'\\' | b'/' => byte,
                    b'b' => 0x08,
                    b'f' => 0x0C,
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    _ => return Step::Malformed,
                });
            }
            Escape::Unicode { first, unit, digits } => {
                let Some(digit) = char::from(byte).to_digit(16).and_then(|digit| u16::try_from(digit).ok()) else {
                    return Step::Malformed;
                };
                let (unit, digits) = (unit << 4 | digit, digits + 1);
                self.state = Escape::Unicode { first, unit, digits };
                if digits == 4 {
                    self.end_unit(first, unit, out);
                }
            }
        }
        Step::Inside
    }

    fn end_unit(&mut self, first: Option<u16>, unit: u16, out: &mut Vec<u8>) {
        self.state = Escape::None;
        if matches!(unit, 0xD800..=0xDBFF) {
            self.lone_surrogate |= first.is_some();
            self.state = Escape::FirstHalf(unit);
            return;
        }
        let units = first.into_iter().chain([unit]);
        for c in char::decode_utf16(units) {
            self.lone_surrogate |= c.is_err();
            let c = c.unwrap_or(char::REPLACEMENT_CHARACTER);
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> (Option<String>, Option<String>) {
        let mut reader = CallReader::default();
        reader.push(text.as_bytes());
        let shown = |name: Option<&Name>| name.map(Name::shown);
        (shown(reader.server()), shown(reader.tool()))
    }

    fn both(server: &str, tool: &str) -> (Option<String>, Option<String>) {
        (Some(server.to_owned()), Some(tool.to_owned()))
    }

    const NEITHER: (Option<String>, Option<String>) = (None, None);

    #[test]
    fn names_count_once_read_to_their_end() {
        assert_eq!(names(r#"{"server":"fs","tool":"read_fi"#), (Some("fs".into()), None));
        assert_eq!(names(r#"{"server":"fs","tool":"read_file""#), both("fs", "read_file"));
        assert_eq!(names(r#"{"tool":"x"#), NEITHER);
        assert_eq!(names(r#"{"tool":"x","server":"#), (None, Some("x".into())));
        assert_eq!(names(r#" { "server" : "a\u0062\ud83d\ude00\/" , "t\u006fol" : "t" } "#), both("ab😀/", "t"));
    }

    #[test]
    fn nested_keys_and_strings_that_look_like_keys_are_passed_over() {
        for nested in [
            r#"{"server":"evil","tool":"x"}"#,
            r#"[{"server":"evil"},["]}",{"tool":"\"}"}]]"#,
            r#""{\"server\":\"evil\"}""#,
            r#""\\""#,
            "-1.5e3",
            "null",
        ] {
            assert_eq!(names(&format!(r#"{{"arguments":{nested},"server":"a","tool":"b"}}"#)), both("a", "b"));
            assert_eq!(names(&format!(r#"{{"arguments":{nested},"x":"#)), NEITHER, "{nested}");
        }
    }

    #[test]
    fn what_nobody_could_mean_is_not_named() {
        // Twice, also with another spelling of the key.
        assert_eq!(names(r#"{"server":"a","server":"b","tool":"t"}"#), (None, Some("t".into())));
        assert_eq!(names(r#"{"server":"a","ser\u0076er""#), NEITHER);
        // No name.
        assert_eq!(names(r#"{"server":7,"tool":""}"#), NEITHER);
        assert_eq!(names(r#"{"server":{"server":"x"},"tool":["t"]}"#), NEITHER);
        assert_eq!(names(r#"{"server":"\ud800","tool":"\ude00\ud83d"}"#), NEITHER);
        assert_eq!(names(r#"{"server":"\ud83d\u0041","tool":"\ud83d\n"}"#), NEITHER);
        // More than one call.
        assert_eq!(names(r#"{"server":"a","tool":"b"}{"server":"c","tool":"d"}"#), NEITHER);
        assert_eq!(names("```\n{\"server\":\"a\",\"tool\":\"b\"}\n``` or"), NEITHER);
        assert_eq!(names(r#""{\"server\":\"a\",\"tool\":\"b\"} x"#), NEITHER);
        assert_eq!(names(r#""{\"server\":\"a\",\"tool\":\"b\"}" x"#), NEITHER);
    }

    #[test]
    fn behind_a_mistake_nothing_is_read() {
        for mistake in [r#""x":}"#, r#""x":[}],"#, "x", r#""x" 1,"#, r#""x":1 2,"#, r#""\x":1,"#, ","] {
            let text = format!(r#"{{"server":"a",{mistake}"tool":"b"}}"#);
            assert_eq!(names(&text), (Some("a".into()), None), "{text}");
        }
        assert_eq!(names(r#"[{"server":"a"}]"#), NEITHER);
        assert_eq!(names(r#"call {"server":"a"}"#), NEITHER);
        let deep = format!(r#"{{"server":"a","x":{}{},"tool":"b"}}"#, "[".repeat(500), "]".repeat(500));
        assert_eq!(names(&deep), (Some("a".into()), None));
    }

    #[test]
    fn wrappings_come_off_while_the_text_is_incomplete() {
        let plain = r#"{"server":"a\"","arguments":{"q":"```"},"tool":"b"}"#;
        let literal = serde_json::to_string(plain).unwrap();
        for whole in [format!("``` {plain}```"), format!("```json\n{plain}\n``` \n"), literal.replacen('"', " \"  ", 1)]
        {
            assert_eq!(names(&whole), both("a\"", "b"), "{whole}");
            let tool = whole.rfind("tool").unwrap();
            assert_eq!(names(whole.get(..tool).unwrap()), (Some("a\"".into()), None), "{whole}");
        }
        let twice = serde_json::to_string(&literal).unwrap();
        assert_eq!(names(&twice), NEITHER);
        // Half a pair before the escaped quote: the name is not `ab`.
        assert_eq!(names(r#""{\"server\":\"ab\ud83d\",\"tool\":\"t\"}""#), NEITHER);
        assert_eq!(names(&format!("``` json\n{plain}")), NEITHER);
    }

    #[test]
    fn long_names_are_kept_in_part_and_cut() {
        let name = "é".repeat(2_000);
        let (server, tool) = names(&format!(r#"{{"server":"{name}","tool":"{}x"}}"#, "\\u200b".repeat(400)));
        assert_eq!(server, Some(Name::new(&name).shown()));
        assert_eq!(server.unwrap(), format!("{}…", "é".repeat(SHOWN_NAME - 1)));
        assert_eq!(tool.unwrap(), Name::new(&"\u{200b}".repeat(400)).shown());
        assert_eq!(Name::new(&name).whole(), None);
        assert_eq!(Name::new("\u{200b}").shown(), r#""\u200b""#);
        assert_eq!(Name::new("a\u{202e}\nb").shown(), "a b");
    }
}
