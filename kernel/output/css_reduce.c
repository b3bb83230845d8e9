#include "kernel/output/css_reduce.h"

#include <ctype.h>

enum {
    LONGEST_NAME = 64,
    LONGEST_NUMBER = 12,
    LONGEST_VALUE = 512,
    DEEPEST_FUNCTION = 3,
};

static const char *const properties[] = {
    "background",
    "background-color",
    "border",
    "border-bottom",
    "border-bottom-color",
    "border-bottom-style",
    "border-bottom-width",
    "border-collapse",
    "border-color",
    "border-left",
    "border-right",
    "border-spacing",
    "border-style",
    "border-top",
    "border-width",
    "caption-side",
    "color",
    "font-family",
    "font-size",
    "font-style",
    "font-variant",
    "font-weight",
    "height",
    "line-height",
    "max-width",
    "min-width",
    "opacity",
    "padding",
    "padding-bottom",
    "padding-left",
    "padding-right",
    "padding-top",
    "text-align",
    "text-decoration",
    "text-transform",
    "vertical-align",
    "white-space",
    "width",
    "word-break",
};

static const char *const functions[] = {"rgb", "rgba", "hsl", "hsla",
                                        "linear-gradient"};

static const char *const units[] = {"%",  "ch", "deg", "em", "ex",
                                    "in", "mm", "pt",  "px", "rem"};

static const char *const tags[] = {"caption", "col", "table", "tbody", "td",
                                   "tfoot",   "th",  "thead", "tr"};

static const char *const pseudo_classes[] = {"first-child", "hover", "last-child",
                                             "only-of-type"};

static const char *const classes[] = {
    "blank",      "col_heading", "data",     "dataframe", "foot", "index",
    "index_name", "row_heading", "col_trim", "row_trim",  "true", "false",
};

/* With a number behind them. */
static const char *const numbered_classes[] = {"level", "row", "col"};

#define IS_ONE_OF(name, list) is_one_of(name, list, COUNT_OF(list))

static bool
is_one_of(struct slice name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(list[i]) == name.len &&
            strncasecmp(list[i], name.data, name.len) == 0)
            return true;
    return false;
}

/* --- a place in the text --- */

struct cursor {
    const char *at, *end;
};

static struct cursor
cursor_of(struct slice text)
{
    return (struct cursor){text.data, text.data + text.len};
}

static size_t
left(const struct cursor *c)
{
    return (size_t)(c->end - c->at);
}

static char
peek(const struct cursor *c)
{
    return left(c) ? *c->at : '\0';
}

static bool
is_space(char byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* Spaces and comments, which may stand anywhere. */
static bool
skip_space(struct cursor *c)
{
    const char *before = c->at;

    while (left(c)) {
        if (is_space(*c->at)) {
            c->at++;
        } else if (left(c) >= 2 && memcmp(c->at, "/*", 2) == 0) {
            const char *over = memmem(c->at + 2, left(c) - 2, "*/", 2);
            c->at = over ? over + 2 : c->end;
        } else {
            break;
        }
    }
    return c->at != before;
}

static struct slice
take_name(struct cursor *c)
{
    struct slice name = {c->at, 0};

    while (left(c) &&
           (isalnum((unsigned char)*c->at) || *c->at == '-' || *c->at == '_'))
        c->at++;
    name.len = (size_t)(c->at - name.data);
    return name;
}

/* Up to a byte that ends it, which is taken too. */
static struct slice
take_until(struct cursor *c, char stop)
{
    const char *found = left(c) ? memchr(c->at, stop, left(c)) : NULL;
    struct slice taken = {c->at, found ? (size_t)(found - c->at) : left(c)};

    c->at = found ? found + 1 : c->end;
    return taken;
}

static void
append_name(struct buffer *out, struct slice name)
{
    for (size_t i = 0; i < name.len; i++) {
        char lower = (char)tolower((unsigned char)name.data[i]);
        buffer_append(out, &lower, 1);
    }
}

/* --- values --- */

static bool
take_number(struct cursor *c, struct buffer *out)
{
    const char *start = c->at;
    unsigned points = 0, digits = 0;

    if (*c->at == '-' || *c->at == '+')
        c->at++;
    while (left(c) && (isdigit((unsigned char)*c->at) || *c->at == '.')) {
        points += *c->at == '.';
        digits += *c->at != '.';
        c->at++;
    }
    struct slice number = {start, (size_t)(c->at - start)};
    struct slice unit = peek(c) == '%' ? (struct slice){c->at++, 1} : take_name(c);
    if (!digits || points > 1 || number.len > LONGEST_NUMBER ||
        (unit.len && !IS_ONE_OF(unit, units)))
        return false;
    buffer_append(out, number.data, number.len);
    append_name(out, unit);
    return true;
}

static bool
take_colour(struct cursor *c, struct buffer *out)
{
    c->at++;
    struct slice name = take_name(c);

    if (name.len < 3 || name.len > 8)
        return false;
    for (size_t i = 0; i < name.len; i++)
        if (!isxdigit((unsigned char)name.data[i]))
            return false;
    buffer_append_text(out, "#");
    buffer_append(out, name.data, name.len);
    return true;
}

static bool
take_word(struct cursor *c, unsigned *depth, struct buffer *out)
{
    struct slice name = take_name(c);

    if (!name.len || name.len > LONGEST_NAME)
        return false;
    append_name(out, name);
    if (peek(c) != '(')
        return true;
    c->at++;
    buffer_append_text(out, "(");
    return IS_ONE_OF(name, functions) && ++*depth <= DEEPEST_FUNCTION;
}

static bool
take_sign(struct cursor *c, unsigned *depth, struct buffer *out)
{
    char sign = *c->at++;

    if (sign == ')' && *depth) {
        (*depth)--;
        return buffer_append_text(out, ")") == 0;
    }
    if (sign == ',')
        return buffer_append_text(out, ",") == 0;
    if (sign != '!')
        return false;
    skip_space(c);
    struct slice name = take_name(c);
    return IS_ONE_OF(name, ((const char *const[]){"important"})) &&
           buffer_append_text(out, "!important") == 0;
}

static bool
is_number_start(const struct cursor *c)
{
    size_t sign = peek(c) == '-' || peek(c) == '+';

    return left(c) > sign &&
           (isdigit((unsigned char)c->at[sign]) || c->at[sign] == '.');
}

static bool
take_value(struct cursor *c, struct buffer *out)
{
    unsigned depth = 0;
    bool is_first = true, is_good = true;

    if (left(c) > LONGEST_VALUE)
        return false;
    for (;;) {
        bool has_space = skip_space(c);
        if (!left(c))
            return !is_first && !depth;
        if (has_space && !is_first)
            buffer_append_text(out, " ");
        is_first = false;
        if (is_number_start(c))
            is_good = take_number(c, out);
        else if (*c->at == '#')
            is_good = take_colour(c, out);
        else if (isalpha((unsigned char)*c->at) || *c->at == '-')
            is_good = take_word(c, &depth, out);
        else
            is_good = take_sign(c, &depth, out);
        if (!is_good)
            return false;
    }
}

static bool
reduce_declaration(struct slice text, struct buffer *out)
{
    AUTO(buffer) struct buffer value = BUFFER_INIT(4 * LONGEST_VALUE);
    struct cursor c = cursor_of(text);

    skip_space(&c);
    struct slice property = take_name(&c);
    skip_space(&c);
    if (!IS_ONE_OF(property, properties) || peek(&c) != ':')
        return false;
    c.at++;
    if (!take_value(&c, &value))
        return false;
    append_name(out, property);
    buffer_append_text(out, ":");
    buffer_append(out, value.data, value.len);
    buffer_append_text(out, ";");
    return true;
}

unsigned
css_reduce_declarations(struct slice text, struct buffer *out)
{
    struct cursor c = cursor_of(text);
    unsigned dropped = 0;

    while (left(&c)) {
        skip_space(&c);
        struct slice one = take_until(&c, ';');
        if (one.len && !reduce_declaration(one, out))
            dropped++;
    }
    return dropped;
}

/* --- selectors --- */

bool
css_reduce_is_table_id(struct slice name)
{
    if (name.len < 3 || name.len > LONGEST_NAME || memcmp(name.data, "T_", 2) != 0)
        return false;
    for (size_t i = 0; i < name.len; i++)
        if (!isalnum((unsigned char)name.data[i]) && name.data[i] != '_')
            return false;
    return true;
}

static bool
is_numbered(struct slice name, const char *word)
{
    size_t len = strlen(word);

    if (name.len <= len || name.len > len + 6 || memcmp(name.data, word, len) != 0)
        return false;
    for (size_t i = len; i < name.len; i++)
        if (!isdigit((unsigned char)name.data[i]))
            return false;
    return true;
}

bool
css_reduce_is_table_class(struct slice name)
{
    for (size_t i = 0; i < COUNT_OF(classes); i++)
        if (slice_equals(name, slice_of(classes[i])))
            return true;
    for (size_t i = 0; i < COUNT_OF(numbered_classes); i++)
        if (is_numbered(name, numbered_classes[i]))
            return true;
    return false;
}

/* :nth-child(2), (even), (odd) */
static bool
take_nth(struct cursor *c, struct buffer *out)
{
    if (peek(c) != '(')
        return false;
    c->at++;
    struct slice which = take_name(c);
    bool is_number = which.len && which.len < 6;
    for (size_t i = 0; i < which.len; i++)
        is_number = is_number && isdigit((unsigned char)which.data[i]);
    if ((!is_number && !IS_ONE_OF(which, ((const char *const[]){"even", "odd"}))) ||
        peek(c) != ')')
        return false;
    c->at++;
    buffer_append_text(out, "nth-child(");
    append_name(out, which);
    buffer_append_text(out, ")");
    return true;
}

static bool
take_part(struct cursor *c, bool is_first, struct buffer *out)
{
    char kind = peek(c);

    c->at += kind == '#' || kind == '.' || kind == ':';
    struct slice name = take_name(c);
    if (is_first && kind != '#' &&
        !(kind == '.' && slice_equals(name, SLICE("dataframe"))))
        return false;
    if (kind == ':' && slice_equals(name, SLICE("nth-child")))
        return buffer_append_text(out, ":") == 0 && take_nth(c, out);
    if (!(kind == '#'   ? css_reduce_is_table_id(name)
          : kind == '.' ? css_reduce_is_table_class(name)
          : kind == ':' ? IS_ONE_OF(name, pseudo_classes)
                        : IS_ONE_OF(name, tags)))
        return false;
    if (kind == '#' || kind == '.' || kind == ':')
        buffer_append(out, &kind, 1);
    return buffer_append(out, name.data, name.len) == 0;
}

static bool
reduce_selector(struct slice text, struct buffer *out)
{
    struct cursor c = cursor_of(text);
    bool is_first = true;

    for (;;) {
        bool has_space = skip_space(&c);
        if (!left(&c))
            return !is_first;
        if (has_space && !is_first)
            buffer_append_text(out, " ");
        if (!take_part(&c, is_first, out))
            return false;
        is_first = false;
    }
}

static bool
reduce_selectors(struct slice text, struct buffer *out)
{
    struct cursor c = cursor_of(text);
    bool is_first = true;

    while (left(&c)) {
        if (!is_first)
            buffer_append_text(out, ",");
        is_first = false;
        if (!reduce_selector(take_until(&c, ','), out))
            return false;
    }
    return !is_first;
}

/* --- sheets --- */

/* An at-rule: to its semicolon, or over its block with all that is nested in it. */
static void
skip_at_rule(struct cursor *c)
{
    unsigned depth = 0;

    while (left(c)) {
        char byte = *c->at++;
        depth += byte == '{';
        if ((byte == ';' && !depth) || (byte == '}' && (depth <= 1)))
            return;
        depth -= byte == '}';
    }
}

static bool
reduce_rule(struct cursor *c, unsigned *dropped, struct buffer *out)
{
    AUTO(buffer) struct buffer selectors = BUFFER_INIT(SIZE_MAX);
    AUTO(buffer) struct buffer body = BUFFER_INIT(SIZE_MAX);
    struct slice before = take_until(c, '{');
    struct slice inside = take_until(c, '}');

    if (!reduce_selectors(before, &selectors))
        return false;
    *dropped += css_reduce_declarations(inside, &body);
    if (!body.len)
        return true;
    buffer_append(out, selectors.data, selectors.len);
    buffer_append_text(out, "{");
    buffer_append(out, body.data, body.len);
    buffer_append_text(out, "}\n");
    return true;
}

unsigned
css_reduce_sheet(struct slice text, struct buffer *out)
{
    struct cursor c = cursor_of(text);
    unsigned dropped = 0;

    for (;;) {
        skip_space(&c);
        if (!left(&c))
            return dropped;
        if (*c.at == '@') {
            skip_at_rule(&c);
            dropped++;
        } else if (!reduce_rule(&c, &dropped, out)) {
            dropped++;
        }
    }
}
