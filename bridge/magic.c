#include "bridge/magic.h"

#include <ctype.h>
#include <stddef.h>

#include "common/buffer.h"
#include "common/limits.h"

enum flag_type {
    FLAG_SWITCH,
    FLAG_TEXT,
    FLAG_NUMBER
};

static const struct flag {
    const char *name, *argument, *help;
    enum flag_type type;
    size_t offset;
    int max; /* of a number */
} flags[] = {
    {"--model",     "MODEL", "the model that answers, or PROVIDER/MODEL",           FLAG_TEXT,
     offsetof(struct magic,                                                                                             model),     0 },
    {"--provider",  "NAME",  "the provider that answers (see --models)",            FLAG_TEXT,
     offsetof(struct magic,                                                                                             provider),  0 },
    {"--language",  "NAME",  "the language of a planner question (en, de)",         FLAG_TEXT,
     offsetof(struct magic,                                                                                             language),  0 },
    {"--retries",   "N",     "corrections when the code fails: 0 to 10, default 3",
     FLAG_NUMBER,                                                                                offsetof(struct magic, retries),   10},
    {"--level",     "N",
     "what the model sees: 0 nothing, 1 names, 2 statistics (default), 3 values",   FLAG_NUMBER, offsetof(struct magic, level),     3 },
    {"--code-only", NULL,    "put the code into the next cell; do not run it",      FLAG_SWITCH,
     offsetof(struct magic,                                                                                             code_only), 0 },
    {"--no-run",    NULL,    "show the code; do not run it",                        FLAG_SWITCH,
     offsetof(struct magic,                                                                                             no_run),    0 },
    {"--explain",   NULL,    "explain how the code gets the answer",                FLAG_SWITCH,
     offsetof(struct magic,                                                                                             explain),   0 },
    {"--no-cache",  NULL,    "ask again, even if the answer is in the cache",       FLAG_SWITCH,
     offsetof(struct magic,                                                                                             no_cache),  0 },
    {"--show",      NULL,    "print exactly what would be sent; send nothing",      FLAG_SWITCH,
     offsetof(struct magic,                                                                                             show),      0 },
    {"--models",    NULL,
     "list all providers, whether each can be reached, and their models",           FLAG_SWITCH,
     offsetof(struct magic,                                                                                             models),    0 },
    {"--help",      NULL,    "show this text",                                      FLAG_SWITCH, offsetof(struct magic, help),      0 },
};

/* --- reading --- */

static const char *
skip_blank_lines(const char *cell)
{
    const char *start = cell;

    while (isspace((unsigned char)*cell))
        if (*cell++ == '\n')
            start = cell;
    return start;
}

/* The length of %%ask, %ask, %fix or %%fix at the start, else 0. */
static size_t
magic_length(const char *line)
{
    size_t signs = strspn(line, "%");

    if (signs < 1 || signs > 2 ||
        (strncmp(line + signs, "ask", 3) != 0 && strncmp(line + signs, "fix", 3) != 0))
        return 0;
    char after = line[signs + 3];
    return after == '\0' || isspace((unsigned char)after) ? signs + 3 : 0;
}

bool
magic_is_ours(const char *cell)
{
    const char *line = skip_blank_lines(cell);
    size_t signs = strspn(line, "%");

    /* %ask is a line magic: what follows it in the cell must be nothing. */
    if (!magic_length(line))
        return false;
    const char *end = strchr(line, '\n');
    return signs == 2 || !end || end[strspn(end, " \t\r\n")] == '\0';
}

static const struct flag *
find_flag(struct slice name)
{
    for (size_t i = 0; i < COUNT_OF(flags); i++)
        if (slice_equals(slice_of(flags[i].name), name))
            return &flags[i];
    return NULL;
}

static struct slice
next_word(const char **at)
{
    *at += strspn(*at, " \t");
    struct slice word = {*at, strcspn(*at, " \t\r\n")};
    *at += word.len;
    return word;
}

static int
set_number(int *out, const struct flag *flag, struct slice value, struct error *err)
{
    AUTO(mem) char *text = xstrndup(value.data, value.len);
    char *end;
    long number = strtol(text, &end, 10);

    if (*end || end == text || number < 0 || number > flag->max)
        return error_set(err, ERR_BAD_INPUT, "%s takes a number from 0 to %d",
                         flag->name, flag->max);
    *out = (int)number;
    return 0;
}

static int
set_flag(struct magic *magic, const struct flag *flag, struct slice value,
         struct error *err)
{
    void *field = (char *)magic + flag->offset;

    switch (flag->type) {
    case FLAG_SWITCH:
        *(bool *)field = true;
        return 0;
    case FLAG_NUMBER:
        return set_number(field, flag, value, err);
    case FLAG_TEXT:
        free(*(char **)field);
        *(char **)field = xstrndup(value.data, value.len);
        return 0;
    }
    return 0;
}

static int
unknown_flag(struct slice word, struct error *err)
{
    return error_set(err, ERR_BAD_INPUT,
                     "%%ask does not know %.*s; %%ask? lists its flags", (int)word.len,
                     word.data);
}

/* "--name VALUE" or "--name=VALUE". */
static int
take_flag(struct magic *magic, struct slice word, const char **at, struct error *err)
{
    const char *equal = memchr(word.data, '=', word.len);
    struct slice name = {word.data, equal ? (size_t)(equal - word.data) : word.len};
    const struct flag *flag = find_flag(name);
    struct slice value = {0};

    if (slice_equals(name, SLICE("--no-samples"))) {
        magic->level = 2;
        return 0;
    }
    if (!flag || (equal && flag->type == FLAG_SWITCH))
        return unknown_flag(word, err);
    if (equal)
        value = (struct slice){equal + 1, word.len - name.len - 1};
    else if (flag->type != FLAG_SWITCH)
        value = next_word(at);
    if (flag->type != FLAG_SWITCH && (value.len == 0 || value.data[0] == '-'))
        return error_set(err, ERR_BAD_INPUT, "%s must be followed by %s", flag->name,
                         flag->argument);
    return set_flag(magic, flag, value, err);
}

static char *
trimmed(const char *text)
{
    text += strspn(text, " \t\r\n");
    size_t len = strlen(text);
    while (len && isspace((unsigned char)text[len - 1]))
        len--;
    return xstrndup(text, len);
}

static int
parse_flags(struct magic *magic, const char **at, struct error *err)
{
    for (;;) {
        const char *before = *at;
        struct slice word = next_word(at);
        if (slice_equals(word, SLICE("--")))
            return 0;
        if (word.len < 3 || word.data[0] != '-' || word.data[1] != '-') {
            *at = before;
            return 0;
        }
        if (take_flag(magic, word, at, err) < 0)
            return -1;
    }
}

int
magic_parse(struct magic *out, const char *cell, struct error *err)
{
    AUTO(magic) struct magic magic = {.retries = -1, .level = -1};
    const char *at = skip_blank_lines(cell);

    magic.fix = strncmp(at + strspn(at, "%"), "fix", 3) == 0;
    at += magic_length(at);
    if (parse_flags(&magic, &at, err) < 0)
        return -1;
    magic.question = trimmed(at);
    if (strlen(magic.question) > LIMIT_QUESTION)
        return error_set(err, ERR_TOO_LARGE, "a question may have at most %d bytes",
                         LIMIT_QUESTION);
    if (!magic.question[0] && !magic.models && !magic.help && !magic.fix)
        return error_set(err, ERR_BAD_INPUT,
                         "%%ask needs a question: write %%%%ask and, below it, what "
                         "you want to know");
    *out = magic;
    magic = (struct magic){0};
    return 0;
}

void
magic_release(struct magic *magic)
{
    free(magic->question);
    free(magic->provider);
    free(magic->model);
    free(magic->language);
}

/* --- helping --- */

static void
add_matches(json_t *out, const char *const *words, size_t count, struct slice prefix)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(words[i], prefix.data, prefix.len) == 0)
            json_array_append_new(out, json_string(words[i]));
}

static void
complete_value(json_t *out, const struct flag *flag, struct slice prefix,
               const json_t *providers)
{
    static const char *const levels[] = {"0", "1", "2", "3"};
    json_t *name;
    size_t i;

    if (strcmp(flag->name, "--level") == 0)
        add_matches(out, levels, COUNT_OF(levels), prefix);
    if (strcmp(flag->name, "--provider") != 0)
        return;
    json_array_foreach (providers, i, name) {
        if (strncmp(json_string_value(name), prefix.data, prefix.len) == 0)
            json_array_append(out, name);
    }
}

json_t *
magic_complete(const char *cell, size_t cursor, const json_t *providers, size_t *start)
{
    AUTO(mem) char *before = xstrndup(cell, cursor);
    const char *line = skip_blank_lines(before), *at = line + magic_length(line);
    const struct flag *waits = NULL;
    json_auto_t *out = json_array();

    *start = cursor;
    if (at == line || !isspace((unsigned char)*at))
        return TAKE(out);
    for (;;) {
        struct slice word = next_word(&at);
        *start = (size_t)(word.data - before);
        if (*at == '\0') {
            if (!waits && word.len && word.data[0] != '-')
                return NULL;
            if (waits)
                complete_value(out, waits, word, providers);
            for (size_t i = 0; !waits && i < COUNT_OF(flags); i++)
                if (strncmp(flags[i].name, word.data, word.len) == 0)
                    json_array_append_new(out, json_string(flags[i].name));
            return TAKE(out);
        }
        const struct flag *flag = find_flag(word);
        if (!waits && !flag)
            return NULL; /* the question has begun */
        waits = !waits && flag->type != FLAG_SWITCH ? flag : NULL;
    }
}

char *
magic_help(void)
{
    AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);

    buffer_append_text(
        &out,
        "%%ask [flags]          a question in plain words becomes Python,\n"
        "question               which runs in this notebook's sandbox\n\n"
        "%ask [flags] question  the same on one line\n"
        "%fix [flags] [hint]    repairs the cell that failed last, and runs it\n\n");
    for (size_t i = 0; i < COUNT_OF(flags); i++) {
        AUTO(mem) char *form = xasprintf("%s %s", flags[i].name,
                                         flags[i].argument ? flags[i].argument : "");
        buffer_printf(&out, "  %-18s %s\n", form, flags[i].help);
    }
    buffer_append_text(&out,
                       "\nSetup, and what a model sees of your data: docs/ask.md\n");
    return TAKE(out.data);
}
