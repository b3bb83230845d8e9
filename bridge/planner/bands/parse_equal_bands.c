/* derive: a number in groups of equal size: "by wait time quartile", "into quartiles by
 * price". */
#include "bridge/planner/tokens/parser.h"

/* What a part is called, and where the number stands whose parts they are. */
struct parts {
    int count;
    int from, to; /* tokens, the number's with them */
    int number;
};

/* Of the lexicon, which lists them as "quartile 4 quintile 5"; 0: it is not one.
 */
static int
parts_called(const struct parser *p, const struct word *word)
{
    const char *list = lexicon_say(p->lexicon, p->arena, "word.quantiles", NULL, 0);
    const struct words words = words_split(p->arena, slice_of(list ? list : ""), 32);

    for (size_t i = 0; i + 1 < words.count; i++)
        if (words.at[i].stem == word->stem && words.at[i + 1].kind == WORD_NUMBER)
            return (int)words.at[i + 1].number;
    return 0;
}

/* "quartile", "quartiles of", which is a term by itself. */
static int
parts_at(const struct parser *p, int at)
{
    const bool may_be =
        token_kind(p, at, TOKEN_UNKNOWN) || token_is(p, at, TERM_DESCRIBE);

    return may_be ? parts_called(p, &p->reading->words.at[p->token[at].item->begin])
                  : 0;
}

static bool
find_parts(const struct parser *p, int at, struct parts *parts)
{
    *parts = (struct parts){.from = at, .to = at};
    const bool is_term = token_kind(p, at, TOKEN_TERM); /* has its "of" */
    const bool joins = token_is(p, at + 1, TERM_OF) || token_is(p, at + 1, TERM_BY) ||
                       token_is(p, at + 1, TERM_FOR);
    const int behind = is_term ? at + 1 : at + 2;

    if (value_is_quantity_at(p, at - 1)) {
        parts->number = parts->from = at - 1;
    } else if ((joins || is_term) && value_is_quantity_at(p, behind)) {
        parts->number = parts->to = behind;
    } else if (token_is(p, at - 1, TERM_IN) && value_is_quantity_at(p, at - 2)) {
        parts->number = parts->from = at - 2;
    } else {
        return false;
    }
    parts->count = parts_at(p, at);
    const int said = parts->from - 1; /* "four price quartiles" */
    parts->from -= parts->count > 0 && token_whole(p, said) == parts->count;
    return parts->count > 0;
}

/* "split the flats into": what there is to be split is all rows. */
static void
drop_split(struct parser *p, int from)
{
    if (from < 1 ||
        !lexicon_lists(p->lexicon, "word.splits", p->reading->words.at[0].text))
        return;
    for (int i = 0; i < from; i++)
        if (!token_kind(p, i, TOKEN_CELL))
            token_drop(p, i, i);
}

/* Further on: "in each quartile", "in each". */
static void
drop_again(struct parser *p, int from)
{
    for (int i = from; i < p->count; i++) {
        if (!token_is(p, i, TERM_EACH) && !token_is(p, i, TERM_PER))
            continue;
        const int last = i + (parts_at(p, i + 1) > 0);
        if (last == i && !token_kind(p, i + 1, TOKEN_STOP) && i + 1 < p->count)
            continue;
        token_drop(p, token_is(p, i - 1, TERM_IN) ? i - 1 : i, last);
    }
}

/* "quartiles of the price", and nothing that would be told of each: what they are. */
static bool
is_described(const struct parser *p, const struct parts *parts)
{
    static const enum term opens[] = {TERM_BY, TERM_PER, TERM_EACH, TERM_IN, TERM_TO};

    for (size_t i = 0; i < COUNT_OF(opens); i++)
        if (token_is(p, parts->from - 1, opens[i]))
            return false;
    for (int i = 0; i < p->count; i++)
        if ((i < parts->from || i > parts->to) &&
            (token_kind(p, i, TOKEN_VALUE) || token_kind(p, i, TOKEN_ROWS)))
            return false;
    return true;
}

void
parse_equal_bands(struct parser *p)
{
    struct parts parts;

    for (int i = 0; i < p->count; i++) {
        if (!find_parts(p, i, &parts))
            continue;
        if (is_described(p, &parts))
            return;
        const struct value *value =
            value_make(p, (struct value){.kind = VALUE_QUANTILE,
                                         .left = p->token[parts.number].value,
                                         .count = parts.count});
        const bool is_key = token_is(p, parts.from - 1, TERM_BY) ||
                            token_is(p, parts.from - 1, TERM_PER) ||
                            token_is(p, parts.from - 1, TERM_EACH);

        drop_split(p, parts.from);
        token_become(p, parts.to, parts.to, value);
        token_drop(p, parts.from, parts.to - 1);
        if (!is_key) {
            p->token[parts.from] = p->token[parts.to - 1];
            p->token[parts.from].kind = TOKEN_TERM;
            p->token[parts.from].term = TERM_BY;
            p->token[parts.from].is_used = false;
        }
        drop_again(p, parts.to + 1);
        return;
    }
}
