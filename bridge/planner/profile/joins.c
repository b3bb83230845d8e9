/*
 * Two tables as one: "revenue by country" of invoices and their clients.
 *
 * The right table has one row for each key, so that each row of the left one stays one.
 */
#include "bridge/planner/profile/profile_reader.h"

enum {
    COLUMNS_MAX = 1000, /* of both */
};

/* One row for each: what another table's rows may point to. */
static bool
is_key(const struct column *column)
{
    return column->is_unique && !column->key && !column->is_duplicate &&
           (column->kind == COLUMN_TEXT ||
            (column->kind == COLUMN_NUMBER && column->is_integer));
}

/* "customer_id" of orders, where customers have an `id`. */
static bool
is_named_after(const struct frame *right, const struct column *key,
               const struct column *column)
{
    return key->words.count == 1 && column->words.count == 2 &&
           key->last_flags & FLAG_KEY &&
           column->words.at[1].stem == key->words.at[0].stem &&
           frame_is_noun(right, column->words.at[0].stem);
}

static bool
has_value(const struct column *column, const char *text)
{
    json_t *value;
    size_t at;

    json_array_foreach (column->values, at, value)
        if (json_is_string(value) && strcmp(json_string_value(value), text) == 0)
            return true;
    return false;
}

/* Whether they may be of the same things: by the most frequent value, or the range. */
static bool
may_match(const struct column *column, const struct column *key)
{
    if (column->kind != key->kind || column->key || column->is_duplicate)
        return false;
    if (column->kind == COLUMN_NUMBER)
        return !column->has_range || !key->has_range ||
               (column->low <= key->high && column->high >= key->low);
    const char *first = json_string_value(json_array_get(column->values, 0));
    return !first || !key->values || has_value(key, first);
}

static bool
find_keys(const struct frame *left, const struct frame *right, struct join *join)
{
    for (int r = 0; r < right->columns; r++) {
        const struct column *key = &right->column[r];

        if (!is_key(key))
            continue;
        for (int l = 0; l < left->columns; l++) {
            const struct column *column = &left->column[l];
            bool is_same = column->squash && column->squash == key->squash;

            if ((!is_same && !is_named_after(right, key, column)) ||
                !may_match(column, key))
                continue;
            *join = (struct join){left, right, l, r};
            return true;
        }
    }
    return false;
}

/* What tells clients apart does not tell their invoices apart. */
static void
add_right_column(struct frame *joined, const struct column *column)
{
    struct column *added = &joined->column[joined->columns++];

    *added = *column;
    added->is_unique = false;
    if (added->role == ROLE_KEY && added->kind == COLUMN_TEXT)
        added->role = ROLE_NOMINAL;
}

const struct frame *
frame_join(struct arena *arena, const struct frame *left, const struct frame *right)
{
    struct profile_reader reader = {.arena = arena};
    const int most = left->columns + right->columns;
    struct join found;

    if (most > COLUMNS_MAX || left->is_file != right->is_file || left->join ||
        right->join || !find_keys(left, right, &found))
        return NULL;
    struct join *join = arena_alloc(arena, 1, sizeof(*join));
    struct frame *joined = arena_alloc(arena, 1, sizeof(*joined));
    *join = found;
    *joined = *left;
    joined->join = join;
    joined->column = arena_alloc(arena, (size_t)most, sizeof(*joined->column));
    memcpy(joined->column, left->column,
           (size_t)left->columns * sizeof(*joined->column));
    for (int i = 0; i < right->columns; i++)
        if (i != join->right_key && frame_find_column(left, right->column[i].name) < 0)
            add_right_column(joined, &right->column[i]);
    frame_index_values(&reader, joined);
    return joined->columns > left->columns ? joined : NULL;
}

bool
frame_is_joined_column(const struct frame *frame, int column)
{
    return frame->join && column >= frame->join->left->columns;
}
