/* What an answer assumes of columns and of words for rows. */
#include "bridge/planner/tokens/parser.h"

static void
note_gaps(struct parser *p)
{
    for (unsigned i = 0; i < p->query->amounts; i++) {
        const struct amount *amount = &p->query->amount[i];
        const struct column *column =
            amount->reduce == REDUCE_RATE && amount->tests == 1
                ? value_column(p, amount->test->of)
                : NULL;

        if (column && column->kind == COLUMN_NUMBER && column_is_binary(column) &&
            column->nulls > 0)
            parser_note(p, "assume.gaps", column->name, NULL);
    }
}

/* "not in clear weather" of weather that some rows do not have. */
static void
note_missing(struct parser *p)
{
    for (unsigned i = 0; i < p->query->tests; i++) {
        const struct test *test = &p->query->test[i];
        const struct column *column = value_column(p, test->of);
        const bool is_other = test->op == OP_NE || test->op == OP_NOT_IN;

        if (column && is_other && column->kind == COLUMN_TEXT && column->nulls > 0 &&
            test->operands == 1 && test->operand[0].text)
            parser_note(p, "assume.missing", column->name, test->operand[0].text);
    }
}

/* "patients" in a table of stays: taken for its rows. */
static void
note_nouns(struct parser *p)
{
    for (int i = 0; i < p->count; i++) {
        bool is_said = false;

        for (unsigned k = 0; k < p->notes; k++)
            is_said |= strcmp(p->note[k].arg[0], token_text(p, i)) == 0;
        if (token_kind(p, i, TOKEN_ROWS) && !p->token[i].is_noun && !is_said)
            parser_note(p, "assume.noun", token_text(p, i), NULL);
    }
}

/* "<0.05" of a number that was too small to be measured: taken for the bound. */
static void
note_bound(struct parser *p, const struct value *value)
{
    const struct column *column = value ? value_column(p, value) : NULL;

    if (column && column->is_measured && column->bound)
        parser_note(p, "assume.bound", column->bound, column->name);
}

void
parse_notes(struct parser *p)
{
    for (unsigned i = 0; i < p->query->amounts; i++)
        note_bound(p, p->query->amount[i].of);
    for (unsigned i = 0; i < p->query->tests; i++)
        note_bound(p, p->query->test[i].of);
    note_bound(p, p->query->rank.by);
    note_gaps(p);
    note_nouns(p);
    note_missing(p);
    for (int i = 0; i < p->count; i++)
        if (token_kind(p, i, TOKEN_VALUE) && p->token[i].value->kind == VALUE_COLUMN &&
            p->token[i].score < 0.9f)
            parser_note(p, "assume.column", token_text(p, i),
                        p->frame->column[p->token[i].value->column].name);
    for (unsigned i = 0; i < p->query->keys; i++) {
        const struct column *column = value_column(p, p->query->key[i]);

        if (column && column->nulls > 0)
            parser_note(p, "assume.nokey", column->name, NULL);
        if (column && column->is_mixed)
            parser_note(p, "assume.case", column->name, NULL);
    }
}
