/*
 * Eight threads read one set, one context and one plan at once, and all see what one thread alone sees.
 *
 *     threads [warm]
 *
 * What a set keeps is made at the first use: cold, the threads race for that. "warm" makes it before they start, so that
 * a race detector that does not see the library's own synchronisation finds whatever else would write.
 */

#define _POSIX_C_SOURCE 200809L

#include <pthread.h>

#include "check.h"

enum { THREADS = 8, ROUNDS = 5 };

static const char DOCUMENT[] =
    "{\"servers\":[{\"id\":1,\"name\":\"fs\",\"description\":\"Files\"},{\"id\":2,\"name\":\"down\"}],"
    "\"tools\":[{\"serverId\":1,\"toolName\":\"read\",\"annotations\":{\"readOnlyHint\":true}},"
    "{\"serverId\":1,\"toolName\":\"write\",\"description\":\"Writes\",\"inputSchema\":{\"type\":\"object\","
    "\"properties\":{\"path\":{\"type\":\"string\",\"pattern\":\"^/\"}},\"required\":[\"path\"]}}],"
    "\"connectionErrors\":[{\"serverId\":2,\"serverName\":\"down\",\"reason\":\"timeout\"}]}";
static const char CONTEXT[] = "{\"executionMode\":\"LOCAL\",\"permissionLevel\":\"READ_WRITE\",\"locale\":\"en\"}";
static const char GOOD[] = "{\"server\":\"fs\",\"tool\":\"write\",\"arguments\":{\"path\":\"/a\"}}";
static const char WRONG[] = "{\"server\":\"fs\",\"tool\":\"write\",\"arguments\":{\"path\":\"a\"}}";

typedef struct shared {
    mws_working_set *set;
    mws_call_context *context;
    mws_plan *plan;
} shared;

static shared make_shared(void) {
    shared made;
    CHECK(mws_working_set_from_json(TEXT(DOCUMENT), &made.set, NULL) == MWS_STATUS_OK);
    CHECK(mws_call_context_from_json(TEXT(CONTEXT), &made.context, NULL) == MWS_STATUS_OK);
    CHECK(mws_working_set_plan_call(made.set, TEXT(GOOD), made.context, &made.plan, NULL) == MWS_STATUS_OK);
    return made;
}

static void free_shared(shared *shared) {
    mws_plan_free(shared->plan);
    mws_call_context_free(shared->context);
    mws_working_set_free(shared->set);
}

/* All that is read, one text after the other. */
typedef struct seen {
    char text[16384];
    size_t len;
} seen;

static void add(seen *seen, mws_str text) {
    CHECK(text.data != NULL && seen->len + text.len < sizeof seen->text);
    memcpy(seen->text + seen->len, text.data, text.len);
    seen->len += text.len;
}

static void add_owned(seen *seen, mws_status status, mws_string *text) {
    mws_str borrowed;
    CHECK(status == MWS_STATUS_OK);
    borrowed.data = text->data;
    borrowed.len = text->len;
    add(seen, borrowed);
    mws_string_free(text);
}

static void look(const shared *shared, seen *seen) {
    const mws_decision *decision = mws_plan_decision(shared->plan);
    mws_working_set *none;
    mws_section section;
    mws_error *error;
    mws_string text;
    int locale;

    seen->len = 0;
    for (locale = MWS_LOCALE_ZH_CN; locale <= MWS_LOCALE_EN; locale++) {
        CHECK(mws_working_set_section(shared->set, (mws_locale)locale, &section, NULL) == MWS_STATUS_OK);
        add(seen, section.text);
    }
    add(seen, mws_working_set_fingerprint(shared->set));
    add_owned(seen, mws_working_set_servers(shared->set, &text, NULL), &text);
    add_owned(seen, mws_working_set_warnings(shared->set, &text, NULL), &text);
    add_owned(seen, mws_working_set_full_tool_definitions(shared->set, &text, NULL), &text);
    add_owned(seen, mws_working_set_describe(shared->set, TEXT(GOOD), MWS_LOCALE_EN, &text, NULL), &text);
    add_owned(seen, mws_working_set_plan_call_json(shared->set, TEXT(GOOD), shared->context, &text, NULL), &text);
    add_owned(seen, mws_working_set_plan_call_json(shared->set, TEXT(WRONG), shared->context, &text, NULL), &text);
    add(seen, mws_plan_arguments_json(shared->plan));
    add(seen, mws_decision_reason(decision));
    add_owned(seen, mws_decision_json(decision, &text, NULL), &text);
    CHECK(mws_working_set_from_json(TEXT("{"), &none, &error) == MWS_STATUS_INVALID_JSON && none == NULL);
    add(seen, mws_error_message(error));
    mws_error_free(error);
}

static seen expected;

static void *read_all(void *argument) {
    const shared *given = (const shared *)argument;
    seen *mine = (seen *)malloc(sizeof *mine);
    int round;
    CHECK(mine != NULL);
    for (round = 0; round < ROUNDS; round++) {
        look(given, mine);
        CHECK(mine->len == expected.len && memcmp(mine->text, expected.text, mine->len) == 0);
    }
    free(mine);
    return NULL;
}

int main(int argc, char **argv) {
    bool warm = argc == 2 && strcmp(argv[1], "warm") == 0;
    int session;

    shared alone = make_shared();
    look(&alone, &expected);
    free_shared(&alone);

    for (session = 0; session < (warm ? 1 : 10); session++) {
        pthread_t threads[THREADS];
        shared shared = make_shared();
        int i;
        if (warm) {
            look(&shared, &expected);
        }
        for (i = 0; i < THREADS; i++) {
            CHECK(pthread_create(&threads[i], NULL, read_all, &shared) == 0);
        }
        for (i = 0; i < THREADS; i++) {
            CHECK(pthread_join(threads[i], NULL) == 0);
        }
        free_shared(&shared);
    }
    return EXIT_SUCCESS;
}
