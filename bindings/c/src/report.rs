//! What connecting to a session's servers came to.

use std::mem::MaybeUninit;

use mcp_working_set::{ExpectedServer, cloud_connect_result_from_json, parse_local_report};

use crate::error::mws_error;
use crate::ffi::{Bytes, answer};
use crate::status::mws_status;
use crate::text::mws_string;

/// Reads the report of a desktop or terminal client, `{"servers": [{"name", "connected"?, "tools", "error"?}]}`. No
/// server of it vanishes, and none that is expected: what is not connected becomes a connection error.
///
/// `expected_servers_json` is a JSON array of `{"id"?, "name"}`; NULL for none. Writes `{"tools", "connectionErrors",
/// "warnings"}` to `out`: with a list of servers, the first two are a document of mws_working_set_from_json(). Free it
/// with mws_string_free(). MWS_STATUS_INVALID_JSON, MWS_STATUS_INVALID_DOCUMENT or MWS_STATUS_INVALID_UTF8, with the
/// place, when the frame cannot be read at all; a bad entry only costs itself and leaves a warning. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn mws_parse_local_report(
    report_json: Bytes<'_>,
    report_json_len: usize,
    expected_servers_json: Bytes<'_>,
    expected_servers_json_len: usize,
    out: Option<&mut MaybeUninit<mws_string>>,
    error: Option<&mut MaybeUninit<Option<Box<mws_error>>>>,
) -> mws_status {
    answer(out, error, || {
        let report_json = report_json.bytes(report_json_len, "report_json")?;
        let expected = match expected_servers_json.bytes(expected_servers_json_len, "expected_servers_json")? {
            [] => Vec::new(),
            json => ExpectedServer::list_from_json(json)?,
        };
        Ok(parse_local_report(report_json, &expected)?.to_json().into())
    })
}

/// Brings together how connecting to servers went: `{"servers", "outcomes": [{"serverId"?, "serverName"?, "status":
/// "connected" | "failed" | "cancelled", "tools"?, "reason"?}]}`.
///
/// Writes `{"tools", "connectionErrors", "failedServers", "cancelledServers", "warnings"}` to `out`; the warnings are
/// texts for people. Free it with mws_string_free(). MWS_STATUS_INVALID_JSON, MWS_STATUS_INVALID_DOCUMENT or
/// MWS_STATUS_INVALID_UTF8, with the place. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn mws_cloud_connect_result(
    document_json: Bytes<'_>,
    document_json_len: usize,
    out: Option<&mut MaybeUninit<mws_string>>,
    error: Option<&mut MaybeUninit<Option<Box<mws_error>>>>,
) -> mws_status {
    answer(out, error, || {
        let document_json = document_json.bytes(document_json_len, "document_json")?;
        Ok(cloud_connect_result_from_json(document_json)?.to_json().into())
    })
}
