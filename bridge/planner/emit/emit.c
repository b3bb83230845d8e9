#include <stdio.h>

#include "bridge/planner/emit/emitter.h"

const char *
emit_say(struct emitter *e, const char *key, const char *a, const char *b)
{
    const char *args[] = {a ? a : "", b ? b : ""};

    return lexicon_say(e->lexicon, e->arena, key, args, COUNT_OF(args));
}

/* "handle_time in minutes", where it is read as that, and is not a group. */
static const char *
name_of(const struct plan *plan, const struct frame *frame,
        const struct lexicon *lexicon, struct arena *arena, int column)
{
    if (column < 0)
        return "";
    const bool is_number =
        column != plan->x || plan->mark == MARK_SCATTER || plan->mark == MARK_HISTOGRAM;
    const struct time_unit *span = is_number ? frame->column[column].span : NULL;
    const char *args[] = {frame->column[column].name,
                          span ? lexicon_say(lexicon, arena, span->said, NULL, 0) : ""};
    return span ? lexicon_say(lexicon, arena, "name.counted", args, COUNT_OF(args))
                : args[0];
}

const char *
emit_label(struct emitter *e, int column)
{
    return python_label(e->arena,
                        name_of(e->plan, e->frame, e->lexicon, e->arena, column));
}

static const char *
measure_name(const struct plan *plan, const struct measure *measure,
             const struct frame *frame, const struct lexicon *lexicon,
             struct arena *arena)
{
    const char *name = name_of(plan, frame, lexicon, arena, measure->column);
    const char *key =
        arena_printf(arena, "name.%s", plan_aggregate_name(measure->aggregate));

    if (!plan->is_ratio)
        return lexicon_say(lexicon, arena, key, &name, 1);
    const char *args[] = {name, plan->per.column >= 0
                                    ? frame->column[plan->per.column].name
                                    : lexicon_say(lexicon, arena, "name.row", NULL, 0)};
    return lexicon_say(lexicon, arena, "name.ratio", args, COUNT_OF(args));
}

struct measure
emit_measure_at(const struct plan *plan, unsigned at)
{
    return at ? plan->also[at - 1] : (struct measure){plan->y, plan->aggregate};
}

const char *
emit_measure_title(struct emitter *e, unsigned at)
{
    const struct measure measure = emit_measure_at(e->plan, at);

    return measure_name(e->plan, &measure, e->frame, e->lexicon, e->arena);
}

const char *
emit_measure_name(struct emitter *e)
{
    const char *name = emit_measure_title(e, 0);

    return e->plan->is_share ? emit_say(e, "name.share", name, NULL) : name;
}

static const char *
subject(const struct plan *plan, const struct frame *frame,
        const struct lexicon *lexicon, struct arena *arena)
{
    bool is_plain = plan->mark == MARK_SCATTER || plan->mark == MARK_HISTOGRAM ||
                    plan->mark == MARK_BOX;

    const char *x = name_of(plan, frame, lexicon, arena, plan->x);
    if (plan->mark == MARK_HISTOGRAM)
        return lexicon_say(lexicon, arena, "title.distribution", &x, 1);
    if (is_plain && plan->y >= 0 && plan->aggregate == AGG_NONE)
        return name_of(plan, frame, lexicon, arena, plan->y);
    const char *names = "";
    for (unsigned i = 0; i <= plan->alsos; i++) {
        const struct measure measure = emit_measure_at(plan, i);

        names = arena_printf(arena, "%s%s%s", names, i ? ", " : "",
                             measure_name(plan, &measure, frame, lexicon, arena));
    }
    return names;
}

char *
emit_title(const struct plan *plan, const struct frame *frame,
           const struct lexicon *lexicon, struct arena *arena)
{
    const char *args[] = {subject(plan, frame, lexicon, arena),
                          name_of(plan, frame, lexicon, arena, plan->x),
                          plan->series >= 0 ? frame->column[plan->series].name : ""};
    char key[64];

    if (plan->intent != INTENT_CHART && plan->intent != INTENT_TABLE &&
        plan->intent != INTENT_VALUE) {
        const char *intents[] = {frame->name};
        static const char *const keys[] = {
            [INTENT_ROWS] = "title.rows",
            [INTENT_UNIQUE] = "title.unique",
            [INTENT_DESCRIBE] = "title.describe",
            [INTENT_MISSING] = "title.missing",
            [INTENT_CORRELATION] = "title.correlation",
            [INTENT_COLUMNS] = "title.columns",
        };

        return lexicon_say(lexicon, arena, keys[plan->intent], intents, 1);
    }
    bool has_x = plan->x >= 0 && plan->mark != MARK_HISTOGRAM && plan->x != plan->y;
    snprintf(key, sizeof(key), "title.%s%s", has_x ? "x" : "",
             plan->series >= 0 ? "series"
             : has_x           ? ""
                               : "alone");
    return lexicon_say(lexicon, arena, key, args, COUNT_OF(args));
}

char *
emit_program(const struct plan *plan, const struct frame *frame,
             const struct profile *profile, const struct lexicon *lexicon,
             struct arena *arena)
{
    struct emitter e = {
        .plan = plan,
        .frame = frame,
        .lexicon = lexicon,
        .arena = arena,
        .python = {arena, BUFFER_INIT(PYTHON_LIMIT), 0}
    };

    emit_load(&e);
    if (plan->mark != MARK_NONE)
        emit_chart(&e);
    else
        emit_other(&e);
    const char **taken = arena_alloc(arena, profile->takens + 1, sizeof(*taken));
    memcpy(taken, profile->taken, profile->takens * sizeof(*taken));
    taken[profile->takens] = frame->name; /* also when an answer made it */
    return python_finish(&e.python, taken, profile->takens + 1);
}
