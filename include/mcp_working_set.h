/*
 * MCP working set: one short prompt section and two tools in place of the JSON Schema of every MCP tool.
 *
 * A host builds a working set from the servers and tools of a session, puts its section into the system prompt, gives
 * the model the tools mcp_call and mcp_describe, and has every call planned: the plan says whether to ask, whom, and
 * what to run. The library runs nothing itself: it has no I/O, no clock, no threads and no global state.
 *
 * Constants and types come first, then the functions, in this order: version, texts, errors, locale, load mode; reports
 * of clients; the working set; the context of calls, plans, decisions and rules; names; schemas; what people see.
 *
 * CONVENTIONS, the same for every function
 *
 * Handles. mws_working_set, mws_call_context, mws_plan, mws_decision and mws_error are opaque and never change: any
 * number of threads may read one at once, and any thread may free it once no other reads it. Only mws_call_preview
 * changes, and is used by one thread at a time. Every handle is freed once, with the function that bears its name; all
 * of them ignore NULL.
 *
 * Texts in are a pointer and a length in bytes, UTF-8, not NUL-terminated; `NULL, 0` is an empty text, and no text where
 * a function says so. They are read during the call and never kept. Arguments called document, report, request or
 * context are JSON.
 *
 * Texts out are of two kinds. An mws_string belongs to the caller, who frees it with mws_string_free(). An mws_str is
 * borrowed: each function says from what, and it lasts as long as that. "Nothing" is a text whose data is NULL.
 * Structured answers are one JSON text, with the same bytes in every language this library is offered in; what programs
 * branch on is a number as well.
 *
 * Failure. Functions that can fail return an mws_status, and MWS_STATUS_OK is 0. They write their answer to `out`, which
 * must not be NULL, and to `error`, which may be, an mws_error, or NULL when there is none. Both are written whatever
 * happens, so that they need not be initialised and can be freed always; what stood there before is not freed. On
 * failure `out` is nothing, NULL or 0. Only mistakes of the program fail. What a model or a person should hear is an
 * answer.
 *
 * Mistakes that are found: NULL where it must not be, lengths that cannot be, bytes that are not UTF-8, numbers that
 * stand for nothing. Functions that only look something up in a handle give for NULL what says nothing. A fault of this
 * library is MWS_STATUS_INTERNAL and never comes across as a panic. Not found, as always in C: pointers to anything
 * else, handles used after they were freed or freed twice, a preview pushed to by two threads at once.
 *
 * Made by `cargo xtask header` from bindings/c. Licence: MIT or Apache-2.0.
 */

#ifndef MCP_WORKING_SET_H
#define MCP_WORKING_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>


/** The version this header belongs to; mws_version() tells that of the library. */
#define MWS_VERSION "0.1.0"
#define MWS_VERSION_MAJOR 0
#define MWS_VERSION_MINOR 1
#define MWS_VERSION_PATCH 0

/** The tool through which a model calls every MCP tool. */
#define MWS_MCP_CALL "mcp_call"

/** The tool that tells a model the schema of an MCP tool. */
#define MWS_MCP_DESCRIBE "mcp_describe"

/** The type of the rules that are about MCP tools. */
#define MWS_MCP_TOOL_RULE "MCP_TOOL"

/** The key of the section in a prompt manifest. */
#define MWS_SECTION_KEY "mcp-workingset"

/** The label of the section in a prompt manifest, in UTF-8. */
#define MWS_SECTION_LABEL "MCP 工作集"

/**
 * What a call came to. Every other number than 0 is a mistake of the program, never something a model or a person
 * should hear: that is always part of an answer. A number never gets another meaning; new ones may be added.
 */
typedef enum mws_status {
    /**
     * It worked.
     */
    MWS_STATUS_OK = 0,
    /**
     * A pointer is NULL that must not be.
     */
    MWS_STATUS_NULL_POINTER = 1,
    /**
     * Bytes that should be text are not UTF-8.
     */
    MWS_STATUS_INVALID_UTF8 = 2,
    /**
     * The text is not JSON.
     */
    MWS_STATUS_INVALID_JSON = 3,
    /**
     * The JSON does not have the documented shape.
     */
    MWS_STATUS_INVALID_DOCUMENT = 4,
    /**
     * The input is larger than the stated limit.
     */
    MWS_STATUS_TOO_LARGE = 5,
    /**
     * A locale that is not one of ::mws_locale, or not `zh-CN` or `en`.
     */
    MWS_STATUS_INVALID_LOCALE = 6,
    /**
     * A load mode that is not one of ::mws_load_mode, or not `WORKING_SET` or `FULL`.
     */
    MWS_STATUS_INVALID_LOAD_MODE = 7,
    /**
     * An execution mode other than LOCAL and CLOUD.
     */
    MWS_STATUS_INVALID_EXECUTION_MODE = 8,
    /**
     * Some other argument is not of the documented form.
     */
    MWS_STATUS_INVALID_ARGUMENT = 9,
    /**
     * A fault of this library. Whatever handles it was given can still be freed.
     */
    MWS_STATUS_INTERNAL = 10,
} mws_status;

/**
 * The language of a text for a model or a person. Codes, names and JSON keys are the same in both.
 */
typedef enum mws_locale {
    /**
     * `zh-CN`.
     */
    MWS_LOCALE_ZH_CN = 0,
    /**
     * `en`.
     */
    MWS_LOCALE_EN = 1,
} mws_locale;

/**
 * How the MCP tools of a session reach the model.
 */
typedef enum mws_load_mode {
    /**
     * As one section of the system prompt and two tools.
     */
    MWS_LOAD_MODE_WORKING_SET = 0,
    /**
     * Every tool with its schema.
     */
    MWS_LOAD_MODE_FULL = 1,
} mws_load_mode;

/**
 * Who chose the load mode.
 */
typedef enum mws_load_mode_source {
    /**
     * Neither: nothing valid was set.
     */
    MWS_LOAD_MODE_SOURCE_DEFAULT = 0,
    /**
     * The user.
     */
    MWS_LOAD_MODE_SOURCE_USER = 1,
    /**
     * The global setting.
     */
    MWS_LOAD_MODE_SOURCE_GLOBAL = 2,
} mws_load_mode_source;

/**
 * Where a session runs its tools.
 */
typedef enum mws_execution_mode {
    /**
     * Nowhere: the route of a plan that executes nothing. Not to be handed over.
     */
    MWS_EXECUTION_MODE_NONE = 0,
    /**
     * The desktop runs the tool.
     */
    MWS_EXECUTION_MODE_LOCAL = 1,
    /**
     * The backend runs the tool.
     */
    MWS_EXECUTION_MODE_CLOUD = 2,
} mws_execution_mode;

/**
 * How much the user lets the agent do.
 */
typedef enum mws_permission_level {
    /**
     * Only what reads; a boundary that no rule crosses.
     */
    MWS_PERMISSION_LEVEL_READ_ONLY = 0,
    /**
     * What reads runs, what writes asks.
     */
    MWS_PERMISSION_LEVEL_READ_WRITE = 1,
    /**
     * Every MCP call asks the user, or a rule of the user's.
     */
    MWS_PERMISSION_LEVEL_SMART = 2,
    /**
     * Every MCP call asks the approval model, or a rule of the user's.
     */
    MWS_PERMISSION_LEVEL_PROXY = 3,
    /**
     * Everything runs.
     */
    MWS_PERMISSION_LEVEL_FULL = 4,
} mws_permission_level;

/**
 * What to do with a call.
 */
typedef enum mws_kind {
    /**
     * There is no plan: what is said of NULL.
     */
    MWS_KIND_NONE = 0,
    /**
     * Ask as the decision says, then run it.
     */
    MWS_KIND_EXECUTE = 1,
    /**
     * Run nothing; give the model the result.
     */
    MWS_KIND_REFUSE = 2,
} mws_kind;

/**
 * Why a call is not executed. A number never gets another meaning; new ones may be added.
 */
typedef enum mws_refusal {
    /**
     * It is executed, or there is no plan.
     */
    MWS_REFUSAL_NONE = 0,
    /**
     * The text is not JSON.
     */
    MWS_REFUSAL_INVALID_JSON = 1,
    /**
     * The JSON does not have the form of a call.
     */
    MWS_REFUSAL_INVALID_ARGUMENTS = 2,
    /**
     * The session has no such server.
     */
    MWS_REFUSAL_UNKNOWN_SERVER = 3,
    /**
     * The server has no such tool.
     */
    MWS_REFUSAL_UNKNOWN_TOOL = 4,
    /**
     * Several tools fit the name.
     */
    MWS_REFUSAL_AMBIGUOUS_NAME = 5,
    /**
     * The server is not available in this session.
     */
    MWS_REFUSAL_SERVER_UNAVAILABLE = 6,
    /**
     * The session's tool list is empty because synchronising it failed.
     */
    MWS_REFUSAL_EMPTY_TOOL_LIST = 7,
    /**
     * The desktop would route the full name to another tool.
     */
    MWS_REFUSAL_UNROUTABLE_NAME = 8,
    /**
     * The arguments break the tool's schema.
     */
    MWS_REFUSAL_SCHEMA_VIOLATION = 9,
    /**
     * A reason that is newer than this list; mws_plan_refusal_code() tells it.
     */
    MWS_REFUSAL_OTHER = 255,
} mws_refusal;

/**
 * What happens to a call. The number of zeroed memory never lets one run.
 */
typedef enum mws_outcome {
    /**
     * A person is asked.
     */
    MWS_OUTCOME_ASK_USER = 0,
    /**
     * The approval model is asked; if it is unavailable, a person.
     */
    MWS_OUTCOME_ASK_MODEL = 1,
    /**
     * It runs.
     */
    MWS_OUTCOME_ALLOW = 2,
} mws_outcome;

/**
 * What a decision rests on.
 */
typedef enum mws_basis {
    /**
     * Nothing allows it.
     */
    MWS_BASIS_DEFAULT = 0,
    /**
     * The permission level alone.
     */
    MWS_BASIS_LEVEL = 1,
    /**
     * The tool counts as read-only.
     */
    MWS_BASIS_ANNOTATION = 2,
    /**
     * A rule of the user's.
     */
    MWS_BASIS_RULE = 3,
    /**
     * The session runs in the cloud.
     */
    MWS_BASIS_CLOUD = 4,
    /**
     * It is no MCP tool.
     */
    MWS_BASIS_NOT_MCP = 5,
    /**
     * The tool's name cannot be restored.
     */
    MWS_BASIS_UNRESTORABLE = 6,
} mws_basis;

/**
 * What checking arguments came to.
 */
typedef enum mws_check {
    /**
     * They could not be checked: the schema cannot be used, or this build checks nothing. That blocks no call.
     */
    MWS_CHECK_NOT_CHECKED = 0,
    /**
     * They satisfy the schema.
     */
    MWS_CHECK_SATISFIED = 1,
    /**
     * They break it.
     */
    MWS_CHECK_VIOLATED = 2,
} mws_check;

/**
 * What a host knows when a call comes in: where the session runs, what the user allows, stored rules. Made once and
 * used for as many calls as it is true for. Immutable: any number of threads may read one at once.
 */
typedef struct mws_call_context mws_call_context;

/**
 * The preview of one call whose arguments arrive in pieces. Takes a few kilobytes, however long the call.
 *
 * Used by one thread at a time: mws_call_preview_push() changes it.
 */
typedef struct mws_call_preview mws_call_preview;

/**
 * Whether a call may run, and why. Immutable: any number of threads may read one at once.
 */
typedef struct mws_decision mws_decision;

/**
 * What there is to say about a call that failed: a code, a sentence, and a place where there is one.
 *
 * Made by every function with an `error` argument when it fails and the argument is not NULL; belongs to the caller.
 * Immutable.
 */
typedef struct mws_error mws_error;

/**
 * What to do with one call. It holds what it says: the set, the context and the text it was made from may be freed
 * before it. Immutable: any number of threads may read one at once.
 */
typedef struct mws_plan mws_plan;

/**
 * The servers and tools of one session; the same for every order of the input. Immutable: any number of threads may
 * read one at once. It takes about as much memory as its document; that of the section, of fingerprints and of compiled
 * schemas is added when they are first asked for.
 */
typedef struct mws_working_set mws_working_set;

/**
 * A text that belongs to a handle, or to the library for ever.
 *
 * UTF-8, `len` bytes from `data` on; no NUL byte follows: print it with `"%.*s", (int)text.len, text.data`. `data` is
 * NULL when there is no text, which is not the same as an empty one. It stays as it is until its owner is freed.
 */
typedef struct mws_str {
    /**
     * The first byte, or NULL.
     */
    const char *data;
    /**
     * How many bytes.
     */
    size_t len;
} mws_str;

/**
 * A text that belongs to the caller.
 *
 * UTF-8, `len` bytes from `data` on, followed by a NUL byte that `len` does not count. `data` is NULL when there is
 * no text, which is not the same as an empty one. Read the fields and do not change them. Give the text back with
 * mws_string_free().
 */
typedef struct mws_string {
    /**
     * The first byte, or NULL.
     */
    const char *data;
    /**
     * How many bytes, without the NUL byte at the end.
     */
    size_t len;
} mws_string;

/**
 * A section of the system prompt. All texts are borrowed from the set.
 */
typedef struct mws_section {
    /**
     * MWS_SECTION_KEY.
     */
    struct mws_str key;
    /**
     * MWS_SECTION_LABEL.
     */
    struct mws_str label;
    /**
     * The text, ending with one line break; nothing when the set is empty.
     */
    struct mws_str text;
    /**
     * The host's estimate for the text; see mws_estimate_tokens().
     */
    size_t tokens;
} mws_section;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The version of the library the program runs with, such as `0.1.0`. It was built against MWS_VERSION. Never freed.
 * Any thread.
 */
struct mws_str mws_version(void);

/**
 * Frees a text and sets its fields to NULL and 0, so that freeing it again does nothing. NULL is ignored, and so is a
 * text without data.
 */
void mws_string_free(struct mws_string *text);

/**
 * Frees an error. NULL is ignored. Texts borrowed from it are gone with it.
 */
void mws_error_free(struct mws_error *error);

/**
 * The status of the call that failed; MWS_STATUS_OK for NULL.
 */
enum mws_status mws_error_status(const struct mws_error *error);

/**
 * The stable code, in snake_case and the same in all languages, such as `invalid_document`; in C also `null_pointer`
 * and `internal`. Borrowed from the error; nothing for NULL.
 */
struct mws_str mws_error_code(const struct mws_error *error);

/**
 * One sentence in lower case, without the place. Borrowed from the error; nothing for NULL.
 */
struct mws_str mws_error_message(const struct mws_error *error);

/**
 * The path of the value in the document, such as `tools[3].toolName`; empty for the document as a whole. Borrowed from
 * the error; nothing when there is no place, and for NULL.
 */
struct mws_str mws_error_path(const struct mws_error *error);

/**
 * The line in the document, counted from 1; 0 when there is none, and for NULL.
 */
size_t mws_error_line(const struct mws_error *error);

/**
 * The column in bytes, counted from 1; 0 when there is none, and for NULL.
 */
size_t mws_error_column(const struct mws_error *error);

/**
 * Reads a locale: `zh-CN` or `en`, exactly.
 *
 * Writes it to `out`. MWS_STATUS_INVALID_LOCALE for every other text. Any thread.
 */
enum mws_status mws_parse_locale(const char *text,
                                 size_t text_len,
                                 enum mws_locale *out,
                                 struct mws_error **error);

/**
 * Reads a load mode: `WORKING_SET` or `FULL`, exactly.
 *
 * Writes it to `out`. MWS_STATUS_INVALID_LOAD_MODE for every other text. Any thread.
 */
enum mws_status mws_parse_load_mode(const char *text,
                                    size_t text_len,
                                    enum mws_load_mode *out,
                                    struct mws_error **error);

/**
 * Which load mode is in force: the user's value if it is valid, else the global setting (`working_set` or `full` in
 * any case, with white space around it), else MWS_LOAD_MODE_WORKING_SET. A value that is not valid is passed over.
 *
 * NULL for `user` or `global` means that nothing was set. Writes the mode to `out`, and where they are not NULL who
 * chose it to `source`, and to `warning` one sentence in English about what was passed over, or nothing; free that
 * with mws_string_free(). Any thread.
 */
enum mws_status mws_resolve_load_mode(const char *user,
                                      size_t user_len,
                                      const char *global,
                                      size_t global_len,
                                      enum mws_load_mode *out,
                                      enum mws_load_mode_source *source,
                                      struct mws_string *warning,
                                      struct mws_error **error);

/**
 * Reads the report of a desktop or terminal client, `{"servers": [{"name", "connected"?, "tools", "error"?}]}`. No
 * server of it vanishes, and none that is expected: what is not connected becomes a connection error.
 *
 * `expected_servers_json` is a JSON array of `{"id"?, "name"}`; NULL for none. Writes `{"tools", "connectionErrors",
 * "warnings"}` to `out`: with a list of servers, the first two are a document of mws_working_set_from_json(). Free it
 * with mws_string_free(). MWS_STATUS_INVALID_JSON, MWS_STATUS_INVALID_DOCUMENT or MWS_STATUS_INVALID_UTF8, with the
 * place, when the frame cannot be read at all; a bad entry only costs itself and leaves a warning. Any thread.
 */
enum mws_status mws_parse_local_report(const char *report_json,
                                       size_t report_json_len,
                                       const char *expected_servers_json,
                                       size_t expected_servers_json_len,
                                       struct mws_string *out,
                                       struct mws_error **error);

/**
 * Brings together how connecting to servers went: `{"servers", "outcomes": [{"serverId"?, "serverName"?, "status":
 * "connected" | "failed" | "cancelled", "tools"?, "reason"?}]}`.
 *
 * Writes `{"tools", "connectionErrors", "failedServers", "cancelledServers", "warnings"}` to `out`; the warnings are
 * texts for people. Free it with mws_string_free(). MWS_STATUS_INVALID_JSON, MWS_STATUS_INVALID_DOCUMENT or
 * MWS_STATUS_INVALID_UTF8, with the place. Any thread.
 */
enum mws_status mws_cloud_connect_result(const char *document_json,
                                         size_t document_json_len,
                                         struct mws_string *out,
                                         struct mws_error **error);

/**
 * Builds a set from one JSON document of at most 4 GiB:
 *
 *     {"servers": [{"id"?, "name", "description"?}],
 *      "tools": [{"serverId"?, "serverName"?, "toolName", "description"?, "inputSchema"?, "annotations"?}],
 *      "connectionErrors"?: [{"serverId"?, "serverName"?, "reason"?, "kind"?: "failed" | "cancelled" | "not_reported"}]}
 *
 * Ids are integers within ±(2^53 - 1). Other keys are ignored. The document may be freed at once.
 * Writes the set to `out`. Free it with mws_working_set_free(). MWS_STATUS_INVALID_JSON,
 * MWS_STATUS_INVALID_DOCUMENT or MWS_STATUS_INVALID_UTF8 with the place, MWS_STATUS_TOO_LARGE. Any thread.
 */
enum mws_status mws_working_set_from_json(const char *document_json,
                                          size_t document_json_len,
                                          struct mws_working_set **out,
                                          struct mws_error **error);

/**
 * Frees a set, from any thread, once no other reads it. NULL is ignored. Texts borrowed from it are gone with it; plans
 * stay as they are.
 */
void mws_working_set_free(struct mws_working_set *set);

/**
 * True when there is neither a server nor a connection error: then there is no section and no tool is defined. True
 * for NULL.
 */
bool mws_working_set_is_empty(const struct mws_working_set *set);

/**
 * How many servers are listed, unavailable ones among them; 0 for NULL.
 */
size_t mws_working_set_server_count(const struct mws_working_set *set);

/**
 * How many tools all servers have together; 0 for NULL.
 */
size_t mws_working_set_tool_count(const struct mws_working_set *set);

/**
 * SHA-256, in hex, of what the model sees and what decides; equal across processes, languages and input orders.
 * Computed once and kept. Borrowed from the set; nothing for NULL.
 */
struct mws_str mws_working_set_fingerprint(const struct mws_working_set *set);

/**
 * What a person should know about the input: an array of `{"code", "server"?, "tool"?, "message"}`.
 *
 * Writes it to `out`. Free it with mws_string_free(). Any thread.
 */
enum mws_status mws_working_set_warnings(const struct mws_working_set *set,
                                         struct mws_string *out,
                                         struct mws_error **error);

/**
 * Tools whose arguments cannot be checked against their schema, and why: an array of `{"code": "schema_not_checked",
 * "server", "tool", "message"}`. They can be called all the same; this is for telling somebody once. Compiles every
 * schema of the set, which takes some hundred microseconds each, and keeps none.
 *
 * Writes it to `out`. Free it with mws_string_free(). Any thread.
 */
enum mws_status mws_working_set_schema_warnings(const struct mws_working_set *set,
                                                struct mws_string *out,
                                                struct mws_error **error);

/**
 * The servers by name, then id, each with its tools by name: an array of `{"id", "name", "address", "description",
 * "available", "kind", "reason", "tools": [{"name", "description", "readOnly", "hint", "fullToolName", "routable",
 * "fingerprint"}]}`.
 *
 * Writes it to `out`. Free it with mws_string_free(). Any thread.
 */
enum mws_status mws_working_set_servers(const struct mws_working_set *set,
                                        struct mws_string *out,
                                        struct mws_error **error);

/**
 * The section for the system prompt. Rendered once per locale and kept.
 *
 * Writes it to `out`; its texts are borrowed from the set, and all of it is nothing when the set is empty.
 * MWS_STATUS_INVALID_LOCALE. Any thread.
 */
enum mws_status mws_working_set_section(const struct mws_working_set *set,
                                        enum mws_locale locale,
                                        struct mws_section *out,
                                        struct mws_error **error);

/**
 * The definitions of mcp_call and mcp_describe, in that order: an array of `{"name", "description", "inputSchema"}`,
 * empty when the set is empty or the mode is MWS_LOAD_MODE_FULL.
 *
 * Writes it to `out`. Free it with mws_string_free(). MWS_STATUS_INVALID_LOCALE, MWS_STATUS_INVALID_LOAD_MODE. Any
 * thread.
 */
enum mws_status mws_working_set_tool_definitions(const struct mws_working_set *set,
                                                 enum mws_locale locale,
                                                 enum mws_load_mode mode,
                                                 struct mws_string *out,
                                                 struct mws_error **error);

/**
 * What MWS_LOAD_MODE_FULL injects: every tool under its full name, with its schema as providers accept it, in the form
 * of mws_working_set_tool_definitions().
 *
 * Writes it to `out`. Free it with mws_string_free(). Any thread.
 */
enum mws_status mws_working_set_full_tool_definitions(const struct mws_working_set *set,
                                                      struct mws_string *out,
                                                      struct mws_error **error);

/**
 * The result of a call of mcp_describe: `{"server", "tool", "description", "inputSchema"}` with the schema exactly as
 * the session has it, or what a refused call gets.
 *
 * Writes it to `out`. Free it with mws_string_free(). MWS_STATUS_INVALID_LOCALE; whatever is wrong with the text of
 * the call is told in the result. Any thread.
 */
enum mws_status mws_working_set_describe(const struct mws_working_set *set,
                                         const char *arguments_json,
                                         size_t arguments_json_len,
                                         enum mws_locale locale,
                                         struct mws_string *out,
                                         struct mws_error **error);

/**
 * Like mws_working_set_describe(), with the schema as a text of about 200 tokens at most, for hosts that must save:
 * `{"server", "tool", "description", "schema"}`.
 *
 * Writes it to `out`. Free it with mws_string_free(). MWS_STATUS_INVALID_LOCALE. Any thread.
 */
enum mws_status mws_working_set_describe_compact(const struct mws_working_set *set,
                                                 const char *arguments_json,
                                                 size_t arguments_json_len,
                                                 enum mws_locale locale,
                                                 struct mws_string *out,
                                                 struct mws_error **error);

/**
 * Plans a call of mcp_call from its arguments as the model wrote them. Runs nothing.
 *
 * Writes the plan to `out`. Free it with mws_plan_free(). Whatever is wrong with the call is part of the plan; a text
 * that is not UTF-8 is the host's mistake, MWS_STATUS_INVALID_UTF8. Any thread.
 */
enum mws_status mws_working_set_plan_call(const struct mws_working_set *set,
                                          const char *arguments_json,
                                          size_t arguments_json_len,
                                          const struct mws_call_context *context,
                                          struct mws_plan **out,
                                          struct mws_error **error);

/**
 * Plans a call like mws_working_set_plan_call(), as JSON, for hosts that hand the plan on: `{"kind": "execute", "route",
 * "server", "tool", "serverId", "toolName", "fullToolName", "argumentsJson", "checked", "unchecked"?, "decision",
 * "repairs"}` or `{"kind": "refuse", "code", "resultJson", "fullToolName", "decision"}`.
 *
 * Writes it to `out`. Free it with mws_string_free(). Any thread.
 */
enum mws_status mws_working_set_plan_call_json(const struct mws_working_set *set,
                                               const char *arguments_json,
                                               size_t arguments_json_len,
                                               const struct mws_call_context *context,
                                               struct mws_string *out,
                                               struct mws_error **error);

/**
 * Which stored rules cannot cover a call in this set, and what they were probably meant for: `{"rules", "denyTokens"?,
 * "locale"?}`.
 *
 * Writes an array of `{"ruleId", "ruleValue", "code", "nearest", "message"}` to `out`. Free it with
 * mws_string_free(). MWS_STATUS_INVALID_JSON, MWS_STATUS_INVALID_DOCUMENT or MWS_STATUS_INVALID_UTF8 with the place,
 * MWS_STATUS_INVALID_LOCALE. Any thread.
 */
enum mws_status mws_working_set_lint_rules(const struct mws_working_set *set,
                                           const char *document_json,
                                           size_t document_json_len,
                                           struct mws_string *out,
                                           struct mws_error **error);

/**
 * Makes a context with nothing in a call's favour but the permission level: no rules, no deny tokens; the read-only
 * hints of all servers are trusted, arguments are checked against the tool's schema.
 *
 * Writes it to `out`. Free it with mws_call_context_free(). MWS_STATUS_INVALID_EXECUTION_MODE,
 * MWS_STATUS_INVALID_LOCALE or, for the level, MWS_STATUS_INVALID_ARGUMENT for a number that stands for nothing. Any
 * thread.
 */
enum mws_status mws_call_context_new(enum mws_execution_mode execution_mode,
                                     enum mws_permission_level permission_level,
                                     enum mws_locale locale,
                                     struct mws_call_context **out,
                                     struct mws_error **error);

/**
 * Makes a context from its JSON form:
 *
 *     {"executionMode": "LOCAL" | "CLOUD",
 *      "permissionLevel"?: "READ_ONLY" | "READ_WRITE" | "SMART" | "PROXY" | "FULL",   anything else is READ_ONLY
 *      "matchedRule"?: {"ruleId", "ruleValue", "toolFingerprint"?},         the rule found in a database
 *      "rules"?: [{"id", "scope": "SESSION" | "USER", "sessionId"?, "ruleType": "MCP_TOOL", "ruleValue",
 *                  "enabled", "toolFingerprint"?}],
 *      "denyTokens"?: [text],                            tokens that void rules and hints
 *      "sessionId"?: text,                               for rules that count in one session only
 *      "trust"?: "all" | "none" | [server ids],          whose read-only hints are believed; "all"
 *      "validate"?: boolean,                             check arguments against the schema; true
 *      "locale"?: "zh-CN" | "en",                        "zh-CN"
 *      "maxCallBytes"?: number}                          the largest text of a call that is read; 4 MiB
 *
 * Writes it to `out`. Free it with mws_call_context_free(). MWS_STATUS_INVALID_JSON, MWS_STATUS_INVALID_DOCUMENT or
 * MWS_STATUS_INVALID_UTF8 with the place, MWS_STATUS_INVALID_EXECUTION_MODE, MWS_STATUS_INVALID_LOCALE,
 * MWS_STATUS_INVALID_ARGUMENT. Any thread.
 */
enum mws_status mws_call_context_from_json(const char *context_json,
                                           size_t context_json_len,
                                           struct mws_call_context **out,
                                           struct mws_error **error);

/**
 * Frees a context. NULL is ignored. Plans made with it stay as they are.
 */
void mws_call_context_free(struct mws_call_context *context);

/**
 * Frees a plan. NULL is ignored. Its decision and the texts borrowed from it are gone with it.
 */
void mws_plan_free(struct mws_plan *plan);

/**
 * What to do with the call; MWS_KIND_NONE for NULL.
 */
enum mws_kind mws_plan_kind(const struct mws_plan *plan);

/**
 * Whether the call may run, and why. Of a plan that refuses it is always one that asks: nothing a host does with a
 * refused call may run unasked. Borrowed from the plan and freed with it; NULL for NULL.
 */
const struct mws_decision *mws_plan_decision(const struct mws_plan *plan);

/**
 * `mcp__{server}__{tool}`, with the real names where the call is executed; of a refused call the tool that was meant,
 * where it can be restored. Borrowed from the plan; nothing where there is none, and for NULL.
 */
struct mws_str mws_plan_full_tool_name(const struct mws_plan *plan);

/**
 * Where the call runs; MWS_EXECUTION_MODE_NONE unless the plan executes.
 */
enum mws_execution_mode mws_plan_route(const struct mws_plan *plan);

/**
 * What the executor is given: in CLOUD the tool's own name, in LOCAL the full name. Borrowed from the plan; nothing
 * unless it executes.
 */
struct mws_str mws_plan_tool_name(const struct mws_plan *plan);

/**
 * The tool's own arguments: the text of one JSON object, byte for byte as the model wrote it unless a repair says
 * otherwise. Borrowed from the plan; nothing unless it executes.
 */
struct mws_str mws_plan_arguments_json(const struct mws_plan *plan);

/**
 * The server, as the model addresses it. Borrowed from the plan; nothing unless it executes.
 */
struct mws_str mws_plan_server(const struct mws_plan *plan);

/**
 * The host's id of the server; 0 when it has none, and unless the plan executes.
 */
int64_t mws_plan_server_id(const struct mws_plan *plan);

/**
 * The name the server gave the tool. Borrowed from the plan; nothing unless it executes.
 */
struct mws_str mws_plan_tool(const struct mws_plan *plan);

/**
 * True when the arguments were found to satisfy the tool's schema; false unless the plan executes.
 */
bool mws_plan_checked(const struct mws_plan *plan);

/**
 * Why the arguments could not be checked, as a code; that blocks no call. Borrowed from the plan; nothing when they
 * were, when that was not asked for, and unless the plan executes.
 */
struct mws_str mws_plan_unchecked(const struct mws_plan *plan);

/**
 * How many things were put right to understand the call; 0 unless the plan executes.
 */
size_t mws_plan_repair_count(const struct mws_plan *plan);

/**
 * One of the things that were put right, counted from 0: a code in snake_case, some with a detail after a colon.
 * Borrowed from the plan; nothing for a number that is too high.
 */
struct mws_str mws_plan_repair(const struct mws_plan *plan,
                               size_t index);

/**
 * Why the call is refused; MWS_REFUSAL_NONE unless it is.
 */
enum mws_refusal mws_plan_refusal(const struct mws_plan *plan);

/**
 * The same as text, such as `unknown_tool`. Borrowed from the plan; nothing unless it refuses.
 */
struct mws_str mws_plan_refusal_code(const struct mws_plan *plan);

/**
 * What the model gets as the result of a refused call: `{"error", "code", …}`. Borrowed from the plan; nothing unless
 * it refuses.
 */
struct mws_str mws_plan_result_json(const struct mws_plan *plan);

/**
 * Decides for a host with a dispatcher of its own; mws_working_set_plan_call() does this itself. The request:
 *
 *     {"executionMode", "permissionLevel"?, "toolName": text | null, "source"?: text, "annotations"?: object,
 *      "trusted"?: boolean, "toolFingerprint"?: text, "matchedRule"?, "rules"?, "denyTokens"?, "sessionId"?, "locale"?}
 *
 * `toolName` is the effective name, see mws_effective_tool_name(), null when there is none; `source` "mcp" makes a tool
 * an MCP tool whatever its name; the others are those of mws_call_context_from_json().
 *
 * Writes the decision to `out`. Free it with mws_decision_free(). MWS_STATUS_INVALID_JSON,
 * MWS_STATUS_INVALID_DOCUMENT or MWS_STATUS_INVALID_UTF8 with the place, MWS_STATUS_INVALID_EXECUTION_MODE,
 * MWS_STATUS_INVALID_LOCALE. Any thread.
 */
enum mws_status mws_decide_approval(const char *request_json,
                                    size_t request_json_len,
                                    struct mws_decision **out,
                                    struct mws_error **error);

/**
 * Frees a decision of mws_decide_approval(). NULL is ignored. The decision of a plan is freed with the plan, and not
 * with this.
 */
void mws_decision_free(struct mws_decision *decision);

/**
 * What happens to the call; MWS_OUTCOME_ASK_USER for NULL.
 */
enum mws_outcome mws_decision_outcome(const struct mws_decision *decision);

/**
 * True when somebody is asked before the call runs, a person or the approval model; true for NULL.
 */
bool mws_decision_need_approval(const struct mws_decision *decision);

/**
 * What the decision rests on; MWS_BASIS_DEFAULT for NULL.
 */
enum mws_basis mws_decision_basis(const struct mws_decision *decision);

/**
 * True when rules of the user's count for this call: a host that keeps them in a database asks it only then. False for
 * NULL.
 */
bool mws_decision_rules_apply(const struct mws_decision *decision);

/**
 * One sentence for the person who is asked, or for the log. Borrowed from the decision; nothing for NULL.
 */
struct mws_str mws_decision_reason(const struct mws_decision *decision);

/**
 * The id of the rule that allowed the call, a number in decimal. Borrowed from the decision; nothing when no rule did,
 * and for NULL.
 */
struct mws_str mws_decision_rule_id(const struct mws_decision *decision);

/**
 * The definition that is approved, to be stored with a rule: SHA-256 in hex. Borrowed from the decision; nothing when
 * the call is of no known tool, and for NULL.
 */
struct mws_str mws_decision_tool_fingerprint(const struct mws_decision *decision);

/**
 * One line for the button "always allow". Borrowed from the decision; nothing when no rule may be offered, and for
 * NULL.
 */
struct mws_str mws_decision_hint_label(const struct mws_decision *decision);

/**
 * The full name that a rule of "always allow" would hold. Borrowed from the decision; nothing when no rule may be
 * offered, and for NULL.
 */
struct mws_str mws_decision_hint_rule_value(const struct mws_decision *decision);

/**
 * What "always allow" would store: `{"ruleType", "ruleValue", "label"}`. With an `id`, a `scope` and `enabled` added it
 * is one of the `rules` of mws_call_context_from_json().
 *
 * Writes it to `out`, or nothing when no rule may be offered. Free it with mws_string_free(). Any thread.
 */
enum mws_status mws_decision_hint_json(const struct mws_decision *decision,
                                       struct mws_string *out,
                                       struct mws_error **error);

/**
 * The whole decision: `{"outcome", "needApproval", "basis", "reason", "rulesApply", "ruleId"?, "hint",
 * "toolFingerprint"?}`.
 *
 * Writes it to `out`. Free it with mws_string_free(). Any thread.
 */
enum mws_status mws_decision_json(const struct mws_decision *decision,
                                  struct mws_string *out,
                                  struct mws_error **error);

/**
 * Finds the stored rule that covers a call: `{"rules", "request": {"fullToolName", "toolFingerprint"?, "sessionId"?,
 * "denyTokens"?, "locale"?}}`.
 *
 * Writes `{"rule", "why", "code"}` to `out`: the rule as it was given, or null; why it covers the call, or why none
 * does, in words and as a code. Free it with mws_string_free(). MWS_STATUS_INVALID_JSON,
 * MWS_STATUS_INVALID_DOCUMENT or MWS_STATUS_INVALID_UTF8 with the place, MWS_STATUS_INVALID_LOCALE. Any thread.
 */
enum mws_status mws_match_rules(const char *document_json,
                                size_t document_json_len,
                                struct mws_string *out,
                                struct mws_error **error);

/**
 * The full name of the tool that a call of mcp_call means, from its arguments alone; no set is needed.
 *
 * Writes the name to `out`, or nothing when the text is no call. Free it with mws_string_free(). Any thread.
 */
enum mws_status mws_restore_full_tool_name(const char *arguments_json,
                                           size_t arguments_json_len,
                                           struct mws_string *out,
                                           struct mws_error **error);

/**
 * The name that approval is about: for mcp_call the restored full name or nothing, for every other tool its own name,
 * unchanged.
 *
 * Writes it to `out`. Free it with mws_string_free(). Any thread.
 */
enum mws_status mws_effective_tool_name(const char *tool_name,
                                        size_t tool_name_len,
                                        const char *arguments_json,
                                        size_t arguments_json_len,
                                        struct mws_string *out,
                                        struct mws_error **error);

/**
 * Builds `mcp__{server}__{tool}`.
 *
 * Writes it to `out`. Free it with mws_string_free(). Any thread.
 */
enum mws_status mws_full_tool_name(const char *server,
                                   size_t server_len,
                                   const char *tool,
                                   size_t tool_len,
                                   struct mws_string *out,
                                   struct mws_error **error);

/**
 * Takes a full name apart at the first `__` after the prefix, as the desktop does.
 *
 * Writes the server to `server` and, where that is not NULL, the tool to `tool`; nothing to both when `name` is no
 * full name. Both lie inside `name` and live as long as that does. Any thread.
 */
enum mws_status mws_parse_full_tool_name(const char *name,
                                         size_t name_len,
                                         struct mws_str *server,
                                         struct mws_str *tool,
                                         struct mws_error **error);

/**
 * Rewrites a tool's `inputSchema` to what model providers accept: an object type with `properties`, no null types.
 *
 * Every text gives a schema, be it no JSON at all. Writes its JSON to `out`. Free it with mws_string_free(). Any
 * thread.
 */
enum mws_status mws_normalize_input_schema(const char *schema_json,
                                           size_t schema_json_len,
                                           struct mws_string *out,
                                           struct mws_error **error);

/**
 * Checks the arguments of a tool against its schema. For a tool of a set mws_working_set_plan_call() does this itself,
 * and keeps the compiled schema.
 *
 * Writes `{"checked", "unchecked"?, "violations": [{"path", "message", "expected", "got", "suggestion"?}]}` to `out`,
 * and where it is not NULL the answer in one word to `check`. Free the text with mws_string_free(). Any thread.
 */
enum mws_status mws_validate_arguments(const char *schema_json,
                                       size_t schema_json_len,
                                       const char *arguments_json,
                                       size_t arguments_json_len,
                                       struct mws_string *out,
                                       enum mws_check *check,
                                       struct mws_error **error);

/**
 * The host's estimate of the tokens of a text: a quarter of its bytes, rounded up.
 *
 * Writes it to `out`. Any thread.
 */
enum mws_status mws_estimate_tokens(const char *text,
                                    size_t text_len,
                                    size_t *out,
                                    struct mws_error **error);

/**
 * One line for a log or a history: which tool, and how it went.
 *
 * `tool_name` is NULL when it is not known. `arguments_json` is whole, or cut off anywhere while it streams in; NULL
 * for none. `result` is NULL while there is none; an object whose `error` is not null is an error.
 * Writes the line to `out`, or nothing for tools that are not MCP tools. Free it with mws_string_free(). Any thread.
 */
enum mws_status mws_summarize(const char *tool_name,
                              size_t tool_name_len,
                              const char *arguments_json,
                              size_t arguments_json_len,
                              const char *result,
                              size_t result_len,
                              enum mws_locale locale,
                              struct mws_string *out,
                              struct mws_error **error);

/**
 * The name on a tool card.
 *
 * Writes it to `out`, or nothing for tools that are not MCP tools. Free it with mws_string_free(). Any thread.
 */
enum mws_status mws_tool_display_name(const char *tool_name,
                                      size_t tool_name_len,
                                      enum mws_locale locale,
                                      struct mws_string *out,
                                      struct mws_error **error);

/**
 * One line for the arguments of mcp_call and mcp_describe: `server.tool`, `server` while only that can be read, else
 * empty. A half-read name never shows as if it were whole.
 *
 * `arguments_json` is whole, or cut off anywhere; NULL for none. Writes the line to `out`. Free it with
 * mws_string_free(). Any thread.
 */
enum mws_status mws_tool_input_preview(const char *tool_name,
                                       size_t tool_name_len,
                                       const char *arguments_json,
                                       size_t arguments_json_len,
                                       enum mws_locale locale,
                                       struct mws_string *out,
                                       struct mws_error **error);

/**
 * Lays a whole call out for the person who is to approve it: safe to print, secrets masked, nothing left out unsaid.
 *
 * `tool_name` is NULL for mcp_call; give the plan's full tool name with the plan's arguments to show real names after a
 * repair. `max_lines` is 1 to 100, 0 for 12; `max_width` is 40 to 400 grapheme clusters, 0 for 100.
 * Writes `{"title", "lines", "omitted"}` to `out`. Free it with mws_string_free(). Any thread.
 */
enum mws_status mws_call_card(const char *arguments_json,
                              size_t arguments_json_len,
                              const char *tool_name,
                              size_t tool_name_len,
                              size_t max_lines,
                              size_t max_width,
                              enum mws_locale locale,
                              struct mws_string *out,
                              struct mws_error **error);

/**
 * What mws_call_card() says, ready to be printed: the title and then the lines, each ended by a line break.
 *
 * Arguments as there. Writes the text to `out`. Free it with mws_string_free(). Any thread.
 */
enum mws_status mws_call_card_text(const char *arguments_json,
                                   size_t arguments_json_len,
                                   const char *tool_name,
                                   size_t tool_name_len,
                                   size_t max_lines,
                                   size_t max_width,
                                   enum mws_locale locale,
                                   struct mws_string *out,
                                   struct mws_error **error);

/**
 * Starts the preview of a call of this tool, before any of its arguments. For tools other than mcp_call and
 * mcp_describe it stays empty.
 *
 * Writes it to `out`. Free it with mws_call_preview_free(). Any thread.
 */
enum mws_status mws_call_preview_new(const char *tool_name,
                                     size_t tool_name_len,
                                     struct mws_call_preview **out,
                                     struct mws_error **error);

/**
 * Frees a preview. NULL is ignored. Texts borrowed from it are gone with it.
 */
void mws_call_preview_free(struct mws_call_preview *preview);

/**
 * Takes the next piece of the arguments: UTF-8 that may be cut anywhere, also inside a character. The piece is not
 * kept. Texts borrowed from the preview before are no longer valid. One thread at a time.
 */
enum mws_status mws_call_preview_push(struct mws_call_preview *preview,
                                      const char *piece,
                                      size_t piece_len,
                                      struct mws_error **error);

/**
 * What mws_tool_input_preview() says of the arguments so far.
 *
 * Writes it to `out`. Free it with mws_string_free(). One thread at a time.
 */
enum mws_status mws_call_preview_text(const struct mws_call_preview *preview,
                                      enum mws_locale locale,
                                      struct mws_string *out,
                                      struct mws_error **error);

/**
 * What mws_summarize() says of the arguments so far.
 *
 * Writes it to `out`, or nothing for tools that are not MCP tools. Free it with mws_string_free(). One thread
 * at a time.
 */
enum mws_status mws_call_preview_summary(const struct mws_call_preview *preview,
                                         enum mws_locale locale,
                                         struct mws_string *out,
                                         struct mws_error **error);

/**
 * The server, once its name was read to its end: the name itself, not made safe for display. Borrowed from the preview
 * until the next piece; nothing before, and for NULL.
 */
struct mws_str mws_call_preview_server(const struct mws_call_preview *preview);

/**
 * The tool, likewise.
 */
struct mws_str mws_call_preview_tool(const struct mws_call_preview *preview);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* MCP_WORKING_SET_H */
