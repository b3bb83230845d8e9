/* calendar: how a number moved from one period to another: "which region grew the most
 * from 2023 to 2024", "by how many percent did sales fall between May and June". */
#include "bridge/planner/calendar/parse_moves.h"

#include "bridge/planner/calendar/calendar.h"
#include "bridge/planner/calendar/parse_two_periods.h"

enum query_move
parse_moves_at(const struct parser *p, int at)
{
    static const struct {
        const char *list;
        enum query_move move;
    } moves[] = {
        {"word.moves.up",     MOVE_UP    },
        {"word.moves.down",   MOVE_DOWN  },
        {"word.moves.either", MOVE_EITHER},
    };

    if (token_is(p, at, TERM_CHANGE) || token_is(p, at, TERM_DIFFERENCE))
        return MOVE_EITHER;
    if (token_is(p, at, TERM_GROWTH))
        return MOVE_UP;
    for (size_t i = 0; i < COUNT_OF(moves); i++)
        if (token_kind(p, at, TOKEN_UNKNOWN) &&
            lexicon_lists(p->lexicon, moves[i].list, p->token[at].text))
            return moves[i].move;
    return MOVE_NONE;
}

static int
find_move(const struct parser *p, enum query_move *move)
{
    for (int i = 0; i < p->count; i++) {
        *move = parse_moves_at(p, i);
        if (*move != MOVE_NONE)
            return i;
    }
    return -1;
}

/* "by how much", "by what percentage", "in percent" */
static void
use_question(struct parser *p, int move)
{
    bool is_percent = p->has_percent || token_is(p, move, TERM_GROWTH);

    for (int i = 0; i < p->count; i++) {
        if (token_is(p, i, TERM_HOW_MUCH) && i < move) {
            token_use(p, i - token_is(p, i - 1, TERM_BY), i);
        } else if (token_is(p, i, TERM_SHARE) || token_is(p, i, TERM_PERCENT_UNIT)) {
            int first = i;

            while (token_is(p, first - 1, TERM_IN) || token_is(p, first - 1, TERM_AS) ||
                   token_is(p, first - 1, TERM_BY) ||
                   token_is(p, first - 1, TERM_WHICH) ||
                   token_is(p, first - 1, TERM_HOW_MANY))
                first--;
            token_use(p, first, i);
            is_percent = true;
        }
    }
    p->query->is_relative = is_percent;
}

/* "change by month between June and August": along those, and not from one to the
 * other. */
static bool
is_along(const struct parser *p, const struct two_periods *two)
{
    const enum query_part part = two->one.year != two->other.year ? PART_YEAR
                                 : two->one.is_quarter            ? PART_QUARTER
                                                                  : PART_MONTH;

    for (int i = 0; i < p->count; i++)
        if (token_kind(p, i, TOKEN_TERM) && parser_part(p->token[i].term) == part &&
            (p->token[i].item->len > 1 || token_is(p, i - 1, TERM_BY) ||
             token_is(p, i - 1, TERM_PER) || token_is(p, i - 1, TERM_EACH)))
            return true;
    return false;
}

/* Months of data of several years, and no year is said. */
static bool
is_open(const struct parser *p, int date, const struct two_periods *two)
{
    const struct column *column = &p->frame->column[date];

    return !two->one.year && column->first_year != column->last_year;
}

static bool
take_periods(struct parser *p, int date)
{
    struct two_periods two;

    for (int i = 0; i < p->count; i++) {
        const int column =
            token_is_free(p, i) ? calendar_column(p, date, i) : CALENDAR_NONE;

        if (column == CALENDAR_NONE || !parse_two_periods_read(p, i, &two) ||
            is_along(p, &two) || is_open(p, column, &two) ||
            (two.one.first && p->frame->column[column].kind != COLUMN_DATE))
            continue;
        parse_two_periods_take(p, column, i, &two);
        return true;
    }
    return false;
}

/* "companies whose revenue fell", "which sites grew": with no "most" of it. */
static bool
says_which(const struct parser *p, int at)
{
    bool is_said = p->wants_which;

    for (int i = 0; i < p->count; i++) {
        if (token_is(p, i, TERM_HIGH) || token_is(p, i, TERM_LOW) ||
            token_is(p, i, TERM_TOP) || token_is(p, i, TERM_BOTTOM) ||
            token_is(p, i, TERM_HOW_MUCH))
            return false;
        is_said |= i < at && token_is(p, i, TERM_WHOSE);
    }
    return is_said;
}

static bool
has_period(const struct parser *p)
{
    for (int i = 0; i < p->count; i++)
        if (calendar_month(p, i) || calendar_is_year(p, i) ||
            (token_kind(p, i, TOKEN_TERM) && p->token[i].term >= TERM_Q1 &&
             p->token[i].term <= TERM_Q4))
            return true;
    return false;
}

void
parse_moves(struct parser *p)
{
    const unsigned notes = p->notes;
    enum query_move move = MOVE_NONE;
    const int at = has_period(p) ? find_move(p, &move) : -1,
              date = at < 0 ? -1 : parser_roots_time(p);

    if (date < 0 || !take_periods(p, date)) {
        p->notes = notes;
        return;
    }
    use_question(p, at);
    token_use(p, at, at);
    p->query->is_only_moved = move != MOVE_EITHER && says_which(p, at);
    p->wants_time = false;
    p->query->is_compared = p->query->is_difference = true;
    p->query->move = move;
}

void
parse_moves_finish(struct parser *p)
{
    struct query *query = p->query;

    if (!query->amounts) {
        parser_add_amount(p, REDUCE_COUNT, NULL);
        parser_note(p, "assume.count", "", NULL);
    }
    if (p->wants_who && query->keys == 1) {
        const int who = parse_people_column(p);
        if (who >= 0)
            parser_add_key(p, value_of_column(p, who));
    }
    if (query->keys != 2) {
        parser_refuse(p, "refuse.difference", "");
        return;
    }
    query->rank.is_low ^= query->move == MOVE_DOWN;
}
