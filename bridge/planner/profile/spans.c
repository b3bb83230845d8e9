/* How long something took: "00:04:36", "31:05:00", or a dtype of spans. */
#include <math.h>

#include "bridge/planner/profile/profile_reader.h"

enum {
    HALF_AN_HOUR = 1800, /* what happens before that in most rows is not by night */
    DAY = 86400,
};

/* The smallest in which the middle is not a large number. */
static const struct {
    struct time_unit unit;
    double below; /* seconds */
} spans[] = {
    {{1, "grains.second"},  120     },
    {{60, "grains.minute"}, 7200    },
    {{3600, "grains.hour"}, 2 * DAY },
    {{DAY, "grains.day"},   INFINITY},
};

static double
seconds_of(json_t *json, const char *key)
{
    return json_number_value(json_object_get(json_object_get(json, "seconds"), key));
}

static bool
is_span(const struct profile_reader *reader, const struct column *column, json_t *json)
{
    return column->is_timedelta || seconds_of(json, "max") >= DAY ||
           seconds_of(json, "median") < HALF_AN_HOUR ||
           column_is_called(column, reader->lexicon, "word.spans");
}

void
column_read_span(struct profile_reader *reader, struct column *column, json_t *json)
{
    size_t at = 0;

    if (!json_is_object(json_object_get(json, "seconds")) ||
        !is_span(reader, column, json))
        return;
    while (seconds_of(json, "median") >= spans[at].below)
        at++;
    column->span = &spans[at].unit;
    column->is_measured = true;
    column->kind = COLUMN_TEXT;
    column->values = NULL;
    column->days = -1;
    column->first_year = column->last_year = 0;
}

const char *
column_seconds(struct arena *arena, const struct column *column, const char *cells)
{
    const char *seconds =
        arena_printf(arena,
                     column->is_timedelta
                         ? "%s.dt.total_seconds()"
                         : "pd.to_timedelta(%s, errors=\"coerce\").dt.total_seconds()",
                     cells);
    return column->span->seconds > 1
               ? arena_printf(arena, "%s.div(%.0f)", seconds, column->span->seconds)
               : seconds;
}
