/* rate: "cancellation rate", of a cell or flag; and columns that are called rates. */
#include "bridge/planner/tokens/parser.h"

/* "cache hit rate": HIT is what stands in `cache`. */
static bool
find_cell_of_rate(struct parser *p, int at, struct test *found)
{
    const struct column *before = token_column(p, at - 1);
    int v = frame_find_value(p->frame, words_squash(0, p->token[at].text));

    for (; v >= 0; v = p->frame->value[v].next) {
        const struct value_entry *entry = &p->frame->value[v];

        if (before != &p->frame->column[entry->column])
            continue;
        *found = (struct test){.of = value_of_column(p, entry->column), .op = OP_EQ};
        parser_add_operand(found, (struct operand){.text = entry->text});
        token_use(p, at - 1, at - 1);
        return true;
    }
    return false;
}

/* "cancellation" of a date that only some rows have. */
static bool
is_date_of_some(const struct parser *p, int at)
{
    const struct column *column = token_column(p, at);

    return column && column->kind == COLUMN_DATE && column->nulls > 0;
}

/* "approval rate" in a table that has a column `Rate`: no part of that column's name
 * stands before it, but a cell or a flag. */
static bool
is_rate(struct parser *p, int at)
{
    const struct token *token = &p->token[at];

    if (token_is(p, at, TERM_RATE))
        return true;
    return at > 0 && token_kind(p, at, TOKEN_VALUE) && token->item->len == 1 &&
           token->item->kind == ITEM_COLUMN &&
           lexicon_exact(p->lexicon, &p->reading->words, token->item->begin, 1) ==
               TERM_RATE &&
           (token_kind(p, at - 1, TOKEN_CELL) ||
            (token_kind(p, at - 1, TOKEN_UNKNOWN) &&
             parser_roots_find(p, p->token[at - 1].text, &(struct test){0})) ||
            (token_kind(p, at - 1, TOKEN_VALUE) && token_is_free(p, at - 1) &&
             (value_is_flag(p, p->token[at - 1].value) || is_date_of_some(p, at - 1))));
}

/* A word that added nothing to the column beside it. */
static bool
is_absorbed(const struct parser *p, int at)
{
    return token_kind(p, at, TOKEN_COMMA) && p->token[at].item->kind != ITEM_COMMA;
}

/* "rate of returns"; but "cancellation rate of subscriptions" */
static int
what_of(const struct parser *p, int at)
{
    const bool is_of = token_is(p, at + 1, TERM_OF);
    const bool has_more =
        token_kind(p, at + 2, TOKEN_ROWS) &&
        (token_kind(p, at - 1, TOKEN_UNKNOWN) || token_kind(p, at - 1, TOKEN_CELL) ||
         token_column(p, at - 1));

    return is_of && !has_more ? at + 2 : at - 1;
}

/* A number of pieces, and what it may be called. */
struct pieces {
    const char *list;
    int part; /* the column of those of them that are scrap */
};

static bool
is_whole(const struct parser *p, int column, const void *about)
{
    const struct pieces *pieces = about;
    const struct value value = {.kind = VALUE_COLUMN, .column = column};

    return column != pieces->part && value_is_quantity(p, &value) &&
           p->frame->column[column].is_integer &&
           column_is_called(&p->frame->column[column], p->lexicon, pieces->list);
}

/* The number of all that there are: "pieces made", of which some are scrap; below 0:
 * there is none, or several could be. */
static int
whole_of(const struct parser *p, int part)
{
    const struct pieces made = {"word.made", part}, wholes = {"word.wholes", part};
    const int found = value_only_column(p, is_whole, &made);

    return found != NO_COLUMN ? found : value_only_column(p, is_whole, &wholes);
}

/* "scrap rate" of pieces that are scrap, among those that were made. */
static bool
take_rate_of_counts(struct parser *p, int at)
{
    const struct column *column = token_column(p, at - 1);
    const bool is_part = token_is(p, at, TERM_RATE) && column && column->is_integer &&
                         column_is_called(column, p->lexicon, "word.faults") &&
                         value_is_quantity(p, p->token[at - 1].value);
    const int whole = is_part ? whole_of(p, p->token[at - 1].value->column) : -1;

    if (whole < 0)
        return false;
    struct amount *amount = parser_add_amount(p, REDUCE_SUM, p->token[at - 1].value),
                  *per = arena_alloc(p->arena, 1, sizeof(*per));
    *per = (struct amount){.reduce = REDUCE_SUM, .of = value_of_column(p, whole)};
    amount->per = per;
    amount->per_count = 100;
    amount->is_percent = true;
    token_use(p, at - 1, at);
    if (token_is(p, at - 2, TERM_SUM))
        token_use(p, at - 2, at - 2); /* "overall" */
    parser_note(p, "assume.ratio", column->name, p->frame->column[whole].name);
    return true;
}

/* "return rate", "cancellation rate": of a cell or flag with that root. */
void
parse_rate_take(struct parser *p, int at)
{
    struct test found;

    if (!is_rate(p, at) || !token_is_free(p, at) || take_rate_of_counts(p, at))
        return;
    int what = what_of(p, at);
    while (what > 0 && what < at && is_absorbed(p, what))
        what--; /* "usage" of "pilot usage rate" */
    if (what < 0 || what >= p->count)
        return;
    bool is_column = token_kind(p, at, TOKEN_VALUE);
    if (is_column || !token_kind(p, what, TOKEN_VALUE) || p->token[what].score < 0.9f ||
        is_date_of_some(p, what)) {
        if (is_date_of_some(p, what)) {
            found = (struct test){.of = p->token[what].value, .op = OP_NOT_NULL};
        } else if (token_kind(p, what, TOKEN_CELL)) {
            const struct value_entry *entry =
                &p->frame->value[p->token[what].item->value];

            found = (struct test){.of = value_of_column(p, entry->column), .op = OP_EQ};
            parser_add_operand(&found, (struct operand){.text = entry->text});
        } else if (!find_cell_of_rate(p, what, &found) &&
                   !parser_roots_find(p, p->token[what].text, &found)) {
            return;
        }
        struct test *test = arena_alloc(p->arena, 1, sizeof(*test));
        *test = found;
        struct amount *amount = parser_add_amount(p, REDUCE_RATE, found.of);
        amount->test = test;
        amount->tests = 1;
        token_use(p, what < at ? what : at, what < at ? at : what);
        if (token_is(p, what - 1, TERM_SUM))
            token_use(p, what - 1, what - 1); /* "overall": of all rows */
        if (found.operands)
            parser_note(p, "assume.root", token_text(p, what), found.operand[0].text);
        else if (found.op == OP_NOT_NULL && !token_kind(p, what, TOKEN_VALUE))
            parser_note(p, "assume.known", token_text(p, what),
                        value_column(p, found.of)->name);
    }
}

/* The one number whose name has that word, where the word is not a "… rate" of rows. */
static int
column_of_term(const struct parser *p, int at)
{
    uint64_t stem = p->reading->words.at[p->token[at].item->begin].stem;
    int found = -1;

    for (int i = 0; i < p->frame->columns; i++) {
        const struct column *column = &p->frame->column[i];
        const struct value value = {.kind = VALUE_COLUMN, .column = i};

        for (size_t k = 0; k < column->words.count; k++)
            if (column->words.at[k].stem == stem && value_is_quantity(p, &value)) {
                if (found >= 0)
                    return -1;
                found = i;
            }
    }
    return found;
}

/* "average rate" in a table that has `nightly_rate`: a column, not a share of rows. */
void
parse_rate_name_columns(struct parser *p)
{
    for (int i = 0; i < p->count; i++) {
        bool is_of_rows =
            i > 0 && (token_kind(p, i - 1, TOKEN_UNKNOWN) ||
                      token_kind(p, i - 1, TOKEN_CELL) || is_date_of_some(p, i - 1) ||
                      (token_kind(p, i - 1, TOKEN_VALUE) &&
                       value_is_flag(p, p->token[i - 1].value)));
        int column =
            token_is(p, i, TERM_RATE) && !is_of_rows && !token_is(p, i + 1, TERM_OF)
                ? column_of_term(p, i)
                : -1;

        if (column < 0)
            continue;
        p->token[i].kind = TOKEN_VALUE;
        p->token[i].term = TERM_NONE;
        p->token[i].value = value_of_column(p, column);
        p->token[i].score = 0.8f;
        if (i > 0 && token_column(p, i - 1) == &p->frame->column[column])
            p->token[i].kind = TOKEN_COMMA;
    }
}
