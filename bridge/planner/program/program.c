#include "bridge/planner/program/program.h"

static void
write_rows(struct program *p)
{
    const struct query *query = p->query;

    p->rows = frame_source(p->arena, p->frame);
    if (!frame_is_variable(p->frame)) {
        python_line(&p->python, "table = %s", p->rows);
        p->rows = "table";
    }
    p->all_rows = p->rows;
    if (!query->tests)
        return;
    python_line(&p->python, "data = %s[%s]", p->rows,
                program_mask(p, query->test, query->tests));
    p->rows = "data";
    python_line(&p->python, "if data.empty:");
    python_line(&p->python, "    print(%s)",
                program_text(p, program_say(p, "code.norows", NULL)));
}

static void
write_groups(struct program *p)
{
    program_keys(p);
    program_groups(p);
    if (p->query->move && p->query->keys == 2) {
        program_moves(p);
        return;
    }
    program_having(p);
    program_along(p);
    program_share(p);
    program_rank(p);
    if (p->query->keys > 1 && !p->query->rank.is_there && p->query->amounts == 1)
        program_wide(p);
    program_order(p);
    program_sentence(p);
    if (p->query->shape == SHAPE_CHART)
        program_chart(p);
    else if (p->query->amounts > 1 || p->is_wide)
        python_line(&p->python, "result");
    else
        python_line(&p->python, "result.to_frame(%s)",
                    program_text(p, program_amount_name(p, 0)));
}

char *
program_write(const struct query *query, const struct profile *profile,
              const struct lexicon *lexicon, struct arena *arena)
{
    struct program p = {
        .query = query,
        .spoken = query_spoken(arena, query),
        .frame = query->frame,
        .lexicon = lexicon,
        .arena = arena,
        .python = {arena, BUFFER_INIT(PYTHON_LIMIT), 0}
    };

    if (query->shape == SHAPE_CHART)
        python_line(&p.python, "import matplotlib.pyplot as plt");
    python_line(&p.python, "import pandas as pd");
    python_blank(&p.python);
    python_comment(&p.python, query_title(arena, query));
    write_rows(&p);
    if (query->having.is_there && query->having.of && query->share != SHARE_GROUPS)
        program_having(&p);
    if (query->shape == SHAPE_ROWS)
        program_rows(&p);
    else if (query->shape == SHAPE_OUTLIERS)
        program_outliers(&p);
    else if (query->mark == MARK_SCATTER && query->shape == SHAPE_CHART)
        program_points(&p);
    else if (query->shape == SHAPE_CHART &&
             (query->mark == MARK_HISTOGRAM || query->mark == MARK_BOX))
        program_spread(&p);
    else if (query->keys)
        write_groups(&p);
    else
        program_number_answer(&p);
    const char **taken = arena_alloc(arena, profile->takens + 1, sizeof(*taken));
    memcpy(taken, profile->taken, profile->takens * sizeof(*taken));
    taken[profile->takens] = query->frame->name;
    return python_finish(&p.python, taken, profile->takens + 1);
}
