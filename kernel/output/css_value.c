#include "kernel/output/css_value.h"

#include <ctype.h>

enum {
    LONGEST_NUMBER = 12,
    DEEPEST_FUNCTION = 3,
};

static const char *const functions[] = {"rgb", "rgba", "hsl", "hsla",
                                        "linear-gradient"};

static const char *const units[] = {"%",  "ch", "deg", "em", "ex",
                                    "in", "mm", "pt",  "px", "rem"};

static bool
take_number(struct css_cursor *c, struct buffer *out)
{
    const char *start = c->at;
    unsigned points = 0, digits = 0;

    if (*c->at == '-' || *c->at == '+')
        c->at++;
    while (css_text_left(c) && (isdigit((unsigned char)*c->at) || *c->at == '.')) {
        points += *c->at == '.';
        digits += *c->at != '.';
        c->at++;
    }
    struct slice number = {start, (size_t)(c->at - start)};
    struct slice unit =
        css_text_peek(c) == '%' ? (struct slice){c->at++, 1} : css_text_take_name(c);
    if (!digits || points > 1 || number.len > LONGEST_NUMBER ||
        (unit.len && !CSS_IS_ONE_OF(unit, units)))
        return false;
    buffer_append(out, number.data, number.len);
    css_text_append_name(out, unit);
    return true;
}

static bool
take_colour(struct css_cursor *c, struct buffer *out)
{
    c->at++;
    struct slice name = css_text_take_name(c);

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
take_word(struct css_cursor *c, unsigned *depth, struct buffer *out)
{
    struct slice name = css_text_take_name(c);

    if (!name.len || name.len > CSS_LONGEST_NAME)
        return false;
    css_text_append_name(out, name);
    if (css_text_peek(c) != '(')
        return true;
    c->at++;
    buffer_append_text(out, "(");
    return CSS_IS_ONE_OF(name, functions) && ++*depth <= DEEPEST_FUNCTION;
}

static bool
take_sign(struct css_cursor *c, unsigned *depth, struct buffer *out)
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
    css_text_skip_space(c);
    struct slice name = css_text_take_name(c);
    return CSS_IS_ONE_OF(name, ((const char *const[]){"important"})) &&
           buffer_append_text(out, "!important") == 0;
}

static bool
is_number_start(const struct css_cursor *c)
{
    size_t sign = css_text_peek(c) == '-' || css_text_peek(c) == '+';

    return css_text_left(c) > sign &&
           (isdigit((unsigned char)c->at[sign]) || c->at[sign] == '.');
}

bool
css_value_take(struct css_cursor *c, struct buffer *out)
{
    unsigned depth = 0;
    bool is_first = true, is_good = true;

    if (css_text_left(c) > CSS_LONGEST_VALUE)
        return false;
    for (;;) {
        bool has_space = css_text_skip_space(c);
        if (!css_text_left(c))
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
