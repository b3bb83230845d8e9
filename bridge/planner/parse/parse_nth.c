/* rank: "the second most", "3rd largest": the one row or group that has this place. */
#include "bridge/planner/tokens/parser.h"

/* Which of the lexicon's "second third fourth" a word is, counted from 2; 0: none. */
static int
place_of(const struct parser *p, const char *word)
{
    const char *at = lexicon_say(p->lexicon, p->arena, "word.nths", NULL, 0);

    for (int place = 2; *at; place++) {
        const size_t len = strcspn(at, " ");

        if (len == strlen(word) && strncmp(at, word, len) == 0)
            return place;
        at += len + strspn(at + len, " ");
    }
    return 0;
}

/* The place that stands before the extreme at `at`, and where its words begin. */
static int
place_before(const struct parser *p, int at, int *begin)
{
    *begin = at - 1;
    if (token_is(p, at - 1, TERM_NTH) && token_kind(p, at - 2, TOKEN_NUMBER)) {
        *begin = at - 2;
        return token_whole(p, at - 2);
    }
    return token_kind(p, at - 1, TOKEN_UNKNOWN) || token_is(p, at - 1, TERM_UNIT) ||
                   token_kind(p, at - 1, TOKEN_VALUE) /* "second" of `wait_min` */
               ? place_of(p, p->token[at - 1].text)
               : 0;
}

bool
parse_nth(struct parser *p, int at)
{
    int begin;
    const int place = token_is_extreme(p, at) ? place_before(p, at, &begin) : 0;

    if (place < 2 || p->query->rank.is_there)
        return false;
    p->query->rank.is_there = true;
    p->query->rank.is_nth = true;
    p->query->rank.is_low = token_is(p, at, TERM_LOW) || token_is(p, at, TERM_BOTTOM);
    p->query->rank.count = place;
    p->rank_at = at;
    parser_unnote(p, token_text(p, begin)); /* "second" is no unit of a time */
    token_use(p, begin, at);
    return true;
}
