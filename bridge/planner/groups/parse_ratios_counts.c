/* aggregate: rows of one kind by rows of another: "fails per pass", "ratio of felt to
 * not felt events". */
#include "bridge/planner/groups/parse_groups.h"

/* The rows that one side speaks of, and its tokens. */
struct side {
    struct test test;
    int first, last;
};

/* The one column that has such a cell, or that of the other side; -1. */
static int
column_of_cell(const struct parser *p, int at, const struct side *other,
               const char **text)
{
    const struct value_entry *entry = p->frame->value;
    const int first = p->token[at].item->value;

    for (int v = first; v >= 0; v = entry[v].next) {
        const bool is_meant =
            other ? other->test.of && other->test.of->column == entry[v].column
                  : entry[first].next < 0;
        *text = entry[v].text;
        if (is_meant)
            return entry[v].column;
    }
    return -1;
}

static bool
read_kind(struct parser *p, int at, const struct side *other, struct test *test)
{
    const char *text;

    *test = (struct test){.op = OP_EQ};
    if (token_kind(p, at, TOKEN_VALUE) && value_is_flag(p, p->token[at].value)) {
        test->of = p->token[at].value;
        return true;
    }
    if (token_kind(p, at, TOKEN_UNKNOWN))
        return parser_roots_find(p, p->token[at].text, test) && !test->than;
    const int column =
        token_kind(p, at, TOKEN_CELL) ? column_of_cell(p, at, other, &text) : -1;
    if (column < 0)
        return false;
    test->of = value_of_column(p, column);
    test->operand[test->operands++] = (struct operand){.text = text};
    return true;
}

/* "felt", "not felt events": what stands from `at` on. */
static bool
read_side(struct parser *p, int at, const struct side *other, struct side *side)
{
    const bool is_not = token_is(p, at, TERM_NOT);

    *side = (struct side){.first = at, .last = at + is_not};
    if (!token_is_free(p, side->last) || !read_kind(p, side->last, other, &side->test))
        return false;
    side->test.is_not ^= is_not;
    side->last += token_kind(p, side->last + 1, TOKEN_ROWS);
    return true;
}

static void
add_ratio(struct parser *p, int from, const struct side *above,
          const struct side *below)
{
    struct amount *per = arena_alloc(p->arena, 1, sizeof(*per));

    *per = (struct amount){.reduce = REDUCE_SUM, .of = value_of_test(p, &below->test)};
    parser_add_amount(p, REDUCE_SUM, value_of_test(p, &above->test))->per = per;
    parser_note(p, "assume.counts", query_test_name(p->arena, p->frame, &above->test),
                query_test_name(p->arena, p->frame, &below->test));
    token_drop(p, from, below->last);
}

/* "ratio of fails to passes", "fails per pass" */
static bool
take_ratio(struct parser *p, int at)
{
    const bool is_said = token_is(p, at, TERM_RATIO);
    const int from = at + is_said;
    struct side above, below;

    if (!read_side(p, from, NULL, &above) ||
        !token_is(p, above.last + 1, is_said ? TERM_TO : TERM_PER) ||
        !read_side(p, above.last + 2, &above, &below) ||
        (!is_said && above.test.of != below.test.of &&
         !query_value_is_same(above.test.of, below.test.of)))
        return false;
    add_ratio(p, at, &above, &below);
    return true;
}

/* "pass to fail ratio", "pass/fail ratio" */
static bool
take_named(struct parser *p, int at)
{
    struct side above, below;

    if (!read_side(p, at, NULL, &above) ||
        !(token_is(p, above.last + 1, TERM_TO) ||
          token_is_mark(p, above.last + 1, '/')) ||
        !read_side(p, above.last + 2, &above, &below) ||
        !token_is(p, below.last + 1, TERM_RATIO))
        return false;
    below.last++;
    add_ratio(p, at, &above, &below);
    return true;
}

void
parse_ratios_counts(struct parser *p)
{
    for (int i = 0; i < p->count; i++)
        if (take_ratio(p, i) || take_named(p, i))
            return;
}
