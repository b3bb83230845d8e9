/* compare: rows that have something with those that have not. */
#include "bridge/planner/filter/parse_conditions.h"

/* The yes or no that a word may mean: `has_solar` of "solar". */
static const struct value *
flag_meant(struct parser *p, int at)
{
    for (unsigned i = 0; i < p->token[at].item->links; i++) {
        const struct value *value =
            value_of_column(p, p->token[at].item->link[i].column);

        if (value_is_flag(p, value))
            return value;
    }
    return NULL;
}

/* Whether there are some: more than none of `co_applicants`. NULL: the column does not
 * count things. */
static const struct value *
some_of(struct parser *p, int at)
{
    const struct column *column = token_column(p, at);

    if (!column || column->kind != COLUMN_NUMBER || !column->is_integer ||
        !column->has_range || column->low < 0 || column->low > 0)
        return NULL;
    struct test *test = arena_alloc(p->arena, 1, sizeof(*test));
    *test = (struct test){.of = p->token[at].value, .op = OP_GT};
    parser_add_operand(test, (struct operand){.is_number = true, .number = 0});
    return value_make(
        p,
        (struct value){
            .kind = VALUE_TEST,
            .test = test,
            .tests = 1,
            .name = column->name,
            .yes = lexicon_say(p->lexicon, p->arena, "name.with", &column->name, 1),
            .no = lexicon_say(p->lexicon, p->arena, "name.without", &column->name, 1)});
}

static const struct value *
had_at(struct parser *p, int at)
{
    const int root = token_kind(p, at, TOKEN_UNKNOWN) /* "dispute" of `disputed` */
                         ? parser_roots_flag(p, p->token[at].text)
                         : -1;

    if (root >= 0) {
        parser_note(p, "assume.column", token_text(p, at), p->frame->column[root].name);
        return value_of_column(p, root);
    }
    if (!token_kind(p, at, TOKEN_VALUE) || p->token[at].value->kind != VALUE_COLUMN)
        return NULL;
    const struct value *flag = flag_meant(p, at);
    if (!flag)
        return some_of(p, at);
    parser_note(p, "assume.column", token_text(p, at), value_column(p, flag)->name);
    p->token[at].value = flag;
    return flag;
}

static bool
is_with(const struct parser *p, int at)
{
    return token_is(p, at, TERM_WITH) || token_is(p, at, TERM_WHOSE);
}

static bool
is_without(const struct parser *p, int at)
{
    return token_is(p, at, TERM_EXCEPT) || token_is(p, at, TERM_NOT);
}

static bool
joins_both(const struct parser *p, int at)
{
    return token_is(p, at, TERM_AND) || token_is(p, at, TERM_VERSUS);
}

static bool
ends(const struct parser *p, int at)
{
    return at == p->count || token_kind(p, at, TOKEN_STOP) ||
           token_kind(p, at, TOKEN_COMMA) || token_is(p, at, TERM_BY);
}

/* Where what they have stands, in "with and without X" and "with X and without one";
 * -1: neither is said. *end: behind all of it. */
static int
thing_of_both(const struct parser *p, int at, int *end)
{
    if (token_is(p, at, TERM_WITH) && joins_both(p, at + 1) && is_without(p, at + 2)) {
        *end = at + 4;
        return at + 3;
    }
    /* "with X vs people without one", "who had X and those who had none" */
    const int other = at + 3 + token_kind(p, at + 3, TOKEN_ROWS);
    const bool has_none =
                   is_with(p, at) && is_with(p, other) && other + 1 < p->count &&
                   lexicon_lists(p->lexicon, "word.none", p->token[other + 1].text),
               is_first = is_with(p, at) && is_without(p, other),
               is_last = is_without(p, at) && is_with(p, other);
    *end = other + 1 + (has_none || token_is_pronoun(p, other + 1));
    return (is_first || is_last || has_none) && joins_both(p, at + 2) && ends(p, *end)
               ? at + 1
               : -1;
}

bool
parse_with_without(struct parser *p, int at)
{
    int end;
    const int thing = token_is_free(p, at) ? thing_of_both(p, at, &end) : -1;
    const struct value *had = thing < 0 ? NULL : had_at(p, thing);

    if (!had)
        return false;
    parser_add_key(p, had);
    p->query->is_compared = true;
    token_use(p, at, end - 1);
    return true;
}
