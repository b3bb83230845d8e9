/* derive: how long before it takes place something is booked: "lead time", "how many
 * days in advance". */
#include "bridge/planner/durations/parse_durations.h"

static bool
is_one_of(const struct parser *p, int at, const char *list)
{
    return (token_kind(p, at, TOKEN_UNKNOWN) || token_kind(p, at, TOKEN_ROWS)) &&
           lexicon_lists(p->lexicon, list, p->token[at].text);
}

/* "do people book", behind it. */
static void
use_booking(struct parser *p, int at, const struct value *booked)
{
    for (int i = at; i < at + 3 && i < p->count; i++) {
        const struct value *date = parse_durations_date(p, i);

        if (date && query_value_is_same(date, booked)) {
            token_drop(p, at, i);
            return;
        }
    }
}

bool
parse_leads(struct parser *p, int at)
{
    const struct value *date[2];
    int begin = at - token_is(p, at - 1, TERM_IN);
    const bool is_time =
                   token_is(p, at + 1, TERM_TIMES) && is_one_of(p, at, "word.lead"),
               is_ahead = token_part(p, begin - 1) && is_one_of(p, at, "word.ahead");

    if (!(is_time || is_ahead) || !parse_durations_lead(p, date))
        return false;
    begin = is_ahead ? begin : at;
    enum query_part unit = PART_NONE;
    if (is_ahead) {
        unit = token_part(p, --begin);
        begin -=
            token_is(p, begin - 1, TERM_HOW_MANY) || token_is(p, begin - 1, TERM_COUNT);
    }
    parse_durations_note(p, date[0], date[1]);
    token_become_other(p, begin, at + is_time,
                       parse_durations_make(p, date[0], date[1], unit));
    use_booking(p, begin + 1, date[0]);
    return true;
}
