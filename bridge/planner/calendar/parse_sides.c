#include "bridge/planner/calendar/parse_sides.h"

#include "bridge/planner/calendar/parse_moves.h"

static bool
joins(const struct parser *p, int at)
{
    return token_is(p, at, TERM_AND) || token_is(p, at, TERM_OR) ||
           token_is(p, at, TERM_VERSUS) || token_is(p, at, TERM_WITH) ||
           token_is(p, at, TERM_TO) || token_is(p, at, TERM_THAN) ||
           token_is_mark(p, at, '/');
}

static bool
is_later(const struct parser *p, int at)
{
    return token_is(p, at, TERM_AFTER) || token_is(p, at, TERM_SINCE);
}

/* Where what is said of a time ends: "before 1 March 2024 [and after]". */
static int
end_of_time(const struct parser *p, int at)
{
    while (token_kind(p, at, TOKEN_NUMBER) || token_kind(p, at, TOKEN_DATE) ||
           (token_kind(p, at, TOKEN_TERM) && p->token[at].term >= TERM_JANUARY &&
            p->token[at].term <= TERM_DECEMBER) ||
           (token_kind(p, at, TOKEN_COMMA) && token_kind(p, at + 1, TOKEN_NUMBER)))
        at++;
    return at;
}

static bool
is_said_of_no_time(const struct parser *p, int at)
{
    return end_of_time(p, at) == at;
}

/* "did the price drop after 1 March 2024": against what was before. */
static bool
find_move(struct parser *p)
{
    int move = -1;

    for (int i = 0; i + 1 < p->count && parser_asks_whether(p); i++) {
        if (parse_moves_at(p, i) != MOVE_NONE && token_is_free(p, i))
            move = i;
        if (move < 0 || !is_later(p, i) || !token_is_free(p, i) ||
            is_said_of_no_time(p, i + 1))
            continue;
        token_use(p, move, move);
        p->token[i].term = TERM_BEFORE;
        return true;
    }
    return false;
}

static bool
find_sides(struct parser *p)
{
    for (int i = 0; i + 2 < p->count; i++) {
        if (!token_is(p, i, TERM_BEFORE) || !token_is_free(p, i))
            continue;
        if (joins(p, i + 1) && is_later(p, i + 2) &&
            !is_said_of_no_time(p, i + 3)) { /* "before and after May 20" */
            p->token[i + 2].term = TERM_BEFORE;
            token_drop(p, i, i + 1);
            return true;
        }
        const int end = end_of_time(p, i + 1);
        if (end > i + 1 && joins(p, end) && is_later(p, end + 1) &&
            is_said_of_no_time(p, end + 2)) { /* "before May 20 and after" */
            token_drop(p, end, end + 1);
            return true;
        }
    }
    return find_move(p);
}

void
parse_sides(struct parser *p)
{
    p->has_sides = find_sides(p);
}

void
parse_sides_group(struct parser *p)
{
    struct query *query = p->query;
    struct value *side = value_of_test(p, &query->test[--query->tests]);

    side->yes = lexicon_say(p->lexicon, p->arena, "side.before", NULL, 0);
    side->no = lexicon_say(p->lexicon, p->arena, "side.after", NULL, 0);
    parser_add_key(p, side);
    query->is_compared = true;
}
