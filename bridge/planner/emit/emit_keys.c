/* Columns as what rows are grouped by, and as numbers. */
#include "bridge/planner/emit/emitter.h"

static const char *
grain_code(enum plan_grain grain)
{
    static const char *const codes[] = {
        [GRAIN_YEAR] = "Y", [GRAIN_QUARTER] = "Q", [GRAIN_MONTH] = "M",
        [GRAIN_WEEK] = "W", [GRAIN_DAY] = "D",     [GRAIN_HOUR] = NULL,
    };

    return grain < COUNT_OF(codes) ? codes[grain] : NULL;
}

static const char *
time_key(struct emitter *e, int column)
{
    const char *dates = emit_dates(e, column);
    const char *plain = emit_about(e, column)->is_zoned ? ".dt.tz_localize(None)" : "";

    if (e->plan->grain == GRAIN_NONE)
        return dates;
    if (!emit_about(e, column)->is_datetime || *plain) {
        python_line(&e->python, "dates = %s%s", dates, plain);
        dates = "dates";
    }
    switch (e->plan->grain) {
    case GRAIN_WEEKDAY:
        return arena_printf(e->arena, "%s.dt.day_name()", dates);
    case GRAIN_HOUR:
        return arena_printf(e->arena, "%s.dt.hour", dates);
    case GRAIN_YEAR:
        return arena_printf(e->arena, "%s.dt.year", dates);
    case GRAIN_QUARTER:
    case GRAIN_MONTH:
    case GRAIN_WEEK:
    case GRAIN_DAY:
        return arena_printf(e->arena, "%s.dt.to_period(\"%s\").dt.start_time", dates,
                            grain_code(e->plan->grain));
    case GRAIN_NONE:
        break;
    }
    return dates;
}

const char *
emit_key(struct emitter *e, int column, bool is_x)
{
    const struct column *about = emit_about(e, column);
    const char *cells = emit_column(e, column);

    if (is_x && e->plan->grain &&
        (about->role == ROLE_TIME || about->kind == COLUMN_DATE))
        return time_key(e, column);
    if (about->kind == COLUMN_DATE)
        return emit_dates(e, column);
    if (about->is_mixed || about->has_both_yes)
        cells = arena_printf(e->arena, "%s.str.strip().str.lower()%s", cells,
                             about->has_both_yes ? ".str[:1]" : "");
    return cells;
}

const char *
emit_measure(struct emitter *e, int column)
{
    return emit_number(e, &(struct measure){column, e->plan->aggregate});
}

const char *
emit_number(struct emitter *e, const struct measure *measure)
{
    const struct column *about = emit_about(e, measure->column);
    const char *cells = emit_column(e, measure->column);

    if (measure->aggregate == AGG_DISTINCT || about->kind == COLUMN_DATE)
        return cells;
    if (about->is_measured)
        return column_measured(e->arena, about, cells);
    if (about->kind == COLUMN_NUMBER)
        return about->is_nullable ? arena_printf(e->arena, "%s.astype(float)", cells)
                                  : cells;
    return arena_printf(e->arena, "pd.to_numeric(%s, errors=\"coerce\")", cells);
}
