/* The units of numbers: "longer than 2 hours" of a column of minutes. */
#include "bridge/planner/durations/parse_units.h"

#include <ctype.h>

static const struct {
    unsigned flag;
    double seconds;
    enum query_part part;
} times[] = {
    {FLAG_SECONDS, 1,        PART_NONE  },
    {FLAG_MINUTES, 60,       PART_MINUTE},
    {FLAG_HOURS,   3600,     PART_HOUR  },
    {FLAG_DAYS,    86400,    PART_DAY   },
    {FLAG_WEEKS,   604800,   PART_WEEK  },
    {FLAG_MONTHS,  2629800,  PART_MONTH }, /* a twelfth of a year */
    {FLAG_YEARS,   31557600, PART_YEAR  },
};

static double
seconds_of(const struct parser *p, uint64_t stem)
{
    unsigned flags = lexicon_flags(p->lexicon, stem);

    for (size_t i = 0; i < COUNT_OF(times); i++)
        if (flags & times[i].flag)
            return times[i].seconds;
    return 0;
}

/* What is measured: units of one of them can be converted into each other. */
enum quantity {
    QUANTITY_NONE,
    QUANTITY_TIME,
    QUANTITY_MASS,
    QUANTITY_LENGTH,
    QUANTITY_AREA,
    QUANTITY_VOLUME,
    QUANTITY_ENERGY,
    QUANTITY_POWER,
    QUANTITY_DATA,
    QUANTITY_TOTAL,
};

struct unit_size {
    enum quantity of;
    double size;
};

/* The lexicon lists them as "g 1 kg 1000". */
static const char *const lists[QUANTITY_TOTAL] = {
    [QUANTITY_MASS] = "word.masses",     [QUANTITY_LENGTH] = "word.lengths",
    [QUANTITY_AREA] = "word.areas",      [QUANTITY_VOLUME] = "word.volumes",
    [QUANTITY_ENERGY] = "word.energies", [QUANTITY_POWER] = "word.powers",
    [QUANTITY_DATA] = "word.sizes",
};

enum {
    FARTHEST = 4000, /* times that one unit is another that is still meant */
};

static struct unit_size
unit_of(const struct parser *p, uint64_t stem)
{
    double seconds = seconds_of(p, stem);

    if (seconds > 0)
        return (struct unit_size){QUANTITY_TIME, seconds};
    if (!(lexicon_flags(p->lexicon, stem) & FLAG_UNIT))
        return (struct unit_size){QUANTITY_NONE, 0};
    for (enum quantity of = QUANTITY_MASS; of < QUANTITY_TOTAL; of++) {
        const char *list = lexicon_say(p->lexicon, p->arena, lists[of], NULL, 0);
        struct words words = words_split(p->arena, slice_of(list ? list : ""), 64);

        for (size_t i = 0; i + 1 < words.count; i++)
            if (words.at[i].stem == stem && words.at[i + 1].kind == WORD_NUMBER)
                return (struct unit_size){of, words.at[i + 1].number};
    }
    return (struct unit_size){QUANTITY_NONE, 0};
}

/* 0: there is no token. */
static uint64_t
stem_at(const struct parser *p, int at)
{
    return at >= 0 && at < p->count
               ? p->reading->words.at[p->token[at].item->begin].stem
               : 0;
}

bool
parse_units_names_last(const struct parser *p, int at, const struct column *column)
{
    const struct words *words = &column->words;
    const uint64_t asked = stem_at(p, at),
                   last = words->count ? words->at[words->count - 1].stem : 0;
    const struct unit_size one = unit_of(p, asked), other = unit_of(p, last);

    return asked == last || /* "kilo" is "kg" */
           (one.of && one.of == other.of && one.size <= other.size &&
            one.size >= other.size);
}

double
parse_units_seconds(const struct parser *p, int at)
{
    return seconds_of(p, stem_at(p, at));
}

bool
parse_units_is(const struct parser *p, int at)
{
    if (at < 0 || at >= p->count || p->token[at].item->len != 1)
        return false;
    return seconds_of(p, stem_at(p, at)) > 0 ||
           lexicon_flags(p->lexicon, stem_at(p, at)) & FLAG_UNIT;
}

/* The last word of its name that is a unit of time, `tenure_months`; other units stand
 * at the end, `weight_g`. */
/* "85 min": what the cells of a column end in, where they are numbers with units. */
static struct unit_size
unit_of_cells(const struct parser *p, const struct column *column)
{
    const char *cell = json_string_value(json_array_get(column->values, 0));
    const struct words words = column->is_measured && cell
                                   ? words_split(p->arena, slice_of(cell), 8)
                                   : (struct words){.count = 0};

    return words.count < 2 ? (struct unit_size){QUANTITY_NONE, 0}
                           : unit_of(p, words.at[words.count - 1].stem);
}

/* "day_rate": so much for a day, not a number of days. */
static bool
is_per_time(const struct parser *p, const struct column *column, size_t at)
{
    return at + 1 < column->words.count &&
           lexicon_lists(p->lexicon, "word.rates", column->words.at[at + 1].text);
}

static struct unit_size
unit_of_column(const struct parser *p, const struct column *column)
{
    struct unit_size unit = {QUANTITY_NONE, 0};

    if (column->span)
        return (struct unit_size){QUANTITY_TIME, column->span->seconds};
    if (column_is_per_unit(column, p->lexicon))
        return unit; /* "EUR/kg" is not a weight */
    for (size_t i = 0; i < column->words.count; i++) {
        double found = seconds_of(p, column->words.at[i].stem);

        const bool is_of_period = /* `hours_week`: hours, of a week */
            i > 0 && unit.of && seconds_of(p, column->words.at[i - 1].stem) < found;
        if (found > 0 && !is_per_time(p, column, i) && !is_of_period)
            unit = (struct unit_size){QUANTITY_TIME, found};
    }
    if (!unit.of)
        unit = unit_of_cells(p, column);
    return unit.of || column->words.count < 2
               ? unit
               : unit_of(p, column->words.at[column->words.count - 1].stem);
}

bool
parse_units_is_time(const struct parser *p, const struct value *value)
{
    const struct column *column = value_column(p, value);

    return value->kind == VALUE_DURATION ||
           (column && (unit_of_column(p, column).of == QUANTITY_TIME ||
                       column_is_called(column, p->lexicon, "word.millis")));
}

/* "22 degrees", whichever those of a temperature are. */
static bool
is_degree(const struct parser *p, uint64_t stem)
{
    const char *degree = lexicon_say(p->lexicon, p->arena, "word.degree", NULL, 0);

    return degree && *degree && stem == words_stem(degree, strlen(degree));
}

static bool
has_unit(const struct parser *p, const struct column *column, uint64_t stem)
{
    size_t last = column->words.count;

    if (last == 0)
        return false;
    if (is_degree(p, stem) && column_is_called(column, p->lexicon, "word.temperatures"))
        return true;
    struct unit_size asked = unit_of(p, stem), own = unit_of_column(p, column);
    if (asked.of == QUANTITY_LENGTH && !own.of && column->words.count == 1 &&
        column_is_called(column, p->lexicon, "word.distances"))
        return true; /* "over 500 miles" of a `distance` */
    if (asked.of)
        return own.of == asked.of;
    if (column_is_per_unit(column, p->lexicon)) /* euros of "EUR/night" */
        while (last > 2 && !words_is_per(&column->words, --last))
            ;
    return lexicon_stands_for(p->lexicon, column->words.at[last - 1].stem, stem);
}

/* "duration_min", where `wait_min` is another: what just takes so long; the floor of a
 * house, and not its garden. */
static bool
is_main(const struct parser *p, int column)
{
    return column_is_called(&p->frame->column[column], p->lexicon, "word.spans") ||
           column_is_called(&p->frame->column[column], p->lexicon, "word.floors");
}

int
parse_units_column(const struct parser *p, int at)
{
    int found = -1;

    if (!parse_units_is(p, at))
        return -1;
    for (int i = 0; i < p->frame->columns; i++) {
        const struct column *column = &p->frame->column[i];
        const struct value value = {.kind = VALUE_COLUMN, .column = i};

        if (!value_is_quantity(p, &value) || !has_unit(p, column, stem_at(p, at)))
            continue;
        if (found >= 0 && is_main(p, i) == is_main(p, found))
            return -1;
        if (found < 0 || is_main(p, i))
            found = i;
    }
    return found;
}

/* Years are counted in months and days, and not in hours (a week). */
static bool
is_too_long(const struct parser *p, int at, double factor)
{
    const double day = 86400;

    return parse_units_seconds(p, at) > 27 * day && factor > 400;
}

int
parse_units_convertible(struct parser *p, int at)
{
    const struct unit_size asked = unit_of(p, stem_at(p, at));
    int found = -1;

    for (int i = 0; i < p->frame->columns; i++) {
        const struct value *value = value_of_column(p, i);
        const struct unit_size has = unit_of_column(p, &p->frame->column[i]);
        const bool is_number = value_is_quantity(p, value) && !value_is_flag(p, value);
        const double factor = is_number ? parse_units_factor(p, at, value) : 1;
        const bool is_same = /* "45 hours" of `hrs_wk` */
            is_number && has.of && has.of == asked.of && factor >= 1 && factor <= 1;

        if (!is_same && ((factor >= 1 && factor <= 1) || is_too_long(p, at, factor) ||
                         factor < 1.0 / FARTHEST))
            continue; /* nobody counts hours of years */
        if (found >= 0)
            return -1;
        found = i;
    }
    return found;
}

static bool
is_currency(const struct parser *p, uint64_t stem)
{
    const char *list = lexicon_say(p->lexicon, p->arena, "word.currencies", NULL, 0);
    struct words known = words_split(p->arena, slice_of(list ? list : ""), 16);

    for (size_t i = 0; i < known.count; i++)
        if (known.at[i].stem == stem)
            return true;
    return false;
}

bool
parse_units_is_full_money(const struct parser *p, int number)
{
    const struct word *word = token_kind(p, number, TOKEN_NUMBER)
                                  ? &p->reading->words.at[p->token[number].item->begin]
                                  : NULL;
    bool has_letters = false;

    for (size_t i = word ? word->begin : 0;
         word && i < word->end && i < p->reading->question.len; i++)
        has_letters |= isalpha((unsigned char)p->reading->question.data[i]) != 0;
    return word && (has_letters || token_has_currency(p, number) ||
                    is_currency(p, stem_at(p, number + 1)));
}

double
parse_units_factor(const struct parser *p, int at, const struct value *value)
{
    const struct column *column = value_column(p, value);
    const double scale = column ? column_scale(column, p->lexicon) : 1;

    if (scale > 1)
        return parse_units_is_full_money(p, at - 1) ? 1 / scale
                                                    : 1; /* of thousands of euros */
    struct unit_size asked = {QUANTITY_NONE, 0}, has = {QUANTITY_NONE, 0};

    if (parse_units_is(p, at))
        asked = unit_of(p, stem_at(p, at));
    if (column)
        has = unit_of_column(p, column);
    if (column && has.of == QUANTITY_NONE && asked.of == QUANTITY_TIME &&
        column_is_called(column, p->lexicon, "word.delays"))
        has = (struct unit_size){QUANTITY_TIME, 60}; /* as delays are counted */
    for (size_t i = 0; value->kind == VALUE_DURATION && i < COUNT_OF(times); i++)
        if (times[i].part && times[i].part == value->part)
            has = (struct unit_size){QUANTITY_TIME, times[i].seconds};
    return asked.of && asked.of == has.of ? asked.size / has.size : 1;
}

/* The money at `at` is none of the column's. */
static bool
is_other_money(const struct parser *p, int at, const struct column *column)
{
    const size_t words = column ? column->words.count : 0;
    const uint64_t last = words ? column->words.at[words - 1].stem : 0;
    const struct words *full = words ? lexicon_expansion(p->lexicon, last) : NULL;
    const uint64_t unit = full && full->count ? full->at[0].stem : last;

    if (is_currency(p, unit) && unit != stem_at(p, at))
        return is_currency(p, stem_at(p, at));
    return false;
}

bool
parse_units_is_other_money(const struct parser *p, int at)
{
    for (unsigned i = 0; i < p->query->amounts; i++) {
        const struct value *of = p->query->amount[i].of;

        if (of && is_other_money(p, at, value_column(p, of)))
            return true;
    }
    return false;
}

/* --- scales --- */

/* "millions", "thousand": how much one of them is; 0: none is named. */
static double
scale_at(const struct parser *p, int at)
{
    const char *text = token_kind(p, at, TOKEN_UNKNOWN) ? p->token[at].text : "";

    return strlen(text) > 1 ? column_scale_word(p->lexicon, text) : 0;
}

/* The column counted in what the token at `at` says: so many of its own are one. */
static const struct value *
counted_in(struct parser *p, int at, const struct value *value, double factor)
{
    const struct column *column = value_column(p, value);

    if (!column || (factor <= 1 && factor >= 1))
        return value;
    const struct value number = {.kind = VALUE_NUMBER,
                                 .number = factor > 1 ? factor : 1 / factor};
    return value_make(
        p, (struct value){.kind = VALUE_ARITHMETIC,
                          .op = factor > 1 ? '/' : '*',
                          .left = value,
                          .right = value_make(p, number),
                          .is_scaled = true,
                          .name = arena_printf(p->arena, "%s in %s", column->name,
                                               token_text(p, at))});
}

void
parse_units_in_scale(struct parser *p, int at)
{
    const double scale = token_is(p, at, TERM_IN) ? scale_at(p, at + 1) : 0;
    const int money = at + 2 + token_is(p, at + 2, TERM_OF);
    int of = at - 1;

    if (scale < 1)
        return;
    while (of >= 0 && !value_is_quantity_at(p, of))
        of--;
    const struct column *column = of >= 0 ? token_column(p, of) : NULL;
    if (!column || column->kind == COLUMN_BOOL)
        return;
    const bool has_money = money < p->count && is_currency(p, stem_at(p, money));
    if (has_money && is_other_money(p, money, column))
        return;
    for (int i = 0; i < p->count; i++)
        if (token_is_bound(p, i))
            return; /* "over 5, in millions" */
    p->token[of].value = counted_in(p, at + 1, p->token[of].value,
                                    scale / column_scale(column, p->lexicon));
    token_drop(p, at, has_money ? money : at + 1);
}

bool
parse_units_differ(const struct parser *p, const struct value *a, const struct value *b)
{
    const struct column *one = value_column(p, a), *two = value_column(p, b);

    if (!one || !two)
        return false;
    struct unit_size first = unit_of_column(p, one), second = unit_of_column(p, two);
    return first.of && first.of == second.of &&
           (first.size < second.size || first.size > second.size);
}

bool
parse_units_is_own(const struct parser *p, int at, const struct value *value)
{
    const struct column *column = value_column(p, value);
    struct unit_size asked = unit_of(p, stem_at(p, at));

    if (!column || !asked.of)
        return false;
    struct unit_size has = unit_of_column(p, column);
    return asked.of == has.of && asked.size <= has.size && asked.size >= has.size;
}

bool
parse_units_is_known(const struct parser *p, int at)
{
    return parse_units_is(p, at) && unit_of(p, stem_at(p, at)).of != QUANTITY_NONE;
}

const struct value *
parse_units_scaled(struct parser *p, int at, const struct value *value)
{
    return counted_in(p, at, value, parse_units_factor(p, at, value));
}
