#include "bridge/prompt/facts.h"

#include <ctype.h>
#include <stdio.h>

#include "common/utf8.h"

enum {
    CELL_MAX = 80,    /* bytes of a cell's text */
    NAME_MAX_ = 1000, /* of a column's name, which must stay exact to be of use */
    VALUES_MAX = 5,
    RANKED_MAX = 20000,
};

/* --- text that cannot do harm --- */

/* Direction marks, zero-width characters, line separators: a reader does not see them.
 */
static bool
is_hidden(unsigned code)
{
    return (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2060 && code <= 0x206f) || code == 0xfeff || code == 0x00ad ||
           (code >= 0x80 && code < 0xa0);
}

static unsigned
decode(const char *at, size_t len)
{
    const unsigned char *b = (const unsigned char *)at;

    if (len == 2)
        return (b[0] & 0x1fu) << 6 | (b[1] & 0x3fu);
    if (len == 3)
        return (b[0] & 0x0fu) << 12 | (b[1] & 0x3fu) << 6 | (b[2] & 0x3fu);
    return b[0];
}

/* Rewrites JSON with the same meaning: characters that could end a block or hide text
 * become \uXXXX. They occur only in strings, so the meaning stays the same. */
static void
append_safe(struct buffer *out, const char *json)
{
    while (*json) {
        size_t len = utf8_sequence(json, strlen(json));
        unsigned code = decode(json, len);
        if (*json == '`' || *json == '<' || *json == '>' ||
            (len > 1 && is_hidden(code)))
            buffer_printf(out, "\\u%04x", code);
        else
            buffer_append(out, json, len);
        json += len ? len : 1;
    }
}

static void
append_object(struct buffer *out, const json_t *object)
{
    char *json =
        json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(6) | JSON_ENCODE_ANY);

    if (json)
        append_safe(out, json);
    free(json);
}

static json_t *
cut_text(const json_t *string, size_t max)
{
    const char *text = json_string_value(string);
    size_t len = json_string_length(string);

    if (len <= max)
        return json_stringn(text, len);
    while (max &&
           ((unsigned char)text[max] & 0xc0) == 0x80) /* not inside a character */
        max--;
    AUTO(mem) char *cut = xasprintf("%.*s…", (int)max, text);
    return json_string(cut);
}

/* A cell as it may be shown: a scalar, text cut short. */
static json_t *
cell(const json_t *value)
{
    if (json_is_string(value))
        return cut_text(value, CELL_MAX);
    if (json_is_array(value) || json_is_object(value))
        return json_string("…");
    return json_incref((json_t *)value);
}

/* --- reading the profile --- */

const json_t *
facts_tables(const json_t *profile)
{
    const json_t *tables = json_object_get(profile, "frames");

    return json_is_array(tables) ? tables : NULL;
}

static const char *
text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

bool
facts_is_file(const json_t *table)
{
    const char *kind = text_of(table, "kind");

    return kind && strcmp(kind, "file") == 0;
}

const char *
facts_name(const json_t *table)
{
    const char *path = facts_is_file(table) ? text_of(table, "path") : NULL;
    const char *name = path ? path : text_of(table, "name");

    return name ? name : "df";
}

const char *
facts_version(const json_t *profile, const char *package)
{
    const char *version = text_of(json_object_get(profile, "packages"), package);

    return version ? version : text_of(profile, package);
}

/* "2024-05-01T00:00:00": a date or a time, and nothing that could be words. */
static bool
is_date(const json_t *value)
{
    const char *text = json_string_value(value);

    return text && strlen(text) <= 40 && isdigit((unsigned char)text[0]) &&
           text[strspn(text, "0123456789-:. TZ+/Q")] == '\0';
}

static bool
is_statistic(const json_t *value, const json_t *column)
{
    const char *kind = text_of(column, "kind"), *dtype = text_of(column, "dtype");
    bool dates = (kind && strncmp(kind, "date", 4) == 0) ||
                 (dtype && strncmp(dtype, "datetime", 8) == 0);

    return json_is_number(value) || json_is_boolean(value) || (dates && is_date(value));
}

/* --- columns --- */

static const char *const counts[] = {"nulls", "unique"};
static const char *const statistics[] = {"min", "max", "mean", "median", "std"};

static void
copy_number(json_t *to, const json_t *from, const char *key)
{
    const json_t *value = json_object_get(from, key);

    if (json_is_number(value))
        json_object_set(to, key, (json_t *)value);
}

/* A dtype is a word like int64 or datetime64[ns, UTC]: categories name their values. */
static void
copy_dtype(json_t *to, const json_t *column)
{
    const char *dtype = text_of(column, "dtype");
    char word[41];

    if (!dtype)
        dtype = text_of(column, "kind");
    snprintf(word, sizeof(word), "%.*s", dtype ? (int)strcspn(dtype, "('\"{\n") : 0,
             dtype ? dtype : "");
    if (word[0] && utf8_is_valid(slice_of(word)))
        json_object_set_new(to, "dtype", json_string(word));
}

static json_t *
label_of(const json_t *column)
{
    const json_t *name = json_object_get(column, "name");

    if (json_is_string(name))
        return cut_text(name, NAME_MAX_);
    return json_is_number(name) ? json_incref((json_t *)name) : json_string("?");
}

static json_t *
values_of(const json_t *column)
{
    const json_t *values = json_object_get(column, "values");
    json_t *out = json_array();

    for (size_t i = 0; i < json_array_size(values) && i < VALUES_MAX; i++) {
        const json_t *value = json_array_get(values, i);
        if (json_is_array(value)) /* [value, how often] */
            value = json_array_get(value, 0);
        json_array_append_new(out, cell(value));
    }
    return out;
}

static json_t *
describe(const json_t *column, int level, struct facts_size size)
{
    json_t *out = json_object();

    json_object_set_new(out, "column", label_of(column));
    copy_dtype(out, column);
    for (size_t i = 0; i < COUNT_OF(counts); i++)
        copy_number(out, column, counts[i]);
    for (size_t i = 0; level >= LEVEL_STATISTICS && i < COUNT_OF(statistics); i++) {
        const json_t *value = json_object_get(column, statistics[i]);
        if (is_statistic(value, column))
            json_object_set(out, statistics[i], (json_t *)value);
    }
    if (level >= LEVEL_VALUES && size.values &&
        json_array_size(json_object_get(column, "values")))
        json_object_set_new(out, "values", values_of(column));
    return out;
}

/* --- which columns matter --- */

struct ranked {
    const json_t *column;
    size_t at;
    int score;
};

/* Words of the name that the question has too. */
static int
overlap(const json_t *column, const char *question)
{
    const char *name = text_of(column, "name");
    int score = 0;

    while (name && *name) {
        size_t len = 0;
        char word[64];
        while (isalnum((unsigned char)name[len]) && len < sizeof(word) - 1)
            len++;
        snprintf(word, sizeof(word), "%.*s", (int)len, name);
        if (len >= 3 && strcasestr(question, word))
            score++;
        name += len ? len : 1;
    }
    return score;
}

static int
best_first(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    if (x->score != y->score)
        return y->score - x->score;
    return (x->at > y->at) - (x->at < y->at);
}

static int
in_order(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    return (x->at > y->at) - (x->at < y->at);
}

/* The likeliest `full` come first, each part in the table's own order. */
static size_t
rank(struct ranked *out, const json_t *columns, size_t full, const char *question)
{
    size_t count = json_array_size(columns);

    count = count < RANKED_MAX ? count : RANKED_MAX;
    for (size_t i = 0; i < count; i++) {
        const json_t *column = json_array_get(columns, i);
        out[i] = (struct ranked){column, i, overlap(column, question)};
    }
    if (full >= count)
        return count;
    qsort(out, count, sizeof(*out), best_first);
    qsort(out, full, sizeof(*out), in_order);
    qsort(out + full, count - full, sizeof(*out), in_order);
    return count;
}

/* --- tables
 * ------------------------------------------------------------------------------------
 */

static json_t *
table_head(const json_t *table)
{
    json_t *out = json_object();
    bool is_file = facts_is_file(table);
    json_auto_t *name = json_string(facts_name(table));

    json_object_set_new(out, is_file ? "file" : "variable", cut_text(name, NAME_MAX_));
    if (!is_file)
        json_object_set_new(out, "type", json_string("pandas.DataFrame"));
    copy_number(out, table, "rows");
    json_object_set_new(
        out, "columns",
        json_integer((json_int_t)json_array_size(json_object_get(table, "columns"))));
    return out;
}

static void
write_line(struct buffer *out, json_t *object)
{
    append_object(out, object);
    buffer_append_text(out, "\n");
    json_decref(object);
}

static void
write_other_names(struct buffer *out, const struct ranked *ranked, size_t from,
                  size_t count)
{
    json_t *names = json_array();

    for (size_t i = from; i < count; i++)
        json_array_append_new(names, label_of(ranked[i].column));
    write_line(out, json_pack("{s:o}", "other_columns", names));
}

static void
write_rows(struct buffer *out, const json_t *table, int max)
{
    const json_t *rows = json_object_get(table, "sample");
    json_t *value;
    size_t j;

    for (size_t i = 0; i < json_array_size(rows) && i < (size_t)max; i++) {
        json_t *row = json_array();
        json_array_foreach (json_array_get(rows, i), j, value) {
            json_array_append_new(row, cell(value));
        }
        write_line(out, json_pack("{s:o}", "row", row));
    }
}

static void
write_table(struct buffer *out, const json_t *table, int level, struct facts_size size,
            const char *question)
{
    const json_t *columns = json_object_get(table, "columns");
    AUTO(mem) struct ranked *ranked =
        xcalloc(json_array_size(columns) + 1, sizeof(*ranked));
    size_t count = rank(ranked, columns, size.full_columns, question);
    size_t full = size.full_columns < count ? size.full_columns : count;

    write_line(out, table_head(table));
    for (size_t i = 0; i < full; i++)
        write_line(out, describe(ranked[i].column, level, size));
    if (full < count)
        write_other_names(out, ranked, full, count);
    if (level >= LEVEL_VALUES)
        write_rows(out, table, size.rows);
}

static void
write_variables(struct buffer *out, const json_t *profile)
{
    json_t *variable;
    size_t i;

    json_array_foreach (json_object_get(profile, "variables"), i, variable) {
        const char *name = text_of(variable, "name"), *type = text_of(variable, "type");
        if (name && type)
            write_line(out, json_pack("{s:s, s:s}", "variable", name, "type", type));
    }
}

void
facts_write(struct buffer *out, const json_t *profile, int level,
            struct facts_size size, const char *question)
{
    const json_t *tables = facts_tables(profile);

    for (size_t i = 0; level >= LEVEL_NAMES && i < json_array_size(tables); i++)
        write_table(out, json_array_get(tables, i), level, size, question);
    if (level >= LEVEL_NAMES)
        write_variables(out, profile);
}

void
facts_write_comments(struct buffer *out, const json_t *profile, int level,
                     struct facts_size size, const char *question)
{
    AUTO(buffer) struct buffer lines = BUFFER_INIT(SIZE_MAX);

    facts_write(&lines, profile, level, size, question);
    struct slice rest = buffer_slice(&lines);
    while (rest.len) {
        const char *end = memchr(rest.data, '\n', rest.len);
        size_t len = (size_t)(end - rest.data) + 1;
        buffer_printf(out, "# %.*s", (int)len, rest.data);
        rest = (struct slice){rest.data + len, rest.len - len};
    }
}
