/* Who does what rows tell of. */
#include "bridge/planner/tokens/parser.h"
#include "bridge/planner/words/likeness.h"

/* `sampler` of a table of samples: who does that. */
static bool
is_agent_of_rows(const struct parser *p, const struct column *column)
{
    const struct word *last =
        column->words.count ? &column->words.at[column->words.count - 1] : NULL;
    const size_t len = last ? strlen(last->text) : 0;

    if (len < LIKENESS_ROOT || column->kind != COLUMN_TEXT ||
        (strcmp(last->text + len - 2, "er") != 0 &&
         strcmp(last->text + len - 2, "or") != 0))
        return false;
    for (size_t i = 0; i < p->frame->words.count; i++)
        if (likeness_shared(p->frame->words.at[i].text, last->text) + 2 >= len)
            return true;
    return false;
}

/* Whether each row is a person: no two rows share an `employee`, or a `name` in a table
 * of employees. In a table of products, `name` is not the name of a person. */
static bool
has_row_each(const struct parser *p)
{
    bool has = false, are_people = false;

    for (size_t i = 0; i < p->frame->words.count; i++)
        are_people |=
            (lexicon_flags(p->lexicon, p->frame->words.at[i].stem) & FLAG_PERSON) != 0;

    for (int i = 0; i < p->frame->columns; i++) {
        const struct column *column = &p->frame->column[i];

        has |= column->is_unique && column->nulls == 0 && column->kind == COLUMN_TEXT &&
               column->flags & FLAG_PERSON &&
               (are_people || !(column->last_flags & FLAG_LABEL));
    }
    return has;
}

/* "who gets the highest tips": the one column that says who; -1: none, or several. */
int
parse_people_column(const struct parser *p)
{
    int found = -1;

    if (has_row_each(p))
        return -1;
    for (int i = 0; i < p->frame->columns; i++) {
        const struct column *column = &p->frame->column[i];

        if (!(column->flags & FLAG_PERSON || is_agent_of_rows(p, column)) ||
            column->is_unique || column->yes || column->kind == COLUMN_DATE ||
            column->kind == COLUMN_BOOL || column->role == ROLE_QUANTITY ||
            column_counts_things(column))
            continue;
        if (found >= 0)
            return -1;
        found = i;
    }
    return found;
}

int
parse_people_party(const struct parser *p)
{
    const int found = parse_people_column(p);

    return found >= 0 && column_is_called(&p->frame->column[found], p->lexicon,
                                          "word.parties")
               ? found
               : -1;
}
