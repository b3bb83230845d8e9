/* derive: bands whose ends the question lists: "under 30, 30 to 60 and over 60". */
#include <math.h>

#include "bridge/planner/durations/parse_units.h"

enum {
    BANDS_LEAST = 3, /* fewer are conditions: "under 10 or over 50" */
};

/* "30 to 60": without an end it is open. */
struct segment {
    double low, high; /* as said; -inf and inf where it is open */
    bool takes_low, takes_high;
    int unit; /* its token, or -1 */
    int end;  /* the last token */
};

struct segments {
    struct segment at[BANDS_MAX];
    unsigned count;
    int begin, end; /* tokens */
};

static bool
is_mark(const struct parser *p, int at, char mark)
{
    return token_kind(p, at, TOKEN_MARK) && p->token[at].text[0] == mark;
}

static void
take_unit(const struct parser *p, struct segment *segment)
{
    const int at = segment->end + 1;

    segment->unit = parse_units_is(p, at) && !token_kind(p, at, TOKEN_NUMBER) ? at : -1;
    if (segment->unit >= 0)
        segment->end = at;
}

/* "under 30", "over 60" */
static bool
read_open(const struct parser *p, int at, struct segment *segment)
{
    const bool is_below =
        token_is(p, at, TERM_LESS) || token_is(p, at, TERM_LESS_EQUAL);
    const bool is_above = token_is(p, at, TERM_GREATER) || token_is(p, at, TERM_OVER) ||
                          token_is(p, at, TERM_GREATER_EQUAL);

    if (!(is_below || is_above) || !token_kind(p, at + 1, TOKEN_NUMBER))
        return false;
    if (is_below) {
        segment->high = p->token[at + 1].number;
        segment->takes_high = token_is(p, at, TERM_LESS_EQUAL);
    } else {
        segment->low = p->token[at + 1].number;
        /* "3 to 7 and over 7": not "7 and over" */
        segment->takes_low = token_is(p, at, TERM_GREATER_EQUAL) &&
                             strncmp(p->token[at].text, "and", 3) != 0;
    }
    segment->end = at + 1;
    return true;
}

/* "30 to 60", "60+", "60 or more" */
static bool
read_numbers(const struct parser *p, int at, struct segment *segment)
{
    if (!token_kind(p, at, TOKEN_NUMBER))
        return false;
    segment->low = p->token[at].number;
    segment->takes_low = true;
    segment->end = at + 1;
    if (is_mark(p, at + 1, '+') || token_is(p, at + 1, TERM_GREATER_EQUAL))
        return !token_kind(p, at + 2, TOKEN_NUMBER);
    if (!(is_mark(p, at + 1, '-') || token_is(p, at + 1, TERM_TO)) ||
        !token_kind(p, at + 2, TOKEN_NUMBER) || p->token[at + 2].number <= segment->low)
        return false;
    segment->high = p->token[at + 2].number;
    segment->takes_high = true;
    segment->end = at + 2;
    return true;
}

static bool
read_segment(const struct parser *p, int at, struct segment *segment)
{
    *segment = (struct segment){.low = -INFINITY, .high = INFINITY, .unit = -1};
    if (!read_open(p, at, segment) && !read_numbers(p, at, segment))
        return false;
    take_unit(p, segment);
    return true;
}

/* Each begins where the one before ends, or, of whole numbers, behind it. */
static bool
is_next(const struct segment *before, const struct segment *next)
{
    const double gap = next->low - before->high;

    return (gap >= 0 && gap <= 0) ||
           (gap >= 1 && gap <= 1 && before->takes_high && next->takes_low);
}

static void
read_segments(const struct parser *p, int at, struct segments *list)
{
    *list = (struct segments){.begin = at};
    while (list->count < BANDS_MAX) {
        struct segment *next = &list->at[list->count];

        if (!read_segment(p, at, next) || (list->count && !is_next(next - 1, next)))
            return;
        list->count++;
        list->end = next->end;
        at = next->end + 1;
        while (token_kind(p, at, TOKEN_COMMA) || token_is(p, at, TERM_AND) ||
               token_is(p, at, TERM_OR))
            at++;
    }
}

/* Whole numbers may be counted from the next one on. */
static bool
is_whole(const struct parser *p, const struct value *value)
{
    const struct column *column = value_column(p, value);

    return column && column->is_integer;
}

/* Where what is just between two bands belongs: 1 to the one above, -1 below, 0 either.
 */
static int
side_of_edge(const struct segment *before, const struct segment *next)
{
    if (!next->takes_low)
        return before->takes_high ? -1 : 0;
    return !before->takes_high || !isfinite(next->high) || next->low > before->high;
}

static const char *
label_of(struct parser *p, const struct segment *segment)
{
    const char *low = arena_printf(p->arena, "%.12g", segment->low),
               *high = arena_printf(p->arena, "%.12g", segment->high), *text;

    if (isfinite(segment->low) && isfinite(segment->high))
        text = arena_printf(p->arena, "%s-%s", low, high);
    else if (isfinite(segment->low))
        text = lexicon_say(p->lexicon, p->arena,
                           segment->takes_low ? "test.from" : "test.over", &low, 1);
    else
        text = lexicon_say(p->lexicon, p->arena,
                           segment->takes_high ? "test.upto" : "test.under", &high, 1);
    return segment->unit < 0
               ? text
               : arena_printf(p->arena, "%s %s", text, token_text(p, segment->unit));
}

/* The edges in the column's own unit; closed on the left but where all ends are said to
 * belong below. */
static const struct bands *
bands_of(struct parser *p, const struct value *value, const struct segments *list)
{
    struct bands *bands = arena_alloc(p->arena, 1, sizeof(*bands));
    const unsigned last = list->count - 1;
    int unit = -1, up = 0, down = 0;

    for (unsigned i = 0; i <= last; i++) {
        unit = list->at[i].unit >= 0 ? list->at[i].unit : unit;
        const int side = i < last ? side_of_edge(&list->at[i], &list->at[i + 1]) : 0;
        up += side > 0;
        down += side < 0;
    }
    const double factor = unit >= 0 ? parse_units_factor(p, unit, value) : 1;
    bands->count = list->count;
    bands->is_right = up == 0 && down > 0;
    bands->edge[0] = list->at[0].low * factor;
    for (unsigned i = 0; i <= last; i++) {
        const struct segment *segment = &list->at[i], *next = segment + 1;
        const bool is_up =
            i == last ? !segment->takes_high : side_of_edge(segment, next) >= 0;
        const double edge = i == last ? segment->high : next->low;
        const bool shifts = !bands->is_right && !is_up && is_whole(p, value);

        bands->label[i] = label_of(p, segment);
        bands->edge[i + 1] = (edge + shifts) * factor;
        if (!bands->is_right && !is_up && !shifts && isfinite(edge))
            parser_note(p, "assume.edge", arena_printf(p->arena, "%.12g", edge), NULL);
    }
    return bands;
}

/* What is divided: the number before them. -1: none. */
static int
banded_at(const struct parser *p, int begin)
{
    int at = begin - 1;

    while (token_kind(p, at, TOKEN_COMMA) || token_is(p, at, TERM_OF) ||
           token_is(p, at, TERM_IN) || token_is(p, at, TERM_IS))
        at--;
    return token_kind(p, at, TOKEN_VALUE) && value_is_quantity(p, p->token[at].value)
               ? at
               : -1;
}

static void
use_around(struct parser *p, int at, const struct segments *list)
{
    token_use(p, at, list->end);
    if (token_is(p, at - 1, TERM_BY) || token_is(p, at - 1, TERM_FOR) ||
        token_is(p, at - 1, TERM_PER) || token_is(p, at - 1, TERM_EACH) ||
        token_is(p, at - 1, TERM_IN))
        token_use(p, at - 1, at - 1);
}

void
parse_listed_bands(struct parser *p)
{
    for (int i = 1; i < p->count; i++) {
        struct segments list;

        read_segments(p, i, &list);
        const int at = list.count >= BANDS_LEAST ? banded_at(p, i) : -1;
        if (at < 0)
            continue;
        const struct value *value = p->token[at].value;
        parser_add_key(
            p, value_make(p, (struct value){.kind = VALUE_BAND,
                                            .left = value,
                                            .bands = bands_of(p, value, &list)}));
        p->key_is_given[p->query->keys - 1] = true;
        use_around(p, at, &list);
        return;
    }
}
