/*
 * restyle: questions that change how the answer before is drawn, and nothing else.
 *
 * "horizontal", "in red", "sorted by name", "as a table": restyle_read() knows them by
 * the words alone; restyle_query() and restyle_plan() make the change, or say why it
 * does not suit what is drawn.
 */
#pragma once

#include "bridge/planner/query/query.h"

enum restyle_order {
    RESTYLE_AS_IS,
    RESTYLE_BY_NAME,
    RESTYLE_UP,
    RESTYLE_DOWN,
    RESTYLE_EARLIEST, /* "earliest first": by time, and no number */
    RESTYLE_LATEST,
};

struct restyle {
    bool lies, stands, is_log, is_linear, has_labels, is_table;
    enum plan_mark mark;
    enum plan_layout layout;
    enum restyle_order order;
    const char *colour, *title;
    const char *bare; /* a colour's word where no other says that it is one */
};

/* Whether every word of the question is about the drawing. */
bool restyle_read(struct restyle *restyle, struct arena *arena,
                  const struct lexicon *lexicon, struct slice question,
                  const struct words *words);

/* NULL, or the key of a sentence that says why it cannot be done. */
const char *restyle_query(struct query *query, const struct restyle *restyle);
const char *restyle_plan(struct plan *plan, const struct restyle *restyle);

/* A plan's groups as a query, whose programs say more; false where queries have no
 * part for it (points, bins of a histogram, an order by another column). */
bool restyle_plan_as_query(struct query *query, struct arena *arena,
                           const struct frame *frame, const struct plan *plan);
