/* The units of numbers: "longer than 2 hours" of a column of minutes. */
#include "bridge/planner/parse/parse_units.h"

static const struct {
    unsigned flag;
    double seconds;
    enum query_part part;
} times[] = {
    {FLAG_SECONDS, 1,        PART_NONE  },
    {FLAG_MINUTES, 60,       PART_MINUTE},
    {FLAG_HOURS,   3600,     PART_HOUR  },
    {FLAG_DAYS,    86400,    PART_DAY   },
    {FLAG_WEEKS,   604800,   PART_WEEK  },
    {FLAG_MONTHS,  2629800,  PART_MONTH }, /* a twelfth of a year */
    {FLAG_YEARS,   31557600, PART_YEAR  },
};

static double
seconds_of(const struct parser *p, uint64_t stem)
{
    unsigned flags = lexicon_flags(p->lexicon, stem);

    for (size_t i = 0; i < COUNT_OF(times); i++)
        if (flags & times[i].flag)
            return times[i].seconds;
    return 0;
}

static uint64_t
stem_at(const struct parser *p, int at)
{
    return p->reading->words.at[p->token[at].item->begin].stem;
}

double
parse_units_seconds(const struct parser *p, int at)
{
    return at >= 0 && at < p->count ? seconds_of(p, stem_at(p, at)) : 0;
}

bool
parse_units_is(const struct parser *p, int at)
{
    if (at < 0 || at >= p->count || p->token[at].item->len != 1)
        return false;
    return seconds_of(p, stem_at(p, at)) > 0 ||
           lexicon_flags(p->lexicon, stem_at(p, at)) & FLAG_UNIT;
}

/* The last word of its name that is a unit; `tenure_months`. */
static double
seconds_of_column(const struct parser *p, const struct column *column)
{
    double seconds = 0;

    for (size_t i = 0; i < column->words.count; i++) {
        double found = seconds_of(p, column->words.at[i].stem);

        seconds = found > 0 ? found : seconds;
    }
    return seconds;
}

static bool
has_unit(const struct parser *p, const struct column *column, uint64_t stem)
{
    size_t last = column->words.count;

    if (last == 0)
        return false;
    if (seconds_of(p, stem) > 0)
        return seconds_of_column(p, column) > 0;
    const struct words *full =
        lexicon_expansion(p->lexicon, column->words.at[last - 1].stem);
    return column->words.at[last - 1].stem == stem ||
           (full && full->count == 1 && full->at[0].stem == stem);
}

int
parse_units_column(const struct parser *p, int at)
{
    int found = -1;

    if (!parse_units_is(p, at))
        return -1;
    for (int i = 0; i < p->frame->columns; i++) {
        const struct column *column = &p->frame->column[i];
        const struct value value = {.kind = VALUE_COLUMN, .column = i};

        if (!value_is_quantity(p, &value) || !has_unit(p, column, stem_at(p, at)))
            continue;
        if (found >= 0)
            return -1;
        found = i;
    }
    return found;
}

double
parse_units_factor(const struct parser *p, int at, const struct value *value)
{
    const struct column *column = value_column(p, value);
    double asked = parse_units_is(p, at) ? seconds_of(p, stem_at(p, at)) : 0;
    double has = column ? seconds_of_column(p, column) : 0;

    for (size_t i = 0; value->kind == VALUE_DURATION && i < COUNT_OF(times); i++)
        if (times[i].part && times[i].part == value->part)
            has = times[i].seconds;
    return asked > 0 && has > 0 ? asked / has : 1;
}
