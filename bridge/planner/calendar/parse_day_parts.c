/* calendar: parts of the day: "in the morning"; "before noon or after", "mornings
 * versus afternoons", which compares the two. */
#include "bridge/planner/calendar/parse_day_parts.h"

#include "bridge/planner/calendar/calendar.h"

enum {
    NOON = 12,
};

static const struct {
    const char *list;
    int first, last; /* hours */
} parts[] = {
    {"word.morning",   0,    NOON - 1},
    {"word.afternoon", NOON, 17      },
    {"word.evening",   18,   23      },
};

static bool
is_word(const struct parser *p, int at, const char *list)
{
    return token_kind(p, at, TOKEN_UNKNOWN) && token_is_free(p, at) &&
           lexicon_lists(p->lexicon, list, p->token[at].text);
}

/* One of the two halves of a day, [from, to]; 0: neither; 1: that before noon; 2. */
static int
half_at(const struct parser *p, int at, int *to)
{
    *to = at;
    if (is_word(p, at, "word.morning"))
        return 1;
    if (is_word(p, at, "word.afternoon"))
        return 2;
    if (!token_is(p, at, TERM_BEFORE) && !token_is(p, at, TERM_AFTER))
        return 0;
    const bool is_noon = is_word(p, at + 1, "word.noon");

    *to = at + is_noon;
    if (token_is(p, at, TERM_BEFORE))
        return is_noon ? 1 : 0;
    const bool ends = at + 1 >= p->count || token_kind(p, at + 1, TOKEN_STOP);
    return is_noon || ends ? 2 : 0; /* "before noon or after?" */
}

static bool
joins(const struct parser *p, int at)
{
    return token_is(p, at, TERM_VERSUS) || token_is(p, at, TERM_OR) ||
           token_is(p, at, TERM_AND) || token_is(p, at, TERM_THAN) ||
           token_is(p, at, TERM_COMPARE) || token_is(p, at, TERM_IN);
}

/* "more samples before noon or after": what is asked of the two. */
static void
use_more(struct parser *p)
{
    for (int i = 0; i < p->count; i++)
        if (token_is(p, i, TERM_MORE) && token_is_free(p, i)) {
            token_use(p, i, i);
            p->is_contest = true;
        }
}

static bool
take_two(struct parser *p, int date, int at)
{
    int end, last;
    const int one = half_at(p, at, &end);
    int next = end + 1;

    while (one && next < p->count && joins(p, next))
        next++;
    const int other = one && next > end + 1 ? half_at(p, next, &last) : 0;
    if (!other || one == other)
        return false;
    struct test test = {.of = calendar_part(p, date, PART_HOUR), .op = OP_LT};
    parser_add_operand(&test, (struct operand){.is_number = true, .number = NOON});
    struct value *key = value_of_test(p, &test);
    key->yes = lexicon_say(p->lexicon, p->arena, "name.forenoon", NULL, 0);
    key->no = lexicon_say(p->lexicon, p->arena, "name.afternoon", NULL, 0);
    parser_add_key(p, key);
    calendar_use_around(p, at, last);
    use_more(p);
    p->query->is_compared = true;
    return true;
}

static bool
take_one(struct parser *p, int date, int at)
{
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        if (!is_word(p, at, parts[i].list) ||
            (token_is_mark(p, at + 1, '(') && token_kind(p, at + 2, TOKEN_NUMBER)))
            continue; /* "the morning (6 to 9)": parse_hours */
        struct test *test =
            parser_add_test(p, calendar_part(p, date, PART_HOUR), OP_BETWEEN);

        parser_add_operand(
            test, (struct operand){.is_number = true, .number = parts[i].first});
        parser_add_operand(
            test, (struct operand){.is_number = true, .number = parts[i].last});
        parser_note(p, "assume.root", token_text(p, at),
                    query_test_name(p->arena, p->frame, test));
        calendar_use_around(p, at, at);
        return true;
    }
    return false;
}

bool
parse_day_parts_take(struct parser *p, int date, int at)
{
    const struct column *column = &p->frame->column[date];

    return column->kind == COLUMN_DATE && !column->has_no_clock && !column->is_clock &&
           (take_two(p, date, at) || take_one(p, date, at));
}
