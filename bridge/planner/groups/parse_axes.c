/* group: the two axes of a heatmap, "weekday x shop", "weekday vs hour". */
#include "bridge/planner/filter/calendar.h"
#include "bridge/planner/groups/parse_groups.h"

/* It also joins what are no axes, so one of them has to be a part of a date. */
static bool
is_loose_cross(const struct parser *p, int at)
{
    return token_is(p, at, TERM_AND) || token_is(p, at, TERM_BY);
}

static bool
is_cross(const struct parser *p, int at)
{
    return token_is(p, at, TERM_VERSUS) || is_loose_cross(p, at) ||
           ((token_is(p, at, TERM_X_AXIS) || token_kind(p, at, TOKEN_UNKNOWN)) &&
            strcmp(p->token[at].text, "x") == 0 && p->token[at].item->len == 1);
}

/* NULL: no groups stand there. */
static const struct value *
axis_at(struct parser *p, int at)
{
    const enum query_part part =
        token_kind(p, at, TOKEN_TERM) ? parser_part(p->token[at].term) : PART_NONE;
    const int date = part ? parser_roots_time(p) : -1;

    if (date >= 0 && p->frame->column[date].kind == COLUMN_DATE)
        return calendar_part(p, date, part);
    if (!token_kind(p, at, TOKEN_VALUE))
        return NULL;
    const struct value *value = value_wanted(p, at, false);
    const struct column *column = value_column(p, value);
    return column && column->role != ROLE_QUANTITY && column->role != ROLE_TIME ? value
                                                                                : NULL;
}

void
parse_axes(struct parser *p)
{
    if (p->query->mark != MARK_HEATMAP)
        return;
    for (int i = 1; i + 1 < p->count; i++) {
        const struct value *one = is_cross(p, i) ? axis_at(p, i - 1) : NULL,
                           *other = one ? axis_at(p, i + 1) : NULL;

        if (!other || (is_loose_cross(p, i) && one->kind != VALUE_PART &&
                       other->kind != VALUE_PART))
            continue;
        parser_add_key(p, one);
        parser_add_key(p, other);
        p->key_is_given[0] = p->key_is_given[1] = true;
        token_use(p, i - 1, i + 1);
        if (token_is(p, i - 2, TERM_BY) || token_is(p, i - 2, TERM_OF))
            token_use(p, i - 2, i - 2);
        p->wants_compare = false;
        p->has_axes = true;
        return;
    }
}
