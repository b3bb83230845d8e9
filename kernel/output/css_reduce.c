#include "kernel/output/css_reduce.h"

#include <ctype.h>

#include "kernel/output/css_value.h"

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

static bool
reduce_declaration(struct slice text, struct buffer *out)
{
    AUTO(buffer) struct buffer value = BUFFER_INIT(4 * CSS_LONGEST_VALUE);
    struct css_cursor c = css_text_cursor(text);

    css_text_skip_space(&c);
    struct slice property = css_text_take_name(&c);
    css_text_skip_space(&c);
    if (!CSS_IS_ONE_OF(property, properties) || css_text_peek(&c) != ':')
        return false;
    c.at++;
    if (!css_value_take(&c, &value))
        return false;
    css_text_append_name(out, property);
    buffer_append_text(out, ":");
    buffer_append(out, value.data, value.len);
    buffer_append_text(out, ";");
    return true;
}

unsigned
css_reduce_declarations(struct slice text, struct buffer *out)
{
    struct css_cursor c = css_text_cursor(text);
    unsigned dropped = 0;

    while (css_text_left(&c)) {
        css_text_skip_space(&c);
        struct slice one = css_text_take_until(&c, ';');
        if (one.len && !reduce_declaration(one, out))
            dropped++;
    }
    return dropped;
}

/* --- selectors --- */

bool
css_reduce_is_table_id(struct slice name)
{
    if (name.len < 3 || name.len > CSS_LONGEST_NAME || memcmp(name.data, "T_", 2) != 0)
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
take_nth(struct css_cursor *c, struct buffer *out)
{
    if (css_text_peek(c) != '(')
        return false;
    c->at++;
    struct slice which = css_text_take_name(c);
    bool is_number = which.len && which.len < 6;
    for (size_t i = 0; i < which.len; i++)
        is_number = is_number && isdigit((unsigned char)which.data[i]);
    if ((!is_number && !CSS_IS_ONE_OF(which, ((const char *const[]){"even", "odd"}))) ||
        css_text_peek(c) != ')')
        return false;
    c->at++;
    buffer_append_text(out, "nth-child(");
    css_text_append_name(out, which);
    buffer_append_text(out, ")");
    return true;
}

static bool
take_part(struct css_cursor *c, bool is_first, struct buffer *out)
{
    char kind = css_text_peek(c);

    c->at += kind == '#' || kind == '.' || kind == ':';
    struct slice name = css_text_take_name(c);
    if (is_first && kind != '#' &&
        !(kind == '.' && slice_equals(name, SLICE("dataframe"))))
        return false;
    if (kind == ':' && slice_equals(name, SLICE("nth-child")))
        return buffer_append_text(out, ":") == 0 && take_nth(c, out);
    if (!(kind == '#'   ? css_reduce_is_table_id(name)
          : kind == '.' ? css_reduce_is_table_class(name)
          : kind == ':' ? CSS_IS_ONE_OF(name, pseudo_classes)
                        : CSS_IS_ONE_OF(name, tags)))
        return false;
    if (kind == '#' || kind == '.' || kind == ':')
        buffer_append(out, &kind, 1);
    return buffer_append(out, name.data, name.len) == 0;
}

static bool
reduce_selector(struct slice text, struct buffer *out)
{
    struct css_cursor c = css_text_cursor(text);
    bool is_first = true;

    for (;;) {
        bool has_space = css_text_skip_space(&c);
        if (!css_text_left(&c))
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
    struct css_cursor c = css_text_cursor(text);
    bool is_first = true;

    while (css_text_left(&c)) {
        if (!is_first)
            buffer_append_text(out, ",");
        is_first = false;
        if (!reduce_selector(css_text_take_until(&c, ','), out))
            return false;
    }
    return !is_first;
}

/* --- sheets --- */

/* An at-rule: to its semicolon, or over its block with all that is nested in it. */
static void
skip_at_rule(struct css_cursor *c)
{
    unsigned depth = 0;

    while (css_text_left(c)) {
        char byte = *c->at++;
        depth += byte == '{';
        if ((byte == ';' && !depth) || (byte == '}' && (depth <= 1)))
            return;
        depth -= byte == '}';
    }
}

static bool
reduce_rule(struct css_cursor *c, unsigned *dropped, struct buffer *out)
{
    AUTO(buffer) struct buffer selectors = BUFFER_INIT(SIZE_MAX);
    AUTO(buffer) struct buffer body = BUFFER_INIT(SIZE_MAX);
    struct slice before = css_text_take_until(c, '{');
    struct slice inside = css_text_take_until(c, '}');

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
    struct css_cursor c = css_text_cursor(text);
    unsigned dropped = 0;

    for (;;) {
        css_text_skip_space(&c);
        if (!css_text_left(&c))
            return dropped;
        if (*c.at == '@') {
            skip_at_rule(&c);
            dropped++;
        } else if (!reduce_rule(&c, &dropped, out)) {
            dropped++;
        }
    }
}
