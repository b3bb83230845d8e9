/* shape: the kind of chart or table, and how it is styled. */
#include "bridge/planner/query/chart_words.h"
#include "bridge/planner/tokens/parser.h"

static bool
take_mark(struct parser *p, int at)
{
    const struct chart_word *word = chart_word_of(p->token[at].term);

    if (!word || (token_is(p, at, TERM_RELATION) && token_is(p, at + 1, TERM_MORE)))
        return false; /* "more rain leads to lower sales": parse_correlation */
    p->query->mark = word->mark;
    p->query->layout = word->layout ? word->layout : p->query->layout;
    p->query->shape = SHAPE_CHART;
    p->has_explicit_chart = true;
    p->is_legacy |= word->is_of_rows;
    return true;
}

static bool
take_style(struct parser *p, int at)
{
    struct query *query = p->query;

    if (token_is(p, at, TERM_TABLE))
        query->is_table_asked = true;
    else if (token_is(p, at, TERM_HORIZONTAL))
        query->style.is_horizontal = true;
    else if (token_is(p, at, TERM_LOG))
        query->style.is_log = true;
    else if (token_is(p, at, TERM_LABELS))
        query->style.has_labels = true;
    else if (token_is(p, at, TERM_DIFFERENCE))
        query->is_difference = p->wants_compare = true;
    else if (token_is(p, at, TERM_COMPARE))
        p->wants_compare = true;
    else if (token_is(p, at, TERM_TIME))
        p->wants_time = true;
    else if (!token_is(p, at, TERM_VERTICAL) && !token_is(p, at, TERM_LINEAR))
        return false;
    return true;
}

/* "breakdown of genders in percent", "split": how many of each, not a chart of rows.
 */
static void
take_breakdown(struct parser *p)
{
    bool has_percent = false;
    int at = -1, named = -1;

    for (int i = 0; i < p->count; i++) {
        has_percent |= token_is(p, i, TERM_PERCENT_UNIT) || token_is(p, i, TERM_SHARE);
        at = token_is(p, i, TERM_DISTRIBUTION) ? i : at;
        if (token_kind(p, i, TOKEN_VALUE) && !value_is_quantity(p, p->token[i].value))
            named = i;
    }
    if (has_percent && at >= 0 && named >= 0)
        token_use(p, at, at);
}

void
parse_shape(struct parser *p)
{
    take_breakdown(p);
    p->wants_which |= p->wants_who;
    for (int i = 0; i < p->count; i++) {
        if (!token_kind(p, i, TOKEN_TERM))
            continue;
        if (take_mark(p, i) || take_style(p, i)) {
            token_use(p, i, i);
            if (token_is(p, i - 1, TERM_AS) || token_is(p, i - 1, TERM_WITH) ||
                token_is(p, i - 1, TERM_IN))
                token_use(p, i - 1, i - 1);
        }
        if (token_is(p, i, TERM_VERSUS))
            p->wants_compare = true;
        if (token_is(p, i, TERM_WHICH) && !token_is(p, i + 1, TERM_HIGH) &&
            !token_is(p, i + 1, TERM_LOW)) /* "what's the highest" */
            p->wants_which = true;
    }
}
