/*
 * What programs that were built before rely on: versions that agree, and numbers that never get another meaning. A line
 * may be added below, and none changed.
 */

#include "check.h"

int main(void) {
    char version[32];
    mws_section section;
    mws_string text;

    /* The macros agree with each other and with the library; that they are the manifest's, the header's test says. */
    snprintf(version, sizeof version, "%d.%d.%d", MWS_VERSION_MAJOR, MWS_VERSION_MINOR, MWS_VERSION_PATCH);
    CHECK(strcmp(version, MWS_VERSION) == 0);
    CHECK(is(mws_version(), MWS_VERSION));

    CHECK(MWS_STATUS_OK == 0);
    CHECK(MWS_STATUS_NULL_POINTER == 1);
    CHECK(MWS_STATUS_INVALID_UTF8 == 2);
    CHECK(MWS_STATUS_INVALID_JSON == 3);
    CHECK(MWS_STATUS_INVALID_DOCUMENT == 4);
    CHECK(MWS_STATUS_TOO_LARGE == 5);
    CHECK(MWS_STATUS_INVALID_LOCALE == 6);
    CHECK(MWS_STATUS_INVALID_LOAD_MODE == 7);
    CHECK(MWS_STATUS_INVALID_EXECUTION_MODE == 8);
    CHECK(MWS_STATUS_INVALID_ARGUMENT == 9);
    CHECK(MWS_STATUS_INTERNAL == 10);

    CHECK(MWS_LOCALE_ZH_CN == 0);
    CHECK(MWS_LOCALE_EN == 1);

    CHECK(MWS_LOAD_MODE_WORKING_SET == 0);
    CHECK(MWS_LOAD_MODE_FULL == 1);

    CHECK(MWS_LOAD_MODE_SOURCE_DEFAULT == 0);
    CHECK(MWS_LOAD_MODE_SOURCE_USER == 1);
    CHECK(MWS_LOAD_MODE_SOURCE_GLOBAL == 2);

    CHECK(MWS_EXECUTION_MODE_NONE == 0);
    CHECK(MWS_EXECUTION_MODE_LOCAL == 1);
    CHECK(MWS_EXECUTION_MODE_CLOUD == 2);

    CHECK(MWS_PERMISSION_LEVEL_READ_ONLY == 0);
    CHECK(MWS_PERMISSION_LEVEL_READ_WRITE == 1);
    CHECK(MWS_PERMISSION_LEVEL_SMART == 2);
    CHECK(MWS_PERMISSION_LEVEL_PROXY == 3);
    CHECK(MWS_PERMISSION_LEVEL_FULL == 4);

    CHECK(MWS_KIND_NONE == 0);
    CHECK(MWS_KIND_EXECUTE == 1);
    CHECK(MWS_KIND_REFUSE == 2);

    CHECK(MWS_OUTCOME_ASK_USER == 0);
    CHECK(MWS_OUTCOME_ASK_MODEL == 1);
    CHECK(MWS_OUTCOME_ALLOW == 2);

    CHECK(MWS_BASIS_DEFAULT == 0);
    CHECK(MWS_BASIS_LEVEL == 1);
    CHECK(MWS_BASIS_ANNOTATION == 2);
    CHECK(MWS_BASIS_RULE == 3);
    CHECK(MWS_BASIS_CLOUD == 4);
    CHECK(MWS_BASIS_NOT_MCP == 5);
    CHECK(MWS_BASIS_UNRESTORABLE == 6);

    CHECK(MWS_REFUSAL_NONE == 0);
    CHECK(MWS_REFUSAL_INVALID_JSON == 1);
    CHECK(MWS_REFUSAL_INVALID_ARGUMENTS == 2);
    CHECK(MWS_REFUSAL_UNKNOWN_SERVER == 3);
    CHECK(MWS_REFUSAL_UNKNOWN_TOOL == 4);
    CHECK(MWS_REFUSAL_AMBIGUOUS_NAME == 5);
    CHECK(MWS_REFUSAL_SERVER_UNAVAILABLE == 6);
    CHECK(MWS_REFUSAL_EMPTY_TOOL_LIST == 7);
    CHECK(MWS_REFUSAL_UNROUTABLE_NAME == 8);
    CHECK(MWS_REFUSAL_SCHEMA_VIOLATION == 9);
    CHECK(MWS_REFUSAL_OTHER == 255);

    CHECK(MWS_CHECK_NOT_CHECKED == 0);
    CHECK(MWS_CHECK_SATISFIED == 1);
    CHECK(MWS_CHECK_VIOLATED == 2);

    /* Structures that are handed over by value keep their layout. */
    CHECK(offsetof(mws_str, data) == 0 && offsetof(mws_str, len) == sizeof(void *));
    CHECK(sizeof(mws_str) == 2 * sizeof(void *) && sizeof text == sizeof(mws_str));
    CHECK(offsetof(mws_section, key) == 0 && offsetof(mws_section, label) == sizeof(mws_str));
    CHECK(offsetof(mws_section, text) == 2 * sizeof(mws_str) && offsetof(mws_section, tokens) == 3 * sizeof(mws_str));
    CHECK(sizeof section == 3 * sizeof(mws_str) + sizeof(size_t));
    return EXIT_SUCCESS;
}
