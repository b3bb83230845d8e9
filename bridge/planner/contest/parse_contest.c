/* compare: "do repeat guests give better ratings than others": two groups, and the mean
 * of each. */
#include "bridge/planner/contest/parse_contest.h"

#include "bridge/planner/filter/parse_conditions.h"

static bool
is_either(const struct parser *p, int at)
{
    return token_is(p, at, TERM_OR) && token_kind(p, at - 1, TOKEN_CELL) &&
           token_kind(p, at + 1, TOKEN_CELL) && parse_contest_more(p) > at;
}

static bool
find_words(const struct parser *p, struct contest *contest)
{
    for (int i = 0; i + 1 < p->count; i++) {
        bool is_joined = token_is(p, i, TERM_GREATER) || token_is(p, i, TERM_LESS);

        if (token_kind(p, i + 1, TOKEN_NUMBER) || !token_is_free(p, i))
            continue;
        if (token_is(p, i, TERM_VERSUS) && token_is(p, i + 1, TERM_REST)) {
            contest->more = contest->than = i; /* "of US firms vs others" */
            return true;
        }
        if (is_joined || (token_is(p, i, TERM_THAN) && contest->more >= 0)) {
            contest->more = is_joined ? i : contest->more;
            contest->than = i;
            return true;
        }
        if (token_is(p, i, TERM_OR) && contest->more >= 0 &&
            token_kind(p, i - 1, TOKEN_CELL)) { /* "higher in Rome or in Oslo" */
            contest->than = i;
            return true;
        }
        if (is_either(p, i)) { /* "Rome or Oslo, which gets more" */
            contest->than = i;
            contest->more = parse_contest_more(p);
            return true;
        }
        if (token_is(p, i, TERM_MORE))
            contest->more = i;
    }
    return false;
}

/* The column whose values both cells are; -1: none. */
static int
shared_column(const struct parser *p, int one, int other, const char *text[2])
{
    const struct value_entry *entry = p->frame->value;

    for (int a = p->token[one].item->value; a >= 0; a = entry[a].next)
        for (int b = p->token[other].item->value; b >= 0; b = entry[b].next)
            if (entry[a].column == entry[b].column &&
                strcmp(entry[a].text, entry[b].text) != 0) {
                text[0] = entry[a].text;
                text[1] = entry[b].text;
                return entry[a].column;
            }
    return -1;
}

/* A yes or no that a token tells of. */
bool
parse_contest_flag(struct parser *p, int at, struct test *test)
{
    *test = (struct test){.op = OP_EQ};
    if (token_kind(p, at, TOKEN_VALUE)) {
        for (unsigned i = 0;
             p->token[at].item->kind == ITEM_COLUMN && i < p->token[at].item->links;
             i++) {
            test->of = value_of_column(p, p->token[at].item->link[i].column);
            if (value_is_flag(p, test->of))
                return true;
        }
        return false;
    }
    if (!token_kind(p, at, TOKEN_UNKNOWN) ||
        !parser_roots_find(p, p->token[at].text, test) || test->operands)
        return false;
    if (test->than) /* "late": of two dates */
        *test = (struct test){.of = value_of_test(p, test), .op = OP_EQ};
    return true;
}

/* "than genuine ones", "than regulars": a word that says nothing else is the opposite
 * of the yes or no before it, which is said. */
static bool
is_opposite(struct parser *p, int at)
{
    const int next = at + 1;

    if (token_kind(p, at, TOKEN_UNKNOWN) && /* "than a normal one" */
        lexicon_lists(p->lexicon, "word.ordinary", p->token[at].text))
        return true;
    return parser_asks_whether(p) && token_kind(p, at, TOKEN_UNKNOWN) &&
           (next >= p->count || token_kind(p, next, TOKEN_ROWS) ||
            token_kind(p, next, TOKEN_STOP)) &&
           (lexicon_lists(p->lexicon, "word.ontime", p->token[at].text) || /* of late */
            !parser_roots_find(p, p->token[at].text, &(struct test){0}));
}

bool
parse_contest_is_rest(struct parser *p, int at)
{
    return token_is(p, at, TERM_REST) || token_is(p, at, TERM_EXCEPT) ||
           token_is(p, at, TERM_NOT) || is_opposite(p, at);
}

void
parse_contest_note_opposite(struct parser *p, int at, const struct value *of)
{
    if (token_kind(p, at, TOKEN_UNKNOWN))
        parser_note(p, "assume.opposite", token_text(p, at),
                    query_value_name(p->arena, p->frame, of));
}

/* Where the second group stands: behind "than", and what leads to it. */
static int
side_behind(const struct parser *p, int than)
{
    int at = than + 1;

    while (parse_conditions_is_link(p, at) || token_kind(p, at, TOKEN_ROWS) ||
           token_is(p, at, TERM_BY)) /* "than by the North" */
        at++;
    return at < p->count ? at : -1;
}

bool
parse_contest_take_cells(struct parser *p, const struct contest *contest)
{
    const char *text[2] = {NULL, NULL};

    for (int i = 0; i < contest->than; i++) {
        int column = token_kind(p, i, TOKEN_CELL)
                         ? shared_column(p, i, contest->other, text)
                         : -1;
        if (column < 0)
            continue;
        const struct value *of = value_of_column(p, column);
        struct test *test = parser_add_test(p, of, OP_IN);
        parser_add_operand(test, (struct operand){.text = text[0]});
        parser_add_operand(test, (struct operand){.text = text[1]});
        parser_add_key(p, of);
        token_use(p, i, i);
        for (int k = i - 2; k <= i + 1; k++) /* "on the night shift" */
            if (token_column(p, k) == &p->frame->column[column])
                token_use(p, k, k);
        if (token_column(p, contest->other + 1) == &p->frame->column[column])
            token_use(p, contest->other + 1, contest->other + 1);
        return true;
    }
    return false;
}

/* "than non-residents": of the same column. */
static void
use_named_again(struct parser *p, const struct contest *contest, const struct value *of)
{
    struct test test;

    for (int i = contest->other + 1; i <= contest->other + 2; i++)
        if (i < p->count && parse_contest_flag(p, i, &test) &&
            query_value_is_same(test.of, of))
            token_use(p, contest->other, i);
}

static bool
take_flags(struct parser *p, const struct contest *contest)
{
    struct test one, other;
    bool is_open = parse_contest_is_rest(p, contest->other);

    if (!is_open && !parse_contest_flag(p, contest->other, &other))
        return false;
    for (int i = 0; i < contest->than; i++) {
        if (!token_is_free(p, i) || !parse_contest_flag(p, i, &one) ||
            (!is_open && !query_value_is_same(one.of, other.of)))
            continue;
        if (token_kind(p, i, TOKEN_VALUE))
            p->token[i].value = one.of;
        parser_add_key(p, one.of);
        parse_contest_note_opposite(p, contest->other, one.of);
        token_use(p, i, i);
        use_named_again(p, contest, one.of);
        return true;
    }
    return false;
}

/* "do referrals score higher than the rest": of one value, and of all others. */
static bool
take_cell_and_rest(struct parser *p, const struct contest *contest)
{
    if (!parse_contest_is_rest(p, contest->other))
        return false;
    for (int i = 0; i < contest->than; i++) {
        if (!token_kind(p, i, TOKEN_CELL) || !token_is_free(p, i))
            continue;
        const struct value_entry *entry = &p->frame->value[p->token[i].item->value];
        struct test test = {.of = value_of_column(p, entry->column), .op = OP_EQ};

        parser_add_operand(&test, (struct operand){.text = entry->text});
        parser_add_key(p, value_of_test(p, &test));
        token_use(p, i, i);
        return true;
    }
    return false;
}

/* "more than 100 seats", "seats above 100": says which rows. */
static bool
has_bound(const struct parser *p, int at)
{
    return (token_kind(p, at - 1, TOKEN_NUMBER) && token_is_bound(p, at - 2)) ||
           (token_is_bound(p, at + 1) && token_kind(p, at + 2, TOKEN_NUMBER));
}

/* The number that the groups are compared by. */
static bool
has_measure(struct parser *p)
{
    for (int i = 0; i < p->count; i++)
        if (token_kind(p, i, TOKEN_VALUE) && token_is_free(p, i) && !has_bound(p, i) &&
            value_is_quantity(p, value_wanted(p, i, true)))
            return true;
    return false;
}

static bool
says_when(const struct parser *p, int from, int to)
{
    for (int i = from; i < to; i++)
        if (token_is(p, i, TERM_WHEN) || token_is(p, i, TERM_FOR) ||
            token_is(p, i, TERM_WITH) || token_is(p, i, TERM_WHOSE))
            return true;
    return false;
}

/* The number that is not named, or only by a verb: "sell" beside "faster". */
static bool
take_measure(struct parser *p, int more)
{
    const bool is_time =
        more >= 0 && lexicon_lists(p->lexicon, "word.quicker", p->token[more].text);

    for (int i = 0; i < p->count; i++)
        if (!(is_time && i == more - 1) && token_kind(p, i, TOKEN_VALUE) &&
            token_is_free(p, i) && value_is_quantity(p, value_wanted(p, i, true)))
            return false;
    return parse_contest_measure(p, more);
}

/* "do members with a trainer visit more": than those without. */
static void
take_alone(struct parser *p, bool has_number)
{
    struct test side;
    int more = -1;

    for (int i = 0; i < p->count; i++) {
        if (token_is(p, i, TERM_THAN) || token_is(p, i, TERM_GREATER) ||
            token_is(p, i, TERM_LESS))
            return;
        if (token_is(p, i, TERM_MORE))
            more = i;
    }
    /* "shorter for urgent samples", "lower when it was late" */
    const int last = more < 0 ? -1 : more + 5;
    for (int i = 0; i < p->count && i <= last; i++) {
        const bool is_behind = i > more && !parse_contest_asks_how_much(p, more);

        if (i == more || (is_behind && !says_when(p, more + 1, i)) ||
            !token_is_free(p, i) || !parse_contest_flag(p, i, &side) || side.is_not)
            continue;
        if (!take_measure(p, more) && !has_number)
            return;
        if (token_kind(p, i, TOKEN_VALUE))
            p->token[i].value = side.of;
        parser_add_key(p, side.of);
        token_use(p, i, i);
        parse_conditions_use_lead(p, i - 1);
        parse_contest_settle(p, more);
        return;
    }
}

/* "get better ratings than": the word compares, and asks for no course of time. */
static void
name_better(struct parser *p)
{
    for (int i = 1; i + 1 < p->count; i++)
        if (token_is(p, i, TERM_TIME) && p->token[i].item->len == 2 &&
            lexicon_lists(p->lexicon, "word.gets", p->token[i].text) &&
            token_kind(p, i + 1, TOKEN_VALUE) && parser_asks_whether(p)) {
            p->token[i].term = TERM_MORE;
            p->token[i].is_used = false;
            p->wants_time = false;
        }
}

void
parse_contest_settle(struct parser *p, int more)
{
    const bool is_how_much = parse_contest_asks_how_much(p, more);

    if (is_how_much) {
        p->query->is_difference = true;
        token_use(p, more - 1, more - 1);
    }
    token_use(p, more, more);
    parse_contest_reduce(p, more, is_how_much);
    for (int i = 0; i < p->count; i++)
        if (token_is(p, i, TERM_BY) &&
            (parse_contest_is_number(p, i + 1) || token_kind(p, i + 1, TOKEN_CELL)))
            token_use(p, i, i); /* "bigger in terms of staff" */
    p->is_contest = p->query->is_compared = true;
    p->key_is_given[0] = true;
}

int
parse_contest_more(const struct parser *p)
{
    int more = -1;

    for (int i = 0; i < p->count; i++)
        if (token_is(p, i, TERM_MORE) && token_is_free(p, i))
            more = i;
    return more;
}

/* "Rome or Oslo, which gets more": rows. */
static bool
asks_which_more(const struct parser *p, const struct contest *contest)
{
    return contest->more > contest->than &&
           lexicon_lists(p->lexicon, "word.more", p->token[contest->more].text);
}

void
parse_contest(struct parser *p)
{
    struct contest contest = {.more = -1};

    name_better(p);
    const bool has_number = has_measure(p);
    if (has_number && parse_contest_difference(p))
        return;
    if (!find_words(p, &contest)) {
        const int more = parse_contest_more(p);

        if (!has_number && parser_asks_whether(p) && parse_contest_rates_alone(p))
            return;
        if (parser_asks_whether(p) || parse_contest_asks_how_much(p, more))
            take_alone(p, has_number);
        return;
    }
    contest.other = side_behind(p, contest.than);
    if (contest.other < 0)
        return;
    const unsigned notes = p->notes, amounts = p->query->amounts;
    const bool is_measured = take_measure(p, contest.more);
    const bool are_cells = token_kind(p, contest.other, TOKEN_CELL),
               is_plain = !has_number && !is_measured;
    bool is_taken = is_plain && are_cells && asks_which_more(p, &contest)
                        ? parse_contest_take_cells(p, &contest)
                    : is_plain ? parse_contest_rates(p, &contest)
                    : are_cells
                        ? parse_contest_take_cells(p, &contest)
                        : take_flags(p, &contest) || take_cell_and_rest(p, &contest) ||
                              parse_contest_take_bound(p, &contest);
    if (!is_taken) {
        if (is_measured) {
            p->query->amounts = amounts;
            p->notes = notes;
        }
        return;
    }
    token_use(p, contest.than, contest.other);
    parse_contest_settle(p, contest.more);
}
