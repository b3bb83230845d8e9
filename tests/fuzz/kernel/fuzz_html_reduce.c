/* Input: HTML. What comes out is read by rules of its own, much simpler than HTML's:
 * known tags, known attributes in double quotes, text without a `<'; and it stays what
 * it is when it is reduced again. */
#include <ctype.h>

#include "common/utf8.h"
#include "kernel/output/html_reduce.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const tags[] = {
    "table", "thead", "tbody", "tfoot", "tr",  "th",   "td",    "caption", "colgroup",
    "col",   "div",   "span",  "p",     "pre", "code", "b",     "i",       "strong",
    "em",    "u",     "s",     "small", "sub", "sup",  "ul",    "ol",      "li",
    "h1",    "h2",    "h3",    "h4",    "br",  "hr",   "style",
};

static const char *const attributes[] = {"align", "border",  "class", "colspan",
                                         "id",    "rowspan", "scope", "span",
                                         "style", "valign"};

static const char *
take_known(const char *at, const char *const *list, size_t count)
{
    size_t len = 0;

    while (isalnum((unsigned char)at[len]))
        len++;
    for (size_t i = 0; i < count; i++)
        if (strlen(list[i]) == len && memcmp(list[i], at, len) == 0)
            return at + len;
    abort();
}

static const char *
read_tag(const char *at)
{
    at = take_known(at + (*at == '/'), tags, COUNT_OF(tags));
    while (*at == ' ') {
        at = take_known(at + 1, attributes, COUNT_OF(attributes));
        if (at[0] != '=' || at[1] != '"')
            abort();
        for (at += 2; *at != '"'; at++)
            if (!*at || *at == '<' || *at == '>' || strncmp(at, "url(", 4) == 0)
                abort();
        at++;
    }
    if (*at != '>')
        abort();
    return at + 1;
}

static const char *
read_sheet(const char *at)
{
    const char *end = strchr(at, '<');

    if (!end || strncmp(end, "</style>", 8) != 0 ||
        memmem(at, (size_t)(end - at), "url(", 4) ||
        memchr(at, '\\', (size_t)(end - at)) || memchr(at, '@', (size_t)(end - at)))
        abort();
    return end;
}

static void
read_all(const char *at)
{
    while (*at) {
        if (*at == '>')
            abort();
        if (*at++ != '<')
            continue;
        bool is_sheet = strncmp(at, "style", 5) == 0;
        at = read_tag(at);
        if (is_sheet)
            at = read_sheet(at);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(buffer) struct buffer once = BUFFER_INIT(SIZE_MAX);
    AUTO(buffer) struct buffer twice = BUFFER_INIT(SIZE_MAX);
    struct slice html = {(const char *)data, size};
    struct html_losses losses;
    struct error err;

    if (!utf8_is_valid(html) || html_reduce(html, &once, &losses, &err) < 0)
        return 0;
    read_all(once.data);
    if (html_reduce(buffer_slice(&once), &twice, &losses, &err) == 0 && losses.count)
        abort();
    return 0;
}
