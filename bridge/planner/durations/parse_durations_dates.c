/* Which two dates of a row a duration is between, where the question names none. */
#include "bridge/planner/durations/parse_durations.h"

/* `arr_date`: "arr" is short for "arrival". */
static bool
is_short_for_one(const struct parser *p, const struct column *column, const char *list)
{
    for (size_t i = 0; i < column->words.count; i++) {
        const struct words *full =
            lexicon_expansion(p->lexicon, column->words.at[i].stem);

        if (full && full->count == 1 &&
            lexicon_lists(p->lexicon, list, full->at[0].text))
            return true;
    }
    return false;
}

static bool
is_date_for(const struct parser *p, int at, const void *about)
{
    const struct column *column = &p->frame->column[at];
    const char *list = about;

    return column->kind == COLUMN_DATE && !column->is_clock &&
           (column_is_called(column, p->lexicon, list) ||
            is_short_for_one(p, column, list));
}

/* The only date that is called one of the list's words; below 0: none, or several. */
static int
only_date_called(const struct parser *p, const char *list)
{
    return value_only_column(p, is_date_for, list);
}

/* A date on which something happened, and not until when it is due. */
static bool
is_point(const struct parser *p, int at)
{
    const struct column *column = &p->frame->column[at];

    return column->kind == COLUMN_DATE && !column->is_clock &&
           !(column->flags & FLAG_BIRTH) &&
           !column_is_called(column, p->lexicon, "word.due");
}

bool
parse_durations_asks(const struct parser *p, int end)
{
    static const enum term terms[] = {
        TERM_MEAN,      TERM_MEDIAN, TERM_HIGH,       TERM_LOW,
        TERM_MAX,       TERM_MIN,    TERM_PERCENTILE, TERM_DISTRIBUTION,
        TERM_HISTOGRAM, TERM_BOX,    TERM_MORE,       TERM_CORRELATION};

    for (int i = 0; i < end; i++)
        for (size_t k = 0; k < COUNT_OF(terms); k++)
            if (token_is(p, i, terms[k]))
                return true;
    return parse_listed_bands_are_there(p); /* "by resolution time: up to 4 h, …" */
}

void
parse_durations_note(struct parser *p, const struct value *from, const struct value *to)
{
    parser_note(p, "assume.span", value_column(p, from)->name,
                value_column(p, to)->name);
}

const struct value *
parse_durations_other(struct parser *p, const struct value *to)
{
    int found = -1;
    unsigned others = 0, rows = 0;

    for (int i = 0; i < p->frame->columns; i++) {
        if (!is_point(p, i) || i == to->column)
            continue;
        others++;
        if (found < 0 || frame_owns(p->frame, i))
            found = i;
        rows += frame_owns(p->frame, i);
    }
    if (others > 1 && rows != 1)
        found = only_date_called(p, "word.rowstarts");
    return found >= 0 && found != to->column ? value_of_column(p, found) : NULL;
}

static bool
is_other_point(const struct parser *p, int at, const void *about)
{
    const int *than = about;

    return at != *than && is_point(p, at);
}

/* The only other date, or the only one that is called one of the list's words. */
static int
point_beside(const struct parser *p, int column, const char *list)
{
    const int only = value_only_column(p, is_other_point, &column);

    return only == SEVERAL_COLUMNS ? only_date_called(p, list) : only;
}

const struct value *
parse_durations_end(struct parser *p, const struct value *from)
{
    const int found = point_beside(p, from->column, "word.rowends");

    return found >= 0 && found != from->column ? value_of_column(p, found) : NULL;
}

bool
parse_durations_lead(struct parser *p, const struct value *date[2])
{
    const int from = only_date_called(p, "word.booked");
    const int found = from < 0 ? NO_COLUMN : point_beside(p, from, "word.takesplace");

    if (found < 0 || found == from)
        return false;
    date[0] = value_of_column(p, from);
    date[1] = value_of_column(p, found);
    return true;
}

/* `act_start` beside a `plan_start`: when it was, and not when it should have been. */
static bool
is_point_for(const struct parser *p, int at, const void *about)
{
    return is_point(p, at) && is_date_for(p, at, about);
}

static int
only_point_called(const struct parser *p, const char *list)
{
    const int found = only_date_called(p, list);

    return found == SEVERAL_COLUMNS ? value_only_column(p, is_point_for, list) : found;
}

/* `start` and `end`, where there are other dates, too. */
static bool
find_start_and_end(struct parser *p, const struct value *date[2])
{
    const int start = only_point_called(p, "word.rowstarts"),
              end = only_point_called(p, "word.rowends");

    if (start < 0 || end < 0 || start == end)
        return false;
    date[0] = value_of_column(p, start);
    date[1] = value_of_column(p, end);
    return true;
}

static bool
is_date_called(const struct parser *p, const struct value *date, const char *list)
{
    return column_is_called(value_column(p, date), p->lexicon, list);
}

/* The two columns of dates, where there are no others; or what they begin and end. */
bool
parse_durations_pair(struct parser *p, const struct value *date[2])
{
    int found = 0;

    for (int i = 0; i < p->frame->columns; i++) {
        if (!is_point(p, i))
            continue;
        if (found == 2)
            return find_start_and_end(p, date);
        date[found++] = value_of_column(p, i);
    }
    if (found == 2 && is_date_called(p, date[1], "word.booked") &&
        is_date_called(p, date[0], "word.takesplace")) {
        const struct value *last = date[0];

        date[0] = date[1];
        date[1] = last;
    }
    return found == 2;
}
