/* Names of columns as they are said: "revenue_usd" is "revenue in USD". */
#include <ctype.h>

#include "bridge/planner/query/query.h"

/* Behind what is measured in them. Words that are also something else ("min", "days",
 * "m") are not here. */
static const struct {
    const char *word, *said;
} units[] = {
    {"usd",     "USD"    },
    {"eur",     "EUR"    },
    {"gbp",     "GBP"    },
    {"chf",     "CHF"    },
    {"jpy",     "JPY"    },
    {"pct",     "percent"},
    {"percent", "percent"},
    {"kg",      "kg"     },
    {"mg",      "mg"     },
    {"lbs",     "lbs"    },
    {"km",      "km"     },
    {"cm",      "cm"     },
    {"mm",      "mm"     },
    {"kwh",     "kWh"    },
    {"kw",      "kW"     },
    {"kb",      "KB"     },
    {"mb",      "MB"     },
    {"gb",      "GB"     },
    {"ms",      "ms"     },
    {"ml",      "ml"     },
    {"ppm",     "ppm"    },
    {"mph",     "mph"    },
    {"kmh",     "km/h"   },
    {"hrs",     "hours"  },
    {"mins",    "minutes"},
    {"secs",    "seconds"},
};

/* "unitPrice", but not "McKay": two small letters and a large one. */
static bool
is_hump(const char *name, size_t at)
{
    return at > 1 && islower((unsigned char)name[at - 2]) &&
           islower((unsigned char)name[at - 1]) && isupper((unsigned char)name[at]);
}

static bool
is_joint(const char *name, size_t at)
{
    return name[at] == '_' && at > 0 && name[at - 1] != ' ' && name[at - 1] != '_' &&
           name[at + 1] && name[at + 1] != ' ' && name[at + 1] != '_';
}

static char *
parted(struct arena *arena, const char *name)
{
    char *out = arena_alloc(arena, 2 * strlen(name) + 1, 1), *to = out;

    for (size_t at = 0; name[at]; at++) {
        bool is_small = islower((unsigned char)name[at + 1]);
        char c = name[at];

        if (is_joint(name, at)) {
            c = ' ';
        } else if (is_hump(name, at)) {
            *to++ = ' ';
            c = is_small ? (char)tolower((unsigned char)c) : c;
        }
        *to++ = c;
    }
    return out;
}

static const char *
unit_of(const char *word)
{
    for (size_t i = 0; i < COUNT_OF(units); i++)
        if (strcasecmp(units[i].word, word) == 0)
            return units[i].said;
    return NULL;
}

/* "price per kg" and "cost in EUR" say it already. */
static bool
is_said_before(const char *text, size_t end)
{
    static const char *const words[] = {"per", "in", "of", "by"};

    for (size_t i = 0; i < COUNT_OF(words); i++) {
        size_t len = strlen(words[i]);
        bool is_there = end >= len && strncasecmp(text + end - len, words[i], len) == 0;
        if (is_there && (end == len || text[end - len - 1] == ' '))
            return true;
    }
    return false;
}

char *
query_words(struct arena *arena, const char *name)
{
    char *text = parted(arena, name);
    const char *last = strrchr(text, ' ');
    const char *unit = last && last > text ? unit_of(last + 1) : NULL;

    if (!unit || is_said_before(text, (size_t)(last - text)))
        return text;
    return arena_printf(arena, "%.*s in %s", (int)(last - text), text, unit);
}

const struct query *
query_spoken(struct arena *arena, const struct query *query)
{
    struct query *spoken = arena_alloc(arena, 1, sizeof(*spoken));
    struct frame *frame = arena_alloc(arena, 1, sizeof(*frame));

    *frame = *query->frame;
    frame->is_spoken = true;
    *spoken = *query;
    spoken->frame = frame;
    return spoken;
}
