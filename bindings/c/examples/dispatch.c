/*
 * A small host: takes the calls a model makes, asks where somebody has to be asked, runs them, and prints what the
 * model gets.
 *
 *     dispatch DOCUMENT [CALLS [LEVEL [MODE]]]
 *
 * DOCUMENT is a file such as session.json. CALLS is a file such as calls.txt with a call a line, the tool's name and its
 * arguments; without it, or when it is "-", calls are read from the standard input. Answers always are. LEVEL is a
 * permission level, READ_WRITE by default, and MODE is LOCAL or CLOUD.
 *
 * The tools live in this program: a host would hand the call to a desktop or to an MCP client instead.
 */

#include <mcp_working_set.h>

#include <string.h>

#include "read_file.h"

/* ------------------------------------------------------------------------------------------------ the tools */

/* What they know: the arguments of every add_note, as they came. */
static char notes[4096];

/* What the last call came to: the text of one JSON object. */
static char result[sizeof notes + 64];

static void list_notes(mws_str arguments) {
    (void)arguments;
    snprintf(result, sizeof result, "{\"notes\":[%s]}", notes);
}

static void add_note(mws_str arguments) {
    size_t used = strlen(notes);
    if (arguments.len > sizeof notes - 2 - used) {
        snprintf(result, sizeof result, "{\"error\":\"there is no room for it\"}");
        return;
    }
    snprintf(notes + used, sizeof notes - used, "%s%.*s", used != 0 ? "," : "", (int)arguments.len, arguments.data);
    snprintf(result, sizeof result, "{\"added\":true}");
}

static void delete_notes(mws_str arguments) {
    (void)arguments;
    notes[0] = '\0';
    snprintf(result, sizeof result, "{\"deleted\":true}");
}

typedef struct tool {
    int64_t server_id;      /* Half of what CLOUD routes by, */
    const char *name;       /* and the other half. */
    const char *full_name;  /* What LOCAL routes by. */
    void (*run)(mws_str arguments);
} tool;

static const tool TOOLS[] = {
    {1, "list_notes", "mcp__notes__list_notes", list_notes},
    {1, "add_note", "mcp__notes__add_note", add_note},
    {1, "delete_notes", "mcp__notes__delete_notes", delete_notes},
};

/* ------------------------------------------------------------------------------------------------- the host */

static bool is(mws_str text, const char *other) {
    return text.len == strlen(other) && memcmp(text.data, other, text.len) == 0;
}

static void run(const mws_plan *plan) {
    mws_str name = mws_plan_tool_name(plan), arguments = mws_plan_arguments_json(plan);
    bool local = mws_plan_route(plan) == MWS_EXECUTION_MODE_LOCAL;
    size_t i;
    for (i = 0; i < sizeof TOOLS / sizeof *TOOLS; i++) {
        const tool *each = &TOOLS[i];
        if (local ? is(name, each->full_name) : mws_plan_server_id(plan) == each->server_id && is(name, each->name)) {
            each->run(arguments);
            return;
        }
    }
    snprintf(result, sizeof result, "{\"error\":\"this program has no such tool\"}");
}

/* What is true for every call of the session, and grows with every "always". */
typedef struct session {
    const char *level;
    const char *mode;
    char rules[4096];
    int rule_count;
    mws_call_context *context;
} session;

/* Makes the context from what the session knows; keeps the one it has when that cannot be done. */
static bool renew_context(session *session) {
    char json[sizeof session->rules + 256];
    mws_call_context *context;
    mws_error *error;
    int len = snprintf(json, sizeof json,
                       "{\"executionMode\":\"%s\",\"permissionLevel\":\"%s\",\"locale\":\"en\",\"rules\":[%s]}",
                       session->mode, session->level, session->rules);
    if (len < 0 || (size_t)len >= sizeof json) {
        return false;
    }
    mws_call_context_from_json(json, (size_t)len, &context, &error);
    if (context == NULL) {
        mws_str message = mws_error_message(error);
        fprintf(stderr, "dispatch: %.*s\n", (int)message.len, message.data);
        mws_error_free(error);
        return false;
    }
    mws_call_context_free(session->context);
    session->context = context;
    return true;
}

/* Stores the rule that the decision offers. A host would have a database; here it lasts as long as the program. */
static void allow_from_now_on(session *session, const mws_decision *decision) {
    mws_str fingerprint = mws_decision_tool_fingerprint(decision);
    size_t used = strlen(session->rules), room = sizeof session->rules - used;
    mws_string hint;
    int len;
    mws_decision_hint_json(decision, &hint, NULL);
    if (hint.data == NULL) {
        return; /* No rule may be offered for this call. */
    }
    /* {"id":1,… and the rest of the hint. The fingerprint makes the rule end when the tool changes. */
    len = snprintf(session->rules + used, room,
                   "%s{\"id\":%d,\"scope\":\"SESSION\",\"enabled\":true,\"toolFingerprint\":\"%.*s\",%s",
                   used == 0 ? "" : ",", session->rule_count + 1, (int)fingerprint.len, fingerprint.data,
                   hint.data + 1);
    if (len < 0 || (size_t)len >= room || !renew_context(session)) {
        session->rules[used] = '\0';
    } else {
        session->rule_count++;
    }
    mws_string_free(&hint);
}

/* Reads a line without its end; false when there is none. What does not fit is dropped. */
static bool read_line(FILE *file, char *line, size_t size) {
    int byte;
    size_t len = 0;
    while ((byte = fgetc(file)) != EOF && byte != '\n') {
        if (len + 1 < size) {
            line[len++] = (char)byte;
        }
    }
    line[len] = '\0';
    return byte != EOF || len != 0;
}

/* Shows the call to the person in front of the program and waits for the answer. No answer is a no. */
static bool person_agrees(session *session, const mws_plan *plan) {
    const mws_decision *decision = mws_plan_decision(plan);
    mws_str name = mws_plan_full_tool_name(plan), arguments = mws_plan_arguments_json(plan);
    mws_str reason = mws_decision_reason(decision), always = mws_decision_hint_label(decision);
    mws_string card;
    char answer[16];

    mws_call_card_text(arguments.data, arguments.len, name.data, name.len, 0, 0, MWS_LOCALE_EN, &card, NULL);
    printf("%s%.*s\n", card.data, (int)reason.len, reason.data);
    mws_string_free(&card);
    if (always.data != NULL) {
        printf("a = %.*s\n", (int)always.len, always.data);
    }
    printf("Run it? [y/n%s] ", always.data != NULL ? "/a" : "");
    fflush(stdout);
    if (!read_line(stdin, answer, sizeof answer)) {
        answer[0] = '\0';
    }
    printf("\n");
    if (strcmp(answer, "a") == 0) {
        allow_from_now_on(session, decision);
        return true;
    }
    return strcmp(answer, "y") == 0;
}

/* Heeds the decision, runs the call or not, and leaves what the model gets in `result`. */
static void execute(session *session, const mws_plan *plan) {
    switch (mws_decision_outcome(mws_plan_decision(plan))) {
    case MWS_OUTCOME_ALLOW:
        run(plan);
        return;
    case MWS_OUTCOME_ASK_MODEL: /* There is none here, and then a person is asked. */
    case MWS_OUTCOME_ASK_USER:
        if (person_agrees(session, plan)) {
            run(plan);
            return;
        }
    }
    snprintf(result, sizeof result, "{\"error\":\"the user did not allow this call\"}");
}

static void call(const mws_working_set *set, session *session, const char *arguments, size_t len) {
    mws_plan *plan;
    mws_str for_model;
    mws_string summary;
    size_t i;

    if (mws_working_set_plan_call(set, arguments, len, session->context, &plan, NULL) != MWS_STATUS_OK) {
        printf("{\"error\":\"the call is not UTF-8\"}\n"); /* Nothing else can be wrong with these arguments. */
        return;
    }
    for (i = 0; i < mws_plan_repair_count(plan); i++) {
        mws_str repair = mws_plan_repair(plan, i);
        printf("put right: %.*s\n", (int)repair.len, repair.data);
    }
    if (mws_plan_kind(plan) == MWS_KIND_EXECUTE) {
        execute(session, plan);
        for_model.data = result;
        for_model.len = strlen(result);
    } else {
        for_model = mws_plan_result_json(plan);
    }
    printf("%.*s\n", (int)for_model.len, for_model.data);
    mws_summarize(MWS_MCP_CALL, strlen(MWS_MCP_CALL), arguments, len, for_model.data, for_model.len, MWS_LOCALE_EN,
                  &summary, NULL);
    printf("log: %s\n", summary.data);
    mws_string_free(&summary);
    mws_plan_free(plan);
}

static void describe(const mws_working_set *set, const char *arguments, size_t len) {
    mws_string schema;
    mws_working_set_describe(set, arguments, len, MWS_LOCALE_EN, &schema, NULL);
    printf("%s\n", schema.data != NULL ? schema.data : "{\"error\":\"the call is not UTF-8\"}");
    mws_string_free(&schema);
}

int main(int argc, char **argv) {
    const char *calls_path = argc > 2 ? argv[2] : "-";
    FILE *calls = stdin;
    session session;
    mws_working_set *set;
    mws_error *error;
    size_t len;
    char *document;
    static char line[65536];

    /* LEVEL and MODE become part of a JSON text as they are. */
    if (argc < 2 || argc > 5 || (argc > 3 && strpbrk(argv[3], "\"\\")) || (argc > 4 && strpbrk(argv[4], "\"\\"))) {
        fprintf(stderr, "usage: dispatch DOCUMENT [CALLS [LEVEL [MODE]]]\n");
        return 2;
    }
    document = read_file(argv[1], &len);
    if (document == NULL) {
        perror(argv[1]);
        return EXIT_FAILURE;
    }
    mws_working_set_from_json(document, len, &set, &error);
    free(document);
    if (set == NULL) {
        mws_str message = mws_error_message(error), place = mws_error_path(error);
        fprintf(stderr, "dispatch: %s: %.*s %.*s\n", argv[1], (int)message.len, message.data, (int)place.len, place.data);
        mws_error_free(error);
        return EXIT_FAILURE;
    }
    memset(&session, 0, sizeof session);
    session.level = argc > 3 ? argv[3] : "READ_WRITE";
    session.mode = argc > 4 ? argv[4] : "LOCAL";
    if (strcmp(calls_path, "-") != 0) {
        calls = fopen(calls_path, "rb");
    }
    if (calls == NULL) {
        perror(calls_path);
    }
    if (calls == NULL || !renew_context(&session)) {
        mws_working_set_free(set);
        return EXIT_FAILURE;
    }

    while (read_line(calls, line, sizeof line)) {
        size_t name_len = strcspn(line, " ");
        const char *arguments = line + name_len + (line[name_len] == ' ');
        printf("\n> %s\n", line);
        if (name_len == strlen(MWS_MCP_CALL) && strncmp(line, MWS_MCP_CALL, name_len) == 0) {
            call(set, &session, arguments, strlen(arguments));
        } else if (name_len == strlen(MWS_MCP_DESCRIBE) && strncmp(line, MWS_MCP_DESCRIBE, name_len) == 0) {
            describe(set, arguments, strlen(arguments));
        } else {
            printf("{\"error\":\"there is no such tool; there are %s and %s\"}\n", MWS_MCP_CALL, MWS_MCP_DESCRIBE);
        }
    }

    if (calls != stdin) {
        fclose(calls);
    }
    mws_call_context_free(session.context);
    mws_working_set_free(set);
    return EXIT_SUCCESS;
}
