/* The answer in a sentence, worked out by the program; names are arguments of print().
 */
#include <math.h>

#include "bridge/planner/program/program.h"

const char *
program_amount_name(struct program *p, unsigned at)
{
    return query_amount_name(p->arena, p->query, &p->query->amount[at]);
}

const char *
program_amount_words(struct program *p, unsigned at)
{
    return query_amount_name(p->arena, p->spoken, &p->query->amount[at]);
}

static bool
is_fine(const struct program *p, const struct value *value)
{
    const struct column *column =
        value && value->kind == VALUE_COLUMN ? &p->frame->column[value->column] : NULL;

    return column && column->has_range && !column->is_integer &&
           fabs(column->high) <= 10 && fabs(column->low) <= 10;
}

/* "lowest year built: 1890" */
static bool
is_year(const struct program *p, const struct amount *amount)
{
    const struct column *column = amount->of && amount->of->kind == VALUE_COLUMN
                                      ? &p->frame->column[amount->of->column]
                                      : NULL;

    return column && column->kind == COLUMN_NUMBER && column->role == ROLE_TIME &&
           (amount->reduce == REDUCE_MIN || amount->reduce == REDUCE_MAX);
}

const char *
program_format(struct program *p, const struct amount *amount)
{
    if (p->query->share || amount->reduce == REDUCE_RATE)
        return ",.2f";
    if (amount->reduce == REDUCE_CORRELATION)
        return ".3f";
    if (p->query->along != ALONG_PERCENT && p->query->along != ALONG_ROLLING &&
        p->query->along != ALONG_YEAR_BEFORE && !amount->each && !amount->per &&
        (amount->reduce == REDUCE_COUNT || amount->reduce == REDUCE_DISTINCT))
        return ",";
    if (is_year(p, amount))
        return ".0f";
    return is_fine(p, amount->of) ? ",.4f" : ",.2f";
}

static bool
is_percent(const struct program *p, const struct amount *amount)
{
    return p->query->share || amount->reduce == REDUCE_RATE || amount->is_percent ||
           p->query->along == ALONG_PERCENT || p->query->along == ALONG_YEAR_BEFORE;
}

static bool
is_date(const struct program *p, const struct amount *amount)
{
    return amount->of && amount->of->kind == VALUE_COLUMN &&
           p->frame->column[amount->of->column].kind == COLUMN_DATE &&
           amount->reduce != REDUCE_DISTINCT && amount->reduce != REDUCE_COUNT &&
           amount->reduce != REDUCE_RATE;
}

/* `format(answer, ",.2f")`: no f-string, in which nothing could be renamed. */
static const char *
shown(struct program *p, const struct amount *amount, const char *number)
{
    if (is_date(p, amount))
        return number;
    return arena_printf(p->arena, "format(%s, \"%s\")%s", number,
                        program_format(p, amount),
                        is_percent(p, amount) ? " + \" %\"" : "");
}

static const char *
capital(struct program *p, const char *text)
{
    char *copy = arena_text(p->arena, text, strlen(text));

    if (*copy >= 'a' && *copy <= 'z')
        *copy = (char)(*copy - 32);
    return copy;
}

void
program_number_answer(struct program *p)
{
    const struct query *query = p->query;

    if (query->share == SHARE_PART || query->share == SHARE_GROUPS ||
        query->share == SHARE_TOP) {
        program_groups(p);
        python_line(&p->python, "print(%s, format(result, \",.2f\"), \"%%\")",
                    program_text(p, arena_printf(p->arena, "%s:",
                                                 query_title(p->arena, p->spoken))));
        python_line(&p->python, "result");
        return;
    }
    for (unsigned i = 0; i < query->amounts; i++) {
        const struct amount *amount = &query->amount[i];

        python_line(&p->python, "answer = %s", program_reduced(p, amount));
        python_line(&p->python, "print(%s, %s)",
                    program_text(
                        p, arena_printf(p->arena,
                                        "%s:", capital(p, program_amount_words(p, i)))),
                    shown(p, amount, "answer"));
    }
    if (query->amounts == 1)
        python_line(&p->python, "answer");
}

static const char *
name_in_index(struct program *p, const char *which)
{
    const struct query *query = p->query;
    bool is_several = query->keys > 1;

    return arena_printf(p->arena, is_several ? "\", \".join(map(str, %s))" : "%s",
                        which);
}

static bool
is_bounded(const struct query *query)
{
    return query->rank.is_there && query->rank.count > 1;
}

/* The lowest is spoken of where it comes first. */
static bool
is_about_lowest(const struct query *query)
{
    return query->rank.is_there
               ? query->rank.is_low
               : query->is_sorted && !query->sorts_by_key && !query->sorts_down;
}

/* "total revenue"; of the highest price of each, the highest "price". */
static const char *
name_of_extreme(struct program *p, bool is_low)
{
    const struct amount *amount = &p->query->amount[0];

    if (amount->reduce == (is_low ? REDUCE_MIN : REDUCE_MAX) && amount->of &&
        !amount->per && !amount->tests)
        return query_value_name(p->arena, p->spoken->frame, amount->of);
    return program_amount_words(p, 0);
}

/* "Rome has the highest total revenue: 1,234.00" */
static void
say_extreme(struct program *p)
{
    const struct query *query = p->query;
    const struct amount *amount = &query->amount[0];
    bool is_low = is_about_lowest(query);
    const char *which = is_low ? "min" : "max";
    const char *name = name_of_extreme(p, is_low);
    const char *words =
        program_say(p,
                    query->along ? (is_low ? "code.fell" : "code.rose")
                    : is_low     ? "code.lowest"
                                 : "code.highest",
                    query->share ? program_say(p, "code.shareof", name) : name);

    if (is_date(p, amount))
        return;
    python_line(&p->python, "if not result.dropna().empty:");
    python_line(&p->python, "    print(%s, %s, %s)",
                name_in_index(p, arena_printf(p->arena, "result.idx%s()", which)),
                program_text(p, words),
                shown(p, amount, arena_printf(p->arena, "result.%s()", which)));
}

static void
say_within(struct program *p)
{
    python_line(&p->python, "for names, number in result.items():");
    python_line(&p->python, "    print(%snames, %s, sep=\"  \")",
                p->query->keys > 1 ? "*" : "",
                shown(p, &p->query->amount[0], "number"));
}

/* The second against the first, of two groups. */
static void
say_difference(struct program *p)
{
    const struct amount *amount = &p->query->amount[0];

    python_line(&p->python, "if len(result) == 2:");
    if (p->query->move ||
        (p->query->is_difference && query_value_is_time(p->frame, p->query->key[0]))) {
        python_line(
            &p->python,
            "    print(%s, result.index[0], %s, str(result.index[1]) + \":\", %s)",
            program_text(p, program_say(p, "code.changefrom", NULL)),
            program_text(p, program_say(p, "code.changeto", NULL)),
            p->query->is_relative
                ? "format(100 * (result.iloc[1] / result.iloc[0] - 1), "
                  "\",.2f\") + \" %\""
                : shown(p, amount, "result.iloc[1] - result.iloc[0]"));
        return;
    }
    python_line(&p->python,
                "    print(%s, result.index[0], %s, str(result.index[1]) + \":\", %s)",
                program_text(p, program_say(p, "code.difference", NULL)),
                program_text(p, program_say(p, "code.and", NULL)),
                shown(p, amount, "result.iloc[0] - result.iloc[1]"));
}

void
program_sentence(struct program *p)
{
    const struct query *query = p->query;

    if (!query->keys || query->amounts > 1 || p->is_wide)
        return;
    if (query->rank.is_nth || (query->rank.is_there && query->rank.is_within &&
                               !is_bounded(query) && query->keys > 1)) {
        say_within(p);
        return;
    }
    if (query->is_compared)
        say_difference(p);
    else if (!query->along || query->rank.is_there)
        say_extreme(p);
}
