#include "bridge/planner/words/python.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "common/utf8.h"

static const char *const keywords[] = {
    "False",  "None",   "True",    "and",      "as",       "assert", "async",
    "await",  "break",  "class",   "continue", "def",      "del",    "elif",
    "else",   "except", "finally", "for",      "from",     "global", "if",
    "import", "in",     "is",      "lambda",   "nonlocal", "not",    "or",
    "pass",   "raise",  "return",  "try",      "while",    "with",   "yield",
};

static const char *const builtins[] = {
    "enumerate", "float", "format", "globals", "int",   "len",    "list", "map",
    "max",       "min",   "print",  "range",   "round", "sorted", "str",  "zip",
};

/* Stands before the user's variables; literals escape it, so it is nowhere else. */
enum {
    USERS = '\x01',
};

static unsigned
decode(const char *text, size_t len)
{
    static const unsigned char lead[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    unsigned code = (unsigned char)text[0] & lead[len < 5 ? len : 4];

    for (size_t i = 1; i < len; i++)
        code = (code << 6) | ((unsigned char)text[i] & 0x3f);
    return code;
}

/* What a reader cannot see, or that reorders what he sees: controls, marks of
 * direction, breaks and joiners, private and unassigned planes. */
static bool
is_deceptive(unsigned code)
{
    static const struct {
        unsigned first, last;
    } ranges[] = {
        {0x00,    0x1f    },
        {0x7f,    0xa0    },
        {0xad,    0xad    },
        {0x61c,   0x61c   },
        {0x115f,  0x1160  },
        {0x180e,  0x180e  },
        {0x2000,  0x200f  },
        {0x2028,  0x202f  },
        {0x205f,  0x206f  },
        {0x3164,  0x3164  },
        {0xe000,  0xf8ff  },
        {0xfe00,  0xfe0f  },
        {0xfeff,  0xfeff  },
        {0xfff0,  0xfffb  },
        {0xe0000, 0x10ffff},
    };

    for (size_t i = 0; i < COUNT_OF(ranges); i++)
        if (code >= ranges[i].first && code <= ranges[i].last)
            return true;
    return false;
}

static void
add_escaped(struct buffer *out, unsigned code)
{
    if (code == '\n')
        buffer_append_text(out, "\\n");
    else if (code == '\t')
        buffer_append_text(out, "\\t");
    else if (code == '\r')
        buffer_append_text(out, "\\r");
    else if (code <= 0xff)
        buffer_printf(out, "\\x%02x", code);
    else if (code <= 0xffff)
        buffer_printf(out, "\\u%04x", code);
    else
        buffer_printf(out, "\\U%08x", code);
}

enum quoting {
    QUOTE_TEXT,
    QUOTE_LABEL,
    QUOTE_COMMENT, /* ends with the line, so that quotes are harmless in it */
};

static char *
quoted(struct arena *arena, const char *text, enum quoting quoting)
{
    AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);
    size_t len = strlen(text);

    buffer_append_text(&out, "\"");
    for (size_t at = 0; at < len;) {
        size_t size = utf8_sequence(text + at, len - at);
        unsigned code = size ? decode(text + at, size) : 0xfffd;

        if ((code == '"' || code == '\\') && quoting != QUOTE_COMMENT)
            buffer_printf(&out, "\\%c", (int)code);
        else if (quoting == QUOTE_LABEL && code == '$')
            buffer_append_text(&out, "\\\\$");
        else if (is_deceptive(code) || !size)
            add_escaped(&out, code);
        else
            buffer_append(&out, text + at, size);
        at += size ? size : 1;
    }
    buffer_append_text(&out, "\"");
    return arena_text(arena, out.data, out.len);
}

char *
python_text(struct arena *arena, const char *text)
{
    return quoted(arena, text, QUOTE_TEXT);
}

char *
python_label(struct arena *arena, const char *text)
{
    return quoted(arena, text, QUOTE_LABEL);
}

char *
python_number(struct arena *arena, double number)
{
    if (!isfinite(number))
        return arena_printf(arena, "float(\"%s\")", isnan(number) ? "nan" : "inf");
    if (fabs(number) < 1e15 && number == floor(number))
        return arena_printf(arena, "%.0f", number);
    for (int digits = 6; digits < 17; digits++) {
        char text[40];

        snprintf(text, sizeof(text), "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            return arena_text(arena, text, strlen(text));
    }
    return arena_printf(arena, "%.17g", number);
}

bool
python_is_name(const char *name)
{
    if (!isalpha((unsigned char)*name) && *name != '_')
        return false;
    for (const char *at = name; *at; at++)
        if ((unsigned char)*at >= 0x80 || (!isalnum((unsigned char)*at) && *at != '_'))
            return false;
    for (size_t i = 0; i < COUNT_OF(keywords); i++)
        if (strcmp(name, keywords[i]) == 0)
            return false;
    return true;
}

char *
python_variable(struct arena *arena, const char *name)
{
    if (python_is_name(name))
        return arena_printf(arena, "%c%s", USERS, name);
    return arena_printf(arena, "globals()[%s]", python_text(arena, name));
}

bool
python_may_name(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(builtins); i++)
        if (strcmp(name, builtins[i]) == 0)
            return false;
    return true;
}

/* --- programs --- */

void
python_line(struct python *python, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    AUTO(mem) char *text = xvasprintf(fmt, args);
    va_end(args);
    for (unsigned i = 0; i < python->depth; i++)
        buffer_append_text(&python->text, "    ");
    buffer_append_text(&python->text, text);
    buffer_append_text(&python->text, "\n");
}

void
python_comment(struct python *python, const char *text)
{
    char *clean = quoted(python->arena, text, QUOTE_COMMENT);
    size_t len = strlen(clean);

    /* Without its quotes it has no line break, and nothing unseen. */
    python_line(python, "# %.*s", (int)(len - 2), clean + 1);
}

void
python_blank(struct python *python)
{
    buffer_append_text(&python->text, "\n");
}

/* --- names --- */

/* A taken name with `more` underlines behind it. */
static bool
is_taken(const char *name, size_t len, size_t more, const char *const *taken,
         size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(taken[i]) == len + more && memcmp(taken[i], name, len) == 0 &&
            strspn(taken[i] + len, "_") == more)
            return true;
    return false;
}

static size_t
literal_length(const char *at)
{
    size_t len = 1;

    while (at[len] && at[len] != '"')
        len += at[len] == '\\' && at[len + 1] ? 2 : 1;
    return at[len] ? len + 1 : len;
}

static size_t
name_length(const char *at)
{
    size_t len = 0;

    while (isalnum((unsigned char)at[len]) || at[len] == '_')
        len++;
    return len;
}

/* `index=` of a call: programs write assignments with a space. */
static bool
is_keyword(const char *at, size_t len)
{
    return at[len] == '=' && at[len + 1] != '=';
}

/* Copies what starts at `at`, renamed if need be; returns how much that was. */
static size_t
copy_piece(struct buffer *out, const char *at, bool is_attribute,
           const char *const *taken, size_t count)
{
    size_t len = *at == '"'   ? literal_length(at)
                 : *at == '#' ? strcspn(at, "\n")
                              : name_length(at);

    if (*at == USERS) {
        len = 1 + name_length(at + 1);
        buffer_append(out, at + 1, len - 1);
        return len;
    }
    if (len == 0 || isdigit((unsigned char)*at)) {
        buffer_append(out, at, len ? len : 1);
        return len ? len : 1;
    }
    buffer_append(out, at, len);
    if (*at == '"' || *at == '#' || is_attribute || is_keyword(at, len))
        return len;
    for (size_t more = 0; is_taken(at, len, more, taken, count); more++)
        buffer_append_text(out, "_");
    return len;
}

char *
python_finish(struct python *python, const char *const *taken, size_t count)
{
    AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);
    const char *text = python->text.data ? python->text.data : "";

    for (const char *at = text; *at;) {
        bool is_attribute = at > text && at[-1] == '.';

        at += copy_piece(&out, at, is_attribute, taken, count);
    }
    buffer_release(&python->text);
    return xstrdup(out.data ? out.data : "");
}
