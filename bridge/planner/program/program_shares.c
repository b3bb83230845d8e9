/* Shares of the whole: what a part of the rows has, how many of the groups, and what
 * the largest have together. */
#include "bridge/planner/program/program.h"

static void
write_part(struct program *p)
{
    const struct query *query = p->query;
    const char *whole = program_reduced(p, &query->amount[0]), *rows = p->rows;

    python_line(&p->python, "part = %s[%s]", rows,
                program_mask(p, query->part, query->parts));
    p->rows = "part";
    python_line(&p->python,
                query->keys ? "result = (100 * %s / %s).fillna(0)"
                            : "result = 100 * %s / %s",
                program_reduced(p, &query->amount[0]), whole);
    p->rows = rows;
}

static void
write_share_of_groups(struct program *p)
{
    const struct amount *amount = &p->query->having.amount;
    const char *cells = program_key(p, p->query->having.of);

    if (p->query->parts) {
        const char *rows = p->rows;

        python_line(&p->python, "part = %s[%s]", rows,
                    program_mask(p, p->query->part, p->query->parts));
        p->rows = "part";
        python_line(&p->python,
                    "sizes = %s.value_counts().reindex(%s.dropna().unique(), "
                    "fill_value=0)",
                    program_key(p, p->query->having.of), cells);
        p->rows = rows;
    } else if (!amount->of)
        python_line(&p->python, "sizes = %s.value_counts()", cells);
    else if (amount->reduce == REDUCE_DISTINCT)
        python_line(&p->python, "sizes = %s.groupby(%s).nunique()",
                    program_key(p, amount->of), cells);
    else
        python_line(&p->python, "sizes = (%s).groupby(%s).%s()",
                    program_number(p, amount->of), cells,
                    amount->reduce == REDUCE_MEAN ? "mean" : "sum");
    python_line(&p->python, "result = 100 * (%s).mean()", program_bound(p, "sizes"));
}

/* "of each year": the largest of each, and what they have of its total. */
static void
write_shares_of_top(struct program *p)
{
    const struct query *query = p->query;
    const struct value *of = query->amount[0].of;
    const char *keys = arena_printf(p->arena, "[%s, %s]", program_key(p, query->key[0]),
                                    program_key(p, query->top.of));

    if (of)
        python_line(&p->python, "sizes = (%s).groupby(%s).sum()", program_number(p, of),
                    keys);
    else
        python_line(&p->python, "sizes = %s.groupby(%s).size()", p->rows, keys);
    python_line(&p->python,
                "largest = sizes.groupby(level=0, group_keys=False).nlargest(%s)",
                python_number(p->arena, query->top.count));
    python_line(&p->python, "result = 100 * largest.groupby(level=0).sum() / "
                            "sizes.groupby(level=0).sum()");
}

static void
write_share_of_top(struct program *p)
{
    const struct query *query = p->query;
    const struct value *of = query->amount[0].of;

    if (query->keys) {
        write_shares_of_top(p);
        return;
    }
    const char *number = of ? program_number(p, of) : NULL,
               *count = python_number(p->arena, query->top.count);

    if (!of) /* rows */
        number = arena_printf(p->arena, "%s.groupby(%s).size()", p->rows,
                              program_key(p, query->top.of));
    else if (query->top.of)
        number = arena_printf(p->arena, "(%s).groupby(%s).sum()", number,
                              program_key(p, query->top.of));
    python_line(&p->python, "sizes = %s", number);
    if (query->top.is_percent)
        count =
            arena_printf(p->arena, "max(1, round(sizes.count() * %s / 100))", count);
    python_line(&p->python, "result = 100 * sizes.nlargest(%s).sum() / sizes.sum()",
                count);
}

void
program_shares(struct program *p)
{
    (p->query->share == SHARE_PART     ? write_part
     : p->query->share == SHARE_GROUPS ? write_share_of_groups
                                       : write_share_of_top)(p);
}
