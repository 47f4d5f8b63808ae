//! The two tools that stand in for all MCP tools: how a call of them is read ([`call`]), and how they are presented
//! to the model ([`definitions`]).

pub(crate) mod call;
pub(crate) mod definitions;
