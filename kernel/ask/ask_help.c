#include "kernel/ask/ask_help.h"

#include "common/utf8.h"
#include "kernel/ask/ask.h"
#include "kernel/jupyter/json_scan.h"

static struct slice
stripped(const char *code)
{
    code += strspn(code, " \t\r\n");
    struct slice text = {code, strlen(code)};

    while (text.len && strchr(" \t\r\n", text.data[text.len - 1]))
        text.len--;
    return text;
}

static bool
is_magic_name(struct slice text)
{
    return slice_equals(text, SLICE("%ask")) || slice_equals(text, SLICE("%%ask")) ||
           slice_equals(text, SLICE("%fix"));
}

bool
ask_help_is_for(const char *code)
{
    struct slice text = stripped(code), bare = text;

    while (bare.len && bare.data[0] == '?')
        bare = (struct slice){bare.data + 1, bare.len - 1};
    while (bare.len && bare.data[bare.len - 1] == '?')
        bare.len--;
    return bare.len < text.len && is_magic_name(bare);
}

json_t *
ask_help_page(const char *text)
{
    return json_pack("[{s:s, s:{s:s}, s:i}]", "source", "page", "data", "text/plain",
                     text, "start", 0);
}

/* --- positions: clients count code points, the bridge bytes --- */

static size_t
bytes_of(const char *text, json_int_t points)
{
    size_t at = 0;

    while (text[at] && points > 0) {
        at++;
        while (((unsigned char)text[at] & 0xC0) == 0x80)
            at++;
        points--;
    }
    return at;
}

static size_t
cursor_of(struct slice content, const char *code)
{
    struct slice given = json_scan_field(content, "cursor_pos");

    return json_scan_kind(given) == JSON_KIND_NUMBER
               ? bytes_of(code, strtoll(given.data, NULL, 10))
               : strlen(code);
}

/* --- the two requests --- */

static json_t *
complete(const struct ask *ask, const char *code, size_t cursor)
{
    json_auto_t *providers = bridge_providers(ask->bridge);
    size_t start;
    json_t *matches = magic_complete(code, cursor, providers, &start);

    if (!matches) /* the question names columns and tables, which the worker knows */
        return NULL;
    return json_pack("{s:s, s:o, s:I, s:I, s:{}}", "status", "ok", "matches", matches,
                     "cursor_start",
                     (json_int_t)utf8_count((struct slice){code, start}), "cursor_end",
                     (json_int_t)utf8_count((struct slice){code, cursor}), "metadata");
}

static json_t *
inspect(const struct ask *ask UNUSED, const char *code UNUSED, size_t cursor UNUSED)
{
    AUTO(mem) char *help = magic_help();

    return json_pack("{s:s, s:b, s:{s:s}, s:{}}", "status", "ok", "found", 1, "data",
                     "text/plain", help, "metadata");
}

static const struct {
    const char *type;
    json_t *(*answer)(const struct ask *ask, const char *code, size_t cursor);
    bool needs_flags; /* not while the name itself is being typed */
} types[] = {
    {"complete_request", complete, true },
    {"inspect_request",  inspect,  false},
};

/* Behind `%%ask ` there is nothing of Python's to complete. */
static bool
is_behind_name(const char *code, size_t cursor)
{
    const char *name = strchr(code, '%');

    name += name ? strspn(name, "%") : 0;
    return name && cursor > (size_t)(name - code) + 3;
}

json_t *
ask_help_reply(const struct ask *ask, const char *type, struct slice content)
{
    struct slice given = json_scan_field(content, "code");

    for (size_t i = 0; i < COUNT_OF(types); i++) {
        if (strcmp(types[i].type, type) != 0 ||
            (!memmem(given.data, given.len, "%ask", 4) &&
             !memmem(given.data, given.len, "%fix", 4)))
            continue;
        AUTO(mem) char *code = json_scan_text(content, "code");
        if (!code || !(magic_is_ours(code) || ask_help_is_for(code)))
            return NULL;
        size_t cursor = cursor_of(content, code);
        if (types[i].needs_flags && !is_behind_name(code, cursor))
            return NULL;
        return types[i].answer(ask, code, cursor);
    }
    return NULL;
}
