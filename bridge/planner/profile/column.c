/*
 * What a column holds, and what it is good for.
 */
#include <ctype.h>

#include "bridge/planner/profile/profile_reader.h"

enum {
    DISCRETE_MAX = 20, /* values of a number that may still name groups */
    NAME_BYTES_MAX = 4096,
};

/* `no2`, `pm25`, `NO2_ugm3`: a letter code with a number, of what is measured and is
 * bad. */
static bool
is_pollutant(struct profile_reader *reader, const struct words *words)
{
    const char *list =
        lexicon_say(reader->lexicon, reader->arena, "word.pollutants", NULL, 0);

    if (!list || words->count == 0 || (words->count > 2 && !words_is_in_code(words, 0)))
        return false;
    return strstr(list, arena_printf(reader->arena, " %s%s ", words->at[0].text,
                                     words->count > 1 ? words->at[1].text : "")) !=
           NULL;
}

static void
read_flags(struct profile_reader *reader, struct column *column)
{
    struct words full = column_expand(reader, &column->words);

    for (size_t i = 0; i < full.count; i++) {
        column->last_flags = words_is_in_code(&full, i)
                                 ? 0 /* "no" of `NO2` does not mean "number" */
                                 : lexicon_flags(reader->lexicon, full.at[i].stem);
        if (i + 1 == full.count && column_is_lone(reader, column))
            column->last_flags &= ~FLAG_ADDITIVE; /* "wait_min" of each row */
        column->flags |= column->last_flags;
    }
    for (size_t i = 1; i + 1 < full.count; i++)
        if (lexicon_exact(reader->lexicon, &full, i, 1) == TERM_PER) {
            /* "price_per_ton": a rate, whatever it is counted in */
            column->flags = (column->flags | FLAG_INTENSIVE) & ~FLAG_ADDITIVE;
            column->last_flags = (column->last_flags | FLAG_INTENSIVE) & ~FLAG_ADDITIVE;
        }
    if (column_is_per_unit(column, reader->lexicon)) {
        column->flags = (column->flags | FLAG_INTENSIVE) & ~FLAG_ADDITIVE;
        column->last_flags = (column->last_flags | FLAG_INTENSIVE) & ~FLAG_ADDITIVE;
    }
    if (is_pollutant(reader, &column->words)) {
        column->flags = (column->flags | FLAG_INTENSIVE | FLAG_BAD) & ~FLAG_ADDITIVE;
        column->last_flags |= FLAG_INTENSIVE;
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
    const struct words *words = &column->words;
    const char *last = words->count ? words->at[words->count - 1].text : "";
    bool is_unit = words->count > 1 && words_ends_in_s(last); /* "age_years" */

    if (!(column->flags & FLAG_YEAR) || column->last_flags & FLAG_KEY || is_unit)
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

/* "call_no": another whole number in each of many rows counts nothing. */
static bool
is_serial(const struct column *column, json_int_t rows)
{
    return column->is_unique && column->is_integer && rows > DISCRETE_MAX;
}

/* "policy_no", "order number": what is numbered comes first, and is not counted. */
static bool
is_numbered(const struct column *column)
{
    return column->words.count >= 2 && column->is_integer &&
           column->last_flags & FLAG_KEY &&
           (column->unique < 0 || column->unique > DISCRETE_MAX) && column->low > 0;
}

/* A body mass index, and no number of a row. */
static bool
is_index(const struct column *column)
{
    return column->last_flags & FLAG_INTENSIVE && column->has_range &&
           !column->is_integer;
}

/* Text of plain numbers, of which there are many, and which name nothing. */
static bool
is_written_out(const struct column *column)
{
    return column->is_numeric_text && column->unique > DISCRETE_MAX &&
           !column->is_unique &&
           !(column->flags & (FLAG_KEY | FLAG_CODE | FLAG_LABEL | FLAG_YEAR));
}

static enum column_role
role_of(const struct column *column, json_int_t rows)
{
    switch (column->kind) {
    case COLUMN_DATE:
        return column->is_clock ? ROLE_NOMINAL : ROLE_TIME;
    case COLUMN_NUMBER:
        if (looks_like_years(column))
            return ROLE_TIME;
        if (column->last_flags & (FLAG_KEY | FLAG_CODE) && !is_index(column) &&
            (!(column->last_flags & FLAG_ADDITIVE) || is_serial(column, rows) ||
             is_numbered(column)))
            return ROLE_KEY;
        return has_few_values(column, rows) ? ROLE_DISCRETE : ROLE_QUANTITY;
    case COLUMN_TEXT:
        if (column->is_measured || is_written_out(column))
            return ROLE_QUANTITY;
        break;
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
column_is_called(const struct column *column, const struct lexicon *lexicon,
                 const char *list)
{
    for (size_t i = 0; i < column->words.count; i++)
        if (lexicon_lists(lexicon, list, column->words.at[i].text))
            return true;
    return false;
}

bool
column_is_short_called(const struct column *column, const struct lexicon *lexicon,
                       const char *list)
{
    for (size_t i = 0; i < column->words.count; i++) {
        const struct words *full = lexicon_expansion(lexicon, column->words.at[i].stem);

        if (full && full->count == 1 && lexicon_lists(lexicon, list, full->at->text))
            return true;
    }
    return column_is_called(column, lexicon, list);
}

bool
column_is_number(const struct column *column)
{
    return column->kind == COLUMN_NUMBER || column->is_numeric_text;
}

bool
column_is_binary(const struct column *column)
{
    return column->kind == COLUMN_BOOL ||
           (column->kind == COLUMN_NUMBER && column->unique == 2 && column->has_range &&
            column->low == 0 && column->high == 1);
}

/* --- what the texts of a column are like --- */

static void
lower_trimmed(char *out, size_t size, const char *text)
{
    size_t len = 0;

    while (*text == ' ')
        text++;
    for (; text[len] && len + 1 < size; len++)
        out[len] = (char)tolower((unsigned char)text[len]);
    while (len && out[len - 1] == ' ')
        len--;
    out[len] = '\0';
}

static int
by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

enum {
    FOLDED_MAX = 60, /* bytes of a value that are compared */
};

static bool
differ_by_case(struct arena *arena, json_t *values)
{
    size_t count = json_array_size(values), at;
    char(*folded)[FOLDED_MAX] = arena_alloc(arena, count + 1, FOLDED_MAX);
    json_t *value;

    json_array_foreach (values, at, value)
        lower_trimmed(folded[at], FOLDED_MAX,
                      json_string_value(value) ? json_string_value(value) : "");
    qsort(folded, count, FOLDED_MAX, by_text);
    for (size_t i = 1; i < count; i++)
        if (strlen(folded[i]) + 1 < FOLDED_MAX && strcmp(folded[i - 1], folded[i]) == 0)
            return true;
    return false;
}

/* yes and no, true and false, in any case, whole or by their first letters. */
static void
read_yes(struct column *column)
{
    static const struct {
        const char *yes, *no, *initial;
    } pairs[] = {
        {"yes",  "no",    "y"},
        {"true", "false", "t"},
    };
    char folded[FOLDED_MAX];
    size_t at;
    json_t *value;

    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        const char yes = *pairs[i].yes, no = *pairs[i].no;
        size_t whole = 0, initials = 0, others = 0, has_yes = 0;

        json_array_foreach (column->values, at, value) {
            lower_trimmed(folded, sizeof(folded),
                          json_string_value(value) ? json_string_value(value) : "");
            const bool is_whole = strcmp(folded, pairs[i].yes) == 0 ||
                                  strcmp(folded, pairs[i].no) == 0,
                       is_initial = (*folded == yes || *folded == no) && !folded[1];
            whole += is_whole;
            initials += is_initial;
            others += !is_whole && !is_initial;
            has_yes += (is_whole || is_initial) && *folded == yes;
        }
        if (others || !has_yes)
            continue;
        column->yes = initials ? pairs[i].initial : pairs[i].yes;
        column->has_both_yes = initials && whole;
    }
}

static void
read_texts(struct profile_reader *reader, struct column *column, json_t *forms)
{
    json_t *sample = json_array_size(forms) ? forms : reader->sample;

    if (column->kind == COLUMN_TEXT && column->values) {
        column->is_mixed = differ_by_case(reader->arena, column->values);
        column_read_measured(column, column->values);
        read_yes(column);
    } else if (column->kind == COLUMN_TEXT && json_array_size(sample)) {
        column_read_measured(column, sample);
    }
}

/* --- from JSON --- */

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

/* "copay" of `CoPay_USD`: two words and more, and what they are counted in. */
static void
squash_bare(struct column *column, const struct lexicon *lexicon)
{
    size_t count = column->words.count;

    if (count > 3 && column->words.at[count - 1].kind == WORD_NUMBER &&
        lexicon_flags(lexicon, column->words.at[count - 2].stem) & FLAG_UNIT)
        count--; /* the 3 of "ugm3" */
    const struct word *last = count > 2 ? &column->words.at[count - 1] : NULL;
    if (!last || !(lexicon_flags(lexicon, last->stem) & FLAG_UNIT ||
                   column_is_in_currency(column, lexicon)))
        return;
    for (size_t i = 0; i + 1 < count; i++)
        column->bare_squash =
            words_squash(column->bare_squash, column->words.at[i].text);
}

int
column_read(struct profile_reader *reader, struct column *column, json_t *json,
            json_int_t rows)
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
    column->is_timedelta = dtype && strncmp(dtype, "timedelta", 9) == 0;
    column->is_integer = is_integer || (dtype && strcasestr(dtype, "int"));
    column->is_unique = rows > 0 && column->unique == rows && column->nulls <= 0;
    column->is_numeric_text =
        column_is_numeric_text(column, json_object_get(json, "forms"));
    column->days = read_days(json);
    if (column->days >= 0) {
        column->first_year = atoi(json_string_value(json_object_get(json, "first")));
        column->last_year = atoi(json_string_value(json_object_get(json, "last")));
    }
    column->apart = json_object_get(json, "apart");
    column->texts = json_object_get(json, "forms");
    column->is_day_first = json_is_true(json_object_get(json, "day_first"));
    column->takes_mixed =
        reader->pandas >= 2 && json_is_true(json_object_get(json, "mixed"));
    column->has_no_clock = json_is_true(json_object_get(json, "whole_days"));
    column->is_clock = json_is_true(json_object_get(json, "clock"));
    column->has_infinite = json_is_true(json_object_get(json, "infinite"));
    read_range(column, low, high);
    column->words =
        words_split(reader->arena, slice_of(column->name), COLUMN_WORDS_MAX);
    for (size_t i = 0; i < column->words.count; i++)
        column->squash = words_squash(column->squash, column->words.at[i].text);
    squash_bare(column, reader->lexicon);
    column_spell_out(reader, column);
    read_flags(reader, column);
    column_add_forms(reader, column);
    read_texts(reader, column, json_object_get(json, "forms"));
    column_read_span(reader, column, json);
    column->role = role_of(column, rows);
    return 0;
}
