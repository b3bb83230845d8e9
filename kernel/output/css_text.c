#include "kernel/output/css_text.h"

#include <ctype.h>

bool
css_text_is_one_of(struct slice name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(list[i]) == name.len &&
            strncasecmp(list[i], name.data, name.len) == 0)
            return true;
    return false;
}

struct css_cursor
css_text_cursor(struct slice text)
{
    return (struct css_cursor){text.data, text.data + text.len};
}

size_t
css_text_left(const struct css_cursor *c)
{
    return (size_t)(c->end - c->at);
}

char
css_text_peek(const struct css_cursor *c)
{
    return css_text_left(c) ? *c->at : '\0';
}

static bool
is_space(char byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* Spaces and comments, which may stand anywhere. */
bool
css_text_skip_space(struct css_cursor *c)
{
    const char *before = c->at;

    while (css_text_left(c)) {
        if (is_space(*c->at)) {
            c->at++;
        } else if (css_text_left(c) >= 2 && memcmp(c->at, "/*", 2) == 0) {
            const char *over = memmem(c->at + 2, css_text_left(c) - 2, "*/", 2);
            c->at = over ? over + 2 : c->end;
        } else {
            break;
        }
    }
    return c->at != before;
}

struct slice
css_text_take_name(struct css_cursor *c)
{
    struct slice name = {c->at, 0};

    while (css_text_left(c) &&
           (isalnum((unsigned char)*c->at) || *c->at == '-' || *c->at == '_'))
        c->at++;
    name.len = (size_t)(c->at - name.data);
    return name;
}

/* Up to a byte that ends it, which is taken too. */
struct slice
css_text_take_until(struct css_cursor *c, char stop)
{
    const char *found = css_text_left(c) ? memchr(c->at, stop, css_text_left(c)) : NULL;
    struct slice taken = {c->at, found ? (size_t)(found - c->at) : css_text_left(c)};

    c->at = found ? found + 1 : c->end;
    return taken;
}

void
css_text_append_name(struct buffer *out, struct slice name)
{
    for (size_t i = 0; i < name.len; i++) {
        char lower = (char)tolower((unsigned char)name.data[i]);
        buffer_append(out, &lower, 1);
    }
}
