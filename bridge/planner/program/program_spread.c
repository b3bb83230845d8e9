/* Pictures of how numbers are distributed: a histogram, and boxes. */
#include "bridge/planner/program/program.h"

enum {
    BINS = 20,
    BOXES_MAX = 30,
};

static const char *
name_of(struct program *p, const struct value *value)
{
    return program_label_of(p, query_value_name(p->arena, p->spoken->frame, value));
}

static void
histogram(struct program *p)
{
    const struct value *of = p->query->amount[0].of;

    python_line(&p->python, "values = %s.dropna()", program_number(p, of));
    python_blank(&p->python);
    python_line(&p->python, "fig, ax = plt.subplots()");
    python_line(&p->python, "ax.hist(values, bins=%d, edgecolor=\"white\")", BINS);
    python_line(&p->python, "ax.set(title=%s, xlabel=%s, ylabel=%s)", program_title(p),
                name_of(p, of), program_text(p, program_say(p, "code.rows", NULL)));
}

/* The order of the boxes: as the key has one, else by name. */
static void
write_names(struct program *p)
{
    const char *order = program_order_of(p->query->key[0]);

    if (order)
        python_line(&p->python,
                    "names = [name for name in %s if (groups == name).any()]", order);
    else
        python_line(&p->python, "names = sorted(groups.dropna().unique()%s)",
                    program_is_number(p, p->query->key[0]) ? "" : ", key=str");
    python_line(&p->python, "if len(names) > %d:", BOXES_MAX);
    python_line(&p->python, "    print(len(names) - %d, %s)", BOXES_MAX,
                program_text(p, program_say(p, "code.cut", NULL)));
    python_line(&p->python, "    names = names[:%d]", BOXES_MAX);
}

static void
boxes(struct program *p)
{
    const struct value *of = p->query->amount[0].of;
    const bool is_split = p->query->keys > 0;

    python_line(&p->python, "values = %s", program_number(p, of));
    if (is_split) {
        python_line(&p->python, "groups = %s", program_key(p, p->query->key[0]));
        write_names(p);
        python_line(&p->python,
                    "result = [values[groups == name].dropna() for name in names]");
    } else {
        python_line(&p->python, "names = [\"\"]");
        python_line(&p->python, "result = [values.dropna()]");
    }
    python_blank(&p->python);
    python_line(&p->python, "fig, ax = plt.subplots()");
    python_line(&p->python, "ax.boxplot(result)");
    python_line(&p->python, "ax.set_xticks(range(1, len(result) + 1), "
                            "[str(name).replace(\"$\", r\"\\$\") for name in names])");
    python_line(&p->python, "ax.set(title=%s, xlabel=%s, ylabel=%s)", program_title(p),
                is_split ? program_key_label(p, 0) : "\"\"", name_of(p, of));
}

void
program_spread(struct program *p)
{
    (p->query->mark == MARK_HISTOGRAM ? histogram : boxes)(p);
}
