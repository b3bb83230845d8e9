/* The first and the last date: "when was the last order", "first reading date". */
#include "bridge/planner/tokens/parser.h"

#include <strings.h>

enum {
    ROOT_LEAST = 4, /* letters */
};

static bool
is_date_at(const struct parser *p, int at)
{
    return token_column(p, at) && token_column(p, at)->kind == COLUMN_DATE;
}

/* The date that rows are called after: `list_date` of a "listing"; -1. */
static int
date_of_noun(const struct parser *p, int at)
{
    const char *noun = p->token[at].text;

    for (int i = 0; i < p->frame->columns; i++) {
        const struct column *column = &p->frame->column[i];
        const char *name = column->words.count ? column->words.at[0].text : "";

        if (column->kind == COLUMN_DATE && strlen(name) >= ROOT_LEAST &&
            strncasecmp(noun, name, strlen(name)) == 0)
            return i;
    }
    return parser_roots_date(p, noun);
}

/* "date of the first listing", "first reading date", "date of the most recent visit" */
bool
parse_end_dates_take(struct parser *p, int at)
{
    const bool is_first = token_is(p, at, TERM_TOP) || token_is(p, at, TERM_LOW);
    const bool is_extreme = (token_is(p, at, TERM_HIGH) || token_is(p, at, TERM_LOW)) &&
                            is_date_at(p, at + 1);
    const bool is_last = (token_is(p, at, TERM_TOP) || token_is(p, at, TERM_BOTTOM)) &&
                         lexicon_lists(p->lexicon, "word.ends", p->token[at].text);
    const int noun = at + 1 + is_extreme;
    const bool has_noun = token_names_rows(p, noun);
    const int date = token_is(p, at - 1, TERM_OF) && is_date_at(p, at - 2) ? at - 2
                     : has_noun && is_date_at(p, noun + 1)                 ? noun + 1
                                                                           : -1;

    if (!(is_extreme || is_last) || date < 0 || !token_is_free(p, date))
        return false;
    const int named = has_noun ? date_of_noun(p, noun) : -1;
    const struct value *of = is_extreme   ? p->token[at + 1].value
                             : named >= 0 ? value_of_column(p, named)
                                          : p->token[date].value;
    parser_add_amount(p, is_first ? REDUCE_MIN : REDUCE_MAX, of);
    token_use(p, date < at ? date : at, date < at ? noun - !has_noun : date);
    return true;
}

/* "when was the last order": a date. */
bool
parse_end_dates_when(struct parser *p)
{
    int date = token_is(p, 0, TERM_WHEN) ? parser_roots_time(p) : -1;

    for (int i = 1; date >= 0 && i < p->count; i++)
        if (token_is_free(p, i) && token_is_extreme(p, i)) {
            bool is_first = token_is(p, i, TERM_TOP) || token_is(p, i, TERM_LOW);

            parser_add_amount(p, is_first ? REDUCE_MIN : REDUCE_MAX,
                              value_of_column(p, date));
            token_use(p, 0, 0);
            token_use(p, i, i);
            for (int k = 1; k < p->count; k++)
                if (token_column(p, k) && token_column(p, k)->kind == COLUMN_DATE)
                    token_use(p, k, k);
            return true;
        }
    return false;
}
