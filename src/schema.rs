//! JSON Schemas of tools: what providers accept ([`normalize`]), and what a call's arguments must satisfy
//! ([`validate`]). It knows nothing of servers, sets or calls.

pub(crate) mod normalize;
pub(crate) mod validate;
