/* Titles and the names of axes, in words; and how numbers beside them are written. */
#include <ctype.h>
#include <math.h>

#include "bridge/planner/program/program.h"

enum {
    LABEL_MAX = 80, /* bytes of a title or an axis' name */
};

/* "dep_delay" is "dep delay"; long names would leave no room for the picture. */
static char *
in_words(struct program *p, const char *text)
{
    size_t len = strlen(text), cut = len;

    if (len > LABEL_MAX)
        for (cut = LABEL_MAX; cut && ((unsigned char)text[cut] & 0xc0) == 0x80;)
            cut--; /* to the start of a character */
    char *copy =
        arena_printf(p->arena, "%.*s%s", (int)cut, text, cut < len ? "\u2026" : "");
    for (char *at = copy; *at; at++)
        if (*at == '_' && at > copy && isalnum((unsigned char)at[-1]) &&
            isalnum((unsigned char)at[1]))
            *at = ' ';
    return copy;
}

const char *
program_label_of(struct program *p, const char *text)
{
    return python_label(p->arena, in_words(p, text));
}

const char *
program_title(struct program *p)
{
    const struct query *query = p->query;

    if (query->style.title)
        return python_label(p->arena, query->style.title);
    char *title = in_words(p, query_title(p->arena, p->spoken));
    *title = (char)toupper((unsigned char)*title);
    return python_label(p->arena, title);
}

const char *
program_key_label(struct program *p, unsigned at)
{
    return program_label_of(
        p, query_value_name(p->arena, p->spoken->frame, p->query->key[at]));
}

static bool
is_change(const struct program *p)
{
    return p->query->along == ALONG_PERCENT || p->query->along == ALONG_YEAR_BEFORE;
}

static bool
is_percent(const struct program *p)
{
    const struct amount *amount = &p->query->amount[0];

    return p->query->share || amount->reduce == REDUCE_RATE || amount->is_percent ||
           is_change(p);
}

const char *
program_measure_label(struct program *p)
{
    const char *name = program_amount_words(p, 0);

    return program_label_of(p, p->query->share ? program_say(p, "name.share", name)
                               : is_change(p)  ? program_say(p, "code.change", name)
                                               : name);
}

/* --- currencies --- */

static const struct {
    const char *word, *before, *after;
} currencies[] = {
    {"usd",    "$",      ""       },
    {"dollar", "$",      ""       },
    {"$",      "$",      ""       },
    {"eur",    "",       " \u20ac"},
    {"euro",   "",       " \u20ac"},
    {"\u20ac", "",       " \u20ac"},
    {"gbp",    "\u00a3", ""       },
    {"\u00a3", "\u00a3", ""       },
};

static bool
has_word(const char *text, const char *word)
{
    size_t len = strlen(word);

    for (const char *at = text; *at; at++) {
        bool starts = at == text || !isalpha((unsigned char)at[-1]);

        if (starts && strncasecmp(at, word, len) == 0 &&
            (!isalpha((unsigned char)at[len]) || !isalpha((unsigned char)*word)))
            return true;
    }
    return false;
}

/* Where the column says it: "price_usd", "revenue (\u20ac)". */
static int
currency_of(const struct program *p)
{
    const struct amount *amount = &p->query->amount[0];
    bool is_money = amount->of && amount->of->kind == VALUE_COLUMN && !amount->per &&
                    amount->reduce != REDUCE_COUNT &&
                    amount->reduce != REDUCE_DISTINCT && !is_percent(p);

    for (size_t i = 0; is_money && i < COUNT_OF(currencies); i++)
        if (has_word(p->frame->column[amount->of->column].name, currencies[i].word))
            return (int)i;
    return -1;
}

/* How many digits stand behind the point. */
static int
digits_of(struct program *p)
{
    const struct amount *amount = &p->query->amount[0];
    const struct column *column = amount->of && amount->of->kind == VALUE_COLUMN
                                      ? &p->frame->column[amount->of->column]
                                      : NULL;

    if (is_percent(p))
        return 1;
    if (strcmp(program_format(p, amount), ",") == 0)
        return 0;
    if (amount->per)
        return 2;
    if (!column || !column->has_range)
        return 1;
    double most = fmax(fabs(column->high), fabs(column->low));
    return most >= 1000                                         ? 0
           : amount->reduce == REDUCE_SUM && column->is_integer ? 0
           : amount->reduce == REDUCE_SUM || most > 10          ? 1
                                                                : 2;
}

const char *
program_number_format(struct program *p, const char *name, bool is_axis)
{
    int currency = currency_of(p);
    const char *digits = is_axis ? ",g" : arena_printf(p->arena, ",.%df", digits_of(p));

    return arena_printf(p->arena, "%s{%s:%s}%s",
                        currency < 0 ? "" : currencies[currency].before, name,
                        is_axis && (currency >= 0) ? ",.0f" : digits,
                        currency >= 0   ? currencies[currency].after
                        : is_percent(p) ? " %"
                                        : "");
}

/* Whether an axis of these numbers has a unit to show. */
bool
program_has_unit(const struct program *p)
{
    return is_percent(p) || currency_of(p) >= 0;
}
