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
    int unit;       /* its token, or -1 */
    int begin, end; /* tokens */
};

struct segments {
    struct segment at[BANDS_MAX];
    unsigned count;
    int begin, end; /* tokens */
};

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
    if (token_is_mark(p, at + 1, '+') || token_is(p, at + 1, TERM_GREATER_EQUAL))
        return !token_kind(p, at + 2, TOKEN_NUMBER);
    if (!(token_is_mark(p, at + 1, '-') || token_is(p, at + 1, TERM_TO) ||
          token_is(p, at + 1, TERM_LESS_EQUAL)) ||
        !token_kind(p, at + 2, TOKEN_NUMBER) || p->token[at + 2].number <= segment->low)
        return false;
    segment->high = p->token[at + 2].number;
    segment->takes_high = true;
    segment->end = at + 2;
    return true;
}

/* "… 40 to 60 and longer": from where the one before ends. */
static bool
read_rest(const struct parser *p, int at, struct segment *segment)
{
    if (!token_is(p, at, TERM_MORE) || !token_is(p, at - 1, TERM_AND) ||
        lexicon_lists(p->lexicon, "word.lessers", p->token[at].text) ||
        !isfinite(segment[-1].high))
        return false;
    segment->low = segment[-1].high;
    segment->end = at;
    return true;
}

/* "1-5", which is a value of some column, too. */
static bool
read_cell(const struct parser *p, int at, struct segment *segment)
{
    const struct item *item = token_kind(p, at, TOKEN_CELL) ? p->token[at].item : NULL;
    const struct word *words = item ? &p->reading->words.at[item->begin] : NULL;

    if (!item || item->len != 3 || words[0].kind != WORD_NUMBER ||
        words[2].kind != WORD_NUMBER || words[0].number >= words[2].number)
        return false;
    segment->low = words[0].number;
    segment->high = words[2].number;
    segment->takes_low = segment->takes_high = true;
    segment->end = at;
    return true;
}

/* "on time or early", before bands of what is late. */
static bool
read_on_time(const struct parser *p, int at, struct segment *segment)
{
    const bool has_other = token_is(p, at + 1, TERM_OR);

    for (int i = at; i <= at + 2 * has_other; i += 2)
        if (!token_kind(p, i, TOKEN_UNKNOWN) ||
            !(lexicon_lists(p->lexicon, "word.early", p->token[i].text) ||
              lexicon_lists(p->lexicon, "word.ontime", p->token[i].text)))
            return false;
    segment->high = 0;
    segment->takes_high = true;
    segment->end = at + 2 * has_other;
    return true;
}

static bool
read_segment(const struct parser *p, int at, struct segment *segment)
{
    *segment =
        (struct segment){.low = -INFINITY, .high = INFINITY, .unit = -1, .begin = at};
    if (!read_open(p, at, segment) && !read_numbers(p, at, segment) &&
        !read_cell(p, at, segment) && !read_on_time(p, at, segment))
        return false;
    take_unit(p, segment);
    return true;
}

/* "50-100k" behind "under 50k": both ends are thousands. */
static void
scale_low(const struct segment *before, struct segment *next)
{
    const double factor = before->high / next->low;

    if (next->low > 0 &&
        ((factor >= 1e3 && factor <= 1e3) || (factor >= 1e6 && factor <= 1e6)) &&
        before->high < next->high)
        next->low = before->high;
}

/* Each begins where the one before ends, or, of whole numbers, behind it. */
static bool
is_next(const struct segment *before, const struct segment *next)
{
    const double gap = next->low - before->high;

    return (gap >= 0 && gap <= 0) ||
           (gap >= 1 && gap <= 1 && before->takes_high && next->takes_low);
}

/* "4-24h, 1-3 days": all in the unit of the last; one without has that of the next. */
static void
scale_to_last(const struct parser *p, struct segments *list)
{
    const int last = list->count ? list->at[list->count - 1].unit : -1;
    const double whole = last >= 0 ? parse_units_seconds(p, last) : 0;
    int unit = last;

    for (unsigned i = list->count; whole > 0 && i-- > 0;) {
        struct segment *segment = &list->at[i];

        unit = segment->unit >= 0 ? segment->unit : unit;
        const double factor = parse_units_seconds(p, unit) / whole;
        if (factor <= 0)
            return;
        segment->low *= factor;
        segment->high *= factor;
        segment->unit = last;
    }
}

/* Those at the front that follow one another. */
static unsigned
count_next(struct segments *list)
{
    for (unsigned i = 1; i < list->count; i++) {
        scale_low(&list->at[i - 1], &list->at[i]);
        if (!is_next(&list->at[i - 1], &list->at[i]))
            return i;
    }
    return list->count;
}

static void
read_list(const struct parser *p, int at, struct segments *list)
{
    *list = (struct segments){.begin = at};
    while (list->count < BANDS_MAX) {
        struct segment *next = &list->at[list->count];

        if (!read_segment(p, at, next) && !(list->count && read_rest(p, at, next)))
            return;
        list->count++;
        list->end = next->end;
        at = next->end + 1;
        while (token_kind(p, at, TOKEN_COMMA) || token_is(p, at, TERM_AND) ||
               token_is(p, at, TERM_OR))
            at++;
    }
}

static void
read_segments(const struct parser *p, int at, struct segments *list)
{
    read_list(p, at, list);
    scale_to_last(p, list);
    list->count = count_next(list);
    if (list->count)
        list->end = list->at[list->count - 1].end;
}

bool
parse_listed_bands_are_there(const struct parser *p)
{
    struct segments list;

    for (int i = 1; i < p->count; i++) {
        read_segments(p, i, &list);
        if (list.count >= BANDS_LEAST)
            return true;
    }
    return false;
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

/* What the question calls it; "and longer" is "60 and longer". */
static const char *
label_of(struct parser *p, const struct segment *segment)
{
    const bool is_rest = token_is(p, segment->begin, TERM_MORE);
    const struct item *first = p->token[segment->begin - is_rest].item,
                      *last = p->token[segment->end].item;
    /* "… and over 60" is one term */
    const bool has_and = !is_rest && lexicon_exact(p->lexicon, &p->reading->words,
                                                   first->begin, 1) == TERM_AND;
    const size_t begin = first->begin + has_and;
    const char *text = parse_defines_text(p, begin, last->begin + last->len - begin);

    if (!text) /* in words that are not the question's */
        return arena_printf(p->arena, "%.12g-%.12g", segment->low, segment->high);
    return is_rest ? arena_printf(p->arena, "%.12g %s", segment->low, text) : text;
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
           token_is(p, at, TERM_IN) || token_is(p, at, TERM_IS) ||
           token_is(p, at, TERM_BIN) || token_is(p, at, TERM_GROUP_BY) ||
           token_is_mark(p, at, '('))
        at--;
    return token_kind(p, at, TOKEN_VALUE) && value_is_quantity(p, p->token[at].value)
               ? at
               : -1;
}

/* "orders under 50 pounds, …": of the one column that is in pounds. -1: none. */
static int
column_of_unit(const struct parser *p, const struct segments *list)
{
    for (unsigned i = 0; i < list->count; i++)
        if (list->at[i].unit >= 0)
            return parse_units_column(p, list->at[i].unit);
    return -1;
}

static const struct value *
banded_value(struct parser *p, const struct segments *list)
{
    const int at = banded_at(p, list->begin),
              column = at < 0 ? column_of_unit(p, list) : -1;

    if (at >= 0)
        return p->token[at].value;
    if (column < 0 && token_kind(p, list->end + 1, TOKEN_VALUE) &&
        value_is_quantity(p, p->token[list->end + 1].value))
        return p->token[list->end + 1].value; /* "5+ nights" */
    if (column < 0)
        return NULL;
    parser_note(p, "assume.column", token_text(p, list->at[0].end),
                p->frame->column[column].name);
    return value_of_column(p, column);
}

static void
use_around(struct parser *p, const struct segments *list, const struct value *value)
{
    const int at = banded_at(p, list->begin);
    const int first = at < 0 ? list->begin : at;

    token_use(p, first, list->end);
    if (token_kind(p, list->end + 1, TOKEN_VALUE) &&
        query_value_is_same(p->token[list->end + 1].value, value))
        token_use(p, list->end + 1, list->end + 1); /* "5+ nights" */
    if (token_is(p, first - 1, TERM_BY) || token_is(p, first - 1, TERM_FOR) ||
        token_is(p, first - 1, TERM_PER) || token_is(p, first - 1, TERM_EACH) ||
        token_is(p, first - 1, TERM_IN))
        token_use(p, first - 1, first - 1);
}

bool
parse_listed_bands_follow(const struct parser *p, int at)
{
    struct segments list;

    while (token_kind(p, at, TOKEN_COMMA) || token_is(p, at, TERM_OF) ||
           token_is_mark(p, at, '('))
        at++;
    read_segments(p, at, &list);
    return list.count >= BANDS_LEAST && banded_at(p, at) >= 0;
}

void
parse_listed_bands(struct parser *p)
{
    for (int i = 1; i < p->count; i++) {
        struct segments list;

        read_segments(p, i, &list);
        const struct value *value =
            list.count >= BANDS_LEAST ? banded_value(p, &list) : NULL;
        if (!value)
            continue;
        parser_add_key(
            p, value_make(p, (struct value){.kind = VALUE_BAND,
                                            .left = value,
                                            .bands = bands_of(p, value, &list)}));
        p->key_is_given[p->query->keys - 1] = true;
        use_around(p, &list, value);
        return;
    }
}
