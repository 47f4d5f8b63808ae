/* The conformance vectors, through the C API: `conformance tests/vectors`. Rust and Node run the same files; their form
 * is described in README.md there. Prints how many vectors each file has, and those that fail. */

#define _POSIX_C_SOURCE 200809L

#include "../examples/read_file.h"
#include "json.h"

#include <mcp_working_set.h>

#include <dirent.h>
#include <stdarg.h>

/* What the vector at hand needs; given back after it. */
static struct arena scratch;
static const struct json nothing = {JSON_NULL, false, NULL, 0, NULL, NULL, 0};

/* Ends the run: the vectors themselves or the library's promises are broken beyond one vector. */
static void give_up(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(EXIT_FAILURE);
}

/* ---- Inputs ---- */

/* A text of the vector, as the API takes it. */
struct view {
    const char *data;
    size_t len;
};

static struct view view_of(const struct json *value) {
    struct view view = {NULL, 0};
    if (value != NULL && value->type == JSON_TEXT) {
        view.data = value->text;
        view.len = value->len;
    } else if (value != NULL && value->type != JSON_NULL) {
        give_up("an argument is no text");
    }
    return view;
}

/* An argument that is a text; NULL when it is absent or null. */
static struct view text_of(const struct json *input, const char *key) {
    return view_of(json_get(input, key));
}

/* JSON text of a value. */
static struct view json_of(const struct json *value) {
    struct bytes bytes = {NULL, 0, 0};
    json_write(&bytes, value == NULL ? &nothing : value);
    {
        struct view view = view_of(json_text(&scratch, bytes.data, bytes.len));
        free(bytes.data);
        return view;
    }
}

/* A text as it is, any other value as JSON; NULL when it is absent or null. */
static struct view text_or_json(const struct json *value) {
    return value == NULL || value->type == JSON_NULL || value->type == JSON_TEXT ? view_of(value) : json_of(value);
}

static size_t size_of(const struct json *input, const char *key, size_t absent) {
    const struct json *value = json_get(input, key);
    return value == NULL ? absent : (size_t)strtoul(value->text, NULL, 10);
}

/* Adds the bytes of a text, `$concat`, `$repeat` or `$hex`; false for every other value. */
static bool add_generated(struct bytes *out, const struct json *value) {
    const struct json *part;
    size_t at;
    if (value->type == JSON_TEXT) {
        bytes_add(out, value->text, value->len);
    } else if ((part = json_get(value, "$concat")) != NULL) {
        for (at = 0; at < part->count; at++) {
            add_generated(out, part->items[at]);
        }
    } else if ((part = json_get(value, "$repeat")) != NULL) {
        for (at = size_of(part, "times", 0); at > 0; at--) {
            add_generated(out, json_get(part, "text"));
        }
    } else if ((part = json_get(value, "$hex")) != NULL) {
        for (at = 0; at + 1 < part->len; at += 2) {
            char byte = (char)(16 * json_hex_digit(part->text[at]) + json_hex_digit(part->text[at + 1]));
            bytes_add(out, &byte, 1);
        }
    } else {
        return false;
    }
    return true;
}

/* The value with every generated text in it written out. */
static const struct json *written_out(const struct json *value) {
    struct bytes bytes = {NULL, 0, 0};
    struct json *copy;
    size_t at;
    if (value->type != JSON_ARRAY && value->type != JSON_OBJECT) {
        return value;
    }
    if (add_generated(&bytes, value)) {
        const struct json *text = json_text(&scratch, bytes.data, bytes.len);
        free(bytes.data);
        return text;
    }
    copy = json_new(&scratch, value->type);
    for (at = 0; at < value->count; at++) {
        json_add(&scratch, copy, value->keys[at], written_out(value->items[at]));
    }
    return copy;
}

/* The arguments of an operation: named documents looked up, texts written out. */
static const struct json *input_of(const struct json *given, const struct json *documents) {
    struct json *input = json_new(&scratch, JSON_OBJECT);
    size_t at;
    for (at = 0; at < given->count; at++) {
        const struct json *key = given->keys[at], *value = given->items[at];
        if (json_is(key, "document") && value->type == JSON_TEXT) {
            value = json_member(documents, value);
            if (value == NULL) {
                give_up("a document is not there");
            }
        } else if (json_is(key, "inputs")) {
            struct json *inputs = json_new(&scratch, JSON_ARRAY);
            size_t each;
            for (each = 0; each < value->count; each++) {
                json_add(&scratch, inputs, NULL, input_of(value->items[each], documents));
            }
            json_add(&scratch, input, key, inputs);
            continue;
        }
        json_add(&scratch, input, key, written_out(value));
    }
    return input;
}

/* ---- Outputs ---- */

/* A borrowed text, or null. */
static const struct json *said(mws_str text) {
    return text.data == NULL ? &nothing : json_text(&scratch, text.data, text.len);
}

/* A text of the caller's, which is freed; null where there is none. */
static const struct json *taken(mws_string *text) {
    mws_str borrowed;
    const struct json *value;
    borrowed.data = text->data;
    borrowed.len = text->len;
    if (text->data != NULL && text->data[text->len] != '\0') {
        give_up("a text does not end with a NUL byte");
    }
    value = said(borrowed);
    mws_string_free(text);
    return value;
}

/* The same where the text is JSON. */
static const struct json *read_json(mws_string *text) {
    const struct json *written = taken(text), *value;
    value = written->type == JSON_NULL ? &nothing : json_read(&scratch, written->text, written->len);
    if (value == NULL) {
        give_up("an answer is no JSON: %s", written->text);
    }
    return value;
}

/* Scalars say what the JSON says. */
static void agree(const char *what, const struct json *in_json, const struct json *in_scalars) {
    if (!json_equal(in_json == NULL ? &nothing : in_json, in_scalars)) {
        give_up("%s: JSON says %s, the function %s", what, json_of(in_json).data, json_of(in_scalars).data);
    }
}

static const struct json *name_in(const char *const names[], size_t count, size_t number) {
    return number < count ? json_text(&scratch, names[number], strlen(names[number])) : &nothing;
}

#define NAME(names, number) name_in(names, sizeof names / sizeof *names, (size_t)(number))

static const char *const OUTCOMES[] = {"ask_user", "ask_model", "allow"};
static const char *const BASES[] = {"default", "level", "annotation", "rule", "cloud", "not_mcp", "unrestorable"};
static const char *const KINDS[] = {"none", "execute", "refuse"};
static const char *const ROUTES[] = {"NONE", "LOCAL", "CLOUD"};
static const char *const CODES[] = {"none",          "invalid_json",      "invalid_arguments",  "unknown_server",
                                    "unknown_tool",  "ambiguous_name",    "server_unavailable", "empty_tool_list",
                                    "unroutable_name", "schema_violation"};
static const char *const MODES[] = {"WORKING_SET", "FULL"};
static const char *const SOURCES[] = {"default", "user", "global"};

static void decision_agrees(const mws_decision *decision, const struct json *said_json) {
    const struct json *hint = json_get(said_json, "hint"), *rule_id = json_get(said_json, "ruleId");
    mws_string text;
    agree("outcome", json_get(said_json, "outcome"), NAME(OUTCOMES, mws_decision_outcome(decision)));
    agree("basis", json_get(said_json, "basis"), NAME(BASES, mws_decision_basis(decision)));
    agree("needApproval", json_get(said_json, "needApproval"), json_bool(&scratch, mws_decision_need_approval(decision)));
    agree("rulesApply", json_get(said_json, "rulesApply"), json_bool(&scratch, mws_decision_rules_apply(decision)));
    agree("reason", json_get(said_json, "reason"), said(mws_decision_reason(decision)));
    agree("toolFingerprint", json_get(said_json, "toolFingerprint"), said(mws_decision_tool_fingerprint(decision)));
    if (rule_id != NULL && rule_id->type == JSON_NUMBER) {
        rule_id = json_text(&scratch, rule_id->text, rule_id->len);
    }
    agree("ruleId", rule_id, said(mws_decision_rule_id(decision)));
    agree("hint.ruleValue", json_get(hint, "ruleValue"), said(mws_decision_hint_rule_value(decision)));
    agree("hint.label", json_get(hint, "label"), said(mws_decision_hint_label(decision)));
    if (mws_decision_hint_json(decision, &text, NULL) != MWS_STATUS_OK) {
        give_up("no JSON of a hint");
    }
    agree("hint", hint, read_json(&text));
}

static void plan_agrees(const mws_plan *plan, const struct json *said_json) {
    const bool executes = mws_plan_kind(plan) == MWS_KIND_EXECUTE;
    const struct json *code = json_get(said_json, "code"), *id = json_get(said_json, "serverId");
    struct json *repairs = json_new(&scratch, JSON_ARRAY);
    size_t at;
    agree("kind", json_get(said_json, "kind"), NAME(KINDS, mws_plan_kind(plan)));
    agree("fullToolName", json_get(said_json, "fullToolName"), said(mws_plan_full_tool_name(plan)));
    agree("code", code, said(mws_plan_refusal_code(plan)));
    agree("refusal", code == NULL ? json_text(&scratch, "none", 4) : code, NAME(CODES, mws_plan_refusal(plan)));
    agree("resultJson", json_get(said_json, "resultJson"), said(mws_plan_result_json(plan)));
    agree("route", executes ? json_get(said_json, "route") : json_text(&scratch, "NONE", 4), NAME(ROUTES, mws_plan_route(plan)));
    agree("server", json_get(said_json, "server"), said(mws_plan_server(plan)));
    agree("tool", json_get(said_json, "tool"), said(mws_plan_tool(plan)));
    agree("toolName", json_get(said_json, "toolName"), said(mws_plan_tool_name(plan)));
    agree("argumentsJson", json_get(said_json, "argumentsJson"), said(mws_plan_arguments_json(plan)));
    agree("unchecked", json_get(said_json, "unchecked"), said(mws_plan_unchecked(plan)));
    if (executes) {
        if (strtod(id->text, NULL) != (double)mws_plan_server_id(plan)) {
            give_up("serverId: JSON says %s", id->text);
        }
        agree("checked", json_get(said_json, "checked"), json_bool(&scratch, mws_plan_checked(plan)));
        for (at = 0; at < mws_plan_repair_count(plan); at++) {
            json_add(&scratch, repairs, NULL, said(mws_plan_repair(plan, at)));
        }
        agree("repairs", json_get(said_json, "repairs"), repairs);
    }
    decision_agrees(mws_plan_decision(plan), json_get(said_json, "decision"));
}

/* ---- Operations: the name in the Node API, its arguments by theirs ---- */

typedef mws_status operation(const struct json *input, const struct json **out, mws_error **error);

/* Leaves an operation whose call failed. */
#define TRY(call)                                                                         \
    do {                                                                                  \
        mws_status tried = (call);                                                        \
        if (tried != MWS_STATUS_OK) {                                                     \
            return tried;                                                                 \
        }                                                                                 \
    } while (0)

static mws_status locale_of(const struct json *input, mws_locale *locale, mws_error **error) {
    struct view text = text_of(input, "locale");
    *locale = MWS_LOCALE_ZH_CN;
    return text.data == NULL ? MWS_STATUS_OK : mws_parse_locale(text.data, text.len, locale, error);
}

static mws_status set_of(const struct json *input, mws_working_set **set, mws_error **error) {
    const struct json *text = json_get(input, "documentText");
    struct view document = text != NULL ? view_of(text) : json_of(json_get(input, "document"));
    return mws_working_set_from_json(document.data, document.len, set, error);
}

/* Runs what needs a set and nothing but texts of it. */
static mws_status of_set(const struct json *input, const struct json **out, mws_error **error,
                         mws_status (*ask)(const mws_working_set *, mws_string *, mws_error **)) {
    mws_working_set *set;
    mws_string text;
    mws_status status;
    TRY(set_of(input, &set, error));
    status = ask(set, &text, error);
    mws_working_set_free(set);
    if (status == MWS_STATUS_OK) {
        *out = read_json(&text);
    }
    return status;
}

static mws_status op_servers(const struct json *input, const struct json **out, mws_error **error) {
    return of_set(input, out, error, mws_working_set_servers);
}

static mws_status op_warnings(const struct json *input, const struct json **out, mws_error **error) {
    return of_set(input, out, error, mws_working_set_warnings);
}

static mws_status op_schema_warnings(const struct json *input, const struct json **out, mws_error **error) {
    return of_set(input, out, error, mws_working_set_schema_warnings);
}

static mws_status op_full_tool_definitions(const struct json *input, const struct json **out, mws_error **error) {
    return of_set(input, out, error, mws_working_set_full_tool_definitions);
}

static mws_status op_fingerprint(const struct json *input, const struct json **out, mws_error **error) {
    mws_working_set *set;
    TRY(set_of(input, &set, error));
    *out = said(mws_working_set_fingerprint(set));
    mws_working_set_free(set);
    return MWS_STATUS_OK;
}

static mws_status op_counts(const struct json *input, const struct json **out, mws_error **error) {
    mws_working_set *set;
    struct json *counts = json_new(&scratch, JSON_OBJECT);
    TRY(set_of(input, &set, error));
    json_set(&scratch, counts, "isEmpty", json_bool(&scratch, mws_working_set_is_empty(set)));
    json_set(&scratch, counts, "serverCount", json_size(&scratch, mws_working_set_server_count(set)));
    json_set(&scratch, counts, "toolCount", json_size(&scratch, mws_working_set_tool_count(set)));
    mws_working_set_free(set);
    *out = counts;
    return MWS_STATUS_OK;
}

static mws_status op_section(const struct json *input, const struct json **out, mws_error **error) {
    mws_working_set *set;
    mws_section section;
    mws_locale locale;
    mws_status status;
    TRY(set_of(input, &set, error));
    status = locale_of(input, &locale, error);
    if (status == MWS_STATUS_OK) {
        status = mws_working_set_section(set, locale, &section, error);
    }
    if (status == MWS_STATUS_OK && section.text.data == NULL) {
        *out = &nothing;
    } else if (status == MWS_STATUS_OK) {
        struct json *value = json_new(&scratch, JSON_OBJECT);
        json_set(&scratch, value, "key", said(section.key));
        json_set(&scratch, value, "label", said(section.label));
        json_set(&scratch, value, "text", said(section.text));
        json_set(&scratch, value, "tokens", json_size(&scratch, section.tokens));
        *out = value;
    }
    mws_working_set_free(set);
    return status;
}

static mws_status op_tool_definitions(const struct json *input, const struct json **out, mws_error **error) {
    mws_working_set *set;
    mws_string text;
    mws_locale locale;
    mws_load_mode mode = MWS_LOAD_MODE_WORKING_SET;
    struct view named = text_of(input, "mode");
    mws_status status;
    TRY(set_of(input, &set, error));
    status = locale_of(input, &locale, error);
    if (status == MWS_STATUS_OK && named.data != NULL) {
        status = mws_parse_load_mode(named.data, named.len, &mode, error);
    }
    if (status == MWS_STATUS_OK) {
        status = mws_working_set_tool_definitions(set, locale, mode, &text, error);
    }
    mws_working_set_free(set);
    if (status == MWS_STATUS_OK) {
        *out = read_json(&text);
    }
    return status;
}

static mws_status op_describe(const struct json *input, const struct json **out, mws_error **error) {
    struct view arguments = text_of(input, "argumentsJson");
    mws_working_set *set;
    mws_string text;
    mws_locale locale;
    mws_status status;
    TRY(set_of(input, &set, error));
    status = locale_of(input, &locale, error);
    if (status == MWS_STATUS_OK) {
        status = mws_working_set_describe(set, arguments.data, arguments.len, locale, &text, error);
    }
    mws_working_set_free(set);
    if (status == MWS_STATUS_OK) {
        *out = taken(&text);
    }
    return status;
}

static mws_status op_plan_call(const struct json *input, const struct json **out, mws_error **error) {
    struct view arguments = text_of(input, "argumentsJson"), written = json_of(json_get(input, "context"));
    mws_call_context *context;
    mws_working_set *set = NULL;
    mws_plan *plan = NULL;
    mws_string text = {NULL, 0};
    mws_status status = mws_call_context_from_json(written.data, written.len, &context, error);
    if (status == MWS_STATUS_OK) {
        status = set_of(input, &set, error);
    }
    if (status == MWS_STATUS_OK) {
        status = mws_working_set_plan_call(set, arguments.data, arguments.len, context, &plan, error);
    }
    if (status == MWS_STATUS_OK) {
        status = mws_working_set_plan_call_json(set, arguments.data, arguments.len, context, &text, error);
    }
    mws_working_set_free(set);
    mws_call_context_free(context);
    if (status == MWS_STATUS_OK) {
        *out = read_json(&text);
        plan_agrees(plan, *out);
    }
    mws_plan_free(plan);
    return status;
}

static mws_status op_lint_rules(const struct json *input, const struct json **out, mws_error **error) {
    struct view document = json_of(input);
    mws_working_set *set;
    mws_string text;
    mws_status status;
    TRY(set_of(input, &set, error));
    status = mws_working_set_lint_rules(set, document.data, document.len, &text, error);
    mws_working_set_free(set);
    if (status == MWS_STATUS_OK) {
        *out = read_json(&text);
    }
    return status;
}

static mws_status op_restore_full_tool_name(const struct json *input, const struct json **out, mws_error **error) {
    struct view arguments = text_of(input, "argumentsJson");
    mws_string text;
    TRY(mws_restore_full_tool_name(arguments.data, arguments.len, &text, error));
    *out = taken(&text);
    return MWS_STATUS_OK;
}

static mws_status op_effective_tool_name(const struct json *input, const struct json **out, mws_error **error) {
    struct view name = text_of(input, "toolName"), arguments = text_of(input, "argumentsJson");
    mws_string text;
    TRY(mws_effective_tool_name(name.data, name.len, arguments.data, arguments.len, &text, error));
    *out = taken(&text);
    return MWS_STATUS_OK;
}

static mws_status op_full_tool_name(const struct json *input, const struct json **out, mws_error **error) {
    struct view server = text_of(input, "server"), tool = text_of(input, "tool");
    mws_string text;
    TRY(mws_full_tool_name(server.data, server.len, tool.data, tool.len, &text, error));
    *out = taken(&text);
    return MWS_STATUS_OK;
}

static mws_status op_parse_full_tool_name(const struct json *input, const struct json **out, mws_error **error) {
    struct view name = text_of(input, "name");
    mws_str server, tool;
    TRY(mws_parse_full_tool_name(name.data, name.len, &server, &tool, error));
    *out = &nothing;
    if (server.data != NULL) {
        struct json *names = json_new(&scratch, JSON_OBJECT);
        json_set(&scratch, names, "server", said(server));
        json_set(&scratch, names, "tool", said(tool));
        *out = names;
    }
    return MWS_STATUS_OK;
}

static mws_status op_decide_approval(const struct json *input, const struct json **out, mws_error **error) {
    struct view request = json_of(json_get(input, "request"));
    mws_decision *decision;
    mws_string text;
    mws_status status;
    TRY(mws_decide_approval(request.data, request.len, &decision, error));
    status = mws_decision_json(decision, &text, error);
    if (status == MWS_STATUS_OK) {
        *out = read_json(&text);
        decision_agrees(decision, *out);
    }
    mws_decision_free(decision);
    return status;
}

static mws_status op_match_rules(const struct json *input, const struct json **out, mws_error **error) {
    struct view document = json_of(input);
    mws_string text;
    TRY(mws_match_rules(document.data, document.len, &text, error));
    *out = read_json(&text);
    return MWS_STATUS_OK;
}

static mws_status op_summarize(const struct json *input, const struct json **out, mws_error **error) {
    struct view name = text_of(input, "toolName"), arguments = text_of(input, "argumentsJson");
    struct view result = text_of(input, "result");
    mws_locale locale;
    mws_string text;
    TRY(locale_of(input, &locale, error));
    TRY(mws_summarize(name.data, name.len, arguments.data, arguments.len, result.data, result.len, locale, &text, error));
    *out = taken(&text);
    return MWS_STATUS_OK;
}

static mws_status op_tool_display_name(const struct json *input, const struct json **out, mws_error **error) {
    struct view name = text_of(input, "name");
    mws_locale locale;
    mws_string text;
    TRY(locale_of(input, &locale, error));
    TRY(mws_tool_display_name(name.data, name.len, locale, &text, error));
    *out = taken(&text);
    return MWS_STATUS_OK;
}

static mws_status op_tool_input_preview(const struct json *input, const struct json **out, mws_error **error) {
    struct view name = text_of(input, "name"), arguments = text_or_json(json_get(input, "input"));
    mws_locale locale;
    mws_string text;
    TRY(locale_of(input, &locale, error));
    TRY(mws_tool_input_preview(name.data, name.len, arguments.data, arguments.len, locale, &text, error));
    *out = taken(&text);
    return MWS_STATUS_OK;
}

static mws_status op_call_preview(const struct json *input, const struct json **out, mws_error **error) {
    struct view arguments = text_of(input, "argumentsJson"), name = text_of(input, "toolName");
    mws_locale locale;
    mws_string text;
    TRY(locale_of(input, &locale, error));
    TRY(mws_call_card(arguments.data, arguments.len, name.data, name.len, size_of(input, "maxLines", 0),
                      size_of(input, "maxWidth", 0), locale, &text, error));
    *out = read_json(&text);
    return MWS_STATUS_OK;
}

static mws_status op_streamed_preview(const struct json *input, const struct json **out, mws_error **error) {
    struct view name = text_of(input, "toolName");
    const struct json *pieces = json_get(input, "pieces");
    struct json *previews = json_new(&scratch, JSON_ARRAY);
    mws_call_preview *preview;
    mws_locale locale;
    mws_status status = MWS_STATUS_OK;
    size_t at;
    TRY(locale_of(input, &locale, error));
    TRY(mws_call_preview_new(name.data, name.len, &preview, error));
    for (at = 0; at < pieces->count && status == MWS_STATUS_OK; at++) {
        mws_string text;
        status = mws_call_preview_push(preview, pieces->items[at]->text, pieces->items[at]->len, error);
        if (status == MWS_STATUS_OK) {
            status = mws_call_preview_text(preview, locale, &text, error);
        }
        if (status == MWS_STATUS_OK) {
            json_add(&scratch, previews, NULL, taken(&text));
        }
    }
    mws_call_preview_free(preview);
    *out = previews;
    return status;
}

static mws_status op_resolve_load_mode(const struct json *input, const struct json **out, mws_error **error) {
    struct view user = text_of(input, "user"), global = text_of(input, "global");
    struct json *resolved = json_new(&scratch, JSON_OBJECT);
    mws_load_mode mode;
    mws_load_mode_source source;
    mws_string warning;
    TRY(mws_resolve_load_mode(user.data, user.len, global.data, global.len, &mode, &source, &warning, error));
    json_set(&scratch, resolved, "mode", NAME(MODES, mode));
    json_set(&scratch, resolved, "source", NAME(SOURCES, source));
    if (warning.data != NULL) {
        json_set(&scratch, resolved, "warning", taken(&warning));
    }
    *out = resolved;
    return MWS_STATUS_OK;
}

static mws_status op_parse_load_mode(const struct json *input, const struct json **out, mws_error **error) {
    /* Values that are no text have no other form here than their JSON. */
    const struct json *value = json_get(input, "value");
    struct view text = value != NULL && value->type == JSON_TEXT ? view_of(value) : json_of(value);
    mws_load_mode mode;
    TRY(mws_parse_load_mode(text.data, text.len, &mode, error));
    *out = NAME(MODES, mode);
    return MWS_STATUS_OK;
}

static mws_status op_parse_local_report(const struct json *input, const struct json **out, mws_error **error) {
    const struct json *written = json_get(input, "reportText"), *servers = json_get(input, "expectedServers");
    struct view report = written != NULL ? view_of(written) : json_of(json_get(input, "report"));
    struct view expected = {NULL, 0};
    mws_string text;
    if (servers != NULL) {
        expected = json_of(servers);
    }
    TRY(mws_parse_local_report(report.data, report.len, expected.data, expected.len, &text, error));
    *out = read_json(&text);
    return MWS_STATUS_OK;
}

static mws_status op_cloud_connect_result(const struct json *input, const struct json **out, mws_error **error) {
    struct view document = json_of(input);
    mws_string text;
    TRY(mws_cloud_connect_result(document.data, document.len, &text, error));
    *out = read_json(&text);
    return MWS_STATUS_OK;
}

static mws_status op_normalize_input_schema(const struct json *input, const struct json **out, mws_error **error) {
    struct view schema = json_of(json_get(input, "schema"));
    mws_string text;
    TRY(mws_normalize_input_schema(schema.data, schema.len, &text, error));
    *out = read_json(&text);
    return MWS_STATUS_OK;
}

static mws_status op_validate_arguments(const struct json *input, const struct json **out, mws_error **error) {
    struct view schema = json_of(json_get(input, "schema")), arguments;
    const struct json *given = json_get(input, "args"), *violations;
    mws_string text;
    mws_check check;
    arguments = given != NULL && given->type == JSON_TEXT ? view_of(given) : json_of(given);
    TRY(mws_validate_arguments(schema.data, schema.len, arguments.data, arguments.len, &text, &check, error));
    *out = read_json(&text);
    violations = json_get(*out, "violations");
    agree("checked", json_get(*out, "checked"), json_bool(&scratch, check != MWS_CHECK_NOT_CHECKED));
    agree("violated", json_bool(&scratch, violations->count > 0), json_bool(&scratch, check == MWS_CHECK_VIOLATED));
    return MWS_STATUS_OK;
}

static mws_status op_estimate_tokens(const struct json *input, const struct json **out, mws_error **error) {
    struct view text = text_of(input, "text");
    size_t tokens;
    TRY(mws_estimate_tokens(text.data, text.len, &tokens, error));
    *out = json_size(&scratch, tokens);
    return MWS_STATUS_OK;
}

static mws_status op_constants(const struct json *input, const struct json **out, mws_error **error) {
    struct json *constants = json_new(&scratch, JSON_OBJECT);
    (void)input;
    (void)error;
    json_set(&scratch, constants, "SECTION_KEY", json_text(&scratch, MWS_SECTION_KEY, strlen(MWS_SECTION_KEY)));
    json_set(&scratch, constants, "SECTION_LABEL", json_text(&scratch, MWS_SECTION_LABEL, strlen(MWS_SECTION_LABEL)));
    json_set(&scratch, constants, "MCP_CALL", json_text(&scratch, MWS_MCP_CALL, strlen(MWS_MCP_CALL)));
    json_set(&scratch, constants, "MCP_DESCRIBE", json_text(&scratch, MWS_MCP_DESCRIBE, strlen(MWS_MCP_DESCRIBE)));
    *out = constants;
    return MWS_STATUS_OK;
}

static const struct {
    const char *name;
    operation *run;
} OPERATIONS[] = {
    {"callPreview", op_call_preview},
    {"cloudConnectResult", op_cloud_connect_result},
    {"constants", op_constants},
    {"counts", op_counts},
    {"decideApproval", op_decide_approval},
    {"describe", op_describe},
    {"effectiveToolName", op_effective_tool_name},
    {"estimateTokens", op_estimate_tokens},
    {"fingerprint", op_fingerprint},
    {"fullToolDefinitions", op_full_tool_definitions},
    {"fullToolName", op_full_tool_name},
    {"lintRules", op_lint_rules},
    {"matchRules", op_match_rules},
    {"normalizeInputSchema", op_normalize_input_schema},
    {"parseFullToolName", op_parse_full_tool_name},
    {"parseLoadMode", op_parse_load_mode},
    {"parseLocalReport", op_parse_local_report},
    {"planCall", op_plan_call},
    {"resolveLoadMode", op_resolve_load_mode},
    {"restoreFullToolName", op_restore_full_tool_name},
    {"schemaWarnings", op_schema_warnings},
    {"section", op_section},
    {"servers", op_servers},
    {"streamedPreview", op_streamed_preview},
    {"summarize", op_summarize},
    {"toolDefinitions", op_tool_definitions},
    {"toolDisplayName", op_tool_display_name},
    {"toolInputPreview", op_tool_input_preview},
    {"validateArguments", op_validate_arguments},
    {"warnings", op_warnings},
};

/* Gives the output, or the error as `{code, path, line, column}`. */
static bool run(const struct json *name, const struct json *input, const struct json **out) {
    size_t at;
    for (at = 0; at < sizeof OPERATIONS / sizeof *OPERATIONS; at++) {
        if (json_is(name, OPERATIONS[at].name)) {
            mws_error *error = NULL;
            struct json *said_error;
            mws_status status = OPERATIONS[at].run(input, out, &error);
            if (status == MWS_STATUS_OK && error == NULL) {
                return true;
            }
            if (status != mws_error_status(error)) {
                give_up("%s: the status and the error differ", name->text);
            }
            said_error = json_new(&scratch, JSON_OBJECT);
            json_set(&scratch, said_error, "code", said(mws_error_code(error)));
            json_set(&scratch, said_error, "path", said(mws_error_path(error)));
            json_set(&scratch, said_error, "line", json_size(&scratch, mws_error_line(error)));
            json_set(&scratch, said_error, "column", json_size(&scratch, mws_error_column(error)));
            mws_error_free(error);
            *out = said_error;
            return false;
        }
    }
    give_up("no operation `%s`", name->text);
    return false;
}

/* ---- Matching ---- */

static bool matches(const struct json *expect, const struct json *got);

static bool contains(const struct json *text, const struct json *part) {
    size_t at;
    for (at = 0; at + part->len <= text->len; at++) {
        if (memcmp(text->text + at, part->text, part->len) == 0) {
            return true;
        }
    }
    return false;
}

/* How many of the texts, or of the one text, are in the other. */
static size_t count_contained(const struct json *text, const struct json *parts, size_t *of) {
    size_t at, found = 0;
    *of = parts->type == JSON_ARRAY ? parts->count : 1;
    for (at = 0; at < *of; at++) {
        found += contains(text, parts->type == JSON_ARRAY ? parts->items[at] : parts);
    }
    return found;
}

/* Unicode scalar values of a text, items of an array; -1 for all else. */
static long length_of(const struct json *value) {
    long length = 0;
    size_t at;
    if (value->type == JSON_ARRAY) {
        return (long)value->count;
    }
    for (at = 0; value->type == JSON_TEXT && at < value->len; at++) {
        length += (value->text[at] & 0xC0) != 0x80;
    }
    return value->type == JSON_TEXT ? length : -1;
}

/* Every scalar value of the one text is in the other. */
static bool has_only(const struct json *text, const struct json *allowed) {
    size_t at, end;
    for (at = 0; at < text->len; at = end) {
        struct json one = *text;
        for (end = at + 1; end < text->len && (text->text[end] & 0xC0) == 0x80; end++) {
        }
        one.text = text->text + at;
        one.len = end - at;
        if (!contains(allowed, &one)) {
            return false;
        }
    }
    return true;
}

static bool any_matches(const struct json *expect, const struct json *items) {
    size_t at;
    for (at = 0; items->type == JSON_ARRAY && at < items->count; at++) {
        if (matches(expect, items->items[at])) {
            return true;
        }
    }
    return false;
}

static bool holds(const struct json *matcher, const struct json *expect, const struct json *got) {
    const bool text = got->type == JSON_TEXT;
    size_t at, of;
    if (json_is(matcher, "$contains")) {
        return text && count_contained(got, expect, &of) == of;
    }
    if (json_is(matcher, "$notContains")) {
        return text && count_contained(got, expect, &of) == 0;
    }
    if (json_is(matcher, "$startsWith") && expect->type == JSON_ARRAY) {
        bool fits = got->type == JSON_ARRAY && got->count >= expect->count;
        for (at = 0; fits && at < expect->count; at++) {
            fits = matches(expect->items[at], got->items[at]);
        }
        return fits;
    }
    if (json_is(matcher, "$startsWith")) {
        return text && got->len >= expect->len && memcmp(got->text, expect->text, expect->len) == 0;
    }
    if (json_is(matcher, "$endsWith")) {
        return text && got->len >= expect->len &&
               memcmp(got->text + got->len - expect->len, expect->text, expect->len) == 0;
    }
    if (json_is(matcher, "$chars")) {
        return text && has_only(got, expect);
    }
    if (json_is(matcher, "$length")) {
        return length_of(got) == strtol(expect->text, NULL, 10);
    }
    if (json_is(matcher, "$notEmpty")) {
        return length_of(got) > 0;
    }
    if (json_is(matcher, "$includes")) {
        bool fits = true;
        for (at = 0; fits && at < expect->count; at++) {
            fits = any_matches(expect->items[at], got);
        }
        return fits;
    }
    if (json_is(matcher, "$keys")) {
        bool fits = got->type == JSON_OBJECT && got->count == expect->count;
        for (at = 0; fits && at < expect->count; at++) {
            fits = json_equal(expect->items[at], got->keys[at]);
        }
        return fits;
    }
    if (json_is(matcher, "$equals")) {
        return json_equal(expect, got);
    }
    if (json_is(matcher, "$json")) {
        const struct json *value = text ? json_read(&scratch, got->text, got->len) : NULL;
        return value != NULL && matches(expect, value);
    }
    if (json_is(matcher, "$oneOf")) {
        for (at = 0; at < expect->count; at++) {
            if (matches(expect->items[at], got)) {
                return true;
            }
        }
        return false;
    }
    give_up("no matcher `%s`", matcher->text);
    return false;
}

static bool matches(const struct json *expect, const struct json *got) {
    size_t at;
    if (expect->type == JSON_OBJECT) {
        bool fits = got->type == JSON_OBJECT || (expect->count > 0 && expect->keys[0]->text[0] == '$');
        for (at = 0; fits && at < expect->count; at++) {
            const struct json *key = expect->keys[at], *member = json_member(got, key);
            fits = key->text[0] == '$' ? holds(key, expect->items[at], got)
                                       : matches(expect->items[at], member == NULL ? &nothing : member);
        }
        return fits;
    }
    if (expect->type == JSON_ARRAY) {
        bool fits = got->type == JSON_ARRAY && got->count == expect->count;
        for (at = 0; fits && at < expect->count; at++) {
            fits = matches(expect->items[at], got->items[at]);
        }
        return fits;
    }
    return json_equal(expect, got);
}

/* ---- Vectors ---- */

/* The part of an output that a JSON Pointer picks. */
static const struct json *picked(const struct json *output, const struct json *pointer) {
    struct bytes step = {NULL, 0, 0};
    size_t at = 0;
    while (pointer != NULL && at < pointer->len) {
        const struct json *key;
        step.len = 0;
        bytes_add(&step, "", 0);
        for (at++; at < pointer->len && pointer->text[at] != '/'; at++) {
            const bool escape = pointer->text[at] == '~';
            at += escape;
            bytes_add(&step, escape ? (pointer->text[at] == '1' ? "/" : "~") : pointer->text + at, 1);
        }
        key = json_text(&scratch, step.data, step.len);
        if (output->type == JSON_ARRAY) {
            size_t index = (size_t)strtoul(key->text, NULL, 10);
            output = index < output->count ? output->items[index] : NULL;
        } else {
            output = json_member(output, key);
        }
        if (output == NULL) {
            give_up("nothing to pick at %s", pointer->text);
        }
    }
    free(step.data);
    return output;
}

/* All outputs are one, or no two are, as texts. */
static bool compare(const struct json *vector, const struct json *input, bool same) {
    const struct json *inputs = json_get(input, "inputs");
    const struct json **outputs = (const struct json **)arena_alloc(&scratch, inputs->count * sizeof *outputs);
    bool fits = inputs->count > 1;
    size_t at, other;
    for (at = 0; at < inputs->count; at++) {
        const struct json *output;
        struct view text;
        if (!run(json_get(input, "operation"), inputs->items[at], &output)) {
            return false;
        }
        text = json_of(picked(output, json_get(vector, "pick")));
        outputs[at] = json_text(&scratch, text.data, text.len);
        for (other = 0; other < at; other++) {
            fits = fits && json_equal(outputs[at], outputs[other]) == same;
        }
    }
    return fits;
}

static bool check(const struct json *vector, const struct json *documents) {
    const struct json *operation = json_get(vector, "operation"), *input = input_of(json_get(vector, "input"), documents);
    const struct json *expect = json_get(vector, "expect"), *error = json_get(vector, "error"), *got;
    bool ran, fits;
    if (json_is(operation, "same") || json_is(operation, "different")) {
        return compare(vector, input, json_is(operation, "same"));
    }
    ran = run(operation, input, &got);
    fits = ran == (error == NULL) && matches(written_out(ran ? expect : error), got);
    if (!fits) {
        struct view shown = json_of(got);
        fprintf(stderr, "    %s: %.600s\n", ran ? "got" : "failed", shown.data);
    }
    return fits;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names of the files with vectors, without `.json`, in order. */
static const char **files_of(struct arena *arena, const char *folder, size_t *count) {
    struct json *names = json_new(arena, JSON_ARRAY);
    const char **sorted;
    struct dirent *entry;
    DIR *directory = opendir(folder);
    size_t at;
    if (directory == NULL) {
        give_up("%s cannot be read", folder);
    }
    while ((entry = readdir(directory)) != NULL) {
        size_t len = strlen(entry->d_name);
        if (len > 5 && strcmp(entry->d_name + len - 5, ".json") == 0 && strcmp(entry->d_name, "schema.json") != 0) {
            json_add(arena, names, NULL, json_text(arena, entry->d_name, len - 5));
        }
    }
    closedir(directory);
    sorted = (const char **)arena_alloc(arena, names->count * sizeof *sorted);
    for (at = 0; at < names->count; at++) {
        sorted[at] = names->items[at]->text;
    }
    qsort(sorted, names->count, sizeof *sorted, by_name);
    *count = names->count;
    return sorted;
}

int main(int argc, char **argv) {
    struct arena names = {NULL};
    const char *folder = argc > 1 ? argv[1] : "tests/vectors";
    size_t files, file, total = 0, failures = 0;
    const char **sorted = files_of(&names, folder, &files);
    for (file = 0; file < files; file++) {
        struct arena vectors = {NULL};
        const struct json *content = NULL, *list, *documents;
        struct bytes path = {NULL, 0, 0};
        size_t len, at;
        char *text;
        bytes_add(&path, folder, strlen(folder));
        bytes_add(&path, "/", 1);
        bytes_add(&path, sorted[file], strlen(sorted[file]));
        bytes_add(&path, ".json", 5);
        text = read_file(path.data, &len);
        if (text != NULL) {
            content = json_read(&vectors, text, len);
        }
        list = json_get(content, "vectors");
        documents = json_get(content, "documents");
        if (list == NULL) {
            give_up("%s holds no vectors", path.data);
        }
        for (at = 0; at < list->count; at++) {
            if (!check(list->items[at], documents)) {
                fprintf(stderr, "%s fails\n", json_get(list->items[at], "id")->text);
                failures++;
            }
            arena_free(&scratch);
        }
        printf("%s %lu\n", sorted[file], (unsigned long)list->count);
        total += list->count;
        free(text);
        free(path.data);
        arena_free(&vectors);
    }
    arena_free(&names);
    printf("total %lu\n", (unsigned long)total);
    if (failures > 0) {
        fprintf(stderr, "%lu of %lu vectors fail\n", (unsigned long)failures, (unsigned long)total);
    }
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
