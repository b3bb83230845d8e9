/* The change from one period to another, of each group: both, and what is between them.
 */
#include "bridge/planner/program/program.h"

static const char *
change(struct program *p)
{
    return p->query->is_relative ? "100 * (result.iloc[:, 1] / result.iloc[:, "
                                   "0].replace(0, float(\"nan\")) - 1)"
                                 : "result.iloc[:, 1] - result.iloc[:, 0]";
}

/* "Rome has the largest increase in total revenue: 1,234.00" */
static void
say_first(struct program *p)
{
    static const char *const keys[][2] = {
        [MOVE_UP] = {"code.rise",      "code.leastrise"},
        [MOVE_DOWN] = {"code.leastfall", "code.fall"     },
        [MOVE_EITHER] = {"code.move",      "code.leastmove"},
    };
    const struct query *query = p->query;
    const char *text = program_say(p, keys[query->move][query->rank.is_low],
                                   program_amount_words(p, 0));
    const char *number =
        arena_printf(p->arena, "format(result[name].iloc[0], \"%s\")%s",
                     query->is_relative ? ",.2f" : program_format(p, &query->amount[0]),
                     query->is_relative ? " + \" %\"" : "");

    python_line(&p->python, "if len(result):");
    python_line(&p->python, "    print(result.index[0], %s, %s)", program_text(p, text),
                number);
}

void
program_moves(struct program *p)
{
    const struct query *query = p->query;
    const struct amount *amount = &query->amount[0];
    const bool adds_up = amount->reduce == REDUCE_COUNT || amount->reduce == REDUCE_SUM;
    const char *order = program_order_of(query->key[0]);

    python_line(&p->python, "result = result.unstack(level=0%s)",
                adds_up && !amount->per ? ", fill_value=0" : "");
    if (order)
        python_line(&p->python,
                    "result = result[[name for name in %s if name in result]]", order);
    python_line(
        &p->python, "name = %s",
        program_text(
            p, program_say(p, query->is_relative ? "code.movedpercent" : "code.moved",
                           NULL)));
    python_line(&p->python, "if result.shape[1] == 2:");
    p->python.depth++;
    python_line(&p->python, "result[name] = %s", change(p));
    python_line(&p->python, "result = result.sort_values(name, ascending=%s%s)",
                query->rank.is_low ? "True" : "False",
                query->move == MOVE_EITHER && query->rank.is_there ? ", key=abs" : "");
    if (query->is_only_moved)
        python_line(&p->python, "result = result[result[name] %s 0]",
                    query->move == MOVE_UP ? ">" : "<");
    if (query->rank.is_there) {
        python_line(&p->python, "result = result.dropna(subset=[name])");
        if (query->rank.count)
            python_line(&p->python, "result = result.head(%s)",
                        program_count(p, "result"));
        say_first(p);
    }
    p->python.depth--;
    python_line(&p->python, "result");
}
