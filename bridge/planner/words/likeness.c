#include "bridge/planner/words/likeness.h"

#include <ctype.h>
#include <string.h>

enum {
    SPELL_MAX = 31,
};

static unsigned
least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static unsigned
distance(const char *a, size_t m, const char *b, size_t n)
{
    unsigned row[3][SPELL_MAX + 2];

    for (size_t j = 0; j <= n; j++)
        row[0][j] = (unsigned)j;
    for (size_t i = 1; i <= m; i++) {
        unsigned *now = row[i % 3], *before = row[(i + 2) % 3], *two = row[(i + 1) % 3];

        now[0] = (unsigned)i;
        for (size_t j = 1; j <= n; j++) {
            unsigned change = before[j - 1] + (a[i - 1] != b[j - 1]);

            now[j] = least(least(before[j], now[j - 1]) + 1, change);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least(now[j], two[j - 2] + 1);
        }
    }
    return row[m % 3][n];
}

static bool
is_one_of(const char *ending, const char *const *known, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(ending, known[i]) == 0)
            return true;
    return false;
}

/* What makes a verb, its actor or its act of a root: "ed", "or", "ion". */
static bool
is_derived(const char *ending)
{
    static const char *const known[] = {"ed",  "or",   "ors",  "er",  "ers",  "ion",
                                        "ing", "ions", "ment", "ure", "able", "ive"};

    return is_one_of(ending, known, COUNT_OF(known));
}

/* "imbd" of "imdb". */
static bool
is_swap(const char *text, const char *known)
{
    return known[0] == text[0] &&
           ((known[1] == text[2] && known[2] == text[1] && known[3] == text[3]) ||
            (known[1] == text[1] && known[2] == text[3] && known[3] == text[2]));
}

unsigned
likeness_slips(const char *text, const char *known)
{
    size_t m = strlen(text), n = strlen(known);

    if (m == 4 && n == 4)
        return is_swap(text, known) && strcmp(text, known) != 0;
    if (m < 4 || n < 5 || m > SPELL_MAX || n > SPELL_MAX || text[0] != known[0])
        return 0;
    size_t same = 0;
    while (text[same] && text[same] == known[same])
        same++;
    bool inflects = (m > same && strchr("drs", text[m - 1])) ||
                    (n > same && strchr("drs", known[n - 1]));
    if (same + 1 >= m && same + 1 >= n && inflects)
        return 0; /* "played" and "player": an ending, not a slip */
    if (same >= LIKENESS_ROOT && is_derived(text + same) && is_derived(known + same))
        return 0; /* "inspected" and "inspector" */
    unsigned allowed = n >= 8 && m >= 7 ? 2 : 1;
    if (m > n + allowed || n > m + allowed)
        return 0;
    unsigned slips = distance(text, m, known, n);
    return slips <= allowed ? slips : 0;
}

/* What is left of a word behind its stem; "ment" of "shipment", and of "shipped" "ed".
 */
static const char *
ending_behind(const char *word, size_t stem)
{
    bool is_doubled = word[stem] && word[stem] == word[stem - 1];

    return word + stem + is_doubled;
}

bool
likeness_is_event(const char *noun, const char *participle)
{
    static const char *const nouns[] = {
        "al",   "als",   "ure",    "ures", "ment", "ments",  "ion",
        "ions", "ation", "ations", "y",    "ies",  "ing",    "ings",
        "ance", "e",     "es",     "s",    "",     "cation", "cations"};
    static const char *const participles[] = {"ed", "d", "ied"};
    size_t stem = likeness_shared(noun, participle);

    bool is_short = stem + 1 == LIKENESS_EVENT && /* "filing", "filed" */
                    strcmp(noun + stem, "ing") == 0 &&
                    strcmp(participle + stem, "ed") == 0;

    return (stem >= LIKENESS_EVENT || is_short) &&
           is_one_of(ending_behind(noun, stem), nouns, COUNT_OF(nouns)) &&
           is_one_of(ending_behind(participle, stem), participles,
                     COUNT_OF(participles));
}

size_t
likeness_shared(const char *a, const char *b)
{
    size_t len = 0;

    while (a[len] && tolower((unsigned char)a[len]) == tolower((unsigned char)b[len]))
        len++;
    return len;
}

bool
likeness_is_inflected(const char *a, const char *b)
{
    static const char *const endings[] = {"ed",  "s",    "es",    "ing", "ings", "er",
                                          "ers", "ment", "ments", "ion", "ions"};
    const size_t shared = likeness_shared(a, b);
    const char *longer = strlen(a) > strlen(b) ? a : b;

    if (shared < LIKENESS_ROOT || shared < strlen(longer == a ? b : a))
        return false;
    for (size_t i = 0; i < COUNT_OF(endings); i++)
        if (strcmp(longer + shared, endings[i]) == 0)
            return true;
    return false;
}

/* "drop" of "dropped", "sign" of "signed", "drop" itself. */
static bool
is_verb_of(const char *root, size_t len, const char *verb)
{
    if (strncasecmp(root, verb, len) != 0)
        return false;
    const char *rest = verb + len;
    if (*rest && tolower((unsigned char)*rest) == tolower((unsigned char)root[len - 1]))
        rest++; /* "dropped" */
    return !*rest || strcasecmp(rest, "ed") == 0 || strcasecmp(rest, "d") == 0 ||
           strcasecmp(rest, "s") == 0;
}

bool
likeness_is_phrasal(const char *noun, const char *verb, const char *particle)
{
    const size_t size = strlen(particle);
    size_t len = strlen(noun);

    if (len > size + LIKENESS_EVENT && tolower((unsigned char)noun[len - 1]) == 's')
        len--;
    return size >= 2 && len >= size + 3 &&
           strncasecmp(noun + len - size, particle, size) == 0 &&
           is_verb_of(noun, len - size, verb);
}
