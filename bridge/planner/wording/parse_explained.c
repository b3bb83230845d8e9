/* What a question explains itself: "large orders (more than 10 units)", "pass rate, a
 * pass being 50 or more", "load, i.e. passengers divided by seats". */
#include "bridge/planner/tokens/parser.h"

/* Tokens [mark, from) introduce what [from, to) says, of so many numbers of the table.
 */
struct explained {
    int mark, from, to, columns;
    bool is_name;  /* and not a list, or a value */
    bool is_again; /* the name is said once more */
};

static bool
is_end(const struct parser *p, int at)
{
    const bool is_key = (token_is(p, at, TERM_BY) || token_is(p, at, TERM_PER) ||
                         token_is(p, at, TERM_EACH)) &&
                        !token_is_bound(p, at + 1); /* "delayed by more than 5" */

    return token_kind(p, at, TOKEN_COMMA) || token_kind(p, at, TOKEN_STOP) || is_key;
}

/* "a pass being 50 or more" of a "pass rate": a word that was there before. */
static bool
is_said_before(const struct parser *p, int at)
{
    for (int i = 0; i < at; i++)
        if (token_kind(p, i, TOKEN_UNKNOWN) && token_kind(p, at, TOKEN_UNKNOWN) &&
            strcmp(p->token[i].text, p->token[at].text) == 0)
            return true;
    return false;
}

/* "where on time means", "a pass being", "pass = ": a name and its meaning, which comes
 * behind the token at `at`. */
static bool
is_equation(const struct parser *p, int at)
{
    const bool is_verb = (token_is(p, at, TERM_MEAN) || token_is(p, at, TERM_IS)) &&
                         lexicon_lists(p->lexicon, "word.means", p->token[at].text);
    const bool is_told = is_verb && (token_is(p, at - 2, TERM_WHOSE) ||
                                     token_kind(p, at - 2, TOKEN_COMMA));

    return (is_told && token_kind(p, at - 1, TOKEN_UNKNOWN)) ||
           ((is_verb || token_is(p, at, TERM_IS) || token_is(p, at, TERM_EQUAL)) &&
            is_said_before(p, at - 1));
}

static bool
find_explained(const struct parser *p, int at, struct explained *found)
{
    const bool is_bracket = token_is_mark(p, at, '('), is_again = is_equation(p, at);
    const bool is_mark =
        token_is(p, at, TERM_EQUAL) || token_kind(p, at, TOKEN_COMMA) ||
        (token_is(p, at, TERM_WHOSE) && token_kind(p, at - 1, TOKEN_COMMA));

    if (!is_bracket && !is_again && !is_mark && !token_is(p, at, TERM_MEANING))
        return false;
    *found = (struct explained){at - is_again,        at + 1,  at + 1, 0,
                                !is_mark || is_again, is_again};
    if (is_bracket && is_equation(p, at + 2))
        found->from += 2; /* "(pass = …)" */
    if (is_again && token_is(p, found->mark - 1, TERM_WHOSE))
        found->mark--;
    for (int depth = 0; found->to < p->count; found->to++) {
        if (!depth &&
            (is_bracket ? token_is_mark(p, found->to, ')') : is_end(p, found->to)))
            break;
        depth += token_is_mark(p, found->to, '(') - token_is_mark(p, found->to, ')');
    }
    for (int i = found->from; i < found->to; i++)
        found->columns += value_is_quantity_at(p, i);
    return found->to > found->from;
}

/* "(high or very high)", "(status open)": values of one column. */
static bool
is_of_cells(const struct parser *p, const struct explained *said)
{
    const struct column *column = NULL;
    int cells = 0;

    for (int i = said->from; i < said->to; i++) {
        if (token_kind(p, i, TOKEN_CELL)) {
            if (cells++ && token_cell_column(p, i) != column)
                return false;
            column = token_cell_column(p, i);
        } else if (!token_is(p, i, TERM_OR) && !token_is(p, i, TERM_IS) &&
                   !(token_kind(p, i, TOKEN_VALUE) && !cells)) {
            return false;
        }
    }
    return cells > 0;
}

/* "(high or very high)": the word for the most is a value here, as the other is. */
static void
name_cells(struct parser *p, const struct explained *said)
{
    const struct column *column = NULL;

    for (int i = said->from; i < said->to; i++)
        column = token_kind(p, i, TOKEN_CELL) ? token_cell_column(p, i) : column;
    for (int i = said->from; column && i < said->to; i++) {
        if (!(token_kind(p, i, TOKEN_TERM) || token_kind(p, i, TOKEN_UNKNOWN)) ||
            token_is(p, i, TERM_OR))
            continue;
        for (int v = frame_find_value(p->frame, words_squash(0, p->token[i].text));
             v >= 0; v = p->frame->value[v].next)
            if (&p->frame->column[p->frame->value[v].column] == column) {
                struct item *item = arena_alloc(p->arena, 1, sizeof(*item));

                *item = *p->token[i].item;
                item->value = v;
                p->token[i].item = item;
                p->token[i].kind = TOKEN_CELL;
                break;
            }
    }
}

/* "over 10", "rating of 1 or 2", "spend > revenue": of numbers, and of one kind. */
static bool
is_condition(const struct parser *p, const struct explained *said)
{
    const int columns = said->columns;
    int numbers = 0;
    bool compares = false, is_over = false, joins = false;

    for (int i = said->from; i < said->to; i++) {
        if (token_kind(p, i, TOKEN_DATE) || token_kind(p, i, TOKEN_CELL) ||
            token_kind(p, i, TOKEN_COMMA))
            return false;
        is_over |= token_is(p, i, TERM_OVER); /* "distance over time" */
        compares |= !token_is(p, i, TERM_OVER) &&
                    (token_is_bound(p, i) || token_is(p, i, TERM_BETWEEN) ||
                     token_is(p, i, TERM_EQUAL) || token_is(p, i, TERM_THAN));
        joins |= token_is(p, i, TERM_OR);
        numbers += token_kind(p, i, TOKEN_NUMBER);
    }
    const bool is_value = /* "(status 500)" */
        said->to - said->from == 2 && numbers == 1 && token_column(p, said->from) &&
        column_is_number(token_column(p, said->from));
    return ((compares || is_over) && numbers) || is_value ||
           (compares && columns == 2) || (columns <= 1 && joins && numbers == 2);
}

/* "where the mark beat the forecast (mark > forecast)": both columns, in other words.
 */
static bool
is_said_again(const struct parser *p, int at, const struct explained *said)
{
    if (said->columns != 2 || !token_kind(p, at, TOKEN_VALUE))
        return false;
    for (int i = said->from; i < said->to; i++)
        if (token_kind(p, i, TOKEN_VALUE) &&
            query_value_is_same(p->token[i].value, p->token[at].value))
            return true;
    return false;
}

/* What says nothing before it is explained: "large", "failed", "lost money". */
static bool
is_to_explain(const struct parser *p, int at, const struct explained *said)
{
    const bool is_object = said->columns && value_is_quantity_at(p, at) &&
                           token_kind(p, at - 1, TOKEN_UNKNOWN) &&
                           token_kind(p, at - 2, TOKEN_ROWS);

    return token_kind(p, at, TOKEN_UNKNOWN) || is_object ||
           is_said_again(p, at, said) ||
           (token_kind(p, at, TOKEN_VALUE) && p->token[at].score < 0.7f &&
            token_is(p, at + 1, TERM_RATE));
}

/* The first token of the words before `last` that belong together; `*explains`: whether
 * one of them is to be explained. */
static int
first_of_name(const struct parser *p, const struct explained *said, int last,
              bool *explains)
{
    int at = last;

    *explains = false;
    for (; at >= 0 &&
           (token_kind(p, at, TOKEN_UNKNOWN) || token_kind(p, at, TOKEN_ROWS) ||
            token_kind(p, at, TOKEN_VALUE) || token_is(p, at, TERM_IS) ||
            token_is(p, at, TERM_WHOSE) || token_is(p, at, TERM_RATE));
         at--)
        *explains |= is_to_explain(p, at, said) || token_is(p, at, TERM_RATE);
    return at + 1;
}

/* "large orders by region (…)": the words before its keys; -1. */
static int
before_keys(const struct parser *p, int last)
{
    while (last >= 0 && !token_is(p, last, TERM_BY) && !token_is(p, last, TERM_PER) &&
           !token_is(p, last, TERM_EACH))
        last--;
    return last - 1;
}

/* "minors (under 18)": what rows are called here. */
static bool
is_noun(const struct parser *p, int at, int last)
{
    const bool is_counted =
        token_is(p, at - 1, TERM_HOW_MANY) || token_is(p, at - 1, TERM_COUNT);

    for (int i = at + 1; i <= last; i++)
        if (token_kind(p, i, TOKEN_ROWS) || token_kind(p, i, TOKEN_VALUE) ||
            token_kind(p, i, TOKEN_UNKNOWN))
            return false;
    for (int i = at - 1; i >= 0 && !token_kind(p, i, TOKEN_TERM); i--)
        if (token_kind(p, i, TOKEN_ROWS) || token_kind(p, i, TOKEN_VALUE))
            return false;
    return p->token[at].is_plural || is_counted;
}

static void
set_aside(struct parser *p, int at, struct explained *said)
{
    token_set_aside(p, at);
    said->mark--;
    said->from--;
    said->to--;
}

/* What stands at `at` in a name that ends at `last` is explained behind it. */
static void
use_explained(struct parser *p, int at, int last, struct explained *said)
{
    const bool is_share =
        token_is(p, at, TERM_RATE) ||
        (token_kind(p, at, TOKEN_UNKNOWN) &&
         lexicon_lists(p->lexicon, "word.proportions", p->token[at].text));
    const bool explains =
        is_to_explain(p, at, said) || /* "error rate" */
        (token_kind(p, at, TOKEN_ROWS) && token_is(p, at + 1, TERM_SHARE));

    if (is_share) {
        p->token[at].kind = TOKEN_TERM;
        p->token[at].term = TERM_SHARE;
    } else if (explains && is_noun(p, at, last)) {
        p->token[at].kind = TOKEN_ROWS;
    } else if (explains || token_is(p, at, TERM_IS) || token_is(p, at, TERM_WHOSE)) {
        set_aside(p, at, said);
    }
}

/* The same comparison: there is nothing to explain. */
static bool
is_said_twice(const struct parser *p, const struct explained *said)
{
    const int at = said->mark - 3;

    return said->to - said->from == 3 && token_is_bound(p, at + 1) &&
           token_is_bound(p, said->from + 1) && is_said_again(p, at, said) &&
           is_said_again(p, at + 2, said);
}

/* Rows that pass the condition are what the words before it mean. */
static void
explain_rows(struct parser *p, struct explained *said)
{
    bool explains;
    int last = said->mark - 1;

    if (is_said_twice(p, said)) {
        token_drop(p, said->mark, said->to);
        return;
    }
    while (token_kind(p, last, TOKEN_COMMA))
        last--;
    int first = first_of_name(p, said, last, &explains);
    if (token_is(p, said->from - 1, TERM_MEANING) && token_kind(p, last, TOKEN_ROWS))
        explains = true; /* of "quick papers", where "quick" says nothing */
    if (!explains) {
        last = before_keys(p, last);
        first = first_of_name(p, said, last, &explains);
    }
    if (!explains && !said->columns && value_is_quantity_at(p, said->mark - 1)) {
        if (token_is_mark(p, said->to, ')'))
            token_set_aside(p, said->to);
        for (int i = said->from - 1; i >= said->mark; i--)
            token_set_aside(p, i); /* "scores (9 or 10)" */
        const int name = said->mark - 1;
        if (token_is(p, name - 1, TERM_HOW_MANY) || token_is(p, name - 1, TERM_COUNT)) {
            token_put_term(p, name, TERM_ROWS); /* how many rows with those */
            p->token[name].kind = TOKEN_ROWS;
            token_put_term(p, name + 1, TERM_WITH);
        }
        return;
    }
    if (!explains || last < 0)
        return;
    if (token_is_mark(p, said->to, ')'))
        token_set_aside(p, said->to);
    const int before = said->mark;
    for (int at = last; at >= first; at--)
        use_explained(p, at, last - (before - said->mark), said);
    last -= before - said->mark;
    token_drop(p, said->mark, said->from - 1);
    for (int from = said->from, to = last + 1; from < said->to; from++, to++)
        token_bring_forward(p, from, to);
    if (said->columns) /* else "marks (90 and above)", of what stands before */
        token_put_term(p, last + 1, TERM_WHOSE);
}

/* "passengers divided by seats" */
static bool
is_formula(const struct parser *p, const struct explained *said)
{
    static const enum term operators[] = {TERM_TIMES, TERM_DIVIDED, TERM_MINUS,
                                          TERM_PLUS,  TERM_OVER,    TERM_PER};
    bool joins = false;

    for (int i = said->from; i < said->to; i++) {
        joins |= token_kind(p, i, TOKEN_MARK) ||
                 (token_is(p, i, TERM_SHARE) && token_is(p, i - 1, TERM_AS));
        for (size_t k = 0; k < COUNT_OF(operators); k++)
            joins |= token_is(p, i, operators[k]);
    }
    return said->columns >= 2 && joins &&
           (token_kind(p, said->from, TOKEN_VALUE) ||
            token_is_mark(p, said->from, '(')) &&
           (token_kind(p, said->to - 1, TOKEN_VALUE) ||
            token_is_mark(p, said->to - 1, ')'));
}

static void
put_mark(struct parser *p, int at, const char *mark)
{
    p->token[at].kind = TOKEN_MARK;
    p->token[at].text = mark;
}

/* In brackets, as formulas that explain a name are read; or, behind the name, as any.
 */
static void
put_formula(struct parser *p, struct explained *said)
{
    for (int i = said->to - 1; i > said->from; i--) {
        if (token_is(p, i, TERM_SHARE) && token_is(p, i - 1, TERM_AS)) {
            token_set_aside(p, i - 1); /* "passengers as a share of seats" */
            said->to--;
            put_mark(p, --i, "/");
        } else if (token_is(p, i, TERM_DIVIDED) || token_is(p, i, TERM_OVER) ||
                   token_is(p, i, TERM_PER)) {
            put_mark(p, i, "/");
        }
    }
    if (said->is_again || token_is_mark(p, said->from - 1, '('))
        return;
    token_drop(p, said->mark, said->from - 1);
    put_mark(p, said->from - 1, "(");
    p->token[said->from - 1].is_used = false;
    token_make_room(p, said->to, 1);
    p->token[said->to] = p->token[said->to - 1];
    put_mark(p, said->to, ")");
}

void
parse_explained(struct parser *p)
{
    struct explained said;

    for (int i = 1; i < p->count; i++) {
        if (!find_explained(p, i, &said))
            continue;
        const bool is_last = /* "profit by shop, revenue minus cost" */
            said.to == p->count || token_kind(p, said.to, TOKEN_STOP);

        if (said.is_name)
            name_cells(p, &said);
        if (said.is_name && (is_of_cells(p, &said) || is_condition(p, &said)))
            explain_rows(p, &said);
        else if ((said.is_name || is_last) && is_formula(p, &said))
            put_formula(p, &said);
    }
}
