#include "kernel/jupyter/json_scan.h"

#include "common/utf8.h"

enum token {
    TOKEN_BAD,
    TOKEN_END,
    TOKEN_OPEN,  /* of a container */
    TOKEN_CLOSE, /* of the innermost one */
    TOKEN_KEY,   /* with its colon */
    TOKEN_SCALAR,
};

enum wants {
    WANTS_VALUE,
    WANTS_VALUE_OR_CLOSE, /* after `[` */
    WANTS_KEY,            /* after a comma */
    WANTS_KEY_OR_CLOSE,   /* after `{` */
    WANTS_COMMA_OR_CLOSE,
    WANTS_NOTHING, /* the document is whole */
};

/* --- characters --- */

static bool
take_char(struct json_scan *s, char wanted)
{
    if (s->at == s->end || *s->at != wanted)
        return false;
    s->at++;
    return true;
}

static bool
take_word(struct json_scan *s, const char *word)
{
    size_t len = strlen(word);

    if ((size_t)(s->end - s->at) < len || memcmp(s->at, word, len) != 0)
        return false;
    s->at += len;
    return true;
}

static void
skip_space(struct json_scan *s)
{
    while (s->at < s->end &&
           (*s->at == ' ' || *s->at == '\n' || *s->at == '\r' || *s->at == '\t'))
        s->at++;
}

static bool
take_digits(struct json_scan *s)
{
    const char *first = s->at;

    while (s->at < s->end && *s->at >= '0' && *s->at <= '9')
        s->at++;
    return s->at > first;
}

static bool
take_number(struct json_scan *s)
{
    take_char(s, '-');
    if (!take_char(s, '0') && !take_digits(s))
        return false;
    if (take_char(s, '.') && !take_digits(s))
        return false;
    if (take_char(s, 'e') || take_char(s, 'E')) {
        if (!take_char(s, '+'))
            take_char(s, '-');
        return take_digits(s);
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
take_code_unit(struct json_scan *s)
{
    long unit = 0;

    if (s->end - s->at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        int digit = hex_value(*s->at++);
        if (digit < 0)
            return -1;
        unit = unit << 4 | digit;
    }
    return unit;
}

static bool
take_escape(struct json_scan *s)
{
    if (s->at == s->end)
        return false;
    char kind = *s->at++;
    if (kind != 'u')
        return kind && strchr("\"\\/bfnrt", kind);
    long unit = take_code_unit(s);
    if (unit < 0xD800 || unit > 0xDFFF)
        return unit >= 0;
    if (unit > 0xDBFF || !take_word(s, "\\u"))
        return false;
    unit = take_code_unit(s);
    return unit >= 0xDC00 && unit <= 0xDFFF;
}

/* Are these eight bytes printable ASCII without quote and backslash? A byte that is
 * less than what is taken from it borrows, and so sets its highest bit. */
static bool
are_plain(const char *at)
{
    const uint64_t ones = 0x0101010101010101, high = 0x8080808080808080;
    uint64_t bytes;

    memcpy(&bytes, at, sizeof(bytes));
    uint64_t quotes = bytes ^ ones * '"', backslashes = bytes ^ ones * '\\';
    return !((bytes | (bytes - ones * 0x20) | (quotes - ones) | (backslashes - ones)) &
             high);
}

static const char *
skip_plain(const char *at, const char *end)
{
    while (end - at >= 8 && are_plain(at))
        at += 8;
    while (at < end && (unsigned char)*at >= 0x20 && (unsigned char)*at < 0x80 &&
           *at != '"' && *at != '\\')
        at++;
    return at;
}

/* Of a text that has been checked only the end is looked for, and each byte at most
 * twice: much text is full of escapes. */
static bool
skip_string(struct json_scan *s)
{
    const char *at = s->at, *quote;

    while (at < s->end && (quote = memchr(at, '"', (size_t)(s->end - at)))) {
        const char *escape;
        while (at < quote && (escape = memchr(at, '\\', (size_t)(quote - at))))
            at = escape + 2;
        if (at <= quote) { /* no escape is left that could be for this quote */
            s->at = quote + 1;
            return true;
        }
    }
    return false;
}

static bool
take_string(struct json_scan *s)
{
    if (!take_char(s, '"'))
        return false;
    if (s->is_checked)
        return skip_string(s);
    for (;;) {
        s->at = skip_plain(s->at, s->end);
        if (take_char(s, '"'))
            return true;
        if (take_char(s, '\\')) {
            if (!take_escape(s))
                return false;
            continue;
        }
        size_t len = utf8_sequence(s->at, (size_t)(s->end - s->at));
        if (len < 2)
            return false;
        s->at += len;
    }
}

static bool
take_scalar(struct json_scan *s)
{
    switch (*s->at) {
    case '"':
        return take_string(s);
    case 't':
        return take_word(s, "true");
    case 'f':
        return take_word(s, "false");
    case 'n':
        return take_word(s, "null");
    default:
        return take_number(s);
    }
}

/* --- tokens --- */

static bool
is_in_object(const struct json_scan *s)
{
    size_t innermost = s->depth - 1;

    return s->in_object[innermost / 64] >> innermost % 64 & 1;
}

static enum token
open_container(struct json_scan *s)
{
    bool is_object = *s->at == '{';
    uint64_t bit = (uint64_t)1 << s->depth % 64;

    if (s->depth == LIMIT_JSON_DEPTH)
        return TOKEN_BAD;
    s->in_object[s->depth / 64] &= ~bit;
    s->in_object[s->depth / 64] |= is_object ? bit : 0;
    s->depth++;
    s->at++;
    s->wants = is_object ? WANTS_KEY_OR_CLOSE : WANTS_VALUE_OR_CLOSE;
    return TOKEN_OPEN;
}

static bool
closes(struct json_scan *s)
{
    if (s->depth == 0 || !take_char(s, is_in_object(s) ? '}' : ']'))
        return false;
    s->depth--;
    return true;
}

static void
end_value(struct json_scan *s)
{
    s->wants = s->depth ? WANTS_COMMA_OR_CLOSE : WANTS_NOTHING;
}

static enum token
take_close(struct json_scan *s)
{
    if (!closes(s))
        return TOKEN_BAD;
    end_value(s);
    return TOKEN_CLOSE;
}

static enum token
take_value(struct json_scan *s)
{
    if (s->at == s->end)
        return TOKEN_BAD;
    if (*s->at == '{' || *s->at == '[')
        return open_container(s);
    if (!take_scalar(s))
        return TOKEN_BAD;
    end_value(s);
    return TOKEN_SCALAR;
}

static enum token
take_key(struct json_scan *s, struct slice *key)
{
    const char *quote = s->at;

    if (!take_string(s))
        return TOKEN_BAD;
    *key = (struct slice){quote + 1, (size_t)(s->at - quote) - 2};
    skip_space(s);
    if (!take_char(s, ':'))
        return TOKEN_BAD;
    s->wants = WANTS_VALUE;
    return TOKEN_KEY;
}

static enum token
take_next(struct json_scan *s, struct slice *key)
{
    skip_space(s);
    switch ((enum wants)s->wants) {
    case WANTS_NOTHING:
        return s->at == s->end ? TOKEN_END : TOKEN_BAD;
    case WANTS_VALUE_OR_CLOSE:
        if (s->at < s->end && *s->at == ']')
            return take_close(s);
        return take_value(s);
    case WANTS_VALUE:
        return take_value(s);
    case WANTS_KEY_OR_CLOSE:
        if (s->at < s->end && *s->at == '}')
            return take_close(s);
        return take_key(s, key);
    case WANTS_KEY:
        return take_key(s, key);
    case WANTS_COMMA_OR_CLOSE:
        if (!take_char(s, ','))
            return take_close(s);
        s->wants = is_in_object(s) ? WANTS_KEY : WANTS_VALUE;
        return take_next(s, key);
    }
    return TOKEN_BAD;
}

static struct json_scan
scan_of(struct slice text)
{
    size_t len = text.len <= LIMIT_JSON_BYTES ? text.len : 0;

    return (struct json_scan){.at = text.data, .end = text.data + len};
}

int
json_scan_check(struct slice text, struct error *err)
{
    return json_scan_check_values(text, SIZE_MAX, err);
}

int
json_scan_check_values(struct slice text, size_t max_values, struct error *err)
{
    struct json_scan s = scan_of(text);
    enum token token = TOKEN_BAD;
    size_t values = 0;
    struct slice key;

    if (text.len > LIMIT_JSON_BYTES)
        return error_set(err, ERR_TOO_LARGE, "JSON over %d bytes", LIMIT_JSON_BYTES);
    skip_space(&s);
    if (s.at < s.end && *s.at == '{')
        do {
            token = take_next(&s, &key);
            values += token == TOKEN_OPEN || token == TOKEN_SCALAR;
        } while (token != TOKEN_BAD && token != TOKEN_END && values <= max_values);
    if (values > max_values)
        return error_set(err, ERR_TOO_LARGE, "it has more than %zu JSON values",
                         max_values);
    if (token == TOKEN_END)
        return 0;
    return error_set(err, ERR_BAD_INPUT,
                     "not a JSON object that clients can read, at byte %zu of %zu",
                     (size_t)(s.at - text.data), text.len);
}

/* --- fields --- */

struct json_scan
json_scan_fields(struct slice object)
{
    struct json_scan s = scan_of(object);

    s.is_checked = true;
    skip_space(&s);
    if (s.at < s.end && *s.at == '{')
        open_container(&s);
    else
        s.wants = WANTS_NOTHING;
    return s;
}

bool
json_scan_next(struct json_scan *fields, struct slice *key, struct slice *value)
{
    struct slice inner;

    if (fields->depth != 1 || take_next(fields, key) != TOKEN_KEY)
        return false;
    skip_space(fields);
    const char *start = fields->at;
    do {
        if (take_next(fields, &inner) == TOKEN_BAD)
            return false;
    } while (fields->wants != WANTS_COMMA_OR_CLOSE || fields->depth > 1);
    *value = (struct slice){start, (size_t)(fields->at - start)};
    return true;
}
