/* A check that says where it failed and ends the program. */

#ifndef CHECK_H
#define CHECK_H

#include <mcp_working_set.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                  \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);       \
            exit(EXIT_FAILURE);                                                           \
        }                                                                                 \
    } while (0)

/* A text of the program and its length, as two arguments. */
#define TEXT(literal) literal, strlen(literal)

static inline bool is(mws_str text, const char *other) {
    return text.data != NULL && text.len == strlen(other) && memcmp(text.data, other, text.len) == 0;
}

#endif
