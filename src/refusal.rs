//! What a model gets in place of a result when its call is not executed.
//!
//! The code is the contract; the sentence comes in both locales. The answer is one JSON object,
//! `{"error": …, "code": …, …}`, in which nothing hides (see [`text`](crate::text)).

use crate::locale::Locale;
use crate::text::push_json_string;

/// Why a call is not executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum RefusalCode {
    /// The text is not JSON.
    InvalidJson,
    /// The JSON does not have the form of a call.
    InvalidArguments,
    /// The session has no such server.
    UnknownServer,
    /// The server has no such tool.
    UnknownTool,
    /// Several tools fit the name.
    AmbiguousName,
    /// The server is not available in this session.
    ServerUnavailable,
    /// The session's tool list is empty because synchronising it failed.
    EmptyToolList,
    /// The desktop would route the full name to another tool.
    UnroutableName,
    /// The arguments break the tool's schema.
    SchemaViolation,
}

impl RefusalCode {
    /// The code as text, in snake_case.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidJson => "invalid_json",
            Self::InvalidArguments => "invalid_arguments",
            Self::UnknownServer => "unknown_server",
            Self::UnknownTool => "unknown_tool",
            Self::AmbiguousName => "ambiguous_name",
            Self::ServerUnavailable => "server_unavailable",
            Self::EmptyToolList => "empty_tool_list",
            Self::UnroutableName => "unroutable_name",
            Self::SchemaViolation => "schema_violation",
        }
    }

    /// Why nothing runs, in one sentence for a person; what the model hears says more.
    pub(crate) fn reason(self, locale: Locale) -> &'static str {
        match self {
            Self::InvalidJson => {
                locale.pick("参数不是合法的 JSON,不会执行", "the arguments are not JSON, so nothing runs")
            }
            Self::InvalidArguments => locale
                .pick("参数不符合 mcp_call 的结构,不会执行", "the arguments are not those of a call, so nothing runs"),
            Self::UnknownServer => {
                locale.pick("本会话没有该 MCP server,不会执行", "the session has no such MCP server, so nothing runs")
            }
            Self::UnknownTool => {
                locale.pick("该 MCP server 没有该工具,不会执行", "the MCP server has no such tool, so nothing runs")
            }
            Self::AmbiguousName => {
                locale.pick("名称与多个工具相符,不会执行", "the name fits several tools, so nothing runs")
            }
            Self::ServerUnavailable => {
                locale.pick("该 MCP server 当前不可用,不会执行", "the MCP server is unavailable, so nothing runs")
            }
            Self::EmptyToolList => locale.pick(
                "本会话的工具清单同步失败,不会执行",
                "the session's tool list could not be synchronised, so nothing runs",
            ),
            Self::UnroutableName => locale.pick(
                "该名称在本地会话中可能到达其他工具,不会执行",
                "the name might reach another tool, so nothing runs",
            ),
            Self::SchemaViolation => {
                locale.pick("参数不符合该工具的结构,不会执行", "the arguments break the tool's schema, so nothing runs")
            }
        }
    }
}

/// The answer under construction: a code, a sentence, and further fields in the order they are added.
pub(crate) struct Answer {
    pub(crate) code: RefusalCode,
    json: String,
}

impl Answer {
    pub(crate) fn new(code: RefusalCode, error: &str) -> Self {
        let mut json = String::from("{\"error\":");
        push_json_string(&mut json, error);
        let mut answer = Self { code, json };
        answer.key("code");
        push_json_string(&mut answer.json, code.as_str());
        answer
    }

    pub(crate) fn text(mut self, key: &str, value: &str) -> Self {
        self.key(key);
        push_json_string(&mut self.json, value);
        self
    }

    pub(crate) fn number(mut self, key: &str, value: usize) -> Self {
        self.key(key);
        self.json.push_str(&value.to_string());
        self
    }

    pub(crate) fn texts<'a>(mut self, key: &str, values: impl IntoIterator<Item = &'a str>) -> Self {
        self.key(key);
        self.json.push('[');
        for (index, value) in values.into_iter().enumerate() {
            if index > 0 {
                self.json.push(',');
            }
            push_json_string(&mut self.json, value);
        }
        self.json.push(']');
        self
    }

    /// A list of objects of texts; a field without a text is left out.
    pub(crate) fn objects<'a, const N: usize>(
        mut self,
        key: &str,
        objects: impl IntoIterator<Item = [(&'static str, Option<&'a str>); N]>,
    ) -> Self {
        self.key(key);
        self.json.push('[');
        for (index, object) in objects.into_iter().enumerate() {
            self.json.push_str(if index > 0 { ",{" } else { "{" });
            let told = object.iter().filter_map(|(key, value)| Some((key, (*value)?)));
            for (index, (key, value)) in told.enumerate() {
                if index > 0 {
                    self.json.push(',');
                }
                push_json_string(&mut self.json, key);
                self.json.push(':');
                push_json_string(&mut self.json, value);
            }
            self.json.push('}');
        }
        self.json.push(']');
        self
    }

    fn key(&mut self, key: &str) {
        self.json.push(',');
        push_json_string(&mut self.json, key);
        self.json.push(':');
    }

    pub(crate) fn into_json(mut self) -> String {
        self.json.push('}');
        self.json
    }
}
