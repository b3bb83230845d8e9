#include "common/fields.h"

#include <stdio.h>

#include "common/buffer.h"

enum {
    MAX_NAME = 48, /* bytes of an unknown name that are looked at and shown */
};

const struct field *
fields_find(const struct field *fields, const char *name)
{
    for (; fields->name; fields++)
        if (strcmp(fields->name, name) == 0)
            return fields;
    return NULL;
}

/* --- what must a value be? --- */

static void
describe_range(struct buffer *out, const char *what, const struct field *field)
{
    buffer_printf(out, "%s from %.10g to %.10g", what, field->least, field->most);
}

static void
describe_list(struct buffer *out, const struct field *field)
{
    bool holds_texts = field->of && field->of->type == FIELD_TEXT;

    buffer_append_text(out, holds_texts ? "a list of strings" : "a list");
    if (field->least > 0)
        buffer_append_text(out, " that is not empty");
    if (field->most > 0)
        buffer_printf(out, " of at most %.0f", field->most);
}

static void
describe(struct buffer *out, const struct field *field)
{
    if (field->must) {
        buffer_append_text(out, field->must);
        return;
    }
    switch (field->type) {
    case FIELD_TEXT:
        buffer_append_text(out, "a string");
        if (field->most > 0)
            buffer_printf(out, " of %.0f to %.0f bytes", field->least, field->most);
        break;
    case FIELD_WHOLE:
        describe_range(out, "a whole number", field);
        break;
    case FIELD_NUMBER:
        describe_range(out, "a number", field);
        break;
    case FIELD_FLAG:
        buffer_append_text(out, "true or false");
        break;
    case FIELD_OBJECT:
        buffer_append_text(out, "an object");
        if (field->most > 0)
            buffer_printf(out, " of at most %.0f members", field->most);
        break;
    case FIELD_LIST:
        describe_list(out, field);
        break;
    }
}

/* most 0: no bounds. NaN is in no range. */
static bool
is_within(const struct field *field, double amount)
{
    return field->most <= 0 || (amount >= field->least && amount <= field->most);
}

static bool
is_of_type(const struct field *field, const json_t *value)
{
    switch (field->type) {
    case FIELD_TEXT:
        return json_is_string(value) &&
               is_within(field, (double)json_string_length(value));
    case FIELD_WHOLE:
        return json_is_integer(value) &&
               is_within(field, (double)json_integer_value(value));
    case FIELD_NUMBER:
        return json_is_number(value) && is_within(field, json_number_value(value));
    case FIELD_FLAG:
        return json_is_boolean(value);
    case FIELD_OBJECT:
        return json_is_object(value) &&
               is_within(field, (double)json_object_size(value));
    case FIELD_LIST:
        return json_is_array(value) && is_within(field, (double)json_array_size(value));
    }
    return false;
}

static int
check_items(const char *name, const struct field *field, const json_t *list,
            struct error *err)
{
    size_t index;
    json_t *value;

    json_array_foreach ((json_t *)list, index, value) {
        AUTO(mem) char *item = xasprintf("%s[%zu]", name, index);
        if (fields_check_value(item, field->of, value, err) < 0)
            return -1;
    }
    return 0;
}

int
fields_check_value(const char *name, const struct field *field, const json_t *value,
                   struct error *err)
{
    AUTO(buffer) struct buffer wanted = BUFFER_INIT(SIZE_MAX);

    if (!is_of_type(field, value) || (field->is_valid && !field->is_valid(value))) {
        describe(&wanted, field);
        return error_set(err, ERR_BAD_INPUT, "%s must be %s", name, wanted.data);
    }
    if (field->of && field->type == FIELD_OBJECT)
        return fields_check(name, value, field->of, err);
    if (field->of && field->type == FIELD_LIST)
        return check_items(name, field, value, err);
    return 0;
}

/* --- an unknown name --- */

static size_t
least_of(size_t a, size_t b, size_t c)
{
    size_t least = a < b ? a : b;

    return least < c ? least : c;
}

/* How many letters to change, add, drop or swap with their neighbour (Damerau). */
static size_t
distance(const char *a, const char *b)
{
    size_t rows[3][MAX_NAME + 1];
    size_t *before = rows[0], *last = rows[1], *now = rows[2];
    size_t a_len = strnlen(a, MAX_NAME), b_len = strnlen(b, MAX_NAME);

    for (size_t j = 0; j <= b_len; j++)
        last[j] = j;
    for (size_t i = 1; i <= a_len; i++) {
        now[0] = i;
        for (size_t j = 1; j <= b_len; j++) {
            now[j] = least_of(last[j] + 1, now[j - 1] + 1,
                              last[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least_of(now[j], before[j - 2] + 1, SIZE_MAX);
        }
        size_t *oldest = before;
        before = last;
        last = now;
        now = oldest;
    }
    return last[b_len];
}

/* NULL when no name is similar enough. */
static const char *
nearest(const struct field *fields, const char *name)
{
    size_t len = strnlen(name, MAX_NAME), least = 1 + len / 3;
    const char *found = NULL;

    for (; fields->name; fields++) {
        size_t away = distance(name, fields->name);
        if (away <= least && (!found || away < least)) {
            least = away;
            found = fields->name;
        }
    }
    return found;
}

static int
refuse_unknown(const char *path, const char *name, const struct field *fields,
               struct error *err)
{
    const char *meant = nearest(fields, name);
    AUTO(buffer) struct buffer known = BUFFER_INIT(SIZE_MAX);
    AUTO(buffer) struct buffer hint = BUFFER_INIT(SIZE_MAX);

    for (const struct field *field = fields; field->name; field++)
        buffer_printf(&known, "%s%s", field == fields ? "" : ", ", field->name);
    if (meant)
        buffer_printf(&hint, "did you mean %s? Known names", meant);
    return error_set(err, ERR_BAD_INPUT, "%s is not known; %s: %s", path,
                     meant ? hint.data : "known names",
                     known.len ? known.data : "none");
}

/* --- objects --- */

/* The name in a form that fits into an error: on one line, in ASCII, not too long. */
static char *
path_of(const char *where, const char *name)
{
    AUTO(mem) char *shown = xstrndup(name, strnlen(name, MAX_NAME));

    for (char *at = shown; *at; at++)
        if (*at < ' ' || *at > '~')
            *at = '?';
    return *where ? xasprintf("%s.%s", where, shown) : TAKE(shown);
}

static int
check_required(const char *where, const json_t *object, const struct field *fields,
               struct error *err)
{
    for (; fields->name; fields++) {
        const json_t *value = json_object_get(object, fields->name);
        if (fields->required && (!value || json_is_null(value)))
            return error_set(err, ERR_BAD_INPUT, "%s%s%s is missing", where,
                             *where ? "." : "", fields->name);
    }
    return 0;
}

int
fields_check(const char *where, const json_t *object, const struct field *fields,
             struct error *err)
{
    const char *name;
    json_t *value;

    if (!json_is_object(object))
        return error_set(err, ERR_BAD_INPUT, "%s must be an object",
                         *where ? where : "it");
    json_object_foreach ((json_t *)object, name, value) {
        const struct field *field = fields_find(fields, name);
        AUTO(mem) char *path = path_of(where, name);
        if (!field)
            return refuse_unknown(path, name, fields, err);
        if (!json_is_null(value) && fields_check_value(path, field, value, err) < 0)
            return -1;
    }
    return check_required(where, object, fields, err);
}
