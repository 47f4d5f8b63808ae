/* Reading a whole file, for the examples. */

#ifndef READ_FILE_H
#define READ_FILE_H

#include <stdio.h>
#include <stdlib.h>

/* The bytes of a file, to be freed with free(), and how many they are; NULL when it cannot be read. */
static char *read_file(const char *path, size_t *len) {
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    size_t capacity = 0;
    *len = 0;
    if (file == NULL) {
        return NULL;
    }
    for (;;) {
        size_t got;
        if (*len == capacity) {
            char *larger;
            capacity = capacity == 0 ? 4096 : 2 * capacity;
            larger = (char *)realloc(bytes, capacity);
            if (larger == NULL) {
                break;
            }
            bytes = larger;
        }
        got = fread(bytes + *len, 1, capacity - *len, file);
        *len += got;
        if (got == 0) {
            break;
        }
    }
    if (*len == capacity || ferror(file)) {
        free(bytes);
        bytes = NULL;
        *len = 0;
    }
    fclose(file);
    return bytes;
}

#endif
