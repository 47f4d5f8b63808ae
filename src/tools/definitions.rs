//! What the model is given as tools: the two that stand in for all, or every tool by itself.

use crate::load_mode::LoadMode;
use crate::locale::Locale;
use crate::schema::normalize::normalize_input_schema;
use crate::text::push_json_string;
use crate::working_set::WorkingSet;
use crate::{MCP_CALL, MCP_DESCRIBE};

/// A tool as a model is given it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolDefinition {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The JSON Schema of its arguments, as text.
    pub input_schema: String,
}

impl ToolDefinition {
    /// `{"name", "description", "inputSchema"}`.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut json = String::from("{\"name\":");
        push_json_string(&mut json, &self.name);
        json.push_str(",\"description\":");
        push_json_string(&mut json, &self.description);
        json.push_str(",\"inputSchema\":");
        json.push_str(&self.input_schema);
        json.push('}');
        json
    }
}

const CALL_SCHEMA_ZH_CN: &str = r#"{"type":"object","properties":{"server":{"type":"string","description":"MCP server 名称"},"tool":{"type":"string","description":"该 server 的工具名"},"arguments":{"type":"object","description":"工具自身的参数对象","default":{}}},"required":["server","tool"]}"#;
const CALL_SCHEMA_EN: &str = r#"{"type":"object","properties":{"server":{"type":"string","description":"Name of the MCP server"},"tool":{"type":"string","description":"Name of its tool"},"arguments":{"type":"object","description":"The tool's own arguments","default":{}}},"required":["server","tool"]}"#;
const DESCRIBE_SCHEMA: &str = r#"{"type":"object","properties":{"server":{"type":"string"},"tool":{"type":"string"}},"required":["server","tool"]}"#;

impl WorkingSet {
    /// The definitions of `mcp_call` and `mcp_describe`, in that order; none when the set is empty or the mode is
    /// FULL.
    #[must_use]
    pub fn tool_definitions(&self, locale: Locale, mode: LoadMode) -> Vec<ToolDefinition> {
        match mode {
            LoadMode::Full => Vec::new(),
            LoadMode::WorkingSet if self.is_empty() => Vec::new(),
            LoadMode::WorkingSet => vec![
                definition(
                    MCP_CALL,
                    locale.pick(
                        "调用系统提示「MCP 工作集」中列出的工具",
                        "Calls a tool listed under \"MCP working set\"",
                    ),
                    locale.pick(CALL_SCHEMA_ZH_CN, CALL_SCHEMA_EN),
                ),
                definition(
                    MCP_DESCRIBE,
                    locale.pick("查询该工具的完整参数 schema", "Returns the full parameter schema of such a tool"),
                    DESCRIBE_SCHEMA,
                ),
            ],
        }
    }

    /// What FULL mode injects: one definition per tool of the set, under its full name, with its schema as providers
    /// accept it. Tools that share a full name have definitions that share it too; `ambiguous_full_name` warns of them.
    #[must_use]
    pub fn full_tool_definitions(&self) -> Vec<ToolDefinition> {
        let tools = self.servers().iter().flat_map(|server| server.tools().iter().map(move |tool| (server, tool)));
        tools
            .map(|(server, tool)| ToolDefinition {
                name: server.full_tool_name(tool),
                description: tool.description().to_owned(),
                input_schema: normalize_input_schema(tool.input_schema()),
            })
            .collect()
    }
}

fn definition(name: &str, description: &str, input_schema: &str) -> ToolDefinition {
    ToolDefinition { name: name.to_owned(), description: description.to_owned(), input_schema: input_schema.to_owned() }
}
