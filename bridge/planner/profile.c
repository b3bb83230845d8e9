#include "bridge/planner/profile.h"

#include <ctype.h>
#include <stdio.h>

enum {
    DISCRETE_MAX = 20, /* values of a number that may still name groups */
    VALUES_MAX = 5000, /* indexed, of one column */
    VALUE_BYTES_MAX = 200,
    VALUE_WORDS_MAX = 8,
    NAME_BYTES_MAX = 4096,
};

struct reader {
    struct arena *arena;
    const struct lexicon *lexicon;
    struct error *err;
    int columns; /* read so far, of all frames */
};

/* --- names --- */

/* "stu_hrs" is read as "student hours". */
static struct words
expand(struct reader *reader, const struct words *words)
{
    struct words out = {arena_alloc(reader->arena, COLUMN_WORDS_MAX, sizeof(*out.at)),
                        0};

    for (size_t i = 0; i < words->count && out.count < COLUMN_WORDS_MAX; i++) {
        const struct words *full =
            lexicon_expansion(reader->lexicon, words->at[i].stem);

        if (words->at[i].kind == WORD_MARK)
            continue;
        if (!full)
            out.at[out.count++] = words->at[i];
        for (size_t k = 0; full && k < full->count && out.count < COLUMN_WORDS_MAX; k++)
            out.at[out.count++] = full->at[k];
    }
    return out;
}

static float
weight_of(const struct lexicon *lexicon, const struct word *word)
{
    unsigned flags = lexicon_flags(lexicon, word->stem);

    if (flags & FLAG_LIGHT)
        return 0.05f;
    if (flags & FLAG_GENERIC)
        return 0.3f;
    return word->kind == WORD_NUMBER ? 0.8f : 1.0f;
}

static struct unit
single_unit(const struct reader *reader, const struct word *word)
{
    unsigned flags = lexicon_flags(reader->lexicon, word->stem);
    struct unit unit = {.stem = word->stem,
                        .weight = weight_of(reader->lexicon, word),
                        .is_key = flags & FLAG_KEY && !(flags & FLAG_ADDITIVE)};

    unit.groups =
        (unsigned)lexicon_groups(reader->lexicon, word, 1, unit.group, UNIT_GROUPS_MAX);
    return unit;
}

static void
add_form(struct column *column, const struct form *form)
{
    if (column->forms < COLUMN_FORMS_MAX && form->count)
        column->form[column->forms++] = *form;
}

static void
add_plain_form(struct reader *reader, struct column *column, const struct words *words)
{
    struct form form = {.count = 0};

    for (size_t i = 0; i < words->count && form.count < COLUMN_WORDS_MAX; i++)
        if (words->at[i].kind != WORD_MARK)
            form.unit[form.count++] = single_unit(reader, &words->at[i]);
    add_form(column, &form);
}

/* A form in which words[at .. at + len) are one unit, for synonyms of several words. */
static void
add_joined_form(struct reader *reader, struct column *column, const struct words *words,
                size_t at, size_t len)
{
    struct form form = {.count = 0};
    struct unit joined = {.weight = 0};

    joined.groups = (unsigned)lexicon_groups(reader->lexicon, &words->at[at], len,
                                             joined.group, UNIT_GROUPS_MAX);
    if (!joined.groups)
        return;
    for (size_t i = 0; i < words->count; i++) {
        struct unit unit = single_unit(reader, &words->at[i]);

        if (i >= at && i < at + len) {
            joined.weight += unit.weight;
            if (i == at + len - 1)
                form.unit[form.count++] = joined;
        } else {
            form.unit[form.count++] = unit;
        }
    }
    add_form(column, &form);
}

static void
add_forms(struct reader *reader, struct column *column)
{
    struct words full = expand(reader, &column->words);

    add_plain_form(reader, column, &full);
    for (size_t len = full.count; len >= 2; len--)
        for (size_t at = 0; at + len <= full.count; at++)
            add_joined_form(reader, column, &full, at, len);
    if (full.count != column->words.count)
        add_plain_form(reader, column, &column->words);
}

static void
read_flags(struct reader *reader, struct column *column)
{
    struct words full = expand(reader, &column->words);

    for (size_t i = 0; i < full.count; i++) {
        column->last_flags = lexicon_flags(reader->lexicon, full.at[i].stem);
        column->flags |= column->last_flags;
    }
}

/* --- kinds and roles --- */

static const struct {
    const char *name;
    enum column_kind kind;
} kind_names[] = {
    {"number",      COLUMN_NUMBER},
    {"numeric",     COLUMN_NUMBER},
    {"text",        COLUMN_TEXT  },
    {"category",    COLUMN_TEXT  },
    {"categorical", COLUMN_TEXT  },
    {"string",      COLUMN_TEXT  },
    {"date",        COLUMN_DATE  },
    {"temporal",    COLUMN_DATE  },
    {"datetime",    COLUMN_DATE  },
    {"bool",        COLUMN_BOOL  },
    {"boolean",     COLUMN_BOOL  },
    {"other",       COLUMN_OTHER },
};

static const struct {
    const char *start;
    enum column_kind kind;
} dtype_names[] = {
    {"int",      COLUMN_NUMBER},
    {"uint",     COLUMN_NUMBER},
    {"Int",      COLUMN_NUMBER},
    {"UInt",     COLUMN_NUMBER},
    {"float",    COLUMN_NUMBER},
    {"Float",    COLUMN_NUMBER},
    {"datetime", COLUMN_DATE  },
    {"period",   COLUMN_DATE  },
    {"bool",     COLUMN_BOOL  },
    {"object",   COLUMN_TEXT  },
    {"str",      COLUMN_TEXT  },
    {"category", COLUMN_TEXT  },
};

static enum column_kind
read_kind(const char *kind, const char *dtype)
{
    for (size_t i = 0; kind && i < COUNT_OF(kind_names); i++)
        if (strcmp(kind, kind_names[i].name) == 0)
            return kind_names[i].kind;
    for (size_t i = 0; dtype && i < COUNT_OF(dtype_names); i++)
        if (strncmp(dtype, dtype_names[i].start, strlen(dtype_names[i].start)) == 0)
            return dtype_names[i].kind;
    return dtype ? COLUMN_OTHER : COLUMN_TEXT;
}

static bool
looks_like_years(const struct column *column)
{
    if (!(column->flags & FLAG_YEAR) || column->last_flags & FLAG_KEY)
        return false;
    if (!column->has_range)
        return true;
    return (column->low >= 1000 && column->high <= 3000) ||
           (column->low >= 0 && column->high <= 99 && column->is_integer &&
            column->high > 31);
}

static bool
has_few_values(const struct column *column, json_int_t rows)
{
    return column->unique >= 0 && column->unique <= DISCRETE_MAX &&
           column->is_integer && rows >= 3 * column->unique;
}

static enum column_role
role_of(const struct column *column, json_int_t rows)
{
    switch (column->kind) {
    case COLUMN_DATE:
        return ROLE_TIME;
    case COLUMN_NUMBER:
        if (looks_like_years(column))
            return ROLE_TIME;
        if (column->last_flags & (FLAG_KEY | FLAG_CODE) &&
            !(column->last_flags & FLAG_ADDITIVE))
            return ROLE_KEY;
        return has_few_values(column, rows) ? ROLE_DISCRETE : ROLE_QUANTITY;
    case COLUMN_TEXT:
    case COLUMN_BOOL:
    case COLUMN_OTHER:
        break;
    }
    if (column->flags & FLAG_TIME && column->flags & FLAG_YEAR &&
        column->is_numeric_text)
        return ROLE_TIME;
    return column->is_unique && rows > 20 ? ROLE_KEY : ROLE_NOMINAL;
}

bool
column_is_number(const struct column *column)
{
    return column->kind == COLUMN_NUMBER || column->is_numeric_text;
}

bool
frame_is_noun(const struct frame *frame, uint64_t stem)
{
    for (size_t i = 0; i < frame->words.count; i++)
        if (frame->words.at[i].stem == stem)
            return true;
    return stem && stem == frame->noun;
}

bool
column_is_binary(const struct column *column)
{
    return column->kind == COLUMN_BOOL ||
           (column->kind == COLUMN_NUMBER && column->unique == 2 && column->has_range &&
            column->low == 0 && column->high == 1);
}

static bool
is_number_text(const char *text)
{
    char *end;

    if (!*text || isspace((unsigned char)*text))
        return false;
    strtod(text, &end);
    return *end == '\0';
}

static bool
values_are_numbers(json_t *values)
{
    size_t at, numbers = 0, others = 0;
    json_t *value;

    json_array_foreach (values, at, value) {
        const char *text = json_string_value(value);

        if (json_is_number(value) || (text && is_number_text(text)))
            numbers++;
        else if (!text || *text)
            others++;
        if (at > 50)
            break;
    }
    return numbers && !others;
}

/* --- columns --- */

static const char *
column_label(struct arena *arena, json_t *name)
{
    json_t *repr = json_object_get(name, "repr");

    if (json_is_string(name) || json_is_string(repr))
        return json_string_value(repr ? repr : name);
    AUTO(mem) char *text = json_dumps(name, JSON_ENCODE_ANY | JSON_COMPACT);
    return text ? arena_text(arena, text, strlen(text)) : NULL;
}

static void
read_range(struct column *column, json_t *low, json_t *high)
{
    if (!json_is_number(low) || !json_is_number(high))
        return;
    column->has_range = true;
    column->low = json_number_value(low);
    column->high = json_number_value(high);
}

/* Days since year 0 of "2017-03-01", near enough to compare. */
static long
day_number(json_t *date)
{
    int year, month, day;
    const char *text = json_string_value(date);

    if (!text || strlen(text) < 10 || text[4] != '-' || text[7] != '-')
        return -1;
    year = atoi(text);
    month = atoi(text + 5);
    day = atoi(text + 8);
    return year * 365L + month * 30L + day;
}

static long
read_days(json_t *json)
{
    long first = day_number(json_object_get(json, "first")),
         last = day_number(json_object_get(json, "last"));

    return first < 0 || last < first ? -1 : last - first;
}

static int
read_column(struct reader *reader, struct column *column, json_t *json, json_int_t rows)
{
    json_t *name = NULL, *low = NULL, *high = NULL;
    const char *kind = NULL, *dtype = NULL;
    int is_integer = 0;

    column->nulls = column->unique = -1;
    if (json_unpack(json, "{s:o, s?s, s?s, s?o, s?o, s?b, s?o}", "name", &name, "kind",
                    &kind, "dtype", &dtype, "min", &low, "max", &high, "integer",
                    &is_integer, "values", &column->values) < 0)
        return error_set(reader->err, ERR_BAD_INPUT, "a column needs a name");
    column->name = column_label(reader->arena, name);
    if (!column->name || strlen(column->name) > NAME_BYTES_MAX)
        return error_set(reader->err, ERR_TOO_LARGE, "a column's name is too long");
    column->key = json_is_string(name) ? NULL : name;
    json_t *nulls = json_object_get(json, "nulls"),
           *unique = json_object_get(json, "unique");
    column->nulls = json_is_integer(nulls) ? json_integer_value(nulls) : -1;
    column->unique = json_is_integer(unique) ? json_integer_value(unique) : -1;
    column->values = json_is_array(column->values) ? column->values : NULL;
    column->kind = read_kind(kind, dtype);
    column->may_be_category = !dtype || strcmp(dtype, "category") == 0;
    column->is_zoned =
        dtype && strncmp(dtype, "datetime", 8) == 0 && strchr(dtype, ',');
    column->is_nullable =
        dtype && (isupper((unsigned char)*dtype) || strcmp(dtype, "boolean") == 0 ||
                  strstr(dtype, "pyarrow"));
    column->is_datetime = dtype && strncmp(dtype, "datetime", 8) == 0;
    column->is_integer = is_integer || (dtype && strcasestr(dtype, "int"));
    column->is_unique = rows > 0 && column->unique == rows && column->nulls <= 0;
    column->is_numeric_text = column->kind == COLUMN_TEXT && column->values &&
                              values_are_numbers(column->values);
    column->days = read_days(json);
    column->has_infinite = json_is_true(json_object_get(json, "infinite"));
    read_range(column, low, high);
    column->words =
        words_split(reader->arena, slice_of(column->name), COLUMN_WORDS_MAX);
    for (size_t i = 0; i < column->words.count; i++)
        column->squash = words_squash(column->squash, column->words.at[i].text);
    read_flags(reader, column);
    add_forms(reader, column);
    column->role = role_of(column, rows);
    return 0;
}

/* --- values --- */

static size_t
value_slot(const struct frame *frame, uint64_t hash)
{
    size_t at = hash & (frame->value_slots - 1);

    while (frame->value[at].hash && frame->value[at].hash != hash)
        at = (at + 1) & (frame->value_slots - 1);
    return at;
}

static uint64_t
squash_value(const char *text, unsigned *words)
{
    bool inside = false;

    *words = 0;
    for (const char *at = text; *at; at++) {
        bool is_inside = (unsigned char)*at >= 0x80 || isalnum((unsigned char)*at);

        *words += is_inside && !inside;
        inside = is_inside;
    }
    return *words ? words_squash(0, text) : 0;
}

/* Values of the same text in other columns hang in a list behind the slots. */
static void
index_value(struct frame *frame, int column, const char *text)
{
    unsigned words;
    uint64_t hash = squash_value(text, &words);

    if (!hash || strlen(text) > VALUE_BYTES_MAX || words > VALUE_WORDS_MAX)
        return;
    size_t at = value_slot(frame, hash);
    struct value_entry *entry = &frame->value[at];
    if (entry->hash && entry->column == column)
        return;
    int next = -1;
    if (entry->hash) {
        next = (int)(frame->value_slots + frame->values);
        frame->value[next] = *entry;
        frame->values++;
    }
    *entry = (struct value_entry){hash, column, text, next};
    frame->value_words = words > frame->value_words ? words : frame->value_words;
}

static size_t
count_values(const struct frame *frame)
{
    size_t count = 0;

    for (int i = 0; i < frame->columns; i++) {
        size_t size = json_array_size(frame->column[i].values);

        count += size < VALUES_MAX ? size : VALUES_MAX;
    }
    return count;
}

static void
index_values(struct reader *reader, struct frame *frame)
{
    size_t count = count_values(frame);

    frame->value_slots = 16;
    while (frame->value_slots < 2 * count)
        frame->value_slots *= 2;
    frame->value =
        arena_alloc(reader->arena, frame->value_slots + count, sizeof(*frame->value));
    for (int i = 0; i < frame->columns; i++)
        for (size_t k = 0; k < json_array_size(frame->column[i].values); k++) {
            const char *text =
                json_string_value(json_array_get(frame->column[i].values, k));

            if (text && k < VALUES_MAX)
                index_value(frame, i, text);
        }
}

int
frame_find_value(const struct frame *frame, uint64_t squash)
{
    size_t at = value_slot(frame, squash);

    return frame->value[at].hash ? (int)at : -1;
}

/* --- frames --- */

int
frame_find_column(const struct frame *frame, const char *name)
{
    for (int i = 0; i < frame->columns; i++)
        if (strcmp(frame->column[i].name, name) == 0)
            return i;
    return -1;
}

static int
by_squash(const void *a, const void *b)
{
    const struct column *const *left = a, *const *right = b;

    return strcmp((*left)->name, (*right)->name);
}

static void
mark_duplicates(struct reader *reader, struct frame *frame)
{
    struct column **sorted =
        arena_alloc(reader->arena, (size_t)frame->columns + 1, sizeof(*sorted));

    for (int i = 0; i < frame->columns; i++)
        sorted[i] = &frame->column[i];
    qsort(sorted, (size_t)frame->columns, sizeof(*sorted), by_squash);
    for (int i = 1; i < frame->columns; i++)
        if (strcmp(sorted[i - 1]->name, sorted[i]->name) == 0)
            sorted[i - 1]->is_duplicate = sorted[i]->is_duplicate = true;
}

/* Where the rows were not counted, a column with as many values as any names them. */
static void
guess_unique(struct frame *frame)
{
    size_t most = 0;

    if (frame->rows >= 0)
        return;
    for (int i = 0; i < frame->columns; i++)
        if (json_array_size(frame->column[i].values) > most)
            most = json_array_size(frame->column[i].values);
    for (int i = 0; i < frame->columns && most > 2; i++) {
        struct column *column = &frame->column[i];
        size_t tenths = column->flags & (FLAG_LABEL | FLAG_TIME) ? 6 : 9;

        column->is_unique =
            column->unique < 0 && json_array_size(column->values) * 10 >= most * tenths;
    }
}

static int
read_columns(struct reader *reader, struct frame *frame, json_t *columns)
{
    size_t count = json_array_size(columns), at;
    json_t *json;

    if (count > (size_t)(PROFILE_COLUMNS_MAX - reader->columns))
        return error_set(reader->err, ERR_TOO_LARGE, "over %d columns",
                         PROFILE_COLUMNS_MAX);
    reader->columns += (int)count;
    frame->column = arena_alloc(reader->arena, count + 1, sizeof(*frame->column));
    json_array_foreach (columns, at, json)
        if (read_column(reader, &frame->column[frame->columns++], json, frame->rows) <
            0)
            return -1;
    mark_duplicates(reader, frame);
    guess_unique(frame);
    return 0;
}

/* `order_id` in front says that the rows are orders. */
static void
find_noun(struct reader *reader, struct frame *frame)
{
    const struct column *first = frame->columns ? &frame->column[0] : NULL;

    if (!first || !(first->last_flags & FLAG_KEY) || first->words.count > 4)
        return;
    struct words full = expand(reader, &first->words);
    if (full.count >= 2)
        frame->noun = full.at[full.count - 2].stem;
}

static int
read_frame(struct reader *reader, struct frame *frame, json_t *json)
{
    json_t *columns = NULL, *rows = NULL;
    const char *kind = "frame";

    *frame = (struct frame){.name = "df", .rows = -1};
    if (json_unpack(json, "{s?s, s?s, s?o, s:o, s?s, s?s, s?s}", "name", &frame->name,
                    "kind", &kind, "rows", &rows, "columns", &columns, "path",
                    &frame->path, "format", &frame->format, "sheet", &frame->sheet) < 0)
        return error_set(reader->err, ERR_BAD_INPUT, "a frame needs columns");
    frame->is_file = strcmp(kind, "file") == 0;
    frame->rows = json_is_integer(rows) ? json_integer_value(rows) : -1;
    frame->words = words_split(reader->arena, slice_of(frame->name), COLUMN_WORDS_MAX);
    if (read_columns(reader, frame, columns) < 0)
        return -1;
    find_noun(reader, frame);
    index_values(reader, frame);
    return 0;
}

static void
read_pandas(struct profile *profile, json_t *json)
{
    const char *version = json_string_value(json_object_get(json, "pandas"));

    profile->pandas = version ? atoi(version) : 0;
}

int
profile_read(struct profile *profile, struct arena *arena, json_t *json,
             const struct lexicon *lexicon, struct error *err)
{
    struct reader reader = {.arena = arena, .lexicon = lexicon, .err = err};
    json_t *frames = json_object_get(json, "frames"), *frame;
    const char *active = json_string_value(json_object_get(json, "active"));
    size_t at;

    *profile = (struct profile){.active = -1};
    read_pandas(profile, json);
    if (json_object_get(json, "columns")) { /* a lone frame may be the whole profile */
        profile->frames = 1;
        return read_frame(&reader, &profile->frame[0], json);
    }
    json_array_foreach (frames, at, frame) {
        if (profile->frames == PROFILE_FRAMES_MAX)
            return error_set(err, ERR_TOO_LARGE, "over %d tables", PROFILE_FRAMES_MAX);
        struct frame *read = &profile->frame[profile->frames++];
        if (read_frame(&reader, read, frame) < 0)
            return -1;
        if (active && strcmp(read->name, active) == 0)
            profile->active = (int)at;
    }
    return 0;
}
