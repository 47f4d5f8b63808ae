/*
 * Prints what a model sees of a session: the section for the system prompt.
 *
 *     catalog DOCUMENT [LOCALE]
 *
 * DOCUMENT is a file with {"servers", "tools", "connectionErrors"}, such as session.json; LOCALE is en or zh-CN.
 */

#include <mcp_working_set.h>

#include <string.h>

#include "read_file.h"

/* Says what is wrong and where; frees the error. */
static int failed(const char *path, mws_error *error) {
    mws_str message = mws_error_message(error), place = mws_error_path(error);
    fprintf(stderr, "catalog: %s", path);
    if (place.data != NULL) {
        fprintf(stderr, ":%zu:%zu", mws_error_line(error), mws_error_column(error));
    }
    fprintf(stderr, ": %.*s", (int)message.len, message.data);
    if (place.len != 0) {
        fprintf(stderr, " (at %.*s)", (int)place.len, place.data);
    }
    fputc('\n', stderr);
    mws_error_free(error);
    return EXIT_FAILURE;
}

int main(int argc, char **argv) {
    mws_locale locale = MWS_LOCALE_EN;
    mws_working_set *set;
    mws_section section;
    mws_string text;
    mws_error *error;
    size_t len, full_tokens, tools_tokens;
    char *document;

    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: catalog DOCUMENT [LOCALE]\n");
        return 2;
    }
    if (argc == 3 && mws_parse_locale(argv[2], strlen(argv[2]), &locale, &error) != MWS_STATUS_OK) {
        return failed(argv[2], error);
    }
    document = read_file(argv[1], &len);
    if (document == NULL) {
        perror(argv[1]);
        return EXIT_FAILURE;
    }
    mws_working_set_from_json(document, len, &set, &error);
    free(document); /* The set has what it needs. */
    if (set == NULL) {
        return failed(argv[1], error);
    }

    /* With a set and numbers that are known to be good, nothing below can fail. */
    mws_working_set_section(set, locale, &section, NULL);
    fwrite(section.text.data, 1, section.text.len, stdout);

    mws_working_set_warnings(set, &text, NULL);
    if (strcmp(text.data, "[]") != 0) {
        fprintf(stderr, "warnings: %s\n", text.data);
    }
    mws_string_free(&text);

    mws_working_set_tool_definitions(set, locale, MWS_LOAD_MODE_WORKING_SET, &text, NULL);
    mws_estimate_tokens(text.data, text.len, &tools_tokens, NULL);
    mws_string_free(&text);
    mws_working_set_full_tool_definitions(set, &text, NULL);
    mws_estimate_tokens(text.data, text.len, &full_tokens, NULL);
    mws_string_free(&text);
    fprintf(stderr, "%zu servers, %zu tools: about %zu tokens, and %zu for mcp_call and mcp_describe, in place of %zu\n",
            mws_working_set_server_count(set), mws_working_set_tool_count(set), section.tokens, tools_tokens,
            full_tokens);

    mws_working_set_free(set); /* The section was borrowed from it. */
    return EXIT_SUCCESS;
}
