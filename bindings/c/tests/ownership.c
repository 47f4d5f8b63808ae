/*
 * Who owns what, and every mistake of a program that can be found: frees in every order, NULL everywhere, texts that are
 * none, numbers that stand for nothing, lengths that cannot be. Run under valgrind and sanitizers it also shows that
 * nothing leaks, is freed twice or is read beyond its end.
 */

#include "check.h"

#include <stdint.h>

static const char DOCUMENT[] =
    "{\"servers\":[{\"id\":1,\"name\":\"fs\",\"description\":\"Files\"}],"
    "\"tools\":[{\"serverId\":1,\"toolName\":\"read\",\"annotations\":{\"readOnlyHint\":true}},"
    "{\"serverId\":1,\"toolName\":\"write_file\",\"inputSchema\":{\"type\":\"object\","
    "\"properties\":{\"path\":{\"type\":\"string\"}},\"required\":[\"path\"]}}],\"connectionErrors\":[]}";
static const char CALL[] = "{\"server\":\"fs\",\"tool\":\"write-file\",\"arguments\":{\"path\":\"/a\"}}";
static const char REFUSED[] = "{\"server\":\"fs\",\"tool\":\"write_file\",\"arguments\":{}}";

/* ------------------------------------------------------------------------------- places as a careless program has them */

/* A place that was never initialised: whatever is there must neither be read nor be freed. */
#define RUBBISH(place) memset(&(place), 0xA5, sizeof(place))

/* A copy of exactly these bytes in memory of its own, so that a tool sees one read too many. Freed with free(). */
static char *exactly(const char *text, size_t len) {
    char *copy = (char *)malloc(len == 0 ? 1 : len);
    CHECK(copy != NULL);
    memcpy(copy, text, len);
    return copy;
}

static mws_working_set *make_set(void) {
    mws_working_set *set;
    mws_error *error;
    char *document = exactly(TEXT(DOCUMENT));
    RUBBISH(set);
    RUBBISH(error);
    CHECK(mws_working_set_from_json(document, strlen(DOCUMENT), &set, &error) == MWS_STATUS_OK);
    CHECK(set != NULL && error == NULL);
    memset(document, 'x', strlen(DOCUMENT)); /* It is not kept. */
    free(document);
    return set;
}

static mws_call_context *make_context(void) {
    mws_call_context *context;
    CHECK(mws_call_context_new(MWS_EXECUTION_MODE_LOCAL, MWS_PERMISSION_LEVEL_READ_WRITE, MWS_LOCALE_EN, &context,
                               NULL) == MWS_STATUS_OK);
    CHECK(context != NULL);
    return context;
}

static mws_plan *make_plan(const mws_working_set *set, const char *text, const mws_call_context *context) {
    mws_plan *plan;
    char *call = exactly(text, strlen(text));
    RUBBISH(plan);
    CHECK(mws_working_set_plan_call(set, call, strlen(text), context, &plan, NULL) == MWS_STATUS_OK && plan != NULL);
    memset(call, 'x', strlen(text));
    free(call);
    return plan;
}

static mws_error *make_error(void) {
    mws_working_set *none;
    mws_error *error;
    RUBBISH(none);
    CHECK(mws_working_set_from_json(TEXT("{\"servers\":[],\n\"tools\":[{\"toolName\":1}]}"), &none, &error) ==
          MWS_STATUS_INVALID_DOCUMENT);
    CHECK(none == NULL && error != NULL);
    return error;
}

static mws_string make_string(const mws_working_set *set) {
    mws_string text;
    RUBBISH(text);
    CHECK(mws_working_set_servers(set, &text, NULL) == MWS_STATUS_OK);
    return text;
}

/* ------------------------------------------------------------------------------------------------- frees in every order */

/* What outlives the others still says what it said. */
static void still_says_it(const mws_plan *plan, const mws_error *error, mws_string text) {
    if (plan != NULL) {
        CHECK(mws_plan_kind(plan) == MWS_KIND_EXECUTE);
        CHECK(mws_plan_route(plan) == MWS_EXECUTION_MODE_LOCAL);
        CHECK(is(mws_plan_full_tool_name(plan), "mcp__fs__write_file"));
        CHECK(is(mws_plan_tool_name(plan), "mcp__fs__write_file"));
        CHECK(is(mws_plan_arguments_json(plan), "{\"path\":\"/a\"}"));
        CHECK(is(mws_plan_server(plan), "fs") && mws_plan_server_id(plan) == 1 && is(mws_plan_tool(plan), "write_file"));
        CHECK(mws_plan_checked(plan) && mws_plan_unchecked(plan).data == NULL);
        CHECK(mws_plan_repair_count(plan) == 1 && is(mws_plan_repair(plan, 0), "respelled_tool"));
        CHECK(mws_decision_outcome(mws_plan_decision(plan)) == MWS_OUTCOME_ASK_USER);
        CHECK(is(mws_decision_hint_rule_value(mws_plan_decision(plan)), "mcp__fs__write_file"));
    }
    if (error != NULL) {
        CHECK(mws_error_status(error) == MWS_STATUS_INVALID_DOCUMENT);
        CHECK(is(mws_error_code(error), "invalid_document") && is(mws_error_path(error), "tools[0].toolName"));
        CHECK(mws_error_line(error) == 2 && mws_error_column(error) > 1 && mws_error_message(error).len > 0);
    }
    if (text.data != NULL) {
        CHECK(strlen(text.data) == text.len && strstr(text.data, "\"write_file\"") != NULL);
    }
}

enum { SET, CONTEXT, PLAN, ERROR, STRING, KINDS };

static void free_in_order(const int *order) {
    mws_working_set *set = make_set();
    mws_call_context *context = make_context();
    mws_plan *plan = make_plan(set, CALL, context);
    mws_error *error = make_error();
    mws_string text = make_string(set);
    int i;
    for (i = 0; i < KINDS; i++) {
        switch (order[i]) {
        case SET:
            mws_working_set_free(set);
            break;
        case CONTEXT:
            mws_call_context_free(context);
            break;
        case PLAN:
            mws_plan_free(plan);
            plan = NULL;
            break;
        case ERROR:
            mws_error_free(error);
            error = NULL;
            break;
        default:
            mws_string_free(&text);
            CHECK(text.data == NULL && text.len == 0);
            mws_string_free(&text); /* Nothing is there any more. */
            break;
        }
        still_says_it(plan, error, text);
    }
}

static int free_in_every_order(int *order, int chosen) {
    int kind, i, count = 0;
    if (chosen == KINDS) {
        free_in_order(order);
        return 1;
    }
    for (kind = 0; kind < KINDS; kind++) {
        bool used = false;
        for (i = 0; i < chosen; i++) {
            used = used || order[i] == kind;
        }
        if (!used) {
            order[chosen] = kind;
            count += free_in_every_order(order, chosen + 1);
        }
    }
    return count;
}

/* --------------------------------------------------------------------------------------------------- what says nothing */

static void null_handles(void) {
    mws_working_set_free(NULL);
    mws_call_context_free(NULL);
    mws_plan_free(NULL);
    mws_decision_free(NULL);
    mws_error_free(NULL);
    mws_call_preview_free(NULL);
    mws_string_free(NULL);

    CHECK(mws_error_status(NULL) == MWS_STATUS_OK && mws_error_code(NULL).data == NULL);
    CHECK(mws_error_message(NULL).data == NULL && mws_error_path(NULL).data == NULL);
    CHECK(mws_error_line(NULL) == 0 && mws_error_column(NULL) == 0);

    CHECK(mws_working_set_is_empty(NULL) && mws_working_set_fingerprint(NULL).data == NULL);
    CHECK(mws_working_set_server_count(NULL) == 0 && mws_working_set_tool_count(NULL) == 0);

    CHECK(mws_plan_kind(NULL) == MWS_KIND_NONE && mws_plan_decision(NULL) == NULL);
    CHECK(mws_plan_route(NULL) == MWS_EXECUTION_MODE_NONE && mws_plan_refusal(NULL) == MWS_REFUSAL_NONE);
    CHECK(mws_plan_full_tool_name(NULL).data == NULL && mws_plan_tool_name(NULL).data == NULL);
    CHECK(mws_plan_arguments_json(NULL).data == NULL && mws_plan_server(NULL).data == NULL);
    CHECK(mws_plan_server_id(NULL) == 0 && mws_plan_tool(NULL).data == NULL);
    CHECK(!mws_plan_checked(NULL) && mws_plan_unchecked(NULL).data == NULL);
    CHECK(mws_plan_repair_count(NULL) == 0 && mws_plan_repair(NULL, 0).data == NULL);
    CHECK(mws_plan_refusal_code(NULL).data == NULL && mws_plan_result_json(NULL).data == NULL);

    /* What a decision says that is not there lets no call run. */
    CHECK(mws_decision_outcome(NULL) == MWS_OUTCOME_ASK_USER && mws_decision_need_approval(NULL));
    CHECK(mws_decision_basis(NULL) == MWS_BASIS_DEFAULT && !mws_decision_rules_apply(NULL));
    CHECK(mws_decision_reason(NULL).data == NULL && mws_decision_rule_id(NULL).data == NULL);
    CHECK(mws_decision_tool_fingerprint(NULL).data == NULL);
    CHECK(mws_decision_hint_label(NULL).data == NULL && mws_decision_hint_rule_value(NULL).data == NULL);

    CHECK(mws_call_preview_server(NULL).data == NULL && mws_call_preview_tool(NULL).data == NULL);
}

/* -------------------------------------------------------------------------------------------------- calls that must fail */

/* That a call fails as it should, says why, and leaves nothing in `out`. */
#define FAILS(want, out, call)                                                                     \
    do {                                                                                           \
        mws_error *error;                                                                          \
        RUBBISH(error);                                                                            \
        RUBBISH(out);                                                                              \
        CHECK((call) == (want));                                                                   \
        CHECK(is_nothing(&(out), sizeof(out)));                                                    \
        CHECK(error != NULL && mws_error_status(error) == (want));                                 \
        CHECK(mws_error_code(error).len > 0 && mws_error_message(error).len > 0);                  \
        mws_error_free(error);                                                                     \
    } while (0)

static bool is_nothing(const void *place, size_t size) {
    const unsigned char *bytes = (const unsigned char *)place;
    size_t i;
    for (i = 0; i < size; i++) {
        if (bytes[i] != 0) {
            return false;
        }
    }
    return true;
}

static char not_text[] = {'"', 'n', '\xc3', '\x28', '"'};

/* A text argument that is none: NULL with a length, a length that cannot be, bytes that are not UTF-8. `call` says T, N
   where the argument stands. */
#define REJECTS_TEXT(out, call)                                                                    \
    do {                                                                                           \
        static const struct {                                                                      \
            const char *data;                                                                      \
            size_t len;                                                                            \
            mws_status want;                                                                       \
        } wrong[] = {                                                                              \
            {NULL, 1, MWS_STATUS_NULL_POINTER},                                                    \
            {NULL, SIZE_MAX, MWS_STATUS_NULL_POINTER},                                             \
            {"x", SIZE_MAX, MWS_STATUS_TOO_LARGE},                                                 \
            {"x", SIZE_MAX / 2 + 1, MWS_STATUS_TOO_LARGE},                                         \
            {not_text, sizeof not_text, MWS_STATUS_INVALID_UTF8},                                  \
        };                                                                                         \
        size_t each;                                                                               \
        for (each = 0; each < sizeof wrong / sizeof *wrong; each++) {                              \
            const char *T = wrong[each].data;                                                      \
            const size_t N = wrong[each].len;                                                      \
            FAILS(wrong[each].want, out, call);                                                    \
        }                                                                                          \
    } while (0)

static void texts_that_are_none(const mws_working_set *set, const mws_call_context *context) {
    mws_working_set *no_set;
    mws_call_context *no_context;
    mws_decision *no_decision;
    mws_plan *no_plan;
    mws_call_preview *no_preview;
    mws_locale no_locale;
    mws_load_mode no_mode;
    mws_load_mode_source source;
    mws_check check;
    mws_string no_text, warning;
    mws_str no_part, tool;
    size_t no_count;
    const mws_locale en = MWS_LOCALE_EN;

    REJECTS_TEXT(no_set, mws_working_set_from_json(T, N, &no_set, &error));
    REJECTS_TEXT(no_context, mws_call_context_from_json(T, N, &no_context, &error));
    REJECTS_TEXT(no_decision, mws_decide_approval(T, N, &no_decision, &error));
    REJECTS_TEXT(no_plan, mws_working_set_plan_call(set, T, N, context, &no_plan, &error));
    REJECTS_TEXT(no_text, mws_working_set_plan_call_json(set, T, N, context, &no_text, &error));
    REJECTS_TEXT(no_text, mws_working_set_describe(set, T, N, en, &no_text, &error));
    REJECTS_TEXT(no_text, mws_working_set_describe_compact(set, T, N, en, &no_text, &error));
    REJECTS_TEXT(no_text, mws_working_set_lint_rules(set, T, N, &no_text, &error));
    REJECTS_TEXT(no_text, mws_match_rules(T, N, &no_text, &error));
    REJECTS_TEXT(no_text, mws_parse_local_report(T, N, NULL, 0, &no_text, &error));
    REJECTS_TEXT(no_text, mws_parse_local_report(TEXT("{\"servers\":[]}"), T, N, &no_text, &error));
    REJECTS_TEXT(no_text, mws_cloud_connect_result(T, N, &no_text, &error));
    REJECTS_TEXT(no_text, mws_restore_full_tool_name(T, N, &no_text, &error));
    REJECTS_TEXT(no_text, mws_effective_tool_name(T, N, TEXT(CALL), &no_text, &error));
    REJECTS_TEXT(no_text, mws_effective_tool_name(TEXT("mcp_call"), T, N, &no_text, &error));
    REJECTS_TEXT(no_text, mws_full_tool_name(T, N, TEXT("tool"), &no_text, &error));
    REJECTS_TEXT(no_text, mws_full_tool_name(TEXT("server"), T, N, &no_text, &error));
    REJECTS_TEXT(no_part, (RUBBISH(tool), mws_parse_full_tool_name(T, N, &no_part, &tool, &error)));
    CHECK(tool.data == NULL && tool.len == 0);
    REJECTS_TEXT(no_text, mws_normalize_input_schema(T, N, &no_text, &error));
    REJECTS_TEXT(no_text, (RUBBISH(check), mws_validate_arguments(T, N, TEXT("{}"), &no_text, &check, &error)));
    REJECTS_TEXT(no_text, mws_validate_arguments(TEXT("{}"), T, N, &no_text, &check, &error));
    CHECK(check == MWS_CHECK_NOT_CHECKED);
    REJECTS_TEXT(no_count, mws_estimate_tokens(T, N, &no_count, &error));
    REJECTS_TEXT(no_locale, mws_parse_locale(T, N, &no_locale, &error));
    REJECTS_TEXT(no_mode, mws_parse_load_mode(T, N, &no_mode, &error));
    REJECTS_TEXT(no_mode, (RUBBISH(source), RUBBISH(warning),
                           mws_resolve_load_mode(T, N, NULL, 0, &no_mode, &source, &warning, &error)));
    CHECK(source == MWS_LOAD_MODE_SOURCE_DEFAULT && warning.data == NULL && warning.len == 0);
    REJECTS_TEXT(no_mode, mws_resolve_load_mode(NULL, 0, T, N, &no_mode, NULL, NULL, &error));
    REJECTS_TEXT(no_text, mws_summarize(T, N, NULL, 0, NULL, 0, en, &no_text, &error));
    REJECTS_TEXT(no_text, mws_summarize(TEXT("mcp_call"), T, N, NULL, 0, en, &no_text, &error));
    REJECTS_TEXT(no_text, mws_summarize(TEXT("mcp_call"), NULL, 0, T, N, en, &no_text, &error));
    REJECTS_TEXT(no_text, mws_tool_display_name(T, N, en, &no_text, &error));
    REJECTS_TEXT(no_text, mws_tool_input_preview(T, N, NULL, 0, en, &no_text, &error));
    REJECTS_TEXT(no_text, mws_tool_input_preview(TEXT("mcp_call"), T, N, en, &no_text, &error));
    REJECTS_TEXT(no_text, mws_call_card(T, N, NULL, 0, 0, 0, en, &no_text, &error));
    REJECTS_TEXT(no_text, mws_call_card(TEXT(CALL), T, N, 0, 0, en, &no_text, &error));
    REJECTS_TEXT(no_text, mws_call_card_text(T, N, NULL, 0, 0, 0, en, &no_text, &error));
    REJECTS_TEXT(no_text, mws_call_card_text(TEXT(CALL), T, N, 0, 0, en, &no_text, &error));
    REJECTS_TEXT(no_preview, mws_call_preview_new(T, N, &no_preview, &error));
}

/* A number that stands for no value of an enumeration, however it came there. */
static int number(size_t each) {
    static const int NUMBERS[] = {-1, 5, 99, 256, INT32_MAX, INT32_MIN};
    return NUMBERS[each];
}
enum { NUMBERS = 6 };

static void numbers_that_stand_for_nothing(const mws_working_set *set) {
    const mws_locale en = MWS_LOCALE_EN;
    mws_call_preview *preview;
    mws_call_context *no_context;
    mws_section no_section;
    mws_string no_text;
    size_t each;

    CHECK(mws_call_preview_new(TEXT("mcp_call"), &preview, NULL) == MWS_STATUS_OK);
    for (each = 0; each < NUMBERS; each++) {
        const mws_locale locale = (mws_locale)number(each);
        const mws_load_mode mode = (mws_load_mode)number(each);
        const mws_execution_mode execution = (mws_execution_mode)number(each);
        const mws_permission_level level = (mws_permission_level)number(each);
        const mws_status wrong = MWS_STATUS_INVALID_LOCALE;

        FAILS(wrong, no_section, mws_working_set_section(set, locale, &no_section, &error));
        FAILS(wrong, no_text, mws_working_set_tool_definitions(set, locale, MWS_LOAD_MODE_FULL, &no_text, &error));
        FAILS(wrong, no_text, mws_working_set_describe(set, TEXT(CALL), locale, &no_text, &error));
        FAILS(wrong, no_text, mws_working_set_describe_compact(set, TEXT(CALL), locale, &no_text, &error));
        FAILS(wrong, no_text, mws_summarize(NULL, 0, NULL, 0, NULL, 0, locale, &no_text, &error));
        FAILS(wrong, no_text, mws_tool_display_name(TEXT("mcp_call"), locale, &no_text, &error));
        FAILS(wrong, no_text, mws_tool_input_preview(TEXT("mcp_call"), NULL, 0, locale, &no_text, &error));
        FAILS(wrong, no_text, mws_call_card(TEXT(CALL), NULL, 0, 0, 0, locale, &no_text, &error));
        FAILS(wrong, no_text, mws_call_card_text(TEXT(CALL), NULL, 0, 0, 0, locale, &no_text, &error));
        FAILS(wrong, no_text, mws_call_preview_text(preview, locale, &no_text, &error));
        FAILS(wrong, no_text, mws_call_preview_summary(preview, locale, &no_text, &error));
        FAILS(wrong, no_context,
              mws_call_context_new(MWS_EXECUTION_MODE_LOCAL, MWS_PERMISSION_LEVEL_FULL, locale, &no_context, &error));
        FAILS(MWS_STATUS_INVALID_LOAD_MODE, no_text,
              mws_working_set_tool_definitions(set, en, mode, &no_text, &error));
        FAILS(MWS_STATUS_INVALID_EXECUTION_MODE, no_context,
              mws_call_context_new(execution, MWS_PERMISSION_LEVEL_FULL, en, &no_context, &error));
        FAILS(MWS_STATUS_INVALID_ARGUMENT, no_context,
              mws_call_context_new(MWS_EXECUTION_MODE_LOCAL, level, en, &no_context, &error));
    }
    mws_call_preview_free(preview);

    /* The route of a plan that executes nothing is no place to run tools. */
    FAILS(MWS_STATUS_INVALID_EXECUTION_MODE, no_context,
          mws_call_context_new(MWS_EXECUTION_MODE_NONE, MWS_PERMISSION_LEVEL_FULL, en, &no_context, &error));
}

static void handles_that_are_missing(const mws_working_set *set, const mws_call_context *context) {
    const mws_status wrong = MWS_STATUS_NULL_POINTER;
    const mws_locale en = MWS_LOCALE_EN;
    mws_section no_section;
    mws_string no_text;
    mws_plan *no_plan;

    FAILS(wrong, no_text, mws_working_set_warnings(NULL, &no_text, &error));
    FAILS(wrong, no_text, mws_working_set_schema_warnings(NULL, &no_text, &error));
    FAILS(wrong, no_text, mws_working_set_servers(NULL, &no_text, &error));
    FAILS(wrong, no_section, mws_working_set_section(NULL, en, &no_section, &error));
    FAILS(wrong, no_text, mws_working_set_tool_definitions(NULL, en, MWS_LOAD_MODE_FULL, &no_text, &error));
    FAILS(wrong, no_text, mws_working_set_full_tool_definitions(NULL, &no_text, &error));
    FAILS(wrong, no_text, mws_working_set_describe(NULL, TEXT(CALL), en, &no_text, &error));
    FAILS(wrong, no_text, mws_working_set_describe_compact(NULL, TEXT(CALL), en, &no_text, &error));
    FAILS(wrong, no_plan, mws_working_set_plan_call(NULL, TEXT(CALL), context, &no_plan, &error));
    FAILS(wrong, no_plan, mws_working_set_plan_call(set, TEXT(CALL), NULL, &no_plan, &error));
    FAILS(wrong, no_text, mws_working_set_plan_call_json(NULL, TEXT(CALL), context, &no_text, &error));
    FAILS(wrong, no_text, mws_working_set_plan_call_json(set, TEXT(CALL), NULL, &no_text, &error));
    FAILS(wrong, no_text, mws_working_set_lint_rules(NULL, TEXT("{\"rules\":[]}"), &no_text, &error));
    FAILS(wrong, no_text, mws_decision_hint_json(NULL, &no_text, &error));
    FAILS(wrong, no_text, mws_decision_json(NULL, &no_text, &error));
    FAILS(wrong, no_text, mws_call_preview_text(NULL, en, &no_text, &error));
    FAILS(wrong, no_text, mws_call_preview_summary(NULL, en, &no_text, &error));
    {
        mws_error *error;
        CHECK(mws_call_preview_push(NULL, "x", 1, &error) == wrong && error != NULL);
        mws_error_free(error);
        CHECK(mws_call_preview_push(NULL, "x", 1, NULL) == wrong);
    }
}

/* A call without a place for its answer, with and without one for the error. */
#define NEEDS_OUT(call)                                                                            \
    do {                                                                                           \
        mws_error *place, **error = &place;                                                        \
        RUBBISH(place);                                                                            \
        CHECK((call) == MWS_STATUS_NULL_POINTER && place != NULL);                                 \
        CHECK(is(mws_error_code(place), "null_pointer"));                                          \
        mws_error_free(place);                                                                     \
        error = NULL;                                                                              \
        CHECK((call) == MWS_STATUS_NULL_POINTER);                                                  \
    } while (0)

static void answers_without_a_place(const mws_working_set *set, const mws_call_context *context, const mws_plan *plan) {
    const mws_decision *decision = mws_plan_decision(plan);
    const mws_locale en = MWS_LOCALE_EN;
    mws_call_preview *preview;
    CHECK(mws_call_preview_new(TEXT("mcp_call"), &preview, NULL) == MWS_STATUS_OK);

    NEEDS_OUT(mws_working_set_from_json(TEXT(DOCUMENT), NULL, error));
    NEEDS_OUT(mws_working_set_warnings(set, NULL, error));
    NEEDS_OUT(mws_working_set_schema_warnings(set, NULL, error));
    NEEDS_OUT(mws_working_set_servers(set, NULL, error));
    NEEDS_OUT(mws_working_set_section(set, en, NULL, error));
    NEEDS_OUT(mws_working_set_tool_definitions(set, en, MWS_LOAD_MODE_FULL, NULL, error));
    NEEDS_OUT(mws_working_set_full_tool_definitions(set, NULL, error));
    NEEDS_OUT(mws_working_set_describe(set, TEXT(CALL), en, NULL, error));
    NEEDS_OUT(mws_working_set_describe_compact(set, TEXT(CALL), en, NULL, error));
    NEEDS_OUT(mws_working_set_plan_call(set, TEXT(CALL), context, NULL, error));
    NEEDS_OUT(mws_working_set_plan_call_json(set, TEXT(CALL), context, NULL, error));
    NEEDS_OUT(mws_working_set_lint_rules(set, TEXT("{\"rules\":[]}"), NULL, error));
    NEEDS_OUT(mws_call_context_new(MWS_EXECUTION_MODE_LOCAL, MWS_PERMISSION_LEVEL_FULL, en, NULL, error));
    NEEDS_OUT(mws_call_context_from_json(TEXT("{\"executionMode\":\"LOCAL\"}"), NULL, error));
    NEEDS_OUT(mws_decide_approval(TEXT("{\"executionMode\":\"LOCAL\",\"toolName\":null}"), NULL, error));
    NEEDS_OUT(mws_decision_hint_json(decision, NULL, error));
    NEEDS_OUT(mws_decision_json(decision, NULL, error));
    NEEDS_OUT(mws_match_rules(TEXT("{\"rules\":[],\"request\":{\"fullToolName\":\"\"}}"), NULL, error));
    NEEDS_OUT(mws_parse_local_report(TEXT("{\"servers\":[]}"), NULL, 0, NULL, error));
    NEEDS_OUT(mws_cloud_connect_result(TEXT("{\"servers\":[],\"outcomes\":[]}"), NULL, error));
    NEEDS_OUT(mws_restore_full_tool_name(TEXT(CALL), NULL, error));
    NEEDS_OUT(mws_effective_tool_name(TEXT("mcp_call"), TEXT(CALL), NULL, error));
    NEEDS_OUT(mws_full_tool_name(TEXT("a"), TEXT("b"), NULL, error));
    NEEDS_OUT(mws_parse_full_tool_name(TEXT("mcp__a__b"), NULL, NULL, error));
    NEEDS_OUT(mws_normalize_input_schema(TEXT("{}"), NULL, error));
    NEEDS_OUT(mws_validate_arguments(TEXT("{}"), TEXT("{}"), NULL, NULL, error));
    NEEDS_OUT(mws_estimate_tokens(TEXT("x"), NULL, error));
    NEEDS_OUT(mws_parse_locale(TEXT("en"), NULL, error));
    NEEDS_OUT(mws_parse_load_mode(TEXT("FULL"), NULL, error));
    NEEDS_OUT(mws_resolve_load_mode(NULL, 0, NULL, 0, NULL, NULL, NULL, error));
    NEEDS_OUT(mws_summarize(TEXT("mcp_call"), NULL, 0, NULL, 0, en, NULL, error));
    NEEDS_OUT(mws_tool_display_name(TEXT("mcp_call"), en, NULL, error));
    NEEDS_OUT(mws_tool_input_preview(TEXT("mcp_call"), NULL, 0, en, NULL, error));
    NEEDS_OUT(mws_call_card(TEXT(CALL), NULL, 0, 0, 0, en, NULL, error));
    NEEDS_OUT(mws_call_card_text(TEXT(CALL), NULL, 0, 0, 0, en, NULL, error));
    NEEDS_OUT(mws_call_preview_new(TEXT("mcp_call"), NULL, error));
    NEEDS_OUT(mws_call_preview_text(preview, en, NULL, error));
    NEEDS_OUT(mws_call_preview_summary(preview, en, NULL, error));
    mws_call_preview_free(preview);
}

/* ------------------------------------------------------------------------------------- where NULL, 0 and the like are fine */

static void nothing_is_a_text(const mws_working_set *set, const mws_call_context *context) {
    mws_working_set *no_set;
    mws_plan *plan;
    mws_string text;
    mws_load_mode mode;
    mws_load_mode_source source;
    mws_str server;
    size_t tokens;

    CHECK(mws_working_set_from_json(NULL, 0, &no_set, NULL) == MWS_STATUS_INVALID_JSON && no_set == NULL);
    CHECK(mws_working_set_plan_call(set, NULL, 0, context, &plan, NULL) == MWS_STATUS_OK);
    CHECK(mws_plan_refusal(plan) == MWS_REFUSAL_INVALID_JSON);
    mws_plan_free(plan);
    CHECK(mws_working_set_describe(set, NULL, 0, MWS_LOCALE_EN, &text, NULL) == MWS_STATUS_OK);
    CHECK(strstr(text.data, "\"error\"") != NULL);
    mws_string_free(&text);
    CHECK(mws_restore_full_tool_name(NULL, 0, &text, NULL) == MWS_STATUS_OK && text.data == NULL && text.len == 0);
    mws_string_free(&text);
    CHECK(mws_effective_tool_name(TEXT("grep"), NULL, 0, &text, NULL) == MWS_STATUS_OK);
    CHECK(strcmp(text.data, "grep") == 0);
    mws_string_free(&text);
    CHECK(mws_estimate_tokens(NULL, 0, &tokens, NULL) == MWS_STATUS_OK && tokens == 0);
    CHECK(mws_normalize_input_schema(NULL, 0, &text, NULL) == MWS_STATUS_OK && text.len > 0);
    mws_string_free(&text);
    CHECK(mws_parse_local_report(TEXT("{\"servers\":[]}"), NULL, 0, &text, NULL) == MWS_STATUS_OK);
    mws_string_free(&text);

    /* No text and an empty one are two things where it matters. */
    CHECK(mws_resolve_load_mode(NULL, 0, TEXT(" full "), &mode, &source, &text, NULL) == MWS_STATUS_OK);
    CHECK(mode == MWS_LOAD_MODE_FULL && source == MWS_LOAD_MODE_SOURCE_GLOBAL && text.data == NULL);
    CHECK(mws_resolve_load_mode("", 0, NULL, 0, &mode, &source, &text, NULL) == MWS_STATUS_OK);
    CHECK(mode == MWS_LOAD_MODE_WORKING_SET && source == MWS_LOAD_MODE_SOURCE_DEFAULT && text.data != NULL);
    mws_string_free(&text);
    CHECK(mws_resolve_load_mode("", 0, NULL, 0, &mode, NULL, NULL, NULL) == MWS_STATUS_OK);
    CHECK(mws_summarize(NULL, 0, TEXT(CALL), NULL, 0, MWS_LOCALE_EN, &text, NULL) == MWS_STATUS_OK);
    mws_string_free(&text);
    CHECK(mws_tool_display_name(TEXT("grep"), MWS_LOCALE_EN, &text, NULL) == MWS_STATUS_OK && text.data == NULL);
    CHECK(mws_tool_input_preview(TEXT("grep"), NULL, 0, MWS_LOCALE_EN, &text, NULL) == MWS_STATUS_OK);
    CHECK(text.data != NULL && text.len == 0 && text.data[0] == '\0');
    mws_string_free(&text);
    CHECK(mws_parse_full_tool_name(TEXT("grep"), &server, NULL, NULL) == MWS_STATUS_OK && server.data == NULL);
    CHECK(mws_validate_arguments(TEXT("{}"), TEXT("{}"), &text, NULL, NULL) == MWS_STATUS_OK);
    mws_string_free(&text);
}

/* ---------------------------------------------------------------------------------------------------------- texts that go out */

static void borrowed_and_owned_texts(void) {
    mws_working_set *set;
    mws_section section, again;
    mws_string text;
    mws_str server, tool;
    char *name = exactly(TEXT("mcp__a__b__c"));

    /* They lie in the text that was taken apart. */
    CHECK(mws_parse_full_tool_name(name, 12, &server, &tool, NULL) == MWS_STATUS_OK);
    CHECK(is(server, "a") && is(tool, "b__c") && server.data == name + 5 && tool.data == name + 8);
    free(name);

    /* A NUL byte is a character like any other; the one at the end is not counted. */
    CHECK(mws_full_tool_name("a\0b", 3, TEXT("c"), &text, NULL) == MWS_STATUS_OK);
    CHECK(text.len == 11 && memcmp(text.data, "mcp__a\0b__c", 12) == 0);
    mws_string_free(&text);

    /* Of the set, and the same whenever it is asked. */
    set = make_set();
    CHECK(mws_working_set_section(set, MWS_LOCALE_ZH_CN, &section, NULL) == MWS_STATUS_OK);
    CHECK(mws_working_set_section(set, MWS_LOCALE_ZH_CN, &again, NULL) == MWS_STATUS_OK);
    CHECK(section.text.data == again.text.data && section.text.data[section.text.len - 1] == '\n');
    CHECK(is(section.key, MWS_SECTION_KEY) && is(section.label, MWS_SECTION_LABEL));
    CHECK(section.tokens == (section.text.len + 3) / 4);
    CHECK(mws_working_set_fingerprint(set).len == 64);
    CHECK(!mws_working_set_is_empty(set) && mws_working_set_server_count(set) == 1 &&
          mws_working_set_tool_count(set) == 2);
    mws_working_set_free(set);

    /* An empty set has no section, and its definitions are none. */
    CHECK(mws_working_set_from_json(TEXT("{\"servers\":[],\"tools\":[]}"), &set, NULL) == MWS_STATUS_OK);
    RUBBISH(section);
    CHECK(mws_working_set_section(set, MWS_LOCALE_EN, &section, NULL) == MWS_STATUS_OK);
    CHECK(is_nothing(&section, sizeof section) && mws_working_set_is_empty(set));
    CHECK(mws_working_set_tool_definitions(set, MWS_LOCALE_EN, MWS_LOAD_MODE_WORKING_SET, &text, NULL) ==
          MWS_STATUS_OK);
    CHECK(strcmp(text.data, "[]") == 0);
    mws_string_free(&text);
    mws_working_set_free(set);
}

static void a_refused_call_executes_nothing(const mws_working_set *set, const mws_call_context *context) {
    mws_plan *plan = make_plan(set, REFUSED, context);
    const mws_decision *decision = mws_plan_decision(plan);
    mws_string text;
    CHECK(mws_plan_kind(plan) == MWS_KIND_REFUSE && mws_plan_refusal(plan) == MWS_REFUSAL_SCHEMA_VIOLATION);
    CHECK(is(mws_plan_refusal_code(plan), "schema_violation") && mws_plan_result_json(plan).len > 0);
    CHECK(is(mws_plan_full_tool_name(plan), "mcp__fs__write_file"));
    CHECK(mws_plan_route(plan) == MWS_EXECUTION_MODE_NONE && mws_plan_tool_name(plan).data == NULL);
    CHECK(mws_plan_arguments_json(plan).data == NULL && mws_plan_server(plan).data == NULL);
    CHECK(mws_plan_server_id(plan) == 0 && mws_plan_tool(plan).data == NULL && !mws_plan_checked(plan));
    CHECK(mws_plan_repair_count(plan) == 0 && mws_plan_repair(plan, SIZE_MAX).data == NULL);
    CHECK(mws_decision_outcome(decision) == MWS_OUTCOME_ASK_USER && mws_decision_need_approval(decision));
    CHECK(!mws_decision_rules_apply(decision) && mws_decision_hint_label(decision).data == NULL);
    CHECK(mws_decision_hint_json(decision, &text, NULL) == MWS_STATUS_OK && text.data == NULL);
    mws_string_free(&text);
    mws_plan_free(plan);
}

static void decisions_with_rules(void) {
    static const char REQUEST[] =
        "{\"executionMode\":\"LOCAL\",\"permissionLevel\":\"READ_WRITE\",\"toolName\":\"mcp__fs__write_file\","
        "\"rules\":[{\"id\":7,\"scope\":\"USER\",\"ruleType\":\"MCP_TOOL\",\"ruleValue\":\"mcp__fs__write_file\","
        "\"enabled\":true}],\"toolFingerprint\":\"ab\"}";
    mws_decision *decision;
    mws_string text;
    CHECK(mws_decide_approval(TEXT(REQUEST), &decision, NULL) == MWS_STATUS_OK);
    CHECK(mws_decision_outcome(decision) == MWS_OUTCOME_ALLOW && !mws_decision_need_approval(decision));
    CHECK(mws_decision_basis(decision) == MWS_BASIS_RULE && is(mws_decision_rule_id(decision), "7"));
    CHECK(mws_decision_rules_apply(decision) && is(mws_decision_tool_fingerprint(decision), "ab"));
    CHECK(mws_decision_reason(decision).len > 0);
    CHECK(mws_decision_json(decision, &text, NULL) == MWS_STATUS_OK && strstr(text.data, "\"allow\"") != NULL);
    mws_decision_free(decision);
    CHECK(strstr(text.data, "\"ruleId\":7") != NULL); /* The text is the caller's. */
    mws_string_free(&text);
}

/* A preview takes pieces that are cut anywhere, and what it lent lasts until the next. */
static void a_preview_in_pieces(void) {
    static const char SO_FAR[] = "{\"server\":\"gr\xc3\xbc" "n\",\"tool\":\"find\",\"arguments\":{\"q\":1}}";
    mws_call_preview *preview;
    mws_string text;
    size_t i;
    CHECK(mws_call_preview_new(TEXT("mcp_call"), &preview, NULL) == MWS_STATUS_OK);
    CHECK(mws_call_preview_push(preview, NULL, 0, NULL) == MWS_STATUS_OK);
    CHECK(mws_call_preview_push(preview, NULL, 1, NULL) == MWS_STATUS_NULL_POINTER);
    CHECK(mws_call_preview_push(preview, "x", SIZE_MAX, NULL) == MWS_STATUS_TOO_LARGE);
    for (i = 0; i < strlen(SO_FAR); i++) {
        char *piece = exactly(SO_FAR + i, 1);
        CHECK(mws_call_preview_push(preview, piece, 1, NULL) == MWS_STATUS_OK);
        free(piece);
        CHECK(mws_call_preview_text(preview, MWS_LOCALE_EN, &text, NULL) == MWS_STATUS_OK && text.data != NULL);
        mws_string_free(&text);
        if (i < 16) { /* Before the quote that ends its name. */
            CHECK(mws_call_preview_server(preview).data == NULL);
        }
    }
    CHECK(is(mws_call_preview_server(preview), "gr\xc3\xbcn") && is(mws_call_preview_tool(preview), "find"));
    CHECK(mws_call_preview_summary(preview, MWS_LOCALE_EN, &text, NULL) == MWS_STATUS_OK);
    mws_call_preview_free(preview);
    CHECK(strcmp(text.data, "Call MCP tool gr\xc3\xbcn.find") == 0);
    mws_string_free(&text);

    /* Bytes that are no text at all break nothing. */
    CHECK(mws_call_preview_new(TEXT("mcp_call"), &preview, NULL) == MWS_STATUS_OK);
    CHECK(mws_call_preview_push(preview, not_text, sizeof not_text, NULL) == MWS_STATUS_OK);
    CHECK(mws_call_preview_text(preview, MWS_LOCALE_EN, &text, NULL) == MWS_STATUS_OK && text.len == 0);
    mws_string_free(&text);
    mws_call_preview_free(preview);
}

/* Schemas that end nowhere leave nothing behind. */
static void endless_schemas(void) {
    static const char *const SCHEMAS[] = {
        "{\"$ref\":\"#\"}",
        "{\"$ref\":\"#/$defs/a\",\"unevaluatedProperties\":false,\"$defs\":{\"a\":{\"anyOf\":[{\"$ref\":\"#/$defs/a\"}]}}}",
        "{\"anyOf\":[{\"$ref\":\"#\"}],\"unevaluatedItems\":false}",
    };
    mws_string text;
    mws_check check;
    size_t i;
    for (i = 0; i < sizeof SCHEMAS / sizeof *SCHEMAS; i++) {
        CHECK(mws_validate_arguments(TEXT(SCHEMAS[i]), TEXT("{\"a\":1}"), &text, &check, NULL) == MWS_STATUS_OK);
        CHECK(check == MWS_CHECK_NOT_CHECKED && strstr(text.data, "too_complex") != NULL);
        mws_string_free(&text);
    }
}

/* Sizes no dialog has are brought into bounds. */
static void absurd_sizes(void) {
    static const size_t SIZES[] = {0, 1, 40, 101, SIZE_MAX};
    mws_string text;
    size_t lines, width;
    for (lines = 0; lines < 5; lines++) {
        for (width = 0; width < 5; width++) {
            CHECK(mws_call_card(TEXT(CALL), NULL, 0, SIZES[lines], SIZES[width], MWS_LOCALE_EN, &text, NULL) ==
                  MWS_STATUS_OK);
            CHECK(strstr(text.data, "\"title\":\"fs.write-file\"") != NULL);
            mws_string_free(&text);
            CHECK(mws_call_card_text(TEXT(CALL), NULL, 0, SIZES[lines], SIZES[width], MWS_LOCALE_EN, &text, NULL) ==
                  MWS_STATUS_OK);
            CHECK(strcmp(text.data, "fs.write-file\npath: /a\n") == 0);
            mws_string_free(&text);
        }
    }
}

int main(void) {
    int order[KINDS];
    mws_working_set *set = make_set();
    mws_call_context *context = make_context();
    mws_plan *plan = make_plan(set, CALL, context);

    CHECK(free_in_every_order(order, 0) == 120);
    null_handles();
    texts_that_are_none(set, context);
    numbers_that_stand_for_nothing(set);
    handles_that_are_missing(set, context);
    answers_without_a_place(set, context, plan);
    nothing_is_a_text(set, context);
    borrowed_and_owned_texts();
    a_refused_call_executes_nothing(set, context);
    decisions_with_rules();
    a_preview_in_pieces();
    absurd_sizes();
    endless_schemas();

    mws_plan_free(plan);
    mws_call_context_free(context);
    mws_working_set_free(set);
    return EXIT_SUCCESS;
}
