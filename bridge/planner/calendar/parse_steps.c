/* along time: the largest step from one period to the next: "which month had the
 * biggest increase over the month before", "when did revenue fall the most from one
 * month to the next". */
#include "bridge/planner/calendar/parse_moves.h"

struct step {
    int move;    /* "increase", "fell" */
    int extreme; /* "biggest", "the most" */
    bool is_down;
    enum query_part part; /* of the periods */
};

static bool
is_period(enum query_part part)
{
    return part >= PART_YEAR && part <= PART_DAY;
}

/* The period that "month over month", "from one month to the next" is about. */
static enum query_part
part_in_phrase(const struct parser *p, int at)
{
    const struct item *item = p->token[at].item;

    if (!token_is(p, at, TERM_CHANGE) && !token_is(p, at, TERM_GROWTH))
        return PART_NONE;
    for (size_t i = item->begin; i < item->begin + item->len; i++) {
        const enum query_part part =
            parser_part(lexicon_exact(p->lexicon, &p->reading->words, i, 1));

        if (is_period(part))
            return part;
    }
    return PART_NONE;
}

static bool
is_asked_at(const struct parser *p, int at)
{
    return token_is(p, at - 1, TERM_WHICH) || token_is(p, at - 1, TERM_WHOSE) ||
           token_is(p, at - 1, TERM_IN);
}

static bool
find_step(const struct parser *p, struct step *step)
{
    *step = (struct step){.move = -1, .extreme = -1};
    for (int i = 0; i < p->count; i++) {
        const enum query_move move = parse_moves_at(p, i);
        const enum query_part part = token_part(p, i), phrase = part_in_phrase(p, i);

        if ((token_is(p, i, TERM_HIGH) || token_is(p, i, TERM_LOW)) &&
            !p->token[i].is_used)
            step->extreme = i;
        else if (token_kind(p, i, TOKEN_UNKNOWN) &&
                 (move == MOVE_UP || move == MOVE_DOWN)) {
            step->move = i;
            step->is_down = move == MOVE_DOWN;
        }
        if (phrase || (is_period(part) && is_asked_at(p, i)))
            step->part = phrase ? phrase : part;
    }
    return step->move >= 0 && step->extreme >= 0 && step->part &&
           token_is(p, step->extreme, TERM_HIGH);
}

/* "over the previous month", "compared with the month before" */
static void
use_before(struct parser *p, const struct step *step)
{
    for (int i = step->move; i < p->count; i++) {
        const bool joins =
            token_is(p, i - 1, TERM_OVER) || token_is(p, i - 1, TERM_OF) ||
            token_is(p, i - 1, TERM_VERSUS) || token_is(p, i - 1, TERM_FROM) ||
            token_is(p, i - 1, TERM_TO) || token_is(p, i - 1, TERM_THAN);
        const bool is_before =
            token_kind(p, i, TOKEN_UNKNOWN) &&
            lexicon_lists(p->lexicon, "word.previous", p->token[i].text);
        const int part = i + is_before;

        if (!joins || token_part(p, part) != step->part ||
            !(is_before || token_is(p, part + 1, TERM_BEFORE)))
            continue;
        token_use(p, i - 1, part + !is_before);
        p->wants_compare = false;
    }
}

/* "month over month", "from one month to the next" */
static void
use_phrases(struct parser *p)
{
    for (int i = 0; i < p->count; i++)
        if (part_in_phrase(p, i) || token_is(p, i, TERM_WHEN) ||
            token_is(p, i, TERM_YEAR_BEFORE))
            token_use(p, i, i);
}

static void
use_percent(struct parser *p)
{
    for (int i = 0; i < p->count; i++)
        if (token_is(p, i, TERM_SHARE) || token_is(p, i, TERM_PERCENT_UNIT)) {
            token_use(p, i - token_is(p, i - 1, TERM_IN), i);
            p->query->along = ALONG_PERCENT;
        }
}

void
parse_steps(struct parser *p)
{
    struct step step;

    if (p->query->move || p->query->is_compared || !find_step(p, &step))
        return;
    p->query->along = p->has_percent ? ALONG_PERCENT : ALONG_CHANGE;
    p->query->rank.is_there = true;
    p->query->rank.count = 1;
    p->query->rank.is_low = step.is_down;
    p->query->shape = SHAPE_TABLE;
    p->rank_at = step.extreme;
    p->along_part = step.part;
    p->wants_time = true;
    use_percent(p);
    token_use(p, step.move, step.move);
    token_use(p, step.extreme, step.extreme);
    use_before(p, &step);
    use_phrases(p);
}
