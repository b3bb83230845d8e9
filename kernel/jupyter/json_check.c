#include "kernel/jupyter/json_check.h"

#include "common/limits.h"
#include "common/utf8.h"

/* A cursor over the text; `at` never passes `end`. */
struct cursor {
    const char *start, *at, *end;
};

static bool
take_char(struct cursor *c, char wanted)
{
    if (c->at == c->end || *c->at != wanted)
        return false;
    c->at++;
    return true;
}

static bool
take_word(struct cursor *c, const char *word)
{
    size_t len = strlen(word);

    if ((size_t)(c->end - c->at) < len || memcmp(c->at, word, len) != 0)
        return false;
    c->at += len;
    return true;
}

static void
skip_space(struct cursor *c)
{
    while (c->at < c->end &&
           (*c->at == ' ' || *c->at == '\n' || *c->at == '\r' || *c->at == '\t'))
        c->at++;
}

static bool
take_digits(struct cursor *c)
{
    const char *first = c->at;

    while (c->at < c->end && *c->at >= '0' && *c->at <= '9')
        c->at++;
    return c->at > first;
}

static bool
take_number(struct cursor *c)
{
    take_char(c, '-');
    if (!take_char(c, '0') && !take_digits(c))
        return false;
    if (take_char(c, '.') && !take_digits(c))
        return false;
    if (take_char(c, 'e') || take_char(c, 'E')) {
        if (!take_char(c, '+'))
            take_char(c, '-');
        return take_digits(c);
    }
    return true;
}

static int
hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Four hexadecimal digits, or -1. */
static long
take_code_unit(struct cursor *c)
{
    long unit = 0;

    if (c->end - c->at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        int digit = hex_value(*c->at++);
        if (digit < 0)
            return -1;
        unit = unit << 4 | digit;
    }
    return unit;
}

static bool
take_escape(struct cursor *c)
{
    if (c->at == c->end)
        return false;
    char kind = *c->at++;
    if (kind != 'u')
        return kind && strchr("\"\\/bfnrt", kind);
    long unit = take_code_unit(c);
    if (unit < 0xD800 || unit > 0xDFFF)
        return unit >= 0;
    if (unit > 0xDBFF || !take_word(c, "\\u"))
        return false;
    unit = take_code_unit(c);
    return unit >= 0xDC00 && unit <= 0xDFFF;
}

/* Bytes that need no look: printable ASCII but quote and backslash. */
static const char *
skip_plain(const char *at, const char *end)
{
    while (at < end && (unsigned char)*at >= 0x20 && (unsigned char)*at < 0x80 &&
           *at != '"' && *at != '\\')
        at++;
    return at;
}

static bool
take_string(struct cursor *c)
{
    if (!take_char(c, '"'))
        return false;
    for (;;) {
        c->at = skip_plain(c->at, c->end);
        if (take_char(c, '"'))
            return true;
        if (take_char(c, '\\')) {
            if (!take_escape(c))
                return false;
            continue;
        }
        size_t len = utf8_sequence(c->at, (size_t)(c->end - c->at));
        if (len < 2)
            return false;
        c->at += len;
    }
}

static bool
take_key(struct cursor *c)
{
    skip_space(c);
    if (!take_string(c))
        return false;
    skip_space(c);
    return take_char(c, ':');
}

static bool
take_scalar(struct cursor *c)
{
    if (c->at == c->end)
        return false;
    switch (*c->at) {
    case '"':
        return take_string(c);
    case 't':
        return take_word(c, "true");
    case 'f':
        return take_word(c, "false");
    case 'n':
        return take_word(c, "null");
    default:
        return take_number(c);
    }
}

/* Open containers, innermost last: the closing bracket that each one waits for. */
struct nesting {
    char closers[LIMIT_JSON_DEPTH];
    size_t depth;
};

static bool
open_container(struct cursor *c, struct nesting *n, char closer)
{
    if (n->depth == LIMIT_JSON_DEPTH)
        return false;
    c->at++;
    n->closers[n->depth++] = closer;
    return true;
}

/* After a value: close what ends here, then a comma if anything is still open. */
static bool
take_value_end(struct cursor *c, struct nesting *n)
{
    for (;;) {
        skip_space(c);
        if (n->depth == 0)
            return true;
        if (take_char(c, n->closers[n->depth - 1])) {
            n->depth--;
            continue;
        }
        if (!take_char(c, ','))
            return false;
        return n->closers[n->depth - 1] == ']' || take_key(c);
    }
}

/* One value, or the opening of a container; *complete when its end may follow. */
static bool
take_value_start(struct cursor *c, struct nesting *n, bool *complete)
{
    skip_space(c);
    *complete = true;
    if (c->at == c->end)
        return false;
    if (*c->at != '{' && *c->at != '[')
        return take_scalar(c);

    char closer = *c->at == '{' ? '}' : ']';
    if (!open_container(c, n, closer))
        return false;
    skip_space(c);
    if (c->at < c->end && *c->at == closer)
        return true;
    *complete = false;
    return closer == ']' || take_key(c);
}

static bool
take_document(struct cursor *c)
{
    struct nesting n = {.depth = 0};
    bool complete;

    skip_space(c);
    if (c->at == c->end || *c->at != '{')
        return false;
    do {
        if (!take_value_start(c, &n, &complete))
            return false;
        if (complete && !take_value_end(c, &n))
            return false;
    } while (n.depth > 0);
    return c->at == c->end;
}

int
json_check_object(struct slice text, struct error *err)
{
    struct cursor c = {text.data, text.data, text.data + text.len};

    if (!take_document(&c))
        return error_set(err, ERR_BAD_INPUT,
                         "not a JSON object that clients can read, at byte %zu of %zu",
                         (size_t)(c.at - c.start), text.len);
    return 0;
}
