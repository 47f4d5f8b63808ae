/* JSON for the tests: a reader, a writer, and memory that is given back all at once.
 *
 * Texts are decoded and may hold NUL bytes; numbers stay as they are written; keys keep their order. */

#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Memory that lives until arena_free(). */
struct arena {
    struct block *blocks;
};

struct block {
    struct block *next;
    size_t used, size;
    /* What follows is handed out. */
};

static void *arena_alloc(struct arena *arena, size_t size) {
    const size_t header = (sizeof(struct block) + 15) & ~(size_t)15;
    struct block *block = arena->blocks;
    size = (size + 15) & ~(size_t)15;
    if (block == NULL || block->size - block->used < size) {
        size_t room = size > 65536 ? size : 65536;
        block = (struct block *)malloc(header + room);
        if (block == NULL) {
            fprintf(stderr, "out of memory\n");
            exit(EXIT_FAILURE);
        }
        block->next = arena->blocks;
        block->used = 0;
        block->size = room;
        arena->blocks = block;
    }
    block->used += size;
    return (char *)block + header + block->used - size;
}

static void arena_free(struct arena *arena) {
    while (arena->blocks != NULL) {
        struct block *next = arena->blocks->next;
        free(arena->blocks);
        arena->blocks = next;
    }
}

enum json_type { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_TEXT, JSON_ARRAY, JSON_OBJECT };

struct json {
    enum json_type type;
    bool truth;
    /* A text, decoded, or a number as it is written; a NUL byte follows. */
    const char *text;
    size_t len;
    /* The items of an array, or the members of an object with their keys. */
    const struct json **items, **keys;
    size_t count;
};

static struct json *json_new(struct arena *arena, enum json_type type) {
    struct json *value = (struct json *)arena_alloc(arena, sizeof *value);
    memset(value, 0, sizeof *value);
    value->type = type;
    return value;
}

static const struct json *json_text(struct arena *arena, const char *text, size_t len) {
    struct json *value = json_new(arena, JSON_TEXT);
    char *copy = (char *)arena_alloc(arena, len + 1);
    if (len > 0) {
        memcpy(copy, text, len);
    }
    copy[len] = '\0';
    value->text = copy;
    value->len = len;
    return value;
}

static const struct json *json_bool(struct arena *arena, bool truth) {
    struct json *value = json_new(arena, JSON_BOOL);
    value->truth = truth;
    return value;
}

static const struct json *json_size(struct arena *arena, size_t number) {
    struct json *value = json_new(arena, JSON_NUMBER);
    char *text = (char *)arena_alloc(arena, 24);
    value->len = (size_t)sprintf(text, "%lu", (unsigned long)number);
    value->text = text;
    return value;
}

/* Adds an item; a member where there is a key. */
static void json_add(struct arena *arena, struct json *parent, const struct json *key, const struct json *item) {
    if ((parent->count & (parent->count + 1)) == 0) {
        /* Full: it holds 0, 1, 3, 7 … items. */
        size_t room = 2 * parent->count + 1;
        const struct json **items = (const struct json **)arena_alloc(arena, room * sizeof *items);
        const struct json **keys = (const struct json **)arena_alloc(arena, room * sizeof *keys);
        if (parent->count > 0) {
            memcpy(items, parent->items, parent->count * sizeof *items);
            memcpy(keys, parent->keys, parent->count * sizeof *keys);
        }
        parent->items = items;
        parent->keys = keys;
    }
    parent->keys[parent->count] = key;
    parent->items[parent->count++] = item;
}

static void json_set(struct arena *arena, struct json *object, const char *key, const struct json *value) {
    json_add(arena, object, json_text(arena, key, strlen(key)), value);
}

static bool json_is(const struct json *value, const char *text) {
    return value != NULL && value->type == JSON_TEXT && value->len == strlen(text) && memcmp(value->text, text, value->len) == 0;
}

/* The member of an object with this key, or NULL. */
static const struct json *json_member(const struct json *object, const struct json *key) {
    size_t at;
    for (at = 0; object != NULL && object->type == JSON_OBJECT && at < object->count; at++) {
        if (object->keys[at]->len == key->len && memcmp(object->keys[at]->text, key->text, key->len) == 0) {
            return object->items[at];
        }
    }
    return NULL;
}

static const struct json *json_get(const struct json *object, const char *key) {
    struct json wanted = {JSON_TEXT, false, NULL, 0, NULL, NULL, 0};
    wanted.text = key;
    wanted.len = strlen(key);
    return json_member(object, &wanted);
}

/* ---- Reading ---- */

struct json_reader {
    struct arena *arena;
    const char *at, *end;
    int depth;
};

static void json_skip_space(struct json_reader *reader) {
    while (reader->at < reader->end && strchr(" \t\r\n", *reader->at) != NULL && *reader->at != '\0') {
        reader->at++;
    }
}

static bool json_take(struct json_reader *reader, const char *word) {
    size_t len = strlen(word);
    if ((size_t)(reader->end - reader->at) < len || memcmp(reader->at, word, len) != 0) {
        return false;
    }
    reader->at += len;
    return true;
}

static int json_hex_digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The four digits after `\u`, or -1. */
static long json_read_hex(struct json_reader *reader) {
    long unit = 0;
    int digits;
    for (digits = 0; digits < 4; digits++) {
        int digit = reader->at < reader->end ? json_hex_digit(*reader->at++) : -1;
        if (digit < 0) {
            return -1;
        }
        unit = 16 * unit + digit;
    }
    return unit;
}

static size_t json_utf8(unsigned long scalar, char *out) {
    if (scalar < 0x80) {
        out[0] = (char)scalar;
        return 1;
    }
    if (scalar < 0x800) {
        out[0] = (char)(0xC0 | scalar >> 6);
        out[1] = (char)(0x80 | (scalar & 0x3F));
        return 2;
    }
    if (scalar < 0x10000) {
        out[0] = (char)(0xE0 | scalar >> 12);
        out[1] = (char)(0x80 | (scalar >> 6 & 0x3F));
        out[2] = (char)(0x80 | (scalar & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | scalar >> 18);
    out[1] = (char)(0x80 | (scalar >> 12 & 0x3F));
    out[2] = (char)(0x80 | (scalar >> 6 & 0x3F));
    out[3] = (char)(0x80 | (scalar & 0x3F));
    return 4;
}

/* A text whose opening quote was read. Half a surrogate pair is no text. */
static const struct json *json_read_text(struct json_reader *reader) {
    const char *close = reader->at;
    char *text;
    size_t len = 0;
    while (close < reader->end && *close != '"') {
        close += *close == '\\' ? 2 : 1;
    }
    if (close >= reader->end) {
        return NULL;
    }
    text = (char *)malloc((size_t)(close - reader->at) + 1);
    if (text == NULL) {
        return NULL;
    }
    while (*reader->at != '"') {
        char c = *reader->at++;
        const char *escape;
        if ((unsigned char)c < 0x20) {
            goto malformed;
        }
        if (c != '\\') {
            text[len++] = c;
            continue;
        }
        c = *reader->at++;
        if (c == 'u') {
            long unit = json_read_hex(reader);
            if (unit >= 0xD800 && unit < 0xDC00 && json_take(reader, "\\u")) {
                long low = json_read_hex(reader);
                if (low < 0xDC00 || low > 0xDFFF) {
                    goto malformed;
                }
                unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
            } else if (unit < 0 || (unit >= 0xD800 && unit <= 0xDFFF)) {
                goto malformed;
            }
            len += json_utf8((unsigned long)unit, text + len);
        } else if ((unsigned char)c >= 0x20 && (escape = strchr("\"\"\\\\//b\bf\fn\nr\rt\t", c)) != NULL) {
            /* Pairs of what stands behind the backslash and what it means. */
            text[len++] = escape[1];
        } else {
            goto malformed;
        }
    }
    reader->at++;
    {
        const struct json *value = json_text(reader->arena, text, len);
        free(text);
        return value;
    }
malformed:
    free(text);
    return NULL;
}

static const struct json *json_read_number(struct json_reader *reader) {
    const char *start = reader->at;
    struct json *value;
    const struct json *copy;
    (void)json_take(reader, "-");
    if (!json_take(reader, "0")) {
        if (reader->at == reader->end || *reader->at < '1' || *reader->at > '9') {
            return NULL;
        }
        while (reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9') {
            reader->at++;
        }
    }
    if (json_take(reader, ".")) {
        const char *digits = reader->at;
        while (reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9') {
            reader->at++;
        }
        if (digits == reader->at) {
            return NULL;
        }
    }
    if (json_take(reader, "e") || json_take(reader, "E")) {
        const char *digits;
        (void)(json_take(reader, "+") || json_take(reader, "-"));
        digits = reader->at;
        while (reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9') {
            reader->at++;
        }
        if (digits == reader->at) {
            return NULL;
        }
    }
    copy = json_text(reader->arena, start, (size_t)(reader->at - start));
    value = json_new(reader->arena, JSON_NUMBER);
    value->text = copy->text;
    value->len = copy->len;
    return value;
}

static const struct json *json_read_value(struct json_reader *reader) {
    struct json *parent;
    bool object;
    json_skip_space(reader);
    if (json_take(reader, "null")) {
        return json_new(reader->arena, JSON_NULL);
    }
    if (json_take(reader, "true")) {
        return json_bool(reader->arena, true);
    }
    if (json_take(reader, "false")) {
        return json_bool(reader->arena, false);
    }
    if (json_take(reader, "\"")) {
        return json_read_text(reader);
    }
    object = json_take(reader, "{");
    if (!object && !json_take(reader, "[")) {
        return json_read_number(reader);
    }
    if (++reader->depth > 256) {
        return NULL;
    }
    parent = json_new(reader->arena, object ? JSON_OBJECT : JSON_ARRAY);
    json_skip_space(reader);
    if (!json_take(reader, object ? "}" : "]")) {
        do {
            const struct json *key = NULL, *item;
            if (object) {
                json_skip_space(reader);
                key = json_take(reader, "\"") ? json_read_text(reader) : NULL;
                json_skip_space(reader);
                if (key == NULL || !json_take(reader, ":")) {
                    return NULL;
                }
            }
            item = json_read_value(reader);
            if (item == NULL) {
                return NULL;
            }
            json_add(reader->arena, parent, key, item);
            json_skip_space(reader);
        } while (json_take(reader, ","));
        if (!json_take(reader, object ? "}" : "]")) {
            return NULL;
        }
    }
    reader->depth--;
    return parent;
}

/* The value that the text is, or NULL when it is no JSON. */
static const struct json *json_read(struct arena *arena, const char *text, size_t len) {
    struct json_reader reader;
    const struct json *value;
    reader.arena = arena;
    reader.at = text;
    reader.end = text + len;
    reader.depth = 0;
    value = json_read_value(&reader);
    json_skip_space(&reader);
    return reader.at == reader.end ? value : NULL;
}

/* ---- Writing ---- */

/* Bytes that grow; free `data` in the end. */
struct bytes {
    char *data;
    size_t len, room;
};

static void bytes_add(struct bytes *bytes, const char *data, size_t len) {
    if (bytes->room - bytes->len < len + 1) {
        bytes->room = 2 * (bytes->len + len + 1);
        bytes->data = (char *)realloc(bytes->data, bytes->room);
        if (bytes->data == NULL) {
            fprintf(stderr, "out of memory\n");
            exit(EXIT_FAILURE);
        }
    }
    if (len > 0) {
        memcpy(bytes->data + bytes->len, data, len);
    }
    bytes->len += len;
    bytes->data[bytes->len] = '\0';
}

static void json_write_text(struct bytes *out, const struct json *value) {
    size_t at;
    bytes_add(out, "\"", 1);
    for (at = 0; at < value->len; at++) {
        const unsigned char c = (unsigned char)value->text[at];
        const char *escape = c == '\0' ? NULL : strchr("\"\"\\\\\bb\ff\nn\rr\tt", c);
        char written[8];
        if (escape != NULL && (c < 0x20 || c == '"' || c == '\\')) {
            written[0] = '\\';
            written[1] = escape[1];
            bytes_add(out, written, 2);
        } else if (c < 0x20) {
            bytes_add(out, written, (size_t)sprintf(written, "\\u%04x", c));
        } else {
            bytes_add(out, value->text + at, 1);
        }
    }
    bytes_add(out, "\"", 1);
}

/* Compact JSON, the keys in their order. */
static void json_write(struct bytes *out, const struct json *value) {
    const bool object = value->type == JSON_OBJECT;
    size_t at;
    switch (value->type) {
    case JSON_NULL:
        bytes_add(out, "null", 4);
        break;
    case JSON_BOOL:
        bytes_add(out, value->truth ? "true" : "false", value->truth ? 4 : 5);
        break;
    case JSON_NUMBER:
        bytes_add(out, value->text, value->len);
        break;
    case JSON_TEXT:
        json_write_text(out, value);
        break;
    case JSON_ARRAY:
    case JSON_OBJECT:
        bytes_add(out, object ? "{" : "[", 1);
        for (at = 0; at < value->count; at++) {
            if (at > 0) {
                bytes_add(out, ",", 1);
            }
            if (object) {
                json_write_text(out, value->keys[at]);
                bytes_add(out, ":", 1);
            }
            json_write(out, value->items[at]);
        }
        bytes_add(out, object ? "}" : "]", 1);
        break;
    }
}

/* The same value, whatever the order of keys. */
static bool json_equal(const struct json *a, const struct json *b) {
    size_t at;
    if (a->type != b->type || a->count != b->count) {
        return false;
    }
    switch (a->type) {
    case JSON_NULL:
        return true;
    case JSON_BOOL:
        return a->truth == b->truth;
    case JSON_NUMBER:
        return strtod(a->text, NULL) == strtod(b->text, NULL);
    case JSON_TEXT:
        return a->len == b->len && memcmp(a->text, b->text, a->len) == 0;
    case JSON_ARRAY:
    case JSON_OBJECT:
        for (at = 0; at < a->count; at++) {
            const struct json *other = a->type == JSON_ARRAY ? b->items[at] : json_member(b, a->keys[at]);
            if (other == NULL || !json_equal(a->items[at], other)) {
                return false;
            }
        }
        return true;
    }
    return false;
}

#endif
