/* filter: parts of text. */
#include "bridge/planner/filter/parse_conditions.h"

static const char *
quoted_after(struct parser *p, int at, int *end)
{
    const struct words *words = &p->reading->words;

    if (at + 1 >= p->count)
        return NULL;
    const struct item *item = p->token[at + 1].item;
    size_t first = item->begin, last = first + item->len - 1;
    int quote = words->at[first].quote;

    *end = at + 1;
    while (quote && last + 1 < words->count && words->at[last + 1].quote == quote)
        last++;
    while (*end + 1 < p->count && p->token[*end + 1].item->begin <= last)
        ++*end;
    size_t begin = words->at[first].begin, stop = words->at[last].end;
    if (stop > p->reading->question.len || begin > stop)
        return NULL;
    return arena_text(p->arena, p->reading->question.data + begin, stop - begin);
}

bool
parse_texts_take(struct parser *p, int at)
{
    static const struct {
        enum term term;
        enum plan_operator op;
    } terms[] = {
        {TERM_CONTAINS, OP_CONTAINS},
        {TERM_LETTERS,  OP_CONTAINS},
        {TERM_STARTS,   OP_STARTS  },
        {TERM_ENDS,     OP_ENDS    },
    };
    int end;

    for (size_t i = 0; i < COUNT_OF(terms); i++) {
        if (!token_is(p, at, terms[i].term) || !token_is_free(p, at))
            continue;
        int column = at - 1;
        while (column >= 0 &&
               (parse_conditions_is_link(p, column) || token_is(p, column, TERM_NOT)))
            column--;
        const char *text = quoted_after(p, at, &end);
        if (!text || !token_column(p, column) ||
            token_column(p, column)->kind != COLUMN_TEXT)
            return false;
        struct test *test = parser_add_test(p, p->token[column].value, terms[i].op);
        test->is_not = token_is(p, at - 1, TERM_NOT);
        parser_add_operand(test, (struct operand){.text = text});
        token_use(p, column, end);
        parse_conditions_use_lead(p, column - 1);
        return true;
    }
    return false;
}
