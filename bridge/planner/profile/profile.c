#include "bridge/planner/profile/profile_reader.h"

#include "bridge/planner/words/python.h"

/* Or what that is short for: `perfs` are performances. */
bool
frame_is_noun(const struct frame *frame, uint64_t stem)
{
    for (size_t i = 0; i < frame->words.count; i++)
        if (lexicon_stands_for(frame->lexicon, frame->words.at[i].stem, stem))
            return true;
    return stem && frame->noun && lexicon_stands_for(frame->lexicon, frame->noun, stem);
}

bool
frame_owns(const struct frame *frame, int column)
{
    const struct words *words = &frame->column[column].words;

    for (size_t i = 0; i < words->count; i++)
        if (frame_is_noun(frame, words->at[i].stem))
            return true;
    return false;
}

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
mark_duplicates(struct profile_reader *reader, struct frame *frame)
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

/* "customer", "store", where "customers" would be a number of them, and 0 and 1 whether
 * one is. */
static bool
is_one_of_many(const struct frame *frame, const struct column *column)
{
    const char *text = column->words.at[0].text;

    if (words_ends_in_s(text) || !column->has_range || column->high <= 1)
        return false;
    return (column->flags & FLAG_PERSON && column->role == ROLE_QUANTITY) ||
           lexicon_lists(frame->lexicon, "word.places", text);
}

/* The number of a flight in a table of flights is a name; so is a customer's. */
static void
find_names_of_rows(struct frame *frame)
{
    for (int i = 0; i < frame->columns; i++) {
        struct column *column = &frame->column[i];

        if (column->words.count == 1 && column->kind == COLUMN_NUMBER &&
            column->is_integer && !(column->flags & (FLAG_ADDITIVE | FLAG_INTENSIVE)) &&
            ((column->role == ROLE_QUANTITY &&
              frame_is_noun(frame, column->words.at[0].stem)) ||
             is_one_of_many(frame, column)))
            column->role = ROLE_KEY;
    }
}

/* The cells of a column in the few rows that the profile shows. */
static json_t *
column_sample(const struct profile_reader *reader, size_t column)
{
    json_t *cells = json_array(), *row;
    size_t at;

    json_array_foreach (reader->rows, at, row)
        json_array_append(cells, json_array_get(row, column));
    return cells;
}

/* Whether "min" has no "max" beside it in any column's name. */
static bool
is_lone(const struct profile_reader *reader, json_t *columns)
{
    json_t *json;
    size_t at;

    if (reader->lone.count < 3)
        return false;
    json_array_foreach (columns, at, json) {
        const char *name = json_string_value(json_object_get(json, "name"));
        struct words words =
            words_split(reader->arena, slice_of(name ? name : ""), COLUMN_WORDS_MAX);

        for (size_t i = 0; i < words.count; i++)
            if (words.at[i].stem == reader->lone.at[1].stem)
                return false;
    }
    return true;
}

static int
read_columns(struct profile_reader *reader, struct frame *frame, json_t *columns)
{
    size_t count = json_array_size(columns), at;
    json_t *json;

    if (count > (size_t)(PROFILE_COLUMNS_MAX - reader->columns))
        return error_set(reader->err, ERR_TOO_LARGE, "over %d columns",
                         PROFILE_COLUMNS_MAX);
    reader->columns += (int)count;
    reader->is_lone = is_lone(reader, columns);
    frame->column = arena_alloc(reader->arena, count + 1, sizeof(*frame->column));
    json_array_foreach (columns, at, json) {
        json_auto_t *cells = column_sample(reader, at);
        reader->sample = cells;
        if (column_read(reader, &frame->column[frame->columns++], json, frame->rows) <
            0)
            return -1;
        reader->sample = NULL;
    }
    mark_duplicates(reader, frame);
    find_names_of_rows(frame);
    guess_unique(frame);
    return 0;
}

/* `pupil_no` of marks: several rows are one pupil's. */
static bool
is_shared(const struct column *column, json_int_t rows)
{
    return rows > 0 && column->unique >= 0 && column->unique < rows / 4;
}

/* `order_id` in front says that the rows are orders; `runnerName`, another one in each
 * row, that they are runners. */
static bool
names_rows(const struct frame *frame, int at)
{
    const struct column *column = &frame->column[at];

    if (column->words.count > 4 || column->words.count < 2)
        return false;
    return (at == 0 && (column->last_flags & FLAG_KEY) &&
            !is_shared(column, frame->rows)) ||
           (column->is_unique && column->kind == COLUMN_TEXT &&
            (column->last_flags & (FLAG_KEY | FLAG_LABEL)));
}

static void
find_noun(struct profile_reader *reader, struct frame *frame)
{
    for (int i = 0; i < frame->columns; i++) {
        if (!names_rows(frame, i))
            continue;
        struct words full = column_expand(reader, &frame->column[i].words);
        if (full.count >= 2) {
            frame->noun = full.at[full.count - 2].stem;
            return;
        }
    }
}

/* "subs" are subscriptions; as a part of a column's name the word may be another. */
static void
add_meaning(struct profile_reader *reader, struct frame *frame)
{
    const char *list =
        lexicon_say(reader->lexicon, reader->arena, "word.tables", NULL, 0);
    const struct words known =
        words_split(reader->arena, slice_of(list ? list : ""), COLUMN_WORDS_MAX);

    for (size_t i = 0; i + 1 < known.count && frame->words.count; i += 2)
        if (known.at[i].stem == frame->words.at[0].stem &&
            frame->words.count < COLUMN_WORDS_MAX) {
            frame->words.at[frame->words.count++] = known.at[i + 1];
            return;
        }
}

static int
read_frame(struct profile_reader *reader, struct frame *frame, json_t *json)
{
    json_t *columns = NULL, *rows = NULL;
    const char *kind = "frame";

    *frame = (struct frame){.name = "df", .lexicon = reader->lexicon, .rows = -1};
    if (json_unpack(json, "{s?s, s?s, s?o, s:o, s?s, s?s, s?s}", "name", &frame->name,
                    "kind", &kind, "rows", &rows, "columns", &columns, "path",
                    &frame->path, "format", &frame->format, "sheet", &frame->sheet) < 0)
        return error_set(reader->err, ERR_BAD_INPUT, "a frame needs columns");
    reader->rows = json_object_get(json, "sample");
    frame->is_made = json_is_true(json_object_get(json, "made"));
    frame->is_file = strcmp(kind, "file") == 0;
    frame->rows = json_is_integer(rows) ? json_integer_value(rows) : -1;
    frame->words = words_split(reader->arena, slice_of(frame->name), COLUMN_WORDS_MAX);
    add_meaning(reader, frame);
    if (read_columns(reader, frame, columns) < 0)
        return -1;
    find_noun(reader, frame);
    frame_index_values(reader, frame);
    return 0;
}

static void
read_pandas(struct profile *profile, json_t *json)
{
    const char *version = json_string_value(json_object_get(json, "pandas"));

    profile->pandas = version ? atoi(version) : 0;
}

static void
add_taken(struct profile *profile, json_t *json)
{
    const char *name = json_string_value(json_object_get(json, "name"));

    if (name && python_may_name(name) && !json_is_true(json_object_get(json, "made")))
        profile->taken[profile->takens++] = name;
}

/* The names that programs must not bind: those of tables and of other variables. */
static void
read_taken(struct profile *profile, struct arena *arena, json_t *json)
{
    json_t *frames = json_object_get(json, "frames"),
           *variables = json_object_get(json, "variables"), *entry;
    size_t most = json_array_size(frames) + json_array_size(variables) + 1, at;

    profile->taken = arena_alloc(arena, most, sizeof(*profile->taken));
    json_array_foreach (frames, at, entry)
        add_taken(profile, entry);
    json_array_foreach (variables, at, entry)
        add_taken(profile, entry);
    if (json_object_get(json, "columns"))
        add_taken(profile, json);
}

int
profile_read(struct profile *profile, struct arena *arena, json_t *json,
             const struct lexicon *lexicon, struct error *err)
{
    struct profile_reader reader = {.arena = arena, .lexicon = lexicon, .err = err};
    json_t *frames = json_object_get(json, "frames"), *frame;
    const char *active = json_string_value(json_object_get(json, "active"));
    size_t at;

    const char *lone = lexicon_say(lexicon, arena, "word.lone", NULL, 0);
    reader.lone = words_split(arena, slice_of(lone ? lone : ""), 4);
    *profile = (struct profile){.active = -1};
    read_pandas(profile, json);
    reader.pandas = profile->pandas;
    read_taken(profile, arena, json);
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
